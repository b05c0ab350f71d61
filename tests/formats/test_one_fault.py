"""The same fault in every format: one finding, right where it is written; nothing else is read there."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from one_fault import ROWS, Row
from spans import under
from trees import parsed

from kcheck import formats
from kcheck.engine import lint_project
from kcheck.settings import Settings

#: What is named and passed over, or has facts and no settings: nothing of it can be at fault so.
WITHOUT_SETTINGS = {
    "burrow",
    "bpm",
    "jaas",
    "kminion",
    "kafka-other",
    "kafkactl",
    "limits-conf",
    "redpanda-console",
    "sysctl-conf",
    "systemd",
}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.format}-{row.path}-{row.key}")
def test_the_same_fault_is_found_where_it_is_written(row: Row) -> None:
    text = row.text
    assert text.count("two") == 1
    sources = {row.path: text.encode()}
    assert formats.read(row.path, sources[row.path], sources.get).format == row.format
    project = lint_project(sources.items(), Settings(), sources.get)
    assert project.failures == []
    (found,) = [finding for finding in project.findings if finding.code == row.code]
    assert (found.path, found.at) == (row.path, row.at)
    assert under(text, found.at).strip("\"'") == "two"
    evidence = found.evidence[0]
    assert row.key in (evidence.key, evidence.from_key) or evidence.key.endswith(f".{row.key}")


def test_no_format_is_forgotten() -> None:
    """Whatever a format module calls a file stands in the table, or is known to have no settings."""
    named = {row.format for row in ROWS} | WITHOUT_SETTINGS
    found: set[str] = set()
    for path in Path(formats.__file__).parent.rglob("*.py"):
        for node in parsed(path).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "FORMAT":
                found.add(ast.literal_eval(node.value))
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "READERS":
                found |= set(ast.literal_eval(node.value))
    assert len(found) > 20
    assert found <= named


EDITS = [
    # path, text, what the edit makes of it
    (
        "topic.yaml",
        "apiVersion: kafka/v2\nkind: Topic\nmetadata: {name: a}\n"
        'spec: {configs: {unclean.leader.election.enable: "true"}}\n',
        '{unclean.leader.election.enable: "false"}',
    ),
    (
        "a.tf",
        'resource "kafka_topic" "a" {\n  name = "a"\n'
        '  config = { "unclean.leader.election.enable" = "true" }\n}\n',
        '"unclean.leader.election.enable" = "false"',
    ),
    (
        "a.pp",
        "$kafka = {\n  'broker.id' => 1,\n  'unclean.leader.election.enable' => true,\n}\n",
        "'unclean.leader.election.enable' => false,",
    ),
    (
        "t.txt",
        "Topic: a\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: unclean.leader.election.enable=true\n",
        None,
    ),
]


@pytest.mark.parametrize(("path", "text", "made"), EDITS, ids=[row[0] for row in EDITS])
def test_an_edit_keeps_the_quotes_and_what_is_no_source_has_none(
    path: str, text: str, made: str | None
) -> None:
    project = lint_project([(path, text.encode())], Settings())
    (finding,) = [f for f in project.findings if f.code == "KC0306"]
    assert finding.fix is not None
    if made is None:
        assert finding.fix.edits == ()
        return
    (edit,) = finding.fix.edits
    lines = text.split("\n")
    line, start, _, end = edit.at
    lines[line - 1] = lines[line - 1][: start - 1] + edit.text + lines[line - 1][end - 1 :]
    assert made in "\n".join(lines)
