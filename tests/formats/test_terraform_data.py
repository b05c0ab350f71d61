"""Terraform in JSON, and the variables that hold topics."""

from __future__ import annotations

import json

import pytest

from kcheck import formats
from kcheck.model import FAILED, PASSED_OVER, Document, Resource


def read(path: str, text: str) -> Document:
    return formats.read(path, text.encode(), {}.get)


def shown(resource: Resource) -> tuple[object, ...]:
    settings = {key: made.text for key, made in resource.settings.items()}
    facts = {key: made.text for key, made in resource.facts.items()}
    return resource.kind, resource.name, settings, facts


def test_topics_in_json() -> None:
    tree = {
        "resource": {
            "kafka_topic": {
                "a": {
                    "name": "orders",
                    "partitions": 12,
                    "replication_factor": 3,
                    "config": {"retention.ms": 1000, "cleanup.policy": "${var.policy}"},
                },
                "loop": {"name": "b", "for_each": "${var.all}"},
                "none": {"name": "b", "count": 0},
            },
            "aiven_kafka_topic": {
                "c": {"topic_name": "clicks", "replication": 2, "config": [{"retention_ms": "5"}]}
            },
        }
    }
    document = read("infra/topics.tf.json", json.dumps(tree, indent=2))
    assert document.format == "terraform-kafka_topic"
    assert [shown(topic) for topic in document.resources] == [
        (
            "topic",
            "orders",
            {"retention.ms": "1000", "cleanup.policy": None},
            {"partitions": "12", "replication.factor": "3"},
        ),
        ("topic", "clicks", {"retention.ms": "5"}, {"replication.factor": "2"}),
    ]
    orders, clicks = document.resources
    assert (orders.traits.service, clicks.traits.service) == ("", "aiven")
    assert orders.traits.namespace == "infra"
    assert orders.facts["partitions"].at == (6, 23, 6, 25)


def test_msk_in_json() -> None:
    properties = "auto.create.topics.enable=true\nmin.insync.replicas = ${var.isr}\n"
    block = {"name": "c", "kafka_versions": ["3.7.x"], "server_properties": properties}
    tree = {"resource": {"aws_msk_configuration": {"core": block}}}
    document = read("msk.tf.json", json.dumps(tree))
    assert document.format == "terraform-msk"
    (broker,) = document.resources
    assert shown(broker) == (
        "broker",
        "core",
        {"auto.create.topics.enable": "true", "min.insync.replicas": None},
        {"kafka_version": "3.7"},
    )
    assert broker.traits.service == "msk"


@pytest.mark.parametrize(
    ("path", "text", "format", "status"),
    [
        ("a.tf.json", '{"resource": {"aws_s3_bucket": {}}}', None, PASSED_OVER),
        ("a.tf.json", '{"data": {"kafka_topic": {"a": {"name": "a"}}}}', "terraform-kafka_topic", PASSED_OVER),
        ("a.tf.json", '{"resource": {"kafka_topic": ', "terraform-kafka_topic", FAILED),
        ("a.json", '{"resource": {"kafka_topic": {}}}', None, PASSED_OVER),
        ("a.tfvars", 'region = "eu"\n', None, PASSED_OVER),
        ("a.tfvars", "topics = 3\npartitions = 2\n", "terraform-vars", PASSED_OVER),
        ("a.tfvars", "topics = var.x # partitions\n", "terraform-vars", PASSED_OVER),
        ("a.tfvars", 'topics = ["a", "b"] # partitions\n', "terraform-vars", PASSED_OVER),
        ("a.tfvars.json", '{"topics": ["a"], "partitions": 3}', "terraform-vars", PASSED_OVER),
    ],
)  # fmt: skip
def test_what_is_none(path: str, text: str, format: str | None, status: str) -> None:
    document = read(path, text)
    assert (document.format, document.status, document.resources) == (format, status, [])


VARS = """\
# topics of the shop
topics = {
  orders = {
    partitions = 12, replication_factor = 3
    config = {
      "retention.ms"   = 24 * 3600000
      "cleanup.policy" = "delete" # no table
    }
  }
  "shop.clicks" = { name = "clicks", partitions = var.n }
  other         = { team = "web" }
}
"""


def test_a_map_of_topics() -> None:
    document = read("env/prod.tfvars", VARS)
    assert document.format == "terraform-vars"
    assert [shown(topic) for topic in document.resources] == [
        (
            "topic",
            "orders",
            {"retention.ms": "86400000", "cleanup.policy": "delete"},
            {"partitions": "12", "replication.factor": "3"},
        ),
        ("topic", "clicks", {}, {"partitions": None}),
    ]
    orders, clicks = document.resources
    assert orders.at == (3, 3, 3, 9)
    assert orders.settings["cleanup.policy"].at == (7, 27, 7, 33)
    assert clicks.at == (10, 29, 10, 35)


def test_a_list_of_topics() -> None:
    text = 'kafka_topics = [{ name = "a", partitions = 3 }, { partitions = 2 }]\n'
    document = read("prod.auto.tfvars", text)
    assert [shown(topic) for topic in document.resources] == [
        ("topic", "a", {}, {"partitions": "3"})
    ]


def test_variables_in_json() -> None:
    text = '{"topics": {"a": {"partitions": 3, "configs": {"retention.ms": "1"}}}}'
    document = read("prod.tfvars.json", text)
    assert [shown(topic) for topic in document.resources] == [
        ("topic", "a", {"retention.ms": "1"}, {"partitions": "3"})
    ]
