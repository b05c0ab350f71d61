#!/usr/bin/env python3
"""What Kafka itself says of configurations: the recorded cases, and how to record them anew.

    python tests/rules/oracle.py [--jars DIR]

``oracle_cases.tsv`` holds one case per row: the plane, one letter per release of ``RELEASES`` (``a``
accepted, ``r`` refused), the properties beside those of ``BASES``, and for a topic those of its
broker. To add a case, add a row without letters and record. ``Oracle.java`` builds the real
configuration or client from each case; the jars are those that ``schemas/kafka/generate.py`` keeps.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TABLE = HERE / "oracle_cases.tsv"
RELEASES = (
    *("2.8.2", "3.0.2", "3.3.2", "3.6.2", "3.9.2"),
    *("4.0.2", "4.1.2", "4.2.1", "4.3.1", "4.4.0"),
)
HEAD = """\
# What Kafka's own code says of configurations; recorded by oracle.py, which explains the columns
plane\tverdicts\tproperties\tbroker
"""

_STRINGS = "org.apache.kafka.common.serialization.String"
_JSON = "org.apache.kafka.connect.json.JsonConverter"
ZOOKEEPER = {"broker.id": "1", "zookeeper.connect": "localhost:2181", "log.dirs": "/data/kafka"}
KRAFT = {
    "node.id": "1",
    "process.roles": "broker,controller",
    "controller.quorum.voters": "1@localhost:9093",
    "controller.listener.names": "CONTROLLER",
    "listeners": "PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093",
    "log.dirs": "/data/kafka",
}
#: What each plane needs beside the properties of a case. Nobody listens at the address.
BASES = {
    "producer": {
        "bootstrap.servers": "localhost:1",
        "key.serializer": f"{_STRINGS}Serializer",
        "value.serializer": f"{_STRINGS}Serializer",
    },
    "consumer": {
        "bootstrap.servers": "localhost:1",
        "group.id": "group",
        "key.deserializer": f"{_STRINGS}Deserializer",
        "value.deserializer": f"{_STRINGS}Deserializer",
    },
    "admin": {"bootstrap.servers": "localhost:1"},
    "streams": {"bootstrap.servers": "localhost:1", "application.id": "application"},
    "connect-distributed": {
        "bootstrap.servers": "localhost:1",
        "group.id": "connect",
        "key.converter": _JSON,
        "value.converter": _JSON,
        "config.storage.topic": "connect-configs",
        "offset.storage.topic": "connect-offsets",
        "status.storage.topic": "connect-status",
    },
    "connect-standalone": {
        "bootstrap.servers": "localhost:1",
        "key.converter": _JSON,
        "value.converter": _JSON,
        "offset.storage.file.filename": "/data/offsets",
    },
}


class Case:
    """One configuration and, per release, whether Kafka refuses it."""

    def __init__(self, plane: str, verdicts: str, properties: str, broker: str = "{}") -> None:
        self.plane = plane
        self.verdicts = verdicts
        self.properties: dict[str, str] = json.loads(properties)
        self.broker: dict[str, str] = json.loads(broker)

    def refused(self, release: str) -> bool:
        return self.verdicts[RELEASES.index(release)] == "r"

    def telling(self) -> list[str]:
        """The oldest and the newest release, and those on both sides of a change of verdict."""
        last = len(RELEASES) - 1
        return [
            release
            for at, release in enumerate(RELEASES)
            if len({*self.verdicts[max(0, at - 1) : at + 2]}) > 1 or at in (0, last)
        ]

    def complete(self, release: str) -> dict[str, str]:
        """The whole configuration of the broker or of the client in that release."""
        if self.plane not in ("broker", "topic"):
            return {**BASES[self.plane], **self.properties}
        own = self.properties if self.plane == "broker" else self.broker
        return {**(KRAFT if release >= "4" else ZOOKEEPER), **own}

    def row(self) -> str:
        cells = [self.plane, self.verdicts, _json(self.properties)]
        return "\t".join([*cells, _json(self.broker)] if self.broker else cells) + "\n"


def cases() -> list[Case]:
    """The cases of the table."""
    lines = TABLE.read_text(encoding="utf-8").split("\n")[2:]
    return [Case(*line.split("\t")) for line in lines if line]


def ask(release: str, found: list[Case], jars: Path, classes: str) -> list[str]:
    """One line for each case: ``a`` or ``r``, and for ``r`` why."""
    asked = []
    for number, case in enumerate(found):
        cells = [str(number), case.plane, _cell(case.complete(release))]
        asked.append(
            "\t".join([*cells, _cell(case.properties)] if case.plane == "topic" else cells)
        )
    path = os.pathsep.join([classes, f"{jars / release}/*"])
    run = subprocess.run(
        ["java", "-cp", path, "Oracle"],
        input="\n".join(asked) + "\n",
        capture_output=True,
        text=True,
    )
    answers = [line.split("\t") for line in run.stdout.splitlines()]
    said = {int(cells[0]): f"{cells[1][0]} {cells[2]}" for cells in answers if cells[0].isdigit()}
    if len(said) != len(found):
        sys.exit(f"{release} answered {len(said)} of {len(found)} cases:\n{run.stderr}")
    return [said[number] for number in range(len(found))]


def _json(properties: dict[str, str]) -> str:
    return json.dumps(properties, ensure_ascii=False, separators=(",", ":"))


def _cell(properties: dict[str, str]) -> str:
    return "\x01".join(f"{key}={value}" for key, value in properties.items())


def main() -> None:
    parser = argparse.ArgumentParser(description="Record what Kafka says of the cases.")
    parser.add_argument("--jars", type=Path, default=Path.home() / ".cache" / "kcheck" / "jars")
    jars: Path = parser.parse_args().jars
    found = cases()
    for case in found:
        case.verdicts = ""
    with tempfile.TemporaryDirectory() as classes:
        subprocess.run(["javac", "-nowarn", "-d", classes, str(HERE / "Oracle.java")], check=True)
        for release in RELEASES:
            for case, said in zip(found, ask(release, found, jars, classes), strict=True):
                case.verdicts += said[0]
    found.sort(key=lambda case: (case.plane, [*case.properties], _json(case.properties)))
    rows = dict.fromkeys(case.row() for case in found)
    TABLE.write_text(HEAD + "".join(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
