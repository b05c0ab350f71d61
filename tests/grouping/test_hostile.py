"""Grouping ends, in time that grows with its input, whatever the files say of each other."""

from __future__ import annotations

from kcheck.engine import lint_project
from kcheck.settings import Settings

KAFKA = """\
apiVersion: kafka.strimzi.io/v1
kind: Kafka
metadata: {name: core}
spec: {kafka: {version: 4.1.0, replicas: 3}}
"""
BUILDS = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [{}]\n"


def linted(files: dict[str, str]) -> dict[str, set[str]]:
    """The paths of each cluster, by its id."""
    sources = {path: text.encode() for path, text in files.items()}
    project = lint_project(sources.items(), Settings(), sources.get)
    assert project.failures == []
    return {c.id: {r.path for r in c.resources} for c in project.clusters}


def test_a_list_of_a_hundred_thousand_addresses() -> None:
    servers = ",".join(f"k{n}.x.example:9092" for n in range(100_000))
    files = {
        "kafka/server.properties": "broker.id=1\nzookeeper.connect=z:2181\n"
        "advertised.listeners=PLAINTEXT://k7.x.example:9092\n",
        "app/producer.properties": f"bootstrap.servers={servers}\nacks=all\n",
    }
    assert linted(files) == {"kafka": set(files)}


def test_kustomizations_that_build_each_other() -> None:
    files = {
        "a/kustomization.yaml": BUILDS.format("../b, kafka.yaml"),
        "b/kustomization.yaml": BUILDS.format("../a"),
        "c/kustomization.yaml": BUILDS.format("../a"),
        "a/kafka.yaml": KAFKA,
    }
    assert linted(files) == {"core@c": {"a/kafka.yaml"}}


def test_a_label_and_an_address_that_contradict_each_other() -> None:
    files = {
        "a/kcheck.yaml": "cluster: {name: a, brokers: 3}\n",
        "b/server.properties": "broker.id=1\nzookeeper.connect=z:2181\n"
        "advertised.listeners=PLAINTEXT://k1.b.example:9092\n",
        "c/kcheck.yaml": "cluster: {name: a}\n"
        'producers: [{name: p, config: {bootstrap.servers: "k1.b.example:9092"}}]\n',
    }
    sources = {path: text.encode() for path, text in files.items()}
    found = lint_project(sources.items(), Settings(), sources.get).findings
    (conflict,) = [finding for finding in found if finding.code == "KC1069"]
    assert "declared for cluster" in conflict.message
