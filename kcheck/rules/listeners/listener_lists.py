"""KC10: syntax and consistency of listeners and advertised.listeners."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph import listeners
from kcheck.graph.listeners import addresses
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ERROR, Finding
from kcheck.rule import REFUSED, rule
from kcheck.wording import plain, repeated

LISTS = ("listeners", "advertised.listeners")


MAP = "listener.security.protocol.map"


@rule(
    "KC1007",
    "listener-syntax",
    ERROR,
    kafka=REFUSED,
    on=LISTS,
    invariants=("listener-syntax",),
)
def listener_syntax(broker: Broker | Controller) -> Iterator[Finding]:
    """An entry of listeners or advertised.listeners is not NAME://host:port.

    The host may be empty, which means all interfaces; the name and the port are required. An IPv6
    address is written with or without brackets.

    Bad: no name
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=k1:9092
    Bad: no port
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://:9092
        advertised.listeners=PLAINTEXT://k1.example.com
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://:9092
        advertised.listeners=PLAINTEXT://k1.example.com:9092
    Good: IPv6
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://[2001:db8::1]:9092
    Good: a host that is to be filled in
        --- server.properties
        broker.id=0
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        advertised.listeners=PLAINTEXT://##your-public-DNS##:9092
    """
    for key in LISTS:
        value = broker[key]
        entry = listeners.malformed(value.text) if broker.sets(key) else ""
        if entry:
            yield broker.finding(
                f"{broker}: {key} contains {entry}, which is not NAME://host:port",
                at=value,
                breaks="Kafka fails to start: it cannot parse the listener",
                fix="write each listener as NAME://host:port",
            )


@rule(
    "KC1008",
    "listener-names-distinct",
    ERROR,
    kafka=REFUSED,
    on=LISTS,
    invariants=("listener-names-distinct",),
)
def listener_names_distinct(broker: Broker | Controller) -> Iterator[Finding]:
    """Two listeners have the same name.

    Names are compared in upper case. Kafka rejects a duplicate name in one list, even for an IPv4 and
    an IPv6 address.

    Bad:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://10.0.0.1:9092,plaintext://10.0.1.1:9093
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://10.0.0.1:9092,BACK://10.0.1.1:9093
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,BACK:PLAINTEXT
    """
    for key in LISTS:
        value = broker[key]
        text = value.text if broker.sets(key) else None
        names = [one.name for one in listeners.parse(listeners.counted(text, broker.version))]
        twice = repeated(names)
        if twice:
            yield broker.finding(
                f"{broker}: {key} has more than one listener named {twice[0]}",
                at=value,
                breaks="Kafka fails to start: each listener must have a different name",
                fix=f"give each listener a unique name, and map each name to a protocol in {MAP}",
            )


@rule(
    "KC1011",
    "advertised-subset-of-listeners",
    ERROR,
    kafka=REFUSED,
    on=("advertised.listeners",),
    invariants=("advertised-subset-of-listeners",),
)
def advertised_subset_of_listeners(broker: Broker) -> Iterator[Finding]:
    """An advertised listener is missing from listeners.

    Each name in advertised.listeners must also be in listeners, except the controller listeners.

    Bad:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://:9092
        advertised.listeners=PLAINTEXT://k1:9092,SSL://k1:9093
    Bad: with any host
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_LISTENERS: INSIDE://:29092,OUTSIDE://:9092
              KAFKA_ADVERTISED_LISTENERS: INSIDE://kafka:29092,OUTSIDES://${HOST_IP}:9092
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT,OUTSIDES:PLAINTEXT
              KAFKA_INTER_BROKER_LISTENER_NAME: INSIDE
    Good: not every listener is advertised
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://:9092,SSL://:9093
        advertised.listeners=PLAINTEXT://k1:9092
    """
    found = addresses(broker)
    told, bound = broker["advertised.listeners"], broker["listeners"]
    if not found.named or listeners.malformed(bound.text):
        return
    # The default of listeners does not apply if an image derives them.
    if not bound.written and not broker.whole:
        return
    for listener in found.told:
        if listener.name not in found.names and listener.name not in found.quorum:
            yield broker.finding(
                f"{broker} advertises {listener}, but {plain(bound)} has no listener {listener.name}",
                at=told,
                because=(bound,),
                breaks="Kafka fails to start: the names in advertised.listeners must be equal to or a "
                "subset of the ones defined in listeners",
                fix=f"add {listener.name} to listeners, or remove it from advertised.listeners",
            )
            return


@rule(
    "KC1012",
    "advertised-nonempty-broker",
    ERROR,
    kafka=REFUSED,
    on=(*LISTS, "controller.listener.names"),
    invariants=("advertised-nonempty-broker",),
)
def advertised_nonempty_broker(broker: Broker) -> Iterator[Finding]:
    """A broker has no listener for clients and other brokers.

    The listeners in controller.listener.names serve the controller quorum and are never advertised to
    clients and other brokers. A node with the broker role requires another listener.

    Bad:
        --- server.properties
        node.id=1
        process.roles=broker,controller
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
    Good:
        --- server.properties
        node.id=1
        process.roles=broker,controller
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093,PLAINTEXT://:9092
    Good: controller role only
        --- server.properties
        node.id=1
        process.roles=controller
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
    Good: the role is unknown
        --- server.properties
        node.id=1
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
    """
    found = addresses(broker)
    told, bound = broker["advertised.listeners"], broker["listeners"]
    value = told if broker.sets("advertised.listeners") else bound
    if not found.known or not (value.written or broker.whole):
        return
    if found.visible or listeners.malformed(value.text):
        return
    names = broker["controller.listener.names"]
    if not broker.roles and names.written:
        return
    yield broker.finding(
        f"{broker}: {plain(value)} "
        + (f"has only controller listeners ({names.text})" if found.advertised else "is empty"),
        at=value,
        because=(names,) if found.advertised else (),
        breaks="Kafka fails to start: a broker requires an advertised listener besides the controller "
        "listeners",
        fix="add a listener for clients and brokers, for example PLAINTEXT://:9092",
    )


@rule(
    "KC1013",
    "control-plane-distinct",
    ERROR,
    kafka=REFUSED,
    on=("control.plane.listener.name",),
    invariants=("control-plane-distinct",),
    versions="≤3.9, ZooKeeper mode",
)
def control_plane_distinct(broker: Broker) -> Iterator[Finding]:
    """The control plane listener is not advertised, or is also the inter-broker listener.

    In ZooKeeper mode, control.plane.listener.name separates the controller's requests. The listener
    must be advertised and must differ from the inter-broker listener.

    Bad: also the inter-broker listener
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.6"}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://:9092
        control.plane.listener.name=PLAINTEXT
    Bad: not advertised
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.6"}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://:9092,SSL://:9093
        advertised.listeners=PLAINTEXT://k1:9092
        control.plane.listener.name=SSL
    Good:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.6"}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://:9092,SSL://:9093
        control.plane.listener.name=SSL
    """
    value = broker["control.plane.listener.name"]
    found = addresses(broker)
    if broker.kraft is not False or not broker.version.below("4.0"):
        return
    if not found.known or not value.value:
        return
    name = str(value.value).upper()
    chosen = broker["inter.broker.listener.name"]
    between = chosen if chosen.written else broker["security.inter.broker.protocol"]
    wrong = ""
    if found.visible and name not in [one.name for one in found.visible]:
        wrong = "is not advertised"
    elif str(between.value).upper() == name:
        wrong = "is also the inter-broker listener"
    if wrong:
        yield broker.finding(
            f"{broker}: {plain(value)} {wrong}",
            at=value,
            because=(between,) if "inter-broker" in wrong else (broker["advertised.listeners"],),
            breaks="Kafka fails to start",
            fix="set control.plane.listener.name to an advertised listener that has no other use",
        )
