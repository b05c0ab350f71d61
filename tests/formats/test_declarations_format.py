"""Reading kcheck's own YAML: facts, units, resources, and which files are declarations at all."""

from __future__ import annotations

from textwrap import dedent

import pytest
from spans import under, yaml_value

from kcheck import formats
from kcheck.model import FAILED, PASSED_OVER, READ, Document, Resource

EVERYTHING = """\
kcheck: 1
cluster:
  name: payments
  kafka_version: "4.1.2"
  client_version: "3.9.1"
  environment: production
  service: self-managed
  brokers:
    - {id: 1, rack: a, config: {log.dirs: /data}, host: {disks: 4}}
    - {id: 2, rack: b}
  config: {min.insync.replicas: 2}
  dynamic_config: {message.max.bytes: 2000000}
  host: {ram: 64GiB, nic: 10Gbit/s, disk_size: 2TB, nofile: 100000, vm.max_map_count: 262144}
  tenants: 1
topics:
  - name: orders
    partitions: 12
    replication_factor: 3
    config: {max.message.bytes: 5242880, "cleanup.policy": "compact,delete"}
    keyed: true
    ordering: key
    produce_rate: 20MB/s
    record_size: 1KB
    max_record_size: 900KiB
    compression_ratio: 0.3
producers:
  - name: checkout
    topics: [orders, "bills-*"]
    instances: 12
    client: {library: librdkafka, version: "2.3.0"}
    config: {acks: "1"}
consumers:
  - {name: billing, config: {group.id: billing}}
streams:
  - {name: totals, topics: [orders], writes: [sums], config: {application.id: totals}}
quotas:
  - {client_id: batch, consumer_byte_rate: 102400}
"""


def read(text: str, path: str = "a.yaml") -> Document:
    return formats.read(path, dedent(text).encode(), lambda _: None)


def one(document: Document, kind: str) -> Resource:
    (found,) = [r for r in document.resources if r.kind == kind]
    return found


def test_everything_that_the_contract_knows() -> None:
    document = read(EVERYTHING)
    assert (document.format, document.status, document.problems) == ("kcheck-yaml", READ, [])
    assert [(r.kind, r.name) for r in document.resources] == [
        ("cluster", "payments"),
        ("broker", "1"),
        ("broker", "2"),
        ("topic", "orders"),
        ("producer", "checkout"),
        ("consumer", "billing"),
        ("streams", "totals"),
        ("quota", "client_id=batch"),
    ]
    assert {r.cluster for r in document.resources} == {"payments"}
    assert one(document, "cluster").name == "payments"


def amounts(resource: Resource) -> dict[str, float]:
    return {name: fact.amount for name, fact in resource.facts.items() if fact.amount is not None}


def test_facts_have_units_and_kafkas_keys_have_none() -> None:
    document = read(EVERYTHING)
    cluster, topic = one(document, "cluster"), one(document, "topic")
    assert amounts(cluster) == {
        "brokers": 2,
        "ram": 64 * 2**30,
        "nic": 1_250_000_000,
        "disk_size": 2 * 10**12,
        "nofile": 100_000,
        "vm.max_map_count": 262_144,
        "tenants": 1,
    }
    assert amounts(topic) == {
        "partitions": 12,
        "replication.factor": 3,
        "keyed": True,
        "produce_rate": 20_000_000,
        "record_size": 1000,
        "max_record_size": 900 * 1024,
        "compression_ratio": 0.3,
    }
    assert topic.settings["max.message.bytes"].text == "5242880"
    assert cluster.dynamic["message.max.bytes"].text == "2000000"


def test_a_client_names_its_topics_and_its_library() -> None:
    document = read(EVERYTHING)
    producer, streams = one(document, "producer"), one(document, "streams")
    assert producer.traits.topics == ("orders", "bills-*")
    assert producer.dialect == "librdkafka"
    assert (streams.traits.topics, streams.traits.writes) == (("orders",), ("sums",))
    assert one(document, "consumer").traits.topics is None


def test_the_text_under_every_position_is_the_value() -> None:
    document = read(EVERYTHING)
    seen = 0
    for resource in document.resources:
        for setting in (*resource.settings.values(), *resource.dynamic.values()):
            assert yaml_value(EVERYTHING, setting) == setting.raw
            seen += 1
        for name, fact in resource.facts.items():
            if name in ("topics", "writes", "copartitioned", "brokers"):
                continue
            assert yaml_value(EVERYTHING, fact) == fact.raw
            assert (
                under(EVERYTHING, fact.key_at)
                .replace("_factor", ".factor")
                .endswith(name.rpartition(".")[2])
            )
            seen += 1
    assert seen > 30


@pytest.mark.parametrize(
    "text",
    [
        "topics:\n  - name: orders\n",
        "cluster:\n  brokers: 3\n",
        "kcheck: 1\ntopics:\n",
        "producers:\n  - {name: p, config: {acks: all}}\n",
        "# a note\n---\ncluster: {name: a}\n---\ncluster: {name: b}\n",
        "quotas:\n  - {user: u, producer_byte_rate: 1}\n",
    ],
)
def test_a_file_of_this_shape_is_a_declaration_under_any_name(text: str) -> None:
    assert read(text, "anything.yml").format == "kcheck-yaml"


@pytest.mark.parametrize(
    "text",
    [
        "topics:\n  - title: Kafka in one day\n",
        "topics:\n  orders: {partitions: 3}\n",
        "topics: []\n",
        "cluster: kafka_main\n",
        "cluster:\n  name: x\n  nodePools: []\n",
        "cluster: {name: x}\nbroker: {}\n",
        "consumers:\n  - {name: x, url: http://x}\n",
        "service:\n  topics:\n    - name: x\n",
    ],
)
def test_the_same_words_in_another_shape_are_not(text: str) -> None:
    assert read(text).format != "kcheck-yaml"


def test_kcheck_yaml_is_ours_whatever_it_holds() -> None:
    document = read("cluster: {name: x, brokers: many}\nbroker: {}\n", "deploy/kcheck.yaml")
    assert document.format == "kcheck-yaml"
    assert {problem.code for problem in document.problems} == {"KC0007"}
    assert [p.at[0] for p in document.problems] == [1, 2]
    assert read("# nothing yet\n", "kcheck.yaml").status == PASSED_OVER


def test_broken_yaml_is_an_error_where_the_file_is_ours() -> None:
    document = read("cluster:\n  name: [\n", "kcheck.yml")
    assert (document.status, [p.code for p in document.problems]) == (FAILED, ["KC0001"])


def test_several_clusters_in_one_file_stay_apart() -> None:
    document = read(
        "cluster: {name: a}\ntopics: [{name: x}]\n---\ncluster: {name: b}\ntopics: [{name: y}]\n"
    )
    assert [(r.name, r.cluster) for r in document.resources if r.kind == "topic"] == [
        ("x", "a"),
        ("y", "b"),
    ]


def test_templated_values_are_unknown() -> None:
    document = read("cluster: {name: '${CLUSTER}', brokers: '{{ n }}', tenants: 2}\n")
    cluster = one(document, "cluster")
    assert document.problems == []
    assert (cluster.name, cluster.cluster) == (".", None)
    assert (cluster.facts["brokers"].text, cluster.facts["brokers"].amount) == (None, None)
