"""KC013x: names that an application framework does not bind as intended.

The format that reads Spring, Quarkus and similar files notes the faults; the rules report them.
"""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Consumer
from kcheck.graph.nodes import Node
from kcheck.model import ERROR, INFO, WARNING, Finding, Note
from kcheck.rule import rule
from kcheck.rules.shared.keys_wording import key_evidence
from kcheck.rules.shared.renaming import needless


def name_finding(note: Note, node: Node) -> Iterator[Finding]:
    yield node.finding(
        note.message,
        at=key_evidence(node, note.setting, note.setting.name),
        breaks=note.consequence,
        fix=note.fix,
        severity=INFO if needless(note, node) else note.severity,
    )


@rule(
    "KC0130",
    "spring-not-bound",
    WARNING,
    invariants=("spring-unbound-key",),
    versions="Spring Boot 2.7–4.1",
)
def spring_not_bound(note: Note, node: Node) -> Iterator[Finding]:
    """A spring.kafka. property looks like a Kafka setting, but Spring Boot does not bind it.

    Spring Boot has typed properties for a few settings only, most without their unit
    (``heartbeat-interval``, ``fetch-max-wait``). All others are set under ``properties`` with Kafka's
    own name. Any other name is silently ignored. Names that are not Kafka settings belong to the
    application and are not reported.

    Bad: no such property
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1:9092
            producer: {acks: all, linger-ms: 20}
    Bad: with its unit
        --- application.properties
        spring.kafka.bootstrap-servers=k1:9092
        spring.kafka.consumer.heartbeat-interval-ms=3000
    Bad: misspelt
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1:9092
            consumer: {group-id: clerk, auto-offset-rest: earliest, enable-auto-comit: false}
    Bad: an info, because Spring starts no listener without a group: the application reads this name
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1:9092
            group-id: settlements
    Bad: a renamed property
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1:9092
            streams: {application-id: totals, cache-max-bytes-buffering: 10485760}
    Good:
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1:9092
            consumer: {heartbeatInterval: 3s, fetch-max-wait: 500}
            producer:
              acks: all
              properties: {linger.ms: 20, "[max.in.flight.requests.per.connection]": 5}
    Good: a property of the application
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1:9092
            topic: {name: orders}
            consumer: {group-id: orders, backoff-interval: 15000}
    Good: the application takes its value elsewhere
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1:9092
            producer: {linger-ms: 20}
        collector:
          options: "linger.ms=${spring.kafka.producer.linger-ms}"
    Bad: a client of Kafka Streams
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1:9092
            streams: {application-id: totals, consumer: {max-poll-records: 10}}
    Bad: a serializer of Streams
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1:9092
            streams:
              application-id: totals
              key-serializer: org.apache.kafka.common.serialization.StringSerializer
    Good: a client of Kafka Streams
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1:9092
            streams: {application-id: totals, properties: {consumer.max.poll.records: 10}}
    Bad: of the listeners
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1:9092
            consumer: {group-id: billing, ack-mode: manual_immediate}
    """
    yield from name_finding(note, node)


#: The clients in Spring Boot 3.1.
_BOOT_31 = "3.4"


@rule("KC0131", "spring-bootstrap-replaced", WARNING, versions="Spring Boot 3.1+")
def spring_bootstrap_replaced(note: Note, node: Node) -> Iterator[Finding]:
    """Newer versions of Spring Boot override bootstrap.servers under ``properties``.

    From 3.1 on Spring Boot sets bootstrap.servers last, from spring.kafka.bootstrap-servers or its
    default localhost:9092, regardless of ``properties``. Older versions use ``properties``.

    Bad:
        --- application.yml
        spring:
          kafka:
            properties: {bootstrap.servers: "k1.example.com:9092", request.timeout.ms: 20000}
    Good:
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1.example.com:9092
            properties: {request.timeout.ms: 20000}
    Good: equal values
        --- application.properties
        spring.kafka.bootstrap-servers=k1.example.com:9092
        spring.kafka.properties.bootstrap.servers=k1.example.com:9092
    Bad: an older Spring Boot, an info
        --- application.yml
        spring:
          kafka:
            properties: {bootstrap.servers: "k1.example.com:9092", request.timeout.ms: 20000}
        --- pom.xml
        <parent><artifactId>spring-boot-starter-parent</artifactId><version>2.7.18</version></parent>
    """
    for found in name_finding(note, node):
        if node.version.below(_BOOT_31):
            found.severity = INFO
        yield found


@rule("KC0133", "quarkus-not-read", WARNING)
def quarkus_not_read(note: Note, node: Node) -> Iterator[Finding]:
    """A Kafka setting or a channel is under a name that Quarkus does not read.

    kafka.bootstrap.servers applies to all clients and has no prefix quarkus; below
    quarkus.kafka-streams. are properties of Quarkus, below kafka-streams. the keys of Kafka Streams. The
    settings of a channel begin with mp.messaging., have Kafka's own names with dots or the connector's
    attributes with dashes. In YAML, a key with dots below another key is a name in quotes, which no
    connector reads.

    Bad:
        --- application.properties
        quarkus.kafka.bootstrap-servers=k1.example.com:9092
        mp.messaging.outgoing.prices.connector=smallrye-kafka
        mp.messaging.outgoing.prices.topic=prices
    Bad: a typo
        --- application.properties
        kafka.bootstrap.servers=k1.example.com:9092
        mp.messaging.outgoing.prices.connector=smallrye-kafka
        ms.messaging.incoming.orders.connector=smallrye-kafka
        ms.messaging.incoming.orders.topic=orders
    Bad: dashes
        --- application.properties
        kafka.bootstrap-servers=k1.example.com:9092
        mp.messaging.incoming.orders.connector=smallrye-kafka
        mp.messaging.incoming.orders.group-id=billing
    Bad: a misspelt attribute
        --- application.properties
        kafka.bootstrap.servers=k1.example.com:9092
        mp.messaging.incoming.orders.connector=smallrye-kafka
        mp.messaging.incoming.orders.failure-stategy=ignore
    Bad: a key with dots
        --- application.yaml
        kafka: {bootstrap: {servers: "k1.example.com:9092"}}
        mp:
          messaging:
            incoming:
              orders: {connector: smallrye-kafka, topic: orders, group.id: billing}
    Bad: a key of Kafka Streams
        --- application.properties
        quarkus.kafka-streams.bootstrap-servers=k1.example.com:9092
        quarkus.kafka-streams.application-id=totals
        quarkus.kafka-streams.num.stream.threads=4
    Bad: a key of all clients
        --- application.properties
        kafka.bootstrap.servers=k1.example.com:9092
        quarkus.kafka.request.timeout.ms=10000
        mp.messaging.outgoing.prices.connector=smallrye-kafka
    Good: nested keys, and a channel's name with a dot
        --- application.yaml
        kafka: {bootstrap: {servers: "k1.example.com:9092"}}
        mp:
          messaging:
            incoming:
              orders.eu: {connector: smallrye-kafka, topic: orders, group: {id: billing}}
    Good:
        --- application.properties
        kafka.bootstrap.servers=k1.example.com:9092
        quarkus.kafka.devservices.enabled=false
        quarkus.kafka-streams.topics=prices
        kafka-streams.num.stream.threads=4
        mp.messaging.incoming.orders.connector=smallrye-kafka
        mp.messaging.incoming.orders.group.id=billing
        mp.messaging.incoming.orders.failure-strategy=dead-letter-queue
        mp.messaging.incoming.orders.dead-letter-queue.max.block.ms=5000
        mp.messaging.outgoing.prices.connector=smallrye-kafka
        mp.messaging.outgoing.prices.topic=prices
    """
    yield from name_finding(note, node)


@rule("KC0161", "rest-proxy-prefix", WARNING)
def rest_proxy_prefix(note: Note, node: Node) -> Iterator[Finding]:
    """A client key of the REST Proxy has no prefix.

    The proxy passes settings to its clients, and to the client of Schema Registry, only behind client.,
    producer., consumer. or admin.

    Bad:
        --- kafka-rest.properties
        id=rest-1
        listeners=http://0.0.0.0:8082
        bootstrap.servers=k1.example.com:9094
        security.protocol=SSL
        client.ssl.truststore.location=/etc/kafka-rest/truststore.jks
    Good:
        --- kafka-rest.properties
        id=rest-1
        listeners=http://0.0.0.0:8082
        bootstrap.servers=k1.example.com:9094
        client.security.protocol=SSL
        client.ssl.truststore.location=/etc/kafka-rest/truststore.jks
    Good: TLS of the proxy's own listener
        --- kafka-rest.properties
        id=rest-1
        listeners=https://0.0.0.0:8082
        ssl.keystore.location=/etc/kafka-rest/keystore.jks
        bootstrap.servers=k1.example.com:9092
        client.request.timeout.ms=10000
    Bad: the login to Schema Registry
        --- kafka-rest.properties
        id=rest-1
        listeners=http://0.0.0.0:8082
        bootstrap.servers=k1.example.com:9092
        schema.registry.url=https://registry.example.com
        basic.auth.credentials.source=USER_INFO
    """
    yield from name_finding(note, node)


_ACK_MODE = "spring.kafka.listener.ack-mode"


_MANUAL = ("manual", "manual_immediate")


@rule("KC0174", "spring-manual-ack-autocommit", ERROR, on=("enable.auto.commit",))
def spring_manual_ack(consumer: Consumer) -> Iterator[Finding]:
    """A Spring listener acknowledges manually, but its consumer commits automatically.

    Spring rejects the combination when it creates a listener container. If enable-auto-commit is not
    set, Spring disables it.

    Bad:
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1:9092
            consumer: {group-id: billing, enable-auto-commit: true}
            listener: {ack-mode: manual}
    Good:
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1:9092
            consumer: {group-id: billing}
            listener: {ack-mode: manual}
    Good: disabled by Spring
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1:9092
            consumer: {group-id: billing, enable-auto-commit: true}
            listener: {ack-mode: record}
    """
    mode, commits = consumer.fact(_ACK_MODE), consumer["enable.auto.commit"]
    name = (mode.text or "").strip().lower().replace("-", "_")
    if name in _MANUAL and (commits.text or "").lower() == "true":
        yield consumer.finding(
            f"{consumer} sets {commits.key}=true, but its listeners acknowledge manually "
            f"({mode.key}={mode.text})",
            at=commits,
            because=(mode,),
            breaks="Spring fails to start the listeners: a consumer cannot be configured for auto "
            f"commit for ackMode {name.upper()}",
            fix="set enable-auto-commit: false",
            set_to="false",
        )
