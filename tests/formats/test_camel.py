"""Camel: its component's options, endpoints of routes in YAML, Kamelets."""

from __future__ import annotations

from textwrap import dedent

import pytest
from spans import under

from kcheck import formats
from kcheck.engine import lint_project
from kcheck.model import FAILED, PASSED_OVER, Document, Resource
from kcheck.settings import Settings


def read(path: str, text: str) -> Document:
    data = dedent(text).encode()
    return formats.read(path, data, {path: data}.get)


def texts(resource: Resource) -> dict[str, str | None]:
    return {key: setting.text for key, setting in resource.settings.items()}


def test_options_of_the_component_are_kafka_s_under_camel_s_names() -> None:
    text = """\
        camel.component.kafka.brokers=k:9092
        camel.component.kafka.request-required-acks=1
        camel.component.kafka.configuration.producerBatchSize=5
        camel.component.kafka.autoCommitEnable=false
        camel.component.kafka.max-poll-interval-ms=5m
        camel.component.kafka.additional-properties[linger.ms]=7
        camel.component.kafka.ssl-endpoint-algorithm=none
        camel.component.kafka.seek-to=beginning
        """
    consumer, producer = read("application.properties", text).resources
    assert texts(producer) == {
        "bootstrap.servers": "k:9092",
        "acks": "1",
        "batch.size": "5",
        "linger.ms": "7",
        "ssl.endpoint.identification.algorithm": "",
    }
    assert texts(consumer)["enable.auto.commit"] == "false"
    assert texts(consumer)["max.poll.interval.ms"] == "300000"
    assert consumer.traits.partial and producer.traits.partial


def test_quarkus_has_the_component_by_profile() -> None:
    text = "quarkus.http.port=1\n%prod.camel.component.kafka.brokers=${B:k:9092}\n"
    (client,) = read("application.properties", text).resources
    assert (client.kind, client.traits.profile) == ("client", "prod")
    assert texts(client) == {"bootstrap.servers": "k:9092"}


ROUTES = """\
- route:
    from:
      uri: kafka:orders,returns?brokers=k:9092&groupId=billing&consumersCount=3
      parameters:
        maxPollRecords: 7
        additionalProperties.max.poll.interval.ms: 90000
      steps:
        - to: "kafka:paid?brokers={{brokers}}&requestRequiredAcks=all&lingerMs=5"
        - toD:
            uri: kafka:${header.topic}
            parameters: {brokers: "k:9092", clientId: "RAW(a&b)"}
"""


def test_endpoints_of_routes_are_clients_by_their_steps() -> None:
    consumer, producer, dynamic = read("routes/orders.camel.yaml", ROUTES).resources
    assert (consumer.kind, consumer.name) == ("consumer", "billing")
    assert consumer.traits.topics == ("orders", "returns")
    assert consumer.traits.concurrency is not None and consumer.traits.concurrency.text == "3"
    assert texts(consumer) == {
        "bootstrap.servers": "k:9092",
        "group.id": "billing",
        "max.poll.records": "7",
        "max.poll.interval.ms": "90000",
    }
    assert (producer.name, producer.traits.topics) == ("kafka:paid", ("paid",))
    assert texts(producer) == {"bootstrap.servers": None, "acks": "all", "linger.ms": "5"}
    assert dynamic.traits.topics is None
    assert texts(dynamic)["client.id"] == "a&b"


def test_an_option_in_a_uri_has_its_own_place() -> None:
    consumer, producer, _ = read("routes/orders.camel.yaml", ROUTES).resources
    assert under(ROUTES, consumer.settings["group.id"].at) == "billing"
    assert under(ROUTES, producer.settings["linger.ms"].at) == "5"
    assert under(ROUTES, producer.settings["linger.ms"].key_at or (1, 1, 1, 1)) == "lingerMs"


def test_a_wrong_option_is_told_where_it_stands() -> None:
    text = ROUTES.replace("requestRequiredAcks=all", "requestRequiredAcks=2").encode()
    project = lint_project([("o.camel.yaml", text)], Settings(), {"o.camel.yaml": text}.get)
    found = [(f.code, under(text.decode(), f.at)) for f in project.findings]
    assert found == [("KC0104", "2")]


def test_kamelets_of_pipes_are_clients() -> None:
    text = """\
        apiVersion: camel.apache.org/v1
        kind: Pipe
        metadata: {name: a}
        spec:
          source:
            ref: {kind: Kamelet, apiVersion: camel.apache.org/v1, name: kafka-source}
            properties: {bootstrapServers: "k:9092", topic: orders, consumerGroup: g, user: u, password: p}
          sink:
            ref: {kind: Kamelet, apiVersion: camel.apache.org/v1, name: kafka-not-secured-sink}
            properties: {bootstrapServers: "k:9092", topic: paid}
        """
    consumer, producer = read("pipe.yaml", text).resources
    assert (consumer.kind, consumer.traits.topics) == ("consumer", ("orders",))
    assert texts(consumer) == {"bootstrap.servers": "k:9092", "group.id": "g"}
    assert consumer.image["security.protocol"].text == "SASL_SSL"
    assert consumer.image["sasl.jaas.config"].text is None
    assert (producer.kind, producer.image) == ("producer", {})


@pytest.mark.parametrize(
    ("path", "text", "status"),
    [
        ("a.yaml", "- from:\n    uri: timer:a\n    steps: [{to: 'log:kafka:x'}]\n", PASSED_OVER),
        # Other programs' URIs.
        ("a.yaml", "sink:\n  uri: kafka://127.0.0.1:9092/topic?acks=1\n", PASSED_OVER),
        ("a.yaml", "metrics: {from: 1}\nuri: kafka:x\n", PASSED_OVER),
        ("a.yaml", "- from:\n    uri: kafka:x?brokers=k:1\n    steps: [\n", FAILED),
    ],
)
def test_what_is_no_route_of_kafka_s(path: str, text: str, status: str) -> None:
    assert read(path, text).status == status


@pytest.mark.parametrize(
    "uri",
    ["kafka:?brokers=k:1", "kafka:x?", "kafka:x?&&&=", "kafka:x?a=%ZZ&brokers=RAW(", "kafka:%?a"]
    + ["kafka:x?" + "a=b&" * 5_000],
)
def test_hostile_uris_are_read_as_far_as_they_go(uri: str) -> None:
    document = read("a.yaml", f"- from:\n    uri: '{uri}'\n    steps: []\n")
    assert [problem.code for problem in document.problems] == []
