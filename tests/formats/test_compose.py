"""Compose files: which they are, and which of their services are Kafka's."""

from __future__ import annotations

import pytest
from composing import NAME, document, lint, project, resource, service

from kcheck import formats
from kcheck.model import FAILED, PASSED_OVER, READ, SKIPPED

BROKER = service(
    "apache/kafka:4.1.0", "KAFKA_NODE_ID=1", "KAFKA_CONTROLLER_QUORUM_VOTERS=1@kafka:9093"
)


@pytest.mark.parametrize(
    "name",
    [
        "docker-compose.yml",
        "compose.yaml",
        "docker-compose.prod.yml",
        "docker-compose.yml.b",
        "compose-kafka.yaml.bak",
        "deploy/stack.yml",
        "kafka.yaml",
    ],
)
def test_a_kafka_service_makes_a_compose_file(name: str) -> None:
    found = document(BROKER, name=name)
    assert found.format == "compose"
    assert [r.name for r in found.resources] == ["kafka"]


def test_a_compose_file_without_kafka_is_named_and_passed_over() -> None:
    found = document("services:\n  db:\n    image: postgres:17\n")
    assert (found.format, found.status) == ("compose", PASSED_OVER)
    assert "contains no service with a supported Kafka" in found.reason
    # Under another name nobody would know what it is.
    assert document("services:\n  db:\n    image: postgres:17\n", name="stack.yml").format is None


def test_the_old_layout_without_services() -> None:
    text = (
        "kafka:\n  image: wurstmeister/kafka:2.12-2.5.0\n  environment:\n    KAFKA_BROKER_ID: 1\n"
    )
    assert document(text).resources[0].settings["broker.id"].text == "1"
    assert document(text, name="values.yml").format is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".gitlab-ci.yml", "services:\n  - confluentinc/cp-kafka:7.5.0\ntest:\n  script: [make]\n"),
        ("services.yaml", "services:\n  App\\Kafka\\Producer:\n    arguments: ['@kafka']\n"),
        (
            "workflow.yml",
            "jobs:\n  test:\n    services:\n      kafka:\n        image: apache/kafka\n",
        ),
        ("values.yaml", "kafka:\n  image:\n    repository: bitnami/kafka\n"),
        (
            "service.yaml",
            "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n    - image: apache/kafka:4.1.0\n",
        ),
    ],
)
def test_other_yaml_is_no_compose_file(name: str, text: str) -> None:
    assert document(text, name=name).format != "compose"


@pytest.mark.parametrize(
    ("image", "name", "value"),
    [
        ("confluentinc/cp-kafkacat:7.1.0", "KAFKA_LOG4J_LOGGERS", "a=INFO"),
        ("confluentinc/cp-zookeeper:7.5.0", "ZOOKEEPER_CLIENT_PORT", "2181"),
        ("itzg/minecraft-server", "KAFKA_MESSAGE_MAX_BYTES", "9"),
        ("example/kafka:1", "KAFKA_BROKER_ID", "1"),
        ("quay.io/strimzi/kafka:latest-kafka-4.1.0", "KAFKA_BROKER_ID", "1"),
        ("${IMAGE}", "KAFKA_BROKER_ID", "1"),
    ],
)
def test_images_that_are_nobodys_broker(image: str, name: str, value: str) -> None:
    found = document(service(image, f"{name}={value}"))
    assert (found.format, found.status, found.resources) == ("compose", PASSED_OVER, [])
    assert not lint(service(image, f"{name}={value}")).findings


def test_ksqldb_is_the_streams_application_that_it_runs() -> None:
    found = document(
        service(
            "confluentinc/cp-ksqldb-server:7.5.0",
            "KSQL_BOOTSTRAP_SERVERS=kafka:9092",
            "KSQL_KSQL_STREAMS_NUM_STANDBY_REPLICAS=1",
            "KSQL_HEAP_OPTS=-Xmx1g",
        )
    )
    (streams,) = found.resources
    assert (streams.kind, streams.traits.deployer) == ("streams", "compose")
    assert {key: setting.text for key, setting in streams.settings.items()} == {
        "bootstrap.servers": "kafka:9092",
        "num.standby.replicas": "1",
    }


@pytest.mark.parametrize(
    "command",
    [
        "kafka-topics --bootstrap-server kafka:9092 --create --topic orders",
        "['sleep', 'infinity']",
        "${COMMAND}",
    ],
)
def test_a_command_that_starts_something_else_makes_no_broker(command: str) -> None:
    text = BROKER + f"    command: {command}\n"
    assert document(text).resources == []


@pytest.mark.parametrize(
    ("image", "command"),
    [
        ("confluentinc/cp-kafka:7.5.0", "bash -c 'sleep 10; exec /etc/confluent/docker/run'"),
        ("wurstmeister/kafka", "[start-kafka.sh]"),
        ("bitnami/kafka:3.7.0", "/opt/bitnami/scripts/kafka/run.sh"),
        ("debezium/kafka:2.7", "start"),
        ("apache/kafka:4.1.0", ""),
    ],
)
def test_a_command_that_ends_in_the_images_own_script_changes_nothing(
    image: str, command: str
) -> None:
    text = service(image, "KAFKA_CFG_NUM_PARTITIONS=3", "KAFKA_NUM_PARTITIONS=3")
    found = resource(text + f"    command: {command}\n")
    assert found.settings["num.partitions"].text == "3"


def test_brokers_are_counted_only_where_all_of_them_are_known() -> None:
    two = BROKER + BROKER.replace("services:\n", "").replace("kafka:\n", "other:\n", 1)
    facts = [r.facts.get("replicas") for r in document(two).resources]
    assert [f.text for f in facts if f] == ["1", "1"]
    # The second service might be a broker of the same cluster: nobody counts the brokers then.
    vague = two.replace("apache/kafka:4.1.0", "example/broker", 1)
    (known,) = document(vague).resources
    assert "replicas" not in known.facts


def test_a_worker_in_the_brokers_image_is_no_broker() -> None:
    program = "  other:\n    image: apache/kafka:4.1.0\n    command: bash -c '{} /etc/kafka/x.properties'\n"
    for start, known in (("connect-distributed.sh", True), ("kafka-server-start.sh", False)):
        (broker,) = document(BROKER + program.format(start)).resources
        assert ("replicas" in broker.facts) is known


def test_a_controller_is_one() -> None:
    assert resource(service("apache/kafka", "KAFKA_PROCESS_ROLES=controller")).kind == "controller"
    assert (
        resource(service("apache/kafka", "KAFKA_PROCESS_ROLES=broker,controller")).kind == "broker"
    )


@pytest.mark.parametrize("text", ["services:\n  kafka: {image: [\n", "services:\n  kafka: *gone\n"])
def test_broken_yaml_is_an_error_where_it_is_kafkas(text: str) -> None:
    found = document(text)
    assert (found.format, found.status) == ("compose", FAILED)
    assert [p.code for p in found.problems] == ["KC0001"]


def test_a_template_is_skipped() -> None:
    text = "services:\n  kafka:\n    image: apache/kafka\n{{ if x }}\n    ports: [9092]\n"
    assert document(text).status == SKIPPED
    # Flow braces in flow braces are YAML, but no variables.
    assert document(service("apache/kafka") + "    environment: {{ env }}\n").resources == []
    late = "services:\n  kafka:\n    image: apache/kafka\n    environment: *env\n"
    assert document(late, name="docker-compose.tmpl.yml").status == SKIPPED


def test_an_anchor_may_be_defined_again() -> None:
    text = """\
        services:
          a: {image: &image postgres:16}
          b: {image: &image apache/kafka:4.0.0, environment: {KAFKA_NODE_ID: 7}}
          c: {image: *image, environment: {KAFKA_NODE_ID: 8}}
        """
    found = document(text)
    assert found.status == READ
    assert [r.settings["node.id"].text for r in found.resources] == ["7", "8"]


def test_an_alias_bomb_ends() -> None:
    rows = ["x-a: &a {KAFKA_LOG_DIRS: /d}"]
    for before, name in zip("abcdefgh", "bcdefghi", strict=True):
        aliases = ", ".join([f"*{before}"] * 9)
        rows.append(f"x-{name}: &{name} {{<<: [{aliases}], KAFKA_{name.upper()}: 1}}")
    rows += ["services:", "  kafka:", "    image: apache/kafka:4.1.0", "    environment: *i"]
    found = document("\n".join(rows) + "\n")
    assert found.resources[0].settings["log.dirs"].text == "/d"


def test_odd_shapes_draw_nothing() -> None:
    for text in (
        "services:\n  kafka: apache/kafka\n  image:\n",
        "services: []\nimage: kafka\n",
        "services:\n  kafka:\n    image: {a: kafka}\n    environment: 3\n    ports: {a: b}\n",
        "services:\n  kafka:\n    image: apache/kafka\n    environment: [[a], {b: c}, 3, null, '=x']\n"
        "    command: {a: [b]}\n    volumes: 7\n    ulimits: x\n    deploy: []\n",
    ):
        sources = project(text)
        formats.read(NAME, sources[NAME], sources.get)
