"""What ``kcheck files`` says of Kafka's keys that no format has read."""

from __future__ import annotations

import pytest

from kcheck import formats
from kcheck.formats import unread


def reason(path: str, text: str) -> str:
    document = formats.read(path, text.encode(), lambda _: None)
    unread.settle(document, text.encode())
    return document.reason


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("values.yaml", "broker:\n  customEnv:\n    KAFKA_MESSAGE_MAX_BYTES: '4000048'\n"),
        ("values.yaml", "app:\n  kafka:\n    conf:\n      metadata.broker.list: k:9092\n"),
        ("bench.yaml", "name: b\ntopicConfig: |\n  min.insync.replicas=2\n"),
        ("c.yaml", "apiVersion: kafka.banzaicloud.io/v1beta1\nkind: KafkaCluster\n"),
        ("t.yaml", "kind: KafkaTopic\nmetadata: {name: a}\n"),
        (
            "compose.yaml",
            "services:\n  kb:\n    image: x/kafka:1\n    environment:\n      KAFKA_NODE_ID: 1\n",
        ),
    ],
)
def test_a_file_with_keys_of_kafkas_is_not_called_unrelated(path: str, text: str) -> None:
    assert reason(path, text) == "mentions Kafka in a form that kcheck does not read"


def test_other_files_are() -> None:
    assert reason("values.yaml", "replicaCount: 2\nkafka: {enabled: false}\n") == (
        "no Kafka configuration"
    )
    assert reason("app.properties", "# acks=all and linger.ms=5\nserver.port=8080\n") == (
        "no Kafka configuration"
    )


def test_a_file_that_was_read_by_half_says_so() -> None:
    text = (
        '{"bootstrap.servers": "k:9092", "queue.buffering.max.ms": 5,\n'
        ' "sender": {"acks": "1", "linger.ms": 5}, "reader": {"session.timeout.ms": 4}}'
    )
    assert reason("client.json", text) == "2 known keys not read: linger.ms, session.timeout.ms"
    assert reason("client.json", '{"bootstrap.servers": "k:9092", "group.id": "a"}') == ""
    assert reason("producer.properties", "bootstrap.servers=k:9092\nacks=1\n# linger.ms=5\n") == ""
