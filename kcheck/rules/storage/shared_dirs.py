"""KC0732: data directories that two brokers share."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.nodes import Broker, Controller
from kcheck.grouping.names import loopback
from kcheck.model import ERROR, Finding
from kcheck.rule import rule
from kcheck.rules.shared.volumes import covering_volume, dirs_of, volumes_of


@rule(
    "KC0732",
    "log-dirs-shared",
    ERROR,
    broker_side=True,
)
def log_dirs_shared(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """Two brokers use the same data directory.

    They have the same volume and the same path in it, or all addresses on localhost: the second broker
    finds the directory locked, or formatted for another id, and exits.

    Bad:
        --- docker-compose.yml
        services:
          kafka1:
            image: wurstmeister/kafka:2.13-2.8.1
            environment: {KAFKA_BROKER_ID: 1, KAFKA_ZOOKEEPER_CONNECT: "zk:2181", KAFKA_LOG_DIRS: /kafka/logs}
            volumes: ["kdata:/kafka"]
          kafka2:
            image: wurstmeister/kafka:2.13-2.8.1
            environment: {KAFKA_BROKER_ID: 2, KAFKA_ZOOKEEPER_CONNECT: "zk:2181", KAFKA_LOG_DIRS: /kafka/logs}
            volumes: ["kdata:/kafka"]
    Good: a directory each
        --- docker-compose.yml
        services:
          kafka1:
            image: wurstmeister/kafka:2.13-2.8.1
            environment: {KAFKA_BROKER_ID: 1, KAFKA_ZOOKEEPER_CONNECT: "zk:2181", KAFKA_LOG_DIRS: /kafka/logs-1}
            volumes: ["kdata:/kafka"]
          kafka2:
            image: wurstmeister/kafka:2.13-2.8.1
            environment: {KAFKA_BROKER_ID: 2, KAFKA_ZOOKEEPER_CONNECT: "zk:2181", KAFKA_LOG_DIRS: /kafka/logs-2}
            volumes: ["kdata:/kafka"]
    Good: a volume each
        --- docker-compose.yml
        services:
          kafka1:
            image: wurstmeister/kafka:2.13-2.8.1
            environment: {KAFKA_BROKER_ID: 1, KAFKA_ZOOKEEPER_CONNECT: "zk:2181", KAFKA_LOG_DIRS: /kafka/logs}
            volumes: ["kdata1:/kafka"]
          kafka2:
            image: wurstmeister/kafka:2.13-2.8.1
            environment: {KAFKA_BROKER_ID: 2, KAFKA_ZOOKEEPER_CONNECT: "zk:2181", KAFKA_LOG_DIRS: /kafka/logs}
            volumes: ["kdata2:/kafka"]
    Bad: two nodes of one machine
        --- server-1.properties
        broker.id=1
        zookeeper.connect=localhost:2181
        listeners=PLAINTEXT://localhost:9092
        log.dirs=/data/kafka
        --- server-2.properties
        broker.id=2
        zookeeper.connect=localhost:2181
        listeners=PLAINTEXT://localhost:9093
        log.dirs=/data/kafka
    Good: a machine each
        --- server-1.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://localhost:9092
        log.dirs=/data/kafka
        --- server-2.properties
        broker.id=2
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://localhost:9093
        log.dirs=/data/kafka
    """
    first: dict[tuple[str, str, str], Broker] = {}
    for broker in (*cluster.brokers, *cluster.separate_controllers):
        for path in dirs_of(broker):
            volume = covering_volume(volumes_of(broker), path)
            if volume is None or not volume[0]:
                continue
            inside = posixpath.relpath(path, posixpath.normpath(volume[1]))
            key = (broker.resource.path, volume[0], inside)
            other = first.setdefault(key, broker)
            if other is not broker:
                yield broker.finding(
                    f"{other} and {broker} both store their data in volume {volume[0]} at {path}",
                    at=broker["log.dirs"],
                    because=(broker.fact("volumes"), other["log.dirs"], other.fact("volumes")),
                    breaks="the second broker to start finds the directory locked, or formatted for "
                    "another id, and exits",
                    fix="give every broker its own volume",
                )
                break
    yield from _on_one_machine((*cluster.brokers, *cluster.separate_controllers))


#: What a node is known by, and what it knows the others, or ZooKeeper, by.
_ADDRESSES = ("listeners", "advertised.listeners")
_PEERS = ("controller.quorum.voters", "controller.quorum.bootstrap.servers", "zookeeper.connect")


def _on_one_machine(nodes: Sequence[Broker | Controller]) -> Iterator[Finding]:
    """Nodes of plain files that have all their addresses, and those of their peers, on the loopback
    interface, with ports of their own: they run on one machine.
    """
    first: dict[str, tuple[Broker | Controller, set[str]]] = {}
    for node in nodes:
        own = _local_ports(node)
        for path in dirs_of(node) if own else ():
            other, theirs = first.setdefault(path, (node, own))
            if not own & theirs:
                yield node.finding(
                    f"{other} and {node}, both on localhost, store their data in {path}",
                    at=node["log.dirs"],
                    because=(other["log.dirs"],),
                    breaks="the second one to start finds the directory locked, or formatted for "
                    "another id, and exits",
                    fix="give every node its own directory",
                )
                break


def _local_ports(node: Broker | Controller) -> set[str]:
    """The ports of a node that is reached, and reaches others, on the loopback interface alone."""
    peers = [node[key].text for key in _PEERS if node[key].written]
    told = [node[key].text for key in _ADDRESSES if node[key].written]
    if node.resource.traits.deployer or not peers or None in (*told, *peers):
        return set()
    entries = [one.strip() for text in (*told, *peers) for one in (text or "").split(",")]
    places = [one.rpartition("://")[2].rpartition("@")[2].partition("/")[0] for one in entries]
    if not all(map(loopback, (one.rpartition(":")[0] for one in places))):
        return set()
    return {one.strip().rpartition(":")[2] for text in told for one in (text or "").split(",")}
