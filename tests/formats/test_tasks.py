"""Containers in Terraform and CloudFormation: tasks of ECS, containers of Docker's provider."""

from __future__ import annotations

from textwrap import dedent

import pytest

from kcheck import formats
from kcheck.model import DOCKER, ECS, PASSED_OVER, Document, Position

TASK = """\
resource "aws_ecs_task_definition" "kafka" {
  family = "kafka"
  container_definitions = jsonencode([
    {
      name   = "kafka"
      image  = "apache/kafka:3.8.0"
      memory = 4096
      environment = [
        { name = "KAFKA_NODE_ID", value = "1" },
        { name = "KAFKA_PROCESS_ROLES", value = "broker" },
        { name = "KAFKA_ADVERTISED_LISTENERS", value = "PLAINTEXT://kafka.${var.domain}:9092" },
      ]
    },
    {
      name        = "registry"
      image       = "confluentinc/cp-schema-registry:7.6.0"
      environment = concat([{ name = "SCHEMA_REGISTRY_HOST_NAME", value = "x" }], local.more)
    },
    {
      name    = "exporter"
      image   = "danielqsj/kafka-exporter:latest"
      command = ["--kafka.server=kafka:9092", "--sasl.enabled"]
    }
  ])
}
"""
DOCKERS = """\
resource "docker_image" "kafka" {
  name = "confluentinc/cp-kafka:7.5.0"
}
resource "docker_container" "kafka" {
  name  = "kafka-1"
  image = docker_image.kafka.image_id
  env = [
    "KAFKA_BROKER_ID=1",
    "KAFKA_ZOOKEEPER_CONNECT=zookeeper:2181",
    "KAFKA_ADVERTISED_LISTENERS=PLAINTEXT://${var.ip}:9092",
  ]
}
resource "docker_container" "tools" {
  name    = "tools"
  image   = "confluentinc/cp-kafka:7.5.0"
  command = ["kafka-topics", "--list"]
  env     = ["KAFKA_BROKER_ID=1"]
}
"""
STACK = """\
AWSTemplateFormatVersion: "2010-09-09"
Resources:
  Task:
    Type: AWS::ECS::TaskDefinition
    Properties:
      ContainerDefinitions:
        - Name: kafka
          Image: confluentinc/cp-kafka:7.5.0
          Memory: 2048
          Environment:
            - {Name: KAFKA_BROKER_ID, Value: "1"}
            - Name: KAFKA_ZOOKEEPER_CONNECT
              Value: !Sub "zk.${Domain}:2181"
            - Name: KAFKA_LISTENERS
              Value: {"Fn::Sub": "PLAINTEXT://${Host}:9092"}
            - Name: KAFKA_LOG_RETENTION_HOURS
              Value: 72
        - Name: other
          Image: !Ref Image
          Environment: !If [Large, [], []]
"""


def read(path: str, text: str) -> Document:
    return formats.read(path, dedent(text).encode(), lambda _: None)


def told(document: Document) -> dict[str, dict[str, str | None]]:
    return {
        one.name: {key: setting.text for key, setting in one.settings.items()}
        for one in document.resources
    }


def _text(source: str, at: Position) -> str:
    return source.splitlines()[at[0] - 1][at[1] - 1 : at[3] - 1]


def test_a_task_in_terraform() -> None:
    document = read("ecs.tf", TASK)
    assert told(document) == {
        "kafka": {"node.id": "1", "process.roles": "broker", "advertised.listeners": None},
        "exporter": {
            "bootstrap.servers": "kafka:9092",
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": "PLAIN",
        },
    }
    kafka = document.resources[0]
    assert (kafka.traits.deployer, kafka.facts["kafka_version"].text) == (ECS, "3.8.0")
    assert kafka.facts["ram"].amount == 4 << 30
    roles = kafka.settings["process.roles"]
    assert (_text(TASK, roles.at), _text(TASK, roles.key_at)) == ("broker", "KAFKA_PROCESS_ROLES")


def test_a_task_as_text() -> None:
    text = """\
        resource "aws_ecs_task_definition" "kafka" {
          container_definitions = <<DEFINITION
        [
          {
            "name": "kafka",
            "image": "${var.image}",
            "environment": [
              {"name": "KAFKA_BROKER_ID", "value": "1"},
              {"name": "KAFKA_ZOOKEEPER_CONNECT", "value": "zk:2181"},
              {"name": "KAFKA_MESSAGE_MAX_BYTES", "value": "${var.size}"}
            ]
          }
        ]
        DEFINITION
        }
        """
    assert told(read("ecs.tf", text)) == {
        "kafka": {"broker.id": "1", "zookeeper.connect": "zk:2181", "message.max.bytes": None}
    }


def test_containers_of_docker() -> None:
    document = read("docker.tf", DOCKERS)
    assert told(document) == {
        "kafka-1": {
            "broker.id": "1",
            "zookeeper.connect": "zookeeper:2181",
            "advertised.listeners": None,
        }
    }
    (kafka,) = document.resources
    assert (kafka.traits.deployer, kafka.facts["kafka_version"].text) == (DOCKER, "3.5")
    zookeeper = kafka.settings["zookeeper.connect"]
    assert _text(DOCKERS, zookeeper.at) == "zookeeper:2181"
    assert _text(DOCKERS, zookeeper.key_at) == "KAFKA_ZOOKEEPER_CONNECT"


@pytest.mark.parametrize("path", ["stack.yaml", "stack.yml"])
def test_a_task_in_cloudformation(path: str) -> None:
    document = read(path, STACK)
    assert told(document) == {
        "kafka": {
            "broker.id": "1",
            "zookeeper.connect": None,
            "listeners": None,
            "log.retention.hours": "72",
        }
    }
    hours = document.resources[0].settings["log.retention.hours"]
    assert (_text(STACK, hours.at), _text(STACK, hours.key_at)) == (
        "72",
        "KAFKA_LOG_RETENTION_HOURS",
    )


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.tf", 'resource "docker_container" "a" {\n  env = ["KAFKA_BROKERS=k:9092", var.x]\n}\n'),
        ("a.tf", 'resource "docker_container" "a" {\n  env = "KAFKA_A"\n  image = 3\n}\n'),
        ("a.tf", 'resource "aws_ecs_task_definition" "a" {\n  x = "KAFKA_A"\n}\n'),
        (
            "a.tf",
            'resource "aws_ecs_task_definition" "KAFKA_A" {\n  container_definitions = file("a.json")\n}\n',
        ),
        (
            "a.yaml",
            "Resources:\n  T:\n    Type: AWS::ECS::TaskDefinition\n    Properties: KAFKA_A\n",
        ),
        ("a.yaml", "Resources: [AWS::ECS::TaskDefinition, KAFKA_A]\n"),
    ],
)
def test_what_tells_no_node(path: str, text: str) -> None:
    document = read(path, text)
    assert (document.resources, document.status) == ([], PASSED_OVER)
