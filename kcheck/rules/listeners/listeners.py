"""KC10: ports of listeners, the inter-broker listener, advertised addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph import listeners
from kcheck.graph.listeners import Listener
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ERROR, Finding
from kcheck.rule import REFUSED, rule
from kcheck.wording import plain

_WILDCARD = "0.0.0.0"


@rule(
    "KC1003",
    "listener-ports-distinct",
    ERROR,
    kafka=REFUSED,
    on=("listeners",),
    refs=("KIP-797",),
    invariants=("listener-ports-distinct",),
    versions="3.6+: one IPv4 and one IPv6 address may share a port",
)
def listener_ports_distinct(broker: Broker | Controller) -> Iterator[Finding]:
    """Two listeners share a port.

    Kafka rejects duplicate ports whatever the hosts are, except for one IPv4 and one IPv6 address
    from 3.6 on.

    Bad:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://0.0.0.0:9092,SSL://0.0.0.0:9092
        advertised.listeners=PLAINTEXT://k1:9092,SSL://k1:9093
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://0.0.0.0:9092,SSL://0.0.0.0:9093
        advertised.listeners=PLAINTEXT://k1:9092,SSL://k1:9093
    Good: an IPv4 and an IPv6 address
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://10.0.0.1:9092,CLIENTS://[2001:db8::1]:9092
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CLIENTS:PLAINTEXT
    Good: any free port
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://:0,SSL://:0
    """
    value = broker["listeners"]
    by_port: dict[int, list[Listener]] = {}
    text = value.text if value.written else None
    for listener in listeners.parse(listeners.counted(text, broker.version)):
        by_port.setdefault(listener.port, []).append(listener)
    for port, sharing in by_port.items():
        if port == 0 or len(sharing) < 2:
            continue
        families = {_family(listener.host) for listener in sharing}
        if len(sharing) == 2 and families == {"IPv4", "IPv6"} and not broker.version.below("3.6"):
            continue
        names = " and ".join(listener.name for listener in sharing)
        yield broker.finding(
            f"{broker}: listeners {names} share port {port}",
            at=value,
            breaks="Kafka fails to start: each listener must have a different port",
            fix="give each listener a unique port",
        )
        return


#: A host name or an empty host has no family.
_IPV4 = re.compile(r"\d+(\.\d+){3}")


def _family(host: str) -> str:
    if ":" in host:
        return "IPv6"
    return "IPv4" if _IPV4.fullmatch(host) else ""


@rule(
    "KC1004",
    "inter-broker-one-of",
    ERROR,
    kafka=REFUSED,
    on=("inter.broker.listener.name",),
    invariants=("inter-broker-one-of",),
)
def inter_broker_one_of(broker: Broker | Controller) -> Iterator[Finding]:
    """inter.broker.listener.name and security.inter.broker.protocol are both set.

    inter.broker.listener.name names the listener, security.inter.broker.protocol its protocol. Kafka
    rejects both together, even if they agree or one is empty.

    Bad:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=CLIENTS://:9092,BROKERS://:9091
        listener.security.protocol.map=CLIENTS:SSL,BROKERS:SSL
        inter.broker.listener.name=BROKERS
        security.inter.broker.protocol=SSL
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=CLIENTS://:9092,BROKERS://:9091
        listener.security.protocol.map=CLIENTS:SSL,BROKERS:SSL
        inter.broker.listener.name=BROKERS
    Good: a dump of the whole configuration, including defaults
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        alter.config.policy.class.name=null
        create.topic.policy.class.name=null
        control.plane.listener.name=null
        listeners=CLIENTS://:9092,BROKERS://:9091
        inter.broker.listener.name=BROKERS
        security.inter.broker.protocol=PLAINTEXT
    """
    if not broker.sets("security.inter.broker.protocol"):
        return
    # A dump of all values includes defaults that are not set.
    if broker.resource.traits.dump:
        return
    name, spoken = broker["inter.broker.listener.name"], broker["security.inter.broker.protocol"]
    # An image that may set one of them takes the other into account.
    if any(
        value.text is None and value.setting in broker.resource.image.values()
        for value in (name, spoken)
    ):
        return
    yield broker.finding(
        f"{broker} sets both {plain(name)} and {plain(spoken)}",
        at=spoken,
        because=(name,),
        breaks="Kafka fails to start (ConfigException): only one of the two may be set",
        fix="remove security.inter.broker.protocol: listener.security.protocol.map sets the protocol",
    )


@rule(
    "KC1005",
    "inter-broker-advertised",
    ERROR,
    kafka=REFUSED,
    on=(
        *("listeners", "advertised.listeners", "inter.broker.listener.name"),
        *("security.inter.broker.protocol", "controller.listener.names"),
    ),
    invariants=("inter-broker-advertised",),
)
def inter_broker_advertised(broker: Broker) -> Iterator[Finding]:
    """The inter-broker listener is not advertised.

    Brokers connect to each other at the advertised address of inter.broker.listener.name, or of the
    listener named after security.inter.broker.protocol (default PLAINTEXT). With custom names and
    neither key set, Kafka fails to start.

    Bad: custom names, and no inter-broker listener set
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=INTERNAL://:9093,PUBLIC://:9092
        advertised.listeners=INTERNAL://k1:9093,PUBLIC://k1.example.com:9092
        listener.security.protocol.map=INTERNAL:PLAINTEXT,PUBLIC:PLAINTEXT
    Bad: set, but not advertised
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=INTERNAL://:9093,PUBLIC://:9092
        advertised.listeners=PUBLIC://k1.example.com:9092
        listener.security.protocol.map=INTERNAL:PLAINTEXT,PUBLIC:PLAINTEXT
        inter.broker.listener.name=INTERNAL
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=INTERNAL://:9093,PUBLIC://:9092
        advertised.listeners=INTERNAL://k1:9093,PUBLIC://k1.example.com:9092
        listener.security.protocol.map=INTERNAL:PLAINTEXT,PUBLIC:PLAINTEXT
        inter.broker.listener.name=internal
    Good: named after the protocol
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://:9092,SSL://:9093
    Good: the role is unknown, so the node may be a controller only
        --- kraft.properties
        node.id=1
        listeners=PLAINTEXT://k1:9092
        controller.listener.names=PLAINTEXT
        controller.quorum.voters=1@k1:9092
    """
    value = broker["advertised.listeners"]
    told = listeners.advertised(broker)
    unclear = not broker.roles and broker.kraft is not False
    if unclear and broker.sets("controller.listener.names"):
        return
    name, spoken = broker["inter.broker.listener.name"], broker["security.inter.broker.protocol"]
    # Without listeners a broker has one, on port 9092.
    silent = broker.whole and not (broker.sets("listeners") or broker.sets("advertised.listeners"))
    if not silent and (not told or len(told) != len(listeners.entries(value.text))):
        return
    chosen = name if name.written else spoken
    if not chosen.value:
        return
    names = {"PLAINTEXT"} if silent else {listener.name for listener in told}
    names -= listeners.controller_names(broker)
    if str(chosen.value).upper() in names:
        return
    because = (value, spoken) if not name.written else (value,)
    at, *rest = written_first(name, *because)
    yield broker.finding(
        f"{broker} uses inter-broker listener {str(chosen.value).upper()}"
        + ("" if name.written else " (by security.inter.broker.protocol)")
        + f", but advertises {', '.join(sorted(names)) or 'no broker listener'}",
        at=at,
        because=rest,
        breaks="Kafka fails to start: inter.broker.listener.name must be a listener name defined in "
        "advertised.listeners",
        fix=f"set inter.broker.listener.name to {' or '.join(sorted(names))}"
        if names
        else "add the listener to advertised.listeners",
    )


@rule(
    "KC1006",
    "advertised-not-wildcard",
    ERROR,
    kafka=REFUSED,
    on=("listeners", "advertised.listeners"),
    refs=("KAFKA-18281",),
    invariants=("advertised-not-wildcard",),
    versions="controller listener: rejected in 3.9.0 only",
)
def advertised_not_wildcard(broker: Broker | Controller) -> Iterator[Finding]:
    """0.0.0.0 is advertised to clients.

    0.0.0.0 means all interfaces of this host and is not an address to connect to. Kafka rejects it in
    advertised.listeners, and in listeners if advertised.listeners is not set. A controller listener
    may bind it, except in 3.9.0.

    Bad:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://0.0.0.0:9092
        advertised.listeners=PLAINTEXT://0.0.0.0:9092
    Bad: listeners are advertised by default
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://0.0.0.0:9092
    Bad: 3.9.0 rejects it for a controller listener
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9.0"}
        --- server.properties
        node.id=1
        process.roles=broker,controller
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://k1:9092,CONTROLLER://0.0.0.0:9093
    Good:
        --- server.properties
        node.id=1
        process.roles=broker,controller
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://0.0.0.0:9092,CONTROLLER://0.0.0.0:9093
        advertised.listeners=PLAINTEXT://k1:9092
    """
    value, bound = broker["advertised.listeners"], broker["listeners"]
    set_itself = broker.sets("advertised.listeners")
    # An image or an operator derives the advertised listeners.
    if not set_itself and broker.resource.managed:
        return
    quorum = listeners.controller_names(broker)
    for listener in listeners.advertised(broker):
        if listener.host != _WILDCARD:
            continue
        if not set_itself and (listener.name in quorum or broker.resource.kind == "controller"):
            continue
        yield broker.finding(
            f"{broker} advertises {listener}" + ("" if set_itself else " (from listeners)"),
            at=value,
            breaks="Kafka fails to start: advertised.listeners cannot use the nonroutable "
            "meta-address 0.0.0.0",
            fix="advertise a host name or address that clients and brokers can reach",
        )
        return
    if not broker.version.is_patch("3.9.0"):
        return
    named = {listener.name for listener in listeners.advertised(broker)} if set_itself else set()
    for listener in listeners.parse(bound.text):
        if listener.host == _WILDCARD and listener.name in quorum - named:
            yield broker.finding(
                f"{broker} binds the controller listener to {listener} in Kafka 3.9.0",
                at=bound,
                breaks="Kafka 3.9.0 fails to start (KAFKA-18281); all other versions start",
                fix="use 3.9.1, or leave the host empty",
            )
            return
