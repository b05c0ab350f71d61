#!/usr/bin/env python3
"""Extract which versions of Kafka each release of Strimzi's operator runs, from its repository.

    python schemas/strimzi/versions.py REPOSITORY [--check]

``REPOSITORY`` is a clone of github.com/strimzi/strimzi-kafka-operator with its tags: each has a
``kafka-versions.yaml``. ``--check`` writes nothing, and exits 1 where the committed table differs.

- supported  what a resource may name, separated by blanks
- default    what a resource gets that names none
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from tables import deliver, fail  # noqa: E402

COMMAND = "python schemas/strimzi/versions.py"
#: The first release that the other tables know.
FIRST = (0, 25, 0)


def numbers(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))


def git(repository: Path, *arguments: str) -> str:
    command = ["git", "-C", str(repository), *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        fail(f"{' '.join(command)}:\n{run.stderr}")
    return run.stdout


def main() -> int:
    parser = argparse.ArgumentParser(description="Extract the versions of Kafka that Strimzi runs.")
    parser.add_argument("repository", type=Path)
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    arguments = parser.parse_args()
    tags = [
        tag
        for tag in git(arguments.repository, "tag").split()
        if re.fullmatch(r"\d+(\.\d+){2}", tag)
    ]
    lines = [
        "# Strimzi: the versions of Kafka that each release of its operator runs",
        f"# made by `{COMMAND}`, which explains the columns, from kafka-versions.yaml",
        "release\tsupported\tdefault",
    ]
    for tag in sorted(tags, key=numbers):
        if numbers(tag) < FIRST:
            continue
        told = yaml.safe_load(git(arguments.repository, "show", f"{tag}:kafka-versions.yaml"))
        supported = " ".join(one["version"] for one in told if one.get("supported"))
        (default,) = (one["version"] for one in told if one.get("default"))
        lines.append(f"{tag}\t{supported}\t{default}")
    text = "\n".join([*lines, ""])
    return deliver(HERE, {"kafka.tsv": text}, "repository", arguments.check)


if __name__ == "__main__":
    sys.exit(main())
