"""``kafka`` of a finding: what Kafka does about it, by what the rule says and how sure it is."""

from __future__ import annotations

import pytest

from kcheck import engine, rules
from kcheck.rule import verdict
from kcheck.settings import Settings


@pytest.mark.parametrize(
    ("code", "severity", "conditional", "expected"),
    [
        ("KC0104", "error", False, "refuses"),
        ("KC0104", "warning", True, "some"),
        ("KC0104", "warning", False, ""),
        ("KC0304", "error", False, "fails"),
        ("KC0304", "info", False, ""),
        ("KC0302", "warning", False, "fails"),
        ("KC0307", "warning", False, "allows"),
        ("KC1204", "info", False, "allows"),
        ("KC0620", "error", False, ""),
        ("KC0001", "error", False, ""),
        ("KC1901", "error", False, ""),
        ("KC0224", "info", False, ""),
    ],
)
def test_the_verdict_of_a_rule(code: str, severity: str, conditional: bool, expected: str) -> None:
    assert verdict(rules.load()[code], severity, conditional) == expected


def test_settings_change_the_severity_and_not_the_verdict() -> None:
    text = b'topics: [{name: a, partitions: 1, config: {retention.ms: "soon"}}]\n'
    code = "KC0103"
    for settings in (Settings(), Settings(rule_severity={code: "info"})):
        (finding,) = engine.lint_project([("kcheck.yaml", text)], settings).findings
        assert (finding.code, finding.kafka) == (code, "refuses")


def test_what_newer_versions_refuse_is_some() -> None:
    text = b"bootstrap.servers=k1:9092,\nacks=all\n"
    found = engine.lint_project([("producer.properties", text)], Settings()).findings
    assert {f.code: f.kafka for f in found}["KC0111"] == "some"
