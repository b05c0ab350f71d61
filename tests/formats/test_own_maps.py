"""Kafka's keys under an application's own names, in the spellings that frameworks take for one."""

from __future__ import annotations

from textwrap import dedent

import pytest

from kcheck import formats
from kcheck.engine import lint_project
from kcheck.model import PASSED_OVER, Document, Resource
from kcheck.settings import Settings


def read(path: str, text: str) -> Document:
    data = dedent(text).encode()
    return formats.read(path, data, {path: data}.get)


def clients(
    text: str, path: str = "application.yml"
) -> list[tuple[str, str, dict[str, str | None]]]:
    return [(one.kind, one.name, texts(one)) for one in read(path, text).resources]


def texts(resource: Resource) -> dict[str, str | None]:
    return {key: setting.text for key, setting in resource.settings.items()}


@pytest.mark.parametrize(
    "name",
    [
        "max-poll-records",
        "maxPollRecords",
        "max_poll_records",
        "max.poll.records",
        "MAX_POLL_RECORDS",
    ]
    + ["max-poll-records-config", "properties.max.poll.records", '"properties[max.poll.records]"'],
)
def test_every_spelling_of_a_key_is_the_key(name: str) -> None:
    text = f"app:\n  kafka:\n    consumer:\n      {name}: 7\n      group-id: billing\n"
    ((kind, client, found),) = clients(text)
    assert (kind, client) == ("consumer", "billing")
    assert found == {"max.poll.records": "7", "group.id": "billing"}


def test_what_stands_around_and_beside_holds_for_each_role() -> None:
    text = """\
        kafka-config: {bootstrap-servers: "k1:9092, k2:9092", num-of-partitions: 3}
        kafka-producer-config:
          key-serializer-class: a.B
          linger-ms: 5
          batch-size-boost-factor: 100
        kafka-consumer-config: {auto-offset-reset: earliest, max-poll-records: 500}
        """
    producer, consumer = clients(text)
    assert producer == (
        "producer",
        "kafka-producer-config",
        {"bootstrap.servers": "k1:9092, k2:9092", "key.serializer": "a.B", "linger.ms": "5"},
    )
    assert consumer[2]["bootstrap.servers"] == "k1:9092, k2:9092"


def test_clusters_of_ones_own_below_spring_kafka() -> None:
    text = """\
        spring.kafka.west.bootstrap-servers=w:9092
        spring.kafka.west.consumer.group-id=billing
        spring.kafka.east.bootstrap-servers=e:9092
        spring.kafka.east.producer.acks=all
        """
    found = [
        (kind, told["bootstrap.servers"])
        for kind, _, told in clients(text, "application.properties")
    ]
    assert found == [("consumer", "w:9092"), ("producer", "e:9092")]


def test_placeholders_and_profiles_are_filled_in() -> None:
    text = """\
        brokers: "k:9092"
        app.kafka: {bootstrap-servers: "${brokers}", producer: {linger-ms: "${LINGER:5}", acks: all}}
        ---
        spring.config.activate.on-profile: prod
        brokers: "p:9092"
        app.kafka.producer.acks: 1
        """
    base, prod = read("application.yml", text).resources
    assert texts(base) == {"bootstrap.servers": "k:9092", "linger.ms": "5", "acks": "all"}
    assert texts(prod) == {"bootstrap.servers": "p:9092", "linger.ms": "5", "acks": "1"}
    assert (prod.traits.profile, prod.traits.partial) == ("prod", True)


def test_what_the_application_has_to_convert_is_unknown() -> None:
    text = """\
        app.kafka.producer:
          linger-ms: 5ms
          compression-type: ZSTD
          delivery-timeout-ms: 2m
          enable-idempotence: true
          sasl-jaas-config: fake
          value-serializer: json
        """
    ((_, _, found),) = clients(text)
    assert found == {
        "sasl.jaas.config": None,
        "value.serializer": None,
        "linger.ms": None,
        "compression.type": None,
        "delivery.timeout.ms": None,
        "enable.idempotence": "true",
    }


@pytest.mark.parametrize(
    ("path", "text"),
    [
        # What other programs have as well.
        ("application.yml", "app: {queue: {group-id: a, batch-size: 5, retries: 3}}\n"),
        ("application.yml", "app: {redis: {client-id: a, request-timeout-ms: 5}}\n"),
        # One key, and nothing that speaks of Kafka.
        ("application.yml", "app: {session-timeout-ms: 5, security-protocol: TLS}\n"),
        # Frameworks' own.
        ("application.yml", "management: {kafka: {bootstrap-servers: 'k:1', group-id: a}}\n"),
        ("application.yml", "spring: {jms: {listener: {session-timeout-ms: 5}}}\n"),
        # Topics alone.
        ("application.properties", "app.kafka.topic=orders\napp.kafka.consumer.concurrency=3\n"),
        # Of tests.
        ("src/test/resources/application.yml", "app: {kafka: {bootstrap-servers: 'k:1'}}\n"),
        # Of other frameworks.
        (
            "application.yaml",
            "ktor: {x: 1}\napp: {kafka: {bootstrap-servers: 'k:1', linger-ms: 5}}\n",
        ),
    ],
)
def test_without_evidence_there_is_no_client(path: str, text: str) -> None:
    document = read(path, text)
    assert (document.status, document.resources) == (PASSED_OVER, [])


def test_a_plain_word_is_a_key_of_a_producer_alone() -> None:
    text = "app.kafka: {bootstrap-servers: 'k:1', consumer: {retries: 3, acks: all, group-id: g}}\n"
    ((_, _, found),) = clients(text)
    assert found == {"bootstrap.servers": "k:1", "group.id": "g"}


def test_a_wrong_value_is_told_where_it_stands_and_by_its_own_name() -> None:
    data = b"app:\n  kafka:\n    bootstrap-servers: k:9092\n    producer:\n      acks: 2\n      linger.ms: x\n"
    project = lint_project([("application.yml", data)], Settings(), {"application.yml": data}.get)
    found = [(f.code, f.at[:2], f.fix.text if f.fix else "") for f in project.findings]
    # acks in a spelling that is Kafka's, too: a fault in any case.
    assert [(code, at) for code, at, _ in found] == [("KC0104", (5, 13)), ("KC0103", (6, 18))]
    assert "app.kafka.producer.acks" in found[0][2]


def test_many_holders_end_soon() -> None:
    lines = "".join(f"a{n}.kafka.consumer.max-poll-records={n}\n" for n in range(1, 4000))
    assert len(read("application.properties", lines).resources) <= 4000


def test_quarkus_maps_its_own_names_by_profile() -> None:
    text = """\
        quarkus.http.port=1
        kafka.bootstrap.servers=k:9092
        shop.kafka.bootstrap-servers=s:9092
        shop.kafka.consumer.max-poll-records=5
        %prod.shop.kafka.consumer.max-poll-records=50
        """
    base, prod = read("application.properties", text).resources
    assert texts(base) == {"bootstrap.servers": "s:9092", "max.poll.records": "5"}
    assert (prod.traits.profile, texts(prod)["max.poll.records"]) == ("prod", "50")
