#!/usr/bin/env python3
"""Extract the keys that Strimzi does not let its resources set, from the jars of its API.

    python schemas/strimzi/generate.py [--cache DIR] [--check]

Maven fetches ``io.strimzi:api`` of each minor, ``javap`` prints the constants of its classes, and
the table beside this file is written; ``--check`` writes nothing, shows where the committed one
differs and exits 1 (2: a jar could not be had). Needs a JDK and Maven.

- resource  the kind, and the part of it whose ``config`` is meant where it has several
- rule      ``prefix``: the operator drops every key whose lower case starts with that text, with a
            line in its log and a condition in the status; ``except``: a key that it lets through all
            the same; ``exact``: it drops the key of that name
- constant  the class and field that says so
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from jars import jar  # noqa: E402
from tables import Row, deliver, fail, render  # noqa: E402

COMMAND = "python schemas/strimzi/generate.py"
COLUMNS = ("resource", "versions", "rule", "key", "constant")

#: The releases that are read, one of each minor. A new release is one line here.
RELEASES = (
    *("0.25.0", "0.26.0", "0.27.0", "0.28.0", "0.29.0", "0.30.0", "0.31.0", "0.32.0", "0.33.0"),
    *("0.35.0", "0.36.0", "0.37.0", "0.38.0", "0.39.0", "0.40.0", "0.41.0", "0.42.0", "0.43.0"),
    *("0.44.0", "0.45.0", "0.46.0", "0.47.0", "0.48.0", "0.49.0", "0.50.0", "0.51.0"),
)

#: The class that forbids, by the resource that it is a part of.
RESOURCES = {
    "KafkaClusterSpec": "Kafka",
    "ZookeeperClusterSpec": "Kafka.zookeeper",
    "CruiseControlSpec": "Kafka.cruiseControl",
    "KafkaConnectSpec": "KafkaConnect",
    "KafkaConnectS2ISpec": "KafkaConnectS2I",
    "AbstractConnectorSpec": "KafkaConnector",
    "KafkaMirrorMaker2ClusterSpec": "KafkaMirrorMaker2",
    "KafkaMirrorMakerConsumerSpec": "KafkaMirrorMaker.consumer",
    "KafkaMirrorMakerProducerSpec": "KafkaMirrorMaker.producer",
    "KafkaBridgeAdminClientSpec": "KafkaBridge.adminClient",
    "KafkaBridgeConsumerSpec": "KafkaBridge.consumer",
    "KafkaBridgeProducerSpec": "KafkaBridge.producer",
}
RULES = {
    "FORBIDDEN_PREFIXES": "prefix",
    "FORBIDDEN_PREFIX_EXCEPTIONS": "except",
    "FORBIDDEN_PARAMETERS": "exact",
}
_CONSTANT = re.compile(r'static final java\.lang\.String (FORBIDDEN_\w+) = "(.*)";')
_CLASS = re.compile(r"class (?:\w+\.)*(\w+)")


def forbidden(path: Path) -> list[Row]:
    """The rows of one release, without versions."""
    with zipfile.ZipFile(path) as archive:
        classes = [
            name.removesuffix(".class").replace("/", ".")
            for name in archive.namelist()
            if re.search(r"/kafka/model/(\w+/)*\w+Spec\.class$", name)
        ]
    command = ["javap", "-p", "-constants", "-cp", str(path), *classes]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    rows: list[Row] = []
    owner = ""
    for line in run.stdout.splitlines():
        named = _CLASS.search(line) if line.startswith(("public", "class", "abstract")) else None
        owner = named.group(1) if named else owner
        found = _CONSTANT.search(line)
        if found is None:
            continue
        field, text = found.groups()
        if owner not in RESOURCES or field not in RULES:
            fail(f"{path.name}: {owner}#{field} is new, and has no place in this generator")
        constant = f"{owner}#{field}"
        keys = dict.fromkeys(filter(None, re.split(r"\s*,+\s*", text)))
        rows += [(RESOURCES[owner], RULES[field], key, constant) for key in keys]
    if not rows:
        fail(f"{path.name} forbids nothing:\n{run.stderr}")
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description="Extract the keys that Strimzi forbids.")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "kcheck" / "strimzi")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    arguments = parser.parse_args()
    facts: dict[str, list[Row]] = {}
    for version in RELEASES:
        minor = version.rpartition(".")[0]
        path = jar("io.strimzi", "api", version, arguments.cache.expanduser())
        facts[minor] = forbidden(path)
        print(f"Strimzi {version}: {len(facts[minor])} facts", file=sys.stderr)
    head = [
        "Strimzi: the keys of a resource's config that its operator does not pass on",
        f"made by `{COMMAND}`, which explains the columns, from io.strimzi:api",
    ]
    text = render(head, COLUMNS, list(facts), facts)
    return deliver(HERE, {"forbidden.tsv": text}, "jars", arguments.check)


if __name__ == "__main__":
    sys.exit(main())
