"""KC0135, KC0136: names that a format, or a program beside Kafka, does not have."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.model import WARNING, Faulty, Finding
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
