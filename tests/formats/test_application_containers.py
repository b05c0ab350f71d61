"""Spring's variables of a container make the same client on every plane, counted by what runs it."""

from __future__ import annotations

import pytest

from kcheck.engine import lint_project
from kcheck.graph.running import instances
from kcheck.settings import Settings

SERVERS = "SPRING_KAFKA_BOOTSTRAP_SERVERS"
MEMBER = "SPRING_KAFKA_CONSUMER_PROPERTIES_GROUP_INSTANCE_ID"

NOMAD = f"""job "pay" {{
  group "pay" {{
    count = 3
    task "pay" {{
      driver = "docker"
      config {{ image = "example.com/pay:1" }}
      env {{
        {SERVERS} = "k1:9092"
        {MEMBER} = "pay-1"
      }}
    }}
  }}
}}
"""
TERRAFORM = f"""resource "aws_ecs_task_definition" "pay" {{
  family = "pay"
  container_definitions = jsonencode([{{
    name = "pay", image = "example.com/pay:1", essential = true
    environment = [
      {{ name = "{SERVERS}", value = "k1:9092" }},
      {{ name = "{MEMBER}", value = "pay-1" }},
    ]
  }}])
}}

resource "aws_ecs_service" "pay" {{
  task_definition = aws_ecs_task_definition.pay.arn
  desired_count   = 3
}}
"""
CLOUDFORMATION = f"""Resources:
  Task:
    Type: AWS::ECS::TaskDefinition
    Properties:
      ContainerDefinitions:
        - Name: pay
          Image: example.com/pay:1
          Environment:
            - {{Name: {SERVERS}, Value: "k1:9092"}}
            - {{Name: {MEMBER}, Value: pay-1}}
  Service:
    Type: AWS::ECS::Service
    Properties: {{TaskDefinition: !Ref Task, DesiredCount: 3}}
"""
FILES = {"pay.nomad": NOMAD, "ecs.tf": TERRAFORM, "ecs.yaml": CLOUDFORMATION}


def counted(name: str, text: str) -> dict[str, float]:
    """How many of each client run."""
    (cluster,) = lint_project([(name, text.encode())], Settings()).clusters
    return {client.resource.kind: instances(client).number for client in cluster.clients}


@pytest.mark.parametrize("name", FILES)
def test_a_service_counts_its_containers(name: str) -> None:
    assert counted(name, FILES[name]) == {"consumer": 3}


@pytest.mark.parametrize("name", FILES)
def test_the_number_is_written_at_its_place(name: str) -> None:
    findings = lint_project([(name, FILES[name].encode())], Settings()).findings
    (told,) = [one for one in findings if one.code == "KC0960"]
    line = FILES[name].splitlines()[told.evidence[1].setting.at[0] - 1]
    assert "3" in line and ("count" in line or "DesiredCount" in line)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("pay.nomad", "count = 3", "count = var.count"),
        ("ecs.tf", "desired_count   = 3", "desired_count   = var.count"),
        ("ecs.tf", "aws_ecs_task_definition.pay.arn", "aws_ecs_task_definition.payments.arn"),
        ("ecs.yaml", "DesiredCount: 3", "DesiredCount: !Ref Count"),
        ("ecs.yaml", "!Ref Task", "!Ref Other"),
    ],
)
def test_what_nobody_tells_is_unknown(name: str, old: str, new: str) -> None:
    text = FILES[name]
    assert old in text
    number = counted(name, text.replace(old, new))["consumer"]
    assert not number > 1


def test_a_container_of_the_docker_provider() -> None:
    text = f"""resource "docker_container" "pay" {{
  name  = "pay"
  image = "example.com/pay:1"
  env   = ["{SERVERS}=k1:9092", "{MEMBER}=pay-1"]
}}
"""
    assert set(counted("docker.tf", text)) == {"consumer"}
