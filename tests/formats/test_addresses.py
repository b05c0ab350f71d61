"""Where brokers answer, as their formats tell it."""

from __future__ import annotations

import pytest

from kcheck import formats
from kcheck.model import ANYWHERE, MACHINE, PATTERN, SERVICE, Resource


def broker(text: str, path: str = "kafka.yaml") -> Resource:
    found = formats.read(path, text.encode(), lambda _: None).resources
    return next(resource for resource in found if resource.kind == "broker")


def addresses(text: str, path: str = "kafka.yaml") -> list[tuple[str, int | None, str, str]]:
    told = broker(text, path).traits.addresses
    return [(one.host, one.port, one.reach, one.listener) for one in told]


CONFLUENT = """\
apiVersion: platform.confluent.io/v1beta1
kind: Kafka
metadata: {name: events, namespace: confluent}
spec:
  replicas: 2
  listeners:
    internal: {tls: {enabled: true}}
    external:
      externalAccess:
        type: loadBalancer
        loadBalancer: {domain: kafka.example.com, bootstrapPrefix: events}
    custom:
      - {name: apps, port: 9204}
"""
NODE_PORT = """\
        type: nodePort
        nodePort: {host: nodes.example.com, nodePortOffset: 30000}
"""


def test_of_confluents_operator() -> None:
    assert addresses(CONFLUENT) == [
        ("events", 9071, SERVICE, "INTERNAL"),
        ("events", 9072, SERVICE, "REPLICATION"),
        ("events", 9092, SERVICE, "EXTERNAL"),
        ("events.kafka.example.com", 9092, ANYWHERE, "EXTERNAL"),
        ("b0.kafka.example.com", 9092, ANYWHERE, "EXTERNAL"),
        ("b1.kafka.example.com", 9092, ANYWHERE, "EXTERNAL"),
        ("events", 9204, SERVICE, "APPS"),
    ]
    lines = CONFLUENT.splitlines(True)
    ported = "".join(lines[:9]) + NODE_PORT
    assert addresses(ported)[3:] == [
        ("nodes.example.com", 30000 + number, ANYWHERE, "EXTERNAL") for number in range(3)
    ]
    routed = CONFLUENT.replace("loadBalancer", "route")
    assert ("events.kafka.example.com", 443, ANYWHERE, "EXTERNAL") in addresses(routed)
    unknown = CONFLUENT.replace("kafka.example.com", "'{{ x }}'")
    assert ("*", None, PATTERN, "EXTERNAL") in addresses(unknown)


BITNAMI = """\
image: {repository: bitnami/kafka}
fullnameOverride: events
namespaceOverride: kafka
"""


def test_of_bitnamis_chart() -> None:
    assert broker(BITNAMI, "values.yaml").traits.namespace == "kafka"
    inside = [
        ("events", 9092, SERVICE, "CLIENT"),
        ("events-headless", None, SERVICE, ""),
        ("events-controller-headless", None, SERVICE, ""),
        ("events-broker-headless", None, SERVICE, ""),
    ]
    assert addresses(BITNAMI, "values.yaml") == inside
    other = BITNAMI + "service: {ports: {client: 9192}}\n"
    assert addresses(other, "values.yaml")[0] == ("events", 9192, SERVICE, "CLIENT")
    access = "externalAccess: {enabled: true, controller: {service: {domain: Kafka.example.com}}}\n"
    assert addresses(BITNAMI + access, "values.yaml")[4:] == [
        ("*", None, PATTERN, "EXTERNAL"),
        ("kafka.example.com", None, ANYWHERE, "EXTERNAL"),
    ]
    assert addresses(BITNAMI.replace("events", "'{{ x }}'"), "values.yaml") == [
        ("*", None, PATTERN, "")
    ]
    assert addresses(BITNAMI.splitlines(True)[0], "values.yaml") == [("*", None, PATTERN, "")]


PLAIN = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: kafka, namespace: prod}
spec:
  serviceName: kafka-pods
  template:
    metadata: {labels: {app: kafka, tier: data}}
    spec:
      containers: [{name: kafka, image: 'apache/kafka:3.9.0'}]
---
apiVersion: v1
kind: Service
metadata: {name: events, namespace: prod}
spec:
  selector: {app: kafka}
  ports: [{name: clients, port: 9092}, {name: tls, port: 9093}]
---
apiVersion: v1
kind: Service
metadata: {name: kafka-pods, namespace: prod}
spec: {selector: {app: kafka}, clusterIP: None, ports: [{port: 9092}]}
"""


def test_of_plain_kubernetes() -> None:
    listeners = [(9092, SERVICE, "PLAINTEXT"), (9093, SERVICE, "CONTROLLER")]
    events = [("events", *listener) for listener in listeners]
    pods = [("kafka-pods", *listener) for listener in listeners]
    assert addresses(PLAIN) == events + pods
    # The pods have names by the Service that governs them, wherever that is declared.
    assert addresses(PLAIN.rpartition("---")[0]) == events + pods


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("app: kafka}\n  ports", "app: other}\n  ports"),
        ("app: kafka}\n  ports", "app: '{{ x }}'}\n  ports"),
        ("name: events, namespace: prod", "name: events, namespace: dev"),
        ("selector: {app: kafka}\n", "type: ExternalName\n"),
    ],
)
def test_other_services_do_not_lead_there(old: str, new: str) -> None:
    assert old in PLAIN
    found = addresses(PLAIN.replace(old, new, 1))
    assert {host for host, *_ in found} == {"kafka-pods"}


def test_services_of_another_file_are_not_known() -> None:
    alone = PLAIN.partition("---")[0].replace("  serviceName: kafka-pods\n", "")
    assert addresses(alone) == [("*", None, PATTERN, "")]


COMPOSE = """\
services:
  kafka:
    image: apache/kafka:3.9.0
    environment:
      KAFKA_LISTENERS: PLAINTEXT://:19092,CONTROLLER://:9093,HOST://0.0.0.0:9092
      KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:19092,HOST://localhost:29092
    ports: ['29092:9092', '127.0.0.1:19092:19092', '8080:8080', '9092']
"""


def published(text: str) -> list[tuple[str, int | None, str, str]]:
    return [one for one in addresses(text, "compose.yaml") if one[2] == MACHINE]


def test_of_what_compose_publishes() -> None:
    found = [("localhost", 29092, MACHINE, "HOST"), ("localhost", 19092, MACHINE, "PLAINTEXT")]
    assert published(COMPOSE) == found
    lines = COMPOSE.splitlines(True)
    # Without listeners those of what is advertised count, or those of the image.
    bare = "".join(lines[:3] + lines[6:])
    assert published(bare) == [("localhost", 29092, MACHINE, "PLAINTEXT")]


AIVEN = """\
resource "aiven_kafka" "main" {
  project      = "shop"
  service_name = "Events"
  kafka_user_config {
    kafka_version = "3.8"
    kafka {
      min_insync_replicas = 2
    }
  }
}
"""


def test_of_a_service_of_aivens() -> None:
    assert addresses(AIVEN, "main.tf") == [("events-shop.*aivencloud.com", None, PATTERN, "")]
    made = broker(AIVEN, "main.tf")
    assert (made.traits.service, made.traits.partial, made.cluster) == ("aiven", True, "main")
    assert made.settings["min.insync.replicas"].text == "2"
    assert made.facts["kafka_version"].text == "3.8"
    unknown = AIVEN.replace('"shop"', "var.project")
    assert addresses(unknown, "main.tf") == [("*.aivencloud.com", None, PATTERN, "")]
    topic = """
resource "aiven_kafka_topic" "orders" {
  service_name = aiven_kafka.main.service_name
  topic_name   = "orders"
}
"""
    found = formats.read("main.tf", (AIVEN + topic).encode(), lambda _: None).resources
    assert {(one.kind, one.cluster) for one in found} == {("broker", "main"), ("topic", "main")}
