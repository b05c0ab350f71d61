"""KC04: the security protocol that a client speaks, and that of the listener it connects to."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kcheck.evidence import written_first
from kcheck.graph.clients import Client
from kcheck.graph.edges import Connects
from kcheck.grouping import names
from kcheck.grouping.place import setups
from kcheck.model import ERROR, Finding
from kcheck.rule import FAILED, rule
from kcheck.rules.shared.client_protocol import JAAS, spoken, switched, to_speak
from kcheck.wording import plain


@rule(
    "KC0403",
    "sec-client-protocol-match",
    ERROR,
    kafka=FAILED,
    invariants=("sec-client-protocol-match", "bootstrap-overlap"),
)
def sec_client_protocol_match(edge: Connects) -> Iterator[Finding]:
    """A client's security.protocol differs from that of the listener.

    bootstrap.servers contains the advertised address of a listener with another security protocol.
    With a TLS client on a plaintext port, the broker reads an invalid request size; a plaintext
    client on a TLS or SASL port is disconnected at once.

    Bad: PLAINTEXT to a SASL_SSL listener
        --- consumer.properties
        bootstrap.servers=k1:9094
        group.id=billing
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        advertised.listeners=PLAINTEXT://k1:9092,SASL_SSL://k1:9094
    Bad: PLAINTEXT to a TLS listener of Strimzi
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: core, namespace: kafka}
        spec:
          kafka:
            version: 4.1.0
            listeners: [{name: tls, port: 9093, type: internal, tls: true}]
        --- apps/billing/consumer.properties
        bootstrap.servers=core-kafka-bootstrap.kafka.svc:9093
        group.id=billing
    Bad: no SASL, connecting by hostname
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            hostname: broker
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_LISTENERS: INSIDE://:9092,CLIENTS://:9094
              KAFKA_ADVERTISED_LISTENERS: INSIDE://kafka:9092,CLIENTS://kafka:9094
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: INSIDE:PLAINTEXT,CLIENTS:SASL_PLAINTEXT
              KAFKA_INTER_BROKER_LISTENER_NAME: INSIDE
          ksqldb:
            image: confluentinc/ksqldb-server:0.29.0
            environment: {KSQL_BOOTSTRAP_SERVERS: "broker:9094", KSQL_KSQL_SERVICE_ID: demo_}
    Good: the other listener
        --- consumer.properties
        bootstrap.servers=k1:9092
        group.id=billing
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        advertised.listeners=PLAINTEXT://k1:9092,SASL_SSL://k1:9094
    Good: an address that is not advertised
        --- consumer.properties
        bootstrap.servers=lb.example.com:9094
        group.id=billing
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        advertised.listeners=PLAINTEXT://k1:9092,SASL_SSL://k1:9094
    Good: a patch of kustomize leaves out the listeners that its base has
        --- base/kustomization.yaml
        resources: [kafka.yaml, connect.yaml]
        --- base/kafka.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: Kafka
        metadata: {name: kafka}
        spec:
          replicas: 3
          listeners:
            internal: {authentication: {type: mtls}, tls: {enabled: true}}
        --- base/connect.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: Connect
        metadata: {name: connect}
        spec:
          replicas: 1
          dependencies:
            kafka: {bootstrapEndpoint: "kafka:9071", authentication: {type: mtls}, tls: {enabled: true}}
        --- production/kustomization.yaml
        namespace: production
        resources: [../base]
        patches: [{path: kafka.yaml}]
        --- production/kafka.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: Kafka
        metadata: {name: kafka}
        spec:
          replicas: 5
    Good: a second set of client files, for a cluster with TLS
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.3
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
              KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: 1
        --- consumer.properties
        bootstrap.servers=kafka:9092
        group.id=billing
        --- consumer-tls.properties
        bootstrap.servers=kafka:9092
        group.id=billing
        security.protocol=SASL_SSL
        sasl.mechanism=SCRAM-SHA-512
        sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="u" password="p";
        ssl.truststore.location=/opt/tls/truststore.jks
    Bad: no other file wants the brokers as they are
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.3
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
              KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: 1
        --- consumer-tls.properties
        bootstrap.servers=kafka:9092
        group.id=billing
        security.protocol=SASL_SSL
        sasl.mechanism=SCRAM-SHA-512
        sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="u" password="p";
        ssl.truststore.location=/opt/tls/truststore.jks
    Good: the second set in a folder of its own
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.3
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
              KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: 1
        --- config/dev/consumer.properties
        bootstrap.servers=kafka:9092
        group.id=billing
        --- config/prod/consumer.properties
        bootstrap.servers=kafka:9092
        group.id=billing
        security.protocol=SSL
        ssl.truststore.location=/opt/tls/truststore.jks
    Good: a file that goes over another may change the brokers as well
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:4.1.0
            environment:
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@kafka:9093
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_LISTENERS: INTERNAL://:19092,CONTROLLER://:9093
              KAFKA_ADVERTISED_LISTENERS: INTERNAL://kafka:19092
              KAFKA_INTER_BROKER_LISTENER_NAME: INTERNAL
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: CONTROLLER:PLAINTEXT,INTERNAL:PLAINTEXT
          registry:
            image: confluentinc/cp-schema-registry:7.9.1
        --- docker-compose.secure.yml
        services:
          kafka:
            environment: {KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: "CONTROLLER:SASL_SSL,INTERNAL:SASL_SSL"}
          registry:
            environment:
              SCHEMA_REGISTRY_HOST_NAME: registry
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: SASL_SSL://kafka:19092
              SCHEMA_REGISTRY_KAFKASTORE_SECURITY_PROTOCOL: SASL_SSL
    Good: the program gives its clients TLS, with stores under names of the application's own
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            ports: ["9093:9093"]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: SSL://localhost:9093
              KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: 1
        --- src/main/resources/application.yml
        spring.kafka.bootstrap-servers: localhost:9093
        shop.kafka.ssl: {trust-store-location: certs/client.jks, store-password: "${STORE_PASSWORD}"}
    Bad: Karapace, which speaks plaintext without a protocol
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_LISTENERS: INSIDE://:9092,CLIENTS://:9094
              KAFKA_ADVERTISED_LISTENERS: INSIDE://kafka:9092,CLIENTS://kafka:9094
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: INSIDE:PLAINTEXT,CLIENTS:SASL_PLAINTEXT
              KAFKA_INTER_BROKER_LISTENER_NAME: INSIDE
          registry:
            image: ghcr.io/aiven-open/karapace:3.13.0
            environment: {KARAPACE_KARAPACE_REGISTRY: "true", KARAPACE_BOOTSTRAP_URI: "kafka:9094"}
    """
    client, broker = edge.client, edge.broker
    servers, mine = client["bootstrap.servers"], spoken(client)
    if not mine:
        return
    from kcheck.graph.answers import answering

    for asked, listener in answering(broker, client.resource):
        theirs = listener.protocol
        if theirs is None or theirs == mine or _of_another_set(edge, mine, theirs):
            continue
        protocol = client["security.protocol"]
        at, *because = written_first(protocol, servers)
        yield edge.finding(
            f"{client} connects to {asked.text} with {plain(protocol)}, but the listener of {broker} "
            f"uses {theirs}",
            at=at,
            because=[*because, listener.told],
            breaks="the connection is closed during the handshake, and the client retries until it times "
            "out",
            fix=f"{to_speak(client, theirs)}, or use the port of a listener with {mine}",
            set_to=theirs if protocol.explicit and not switched(client) else None,
        )
        return


def _of_another_set(edge: Connects, mine: str, theirs: str) -> bool:
    """Whether a file is one of a second set, whose protocol is that of no listener of these brokers."""
    from kcheck.graph import answers

    beside = bool(edge.client.resource.settings.keys() & _SECURED)
    return (
        second_set(edge, lambda other: spoken(other) == theirs, beside and mine != _PLAIN)
        and (beside or mine == _PLAIN)
        and not any(answers.spoken(one) & {mine, None} for one in edge.cluster.brokers)
    )


def second_set(edge: Connects, agrees: Callable[[Client], bool], beside: bool) -> bool:
    """Whether a client's file is one of a second set, for a cluster whose brokers are set up elsewhere.

    Another file ``agrees`` with these brokers and asks them at the same address: one from which the
    client's name or folder tells it apart by a set-up or an environment that is not the brokers'
    either, or, as ``beside`` allows, one in the same folder. The brokers' own file is none of that set.
    """
    client, path = edge.client.resource, edge.client.resource.path
    folder, told = path.rpartition("/")[0], setups(path) - setups(edge.broker.resource.path)
    if path == edge.broker.resource.path or not (told or beside):
        return False
    wanted = {(one.host, one.port) for one in names.asked(client)}
    return any(
        other.resource.path != path
        and (told - setups(other.resource.path) or (beside and _folder(other) == folder))
        and agrees(other)
        and wanted & {(one.host, one.port) for one in names.asked(other.resource)}
        for other in edge.cluster.clients
    )


def _folder(client: Client) -> str:
    return client.resource.path.rpartition("/")[0]


_PLAIN = "PLAINTEXT"
#: What a client has beside its protocol, once somebody has thought it over.
_SECURED = frozenset(
    {
        "ssl.truststore.location",
        "ssl.truststore.certificates",
        "ssl.ca.location",
        "ssl.cafile",
        "ssl_cafile",
        "ssl.keystore.location",
        JAAS,
    }
)
