"""KC10: whether what a container advertises, publishes and is asked for meets one of its listeners."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import endpoints
from kcheck.evidence import written_first
from kcheck.graph.listeners import Listener, addresses, malformed
from kcheck.graph.nodes import Broker, Node
from kcheck.model import ERROR, SET, WARNING, Finding, Resource, Value
from kcheck.rule import rule
from kcheck.wording import plain

_ANY = "0.0.0.0"
_LOOPBACK = ("localhost", "127.", "::1")
_USUAL = "9092"


def _listeners(broker: Broker) -> list[Listener]:
    """What the process in a container binds, where all of that is known and its network its own."""
    values = broker.resource.values
    if values.get("environment") != "complete" or not values.get("alone"):
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


def _loopback(host: str) -> bool:
    return host.lower().startswith(_LOOPBACK)


def _names(broker: Broker) -> list[str]:
    names = broker.resource.values.get("names")
    return names if isinstance(names, list) else []


def _published(broker: Broker) -> list[tuple[str, str]]:
    """(host's port, container's port), the first one "" where docker picks it."""
    ports = broker.resource.values.get("ports")
    return ports if isinstance(ports, list) else []


def _spoken_of(broker: Broker) -> set[str]:
    """The numbers in a container's variables apart from its listeners."""
    numbers = broker.resource.values.get("spoken of")
    return numbers if isinstance(numbers, set) else set()


@rule(
    "KC1020",
    "loopback-listener",
    ERROR,
    on=("listeners",),
    broker_side=True,
    invariants=("advertised-port-reachable",),
)
def loopback_listener(broker: Broker) -> Iterator[Finding]:
    """A listener in a container takes connections from inside the container alone.

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
    for listener in _listeners(broker):
        if not _loopback(listener.host):
            continue
        published = str(listener.port) in targets
        named = hosts.get(listener.name) in _names(broker)
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
    bound = {one.name: one for one in _listeners(broker)}
    used = {str(one.port) for one in bound.values()}
    told, listeners = broker["advertised.listeners"], broker["listeners"]
    for one in addresses(broker).visible:
        listener, port = bound.get(one.name), str(one.port)
        if listener is None:
            continue
        if one.host in _names(broker):
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
                severity=ERROR if _loopback(one.host) else WARNING,
            )
        # Others may be a balancer's, or another broker's that swaps its port with this one.
        elif not targets and one.host in ("localhost", "127.0.0.1"):
            yield from _elsewhere(broker, one, listener)


def _elsewhere(broker: Broker, told: Listener, bound: Listener) -> Iterator[Finding]:
    """The listener is published, but under other host ports than the one that is advertised."""
    outer = [outer for outer, target in _published(broker) if target == str(bound.port) and outer]
    others = broker.resource.values.get("forwarded")
    known = broker.resource.values.get("ports known") and isinstance(others, list)
    if not outer or not known or str(told.port) in (others or ()):  # type: ignore[operator]
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
    used = {str(one.port) for one in _listeners(broker)}
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


@rule("KC1023", "bootstrap-loopback", ERROR)
def bootstrap_loopback(broker: Broker) -> Iterator[Finding]:
    """A client in a container looks for the broker in its own container.

    In a container localhost is that container. A broker of another service has the service's name
    there, and listeners that are advertised under it. An error for programs that are known to read
    the variable, a warning for others: a container may do without it. Debezium's Connect image asks
    its own container where no BOOTSTRAP_SERVERS is set.

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
    Bad: Debezium's image, which is told of no broker
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
    Good: the host's network
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
    Good: another broker of its own, by an image that nobody knows
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
    for caller, asked in _callers(broker):
        hosts = [host for host, _ in endpoints.split(asked.text or "")]
        if not all(_loopback(host) or host == _ANY for host in hosts):
            continue
        told = f"{asked.key}={asked.text} of service {caller.name}"
        if asked.setting is not None and asked.setting.at == caller.at:
            told = f"{asked.key}={asked.text}, which service {caller.name} asks by itself,"
        yield _client(broker, caller).finding(
            f"{told} is its own container, and the broker is service {broker.name}",
            at=asked,
            breaks=f"the connection is refused: {hosts[0]} in a container is that container",
            fix=f"name a listener that is advertised under the service's name, such as "
            f"{_advice(broker)}",
            severity=ERROR if caller.values.get("certain") else WARNING,
        )


@rule("KC1024", "bootstrap-port", ERROR, invariants=("bootstrap-overlap",))
def bootstrap_port(broker: Broker) -> Iterator[Finding]:
    """A client in a container asks a broker on a port where nothing listens.

    Between containers the ports of the containers count: what is published is for the host. An
    error for programs that are known to read the variable, a warning for others.

    Bad: the host's port
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
    Good: somebody else has the name, too
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
    Good: the command is another one than the image's own
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
    """
    used = {str(one.port) for one in _listeners(broker)}
    for caller, asked in _callers(broker) if used else ():
        entries = endpoints.split(asked.text or "")
        names = _names(broker)
        if any(host not in names or port in used for host, port in entries):
            continue
        bound = broker["listeners"]
        _, *because = written_first(asked, bound)
        yield _client(broker, caller).finding(
            f"{asked.key}={asked.text} of service {caller.name} names no listener of {broker}, "
            f"which has {plain(bound)}",
            at=asked,
            because=because,
            breaks="the connection is refused: nothing listens there",
            fix=f"use the port of the listener that is advertised under the service's name, such "
            f"as {_advice(broker)}",
            severity=ERROR if caller.values.get("certain") else WARNING,
        )


@rule(
    "KC1065", "advertised-loopback-to-container", ERROR, invariants=("advertised-port-reachable",)
)
def advertised_loopback(broker: Broker) -> Iterator[Finding]:
    """A container asks a broker that tells it to go to localhost.

    The address that a client is given is for the first question alone. The broker answers with the
    advertised address of the listener that was asked, and the client goes there: under localhost
    to its own container. Between containers a listener of its own is needed, advertised under the
    service's name. An error for programs that are known to read the variable, a warning for others.

    Bad:
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            ports: ["9092:9092"]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://localhost:9092
          registry:
            image: confluentinc/cp-schema-registry:7.5.0
            environment: {SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: "PLAINTEXT://kafka:9092"}
    Bad: the listener for the host, and an application
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            ports: ["9092:9092"]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: INSIDE://kafka:19092,HOST://127.0.0.1:9092
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: INSIDE:PLAINTEXT,HOST:PLAINTEXT
              KAFKA_INTER_BROKER_LISTENER_NAME: INSIDE
          app:
            build: .
            environment: {BOOTSTRAP_SERVERS: "kafka:9092"}
    Good:
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            ports: ["9092:9092"]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: INSIDE://kafka:19092,HOST://127.0.0.1:9092
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: INSIDE:PLAINTEXT,HOST:PLAINTEXT
              KAFKA_INTER_BROKER_LISTENER_NAME: INSIDE
          app:
            build: .
            environment: {BOOTSTRAP_SERVERS: "kafka:19092"}
    Good: the client is on the host's network
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            ports: ["9092:9092"]
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://localhost:9092
          ui:
            image: provectuslabs/kafka-ui:v0.7.2
            network_mode: host
            environment: {KAFKA_CLUSTERS_0_BOOTSTRAPSERVERS: "kafka:9092"}
    """
    bound = {str(one.port): one.name for one in _listeners(broker)}
    told = {one.name: one for one in addresses(broker).visible}
    for caller, asked in _callers(broker) if bound else ():
        entries = endpoints.split(asked.text or "")
        asks = [told.get(bound.get(port, "")) for host, port in entries if host in _names(broker)]
        one = asks[0] if asks else None
        if one is None or any(other is None or not _loopback(other.host) for other in asks):
            continue
        yield _client(broker, caller).finding(
            f"service {caller.name} asks {broker} at {asked.text}, and the broker sends it on to "
            f"{one}, which is the container of {caller.name} itself",
            at=broker["advertised.listeners"],
            because=(asked, broker["listeners"]),
            breaks="the first connection works and every one after it is refused: the client finds "
            "no broker",
            fix=f"give {broker} a listener more, advertised as {broker.name} with a port of its own, "
            f"and let {caller.name} ask that one",
            severity=ERROR if caller.values.get("certain") else WARNING,
        )


def _callers(broker: Broker) -> Iterator[tuple[Resource, Value]]:
    """The clients in other containers that ask this broker, and the variable that says so."""
    callers = broker.resource.values.get("callers")
    for caller in callers if isinstance(callers, list) else ():
        for setting in caller.settings.values():
            yield caller, Value(setting.key, caller, SET, setting.text, setting.text, True, setting)


def _client(broker: Broker, caller: Resource) -> Node:
    return Node(caller, broker.cluster)


def _advice(broker: Broker) -> str:
    names = _names(broker)
    for one in addresses(broker).visible:
        if one.host in names:
            return f"{one.host}:{one.port}"
    return f"{broker.name}:9092, and advertise it"
