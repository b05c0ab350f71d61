"""KC10: whether what a container binds, publishes and advertises leads to one of its listeners."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.listeners import Listener, addresses, malformed
from kcheck.graph.nodes import Broker
from kcheck.model import ERROR, WARNING, Finding
from kcheck.rule import rule

_LOOPBACK = ("localhost", "127.", "::1")


_USUAL = "9092"


def bound_listeners(broker: Broker) -> list[Listener]:
    """What the process in a container binds, where all of that is known and its network its own."""
    traits = broker.resource.traits
    if not (traits.by_environment and traits.alone):
        return []
    bound = broker["listeners"].setting
    if bound is None:
        return []
    # What the image derives depends on nothing else that may be unknown.
    if not addresses(broker).known and bound is not broker.resource.image.get("listeners"):
        return []
    found = addresses(broker).listeners
    # Port 0 is one that the system picks.
    return found if not malformed(bound.text) and all(one.port for one in found) else []


def is_loopback(host: str) -> bool:
    return host.lower().startswith(_LOOPBACK)


def service_names(broker: Broker) -> tuple[str, ...]:
    return broker.resource.traits.names


def _published(broker: Broker) -> tuple[tuple[str, str], ...]:
    """(host's port, container's port), the first one "" where docker picks it."""
    return broker.resource.traits.ports


def _spoken_of(broker: Broker) -> frozenset[str]:
    """The numbers in a container's variables apart from its listeners."""
    return broker.resource.traits.numbers


@rule(
    "KC1020",
    "loopback-listener",
    ERROR,
    on=("listeners",),
    broker_side=True,
    invariants=("advertised-port-reachable",),
)
def loopback_listener(broker: Broker) -> Iterator[Finding]:
    """A listener in a container is bound to loopback: only the container itself can connect.

    A container has a loopback address of its own. Who binds a listener to it answers neither other
    containers nor a published port, which docker forwards to the container's outer address. Said
    where the port is published, or the listener advertised under a name of the container.

    Bad: published, and advertised under the service's name
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.7.0
            ports: ["9094:9094"]
            environment:
              KAFKA_CFG_NODE_ID: "0"
              KAFKA_CFG_PROCESS_ROLES: controller,broker
              KAFKA_CFG_LISTENERS: INSIDE://localhost:9092,OUTSIDE://127.0.0.1:9094,CONTROLLER://:9093
              KAFKA_CFG_ADVERTISED_LISTENERS: INSIDE://kafka:9092,OUTSIDE://localhost:9094
    Good: all addresses
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.7.0
            ports: ["9094:9094"]
            environment:
              KAFKA_CFG_NODE_ID: "0"
              KAFKA_CFG_PROCESS_ROLES: controller,broker
              KAFKA_CFG_LISTENERS: INSIDE://:9092,OUTSIDE://0.0.0.0:9094,CONTROLLER://localhost:9093
              KAFKA_CFG_ADVERTISED_LISTENERS: INSIDE://kafka:9092,OUTSIDE://localhost:9094
    Good: for the container itself
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.7.0
            environment:
              KAFKA_CFG_NODE_ID: "0"
              KAFKA_CFG_PROCESS_ROLES: controller,broker
              KAFKA_CFG_LISTENERS: INSIDE://:9092,HEALTH://localhost:9094,CONTROLLER://:9093
              KAFKA_CFG_ADVERTISED_LISTENERS: INSIDE://kafka:9092,HEALTH://localhost:9094
    Good: the host's network
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.7.0
            network_mode: host
            environment:
              KAFKA_CFG_NODE_ID: "0"
              KAFKA_CFG_PROCESS_ROLES: controller,broker
              KAFKA_CFG_LISTENERS: INSIDE://localhost:9092,CONTROLLER://localhost:9093
              KAFKA_CFG_ADVERTISED_LISTENERS: INSIDE://kafka:9092
    Good: a proxy in the broker's own network
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.7.0
            ports: ["9092:9092"]
            environment:
              KAFKA_CFG_NODE_ID: "0"
              KAFKA_CFG_PROCESS_ROLES: controller,broker
              KAFKA_CFG_LISTENERS: INSIDE://localhost:9092,CONTROLLER://localhost:9093
              KAFKA_CFG_ADVERTISED_LISTENERS: INSIDE://kafka:9092
          mesh:
            image: envoyproxy/envoy:v1.30.0
            network_mode: service:kafka
    Good: a file that nobody has here
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.7.0
            ports: ["9092:9092"]
            env_file: kafka.env
            environment:
              KAFKA_CFG_LISTENERS: INSIDE://localhost:9092,CONTROLLER://localhost:9093
    """
    bound = broker["listeners"]
    targets = {target for _, target in _published(broker)}
    told, ports = broker["advertised.listeners"], broker.fact("ports")
    hosts = {one.name: one.host for one in addresses(broker).visible}
    for listener in bound_listeners(broker):
        if not is_loopback(listener.host):
            continue
        published = str(listener.port) in targets
        named = hosts.get(listener.name) in service_names(broker)
        if not published and not named:
            continue
        because = [value for value, yes in ((told, named), (ports, published)) if yes]
        words = f"advertised as {hosts.get(listener.name)}" if named else "published"
        yield broker.finding(
            f"{broker} binds {listener} in a container, where the listener is {words}",
            at=bound,
            because=because,
            breaks="other containers and the host are refused: the loopback address is the "
            "container's own",
            fix=f"bind {listener.name}://:{listener.port}, which is all addresses",
        )
        return


@rule(
    "KC1021",
    "advertised-port-reachable",
    ERROR,
    on=("advertised.listeners",),
    broker_side=True,
    invariants=("advertised-port-reachable",),
)
def advertised_port_reachable(broker: Broker) -> Iterator[Finding]:
    """The port that a container advertises leads to no listener.

    Clients of a listener connect to its advertised address, whatever they were given at first.
    Under a name of the container that is a port of the container; under an address of the host it
    is a published one, which docker forwards to a port of the container. Where no listener uses
    that port, everybody gets to know the brokers and nobody reaches them.

    Bad: forwarded to a port that no listener has
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            ports: ["20031:9092"]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: INTERNAL://kafka:19092,EXTERNAL://127.0.0.1:20031
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: INTERNAL:PLAINTEXT,EXTERNAL:PLAINTEXT
              KAFKA_INTER_BROKER_LISTENER_NAME: INTERNAL
    Bad: the listener is on another port
        --- docker-compose.yml
        services:
          kafka:
            image: wurstmeister/kafka:2.13-2.8.1
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_LISTENERS: INSIDE://:9093
              KAFKA_ADVERTISED_LISTENERS: INSIDE://kafka:9092
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: INSIDE:PLAINTEXT
              KAFKA_INTER_BROKER_LISTENER_NAME: INSIDE
    Bad: published under another number than the one that clients are told
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:4.0.0
            ports: ["19092:9094"]
            environment:
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@kafka:9093
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_LISTENERS: INSIDE://:9092,OUTSIDE://:9094,CONTROLLER://:9093
              KAFKA_ADVERTISED_LISTENERS: INSIDE://kafka:9092,OUTSIDE://localhost:9094
    Good: published under the number that is advertised
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:4.0.0
            ports: ["19092:9094"]
            environment:
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@kafka:9093
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_LISTENERS: INSIDE://:9092,OUTSIDE://:9094,CONTROLLER://:9093
              KAFKA_ADVERTISED_LISTENERS: INSIDE://kafka:9092,OUTSIDE://localhost:19092
    Good: another container forwards the port
        --- docker-compose.yml
        services:
          kafka:
            image: wurstmeister/kafka:2.13-2.8.1
            ports: ["19092:9094"]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_LISTENERS: INSIDE://:9092,OUTSIDE://:9094
              KAFKA_ADVERTISED_LISTENERS: INSIDE://kafka:9092,OUTSIDE://localhost:29092
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT
              KAFKA_INTER_BROKER_LISTENER_NAME: INSIDE
          proxy:
            image: nginx:1.27
            ports: ["29092:9092"]
    Good: the proxy has the broker's name
        --- docker-compose.yml
        services:
          kafka1:
            image: wurstmeister/kafka:2.13-2.8.1
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_LISTENERS: INSIDE://:9093
              KAFKA_ADVERTISED_LISTENERS: INSIDE://kafka:9092
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: INSIDE:PLAINTEXT
              KAFKA_INTER_BROKER_LISTENER_NAME: INSIDE
          kafka:
            image: nginx:1.27
    Good: the address of a machine behind a balancer, which has its own ports
        --- docker-compose.yml
        services:
          kafka:
            image: wurstmeister/kafka:2.13-2.8.1
            ports: ["19092:9094"]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_LISTENERS: INSIDE://:9092,OUTSIDE://:9094
              KAFKA_ADVERTISED_LISTENERS: INSIDE://kafka:9092,OUTSIDE://k.example.com:443
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT
              KAFKA_INTER_BROKER_LISTENER_NAME: INSIDE
    """
    bound = {one.name: one for one in bound_listeners(broker)}
    used = {str(one.port) for one in bound.values()}
    told, listeners = broker["advertised.listeners"], broker["listeners"]
    for one in addresses(broker).visible:
        listener, port = bound.get(one.name), str(one.port)
        if listener is None:
            continue
        if one.host in service_names(broker):
            if port not in used:
                yield broker.finding(
                    f"{broker} advertises {one} and listens for {one.name} on port {listener.port}",
                    at=told,
                    because=(listeners,),
                    breaks="clients and brokers in other containers are refused",
                    fix=f"advertise {one.name}://{one.host}:{listener.port}",
                )
            continue
        targets = [target for outer, target in _published(broker) if outer == port]
        if targets and not used.intersection(targets):
            yield broker.finding(
                f"{broker} advertises {one}; port {port} of the host is forwarded to {targets[0]} "
                f"of the container, and {one.name} listens on {listener.port}",
                at=told,
                because=(listeners, broker.fact("ports")),
                breaks="clients get to know the address and are refused there",
                fix=f"publish {port}:{listener.port}, or listen on {targets[0]}",
                severity=ERROR if is_loopback(one.host) else WARNING,
            )
        # Others may be a balancer's, or another broker's that swaps its port with this one.
        elif not targets and one.host in ("localhost", "127.0.0.1"):
            yield from _elsewhere(broker, one, listener)


def _elsewhere(broker: Broker, told: Listener, bound: Listener) -> Iterator[Finding]:
    """The listener is published, but under other host ports than the one that is advertised."""
    outer = [outer for outer, target in _published(broker) if target == str(bound.port) and outer]
    others = broker.resource.traits.forwarded
    if others is None or not broker.resource.traits.ports_known:
        return
    if not outer or str(told.port) in others:
        return
    yield broker.finding(
        f"{broker} advertises {told}, and its port {bound.port} is published as {outer[0]}",
        at=broker["advertised.listeners"],
        because=(broker.fact("ports"),),
        breaks="clients on the host get to know the address and are refused there",
        fix=f"advertise {told.name}://{told.host}:{outer[0]}, or publish {told.port}:{bound.port}",
        severity=WARNING,
    )


@rule(
    "KC1022",
    "published-port-unused",
    WARNING,
    on=("listeners", "advertised.listeners"),
    broker_side=True,
    invariants=("advertised-port-reachable",),
)
def published_port_unused(broker: Broker) -> Iterator[Finding]:
    """A container publishes Kafka's port, and none of its listeners has it.

    Port 9092 is published, the listeners are on others. Who connects to the host's port is
    refused. Other ports may belong to agents and debuggers and are not judged.

    Bad:
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            ports: ["9092:9092"]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:29092
    Good:
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            ports: ["9092:9092", "9101:9101"]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:29092,HOST://localhost:9092
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: PLAINTEXT:PLAINTEXT,HOST:PLAINTEXT
    Good: a variable gives the port
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            ports: ["9092:9092"]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:${PORT}
    Good: the port belongs to something else
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            ports: ["9092:9092"]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:29092
              KAFKA_JMX_PORT: 9092
    """
    used = {str(one.port) for one in bound_listeners(broker)}
    dead = [outer for outer, target in _published(broker) if target == _USUAL]
    if not used or not dead or _USUAL in used or _USUAL in _spoken_of(broker):
        return
    # The other rule has said it where somebody is told of the port.
    if not {str(one.port) for one in addresses(broker).visible}.isdisjoint(dead):
        return
    yield broker.finding(
        f"{broker} publishes port {_USUAL} of its container, and listens on {', '.join(sorted(used))}",
        at=broker.fact("ports"),
        because=(broker["listeners"],),
        breaks="connections to the published port are refused",
        fix="publish the port of a listener that is advertised for the host, or drop the line",
    )
