"""What images ignore, refuse and read otherwise: the cases beside the examples of the rules."""

from __future__ import annotations

import pytest
from composing import codes, lint, service

from kcheck.model import ERROR, INFO, WARNING, Finding

CP = "confluentinc/cp-kafka:7.5.0"
BASE = (
    "KAFKA_BROKER_ID=1",
    "KAFKA_ZOOKEEPER_CONNECT=z:2181",
    "KAFKA_ADVERTISED_LISTENERS=PLAINTEXT://kafka:9092",
    "KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR=1",
)


def told(image: str, *variables: str) -> list[Finding]:
    findings = lint(service(image, *variables)).findings
    return [f for f in findings if f.code.startswith("KC012")]


KRAFT = (*(one for one in BASE if "ZOOKEEPER" not in one), "KAFKA_PROCESS_ROLES=broker")


@pytest.mark.parametrize(
    ("mode", "severity", "fix"),
    [
        (KRAFT, WARNING, "set CLUSTER_ID instead"),
        (BASE, INFO, "remove KAFKA_KRAFT_CLUSTER_ID"),
    ],
)
def test_another_images_cluster_id(mode: tuple[str, ...], severity: str, fix: str) -> None:
    """With ZooKeeper the cluster makes its id itself."""
    told_of = [f for f in told(CP, *mode, "KAFKA_KRAFT_CLUSTER_ID=x") if f.code == "KC0120"]
    assert [(f.severity, f.fix.text if f.fix else "") for f in told_of] == [(severity, fix)]


@pytest.mark.parametrize(
    ("image", "variable", "instead"),
    [
        (CP, "LISTENERS=A://:1", "KAFKA_LISTENERS"),
        (CP, "AUTO_CREATE_TOPICS_ENABLE=false", "KAFKA_AUTO_CREATE_TOPICS_ENABLE"),
        (CP, "kafka_num_partitions=3", "KAFKA_NUM_PARTITIONS"),
        (CP, "num.partitions=3", "KAFKA_NUM_PARTITIONS"),
        (CP, "KAFKA_CFG_NUM_PARTITIONS=3", "KAFKA_NUM_PARTITIONS"),
        ("bitnami/kafka:3.7.0", "KAFKA_MIN_INSYNC_REPLICAS=2", "KAFKA_CFG_MIN_INSYNC_REPLICAS"),
        ("bitnami/kafka:3.7.0", "NUM_PARTITIONS=2", "KAFKA_CFG_NUM_PARTITIONS"),
        ("wurstmeister/kafka", "ADVERTISED_LISTENERS=A://:1", "KAFKA_ADVERTISED_LISTENERS"),
    ],
)
def test_not_read(image: str, variable: str, instead: str) -> None:
    (finding,) = [f for f in told(image, *BASE, variable) if f.code == "KC0120"]
    assert finding.severity == WARNING
    assert [e.key for e in finding.evidence] == [variable.partition("=")[0]]
    assert finding.fix is not None and instead in finding.fix.text


@pytest.mark.parametrize(
    ("image", "variable"),
    [
        (CP, "LOG_DIR=/logs"),
        (CP, "PORT=9092"),
        (CP, "TZ=UTC"),
        (CP, "PATH=/bin"),
        (CP, "KAFKA_NO_SUCH_KEY=1"),
        (CP, "no.such.key=1"),
        (CP, "SCHEMA_REGISTRY_HOST_NAME=x"),
        ("bitnami/kafka:3.5.0", "KAFKA_CLIENT_USERS=u"),
        ("bitnami/kafka:3.5.0", "KAFKA_BROKER_ID=1"),
        ("bitnami/kafka:3.5.0", "KAFKA_KRAFT_CLUSTER_ID=x"),
        ("bitnami/kafka:3.5.0", "ALLOW_PLAINTEXT_LISTENER=yes"),
        ("apache/kafka:4.1.0", "CLUSTER_ID=x"),
        ("debezium/kafka:2.7", "BROKER_ID=1"),
    ],
)
def test_read_or_nothing_to_do_with_kafka(image: str, variable: str) -> None:
    assert codes(service(image, variable)) == []


def test_the_right_variable_beside_the_wrong_one() -> None:
    assert codes(service(CP, *BASE, "KAFKA_NUM_PARTITIONS=3", "NUM_PARTITIONS=3")) == []
    differs = told(CP, *BASE, "KAFKA_NUM_PARTITIONS=3", "NUM_PARTITIONS=4")
    assert [f.code for f in differs] == ["KC0120"]
    assert differs[0].fix is not None and "remove it" in differs[0].fix.text


def test_a_shared_env_file_may_hold_anybodys_variables() -> None:
    text = service(CP, *BASE) + "    env_file: .env\n"
    assert codes(text, {".env": "NUM_PARTITIONS=3\n"}) == []
    own = text.replace(".env", "kafka.env")
    assert codes(own, {"kafka.env": "NUM_PARTITIONS=3\n"}) == ["KC0120"]


@pytest.mark.parametrize(
    ("image", "name", "found"),
    [
        (CP, "KAFKA_LISTENER_NAME_SASL__EXT_SASL_ENABLED_MECHANISMS", False),
        (CP, "KAFKA_LISTENER_NAME_SASL_EXT_SASL_ENABLED_MECHANISMS", True),
        (CP, "KAFKA_LISTENER_NAME_SASL___EXT_SASL_ENABLED_MECHANISMS", True),
        (CP, "KAFKA_LISTENER_NAME_OTHER_SASL_ENABLED_MECHANISMS", False),
        (CP, "KAFKA_LISTENER_NAME_PLAIN_SASL_ENABLED_MECHANISMS", False),
        ("wurstmeister/kafka", "KAFKA_LISTENER_NAME_SASL__EXT_SASL_ENABLED_MECHANISMS", True),
    ],
)
def test_underscores(image: str, name: str, found: bool) -> None:
    variables = ("KAFKA_LISTENERS=PLAIN://:1,SASL_EXT://:2", f"{name}=PLAIN")
    assert ("KC0121" in codes(service(image, *variables))) == found


def test_old_names() -> None:
    image, old, new = "bitnami/kafka:3.5.0", "KAFKA_NUM_PARTITIONS", "KAFKA_CFG_NUM_PARTITIONS"
    assert [f.severity for f in told(image, f"{old}=1")] == [INFO]
    assert [f.severity for f in told(image, f"{old}=1", f"{new}=2")] == [WARNING]
    assert told(image, f"{old}=1", f"{new}=1") == []
    assert told(image, f"{old}=1", f"{new}=${{N}}") == []
    # PROCESS_ROLES joined the list in the life of 3.2 to 3.5; before it was not read at all.
    (before,) = told(
        "bitnami/kafka:3.1.0", "KAFKA_PROCESS_ROLES=broker", "ALLOW_PLAINTEXT_LISTENER=yes"
    )
    assert before.code == "KC0120"
    assert told("bitnami/kafka:3.4.0", "KAFKA_PROCESS_ROLES=broker") == []
    node = ("KAFKA_CFG_NODE_ID=1", "KAFKA_CFG_CONTROLLER_QUORUM_VOTERS=2@k2:9093")
    (after,) = told("bitnami/kafka:3.6.0", "KAFKA_PROCESS_ROLES=broker", *node)
    assert after.code == "KC0122"


@pytest.mark.parametrize(
    ("image", "drop", "key"),
    [
        (CP, "KAFKA_ADVERTISED_LISTENERS", "advertised.listeners"),
        (CP, "KAFKA_ZOOKEEPER_CONNECT", "zookeeper.connect"),
        ("confluentinc/cp-kafka:5.4.0", "KAFKA_ZOOKEEPER_CONNECT", "zookeeper.connect"),
        ("confluentinc/cp-kafka:8.0.0", "", "process.roles"),
        ("wurstmeister/kafka:2.13-2.8.1", "KAFKA_ZOOKEEPER_CONNECT", "zookeeper.connect"),
        ("wurstmeister/kafka:2.13-2.8.1", "", "listeners"),
    ],
)
def test_missing_variables(image: str, drop: str, key: str) -> None:
    variables = [v for v in BASE if not drop or not v.startswith(drop)]
    found = [f for f in told(image, *variables) if f.code == "KC0124"]
    assert key in [e.key for f in found for e in f.evidence]
    assert {f.severity for f in found} == {ERROR}
    assert {f.at for f in found} == {(2, 3, 2, 8)}


def test_all_that_is_missing_is_one_finding() -> None:
    image = "confluentinc/cp-kafka-connect:7.5.0"
    (finding,) = told(image, "CONNECT_BOOTSTRAP_SERVERS=k:9092", "CONNECT_GROUP_ID=g")
    assert [e.key for e in finding.evidence] == [
        "config.storage.topic",
        "offset.storage.topic",
        "status.storage.topic",
        "key.converter",
        "value.converter",
        "rest.advertised.host.name",
    ]
    assert "CONNECT_VALUE_CONVERTER and CONNECT_REST_ADVERTISED_HOST_NAME" in finding.message


ADVERTISED = "KAFKA_ADVERTISED_LISTENERS="
NODE = ("KAFKA_NODE_ID=1", "KAFKA_PROCESS_ROLES=broker", "CLUSTER_ID=x")
STORE = (
    "KAFKA_SSL_KEYSTORE_FILENAME=k",
    "KAFKA_SSL_KEYSTORE_CREDENTIALS=c",
    "KAFKA_SSL_KEY_CREDENTIALS=c",
)


@pytest.mark.parametrize("image", ["apache/kafka:4.0.0", CP, "confluentinc/cp-server:8.0.0"])
def test_a_tls_listener_wants_the_names_of_its_files(image: str) -> None:
    located = (*NODE, ADVERTISED + "SSL://k:1", "KAFKA_SSL_KEYSTORE_LOCATION=/k.jks")
    (finding,) = [f for f in told(image, *located) if f.code == "KC0124"]
    assert (
        "requires KAFKA_SSL_KEYSTORE_FILENAME (an advertised listener is named …SSL)"
        in finding.message
    )
    complete = (*NODE, ADVERTISED + "SSL://k:1", *STORE)
    assert "KC0124" not in codes(service(image, *complete))
    both = service(image, *complete, "KAFKA_SSL_CLIENT_AUTH=required")
    assert "KAFKA_SSL_TRUSTSTORE_FILENAME" in "".join(f.message for f in lint(both).findings)
    mapped = (*NODE, ADVERTISED + "IN://k:1", "KAFKA_LISTENER_SECURITY_PROTOCOL_MAP=IN:SSL")
    assert "KC0124" not in codes(service(image, *mapped))


def test_confluent_server_looks_at_the_controllers_protocol_too() -> None:
    protocols = "KAFKA_LISTENER_SECURITY_PROTOCOL_MAP=CONTROLLER:SASL_SSL,IN:PLAINTEXT"
    variables = (*NODE, ADVERTISED + "IN://k:1", protocols)
    assert codes(service("confluentinc/cp-server:8.0.0", *variables)) == ["KC0124"]
    assert codes(service("confluentinc/cp-server:7.9.0", *variables)) == []
    assert codes(service("confluentinc/cp-kafka:8.0.0", *variables)) == []
    named = (*variables, *STORE)
    assert codes(service("confluentinc/cp-server:8.0.0", *named)) == []
    assert codes(service("confluentinc/cp-kafka:8.0.0", *named)) == ["KC0125"]
    # Of an unknown version it may look or not.
    assert codes(service("confluentinc/cp-server", *named)) == []
    assert codes(service("confluentinc/cp-server", *variables)) == []


def test_an_avro_converter_wants_its_registry() -> None:
    image = "confluentinc/cp-kafka-connect:7.5.0"
    topics = [f"CONNECT_{name}_STORAGE_TOPIC=t" for name in ("CONFIG", "OFFSET", "STATUS")]
    worker = ["CONNECT_BOOTSTRAP_SERVERS=k:1", "CONNECT_GROUP_ID=g", *topics]
    worker += ["CONNECT_REST_ADVERTISED_HOST_NAME=c", "CONNECT_KEY_CONVERTER=a.B"]
    avro = "CONNECT_VALUE_CONVERTER=io.confluent.connect.avro.AvroConverter"
    registry = "CONNECT_VALUE_CONVERTER_SCHEMA_REGISTRY_URL=http://r"
    (finding,) = told(image, *worker, avro)
    assert "CONNECT_VALUE_CONVERTER_SCHEMA_REGISTRY_URL" in finding.message
    assert told(image, *worker, avro, registry) == []
    # The host of an old scheduler stands in for the worker's own name.
    assert told(image, *worker[:-2], worker[-1], avro, registry, "HOST=h") == []


def test_names_of_the_connect_image_that_nothing_reads() -> None:
    image = "confluentinc/cp-kafka-connect:7.5.0"
    (finding,) = told(image, "CONNECT_HEAP_OPTS=-Xmx1g")
    assert (finding.code, finding.fix.text) == ("KC0120", "set KAFKA_HEAP_OPTS instead")
    assert told(image, "KAFKA_HEAP_OPTS=-Xmx1g", "CONNECT_LOG4J_ROOT_LOGLEVEL=WARN") == []


def test_wurstmeisters_image_wants_a_listener_or_a_host() -> None:
    image = "wurstmeister/kafka:2.13-2.8.1"
    zookeeper = "KAFKA_ZOOKEEPER_CONNECT=z:2181"
    assert codes(service(image, zookeeper)) == ["KC0124"]
    assert codes(service(image, zookeeper, "HOSTNAME_COMMAND=hostname")) == []
    assert codes(service(image, zookeeper, "KAFKA_ADVERTISED_HOST_NAME=k")) == []
    advertised = (zookeeper, ADVERTISED + "A://k:1")
    assert codes(service(image, *advertised, "HOSTNAME_COMMAND=hostname")) == ["KC0124"]
    assert codes(service(image, *advertised, "KAFKA_ADVERTISED_HOST_NAME=k")) == []


def test_old_images_of_bitnami_want_plaintext_allowed() -> None:
    variables = ["KAFKA_CFG_ZOOKEEPER_CONNECT=z:2181"]
    assert codes(service("bitnami/kafka:2.8.1", *variables)) == ["KC0124"]
    assert codes(service("bitnami/kafka:2.8.1", *variables, "ALLOW_PLAINTEXT_LISTENER=yes")) == []
    assert codes(service("bitnami/kafka:3.4.0", *variables)) == []
    # The way to ZooKeeper counts by itself.
    secured = [*variables, "KAFKA_CFG_LISTENERS=SASL_SSL://:9092"]
    assert codes(service("bitnami/kafka:2.8.1", *secured)) == ["KC0124"]
    assert codes(service("bitnami/kafka:2.8.1", *secured, "KAFKA_ZOOKEEPER_PROTOCOL=SASL")) == []
    assert codes(service("bitnami/kafka:3.4.0", *secured)) == []


def test_a_controller_advertises_nothing_since_the_image_knows_controllers() -> None:
    controller = ("KAFKA_PROCESS_ROLES=controller", "KAFKA_ZOOKEEPER_CONNECT=z:1", "CLUSTER_ID=x")
    refused = (*controller, ADVERTISED + "A://k:1")
    assert codes(service("confluentinc/cp-kafka:7.3.0", *controller)) == ["KC0124"]
    assert codes(service("confluentinc/cp-kafka:7.3.0", *refused)) == []
    assert codes(service("confluentinc/cp-kafka:7.4.0", *controller)) == []
    assert codes(service("confluentinc/cp-kafka:7.4.0", *refused)) == ["KC0124"]


def test_apaches_image_wants_roles_beside_anything_else() -> None:
    image = "apache/kafka:4.0.0"
    (finding,) = told(image, "KAFKA_NODE_ID=2")
    assert (finding.code, finding.evidence[0].key) == ("KC0124", "process.roles")
    assert told(image, "KAFKA_NODE_ID=2", "KAFKA_PROCESS_ROLES=broker") == []
    assert told(image) == []


def test_a_name_of_a_later_image() -> None:
    cluster = (
        *("KAFKA_CFG_PROCESS_ROLES=broker", "KAFKA_CFG_NODE_ID=1"),
        *("KAFKA_CFG_CONTROLLER_QUORUM_VOTERS=2@k2:9093", "KAFKA_CLUSTER_ID=x"),
    )
    assert codes(service("bitnami/kafka:3.6.0", *cluster)) == ["KC0120"]
    # Revisions of 3.9 differ; without a tag it may be any.
    for image in ("bitnami/kafka:3.9.0", "bitnami/kafka:4.0.0", "bitnami/kafka"):
        assert codes(service(image, *cluster)) == []


def test_nothing_is_missed_where_more_may_come() -> None:
    part = service(CP, "KAFKA_BROKER_ID=1")
    assert codes(part) == ["KC0124"]
    assert codes(part.replace("7.5.0", "latest")) == ["KC0124"]
    script = part + "    command: bash -c '. ./setup; /etc/confluent/docker/run'\n"
    assert codes(script) == []
    patched = part + "    volumes: ['./configure:/etc/confluent/docker/configure']\n"
    assert codes(patched) == []
    assert codes(part + "    volumes: ['./x:/etc/confluent']\n") == ["KC0124"]
    assert codes(part + "    env_file: more.env\n") == []
    assert codes(service(CP, "KAFKA_NUM_PARTITIONS=3")) == []


def test_a_sasl_listener_wants_kafka_opts() -> None:
    variables = [*BASE[:2], "KAFKA_ADVERTISED_LISTENERS=SASL_PLAINTEXT://k:1"]
    assert "KC0124" in codes(service(CP, *variables))
    assert "KC0124" not in codes(service(CP, *variables, "KAFKA_OPTS=-Djava=x"))
    mapped = [*BASE[:2], "KAFKA_ADVERTISED_LISTENERS=AUTH://k:1"]
    assert "KC0124" not in codes(service(CP, *mapped))


def test_the_words_of_what_another_image_reads() -> None:
    (name,) = told("apache/kafka:4.1.0", "KAFKA_CLUSTER_ID=x")
    assert name.message.startswith("apache/kafka does not read KAFKA_CLUSTER_ID, Bitnami's name")
    (topics,) = told("apache/kafka:4.1.0", "KAFKA_CREATE_TOPICS=a:1:1")
    assert ": only the wurstmeister image creates topics" in topics.message


def test_lines_are_counted() -> None:
    image = "    image: confluentinc/cp-kafka:7.5.0\n    environment:\n      KAFKA_LISTENERS: |\n"
    text = "services:\n  kafka:\n" + image + "        A://:1,\n        B://:2,\n"
    messages = [f.message for f in lint(text).findings if f.code == "KC0123"]
    assert "where the second line becomes a separate key" in messages[0]
    more = lint(text + "        C://:3\n").findings
    assert "the other 2 lines become separate keys" in next(
        f.message for f in more if f.code == "KC0123"
    )


def test_refused_variables() -> None:
    assert codes(service(CP, *BASE, "KAFKA_PORT=9092")) == ["KC0124"]
    assert codes(service(CP, *BASE, "KAFKA_PORT=")) == []
    zookeeper, listeners = "KAFKA_ZOOKEEPER_CONNECT=zk:2181", "KAFKA_LISTENERS=PLAINTEXT://:9092"
    assert codes(service("wurstmeister/kafka", zookeeper, listeners, "KAFKA_PORT=9092")) == []
    advertised = "KAFKA_ADVERTISED_LISTENERS=A://k:1"
    controller = ["KAFKA_PROCESS_ROLES=controller", "CLUSTER_ID=x", advertised]
    assert codes(service("apache/kafka:4.1.0", *controller)) == ["KC0124"]
    broker = ["KAFKA_PROCESS_ROLES=broker,controller", "CLUSTER_ID=x", advertised]
    assert codes(service("apache/kafka:4.1.0", *broker)) == []


def test_a_location_beside_the_name_of_a_file() -> None:
    plain = (*BASE, "KAFKA_SSL_KEYSTORE_FILENAME=a.jks")
    assert codes(service(CP, *plain)) == ["KC0125"]
    assert codes(service(CP, *plain, "KAFKA_SSL_KEYSTORE_LOCATION=/a.jks")) == []
    assert codes(service(CP, *BASE, "KAFKA_SSL_KEYSTORE_CREDENTIALS=c")) == []


def test_replaced_variables() -> None:
    image = "debezium/kafka:2.7"
    assert codes(service(image, "KAFKA_BROKER_ID=2")) == ["KC0126"]
    assert codes(service(image, "KAFKA_BROKER_ID=2", "BROKER_ID=2")) == []
    assert codes(service(image, "KAFKA_BROKER_ID=2", "BROKER_ID=${ID}")) == []
    assert codes(service(image, "KAFKA_BROKER_ID=2", "NODE_ID=3")) == ["KC0126"]
    # Debezium 1.8 lets the long name through; 1.6 knows the short one of ZooKeeper's days only.
    assert codes(service("debezium/kafka:1.8", "KAFKA_BROKER_ID=2")) == []
    (early,) = told("debezium/kafka:1.6", "KAFKA_BROKER_ID=2")
    assert early.fix.text == "set BROKER_ID instead"


def test_a_floating_tag() -> None:
    zookeeper = ("KAFKA_CFG_ZOOKEEPER_CONNECT=z:2181",)
    assert codes(service("bitnami/kafka", *zookeeper)) == ["KC0128"]
    assert codes(service("bitnami/kafka:${V}", *zookeeper)) == []
    assert codes(service("bitnami/kafka:${V:-latest}", *zookeeper)) == ["KC0128"]
    assert codes(service("debezium/kafka:latest", "ZOOKEEPER_CONNECT=z:2181")) == []
    # Confluent built it up to Kafka 3.9 only.
    old = ("KAFKA_ZOOKEEPER_CONNECT=z:2181", "KAFKA_ADVERTISED_LISTENERS=A://k:1")
    assert codes(service("confluentinc/cp-enterprise-kafka", *old)) == []
    assert codes(service("confluentinc/cp-server", *old)) == ["KC0128"]
    told_version = {"kcheck.yaml": 'cluster: {name: x, kafka_version: "3.9"}\n'}
    assert codes(service("bitnami/kafka", *zookeeper), told_version) == []


def test_what_stands_in_an_anchor_is_told_once() -> None:
    text = """\
        x-broker: &broker
          KAFKA_CONTROLLER_QUORUM_VOTERS: 1@k1:9093,2@k2:9093,3@k3:9093
          KAFKA_MESSAGE_MAX_BITES: 5
        services:
          k1: {image: apache/kafka:4.0.0, environment: {<<: *broker, KAFKA_NODE_ID: 1}}
          k2: {image: apache/kafka:4.0.0, environment: {<<: *broker, KAFKA_NODE_ID: 2}}
          k3:
            image: apache/kafka:4.0.0
            environment: {<<: *broker, KAFKA_NODE_ID: 3, KAFKA_MESSAGE_MAX_BYTE: 5}
        """
    found = [f for f in lint(text).findings if f.code == "KC0101"]
    assert [(f.at[0], f.resource.name) for f in found] == [(3, "k1"), (9, "k3")]


def test_a_floating_tag_has_the_requirements_that_will_last() -> None:
    (finding,) = told("bitnami/kafka", "ALLOW_PLAINTEXT_LISTENER=yes")
    assert (finding.code, finding.severity) == ("KC0124", WARNING)
    assert [e.key for e in finding.evidence] == ["process.roles", "node.id"]
    (zookeeper,) = told("bitnami/kafka", "KAFKA_CFG_ZOOKEEPER_CONNECT=zk:2181")
    assert zookeeper.code == "KC0128"
    assert codes(service("bitnami/kafka@sha256:" + "0" * 64, "ALLOW_PLAINTEXT_LISTENER=yes")) == []
    assert codes(service("bitnami/kafka:3.9.0", "ALLOW_PLAINTEXT_LISTENER=yes")) == ["KC0124"]
