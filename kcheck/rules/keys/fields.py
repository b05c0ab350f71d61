"""KC0135–KC0137, KC0184: names and words that a format, or a program beside Kafka, does not have."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.model import ERROR, WARNING, Faulty, Finding
from kcheck.rule import rule
from kcheck.rules.shared.problems import findings


@rule("KC0135", "unknown-field", WARNING)
def unknown_field(document: Faulty) -> Iterator[Finding]:
    """A field, argument or option does not exist in its format, but a similar one does.

    Custom resources, Terraform resources, .NET sections, Flink tables and the plugins of Logstash,
    Telegraf, Beats, Vector, Fluent Bit and the OpenTelemetry Collector have a fixed list of names.
    Kubernetes, Beats and .NET ignore others, the rest reject them. Some read a client's own keys behind a
    prefix only. Names that resemble none of the list are not reported.

    Bad: Confluent for Kubernetes
        --- kafka.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: Kafka
        metadata: {name: kafka}
        spec:
          replicas: 3
          dataVolumeCapacity: 100Gi
          configOverride: {server: [min.insync.replicas=2]}
    Bad: a resource of Strimzi's without settings
        --- bridge.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaRebalance
        metadata: {name: daily, labels: {strimzi.io/cluster: core}}
        spec: {mode: add-brokers, broker: [3]}
    Bad: Terraform
        --- topics.tf
        resource "kafka_topic" "orders" {
          name               = "orders"
          partition          = 6
          replication_factor = 3
        }
    Bad: the word of another provider
        --- topics.tf
        resource "confluent_kafka_topic" "orders" {
          topic_name = "orders"
          partitions = 6
        }
    Bad: Logstash
        --- pipeline.conf
        input {
          kafka {
            bootstrap_server => "k1.example.com:9092"
            topics => ["orders"]
          }
        }
    Bad: .NET
        --- appsettings.json
        {"Kafka": {"BootstrapServer": "k1.example.com:9092", "GroupId": "billing",
         "AutoOffsetReset": "Earliest"}}
    Bad: Micronaut, in singular
        --- application.yml
        micronaut: {application: {name: vouchers}}
        kafka:
          bootstrap: {servers: "k1.example.com:9092"}
          consumer: {default: {auto: {offset: {reset: earliest}}}}
    Bad: Fluent Bit, a key of librdkafka without its prefix
        --- fluent-bit.conf
        [OUTPUT]
            Name              kafka
            Match             *
            Brokers           k1.example.com:9092
            Topics            logs
            compression.codec gzip
    Bad: Vector
        --- vector.toml
        [sources.orders]
        type = "kafka"
        bootstrap_servers = "k1.example.com:9092"
        topic = ["orders"]
        topics = ["orders"]
        group_ids = "vector"
        group_id = "vector"
        session_timeout = 10000
    Bad: Spark
        --- stream.yaml
        source:
          format: kafka
          options:
            kafka.bootstrap.servers: k1.example.com:9092
            subscribe: orders
            kafka.auto.offset.reset: earliest
    Bad: Flink
        --- orders.sql
        CREATE TABLE orders (id STRING) WITH (
          'connector' = 'kafka',
          'topics' = 'orders',
          'properties.bootstrap.servers' = 'k1.example.com:9092',
          'format' = 'json'
        );
    Good: Confluent for Kubernetes
        --- kafka.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: Kafka
        metadata: {name: kafka}
        spec:
          replicas: 3
          dataVolumeCapacity: 100Gi
          configOverrides: {server: [min.insync.replicas=2]}
    Good: Terraform
        --- topics.tf
        resource "kafka_topic" "orders" {
          name               = "orders"
          partitions         = 6
          replication_factor = 3
          lifecycle { prevent_destroy = true }
        }
    Good: Logstash
        --- pipeline.conf
        input {
          kafka {
            bootstrap_servers => "k1.example.com:9092"
            topics => ["orders"]
            add_field => { "source" => "kafka" }
          }
        }
    Good: .NET, and a name of the program's own
        --- appsettings.json
        {"Kafka": {"BootstrapServers": "k1.example.com:9092", "GroupId": "billing",
         "SaslUserName": "billing", "Topics": ["orders"]}}
    Good: Fluent Bit
        --- fluent-bit.conf
        [OUTPUT]
            Name         kafka
            Match        *
            Brokers      k1.example.com:9092
            Topics       logs
            rdkafka.compression.codec gzip
    Good: Flink
        --- orders.sql
        CREATE TABLE orders (id STRING) WITH (
          'connector' = 'kafka',
          'topic' = 'orders',
          'properties.bootstrap.servers' = 'k1.example.com:9092',
          'json.ignore-parse-errors' = 'true',
          'format' = 'json'
        );
    Bad: beside the properties of a cluster
        --- akhq.yml
        akhq:
          connections:
            prod:
              properties: {bootstrap.servers: "k1.example.com:9094"}
              security.protocol: SSL
    Bad: without the prefix of a producer
        --- application.properties
        debezium.sink.type=kafka
        debezium.sink.kafka.bootstrap.servers=k1.example.com:9092
        debezium.sink.kafka.producer.key.serializer=org.apache.kafka.common.serialization.StringSerializer
        debezium.sink.kafka.producer.value.serializer=org.apache.kafka.common.serialization.StringSerializer
    """
    yield from findings(document, "KC0135")


@rule("KC0136", "program-setting", WARNING)
def program_setting(document: Faulty) -> Iterator[Finding]:
    """Schema Registry, REST Proxy or ksqlDB does not have a setting, but a similar one.

    The images make a key of every variable with their prefix, in lower case and with dots. ksqlDB's
    own keys begin with ksql., so their variables begin with KSQL_KSQL_. Control Center hands to its
    clients what begins with CONTROL_CENTER_STREAMS_.

    Bad: ksqlDB
        --- compose.yaml
        services:
          ksqldb:
            image: confluentinc/ksqldb-server:0.29.0
            environment:
              KSQL_BOOTSTRAP_SERVERS: k1.example.com:9092
              KSQL_SERVICE_ID: billing_
    Bad: Schema Registry in Kubernetes
        --- registry.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: registry}
        spec:
          selector: {matchLabels: {app: registry}}
          template:
            metadata: {labels: {app: registry}}
            spec:
              enableServiceLinks: false
              containers:
                - name: registry
                  image: confluentinc/cp-schema-registry:7.6.1
                  env:
                    - {name: SCHEMA_REGISTRY_HOST_NAME, value: registry}
                    - {name: SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVER, value: "k1:9092"}
    Bad: a file
        --- schema-registry.properties
        listeners=http://0.0.0.0:8081
        kafkastore.bootstrap.servers=PLAINTEXT://k1:9092
        kafkastore.topics=_schemas
    Good:
        --- compose.yaml
        services:
          ksqldb:
            image: confluentinc/ksqldb-server:0.29.0
            environment:
              KSQL_BOOTSTRAP_SERVERS: k1.example.com:9092
              KSQL_KSQL_SERVICE_ID: billing_
              KSQL_STREAMS_NUM_STREAM_THREADS: 2
              KSQL_OPTS: -Xmx2g
    Good: settings of clients
        --- schema-registry.properties
        listeners=http://0.0.0.0:8081
        kafkastore.bootstrap.servers=PLAINTEXT://k1:9092
        kafkastore.topic=_schemas
        kafkastore.request.timeout.ms=20000
    Bad: Control Center
        --- compose.yaml
        services:
          center:
            image: confluentinc/cp-enterprise-control-center:7.6.1
            environment:
              CONTROL_CENTER_BOOTSTRAP_SERVERS: k1.example.com:9093
              CONTROL_CENTER_SECURITY_PROTOCOL: SSL
    Good: Control Center's clients
        --- compose.yaml
        services:
          center:
            image: confluentinc/cp-enterprise-control-center:7.6.1
            environment:
              CONTROL_CENTER_BOOTSTRAP_SERVERS: k1.example.com:9093
              CONTROL_CENTER_STREAMS_SECURITY_PROTOCOL: SSL
    """
    yield from findings(document, "KC0136")


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
    """
    yield from findings(document, "KC0137")


@rule("KC0184", "required-option", WARNING)
def required_option(document: Faulty) -> Iterator[Finding]:
    """A plugin for Kafka lacks an option that its program requires.

    Telegraf, Beats, Vector, Fluent Bit, Logstash and Flink read their configuration at start, and
    reject it as a whole if a plugin lacks one of these.

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
