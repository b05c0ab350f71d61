#!/usr/bin/env python3
"""Extract the fields of the resources of operators beside Strimzi's, from their CRDs.

    python schemas/operators/fields.py FOLDER [--check]

FOLDER holds clones of the repositories below, each named OWNER+NAME. The CRDs of the newest commit there
are read, of every version of the API (that of Redpanda itself from the catalogue), and ``fields.tsv`` is written; ``--check`` writes nothing and exits 1
where the committed one differs. Confluent's own repositories have no CRDs: datreeio/CRDs-catalog has those
of its chart. ``required.tsv`` has what the objects must have, by all of these versions.

- operator  koperator, redpanda, cfk or strimzi-access
- resource  the kinds that have this object alike
- path      the object, from ``spec`` on; ``[]`` is any member of a list, ``*`` any key of a map
- fields    all names that it has in any version of the API

In ``required.tsv`` fields are those that an object must have where it is there.

Objects of Kubernetes' own (probes, affinity, resources, volumes) and templates of pods are left out, and
so are maps whose keys are free. No descriptions are taken over.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from tables import deliver  # noqa: E402

COMMAND = "python schemas/operators/fields.py"
COLUMNS = ("operator", "resource", "path", "fields")
#: Repository, the CRDs in it, and whose they are; a catalogue names the kind in the file's name only.
SOURCES = (
    ("adobe+koperator", r"config/base/crds/.*\.yaml", "koperator"),
    (
        "redpanda-data+redpanda-operator",
        r"operator/config/crd/bases/(?!.*_redpandas\.).*\.yaml",
        "redpanda",
    ),
    ("datreeio+CRDs-catalog", r"cluster\.redpanda\.com/redpanda_.*\.json", "redpanda"),
    ("datreeio+CRDs-catalog", r"platform\.confluent\.io/.*\.json", "cfk"),
    ("strimzi+kafka-access-operator", r"packaging/install/.*Crd.*\.yaml", "strimzi-access"),
)
#: The kinds of a catalogue's files; Flink's and what has nothing to do with Kafka is left out.
KINDS = {
    one.lower(): one
    for one in (
        *("Kafka", "KRaftController", "Zookeeper", "Connect", "SchemaRegistry", "KsqlDB"),
        *("ControlCenter", "KafkaRestProxy", "KafkaTopic", "Connector", "ConfluentRolebinding"),
        *("ClusterLink", "KafkaRestClass", "Schema", "SchemaExporter", "KRaftMigrationJob"),
        *("SchemaImporter", "Redpanda"),
    )
}
_OTHER = frozenset(
    (
        "Console",
        "CruiseControlOperation",
        "Pipeline",
        "ShadowLink",
        "Group",
        "RedpandaRole",
        "Broker",
    )
)
#: Objects further in are those of logins and clouds, which are nobody's to mistype often.
_DEEPEST = 5
#: Fields whose own fields are Kubernetes' or free.
_CLOSED = frozenset(
    ("affinity", "nodeAffinity", "podAffinity", "podAntiAffinity", "tolerations", "resources")
    + ("livenessProbe", "readinessProbe", "startupProbe", "probe", "securityContext", "template")
    + ("podSecurityContext", "podTemplate", "valueFrom", "env", "envs", "envVars", "envFrom")
    + ("extraEnv", "extraEnvFrom", "volumes", "extraVolumes", "volumeMounts", "initContainers")
    + ("extraContainers", "containers", "pvcSpec", "emptyDir", "topologySpreadConstraints")
    + ("resourceRequirements", "imagePullSecrets", "additionalPorts", "networkPolicy", "console")
    + ("connectors", "monitoringConfig", "cruiseControlConfig", "envoyConfig", "storageClass")
    + ("mountedVolumes", "mountedSecrets", "services", "staticConfiguration", "additionalVolumes")
    + ("oauthSettings", "oauthbearer", "oauth", "clientAssertion", "interceptor", "licenseCluster")
    + ("ldap", "identityProvider", "tiered", "usmAgentClient", "prometheusClient")
    + ("alertManagerClient", "metricsClient", "extraInitContainers", "sideCars")
    + ("post_install_job", "post_upgrade_job", "trustStore")
)


def walk(schema: dict, path: str, found: dict[str, dict[str, None]]) -> None:
    """Collect the names of an object's fields, and of those within it."""
    if schema.get("x-kubernetes-preserve-unknown-fields"):
        return
    if schema.get("type") == "array":
        walk(schema.get("items") or {}, f"{path}[]", found)
        return
    free = schema.get("additionalProperties")
    if isinstance(free, dict):
        walk(free, f"{path}.*", found)
        return
    members = schema.get("properties")
    if not members or path.count(".") >= _DEEPEST:
        return
    found.setdefault(path, {}).update(dict.fromkeys(members))
    for name, member in members.items():
        if name not in _CLOSED:
            walk(member, f"{path}.{name}", found)


def demanded(schema: dict, path: str, found: dict[str, set[str]]) -> None:
    """Collect what an object must have, and those within it."""
    if schema.get("x-kubernetes-preserve-unknown-fields"):
        return
    if schema.get("type") == "array":
        demanded(schema.get("items") or {}, f"{path}[]", found)
        return
    free = schema.get("additionalProperties")
    if isinstance(free, dict):
        demanded(free, f"{path}.*", found)
        return
    members = schema.get("properties")
    if not members or path.count(".") >= _DEEPEST:
        return
    defaulted = {name for name, member in members.items() if "default" in member}
    found[path] = set(schema.get("required") or ()) - defaulted
    for name, member in members.items():
        if name not in _CLOSED:
            demanded(member, f"{path}.{name}", found)


def git(clone: Path, *words: str) -> str:
    command = ["git", "--git-dir", str(clone), *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def schemas(folder: Path) -> Iterator[tuple[str, str, dict]]:
    """Operator, kind and schema of each version of each resource."""
    for repository, pattern, operator in SOURCES:
        clone = next(
            p for p in (folder / repository, folder / repository / "repo") if (p / "HEAD").exists()
        )
        for name in git(clone, "ls-tree", "-r", "--name-only", "HEAD").split("\n"):
            if not re.fullmatch(pattern, name):
                continue
            told = yaml.load(git(clone, "show", f"HEAD:{name}"), yaml.CSafeLoader)
            if "spec" not in told:
                kind = KINDS.get(name.rpartition("/")[2].partition("_")[0])
                if kind is not None:
                    yield operator, kind, told
                continue
            for version in told["spec"]["versions"]:
                yield operator, told["spec"]["names"]["kind"], version["schema"]["openAPIV3Schema"]


def fields(folder: Path) -> dict[tuple[str, str, str], dict[str, None]]:
    """The names by operator, kind and path."""
    kinds: dict[tuple[str, str], dict[str, dict[str, None]]] = {}
    for operator, kind, schema in schemas(folder):
        spec = schema.get("properties", {}).get("spec")
        if spec is not None and kind not in _OTHER:
            walk(spec, "spec", kinds.setdefault((operator, kind), {}))
    return {
        (operator, kind, path): names
        for (operator, kind), paths in kinds.items()
        for path, names in paths.items()
    }


def required(folder: Path) -> dict[tuple[str, str, str], set[str]]:
    """What objects must have in all versions of the API, by operator, kind and path."""
    kinds: dict[tuple[str, str, str], set[str]] = {}
    for operator, kind, schema in schemas(folder):
        spec = schema.get("properties", {}).get("spec")
        if spec is None or kind in _OTHER:
            continue
        found: dict[str, set[str]] = {}
        demanded(spec, "spec", found)
        for path, names in found.items():
            own = (operator, kind, path)
            kinds[own] = kinds[own] & names if own in kinds else names
    return {own: names for own, names in kinds.items() if names}


def table(folder: Path, title: str, found: Mapping[tuple[str, str, str], Iterable[str]]) -> str:
    commits = {
        f"{name.replace('+', '/')}@{git(clone, 'rev-parse', 'HEAD')[:12]}"
        for name in dict.fromkeys(repository for repository, _, _ in SOURCES)
        for clone in (folder / name, folder / name / "repo")
        if (clone / "HEAD").exists()
    }
    head = (
        title,
        f"made by `{COMMAND}`, which explains the columns",
        f"source: {', '.join(sorted(commits))}",
    )
    alike: dict[tuple[str, str, str], list[str]] = {}
    for (operator, kind, path), names in sorted(found.items()):
        alike.setdefault((operator, path, " ".join(sorted(names))), []).append(kind)
    lines = [
        f"{operator}\t{' '.join(kinds)}\t{path}\t{names}"
        for (operator, path, names), kinds in sorted(alike.items())
    ]
    return "\n".join([*(f"# {line}" for line in head), "\t".join(COLUMNS), *lines, ""])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    has, must = fields(options.folder), required(options.folder)
    tables = {
        "fields.tsv": table(
            options.folder,
            "The fields of the resources of operators, by the path of the object that holds them",
            has,
        ),
        "required.tsv": table(
            options.folder,
            "The fields that objects of the resources of operators must have, in all versions of their API",
            must,
        ),
    }
    return deliver(HERE, tables, "CRDs", options.check)


if __name__ == "__main__":
    sys.exit(main())
