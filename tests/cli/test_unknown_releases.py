"""A release that no table holds is never the source of a default: the nearest one that is there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kcheck.cli.app import main

PROJECT = """\
cluster: {name: core, brokers: 3, environment: production, config: {min.insync.replicas: 2}}
topics: [{name: orders, partitions: 3, replication_factor: 3}]
producers: [{name: billing, writes: [orders], config: {acks: "1"}}]
"""
#: What a default is told to be of.
SOURCE = re.compile(r'(?:defaults? of Kafka |"kafka_version": ")([\d.-]+)')


@pytest.mark.parametrize(("given", "nearest"), [("5.0", "4.4"), ("9.9.9", "4.4"), ("2.0", "2.8")])
@pytest.mark.parametrize(
    "command",
    [
        *("lint .", "lint . --output json", "lint . --output markdown", "lint . --output sarif"),
        *("show . --all", "show . --all --output json", "limits .", "limits . --output json"),
        "limits . --output markdown",
    ],
)
def test_it_is_not_quoted(
    command: str,
    given: str,
    nearest: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kcheck.yaml").write_text(PROJECT)
    main([*command.split(), "--kafka-version", given, "--client-version", given])
    text = capsys.readouterr().out
    told = {source for source in SOURCE.findall(text) if "-" not in source}
    assert told <= {nearest}


def test_explain_quotes_releases_of_the_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kcheck.toml").write_text('kafka-version = "9.9"\n')
    main(["explain", "default.replication.factor"])
    text = capsys.readouterr().out
    assert "9.9" not in text and "4.4" in text
