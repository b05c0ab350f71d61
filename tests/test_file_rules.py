"""KC00 where a docstring is too small for the case."""

from __future__ import annotations

from kcheck import formats
from kcheck.engine import lint_project
from kcheck.model import SKIPPED, Finding
from kcheck.settings import Settings

LIMIT = formats.MAX_BYTES


def lint(path: str, data: bytes, *sets: str) -> list[Finding]:
    settings = Settings(sets=("default", *sets))
    project = lint_project([(path, data)], settings)
    assert not project.failures
    return project.findings


def test_a_file_that_is_too_large_is_told_where_it_speaks_of_kafka() -> None:
    line = b"apiVersion: kafka.strimzi.io/v1\n"
    large = line + b"#" * LIMIT
    (told,) = lint("topics.yaml", large)
    assert (told.code, told.severity, told.path) == ("KC0005", "warning", "topics.yaml")
    assert told.message.startswith("the file exceeds 5,242,880 B")
    assert lint("openapi.yaml", b"#" * (LIMIT + 1)) == []
    assert formats.read("openapi.yaml", b"#" * (LIMIT + 1), {}.get).status == SKIPPED
    assert "KC0005" not in {f.code for f in lint("topics.yaml", large[:LIMIT])}


def test_unknown_values_are_counted_once_per_file() -> None:
    text = b"""\
topics:
  - {name: a, config: {retention.ms: "${MS}", segment.ms: "{{ ms }}", cleanup.policy: delete}}
  - {name: b, config: {retention.ms: "${MS}"}}
"""
    (told,) = [f for f in lint("kcheck.yaml", text, "advice") if f.code == "KC0006"]
    assert told.message.startswith("3 values in this file are unknown")
    assert told.at == (2, 38, 2, 45)
    assert told.severity == "info"
    assert "KC0006" not in {f.code for f in lint("kcheck.yaml", text)}


def test_a_rule_that_fails_is_told_without_what_it_choked_on() -> None:
    from kcheck import rules
    from kcheck.model import Document

    def choke(document: Document) -> None:
        raise ValueError(f"cannot stand {document.path} and hunter2")

    rule = rules.load()["KC0006"]
    check, rule.check = rule.check, choke  # type: ignore[assignment]
    settings = Settings(sets=("default", "advice"))
    try:
        project = lint_project([("kcheck.yaml", b"topics: [{name: a}]")], settings)
    finally:
        rule.check = check
    (told,) = project.failures
    assert told.startswith("rule KC0006 unknown-values failed: ValueError in test_file_rules.py:")
    assert "hunter2" not in told
