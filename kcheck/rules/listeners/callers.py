"""KC10: bootstrap addresses in containers against the listeners of a broker in a container."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kcheck import endpoints
from kcheck.evidence import written_first
from kcheck.graph.listeners import addresses
from kcheck.graph.nodes import Broker, Node
from kcheck.model import ERROR, SET, WARNING, Finding, Resource, Value
from kcheck.rule import rule
from kcheck.rules.listeners.addresses import bound_listeners, is_loopback, service_names
from kcheck.wording import plain

_ANY = "0.0.0.0"


@rule("KC1023", "bootstrap-loopback", ERROR)
def bootstrap_loopback(broker: Broker) -> Iterator[Finding]:
    """A client in a container bootstraps from its own container instead of the broker.

    In a container, localhost is that container. A broker in another service has the service name as
    its host, and listeners advertised under that name. An error for programs known to read the
    variable, a warning for others: the container may not use it. Debezium's Connect image connects
    to its own container if BOOTSTRAP_SERVERS is not set.

    Bad:
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:29092,HOST://localhost:9092
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: PLAINTEXT:PLAINTEXT,HOST:PLAINTEXT
          kafdrop:
            image: obsidiandynamics/kafdrop:4.0.1
            environment: {KAFKA_BROKERCONNECT: "localhost:9092"}
    Bad: an application
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
          app:
            build: .
            environment: ["SPRING_KAFKA_BOOTSTRAP_SERVERS=127.0.0.1:9092"]
    Bad: Debezium's image without BOOTSTRAP_SERVERS
        --- docker-compose.yml
        services:
          kafka:
            image: quay.io/debezium/kafka:3.0
            environment: {CLUSTER_ID: MkU3OEVBNTcwNTJENDM2Qg}
          connect:
            image: quay.io/debezium/connect:3.0
            environment: {GROUP_ID: 1, CONFIG_STORAGE_TOPIC: c, OFFSET_STORAGE_TOPIC: o}
    Good:
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
          app:
            build: .
            environment: ["SPRING_KAFKA_BOOTSTRAP_SERVERS=kafka:9092"]
    Good: the host network
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://localhost:9092
          kafdrop:
            image: obsidiandynamics/kafdrop:4.0.1
            network_mode: host
            environment: {KAFKA_BROKERCONNECT: "localhost:9092"}
    Good: a tunnel to the broker
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://localhost:9092
          app:
            build: .
            command: sh -c "socat TCP-LISTEN:9092,fork TCP:kafka:9092 & exec ./app"
            environment: ["BOOTSTRAP_SERVERS=localhost:9092"]
    Good: localhost is the host
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://localhost:9092
          app:
            build: .
            extra_hosts: ["localhost:host-gateway"]
            environment: ["BOOTSTRAP_SERVERS=localhost:9092"]
    Good: possibly a broker of its own, in an unknown image
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
          lab:
            image: example/lab:1
            environment: {KAFKA_BROKER_ID: 2, KAFKA_BOOTSTRAP_SERVERS: "localhost:9092"}
    """
    for caller, asked in callers_of(broker):
        hosts = [host for host, _ in endpoints.split(asked.text or "")]
        if not all(is_loopback(host) or host == _ANY for host in hosts):
            continue
        uses = f"sets {asked.key}={asked.text}"
        if asked.setting is not None and asked.setting.at == caller.at:
            uses = f"uses {asked.key}={asked.text} (image default)"
        yield caller_node(broker, caller).finding(
            f"service {caller.name} {uses}, which is its own container, but the broker is service "
            f"{broker.name}",
            at=asked,
            breaks=f"the connection is refused: {hosts[0]} in a container is the container itself",
            fix=f"use a listener advertised under the service name, for example {_advice(broker)}",
            severity=ERROR if caller.traits.certain else WARNING,
        )


@rule("KC1024", "bootstrap-port", ERROR, invariants=("bootstrap-overlap",))
def bootstrap_port(broker: Broker) -> Iterator[Finding]:
    """A client in a container bootstraps from a port on which the broker does not listen.

    Between containers, container ports apply; published ports are for the host. Each address of a
    list is checked. An error for programs that are known to read the variable and have no other
    address, a warning for others.

    Bad: the published host port
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            ports: ["19092:9092"]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
          app:
            build: .
            environment: {BOOTSTRAP_SERVERS: "kafka:19092"}
    Bad: one address of a list
        --- docker-compose.yml
        services:
          kafka-1:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka-1:9092
          kafka-2:
            image: confluentinc/cp-kafka:7.5.0
            ports: ["9093:9092"]
            environment:
              KAFKA_BROKER_ID: 2
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka-2:9092
          registry:
            image: confluentinc/cp-schema-registry:7.5.0
            environment: {SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: "kafka-1:9092,kafka-2:9093"}
    Good:
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            ports: ["19092:9092"]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
          app:
            build: .
            environment: {BOOTSTRAP_SERVERS: "kafka:9092"}
    Good: a list
        --- docker-compose.yml
        services:
          kafka-1:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka-1:9092
          kafka-2:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 2
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka-2:9093
          registry:
            image: confluentinc/cp-schema-registry:7.5.0
            environment: {SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: "kafka-1:9092,kafka-2:9093"}
    Good: a second address answers
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
          app:
            build: .
            environment: {BOOTSTRAP_SERVERS: "kafka:19092,kafka:9092"}
    Good: another service has the name as an alias
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
          proxy:
            image: nginx:1.27
            networks: {default: {aliases: [kafka]}}
          app:
            build: .
            environment: {BOOTSTRAP_SERVERS: "kafka:19092"}
    Good: the image's command is overridden
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            command: [bash, -c, "socat TCP-LISTEN:19092,fork TCP:localhost:9092 & /etc/confluent/docker/run"]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
          app:
            build: .
            environment: {BOOTSTRAP_SERVERS: "kafka:19092"}
    Good: a database that is given the variables of others
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
          users-db:
            image: postgres:17
            environment: {KAFKA_BROKER: "kafka:19092", POSTGRES_DB: users}
    Bad: the published port is advertised as well
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            ports: ["9093:9092"]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_LISTENERS: PLAINTEXT://0.0.0.0:9092
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9093
          app:
            build: .
            environment: {KAFKA_BROKER: "kafka:9091"}
    """
    callers = list(callers_of(broker))
    peers = [one for one in broker.cluster.brokers if _beside(one, broker)] if callers else ()
    used = {peer.name: {str(one.port) for one in bound_listeners(peer)} for peer in peers}
    for caller, asked in callers:
        entries = endpoints.split(asked.text or "")
        wrong = _wrong(entries, peers, used)
        if not wrong or wrong[0][1].resource is not broker.resource:
            continue  # reported for the broker of the first such entry
        every = len(wrong) == len(entries)
        uses, others = f"sets {asked.key}={asked.text}", ""
        if len(entries) > 1:
            places = ", ".join(entry for entry, _ in wrong)
            uses = f"lists {places} in {asked.key}"
            others = "" if wrong[-1][1] is wrong[0][1] else ", and other listed brokers differ too"
        bound = broker["listeners"]
        _, *because = written_first(asked, bound)
        yield caller_node(broker, caller).finding(
            f"service {caller.name} {uses}, but {broker} has {plain(bound)}{others}",
            at=asked,
            because=because,
            breaks="the connection is refused: nothing listens on that port"
            if every
            else "that connection is refused: the client starts only while another listed broker answers",
            fix="use the port of the listener advertised under the service name, for example "
            f"{_advice(broker)}",
            severity=ERROR if every and caller.traits.certain else WARNING,
        )


def callers_of(broker: Broker) -> Iterator[tuple[Resource, Value]]:
    """The clients in other containers that bootstrap from this broker, with the variable that sets it."""
    for caller in broker.resource.traits.callers:
        for setting in caller.settings.values():
            yield caller, Value(setting.key, caller, SET, setting.text, setting.text, True, setting)


def _beside(one: Broker, broker: Broker) -> bool:
    """Whether both are containers of one file."""
    return one.resource.path == broker.resource.path


def _wrong(
    entries: list[tuple[str, str]], brokers: Iterable[Broker], used: dict[str, set[str]]
) -> list[tuple[str, Broker]]:
    """The entries of brokers for which the list has only ports on which they do not listen."""
    found: list[tuple[str, Broker]] = []
    for broker in brokers:
        mine = [(host, port) for host, port in entries if host in service_names(broker)]
        if used[broker.name] and not any(port in used[broker.name] for _, port in mine):
            found += ((f"{host}:{port}", broker) for host, port in mine)
    order = [f"{host}:{port}" for host, port in entries]
    return sorted(found, key=lambda one: order.index(one[0]))


def caller_node(broker: Broker, caller: Resource) -> Node:
    return Node(caller, broker.cluster)


def _advice(broker: Broker) -> str:
    """The address by which other containers reach the broker: advertised, and bound if that is known."""
    names = service_names(broker)
    ports = [one.port for one in bound_listeners(broker) if not is_loopback(one.host)]
    for one in addresses(broker).visible:
        if one.host in names and (not ports or one.port in ports):
            return f"{one.host}:{one.port}"
    visible = {one.name for one in addresses(broker).visible}
    usable = [one.port for one in bound_listeners(broker) if one.name in visible]
    return f"{broker.name}:{usable[0] if usable else 9092}, and advertise it"
