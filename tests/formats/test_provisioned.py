"""Resources of infrastructure as code: every row of the table, in Terraform's two forms, Pulumi and CloudFormation."""

from __future__ import annotations

from textwrap import dedent

import pytest

from kcheck import formats, services
from kcheck.formats.provisioned import table as provisioned
from kcheck.model import PASSED_OVER, READ, Derived, Document, Resource


def read(path: str, text: str) -> Document:
    return formats.read(path, dedent(text).encode(), lambda _: None)


def told(resource: Resource) -> dict[str, str | None]:
    return {one.key: one.text for one in (*resource.settings.values(), *resource.facts.values())}


def test_the_table_is_whole() -> None:
    kinds = {*provisioned.MADE, provisioned.BROKER, provisioned.SETTINGS}
    for row in provisioned.rows().values():
        assert row.kind in kinds | {provisioned.CONFIGURATION, provisioned.ACL}, row.type
        assert row.service in ("", *services.NAMES), row.type
        assert row.names or row.keys or row.kind == provisioned.ACL, row.type


TOPICS = [
    ("aiven_kafka_topic", "topic_name", "replication", "config { retention_ms = 9 }", "partitions"),
    (
        "confluent_kafka_topic",
        "topic_name",
        "",
        'config = {"retention.ms" = 9}',
        "partitions_count",
    ),
    (
        "digitalocean_database_kafka_topic",
        "name",
        "replication_factor",
        "config { retention_ms = 9 }",
        "partition_count",
    ),
    (
        "ovh_cloud_project_database_kafka_topic",
        "name",
        "replication",
        "retention_hours = 2",
        "partitions",
    ),
    (
        "google_managed_kafka_topic",
        "topic_id",
        "replication_factor",
        'configs = {"retention.ms" = 9}',
        "partition_count",
    ),
    (
        "yandex_mdb_kafka_topic",
        "name",
        "replication_factor",
        "topic_config { retention_ms = 9 }",
        "partitions",
    ),
    (
        "redpanda_topic",
        "name",
        "replication_factor",
        'configuration = {"retention.ms" = 9}',
        "partition_count",
    ),
    (
        "instaclustr_kafka_topic_v3",
        "topic",
        "replication_factor",
        'configs {\nkey = "retention.ms"\nvalue = 9\n}',
        "partitions",
    ),
    ("upstash_kafka_topic", "topic_name", "", "retention_time = 9", "partitions"),
    ("ibm_event_streams_topic", "name", "", 'config = {"retention.ms" = 9}', "partitions"),
]


@pytest.mark.parametrize(("kind", "name", "factor", "keys", "partitions"), TOPICS)
def test_topics(kind: str, name: str, factor: str, keys: str, partitions: str) -> None:
    copies = f"{factor} = 3" if factor else ""
    text = f'resource "{kind}" "a" {{\n{name} = "orders"\n{partitions} = 6\n{copies}\n{keys}\n}}\n'
    (topic,) = read("topics.tf", text).resources
    retention = "7200000" if "hours" in keys else "9"
    expected = {"partitions": "6", "retention.ms": retention}
    if factor:
        expected["replication.factor"] = "3"
    assert (topic.kind, topic.name, told(topic)) == ("topic", "orders", expected)
    assert (type(topic.settings["retention.ms"]) is Derived) is ("hours" in keys)


def test_words_that_repeat_their_names() -> None:
    text = """\
    resource "yandex_mdb_kafka_cluster" "core" {
      config {
        version = "3.5"
        kafka {
          kafka_config {
            compression_type        = "COMPRESSION_TYPE_ZSTD"
            log_retention_bytes     = 9
            sasl_enabled_mechanisms = ["SASL_MECHANISM_SCRAM_SHA_256"]
          }
        }
      }
    }
    resource "yandex_mdb_kafka_topic" "orders" {
      cluster_id = yandex_mdb_kafka_cluster.core.id
      name       = "orders"
      topic_config {
        cleanup_policy   = "CLEANUP_POLICY_COMPACT_AND_DELETE"
        compression_type = "SOMETHING_ELSE"
      }
    }
    resource "digitalocean_database_kafka_topic" "audit" {
      name = "audit"
      config {
        message_timestamp_type         = "log_append_time"
        message_down_conversion_enable = true
      }
    }
    """
    orders, audit, broker = read("main.tf", text).resources
    assert told(orders) == {"cleanup.policy": "compact,delete", "compression.type": None}
    assert (orders.cluster, broker.cluster, broker.traits.service) == ("core", "core", "yandex")
    assert told(audit) == {
        "message.timestamp.type": "LogAppendTime",
        "message.downconversion.enable": "true",
    }
    assert told(broker) == {
        "compression.type": "zstd",
        "log.retention.bytes": "9",
        "sasl.enabled.mechanisms": None,
        "kafka_version": "3.5",
    }


def test_clusters_of_engines_are_kafkas_where_they_say_so() -> None:
    text = """\
    resource "digitalocean_database_cluster" "a" {
      engine = "pg"
    }
    resource "digitalocean_database_cluster" "b" {
      engine     = "kafka"
      version    = "3.7"
      node_count = 3
    }
    resource "digitalocean_database_kafka_config" "b" {
      cluster_id            = digitalocean_database_cluster.b.id
      log_retention_hours   = 24
      auto_create_topics_enable = false
    }
    """
    (broker,) = read("main.tf", text).resources
    assert told(broker) == {
        "kafka_version": "3.7",
        "replicas": "3",
        "log.retention.hours": "24",
        "auto.create.topics.enable": "false",
    }


def test_settings_of_a_cluster_in_another_file() -> None:
    text = """\
    resource "confluent_kafka_cluster_config" "orders" {
      kafka_cluster { id = confluent_kafka_cluster.main.id }
      config = { "auto.create.topics.enable" = "true" }
    }
    """
    (broker,) = read("config.tf", text).resources
    assert (broker.cluster, broker.traits.partial) == ("main", True)
    assert told(broker) == {"auto.create.topics.enable": "true"}


@pytest.mark.parametrize("tier", ["basic", "standard", "enterprise", "dedicated", "freight"])
def test_the_type_of_a_cluster_of_confluents(tier: str) -> None:
    text = f"""\
    resource "confluent_kafka_cluster" "main" {{
      {tier} {{}}
    }}
    resource "confluent_kafka_topic" "orders" {{
      kafka_cluster {{ id = confluent_kafka_cluster.main.id }}
      topic_name = "orders"
    }}
    """
    topic, broker = read("main.tf", text).resources
    assert topic.traits.tier is not None
    assert topic.traits.tier.text == tier.capitalize()
    assert broker.traits.tier is not None


def test_quotas() -> None:
    text = """\
    resource "aiven_kafka_quota" "a" {
      user               = "ann"
      consumer_byte_rate = 1000
    }
    resource "confluent_kafka_client_quota" "b" {
      display_name = "limits"
      principals   = [confluent_service_account.app.id]
      throughput {
        ingress_byte_rate = "100"
        egress_byte_rate  = "200"
      }
    }
    resource "kafka_quota" "c" {
      entity_type = "client-id"
      config      = { "producer_byte_rate" = 5 }
    }
    """
    found = read("quotas.tf", text).resources
    assert [told(one) for one in found] == [
        {"consumer_byte_rate": "1000", "user": "ann"},
        {"producer_byte_rate": "100", "consumer_byte_rate": "200", "user": None},
        {"producer_byte_rate": "5", "client_id": None},
    ]


def test_connectors_and_their_workers() -> None:
    text = """\
    resource "aws_msk_cluster" "core" {
      cluster_name = "core"
    }
    resource "aws_mskconnect_connector" "sink" {
      name = "archive"
      connector_configuration = {
        "connector.class" = "io.confluent.connect.s3.S3SinkConnector"
        "topics"          = kafka_topic.orders.name
      }
      kafka_cluster {
        apache_kafka_cluster { bootstrap_servers = aws_msk_cluster.core.bootstrap_brokers_tls }
      }
    }
    resource "aws_mskconnect_connector" "other" {
      name = "other"
      connector_configuration = { "connector.class" = "FileStreamSource" }
      kafka_cluster {
        apache_kafka_cluster { bootstrap_servers = "k1.example.com:9092" }
      }
    }
    resource "kafka_topic" "orders" {
      name = "orders"
    }
    resource "aws_mskconnect_worker_configuration" "workers" {
      name                    = "workers"
      properties_file_content = "key.converter=x\\noffset.flush.interval.ms=1000"
    }
    """
    found = {one.name: one for one in read("connect.tf", text).resources}
    sink = found["archive"]
    assert (sink.kind, sink.plane, sink.traits.topics, sink.cluster) == (
        "connector",
        "sink-connector",
        ("orders",),
        "core",
    )
    assert [one.text for one in found["other"].traits.asks] == ["k1.example.com:9092"]
    workers = found["workers"]
    assert (workers.kind, workers.traits.partial) == ("worker", True)
    assert told(workers) == {"key.converter": "x", "offset.flush.interval.ms": "1000"}


def test_functions_that_read_topics() -> None:
    text = """\
    resource "aws_lambda_event_source_mapping" "orders" {
      event_source_arn = aws_msk_cluster.core.arn
      function_name    = "shipping"
      topics           = ["orders"]
      amazon_managed_kafka_event_source_config { consumer_group_id = "shipping" }
    }
    resource "aws_lambda_event_source_mapping" "queue" {
      event_source_arn = aws_sqs_queue.q.arn
      function_name    = "other"
    }
    """
    (consumer,) = read("lambda.tf", text).resources
    assert (consumer.kind, consumer.name, consumer.traits.topics) == (
        "consumer",
        "shipping",
        ("orders",),
    )
    assert (consumer.cluster, told(consumer)) == ("core", {"group.id": "shipping"})


PULUMI = """\
name: infrastructure
runtime: yaml
resources:
  settings:
    type: aws:msk:Configuration
    properties:
      name: core
      kafkaVersions: ["3.6.0"]
      serverProperties: |
        # kept
        min.insync.replicas=2
        num.partitions=${count}
  core:
    type: aws:msk/cluster:Cluster
    properties:
      clusterName: core
      kafkaVersion: 3.6.0
      numberOfBrokerNodes: 3
      configurationInfo: {arn: "${settings.arn}", revision: 1}
  cloud:
    type: confluentcloud:KafkaCluster
    properties: {displayName: x, basic: {}}
  orders:
    type: confluentcloud:index/kafkaTopic:KafkaTopic
    properties:
      kafkaCluster: {id: "${cloud.id}"}
      topicName: orders
      partitionsCount: 6
      config: {retention.ms: "1000"}
  audit:
    type: aiven:KafkaTopic
    properties: {topicName: audit, partitions: 3, replication: 2, config: {cleanupPolicy: compact}}
  bucket: {type: "aws:s3:Bucket", properties: {}}
"""


def test_pulumi() -> None:
    document = read("Pulumi.yaml", PULUMI)
    assert (document.format, document.status) == ("pulumi-yaml", READ)
    orders, audit, cloud, core = document.resources
    assert told(orders) == {"retention.ms": "1000", "partitions": "6"}
    assert (orders.cluster, cloud.cluster) == ("cloud", "cloud")
    assert orders.traits.tier is not None
    assert told(audit) == {
        "cleanup.policy": "compact",
        "partitions": "3",
        "replication.factor": "2",
    }
    assert told(core) == {
        "min.insync.replicas": "2",
        "num.partitions": None,
        "kafka_version": "3.6.0",
        "replicas": "3",
    }
    setting = core.settings["min.insync.replicas"]
    assert (setting.at, setting.key_at) == ((11, 29, 11, 30), (11, 9, 11, 28))


def test_pulumi_without_kafka() -> None:
    assert (
        read("Pulumi.yaml", "name: kafka\nresources: {a: {type: aws:s3:Bucket}}\n").format is None
    )
    broken = read("Pulumi.yaml", "name: kafka\nresources:\n  a:\n    type: kafka:Topic\n    x: [\n")
    assert broken.problems
    empty = read("Pulumi.yaml", "resources:\n  a:\n    type: kafka:Topic\n")
    assert (empty.status, empty.resources) == (PASSED_OVER, [])


TEMPLATE = """\
Resources:
  Core:
    Type: AWS::MSK::Cluster
    Properties: {ClusterName: core}
  Sink:
    Type: AWS::KafkaConnect::Connector
    Properties:
      ConnectorName: archive
      ConnectorConfiguration:
        connector.class: io.confluent.connect.s3.S3SinkConnector
        topics: orders
        tasks.max: !Ref Tasks
  Workers:
    Type: AWS::KafkaConnect::WorkerConfiguration
    Properties:
      Name: workers
      PropertiesFileContent: |
        key.converter=org.apache.kafka.connect.storage.StringConverter
  Poll:
    Type: AWS::Lambda::EventSourceMapping
    Properties:
      EventSourceArn: {Fn::GetAtt: [Core, Arn]}
      Topics: [orders]
      AmazonManagedKafkaEventSourceConfig: {ConsumerGroupId: shipping}
  Function:
    Type: AWS::Serverless::Function
    Properties:
      Events:
        Audit:
          Type: MSK
          Properties: {Stream: !Ref Core, Topics: [audit]}
        Api: {Type: Api, Properties: {Path: /}}
"""


def test_cloudformation() -> None:
    found = {one.name: one for one in read("template.yaml", TEMPLATE).resources}
    assert found.keys() == {"Core", "archive", "workers", "Poll", "Function.Audit"}
    assert found["archive"].settings["tasks.max"].text is None
    assert found["archive"].traits.topics == ("orders",)
    assert found["workers"].settings["key.converter"].at == (18, 23, 18, 71)
    for name, topic in (("Poll", "orders"), ("Function.Audit", "audit")):
        assert (found[name].cluster, found[name].traits.topics) == ("Core", (topic,))


def test_cloudformation_in_json() -> None:
    text = '{"Resources": {"S": {"Type": "AWS::KafkaConnect::Connector", "Properties": {"ConnectorName": "a",'
    text += (
        ' "ConnectorConfiguration": {"connector.class": "FileStreamSink", "topics": "orders"}}}}}'
    )
    (connector,) = read("template.json", text).resources
    assert connector.settings["connector.class"].at[:2] == (1, 146)


def test_all_of_terraform_in_json() -> None:
    text = """\
    {"resource": {
      "confluent_kafka_cluster": {"main": {"display_name": "m", "standard": [{}]}},
      "confluent_kafka_topic": {"orders": {"topic_name": "orders",
        "kafka_cluster": [{"id": "${confluent_kafka_cluster.main.id}"}]}},
      "redpanda_acl": {"a": {"resource_type": "TOPIC", "resource_name": "orders", "principal": "User:ann",
        "resource_pattern_type": "LITERAL", "operation": "READ", "permission_type": "ALLOW", "host": "*"}},
      "aws_lambda_event_source_mapping": {"p": {"function_name": "f", "topics": ["orders"]}}
    }}
    """
    orders, function, ann, main = read("main.tf.json", text).resources
    assert (orders.cluster, main.cluster) == ("main", "main")
    assert orders.traits.tier is not None
    assert function.traits.topics == ("orders",)
    assert [str(right) for right in ann.traits.rights] == ["Read on topic orders"]


def test_users_whose_names_are_not_known() -> None:
    text = """\
    resource "confluent_kafka_acl" "read" {
      resource_type = "TOPIC"
      resource_name = "orders"
      pattern_type  = "PREFIXED"
      principal     = "User:${confluent_service_account.app.id}"
      host          = "*"
      operation     = "READ"
      permission    = "ALLOW"
    }
    resource "confluent_kafka_topic" "audit" {
      topic_name = "audit"
    }
    resource "confluent_role_binding" "write" {
      principal   = "User:${confluent_service_account.app.id}"
      role_name   = "DeveloperWrite"
      crn_pattern = "${confluent_kafka_cluster.main.rbac_crn}/kafka=${confluent_kafka_cluster.main.id}/topic=${confluent_kafka_topic.audit.topic_name}"
    }
    resource "confluent_role_binding" "admin" {
      principal   = "User:${confluent_service_account.boss.id}"
      role_name   = "CloudClusterAdmin"
      crn_pattern = confluent_kafka_cluster.main.rbac_crn
    }
    """
    _, app, boss = read("acls.tf", text).resources
    assert (app.name, told(app)) == ("${confluent_service_account.app.id}", {"principal": None})
    assert [str(one) for one in app.traits.rights] == [
        "Read on topic orders*",
        "Write on topic audit",
    ]
    assert (app.traits.partial, boss.traits.rights) == (True, ())
    assert boss.cluster == "main"


def test_permissions_of_services() -> None:
    text = """\
    resource "aiven_kafka_acl" "a" {
      username   = "ann"
      topic      = "orders-*"
      permission = "readwrite"
    }
    resource "aiven_kafka_acl" "b" {
      username   = "ann"
      topic      = "*-audit"
      permission = "admin"
    }
    resource "aiven_kafka_acl" "everybody" {
      username   = "*"
      topic      = "*"
      permission = "read"
    }
    resource "yandex_mdb_kafka_user" "bob" {
      name = "bob"
      permission {
        topic_name = "orders"
        role       = "ACCESS_ROLE_PRODUCER"
      }
    }
    resource "instaclustr_kafka_acl_v3" "c" {
      acl {
        resource_type = "GROUP"
        resource_name = "g"
        pattern_type  = "LITERAL"
        principal     = "User:carl"
        operation     = "READ"
      }
    }
    """
    found = {one.name: one for one in read("acls.tf", text).resources}
    assert {name: [str(right) for right in one.traits.rights] for name, one in found.items()} == {
        "ann": ["Read on topic orders-*", "Write on topic orders-*"],
        "bob": ["Write on topic orders"],
        "carl": ["Read on group g"],
    }


def test_mirrors() -> None:
    text = """\
    resource "aiven_mirrormaker_replication_flow" "f" {
      enable                   = false
      source_cluster           = "eu"
      target_cluster           = "us"
      topics                   = ["orders", "audit"]
      replication_policy_class = "org.apache.kafka.connect.mirror.IdentityReplicationPolicy"
    }
    resource "yandex_mdb_kafka_connector" "m" {
      name      = "copy"
      tasks_max = 3
      connector_config_mirrormaker {
        topics             = "data.*"
        replication_factor = 1
        source_cluster {
          alias = "source"
          external_cluster { bootstrap_servers = "k1:9091,k2:9091" }
        }
        target_cluster {
          alias = "target"
          this_cluster {}
        }
      }
    }
    resource "confluent_kafka_mirror_topic" "t" {
      source_kafka_topic { topic_name = "orders" }
    }
    """
    flow, copy, topic = read("mirrors.tf", text).resources
    assert (flow.plane, flow.traits.halted, copy.name) == ("mirror-source", True, "copy")
    assert told(flow)["topics"] == "orders,audit"
    (there,) = copy.traits.flows_in
    assert there.ends == ("source", "target")
    assert there.servers[0] == frozenset({("k1", "9091"), ("k2", "9091")})
    assert topic.name == "orders"
