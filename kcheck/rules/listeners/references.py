"""KC10: whether whom a container asks by name and port is there, and listens on that port."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.graph.nodes import Broker, Controller, Node
from kcheck.graph.references import entries, short
from kcheck.grouping.names import loopback
from kcheck.model import (
    BROKER,
    ERROR,
    SET,
    SPOKEN,
    WARNING,
    Finding,
    Network,
    Reference,
    Setting,
    Value,
)
from kcheck.rule import rule

_DIGITS = re.compile(r"\d+")


@rule("KC1070", "reference-to-no-service", ERROR, invariants=("bootstrap-overlap",))
def reference_to_no_service(node: Broker | Controller) -> Iterator[Finding]:
    """A container uses a host that no service of its compose file has, although one of that kind exists.

    Containers find each other by the names of their services, their hostname, container_name and
    aliases. A broker that asks a ZooKeeper, a client that asks a broker, a converter that asks a
    Schema Registry under another name finds nobody. Said where the file has such a service, and none
    of the hosts that are asked is in it; an error where who asks depends on one of that kind, a
    warning otherwise, for the name may be that of a service in another file. Networks from
    elsewhere, extra hosts and links from elsewhere may have any name.

    Bad: ZooKeeper
        --- docker-compose.yml
        services:
          zookeeper:
            image: bitnami/zookeeper:3.9
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            depends_on: [zookeeper]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper-server:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
    Bad: a broker
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper.example.com:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
          ksqldb:
            image: confluentinc/ksqldb-server:0.29.0
            depends_on: [kafka]
            environment: {KSQL_BOOTSTRAP_SERVERS: "kafka1:9092", KSQL_KSQL_SERVICE_ID: demo_}
    Bad: Schema Registry
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper.example.com:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
          registry:
            image: confluentinc/cp-schema-registry:7.5.0
            environment: {SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: "PLAINTEXT://kafka:9092"}
          rest:
            image: confluentinc/cp-kafka-rest:7.5.0
            environment:
              KAFKA_REST_BOOTSTRAP_SERVERS: kafka:9092
              KAFKA_REST_SCHEMA_REGISTRY_URL: http://schema-registry:8081
    Good: an alias
        --- docker-compose.yml
        services:
          zookeeper:
            image: bitnami/zookeeper:3.9
            networks: {default: {aliases: [zookeeper-server]}}
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            depends_on: [zookeeper]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper-server:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
    Good: a network from elsewhere
        --- docker-compose.yml
        services:
          zookeeper:
            image: bitnami/zookeeper:3.9
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            networks: [platform]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper-server:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
        networks: {platform: {external: true}}
    Good: none of that kind in the file
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper-server:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
          ui: {image: "provectuslabs/kafka-ui:v0.7.2"}
    Good: another member of an ensemble
        --- docker-compose.yml
        services:
          zoo1:
            image: bitnami/zookeeper:3.9
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zoo2:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
    """
    network = node.resource.traits.network
    if network is None:
        return
    for reference in network.references:
        hosts = [one.host for one in entries(reference)]
        there = _of_role(network, reference.role)
        if not hosts or not there or any(map(_elsewhere, hosts)):
            continue
        if any(host in network.names for host in hosts) or _reported_before(
            reference, network, hosts
        ):
            continue
        if any(_member(host, name) for host in hosts for name in there):
            continue
        asked = _value(reference)
        reached = "nobody" if len(hosts) == 1 else f"none of {', '.join(hosts)}"
        yield Node(reference.asker, node.cluster).finding(
            f"{asked.key}={asked.text} of service {reference.asker.name} names no service of this "
            f"file; its {_spoken(reference.role)} is {' or '.join(there)}",
            at=asked,
            breaks=f"the name does not resolve: {reference.asker.name} reaches {reached}",
            fix=f"write {there[0]}, or give that service the alias {hosts[0]}",
            severity=ERROR if reference.certain else WARNING,
        )


@rule("KC1071", "reference-port", ERROR, invariants=("bootstrap-overlap",))
def reference_port(node: Broker | Controller) -> Iterator[Finding]:
    """A container uses a port on which ZooKeeper, Schema Registry, Connect or ksqlDB does not listen.

    Between containers the ports of the containers count, which the images have from their variables:
    what is published is for the host. Said where the image, its variables and no file of anybody's
    own decide the port; a warning where nobody knows whether the program reads the variable, and
    of what a worker advertises, which counts where there are several. (The ports of brokers:
    bootstrap-port.)

    Bad: ZooKeeper
        --- docker-compose.yml
        services:
          zk:
            image: confluentinc/cp-zookeeper:7.5.0
            environment: {ZOOKEEPER_CLIENT_PORT: 32181}
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zk:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
    Bad: Schema Registry
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper.example.com:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
          registry:
            image: confluentinc/cp-schema-registry:7.5.0
            ports: ["18081:8081"]
            environment: {SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: "PLAINTEXT://kafka:9092"}
          ui:
            image: provectuslabs/kafka-ui:v0.7.2
            environment:
              KAFKA_CLUSTERS_0_BOOTSTRAPSERVERS: kafka:9092
              KAFKA_CLUSTERS_0_SCHEMAREGISTRY: http://registry:18081
    Good:
        --- docker-compose.yml
        services:
          zk:
            image: confluentinc/cp-zookeeper:7.5.0
            environment: {ZOOKEEPER_CLIENT_PORT: 32181}
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zk:32181/kafka
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
    Good: the configuration is mounted
        --- docker-compose.yml
        services:
          zk:
            image: zookeeper:3.9
            volumes: ["./zoo.cfg:/conf/zoo.cfg"]
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zk:32181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
    """
    network = node.resource.traits.network
    if network is None:
        return
    for reference in network.references:
        if reference.role == BROKER:
            continue
        for one in entries(reference):
            host, port = one.host, one.port
            there = network.names.get(host, ())
            if len(there) != 1 or there[0].role != reference.role or port is None:
                continue
            ports = there[0].ports
            if not ports or port in ports:
                continue
            # Workers ask each other only where there are several.
            doubtful = reference.guessed or there[0].name == reference.asker.name
            asked = _value(reference)
            told = there[0].told
            yield Node(reference.asker, node.cluster).finding(
                f"{asked.key}={asked.text} of service {reference.asker.name} asks {host} at port "
                f"{port}, and {_spoken(reference.role)} {there[0].name} listens on "
                f"{' and '.join(map(str, ports))}" + ("" if told is not None else " (default)"),
                at=asked,
                because=() if told is None else (_shown(reference, told),),
                breaks="the connection is refused: nothing listens there",
                fix=f"ask {host}:{next(iter(ports))}",
                severity=WARNING if doubtful else ERROR,
            )
            break


def _elsewhere(host: str) -> bool:
    """Whether a name may be that of a machine outside of the network."""
    return loopback(host) or not short(host)


def _reported_before(reference: Reference, network: Network, hosts: list[str]) -> bool:
    """Whether host-misspelt tells it, which knows which name is meant."""
    names = reference.asker.traits.neighbours
    from kcheck.rules.listeners import misspelt_hosts

    if not names or reference.setting.key not in misspelt_hosts.KEYS:
        return False
    return any(misspelt_hosts.meant(host, names) for host in hosts)


def _spoken(role: str) -> str:
    """What a sentence calls it."""
    return SPOKEN.get(role, role)


def _of_role(network: Network, role: str) -> list[str]:
    """The names of the services of that role."""
    return sorted(
        {one.name for names in network.names.values() for one in names if one.role == role}
    )


def _member(host: str, name: str) -> bool:
    """Whether a host is numbered as a service is: another member, which may be in another file."""
    numbered = _DIGITS.search(name) is not None
    return numbered and _DIGITS.sub("", host) == _DIGITS.sub("", name)


def _value(reference: Reference) -> Value:
    return _shown(reference, reference.setting)


def _shown(reference: Reference, setting: Setting) -> Value:
    return Value(setting.key, reference.asker, SET, setting.text, setting.text, True, setting)
