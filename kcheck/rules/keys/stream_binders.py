"""KC01: settings of Spring Cloud Stream on a binder, or a level, that does not read them."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.nodes import Node
from kcheck.model import WARNING, Finding, Note
from kcheck.rule import rule
from kcheck.rules.keys.frameworks import name_finding


@rule("KC0132", "stream-binder-brokers", WARNING)
def stream_binder_brokers(note: Note, node: Node) -> Iterator[Finding]:
    """The brokers are set on the other binder of Spring Cloud Stream.

    The message binder and the Kafka Streams binder have separate property trees. Without its own
    brokers, and without spring.kafka.bootstrap-servers, the Streams binder connects to localhost:9092.

    Bad:
        --- application.yml
        spring:
          cloud:
            stream:
              kafka:
                binder: {brokers: "k1.example.com:9092"}
                streams: {binder: {configuration: {commit.interval.ms: 1000}}}
    Good:
        --- application.yml
        spring:
          cloud:
            stream:
              kafka:
                streams:
                  binder:
                    brokers: k1.example.com:9092
                    configuration: {commit.interval.ms: 1000}
    Good: for all binders
        --- application.yml
        spring:
          kafka: {bootstrap-servers: "k1.example.com:9092"}
          cloud:
            stream:
              kafka:
                binder: {brokers: "k1.example.com:9092"}
                streams: {binder: {configuration: {commit.interval.ms: 1000}}}
    Bad: the address that holds anyway, an info
        --- application.yml
        spring:
          cloud:
            stream:
              kafka:
                binder: {brokers: "localhost:9092"}
                streams: {binder: {configuration: {commit.interval.ms: 1000}}}
    """
    yield from name_finding(note, node)


@rule("KC0134", "stream-binder-topics", WARNING, versions="Spring Cloud Stream 3.0+")
def stream_binder_topics(note: Note, node: Node) -> Iterator[Finding]:
    """Topic provisioning settings are set on a binder that creates no topics.

    Each binder reads the replication factor and the partition count of the topics it creates from its
    own property tree. Reported only if the application has one function and configures the Streams
    binder for it.

    Bad:
        --- application.yml
        spring:
          cloud:
            function: {definition: totals}
            stream:
              kafka:
                binder: {replicationFactor: 3}
                streams: {binder: {brokers: "k1.example.com:9092"}}
              bindings:
                totals-in-0: {destination: orders}
    Good:
        --- application.yml
        spring:
          cloud:
            function: {definition: totals}
            stream:
              kafka:
                streams: {binder: {brokers: "k1.example.com:9092", replicationFactor: 3}}
              bindings:
                totals-in-0: {destination: orders}
    Good: a function for each binder
        --- application.yml
        spring:
          cloud:
            function: {definition: totals;mails}
            stream:
              kafka:
                binder: {replicationFactor: 3}
                streams: {binder: {brokers: "k1.example.com:9092"}}
              bindings:
                totals-in-0: {destination: orders}
                mails-in-0: {destination: mails}
    """
    yield from name_finding(note, node)


@rule("KC0160", "stream-binding-level", WARNING)
def stream_binding_level(note: Note, node: Node) -> Iterator[Finding]:
    """A property of a binding is on the wrong level of Spring Cloud Stream.

    spring.cloud.stream.bindings.NAME.consumer has the properties that all binders share, such as
    max-attempts; spring.cloud.stream.kafka.bindings.NAME.consumer has those of the Kafka binder, such
    as enable-dlq. On the other level they are ignored, and so are Kafka's own keys outside of
    configuration.

    Bad: a property of the Kafka binder
        --- application.properties
        spring.cloud.stream.bindings.ship-in-0.destination=shipments
        spring.cloud.stream.bindings.ship-in-0.group=warehouse
        spring.cloud.stream.bindings.ship-in-0.consumer.enable-dlq=true
        spring.cloud.stream.kafka.binder.brokers=k1.example.com:9092
    Bad: a property of all binders
        --- application.yml
        spring:
          cloud:
            stream:
              bindings: {scan-in-0: {destination: parcels, group: sorter}}
              kafka:
                binder: {brokers: "k1.example.com:9092"}
                bindings: {scan-in-0: {consumer: {maxAttempts: 8}}}
    Bad: a key of Kafka's
        --- application.yml
        spring:
          cloud:
            stream:
              bindings: {scan-in-0: {destination: parcels, group: sorter}}
              kafka:
                binder: {brokers: "k1.example.com:9092", security.protocol: SSL}
                bindings: {scan-in-0: {max.poll.records: 50, consumer: {fetch.min.bytes: 1000}}}
    Bad: a map that the Streams binder does not read
        --- application.yml
        spring:
          cloud:
            stream:
              bindings: {totals-in-0: {destination: orders}}
              kafka:
                streams:
                  binder:
                    brokers: "k1.example.com:9092"
                    applicationId: totals
                    consumerProperties: {max.poll.records: 50}
    Bad: of a producer
        --- application.properties
        spring.cloud.stream.bindings.ship-out-0.destination=shipments
        spring.cloud.stream.bindings.ship-out-0.producer.compression-type=zstd
        spring.cloud.stream.kafka.binder.brokers=k1.example.com:9092
    Good:
        --- application.properties
        spring.cloud.stream.bindings.ship-in-0.destination=shipments
        spring.cloud.stream.bindings.ship-in-0.group=warehouse
        spring.cloud.stream.bindings.ship-in-0.consumer.max-attempts=8
        spring.cloud.stream.kafka.bindings.ship-in-0.consumer.enable-dlq=true
        spring.cloud.stream.kafka.binder.brokers=k1.example.com:9092
    """
    yield from name_finding(note, node)
