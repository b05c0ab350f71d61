"""Maps of brokers' keys in the data of Chef, Salt and Puppet."""

from __future__ import annotations

import json

import pytest
from spans import under

from kcheck import formats
from kcheck.model import FAILED, PASSED_OVER, READ, SKIPPED, Document

PILLAR = """\
kafka:
  version: 2.8.0
  config:
    broker.id: 1
    log_dirs: [/a, /b]
    min.insync.replicas: 1
  clients:
    acks: all
    linger.ms: 5
other:
  config: {broker.id: 7, num.io.threads: 3}
"""


def read(text: str, path: str = "pillar/kafka.sls") -> Document:
    return formats.read(path, text.encode(), lambda _: None)


def values(document: Document) -> list[dict[str, str | None]]:
    return [{k: one.text for k, one in r.settings.items()} for r in document.resources]


def test_a_pillar_of_salt() -> None:
    document = read(PILLAR)
    assert (document.status, document.format) == (READ, "salt-pillar")
    assert values(document) == [{"broker.id": "1", "log.dirs": "/a,/b", "min.insync.replicas": "1"}]
    (broker,) = document.resources
    assert (broker.kind, broker.traits.partial) == ("broker", True)
    assert under(PILLAR, broker.settings["min.insync.replicas"].at) == "1"


@pytest.mark.parametrize("head", ["default_attributes", "override_attributes", "normal"])
def test_attributes_of_chef(head: str) -> None:
    kafka = {"broker": {"broker_id": 2, "num.io.threads": 9, "zookeeper": {"connect": "z:1"}}}
    text = json.dumps({"name": "n", "run_list": [], head: {"my-kafka": kafka}})
    document = read(text, "nodes/n.json")
    assert document.format == "chef-attributes"
    assert values(document) == [{"broker.id": "2", "num.io.threads": "9"}]


def test_hashes_of_hiera() -> None:
    text = (
        "profile::kafka::props:\n  offsets.topic.replication.factor: 1\n  log.retention.hours: 24\n"
    )
    document = read(text, "data/common.yaml")
    assert document.format == "puppet-hiera"
    assert values(document) == [
        {"offsets.topic.replication.factor": "1", "log.retention.hours": "24"}
    ]


@pytest.mark.parametrize(
    "text",
    [
        # Of topics or clients, with one key alone, or not below a name of Kafka's.
        "kafka:\n  topic: {retention.ms: 1, min.insync.replicas: 2} # broker\n",
        "kafka:\n  broker: {broker.id: 1}\n",
        "app: {broker.id: 1, num.io.threads: 2} # kafka\n",
        "kafka: [broker.id, log.dirs]\n",
        "kafka: broker\n",
    ],
)
def test_what_is_no_map_of_a_broker(text: str) -> None:
    document = read(text)
    assert (document.status, document.resources) == (PASSED_OVER, [])


def test_a_template_is_told() -> None:
    document = read(PILLAR.replace("id: 1", "id: {{ grains.id }}"))
    assert (document.status, document.resources) == (SKIPPED, [])
    assert document.reason.startswith("an unrendered template")


def test_broken_yaml_is_told_at_its_place() -> None:
    document = read("kafka: [broker.id\n  x: 1\n")
    assert document.status == FAILED
    assert document.problems[0].at[0] == 2


def test_deep_nesting_ends() -> None:
    text = (
        "kafka:\n"
        + "".join(f"{' ' * n}a{n}:\n" for n in range(1, 60))
        + " " * 60
        + "broker.id: 1\n"
    )
    assert read(text).resources == []
