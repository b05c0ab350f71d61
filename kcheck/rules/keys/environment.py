"""KC012x: variables that a container image ignores or reads differently than intended.

The format that reads the image's environment notes the faults; the rules report them.
"""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.nodes import Node
from kcheck.model import ABSENT, INFO, WARNING, Finding, Note, Setting, Value
from kcheck.rule import rule
from kcheck.rules.shared.keys_wording import evidence


def noted(note: Note, node: Node) -> Iterator[Finding]:
    """The finding for what the format noted about one or more variables.

    The evidence has each variable's name as written, or the key that a missing variable would set.
    """
    yield node.finding(
        note.message,
        at=_evidence(note.setting, node),
        because=[_evidence(setting, node) for setting in note.others],
        breaks=note.consequence,
        fix=note.fix,
        severity=note.severity,
    )


def _evidence(setting: Setting, node: Node) -> Value:
    if setting.at == node.resource.at:  # one that is missing
        return Value(setting.key, node.resource, ABSENT, setting=setting)
    value = evidence(node, setting)
    value.key = setting.name
    return value


@rule("KC0120", "env-not-read", WARNING)
def env_not_read(note: Note, node: Node) -> Iterator[Finding]:
    """A variable looks like a Kafka setting, but the image does not read it.

    Each image has its own prefix: Bitnami's reads KAFKA_CFG_…, Apache's, Confluent's, wurstmeister's
    and Debezium's read KAFKA_…, Connect images CONNECT_…. A variable without the prefix, or with the
    prefix of another image, has no effect and is not logged.

    Bad: no prefix
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:5.4.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              LISTENERS: PLAINTEXT://0.0.0.0:9092
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
    Bad: a typo in the prefix
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:5.4.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAKFA_LOG_RETENTION_HOURS: 24
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
    Bad: Bitnami's prefix on Apache's image
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.7.0
            environment:
              KAFKA_NODE_ID: 1
              KAFKA_CFG_AUTO_CREATE_TOPICS_ENABLE: "true"
    Bad: a whole configuration for Bitnami's image is one finding
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.7.0
            environment:
              KAFKA_CFG_NODE_ID: 1
              KAFKA_CFG_PROCESS_ROLES: controller,broker
              KAFKA_CFG_CONTROLLER_QUORUM_VOTERS: 1@kafka:9093
              KAFKA_CFG_CONTROLLER_LISTENER_NAMES: CONTROLLER
    Bad: no KAFKA_CFG_ on Bitnami's image
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:2.7.0
            environment:
              - KAFKA_CFG_ZOOKEEPER_CONNECT=zookeeper:2181
              - KAFKA_REPLICA_FETCH_MAX_BYTES=20000000
    Bad: the heap variable of a Connect worker
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:7.5.0
            environment:
              CONNECT_HEAP_OPTS: -Xmx4g
    Good:
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:2.7.0
            environment:
              - KAFKA_CFG_ZOOKEEPER_CONNECT=zookeeper:2181
              - KAFKA_CFG_REPLICA_FETCH_MAX_BYTES=20000000
              - KAFKA_HEAP_OPTS=-Xmx1g
              - ALLOW_PLAINTEXT_LISTENER=yes
    Good: the image exits without what was meant, which KC0124 reports
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
    Good: another program
        --- docker-compose.yml
        services:
          ui:
            image: provectuslabs/kafka-ui:latest
            environment:
              KAFKA_CLUSTERS_0_BOOTSTRAPSERVERS: kafka:9092
              KAFKA_CFG_LOG_DIRS: /data
    Bad: a switch of Bitnami's image; an info, because the roles say that KRaft is on
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:4.1.1
            environment:
              KAFKA_ENABLE_KRAFT: "yes"
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@kafka:9094
              KAFKA_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9094
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
              KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: 1
    Bad: the value that holds without it, an info
        --- docker-compose.yml
        services:
          connect:
            image: quay.io/debezium/connect:2.7
            environment:
              - BOOTSTRAP_SERVERS=kafka:9092
              - GROUP_ID=1
              - CONFIG_STORAGE_TOPIC=connect_configs
              - OFFSET_STORAGE_TOPIC=connect_offsets
              - OFFSET_STORAGE_REPLICATION_FACTOR=1
              - TOPIC_CREATION_ENABLE=true
    Bad: the image overrides the variable with its prefix, so the fix names the one that it reads
        --- docker-compose.yml
        services:
          connect:
            image: quay.io/debezium/connect:2.7
            environment:
              - BOOTSTRAP_SERVERS=kafka:9092
              - GROUP_ID=1
              - CONFIG_STORAGE_TOPIC=connect_configs
              - OFFSET_STORAGE_TOPIC=connect_offsets
              - REST_ADVERTISED_HOST_NAME=connect
    Bad: an info, because the image makes the same listener of the advertised ones
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:6.2.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: PLAINTEXT:PLAINTEXT,HOST:PLAINTEXT
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092,HOST://localhost:29092
              LISTENERS: PLAINTEXT://:9092
    Bad: levels of loggers and a heap as keys of the broker
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.6.1
            environment:
              - KAFKA_CFG_ZOOKEEPER_CONNECT=zookeeper:2181
              - ALLOW_PLAINTEXT_LISTENER=yes
              - KAFKA_CFG_LOG4J_ROOT_LOGLEVEL=ERROR
              - KAFKA_CFG_HEAP_OPTS=-Xmx2g
    """
    yield from noted(note, node)


@rule("KC0121", "env-underscores", WARNING)
def env_underscores(note: Note, node: Node) -> Iterator[Finding]:
    """The underscores of a variable do not translate to the listener's name.

    Apache's and Confluent's images turn one underscore into a dot, two into an underscore, three
    into a dash; the settings of a listener SASL_EXT require LISTENER_NAME_SASL__EXT. Bitnami's,
    wurstmeister's and Debezium's images turn every underscore into a dot, so a listener with an
    underscore in its name cannot have per-listener settings there.

    Bad:
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.0.1
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_LISTENERS: PLAINTEXT://:9092,SASL_EXT://:9094
              KAFKA_LISTENER_NAME_SASL___EXT_SASL_ENABLED_MECHANISMS: PLAIN
    Bad: one SSL is missing, in the listener name or in the key
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.0.1
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_LISTENERS: INTERNAL_SSL://:9092
              KAFKA_LISTENER_NAME_INTERNAL_SSL_ENDPOINT_IDENTIFICATION_ALGORITHM: https
    Good:
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.0.1
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_LISTENERS: PLAINTEXT://:9092,SASL_EXT://:9094
              KAFKA_LISTENER_NAME_SASL__EXT_SASL_ENABLED_MECHANISMS: PLAIN
    Good: the listener names are unknown
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.0.1
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_LISTENERS: ${LISTENERS}
              KAFKA_LISTENER_NAME_SASL___EXT_SASL_ENABLED_MECHANISMS: PLAIN
    """
    yield from noted(note, node)


@rule("KC0122", "env-legacy-name", INFO)
def env_legacy_name(note: Note, node: Node) -> Iterator[Finding]:
    """A variable uses the image's legacy name for a setting.

    Bitnami's image copies about thirty names without CFG (KAFKA_MESSAGE_MAX_BYTES) to the names with
    CFG and overwrites those: where both are set, the legacy name wins. All other names without CFG
    are ignored, which makes such a file hard to extend.

    Bad:
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:2.7.0
            environment:
              - KAFKA_CFG_ZOOKEEPER_CONNECT=zookeeper:2181
              - KAFKA_MESSAGE_MAX_BYTES=20000000
    Bad: the legacy name wins
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:2.7.0
            environment:
              - KAFKA_CFG_ZOOKEEPER_CONNECT=zookeeper:2181
              - KAFKA_MESSAGE_MAX_BYTES=1048588
              - KAFKA_CFG_MESSAGE_MAX_BYTES=20000000
    Good:
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:2.7.0
            environment:
              - KAFKA_BROKER_ID=1
              - KAFKA_CFG_ZOOKEEPER_CONNECT=zookeeper:2181
              - KAFKA_CFG_MESSAGE_MAX_BYTES=20000000
    """
    yield from noted(note, node)
