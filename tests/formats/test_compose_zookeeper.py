"""ZooKeepers whose data goes with their containers, and those of which nobody can say that."""

from __future__ import annotations

import pytest
from composing import document

BROKER = """\
services:
  kafka:
    image: confluentinc/cp-kafka:7.5.0
    environment:
      KAFKA_BROKER_ID: 1
      KAFKA_ZOOKEEPER_CONNECT: zk:2181
  zk:
    image: {image}
{more}
"""
DATA = "/var/lib/zookeeper/data"


def bare(image: str, *more: str) -> object:
    """What the broker is told of ZooKeepers without a volume."""
    text = BROKER.format(image=image, more="\n".join(f"    {line}" for line in more))
    (broker,) = document(text).resources
    return broker.traits.bare_zookeepers


@pytest.mark.parametrize(
    ("image", "path"),
    [
        ("confluentinc/cp-zookeeper:7.5.0", DATA),
        ("registry.example.com/confluentinc/cp-zookeeper:7.5.0", DATA),
        ("registry.example.com:5000/mirror/cp-zookeeper", DATA),
        ("zookeeper:3.9", "/data"),
        ("library/zookeeper:3.9", "/data"),
        ("docker.io/library/zookeeper:3.9", "/data"),
        ("bitnami/zookeeper:3.9", "/bitnami/zookeeper"),
        ("bitnamilegacy/zookeeper:3.9", "/bitnami/zookeeper"),
        # Where these keep it is theirs to say.
        ("wurstmeister/zookeeper", None),
        ("example.com/zookeeper", None),
        ("example/zookeeper:1", None),
        ("${IMAGE}", None),
    ],
)
def test_images(image: str, path: str | None) -> None:
    assert bare(image) == (None if path is None else {"zk": ("zk", path)})


@pytest.mark.parametrize(
    "more",
    [
        (f"volumes: ['zk:{DATA}']",),
        (f"volumes: ['./data:{DATA}/version-2']",),
        ("volumes:", f"  - {{type: volume, source: zk, target: {DATA}}}"),
        ("volumes_from: [other]",),
        ("command: zookeeper-server-start.sh /etc/zk.properties",),
        ("entrypoint: [/start.sh]",),
        ("environment: {ZOOKEEPER_DATA_DIR: /somewhere}",),
        ("environment: {ZOO_DATA_DIR: /somewhere}",),
        ("environment: ['ZOO_CONF_DIR=/conf']",),
        ("env_file: not-there.env",),
        ("extends: {file: other.yml, service: zk}",),
    ],
)
def test_what_keeps_the_data_or_makes_it_doubtful(more: tuple[str, ...]) -> None:
    assert bare("confluentinc/cp-zookeeper:7.5.0", *more) is None


@pytest.mark.parametrize(
    "more",
    [
        ("volumes: ['logs:/var/log/zookeeper']",),
        ("volumes: ['zk:/var/lib/zookeeper/database']",),
        ("volumes: []",),
        ("tmpfs: /var/lib/zookeeper/data",),
        ("environment: {ZOOKEEPER_CLIENT_PORT: 2181}",),
        ("command:",),
    ],
)
def test_what_does_not_keep_it(more: tuple[str, ...]) -> None:
    assert bare("confluentinc/cp-zookeeper:7.5.0", *more) == {"zk": ("zk", DATA)}


def test_all_its_names() -> None:
    """Brokers ask for it by any of them."""
    found = bare("zookeeper:3.9", "hostname: keeper", "container_name: zoo")
    assert isinstance(found, dict)
    assert set(found) == {"zk", "keeper", "zoo"}
    assert set(found.values()) == {("zk", "/data")}


def test_without_a_broker_nobody_asks() -> None:
    text = "services:\n  zk:\n    image: zookeeper:3.9\n"
    assert document(text).resources == []
