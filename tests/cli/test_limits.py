"""``kcheck limits``: what is printed, which cluster is meant, and who may replace an assumption."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from playground import Project

ROOT = Path(__file__).resolve().parent.parent.parent
FIXTURE = ROOT / "fixtures" / "limits"
SCHEMA = json.loads((ROOT / "schemas" / "limits.schema.json").read_text(encoding="utf-8"))

TWO = """\
cluster: {name: pay, kafka_version: "4.1", brokers: 3}
topics: [{name: orders, partitions: 12, replication_factor: 3}]
"""
OTHER = 'cluster: {name: logs, kafka_version: "3.9", brokers: 5}\n'


def found(project: Project, *args: str) -> list[dict[str, Any]]:
    result = project.run("limits", *args, "--output", "json")
    assert result.code == 0, result.err
    document = json.loads(result.out)
    assert document["version"] == 1
    jsonschema.validate(document, SCHEMA)
    clusters: list[dict[str, Any]] = document["clusters"]
    return clusters


def limit(cluster: dict[str, Any], id: str) -> dict[str, Any]:
    (line,) = [line for line in cluster["limits"] if line["id"] == id]
    return line


@pytest.fixture
def two(project: Project) -> Project:
    project.file("pay/kcheck.yaml", TWO)
    project.file("logs/kcheck.yaml", OTHER)
    return project


@pytest.mark.parametrize("format", ["text", "markdown"])
def test_golden(format: str, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """``KCHECK_UPDATE=1`` writes it anew, like the reports of the fixtures."""
    monkeypatch.chdir(FIXTURE)
    monkeypatch.setenv("COLUMNS", "80")
    result = project.run("limits", "--output", format)
    assert (result.code, result.err) == (0, "")
    expected = FIXTURE / f"expected-limits.{'txt' if format == 'text' else 'md'}"
    if os.environ.get("KCHECK_UPDATE"):
        expected.write_text(result.out, encoding="utf-8")
    assert result.out == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("columns", [80, 100, 120, 200])
def test_no_line_is_wider_than_the_terminal(
    columns: int, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(FIXTURE)
    monkeypatch.setenv("COLUMNS", str(columns))
    widths = [len(line) for line in project.run("limits").out.splitlines()]
    assert max(widths) <= columns
    # It uses the room, up to where lines get hard to read.
    assert max(widths) > min(columns, 120) - 15


def test_colour_changes_nothing_else(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FIXTURE)
    plain = project.run("limits").out
    painted = project.run("limits", "--color", "always").out
    assert "\x1b[31m" in painted and "\x1b" not in plain
    assert re.sub(r"\x1b\[\d*m", "", painted) == plain


def test_a_word_is_a_path_or_a_cluster(two: Project) -> None:
    assert [c["name"] for c in found(two)] == ["logs", "pay"]
    assert [c["name"] for c in found(two, "pay")] == ["pay"], "a folder of that name is there"
    (two.root / "pay").rename(two.root / "payments")
    assert [c["name"] for c in found(two, "pay")] == ["pay"]
    assert [c["name"] for c in found(two, "payments", "pay")] == ["pay"]
    assert [c["name"] for c in found(two, "--cluster", "logs")] == ["logs"]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["pya"], "pya is neither a path nor a cluster; did you mean pay?"),
        (["--cluster", "xxxxxx"], "xxxxxx is not the name of a cluster; there are logs, pay"),
        (["--assume", "nic_use"], "--assume nic_use: write NAME=VALUE"),
        (["--assume", "nic_uze=1"], "unknown assumption nic_uze; did you mean nic_use?"),
        (["--assume", "nic_use=lots"], "nic_use must be a number of at least 0, not lots"),
        (
            ["--assume", "election_time="],
            "election_time must be a duration such as 5ms, not nothing",
        ),
    ],
)
def test_what_cannot_be_meant(two: Project, args: list[str], said: str) -> None:
    result = two.run("limits", *args)
    assert (result.code, result.out) == (2, "")
    assert said in result.err


def test_nothing_to_tell(project: Project) -> None:
    result = project.run("limits")
    assert result.code == 2
    assert "no Kafka configuration found" in result.err


def test_an_assumption_on_the_command_line_wins(two: Project) -> None:
    two.file(
        "pay/kcheck.yaml",
        TWO.replace("brokers: 3", "brokers: 3, assumptions: {election_time: 9ms}"),
    )
    (pay,) = found(two, "pay")
    assert limit(pay, "election")["used"] == 36
    (told,) = [a for a in pay["assumptions"] if a["name"] == "election_time"]
    assert (told["value"], told["default"]) == (9, "5ms")
    assert told["from"] == "pay/kcheck.yaml:1"
    (pay,) = found(two, "pay", "--assume", "election_time=0.5ms", "--assume", "tls_memory=1MB")
    assert limit(pay, "election")["used"] == 2
    (told,) = [a for a in pay["assumptions"] if a["name"] == "election_time"]
    assert (told["value"], told["from"], told["evidence"]) == (0.5, "command line", "measured")
    assert (
        "command line; default 5ms"
        in two.run("limits", "pay", "--assume", "election_time=0.5ms").out
    )


def test_json_tells_numbers_and_what_is_not_known(two: Project) -> None:
    (pay,) = found(two, "pay")
    maps = limit(pay, "memory-maps")
    assert (maps["limit"], maps["used"], maps["part"], maps["state"]) == (
        65530,
        24,
        24 / 65530,
        "within",
    )
    assert (maps["class"], maps["estimate"], maps["headroom"]) == ("EMERGENT", True, 65506)
    assert maps["assumptions"] == ["max_map_count", "maps_per_segment"]
    assert maps["missing"] == ["topics[].produce_rate"]
    files = limit(pay, "open-files")
    assert (files["limit"], files["state"], files["part"]) == (None, None, None)
    assert "cluster.host.nofile" in files["missing"]
    create = limit(pay, "partitions-per-create")
    assert create["source"] == "ReplicationControlManager.MAX_PARTITIONS_PER_BATCH"
    assert (create["class"], create["limit"], create["estimate"]) == ("HARD", 10000, False)
    queue = limit(pay, "queued-requests")
    (value,) = queue["values"]
    assert (value["value"], value["origin"], value["kafka_version"]) == ("500", "default", "4.1")
    connections = limit(pay, "connections")
    assert (connections["limit"], connections["unlimited"]) == (None, True)
    assert {entry["declare"] for entry in pay["missing"]} >= {
        "cluster.host.nic",
        "cluster.host.nofile",
    }


def test_secrets_and_odd_names_are_safe(project: Project) -> None:
    project.file(
        "kcheck.yaml",
        'cluster: {name: "a|b\\e[31m", brokers: 3}\ntopics: [{name: "x*_y", partitions: 12000}]\n',
    )
    for format in ("text", "markdown"):
        out = project.run("limits", "--output", format, "--color", "never").out
        assert "\x1b" not in out
    assert "x\\*\\_y" in out
    assert "**over: partitions per create request (120%)**" in out


def test_lint_tells_what_is_over(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """What limits shows as over its limit is a finding of lint, by the same formula."""
    monkeypatch.chdir(FIXTURE)
    (metrics,) = found(project)
    over = {line["id"] for line in metrics["limits"] if line["state"] == "over"}
    assert over == {"memory-maps"}
    needed = limit(metrics, "memory-maps")["used"]
    findings = json.loads(project.run("lint", "--output", "json").out)["findings"]
    (finding,) = findings
    assert finding["rule"] == "KC2002"
    assert f"{needed:,} maps" in finding["message"]
