"""KC10: syntax and consistency of listeners, advertised.listeners and the protocol map."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph import listeners
from kcheck.graph.listeners import addresses
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ERROR, WARNING, Finding, Value
from kcheck.refusal import refused
from kcheck.rule import REFUSED, rule
from kcheck.wording import plain, repeated

_LISTS = ("listeners", "advertised.listeners")


_MAP = "listener.security.protocol.map"


@rule(
    "KC1007",
    "listener-syntax",
    ERROR,
    kafka=REFUSED,
    on=_LISTS,
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
    for key in _LISTS:
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
    on=_LISTS,
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
    for key in _LISTS:
        value = broker[key]
        text = value.text if broker.sets(key) else None
        names = [one.name for one in listeners.parse(listeners.counted(text, broker.version))]
        twice = repeated(names)
        if twice:
            yield broker.finding(
                f"{broker}: {key} has more than one listener named {twice[0]}",
                at=value,
                breaks="Kafka fails to start: each listener must have a different name",
                fix=f"give each listener a unique name, and map each name to a protocol in {_MAP}",
            )


@rule(
    "KC1009",
    "listener-protocol-map-complete",
    ERROR,
    kafka=REFUSED,
    on=(*_LISTS, _MAP, "inter.broker.listener.name", "control.plane.listener.name"),
    invariants=(
        "listener-protocol-map-complete",
        "inter-broker-in-map",
        "controller-listener-protocol-map",
    ),
    versions="controller.listener.names of a broker: 3.1+",
)
def listener_protocol_map_complete(broker: Broker | Controller) -> Iterator[Finding]:
    """A listener has no security protocol.

    listener.security.protocol.map assigns a protocol to each listener name. Without the key, the
    names of the four protocols map to themselves, and in KRaft mode controller listeners use
    PLAINTEXT if none of the names is SSL or SASL; once the key is set, only its entries apply. Kafka
    rejects a name without a protocol in listeners, advertised.listeners or
    inter.broker.listener.name, and from 3.1 on in a broker's controller.listener.names.

    Bad: the map replaces the default
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://:9092,CLIENTS://:9093
        listener.security.protocol.map=CLIENTS:SSL
    Bad: no map, and a custom name
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=CLIENTS://:9093
    Bad: the controller listener
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9"}
        --- server.properties
        node.id=1
        process.roles=broker
        controller.quorum.voters=9@k9:9093
        controller.listener.names=CONTROLLER
        listeners=SSL://:9092
        security.inter.broker.protocol=SSL
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://:9092,CLIENTS://:9093
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CLIENTS:SSL
    Good: controller listeners use PLAINTEXT by default
        --- server.properties
        node.id=1
        process.roles=broker,controller
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
    Good: an image may complete the map
        --- docker-compose.yml
        services:
          kafka:
            image: example.com/kafka:3.9.0
            environment: {KAFKA_LISTENERS: "CLIENTS://:9092", KAFKA_PROCESS_ROLES: broker}
    """
    found = addresses(broker)
    value = broker[_MAP]
    if not found.named or (broker.resource.managed and not value.written):
        return
    for name, origin, severity in _spoken(broker):
        if name in found.protocols:
            continue
        yield broker.finding(
            f"{broker}: listener {name} in {origin.key} has no security protocol",
            at=origin if origin.written else value,
            because=(value,) if origin.written else (origin,),
            breaks=("from Kafka 3.1 on, " if severity == WARNING else "")
            + "Kafka fails to start: the name is not in listener.security.protocol.map",
            fix=f"add {name}:PROTOCOL to {_MAP}",
            severity=severity,
        )
        return


def _spoken(broker: Broker) -> Iterator[tuple[str, Value, str]]:
    """(name, where it is set, severity) of all names that require a protocol."""
    version, found = broker.version, addresses(broker)
    bound, told = broker["listeners"], broker["advertised.listeners"]
    # Without listeners a broker has one, PLAINTEXT.
    if bound.written or broker.whole:
        yield from ((name, bound, ERROR) for name in found.names)
    if told.written:
        yield from ((one.name, told, ERROR) for one in found.told)
    for key in ("inter.broker.listener.name", "control.plane.listener.name"):
        value = broker[key]
        gone = key.startswith("control.plane") and version.at_least("4.0")
        if value.value and not gone:
            yield str(value.value).upper(), value, ERROR
    if broker.roles == ["broker"] and not version.below("3.1"):
        value = broker["controller.listener.names"]
        for name in found.quorum:
            yield name.upper(), value, ERROR if version.at_least("3.1") else WARNING


@rule(
    "KC1010",
    "listener-map-syntax",
    ERROR,
    kafka=REFUSED,
    on=(_MAP,),
    invariants=("listener-map-syntax",),
    versions="names that differ only in case: 4.1+; an empty name: 3.6+",
)
def listener_map_syntax(broker: Broker | Controller) -> Iterator[Finding]:
    """listener.security.protocol.map has an invalid entry.

    Entries are NAME:PROTOCOL, with PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL in any case. An unknown
    protocol is rejected even if no listener has the name; from 4.1 on, so are two names that differ
    only in case.

    Bad:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CLIENTS:TLS
    Bad: no protocol
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listener.security.protocol.map=PLAINTEXT
    Bad: names that differ only in case
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.1"}
        --- server.properties
        node.id=1
        process.roles=broker
        controller.quorum.voters=9@k9:9093
        controller.listener.names=CONTROLLER
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,controller:SSL
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listener.security.protocol.map=PLAINTEXT:plaintext,CLIENTS:SSL,
    """
    value = broker[_MAP]
    text = value.text or ""
    # Java's split drops trailing empty entries.
    pairs = text.rstrip(", ").split(",") if text.strip(", ") else []
    names: dict[str, str] = {}
    for pair in map(str.strip, pairs):
        name, colon, spoken = (part.strip() for part in pair.rpartition(":"))
        wrong, since = "", ""
        if not colon:
            wrong = f"contains {pair or 'an empty entry'}, which is not NAME:PROTOCOL"
        elif spoken.upper() not in listeners.PROTOCOLS:
            unknown = spoken or "an empty value"
            wrong = f"maps {name or 'an empty name'} to {unknown}, which is not a security protocol"
        elif not name:
            wrong, since = f"maps an empty name to {spoken}", "3.6"
        elif names.setdefault(name.upper(), name) != name:
            wrong, since = f"contains {name.upper()} twice, in different case", "4.1"
        told = refused(broker.version, "Kafka fails to start", since) if wrong else None
        if told is not None:
            severity, breaks = told
            yield broker.finding(
                f"{broker}: {_MAP} {wrong}",
                at=value,
                breaks=breaks,
                fix="write NAME:PROTOCOL, with one of the protocols "
                + ", ".join(listeners.PROTOCOLS),
                severity=severity,
            )
            return


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
    on=(*_LISTS, "controller.listener.names"),
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
