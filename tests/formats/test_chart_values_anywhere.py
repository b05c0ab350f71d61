"""Values of charts whose file's name does not say so: Bitnami's own, and Telegraf's with its plugins."""

from __future__ import annotations

import pytest

from kcheck import formats, model

_BITNAMIS = """\
image: {registry: docker.io, repository: bitnami/kafka, tag: 3.9.0-debian-12-r4}
listeners: {client: {protocol: PLAINTEXT}}
controller:
  replicaCount: 3
"""
_TELEGRAFS = """\
replicaCount: 1
config:
  outputs:
    - kafka:
        brokers: ["k1.example.com:9092"]
        topic: metrics
  inputs:
    - kafka_consumer:
        brokers: ["k1.example.com:9092"]
        topics: [events]
        consumer_group: metrics
"""


def read(path: str, text: str) -> model.Document:
    return formats.read(path, text.encode(), {}.get)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_values_of_bitnamis_chart_have_any_name(end: str) -> None:
    document = read("lab/kafka.yaml", _BITNAMIS.replace("\n", end))
    assert (document.status, document.format) == (model.READ, "helm-values")
    assert [one.kind for one in document.resources] == ["broker"]


def test_values_of_another_image_are_not_kafkas() -> None:
    document = read("lab/redis.yaml", _BITNAMIS.replace("bitnami/kafka", "bitnami/redis"))
    assert document.status != model.READ


def test_plugins_of_telegraf_stand_in_the_values_of_its_chart() -> None:
    document = read("telegraf.yaml", _TELEGRAFS)
    producer, consumer = document.resources
    assert (producer.kind, consumer.kind) == ("producer", "consumer")
    assert consumer.settings["group.id"].text == "metrics"
    assert consumer.settings["group.id"].at[0] == 11
    assert producer.settings["bootstrap.servers"].text == "k1.example.com:9092"


@pytest.mark.parametrize(
    "left", ["config:\n  outputs:\n    - kafka: [\n", "config: {outputs: [{kafka: {"]
)
def test_broken_values_are_told_with_their_place(left: str) -> None:
    document = read("telegraf.yaml", f"{left}brokers: [k1:9092]\n")
    assert all(problem.at for problem in document.problems)
    assert not document.resources
