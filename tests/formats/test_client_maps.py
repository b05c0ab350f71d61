"""Maps of client keys at a free depth: which are clients, of which role and library, and which are not."""

from __future__ import annotations

import time
from textwrap import dedent

import pytest
from spans import under

from kcheck import formats
from kcheck.engine import lint_project
from kcheck.libraries import JAVA
from kcheck.model import FAILED, PASSED_OVER, Document
from kcheck.settings import Settings

SHOP = """\
    shop:
      kafka:
        bootstrapServers: k1.example.com:9092,k2.example.com:9092
        properties:
          security.protocol: SSL
        consumers:
          orders:
            topic: orders
            group.id: billing
            max.poll.records: 100
        producer:
          acks: all
          linger.ms: 5
    """
LAG = """\
    lag-exporter {
      clusters = [
        {
          name = main, bootstrap-brokers = "k1.example.com:9092"
          consumer-properties { security.protocol = SSL, ssl.truststore.location = "/t.jks" }
          admin-client-properties = { security.protocol = SSL, ssl.truststore.location = "/t.jks" }
        }
      ]
    }
    """
ALPAKKA = """\
    include "logging"
    # for both
    connection { bootstrap.servers = "k1.example.com:9092", bootstrap.servers = ${?BROKERS} }
    pekko.kafka {
      consumer.kafka-clients = ${connection}
      consumer { kafka-clients { group.id = billing } }
      producer { kafka-clients = ${connection} { acks = "1" } }
    }
    """


def read(path: str, text: str) -> Document:
    return formats.read(path, dedent(text).encode(), lambda _: None)


def clients(path: str, text: str) -> list[tuple[str, str, dict[str, str | None]]]:
    return [
        (one.kind, one.dialect, {key: made.text for key, made in one.settings.items()})
        for one in read(path, text).resources
    ]


def test_what_stands_around_a_map_holds_for_it() -> None:
    consumer, producer = clients("config/shop.yaml", SHOP)
    brokers = "k1.example.com:9092,k2.example.com:9092"
    shared = {"bootstrap.servers": brokers, "security.protocol": "SSL"}
    assert consumer == (
        "consumer",
        "java",
        {**shared, "group.id": "billing", "max.poll.records": "100"},
    )
    assert producer == ("producer", "java", {**shared, "acks": "all", "linger.ms": "5"})
    document = read("config/shop.yaml", SHOP)
    assert document.resources[0].traits.topics == ("orders",)
    assert all(one.traits.partial for one in document.resources)


def test_hocon_joins_objects_and_follows_plain_references() -> None:
    consumer, producer = clients("application.conf", ALPAKKA)
    assert consumer[:2] == ("consumer", "java")
    assert consumer[2] == {"bootstrap.servers": "k1.example.com:9092", "group.id": "billing"}
    assert producer[2]["acks"] == "1"
    (resource, _) = read("application.conf", ALPAKKA).resources
    # What the connector sets unless the file does.
    assert resource.image["enable.auto.commit"].text == "false"


def test_properties_with_variables_are_no_hocon() -> None:
    text = "bootstrap.servers = k:9092\nlinger.ms = 0\n# password=${PASSWORD}\nclient.id = ${ID}\n"
    assert read("redpanda.config", text).format == "client-properties"


def test_a_login_that_somebody_keeps_to_himself_is_unknown() -> None:
    text = """\
        akka.kafka.producer.kafka-clients {
          bootstrap.servers = "k1.example.com:9092"
          sasl.jaas.config = "a.PlainLoginModule required username=\\"u\\" password=XXXXXX;Key=XXXXXX;"
        }
        """
    (client,) = read("application.conf", text).resources
    assert client.settings["sasl.jaas.config"].text is None


def test_clients_in_a_list_are_two() -> None:
    found = clients("application.conf", LAG)
    assert [one[:2] for one in found] == [("consumer", "java"), ("admin", "java")]


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "relay.yml",
            "processing:\n  kafka_config:\n"
            "    - {name: bootstrap.servers, value: 'k:9092'}\n"
            "    - {name: message.max.bytes, value: 50000000}\n",
            ("client", "librdkafka"),
        ),
        (
            "settings.toml",
            '[kafka.producer]\n"bootstrap.servers" = "k:9092"\n"message.timeout.ms" = 5000\n',
            ("producer", "librdkafka"),
        ),
        (
            "app.yaml",
            'bus:\n  bootstrap.servers: ["k1:9092", "k2:9092"]\n  application.id: a\n'
            "  num.stream.threads: 2\n",
            ("client", "java"),
        ),
        (
            "app.yaml",
            "kafka:\n  streams: {bootstrap.servers: 'k:9092', application.id: a}\n",
            ("streams", "java"),
        ),
        (
            "airflow.yaml",
            "connections:\n  - conn_id: bus\n    conn_type: kafka\n"
            '    extra: \'{"bootstrap.servers": "k:9092", "group.id": "dags"}\'\n',
            ("consumer", "unknown"),
        ),
        (
            "values.yaml",
            "worker:\n  readOnlyConfig: |\n    bootstrap.servers=k:9092\n    group.id=dags\n",
            ("consumer", "java"),
        ),
        (
            "druid.json",
            '{"type": "kafka", "spec": {"ioConfig": {"topic": "t", "consumerProperties": '
            '{"security.protocol": "SSL", "auto.offset.reset": "earliest"}}}}',
            ("consumer", "java"),
        ),
        (
            "server/application.properties",
            "debezium.sink.type=kafka\ndebezium.sink.kafka.producer.bootstrap.servers=k:9092\n"
            "debezium.sink.kafka.producer.key.serializer=a.B\nquarkus.log.level=INFO\n",
            ("producer", "java"),
        ),
        (
            "release.yaml",
            "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nspec:\n  values:\n"
            "    kafka:\n      consumer: {bootstrap.servers: 'k:9092', max.poll.records: 5}\n",
            ("consumer", "java"),
        ),
        (
            "ingest.yaml",
            "apiVersion: druid.apache.org/v1alpha1\nkind: DruidIngestion\nspec:\n  spec: |-\n"
            '    {"ioConfig": {"consumerProperties": {"bootstrap.servers": "k:9092"}}}\n',
            ("consumer", "java"),
        ),
        (
            "application.yml",
            "spring:\n  application: {name: shop}\nshop:\n  kafka:\n    consumer:\n"
            "      bootstrap.servers: k:9092\n      max.poll.records: 5\n",
            ("consumer", "java"),
        ),
    ],
)
def test_the_path_tells_the_role_and_the_keys_the_library(
    path: str, text: str, expected: tuple[str, str]
) -> None:
    (found,) = clients(path, text)
    assert found[:2] == expected


@pytest.mark.parametrize(
    ("path", "text"),
    [
        # What other software has as well.
        ("app.yaml", "queue:\n  group.id: a\n  topic: t\n  client.id: b\n  batch.size: 5\n"),
        ("app.yaml", "oauth: {client: {id: kafka}}\n# linger.ms\nbatch: {size: 3}\n"),
        # A broker's and a worker's.
        ("app.yaml", "b:\n  broker.id: 1\n  security.protocol: SSL\n  linger.ms: 5\n  acks: 1\n"),
        (
            "app.yaml",
            "w:\n  bootstrap.servers: k:9092\n  config.storage.topic: c\n  group.id: g\n",
        ),
        # A connector's own keys.
        (
            "sink.yaml",
            "config:\n  tasks.max: 1\n  linger.ms: 1\n  max.in.flight.requests: 5\n"
            "  auto.offset.reset: earliest\n",
        ),
        ("old.properties", "metadata.broker.list=k:9092\nserializer.class=a.B\n"),
        (
            "cm.yaml",
            "apiVersion: v1\nkind: ConfigMap\ndata:\n  app.py: |\n"
            '    conf = {"bootstrap.servers": "k:9092", "linger.ms": 5}\n',
        ),
        # What describes and configures nothing.
        ("docs/app.yaml", "kafka:\n  bootstrap.servers: k:9092\n"),
        ("src/test/resources/app.yaml", "kafka:\n  bootstrap.servers: k:9092\n"),
        ("src/contractTest/app.yaml", "kafka:\n  bootstrap.servers: k:9092\n"),
        ("integration-tests/app.yaml", "kafka:\n  bootstrap.servers: k:9092\n"),
        (
            "api.yaml",
            "openapi: 3.0.0\nexample:\n  bootstrap.servers: k:9092\n  group.id: g\n",
        ),
        (
            "config.json",
            '{"linger.ms": {"type": "int"}, "auto.offset.reset": {"type": "string"}, '
            '"max.poll.records": {"type": "int"}}',
        ),
        ("app.yaml", "text: bootstrap.servers, linger.ms and security.protocol\n"),
    ],
)
def test_without_evidence_there_is_no_client(path: str, text: str) -> None:
    document = read(path, text)
    assert (document.status, document.resources, document.problems) == (PASSED_OVER, [], [])


def test_a_topic_beside_the_map_is_that_of_its_only_client() -> None:
    text = """\
        {"type": "kafka", "spec": {"ioConfig": {"topic": "orders", "consumerProperties":
          {"bootstrap.servers": "k1.example.com:9092"}}}}
        """
    (consumer,) = read("druid.json", text).resources
    assert (consumer.kind, consumer.traits.topics) == ("consumer", ("orders",))
    assert consumer.image["enable.auto.commit"].text == "false"


def test_what_a_framework_reads_is_not_read_twice() -> None:
    text = """\
        spring:
          kafka:
            bootstrap-servers: k:9092
            consumer: {group-id: billing, properties: {max.poll.records: 5}}
        """
    assert [one.kind for one in read("application.yml", text).resources] == ["consumer"]


def test_a_profile_has_clients_of_its_own() -> None:
    text = """\
        spring: {application: {name: shop}, kafka: {bootstrap-servers: "k:9092"}}
        bus: {producer: {bootstrap.servers: "k:9092", linger.ms: 5}}
        ---
        spring: {config: {activate: {on-profile: prod}}}
        bus: {producer: {bootstrap.servers: "p:9092", linger.ms: 50}}
        """
    found = [one for one in read("application.yml", text).resources if one.traits.partial]
    assert [one.traits.profile for one in found] == ["", "prod"]


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("application.conf", "akka.kafka.consumer {\n  linger.ms = 1\n", 3),
        ("a.hocon", 'kafka { bootstrap.servers = "k:9092 }\n', 1),
        ("a.toml", '[kafka]\n"bootstrap.servers" = "k:9092"\nb =\n', 3),
    ],
)
def test_what_is_broken_is_told_with_its_place(path: str, text: str, line: int) -> None:
    document = read(path, text)
    (problem,) = document.problems
    assert (document.status, problem.code, problem.at[0]) == (FAILED, "KC0001", line)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 200_000 + " { linger.ms = 1 }",
        "a.".join("b" for _ in range(50_000)) + ".linger.ms = 1 {",
        "{" * 50_000 + "linger.ms",
        "[" * 50_000 + "linger.ms",
        "a = [" + "x " * 100_000 + "linger.ms",
        "linger.ms = " + "${a}" * 50_000 + "{",
        "linger.ms = {" + '"' * 100_001,
        "a { linger.ms = 1\n" + "\n".join(f"b{n} = ${{a}}" for n in range(2_000)) + "\n}\n",
        "a { linger.ms = 1, b = ${b} }\nb { c = ${a} }\n" * 50,
        "linger.ms {" + "/" * 100_000,
        "linger.ms {" + "#\n" * 20_000 + "}",
    ],
)
def test_hostile_hocon_ends_soon(text: str) -> None:
    began = time.process_time()
    for path in ("application.conf", "a.yaml", "a.toml"):
        read(path, text)
    assert time.process_time() - began < 5


def test_a_client_meets_its_brokers_and_a_wrong_value_is_told_once() -> None:
    sources = {
        "server.properties": b"broker.id=1\nlisteners=PLAINTEXT://:9092\nzookeeper.connect=z:2181\n"
        b"advertised.listeners=PLAINTEXT://k1.example.com:9092\n",
        "config/shop.yaml": dedent(SHOP).replace("linger.ms: 5", "linger.ms: soon").encode(),
    }
    project = lint_project(sources.items(), Settings(), sources.get)
    wrong = [one for one in project.findings if one.code == "KC0103"]
    assert [(one.path, one.at[0]) for one in wrong] == [("config/shop.yaml", 13)]


PYTHON = """\
kafka:
  bootstrap_servers: [k1:9092, k2:9092]
  security_protocol: sasl_ssl
  consumer:
    group_id: orders
    auto_offset_reset: earliest
    enable_auto_commit: false
    session_timeout_ms: 30s
    batch_size: 5
    topics: [orders]
"""


def test_names_with_underscores() -> None:
    document = formats.read("deploy/config.yaml", PYTHON.encode(), lambda _: None)
    (consumer,) = [one for one in document.resources if one.kind == "consumer"]
    assert consumer.dialect == "unknown"
    assert {key: one.text for key, one in consumer.settings.items()} == {
        "bootstrap.servers": "k1:9092,k2:9092",
        # The program may have words of its own.
        "security.protocol": None,
        "auto.offset.reset": "earliest",
        "enable.auto.commit": "false",
    }
    assert under(PYTHON, consumer.settings["auto.offset.reset"].at) == "earliest"


@pytest.mark.parametrize("path", ["roles/k/defaults/main.yml", "group_vars/all.yml"])
def test_variables_of_templates_are_no_map(path: str) -> None:
    assert not formats.read(path, PYTHON.encode(), lambda _: None).resources


@pytest.mark.parametrize(
    "text",
    [
        "kafka:\n  group_id: a\n  batch_size: 10\n  request_timeout_ms: 3\n",
        "mqtt:\n  session_timeout_ms: 3\n  max_request_size: 10\n  enable_auto_commit: true\n",
    ],
)
def test_names_that_any_program_has(text: str) -> None:
    document = formats.read("deploy/config.yaml", text.encode(), lambda _: None)
    assert not document.resources


SECOR = """\
secor.kafka.topic_filter=orders
kafka.new.consumer.request.timeout.ms=10000
kafka.new.consumer.ssl.truststore.location=
kafka.new.consumer.isolation.level=
kafka.new.consumer.max.poll.interval.ms=
kafka.new.consumer.max.poll.records=
kafka.new.consumer.security.protocol=
kafka.new.consumer.sasl.jaas.config=
kafka.socket.receive.buffer.bytes=
kafka.fetch.wait.max.ms=
"""


@pytest.mark.parametrize("scala", ["", "kafka.rebalance.max.retries=\n"])
def test_a_program_leaves_out_what_is_empty_and_may_have_keys_of_two_libraries(scala: str) -> None:
    made = clients("secor.common.properties", SECOR + scala)
    assert {library for _, library, _ in made} == {JAVA.name if scala else "unknown"}
    for _, _, settings in made:
        assert settings.get("max.poll.records") is None
    sources = {"secor.common.properties": (SECOR + scala).encode()}
    project = lint_project(sources.items(), Settings(), sources.get)
    assert [one.code for one in project.findings if one.severity != "info"] == []


PICKED = """\
job.kafka.brokers k1:9092
job.kafka.{group} orders
job.kafka.security.protocol SSL
job.kafka.ssl.truststore.location /t.jks
job.kafka.heartbeat.interval.ms 10000
job.kafka.session.timeout.ms 5000
"""


@pytest.mark.parametrize(
    ("group", "severity"), [("group", "info"), ("offset.reset", "info"), ("group.id", "error")]
)
def test_a_program_with_words_of_its_own_may_not_pass_on_the_rest(
    group: str, severity: str
) -> None:
    sources = {"job.properties": PICKED.format(group=group).encode()}
    project = lint_project(sources.items(), Settings(), sources.get)
    assert [one.severity for one in project.findings if one.code == "KC0903"] == [severity]
