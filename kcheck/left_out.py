"""What no run looks into, and why: folders of tools and builds, the samples of unpacked tools, and the
fixtures of tests.
"""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable

#: Folders of tools: no input of anybody, so not even counted.
TOOLS = frozenset(
    {
        ".git",
        ".hg",
        ".svn",
        ".jj",
        ".idea",
        ".vscode",
        ".venv",
        ".tox",
        ".nox",
        ".gradle",
        ".mvn",
        ".cache",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".hypothesis",
        ".ipynb_checkpoints",
        "__pycache__",
    }
)
#: Folders of what is built or fetched: copies of what stands elsewhere.
BUILT = {
    "node_modules": "installed packages",
    "target": "build output",
    "eclipse-target": "build output",
    "build": "build output",
    "dist": "build output",
    ".terraform": "fetched by terraform",
    ".terragrunt-cache": "fetched by terragrunt",
    "site-packages": "installed packages",
}

#: Endings of what configures nothing, and is not even searched: documents, source code, and what is
#: no text.
_OTHER_ENDINGS = (
    "md mdx rst adoc asciidoc txt log html htm xhtml css scss less svg csv tsv pdf tex ipynb"
    " java kt scala groovy py pyi go js jsx mjs cjs ts tsx cs fs vb rb rs c h cc cpp cxx hpp m mm swift"
    " dart php pl pm lua r jl ex exs erl hrl clj cljs hs ml elm vue svelte proto thrift avsc avdl graphql"
    " sql ddl patch diff snap map po lock sum mod class jar war ear so o a dll exe bin dat db sqlite"
    " png jpg jpeg gif ico webp bmp tiff mp3 mp4 wav mov avi webm woff woff2 ttf otf eot"
    " zip gz tgz tar bz2 xz 7z rar zst lz4 parquet orc avro pb pyc jks p12 pfx pem crt cer key der csr"
)
_OTHERS = frozenset(_OTHER_ENDINGS.split())


def may_configure(path: str) -> bool:
    """Whether a file of no supported format may be a text that configures something."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() not in _OTHERS if "." in name else True


#: Why a file is passed over, in a walk and in the rows of a table alike.
UNSUPPORTED = "unsupported format"
_PACKED = "a compressed flow of NiFi: unpack it to check it"
#: Files that would be read if they were not compressed, by their names.
PACKED = {"flow.json.gz": _PACKED, "flow.xml.gz": _PACKED}

#: Of a template that puts nothing out with the values of its chart.
LEFT_OUT = "left out by the chart's values"

SHIPPED = "shipped with Kafka"
_STRIMZI, _PLATFORM = "shipped with Strimzi", "shipped with Confluent Platform"
_CP_ANSIBLE, _CHART = "shipped with cp-ansible", "a downloaded chart"
_PLUGIN = "shipped with a connector"
#: What an unpacked archive of Confluent's hub has beside the samples in ``etc``.
_OF_PLUGIN = ("manifest.json", "lib", "doc")

#: (what an unpacked tool has, the folder with its samples, why that is left out). A mark that ends
#: in a slash is a folder.
SAMPLES = (
    ("bin/kafka-server-start.sh", "config", SHIPPED),
    ("bin/kafka-server-start", "etc", _PLATFORM),
    ("install/cluster-operator/", "examples", _STRIMZI),
    ("roles/variables/", "sample_inventories", _CP_ANSIBLE),
    ("roles/variables/", "molecule", _CP_ANSIBLE),
)
#: What tests are run on, partly written to be refused: a folder ``fixtures`` in one of tests.
FIXTURES = "fixtures of tests"
_FIXTURES = "fixtures"
_OF_TESTS = re.compile(rf"(?:.*?/)?(?:tests?|__tests__)/{_FIXTURES}/")
#: The folder with the charts that a chart depends on, and the files that say where they are from.
CHARTS = "charts"
LOCKS = ("Chart.lock", "requirements.lock")

#: Why something is left out on purpose: nothing that anybody has to know of.
MEANT = frozenset(
    {
        "excluded",
        SHIPPED,
        _STRIMZI,
        _PLATFORM,
        _CP_ANSIBLE,
        _CHART,
        _PLUGIN,
        FIXTURES,
        *BUILT.values(),
    }
)


def shipped(prefix: str, names: Container[str]) -> dict[str, str]:
    """The folders among ``names`` in a folder that configure nothing here, and why: the samples of an
    unpacked tool, charts that Helm has fetched, and the fixtures of tests.
    """
    found = {
        folder: why
        for mark, folder, why in SAMPLES
        if folder in names and os.path.exists(f"{prefix}{mark}")
    }
    if "config" in names and "config" not in found and _has_jars(prefix):
        found["config"] = SHIPPED
    if "etc" in names and all(name in names for name in _OF_PLUGIN):
        found.setdefault("etc", _PLUGIN)
    if prefix.endswith(f"{CHARTS}/"):
        parent = prefix.removesuffix(f"{CHARTS}/")
        for lock in LOCKS:
            try:
                with open(f"{parent}{lock}", "rb") as file:
                    found |= dict.fromkeys(fetched(file.read(_MOST_LOCK)), _CHART)
            except OSError:
                continue
    if _FIXTURES in names and fixtures_in(f"{prefix}{_FIXTURES}/"):
        found[_FIXTURES] = FIXTURES
    return found


def fixtures_in(path: str) -> str:
    """The folder of a path that holds the fixtures of tests, with a slash behind it; "" without."""
    found = _OF_TESTS.match(path)
    return found[0] if found is not None else ""


_MOST_LOCK = 100_000


def fetched(lock: bytes) -> set[str]:
    """The names of the charts that a lock file says to be from a repository."""
    found: set[str] = set()
    name, remote = "", False
    for line in lock.decode("utf-8", "replace").splitlines():
        key, _, value = line.strip().removeprefix("- ").partition(":")
        value = value.strip().strip("\"'")
        if line.startswith("- "):
            name, remote = "", False
        if key == "name":
            name = value
        elif key == "repository":
            remote = value.startswith(("http", "oci:", "@", "alias:"))
        if name and line and key in ("name", "repository") and remote:
            found.add(name)
    return found


def sampled(paths: Iterable[str]) -> dict[str, str]:
    """The same of the paths of an archive: these folders, each with a slash behind it."""
    found: dict[str, str] = {}
    for path in paths:
        if fixtures := fixtures_in(path):
            found.setdefault(fixtures, FIXTURES)
        for mark, folder, why in SAMPLES:
            at = f"/{path}".find(f"/{mark}")
            if at >= 0 and (mark.endswith("/") or path[at:] == mark):
                found.setdefault(f"{path[:at]}{folder}/", why)
        top, libs, name = path.rpartition("libs/")
        jar = name.startswith(("kafka_", "kafka-clients-")) and name.endswith(".jar")
        if libs and jar and (not top or top.endswith("/")):
            found.setdefault(f"{top}config/", SHIPPED)
    return found


def downloaded(path: str, lock: bytes) -> dict[str, str]:
    """The folders of the charts that the lock file at that path of an archive fetches."""
    folder = path.rpartition("/")[0]
    prefix = f"{folder}/{CHARTS}" if folder else CHARTS
    return {f"{prefix}/{name}/": _CHART for name in fetched(lock)}


def _has_jars(prefix: str) -> bool:
    """Whether the folder is an unpacked Kafka by its libraries."""
    try:
        return any(
            name.startswith(("kafka_", "kafka-clients-")) and name.endswith(".jar")
            for name in os.listdir(f"{prefix}libs")
        )
    except OSError:
        return False
