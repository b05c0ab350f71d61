"""KC10: bound, published and advertised ports of a container."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.listeners import Listener, addresses, malformed
from kcheck.graph.nodes import Broker
from kcheck.model import ERROR, WARNING, Finding
from kcheck.rule import rule

_LOOPBACK = ("localhost", "127.", "::1")


_USUAL = "9092"


def bound_listeners(broker: Broker) -> list[Listener]:
    """The listeners that a container binds; empty unless all are known and its network is its own."""
    traits = broker.resource.traits
    if not (traits.by_environment and traits.alone):
        return []
    bound = broker["listeners"].setting
    if bound is None:
        return []
    # Listeners that the image derives depend on nothing else that may be unknown.
    if not addresses(broker).known and bound is not broker.resource.image.get("listeners"):
        return []
    found = addresses(broker).listeners
    # Port 0: the system picks a free port.
    return found if not malformed(bound.text) and all(one.port for one in found) else []


def is_loopback(host: str) -> bool:
    return host.lower().startswith(_LOOPBACK)


def service_names(broker: Broker) -> tuple[str, ...]:
    return broker.resource.traits.names


def _published(broker: Broker) -> tuple[tuple[str, str], ...]:
    """(host port, container port); the host port is "" if Docker picks it."""
    return broker.resource.traits.ports


def _other_numbers(broker: Broker) -> frozenset[str]:
    """The numbers in a container's variables other than its listeners."""
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
    """A container binds a listener to loopback, so only the container itself can connect.

    Each container has its own loopback interface. A listener bound to it accepts connections neither
    from other containers nor through a published port, which Docker forwards to the container's
    external address. Reported if the port is published, or if the listener is advertised under a
    name of the container.

    Bad: published, and advertised under the service name
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
    Good: all interfaces
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
    Good: used only inside the container
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.7.0
            environment:
              KAFKA_CFG_NODE_ID: "0"
              KAFKA_CFG_PROCESS_ROLES: controller,broker
              KAFKA_CFG_LISTENERS: INSIDE://:9092,HEALTH://localhost:9094,CONTROLLER://:9093
              KAFKA_CFG_ADVERTISED_LISTENERS: INSIDE://kafka:9092,HEALTH://localhost:9094
    Good: the host network
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
    Good: the env_file is not available
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
        words = f"advertises it as {hosts.get(listener.name)}" if named else "publishes its port"
        yield broker.finding(
            f"{broker} binds {listener} to the container's loopback, but {words}",
            at=bound,
            because=because,
            breaks="connections from other containers and from the host are refused: loopback is local "
            "to the container",
            fix=f"bind {listener.name}://:{listener.port} (all interfaces)",
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
    """The advertised port does not lead to a listener of the container.

    Clients connect to the advertised address of a listener, whatever their bootstrap address is.
    Under a name of the container it is a port of the container; under an address of the host it is a
    published port, which Docker forwards to a port of the container. If no listener is bound to that
    port, clients receive the address in metadata but cannot connect.

    Bad: forwarded to a port without a listener
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
    Bad: the listener is bound to another port
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
    Bad: published on a different port than the advertised one
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
    Good: published on the advertised port
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
    Good: a proxy has the broker's name
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
    Good: the address of a load balancer with its own ports
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
    from kcheck.rules.listeners.service_addresses import advertised_past_service

    yield from advertised_past_service(broker)
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
                    f"{broker} advertises {one}, but listener {one.name} is bound to port {listener.port}",
                    at=told,
                    because=(listeners,),
                    breaks="connections from clients and brokers in other containers are refused",
                    fix=f"advertise {one.name}://{one.host}:{listener.port}",
                )
            continue
        targets = [target for outer, target in _published(broker) if outer == port]
        if targets and not used.intersection(targets):
            yield broker.finding(
                f"{broker} advertises {one}, but host port {port} is forwarded to container port "
                f"{targets[0]} and {one.name} listens on {listener.port}",
                at=told,
                because=(listeners, broker.fact("ports")),
                breaks="clients receive this address in metadata and their connections are refused",
                fix=f"publish {port}:{listener.port}, or listen on {targets[0]}",
                severity=ERROR if is_loopback(one.host) else WARNING,
            )
        # Other hosts may be a load balancer, or another broker that swaps its port with this one.
        elif not targets and one.host in ("localhost", "127.0.0.1"):
            yield from _elsewhere(broker, one, listener)


def _elsewhere(broker: Broker, told: Listener, bound: Listener) -> Iterator[Finding]:
    """The listener is published, but on host ports other than the advertised one."""
    outer = [outer for outer, target in _published(broker) if target == str(bound.port) and outer]
    others = broker.resource.traits.forwarded
    if others is None or not broker.resource.traits.ports_known:
        return
    if not outer or str(told.port) in others:
        return
    yield broker.finding(
        f"{broker} advertises {told}, but container port {bound.port} is published as host port "
        f"{outer[0]}",
        at=broker["advertised.listeners"],
        because=(broker.fact("ports"),),
        breaks="clients on the host receive this address in metadata and their connections are refused",
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
    """A container publishes port 9092, but none of its listeners uses it.

    Port 9092 is published, but the listeners use other ports: connections to the published port are
    refused. Other ports may belong to agents or debuggers and are not checked.

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
    Good: the port is a variable
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
    if not used or not dead or _USUAL in used or _USUAL in _other_numbers(broker):
        return
    # advertised-port-reachable reports an advertised port.
    if not {str(one.port) for one in addresses(broker).visible}.isdisjoint(dead):
        return
    yield broker.finding(
        f"{broker} publishes container port {_USUAL}, but listens on {', '.join(sorted(used))}",
        at=broker.fact("ports"),
        because=(broker["listeners"],),
        breaks="connections to the published port are refused",
        fix="publish the port of a listener that is advertised for the host, or remove the mapping",
    )
