"""Whose version of Kafka holds for whom: connectors follow their workers."""

from __future__ import annotations

from textwrap import dedent

import pytest

from kcheck.engine import read_project
from kcheck.graph.cluster import Cluster
from kcheck.settings import Settings


def cluster(**files: str) -> Cluster:
    sources = {name.replace("_", "."): dedent(text).encode() for name, text in files.items()}
    (found,) = read_project(sources.items(), Settings(), sources.get).clusters
    return found


CONNECTOR = "connectors: [{name: rows, config: {connector.class: FileStreamSource}}]\n"
WORKER = """\
services:
  kafka: {image: "apache/kafka:4.1.0"}
  connect:
    image: confluentinc/cp-kafka-connect:7.5.0
    environment: {CONNECT_BOOTSTRAP_SERVERS: "kafka:9092", CONNECT_GROUP_ID: one}
"""
OTHER = """\
  other:
    image: confluentinc/cp-kafka-connect:7.0.0
    environment: {CONNECT_BOOTSTRAP_SERVERS: "kafka:9092", CONNECT_GROUP_ID: two}
"""


@pytest.mark.parametrize(
    ("compose", "told", "expected"),
    [
        (WORKER, "", "3.5"),
        (WORKER, "client_version: '4.0', ", "3.5"),
        (WORKER + OTHER, "", None),
        (WORKER.replace(":7.5.0", ""), "", None),
        (WORKER.replace(":7.5.0", ""), "client_version: '4.0', ", "4.0"),
        ("services: {}\n", "client_version: '4.0', ", "4.0"),
        ("services: {}\n", "", None),
    ],
)
def test_a_connector_has_the_version_of_its_workers(
    compose: str, told: str, expected: str | None
) -> None:
    declared = f"cluster: {{{told}kafka_version: '3.9'}}\n{CONNECTOR}"
    (connector,) = cluster(compose_yaml=compose, kcheck_yaml=declared).connectors
    assert connector.version.text == expected


STRIMZI = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaConnect
metadata: {name: etl}
spec: {version: 3.8.0, bootstrapServers: "core-kafka-bootstrap:9092", config: {group.id: etl}}
---
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaConnector
metadata: {name: rows, labels: {strimzi.io/cluster: etl}}
spec: {class: FileStreamSource, config: {topic: rows, file: /a}}
---
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaMirrorMaker2
metadata: {name: mirror}
spec:
  version: 3.9.0
  connectCluster: core
  clusters:
    - {alias: far, bootstrapServers: "far-kafka-bootstrap:9092"}
    - {alias: core, bootstrapServers: "core-kafka-bootstrap:9092"}
  mirrors: [{sourceCluster: far, targetCluster: core, sourceConnector: {config: {}}}]
---
apiVersion: kafka.strimzi.io/v1beta2
kind: Kafka
metadata: {name: core}
spec: {kafka: {version: 4.0.0}}
"""


def test_resources_of_strimzi_say_whose_workers_run_them() -> None:
    project = read_project([("all.yaml", STRIMZI.encode())], Settings(), lambda _: None)
    (core,) = [one for one in project.clusters if one.name == "core"]
    versions = {one.name: one.version.text for one in core.connectors}
    assert versions == {"rows": "3.8.0", "mirror far sourceConnector": "3.9.0"}
