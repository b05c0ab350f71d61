"""A client that names no brokers is of the cluster whose Schema Registry it asks."""

from __future__ import annotations

import pytest

from kcheck.engine import Project, lint_project
from kcheck.settings import Settings

BROKER = (
    "process.roles=broker,controller\nnode.id=1\ncontroller.listener.names=C\n"
    "controller.quorum.voters=1@k1.{0}.example:9093\nmin.insync.replicas=2\n"
    "default.replication.factor=3\nlisteners=PLAINTEXT://:9092,C://:9093\n"
    "advertised.listeners=PLAINTEXT://k1.{0}.example:9092\n"
)
REGISTRY = (
    "listeners=http://registry.{0}.example:8081\nhost.name=registry.{0}.example\n"
    "kafkastore.bootstrap.servers=PLAINTEXT://k1.{0}.example:9092\nkafkastore.topic=_schemas\n"
)


def linted(url: str, servers: str = "${BROKERS}") -> Project:
    files = {f"kafka/{name}/server.properties": BROKER.format(name) for name in ("shop", "bank")}
    files |= {
        f"registry/{name}/schema-registry.properties": REGISTRY.format(name)
        for name in ("shop", "bank")
    }
    files["apps/cart/producer.properties"] = (
        f"bootstrap.servers={servers}\nacks=1\nschema.registry.url={url}\n"
    )
    encoded = {path: text.encode() for path, text in files.items()}
    return lint_project(sorted(encoded.items()), Settings(), encoded.get)


def test_the_registry_tells_the_cluster() -> None:
    project = linted("http://registry.bank.example:8081")
    (home,) = project.homes.of("apps/cart/producer.properties")
    assert home.id == "kafka/bank"
    assert home.sentence() == (
        "address: schema.registry.url: registry.bank.example is Schema Registry "
        "registry.bank.example of that cluster"
    )
    (cluster,) = (c for c in project.clusters if c.id == "kafka/bank")
    assert [client.resource.path for client in cluster.clients if client.sets("acks")] == [
        "apps/cart/producer.properties"
    ]


@pytest.mark.parametrize(
    "url",
    [
        "http://registry.else.example:8081",
        "${REGISTRY}",
        "http://registry.bank.example:8081,http://registry.shop.example:8081",
    ],
)
def test_where_it_does_not(url: str) -> None:
    (home,) = linted(url).homes.of("apps/cart/producer.properties")
    assert home.unjoined is not None


def test_brokers_say_more_than_a_registry() -> None:
    project = linted("http://registry.bank.example:8081", "k1.shop.example:9092")
    (home,) = project.homes.of("apps/cart/producer.properties")
    assert home.id == "kafka/shop"
