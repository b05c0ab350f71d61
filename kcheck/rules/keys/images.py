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
    requires a mode, in KRaft mode KAFKA_CFG_NODE_ID and, with TLS to ZooKeeper, its truststore. Connect
    images require bootstrap servers, group, topics and converters, and the registry of an Avro
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
    Good: the image removes KAFKA_REST_PORT where KAFKA_REST_LISTENERS is set
        --- docker-compose.yml
        services:
          rest:
            image: confluentinc/cp-kafka-rest:7.6.1
            environment:
              KAFKA_REST_HOST_NAME: rest
              KAFKA_REST_PORT: 8082
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
    Good: a container in which somebody runs tools by hand
        --- docker-compose.yml
        services:
          kafka-tools:
            image: bitnami/kafka:3.9
            volumes: ["./admin.conf:/admin.conf:ro"]
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


@rule("KC0189", "program-variable-unread", WARNING)
def program_variable_unread(document: Faulty) -> Iterator[Finding]:
    """A container around Kafka has a variable that its image does not read, or not in this form.

    Images of ZooKeeper, of consoles and of exporters read variables of their own: Confluent's ZooKeeper
    ZOOKEEPER_SERVER_ID, the official one ZOO_MY_ID, Bitnami's ZOO_SERVER_ID. An exporter that reads
    options only connects to its default address. From 3.5 on, each server in ZOO_SERVERS of the
    official image requires its client port: ``server.1=zoo1:2888:3888;2181``.

    Bad: no client port
        --- docker-compose.yml
        services:
          zoo1:
            image: zookeeper:3.8
            environment: {ZOO_MY_ID: 1, ZOO_SERVERS: "server.1=zoo1:2888:3888 server.2=zoo2:2888:3888"}
    Bad: an exporter without its option
        --- docker-compose.yml
        services:
          exporter:
            image: danielqsj/kafka-exporter:v1.8.0
            environment: {KAFKA_SERVER: "broker-1:9092"}
    Bad: another publisher's name of the identity
        --- docker-compose.yml
        services:
          zookeeper:
            image: confluentinc/cp-zookeeper:7.5.0
            environment: {ZOO_MY_ID: 2, ZOOKEEPER_CLIENT_PORT: 2181}
    Bad: a console, in Kubernetes
        --- console.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: console}
        spec:
          template:
            spec:
              containers:
                - name: console
                  image: redpandadata/console:v2.7.0
                  env: [{name: KAFKA_BOOTSTRAP_SERVERS, value: "kafka:9092"}]
    Good:
        --- docker-compose.yml
        services:
          zoo1:
            image: zookeeper:3.8
            environment: {ZOO_MY_ID: 1, ZOO_SERVERS: "server.1=zoo1:2888:3888;2181 server.2=zoo2:2888:3888;2181"}
          zoo-old:
            image: zookeeper:3.4
            environment: {ZOO_MY_ID: 1, ZOO_SERVERS: "server.1=zoo1:2888:3888 server.2=zoo2:2888:3888"}
          exporter:
            image: danielqsj/kafka-exporter:v1.8.0
            command: --kafka.server=$$KAFKA_SERVER
            environment: {KAFKA_SERVER: "broker-1:9092"}
          console:
            image: redpandadata/console:v2.7.0
            environment: {KAFKA_BROKERS: "kafka:9092"}
    Good: the port is set beside
        --- docker-compose.yml
        services:
          zoo1:
            image: zookeeper:3.8
            environment:
              ZOO_MY_ID: 1
              ZOO_SERVERS: "server.1=zoo1:2888:3888 server.2=zoo2:2888:3888"
              ZOO_CFG_EXTRA: clientPort=2181
    """
    yield from findings(document, "KC0189")


@rule("KC0191", "jvm-option-removed", ERROR)
def jvm_option_removed(note: Note, node: Node) -> Iterator[Finding]:
    """An option for the JVM that the image's Java does not know any more.

    The JVM exits at start with "Unrecognized VM option". Java 9 removed the options of the old GC log,
    11 UseParNewGC and UseCGroupMemoryLimitForHeap, 15 the collector CMS, 17 MaxPermSize. Apache's image
    has Java 21, Confluent's and Bitnami's at least Java 11, and with Kafka 4.0 at least 17.

    Bad: CMS
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.0
            environment:
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_NODE_ID: 1
              KAFKA_JVM_PERFORMANCE_OPTS: -server -XX:+UseConcMarkSweepGC
    Bad: the old GC log
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:7.5.0
            environment:
              CONNECT_BOOTSTRAP_SERVERS: kafka-1.example.com:9092
              KAFKA_OPTS: -Xloggc:/tmp/gc.log -XX:+PrintGCDetails -XX:+PrintGCDateStamps
    Bad: the limit of a container
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          template:
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.5.0
                  env:
                    - {name: KAFKA_ADVERTISED_LISTENERS, value: "PLAINTEXT://kafka:9092"}
                    - {name: KAFKA_ZOOKEEPER_CONNECT, value: "zookeeper:2181"}
                    - {name: KAFKA_HEAP_OPTS, value: "-XX:+UnlockExperimentalVMOptions -XX:+UseCGroupMemoryLimitForHeap"}
    Good:
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.0
            environment:
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_NODE_ID: 1
              KAFKA_JVM_PERFORMANCE_OPTS: -server -XX:+UseG1GC -XX:MaxGCPauseMillis=20
    Good: an older Java
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
              KAFKA_ZOOKEEPER_CONNECT: zookeeper.example.com:2181
              KAFKA_JVM_PERFORMANCE_OPTS: -server -XX:+UseConcMarkSweepGC
    Good: unknown options are ignored
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.0
            environment:
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_NODE_ID: 1
              KAFKA_OPTS: -XX:+IgnoreUnrecognizedVMOptions -XX:+UseConcMarkSweepGC
    """
    yield from noted(note, node)


@rule("KC0175", "env-jvm-quotes", ERROR)
def env_jvm_quotes(note: Note, node: Node) -> Iterator[Finding]:
    """The JVM options of a container are in quotes that nothing removes.

    In ``- NAME="value"`` of a compose file, and wherever else the quotes are inside the value, the
    container gets them, too. Kafka's scripts split the options at blanks and pass them to java, which
    does not start.

    Bad:
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.4
            environment:
              - KAFKA_CFG_BROKER_ID=1
              - KAFKA_CFG_ZOOKEEPER_CONNECT=zookeeper:2181
              - KAFKA_HEAP_OPTS="-Xmx1536m -Xms1536m"
    Bad: Kubernetes
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          serviceName: kafka
          selector: {matchLabels: {app: kafka}}
          template:
            metadata: {labels: {app: kafka}}
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.5.0
                  env:
                    - {name: KAFKA_BROKER_ID, value: "1"}
                    - {name: KAFKA_ZOOKEEPER_CONNECT, value: "zookeeper:2181"}
                    - {name: KAFKA_ADVERTISED_LISTENERS, value: "PLAINTEXT://kafka:9092"}
                    - {name: KAFKA_OPTS, value: "'-Djava.net.preferIPv4Stack=true'"}
    Good: quotes of the mapping
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.4
            environment:
              KAFKA_CFG_BROKER_ID: 1
              KAFKA_CFG_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_HEAP_OPTS: "-Xmx1536m -Xms1536m"
    Good: quotes around the whole entry
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.4
            environment:
              - KAFKA_CFG_BROKER_ID=1
              - KAFKA_CFG_ZOOKEEPER_CONNECT=zookeeper:2181
              - "KAFKA_HEAP_OPTS=-Xmx1536m -Xms1536m"
    """
    yield from noted(note, node)
