#!/usr/bin/env python3
"""Ask the released jars which protocol and metadata versions each release of Kafka knows.

    python schemas/kafka/protocols.py [--cache DIR] [--check]

A release takes some that are not its own: 3.9 takes 4.0-IV0 and 4.0-IV1, and refuses 4.0.
Needs a JDK of 17 or newer and Maven.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))

from generate import RELEASES  # noqa: E402
from jars import jar  # noqa: E402
from tables import Row, deliver, fail, render  # noqa: E402

COMMAND = "python schemas/kafka/protocols.py"
COLUMNS = ("name", "versions")
KAFKA = "org.apache.kafka"
#: What the classes need to be loaded; up to 3.2 they are written in Scala.
ALWAYS = (("org.slf4j", "slf4j-api", "1.7.36"),)
SCALA = (
    ("org.scala-lang", "scala-library", "2.13.5"),
    ("com.typesafe.scala-logging", "scala-logging_2.13", "3.9.2"),
)
OLDER = ("0.8.0", "0.8.1", "0.8.2", "0.9.0", "0.10.0", "0.10.1", "0.10.2", "0.11.0", "1.0", "1.1")
#: No release has more steps of one version.
STEPS = 10


def candidates() -> list[str]:
    """Every name that a release could know: each version by itself and with each of its steps."""
    minors = [*OLDER, *(f"2.{n}" for n in range(8)), *RELEASES]
    return [name for minor in minors for name in (minor, *(f"{minor}-IV{n}" for n in range(STEPS)))]


def known(release: str, cache: Path, classes: Path) -> list[Row]:
    """The names that one release takes."""
    scala = release in ("2.8.2", "3.0.2", "3.1.2", "3.2.3")
    own = ["kafka-clients", *(["kafka_2.13"] if scala else [])]
    if release != "2.8.2":  # which has it in kafka_2.13
        own.append("kafka-server-common")
    wanted = [(KAFKA, artifact, release) for artifact in own]
    wanted += [*ALWAYS, *(SCALA if scala else ())]
    path = [str(classes), *(str(jar(*one, cache)) for one in wanted)]
    command = ["java", "-cp", os.pathsep.join(path), "Protocols", *candidates()]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode or not run.stdout:
        fail(f"{release} does not say which versions it knows:\n{run.stderr}")
    return [(name,) for name in run.stdout.split()]


def main() -> int:
    parser = argparse.ArgumentParser(description="Extract the protocol versions of Kafka.")
    parser.add_argument(
        "--cache", type=Path, default=Path.home() / ".cache" / "kcheck" / "protocols"
    )
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    arguments = parser.parse_args()
    facts: dict[str, list[Row]] = {}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["javac", "-d", folder, str(HERE / "Protocols.java")], check=True)
        for minor, release in RELEASES.items():
            facts[minor] = known(release, arguments.cache.expanduser(), Path(folder))
            print(f"Kafka {release}: {len(facts[minor])} names", file=sys.stderr)
    head = [
        "Kafka: the versions of the protocol and of the metadata that each release knows",
        f"made by `{COMMAND}`",
    ]
    text = render(head, COLUMNS, list(RELEASES), facts)
    return deliver(HERE, {"protocols.tsv": text}, "jars", arguments.check)


if __name__ == "__main__":
    sys.exit(main())
