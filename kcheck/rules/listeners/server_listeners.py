"""KC10: the HTTP listeners of Schema Registry, the REST Proxy and ksqlDB."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.nodes import Node
from kcheck.model import ERROR, Finding, Note
from kcheck.rule import rule
from kcheck.rules.shared.keys_wording import key_evidence


def _finding(note: Note, node: Node) -> Finding:
    return node.finding(
        note.message,
        at=key_evidence(node, note.setting, note.setting.name),
        because=[key_evidence(node, other, other.name) for other in note.others],
        breaks=note.consequence,
        fix=note.fix,
        severity=note.severity,
    )


@rule("KC1083", "server-listener-syntax", ERROR)
def server_listener_syntax(note: Note, node: Node) -> Iterator[Finding]:
    """A listener of Schema Registry, the REST Proxy or ksqlDB is no URL with a port.

    Each entry of listeners is http://host:port or https://host:port, or has a name that
    listener.protocol.map maps to one of them. Releases up to 5.5 skip an unknown scheme if another
    listener remains.

    Bad: no scheme
        --- kafka-rest.properties
        id=rest-1
        bootstrap.servers=PLAINTEXT://k1:9092
        schema.registry.url=http://registry:8081
        listeners=0.0.0.0:8082
    Bad: the scheme of a broker
        --- docker-compose.yml
        services:
          schema-registry:
            image: confluentinc/cp-schema-registry:7.5.0
            environment:
              SCHEMA_REGISTRY_HOST_NAME: schema-registry
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: k1:9092
              SCHEMA_REGISTRY_LISTENERS: PLAINTEXT://0.0.0.0:8081
    Bad: no port
        --- ksql-server.properties
        bootstrap.servers=k1:9092
        ksql.service.id=orders_
        listeners=http://0.0.0.0
    Bad: one of several
        --- schema-registry.properties
        kafkastore.bootstrap.servers=k1:9092
        listeners=http://0.0.0.0:8081,INTERNAL://0.0.0.0:8085
    Good:
        --- kafka-rest.properties
        id=rest-1
        bootstrap.servers=PLAINTEXT://k1:9092
        schema.registry.url=http://registry:8081
        listeners=http://0.0.0.0:8082
    Good: a name with a protocol
        --- schema-registry.properties
        kafkastore.bootstrap.servers=k1:9092
        listeners=INTERNAL://0.0.0.0:8081,https://0.0.0.0:8085
        listener.protocol.map=INTERNAL:http
    """
    yield _finding(note, node)


@rule("KC1084", "registry-inter-instance", ERROR)
def registry_inter_instance(note: Note, node: Node) -> Iterator[Finding]:
    """Schema Registry listens on https only, but its instances use http between each other.

    inter.instance.protocol, or schema.registry.inter.instance.protocol in older files, is http by
    default, also for a single instance. Schema Registry fails to start if no listener has this protocol,
    unless inter.instance.listener.name names one.

    Bad:
        --- schema-registry.properties
        listeners=https://0.0.0.0:8081
        kafkastore.bootstrap.servers=SSL://k1:9093
        kafkastore.security.protocol=SSL
        ssl.keystore.location=/etc/ssl/registry.jks
    Bad: set to http
        --- docker-compose.yml
        services:
          schema-registry:
            image: confluentinc/cp-schema-registry:7.5.0
            environment:
              SCHEMA_REGISTRY_HOST_NAME: schema-registry
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: k1:9092
              SCHEMA_REGISTRY_LISTENERS: https://0.0.0.0:8081
              SCHEMA_REGISTRY_SCHEMA_REGISTRY_INTER_INSTANCE_PROTOCOL: http
    Good:
        --- schema-registry.properties
        listeners=https://0.0.0.0:8081
        kafkastore.bootstrap.servers=k1:9092
        inter.instance.protocol=https
        ssl.keystore.location=/etc/ssl/registry.jks
    Good: an http listener beside it
        --- schema-registry.properties
        listeners=https://0.0.0.0:8081,http://localhost:8082
        kafkastore.bootstrap.servers=k1:9092
        ssl.keystore.location=/etc/ssl/registry.jks
    """
    yield _finding(note, node)
