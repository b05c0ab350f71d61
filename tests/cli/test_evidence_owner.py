"""Whose a value of the evidence is, where no file describes the brokers."""

from __future__ import annotations

import json

from playground import Project


def _owners(project: Project, key: str) -> list[dict[str, str]]:
    found = json.loads(project.run("lint", "--output", "json").out)["findings"]
    return [v["resource"] for f in found for v in f["evidence"] if v["key"] == key]


def test_the_brokers_default_is_no_clients(project: Project) -> None:
    project.file(
        "app/application.yml",
        "spring:\n  kafka:\n    bootstrap-servers: kb7:9092\n    consumer: {group-id: ledger}\n"
        "    producer: {transaction-id-prefix: till-, properties: {transaction.timeout.ms: 3600000}}\n",
    )
    (owner,) = _owners(project, "transaction.max.timeout.ms")
    assert owner["kind"] == "cluster"
    assert " of consumer" not in project.run("lint").out


def test_a_default_of_the_clients_own_is_its_own(project: Project) -> None:
    project.file(
        "consumer.properties",
        "bootstrap.servers=kb7:9092\ngroup.id=clerk\nsession.timeout.ms=3600000\n"
        "heartbeat.interval.ms=10000\n",
    )
    assert {o["kind"] for o in _owners(project, "group.max.session.timeout.ms")} == {"cluster"}
    assert {o["kind"] for o in _owners(project, "session.timeout.ms")} == {"consumer"}
