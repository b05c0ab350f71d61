"""KC10: loopback addresses in containers, where they are the container itself."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import endpoints
from kcheck.graph.layout import Layout
from kcheck.graph.listeners import addresses
from kcheck.graph.nodes import Broker
from kcheck.graph.references import entries
from kcheck.grouping.names import loopback
from kcheck.model import BROKER, ERROR, INFO, SPOKEN, WARNING, Finding
from kcheck.rule import rule
from kcheck.rules.listeners.addresses import bound_listeners, is_loopback, service_names
from kcheck.rules.listeners.callers import caller_node, callers_of
from kcheck.rules.shared.reference_findings import finding


@rule("KC1085", "loopback-in-container", WARNING)
def loopback_in_container(layout: Layout) -> Iterator[Finding]:
    """A connector or a worker in a container connects to localhost, which is that container.

    Converters, Debezium's schema history and other settings of connectors are used in the worker. In a
    container localhost is the container itself; brokers and Schema Registry in other containers have
    the names of their services. (bootstrap.servers of clients in containers: bootstrap-loopback.)

    Bad: the schema history of a connector
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.1
            environment:
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@kafka:9093
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9093
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
          connect:
            image: quay.io/debezium/connect:3.0
            environment: {BOOTSTRAP_SERVERS: "kafka:9092", GROUP_ID: 1, CONFIG_STORAGE_TOPIC: c, OFFSET_STORAGE_TOPIC: o, STATUS_STORAGE_TOPIC: s}
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "database.hostname": "db", "database.server.id": "7", "topic.prefix": "shop",
         "schema.history.internal.kafka.bootstrap.servers": "localhost:9092",
         "schema.history.internal.kafka.topic": "shop-history"}}
    Bad: the converter of a worker
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper.example.com:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
          registry:
            image: confluentinc/cp-schema-registry:7.5.0
            environment:
              SCHEMA_REGISTRY_HOST_NAME: registry
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: kafka:9092
          connect:
            image: confluentinc/cp-kafka-connect:7.5.0
            environment:
              CONNECT_BOOTSTRAP_SERVERS: kafka:9092
              CONNECT_GROUP_ID: etl
              CONNECT_REST_ADVERTISED_HOST_NAME: connect
              CONNECT_CONFIG_STORAGE_TOPIC: configs
              CONNECT_OFFSET_STORAGE_TOPIC: offsets
              CONNECT_STATUS_STORAGE_TOPIC: status
              CONNECT_KEY_CONVERTER: org.apache.kafka.connect.storage.StringConverter
              CONNECT_VALUE_CONVERTER: io.confluent.connect.avro.AvroConverter
              CONNECT_VALUE_CONVERTER_SCHEMA_REGISTRY_URL: http://localhost:8081
              CONNECT_PLUGIN_PATH: /usr/share/java
    Good:
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.1
            environment:
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@kafka:9093
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9093
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
          connect:
            image: quay.io/debezium/connect:3.0
            environment: {BOOTSTRAP_SERVERS: "kafka:9092", GROUP_ID: 1, CONFIG_STORAGE_TOPIC: c, OFFSET_STORAGE_TOPIC: o, STATUS_STORAGE_TOPIC: s}
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "database.hostname": "db", "database.server.id": "7", "topic.prefix": "shop",
         "schema.history.internal.kafka.bootstrap.servers": "kafka:9092",
         "schema.history.internal.kafka.topic": "shop-history"}}
    """
    for asking in layout.references.all():
        network, reference = asking.network, asking.reference
        role = reference.role
        if network is None or (asking.own and role == BROKER) or reference.guessed:
            continue
        if reference.asker.kind in ("broker", "controller"):
            continue  # only some of Confluent's features ask, by keys that other brokers do not read
        asked = entries(reference)
        advertised = reference.setting.key.startswith("rest.")  # a worker's own address
        if advertised or not asked or not all(loopback(one.host) and one.host for one in asked):
            continue
        there = {
            one.name: host
            for host, found in network.names.items()
            for one in found
            if one.role == role
        }
        if not there or reference.asker.name in there:
            continue
        setting, names = reference.setting, sorted(there)
        sets = f"sets {setting.key}={setting.text}, which is the container it runs in"
        if reference.unset:
            sets = f"does not set {setting.key}: the default is {setting.text}, its own container"
        instead = f"use {there[names[0]]} in place of {asked[0].host}"
        if role == BROKER:
            instead = f"use the listener advertised as {there[names[0]]}"
        yield finding(
            setting,
            f"{reference.asker.name} {sets}, but "
            f"{'the broker' if role == BROKER else SPOKEN[role]} is service {' or '.join(names)}",
            None,
            breaks="the connection is refused: localhost in a container is the container itself",
            fix=f"set {setting.key} to the address of {there[names[0]]}"
            if reference.unset
            else instead,
            severity=INFO if reference.unset else "",
        )


@rule(
    "KC1065", "advertised-loopback-to-container", ERROR, invariants=("advertised-port-reachable",)
)
def advertised_loopback(broker: Broker) -> Iterator[Finding]:
    """A broker advertises localhost to a client in another container.

    The bootstrap address serves only the first metadata request. The broker answers with the
    advertised address of the listener that was used, and the client connects to it: with localhost,
    to its own container. Clients in other containers require a separate listener, advertised under
    the service name. An error for programs known to read the variable, a warning for others.

    Bad:
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            ports: ["9092:9092"]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://localhost:9092
          registry:
            image: confluentinc/cp-schema-registry:7.5.0
            environment: {SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: "PLAINTEXT://kafka:9092"}
    Bad: an application uses the listener for the host
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            ports: ["9092:9092"]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: INSIDE://kafka:19092,HOST://127.0.0.1:9092
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: INSIDE:PLAINTEXT,HOST:PLAINTEXT
              KAFKA_INTER_BROKER_LISTENER_NAME: INSIDE
          app:
            build: .
            environment: {BOOTSTRAP_SERVERS: "kafka:9092"}
    Good:
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            ports: ["9092:9092"]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: INSIDE://kafka:19092,HOST://127.0.0.1:9092
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: INSIDE:PLAINTEXT,HOST:PLAINTEXT
              KAFKA_INTER_BROKER_LISTENER_NAME: INSIDE
          app:
            build: .
            environment: {BOOTSTRAP_SERVERS: "kafka:19092"}
    Good: the client is on the host network
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            ports: ["9092:9092"]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://localhost:9092
          ui:
            image: provectuslabs/kafka-ui:v0.7.2
            network_mode: host
            environment: {KAFKA_CLUSTERS_0_BOOTSTRAPSERVERS: "kafka:9092"}
    Good: another network, in which the name is not resolved (KC1097)
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            networks: [backend]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://localhost:9092
          app:
            build: .
            networks: [frontend]
            environment: {BOOTSTRAP_SERVERS: "kafka:9092"}
        networks: {backend: {}, frontend: {}}
    Good: the env file of another program, which is shared for its database
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            ports: ["9092:9092"]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: INSIDE://kafka:19092,HOST://localhost:9092
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: INSIDE:PLAINTEXT,HOST:PLAINTEXT
              KAFKA_INTER_BROKER_LISTENER_NAME: INSIDE
          consumer:
            build: ./consumer
            environment: {BOOTSTRAP_SERVERS: "kafka:19092"}
          reports:
            build: ./reports
            env_file: ./consumer/.env.local
        --- consumer/.env.local
        BOOTSTRAP_SERVERS=kafka:9092
        DB_URL=jdbc:postgresql://db/reports
    Good: a port of two listeners, with which the broker does not start
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            ports: ["9092:9092"]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092,HOST://localhost:9092
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: PLAINTEXT:PLAINTEXT,HOST:PLAINTEXT
          registry:
            image: confluentinc/cp-schema-registry:7.5.0
            environment: {SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: "PLAINTEXT://kafka:9092"}
    Bad: a container that creates topics
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: INSIDE://kafka:19092,HOST://localhost:9092
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: INSIDE:PLAINTEXT,HOST:PLAINTEXT
              KAFKA_INTER_BROKER_LISTENER_NAME: INSIDE
          topics:
            image: confluentinc/cp-kafka:7.5.0
            command: kafka-topics --bootstrap-server kafka:9092 --create --if-not-exists --topic orders
    Bad: a console with its file in a variable
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://localhost:9092
          akhq:
            image: tchiotludo/akhq:0.25.0
            environment:
              AKHQ_CONFIGURATION: |
                akhq:
                  connections:
                    local:
                      properties:
                        bootstrap.servers: "kafka:9092"
    Good: the listener for containers, and the broker's own tool
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: INSIDE://kafka:19092,HOST://localhost:9092
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: INSIDE:PLAINTEXT,HOST:PLAINTEXT
              KAFKA_INTER_BROKER_LISTENER_NAME: INSIDE
            healthcheck: {test: kafka-topics --bootstrap-server localhost:9092 --list}
          topics:
            image: edenhill/kcat:1.7.1
            command: kcat -b kafka:19092 -L
    """
    listening = bound_listeners(broker)
    bound = {str(one.port): one.name for one in listening}
    if len(bound) < len(listening):
        return  # two listeners on one port: which of them answers is not known
    told = {one.name: one for one in addresses(broker).visible}
    for caller, asked in callers_of(broker) if bound else ():
        entries = endpoints.split(asked.text or "")
        names = service_names(broker)
        sent = [told.get(bound.get(port, "")) for host, port in entries if host in names]
        if not sent or not all(one is not None and is_loopback(one.host) for one in sent):
            continue
        yield caller_node(broker, caller).finding(
            f"service {caller.name} bootstraps from {asked.text}, but {broker} advertises {sent[0]}, "
            f"which is the container of {caller.name} itself",
            at=broker["advertised.listeners"],
            because=(asked, broker["listeners"]),
            breaks="the bootstrap connection succeeds, but every later connection is refused: the client "
            "finds no broker",
            fix=f"add a listener to {broker}, advertised as {broker.name} on a separate port, and "
            f"use it as the bootstrap server of {caller.name}",
            severity=ERROR if caller.traits.certain else WARNING,
        )
