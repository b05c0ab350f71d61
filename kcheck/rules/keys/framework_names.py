"""KC0138, KC0139, KC0153, KC0154, KC0186: names of connectors, binders and functions in the files of frameworks."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.nodes import Node
from kcheck.model import ERROR, WARNING, Finding, Note
from kcheck.rule import rule
from kcheck.rules.shared.keys_wording import noted


@rule("KC0153", "channel-connector", ERROR)
def channel_connector(note: Note, node: Node) -> Iterator[Finding]:
    """A channel of Reactive Messaging names a connector that does not exist.

    SmallRye registers the Kafka connector as smallrye-kafka. Names of other connectors are not
    reported.

    Bad:
        --- application.properties
        kafka.bootstrap.servers=k1.example.com:9092
        mp.messaging.incoming.orders.connector=smallrye-kakfa
        mp.messaging.incoming.orders.topic=orders
    Good:
        --- application.properties
        kafka.bootstrap.servers=k1.example.com:9092
        mp.messaging.incoming.orders.connector=smallrye-kafka
        mp.messaging.incoming.orders.topic=orders
        mp.messaging.outgoing.mails.connector=smallrye-amqp
    """
    yield noted(note, node)


@rule("KC0139", "spring-bootstrap-file", WARNING)
def spring_bootstrap_file(note: Note, node: Node) -> Iterator[Finding]:
    """Serializers in a bootstrap file of Spring Cloud are replaced by the Kafka binder.

    With the Kafka binder of Spring Cloud Stream, also below Spring Cloud Bus, the application gets
    default serializers for byte arrays. They rank above bootstrap.yml, and below application.yml.

    Bad:
        --- src/main/resources/bootstrap.yml
        spring:
          application: {name: tariffs}
          kafka:
            bootstrap-servers: k1:9092
            producer: {value-serializer: org.apache.kafka.common.serialization.StringSerializer}
        --- build.gradle
        dependencies { implementation 'org.springframework.cloud:spring-cloud-starter-bus-kafka' }
    Good:
        --- src/main/resources/application.yml
        spring:
          application: {name: tariffs}
          kafka:
            bootstrap-servers: k1:9092
            producer: {value-serializer: org.apache.kafka.common.serialization.StringSerializer}
        --- build.gradle
        dependencies { implementation 'org.springframework.cloud:spring-cloud-starter-bus-kafka' }
    Good: no binder
        --- src/main/resources/bootstrap.yml
        spring:
          application: {name: tariffs}
          kafka:
            bootstrap-servers: k1:9092
            producer: {value-serializer: org.apache.kafka.common.serialization.StringSerializer}
        --- build.gradle
        dependencies { implementation 'org.springframework.kafka:spring-kafka' }
    """
    yield noted(note, node)


@rule("KC0154", "stream-names", WARNING, versions="Spring Cloud Stream 3.0+")
def stream_names(note: Note, node: Node) -> Iterator[Finding]:
    """A binding of Spring Cloud Stream names a binder or a function that is not configured.

    A binding's binder is one of spring.cloud.stream.binders where there are some. Bindings of
    functions are called FUNCTION-in-N and FUNCTION-out-N. Semicolons separate functions, commas compose
    them into one. Another profile may configure more.

    Bad: a binder
        --- application.yml
        spring:
          cloud:
            stream:
              binders:
                kafka-live: {type: kafka, environment: {spring.cloud.stream.kafka.binder.brokers: "k1:9092"}}
                kafka-old: {type: kafka, environment: {spring.cloud.stream.kafka.binder.brokers: "o1:9092"}}
              bindings:
                audit-in-0: {destination: audit, group: copier, binder: kafka-live}
                audit-out-0: {destination: audit, binder: kafkaOld}
    Bad: a function
        --- application.properties
        spring.cloud.function.definition=enrich
        spring.cloud.stream.bindings.enrichment-in-0.destination=raw
        spring.cloud.stream.bindings.enrichment-in-0.group=positions
        spring.cloud.stream.bindings.enrich-out-0.destination=positions
        spring.cloud.stream.kafka.binder.brokers=k1:9092
    Good:
        --- application.yml
        spring:
          cloud:
            function: {definition: enrich;audit|store}
            stream:
              binders:
                kafka-live: {type: kafka, environment: {spring.cloud.stream.kafka.binder.brokers: "k1:9092"}}
              bindings:
                enrich-in-0: {destination: raw, group: positions, binder: kafka-live}
                enrich-out-0: {destination: positions, binder: kafka-live}
                auditstore-in-0: {destination: raw, group: audit, binder: kafka-live}
                bridge-out-0: {destination: positions, binder: kafka-live}
    Bad: two functions, composed by a comma
        --- application.yml
        spring:
          cloud:
            function: {definition: "refunds,charges"}
            stream:
              bindings:
                refunds-in-0: {destination: refunds, group: ledger}
                charges-in-0: {destination: charges, group: ledger}
              kafka: {binder: {brokers: "k1:9092"}}
    Good: a composition that is bound as one
        --- application.yml
        spring:
          cloud:
            function: {definition: "parse,store"}
            stream:
              bindings:
                parsestore-in-0: {destination: raw, group: ledger}
              kafka: {binder: {brokers: "k1:9092"}}
    """
    yield noted(note, node)


@rule("KC0186", "channel-both-ways", ERROR)
def channel_both_ways(note: Note, node: Node) -> Iterator[Finding]:
    """A channel of Reactive Messaging is configured as incoming and as outgoing.

    A channel has one direction. SmallRye rejects the names that both have, whatever their connectors
    (SRMSG00073); two channels may have the same topic.

    Bad:
        --- application.properties
        kafka.bootstrap.servers=k1.example.com:9092
        mp.messaging.incoming.orders.connector=smallrye-kafka
        mp.messaging.outgoing.orders.connector=smallrye-kafka
        mp.messaging.outgoing.orders.topic=orders-checked
    Bad: YAML
        --- application.yaml
        kafka: {bootstrap: {servers: "k1.example.com:9092"}}
        mp:
          messaging:
            incoming: {orders: {connector: smallrye-kafka, topic: orders}}
            outgoing: {orders: {connector: smallrye-amqp}}
    Good:
        --- application.properties
        kafka.bootstrap.servers=k1.example.com:9092
        mp.messaging.incoming.orders-in.connector=smallrye-kafka
        mp.messaging.incoming.orders-in.topic=orders
        mp.messaging.outgoing.orders-out.connector=smallrye-kafka
        mp.messaging.outgoing.orders-out.topic=orders
    Good: one of each profile
        --- application.properties
        kafka.bootstrap.servers=k1.example.com:9092
        %reader.mp.messaging.incoming.orders.connector=smallrye-kafka
        %writer.mp.messaging.outgoing.orders.connector=smallrye-kafka
    """
    yield noted(note, node)


@rule("KC0138", "stream-not-bound", WARNING, versions="Spring Cloud Stream 3.0+")
def stream_not_bound(note: Note, node: Node) -> Iterator[Finding]:
    """A property of a binding or binder does not exist in Spring Cloud Stream, but a similar one does.

    Spring binds camel case and dashes alike, and silently ignores all other names.

    Bad:
        --- application.yml
        spring:
          cloud:
            stream:
              bindings:
                audit-in-0: {destination: audit, groups: auditors, consumer: {max-attempt: 5}}
              kafka:
                binder: {brokers: "k1:9092", replication-factors: 3}
    Good:
        --- application.yml
        spring:
          cloud:
            stream:
              bindings:
                audit-in-0: {destination: audit, group: auditors, consumer: {maxAttempts: 5}}
              kafka:
                binder: {brokers: "k1:9092", replicationFactor: 3, configuration: {acks: all}}
    Bad: the serde of a Streams binding at the message binder
        --- application.yml
        spring:
          cloud:
            stream:
              bindings: {totals-in-0: {destination: usage}}
              kafka:
                streams: {binder: {brokers: "k1:9092", applicationId: totals}}
                bindings: {totals-in-0: {consumer: {keySerde: org.example.KeySerde}}}
    Good: at the binder of Streams
        --- application.yml
        spring:
          cloud:
            stream:
              bindings: {totals-in-0: {destination: usage}}
              kafka:
                streams:
                  binder: {brokers: "k1:9092", applicationId: totals}
                  bindings: {totals-in-0: {consumer: {keySerde: org.example.KeySerde}}}
    """
    yield noted(note, node)
