"""What kcheck takes a file for: its format, whether it is read, and which resources it holds."""

from __future__ import annotations

import textwrap
from pathlib import Path
from textwrap import dedent

import pytest

from kcheck import formats
from kcheck.discover import Inputs
from kcheck.formats import endings
from kcheck.model import PASSED_OVER, READ, SKIPPED, Document


def read(path: str, text: str) -> Document:
    return formats.read(path, dedent(text).encode(), lambda _: None)


def resources(document: Document) -> list[str]:
    return [f"{resource.kind} {resource.name}" for resource in document.resources]


PROPERTIES = [
    # path, text, format, resources
    ("server.properties", "broker.id=3\nlog.dirs=/data\n", "broker-properties", ["broker 3"]),
    ("a.conf", "process.roles=broker\nnode.id=7\n", "broker-properties", ["broker 7"]),
    (
        "c.properties",
        "process.roles=controller\nnode.id=9\n",
        "broker-properties",
        ["controller 9"],
    ),
    (
        "c.properties",
        "process.roles=broker, controller\nnode.id=9\n",
        "broker-properties",
        ["broker 9"],
    ),
    ("x.properties", "listeners=INTERNAL://:9092\n", "broker-properties", ["broker x.properties"]),
    (
        "msk.properties",
        "num.io.threads=8\ndefault.replication.factor=3\n",
        "broker-properties",
        None,
    ),
    ("server.properties", "num.partitions=3\n", "broker-properties", None),
    ("server.properties.j2", "broker.id={{ id }}\n", "broker-properties", None),
    ("server-1.delta", "broker.id=1\n", "broker-properties", ["broker 1"]),
    (
        "p.config",
        "bootstrap.servers=k:9092\nacks=all\n",
        "client-properties",
        ["producer p.config"],
    ),
    (
        "x.properties",
        "bootstrap.servers=k:9092\ngroup.id=g\nclient.id=c\n",
        "client-properties",
        ["consumer g"],
    ),
    (
        "x.properties",
        "bootstrap.servers=k:9092\nclient.id=c\nacks=1\n",
        "client-properties",
        ["producer c"],
    ),
    (
        "admin.properties",
        "bootstrap.servers=k:9092\nsecurity.protocol=SSL\n",
        "client-properties",
        ["admin admin.properties"],
    ),
    (
        "both.properties",
        "bootstrap.servers=k:9092\nacks=1\ngroup.id=g\nclient.id=c\n",
        "client-properties",
        ["client c"],
    ),
    (
        "fry.properties",
        "security.protocol=SASL_SSL\n",
        "client-properties",
        ["client fry.properties"],
    ),
    ("producer.properties", "acks=all\n", "client-properties", ["producer producer.properties"]),
    (
        "c.properties",
        "group.id=g\nauto.offset.reset=earliest\n",
        "client-properties",
        ["consumer g"],
    ),
    (
        "s.properties",
        "bootstrap.servers=k:9092\napplication.id=app\n",
        "streams-properties",
        ["streams app"],
    ),
    (
        "s.properties",
        "application.id=${APP}\nnum.stream.threads=4\n",
        "streams-properties",
        ["streams s.properties"],
    ),
    (
        "w.properties",
        "bootstrap.servers=k:9092\ngroup.id=cc\noffset.storage.topic=o\nlog4j.loggers=x\n",
        "connect-properties",
        ["worker cc"],
    ),
    (
        "w.properties",
        "bootstrap.servers=k:9092\nkey.converter=a.B\nvalue.converter=a.B\n",
        "connect-properties",
        ["worker w.properties"],
    ),
    (
        "sink.properties",
        "name=s\nconnector.class=a.Sink\ntasks.max=1\n",
        "connect-properties",
        ["connector s"],
    ),
    ("k.config", "bootstrap.servers=k:9092\nsasl.mechanisms=PLAIN\n", "librdkafka", None),
    ("k.conf", "# librdkafka\nbootstrap.servers=k:9092\n", "librdkafka", None),
    ("k.conf", "# librdkafka\nbootstrap.servers=k:9\nproducer.type=async\n", "librdkafka", None),
    (
        "mm2.properties",
        "clusters=A,B\nA.bootstrap.servers=a:9092\n",
        "mm2-properties",
        ["client A"],
    ),
    ("mm2.properties", "X->Y.topics = .*\n", "mm2-properties", ["connector X->Y"]),
    (
        "application.properties",
        "spring.kafka.consumer.group-id=g\n",
        "spring-properties",
        ["consumer g"],
    ),
    (
        "application.properties",
        "mp.messaging.incoming.orders.connector=smallrye-kafka\n",
        "mp-properties",
        ["consumer orders"],
    ),
    ("application.properties", "%prod.mp.messaging.outgoing.x.topic=t\n", "mp-properties", []),
    (
        "application.properties",
        "quarkus.a=1\nkafka.bootstrap.servers=k:9092\n",
        "mp-properties",
        ["client application.properties"],
    ),
    (
        "schema-registry.properties",
        "listeners=http://0.0.0.0:8081\nkafkastore.bootstrap.servers=PLAINTEXT://k:9092\n",
        "schema-registry",
        ["client schema-registry.properties"],
    ),
    (
        "kafka-rest.properties",
        "listeners=http://0.0.0.0:8082\nbootstrap.servers=PLAINTEXT://k:9092\n",
        "rest-proxy",
        ["client kafka-rest.properties"],
    ),
    (
        "ksql-server.properties",
        "ksql.service.id=x\nbootstrap.servers=k:9092\nsecurity.protocol=SSL\n",
        "ksqldb",
        ["streams x"],
    ),
    (
        "cruisecontrol.properties",
        "bootstrap.servers=k:9092\nzookeeper.connect=z:2181\ncapacity.config.file=c.json\n",
        "cruise-control",
        ["admin cruisecontrol.properties"],
    ),
    ("client.conf", "akka.kafka {\n  bootstrap.servers = k\n}\n", "kafka-other", []),
    ("jaas.conf", "KafkaServer {\n  a.B required;\n};\n", "kafka-other", []),
    (
        "logstash.conf",
        'input {\n  kafka {\n    bootstrap_servers => "k:9092"\n  }\n}\n',
        "client-other",
        ["consumer logstash.conf"],
    ),
    ("getting.conf", "[kafka_client]\nbootstrap.servers=k:9092\n", "kafka-other", []),
    (
        "app.properties",
        "bootstrap.servers=k:9092\nnum.partitions=3\ndefault.replication.factor=1\n",
        "client-properties",
        ["client app.properties"],
    ),
    ("old.properties", "metadata.broker.list=k:9092\nproducer.type=async\n", "kafka-other", []),
    (
        "flume.properties",
        "a1.sources.r1.kafka.bootstrap.servers=k:9092\n",
        "kafka-other",
        ["client flume.properties"],
    ),
]


@pytest.mark.parametrize(
    ("path", "text", "format", "expected"), PROPERTIES, ids=lambda value: str(value)[:30]
)
def test_properties(path: str, text: str, format: str, expected: list[str] | None) -> None:
    document = read(path, text)
    assert document.format == format
    if expected is not None:
        assert resources(document) == expected
    assert document.status == (READ if document.resources else PASSED_OVER)


NOT_KAFKAS = [
    ("server.properties", "server-port=25565\nlevel-name=world\nmax-players=20\n"),
    ("server.properties", "Hostname=*\nRequestServerID=1\nRateDropAdena=1\n"),
    ("zookeeper.properties", "dataDir=/tmp/zookeeper\nclientPort=2181\nmaxClientCnxns=0\n"),
    ("log4j.properties", "log4j.rootLogger=INFO, stdout\nlog4j.logger.kafka=INFO\n"),
    ("node.properties", "node.environment=production\nnode.id=ffff\nnode.data-dir=/var/trino\n"),
    ("topic.properties", "cleanup.policy=compact\nmin.insync.replicas=2\ncompression.type=zstd\n"),
    ("app.properties", "host.name=x\nport=80\nbatch.size=10\ncompression.type=gzip\n"),
    ("druid.properties", "druid.zk.service.host=zk\ndruid.storage.type=s3\n"),
    ("flink.conf", "jobmanager.rpc.address: localhost\ntaskmanager.numberOfTaskSlots: 4\n"),
    ("nginx.conf", "http {\n  server {\n    listen 80;\n  }\n}\n"),
    ("application.properties", "spring.datasource.url=jdbc:h2:mem\nserver.port=8080\n"),
    ("rest.properties", "listeners=http://0.0.0.0:8080\ndebug=true\n"),
    ("x.ini.conf", "[section]\nkey=value\n"),
    ("settings.conf", "$this->port = 80;\n"),
    ("values.yaml", "replicaCount: 1\nimage: {repository: nginx}\n"),
    ("app.yaml", "kafka:\n  topics:\n    orders: orders-v1\n  brokers: [k:9092]\n"),
    ("deployment.yaml", "apiVersion: apps/v1\nkind: Deployment\nspec: {}\n"),
    ("package.json", '{"name": "kafka-ui", "version": "1.0.0"}'),
    ("topics.yaml", "topics:\n  - title: Kafka in one day\n"),
    ("broken.yaml", "kafka: [\n"),
]


@pytest.mark.parametrize(("path", "text"), NOT_KAFKAS, ids=lambda value: str(value)[:30])
def test_what_is_not_kafkas_is_nobodys(path: str, text: str) -> None:
    document = read(path, text)
    assert (document.format, document.status, document.problems) == (None, PASSED_OVER, [])
    # Some are about topics, in a form that nobody knows: their keys are named.
    unread = "mentions Kafka in a form that kcheck does not read: cleanup.policy"
    assert document.reason.startswith(unread if document.unread else "no Kafka configuration")


def test_binary_and_empty_files_are_named_so() -> None:
    binary = formats.read("server.properties", bytes(range(256)), lambda _: None)
    assert (binary.status, binary.reason) == (SKIPPED, "binary")
    empty = formats.read("server.properties", b"", lambda _: None)
    assert (empty.status, empty.reason) == (PASSED_OVER, "empty")


OTHERS = [
    ("a.yaml", "apiVersion: platform.confluent.io/v1beta1\nkind: Kafka\n", "cfk-cr"),
    ("a.yaml", "apiVersion: apps.cpc.platform.confluent.io/v1beta1\nkind: Connector\n", "cfk-cr"),
    ("a.yaml", "apiVersion: kafka.banzaicloud.io/v1beta1\nkind: KafkaCluster\n", "koperator-cr"),
    ("a.yaml", "apiVersion: kafka.stackable.tech/v1alpha1\nkind: KafkaCluster\n", "stackable-cr"),
    ("a.yaml", "apiVersion: cluster.redpanda.com/v1alpha2\nkind: Redpanda\n", "redpanda-cr"),
    ("a.yaml", "apiVersion: redpanda.vectorized.io/v1alpha1\nkind: Cluster\n", "redpanda-cr"),
    ("a.yaml", "apiVersion: access.strimzi.io/v1alpha1\nkind: KafkaAccess\n", "strimzi-cr"),
    ("a.yaml", 'apiVersion: "kafka.jikkou.io/v1"\nkind: KafkaTopicList\n', "jikkou"),
    ("a.yaml", "apiVersion: kafka.nais.io/v1\nkind: Topic\nspec: {pool: {{pool}}}\n", "nais-topic"),
    ("a.yaml", "apiVersion: kafka/v2\nkind: Topic\n", "conduktor"),
    ("a.yaml", "apiVersion: console/v2\nkind: KafkaConnectCluster\n", "kafka-other"),
    (
        "a.yaml",
        "apiVersion: apps/v1\nkind: StatefulSet\nspec:\n  image: apache/kafka:4.1.0\n",
        "k8s-plain",
    ),
    ("a.yaml", "context: c\nprojects:\n  - name: p\n", "julie"),
    ("a.yaml", "meta:\n  name: t\nspec:\n  partitions: 3\n  topic: x\n", "topicctl"),
    ("a.yaml", "topic: x\ntopic_creation_config:\n  retention.ms: '1'\n", "topics-yaml"),
    (
        "a.yaml",
        "topics:\n  - name: x\n    partitions: 3\n    replication_factor: 3\n    configs: a=b\n",
        "topics-yaml",
    ),
    ("state.yaml", "topics:\n  x:\n    partitions: 3\n    replication: 3\n", "kafka-gitops"),
    ("kafkactl.yml", "contexts:\n  dev:\n    brokers: [k:9092]\n", "kafkactl"),
    ("a.yml", "asyncapi: '2.6.0'\nservers: {x: {protocol: kafka}}\n", "asyncapi"),
    ("a.yml", "akhq:\n  connections:\n    x: {properties: {bootstrap.servers: k}}\n", "akhq"),
    ("a.yaml", "profile::kafka::broker::ssl_enabled: true\n", "puppet-hiera"),
    ("a.yml", "all:\n  vars: {}\nkafka_broker:\n  hosts: {k1: }\n", "ansible"),
    ("values.yaml", "configurationOverrides:\n  kafka: x\n", "helm-values"),
    (
        "app.json.tpl",
        '[{"name": "k", "image": "i", "essential": true, "environment": [{"name": "KAFKA_X"}]}]',
        "ecs-json",
    ),
]


APPLICATIONS = [
    ("a.yml", "micronaut: {}\nkafka:\n  bootstrap:\n    servers: k:9092\n", "micronaut-yaml"),
    ("application.yml", "kafka:\n  producers:\n    x: {acks: all}\n", "micronaut-yaml"),
    ("a.yml", "spring:\n  kafka:\n    bootstrap-servers: k:9092\n", "spring-yaml"),
    ("a.yml", "spring.kafka.bootstrap-servers: k:9092\n", "spring-yaml"),
    ("application.yml", "kafka:\n  properties:\n    bootstrap.servers: k:9092\n", "spring-yaml"),
    ("a.yml", "quarkus: {}\nkafka:\n  bootstrap.servers: k:9092\n", "mp-yaml"),
]


@pytest.mark.parametrize(
    ("path", "text", "format"), APPLICATIONS, ids=lambda value: str(value)[:30]
)
def test_applications_are_read(path: str, text: str, format: str) -> None:
    document = read(path, text)
    assert (document.format, document.status) == (format, READ)
    assert len(document.resources) == 1


@pytest.mark.parametrize(("path", "text", "format"), OTHERS, ids=lambda value: str(value)[:30])
def test_formats_of_other_tools_are_named(path: str, text: str, format: str) -> None:
    document = read(path, text)
    assert document.format == format
    assert document.problems == []
    assert document.status == (READ if document.resources else PASSED_OVER)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("server.properties", "server.properties"),
        ("server.properties.template", "server.properties"),
        ("server.properties.example", "server.properties"),
        ("topics.yaml.tpl", "topics.yaml"),
        ("a.properties.template", "x.properties"),
        ("SERVER.PROPERTIES", "server.properties"),
        ("README.md", "none.bin"),
        ("properties", "none.bin"),
    ],
)
def test_the_ending_behind_a_template_ending_counts(path: str, expected: str) -> None:
    assert endings.modules_for(path) == endings.modules_for(expected)


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("broker.id=1\nlog.dirs=/data\n", "broker-properties"),
        (
            "Resources:\n  C:\n    Type: AWS::MSK::Cluster\n    Properties: {ClusterName: c}\n",
            "cloudformation-msk",
        ),
        (
            '{"Resources": {"C": {"Type": "AWS::MSK::Cluster", "Properties": {"ClusterName": "c"}}}}',
            "cloudformation-msk",
        ),
        (
            "steps:\n  - name: kafka\n    connector.class: x\n    topics: a\n  - name: b\n    topics: b\n",
            "kafka-other",
        ),
    ],
)
def test_what_ends_in_template_alone(text: str, format: str | None) -> None:
    assert read("data.template", text).format == format


def test_lists_of_yaml_are_no_properties() -> None:
    document = read("list.cfg", "connector.class: x\n- kafka\n- topics: a\n- b\n")
    assert (document.format, document.resources) == ("kafka-other", [])


def test_of_a_template_with_control_flow_what_is_certain_is_read() -> None:
    text = "broker.id=1\n{% if tls %}\nlisteners=SSL://:9093\n{% else %}\nlisteners=PLAINTEXT://:9092\n{% endif %}\n"
    document = read("server.properties.j2", text)
    assert (document.format, document.status) == ("broker-properties", READ)
    (broker,) = document.resources
    assert broker.settings.keys() == {"broker.id"} and broker.traits.partial
    assert document.problems == []


COMPOSE = (
    "services:\n  kafka:\n    image: apache/kafka:3.9.0\n    environment: {KAFKA_NODE_ID: 1}\n"
)
TOPIC = (
    "apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nmetadata:\n  name: a\n"
    "  labels: {strimzi.io/cluster: core}\nspec: {partitions: 3}\n"
)
WORKLOAD = (
    "apiVersion: v1\nkind: Pod\nmetadata: {name: k}\nspec:\n  containers:\n  - name: k\n"
    "    image: apache/kafka:3.9.0\n    env:\n    - {name: KAFKA_NODE_ID, value: '1'}\n"
)


@pytest.mark.parametrize("text", [COMPOSE, TOPIC, WORKLOAD], ids=["compose", "topic", "pod"])
@pytest.mark.parametrize("start", ["", "# a comment\n", "---\n", "\n\r\n"])
def test_a_margin_that_all_lines_have_changes_nothing(text: str, start: str) -> None:
    plain = formats.read("kafka.yaml", text.encode(), lambda _: None)
    moved = start + textwrap.indent(text, "    ")
    document = formats.read("kafka.yaml", moved.encode(), lambda _: None)
    assert document.format == plain.format
    assert [one.kind for one in document.resources] == [one.kind for one in plain.resources] != []


def test_services_within_something_else_are_no_compose_file() -> None:
    job = "jobs:\n  test:\n    services:\n      kafka:\n        image: apache/kafka:3.9.0\n"
    assert formats.read("ci.yaml", job.encode(), lambda _: None).format != "compose"


def test_templates_of_terraforms_are_read_where_they_are_yaml() -> None:
    made = formats.read(
        "topic.yaml.tftpl",
        TOPIC.replace("{partitions: 3}", "\n  partitions: ${count}").encode(),
        lambda _: None,
    )
    (topic,) = made.resources
    assert topic.facts["partitions"].text is None
    loop = f"%{{ for name in names ~}}\n{TOPIC}%{{ endfor ~}}\n"
    document = formats.read("topic.yaml.tftpl", loop.encode(), lambda _: None)
    assert document.reason.startswith("an unrendered template")


def test_an_example_of_an_env_file_is_read() -> None:
    text = b"KAFKA_NODE_ID=1\nKAFKA_PROCESS_ROLES=broker\nKAFKA_LISTENERS=PLAINTEXT://:9092\n"
    assert formats.read("env.example", text, lambda _: None).format == "env"
    assert formats.read("env.ts", text, lambda _: None).format is None


CONNECTOR = '{"name": "a", "config": {"connector.class": "x.A", "topics": "t"}}'
SCRIPT = "#!/usr/bin/env bash\nkafka-topics --bootstrap-server a:9092 --create --topic t --partitions 3\n"


@pytest.mark.parametrize(
    ("text", "format"),
    [
        (CONNECTOR, "connector-json"),
        (f"\n  {CONNECTOR}", "connector-json"),
        (SCRIPT, "topic-commands"),
        (SCRIPT.replace("env bash", "env python"), None),
        (SCRIPT.partition("\n")[2], None),
    ],
)
def test_without_an_ending_the_beginning_of_a_file_counts(text: str, format: str | None) -> None:
    document = read("connectors/orders", text)
    assert (document.format, document.status == READ) == (format, format is not None)
    assert read("connectors/orders.x", text).format is None


def test_programs_without_an_ending_are_no_configuration() -> None:
    document = formats.read(
        "bin/exporter", b"\x7fELF\0kafka broker.id=1\n" * 400_000, lambda _: None
    )
    assert (document.status, document.reason) == (PASSED_OVER, "unsupported format")
    assert document.problems == []
    assert document.unread == ()


def test_files_without_an_ending_are_found_in_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {"orders": CONNECTOR, "up": SCRIPT, "LICENSE": "Apache"}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "folder").mkdir()
    inputs = Inputs(["."])
    assert [path for path, _ in inputs] == ["LICENSE", "orders", "up"]
    assert inputs.left == []
