"""KC10: the HTTP listeners of Schema Registry, the REST Proxy and ksqlDB, and the URLs of registries."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.graph.clients import Client
from kcheck.graph.nodes import Broker, Controller, Node
from kcheck.model import ERROR, Finding, Note
from kcheck.rule import PREVIEW, rule
from kcheck.rules.shared.keys_wording import evidence, key_evidence

#: The key of registries' clients in Java, behind the prefixes of serializers, converters and servers.
_REGISTRY = "schema.registry.url"
#: An entry of a host and a port, or of a domain, and nothing before it. A word alone stands in many
#: tests for a registry that they never ask.
_BARE = re.compile(
    r"(?:[A-Za-z0-9_.-]++:[0-9]++|[A-Za-z0-9_-]++(?:\.[A-Za-z0-9_-]++)++)(?:/\S*+)?+"
)


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


@rule("KC1029", "url-without-scheme", ERROR, set=PREVIEW)
def url_without_scheme(node: Node) -> Iterator[Finding]:
    """The URL of Schema Registry has no scheme.

    Java clients of the registry, so the serializers, converters, ksqlDB and the REST Proxy, make a
    java.net.URL of each entry of schema.registry.url: registry:8081 is one of the protocol registry,
    which nothing knows. Silent about libraries of other languages, and a word without a domain or port.

    Bad:
        --- docker-compose.yml
        services:
          ksqldb:
            image: confluentinc/cp-ksqldb-server:7.5.0
            environment:
              KSQL_BOOTSTRAP_SERVERS: k1.example.com:9092
              KSQL_LISTENERS: http://0.0.0.0:8088
              KSQL_KSQL_SCHEMA_REGISTRY_URL: registry.example.com:8081
    Bad: a converter
        --- connect-distributed.properties
        bootstrap.servers=k1.example.com:9092
        group.id=sinks
        config.storage.topic=sinks-configs
        offset.storage.topic=sinks-offsets
        status.storage.topic=sinks-status
        key.converter=org.apache.kafka.connect.storage.StringConverter
        value.converter=io.confluent.connect.avro.AvroConverter
        value.converter.schema.registry.url=http://r1.example.com:8081,r2.example.com:8081
    Bad: an application
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1.example.com:9092
            producer:
              value-serializer: io.confluent.kafka.serializers.KafkaAvroSerializer
              properties:
                schema.registry.url: registry.example.com:8081
    Bad: the REST Proxy
        --- kafka-rest.properties
        id=rest-1
        bootstrap.servers=PLAINTEXT://k1.example.com:9092
        schema.registry.url=registry.example.com
        listeners=http://0.0.0.0:8082
    Good:
        --- connect-distributed.properties
        bootstrap.servers=k1.example.com:9092
        group.id=sinks
        config.storage.topic=sinks-configs
        offset.storage.topic=sinks-offsets
        status.storage.topic=sinks-status
        key.converter=org.apache.kafka.connect.storage.StringConverter
        value.converter=io.confluent.connect.avro.AvroConverter
        value.converter.schema.registry.url=https://r1.example.com, https://r2.example.com
    Good: a registry in memory, one that a template fills in, and a word for one that no test asks
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1.example.com:9092
            producer:
              value-serializer: io.confluent.kafka.serializers.KafkaAvroSerializer
              properties: {schema.registry.url: "mock://tests"}
            consumer:
              value-deserializer: io.confluent.kafka.serializers.KafkaAvroDeserializer
              properties: {schema.registry.url: "${REGISTRY}"}
            properties: {schema.registry.url: unused}
    Good: .NET's client adds the scheme
        --- appsettings.json
        {"Kafka": {"BootstrapServers": "k1.example.com:9092", "schema.registry.url": "registry:8081"}}
    """
    if isinstance(node, Client) and not node.java:
        return
    told = {**node.resource.settings, **node.resource.facts}
    for key, setting in told.items():
        if not key.endswith(_REGISTRY) or not setting.text:
            continue
        if key == _REGISTRY and isinstance(node, Broker | Controller):
            continue  # which no broker reads
        bare = [one for one in map(str.strip, setting.text.split(",")) if _BARE.fullmatch(one)]
        if bare:
            yield node.finding(
                f"{node}: {bare[0]} in {setting.key} has no scheme",
                at=evidence(node, setting),
                breaks="the client of the registry cannot make a URL of it: the first request for a "
                "schema fails",
                fix=f"write http://{bare[0]}, or https:// where the registry serves TLS",
            )
