"""KC0137, KC0184: words that the options of a format may not have, and options that it requires."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.model import ERROR, WARNING, Faulty, Finding
from kcheck.rule import PREVIEW, rule
from kcheck.rules.shared.problems import findings


@rule("KC0137", "unknown-value", ERROR)
def unknown_value(document: Faulty) -> Iterator[Finding]:
    """A field or argument with a fixed list of words has another word.

    The schemas of Strimzi's resources, the Terraform providers and Spring Boot list what they accept,
    such as types of listeners and storage, roles, operations of ACLs, acknowledgement modes. Telegraf,
    Beats, Logstash, Vector, Fluent Bit, the OpenTelemetry Collector and Flink have words of their own. A
    word that resembles none of the list is a warning: a newer release may accept it. A version without
    quotes is a number in YAML: of 0.10 it leaves 0.1.

    Bad: Strimzi
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaNodePool
        metadata: {name: brokers, labels: {strimzi.io/cluster: core}}
        spec:
          replicas: 3
          roles: [brokers]
          storage: {type: persistent-claims, size: 100Gi}
    Bad: Terraform
        --- acls.tf
        resource "kafka_topic" "orders" {
          name               = "orders"
          partitions         = 6
          replication_factor = 3
        }
        resource "kafka_acl" "reader" {
          resource_name       = "orders"
          resource_type       = "topic"
          acl_principal       = "User:billing"
          acl_host            = "*"
          acl_operation       = "Reads"
          acl_permission_type = "Allow"
        }
    Bad: Spring Boot
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1:9092
            consumer: {group-id: billing}
            listener: {ack-mode: manual-imediate}
    Bad: no such word
        --- user.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: billing, labels: {strimzi.io/cluster: core}}
        spec: {authentication: {type: kerberos}}
    Good: Strimzi
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaNodePool
        metadata: {name: brokers, labels: {strimzi.io/cluster: core}}
        spec:
          replicas: 3
          roles: [broker]
          storage: {type: persistent-claim, size: 100Gi}
    Bad: Telegraf
        --- telegraf.conf
        [[inputs.kafka_consumer]]
          brokers = ["k1:9092"]
          topics = ["metrics"]
          offset = "latest"
    Bad: Beats
        --- filebeat.yml
        filebeat.inputs:
          - {type: kafka, hosts: ["k1:9092"], topics: [logs], group_id: beats, initial_offset: earliest}
        output.kafka: {hosts: ["k1:9092"], topic: out, required_acks: all}
    Bad: .NET, with librdkafka's spelling
        --- appsettings.json
        {"Kafka": {"BootstrapServers": "k1:9092", "GroupId": "billing",
         "SecurityProtocol": "SASL_SSL", "SaslMechanism": "SCRAM-SHA-512"}}
    Good: .NET
        --- appsettings.json
        {"Kafka": {"BootstrapServers": "k1:9092", "GroupId": "billing",
         "SecurityProtocol": "SaslSsl", "SaslMechanism": "scramSha512"}}
    Good: Spring Boot
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1:9092
            consumer: {group-id: billing}
            listener: {ack-mode: MANUAL_IMMEDIATE, type: batch}
    Good: Telegraf
        --- telegraf.conf
        [[inputs.kafka_consumer]]
          brokers = ["k1:9092"]
          topics = ["metrics"]
          offset = "newest"
    Good: Terraform
        --- acls.tf
        resource "kafka_topic" "orders" {
          name               = "orders"
          partitions         = 6
          replication_factor = 3
        }
        resource "kafka_acl" "reader" {
          resource_name       = "orders"
          resource_type       = "Topic"
          acl_principal       = "User:billing"
          acl_host            = "*"
          acl_operation       = var.operation
          acl_permission_type = "Allow"
        }
    Bad: Logstash
        --- pipeline.conf
        output {
          kafka {
            bootstrap_servers => "k1:9092"
            topic_id => "events"
            value_serializer => "org.apache.kafka.common.serialization.BytesSerializer"
          }
        }
    Bad: Logstash and a word of Kafka's
        --- pipeline.conf
        output {
          kafka { bootstrap_servers => "k1:9092" topic_id => "events" acks => "-1" }
        }
    Bad: a version that is a number
        --- filebeat.yml
        output.kafka: {hosts: ["k1:9092"], topic: out, version: 0.10}
    Good: Logstash
        --- pipeline.conf
        output {
          kafka {
            bootstrap_servers => "k1:9092"
            topic_id => "events"
            acks => "all"
            value_serializer => "org.apache.kafka.common.serialization.ByteArraySerializer"
          }
        }
    Good: versions that lose nothing
        --- filebeat.yml
        output.kafka: {hosts: ["k1:9092"], topic: out, version: "0.10"}
        --- metricbeat.yml
        output.kafka: {hosts: ["k1:9092"], topic: out, version: 2.0}
    Bad: ksqlDB's own listener, in the words of a broker
        --- ksql-server.properties
        bootstrap.servers=k1:9092
        listeners=https://0.0.0.0:8088
        ksql.service.id=totals_
        ssl.client.auth=required
    Good: ksqlDB's own listener
        --- ksql-server.properties
        bootstrap.servers=k1:9092
        listeners=https://0.0.0.0:8088
        ksql.service.id=totals_
        ssl.client.auth=true
        ssl.keystore.location=/etc/ksqldb/keystore.p12
    """
    yield from findings(document, "KC0137")


@rule("KC0184", "required-option", WARNING)
def required_option(document: Faulty) -> Iterator[Finding]:
    """A plugin for Kafka lacks an option that its program requires.

    Telegraf, Beats, Vector, Fluent Bit, Fluentd, Logstash, Flink, ClickHouse, KEDA, Dapr and Knative
    read their configuration at start, and reject it as a whole if a plugin lacks one of these.

    Bad: Vector
        --- vector.yaml
        sources: {files: {type: file, include: [/var/log/*.log]}}
        sinks:
          out:
            type: kafka
            inputs: [files]
            bootstrap_servers: k1.example.com:9092
            topic: logs
    Bad: Beats
        --- filebeat.yml
        filebeat.inputs: [{type: filestream, id: logs, paths: [/var/log/*.log]}]
        output.kafka: {hosts: ["k1.example.com:9092"]}
    Bad: Fluent Bit
        --- fluent-bit.conf
        [INPUT]
            Name     kafka
            Brokers  k1.example.com:9092
    Bad: Logstash
        --- pipeline.conf
        output { kafka { bootstrap_servers => "k1.example.com:9092" codec => json } }
    Bad: Flink, exactly once
        --- orders.sql
        CREATE TABLE orders (id STRING) WITH (
          'connector' = 'kafka', 'topic' = 'orders', 'format' = 'json',
          'properties.bootstrap.servers' = 'k1.example.com:9092',
          'properties.transaction.timeout.ms' = '600000',
          'sink.delivery-guarantee' = 'exactly-once'
        );
    Good: Vector
        --- vector.yaml
        sources: {files: {type: file, include: [/var/log/*.log]}}
        sinks:
          out:
            type: kafka
            inputs: [files]
            bootstrap_servers: k1.example.com:9092
            topic: logs
            encoding: {codec: json}
    Good: Beats
        --- filebeat.yml
        filebeat.inputs: [{type: filestream, id: logs, paths: [/var/log/*.log]}]
        output.kafka:
          hosts: ["k1.example.com:9092"]
          topics: [{topic: errors, when.contains: {message: ERR}}, {topic: logs}]
    """
    yield from findings(document, "KC0184")


@rule("KC0172", "options-refused", ERROR)
def options_refused(document: Faulty) -> Iterator[Finding]:
    """Options of one object contradict each other, and its program refuses them together.

    Programs check at start that one of two options is set alone, that a number is not above another, or
    that a version is high enough for a codec.

    Bad: two ways to name topics
        --- orders.sql
        CREATE TABLE orders (id STRING) WITH (
          'connector' = 'kafka', 'topic' = 'orders', 'topic-pattern' = 'orders-.*', 'format' = 'json',
          'properties.bootstrap.servers' = 'k1.example.com:9092', 'scan.startup.mode' = 'latest-offset'
        );
    Bad: a number above another
        --- vector.yaml
        sources:
          orders:
            type: kafka
            bootstrap_servers: k1.example.com:9092
            topics: [orders]
            group_id: logs
            drain_timeout_ms: 15000
        sinks:
          out: {type: console, inputs: [orders], encoding: {codec: json}}
    Bad: a codec that the version does not have
        --- telegraf.conf
        [[outputs.kafka]]
          brokers = ["k1.example.com:9092"]
          topic = "metrics"
          version = "1.0.0"
          compression_codec = 4
    Good: one way to name topics
        --- orders.sql
        CREATE TABLE orders (id STRING) WITH (
          'connector' = 'kafka', 'topic-pattern' = 'orders-.*', 'format' = 'json',
          'properties.bootstrap.servers' = 'k1.example.com:9092', 'scan.startup.mode' = 'latest-offset'
        );
    Good: a number that something fills in
        --- vector.yaml
        sources:
          orders:
            type: kafka
            bootstrap_servers: k1.example.com:9092
            topics: [orders]
            group_id: logs
            drain_timeout_ms: "${DRAIN}"
            session_timeout_ms: 10000
        sinks:
          out: {type: console, inputs: [orders], encoding: {codec: json}}
    """
    yield from findings(document, "KC0172")


@rule("KC0173", "option-without-effect", WARNING, set=PREVIEW)
def option_without_effect(document: Faulty) -> Iterator[Finding]:
    """An option is set that its program does not use beside another.

    Bad: Spark, whose group is set
        --- pipeline.yaml
        options:
          kafka.bootstrap.servers: k1.example.com:9092
          subscribe: orders
          kafka.group.id: totals
          groupIdPrefix: totals-
    Good: Spark, with a prefix alone
        --- pipeline.yaml
        options:
          kafka.bootstrap.servers: k1.example.com:9092
          subscribe: orders
          groupIdPrefix: totals-
    """
    yield from findings(document, "KC0173")
