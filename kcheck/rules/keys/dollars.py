"""KC01: dollar signs in Compose files and Kubernetes manifests."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.nodes import Node
from kcheck.model import ERROR, WARNING, Faulty, Finding, Note
from kcheck.rule import rule
from kcheck.rules.keys.environment import noted
from kcheck.rules.shared.problems import findings


@rule("KC0116", "kubernetes-dollars", WARNING)
def kubernetes_dollars(note: Note, node: Node) -> Iterator[Finding]:
    """Kafka gets a literal ``$(…)`` or ``${…}`` that Kubernetes does not resolve.

    In the value of a variable Kubernetes replaces ``$(NAME)`` with a variable of the same container
    that is defined above it, comes from envFrom or is generated for a Service. Any other text remains
    unchanged, and no shell evaluates it: ``${NAME}`` is told where the container has that variable.
    Silent where the container has its own command, which may.

    Bad: a command
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          replicas: 3
          template:
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.3.2
                  env:
                    - {name: KAFKA_ZOOKEEPER_CONNECT, value: "zookeeper:2181"}
                    - name: KAFKA_ADVERTISED_LISTENERS
                      value: PLAINTEXT://$(hostname -f):9092
    Bad: the variable is defined below
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          replicas: 3
          template:
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.3.2
                  env:
                    - {name: KAFKA_ZOOKEEPER_CONNECT, value: "zookeeper:2181"}
                    - name: KAFKA_ADVERTISED_LISTENERS
                      value: PLAINTEXT://$(POD_IP):9092
                    - name: POD_IP
                      valueFrom: {fieldRef: {fieldPath: status.podIP}}
    Bad: no such variable
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          replicas: 3
          template:
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.3.2
                  env:
                    - {name: KAFKA_ZOOKEEPER_CONNECT, value: "zookeeper:2181"}
                    - name: KAFKA_ADVERTISED_LISTENERS
                      value: PLAINTEXT://$(HOSTNAME):9092
    Good:
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          replicas: 3
          template:
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.3.2
                  env:
                    - {name: KAFKA_ZOOKEEPER_CONNECT, value: "$(ZOOKEEPER_SERVICE_HOST):2181"}
                    - name: POD_IP
                      valueFrom: {fieldRef: {fieldPath: status.podIP}}
                    - name: KAFKA_ADVERTISED_LISTENERS
                      value: PLAINTEXT://$(POD_IP):9092
    Good: it comes from a ConfigMap in another file
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          replicas: 3
          template:
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.3.2
                  envFrom: [{configMapRef: {name: addresses}}]
                  env:
                    - {name: KAFKA_ZOOKEEPER_CONNECT, value: "zookeeper:2181"}
                    - name: KAFKA_ADVERTISED_LISTENERS
                      value: PLAINTEXT://$(ADDRESS):9092
    Good: the container's own command computes it
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          replicas: 3
          template:
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.3.2
                  command: [sh, -c, "export KAFKA_ADVERTISED_LISTENERS=$(eval echo $KAFKA_ADVERTISED_LISTENERS); /etc/confluent/docker/run"]
                  env:
                    - {name: KAFKA_ZOOKEEPER_CONNECT, value: "zookeeper:2181"}
                    - name: KAFKA_ADVERTISED_LISTENERS
                      value: PLAINTEXT://$(hostname -f):9092
    """
    yield from noted(note, node)


@rule("KC0129", "compose-dollars", ERROR)
def compose_dollars(document: Faulty) -> Iterator[Finding]:
    """Compose interpolates a dollar sign that is intended for Kafka.

    In a Compose file $NAME and ${NAME} are variables of the shell that runs Compose. A reference to a
    config provider, ${file:/path:key}, is not a valid variable, so Compose rejects the file. Event
    Hubs' user $ConnectionString becomes empty, and Compose only logs a warning. $$ becomes one dollar
    sign in the container.

    Bad: a config provider reference
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:7.5.0
            environment:
              CONNECT_BOOTSTRAP_SERVERS: kafka:9092
              CONNECT_CONFIG_PROVIDERS: file
              CONNECT_SASL_JAAS_CONFIG: ${file:/run/secrets/kafka.properties:jaas}
    Bad: the user of Event Hubs
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:7.5.0
            environment:
              - CONNECT_BOOTSTRAP_SERVERS=core.servicebus.windows.net:9093
              - CONNECT_SASL_JAAS_CONFIG=org.apache.kafka.common.security.plain.PlainLoginModule required username="$ConnectionString" password="x";
    Good:
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:7.5.0
            environment:
              CONNECT_BOOTSTRAP_SERVERS: core.servicebus.windows.net:9093
              CONNECT_CONFIG_PROVIDERS: file
              CONNECT_SASL_JAAS_CONFIG: org.apache.kafka.common.security.plain.PlainLoginModule required username="$$ConnectionString" password="$${file:/run/secrets:key}";
    Good: a Compose variable
        --- docker-compose.yml
        services:
          connect:
            image: confluentinc/cp-kafka-connect:7.5.0
            environment:
              CONNECT_BOOTSTRAP_SERVERS: ${SERVERS:-kafka:9092}
              CONNECT_SASL_JAAS_CONFIG: ${JAAS:?not set}
              APP_CONNECTION: ${ConnectionString}
    """
    yield from findings(document, "KC0129")


@rule("KC0176", "lost-backslash", WARNING)
def lost_backslash(note: Note, node: Node) -> Iterator[Finding]:
    r"""A regular expression loses a backslash in a properties file.

    java.util.Properties drops a single backslash: ``\s`` becomes the letter s. That holds for a file of
    one's own, for variables that an image writes into a file, and for the listeners and overrides of
    Confluent for Kubernetes. Told of ``\d``, ``\w``, ``\s``, ``\b`` and their opposites.

    Bad:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SSL://:9093
        security.inter.broker.protocol=SSL
        ssl.keystore.location=/etc/kafka/k1.p12
        ssl.principal.mapping.rules=RULE:^.*CN=\s*([a-zA-Z0-9.]*).*$/$1/
    Bad: Confluent for Kubernetes
        --- kafka.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: Kafka
        metadata: {name: kafka}
        spec:
          replicas: 3
          listeners:
            internal:
              authentication:
                type: mtls
                principalMappingRules:
                  - RULE:.*CN[\s]?=[\s]?([a-zA-Z0-9.]*)?.*/$1/
              tls: {enabled: true}
    Bad: a variable
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.6
            environment:
              KAFKA_CFG_BROKER_ID: 1
              KAFKA_CFG_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_CFG_LISTENERS: SSL://:9093
              KAFKA_CFG_SSL_PRINCIPAL_MAPPING_RULES: 'RULE:^CN=(\w+),.*$$/$$1/'
    Bad: MirrorMaker
        --- mm2.properties
        clusters=a,b
        a.bootstrap.servers=k1:9092
        b.bootstrap.servers=k2:9092
        a->b.enabled=true
        a->b.topics=orders-\d+
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SSL://:9093
        security.inter.broker.protocol=SSL
        ssl.keystore.location=/etc/kafka/k1.p12
        ssl.principal.mapping.rules=RULE:^.*CN=\\s*([a-zA-Z0-9.]*).*$/$1/
    Good: a dot without its backslash still matches the dot
        --- mm2.properties
        clusters=a,b
        a.bootstrap.servers=k1:9092
        b.bootstrap.servers=k2:9092
        a->b.enabled=true
        a->b.topics=shop\.orders
    Good: in JSON the backslash is doubled for JSON itself
        --- rows.json
        {"name": "rows", "config": {"connector.class": "com.example.RowSink", "topics.regex": "rows-\\d+"}}
    """
    yield from noted(note, node)
