"""Brokers and workers that shell files start with ``docker run``."""

from __future__ import annotations

import textwrap

import pytest

from kcheck import formats
from kcheck.model import DOCKER, Document, Position

SCRIPT = """\
#!/bin/sh
# docker run apache/kafka:3.9.0
echo "docker run apache/kafka:3.9.0"
docker run -dit --rm --name kafka -p 9092:9092 --network=events \\
  -e KAFKA_NODE_ID=1 -eKAFKA_PROCESS_ROLES=broker,controller \\
  --env "KAFKA_LISTENERS=PLAINTEXT://:9092,CONTROLLER://:9093" \\
  -e KAFKA_ADVERTISED_LISTENERS="PLAINTEXT://$HOST:9092" --env=KAFKA_LOG_DIRS='/data' \\
  apache/kafka:3.9.0 && docker run --rm alpine:3 true
"""


def read(text: str, path: str = "start.sh") -> Document:
    return formats.read(path, textwrap.dedent(text).encode(), lambda _: None)


def _text(source: str, at: Position) -> str:
    return source.splitlines()[at[0] - 1][at[1] - 1 : at[3] - 1]


def test_a_command() -> None:
    document = read(SCRIPT)
    assert document.format == "docker-commands"
    (kafka,) = document.resources
    assert (kafka.kind, kafka.name, kafka.traits.deployer) == ("broker", "kafka", DOCKER)
    assert {key: one.text for key, one in kafka.settings.items()} == {
        "node.id": "1",
        "process.roles": "broker,controller",
        "listeners": "PLAINTEXT://:9092,CONTROLLER://:9093",
        "advertised.listeners": None,
        "log.dirs": "/data",
    }
    assert _text(SCRIPT, kafka.settings["node.id"].at) == "1"
    assert _text(SCRIPT, kafka.facts["image"].at) == "apache/kafka:3.9.0"


@pytest.mark.parametrize(
    "command",
    [
        "docker run --rm alpine:3",
        "docker run $IMAGE",
        "docker compose run kafka",
        "docker run -e KAFKA_NODE_ID=1",
        "mydocker run apache/kafka:3.9.0",
        "docker run --name kafka",
        "docker run -p 9092:9092 apache/kafka:3.9.0",
        "docker run -e KAFKA_NODE_ID=2 apache/kafka:4.0.0 kafka-topics.sh --list",
        "docker run -e KAFKA_NODE_ID=2 --entrypoint sh apache/kafka:4.0.0",
    ],
)
def test_no_broker(command: str) -> None:
    assert not read(command).resources


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("-e KAFKA_NODE_ID=2", ["KC0124"]),
        ("-e KAFKA_NODE_ID=2 --env-file kafka.env", []),
        ("-e KAFKA_NODE_ID", ["KC0124"]),
    ],
)
def test_what_is_missing(more: str, told: list[str]) -> None:
    (kafka,) = read(f"podman run {more} apache/kafka:4.0.0\n").resources
    assert [note.code for note in kafka.notes] == told


def test_topics_beside_it() -> None:
    document = read(
        """\
        docker run -d --name kafka -e KAFKA_NODE_ID=1 apache/kafka:3.9.0
        docker exec kafka kafka-topics.sh --create --topic orders --partitions 3
        """
    )
    assert sorted(one.kind for one in document.resources) == ["broker", "topic"]


ZOOKEEPER = "docker run --name zk -e ZOOKEEPER_CLIENT_PORT=2181 confluentinc/cp-zookeeper:7.5.3\n"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (ZOOKEEPER + "BROKER --name k -e KAFKA_ZOOKEEPER_CONNECT=zk:2181 IMAGE", ["1"]),
        (ZOOKEEPER + "BROKER --name k -e KAFKA_ZOOKEEPER_CONNECT=zk:2181/a IMAGE", ["1"]),
        (
            ZOOKEEPER + "for i in 1 2; do\n"
            "BROKER --name k$i -e KAFKA_ZOOKEEPER_CONNECT=zk:2181 IMAGE\ndone",
            ["1", "1"],
        ),
        (
            ZOOKEEPER + "for i in $(seq $N); do\n"
            "BROKER --name k$i -e KAFKA_ZOOKEEPER_CONNECT=zk:2181 IMAGE\ndone",
            [None],
        ),
        ("BROKER --name k --net=host -e KAFKA_ZOOKEEPER_CONNECT=localhost:2181 IMAGE", ["1"]),
        ("BROKER --name k -e KAFKA_ZOOKEEPER_CONNECT=localhost:2181 IMAGE", [None]),
        ("BROKER --name k -e KAFKA_ZOOKEEPER_CONNECT=zk:2181 IMAGE", [None]),
        (ZOOKEEPER + "BROKER --name k -e KAFKA_ZOOKEEPER_CONNECT=zk:2181,b:2181 IMAGE", [None]),
        ('BROKER --name k -e "KAFKA_ZOOKEEPER_CONNECT=$ZK" IMAGE', [None]),
        (
            "BROKER --name k -e KAFKA_CONTROLLER_QUORUM_VOTERS=1@k:9093 "
            "-e KAFKA_PROCESS_ROLES=broker,controller IMAGE",
            ["1"],
        ),
        (
            "BROKER --name k -e KAFKA_CONTROLLER_QUORUM_VOTERS=1@c:9093 "
            "-e KAFKA_PROCESS_ROLES=broker IMAGE",
            [None],
        ),
    ],
)
def test_how_many_brokers_a_script_starts(script: str, expected: list[str | None]) -> None:
    """Plain where the ZooKeeper or the controllers that lead them are started there, too."""
    script = script.replace("BROKER", "docker run").replace("IMAGE", "confluentinc/cp-kafka:7.5.3")
    counts = [one.facts.get("replicas") for one in read(script).resources]
    assert [count and count.text for count in counts] == expected


def test_an_open_quote_ends_nothing() -> None:
    assert not read('docker run -e "KAFKA_NODE_ID=1 apache/kafka:3.9.0').resources


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (
            "docker run -d --name ui -e KAFKA_CLUSTERS_0_BOOTSTRAPSERVERS=k:9092 "
            "-e KAFKA_CLUSTERS_0_PROPERTIES_SECURITY_PROTOCOL=SSL ghcr.io/kafbat/kafka-ui:main",
            {"ui": {"bootstrap.servers": "k:9092", "security.protocol": "SSL"}},
        ),
        (
            "docker run --rm danielqsj/kafka-exporter --kafka.server=k:9092 --tls.enabled",
            {
                "danielqsj/kafka-exporter": {
                    "bootstrap.servers": "k:9092",
                    "security.protocol": "SSL",
                }
            },
        ),
        (
            'docker run danielqsj/kafka-exporter --kafka.server=k:9092 "$@"',
            {
                "danielqsj/kafka-exporter": {
                    "bootstrap.servers": "k:9092",
                    "security.protocol": None,
                }
            },
        ),
        (
            "podman run -e SCHEMA_REGISTRY_HOST_NAME=r "
            "-e SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS=SSL://k:9093 "
            "--name registry confluentinc/cp-schema-registry:7.6.0",
            {"registry": {"bootstrap.servers": "SSL://k:9093"}},
        ),
        (
            'docker run --name k -e KAFKA_NODE_ID=1 -e KAFKA_PROCESS_ROLES=broker "$IMAGE"',
            {"k": {"node.id": "1", "process.roles": "broker"}},
        ),
        (
            "docker run --name k --env-file kafka.env -e KAFKA_NODE_ID=2 apache/kafka:3.9.0",
            {"k": {"node.id": "2", "process.roles": "broker"}},
        ),
        ("docker run -e KAFKA_BROKERS=k:9092 example.com/app:1", {}),
        ("docker run grafana/grafana -e", {}),
    ],
)
def test_what_else_is_started(command: str, expected: dict[str, dict[str, str | None]]) -> None:
    files = {"bin/kafka.env": b"KAFKA_NODE_ID=1\nKAFKA_PROCESS_ROLES=broker\n"}
    document = formats.read("bin/start.sh", command.encode(), files.get)
    assert {
        one.name: {key: setting.text for key, setting in one.settings.items()}
        for one in document.resources
    } == expected
    assert document.extent.covers == (("bin/kafka.env",) if "env-file" in command else ())


def test_limits_of_the_container() -> None:
    document = read(
        "docker run -m 2g --ulimit nofile=1024:4096 --ulimit nproc=9 --stop-timeout=5 --memory-swap 3g "
        "-e KAFKA_NODE_ID=1 -e KAFKA_PROCESS_ROLES=broker apache/kafka:3.9.0\n"
    )
    (kafka,) = document.resources
    assert {name: kafka.facts[name].amount for name in ("ram", "nofile")} == {
        "ram": 2 << 30,
        "nofile": 1024,
    }
    (process,) = document.processes
    assert process.grace is not None and process.grace.amount == 5


@pytest.mark.parametrize("given", ["-m $MEMORY", "-m 2.5g", "--ulimit nofile=$FILES"])
def test_limits_that_nobody_knows(given: str) -> None:
    (kafka,) = read(
        f"docker run {given} -e KAFKA_NODE_ID=1 -e KAFKA_PROCESS_ROLES=broker apache/kafka:3.9.0\n"
    ).resources
    assert not {"ram", "nofile"} & kafka.facts.keys()
