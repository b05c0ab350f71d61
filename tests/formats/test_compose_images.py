"""What each image makes of a compose service: settings, base configuration, facts."""

from __future__ import annotations

import pytest
from composing import codes, document, lint, resource, service

from kcheck.graph.clients import Worker
from kcheck.model import PASSED_OVER


@pytest.mark.parametrize(
    ("image", "variable"),
    [
        ("apache/kafka:3.9.0", "KAFKA_MESSAGE_MAX_BYTES"),
        ("confluentinc/cp-kafka:7.5.0", "KAFKA_MESSAGE_MAX_BYTES"),
        ("confluentinc/cp-server:7.5.0", "KAFKA_MESSAGE_MAX_BYTES"),
        ("bitnami/kafka:3.7.0", "KAFKA_CFG_MESSAGE_MAX_BYTES"),
        ("bitnami/kafka:3.7.0", "KAFKA_MESSAGE_MAX_BYTES"),
        ("bitnami/kafka:3.7.0", "KAFKA_MAX_MESSAGE_BYTES"),
        ("wurstmeister/kafka:2.13-2.8.1", "KAFKA_MESSAGE_MAX_BYTES"),
        ("debezium/kafka:2.7", "KAFKA_MESSAGE_MAX_BYTES"),
    ],
)
def test_the_variable_of_a_key(image: str, variable: str) -> None:
    setting = resource(service(image, f"{variable}=5")).settings["message.max.bytes"]
    assert (setting.text, setting.name) == ("5", variable)


@pytest.mark.parametrize(
    ("image", "variable"),
    [
        ("apache/kafka:3.9.0", "KAFKA_CFG_MESSAGE_MAX_BYTES"),
        ("bitnami/kafka:3.7.0", "KAFKA_REPLICA_FETCH_MAX_BYTES"),
        ("confluentinc/cp-kafka:7.5.0", "MESSAGE_MAX_BYTES"),
        ("confluentinc/cp-kafka:7.5.0", "kafka_message_max_bytes"),
        ("apache/kafka:3.9.0", "KAFKA_HEAP_OPTS"),
        ("apache/kafka:3.9.0", "KAFKA_LOG4J_ROOT_LOGLEVEL"),
        ("wurstmeister/kafka", "KAFKA_CREATE_TOPICS"),
        ("debezium/kafka:2.7", "KAFKA_BROKER_ID"),
        ("confluentinc/cp-kafka:7.5.0", "KAFKA_SSL_KEYSTORE_FILENAME"),
    ],
)
def test_variables_that_set_no_key(image: str, variable: str) -> None:
    assert not document(service(image, f"{variable}=5")).resources[0].settings


def test_the_old_name_wins_on_bitnamis_image() -> None:
    for order in (1, -1):
        variables = ["KAFKA_MESSAGE_MAX_BYTES=1", "KAFKA_CFG_MESSAGE_MAX_BYTES=2"][::order]
        found = resource(service("bitnami/kafka:3.7.0", *variables))
        assert found.settings["message.max.bytes"].text == "1"


def test_an_empty_variable() -> None:
    for image, name, text in (
        ("apache/kafka:3.9.0", "KAFKA_MESSAGE_MAX_BYTES", ""),
        ("bitnami/kafka:3.7.0", "KAFKA_CFG_MESSAGE_MAX_BYTES", None),
    ):
        assert resource(service(image, f"{name}=")).settings["message.max.bytes"].text == text


def test_apaches_own_file_counts_only_without_any_setting() -> None:
    alone = resource(service("apache/kafka:4.1.0"))
    assert alone.image["offsets.topic.replication.factor"].text == "1"
    assert alone.image["process.roles"].text == "broker,controller"
    heap = resource(service("apache/kafka:4.1.0", "KAFKA_HEAP_OPTS=-Xmx1g"))
    assert heap.image.keys() == alone.image.keys()
    assert not resource(service("apache/kafka:4.1.0", "KAFKA_NODE_ID=1")).image
    # What it writes among the settings puts its own file away, whatever Kafka makes of it.
    for name in ("KAFKA_JMX_PORT", "KAFKA_CREATE_TOPICS", "KAFKA_CFG_NUM_PARTITIONS"):
        assert not resource(service("apache/kafka:4.1.0", f"{name}=1")).image


@pytest.mark.parametrize(
    "image", ["bitnami/kafka:3.7.0", "wurstmeister/kafka", "debezium/kafka:3.0"]
)
def test_images_that_start_from_kafkas_sample(image: str) -> None:
    made = resource(service(image))
    replication = made.image["offsets.topic.replication.factor"]
    assert (replication.text, replication.at[0]) == ("1", 3)
    assert made.image["transaction.state.log.min.isr"].text == "1"


def test_the_base_changes_the_verdict() -> None:
    one = ("BROKER_ID=1", "ZOOKEEPER_CONNECT=zookeeper:2181")
    zookeeper = "  zookeeper: {image: 'zookeeper:3.9'}\n"
    rules = [f.code for f in lint(service("debezium/kafka:2.7", *one) + zookeeper).findings]
    assert "KC0308" not in rules
    confluent = ("KAFKA_BROKER_ID=1", "KAFKA_ZOOKEEPER_CONNECT=z:2181", "KAFKA_LISTENERS=A://:9092")
    zookeeper = "  z: {image: 'zookeeper:3.9'}\n"
    findings = lint(service("confluentinc/cp-kafka:7.5.0", *confluent) + zookeeper).findings
    assert "KC0308" in [f.code for f in findings]


def test_a_digest_alone_tells_no_version() -> None:
    assert "kafka_version" in resource(service("wurstmeister/kafka")).facts
    assert "kafka_version" not in resource(service("wurstmeister/kafka@sha256:0123")).facts


def test_listeners_derived_from_the_advertised_ones() -> None:
    made = resource(
        service(
            "confluentinc/cp-kafka:7.5.0",
            "KAFKA_ADVERTISED_LISTENERS=A://kafka:9092,B://localhost:9094",
        )
    )
    assert made.image["listeners"].text == "A://0.0.0.0:9092,B://0.0.0.0:9094"
    given = resource(
        service(
            "apache/kafka:4.1.0", "KAFKA_ADVERTISED_LISTENERS=A://k:9092", "KAFKA_LISTENERS=A://:1"
        )
    )
    assert "listeners" not in given.image
    unknown = resource(service("apache/kafka:4.1.0", "KAFKA_ADVERTISED_LISTENERS=A://${H}:9092"))
    assert unknown.image["listeners"].text is None
    other = resource(service("wurstmeister/kafka", "KAFKA_ADVERTISED_LISTENERS=A://k:9092"))
    assert "listeners" not in other.image


def test_key_stores_from_the_names_of_files() -> None:
    variables = (
        "KAFKA_ADVERTISED_LISTENERS=SASL_SSL://kafka:9093",
        "KAFKA_SSL_KEYSTORE_FILENAME=a.jks",
        "KAFKA_SSL_KEYSTORE_CREDENTIALS=creds",
        "KAFKA_SSL_TRUSTSTORE_FILENAME=t.jks",
    )
    made = resource(service("confluentinc/cp-kafka:7.5.0", *variables))
    assert made.image["ssl.keystore.location"].text == "/etc/kafka/secrets/a.jks"
    assert made.image["ssl.keystore.password"].text is None
    assert "ssl.truststore.location" not in made.image
    both = resource(
        service("confluentinc/cp-kafka:7.5.0", *variables, "KAFKA_SSL_CLIENT_AUTH=required")
    )
    assert both.image["ssl.truststore.location"].text == "/etc/kafka/secrets/t.jks"
    plain = resource(
        service("confluentinc/cp-kafka:7.5.0", "KAFKA_ADVERTISED_LISTENERS=A://k:1", *variables[1:])
    )
    assert "ssl.keystore.location" not in plain.image
    # Nobody knows what the listeners are called: the location may be set or not.
    vague = resource(
        service("confluentinc/cp-kafka:7.5.0", "KAFKA_ADVERTISED_LISTENERS=${L}", *variables[1:])
    )
    assert vague.image["ssl.keystore.location"].text is None


def test_debezium_takes_short_names() -> None:
    kraft = resource(
        service("debezium/kafka:3.1", "CLUSTER_ID=x", "NODE_ID=3", "NODE_ROLE=controller")
    )
    assert kraft.kind == "controller"
    assert kraft.settings["process.roles"].text == "controller"
    assert kraft.settings["node.id"].text == "3"
    assert kraft.facts["cluster.id"].text == "x"
    zookeeper = resource(service("debezium/kafka:1.9", "ZOOKEEPER_CONNECT=z:2181"))
    assert zookeeper.settings["zookeeper.connect"].text == "z:2181"
    assert zookeeper.image["broker.id"].text == "1"
    assert "process.roles" not in zookeeper.image


def test_debezium_names_the_node_in_both_ways() -> None:
    kraft = ("CLUSTER_ID=x", "BROKER_ID=3", "NODE_ROLE=broker")
    made = resource(service("debezium/kafka:2.7", *kraft))
    assert [made.settings[key].text for key in ("node.id", "broker.id")] == ["3", "3"]
    assert "node.id" not in resource(service("debezium/kafka:1.6", "BROKER_ID=3")).settings
    voters = "KAFKA_CONTROLLER_QUORUM_VOTERS=1@a:9093"
    assert not lint(service("debezium/kafka:2.7", *kraft, voters)).findings
    later = resource(service("debezium/kafka:3.5", voters))
    assert "controller.quorum.voters" not in later.settings
    assert later.settings["controller.quorum.bootstrap.servers"].text is None


@pytest.mark.parametrize(
    ("image", "variable", "key"),
    [
        ("wurstmeister/kafka", "BROKER_ID_COMMAND=hostname", "broker.id"),
        ("wurstmeister/kafka", "RACK_COMMAND=rack", "broker.rack"),
        ("bitnami/kafka:3.6", "KAFKA_NODE_ID_COMMAND=hostname", "node.id"),
        ("bitnami/kafka:3.4", "KAFKA_PROCESS_ROLES=broker", "process.roles"),
        ("bitnami/kafka:3.3", "KAFKA_CFG_LISTENERS_FILE=/x", "listeners"),
        ("debezium/connect:3.5", "APICURIO_REGISTRY=http://a", "value.converter"),
    ],
)
def test_what_nobody_here_can_know(image: str, variable: str, key: str) -> None:
    assert resource(service(image, variable)).settings[key].text is None


def test_what_a_command_prints_comes_before_what_is_written() -> None:
    both = ("KAFKA_NODE_ID_COMMAND=hostname", "KAFKA_CFG_NODE_ID=1")
    for variables in (both, both[::-1]):
        assert resource(service("bitnami/kafka:3.6", *variables)).settings["node.id"].text is None


def test_a_connect_worker() -> None:
    made = resource(
        service(
            "confluentinc/cp-kafka-connect:7.5.0",
            "CONNECT_GROUP_ID=c1",
            "CONNECT_PRODUCER_COMPRESSION_TYPE=zstd",
            "CONNECT_LOG4J_ROOT_LOGLEVEL=WARN",
            "CONNECT_REST_PORT=8083",
        )
    )
    assert (made.kind, made.plane) == ("worker", "connect-distributed")
    assert set(made.settings) == {"group.id", "producer.compression.type"}
    assert made.facts["client.version"].text == "3.5"
    # Another port is not the default, and rest.port is no key of Kafka 3 any more.
    other = resource(service("confluentinc/cp-kafka-connect:7.5.0", "CONNECT_REST_PORT=28083"))
    assert "rest.port" in other.settings


def test_debeziums_connect_image_has_a_base() -> None:
    text = service("debezium/connect:2.7", "BOOTSTRAP_SERVERS=k:9092", "CONFIG_STORAGE_TOPIC=c")
    (worker,) = lint(text).clusters[0].clients
    assert isinstance(worker, Worker)
    assert worker["config.storage.topic"].value == "c"
    assert worker["config.storage.replication.factor"].number == 1
    assert worker["group.id"].value == "1"


@pytest.mark.parametrize(
    ("image", "path"),
    [
        ("apache/kafka:3.9.0", "/mnt/shared/config"),
        ("apache/kafka:3.9.0", "/mnt/shared/config/server.properties"),
        ("wurstmeister/kafka", "/opt/kafka/config/server.properties"),
        ("debezium/kafka:2.7", "/kafka/config"),
    ],
)
def test_a_mounted_file_leaves_the_broker_open(image: str, path: str) -> None:
    text = service(image, "KAFKA_NUM_PARTITIONS=3") + f"    volumes: ['./x:{path}:ro']\n"
    assert document(text).resources == []
    beside = service(image, "KAFKA_NUM_PARTITIONS=3") + f"    volumes: ['./x:{path}/certs']\n"
    assert len(document(beside).resources) == 1


def test_a_mounted_file_switches_bitnamis_environment_off() -> None:
    text = service("bitnami/kafka:3.7.0", "KAFKA_CFG_NUM_PARTITIONS=3")
    text += "    volumes: ['./server.properties:/bitnami/kafka/config/server.properties']\n"
    found = document(text)
    assert found.resources == []
    assert codes(text) == ["KC0127"]


def test_a_file_mounted_over_bitnamis_own_leaves_it_open() -> None:
    """By revision it is edited or overwritten, but the environment counts."""
    for folder in ("config", "conf"):
        text = service("bitnami/kafka:3.7.0", "KAFKA_CFG_NUM_PARTITIONS=3")
        text += f"    volumes: ['./s.properties:/opt/bitnami/kafka/{folder}/server.properties']\n"
        assert document(text).resources == []
        assert codes(text) == []


def test_env_files_alone_are_named_and_passed_over() -> None:
    for name in (".env", ".env.prod", "kafka.env"):
        found = document("KAFKA_NUM_PARTITIONS=3\n", name=name)
        assert (found.format, found.status) == ("env", PASSED_OVER)
    assert document("DB_HOST=x\n", name=".env").format is None
    assert document("# kafka\n", name=".env").format is None
