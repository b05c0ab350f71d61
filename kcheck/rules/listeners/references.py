"""KC10: hosts and ports of other services that a container connects to."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.graph.nodes import Broker, Controller, Node
from kcheck.graph.references import entries, short
from kcheck.grouping.names import loopback
from kcheck.model import (
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
    """A container connects to a host that is not a service of its compose file, although it has such a service.

    Containers resolve each other by service name, hostname, container_name and aliases. A broker
    cannot connect to ZooKeeper, a client to a broker or a converter to Schema Registry under another
    name. Reported if the file has such a service and defines none of the configured hosts; an error
    if the container depends on such a service, a warning otherwise, because the name may be that of
    a service in another file. External networks, extra hosts and external links may define any name.

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
    Good: an external network
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
    Good: no such service in the file
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
        missing = hosts[0] if len(hosts) == 1 else f"any of {', '.join(hosts)}"
        says = f"advertises {reference.url}" if reference.url else f"sets {asked.key}={asked.text}"
        yield Node(reference.asker, node.cluster).finding(
            f"service {reference.asker.name} {says}, but this file has no such "
            f"service; its {_role_name(reference.role)} is {' or '.join(there)}",
            at=asked,
            breaks="the name does not resolve: "
            f"{'its group' if reference.url else reference.asker.name} cannot connect to {missing}",
            fix=f"use {there[0]}, or add the alias {hosts[0]} to that service",
            severity=ERROR if reference.certain else WARNING,
        )


@rule("KC1071", "reference-port", ERROR, invariants=("bootstrap-overlap",))
def reference_port(node: Broker | Controller) -> Iterator[Finding]:
    """A container connects to a port on which ZooKeeper, Schema Registry, Connect or ksqlDB does not listen.

    Between containers, container ports apply, which images derive from their variables; published
    ports are for the host. Reported if the image and its variables, and no mounted file, determine
    the port. A warning if it is unknown whether the program reads the variable, and for the address
    that a worker advertises, which is used only by several workers. (Broker ports: bootstrap-port.)

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
    Bad: another address of the list answers, a warning
        --- docker-compose.yml
        services:
          zk-1:
            image: confluentinc/cp-zookeeper:7.5.0
            environment: {ZOOKEEPER_CLIENT_PORT: 22181}
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zk-1:22181,zk-1:32181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
    """
    network = node.resource.traits.network
    if network is None:
        return
    for reference in network.references:
        # Brokers have no ports here. ZooKeeper's client, as others with a list of addresses, tries
        # all of them.
        answered = any(
            len(there := network.names.get(one.host, ())) != 1
            or not there[0].ports
            or one.port in there[0].ports
            for one in entries(reference)
        )
        for one in entries(reference):
            host, port = one.host, one.port
            there = network.names.get(host, ())
            if len(there) != 1:
                continue
            (service,) = there
            ports = service.ports
            if service.role != reference.role or port is None or not ports or port in ports:
                continue
            # Workers connect to each other only if there are several.
            doubtful = reference.guessed or service.name == reference.asker.name or answered
            asked = _value(reference)
            told = service.told
            yield Node(reference.asker, node.cluster).finding(
                f"service {reference.asker.name} sets {asked.key}={asked.text}, but "
                f"{_role_name(reference.role)} {service.name} listens on "
                f"{' and '.join(map(str, ports))}"
                + ("" if told is not None else " (default)")
                + f", not {port}",
                at=asked,
                because=() if told is None else (_shown(reference, told),),
                breaks="the connection is refused: nothing listens on that port"
                + ("; it depends on the other addresses" if answered else ""),
                fix=f"use {host}:{next(iter(ports))}",
                severity=WARNING if doubtful else ERROR,
            )
            break


def _elsewhere(host: str) -> bool:
    """Whether a name may be that of a machine outside the network."""
    return loopback(host) or not short(host)


def _reported_before(reference: Reference, network: Network, hosts: list[str]) -> bool:
    """Whether host-misspelt reports it, which suggests the correct name."""
    names = reference.asker.traits.neighbours
    from kcheck.rules.listeners import misspelt_hosts

    if not names or reference.setting.key not in misspelt_hosts.KEYS:
        return False
    return any(misspelt_hosts.meant(host, names) for host in hosts)


def _role_name(role: str) -> str:
    """The name of a role in a sentence."""
    return SPOKEN.get(role, role)


def _of_role(network: Network, role: str) -> list[str]:
    """The names of the services of that role."""
    return sorted(
        {one.name for names in network.names.values() for one in names if one.role == role}
    )


def _member(host: str, name: str) -> bool:
    """Whether a host differs from a service only in its number: another member, possibly in another file."""
    numbered = _DIGITS.search(name) is not None
    return numbered and _DIGITS.sub("", host) == _DIGITS.sub("", name)


def _value(reference: Reference) -> Value:
    return _shown(reference, reference.setting)


def _shown(reference: Reference, setting: Setting) -> Value:
    return Value(setting.key, reference.asker, SET, setting.text, setting.text, True, setting)
