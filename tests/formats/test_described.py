"""Reading what kafka-topics and kafka-configs describe."""

from __future__ import annotations

from textwrap import dedent

import pytest
from spans import under

from kcheck import formats
from kcheck.engine import Project, lint_project
from kcheck.model import Document, Resource
from kcheck.settings import Settings

TOPICS = """\
Topic: orders\tTopicId: zJeWNowgREu3cK_vY3Kwbw\tPartitionCount: 2\tReplicationFactor: 3\tConfigs: min.insync.replicas=2,cleanup.policy=compact,delete,leader.replication.throttled.replicas=0:1,0:3
\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 3,1,2\tIsr: 1,2\tElr: \tLastKnownElr:
\tTopic: orders\tPartition: 1\tLeader: none\tReplicas: 1,2,3\tIsr: \tElr: 2,3\tLastKnownElr:
"""
OLD_TOPICS = """\
Topic:orders\tPartitionCount:1\tReplicationFactor:2\tConfigs:retention.ms=86400000
\tTopic: orders\tPartition: 0\tLeader: -1\tReplicas: 1,2\tIsr: 2
"""
CONFIGS = """\
All configs for broker 1 are:
  advertised.listeners=PLAINTEXT://k1:9092 sensitive=false synonyms={STATIC_BROKER_CONFIG:advertised.listeners=PLAINTEXT://k1:9092}
  broker.id=1 sensitive=false synonyms={STATIC_BROKER_CONFIG:broker.id=1, DEFAULT_CONFIG:broker.id=-1}
  num.io.threads=8 sensitive=false synonyms={DYNAMIC_BROKER_CONFIG:num.io.threads=8, STATIC_BROKER_CONFIG:num.io.threads=4}
  num.partitions=1 sensitive=false synonyms={DEFAULT_CONFIG:num.partitions=1}
  ssl.key.password=null sensitive=true synonyms={STATIC_BROKER_CONFIG:ssl.key.password=null}
  zookeeper.clientCnxnSocket=null sensitive=false synonyms={}
Default configs for brokers in the cluster are:
  log.cleaner.threads=2 sensitive=false synonyms={DYNAMIC_DEFAULT_BROKER_CONFIG:log.cleaner.threads=2}
Dynamic configs for broker 7 are:
Configs for topic 'old' are retention.ms=3600000,cleanup.policy=compact,delete
Dynamic configs for topic orders are:
  max.message.bytes=2097152 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:max.message.bytes=2097152,
 DEFAULT_CONFIG:message.max.bytes=1048588}
Dynamic configs for user-principal 'alice' are: SCRAM-SHA-256=[iterations=4096]
"""


def read(text: str, path: str = "a.txt") -> Document:
    return formats.read(path, text.encode(), lambda _: None)


def texts(resource: Resource) -> dict[str, str | None]:
    return {key: setting.text for key, setting in resource.settings.items()}


def lint(files: dict[str, str]) -> Project:
    sources = {path: dedent(text).encode() for path, text in files.items()}
    project = lint_project(sources.items(), Settings(), sources.get)
    assert project.failures == []
    return project


def test_topics_have_their_settings_and_the_state_of_their_partitions() -> None:
    document = read(TOPICS)
    assert document.format == "describe-output"
    (topic,) = document.resources
    assert (topic.kind, topic.name, topic.at) == ("topic", "orders", (1, 8, 1, 14))
    assert texts(topic) == {
        "min.insync.replicas": "2",
        "cleanup.policy": "compact,delete",
        "leader.replication.throttled.replicas": "0:1,0:3",
    }
    for setting in (*topic.settings.values(), *topic.facts.values()):
        if setting.key != "leaders":
            assert under(TOPICS, setting.at) == setting.text
    assert all(under(TOPICS, s.key_at) == s.key for s in topic.settings.values())
    assert (topic.facts["partitions"].amount, topic.facts["replication.factor"].amount) == (2, 3)
    states = topic.traits.state
    told = [(p.number, p.leader, p.replicas, p.isr, p.elr) for p in states]
    assert told == [
        (0, "1", ["3", "1", "2"], ["1", "2"], []),
        (1, None, ["1", "2", "3"], [], ["2", "3"]),
    ]
    assert under(TOPICS, states[0].isr_at) == "1,2"
    assert under(TOPICS, states[1].at) == "none"


def test_versions_before_2_2_print_without_blanks() -> None:
    (topic,) = read(OLD_TOPICS).resources
    assert topic.name == "orders"
    assert texts(topic) == {"retention.ms": "86400000"}
    assert under(OLD_TOPICS, topic.settings["retention.ms"].at) == "86400000"
    assert topic.facts["partitions"].amount == 1
    assert [p.leader for p in topic.traits.state] == [None]


def test_configs_keep_apart_where_a_value_comes_from() -> None:
    document = read(CONFIGS)
    found = {f"{r.kind} {r.name}": r for r in document.resources}
    assert list(found) == [
        "broker 1",
        "config brokers",
        "config broker 7",
        "topic old",
        "topic orders",
    ]
    broker = found["broker 1"]
    # Neither what holds by default nor what is not set at all; no secret, and no word "null".
    assert texts(broker) == {
        "advertised.listeners": "PLAINTEXT://k1:9092",
        "broker.id": "1",
        "ssl.key.password": None,
    }
    assert broker.dynamic["num.io.threads"].text == "8"
    assert texts(found["config brokers"]) == {"log.cleaner.threads": "2"}
    assert texts(found["topic old"]) == {
        "retention.ms": "3600000",
        "cleanup.policy": "compact,delete",
    }
    assert texts(found["topic orders"]) == {"max.message.bytes": "2097152"}
    assert under(CONFIGS, broker.dynamic["num.io.threads"].at) == "8"


def test_topics_that_are_there_are_not_to_be_created() -> None:
    text = "Topic: t\tPartitionCount: 20000\tReplicationFactor: 1\tConfigs: \n"
    assert {f.code for f in lint({"t.txt": text}).findings} & {"KC0611", "KC0612"} == set()


def test_quotas_name_whom_they_limit() -> None:
    text = (
        "Quota configs for user-principal 'a', client-id 'b' are "
        "consumer_byte_rate=2048.0, request_percentage=12.5\n"
        "Quota configs for the default client-id are producer_byte_rate=1024.0\n"
        "SCRAM credential configs for user-principal 'a' are SCRAM-SHA-512=iterations=8192\n"
    )
    one, default = read(text).resources
    assert (one.kind, one.name) == ("quota", "user=a,client_id=b")
    assert texts(one) == {"consumer_byte_rate": "2048", "request_percentage": "12.5"}
    assert under(text, one.settings["request_percentage"].at) == "12.5"
    assert {name: fact.text for name, fact in one.facts.items()} == {"user": "a", "client_id": "b"}
    assert (default.name, texts(default)) == ("client_id=default", {"producer_byte_rate": "1024"})


@pytest.mark.parametrize(
    "text",
    ["Topic: cooking for engineers\n", "Leader: none\nTopic: x\n", "All configs for me are mine\n"],
)
def test_prose_is_no_output(text: str) -> None:
    assert read(text).format is None


def test_dynamic_values_win_over_the_brokers_files() -> None:
    files = {
        "server.properties": (
            "broker.id=1\nlog.dirs=/d\nzookeeper.connect=z:2181\nmax.connections.per.ip=100\n"
        ),
        "broker.txt": "Dynamic configs for broker 1 are:\n  max.connections.per.ip=0 sensitive=false\n",
    }
    project = lint(files)
    (broker,) = project.clusters[0].brokers
    assert broker["max.connections.per.ip"].text == "0"
    assert ("KC0801", "broker.txt", (2, 26, 2, 27)) in [
        (f.code, f.path, f.at) for f in project.findings
    ]
    other = dict(files, **{"broker.txt": files["broker.txt"].replace("broker 1", "broker 2")})
    assert "KC0801" not in {f.code for f in lint(other).findings}


def test_what_one_broker_has_wins_over_what_all_have() -> None:
    files = {
        "server.properties": "broker.id=1\nlog.dirs=/d\nzookeeper.connect=z:2181\n",
        "dynamic.txt": (
            "Dynamic configs for broker 1 are:\n  num.io.threads=8 sensitive=false\n"
            "Default configs for brokers in the cluster are:\n  num.io.threads=4 sensitive=false\n"
            "  num.network.threads=5 sensitive=false\n"
        ),
    }
    (broker,) = lint(files).clusters[0].brokers
    assert (broker["num.io.threads"].text, broker["num.network.threads"].text) == ("8", "5")


def test_the_state_of_a_topic_is_no_second_declaration_of_it() -> None:
    project = lint({"kcheck.yaml": "topics:\n  - {name: orders, partitions: 6}\n", "t.txt": TOPICS})
    assert "KC0606" not in {f.code for f in project.findings}


def test_each_partition_is_told_by_the_gravest_that_can_be_said_of_it() -> None:
    rows = ["1,2,3\tIsr: 1,2,3", "1,2,3\tIsr: 1,2", "1,2,3\tIsr: 1"]
    lines = [
        f"\tTopic: t\tPartition: {n}\tLeader: 1\tReplicas: {row}" for n, row in enumerate(rows)
    ]
    lines.append("\tTopic: t\tPartition: 3\tLeader: none\tReplicas: 1\tIsr: 1")
    head = "Topic: t\tPartitionCount: 4\tReplicationFactor: 3\tConfigs: min.insync.replicas={}\n"

    def live(minimum: int) -> list[tuple[str, int]]:
        text = head.format(minimum) + "\n".join(lines)
        found = lint({"t.txt": text}).findings
        return [(f.code, f.at[0]) for f in found if f.code.startswith("KC032")]

    assert live(2) == [("KC0322", 3), ("KC0321", 4), ("KC0320", 5)]
    assert live(1) == [("KC0323", 3), ("KC0322", 4), ("KC0320", 5)]
    assert live(3) == [("KC0321", 3), ("KC0320", 5)]
