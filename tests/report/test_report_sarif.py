"""SARIF as GitHub takes it. With the official schema at hand the whole file is held against it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from made import Files, found, inherited, run

from kcheck import report, rules
from kcheck.model import ERROR, INFO, WARNING
from kcheck.report import sarif
from kcheck.report.record import Records


def one(files: Files) -> Any:
    producer = files.resource("producer", "checkout", "producers.yaml", "name: checkout")
    topic = files.resource("topic", "orders", "producers.yaml", "name")
    broker = files.resource("broker", "1", "my server.properties")
    acks = files.set(producer, "acks", '"1"')
    return found(
        "acks=1 protects nothing",
        acks,
        inherited(files.set(broker, "min.insync.replicas", "2"), topic, "min.insync.replicas"),
        breaks="a record is lost",
        fix="set acks=all",
    )


@pytest.fixture
def files() -> Files:
    files = Files(producers_yaml='producers:\n  - name: checkout\n    config: {acks: "1"}\n')
    files.add("my server.properties", "min.insync.replicas=2\n")
    return files


def log(*args: Any, **more: Any) -> dict[str, Any]:
    rules.load()
    whole = json.loads(report.render("sarif", run(*args, **more)))
    _official(whole)
    return whole["runs"][0]


def _official(whole: dict[str, Any]) -> None:
    """Against the official schema, where KCHECK_SARIF_SCHEMA says where that lies."""
    path = os.environ.get("KCHECK_SARIF_SCHEMA")
    if path:
        from jsonschema.validators import validator_for

        schema = json.loads(Path(path).read_text(encoding="utf-8"))
        validator_for(schema)(schema).validate(whole)


def test_a_result(files: Files) -> None:
    made = run(files, one(files), prefix="clusters/one")
    whole = json.loads(report.render("sarif", made))
    _official(whole)
    assert whole["version"] == "2.1.0"
    made_log = whole["runs"][0]
    assert made_log["columnKind"] == "unicodeCodePoints"
    (result,) = made_log["results"]
    assert result["ruleId"] == "KC0307"
    assert made_log["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "KC0307"
    assert result["level"] == "warning"
    assert result["message"]["text"] == (
        "acks=1 protects nothing\na record is lost\nFix: set acks=all"
    )
    assert result["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": "clusters/one/producers.yaml"},
                "region": {"startLine": 3, "startColumn": 20, "endColumn": 23},
            }
        }
    ]
    (related,) = result["relatedLocations"]
    assert related["physicalLocation"]["artifactLocation"]["uri"] == (
        "clusters/one/my%20server.properties"
    )
    assert related["message"]["text"] == "min.insync.replicas=2 of topic orders (inherited)"
    record = Records(made).all()[0]
    assert result["partialFingerprints"] == {"kcheck/v1": record["fingerprint"]}


def test_a_span_of_several_lines_is_reduced_to_its_first(files: Files) -> None:
    made = one(files)
    made.at = (1, 1, 3, 5)
    (result,) = log(files, made)["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 1, "startColumn": 1}


def test_a_rule_brings_its_documentation(files: Files) -> None:
    (rule,) = log(files, one(files))["tool"]["driver"]["rules"]
    known = rules.load()["KC0307"]
    assert rule["name"] == known.name
    assert rule["shortDescription"]["text"] == known.summary
    assert rule["helpUri"].endswith("docs/rules/KC0307.md")
    assert known.summary in rule["help"]["markdown"]
    assert rule["help"]["markdown"].count("```") % 2 == 0
    assert "durability" in rule["properties"]["tags"]


def test_a_run_without_findings_has_results() -> None:
    assert log(Files())["results"] == []
    assert log(Files())["tool"]["driver"]["rules"] == []


def test_levels(files: Files) -> None:
    findings = [one(files) for _ in range(3)]
    for finding, severity in zip(findings, (ERROR, WARNING, INFO), strict=True):
        finding.severity = severity
    assert [r["level"] for r in log(files, *findings)["results"]] == ["error", "warning", "note"]


def test_a_rule_that_failed_is_told(files: Files) -> None:
    made = run(files)
    made.project.failures.append("rule KC0301 failed")
    (invocation,) = json.loads(report.render("sarif", made))["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == "rule KC0301 failed"


class TestLimits:
    def many(self, files: Files, count: int) -> dict[str, Any]:
        made = run(files, one(files))
        record = Records(made).all()[0]
        records = [{**record, "severity": (INFO, WARNING, ERROR)[n % 3]} for n in range(count)]
        return json.loads(sarif.made(made, records))["runs"][0]

    def notes(self, log: dict[str, Any]) -> list[str]:
        told = log["invocations"][0]["toolExecutionNotifications"]
        return [note["message"]["text"] for note in told]

    def test_few_results_need_no_word(self, files: Files) -> None:
        log = self.many(files, 5_000)
        assert len(log["results"]) == 5_000
        assert self.notes(log) == []

    def test_more_than_github_shows(self, files: Files) -> None:
        log = self.many(files, 5_001)
        assert len(log["results"]) == 5_001
        assert self.notes(log) == ["code scanning shows 5,000 of 5,001 results"]

    def test_more_than_github_takes(self, files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sarif, "MOST_RESULTS", 30)
        log = self.many(files, 75)
        levels = [result["level"] for result in log["results"]]
        assert levels.count("error") == 25
        assert levels.count("warning") == 5
        assert "45 of 75 findings are omitted" in self.notes(log)[0]

    def test_a_larger_file_than_github_takes(
        self, files: Files, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sarif, "MOST_BYTES", 5_000)
        log = self.many(files, 3_000)
        assert 0 < len(log["results"]) < 3_000
        assert {result["level"] for result in log["results"]} == {"error"}
        assert sarif._packed(json.dumps(log)) <= 6_000
        assert "omitted" in self.notes(log)[0]
