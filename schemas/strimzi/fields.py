#!/usr/bin/env python3
"""Extract the fields of Strimzi's resources, which of them are required, and the words of some, from
the CRDs of its releases.

    python schemas/strimzi/fields.py CHECKOUT [--check]

CHECKOUT is a clone of strimzi/strimzi-kafka-operator with its tags. The CRDs that each release
installs are read, whatever version of the API they are for, and ``fields.tsv``, ``required.tsv`` and
``words.tsv`` are written; ``--check`` writes nothing and exits 1 where a committed one differs.

- resource  the kind
- path      the object, from ``spec`` on; ``[]`` is any member of a list
- fields    all names that it has had in any release; of ``required.tsv`` those that the object must
            have in each release that has it in this version of the API
- api       the version of the API, ``*`` for both that are in use
- words     of a field with an enumeration all that any release has accepted

Objects of Kubernetes' own (probes, affinity, resources) and the templates of pods are left out, and
so are maps whose keys are free.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from tables import deliver  # noqa: E402

COMMAND = "python schemas/strimzi/fields.py"
COLUMNS = ("resource", "path")
#: The versions of the API that have resources to this day.
APIS = ("v1beta2", "v1")
#: The last release of each minor that has CRDs of apiextensions.k8s.io, and the newest ones.
RELEASES = (
    *("0.11.0", "0.14.0", "0.17.0", "0.18.0", "0.20.0", "0.22.0", "0.23.0", "0.25.0", "0.28.0"),
    *("0.31.0", "0.34.0", "0.36.0", "0.38.0", "0.40.0", "0.41.0", "0.42.0", "0.43.0", "0.44.0"),
    *("0.45.0", "0.46.0", "0.47.0", "0.48.0", "0.49.0", "0.50.0", "0.51.0", "1.0.0", "1.1.0"),
    "1.2.0",
)
_FOLDERS = ("install/cluster-operator", "packaging/install/cluster-operator")
#: Fields whose own fields are Kubernetes' or free.
_CLOSED = frozenset(
    ("affinity", "livenessProbe", "readinessProbe", "startupProbe", "resources", "template")
    + ("tolerations", "networkPolicyPeers", "valueFrom", "env")
)


def walk(
    schema: dict, path: str, found: dict[str, dict[str, None]], words: dict[str, dict[str, None]]
) -> None:
    """Collect the names of an object's fields, and of those within it, and their enumerations."""
    if "enum" in schema:
        words.setdefault(path, {}).update(dict.fromkeys(map(str, schema["enum"])))
    if schema.get("type") == "array":
        walk(schema.get("items", {}), f"{path}[]", found, words)
        return
    members = schema.get("properties")
    if not members:
        return
    found.setdefault(path, {}).update(dict.fromkeys(members))
    for name, member in members.items():
        if name not in _CLOSED:
            walk(member, f"{path}.{name}", found, words)


def require(schema: dict, path: str, found: dict[str, set[str]]) -> None:
    """Keep of the names that an object must have those that it must have in this schema, too."""
    if schema.get("type") == "array":
        require(schema.get("items", {}), f"{path}[]", found)
        return
    members = schema.get("properties")
    if not members:
        return
    names = set(schema.get("required", ()))
    found[path] = found.get(path, names) & names
    for name, member in members.items():
        if name not in _CLOSED:
            require(member, f"{path}.{name}", found)


def git(checkout: Path, *words: str) -> str:
    command = ["git", "-C", str(checkout), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


Named = dict[tuple[str, str], dict[str, None]]
Required = dict[tuple[str, str], dict[str, set[str]]]


def fields(checkout: Path) -> tuple[Named, Named, Required]:
    """The names by kind and path, the words, and what is required by kind and version of the API."""
    kinds: dict[str, dict[str, dict[str, None]]] = {}
    worded: dict[str, dict[str, dict[str, None]]] = {}
    needed: Required = {}
    for release in RELEASES:
        names = git(checkout, "ls-tree", "-r", "--name-only", release).split("\n")
        for name in names:
            if not (name.startswith(_FOLDERS) and "Crd" in name and name.endswith(".yaml")):
                continue
            crd = yaml.load(git(checkout, "show", f"{release}:{name}"), yaml.CSafeLoader)
            spec = crd["spec"]
            schemas = [(one["name"], one.get("schema")) for one in spec.get("versions", ())]
            for api, schema in (*schemas, ("", spec.get("validation"))):
                parts = ((schema or {}).get("openAPIV3Schema") or {}).get("properties", {})
                if "spec" in parts:
                    kind = spec["names"]["kind"]
                    own = kinds.setdefault(kind, {}), worded.setdefault(kind, {})
                    walk(parts["spec"], "spec", *own)
                    if api in APIS:
                        require(parts["spec"], "spec", needed.setdefault((kind, api), {}))
    return _flat(kinds), _flat(worded), needed


def _flat(kinds: dict[str, dict[str, dict[str, None]]]) -> Named:
    return {(kind, path): names for kind, paths in kinds.items() for path, names in paths.items()}


def table(title: str, last: str, named: Named) -> str:
    head = (title, f"made by `{COMMAND}`, which explains the columns")
    lines = [
        f"{kind}\t{path}\t{' '.join(sorted(names))}"
        for (kind, path), names in sorted(named.items())
        if kind != "StrimziPodSet"
    ]
    return "\n".join([*(f"# {line}" for line in head), "\t".join((*COLUMNS, last)), *lines, ""])


def required(needed: Required) -> str:
    """The table of required fields."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for (kind, api), paths in needed.items():
        for path, names in paths.items():
            if names and kind not in ("StrimziPodSet", "KafkaConnectS2I"):
                rows.setdefault((kind, path, " ".join(sorted(names))), []).append(api)
    lines = [
        "\t".join((kind, "*" if len(apis) == len(APIS) else apis[0], path, names))
        for (kind, path, names), apis in sorted(rows.items())
    ]
    head = (
        "The fields that objects of Strimzi's resources must have, by version of the API, in all releases",
        f"made by `{COMMAND}`, which explains the columns",
    )
    columns = "\t".join(("resource", "api", "path", "fields"))
    return "\n".join([*(f"# {line}" for line in head), columns, *lines, ""])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    names, words, needed = fields(options.checkout)
    texts = {
        "fields.tsv": table(
            "The fields of Strimzi's resources, by the path of the object that holds them, of all releases",
            "fields",
            names,
        ),
        "required.tsv": required(needed),
        "words.tsv": table(
            "What fields of Strimzi's resources accept that have an enumeration, of all releases",
            "words",
            words,
        ),
    }
    return deliver(HERE, texts, "CRDs", options.check)


if __name__ == "__main__":
    sys.exit(main())
