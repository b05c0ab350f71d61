"""A client that names no topic against the topics that its cluster declares."""

from __future__ import annotations

import time

import pytest

from kcheck.engine import lint_project
from kcheck.model import Finding
from kcheck.settings import Settings

_CLUSTER = "cluster: {name: core, brokers: 3, config: {min.insync.replicas: %s}}\n"


def _topics(*min_isr: str) -> str:
    entries = (
        f"  - {{name: t{n}, partitions: {n + 3}, replication_factor: 3"
        + (f", config: {{min.insync.replicas: {value}}}" if value else "")
        + "}\n"
        for n, value in enumerate(min_isr)
    )
    return "topics:\n" + "".join(entries)


def _found(text: str, code: str) -> list[Finding]:
    project = lint_project([("kcheck.yaml", text.encode())], Settings())
    assert not project.failures
    return [finding for finding in project.findings if finding.code == code]


_ACKS_1 = 'producers: [{name: checkout, config: {acks: "1"}}]\n'


def test_one_verdict_of_all_is_told_once() -> None:
    (finding,) = _found(_CLUSTER % 1 + _topics("2", "2", "2") + _ACKS_1, "KC0307")
    assert "uses acks=1 for any of the 3 declared topics, so" in finding.message
    assert [value.key for value in finding.evidence] == ["acks", "min.insync.replicas"]
    assert finding.evidence[1].resource.name == "t0"
    assert finding.severity == "warning"


def test_other_values_name_the_topic_whose_they_are() -> None:
    (finding,) = _found(_CLUSTER % 1 + _topics("2", "3") + _ACKS_1, "KC0307")
    assert "uses acks=1 for any of the 2 declared topics (such as t0), so" in finding.message


def test_a_single_one_is_named() -> None:
    (finding,) = _found(_CLUSTER % 1 + _topics("2") + _ACKS_1, "KC0307")
    assert "uses acks=1 for the one declared topic t0, so" in finding.message


@pytest.mark.parametrize("told", [("2", "1"), ("1", "2"), ("2", "2", "")])
def test_where_they_differ_nothing_is_said_of_them(told: tuple[str, ...]) -> None:
    assert not _found(_CLUSTER % 1 + _topics(*told) + _ACKS_1, "KC0307")


def test_where_they_differ_the_brokers_values_are_weighed() -> None:
    (finding,) = _found(_CLUSTER % 2 + _topics("", "1") + _ACKS_1, "KC0307")
    assert "topics with broker defaults" in finding.message


def test_an_undeclared_name_has_the_brokers_values() -> None:
    named = 'producers: [{name: checkout, topics: [other], config: {acks: "1"}}]\n'
    assert not _found(_CLUSTER % 1 + _topics("2") + named, "KC0307")


def test_internal_topics_do_not_count() -> None:
    internal = (
        "  - {name: __own, partitions: 1, replication_factor: 3}\n"
        "  - {name: etl-changelog, partitions: 1, replication_factor: 3}\n"
    )
    (finding,) = _found(_CLUSTER % 1 + _topics("2", "2") + internal + _ACKS_1, "KC0307")
    assert "any of the 2 declared topics" in finding.message


def test_without_brokers_the_topics_are_weighed() -> None:
    limited = "topics: [{name: small, partitions: 3, config: {max.message.bytes: 1000}}]\n"
    text = limited + "producers: [{name: checkout, config: {batch.size: 16384}}]\n"
    (finding,) = _found(text, "KC0501")
    assert finding.severity == "warning"


def test_no_error_rests_on_a_guessed_topic() -> None:
    text = (
        "topics: [{name: docs, partitions: 6, max_record_size: 2MB}]\n"
        "producers: [{name: scanner, config: {max.request.size: 1000000}}]\n"
    )
    (finding,) = _found(text, "KC0502")
    assert finding.severity == "warning"


def test_a_fix_does_not_edit_one_topic_for_all() -> None:
    acks = "producers: [{name: checkout, config: {acks: all}}]\n"
    (finding,) = _found(_CLUSTER % 2 + _topics("1", "1") + acks, "KC0305")
    assert finding.fix is not None and not finding.fix.edits


def test_many_topics_and_clients_are_linear() -> None:
    topics = "".join(
        f"  - {{name: t{n}, partitions: {n % 50 + 1}, replication_factor: 3,"
        f" produce_rate: {n + 1}MB/s, config: {{retention.ms: {n + 86400000}}}}}\n"
        for n in range(1000)
    )
    clients = "".join(f'  - {{name: p{n}, config: {{acks: "1"}}}}\n' for n in range(200))
    text = _CLUSTER % 2 + "topics:\n" + topics + "producers:\n" + clients
    before = time.process_time()
    found = _found(text, "KC0307")
    assert len(found) == 200
    assert time.process_time() - before < 20
