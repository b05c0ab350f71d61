"""Resources of Kubernetes whose operators are clients, ClickHouse's tables, and Fluentd's plugins."""

from __future__ import annotations

import pytest

from kcheck import formats
from kcheck.model import Document, Resource

_KEDA = """\
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: billing}
spec:
  scaleTargetRef: {name: billing}
  triggers:
  - type: cpu
    metadata: {value: "80"}
  - type: kafka
    metadata:
      bootstrapServers: k1.example.com:9092
      consumerGroup: billing
      topic: orders
      sasl: scram_sha512
%s"""
_LOGIN = """\
---
apiVersion: keda.sh/v1alpha1
kind: TriggerAuthentication
metadata: {name: login}
spec:
  secretTargetRef:
  - {parameter: username, name: login, key: username}
  - {parameter: password, name: login, key: password}
"""


def read(path: str, text: str) -> Document:
    return formats.read(path, text.encode(), lambda other: None)


def client(path: str, text: str) -> Resource:
    (made,) = read(path, text).resources
    return made


@pytest.mark.parametrize(
    ("rest", "protocol"),
    [
        ("      tls: enable\n", "SASL_SSL"),
        ("", "SASL_PLAINTEXT"),
        ("    authenticationRef: {name: login}\n", None),
        ("    authenticationRef: {name: login}\n" + _LOGIN, "SASL_PLAINTEXT"),
        ('      tls: "{{ .Values.tls }}"\n', None),
    ],
)
def test_protocol_of_a_trigger(rest: str, protocol: str | None) -> None:
    made = client("scaling.yaml", _KEDA % rest)
    assert (made.kind, made.name) == ("client", "billing")
    assert made.settings["sasl.mechanism"].text == "SCRAM-SHA-512"
    assert made.image["security.protocol"].text == protocol


def test_what_the_workload_gives_a_trigger_is_unknown() -> None:
    text = (
        _KEDA.replace("bootstrapServers: k1.example.com:9092", "bootstrapServersFromEnv: BROKERS")
        % ""
    )
    document = read("scaling.yaml", text)
    assert document.resources[0].settings["bootstrap.servers"].text is None
    assert document.problems == []


@pytest.mark.parametrize(
    ("login", "off", "protocol"),
    [
        ("none", "false", "PLAINTEXT"),
        ("password", "false", "SASL_SSL"),
        ("mtls", "true", "PLAINTEXT"),
    ],
)
def test_protocol_of_a_component(login: str, off: str, protocol: str) -> None:
    text = f"""\
apiVersion: dapr.io/v1alpha1
kind: Component
metadata: {{name: orders}}
spec:
  type: pubsub.kafka
  metadata:
  - {{name: brokers, value: "k1.example.com:9092"}}
  - {{name: authType, value: "{login}"}}
  - {{name: disableTls, value: "{off}"}}
  - {{name: saslUsername, value: u}}
  - name: saslPassword
    secretKeyRef: {{name: login, key: password}}
"""
    assert client("pubsub.yaml", text).image["security.protocol"].text == protocol


def test_components_of_other_brokers_are_nobodys() -> None:
    text = "apiVersion: dapr.io/v1alpha1\nkind: Component\nspec: {type: pubsub.redis} # kafka\n"
    assert read("pubsub.yaml", text).resources == []


def test_a_source_beside_a_deployment_is_read() -> None:
    text = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: billing}
spec:
  template:
    spec:
      containers:
      - name: billing
        image: example/billing
        env: [{name: SPRING_KAFKA_BOOTSTRAP_SERVERS, value: "k1.example.com:9092"}]
---
apiVersion: sources.knative.dev/v1
kind: KafkaSource
metadata: {name: orders}
spec:
  bootstrapServers: [k1.example.com:9092, k2.example.com:9092]
  topics: [orders, returns]
  consumerGroup: billing
"""
    source = next(one for one in read("all.yaml", text).resources if one.name == "orders")
    assert source.kind == "consumer"
    assert source.traits.topics == ("orders", "returns")
    assert source.settings["bootstrap.servers"].text == "k1.example.com:9092,k2.example.com:9092"


def test_a_collector_has_the_replicas_of_its_resource() -> None:
    for config in ("config:", "config: |"):
        text = f"""\
apiVersion: opentelemetry.io/v1alpha1
kind: OpenTelemetryCollector
metadata: {{name: traces}}
spec:
  replicas: 3
  {config}
    receivers:
      kafka:
        brokers: [k1.example.com:9092]
        group_id: traces
    service: {{pipelines: {{}}}}
"""
        made = client("collector.yaml", text)
        assert made.traits.instances is not None
        assert made.traits.instances.text == "3"
        assert made.settings["group.id"].at[0] == 10


def test_a_table_by_places_and_names() -> None:
    text = """\
-- ENGINE = Kafka in a comment
CREATE TABLE queue (id String)
ENGINE = Kafka('k1.example.com:9092', 'orders,returns', 'reader', 'JSONEachRow')
SETTINGS kafka_num_consumers = 4, /* two; */ kafka_security_protocol = 'sasl_ssl';
"""
    for lines in (text, text.replace("\n", "\r\n")):
        made = client("queue.sql", lines)
        assert made.traits.topics == ("orders", "returns")
        assert made.settings["group.id"].at == (3, 58, 3, 64)
        assert made.traits.concurrency is not None
        assert made.traits.concurrency.text == "4"


def test_a_collection_may_give_what_is_not_told() -> None:
    document = read(
        "queue.sql",
        "CREATE TABLE q (id String) ENGINE = Kafka(orders_kafka) SETTINGS kafka_format = 'CSV';",
    )
    assert document.problems == []


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE q (id String) ENGINE = Kafka('k1:9092",
        "CREATE TABLE q (id String) ENGINE = Kafka SETTINGS kafka_format = '",
        "ENGINE = Kafka(" * 500,
        "ENGINE = Kafka SETTINGS " + "a = 1, " * 5000,
        "/* ENGINE = Kafka " * 2000,
    ],
)
def test_broken_statements_end(text: str) -> None:
    assert read("queue.sql", text).path == "queue.sql"


def test_a_store_of_fluentd() -> None:
    text = """\
<match app.**>
  @type copy
  <store>
    @type kafka2
    brokers k1.example.com:9092,k2.example.com:9092
    default_topic logs
    required_acks -1
    <format>
      @type json
    </format>
    <buffer topic>
      flush_interval 10s
    </buffer>
  </store>
  <store>
    @type stdout
  </store>
</match>
"""
    document = read("fluent.conf", text)
    (made,) = document.resources
    assert (made.kind, made.traits.topics) == ("producer", ("logs",))
    assert made.settings["acks"].text == "all"
    assert made.settings["bootstrap.servers"].at == (5, 13, 5, 52)
    assert document.problems == []


@pytest.mark.parametrize(
    "text",
    [
        "<match a>\n  @type kafka2\n",
        "</match>\n@type kafka\n<match a>\n",
        "<match a>\n" * 5000 + "@type kafka2\n",
        "<source>\n@type kafka_group\n</source>\n</source>\n",
    ],
)
def test_broken_sections_end(text: str) -> None:
    assert read("fluent.conf", text).path == "fluent.conf"
