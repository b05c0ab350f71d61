"""Consoles, exporters and monitors: clients by their variables, arguments and files."""

from __future__ import annotations

import base64
from textwrap import dedent

import pytest

from kcheck import formats
from kcheck.engine import lint_project
from kcheck.model import PASSED_OVER, READ, Derived, Document, Position
from kcheck.settings import Settings

BROKER = """\
services:
  kafka:
    image: apache/kafka:3.9.0
    environment:
      KAFKA_NODE_ID: 1
      KAFKA_PROCESS_ROLES: broker,controller
      KAFKA_LISTENERS: CLIENTS://:9092,CONTROLLER://:9093
      KAFKA_ADVERTISED_LISTENERS: CLIENTS://kafka:9092
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: CLIENTS:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT
      KAFKA_INTER_BROKER_LISTENER_NAME: CLIENTS
      KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
      KAFKA_CONTROLLER_QUORUM_VOTERS: 1@kafka:9093
      KAFKA_SASL_ENABLED_MECHANISMS: SCRAM-SHA-512
      KAFKA_SASL_MECHANISM_INTER_BROKER_PROTOCOL: SCRAM-SHA-512
"""
SECRET = base64.b64encode(b"security.protocol=SASL_SSL\nsasl.mechanism=SCRAM-SHA-512\n").decode()


def read(path: str, text: str) -> Document:
    return formats.read(path, dedent(text).encode(), lambda _: None)


def compose(service: str) -> Document:
    return read("compose.yaml", "services:\n  watch:\n" + _indented(service))


def _indented(service: str) -> str:
    return "".join(f"    {line}\n" for line in dedent(service).splitlines())


def told(document: Document) -> dict[str, dict[str, str | None]]:
    return {
        one.name: {key: setting.text for key, setting in one.settings.items()}
        for one in document.resources
    }


def _text(source: str, at: Position) -> str:
    return source.splitlines()[at[0] - 1][at[1] - 1 : at[3] - 1]


def found(service: str, code: str) -> int:
    text = BROKER + "  watch:\n" + _indented(service)
    project = lint_project([("compose.yaml", text.encode())], Settings())
    return sum(finding.code == code for finding in project.findings)


@pytest.mark.parametrize(
    ("service", "expected"),
    [
        (
            """\
            image: ghcr.io/kafbat/kafka-ui:v1.3.0
            environment:
              KAFKA_CLUSTERS_0_NAME: prod
              KAFKA_CLUSTERS_0_BOOTSTRAPSERVERS: kafka:9092
              KAFKA_CLUSTERS_0_PROPERTIES_SECURITY_PROTOCOL: SSL
              KAFKA_CLUSTERS_0_SCHEMAREGISTRY: http://registry:8081
            """,
            {"watch": {"bootstrap.servers": "kafka:9092", "security.protocol": "SSL"}},
        ),
        (
            """\
            image: mirror.example.com/tools/console:1
            environment:
              - KAFKA_CLUSTERS_0_BOOTSTRAP_SERVERS=kafka:9092
              - KAFKA_CLUSTERS_1_NAME=eu
              - KAFKA_CLUSTERS_1_BOOTSTRAPSERVERS=${EU}
            """,
            {
                "watch/0": {"bootstrap.servers": "kafka:9092"},
                "watch/eu": {"bootstrap.servers": None},
            },
        ),
        (
            """\
            image: obsidiandynamics/kafdrop
            environment: {KAFKA_BROKERCONNECT: "kafka:9092", KAFKA_PROPERTIES: SECRET}
            """.replace("SECRET", SECRET),
            {
                "watch": {
                    "bootstrap.servers": "kafka:9092",
                    "security.protocol": "SASL_SSL",
                    "sasl.mechanism": "SCRAM-SHA-512",
                }
            },
        ),
        (
            """\
            image: docker.redpanda.com/redpandadata/console:v2.7.0
            environment: {KAFKA_BROKERS: "kafka:9092", KAFKA_SASL_ENABLED: "true", KAFKA_CLIENTID: c}
            """,
            {
                "watch": {
                    "bootstrap.servers": "kafka:9092",
                    "client.id": "c",
                    "security.protocol": "SASL_PLAINTEXT",
                    "sasl.mechanism": "PLAIN",
                }
            },
        ),
        (
            """\
            image: redpandadata/kminion
            env_file: missing.env
            environment: {KAFKA_BROKERS: "kafka:9092", KAFKA_TLS_ENABLED: "${TLS}"}
            """,
            {"watch": {"bootstrap.servers": "kafka:9092", "security.protocol": None}},
        ),
        (
            """\
            image: danielqsj/kafka-exporter
            command: ["--kafka.server=k1:9092", "--kafka.server", "k2:9092", --tls.enabled]
            """,
            {"watch": {"bootstrap.servers": "k1:9092,k2:9092", "security.protocol": "SSL"}},
        ),
        (
            """\
            image: bitnami/kafka-exporter
            command: --kafka.server=k1:9092 --sasl.enabled --no-tls.enabled --sasl.mechanism=scram-sha512
            """,
            {
                "watch": {
                    "bootstrap.servers": "k1:9092",
                    "security.protocol": "SASL_PLAINTEXT",
                    "sasl.mechanism": "SCRAM-SHA-512",
                }
            },
        ),
        (
            "image: danielqsj/kafka-exporter\n",
            {"watch": {"bootstrap.servers": "kafka:9092", "security.protocol": "PLAINTEXT"}},
        ),
        (
            """\
            image: danielqsj/kafka-exporter
            command: sh -c "sleep 9; kafka_exporter --kafka.server=k1:9092 $$OPTIONS"
            """,
            {"watch": {"bootstrap.servers": "k1:9092", "security.protocol": None}},
        ),
        (
            """\
            image: tchiotludo/akhq
            environment: {AKHQ_CONFIGURATION: "akhq: {connections: {a: {properties: {bootstrap.servers: 'k:9092'}}}}"}
            """,
            {"watch": {"bootstrap.servers": "k:9092"}},
        ),
        ("image: tchiotludo/akhq\nenvironment: {AKHQ_CONFIGURATION: '{[: '}\n", {}),
        ("image: tchiotludo/akhq\nenvironment: {AKHQ_CONFIGURATION: 'akhq: [1, {a: 2}]'}\n", {}),
        ("image: redpandadata/console\nenvironment: {SERVER_LISTENPORT: '8080'}\n", {}),
        ("image: example.com/tools/console\nenvironment: {KAFKA_BROKERS: 'k:9092'}\n", {}),
    ],
)
def test_services(service: str, expected: dict[str, dict[str, str | None]]) -> None:
    assert told(compose(service)) == expected


def test_a_file_in_a_variable_has_its_places() -> None:
    source = """\
services:
  console:
    image: redpandadata/console:v2.7.0
    entrypoint: /bin/sh
    command: -c 'echo "$$CONSOLE_CONFIG_FILE" > /tmp/config.yml; /app/console'
    environment:
      CONFIG_FILEPATH: /tmp/config.yml
      CONSOLE_CONFIG_FILE: |
        kafka:
          brokers: ["redpanda-0:9092"]
          sasl:
            enabled: true
            mechanism: SCRAM-SHA-256
        redpanda:
          adminApi: {enabled: true}
  akhq:
    image: tchiotludo/akhq:0.25.1
    environment:
      AKHQ_CONFIGURATION: |
        akhq:
          connections:
            eu: {properties: {bootstrap.servers: "k1:9092"}}
            us:
              properties:
                bootstrap.servers: "k2:9092"
                security.protocol: SASL_SSL
"""
    document = read("compose.yaml", source)
    console, eu, us = document.resources
    assert (console.name, eu.name, us.name) == ("console", "akhq/eu", "akhq/us")
    assert _text(source, us.settings["security.protocol"].at) == "SASL_SSL"
    assert _text(source, us.settings["security.protocol"].key_at) == "security.protocol"
    assert _text(source, console.settings["sasl.mechanism"].at) == "SCRAM-SHA-256"
    protocol = console.settings["security.protocol"]
    assert (protocol.text, _text(source, protocol.at)) == ("SASL_PLAINTEXT", "true")
    assert type(protocol) is Derived


@pytest.mark.parametrize(
    ("service", "code"),
    [
        (
            "image: provectuslabs/kafka-ui\n"
            "environment: {KAFKA_CLUSTERS_0_BOOTSTRAPSERVERS: 'kafka:9092'}\n",
            "KC0403",
        ),
        (
            "image: obsidiandynamics/kafdrop\nenvironment: {KAFKA_BROKERCONNECT: 'kafka:9092'}\n",
            "KC0403",
        ),
        ("image: danielqsj/kafka-exporter\ncommand: --kafka.server=kafka:9092\n", "KC0403"),
        (
            "image: danielqsj/kafka-exporter\ncommand: --kafka.server=kafka:9092 --sasl.enabled\n",
            "KC0443",
        ),
        (
            "image: redpandadata/console\n"
            "environment: {KAFKA_BROKERS: 'kafka:9092', KAFKA_TLS_ENABLED: 'true'}\n",
            "KC0403",
        ),
    ],
)
def test_security_that_the_listener_does_not_have(service: str, code: str) -> None:
    assert found(service, code) == 1
    # Files that are mounted may say more, and so may a command of another kind.
    if "command" not in service:
        assert found(service + "volumes: ['./conf:/etc/conf']\n", code) == 0
    else:
        assert found(service.replace("command: ", "command: /run.sh "), code) == 0


def test_consoles_alone_say_nothing() -> None:
    text = (
        "services:\n"
        "  ui:\n"
        "    image: provectuslabs/kafka-ui:latest\n"
        "    environment:\n"
        "      KAFKA_CLUSTERS_0_NAME: local\n"
        "      KAFKA_CLUSTERS_0_BOOTSTRAPSERVERS: kafka:9092\n"
        "  drop:\n"
        "    image: obsidiandynamics/kafdrop\n"
        "    environment: {KAFKA_BROKERCONNECT: 'kafka:9092', KAFKA_PROPERTIES: x}\n"
        "  exporter: {image: danielqsj/kafka-exporter}\n"
    )
    project = lint_project([("docker-compose.yml", text.encode())], Settings())
    assert project.findings == []


UI = """\
auth: {type: DISABLED}
kafka:
  clusters:
    - name: prod
      bootstrapServers: k1:9092,k2:9092
      properties:
        security.protocol: SASL_SSL
        sasl: {mechanism: "SCRAM-SHA-256"}
      schemaRegistry: https://registry
    - name: dev
      bootstrapServers: "{{ dev }}"
"""


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "application-local.yml",
            UI,
            {
                "prod": {
                    "bootstrap.servers": "k1:9092,k2:9092",
                    "security.protocol": "SASL_SSL",
                    "sasl.mechanism": "SCRAM-SHA-256",
                },
                "dev": {"bootstrap.servers": None},
            },
        ),
        (
            "charts/values.yaml",
            "yamlApplicationConfig:\n  kafka:\n    clusters:\n      - name: a\n"
            "        bootstrapServers: k:9092\n",
            {"a": {"bootstrap.servers": "k:9092"}},
        ),
        (
            "console/config.yaml",
            "kafka:\n  brokers:\n    - k1:9092\n    - k2:9092\n  tls:\n    enabled: true\n",
            {"console": {"bootstrap.servers": "k1:9092,k2:9092", "security.protocol": "SSL"}},
        ),
        (
            "minion.yaml",
            "kafka:\n  brokers: [k1:9092]\nminion:\n  topics: {granularity: topic}\n",
            {"kminion": {"bootstrap.servers": "k1:9092", "security.protocol": "PLAINTEXT"}},
        ),
    ],
)
def test_files(path: str, text: str, expected: dict[str, dict[str, str | None]]) -> None:
    document = read(path, text)
    assert (document.status, told(document)) == (READ, expected)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        # An application of one's own has such keys as well.
        ("settings.yaml", "kafka:\n  brokers: [k1:9092]\n  topic: orders\n"),
        ("clusters.yaml", "clusters:\n  - name: a\n    bootstrap_servers: k:9092\n"),
        ("akhq.yml", "akhq:\n  connections:\n    - a\n    - b\n"),
        ("akhq.yml", "akhq:\n  connections: 3\n"),
    ],
)
def test_files_of_nobody(path: str, text: str) -> None:
    document = read(path, text)
    assert (document.resources, document.status) == ([], PASSED_OVER)


def test_deep_files_end() -> None:
    deep = "akhq:\n" + "".join(f"{'  ' * depth}a:\n" for depth in range(1, 400))
    assert read("akhq.yml", deep + "connections: 1\n").resources == []


BURROW = """\
[client-profile.secure]
client-id = "watch"
tls = "t"
sasl = "s"
[sasl.s]
username = "u"
mechanism = "SCRAM-SHA-512"
[cluster.prod]
class-name = "kafka"
servers = [ "k1:9093", "k2:9093" ]
client-profile = "secure"
[consumer.prod]
class-name = "kafka_zk"
servers = [ "zk1:2181" ]
[cluster.dev]
class-name = "kafka"
servers = [ "k3:9092" ]
[cluster.lost]
class-name = "kafka"
servers = [ "k4:9092" ]
client-profile = "none"
"""


def test_burrow() -> None:
    document = read("burrow.toml", BURROW)
    assert told(document) == {
        "cluster.prod": {
            "bootstrap.servers": "k1:9093,k2:9093",
            "client.id": "watch",
            "sasl.mechanism": "SCRAM-SHA-512",
            "security.protocol": "SASL_SSL",
        },
        "cluster.dev": {"bootstrap.servers": "k3:9092", "security.protocol": "PLAINTEXT"},
        "cluster.lost": {"bootstrap.servers": "k4:9092", "security.protocol": None},
    }
    prod = document.resources[0]
    assert _text(BURROW, prod.settings["sasl.mechanism"].at) == '"SCRAM-SHA-512"'
    assert _text(BURROW, prod.settings["client.id"].key_at) == "client-id"


def test_broken_toml_is_told_where_it_breaks() -> None:
    document = read("burrow.toml", BURROW + "[cluster.x\nclass-name = 1\n")
    assert [problem.at[0] for problem in document.problems if problem.at] == [22]
    assert read("burrow.toml", '[cluster.x]\nclass-name = 3\nservers = "k"\n').resources == []
    assert read("burrow.toml", "cluster = 3\nclass-name = 3\n[cluster.x.y]\n").resources == []


def test_cruise_control() -> None:
    text = "bootstrap.servers=k1:9092\nsecurity.protocol=${P}\ncapacity.config.file=c.json\ngoals=a,b\n"
    document = read("cruisecontrol.properties", text)
    assert document.format == "cruise-control"
    (client,) = document.resources
    assert client.kind == "admin"
    assert {key: one.text for key, one in client.settings.items()} == {
        "bootstrap.servers": "k1:9092",
        "security.protocol": None,
    }


def test_the_lag_exporter_in_hocon() -> None:
    text = """\
        // groups
        kafka-lag-exporter.clusters = [
          {
            name = "prod"
            bootstrap-brokers = "k1:9092,k2:9092"
            consumer-properties = { security.protocol = SASL_SSL, sasl.mechanism = ${MECHANISM} }
          }
        ]
        """
    document = read("application.conf", text)
    assert told(document) == {
        "prod": {
            "bootstrap.servers": "k1:9092,k2:9092",
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": None,
        }
    }
    admin = 'admin-client-properties.client.id = "a"\nconsumer-properties = {'
    consumer, other = read(
        "application.conf", text.replace("consumer-properties = {", admin)
    ).resources
    assert (consumer.kind, other.kind) == ("client", "admin")
    assert "client.id" not in consumer.settings
    assert {key: one.text for key, one in other.settings.items()} == {
        "bootstrap.servers": "k1:9092,k2:9092",
        "client.id": "a",
    }
    broken = read("application.conf", text + "kafka-lag-exporter {")
    assert [problem.at is not None for problem in broken.problems] == [True]
