"""KC012x: containers whose image does not start Kafka with the variables that are set."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.nodes import Node
from kcheck.model import ERROR, WARNING, Faulty, Finding, Note
from kcheck.rule import rule
from kcheck.rules.keys.environment import noted
from kcheck.rules.shared.problems import findings


@rule("KC0124", "env-refused", ERROR)
def env_refused(note: Note, node: Node) -> Iterator[Finding]:
    """The image exits before Kafka starts because a variable is missing or rejected.

    Confluent's images require the advertised listeners, a cluster ID in KRaft mode, KAFKA_OPTS with a
    listener named SASL_… and, as Apache's, the file names of the keystore with one named …SSL; they
    reject KAFKA_PORT, KAFKA_HOST and their advertised counterparts. Apache's image drops its own
    configuration as soon as one variable is set, and then requires KAFKA_PROCESS_ROLES. Bitnami's
    requires a mode, in KRaft mode KAFKA_CFG_NODE_ID and, with TLS to ZooKeeper, its truststore; without
    TLS to it, ALLOW_PLAINTEXT_LISTENER=yes up to 3.1. Connect images require bootstrap servers, group, topics and converters, and the registry of an Avro
    converter. Kubernetes sets NAME_PORT for each Service in every pod, which these images reject as well.

    Bad: KAFKA_PORT
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
              KAFKA_PORT: 9092
    Bad: no cluster ID
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@kafka:9093
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9093
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
    Bad: a listener named SSL, and a keystore location where the image requires the file name
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: SSL://kafka:9093
              KAFKA_SSL_KEYSTORE_LOCATION: /etc/kafka/secrets/broker.p12
    Bad: one variable disables the image's own configuration
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:4.0.0
            environment:
              KAFKA_NODE_ID: 2
    Bad: Schema Registry
        --- docker-compose.yml
        services:
          registry:
            image: confluentinc/cp-schema-registry:7.6.1
            environment:
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: PLAINTEXT://k1.example.com:9092
              SCHEMA_REGISTRY_PORT: 8081
    Bad: Schema Registry waits for the brokers over TLS
        --- docker-compose.yml
        services:
          registry:
            image: confluentinc/cp-schema-registry:7.6.1
            environment:
              SCHEMA_REGISTRY_HOST_NAME: registry
              SCHEMA_REGISTRY_KAFKASTORE_CONNECTION_URL: zk1.example.com:2181
              SCHEMA_REGISTRY_KAFKASTORE_SECURITY_PROTOCOL: SSL
    Bad: no mode
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:latest
            environment:
              ALLOW_PLAINTEXT_LISTENER: "yes"
    Bad: no mode with a version
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.7.1
            environment:
              KAFKA_CFG_LISTENERS: PLAINTEXT://:9092
    Bad: Bitnami's script
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.6.2
            environment:
              KAFKA_CFG_PROCESS_ROLES: broker,controller
              KAFKA_CFG_CONTROLLER_QUORUM_VOTERS: 1@kafka:9093
              KAFKA_CFG_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_CFG_LISTENERS: SASL_PLAINTEXT://:9092,CONTROLLER://:9093
              KAFKA_CFG_LISTENER_SECURITY_PROTOCOL_MAP: CONTROLLER:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT
              KAFKA_CLIENT_USERS: shop,stock
              KAFKA_CLIENT_PASSWORDS: one-password
    Good: a legacy name
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.7.1
            environment:
              KAFKA_NODE_ID: 1
              KAFKA_CFG_PROCESS_ROLES: broker,controller
              KAFKA_CFG_CONTROLLER_QUORUM_VOTERS: 1@kafka:9093
              KAFKA_CFG_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_CFG_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9093
              KAFKA_CFG_LISTENER_SECURITY_PROTOCOL_MAP: CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
    Good:
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              CLUSTER_ID: MkU3OEVBNTcwNTJENDM2Qg
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@kafka:9093
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9093
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
    Good: file names in /etc/kafka/secrets
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: SSL://kafka:9093
              KAFKA_SSL_KEYSTORE_FILENAME: broker.p12
              KAFKA_SSL_KEYSTORE_CREDENTIALS: store-password
              KAFKA_SSL_KEY_CREDENTIALS: key-password
    Good: old wurstmeister images derive a listener from a host name
        --- docker-compose.yml
        services:
          kafka:
            image: wurstmeister/kafka:2.13-2.8.1
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_HOST_NAME: kafka
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
    Good: a missing env file may contain it
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            env_file: secrets.env
            environment:
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
    Good: Schema Registry
        --- docker-compose.yml
        services:
          registry:
            image: confluentinc/cp-schema-registry:7.6.1
            environment:
              SCHEMA_REGISTRY_HOST_NAME: registry
              SCHEMA_REGISTRY_LISTENERS: http://0.0.0.0:8081
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: PLAINTEXT://k1.example.com:9092
    Bad: a Service named schema-registry sets SCHEMA_REGISTRY_PORT in every pod
        --- registry.yaml
        apiVersion: v1
        kind: Service
        metadata: {name: schema-registry}
        spec: {selector: {app: registry}, ports: [{port: 8081}]}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: registry}
        spec:
          template:
            spec:
              containers:
                - name: registry
                  image: confluentinc/cp-schema-registry:7.6.1
                  env:
                    - {name: SCHEMA_REGISTRY_HOST_NAME, value: registry}
                    - {name: SCHEMA_REGISTRY_LISTENERS, value: "http://0.0.0.0:8081"}
                    - name: SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS
                      value: PLAINTEXT://k1.example.com:9092
    Bad: a task without the host name
        --- task.json
        {"family": "registry", "containerDefinitions": [
          {"name": "registry", "image": "confluentinc/cp-schema-registry:7.6.1", "environment": [
            {"name": "SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS",
             "value": "PLAINTEXT://k1.example.com:9092"}]}]}
    Good: pods without service links
        --- registry.yaml
        apiVersion: v1
        kind: Service
        metadata: {name: schema-registry}
        spec: {selector: {app: registry}, ports: [{port: 8081}]}
        ---
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: registry}
        spec:
          template:
            spec:
              enableServiceLinks: false
              containers:
                - name: registry
                  image: confluentinc/cp-schema-registry:7.6.1
                  env:
                    - {name: SCHEMA_REGISTRY_HOST_NAME, value: registry}
                    - {name: SCHEMA_REGISTRY_LISTENERS, value: "http://0.0.0.0:8081"}
                    - name: SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS
                      value: PLAINTEXT://k1.example.com:9092
    Good: from release 6.0 on the image of the REST Proxy demands no name of its host
        --- docker-compose.yml
        services:
          rest:
            image: confluentinc/cp-kafka-rest:7.6.1
            environment:
              KAFKA_REST_LISTENERS: http://0.0.0.0:8082
              KAFKA_REST_BOOTSTRAP_SERVERS: PLAINTEXT://k1.example.com:9092
    Bad: TLS to ZooKeeper without a truststore
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.3
            environment:
              KAFKA_CFG_BROKER_ID: 1
              KAFKA_CFG_ZOOKEEPER_CONNECT: zookeeper:3181
              KAFKA_CFG_LISTENERS: PLAINTEXT://:9092
              KAFKA_ZOOKEEPER_PROTOCOL: SASL_SSL
              ALLOW_PLAINTEXT_LISTENER: "yes"
    Good: TLS to ZooKeeper
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.3
            environment:
              KAFKA_CFG_BROKER_ID: 1
              KAFKA_CFG_ZOOKEEPER_CONNECT: zookeeper:3181
              KAFKA_CFG_LISTENERS: PLAINTEXT://:9092
              KAFKA_ZOOKEEPER_PROTOCOL: SSL
              KAFKA_ZOOKEEPER_TLS_TRUSTSTORE_FILE: /opt/bitnami/kafka/config/certs/zookeeper.truststore.jks
              ALLOW_PLAINTEXT_LISTENER: "yes"
    Bad: a variable without the prefix, which KC0120 leaves to this rule
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
    Good: a container in which somebody runs tools by hand
        --- docker-compose.yml
        services:
          kafka-tools:
            image: bitnami/kafka:3.9
            volumes: ["./admin.conf:/admin.conf:ro"]
    Bad: Bitnami's ZooKeeper without a login
        --- docker-compose.yml
        services:
          zookeeper:
            image: bitnami/zookeeper:3.8.1
            environment: {ALLOW_ANONYMOUS_LOGIN: "yes"}
          kafka:
            image: bitnami/kafka:2.8.1
            environment:
              KAFKA_CFG_ZOOKEEPER_CONNECT: zookeeper:2181
              ALLOW_PLAINTEXT_LISTENER: "no"
    Good: Bitnami's ZooKeeper without a login, by permission
        --- docker-compose.yml
        services:
          zookeeper:
            image: bitnami/zookeeper:3.8.1
            environment: {ALLOW_ANONYMOUS_LOGIN: "yes"}
          kafka:
            image: bitnami/kafka:2.8.1
            environment:
              KAFKA_CFG_ZOOKEEPER_CONNECT: zookeeper:2181
              ALLOW_PLAINTEXT_LISTENER: "yes"
    Bad: KAFKA_REST_PORT, even beside KAFKA_REST_LISTENERS
        --- docker-compose.yml
        services:
          rest:
            image: confluentinc/cp-kafka-rest:7.6.1
            environment:
              KAFKA_REST_PORT: 8082
              KAFKA_REST_LISTENERS: http://0.0.0.0:8082
              KAFKA_REST_BOOTSTRAP_SERVERS: PLAINTEXT://k1.example.com:9092
    Bad: a worker inside ksqlDB, by its group alone
        --- docker-compose.yml
        services:
          ksqldb:
            image: confluentinc/cp-ksqldb-server:7.6.1
            environment:
              KSQL_BOOTSTRAP_SERVERS: k1.example.com:9092
              KSQL_CONNECT_GROUP_ID: ksqldb
    """
    yield from noted(note, node)


@rule("KC0127", "env-bypassed", WARNING)
def env_bypassed(document: Faulty) -> Iterator[Finding]:
    """A command or a mounted file bypasses the start script that reads the variables.

    The variables take effect only if the image's own script starts Kafka. They have no effect with a
    command that starts Kafka with a file, or with a mounted configuration file on images that then
    ignore the environment.

    Bad:
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.0
            command: /opt/kafka/bin/kafka-server-start.sh /etc/kafka/server.properties
            environment:
              KAFKA_NODE_ID: 1
              KAFKA_MESSAGE_MAX_BYTES: 20000000
    Good: the command runs the image's own script
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:7.5.0
            command:
              - bash
              - -c
              - |
                confluent-hub install --no-prompt confluentinc/kafka-connect-jdbc:10.7.4
                /etc/confluent/docker/run
            environment:
              CONNECT_BOOTSTRAP_SERVERS: kafka:9092
    Good: a tool, not a broker
        --- docker-compose.yml
        services:
          init:
            image: confluentinc/cp-kafka:7.5.0
            command: kafka-topics --bootstrap-server kafka:9092 --create --topic orders
            environment:
              KAFKA_OPTS: -Xmx256m
    """
    yield from findings(document, "KC0127")
