"""``kcheck files``: why files are of one cluster, or are not."""

from __future__ import annotations

import json

import pytest
from playground import Project

BROKER = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@k1.{0}.example:9093
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://:9092,CONTROLLER://:9093
advertised.listeners=PLAINTEXT://k1.{0}.example:9092
"""


@pytest.fixture
def two(project: Project) -> Project:
    project.file("kafka/a/server.properties", BROKER.format("a"))
    project.file("kafka/b/server.properties", BROKER.format("b"))
    project.file("apps/x/producer.properties", "bootstrap.servers=k1.b.example:9092\nacks=all\n")
    project.file("apps/y/producer.properties", "bootstrap.servers=${BROKERS}\nacks=all\n")
    return project


def test_the_address_that_joins_two_files(two: Project) -> None:
    result = two.run("files", "--why", "apps/x/producer.properties", "kafka/b/server.properties")
    assert result.code == 0
    assert "k1.b.example:9092 is broker 1, listener PLAINTEXT (kafka/b/server.properties:6)" in (
        result.out
    )
    assert result.out.endswith("Both are in cluster kafka/b.\n")


def test_why_two_files_are_not_of_one_cluster(two: Project) -> None:
    result = two.run("files", "--why", "apps/y/producer.properties", "kafka/b/server.properties")
    assert "no brokers: 2 clusters match, and nothing decides between them" in result.out
    assert result.out.endswith("They are in different clusters, so no rule compares them.\n")


@pytest.mark.parametrize("args", [("a",), ("nobody", "kafka/a/server.properties")])
def test_files_that_cannot_be_compared(two: Project, args: tuple[str, ...]) -> None:
    assert two.run("files", "--why", *args).code == 2


def test_reasons_in_the_table_and_in_json(two: Project) -> None:
    table = two.run("files", "--verbose").out.splitlines()
    assert table[0].split()[-1] == "why"
    assert "address: k1.b.example:9092 is broker 1" in next(
        line for line in table if line.startswith("apps/x")
    )
    by_path = {f["path"]: f for f in json.loads(two.run("files", "--output", "json").out)["files"]}
    (join,) = by_path["apps/x/producer.properties"]["joins"]
    assert (join["evidence"], join["cluster_id"]) == ("address", "kafka/b")
    (left,) = by_path["apps/y/producer.properties"]["joins"]
    assert (left["reason"], left["candidates"]) == ("ambiguous", ["kafka/a", "kafka/b"])


def test_show_tells_how_a_resource_got_into_its_cluster(two: Project) -> None:
    text = two.run("show", "producer").out
    assert "  assigned by address: k1.b.example:9092 is broker 1, listener PLAINTEXT" in text
    assert "  not assigned: no brokers: 2 clusters match" in text
    clusters = json.loads(two.run("show", "--output", "json").out)["clusters"]
    by_id = {cluster["cluster_id"]: cluster["resources"] for cluster in clusters}
    evidence = {r["path"]: r["join"]["evidence"] for r in by_id["kafka/b"]}
    assert evidence == {
        "kafka/b/server.properties": "anchor",
        "apps/x/producer.properties": "address",
    }


def test_init_writes_the_evidence_beside_what_it_proposes(two: Project) -> None:
    two.run("init")
    proposed = (two.root / "kcheck.toml").read_text()
    told = "# apps/x/producer.properties by address: k1.b.example:9092 is broker 1"
    assert [line for line in proposed.splitlines() if line.startswith(told)]
