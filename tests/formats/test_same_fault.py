"""One fault, written in every format: the same finding each time, right where it is written.

Each row holds ``«1MB»`` where a number of bytes belongs. Rows are added at the end.
"""

from __future__ import annotations

from textwrap import dedent

import pytest
from spans import under

from kcheck import formats
from kcheck.engine import lint_project
from kcheck.settings import Settings

ROWS = [
    # format, path, text
    (
        "broker-properties",
        "server.properties",
        "broker.id=1\nzookeeper.connect=z:2181\nmessage.max.bytes=«1MB»\n",
    ),
    ("client-properties", "p.properties", "bootstrap.servers=k:9092\nacks=all\nbatch.size=«1MB»\n"),
    (
        "compose",
        "compose.yaml",
        """\
        services:
          kafka:
            image: apache/kafka:3.9.0
            environment:
              KAFKA_MESSAGE_MAX_BYTES: «1MB»
        """,
    ),
    (
        "strimzi-cr",
        "topic.yaml",
        """\
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaTopic
        metadata: {name: orders}
        spec:
          config: {max.message.bytes: «1MB»}
        """,
    ),
    (
        "kcheck-yaml",
        "kcheck.yaml",
        """\
        topics:
          - name: orders
            config:
              max.message.bytes: «"1MB"»
        """,
    ),
    (
        "describe-output",
        "topics.txt",
        "Topic: a\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: max.message.bytes=«1MB»,cleanup.policy=delete\n",
    ),
    (
        "julie",
        "topology.yaml",
        """\
        context: shop
        projects:
          - name: web
            topics:
              - name: orders
                config:
                  max.message.bytes: «"1MB"»
        """,
    ),
    (
        "topicctl",
        "orders.yaml",
        """\
        meta: {name: orders, cluster: core, environment: prod, region: eu}
        spec:
          partitions: 3
          replicationFactor: 3
          settings:
            max.message.bytes: «1MB» # batches
        """,
    ),
    (
        "kafka-gitops",
        "state.yaml",
        """\
        topics:
          orders:
            partitions: 3
            replication: 3
            configs:
              max.message.bytes: «1MB»
        """,
    ),
    (
        "topics-yaml",
        "topics.yml",
        """\
        topics:
          - name: orders
            partitions: 3
            replication: 3
            configs: retention.ms=1000,max.message.bytes=«1MB»,cleanup.policy=compact,delete
        """,
    ),
    (
        "jikkou",
        "topics.yaml",
        """\
        apiVersion: kafka.jikkou.io/v1
        kind: KafkaTopicList
        items:
          - metadata: {name: orders}
            spec:
              configs: {max.message.bytes: '«1MB»'}
        """,
    ),
    (
        "conduktor",
        "topic.yaml",
        """\
        apiVersion: kafka/v2
        kind: Topic
        metadata: {name: orders, cluster: core}
        spec:
          configs:
            max.message.bytes: «1MB»
        """,
    ),
    (
        "ns4kafka",
        "topic.yaml",
        """\
        apiVersion: v1
        kind: Topic
        metadata: {name: orders, cluster: core}
        spec:
          replicationFactor: 3
          configs:
            max.message.bytes: «1MB»
        """,
    ),
    (
        "asyncapi",
        "api.yaml",
        """\
        asyncapi: 3.0.0
        channels:
          orders:
            bindings:
              kafka:
                topicConfiguration:
                  max.message.bytes: «1MB»
        """,
    ),
    (
        "terraform-kafka_topic",
        "topics.tf",
        """\
        resource "kafka_topic" "orders" {
          name   = "orders"
          config = { "max.message.bytes" = "«1MB»" }
        }
        """,
    ),
    (
        "terraform-confluent",
        "topics.tf",
        """\
        resource "confluent_kafka_topic" "orders" {
          topic_name = "orders"
          config = {
            "max.message.bytes" = "«1MB»"
          }
        }
        """,
    ),
    (
        "terraform-msk",
        "msk.tf",
        """\
        resource "aws_msk_configuration" "core" {
          server_properties = <<-EOT
            # bytes
            message.max.bytes = «1MB»
          EOT
        }
        """,
    ),
    (
        "k8s-plain",
        "kafka.yaml",
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
                    - {name: KAFKA_MESSAGE_MAX_BYTES, value: «1MB»}
        """,
    ),
    (
        "k8s-plain",
        "configmap.yaml",
        """\
        apiVersion: v1
        kind: ConfigMap
        data:
          server.properties: |
            broker.id=1
            message.max.bytes=«1MB»
        """,
    ),
    (
        "ecs-json",
        "task.json",
        """\
        [{"name": "k", "image": "apache/kafka:3.9.0", "essential": true, "environment": [
          {"name": "KAFKA_MESSAGE_MAX_BYTES", "value": "«1MB»"}
        ]}]
        """,
    ),
    (
        "nais-topic",
        "topic.yaml",
        """\
        apiVersion: kafka.nais.io/v1
        kind: Topic
        metadata: {name: orders}
        spec:
          pool: {{pool}}
          config:
            maxMessageBytes: «1MB»
        """,
    ),
    (
        "cfk-cr",
        "kafka.yaml",
        """\
        apiVersion: platform.confluent.io/v1beta1
        kind: Kafka
        metadata: {name: core}
        spec:
          configOverrides:
            server:
              - "message.max.bytes=«1MB»"
        """,
    ),
    (
        "helm-values",
        "bitnami/values.yaml",
        "image: {repository: bitnami/kafka}\nmaxMessageBytes: «1MB»\n",
    ),
    (
        "helm-values",
        "extra/values.yaml",
        """\
        kafka:
          extraConfig: |
            num.io.threads=8
            message.max.bytes=«1MB»
        """,
    ),
    (
        "helm-values",
        "confluent/values.yaml",
        """\
        cp-kafka:
          configurationOverrides:
            "message.max.bytes": «"1MB"»
        """,
    ),
    (
        "ansible",
        "group_vars/kafka_broker.yml",
        """\
        kafka_broker_custom_properties:
          message.max.bytes: «1MB»
        """,
    ),
    (
        "puppet-hiera",
        "hieradata/kafka.yaml",
        "profile::kafka::broker::message_max_bytes: «'1MB'»\n",
    ),
]


@pytest.mark.parametrize(("name", "path", "text"), ROWS, ids=[f"{row[0]}-{row[1]}" for row in ROWS])
def test_the_same_fault_is_found_where_it_is_written(name: str, path: str, text: str) -> None:
    before, _, rest = dedent(text).partition("«")
    value, _, after = rest.partition("»")
    plain = before + value + after
    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1) + 1
    sources = {path: plain.encode()}
    assert formats.read(path, sources[path], sources.get).format == name
    project = lint_project(sources.items(), Settings(), sources.get)
    assert project.failures == []
    found = [f for f in project.findings if f.code == "KC0105"]
    assert [(f.path, f.at) for f in found] == [(path, (line, column, line, column + len(value)))]
    assert under(plain, found[0].at) == value
    assert "bytes" in found[0].message


EDITS = [
    # path, text, what the edit makes of it
    (
        "topic.yaml",
        "apiVersion: kafka/v2\nkind: Topic\nmetadata: {name: a}\n"
        'spec: {configs: {unclean.leader.election.enable: "true"}}\n',
        '{unclean.leader.election.enable: "false"}',
    ),
    (
        "a.tf",
        'resource "kafka_topic" "a" {\n  name = "a"\n'
        '  config = { "unclean.leader.election.enable" = "true" }\n}\n',
        '"unclean.leader.election.enable" = "false"',
    ),
    (
        "t.txt",
        "Topic: a\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: unclean.leader.election.enable=true\n",
        None,
    ),
]


@pytest.mark.parametrize(("path", "text", "made"), EDITS, ids=[row[0] for row in EDITS])
def test_an_edit_keeps_the_quotes_and_what_is_no_source_has_none(
    path: str, text: str, made: str | None
) -> None:
    project = lint_project([(path, text.encode())], Settings())
    (finding,) = [f for f in project.findings if f.code == "KC0306"]
    assert finding.fix is not None
    if made is None:
        assert finding.fix.edits == ()
        return
    (edit,) = finding.fix.edits
    lines = text.split("\n")
    line, start, _, end = edit.at
    lines[line - 1] = lines[line - 1][: start - 1] + edit.text + lines[line - 1][end - 1 :]
    assert made in "\n".join(lines)
