"""Variables of Reactive Messaging's channels in containers."""

from __future__ import annotations

import textwrap

import pytest

from kcheck import formats
from kcheck.model import Document, Resource

COMPOSE = """\
services:
  orders:
    image: example.com/orders:1.0
    environment:
      KAFKA_BOOTSTRAP_SERVERS: kafka:9092
      MP_MESSAGING_INCOMING_PAID_ORDERS_AUTO_OFFSET_RESET: earliest
      MP_MESSAGING_INCOMING_PAID_ORDERS_CONNECTOR: smallrye-kafka
      MP_MESSAGING_OUTGOING_BILLS_ACKS: "1"
      MP_MESSAGING_OUTGOING_BILLS_CONNECTOR: smallrye-kafka
"""


def read(text: str, path: str = "docker-compose.yml") -> Document:
    return formats.read(path, textwrap.dedent(text).encode(), lambda _: None)


def _told(resource: Resource) -> dict[str, str | None]:
    return {key: one.text for key, one in resource.settings.items()}


def test_each_channel_is_a_client() -> None:
    consumer, producer = read(COMPOSE).resources
    assert (consumer.kind, consumer.name, consumer.traits.partial) == ("consumer", "orders", True)
    assert _told(consumer) == {"bootstrap.servers": "kafka:9092", "auto.offset.reset": "earliest"}
    assert (producer.kind, _told(producer)["acks"]) == ("producer", "1")


def test_positions_are_those_of_the_variables() -> None:
    consumer, _ = read(COMPOSE).resources
    setting = consumer.settings["auto.offset.reset"]
    assert setting.name == "MP_MESSAGING_INCOMING_PAID_ORDERS_AUTO_OFFSET_RESET"
    line, begin, _, end = setting.at
    assert COMPOSE.splitlines()[line - 1][begin - 1 : end - 1] == "earliest"


@pytest.mark.parametrize(
    "variable",
    [
        "MP_MESSAGING_INCOMING_PAID_MODE: x",
        "MP_MESSAGING_SIDEWAYS_PAID_ACKS: all",
        "MP_MESSAGING_INCOMING: x",
        "KAFKA_BOOTSTRAP_SERVERS: kafka:9092",
    ],
)
def test_other_variables_are_no_client(variable: str) -> None:
    service = (
        f"services:\n  app:\n    image: example.com/app:1.0\n    environment:\n      {variable}\n"
    )
    assert not read(service).resources


def test_a_pod() -> None:
    pod = """\
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: orders}
    spec:
      template:
        spec:
          containers:
            - name: app
              image: example.com/orders:1.0
              env:
                - {name: MP_MESSAGING_INCOMING_PAID_CONNECTOR, value: smallrye-kafka}
                - {name: MP_MESSAGING_INCOMING_PAID_MAX_POLL_RECORDS, value: "50"}
    """
    (consumer,) = read(pod, "orders.yaml").resources
    assert (consumer.kind, _told(consumer)) == ("consumer", {"max.poll.records": "50"})
