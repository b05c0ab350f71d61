"""Topics as the tools keep them that create topics: JulieOps, topicctl, Jikkou and others."""

from __future__ import annotations

from textwrap import dedent

import pytest
from spans import under, yaml_value

from kcheck import formats
from kcheck.engine import lint_project
from kcheck.model import PASSED_OVER, READ, Document, Resource
from kcheck.settings import Settings


def read(text: str, path: str = "a.yaml") -> Document:
    return formats.read(path, dedent(text).encode(), lambda _: None)


def texts(resource: Resource) -> dict[str, str | None]:
    return {key: setting.text for key, setting in resource.settings.items()}


def facts(resource: Resource) -> dict[str, str | None]:
    return {key: fact.text for key, fact in resource.facts.items()}


JULIE = """\
context: shop
team: web
region: 7
projects:
  - name: cart
    topics:
      - name: orders
        dataType: avro
        config: {num.partitions: "6", replication.factor: "3", retention.ms: "60000"}
      - name: audit
        plan: gold
        config: {num.partitions: "{{ n }}"}
  - name: empty
platform: {control_center: {}}
"""


def test_julie_makes_a_topics_name_of_all_that_is_above_it() -> None:
    document = read(JULIE)
    assert (document.format, document.status) == ("julie", READ)
    orders, audit = document.resources
    assert orders.name == "shop.web.7.cart.orders.avro"
    assert under(JULIE, orders.at) == "orders"
    assert facts(orders) == {"partitions": "6", "replication.factor": "3"}
    assert orders.facts["replication.factor"].amount == 3
    assert texts(orders) == {"retention.ms": "60000"}
    assert audit.name == "shop.web.7.cart.audit"
    # The plan is elsewhere: what it may say is unknown, not the brokers' default.
    assert facts(audit) == {"partitions": None, "replication.factor": None}
    assert all(fact.amount is None for fact in audit.facts.values())


TOPICCTL = """\
meta: {name: orders, cluster: core, environment: prod, region: eu}
spec:
  partitions: 9
  replicationFactor: 3
  retentionMinutes: 100
  settings:
    cleanup.policy: compact
    leader.replication.throttled.replicas:
      - "1:3"
      - "4:5"
---
meta: {name: core, environment: prod, region: eu}
spec:
  bootstrapAddrs:
    - k1:9092
    - k2:9092

  versionMajor: v2
"""


def test_topicctl_counts_retention_in_minutes() -> None:
    topic, cluster = read(TOPICCTL).resources
    assert (topic.name, topic.cluster, topic.traits.namespace) == ("orders", "core", "prod/eu")
    assert texts(topic) == {
        "retention.ms": "6000000",
        "cleanup.policy": "compact",
        "leader.replication.throttled.replicas": "1:3,4:5",
    }
    assert under(TOPICCTL, topic.settings["retention.ms"].at) == "100"
    assert topic.settings["retention.ms"].name == "retentionMinutes"
    assert (cluster.kind, cluster.cluster) == ("admin", "core")
    servers = cluster.settings["bootstrap.servers"]
    assert servers.text == "k1:9092,k2:9092"
    assert under(TOPICCTL, servers.at) == "k1:9092\n    - k2:9092"


NAIS = """\
apiVersion: kafka.nais.io/v1
kind: Topic
metadata:
  name: orders
spec:
  pool: {{kafka-pool}}  # filled in by the pipeline
  config:
    cleanupPolicy: compact
    minimumInSyncReplicas: 3
    partitions: 10
    replication: 3
    retentionBytes: -1
    retentionHours: -1
    segmentHours: 2
    maxCompactionLagMs: 3e+9
    minCleanableDirtyRatioPercent: 25
    maxMessageBytes: lots
"""


def test_nais_has_units_of_its_own() -> None:
    (topic,) = read(NAIS).resources
    assert texts(topic) == {
        "cleanup.policy": "compact",
        "min.insync.replicas": "3",
        "retention.bytes": "-1",
        "retention.ms": "-1",
        "segment.ms": "7200000",
        "max.compaction.lag.ms": "3000000000",
        "min.cleanable.dirty.ratio": "0.25",
        "max.message.bytes": "lots",
    }
    assert under(NAIS, topic.settings["segment.ms"].at) == "2"
    assert (topic.name, topic.cluster) == ("orders", None)
    # The template does not shift what comes after it.
    assert topic.facts["partitions"].at == (10, 17, 10, 19)


@pytest.mark.parametrize("key", ["localRetentionHours", "localRetentionBytes"])
def test_nais_tiers_what_has_a_local_retention(key: str) -> None:
    (topic,) = read(NAIS.replace("segmentHours: 2", f"{key}: 2")).resources
    tiered = topic.settings["remote.storage.enable"]
    assert (tiered.text, tiered.name, tiered.at[0]) == ("true", key, 14)


RESOURCES = """\
apiVersion: kafka.jikkou.io/v1
kind: KafkaTopicList
items:
  - metadata: {name: a}
    spec: {partitions: 3, replicas: 2, configs: {retention.ms: 1000}}
---
apiVersion: kafka.jikkou.io/v1
kind: KafkaTopic
metadata: {name: b}
spec: {configs: {cleanup.policy: compact}}
---
apiVersion: kafka.jikkou.io/v1
kind: KafkaPrincipalRole
metadata: {name: c}
spec: {acls: []}
"""


def test_jikkou_topics_alone_or_as_a_list() -> None:
    a, b = read(RESOURCES).resources
    assert (a.name, facts(a)) == ("a", {"partitions": "3", "replication.factor": "2"})
    assert (texts(a), texts(b)) == ({"retention.ms": "1000"}, {"cleanup.policy": "compact"})
    for topic in (a, b):
        for setting in (*topic.settings.values(), *topic.facts.values()):
            assert yaml_value(RESOURCES, setting) == setting.raw


LISTS = [
    (
        "topics:\n  - {name: a, partitions: 3, replication: 2}\n  - name: b\n    replication: 1\n",
        {"a": ("3", "2"), "b": (None, "1")},
    ),
    (
        "topics:\n  a:\n    partitions: 3\n  b:\n    replication: 2\n"
        "settings:\n  topics:\n    defaults: {replication: 5}\n",
        {"a": ("3", "5"), "b": (None, "2")},
    ),
    ("topic: a\ntopic_creation_config: {retention.ms: 1}\n", {"a": (None, None)}),
    ("topic_creation_config: {retention.ms: 1}\n", {"orders": (None, None)}),
]


@pytest.mark.parametrize(("text", "expected"), LISTS)
def test_lists_of_topics(text: str, expected: dict[str, tuple[str | None, str | None]]) -> None:
    document = read(text, "topics/orders.yaml")
    found = {r.name: facts(r) for r in document.resources}
    assert {
        name: (told.get("partitions"), told.get("replication.factor"))
        for name, told in found.items()
    } == expected


def test_settings_in_one_text_keep_commas_of_values_and_their_places() -> None:
    text = (
        "topics:\n  - name: a\n    partitions: 1\n    replication: 1\n"
        "    configs: 'retention.ms=5,cleanup.policy=compact,delete,note=x,follower.replication.throttled.replicas=0:1,0:2'\n"
    )
    (topic,) = read(text).resources
    assert texts(topic) == {
        "retention.ms": "5",
        "cleanup.policy": "compact,delete",
        "follower.replication.throttled.replicas": "0:1,0:2",
    }
    for setting in topic.settings.values():
        assert under(text, setting.at) == setting.text
        assert under(text, setting.key_at) == setting.key


def test_asyncapi_bindings_configure_topics_and_bare_channels_do_not() -> None:
    text = """\
    asyncapi: 3.0.0
    channels:
      orders:
        address: shop.orders
        bindings:
          kafka:
            partitions: 20
            replicas: 3
            topicConfiguration: {cleanup.policy: ["delete", "compact"], retention.ms: 604800000}
      events:
        address: kafka.events
    """
    (topic,) = read(text).resources
    assert topic.name == "shop.orders"
    assert facts(topic) == {"partitions": "20", "replication.factor": "3"}
    assert texts(topic) == {"cleanup.policy": "delete,compact", "retention.ms": "604800000"}
    assert read("asyncapi: 2.6.0\nchannels: {kafka: {}}\n").status == PASSED_OVER


def test_kafkactl_contexts_ask_their_brokers() -> None:
    text = "contexts:\n  dev:\n    brokers:\n      - k1:9092\n      - k2:9092\n  prod: {}\n"
    (client,) = read(text).resources
    assert (client.kind, client.name, client.dialect) == ("admin", "dev", "sarama")
    assert client.settings["bootstrap.servers"].text == "k1:9092,k2:9092"


BROKEN = [
    ("julie", "context: a\nprojects: {x: [1]}\n"),
    ("julie", "context: a\nprojects:\n  - topics: [1, [2], {config: 3}]\n"),
    ("topicctl", "meta: [1]\nspec: {partitions: [1], settings: {retention.ms: {b: c}}}\n"),
    ("jikkou", "apiVersion: kafka.jikkou.io/v1\nkind: KafkaTopicList\nitems: {a: b}\n"),
    ("asyncapi", "asyncapi: 2\nchannels: [kafka, {bindings: 1}]\n"),
    ("kafkactl", "contexts: [{brokers: 1}]\n"),
    ("topics-yaml", "topics:\n  - partitions: {replication: x}\n"),
    ("nais-topic", "apiVersion: kafka.nais.io/v1\nkind: Topic\nspec: {config: [retentionHours]}\n"),
]


@pytest.mark.parametrize(("name", "text"), BROKEN)
def test_other_shapes_are_survived(name: str, text: str) -> None:
    sources = {"a.yaml": text.encode()}
    project = lint_project(sources.items(), Settings(), sources.get)
    assert project.failures == []
    assert project.documents[0].format == name
    assert [f.code for f in project.findings] == []
