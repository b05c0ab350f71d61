"""Dockerfiles and env files of brokers and workers that no compose file uses."""

from __future__ import annotations

from textwrap import dedent

import pytest

from kcheck import formats
from kcheck.engine import lint_project
from kcheck.model import PASSED_OVER, READ, Document, Position
from kcheck.settings import Settings

IMAGE = """\
# escape=\\
FROM eclipse-temurin:21-jre AS base
ARG SCALA=2.13
ENV KAFKA_VERSION=3.8.1
RUN curl -fsSL https://archive.apache.org/dist/kafka/$KAFKA_VERSION/kafka_$SCALA-$KAFKA_VERSION.tgz | tar xz
FROM base
COPY conf/server.properties conf/tools.properties /opt/kafka/config/
ENV KAFKA_NODE_ID=4 KAFKA_PROCESS_ROLES="broker" \\
    # where the quorum is
    KAFKA_CONTROLLER_QUORUM_VOTERS=1@c1:9093,2@c2:9093,3@c3:9093 \\
    KAFKA_ADVERTISED_LISTENERS=PLAINTEXT://$HOST:9092
ENV KAFKA_LOG_RETENTION_HOURS 72
ENTRYPOINT ["/start.sh"]
"""
ENV = """\
# eu-1
export KAFKA_BROKER_ID=7
KAFKA_ZOOKEEPER_CONNECT="zk1:2181,zk2:2181"
KAFKA_ADVERTISED_LISTENERS=PLAINTEXT://${HOST}:9092
KAFKA_LOG_RETENTION_HOURS='72'
"""


def read(path: str, text: str, **others: str) -> Document:
    beside = {name.replace("__", "."): one.encode() for name, one in others.items()}
    return formats.read(path, dedent(text).encode(), beside.get)


def _text(source: str, at: Position) -> str:
    return source.splitlines()[at[0] - 1][at[1] - 1 : at[3] - 1]


def _spelled(document: Document, source: str) -> dict[str, tuple[str | None, str, str]]:
    (node,) = document.resources
    return {
        key: (one.text, _text(source, one.at), _text(source, one.key_at))
        for key, one in node.settings.items()
    }


def test_an_image_of_a_broker() -> None:
    document = read("images/broker/Dockerfile", IMAGE)
    assert (document.format, document.status) == ("dockerfile", READ)
    assert _spelled(document, IMAGE) == {
        "node.id": ("4", "4", "KAFKA_NODE_ID"),
        "process.roles": ("broker", "broker", "KAFKA_PROCESS_ROLES"),
        "controller.quorum.voters": (
            "1@c1:9093,2@c2:9093,3@c3:9093",
            "1@c1:9093,2@c2:9093,3@c3:9093",
            "KAFKA_CONTROLLER_QUORUM_VOTERS",
        ),
        "advertised.listeners": (
            None,
            "PLAINTEXT://$HOST:9092",
            "KAFKA_ADVERTISED_LISTENERS",
        ),
        "log.retention.hours": ("72", "72", "KAFKA_LOG_RETENTION_HOURS"),
    }
    (broker,) = document.resources
    assert (broker.kind, broker.name, broker.facts["kafka_version"].text) == (
        "broker",
        "broker",
        "3.8.1",
    )
    assert broker.traits.partial and broker.traits.fragment


def test_the_version_of_the_files_that_an_image_has() -> None:
    document = read("images/broker/Dockerfile.arm64", IMAGE)
    assert [(one.path, one.told.text) for one in document.extent.releases] == [
        ("images/broker/conf/server.properties", "3.8.1"),
        ("images/broker/conf/tools.properties", "3.8.1"),
    ]
    worker = "FROM quay.io/debezium/connect:2.5\nCOPY connect-distributed.properties /kafka/\n"
    releases = read("Containerfile", worker).extent.releases
    assert [(one.product, one.path, one.told.text) for one in releases] == [
        ("kafka", "connect-distributed.properties", "3.6"),
        ("debezium", "", "2.5"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "FROM confluentinc/cp-kafka-connect:7.6.0\nENV CONNECT_PLUGIN_PATH=/plugins\n",
        "FROM python:3.12\nENV KAFKA_BROKERS=kafka:9092 KAFKA_GROUP_ID=orders\n",
        "FROM apache/kafka:3.9.0\nENV KAFKA_NODE_ID=1 KAFKA_PROCESS_ROLES=broker\nCMD sleep 9\n",
        "FROM\nENV KAFKA_NODE_ID=1\n",
        "# FROM apache/kafka\nENV KAFKA_NODE_ID=1 KAFKA_PROCESS_ROLES=broker\n",
    ],
)
def test_an_image_that_tells_no_node(text: str) -> None:
    document = read("Dockerfile", text)
    assert (document.resources, document.status) == ([], PASSED_OVER)


@pytest.mark.parametrize(
    "text",
    [
        "FROM x\nENV \\\n",
        'FROM apache/kafka\nENV KAFKA_A="' + "\\" * 3000 + "\n",
        "FROM apache/kafka\nENV " + "KAFKA_A=" * 20_000,
        "FROM apache/kafka AS a\nFROM a AS a\nFROM a AS a\nENV KAFKA_NODE_ID=1\n",
        "FROM apache/kafka\nENV KAFKA_NODE_ID\nENV\nENV =\n",
        "\ufeffFROM apache/kafka\r\nENV KAFKA_NODE_ID=1\r\n",
    ],
)
def test_broken_dockerfiles(text: str) -> None:
    assert read("Dockerfile", text).resources == []


def test_an_env_file_alone() -> None:
    document = read("eu/broker-7.env", ENV)
    assert (document.format, document.status) == ("env", READ)
    assert _spelled(document, ENV) == {
        "broker.id": ("7", "7", "KAFKA_BROKER_ID"),
        "zookeeper.connect": (
            "zk1:2181,zk2:2181",
            '"zk1:2181,zk2:2181"',
            "KAFKA_ZOOKEEPER_CONNECT",
        ),
        "advertised.listeners": (
            None,
            "PLAINTEXT://${HOST}:9092",
            "KAFKA_ADVERTISED_LISTENERS",
        ),
        "log.retention.hours": ("72", "'72'", "KAFKA_LOG_RETENTION_HOURS"),
    }
    assert document.resources[0].name == "broker-7"
    assert "image" not in document.resources[0].facts


def test_an_env_file_that_fills_in_a_compose_file() -> None:
    compose = "services: {kafka: {image: x, environment: [KAFKA_BROKER_ID=${KAFKA_BROKER_ID}]}}\n"
    assert read("eu/prod.env", ENV, compose__yaml=compose).status == PASSED_OVER
    other = "services: {kafka: {image: x, environment: [KAFKA_BROKER_ID=${ID}]}}\n"
    assert read("eu/prod.env", ENV, compose__yaml=other).status == READ


def test_env_files_of_programs_that_only_ask_kafka() -> None:
    text = "KAFKA_BROKERS=k:9092\nKAFKA_TOPIC=a\nKAFKA_LISTENERS=2\nKAFKA_BROKER_TIMEOUT=3\n"
    assert read("app.env", text).status == PASSED_OVER


def test_three_env_files_are_one_cluster() -> None:
    sources = [
        (
            f"kafka-{number}.env",
            f"KAFKA_NODE_ID={number}\nKAFKA_PROCESS_ROLES=broker,controller\n"
            "KAFKA_CONTROLLER_QUORUM_VOTERS=1@k1:9093,2@k2:9093,3@k3:9093\n"
            f"KAFKA_MIN_INSYNC_REPLICAS={number}\n".encode(),
        )
        for number in (1, 2, 3)
    ]
    (cluster,) = lint_project(sources, Settings()).clusters
    assert len(cluster.brokers) == 3


def test_what_a_compose_file_uses_is_judged_there() -> None:
    files = {
        "compose.yaml": "services:\n  kafka: {image: mirror.example.com/kafka:9, env_file: kafka.env}\n"
        "  other: {build: img}\n",
        "kafka.env": "KAFKA_NODE_ID=1\nKAFKA_PROCESS_ROLES=broker,controller\n"
        "KAFKA_LISTENERS=PLAINTEXT://:9092\nKAFKA_MESSAGE_MAX_BYTES=ten\n",
        "img/Dockerfile": "FROM apache/kafka:3.9.0\nENV KAFKA_NODE_ID=2 KAFKA_PROCESS_ROLES=broker\n"
        "ENV KAFKA_LOG_RETENTION_MS=ten\n",
    }
    sources = [(path, text.encode()) for path, text in files.items()]
    project = lint_project(sources, Settings(), dict(sources).get)
    names = [broker.name for cluster in project.clusters for broker in cluster.brokers]
    assert sorted(names) == ["kafka", "other"]
    found = [(one.path, one.at[0]) for one in project.findings if one.code == "KC0103"]
    assert found == [("img/Dockerfile", 3), ("kafka.env", 4)]


def test_env_files_of_programs_around_kafka() -> None:
    registry = """\
        SCHEMA_REGISTRY_HOST_NAME=registry
        SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS=SSL://k1:9093
        SCHEMA_REGISTRY_KAFKASTORE_SECURITY_PROTOCOL=SSL
        """
    (client,) = read("registry.env", registry).resources
    assert client.traits.partial
    assert {key: one.text for key, one in client.settings.items()} == {
        "bootstrap.servers": "SSL://k1:9093",
        "security.protocol": "SSL",
    }
    ui = "KAFKA_CLUSTERS_0_NAME=eu\nKAFKA_CLUSTERS_0_BOOTSTRAPSERVERS=k1:9092\n"
    (client,) = read("ui.env", ui).resources
    assert (client.name, client.traits.partial) == ("ui", True)
    center = "CONTROL_CENTER_BOOTSTRAP_SERVERS=k1:9092\nCONTROL_CENTER_REPLICATION_FACTOR=1\n"
    (client,) = read("center.env", center).resources
    assert client.settings["bootstrap.servers"].text == "k1:9092"


def test_a_program_of_an_unknown_image_is_told_by_its_variables() -> None:
    text = """\
        services:
          registry:
            image: registry.example.com/platform/schemas:3
            environment:
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: PLAINTEXT://kafka:9092
              SCHEMA_REGISTRY_SOMETHING_OF_ITS_OWN: x
        """
    document = read("compose.yaml", text)
    assert [one.settings["bootstrap.servers"].text for one in document.resources] == [
        "PLAINTEXT://kafka:9092"
    ]
    assert document.problems == []


def test_two_registries_of_one_group_need_known_images() -> None:
    text = """\
        services:
          confluent:
            image: confluentinc/cp-schema-registry:7.6.0
            environment:
              SCHEMA_REGISTRY_HOST_NAME: confluent
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: PLAINTEXT://kafka:9092
          own:
            build: .
            environment:
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: kafka:9092
              SCHEMA_REGISTRY_KAFKASTORE_TOPIC: schemas
        """
    project = lint_project([("compose.yaml", dedent(text).encode())], Settings())
    assert [finding.code for finding in project.findings if finding.code == "KC0963"] == []
