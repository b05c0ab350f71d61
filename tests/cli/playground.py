"""A folder to run kcheck in, and the texts that most tests put there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from kcheck.__main__ import main

CLEAN = "topics:\n  - {name: orders, partitions: 3, replication_factor: 3}\n"
#: Kafka 3.6 refuses every write with acks=all there: an error.
FAULTY = """\
cluster: {name: core, kafka_version: "3.6", environment: development, brokers: 3}
topics:
  - {name: orders, partitions: 6, replication_factor: 2, config: {min.insync.replicas: 3}}
"""
#: One warning (KC0301) and nothing graver.
WEAK = """\
cluster: {name: core, environment: production, brokers: 3, config: {auto.create.topics.enable: false}}
topics:
  - {name: orders, partitions: 6, replication_factor: 2, config: {min.insync.replicas: 1}}
"""


@dataclass
class Result:
    code: int
    out: str
    err: str


class Project:
    """A folder with files, and kcheck run in it."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self._capsys = capsys

    def file(self, path: str, text: str | bytes = "") -> Path:
        """Write a file, its folders with it."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, str):
            text = text.encode()
        target.write_bytes(text)
        return target

    def run(self, *args: str) -> Result:
        self._capsys.readouterr()
        code = main(list(args))
        out, err = self._capsys.readouterr()
        return Result(code, out, err)
