"""``kcheck show``: effective values with their origins, and the message-size chain of a topic."""

from __future__ import annotations

import json

import pytest
from playground import Project

from kcheck.cli.show import matches

CLUSTER = """\
cluster:
  name: pay
  kafka_version: "3.9"
  brokers: 2
  dynamic_config: {log.cleaner.threads: 4}
producers:
  - {name: shop, topics: [orders], client: {library: java, version: "3.9"}, config: {max.request.size: 2000000}}
  - {name: anyone, client: {library: librdkafka}, config: {message.max.bytes: 3000000}}
consumers:
  - {name: bill, topics: [orders], config: {group.id: bill, max.partition.fetch.bytes: 4000000}}
  - {name: other, topics: [clicks], config: {group.id: other}}
"""
TOPICS = """\
topics:
  - {name: orders, partitions: 6, replication_factor: 2, config: {cleanup.policy: delete}}
  - {name: clicks, partitions: 3}
"""
BROKER = """\
node.id=%d
process.roles=broker
controller.quorum.voters=9@c:9093
listeners=PLAINTEXT://:9092
message.max.bytes=5000000
log.retention.hours=24
ssl.key.password=hunter2hunter2
sasl.jaas.config=${JAAS}
"""


@pytest.fixture
def cluster(project: Project) -> Project:
    project.file("kcheck.yaml", CLUSTER)
    project.file("topics.yaml", TOPICS)
    project.file("b1/server.properties", BROKER % 1)
    project.file("b2/server.properties", BROKER % 2 + "replica.fetch.max.bytes=6000000\n")
    project.file("kcheck.toml", '[[clusters]]\nname = "pay"\npaths = ["**"]\n')
    return project


def shown(project: Project, *args: str) -> dict[str, object]:
    result = project.run("show", *args, "--output", "json")
    assert result.code == 0, result.err
    (found,) = json.loads(result.out)["clusters"]
    return found


def values(resource: dict[str, object]) -> dict[str, tuple[object, ...]]:
    return {
        v["key"]: (v["value"], v["origin"], v["from"], v["path"], v["line"])
        for v in resource["values"]
    }


def test_a_broker(cluster: Project) -> None:
    (broker,) = shown(cluster, "broker", "1")["resources"]
    found = values(broker)
    path = "b1/server.properties"
    assert found["message.max.bytes"] == ("5000000", "set", "message.max.bytes", path, 5)
    assert found["log.cleaner.threads"] == ("4", "set", "log.cleaner.threads", "kcheck.yaml", 5)
    assert found["log.retention.ms"][1:] == ("set", "log.retention.hours", path, 6)
    assert found["ssl.key.password"][0] == "[hidden]"
    assert found["sasl.jaas.config"][0] is None
    assert "num.io.threads" not in found
    text = cluster.run("show", "broker", "1").out
    assert "hunter2" not in text
    assert "log.retention.ms" in text and "86400000" in text and "by log.retention.hours" in text
    assert "dynamic for all brokers" in text
    assert "a template" in text


def test_all_prints_defaults_with_their_version(cluster: Project) -> None:
    (broker,) = shown(cluster, "broker", "1", "--all")["resources"]
    threads = next(v for v in broker["values"] if v["key"] == "num.io.threads")
    assert (threads["value"], threads["origin"], threads["kafka_version"]) == (
        "8",
        "default",
        "3.9",
    )
    assert "default of Kafka 3.9" in cluster.run("show", "broker", "1", "--all").out


def test_defaults_that_differ_are_a_range(project: Project) -> None:
    project.file("kcheck.yaml", "producers: [{name: shop, config: {acks: all}}]\n")
    (producer,) = shown(project, "producer", "shop", "--all")["resources"]
    linger = next(v for v in producer["values"] if v["key"] == "linger.ms")
    assert linger["value"] is None
    assert linger["defaults"] == [
        {"value": "0", "versions": "≤3.9"},
        {"value": "5", "versions": "4.0+"},
    ]
    assert "0 (≤3.9) … 5 (4.0+)" in project.run("show", "producer", "shop", "--all").out
    (known,) = shown(project, "producer", "shop", "--all", "--client-version", "4.1")["resources"]
    assert values(known)["linger.ms"][:2] == ("5", "default")


def test_a_topic_and_the_chain_of_its_limits(cluster: Project) -> None:
    (topic,) = shown(cluster, "topic", "orders")["resources"]
    found = values(topic)
    assert found["cleanup.policy"][1] == "set"
    assert found["max.message.bytes"][:3] == ("5000000", "inherited", "message.max.bytes")
    chain = [
        (link["step"], link["who"], link["key"], link["value"], link["certain"])
        for link in topic["message_size"]
    ]
    assert ("produced by", "producer shop", "max.request.size", "2000000", True) in chain
    assert ("produced by", "producer anyone", "message.max.bytes", "3000000", False) in chain
    assert ("stored in", "topic orders", "max.message.bytes", "5000000", True) in chain
    sockets = [link for link in chain if link[2] == "socket.request.max.bytes"]
    assert sockets == [
        ("received by", "all brokers", "socket.request.max.bytes", "104857600", True)
    ]
    replicas = {link[1]: link[3] for link in chain if link[2] == "replica.fetch.max.bytes"}
    assert replicas == {"broker 1": "1048576", "broker 2": "6000000"}
    assert ("consumed by", "consumer bill", "max.partition.fetch.bytes", "4000000", True) in chain
    assert not [link for link in chain if "other" in link[1]]
    steps = list(dict.fromkeys(link[0] for link in chain))
    assert steps == ["produced by", "stored in", "received by", "replicated by", "consumed by"]
    text = cluster.run("show", "topic", "orders").out
    assert "max.request.size" in text and "2,000,000 B" in text
    assert "topics unknown" in text


def test_brokers_that_differ_give_a_topic_two_values(cluster: Project) -> None:
    cluster.file("b2/server.properties", (BROKER % 2).replace("5000000", "7000000"))
    (topic,) = shown(cluster, "topic", "orders")["resources"]
    limits = [v["value"] for v in topic["values"] if v["key"] == "max.message.bytes"]
    assert limits == ["5000000", "7000000"]


def test_what_is_asked_for(cluster: Project) -> None:
    def names(*args: str) -> list[str]:
        return [f"{r['kind']} {r['name']}" for r in shown(cluster, *args)["resources"]]

    assert names("topic") == ["topic orders", "topic clicks"]
    assert names("topic", "o*") == ["topic orders"]
    assert names("producer", "*", "--cluster", "pay") == ["producer shop", "producer anyone"]
    assert names("cluster", "pay") == []
    everything = names()
    assert {"broker 1", "broker 2", "topic orders", "consumer bill"} <= set(everything)
    assert len(everything) == len(set(everything))
    for args, words in (
        (("topic", "ordres"), "did you mean orders?"),
        (("topic", "zzz"), "there are orders, clicks"),
        (("worker",), "no worker found"),
        (("cluster", "pai"), "did you mean pay?"),
        (("--cluster", "pai"), "did you mean pay?"),
        (("topics",), "topics: does not exist"),
        (("topic", "*", "gone/"), "gone: does not exist"),
    ):
        result = cluster.run("show", *args)
        assert result.code == 2 and words in result.err


def test_a_controller_alone_and_a_declared_cluster(project: Project) -> None:
    project.file("c.properties", (BROKER % 9).replace("=broker", "=controller"))
    assert values(shown(project, "controller", "9")["resources"][0])["node.id"][0] == "9"
    project.file("c.properties", "")
    project.file(
        "kcheck.yaml", "cluster: {name: x, brokers: 3, config: {min.insync.replicas: 2}}\n"
    )
    (broker,) = shown(project, "broker")["resources"]
    assert values(broker)["min.insync.replicas"][0] == "2"
    text = project.run("show", "cluster").out
    assert "cluster x" in text and "brokers" in text and "3" in text


@pytest.mark.parametrize(
    ("pattern", "name", "verdict"),
    [
        ("a", "a", True),
        ("a", "ab", False),
        ("*", "", True),
        ("a*", "ab", True),
        ("*b", "ab", True),
        ("a*a", "a", False),
        ("a*a", "aa", True),
        ("a*b*c", "a-b-c", True),
        ("a*b*c", "a-c-b", False),
        ("a.c", "abc", False),
        ("[x]*", "[x]y", True),
    ],
)
def test_names_with_stars(pattern: str, name: str, verdict: bool) -> None:
    assert matches(pattern, name) is verdict
