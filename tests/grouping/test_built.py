"""An application that a compose file builds asks the brokers that its container is told of."""

from __future__ import annotations

import pytest

from kcheck.engine import Project, lint_project
from kcheck.settings import Settings

COMPOSE = """\
services:
  kafka:
    image: apache/kafka:4.0.0
    environment:
      KAFKA_NODE_ID: 1
      KAFKA_PROCESS_ROLES: broker,controller
      KAFKA_CONTROLLER_QUORUM_VOTERS: 1@kafka:9093
      KAFKA_CONTROLLER_LISTENER_NAMES: C
      KAFKA_LISTENERS: PLAINTEXT://:9092,C://:9093
      KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: PLAINTEXT:PLAINTEXT,C:PLAINTEXT
      KAFKA_GROUP_MAX_SESSION_TIMEOUT_MS: 30000
  cart:
{cart}
"""
APPLICATION = """\
spring:
  kafka:
    bootstrap-servers: {servers}
    consumer: {{group-id: cart, properties: {{session.timeout.ms: 40000}}}}
"""
FILE = "services/cart/src/main/resources/application.yml"


def linted(cart: str, servers: str = "localhost:9092", path: str = FILE) -> Project:
    lines = "\n".join(f"    {line}" for line in cart.split("\n"))
    files = {
        "docker-compose.yml": COMPOSE.format(cart=lines),
        path: APPLICATION.format(servers=servers),
    }
    encoded = {name: text.encode() for name, text in files.items()}
    return lint_project(sorted(encoded.items()), Settings(), encoded.get)


def codes(project: Project) -> set[str]:
    return {one.code for one in project.findings if one.path == FILE}


@pytest.mark.parametrize(
    "cart",
    [
        "build: ./services/cart\nenvironment: {KAFKA_BROKERS: kafka:9092}",
        "build: {context: ./services/cart}\nenvironment: [SPRING_KAFKA_BOOTSTRAP_SERVERS=kafka:9092]",
        "build: {context: ., dockerfile: services/cart/Dockerfile}\nenvironment: {BOOTSTRAP: kafka:9092}",
        "image: maven:3\nvolumes: ['./services/cart:/app']\nenvironment: {KAFKA: kafka:9092}",
    ],
)
def test_a_built_application_asks_the_brokers_of_its_variables(cart: str) -> None:
    project = linted(cart)
    (home,) = project.homes.of(FILE)
    assert home.sentence().startswith("address: kafka:9092 is broker kafka")
    assert "KC0901" in codes(project)


def test_its_own_files_may_name_the_broker() -> None:
    assert "KC0901" in codes(linted("build: ./services/cart", "kafka:9092"))


@pytest.mark.parametrize(
    ("cart", "servers"),
    [
        ("build: ./services/billing\nenvironment: {KAFKA: kafka:9092}", "localhost:9092"),
        ("build: ./services/cart\nenvironment: {KAFKA: '${BROKERS}'}", "localhost:9092"),
        ("build: ./services/cart\nenvironment: {KAFKA: kafka:9092}", "k1.prod.example.com:9092"),
        ("build: https://example.com/cart.git\nenvironment: {KAFKA: kafka:9092}", "localhost:9092"),
    ],
)
def test_nothing_else_of_the_project_does(cart: str, servers: str) -> None:
    assert "KC0901" not in codes(linted(cart, servers))


def test_two_containers_of_one_folder_that_ask_two_addresses_decide_nothing() -> None:
    compose = "build: ./services/cart\nenvironment: {KAFKA: kafka:9092}"
    files = {
        "docker-compose.yml": COMPOSE.format(
            cart="\n".join(f"    {line}" for line in compose.split("\n"))
        )
        + "  other:\n    build: ./services/cart\n    environment: {KAFKA: 'far:9092'}\n",
        FILE: APPLICATION.format(servers="localhost:9092"),
    }
    encoded = {name: text.encode() for name, text in files.items()}
    assert "KC0901" not in codes(lint_project(sorted(encoded.items()), Settings(), encoded.get))
