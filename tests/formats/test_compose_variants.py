"""Compose files that are read on top of others, or include them."""

from __future__ import annotations

import pytest

from kcheck.engine import Project, lint_project
from kcheck.folder_names import FolderNames
from kcheck.model import Resource
from kcheck.settings import Settings

BASE = """\
services:
  kafka:
    image: apache/kafka:3.7.0
    environment:
      KAFKA_NODE_ID: 1
      KAFKA_PROCESS_ROLES: broker,controller
      KAFKA_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9093
      KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
      KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
      KAFKA_CONTROLLER_QUORUM_VOTERS: 1@kafka:9093
      KAFKA_MIN_INSYNC_REPLICAS: 1
"""
PROD = """\
services:
  kafka:
    image: apache/kafka:4.0.0
    environment:
      KAFKA_MIN_INSYNC_REPLICAS: 2
"""
TOGETHER = "docker compose -f docker-compose.yml -f docker-compose.prod.yml up -d\n"


def lint(files: dict[str, str]) -> Project:
    held = {path: text.encode() for path, text in files.items()}
    folders = FolderNames(held)
    project = lint_project(
        held.items(),
        Settings(),
        lambda path: folders.of(path[:-1]) if path.endswith("/") else held.get(path),
    )
    assert project.failures == []
    return project


def brokers(files: dict[str, str]) -> dict[str, Resource]:
    return {
        document.path: resource
        for document in lint(files).documents
        for resource in document.resources
        if resource.kind == "broker"
    }


TELLERS = {
    "Makefile": "up:\n\t" + TOGETHER,
    "up.sh": "docker compose -f docker-compose.yml \\\n  --file docker-compose.prod.yml up\n",
    ".env": "COMPOSE_FILE=docker-compose.yml:docker-compose.prod.yml\n",
    "README.md": "Run `" + TOGETHER.strip() + "`.\n",
    ".devcontainer/devcontainer.json": '{"dockerComposeFile": ["../docker-compose.yml", "../docker-compose.prod.yml"]}',
}


@pytest.mark.parametrize("teller", [name for name in TELLERS if "/" not in name])
def test_a_file_that_is_started_with_another_one_lies_over_it(teller: str) -> None:
    found = brokers(
        {"docker-compose.yml": BASE, "docker-compose.prod.yml": PROD, teller: TELLERS[teller]}
    )
    upper = found["docker-compose.prod.yml"].settings
    assert (upper["min.insync.replicas"].text, upper["min.insync.replicas"].at[0]) == ("2", 5)
    assert (upper["process.roles"].path, upper["process.roles"].at[0]) == ("docker-compose.yml", 6)
    assert found["docker-compose.yml"].settings["min.insync.replicas"].text == "1"


def test_a_comment_in_the_file_itself_tells_it_too() -> None:
    prod = "# " + TOGETHER + PROD
    found = brokers({"docker-compose.yml": BASE, "docker-compose.prod.yml": prod})
    assert "process.roles" in found["docker-compose.prod.yml"].settings


def test_files_in_folders_are_meant_from_where_they_are_named() -> None:
    line = TOGETHER.replace("-f ", "-f docker/")
    files = {
        "docker/docker-compose.yml": BASE,
        "docker/docker-compose.prod.yml": PROD,
        "Makefile": line,
    }
    assert "process.roles" in brokers(files)["docker/docker-compose.prod.yml"].settings


def test_a_dev_container_names_its_files() -> None:
    dev = "services:\n  kafka:\n    environment: {KAFKA_MIN_INSYNC_REPLICAS: 2}\n"
    files = {
        "docker-compose.yml": BASE,
        ".devcontainer/docker-compose.dev.yml": dev,
        ".devcontainer/devcontainer.json": '{"dockerComposeFile": ["../docker-compose.yml", "docker-compose.dev.yml"]}',
    }
    found = brokers(files)[".devcontainer/docker-compose.dev.yml"].settings
    assert (found["min.insync.replicas"].text, found["node.id"].text) == ("2", "1")


def test_without_an_image_a_service_is_that_of_the_usual_file() -> None:
    prod = PROD.replace("    image: apache/kafka:4.0.0\n", "")
    found = brokers({"docker-compose.yml": BASE, "docker-compose.prod.yml": prod})
    assert found["docker-compose.prod.yml"].facts["kafka_version"].text == "3.7.0"


@pytest.mark.parametrize(
    "teller",
    [
        "docker compose -f docker-compose.prod.yml up\n",
        "docker compose -f docker-compose.prod.yml -f docker-compose.yml up\n",
        "",
    ],
)
def test_a_file_that_is_started_alone_is_whole(teller: str) -> None:
    files = {"docker-compose.yml": BASE, "docker-compose.prod.yml": PROD, "Makefile": teller}
    assert "process.roles" not in brokers(files)["docker-compose.prod.yml"].settings


def test_the_variables_of_both_are_there_and_nobody_counts_the_brokers() -> None:
    files = {"docker-compose.yml": BASE, "docker-compose.prod.yml": PROD}
    alone = {finding.code for finding in lint(files).findings}
    told = lint({**files, "Makefile": TELLERS["Makefile"]})
    assert {"KC0124", "KC1105"} <= alone
    assert not {"KC0124", "KC1105"} & {finding.code for finding in told.findings}
    upper = brokers({**files, "Makefile": TELLERS["Makefile"]})["docker-compose.prod.yml"]
    assert "replicas" not in upper.facts


APP = """\
include:
  - kafka/compose.yaml
services:
  app:
    image: app
    environment:
      SPRING_KAFKA_BOOTSTRAP_SERVERS: kafka:9092
      SPRING_KAFKA_CONSUMER_GROUP_ID: g
"""


@pytest.mark.parametrize(
    ("include", "joined"),
    [
        ("- kafka/compose.yaml", True),
        ("- path: kafka/compose.yaml", True),
        ("- path: [other.yaml, kafka/compose.yaml]", True),
        ("- other/compose.yaml", False),
        ("- https://example.com/kafka/compose.yaml", False),
    ],
)
def test_services_of_included_files_are_neighbours(include: str, joined: bool) -> None:
    app = APP.replace("- kafka/compose.yaml", include)
    project = lint({"compose.yaml": app, "kafka/compose.yaml": BASE})
    both = {"compose.yaml", "kafka/compose.yaml"}
    assert any(both <= set(one.paths()) for one in project.clusters) == joined


SWARM = """\
services:
  kafka:
    image: apache/kafka:3.7.0
    configs:
      - {source: broker, target: /mnt/shared/config/server.properties}
configs:
  broker: {file: server.properties}
  producer.properties:
    content: |
      bootstrap.servers=kafka:9092
      acks=1
"""


def test_a_config_is_mounted_like_a_file() -> None:
    server = "process.roles=broker,controller\nnode.id=1\n"
    project = lint({"stack.yml": SWARM, "server.properties": server})
    (stack, own) = sorted(project.documents, key=lambda one: one.path, reverse=True)
    assert [one.kind for one in stack.resources] == ["producer"]
    assert stack.resources[0].settings["acks"].at[:2] == (11, 12)
    assert own.resources[0].kind == "broker"
    assert stack.extent.mounts == ("server.properties",)


@pytest.mark.parametrize("entry", ["{}", "[1]", "broker", "- {source: 1}", "- []"])
def test_other_shapes_of_configs_are_survived(entry: str) -> None:
    lint(
        {
            "compose.yml": f"services:\n  kafka:\n    image: apache/kafka:3.7.0\n    configs:\n      {entry}\nconfigs: [{entry[:1]!r}]\n"
        }
    )
