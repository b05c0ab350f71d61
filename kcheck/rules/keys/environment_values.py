"""KC012x: variables of containers that images write as something else than was meant."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.nodes import Node
from kcheck.model import WARNING, Finding, Note
from kcheck.rule import rule
from kcheck.rules.keys.environment import noted


@rule("KC0123", "env-lines", WARNING)
def env_lines(note: Note, node: Node) -> Iterator[Finding]:
    """A variable has a multi-line value, but Kafka gets only the first line.

    The images write their variables to a properties file, where a line break ends a value and the
    next line is a separate key. A backslash at the end of a line joins it with the next.

    Bad:
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ADVERTISED_LISTENERS: |
                INTERNAL://kafka:9092,
                EXTERNAL://localhost:9094
    Good: a folded block is one line
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ADVERTISED_LISTENERS: >
                INTERNAL://kafka:9092,
                EXTERNAL://localhost:9094
    Good: joined lines
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_LISTENER_NAME_AUTH_PLAIN_SASL_JAAS_CONFIG: |
                org.apache.kafka.common.security.plain.PlainLoginModule required \\
                user_admin="secret";
    """
    yield from noted(note, node)


@rule("KC0125", "env-ssl-files", WARNING)
def env_ssl_files(note: Note, node: Node) -> Iterator[Finding]:
    """The image ignores keystore or truststore variables because its condition for them is not met.

    Apache's and Confluent's images turn KAFKA_SSL_…_FILENAME and …_CREDENTIALS into locations and
    passwords only if the name of an advertised listener ends in SSL. A listener named INTERNAL that
    listener.security.protocol.map maps to SSL needs KAFKA_SSL_…_LOCATION and …_PASSWORD.

    Bad:
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ADVERTISED_LISTENERS: INTERNAL://kafka:9092
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: INTERNAL:SSL
              KAFKA_SSL_KEYSTORE_FILENAME: broker.p12
    Good: a listener named SSL
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ADVERTISED_LISTENERS: SSL://kafka:9092
              KAFKA_SSL_KEYSTORE_FILENAME: broker.p12
    Good: locations
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ADVERTISED_LISTENERS: INTERNAL://kafka:9092
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: INTERNAL:SSL
              KAFKA_SSL_KEYSTORE_LOCATION: /etc/kafka/secrets/broker.p12
    Good: the listener has its own key store
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ADVERTISED_LISTENERS: INTERNAL://kafka:9092
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: INTERNAL:SSL
              KAFKA_LISTENER_NAME_INTERNAL_SSL_KEYSTORE_LOCATION: /etc/kafka/secrets/broker.p12
              KAFKA_SSL_KEYSTORE_FILENAME: broker.p12
    """
    yield from noted(note, node)


@rule("KC0126", "env-replaced", WARNING)
def env_replaced(note: Note, node: Node) -> Iterator[Finding]:
    """The image overrides a variable with its own value.

    Debezium's images read some settings from short names (NODE_ID, BOOTSTRAP_SERVERS, GROUP_ID,
    CONFIG_STORAGE_TOPIC …) and override the long names with them or with their defaults. Brokers
    that set KAFKA_BROKER_ID all get the ID 1.

    Bad:
        --- docker-compose.yml
        services:
          kafka:
            image: quay.io/debezium/kafka:2.7
            environment:
              - KAFKA_BROKER_ID=2
              - ZOOKEEPER_CONNECT=zookeeper:2181
    Bad:
        --- docker-compose.yml
        services:
          connect:
            image: quay.io/debezium/connect:2.7
            environment:
              - CONNECT_BOOTSTRAP_SERVERS=kafka:9092
              - CONFIG_STORAGE_TOPIC=connect_configs
              - OFFSET_STORAGE_TOPIC=connect_offsets
    Good:
        --- docker-compose.yml
        services:
          kafka:
            image: quay.io/debezium/kafka:2.7
            environment:
              - BROKER_ID=2
              - ZOOKEEPER_CONNECT=zookeeper:2181
              - KAFKA_ADVERTISED_LISTENERS=PLAINTEXT://kafka:9092
          connect:
            image: quay.io/debezium/connect:2.7
            environment:
              - BOOTSTRAP_SERVERS=kafka:9092
              - GROUP_ID=1
              - CONNECT_KEY_CONVERTER=org.apache.kafka.connect.json.JsonConverter
              - CONFIG_STORAGE_TOPIC=connect_configs
              - OFFSET_STORAGE_TOPIC=connect_offsets
              - CONNECT_STATUS_STORAGE_TOPIC=connect_statuses
    Bad: the name of the container, instead of its address; an info
        --- docker-compose.yml
        services:
          connect:
            image: quay.io/debezium/connect:2.7
            environment:
              - BOOTSTRAP_SERVERS=kafka:9092
              - GROUP_ID=1
              - CONFIG_STORAGE_TOPIC=connect_configs
              - OFFSET_STORAGE_TOPIC=connect_offsets
              - CONNECT_REST_ADVERTISED_HOST_NAME=connect
    """
    yield from noted(note, node)
