"""KC01: variables of containers that nothing reads, and options in them that the JVM refuses."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.nodes import Node
from kcheck.model import ERROR, WARNING, Faulty, Finding, Note
from kcheck.rule import rule
from kcheck.rules.keys.environment import noted
from kcheck.rules.shared.problems import findings


@rule("KC0189", "program-variable-unread", WARNING)
def program_variable_unread(document: Faulty) -> Iterator[Finding]:
    """A container around Kafka has a variable that its image does not read, or not in this form.

    Images of ZooKeeper, of consoles and of exporters read variables of their own: Confluent's ZooKeeper
    ZOOKEEPER_SERVER_ID, the official one ZOO_MY_ID, Bitnami's ZOO_SERVER_ID. An exporter that reads
    options only connects to its default address. From 3.5 on, each server in ZOO_SERVERS of the
    official image requires its client port: ``server.1=zoo1:2888:3888;2181``. Bitnami's ZooKeeper demands a
    login or leave to have none, Confluent's a port for clients: without it the container exits. Strimzi's
    images make no properties of the variables of which Confluent's, Bitnami's and Debezium's make them.

    Bad: neither a login nor leave to have none
        --- docker-compose.yml
        services:
          zookeeper:
            image: bitnami/zookeeper:3.8
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
    Bad: a console that takes its login from properties in base64
        --- docker-compose.yml
        services:
          kafdrop:
            image: obsidiandynamics/kafdrop:3.27.0
            environment: {KAFKA_BROKERCONNECT: "k1.example.com:9093", KAFKA_SASL_JAAS_CONFIG: "${LOGIN}"}
    Bad: variables of Confluent's image in the template of an operator
        --- connect.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnect
        metadata: {name: etl}
        spec:
          replicas: 1
          bootstrapServers: core-kafka-bootstrap:9092
          template:
            connectContainer:
              env:
                - {name: CONNECT_VALUE_CONVERTER, value: io.confluent.connect.avro.AvroConverter}
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
    Bad: a proxy without any variable
        --- proxy.sh
        docker run -d --name rest confluentinc/cp-kafka-rest:7.6.1
    Bad: ZooKeeper alone, for a release of the proxy that asks brokers
        --- docker-compose.yml
        services:
          rest:
            image: confluentinc/cp-kafka-rest:7.6.1
            environment: {KAFKA_REST_ZOOKEEPER_CONNECT: "zookeeper:2181"}
    Good: a tool of the image, by a command of its own
        --- docker-compose.yml
        services:
          shell:
            image: confluentinc/cp-schema-registry:7.6.1
            command: kafka-avro-console-consumer --bootstrap-server k1.example.com:9092 --topic orders
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
