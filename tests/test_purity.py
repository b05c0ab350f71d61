"""No stage writes into what it is given: the same documents may be linted again and again."""

from __future__ import annotations

from pathlib import Path

import pytest
from snapshot import snapshot

from kcheck import engine, fingerprint
from kcheck.engine import Project
from kcheck.settings import Settings

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
FOLDERS = sorted(path.name for path in FIXTURES.iterdir() if path.is_dir())

#: Ignores of all sorts, declarations over broker files, layers, a client that asks for its brokers.
SMALL = {
    "kcheck.yaml": (
        "# kcheck: ignore-file[KC9999]\n"
        "cluster: {name: lab, brokers: 3, environment: prod}\n"
        "brokers:\n"
        "  - {id: 1, rack: a}\n"
        "topics:\n"
        "  # kcheck: ignore[min-isr-eq-rf] until=2020-01-31 no longer\n"
        "  - {name: orders, partitions: 6, replication_factor: 3,\n"
        "     config: {min.insync.replicas: 3}}\n"
        "  # kcheck: ignore[min-isr-eq-rf]\n"
        "  - {name: refunds, partitions: 6, replication_factor: 3}\n"
        "  # kcheck: ignore\n"
        "  - {name: orders, partitions: 12}\n"
    ),
    "server.properties": (
        "broker.id=1\nadvertised.listeners=PLAINTEXT://b1.lab.example.com:9092\n"
        "log.dirs=/tmp/k\nzookeeper.connect=zk:2181\n"
    ),
    "client.properties": (
        "bootstrap.servers=b1.lab.example.com:9092\nacks=1\nenable.idempotence=true\n"
        "key.serializer=A\nvalue.serializer=A\n"
    ),
    "base/kustomization.yaml": "resources: [kafka.yaml]\n",
    "base/kafka.yaml": (
        "apiVersion: kafka.strimzi.io/v1beta2\nkind: Kafka\nmetadata: {name: prod}\n"
        "spec: {kafka: {version: 3.9.0, replicas: 3, config: {min.insync.replicas: 3}}}\n"
    ),
    "overlays/eu/kustomization.yaml": "resources: [../../base]\npatches: [{path: kafka.yaml}]\n",
    "overlays/eu/kafka.yaml": (
        "apiVersion: kafka.strimzi.io/v1beta2\nkind: Kafka\nmetadata: {name: prod}\n"
        "spec: {kafka: {config: {default.replication.factor: 3}}}\n"
    ),
}


def files_of(folder: str) -> dict[str, bytes]:
    if not folder:
        return {path: text.encode() for path, text in SMALL.items()}
    root = FIXTURES / folder
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def told(project: Project) -> object:
    seen = [(finding, fingerprint.of(finding)) for finding in project.findings]
    return snapshot([seen, project.failures, project.ignored, project.ignored_by])


@pytest.mark.parametrize("folder", ["", *FOLDERS])
def test_documents_are_after_a_run_as_they_were_before(folder: str) -> None:
    files, settings = files_of(folder), Settings()
    documents, failures = engine.read_documents(files.items(), settings, files.get)
    assert not failures
    before = snapshot(documents)
    first = engine.lint_documents(documents, [], settings)
    assert first.findings or folder
    once = told(first)
    assert snapshot(documents) == before
    second = engine.lint_documents(documents, [], settings)
    assert told(second) == once
    assert told(first) == once
    assert snapshot(documents) == before
    # And it is what a run of its own finds.
    assert told(engine.lint_project(files.items(), settings, files.get)) == once
