"""What a value hangs on decides how grave a finding may be."""

from __future__ import annotations

import pytest

from kcheck.engine import lint_project
from kcheck.settings import Settings

COMPOSE = """
services:
  kafka:
    image: confluentinc/cp-kafka:7.5.0
    environment:
      KAFKA_PROCESS_ROLES: broker,controller
      KAFKA_NODE_ID: 1
      KAFKA_LOG_RETENTION_MS: VALUE
"""
SPRING = """
spring.kafka.bootstrap-servers=k1.example.com:9092
spring.kafka.consumer.group-id=orders
spring.kafka.consumer.max-poll-records=VALUE
"""
CONNECTOR = """
bootstrap.servers=k1.example.com:9092
max.poll.records=VALUE
"""


@pytest.mark.parametrize(
    ("name", "text", "value", "severity"),
    [
        ("compose.yaml", COMPOSE, "week", "error"),
        ("compose.yaml", COMPOSE, "${RETENTION:-week}", "warning"),
        ("compose.yaml", COMPOSE, "${RETENTION-week}", "warning"),
        ("application.properties", SPRING, "many", "error"),
        ("application.properties", SPRING, "${RECORDS:many}", "warning"),
        ("consumer.properties", CONNECTOR, "many", "error"),
    ],
)
def test_a_default_of_a_variable_is_no_certainty(
    name: str, text: str, value: str, severity: str
) -> None:
    files = {name: text.replace("VALUE", value).encode()}
    project = lint_project(files.items(), Settings(selected=frozenset({"KC0103"})), files.get)
    assert [one.severity for one in project.findings] == [severity]
    (finding,) = project.findings
    variable = value.partition("{")[2].partition(":")[0].partition("-")[0]
    assert finding.consequence.startswith(f"unless {variable} is set: ") == bool(variable)


def test_an_env_file_sets_the_variable() -> None:
    files = {
        "compose.yaml": COMPOSE.replace("VALUE", "${RETENTION:-1000}").encode(),
        ".env": b"RETENTION=week\n",
    }
    project = lint_project(files.items(), Settings(selected=frozenset({"KC0103"})), files.get)
    assert [one.severity for one in project.findings] == ["error"]
