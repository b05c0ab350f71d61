"""What the files of a build are called, and how each kind of them names the version of a package.

A new package is a row of ``_PACKAGES``, a new kind of file one of its ecosystem's patterns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from kcheck.libraries import AIOKAFKA, FRANZ_GO, JAVA, KAFKA_PYTHON, KAFKAJS, LIBRDKAFKA, SARAMA

#: How far above a client's file its build may lie: src/main/resources/config is four folders deep.
_DEPTH = 6
#: A release as numbers; ``_END`` keeps candidates and ranges out.
_NUMBER = r"(\d+\.\d+(?:\.\d+)?)"
_END = r"(?![\w.*+-])"

_POM, _LOCK, _CATALOG = "pom.xml", "gradle.lockfile", "gradle/libs.versions.toml"
_GRADLE, _PROPERTIES, _PROJECT = "build.gradle", "gradle.properties", "*.csproj"

_Patterns = dict[str, tuple[str, ...]]


class Package:
    """A package that is or brings a client's library, and the patterns of its version by kind of
    file, the surest first. Of a pattern's groups the first is a release, the second a name for one.

    ``carries``: its releases are its own, and ``carriers`` knows the client inside. ``platform``:
    a version of the client itself goes before it.
    """

    __slots__ = ("carries", "files", "name", "platform")

    def __init__(
        self, name: str, files: _Patterns, carries: bool = False, platform: bool = False
    ) -> None:
        self.name = name
        self.files = files
        self.carries = carries
        self.platform = platform


def folders_above(path: str) -> Iterator[str]:
    """The folders above a file in which its build may lie, the nearest first; "" is the root."""
    folder = path.rpartition("/")[0]
    # A build lies beside its folder of sources, not in it.
    at = f"/{folder}/".rfind("/src/")
    folder = folder[: max(at - 1, 0)] if at >= 0 else folder
    for _ in range(_DEPTH):
        yield folder
        if not folder or folder == "/":
            return
        folder = folder.rpartition("/")[0]


def names(kind: str, folder: str) -> tuple[str, ...]:
    """The names of a kind of file in a folder; a project of .NET is mostly called like its folder."""
    if kind == _GRADLE:
        return ("build.gradle.kts", "build.gradle")
    if kind == _PROJECT:
        name = folder.rpartition("/")[2]
        return (f"{name}.csproj",) if name else ()
    return (kind,)


#: The comments of XML, of Gradle beside the strings that may hold their marks, and of TOML.
#: One without an end goes to that of the file: sought again at each mark, it would take the square.
_XML = r"<!--[^-]*(?:-(?!->)[^-]*)*(?:-->)?"
_SLASHES = r"\"[^\"\n]*\"|'[^'\n]*'|//[^\n]*|/\*[^*]*(?:\*(?!/)[^*]*)*(?:\*/)?"
_HASHES = r"^[ \t]*#[^\n]*"
_COMMENTS = {
    **dict.fromkeys((_POM, _PROJECT, "Directory.Packages.props"), re.compile(_XML)),
    _GRADLE: re.compile(_SLASHES),
    **dict.fromkeys((_CATALOG, _PROPERTIES, "pyproject.toml"), re.compile(_HASHES, re.MULTILINE)),
}


def uncommented(kind: str, text: str) -> str:
    """The text of a kind of file with blanks for its comments, so that positions stay."""
    comments = _COMMENTS.get(kind)
    return comments.sub(_blank, text) if comments is not None else text


def _blank(found: re.Match[str]) -> str:
    """A comment as blanks; a string as it is."""
    text = found[0]
    return text if text[0] in "\"'" else re.sub(r"[^\n]", " ", text)


def value_of(name: str) -> str:
    """The pattern of a version that a build keeps under a name."""
    name = re.escape(name)
    return rf"(?:<{name}>|\b{name}[\"'\]]*\s*[=,]\s*[\"']?){_NUMBER}"


@lru_cache(maxsize=64)
def packages(library: str, said: str) -> tuple[Package, ...]:
    """The packages of a library; of a client that ``said`` its package that one alone."""
    rows = _PACKAGES.get(library, ())
    named = tuple(one for one in rows if said in (one.name, *_ALSO.get(one.name, ())))
    # Who says the library's own name says nothing of the package around it.
    return named or (rows if said in ("", library) else ())


def _java(artifact: str) -> _Patterns:
    pair = rf"org\.apache\.kafka:{artifact}"
    return {
        _LOCK: (rf"{pair}:{_NUMBER}=",),
        _POM: (
            rf"<artifactId>{artifact}</artifactId>\s*<version>(?:{_NUMBER}|\$\{{([\w.-]+)\}})</version>",
            rf"<(?:kafka|kafka-clients|apache-kafka)\.version>{_NUMBER}</",
        ),
        _GRADLE: (
            rf"{pair}:(?:{_NUMBER}|\$\{{?(\w+)\}}?)[\"']",
            rf"name:\s*[\"']{artifact}[\"'],\s*version:\s*[\"']{_NUMBER}[\"']",
            rf"kafka\.version[\"'\])]*\s*(?:=|,|\]\s*=)\s*[\"']{_NUMBER}[\"']",
        ),
        _CATALOG: (
            rf"{pair}:{_NUMBER}[\"']",
            rf"{artifact}\"[^\n]*version\s*=\s*\"{_NUMBER}\"",
            rf"{artifact}\"[^\n]*version\.ref\s*=\s*\"()([\w.-]+)\"",
        ),
        # Names that the others give to versions.
        _PROPERTIES: (),
    }


def _bom(artifacts: str, pom: str, gradle: tuple[str, ...], properties: str = "") -> _Patterns:
    """A platform that a build imports as a BOM, or has as its parent or plugin."""
    return {
        _POM: (
            *((rf"<{pom}>{_NUMBER}",) if pom else ()),
            rf"<artifactId>{artifacts}</artifactId>\s*"
            rf"<version>(?:{_NUMBER}[^<]*|\$\{{([\w.-]+)\}})</version>",
        ),
        _GRADLE: (*gradle, rf"{artifacts}:(?:{_NUMBER}|\$\{{?(\w+)\}}?)"),
        _CATALOG: (
            rf"{artifacts}\"[^\n]*version\s*=\s*\"{_NUMBER}",
            rf"{artifacts}\"[^\n]*version\.ref\s*=\s*\"()([\w.-]+)\"",
        ),
        _PROPERTIES: (rf"^{properties}\s*=\s*{_NUMBER}",) if properties else (),
    }


def _plugin(name: str) -> str:
    return rf"{name}[\"']\)?\s*version\s*[\"']{_NUMBER}"


def _python(name: str) -> _Patterns:
    name = re.sub(r"[-_.]+", "[-_.]", name)
    pinned = rf"{name}(?:\[[\w, -]*\])?\s*==\s*{_NUMBER}{_END}"
    locked = rf"name = \"{name}\"\s*version = \"{_NUMBER}\""
    return {
        "poetry.lock": (locked,),
        "uv.lock": (locked,),
        "Pipfile.lock": (rf"\"{name}\":\s*\{{[^}}]*?\"version\":\s*\"=={_NUMBER}\"",),
        "requirements.txt": (rf"^{pinned}",),
        "pyproject.toml": (rf"[\"']{pinned}",),
    }


def _npm(name: str) -> _Patterns:
    name = re.escape(name)
    locked = (rf"\"(?:node_modules/)?{name}\":\s*\{{\s*\"version\":\s*\"{_NUMBER}\"",)
    return {
        "package-lock.json": locked,
        "npm-shrinkwrap.json": locked,
        "yarn.lock": (rf"^\"?{name}@[^\n]*:\s*\n\s+version:?\s+\"?{_NUMBER}{_END}",),
        "pnpm-lock.yaml": (rf"^\s+['\"]?/?{name}[@/]{_NUMBER}{_END}",),
        "package.json": (rf"\"{name}\":\s*\"{_NUMBER}\"",),
    }


def _go(path: str) -> _Patterns:
    return {
        "go.mod": (rf"^\s*(?:require\s+)?{path}(?:/v\d+)?\s+v{_NUMBER}(?:\+incompatible)?(?=\s|$)",)
    }


def _nuget(name: str) -> _Patterns:
    name = re.escape(name)
    number = rf"(?:\[?{_NUMBER}\]?|\$\(([\w.-]+)\))"

    def item(element: str) -> tuple[str, ...]:
        return (
            rf"<{element}\s+(?:Include|Update)=\"{name}\"\s+Version=\"{number}\"",
            rf"<{element}\s+(?:Include|Update)=\"{name}\"\s*>\s*<Version>{number}</Version>",
        )

    return {
        "packages.lock.json": (rf"\"{name}\":\s*\{{[^}}]*?\"resolved\":\s*\"{_NUMBER}\"",),
        _PROJECT: item("PackageReference"),
        "Directory.Packages.props": item("PackageVersion"),
    }


#: The packages of each library.
_PACKAGES = {
    JAVA.name: (
        Package("kafka-clients", _java("kafka-clients")),
        Package("kafka-streams", _java("kafka-streams")),
        Package(
            "spring-boot",
            _bom(
                "spring-boot-(?:starter-parent|dependencies|gradle-plugin)",
                "",
                (_plugin(r"org\.springframework\.boot"),),
            )
            | {_CATALOG: (rf"org\.springframework\.boot\"[^\n]*version\s*=\s*\"{_NUMBER}",)},
            carries=True,
            platform=True,
        ),
        Package(
            "quarkus",
            _bom(
                "quarkus-(?:universe-)?bom",
                r"quarkus(?:\.platform)?\.version",
                (_plugin(r"io\.quarkus"),),
                "quarkusPlatformVersion",
            ),
            carries=True,
            platform=True,
        ),
        Package(
            "micronaut",
            _bom(
                "micronaut-(?:parent|platform|bom)",
                r"micronaut\.version",
                (rf"^micronaut\s*\{{[^}}]*?\bversion\s*[=(]?\s*[\"']{_NUMBER}",),
                "micronautVersion",
            ),
            carries=True,
            platform=True,
        ),
    ),
    LIBRDKAFKA.name: (
        Package("confluent-kafka", _python("confluent-kafka")),
        Package("confluent-kafka-go", _go(r"github\.com/confluentinc/confluent-kafka-go")),
        Package("Confluent.Kafka", _nuget("Confluent.Kafka")),
        Package("node-rdkafka", _npm("node-rdkafka"), carries=True),
        Package(
            "@confluentinc/kafka-javascript",
            _npm("@confluentinc/kafka-javascript"),
            carries=True,
        ),
        # The crate names the library that it was made with behind its own number.
        Package(
            "rdkafka-sys",
            {"Cargo.lock": (rf"name = \"rdkafka-sys\"\s*version = \"[\d.]+\+{_NUMBER}\"",)},
        ),
    ),
    KAFKAJS.name: (Package("kafkajs", _npm("kafkajs")),),
    SARAMA.name: (Package("sarama", _go(r"github\.com/(?:IBM|Shopify)/sarama")),),
    FRANZ_GO.name: (Package("franz-go", _go(r"github\.com/twmb/franz-go")),),
    "kafka-go": (Package("kafka-go", _go(r"github\.com/segmentio/kafka-go")),),
    KAFKA_PYTHON.name: (Package("kafka-python", _python("kafka-python")),),
    AIOKAFKA.name: (Package("aiokafka", _python("aiokafka")),),
}

#: What else a declaration may call a package.
_ALSO = {
    "confluent-kafka": ("confluent-kafka-python",),
    "Confluent.Kafka": ("confluent-kafka-dotnet", "confluent.kafka"),
    "@confluentinc/kafka-javascript": ("confluent-kafka-javascript",),
    "rdkafka-sys": ("rdkafka", "rust-rdkafka"),
}
