"""Findings of one line, one missing decision, one block of keys or one template have one cause."""

from __future__ import annotations

from kcheck import engine
from kcheck.causes import IMPLIED, causes, told_once
from kcheck.model import Finding
from kcheck.rule import registered
from kcheck.settings import Settings

BROKER = """\
process.roles=broker
node.id={id}
controller.quorum.voters=9@kc9.example.net:9093
controller.listener.names=QUORUM
log.dirs=/data
log.retention.hours=168
log.retention.minutes=1440
"""


def _found(**files: str) -> list[Finding]:
    sources = [(name.replace("__", "."), text.encode()) for name, text in files.items()]
    return engine.lint_project(sources, Settings()).findings


def _rules(findings: list[Finding]) -> list[list[str]]:
    return [[finding.code for finding in cause.findings] for cause in causes(findings)]


def test_one_block_of_factors_is_one_cause() -> None:
    found = _found(
        kcheck__yaml="cluster: {name: core, kafka_version: '3.9', environment: production, brokers: 3, config: "
        "{offsets.topic.replication.factor: 1, transaction.state.log.replication.factor: 1, "
        "default.replication.factor: 1, min.insync.replicas: 1}}\n"
    )
    assert _rules(found) == [["KC0308", "KC0343", "KC0312"]]
    told = told_once(found)
    assert [f.code for f in told] == ["KC0308", "KC0312"]
    assert [f.code for f in told[0].also] == ["KC0343"]


def test_two_faults_are_two_causes() -> None:
    found = _found(
        server__properties=BROKER.format(id=1) + "num.io.threads=eight\nnum.network.threads=three\n"
    )
    assert len(causes(found)) == len(found) == 3
    assert told_once(found) == found


def test_copies_of_a_file_are_one_cause() -> None:
    found = _found(**{f"kb{n}__properties": BROKER.format(id=n) for n in (1, 2, 3)})
    found = [finding for finding in found if finding.code == "KC0701"]
    assert len(found) == 3
    (cause,) = causes(found)
    (told,) = told_once(found)
    assert told is cause.lead is found[0]
    assert [f.path for f in told.also] == ["kb2.properties", "kb3.properties"]


def test_two_applications_are_two_causes() -> None:
    producer = "bootstrap.servers=k1:9092\ndelivery.timeout.ms=20000\nkey.serializer=a.B\nvalue.serializer=a.B\n"
    found = _found(**{"a/producer__properties": producer, "b/producer__properties": producer})
    late = [f for f in found if f.code == "KC1301"]
    assert len(late) == len(causes(late)) == len(told_once(late)) == 2


def test_what_counts_is_not_hidden_by_what_does_not() -> None:
    found = _found(
        kcheck__yaml="cluster: {name: core, kafka_version: '3.9', environment: production, brokers: 3, config: "
        "{min.insync.replicas: 2, offsets.topic.replication.factor: 3}}\n"
    )
    assert [f.code for f in told_once(found)] == ["KC0311"]
    told = told_once(found, lambda finding: finding.code == "KC0312")
    assert {f.code for f in told} == {"KC0311", "KC0312"}


def test_the_table_names_rules() -> None:
    from kcheck import rules

    rules.load()
    known = registered()
    for code, others in IMPLIED.items():
        assert code in known and all(other in known and other != code for other in others)
