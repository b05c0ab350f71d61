"""KC10: the addresses of a broker under the keys that Kafka had before listeners."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.nodes import Broker
from kcheck.model import INFO, WARNING, Finding
from kcheck.rule import rule
from kcheck.wording import plain

#: (key of the host, key of the port, the list that Kafka 2 uses in their place).
_FORMER = (
    ("advertised.host.name", "advertised.port", "advertised.listeners"),
    ("host.name", "port", "listeners"),
)
_TOLD = "advertised.listeners"


@rule("KC1055", "former-address-inert", WARNING, versions="-2.8")
def former_address_inert(broker: Broker) -> Iterator[Finding]:
    """host.name or advertised.host.name has no effect beside listeners or advertised.listeners.

    Until 2.8 Kafka reads host.name and port only without listeners, advertised.host.name and
    advertised.port only without advertised.listeners. Images that set the lists themselves take away the
    effect of the older keys. If the file sets both it is an info finding.

    Bad: the image sets both lists
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:2.8.1
            environment:
              ALLOW_PLAINTEXT_LISTENER: "yes"
              KAFKA_CFG_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_CFG_ADVERTISED_HOST_NAME: 10.20.0.15
    Bad: both
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:5.5.1
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
              KAFKA_ADVERTISED_HOST_NAME: 10.20.0.15
              KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: 1
    Good:
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:2.8.1
            environment:
              ALLOW_PLAINTEXT_LISTENER: "yes"
              KAFKA_CFG_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_CFG_ADVERTISED_LISTENERS: PLAINTEXT://10.20.0.15:9092
    Good: no lists
        --- server.properties
        broker.id=1
        zookeeper.connect=z1:2181
        inter.broker.protocol.version=2.4
        advertised.host.name=10.20.0.15
    Good: the same address
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:5.5.1
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
              KAFKA_ADVERTISED_HOST_NAME: kafka
              KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: 1
    """
    if not broker.version.below("3.0"):
        return
    for host, port, instead in _FORMER:
        told, used = broker[host], broker[instead]
        own = instead in broker.resource.settings
        if not told.written or not told.text or not (own or instead in broker.resource.image):
            continue
        if own and (used.text is None or told.text in used.text):
            continue
        yield broker.finding(
            f"{broker} sets {plain(told)}, but Kafka uses {instead}"
            + (f"={used.text}" if own else ", which the image sets"),
            at=told,
            because=(used,) if own else (),
            breaks="the key has no effect: the broker is not found at this address",
            fix=f"set {' and '.join(dict.fromkeys((instead, _TOLD)))}, and remove {host} and {port}",
            severity=INFO if own else WARNING,
        )
