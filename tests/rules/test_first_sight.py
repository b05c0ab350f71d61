"""What an owner meets first: kinds of findings that reviews of repositories found false or useless."""

from __future__ import annotations

import pytest

from kcheck.engine import lint_project
from kcheck.settings import Settings

BROKER = (
    "listeners=PLAINTEXT://{host}:{port}\nlog.dirs=/data/kafka-{id}\nzookeeper.connect={quorum}\n"
)
COMPOSE = """services:
  kafka:
    image: confluentinc/cp-kafka:7.3.2
    environment:
      KAFKA_BROKER_ID: 1
      KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
      KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
"""
FLOATING = COMPOSE.replace(":7.3.2", ":latest")


def told(files: dict[str, str], code: str) -> list[tuple[str, str]]:
    """(path, severity) of what a rule says of files."""
    data = {name: text.encode() for name, text in files.items()}
    project = lint_project([*data.items()], Settings(), data.get)
    return [(one.path, one.severity) for one in project.findings if one.code == code]


def brokers(hosts: list[str], ports: list[int], quorum: str = "") -> dict[str, str]:
    """Three brokers' files side by side."""
    named = quorum or ",".join(f"{host}:2181" for host in dict.fromkeys(hosts))
    return {
        f"config/server-{at}.properties": f"broker.id={at}\n"
        + BROKER.format(host=host, port=port, id=at, quorum=named)
        for at, (host, port) in enumerate(zip(hosts, ports, strict=True), 1)
    }


SAME_HOST = brokers(["10.0.0.5"] * 3, [9091, 9092, 9093])
NO_HOST = brokers([""] * 3, [9091, 9092, 9093], "localhost:2181")
APART = brokers(["10.0.0.5", "10.0.0.6", "10.0.0.7"], [9092] * 3)


@pytest.mark.parametrize(
    ("files", "speaks"),
    [
        (APART, True),
        (SAME_HOST, False),
        (NO_HOST, False),
        (APART | {"Vagrantfile": 'Vagrant.configure("2") do |config|\nend\n'}, False),
    ],
)
def test_brokers_of_one_machine_are_no_production(files: dict[str, str], speaks: bool) -> None:
    """Advice for production is of use where each broker has a machine of its own."""
    assert bool(told(files, "KC0312")) is speaks


def test_a_common_name_joins_in_doubt_only() -> None:
    """Any other cluster may answer at kafka:9092 as well: the file may be of a second set."""
    client = (
        "bootstrap.servers=kafka:9092\nsecurity.protocol=SASL_SSL\nsasl.mechanism=PLAIN\nacks=all\n"
    )
    files = {"ledger/docker-compose.yml": COMPOSE, "billing/producer.properties": client}
    assert told(files, "KC0403") == [("billing/producer.properties", "warning")]
    beside = {"docker-compose.yml": COMPOSE, "producer.properties": client}
    assert told(beside, "KC0403") == [("producer.properties", "error")]
    own = COMPOSE + (
        "  app:\n    image: example.com/app:1\n    environment:\n"
        "      SPRING_KAFKA_BOOTSTRAP_SERVERS: kafka:9092\n"
        "      SPRING_KAFKA_SECURITY_PROTOCOL: SASL_SSL\n"
    )
    assert told({"docker-compose.yml": own}, "KC0403") == [("docker-compose.yml", "error")]


def test_a_client_beside_says_nothing_against_a_finding_on_the_brokers() -> None:
    """The factor of one broker's own file is an error, whoever else is near it."""
    app = "spring:\n  kafka:\n    bootstrap-servers: localhost:9092\n    consumer: {group-id: billing}\n"
    published = COMPOSE.replace("kafka:9092", "localhost:9092").replace(
        "    environment:", '    ports: ["9092:9092"]\n    environment:'
    )
    factor = published + "      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: 3\n"
    factor += "  zookeeper:\n    image: confluentinc/cp-zookeeper:7.3.2\n"
    factor += "    environment: {ZOOKEEPER_CLIENT_PORT: 2181}\n"
    files = {"application.yml": app, "docker-compose.yml": factor}
    assert told(files, "KC0308") == [("docker-compose.yml", "error")]


@pytest.mark.parametrize(
    "path",
    [
        *(".docker-compose.yml", "_docker-compose.yml", "backup.yml", "docker-compose-old.yml"),
        *("docker-compose copy.yml", "bin/main/docker-compose.yml", "compose.bak.yml"),
    ],
)
def test_files_put_aside(path: str) -> None:
    """A name or an editor's folder tells that something else is in use."""
    assert told({path: FLOATING}, "KC0128") == [(path, "info")]


@pytest.mark.parametrize(
    "path", ["docker-compose.yml", ".docker/compose.yml", "old-town/compose.yml"]
)
def test_files_in_use(path: str) -> None:
    """The same in files of other names."""
    assert told({path: FLOATING}, "KC0128") == [(path, "warning")]
