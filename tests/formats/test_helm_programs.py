"""Programs in the values of charts: variables, and files that a chart hands on."""

from __future__ import annotations

import pytest
from spans import under

from kcheck import formats
from kcheck.model import READ, Document, Resource


def read(text: str, path: str = "apps/cart/values.yaml") -> Document:
    return formats.read(path, text.encode(), lambda _: None)


def texts(resource: Resource) -> dict[str, str | None]:
    return {key: setting.text for key, setting in resource.settings.items()}


LISTED = """\
image: {repository: registry.example.com/cart}
env:
  - name: SPRING_KAFKA_BOOTSTRAP_SERVERS
    value: prod-kafka-bootstrap.kafka.svc:9092
  - {name: SPRING_KAFKA_PRODUCER_ACKS, value: '1'}
  - name: SPRING_KAFKA_PROPERTIES_SASL_JAAS_CONFIG
    valueFrom: {secretKeyRef: {name: s, key: k}}
"""
MAPPED = """\
services:
  orders:
    extraEnv:
      SPRING_KAFKA_BOOTSTRAP_SERVERS: kafka:9092
      SPRING_KAFKA_PRODUCER_ACKS: '1'
"""


@pytest.mark.parametrize(("text", "name"), [(LISTED, "cart"), (MAPPED, "orders")])
def test_variables_of_springs_are_clients(text: str, name: str) -> None:
    document = read(text)
    assert (document.format, document.status) == ("helm-values", READ)
    (producer,) = document.resources
    assert (producer.kind, producer.name, producer.traits.partial) == ("producer", name, True)
    assert texts(producer)["acks"] == "1"
    assert under(text, producer.settings["acks"].at) == "1"
    assert under(text, producer.settings["acks"].key_at) == "SPRING_KAFKA_PRODUCER_ACKS"


def test_what_a_secret_holds_is_unknown() -> None:
    (producer,) = read(LISTED).resources
    assert producer.settings["sasl.jaas.config"].text is None


def test_a_chart_hands_files_on() -> None:
    text = """\
config:
  application.yml: |
    spring.kafka:
      bootstrap-servers: kafka:9092
      consumer: {group-id: g, max-poll-records: 7}
"""
    (consumer,) = read(text).resources
    assert (consumer.kind, consumer.name) == ("consumer", "g")
    assert consumer.path == "apps/cart/values.yaml"
    assert under(text, consumer.settings["max.poll.records"].at) == "7"


def test_brokers_and_programs_of_an_umbrella_chart() -> None:
    text = """\
kafka:
  image: {repository: bitnami/kafka, tag: 3.9.0}
  fullnameOverride: kafka
  extraConfig: min.insync.replicas=2
orders:
  env: {SPRING_KAFKA_BOOTSTRAP_SERVERS: 'kafka:9092', SPRING_KAFKA_PRODUCER_ACKS: '1'}
"""
    broker, producer = read(text).resources
    assert (broker.kind, producer.kind, producer.name) == ("broker", "producer", "orders")


@pytest.mark.parametrize(
    "text",
    [
        "env:\n  - {name: KAFKA_TOPIC, value: x}\n",
        "env: {SPRING_KAFKA_BOOTSTRAP_SERVERS: {a: b}}\n",
        "kafka: {bootstrapServers: 'k:9092'}\nenv: [x, [y], {value: SPRING_KAFKA_}]\n",
        "files: {logback.xml: '<kafka brokers=1/>'}\n",
    ],
)
def test_other_values_are_no_clients(text: str) -> None:
    document = read(text)
    assert document.resources == [] and document.problems == []


SCALED = """\
replicaCount: 4
image: {repository: registry.example.com/cart}
%s
env:
  SPRING_KAFKA_BOOTSTRAP_SERVERS: kafka:9092
  SPRING_KAFKA_PRODUCER_ACKS: '1'
"""


def counts(text: str, path: str = "apps/cart/values.yaml", **others: str) -> list[str | None]:
    """How many of each client run; ``others`` are files beside it, by their names with an ending."""
    held = {f"apps/cart/{name}.yaml": told.encode() for name, told in others.items()}
    document = formats.read(path, text.encode(), held.get)
    found = [resource.traits.instances for resource in document.resources]
    return [one.text if one is not None else None for one in found]


@pytest.mark.parametrize(
    ("more", "count"),
    [
        ("", "4"),
        ("autoscaling: {enabled: false, minReplicas: 1}", "4"),
        ("autoscaling: {enabled: true, minReplicas: 1}", None),
        ("autoscaling: {minReplicas: 1}", None),
    ],
)
def test_replicas_of_a_chart(more: str, count: str | None) -> None:
    assert counts(SCALED % more) == [count]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (MAPPED.replace("    extraEnv", "    replicas: 2\n    extraEnv"), "2"),
        (f"replicaCount: 3\n{MAPPED}", "3"),
        (
            "replicaCount: 3\n"
            + MAPPED.replace("services", "parts").replace(
                "    extraEnv", "    image: {tag: a}\n    extraEnv"
            ),
            None,
        ),
        (LISTED, None),
        ("replicas: {min: 1}\n" + LISTED, None),
        (
            "deployment:\n  replicas: 5\n  config:\n    application.yml: |\n"
            "      spring.kafka: {bootstrap-servers: 'k:9092', consumer: {group-id: g}}\n",
            "5",
        ),
    ],
)
def test_replicas_of_the_program_that_is_meant(text: str, count: str | None) -> None:
    assert counts(text) == [count]


def test_replicas_that_another_file_may_change() -> None:
    text = SCALED % ""
    over = {"values-prod": "replicaCount: 9\n"}
    assert counts(text, **over) == [None]
    assert counts(text, "apps/cart/values-prod.yaml", values=text) == ["4"]
