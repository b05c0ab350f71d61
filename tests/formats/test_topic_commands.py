"""Topics that scripts and commands of containers create."""

from __future__ import annotations

import textwrap

from kcheck import formats
from kcheck.model import Document, Position

SCRIPT = """\
#!/bin/bash
# kafka-topics --create --topic commented
echo "kafka-topics --create --topic printed"
docker exec kafka bash -c "/opt/kafka/bin/kafka-topics.sh --create --topic 'orders' \\
  --partitions=3 --replication-factor 1 --config retention.ms=${RETENTION} --config=cleanup.policy=compact" && \\
  kafka-topics --bootstrap-server $SERVER --create --topic bills --partitions "$N"
for topic in a b; do kafka-topics --create --topic $topic; done
kafka-topics --alter --topic orders --partitions 6
"""

COMPOSE = """\
services:
  kafka:
    image: apache/kafka:3.9.0
    environment: {KAFKA_NODE_ID: 1, KAFKA_PROCESS_ROLES: "broker,controller"}
  init:
    image: apache/kafka:3.9.0
    entrypoint: [/bin/sh, -c]
    command: |
      kafka-topics --bootstrap-server kafka:9092 --create --topic orders --replication-factor 3
  other:
    image: apache/kafka:3.9.0
    command: ["kafka-topics.sh", "--create", "--topic", "bills", "--partitions", "2"]
"""


def read(path: str, text: str) -> Document:
    return formats.read(path, textwrap.dedent(text).encode(), lambda _: None)


def _text(source: str, at: Position) -> str:
    return source.splitlines()[at[0] - 1][at[1] - 1 : at[3] - 1]


def topics(document: Document) -> dict[str, dict[str, str | None]]:
    return {
        one.name: {key: made.text for key, made in (one.facts | one.settings).items()}
        for one in document.resources
        if one.kind == "topic"
    }


def test_a_script() -> None:
    document = read("create.sh", SCRIPT)
    assert document.format == "topic-commands"
    assert topics(document) == {
        "orders": {
            "partitions": "6",
            "replication.factor": "1",
            "retention.ms": None,
            "cleanup.policy": "compact",
        },
        "bills": {"partitions": None},
        "a": {},
        "b": {},
    }
    orders = document.resources[0]
    assert _text(SCRIPT, orders.at) == "orders"
    assert _text(SCRIPT, orders.settings["cleanup.policy"].at) == "compact"


def test_scripts_without_such_a_command() -> None:
    for text in ("kafka-topics --list\n", "echo kafka-topics --create --topic a\n", "ls\n"):
        assert not read("run.sh", text).resources


def test_commands_of_containers() -> None:
    document = read("docker-compose.yml", COMPOSE)
    assert topics(document) == {
        "orders": {"replication.factor": "3"},
        "bills": {"partitions": "2"},
    }
    for one in document.resources:
        if one.kind == "topic":
            assert _text(COMPOSE, one.at) == one.name
    without = COMPOSE.replace(
        "apache/kafka:3.9.0\n    environment", "example/app:1\n    environment"
    ).replace("KAFKA_PROCESS_ROLES", "APP_ROLES")
    assert not topics(read("docker-compose.yml", without))
