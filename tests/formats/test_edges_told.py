"""Topics and counts of clients, where their files tell them."""

from __future__ import annotations

import pytest

from kcheck import formats
from kcheck.formats.connect.source_topics import written
from kcheck.model import START, Resource, Setting


def _clients(path: str, text: str) -> dict[str, Resource]:
    document = formats.read(path, text.encode(), lambda _: None)
    return {resource.kind: resource for resource in document.resources}


def _counts(client: Resource) -> tuple[str | None, str | None]:
    traits = client.traits
    return (
        traits.instances.text if traits.instances else None,
        traits.concurrency.text if traits.concurrency else None,
    )


def test_default_topic_makes_a_producer() -> None:
    found = _clients(
        "application.properties",
        "spring.kafka.bootstrap-servers=k:9092\nspring.kafka.template.default-topic=orders\n"
        "spring.kafka.consumer.group-id=a\nspring.kafka.listener.concurrency=4\n",
    )
    assert found["producer"].traits.topics == ("orders",)
    assert _counts(found["consumer"]) == (None, "4")
    assert found["consumer"].traits.topics is None


def test_a_templated_default_topic_is_unknown() -> None:
    found = _clients(
        "application.properties",
        "spring.kafka.bootstrap-servers=k:9092\nspring.kafka.template.default-topic=${TOPIC}\n",
    )
    assert found["producer"].traits.topics is None


_BINDING = """spring.cloud.stream.kafka.binder.brokers=k:9092
spring.cloud.stream.bindings.read-in-0.destination=orders,refunds
spring.cloud.stream.bindings.read-in-0.group=reader
"""


def test_bindings_tell_topics_and_counts() -> None:
    more = (
        "spring.cloud.stream.bindings.read-in-0.consumer.concurrency=12\n"
        "spring.cloud.stream.instance-count=3\n"
    )
    client = _clients("application.properties", _BINDING + more)["consumer"]
    assert client.traits.topics == ("orders", "refunds")
    assert _counts(client) == ("3", "12")


def test_a_pattern_of_destinations_tells_none() -> None:
    more = "spring.cloud.stream.kafka.bindings.read-in-0.consumer.destination-is-pattern=true\n"
    client = _clients("application.properties", _BINDING + more)["consumer"]
    assert client.traits.topics is None


def test_each_binder_has_its_own_brokers() -> None:
    text = """spring.cloud.stream.bindings.a-in-0.destination=orders
spring.cloud.stream.bindings.a-in-0.binder=eu
spring.cloud.stream.bindings.b-out-0.destination=clicks
spring.cloud.stream.bindings.b-out-0.binder=us
spring.cloud.stream.binders.eu.type=kafka
spring.cloud.stream.binders.eu.environment.spring.cloud.stream.kafka.binder.brokers=eu:9092
spring.cloud.stream.binders.us.type=kafka
spring.cloud.stream.binders.us.environment.spring.kafka.bootstrap-servers=us:9092
spring.cloud.stream.binders.us.environment.spring.cloud.stream.kafka.binder.required-acks=1
"""
    found = _clients("application.properties", text)
    assert found["consumer"].settings["bootstrap.servers"].text == "eu:9092"
    assert found["producer"].settings["bootstrap.servers"].text == "us:9092"
    assert found["producer"].settings["acks"].text == "1"
    assert "acks" not in found["consumer"].settings


def test_the_streams_binder_reads_and_writes_destinations() -> None:
    text = """spring.cloud.stream.kafka.streams.binder.brokers=k:9092
spring.cloud.stream.kafka.streams.binder.application-id=totals
spring.cloud.stream.bindings.total-in-0.destination=orders
spring.cloud.stream.bindings.total-out-0.destination=totals
"""
    streams = _clients("application.properties", text)["streams"]
    assert (streams.traits.topics, streams.traits.writes) == (("orders",), ("totals",))


@pytest.mark.parametrize("attribute", ["concurrency", "partitions"])
def test_channels_tell_topics_and_counts(attribute: str) -> None:
    text = (
        "kafka.bootstrap.servers=k:9092\nmp.messaging.incoming.prices.connector=smallrye-kafka\n"
        f"mp.messaging.incoming.prices.{attribute}=5\n"
        "quarkus.kafka-streams.application-id=a\nquarkus.kafka-streams.topics=x, y\n"
    )
    found = _clients("application.properties", text)
    assert found["consumer"].traits.topics == ("prices",)
    assert _counts(found["consumer"]) == (None, "5")
    assert found["streams"].traits.topics == ("x", "y")


@pytest.mark.parametrize(
    ("options", "topics"),
    [
        ('topics => ["a", "b"]', ["a", "b"]),
        ('topics_pattern => "a.*"', None),
        ("", ["logstash"]),
    ],
)
def test_logstash_inputs(options: str, topics: list[str] | None) -> None:
    text = f'input {{\n  kafka {{ bootstrap_servers => "k:9092" consumer_threads => 3 {options} }}\n}}\n'
    client = _clients("pipeline.conf", text)["consumer"]
    assert client.traits.topics == (topics and tuple(topics))
    assert _counts(client) == (None, "3")


def test_logstash_output_with_fields_is_unknown() -> None:
    text = 'output {\n  kafka { bootstrap_servers => "k:9092" topic_id => "logs-%{type}" }\n}\n'
    assert _clients("pipeline.conf", text)["producer"].traits.topics is None


_DEPLOYMENT = """apiVersion: apps/v1
kind: Deployment
metadata: {name: reader}
spec:
  %s
  template:
    spec:
      containers:
        - name: reader
          image: example.com/reader:1
          env:
            - {name: SPRING_CLOUD_STREAM_KAFKA_BINDER_BROKERS, value: "k:9092"}
            - {name: SPRING_CLOUD_STREAM_BINDINGS_READ_IN_0_DESTINATION, value: orders}
            - {name: SPRING_CLOUD_STREAM_BINDINGS_READ_IN_0_GROUP, value: reader}
            - {name: SPRING_CLOUD_STREAM_BINDINGS_READ_IN_0_CONSUMER_CONCURRENCY, value: "2"}
"""


def test_variables_of_a_binding() -> None:
    client = _clients("reader.yaml", _DEPLOYMENT % "replicas: 20")["consumer"]
    assert client.traits.topics == ("orders",)
    assert client.settings["group.id"].text == "reader"
    assert _counts(client) == ("20", "2")
    assert client.traits.instances is not None and client.traits.instances.at[0] == 5


def test_replicas_that_are_not_written_are_unknown() -> None:
    client = _clients("reader.yaml", _DEPLOYMENT % "paused: false")["consumer"]
    assert _counts(client) == (None, "2")


_POSTGRES = {
    "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
    "topic.prefix": "shop",
    "table.include.list": "public.orders,public.order$lines",
}
_ROUTE = {
    "transforms": "r",
    "transforms.r.type": "org.apache.kafka.connect.transforms.RegexRouter",
    "transforms.r.regex": "shop\\.public\\.(.*)",
    "transforms.r.replacement": "cdc.$1",
}


_SQL_SERVER: dict[str, str | None] = {
    "connector.class": "io.debezium.connector.sqlserver.SqlServerConnector",
    "topic.prefix": "shop",
    "database.names": "sales",
    "table.include.list": "dbo.orders,dbo.items",
}
#: As releases before 2.0 have it.
_NO_DATABASE: dict[str, str | None] = {
    "connector.class": "io.debezium.connector.sqlserver.SqlServerConnector",
    "database.server.name": "shop",
    "database.dbname": "sales",
    "table.include.list": "dbo.orders,dbo.items",
}


@pytest.mark.parametrize(
    ("settings", "topics"),
    [
        (_POSTGRES, ["shop.public.orders", "shop.public.order_lines"]),
        ({**_POSTGRES, "table.include.list": "public.*"}, None),
        ({**_POSTGRES, "table.include.list": "orders"}, None),
        ({**_POSTGRES, **_ROUTE}, ["cdc.orders", "cdc.order_lines"]),
        ({**_POSTGRES, **_ROUTE, "transforms.r.type": "org.example.Router"}, None),
        ({**_POSTGRES, **_ROUTE, "transforms.r.predicate": "p"}, None),
        (
            {
                **_POSTGRES,
                "transforms": "u",
                "transforms.u.type": "io.debezium.transforms.ExtractNewRecordState",
            },
            ["shop.public.orders", "shop.public.order_lines"],
        ),
        (_SQL_SERVER, ["shop.sales.dbo.orders", "shop.sales.dbo.items"]),
        ({**_SQL_SERVER, "database.names": "sales,stock"}, None),
        ({**_SQL_SERVER, "database.names": None}, None),
        (_NO_DATABASE, ["shop.dbo.orders", "shop.dbo.items"]),
        ({**_SQL_SERVER, "table.include.list": "sales.dbo.orders"}, None),
        ({"connector.class": "DatagenSource", "kafka.topic": "clicks"}, ["clicks"]),
        ({"connector.class": "SqsSource", "kafka.topic": None}, None),
        ({"connector.class": "FileStreamSource", "topic": "lines"}, ["lines"]),
        (
            {
                "connector.class": "io.confluent.connect.jdbc.JdbcSourceConnector",
                "topic.prefix": "db-",
                "table.whitelist": "a, b",
            },
            ["db-a", "db-b"],
        ),
        (
            {
                "connector.class": "io.confluent.connect.jdbc.JdbcSourceConnector",
                "topic.prefix": "db-",
            },
            None,
        ),
    ],
)
def test_what_sources_write(settings: dict[str, str | None], topics: list[str] | None) -> None:
    made = {key: Setting(key, text, "c.json", START) for key, text in settings.items()}
    assert written(made) == topics


_CONNECTOR = """apiVersion: platform.confluent.io/v1beta1
kind: Connector
metadata: {name: orders, namespace: confluent}
spec:
  class: %s
  taskMax: 2
  connectClusterRef: {name: connect}
  configs: {%s}
"""


@pytest.mark.parametrize(
    ("name", "configs", "topics", "writes"),
    [
        ("com.example.S3SinkConnector", 'topics: "orders, refunds"', ("orders", "refunds"), None),
        ("com.example.S3SinkConnector", 'topics.regex: "orders.*"', None, None),
        ("com.example.DatagenSourceConnector", "kafka.topic: orders", None, ("orders",)),
        ("com.example.DatagenSourceConnector", 'kafka.topic: "${T}"', None, None),
    ],
)
def test_connectors_of_the_confluent_operator(
    name: str, configs: str, topics: tuple[str, ...] | None, writes: tuple[str, ...] | None
) -> None:
    traits = _clients("connector.yaml", _CONNECTOR % (name, configs))["connector"].traits
    assert (traits.topics, traits.writes, traits.runs_on) == (topics, writes, "connect")


_MANAGED = """resource "confluent_kafka_topic" "orders" {
  kafka_cluster { id = confluent_kafka_cluster.core.id }
  topic_name = "shop.orders"
}
resource "confluent_connector" "orders" {
  kafka_cluster { id = confluent_kafka_cluster.core.id }
  config_sensitive = { "kafka.api.key" = var.key }
  config_nonsensitive = {
    "connector.class" = "%s"
    "name"            = "orders-0"
    "%s" = %s
  }
}
"""


@pytest.mark.parametrize(
    ("name", "key", "value", "topics"),
    [
        ("DatagenSource", "kafka.topic", '"orders"', ("orders",)),
        (
            "DatagenSource",
            "kafka.topic",
            "confluent_kafka_topic.orders.topic_name",
            ("shop.orders",),
        ),
        ("DatagenSource", "kafka.topic", "confluent_kafka_topic.other.topic_name", None),
        ("DatagenSource", "kafka.topic", "var.topic", None),
        ("S3_SINK", "topics", '"orders,refunds"', ("orders", "refunds")),
        (
            "S3_SINK",
            "topics",
            '"${confluent_kafka_topic.orders.topic_name}"',
            ("shop.orders",),
        ),
    ],
)
def test_connectors_of_confluent_cloud(
    name: str, key: str, value: str, topics: tuple[str, ...] | None
) -> None:
    connector = _clients("connect.tf", _MANAGED % (name, key, value))["connector"]
    traits = connector.traits
    assert (connector.name, connector.cluster, traits.partial) == ("orders-0", "core", True)
    assert (traits.topics if key == "topics" else traits.writes) == topics


def _named(text: str) -> dict[str, tuple[str, ...] | None]:
    document = formats.read("appsettings.json", text.encode(), lambda _: None)
    return {resource.kind: resource.traits.topics for resource in document.resources}


@pytest.mark.parametrize(
    ("kafka", "topics"),
    [
        (
            '"Topic": "orders", "GroupId": "a"',
            {"consumer": ("orders",)},
        ),
        (
            '"Topics": ["a", "b"], "Consumer": {"GroupId": "a"}',
            {"consumer": ("a", "b")},
        ),
        (
            '"Consumer": {"GroupId": "a", "TopicName": "x"}, "Producer": {"Acks": "All", "Topic": "y"}',
            {"consumer": ("x",), "producer": ("y",)},
        ),
        (
            '"ConsumerTopic": "x", "ProducerTopic": "y", "Consumer": {"GroupId": "a"},'
            '"Producer": {"Acks": "All"}',
            {"consumer": ("x",), "producer": ("y",)},
        ),
        # Nothing tells which of the two it is for.
        (
            '"Topic": "x", "Consumer": {"GroupId": "a"}, "Producer": {"Acks": "All"}',
            {"consumer": None, "producer": None},
        ),
        ('"Topic": "#{Topic}#", "GroupId": "a"', {"consumer": None}),
        ('"Topics": {"Orders": "orders"}, "GroupId": "a"', {"consumer": None}),
        ('"RetryTopic": "retry", "GroupId": "a"', {"consumer": None}),
    ],
)
def test_topics_beside_the_settings_of_a_client(
    kafka: str, topics: dict[str, tuple[str, ...] | None]
) -> None:
    assert _named(f'{{"Kafka": {{"BootstrapServers": "k:9092", {kafka}}}}}') == topics


def test_topics_around_the_settings_of_a_client() -> None:
    inner = '"Consumer": {"BootstrapServers": "k:9092", "GroupId": "a"}'
    assert _named(f'{{"Orders": {{"Topic": "orders", {inner}}}}}') == {"consumer": ("orders",)}
    other = '"Producer": {"BootstrapServers": "k:9092", "Acks": "All"}'
    both = _named(f'{{"Orders": {{"Topic": "orders", {inner}, {other}}}}}')
    assert both == {"consumer": None, "producer": None}
