"""One fault, written in every format: a text where Kafka wants a number, and where it stands."""

from __future__ import annotations

from textwrap import dedent
from typing import NamedTuple

from kcheck.model import Position


class Row(NamedTuple):
    """A file of one ``format`` with a fault in the value of ``key``, which « and » mark."""

    format: str
    path: str
    key: str
    marked: str
    code: str = "KC0103"

    @property
    def text(self) -> str:
        return self._plain.replace("«", "").replace("»", "")

    @property
    def at(self) -> Position:
        """Where the marked text stands: with its quotes, where it is marked with them."""
        before, _, rest = self._plain.partition("«")
        line = before.count("\n") + 1
        column = len(before) - (before.rfind("\n") + 1) + 1
        return line, column, line, column + len(rest.partition("»")[0])

    @property
    def _plain(self) -> str:
        return dedent(self.marked)


#: By the names of the formats; a new one adds its rows.
ROWS = [
    Row(
        "lag-exporter-conf",
        "exporter/application.conf",
        "request.timeout.ms",
        """\
            kafka-lag-exporter {
              clusters = [
                {
                  name = "prod"
                  bootstrap-brokers = "k1.example.com:9092"
                  consumer-properties = {
                    request.timeout.ms = «two»
                  }
                }
              ]
            }
            """,
    ),
    Row(
        "ecs-template",
        "kafka-stack.yaml",
        "message.max.bytes",
        """\
            Resources:
              Task:
                Type: AWS::ECS::TaskDefinition
                Properties:
                  ContainerDefinitions:
                    - Name: kafka
                      Image: apache/kafka:3.9.0
                      Environment:
                        - Name: KAFKA_MESSAGE_MAX_BYTES
                          Value: «two»
            """,
    ),
    Row(
        "terraform-containers",
        "ecs.tf",
        "message.max.bytes",
        """\
            resource "aws_ecs_task_definition" "kafka" {
              container_definitions = jsonencode([
                {
                  name        = "kafka"
                  image       = "apache/kafka:3.9.0"
                  environment = [{ name = "KAFKA_MESSAGE_MAX_BYTES", value = "«two»" }]
                },
              ])
            }
            """,
    ),
    Row(
        "nomad",
        "kafka.nomad",
        "message.max.bytes",
        """\
            job "kafka" {
              group "brokers" {
                task "kafka" {
                  driver = "docker"
                  config {
                    image = "apache/kafka:3.9.0"
                  }
                  env {
                    KAFKA_MESSAGE_MAX_BYTES = "«two»"
                  }
                }
              }
            }
            """,
    ),
    Row(
        "kafka-ui",
        "kafka-ui/config.yml",
        "request.timeout.ms",
        """\
            auth: {type: DISABLED}
            kafka:
              clusters:
                - name: prod
                  bootstrapServers: k1.example.com:9092
                  properties:
                    request.timeout.ms: «two»
            """,
    ),
    Row(
        "akhq",
        "akhq.yml",
        "request.timeout.ms",
        """\
            akhq:
              connections:
                prod:
                  properties:
                    bootstrap.servers: "k1.example.com:9092"
                    request.timeout.ms: «two»
            """,
    ),
    Row(
        "kafka-lag-exporter",
        "values-lag.yaml",
        "request.timeout.ms",
        """\
            clusters:
              - name: prod
                bootstrapBrokers: k1.example.com:9092
                consumerProperties:
                  request.timeout.ms: «two»
            """,
    ),
    Row(
        "cruise-control",
        "cruisecontrol.properties",
        "request.timeout.ms",
        """\
            bootstrap.servers=k1.example.com:9092
            metric.sampler.class=com.example.Sampler
            request.timeout.ms=«two»
            """,
    ),
    Row(
        "env",
        "deploy/kafka.env",
        "message.max.bytes",
        """\
            KAFKA_NODE_ID=1
            KAFKA_PROCESS_ROLES=broker,controller
            KAFKA_MESSAGE_MAX_BYTES=«two»
            """,
    ),
    Row(
        "dockerfile",
        "kafka/Dockerfile",
        "message.max.bytes",
        """\
            FROM eclipse-temurin:17-jre
            ENV KAFKA_NODE_ID=1 KAFKA_PROCESS_ROLES=broker,controller
            ENV KAFKA_MESSAGE_MAX_BYTES=«two»
            """,
    ),
    Row(
        "agent-yaml",
        "vector.yaml",
        "message.timeout.ms",
        """\
            sinks:
              out:
                type: kafka
                inputs: [files]
                bootstrap_servers: k1.example.com:9092
                topic: logs
                encoding: {codec: json}
                message_timeout_ms: «two»
            """,
        "KC0113",
    ),
    Row(
        "agent-conf",
        "fluent-bit.conf",
        "message.timeout.ms",
        """\
            [OUTPUT]
                name kafka
                brokers k1.example.com:9092
                topics logs
                rdkafka.message.timeout.ms «two»
            """,
        "KC0113",
    ),
    Row(
        "agent-yaml",
        "stream.yaml",
        "acks",
        """\
            input:
              generate: {mapping: "root = 1"}
            output:
              fallback:
                - kafka_franz:
                    seed_brokers: ["k1.example.com:9092"]
                    topic: orders
                    acks: «two»
            """,
        "KC0137",
    ),
    Row(
        "client-maps",
        "config/orders.yaml",
        "max.poll.records",
        """\
            orders:
              events:
                kafkaConsumer:
                  bootstrap.servers: k1.example.com:9092
                  group.id: orders
                  max.poll.records: «two»
            """,
    ),
    Row(
        "client-maps",
        "config/nested.yaml",
        "max.poll.records",
        """\
            kafka:
              bootstrap: {servers: "k1.example.com:9092"}
              consumer:
                group: {id: orders}
                max: {poll: {records: «two»}}
            """,
    ),
    Row(
        "client-maps",
        "relay.yml",
        "max.poll.records",
        """\
            processing:
              kafka_config:
                - name: "bootstrap.servers"
                  value: "k1.example.com:9092"
                - name: "max.poll.records"
                  value: «"two"»
            """,
    ),
    Row(
        "client-maps",
        "jobs.yaml",
        "max.block.ms",
        """\
            jobs:
              - name: copy
                producerConfig: |
                  bootstrap.servers=k1.example.com:9092
                  acks=all
                  max.block.ms=«two»
            """,
    ),
    Row(
        "client-maps",
        "supervisor.json",
        "max.poll.records",
        """\
            {"spec": {"ingestion": [{"consumerProperties": {
              "security.protocol": "SSL", "auto.offset.reset": "earliest",
              "max.poll.records": "«two»"}}]}}
            """,
    ),
    Row(
        "client-maps",
        "pipeline.toml",
        "max.poll.records",
        """\
            [source.kafka.properties]
            "bootstrap.servers" = "k1.example.com:9092"
            "auto.offset.reset" = "earliest"
            "max.poll.records" = "«two»"
            """,
    ),
    Row(
        "client-maps",
        "application.conf",
        "max.poll.records",
        """\
            include "base"
            akka.kafka.consumer {
              stop-timeout = 30s
              kafka-clients {
                bootstrap.servers = "k1.example.com:9092"
                bootstrap.servers = ${?KAFKA}
                max.poll.records = «two»
              }
            }
            """,
    ),
    Row(
        "flink-sql",
        "orders.sql",
        "max.block.ms",
        """\
            CREATE TABLE orders (id STRING) WITH (
              'connector' = 'kafka', 'topic' = 'orders', 'format' = 'json',
              'properties.bootstrap.servers' = 'k1.example.com:9092',
              'sink.partitioner' = 'fixed',
              'properties.max.block.ms' = '«two»'
            );
            """,
    ),
    Row(
        "fluentd-conf",
        "fluent.conf",
        "scram_mechanism",
        """\
            <match app.**>
              @type copy
              <store>
                @type kafka2
                brokers k1.example.com:9092
                username shipper
                password "#{ENV['PASSWORD']}"
                scram_mechanism «two»
                <format>
                  @type json
                </format>
              </store>
            </match>
            """,
        "KC0137",
    ),
    Row(
        "clickhouse-sql",
        "queue.sql",
        "kafka_security_protocol",
        """\
            CREATE TABLE queue (id String) ENGINE = Kafka('k1.example.com:9092', 'orders', 'reader')
            SETTINGS kafka_format = 'JSONEachRow', -- one object a line
                     kafka_security_protocol = '«two»';
            """,
        "KC0137",
    ),
    Row(
        "kafka-client-cr",
        "source.yaml",
        "initialOffset",
        """\
            apiVersion: sources.knative.dev/v1
            kind: KafkaSource
            metadata: {name: orders}
            spec:
              bootstrapServers: [k1.example.com:9092]
              topics: [orders]
              consumerGroup: billing
              initialOffset: «two»
              sink: {ref: {apiVersion: v1, kind: Service, name: shop}}
            """,
        "KC0137",
    ),
    Row(
        "ansible",
        "group_vars/kafka_broker.yml",
        "message.max.bytes",
        """\
            kafka_broker_custom_properties:
              message.max.bytes: «two»
            """,
    ),
    Row(
        "asyncapi",
        "api.yaml",
        "max.message.bytes",
        """\
            asyncapi: 3.0.0
            channels:
              orders:
                bindings:
                  kafka:
                    topicConfiguration:
                      max.message.bytes: «two»
            """,
    ),
    Row(
        "broker-properties",
        "server.properties",
        "message.max.bytes",
        """\
            broker.id=1
            zookeeper.connect=z:2181
            message.max.bytes=«two»
            """,
    ),
    Row(
        "broker-properties",
        "server.properties",
        "min.insync.replicas",
        """\
            broker.id=1
            zookeeper.connect=z:2181
            min.insync.replicas = «two»
            """,
    ),
    Row(
        "cfk-cr",
        "kafka.yaml",
        "message.max.bytes",
        """\
            apiVersion: platform.confluent.io/v1beta1
            kind: Kafka
            metadata: {name: core}
            spec:
              configOverrides:
                server:
                  - "message.max.bytes=«two»"
            """,
    ),
    Row(
        "koperator-cr",
        "cluster.yaml",
        "message.max.bytes",
        """\
            apiVersion: kafka.banzaicloud.io/v1beta1
            kind: KafkaCluster
            metadata: {name: core}
            spec:
              readOnlyConfig: |
                message.max.bytes=«two»
              brokers: [{id: 0, brokerConfig: {storageConfigs: [{mountPath: /kafka-logs, emptyDir: {}}]}}]
              listenersConfig: {internalListeners: [{type: plaintext, name: internal, containerPort: 9092}]}
            """,
    ),
    Row(
        "koperator-cr",
        "topic.yaml",
        "retention.ms",
        """\
            apiVersion: kafka.banzaicloud.io/v1alpha1
            kind: KafkaTopic
            metadata: {name: orders}
            spec: {clusterRef: {name: core}, name: orders, partitions: 3, config: {retention.ms: «two»}}
            """,
    ),
    Row(
        "stackable-cr",
        "kafka.yaml",
        "message.max.bytes",
        """\
            apiVersion: kafka.stackable.tech/v1alpha1
            kind: KafkaCluster
            metadata: {name: core}
            spec:
              image: {productVersion: 3.9.1}
              brokers:
                configOverrides: {broker.properties: {message.max.bytes: "«two»"}}
                roleGroups: {default: {replicas: 3}}
            """,
    ),
    Row(
        "redpanda-cr",
        "redpanda.yaml",
        "message.max.bytes",
        """\
            apiVersion: cluster.redpanda.com/v1alpha2
            kind: Redpanda
            metadata: {name: core}
            spec: {clusterSpec: {config: {cluster: {kafka_batch_max_bytes: «two»}}}}
            """,
    ),
    Row(
        "redpanda-cr",
        "topic.yaml",
        "retention.ms",
        """\
            apiVersion: cluster.redpanda.com/v1alpha2
            kind: Topic
            metadata: {name: orders}
            spec: {cluster: {clusterRef: {name: core}}, partitions: 3, additionalConfig: {retention.ms: «two»}}
            """,
    ),
    Row(
        "client-properties",
        "p.properties",
        "batch.size",
        """\
            bootstrap.servers=k:9092
            acks=all
            batch.size=«two»
            """,
    ),
    Row(
        "client-properties",
        "producer.properties",
        "request.timeout.ms",
        """\
            bootstrap.servers=k1:9092
            acks=all
            request.timeout.ms:«two»
            """,
    ),
    Row(
        "compose",
        "compose.yaml",
        "message.max.bytes",
        """\
            services:
              kafka:
                image: apache/kafka:3.9.0
                environment:
                  KAFKA_MESSAGE_MAX_BYTES: «two»
            """,
    ),
    Row(
        "compose",
        "docker-compose.yml",
        "min.insync.replicas",
        """\
            services:
              kafka:
                image: apache/kafka:4.1.0
                environment:
                  KAFKA_MIN_INSYNC_REPLICAS: «two»
            """,
    ),
    Row(
        "cloudformation-msk",
        "template.yaml",
        "num.partitions",
        """\
            Resources:
              Settings:
                Type: AWS::MSK::Configuration
                Properties:
                  Name: !Sub "${AWS::StackName}-msk"
                  ServerProperties: !Sub |
                    default.replication.factor=${Copies}
                    num.partitions=«two»
            """,
    ),
    Row(
        "cloudformation-msk",
        "template.json",
        "num.partitions",
        """\
            {"Resources": {"Settings": {"Type": "AWS::MSK::Configuration", "Properties": {
              "ServerProperties": {"Fn::Join": ["\\n", ["min.insync.replicas=2", "num.partitions=«two»"]]}
            }}}}
            """,
    ),
    Row(
        "conduktor",
        "topic.yaml",
        "max.message.bytes",
        """\
            apiVersion: kafka/v2
            kind: Topic
            metadata: {name: orders, cluster: core}
            spec:
              configs:
                max.message.bytes: «two»
            """,
    ),
    Row(
        "connect-properties",
        "w.properties",
        "request.timeout.ms",
        """\
            bootstrap.servers=k1:9092
            group.id=g
            config.storage.topic=c
            offset.storage.topic=o
            status.storage.topic=s
            producer.request.timeout.ms=«two»
            """,
    ),
    Row(
        "connect-properties",
        "c.properties",
        "tasks.max",
        """\
            name=c
            connector.class=FileStreamSource
            tasks.max=«two»
            """,
    ),
    Row(
        "connector-json",
        "c.json",
        "tasks.max",
        '{"name": "c", "config": {"connector.class": "FileStreamSource", "tasks.max": "«two»"}}',
    ),
    Row(
        "describe-output",
        "topics.txt",
        "max.message.bytes",
        "Topic: a\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: max.message.bytes=«two»,cleanup.policy=delete\n",
    ),
    Row(
        "topic-commands",
        "topics.sh",
        "max.message.bytes",
        "kafka-topics --create --topic a --config max.message.bytes=«two»\n",
    ),
    Row(
        "topic-commands",
        "retention.sh",
        "retention.ms",
        """\
            RETENTION=«two»
            kafka-topics --create --topic a --config retention.ms=$RETENTION
            """,
    ),
    Row(
        "topic-commands",
        "dynamic.sh",
        "max.message.bytes",
        "kafka-configs --alter --topic a --add-config 'cleanup.policy=[compact],max.message.bytes=«two»'\n",
    ),
    Row(
        "topic-commands",
        "connectors.sh",
        "tasks.max",
        """\
            curl -X PUT http://connect:8083/connectors/c/config -d '{
              "connector.class": "FileStreamSource", "tasks.max": "«two»"
            }'
            """,
    ),
    Row(
        "command-steps",
        "pipeline.yml",
        "max.message.bytes",
        """\
            topics:
              script:
                - kafka-topics --create --topic a --config max.message.bytes=«two»
            """,
    ),
    Row(
        "docker-commands",
        "kafka.sh",
        "message.max.bytes",
        "docker run -d -e KAFKA_MESSAGE_MAX_BYTES=«two» apache/kafka:3.9.0\n",
    ),
    Row(
        "script-files",
        "install.sh",
        "message.max.bytes",
        """\
            cat > /opt/kafka/config/server.properties <<EOF
            broker.id=$ID
            message.max.bytes=«two»
            EOF
            """,
    ),
    Row(
        "terraform-scripts",
        "main.tf",
        "message.max.bytes",
        """\
            resource "aws_instance" "kafka" {
              user_data = <<-EOT
                echo "message.max.bytes=«two»" >> /opt/kafka/config/server.properties
              EOT
            }
            """,
    ),
    Row(
        "ecs-json",
        "task.json",
        "message.max.bytes",
        """\
            [{"name": "k", "image": "apache/kafka:3.9.0", "essential": true, "environment": [
              {"name": "KAFKA_MESSAGE_MAX_BYTES", "value": "«two»"}
            ]}]
            """,
    ),
    Row(
        "helm-values",
        "bitnami/values.yaml",
        "message.max.bytes",
        """\
            image: {repository: bitnami/kafka}
            maxMessageBytes: «two»
            """,
    ),
    Row(
        "helm-values",
        "extra/values.yaml",
        "message.max.bytes",
        """\
            kafka:
              extraConfig: |
                num.io.threads=8
                message.max.bytes=«two»
            """,
    ),
    Row(
        "helm-values",
        "confluent/values.yaml",
        "message.max.bytes",
        """\
            cp-kafka:
              configurationOverrides:
                "message.max.bytes": «"two"»
            """,
    ),
    Row(
        "helm-release",
        "flux.yaml",
        "message.max.bytes",
        """\
            apiVersion: helm.toolkit.fluxcd.io/v2
            kind: HelmRelease
            metadata: {name: events}
            spec:
              values:
                extraConfig: |
                  message.max.bytes=«two»
                kafka: {}
            """,
    ),
    Row(
        "helm-release",
        "argo.yaml",
        "message.max.bytes",
        """\
            apiVersion: argoproj.io/v1alpha1
            kind: Application
            metadata: {name: events}
            spec:
              source:
                helm:
                  values: |
                    # of Bitnami's chart
                    kafka:
                      extraConfig: |
                        num.io.threads=8
                        message.max.bytes=«two»
            """,
    ),
    Row(
        "jikkou",
        "topics.yaml",
        "max.message.bytes",
        """\
            apiVersion: kafka.jikkou.io/v1
            kind: KafkaTopicList
            items:
              - metadata: {name: orders}
                spec:
                  configs: {max.message.bytes: '«two»'}
            """,
    ),
    Row(
        "julie",
        "topology.yaml",
        "max.message.bytes",
        """\
            context: shop
            projects:
              - name: web
                topics:
                  - name: orders
                    config:
                      max.message.bytes: «"two"»
            """,
    ),
    Row(
        "k8s-plain",
        "kafka.yaml",
        "message.max.bytes",
        """\
            apiVersion: apps/v1
            kind: StatefulSet
            metadata: {name: kafka}
            spec:
              template:
                spec:
                  containers:
                    - name: kafka
                      image: apache/kafka:3.9.0
                      env:
                        - {name: KAFKA_MESSAGE_MAX_BYTES, value: «two»}
            """,
    ),
    Row(
        "k8s-plain",
        "configmap.yaml",
        "message.max.bytes",
        """\
            apiVersion: v1
            kind: ConfigMap
            data:
              server.properties: |
                broker.id=1
                message.max.bytes=«two»
            """,
    ),
    Row(
        "kafka-gitops",
        "state.yaml",
        "max.message.bytes",
        """\
            topics:
              orders:
                partitions: 3
                replication: 3
                configs:
                  max.message.bytes: «two»
            """,
    ),
    Row(
        "kcheck-yaml",
        "kcheck.yaml",
        "max.message.bytes",
        """\
            topics:
              - name: orders
                config:
                  max.message.bytes: «"two"»
            """,
    ),
    Row(
        "kcheck-yaml",
        "kcheck.yaml",
        "min.insync.replicas",
        """\
            topics:
              - {name: orders, config: {min.insync.replicas: «two»}}
            """,
    ),
    Row(
        "ksqldb",
        "ksql-server.properties",
        "request.timeout.ms",
        """\
            bootstrap.servers=k1:9092
            ksql.service.id=q
            ksql.streams.producer.request.timeout.ms=«two»
            """,
    ),
    Row(
        "ksql",
        "connectors.ksql",
        "request.timeout.ms",
        """\
            CREATE SINK CONNECTOR IF NOT EXISTS rows WITH (
              'connector.class' = 'FileStreamSink',
              "topics" = 'orders',
              'consumer.override.request.timeout.ms' = '«two»'
            );
            """,
    ),
    Row(
        "librdkafka",
        "k.conf",
        "request.timeout.ms",
        """\
            # librdkafka
            bootstrap.servers=k1:9092
            acks=all
            request.timeout.ms=«two»
            """,
        "KC0113",
    ),
    Row(
        "librdkafka",
        "c.json",
        "request.timeout.ms",
        '{\n\t"client": "librdkafka", "bootstrap.servers": "k1:9092",\n\t"acks": 1, "request.timeout.ms": "«two»"}',
        "KC0113",
    ),
    Row(
        "librdkafka",
        "getting_started.ini",
        "request.timeout.ms",
        """\
            [default]
            bootstrap.servers=k1:9092

            [producer]
            # a note
            request.timeout.ms = «two»
            [consumer]
            group.id=g
            """,
        "KC0113",
    ),
    Row(
        "micronaut-properties",
        "application.properties",
        "request.timeout.ms",
        """\
            micronaut.application.name=a
            kafka.consumers.default.request.timeout.ms=«two»
            """,
    ),
    Row(
        "micronaut-yaml",
        "application.yml",
        "request.timeout.ms",
        """\
            micronaut: {}
            kafka:
              producers:
                orders:
                  request.timeout.ms: «two»
            """,
    ),
    Row(
        "mm2-properties",
        "mm2.properties",
        "tasks.max",
        """\
            clusters=A,B
            A.bootstrap.servers=a:1
            B.bootstrap.servers=b:1
            A->B.enabled=true
            A->B.tasks.max=«two»
            """,
    ),
    Row(
        "mm2-properties",
        "mm2.properties",
        "request.timeout.ms",
        """\
            clusters=A,B
            A.bootstrap.servers=a:1
            B.bootstrap.servers=b:1
            A.consumer.request.timeout.ms=«two»
            """,
    ),
    Row(
        "mp-properties",
        "application.properties",
        "request.timeout.ms",
        """\
            kafka.bootstrap.servers=k1:9092
            mp.messaging.incoming.a.connector=smallrye-kafka
            mp.messaging.incoming.a.request.timeout.ms=«two»
            """,
    ),
    Row(
        "client-properties",
        "etc/producer.cfg",
        "linger.ms",
        """\
            bootstrap.servers = k1.example.com:9092
            acks = all
            linger.ms = «two»
            """,
    ),
    Row(
        "env",
        "shop.env",
        "max.poll.records",
        """\
            SPRING_KAFKA_BOOTSTRAP_SERVERS=k1.example.com:9092
            SPRING_KAFKA_CONSUMER_GROUP_ID=billing
            SPRING_KAFKA_CONSUMER_MAX_POLL_RECORDS=«two»
            """,
    ),
    Row(
        "camel-yaml",
        "orders.camel.yaml",
        "max.poll.records",
        """\
            - from:
                uri: "kafka:orders?brokers=k1.example.com:9092&maxPollRecords=«two»"
                steps: [{to: "log:a"}]
            """,
    ),
    Row(
        "spring-properties",
        "application.properties",
        "session.timeout.ms",
        """\
            camel.component.kafka.brokers=k1.example.com:9092
            camel.component.kafka.session-timeout-ms=«two»
            """,
    ),
    Row(
        "nifi-flow",
        "flow.json",
        "max.poll.records",
        """\
            {"flowContents": {"processors": [{"type": "org.apache.nifi.processors.kafka.pubsub.ConsumeKafka_2_6",
              "name": "in", "properties": {"bootstrap.servers": "k1.example.com:9092",
              "max.poll.records": "«two»", "topic": "orders", "group.id": "g"}}]}}
            """,
    ),
    Row(
        "nifi-xml",
        "flow.xml",
        "max.poll.records",
        """\
            <flowController><rootGroup><processor><name>in</name>
              <class>org.apache.nifi.processors.kafka.pubsub.ConsumeKafka_2_6</class>
              <property><name>bootstrap.servers</name><value>k1.example.com:9092</value></property>
              <property><name>max.poll.records</name><value>«two»</value></property>
              <property><name>topic</name><value>orders</value></property>
            </processor></rootGroup></flowController>
            """,
    ),
    Row(
        "camel-xml",
        "routes.xml",
        "max.poll.records",
        """\
            <routes xmlns="http://camel.apache.org/schema/spring">
              <route id="orders">
                <from uri="kafka:orders?maxPollRecords=«two»"/>
                <to uri="log:out"/>
              </route>
            </routes>
            """,
    ),
    Row(
        "mp-yaml",
        "application.yaml",
        "request.timeout.ms",
        """\
            quarkus: {http: {port: 80}}
            kafka:
              bootstrap.servers: k1:9092
              request: {timeout: {ms: «two»}}
            """,
    ),
    Row(
        "nais-topic",
        "topic.yaml",
        "max.message.bytes",
        """\
            apiVersion: kafka.nais.io/v1
            kind: Topic
            metadata: {name: orders}
            spec:
              pool: {{pool}}
              config:
                maxMessageBytes: «two»
            """,
    ),
    Row(
        "ns4kafka",
        "topic.yaml",
        "max.message.bytes",
        """\
            apiVersion: v1
            kind: Topic
            metadata: {name: orders, cluster: core}
            spec:
              replicationFactor: 3
              configs:
                max.message.bytes: «two»
            """,
    ),
    Row(
        "puppet-hiera",
        "hieradata/kafka.yaml",
        "message.max.bytes",
        "profile::kafka::broker::message_max_bytes: «'two'»\n",
    ),
    Row(
        "chef-attributes",
        "roles/kafka.json",
        "message.max.bytes",
        """\
            {"name": "kafka", "default_attributes": {"kafka": {"broker": {
              "broker.id": 1,
              "message.max.bytes": «"two"»
            }}}}
            """,
    ),
    Row(
        "salt-pillar",
        "pillar/kafka.sls",
        "message.max.bytes",
        """\
            kafka:
              config:
                broker.id: 1
                message.max.bytes: «two»
            """,
    ),
    Row(
        "puppet-manifest",
        "manifests/params.pp",
        "message.max.bytes",
        """\
            class kafka::params {
              $config = {
                'broker.id'         => 1,
                'message.max.bytes' => '«two»',
              }
            }
            """,
    ),
    Row(
        "rest-proxy",
        "kafka-rest.properties",
        "request.timeout.ms",
        """\
            listeners=http://:8082
            bootstrap.servers=k1:9092
            producer.request.timeout.ms=«two»
            """,
    ),
    Row(
        "schema-registry",
        "schema-registry.properties",
        "security.protocol",
        """\
            listeners=http://:8081
            kafkastore.bootstrap.servers=k1:9092
            kafkastore.security.protocol=«two»
            """,
        "KC0104",
    ),
    Row(
        "spring-properties",
        "application.properties",
        "max.poll.records",
        """\
            spring.kafka.consumer.group-id=g
            spring.kafka.consumer.maxPollRecords=«two»
            """,
    ),
    Row(
        "spring-yaml",
        "application.yml",
        "request.timeout.ms",
        """\
            spring:
              kafka:
                bootstrap-servers: k1:9092
                consumer: {group-id: g}
                producer: {client-id: p}
                properties:
                  "[request.timeout.ms]": «two»
            """,
    ),
    Row(
        "spring-yaml",
        "application.yml",
        "request.timeout.ms",
        """\
            spring.cloud.stream:
              bindings: {in-0: {destination: a, group: g}}
              kafka.bindings:
                in-0.consumer.configuration: {request.timeout.ms: «"two"»}
            """,
    ),
    Row(
        "spring-yaml",
        "application.yml",
        "request.timeout.ms",
        """\
            kafka:
              properties:
                bootstrap.servers: k1:9092
                request.timeout.ms: «two»
            """,
    ),
    Row(
        "streams-properties",
        "s.properties",
        "request.timeout.ms",
        """\
            bootstrap.servers=k1:9092
            application.id=a
            request.timeout.ms=«two»
            """,
    ),
    Row(
        "strimzi-cr",
        "topic.yaml",
        "max.message.bytes",
        """\
            apiVersion: kafka.strimzi.io/v1beta2
            kind: KafkaTopic
            metadata: {name: orders}
            spec:
              config: {max.message.bytes: «two»}
            """,
    ),
    Row(
        "strimzi-cr",
        "kafka.yaml",
        "min.insync.replicas",
        """\
            apiVersion: kafka.strimzi.io/v1
            kind: Kafka
            metadata: {name: core}
            spec: {kafka: {config: {min.insync.replicas: «two»}}}
            """,
    ),
    Row(
        "strimzi-cr",
        "topic.yaml",
        "min.insync.replicas",
        """\
            apiVersion: kafka.strimzi.io/v1
            kind: KafkaTopic
            metadata: {name: orders}
            spec: {config: {min.insync.replicas: «two»}}
            """,
    ),
    Row(
        "strimzi-cr",
        "connect.yaml",
        "request.timeout.ms",
        """\
            apiVersion: kafka.strimzi.io/v1
            kind: KafkaConnect
            metadata: {name: etl}
            spec: {bootstrapServers: "k1:9092", config: {producer.request.timeout.ms: «two»}}
            """,
    ),
    Row(
        "strimzi-cr",
        "connector.yaml",
        "tasks.max",
        """\
            apiVersion: kafka.strimzi.io/v1
            kind: KafkaConnector
            metadata: {name: files}
            spec: {class: FileStreamSource, tasksMax: «two»}
            """,
    ),
    Row(
        "strimzi-cr",
        "mm2.yaml",
        "tasks.max",
        """\
            apiVersion: kafka.strimzi.io/v1
            kind: KafkaMirrorMaker2
            metadata: {name: mm}
            spec:
              target: {alias: b, bootstrapServers: "b:9092"}
              mirrors:
                - source: {alias: a, bootstrapServers: "a:9092"}
                  sourceConnector: {tasksMax: «two»}
            """,
    ),
    Row(
        "strimzi-cr",
        "bridge.yaml",
        "request.timeout.ms",
        """\
            apiVersion: kafka.strimzi.io/v1
            kind: KafkaBridge
            metadata: {name: web}
            spec: {bootstrapServers: "k1:9092", consumer: {config: {request.timeout.ms: «two»}}}
            """,
    ),
    Row(
        "strimzi-cr",
        "user.yaml",
        "producer_byte_rate",
        """\
            apiVersion: kafka.strimzi.io/v1
            kind: KafkaUser
            metadata: {name: ann}
            spec: {quotas: {producerByteRate: «two»}}
            """,
    ),
    Row(
        "terraform-confluent",
        "topics.tf",
        "max.message.bytes",
        """\
            resource "confluent_kafka_topic" "orders" {
              topic_name = "orders"
              config = {
                "max.message.bytes" = "«two»"
              }
            }
            """,
    ),
    Row(
        "terraform-kafka_topic",
        "topics.tf",
        "max.message.bytes",
        """\
            resource "kafka_topic" "orders" {
              name   = "orders"
              config = { "max.message.bytes" = "«two»" }
            }
            """,
    ),
    Row(
        "terraform-msk",
        "msk.tf",
        "message.max.bytes",
        """\
            resource "aws_msk_configuration" "core" {
              server_properties = <<-EOT
                # bytes
                message.max.bytes = «two»
              EOT
            }
            """,
    ),
    Row(
        "topicctl",
        "orders.yaml",
        "max.message.bytes",
        """\
            meta: {name: orders, cluster: core, environment: prod, region: eu}
            spec:
              partitions: 3
              replicationFactor: 3
              settings:
                max.message.bytes: «two» # batches
            """,
    ),
    Row(
        "topics-yaml",
        "topics.yml",
        "max.message.bytes",
        """\
            topics:
              - name: orders
                partitions: 3
                replication: 3
                configs: retention.ms=1000,max.message.bytes=«two»,cleanup.policy=compact,delete
            """,
    ),
    Row(
        "client-other",
        "pipeline.conf",
        "max.poll.records",
        """\
            input {
              # events of the shop
              kafka {
                bootstrap_servers => "k1:9092"
                topics => ["orders", 'clicks']
                codec => json { charset => "UTF-8" }
                max_poll_records => "«two»"
              }
            }
            output { stdout {} }
            """,
    ),
    Row(
        "client-other",
        "out.conf",
        "batch.size",
        """\
            output {
              if [type] == "order" {
                kafka { bootstrap_servers => "k1:9092" topic_id => "%{[topic]}" batch_size => «two» }
              }
            }
            """,
    ),
    Row(
        "asyncapi",
        "api.json",
        "max.message.bytes",
        """\
            {"asyncapi": "3.0.0", "channels": {"orders": {"bindings": {"kafka": {
              "topicConfiguration": {"max.message.bytes": «"two"»}
            }}}}}
            """,
    ),
    Row(
        "terraform-kafka_topic",
        "topics.tf.json",
        "max.message.bytes",
        """\
            {"resource": {"kafka_topic": {"orders": {
              "name": "orders", "partitions": 6, "config": {"max.message.bytes": "«two»"}
            }}}}
            """,
    ),
    Row(
        "terraform-confluent",
        "main.tf.json",
        "max.message.bytes",
        """\
            {"resource": [{"confluent_kafka_topic": {"orders": [{
              "topic_name": "orders", "config": {"max.message.bytes": "«two»"}
            }]}}]}
            """,
    ),
    Row(
        "terraform-kafka_topic",
        "yandex.tf",
        "max.message.bytes",
        """\
            resource "yandex_mdb_kafka_topic" "orders" {
              name       = "orders"
              partitions = 6
              topic_config { max_message_bytes = "«two»" }
            }
            """,
    ),
    Row(
        "terraform-msk",
        "connect.tf",
        "offset.flush.interval.ms",
        """\
            resource "aws_mskconnect_worker_configuration" "workers" {
              name                    = "workers"
              properties_file_content = <<-EOT
                key.converter=org.apache.kafka.connect.json.JsonConverter
                offset.flush.interval.ms=«two»
              EOT
            }
            """,
    ),
    Row(
        "terragrunt",
        "live/topics/terragrunt.hcl",
        "max.message.bytes",
        """\
            terraform { source = "git::https://example.com/topics.git" }
            inputs = {
              topics = {
                orders = { partitions = 6, config = { "max.message.bytes" = "«two»" } }
              }
            }
            """,
    ),
    Row(
        "pulumi-yaml",
        "Pulumi.yaml",
        "max.message.bytes",
        """\
            name: topics
            runtime: yaml
            resources:
              orders:
                type: kafka:Topic
                properties: {name: orders, partitions: 6, config: {max.message.bytes: «two»}}
            """,
    ),
    Row(
        "cloudformation-msk",
        "connect.yaml",
        "tasks.max",
        """\
            Resources:
              Sink:
                Type: AWS::KafkaConnect::Connector
                Properties:
                  ConnectorName: archive
                  ConnectorConfiguration:
                    connector.class: io.confluent.connect.s3.S3SinkConnector
                    topics: orders
                    tasks.max: «two»
            """,
    ),
    Row(
        "terraform-vars",
        "prod.tfvars",
        "max.message.bytes",
        """\
            region = "eu"
            topics = {
              orders = {
                partitions = 6
                config     = { "max.message.bytes" = "«two»" }
              }
            }
            """,
    ),
    Row(
        "terraform-vars",
        "prod.auto.tfvars.json",
        "max.message.bytes",
        """\
            {"kafka_topics": [{"name": "orders", "partitions": 6,
              "config": {"max.message.bytes": «"two"»}}]}
            """,
    ),
    Row(
        "ansible",
        "roles/kafka/templates/server.properties.j2",
        "message.max.bytes",
        "broker.id={{ id }}\nlog.dirs=/data\nmessage.max.bytes=«two»\n",
    ),
    Row(
        "terraform-manifests",
        "kafka.tf",
        "message.max.bytes",
        """\
            resource "kubectl_manifest" "kafka" {
              yaml_body = <<-YAML
                apiVersion: kafka.strimzi.io/v1beta2
                kind: Kafka
                metadata:
                  name: core
                  namespace: ${kubernetes_namespace.kafka.metadata[0].name}
                spec:
                  kafka:
                    replicas: ${var.production ? 3 : 1}
                    config:
                      message.max.bytes: «two»
              YAML
            }
            """,
    ),
    Row(
        "terraform-manifests",
        "topic.tf",
        "max.message.bytes",
        """\
            resource "kubernetes_manifest" "orders" {
              manifest = {
                apiVersion = "kafka.strimzi.io/v1beta2"
                kind       = "KafkaTopic"
                metadata   = { name = "orders", labels = { "strimzi.io/cluster" = "core" } }
                spec = {
                  partitions = 6
                  replicas   = var.replicas
                  config     = { "max.message.bytes" = «"two"» }
                }
              }
            }
            """,
    ),
    Row(
        "terraform-manifests",
        "release.tf",
        "message.max.bytes",
        """\
            resource "helm_release" "events" {
              name  = "events"
              chart = "oci://registry-1.docker.io/bitnamicharts/kafka"
              values = [
                file("${path.module}/values.yaml"),
                <<-EOT
                  controller:
                    replicaCount: 3
                  extraConfig: |
                    message.max.bytes=«two»
                EOT
              ]
            }
            """,
    ),
    Row(
        "terraform-manifests",
        "release.tf",
        "message.max.bytes",
        """\
            resource "helm_release" "events" {
              name   = "events"
              chart  = "bitnami/kafka"
              values = [yamlencode({
                controller            = { replicaCount = 3 }
                overrideConfiguration = { "message.max.bytes" = «"two"» }
              })]
            }
            """,
    ),
    Row(
        "crossplane",
        "topic.yaml",
        "max.message.bytes",
        """\
            apiVersion: kubernetes.crossplane.io/v1alpha2
            kind: Object
            metadata: {name: orders}
            spec:
              forProvider:
                manifest:
                  apiVersion: kafka.strimzi.io/v1beta2
                  kind: KafkaTopic
                  metadata: {name: orders, labels: {strimzi.io/cluster: core}}
                  spec:
                    partitions: 6
                    config:
                      max.message.bytes: «two»
            """,
    ),
    Row(
        "helm-release",
        "release.yaml",
        "message.max.bytes",
        """\
            apiVersion: helm.crossplane.io/v1beta1
            kind: Release
            metadata: {name: events}
            spec:
              forProvider:
                chart: {name: kafka, repository: https://charts.bitnami.com/bitnami}
                namespace: shop
                values:
                  extraConfig: |
                    message.max.bytes=«two»
            """,
    ),
    Row(
        "helm-release",
        "set.yaml",
        "message.max.bytes",
        """\
            apiVersion: argoproj.io/v1alpha1
            kind: ApplicationSet
            metadata: {name: events}
            spec:
              generators: [{clusters: {}}]
              template:
                metadata: {name: "events-{{name}}"}
                spec:
                  source:
                    chart: kafka
                    repoURL: registry-1.docker.io/bitnamicharts
                    helm:
                      values: |
                        overrideConfiguration:
                          min.insync.replicas: 2
                      parameters:
                        - name: overrideConfiguration.message\\.max\\.bytes
                          value: «two»
            """,
    ),
    Row(
        "kustomize",
        "overlays/dev/kustomization.yaml",
        "message.max.bytes",
        """\
            resources: [../../base]
            patches:
              - patch: |-
                  apiVersion: kafka.strimzi.io/v1beta2
                  kind: Kafka
                  metadata: {name: core}
                  spec:
                    kafka:
                      config:
                        message.max.bytes: «two»
            """,
    ),
    Row(
        "kustomize",
        "overlays/dev/kustomization.yaml",
        "max.message.bytes",
        """\
            resources: [../../base]
            patches:
              - target: {group: kafka.strimzi.io, version: v1beta2, kind: KafkaTopic, name: orders}
                patch: |-
                  - op: replace
                    path: /spec/config/max.message.bytes
                    value: «two»
            """,
    ),
    Row(
        "cloud-init",
        "user-data.yaml",
        "num.io.threads",
        """\
            #cloud-config
            write_files:
              - path: /opt/kafka/config/server.properties
                permissions: "0644"
                content: |
                  node.id=1
                  process.roles=broker,controller
                  controller.quorum.voters=1@k1:9093
                  controller.listener.names=CONTROLLER
                  num.io.threads=«two»
            """,
    ),
    Row(
        "helmfile",
        "helmfile.yaml",
        "message.max.bytes",
        """\
            repositories:
              - name: bitnami
                url: https://charts.bitnami.com/bitnami
            releases:
              - name: events
                namespace: {{ .Environment.Name }}
                chart: bitnami/kafka
                values:
                  - controller: {replicaCount: 3}
                  - extraConfig: |
                      message.max.bytes=«two»
             """,
    ),
    Row(
        "broker-properties",
        "conf/server.properties.tpl",
        "message.max.bytes",
        """\
            broker.id={{ .Id }}
            log.dirs=/data
            {{- if .Ssl }}
            listeners=SSL://:9093
            {{- end }}
            message.max.bytes=«two»
            """,
    ),
    Row(
        "ansible-tasks",
        "topics.yml",
        "max.message.bytes",
        """\
            - hosts: kafka
              tasks:
                - name: orders
                  kafka_topic:
                    name: orders
                    partitions: 6
                    replica_factor: 3
                    options:
                      max.message.bytes: «two»
                    bootstrap_servers: k1.example.com:9092
            """,
    ),
    Row(
        "ansible-tasks",
        "roles/kafka/tasks/main.yml",
        "message.max.bytes",
        """\
            - name: configuration
              ansible.builtin.copy:
                dest: /opt/kafka/config/server.properties
                content: |
                  broker.id={{ id }}
                  zookeeper.connect=z:2181
                  log.dirs=/data
                  message.max.bytes=«two»
            """,
    ),
    Row(
        "ansible-tasks",
        "roles/kafka/tasks/main.yml",
        "message.max.bytes",
        """\
            - name: limits
              blockinfile:
                path: /opt/kafka/config/server.properties
                block: |
                  message.max.bytes=«two»
            """,
    ),
]
