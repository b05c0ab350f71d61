"""Redpanda's start command in compose: where it listens, and what it advertises."""

from __future__ import annotations

import pytest

from kcheck import formats
from kcheck.engine import lint_project
from kcheck.model import Document, Position
from kcheck.settings import Settings

COMPOSE = """\
services:
  redpanda-0:
    image: docker.redpanda.com/redpandadata/redpanda:v24.2.4
    command:
      - redpanda
      - start
      - --kafka-addr internal://0.0.0.0:9092,external://0.0.0.0:19092
      - --advertise-kafka-addr internal://redpanda-0:9092,external://localhost:19092
      - --rpc-addr redpanda-0:33145
      - --smp 1
    ports: ["19092:19092"]
  app:
    image: example.com/app:1
    environment: {BOOTSTRAP_SERVERS: "redpanda-0:9092"}
"""


def read(text: str) -> Document:
    return formats.read("compose.yaml", text.encode(), lambda _: None)


def _text(at: Position) -> str:
    return COMPOSE.splitlines()[at[0] - 1][at[1] - 1 : at[3] - 1]


def found(text: str) -> list[tuple[str, int]]:
    project = lint_project([("compose.yaml", text.encode())], Settings())
    return sorted((finding.code, finding.at[0]) for finding in project.findings)


def test_a_node() -> None:
    (node,) = read(COMPOSE).resources
    assert (node.kind, node.name, node.settings) == ("broker", "redpanda-0", {})
    assert {key: one.text for key, one in node.image.items()} == {
        "listeners": "INTERNAL://0.0.0.0:9092,EXTERNAL://0.0.0.0:19092",
        "advertised.listeners": "INTERNAL://redpanda-0:9092,EXTERNAL://localhost:19092",
        "listener.security.protocol.map": None,
    }
    assert _text(node.image["advertised.listeners"].at) == (
        "internal://redpanda-0:9092,external://localhost:19092"
    )
    assert found(COMPOSE) == []


@pytest.mark.parametrize(
    "command",
    [
        "redpanda start --kafka-addr=0.0.0.0:9092 --advertise-kafka-addr=k:9092",
        '["redpanda", "start", "--kafka-addr", "0.0.0.0:9092", "--advertise-kafka-addr", "k:9092"]',
    ],
)
def test_addresses_without_names(command: str) -> None:
    text = f"services:\n  k:\n    image: vectorized/redpanda\n    command: {command}\n"
    (node,) = read(text).resources
    assert [node.image[key].text for key in ("listeners", "advertised.listeners")] == [
        "KAFKA://0.0.0.0:9092",
        "KAFKA://k:9092",
    ]


@pytest.mark.parametrize(
    "service",
    [
        "image: redpandadata/redpanda\n    command: redpanda start --smp 1",
        "image: redpandadata/redpanda\n    command: redpanda start --kafka-addr",
        "image: redpandadata/connect\n    command: run /connect.yaml",
        "image: example.com/tool\n    command: --kafka-addr k:9092",
    ],
)
def test_what_tells_no_addresses(service: str) -> None:
    assert read(f"services:\n  k:\n    {service}\n").resources == []


def test_addresses_that_do_not_fit() -> None:
    port = COMPOSE.replace('"redpanda-0:9092"', '"redpanda-0:9093"')
    assert found(port) == [("KC1024", 14)]
    loopback = COMPOSE.replace("internal://redpanda-0", "internal://localhost")
    assert found(loopback) == [("KC1065", 8)]
    # Somebody fills it in.
    assert found(COMPOSE.replace("internal://redpanda-0", "internal://${HOST}")) == []


WORKER = """\
services:
  connect:
    image: docker.redpanda.com/redpandadata/connectors:latest
    environment:
      CONNECT_CONFIGURATION: |
        group.id=connectors
        key.converter=${CONVERTER}
        config.storage.topic=_configs
      CONNECT_BOOTSTRAP_SERVERS: redpanda:9092
      CONNECT_GC_LOG_ENABLED: "false"
"""


def test_a_worker_whose_properties_are_a_variable() -> None:
    (worker,) = read(WORKER).resources
    assert (worker.kind, worker.name, worker.traits.partial) == ("worker", "connect", True)
    assert {key: one.text for key, one in worker.settings.items()} == {
        "group.id": "connectors",
        "key.converter": None,
        "config.storage.topic": "_configs",
        "bootstrap.servers": "redpanda:9092",
    }
    told = worker.settings["group.id"]
    assert (told.key_at, told.at) == ((6, 9, 6, 17), (6, 18, 6, 28))


def test_a_tag_that_is_filled_in_hides_no_image() -> None:
    (worker,) = read(WORKER.replace(":latest", ":${TAG}")).resources
    assert worker.kind == "worker"


def test_without_properties_it_is_no_worker() -> None:
    assert read(WORKER.replace("CONNECT_CONFIGURATION", "CONNECT_NOTES")).resources == []
