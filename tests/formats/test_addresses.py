"""Where brokers answer, as their formats tell it."""

from __future__ import annotations

import pytest

from kcheck import formats
from kcheck.model import ANYWHERE, PATTERN, SERVICE, Resource


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
