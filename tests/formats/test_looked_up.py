"""A document knows which other files it was made of: those that its format asked for."""

from __future__ import annotations

import posixpath
from pathlib import Path

import pytest
from snapshot import snapshot

from kcheck import formats
from kcheck.model import Document

FIXTURES = Path(__file__).resolve().parent.parent.parent / "fixtures"

COMPOSE = """
services:
  kafka:
    image: apache/kafka:4.1.0
    env_file: broker.env
    environment:
      KAFKA_NUM_PARTITIONS: ${PARTITIONS}
"""
SPRING = "spring: {kafka: {producer: {acks: all}}}\n"
TERRAFORM = """
resource "kafka_topic" "orders" {
  name               = "orders"
  partitions         = local.partitions
  replication_factor = 3
}
"""

#: Files of a project, the first of which is read: (files, one that it hangs on, the text then).
PROJECTS: dict[str, tuple[dict[str, str], str, str]] = {
    "env_file of a service": (
        {"docker-compose.yml": COMPOSE, "broker.env": "KAFKA_LOG_DIRS=/data\n", ".env": ""},
        "broker.env",
        "KAFKA_LOG_DIRS=/elsewhere\n",
    ),
    "variables of compose that were not there": (
        {"docker-compose.yml": COMPOSE, "broker.env": ""},
        ".env",
        "PARTITIONS=12\n",
    ),
    "defaults of Spring profiles": (
        {"app/application-prod.yml": SPRING, "app/application.yml": SPRING},
        "app/application.yml",
        "spring: {kafka: {producer: {retries: 0}}}\n",
    ),
    "locals of Terraform that were not there": (
        {"main.tf": TERRAFORM},
        "locals.tf",
        "locals {\n  partitions = 6\n}\n",
    ),
    "env_file of another folder": (
        {
            "kafka/docker-compose.yml": COMPOSE.replace("broker.env", "../env/broker.env"),
            "env/broker.env": "KAFKA_LOG_DIRS=/data\n",
        },
        "env/broker.env",
        "KAFKA_LOG_DIRS=/elsewhere\n",
    ),
}


def read(files: dict[str, bytes], path: str) -> Document:
    return formats.read(path, files[path], files.get)


@pytest.mark.parametrize("name", PROJECTS)
def test_a_change_that_matters_is_in_a_file_that_was_looked_up(name: str) -> None:
    texts, other, changed = PROJECTS[name]
    files = {path: text.encode() for path, text in texts.items()}
    path = next(iter(files))
    before = read(files, path)
    assert before.resources
    after = read({**files, other: changed.encode()}, path)
    assert snapshot(after.resources) != snapshot(before.resources)
    assert other in before.looked_up


@pytest.mark.parametrize("name", PROJECTS)
def test_what_was_not_looked_up_makes_no_difference(name: str) -> None:
    texts, _, _ = PROJECTS[name]
    files = {path: text.encode() for path, text in texts.items()}
    path = next(iter(files))
    before = read(files, path)
    for other in ("README.md", "broker.properties", "elsewhere/.env", "elsewhere/locals.tf"):
        assert other not in before.looked_up
        assert snapshot(read({**files, other: b"PARTITIONS=1\n"}, path)) == snapshot(before)


def test_a_file_by_itself_looks_for_scripts_alone() -> None:
    files = {"server.properties": b"broker.id=1\nport=9092\n"}
    assert read(files, "server.properties").looked_up == frozenset({"./"})
    files = {"consumer.properties": b"bootstrap.servers=k1:9092\ngroup.id=a\n"}
    assert "./" not in read(files, "consumer.properties").looked_up


@pytest.mark.parametrize("folder", sorted(p.name for p in FIXTURES.iterdir() if p.is_dir()))
def test_nothing_else_has_a_say_in_a_document(folder: str) -> None:
    root = FIXTURES / folder
    files = {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }
    for path, data in files.items():
        whole = formats.read(path, data, files.get)
        told = {other: files[other] for other in whole.looked_up if other in files}
        assert snapshot(formats.read(path, data, told.get)) == snapshot(whole)
        # A folder that was listed has a slash at its end.
        assert all(
            posixpath.normpath(other) == other.removesuffix("/") for other in whole.looked_up
        )
