"""Clients inside of applications: Spring Boot and Cloud Stream, Quarkus and MicroProfile, Micronaut."""

from __future__ import annotations

from textwrap import dedent

import pytest
from spans import under

from kcheck import formats
from kcheck.engine import Project, lint_project
from kcheck.model import PASSED_OVER, READ, SKIPPED, Derived, Document, Framed, Resource
from kcheck.settings import Settings


def read(path: str, text: str, **others: str) -> Document:
    sources = {path: dedent(text).encode(), **{k: dedent(v).encode() for k, v in others.items()}}
    return formats.read(path, sources[path], sources.get)


def texts(resource: Resource) -> dict[str, str | None]:
    return {key: setting.text for key, setting in resource.settings.items()}


def lint(files: dict[str, str]) -> Project:
    sources = {path: dedent(text).encode() for path, text in files.items()}
    project = lint_project(sorted(sources.items()), Settings(), sources.get)
    assert project.failures == []
    return project


def found(project: Project) -> list[str]:
    return [f"{f.code} {f.path}:{f.at[0]}:{f.at[1]}" for f in project.findings]


SPRING = """\
spring:
  application: {name: shop}
  kafka:
    bootstrapServers:
      - k1:9092
      - k2:9092
    properties:
      "[security.protocol]": SASL_SSL
      sasl: {mechanism: PLAIN}
      linger.ms: 5
    consumer:
      group_id: ${spring.application.name}-${STAGE:live}
      fetch-max-wait: 2s
      fetch-min-size: 1KB
      isolation-level: READ-COMMITTED
      max-poll-records: ${MAX_POLL:}
    producer:
      batchSize: 32KB
      transaction-id-prefix: tx-
      properties: {linger.ms: 20}
"""


def test_spring_gives_each_client_what_it_would_get() -> None:
    document = read("application.yml", SPRING)
    assert document.format == "spring-yaml" and document.status == READ
    consumer, producer = document.resources
    assert (consumer.kind, consumer.name) == ("consumer", "shop-live")
    assert texts(consumer) == {
        "bootstrap.servers": "k1:9092,k2:9092",
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "PLAIN",
        "group.id": "shop-live",
        "fetch.max.wait.ms": "2000",
        "fetch.min.bytes": "1024",
        "isolation.level": "read_committed",
        "max.poll.records": None,
    }
    assert producer.kind == "producer"
    assert texts(producer)["linger.ms"] == "20"
    assert texts(producer)["batch.size"] == "32768"
    assert texts(producer)["transactional.id"] == "tx-"
    assert "group.id" not in producer.settings


def test_spring_settings_stand_where_they_are_written() -> None:
    document = read("application.yml", SPRING)
    consumer, producer = document.resources
    assert under(SPRING, consumer.settings["fetch.max.wait.ms"].at) == "2s"
    assert under(SPRING, consumer.settings["fetch.max.wait.ms"].key_at) == "fetch-max-wait"
    assert under(SPRING, consumer.settings["security.protocol"].at) == "SASL_SSL"
    assert under(SPRING, consumer.settings["sasl.mechanism"].key_at) == "mechanism"
    assert under(SPRING, producer.settings["linger.ms"].at) == "20"
    assert under(SPRING, consumer.settings["bootstrap.servers"].at).split() == [
        "k1:9092",
        "-",
        "k2:9092",
    ]
    assert consumer.settings["fetch.max.wait.ms"].name == "spring.kafka.consumer.fetch-max-wait"


def test_numbers_of_yaml_may_have_underscores() -> None:
    text = """\
        spring.kafka:
          bootstrap-servers: k:9092
          consumer: {group-id: g_1, max-poll-records: 1_000}
        """
    (consumer,) = read("application.yml", dedent(text)).resources
    records = consumer.settings["max.poll.records"]
    assert (records.text, isinstance(records, Derived)) == ("1000", True)
    assert consumer.settings["group.id"].text == "g_1"
    (consumer,) = read("application.yml", dedent(text).replace("1_000", "1000")).resources
    assert not isinstance(consumer.settings["max.poll.records"], Derived)


def test_what_a_file_without_brokers_leaves_empty_comes_from_outside() -> None:
    text = """\
        spring.kafka:
          bootstrap-servers: {servers}
          consumer: {{group-id: "", client-id: a, properties: {{client.rack: ""}}}}
        """
    (open_one,) = read("application.yml", dedent(text).format(servers="''")).resources
    expected: dict[str, str | None] = {"bootstrap.servers": None, "group.id": None}
    assert texts(open_one) == {**expected, "client.id": "a", "client.rack": None}
    assert open_one.settings["group.id"].name == "spring.kafka.consumer.group-id"
    (told,) = read("application.yml", dedent(text).format(servers="k:9092")).resources
    assert texts(told)["group.id"] == texts(told)["client.rack"] == ""


def test_the_same_in_properties_reads_the_same() -> None:
    text = (
        "spring.application.name=shop\n"
        "spring.kafka.bootstrap-servers[0]=k1:9092\n"
        "spring.kafka.bootstrap-servers[1]=k2:9092\n"
        "spring.kafka.properties[security.protocol]=SASL_SSL\n"
        "spring.kafka.consumer.fetchMaxWait = 2s\n"
        "spring.kafka.consumer.properties.max.poll.interval.ms=1000\n"
    )
    (consumer,) = read("application.properties", text).resources
    assert texts(consumer) == {
        "bootstrap.servers": "k1:9092,k2:9092",
        "security.protocol": "SASL_SSL",
        "fetch.max.wait.ms": "2000",
        "max.poll.interval.ms": "1000",
    }
    assert under(text, consumer.settings["security.protocol"].at) == "SASL_SSL"


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("heartbeat-interval", "3000", "3000"),
        ("heartbeat-interval", "3s", "3000"),
        ("heartbeat-interval", "PT1M30S", "90000"),
        ("heartbeat-interval", "soon", None),
        ("fetch-min-size", "10", "10"),
        ("fetch-min-size", "2MB", "2097152"),
        ("fetch-min-size", "2MiB", None),
    ],
)
def test_units_of_spring(kind: str, text: str, expected: str | None) -> None:
    document = read("application.yml", f"spring: {{kafka: {{consumer: {{{kind}: {text}}}}}}}\n")
    (setting,) = document.resources[0].settings.values()
    assert setting.text == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${A:k1}:${B:9092}", "k1:9092"),
        ("${A:${B:k2:9092}}", "k2:9092"),
        ("${own.host}:9092", "h1:9092"),
        ("${OWN_HOST:h2}:9092", "h2:9092"),
        ("${A}", None),
        ("${A:}", None),
        ("${loop.a}", None),
        ("#{beans}", None),
        ("{{ KEY }}", None),
        ("${A", None),
    ],
)
def test_placeholders(text: str, expected: str | None) -> None:
    lines = f"spring.kafka.client-id={text}\nown.host=h1\nloop.a=${{loop.b}}\nloop.b=${{loop.a}}\n"
    (client,) = read("application.properties", lines).resources
    assert client.settings["client.id"].text == expected


def test_documents_of_profiles_go_over_the_base() -> None:
    text = """\
        spring.kafka:
          bootstrap-servers: k1:9092
          producer: {acks: all}
        ---
        spring:
          config.activate.on-profile: prod
          kafka.producer.acks: 1
        ---
        spring.config.activate.on-profile: test
        logging.level: debug
        """
    base, prod = read("application.yml", text).resources
    assert texts(base) == {"bootstrap.servers": "k1:9092", "acks": "all"}
    assert texts(prod) == {"bootstrap.servers": "k1:9092", "acks": "1"}


def test_the_file_of_a_profile_goes_over_the_main_file() -> None:
    main = "spring.kafka.bootstrap-servers: k1:9092\nspring.kafka.consumer: {group-id: a}\n"
    own = "spring.kafka.consumer.max-poll-records=7\n#---\nspring.kafka.consumer.group-id=b\n"
    document = read("app/application-prod.properties", own, **{"app/application.yml": main})
    (consumer,) = document.resources
    assert texts(consumer) == {
        "bootstrap.servers": "k1:9092",
        "group.id": "b",
        "max.poll.records": "7",
    }
    assert consumer.settings["bootstrap.servers"].path == "app/application.yml"
    assert consumer.settings["max.poll.records"].path == "app/application-prod.properties"


def test_what_clients_share_is_told_once() -> None:
    both = "spring:\n  kafka:\n    properties: {request.timeout.ms: soon}\n"
    both += "    consumer: {group-id: a}\n    producer: {acks: all}\n"
    own = "spring.kafka.producer.client-id: shop\n"
    project = lint({"application.yml": both, "application-prod.yml": own})
    assert found(project) == ["KC0103 application.yml:3:38"]


STREAM = """\
spring:
  kafka: {bootstrap-servers: k1:9092, consumer: {max-poll-records: 9}}
  cloud:
    stream:
      bindings:
        in-0: {destination: orders, group: billing}
        pay-out-0: {destination: payments, binder: kafka}
        old-in-0: {destination: x, binder: rabbit}
      binders: {rabbit: {type: rabbit}}
      kafka:
        binder:
          brokers: b1,b2:9093
          requiredAcks: 1
          configuration: {security.protocol: SSL}
          consumer-properties: {fetch.min.bytes: 5}
        bindings:
          in-0: {consumer: {startOffset: latest, configuration: {fetch.min.bytes: 6}}}
          pay-out-0:
            producer:
              topic.properties: {retention.ms: 1000}
              configuration: {acks: all}
"""


def test_bindings_of_cloud_stream() -> None:
    document = read("application.yml", STREAM)
    resources = {f"{r.kind} {r.name}": r for r in document.resources}
    assert list(resources) == ["consumer billing", "topic payments", "producer application.yml"]
    consumer, topic, producer = resources.values()
    assert texts(consumer) == {
        "bootstrap.servers": "b1:9092,b2:9093",
        "max.poll.records": "9",
        "security.protocol": "SSL",
        "fetch.min.bytes": "6",
        "auto.offset.reset": "latest",
        "group.id": "billing",
    }
    assert consumer.traits.topics == ("orders",)
    assert texts(topic) == {"retention.ms": "1000"}
    assert texts(producer)["acks"] == "all" and producer.traits.topics == ("payments",)


BINDERS = """\
spring:
  application.name: bridge
  kafka.properties.request.timeout.ms: 7000
  cloud.stream:
    kafka.binder.consumer-properties: {fetch.min.bytes: 5}
    bindings:
      orders-out-0: {destination: order-events, binder: orders}
      views-in-0: {destination: page-views, group: bridge, binder: clicks}
    binders:
      orders:
        type: kafka
        environment:
          spring.cloud.stream.kafka.binder:
            brokers: orders:9092
            producer-properties: {acks: '1'}
      clicks:
        type: kafka
        environment:
          spring:
            kafka.properties.request.timeout.ms: 9000
            cloud.stream.kafka.binder.brokers: ${CLICKS:clicks}
"""


def test_every_binder_with_a_name_has_clients_of_its_own() -> None:
    producer, consumer = read("application.yml", BINDERS).resources
    assert (producer.kind, producer.traits.topics) == ("producer", ("order-events",))
    assert texts(producer) == {
        "bootstrap.servers": "orders:9092",
        "acks": "1",
        "request.timeout.ms": "7000",
    }
    acks = producer.settings["acks"]
    assert acks.name.endswith(
        "orders.environment.spring.cloud.stream.kafka.binder.producer-properties.acks"
    )
    assert acks.at[0] == 15
    assert (consumer.kind, consumer.traits.topics) == ("consumer", ("page-views",))
    assert texts(consumer) == {
        "bootstrap.servers": "clicks:9092",
        "group.id": "bridge",
        "request.timeout.ms": "9000",
        "fetch.min.bytes": "5",
    }


def test_a_binder_may_do_without_the_applications_environment() -> None:
    text = BINDERS.replace("      clicks:\n", "      clicks:\n        inherit-environment: false\n")
    consumer = read("application.yml", text).resources[1]
    assert "fetch.min.bytes" not in texts(consumer)
    assert texts(consumer)["request.timeout.ms"] == "9000"


def test_the_default_binder_has_the_bindings_that_name_none() -> None:
    text = BINDERS.replace(", binder: clicks", "").replace(
        "    bindings:\n", "    default-binder: clicks\n    bindings:\n"
    )
    _, consumer = read("application.yml", text).resources
    assert texts(consumer)["bootstrap.servers"] == "clicks:9092"
    # The only binder is the default one, too.
    head, _, tail = text.replace("    default-binder: clicks\n", "").partition("      orders:\n")
    only = head.replace(", binder: orders", "") + tail[tail.index("      clicks:\n") :]
    assert [texts(r)["bootstrap.servers"] for r in read("application.yml", only).resources] == [
        "clicks:9092",
        "clicks:9092",
    ]


def test_binders_without_bindings_are_a_client_each() -> None:
    lines = [line for line in BINDERS.splitlines(True) if "-0: {" not in line]
    found = read("application.yml", "".join(lines)).resources
    assert [(r.kind, texts(r)["bootstrap.servers"]) for r in found] == [
        ("client", "clicks:9092"),
        ("client", "orders:9092"),
    ]


def test_the_streams_binder_has_a_tree_of_its_own() -> None:
    text = """\
        spring.cloud.stream:
          bindings:
            count-in-0: {destination: a}
          kafka.streams:
            bindings: {count-in-0: {consumer: {application-id: counting}}}
            binder:
              brokers: k1:9092
              configuration: {commit.interval.ms: 100}
        """
    (streams,) = read("application.yml", text).resources
    assert (streams.kind, streams.name) == ("streams", "counting")
    assert texts(streams) == {
        "bootstrap.servers": "k1:9092",
        "commit.interval.ms": "100",
        "application.id": "counting",
    }


TOTALS = """\
spring.cloud.function.definition=totals
spring.cloud.stream.kafka.binder.replication-factor=3
spring.cloud.stream.kafka.streams.binder.brokers=k1:9092
spring.cloud.stream.bindings.totals-in-0.destination=orders
spring.cloud.stream.bindings.totals-out-0.destination=totals
"""
CLOUD = "spring.cloud.stream."


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ("", True),
        ("-spring.cloud.function.definition=totals", True),
        (f"{CLOUD}kafka.binder.brokers=k1:9092", True),
        (f"{CLOUD}kafka.streams.binder.replicationFactor=2", False),
        (f"-{CLOUD}kafka.streams.binder.brokers=k1:9092", False),
        ("spring.cloud.function.definition=totals;mails", False),
        ("spring.cloud.function.definition=${FUNCTION}", False),
        ("spring.cloud.function.definition=others", False),
        (f"{CLOUD}bindings.mails-out-0.destination=mails", False),
        (f"{CLOUD}bindings.output.destination=mails", False),
        (f"{CLOUD}bindings.totals-in-0.binder=kafka", False),
        (f"{CLOUD}kafka.bindings.totals-in-0.consumer.start-offset=earliest", False),
        (f"{CLOUD}kafka.bindings.totals-out-0.producer.topic.properties.retention.ms=1", False),
        (f"{CLOUD}binders.one.type=kafka", False),
        (f"{CLOUD}binders.one.environment.spring.kafka.bootstrap-servers=k2:9092", False),
        (f"{CLOUD}output-bindings=mails", False),
        (f"{CLOUD}source=mails", False),
        (f"{CLOUD}default-binder=kafka", False),
    ],
)
def test_how_topics_are_made_is_told_to_the_binder_that_makes_them(
    changed: str, told: bool
) -> None:
    if changed.startswith("-"):
        text = TOTALS.replace(changed[1:], "")
    else:
        text = f"{TOTALS}{changed}\n"
    project = lint({"application.properties": text})
    assert [one.startswith("KC0134 ") for one in found(project)].count(True) == told


QUARKUS = """\
kafka.bootstrap.servers=k1:9092
%prod.kafka.bootstrap.servers=k9:9092
mp.messaging.connector.smallrye-kafka.max.poll.records=50
mp.messaging.incoming.orders.connector=smallrye-kafka
mp.messaging.incoming.orders.topics=orders, returns
mp.messaging.incoming.orders.batch=true
mp.messaging.incoming.orders.failure-strategy=dead-letter-queue
mp.messaging.incoming.orders.dead-letter-queue.topic=dlq
mp.messaging.incoming.orders.fetch.min.bytes=${MIN:7}
mp.messaging.outgoing."paid".connector=smallrye-kafka
mp.messaging.outgoing."paid".key.serializer=a.B
mp.messaging.outgoing."paid".batch.size=100
mp.messaging.incoming.rain.connector=smallrye-mqtt
mp.messaging.incoming.rain.fetch.min.bytes=-5
quarkus.kafka-streams.application-id=joins
kafka-streams.num.stream.threads=3
"""


def test_channels_of_quarkus() -> None:
    document = read("application.properties", QUARKUS)
    assert document.format == "mp-properties"
    names = [f"{r.kind} {r.name}" for r in document.resources]
    assert names == ["consumer orders", "producer paid", "streams joins"] * 2
    orders, paid, joins, again, *_ = document.resources
    assert texts(orders) == {
        "bootstrap.servers": "k1:9092",
        "max.poll.records": "50",
        "fetch.min.bytes": "7",
    }
    assert texts(again)["bootstrap.servers"] == "k9:9092"
    assert orders.traits.topics == ("orders", "returns")
    assert texts(paid) == {
        "bootstrap.servers": "k1:9092",
        "key.serializer": "a.B",
        "batch.size": "100",
    }
    assert paid.traits.topics == ("paid",)
    assert texts(joins)["num.stream.threads"] == "3"
    assert under(QUARKUS, paid.settings["batch.size"].at) == "100"


def test_quarkus_in_yaml() -> None:
    text = """\
        mp:
          messaging:
            outgoing:
              prices: {connector: smallrye-kafka, acks: 1}
        kafka: {bootstrap: {servers: "k1:9092"}}
        """
    document = read("application.yaml", text)
    (producer,) = document.resources
    assert document.format == "mp-yaml"
    assert texts(producer) == {"bootstrap.servers": "k1:9092", "acks": "1"}


DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: orders, namespace: shop}
spec:
  template:
    spec:
      containers:
        - name: app
          image: registry/acme/orders:1.2
          env:
            - {name: SPRING_KAFKA_BOOTSTRAP_SERVERS, value: "kafka:9092"}
            - {name: SPRING_KAFKA_CONSUMER_AUTO_OFFSET_RESET, value: latest}
            - {name: SPRING_KAFKA_CONSUMER_MAXPOLLRECORDS, value: "50"}
            - {name: SPRING_KAFKA_CONSUMER_GROUP_ID, value: orders}
            - {name: SPRING_KAFKA_PRODUCER_PROPERTIES_LINGER_MS, value: two}
            - {name: SPRING_KAFKA_PRODUCER_TRANSACTION_ID_PREFIX, value: tx}
            - {name: SPRING_KAFKA_PRODUCER_ACKS, valueFrom: {secretKeyRef: {name: a, key: b}}}
            - {name: SPRING_KAFKA_STREAMS_APPLICATION_ID, value: totals}
            - {name: SPRING_KAFKA_ORDERS_TOPIC, value: orders}
            - {name: SPRING_KAFKA_PROPERTIES, value: none}
            - {name: SPRING_KAFKA_CONSUMER, value: none}
"""


def test_spring_in_the_variables_of_a_pod() -> None:
    document = read("app.yaml", DEPLOYMENT)
    assert (document.format, document.status) == ("k8s-plain", READ)
    consumer, producer = document.resources
    assert (consumer.name, producer.name) == ("orders", "orders")
    assert texts(consumer) == {
        "bootstrap.servers": "kafka:9092",
        "auto.offset.reset": "latest",
        "max.poll.records": "50",
    }
    # What the program brings along nobody sees: its group, for one.
    assert consumer.image["group.id"].text is None
    assert consumer.traits.partial and consumer.traits.namespace == "shop"
    assert texts(producer) == {"bootstrap.servers": "kafka:9092", "linger.ms": "two", "acks": None}
    assert under(DEPLOYMENT, producer.settings["linger.ms"].at) == "two"
    assert producer.settings["linger.ms"].name == "SPRING_KAFKA_PRODUCER_PROPERTIES_LINGER_MS"


def test_variables_of_spring_come_from_the_maps_of_the_file_too() -> None:
    text = """\
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: settings}
        data: {SPRING_KAFKA_CONSUMER_MAX_POLL_RECORDS: "50"}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: orders}
        spec:
          template:
            spec: {containers: [{name: app, image: acme/orders, envFrom: [{configMapRef: {name: settings}}]}]}
        """
    (consumer,) = read("app.yaml", text).resources
    assert texts(consumer) == {"max.poll.records": "50"}
    assert not consumer.traits.namespace
    other = text.replace("SPRING_KAFKA_CONSUMER_MAX_POLL_RECORDS", "SPRING_KAFKA_X")
    assert read("app.yaml", other).resources == []


def test_spring_in_the_variables_of_a_service() -> None:
    text = """\
        services:
          app:
            image: acme/orders
            environment: [SPRING_KAFKA_PRODUCER_ACKS=1, SPRING_KAFKA_PRODUCER_BATCHSIZE=9KB]
          kafka:
            image: apache/kafka:4.1.0
            environment: {SPRING_KAFKA_PRODUCER_ACKS: 1}
        """
    document = read("docker-compose.yml", text)
    assert [f"{r.kind} {r.name}" for r in document.resources] == ["producer app", "broker kafka"]
    assert texts(document.resources[0]) == {"acks": "1", "batch.size": "9216"}


def test_quarkus_in_yaml_with_dots_in_its_names() -> None:
    # At the root, releases of SmallRye differ; below another key, all of them put it in quotes.
    text = """\
        mp.messaging.incoming.prices:
          connector: smallrye-kafka
          auto.offset.reset: latest
          fetch: {min: {bytes: 7}}
        mp.messaging.outgoing:
          paid.eu: {connector: smallrye-kafka, acks: 1}
        kafka: {bootstrap.servers: "k1:9092"}
        """
    document = read("application.yaml", text)
    consumer, producer = document.resources
    assert document.format == "mp-yaml"
    assert (consumer.name, producer.name) == ("prices", "paid.eu")
    assert texts(consumer) == {"fetch.min.bytes": "7"}
    assert texts(producer) == {"acks": "1"}
    unread = [note.setting.key for note in consumer.notes]
    assert unread == ["auto.offset.reset", "bootstrap.servers"]


def test_quarkus_in_properties_with_quotes_in_its_names() -> None:
    text = """\
        kafka.bootstrap.servers=k1:9092
        mp.messaging.incoming."prices.eu".connector=smallrye-kafka
        mp.messaging.incoming."prices.eu"."group.id"=billing
        mp.messaging.incoming."prices.eu".auto.offset.reset=latest
        """
    (consumer,) = read("application.properties", text).resources
    assert consumer.name == "prices.eu" and "group.id" not in consumer.settings
    assert texts(consumer)["auto.offset.reset"] == "latest"
    assert [note.setting.key for note in consumer.notes] == ["group.id"]


def test_channels_that_nobody_gives_a_connector_are_kafkas_by_their_keys_alone() -> None:
    kafka = "mp.messaging.incoming.a.value.deserializer=x.Y\nmp.messaging.outgoing.b.topic=t\n"
    assert len(read("application.properties", kafka).resources) == 2
    pulsar = "mp.messaging.incoming.a.topic=persistent://x\nmp.messaging.outgoing.b.schema=t\n"
    document = read("application.properties", pulsar)
    assert document.resources == [] and document.status == PASSED_OVER


def test_clients_of_micronaut() -> None:
    text = """\
        micronaut: {application: {name: shop}}
        kafka:
          enabled: true
          bootstrap.servers: k1:9092
          security.protocol: SSL
          session.timeout.ms: 9000
          producers:
            default: {retries: 5}
            orders: {acks: all}
          consumers:
            billing: {session.timeout.ms: 8000}
        """
    document = read("application.yml", text)
    assert document.format == "micronaut-yaml"
    default, orders, billing = document.resources
    assert texts(default) == {
        "bootstrap.servers": "k1:9092",
        "security.protocol": "SSL",
        "retries": "5",
    }
    assert (orders.kind, orders.name, texts(orders)["acks"]) == ("producer", "orders", "all")
    assert (billing.kind, texts(billing)["session.timeout.ms"]) == ("consumer", "8000")


def test_a_tree_of_raw_properties() -> None:
    text = "kafka:\n  properties:\n    bootstrap.servers: k1:9092\n    application.id: flat\n    acks: all\n"
    (streams,) = read("application.yml", text).resources
    assert (streams.kind, streams.name) == ("streams", "flat")


NOT_OURS = {
    "an application's own tree": (
        "application.yml",
        "kafka: {topics: {a: b}, consumer: {group-id: {a: b}}}\n",
    ),
    "a list where Spring wants a tree": (
        "application.yml",
        "spring.kafka:\n  - consumer.group-id: a\n",
    ),
    "a template of Helm": ("application.yml", "spring:\n  kafka:\n    {{- toYaml . }}\n"),
    "messages over RabbitMQ": (
        "application.yml",
        "spring.cloud.stream: {bindings: {in-0: {destination: kafka}}, rabbit: {binder: {}}}\n",
    ),
}


@pytest.mark.parametrize(("path", "text"), NOT_OURS.values(), ids=NOT_OURS)
def test_what_only_looks_like_it(path: str, text: str) -> None:
    document = read(path, text)
    assert document.resources == [] and document.problems == []
    assert document.status in (PASSED_OVER, SKIPPED)


QUIET = {
    "schema registry, rest proxy and ksqldb": {
        "schema-registry.properties": (
            "listeners=http://0.0.0.0:8081\n"
            "kafkastore.bootstrap.servers=PLAINTEXT://k:9092\n"
            "kafkastore.acks=7\nkafkastore.timeout.ms=500\nkafkastore.topic=_schemas\n"
        ),
        "kafka-rest.properties": "listeners=http://0.0.0.0:8082\nbootstrap.servers=k:9092\n"
        "id=rest-1\nproducer.threads=5\n",
        "ksql-server.properties": (
            "listeners=http://0.0.0.0:8088\nbootstrap.servers=k:9092\nksql.acks=7\nksql.fail.on.deserialization.error=x\n"
        ),
    },
    "auto-commit, and the group in the program": {
        "application.yml": "spring.kafka: {bootstrap-servers: 'k1:9092', consumer: {enable-auto-commit: true}}\n"
    },
    "properties of the other client among those of all": {
        "application.yml": (
            "spring.kafka:\n  properties: {max.poll.interval.ms: 900000, linger.ms: 5}\n"
            "  consumer: {group-id: a}\n  producer: {acks: all}\n"
        )
    },
    "an alias bomb": {
        "application.yml": "a: &a {x: 1, y: 2}\nb: &b {x: *a, y: *a}\nc: &c {x: *b, y: *b}\n"
        "spring: {kafka: {properties: {x: *c}}}\n"
    },
}


@pytest.mark.parametrize("files", QUIET.values(), ids=QUIET)
def test_no_finding(files: dict[str, str]) -> None:
    assert found(lint(files)) == []


def test_clients_of_two_profiles_are_no_members_of_one_group() -> None:
    text = """\
        spring.kafka:
          consumer: {group-id: g, properties: {partition.assignment.strategy: a.RangeAssignor}}
        ---
        spring.config.activate.on-profile: prod
        spring.kafka.consumer.properties.partition.assignment.strategy: a.StickyAssignor
        """
    assert not [line for line in found(lint({"application.yml": text})) if "KC0910" in line]


PROFILES = """\
spring.kafka:
  bootstrap-servers: k1:9092
  security.protocol: SASL_SSL
  properties: {sasl.mechanism: PLAIN, sasl.jaas.config: "${LOGIN}"}
  consumer: {group-id: g}
---
spring.config.activate.on-profile: local
spring.kafka:
  bootstrap-servers: localhost:9092
  security.protocol: PLAINTEXT
"""


def test_a_profile_replaces_nothing_by_mistake() -> None:
    base, local = read("application.yml", PROFILES).resources
    assert base.earlier == [] and local.earlier == []
    assert texts(base)["sasl.mechanism"] == "PLAIN" and "sasl.mechanism" not in local.settings
    assert found(lint({"application.yml": PROFILES})) == []
    quarkus = "kafka.bootstrap.servers=a:1\n%dev.kafka.bootstrap.servers=b:1\nmp.messaging.incoming.x.connector=smallrye-kafka\n"
    assert found(lint({"application.properties": quarkus})) == []


def test_a_name_that_stands_twice_in_one_document_is_told() -> None:
    text = "spring.kafka.consumer.group-id=a\nspring.kafka.consumer.group-id=b\n"
    assert found(lint({"application.properties": text})) == ["KC0106 application.properties:2:32"]


def test_a_value_of_several_lines_is_what_the_image_writes_into_a_file() -> None:
    text = """\
        services:
          registry:
            image: confluentinc/cp-schema-registry:7.5.0
            environment:
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: k1:9092
              SCHEMA_REGISTRY_KAFKASTORE_SASL_JAAS_CONFIG: |
                \\
                a.Module required \\
                username="x";
        """
    (registry,) = read("docker-compose.yml", text).resources
    assert (registry.kind, registry.name) == ("client", "registry")
    assert registry.traits.topics == ("_schemas",)
    assert texts(registry)["sasl.jaas.config"] == 'a.Module required username="x";'


def test_the_frame_of_a_value_of_several_lines_is_what_the_image_writes_too() -> None:
    text = """\
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_PROCESS_ROLES: broker
              KAFKA_SASL_JAAS_CONFIG: |
                a.Module required \\
                username="$NAME";
        """
    (broker,) = read("docker-compose.yml", text).resources
    login = broker.settings["sasl.jaas.config"]
    assert isinstance(login, Framed)
    assert login.frame == 'a.Module required username="${NAME}";'


def test_the_rest_proxy_judges_no_value_that_none_of_its_clients_gets() -> None:
    text = "listeners=http://0.0.0.0:8082\nbootstrap.servers=k:9092\nacks=7\nid=rest-1\n"
    assert found(lint({"kafka-rest.properties": text})) == ["KC0161 kafka-rest.properties:3:1"]


def test_what_maven_fills_in_is_unknown_and_no_error_of_yaml() -> None:
    text = """\
        info:
          version: @project.version@
          build: [@a@]
        spring:
          kafka:
            client-id: @project.artifactId@-1   # the module
            bootstrap-servers: k1:9092
            consumer: {group-id: shop}
    """
    document = read("application.yml", text.replace("[@a@]", "1"))
    assert document.problems == []
    (consumer,) = document.resources
    assert texts(consumer)["client.id"] is None
    assert texts(consumer)["group.id"] == "shop"
    assert read("application.yml", text).problems != []
