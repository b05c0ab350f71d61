"""KC10: listeners, and what is advertised."""

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

    Kafka refuses that, whatever their hosts, except for a pair of one IPv4 and one IPv6 address from
    3.6 on.

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
            breaks="Kafka refuses to start: each listener must have a different port",
            fix="give every listener a port of its own",
        )
        return


#: A host name or all addresses are of no family.
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
    refuses both together, even where they agree or one is empty.

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
    Good: a dump of the whole configuration, defaults and all
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
    # A dump of all values shows defaults that nobody has set.
    if broker.resource.traits.dump:
        return
    name, spoken = broker["inter.broker.listener.name"], broker["security.inter.broker.protocol"]
    # An image that may set one of them knows of the other.
    if any(
        value.text is None and value.setting in broker.resource.image.values()
        for value in (name, spoken)
    ):
        return
    yield broker.finding(
        f"{broker} sets both {plain(name)} and {plain(spoken)}",
        at=spoken,
        because=(name,),
        breaks="Kafka refuses to start (ConfigException): only one of the two may be set",
        fix="remove security.inter.broker.protocol: the protocol map gives the listener's protocol",
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
    """The listener between brokers is not advertised.

    Brokers find each other by the advertised address of inter.broker.listener.name, or of the
    listener that is named like security.inter.broker.protocol (PLAINTEXT by default). Custom names
    without either key therefore fail: Kafka refuses to start.

    Bad: custom names, and none chosen
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=INTERNAL://:9093,PUBLIC://:9092
        advertised.listeners=INTERNAL://k1:9093,PUBLIC://k1.example.com:9092
        listener.security.protocol.map=INTERNAL:PLAINTEXT,PUBLIC:PLAINTEXT
    Bad: chosen, but not advertised
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
    Good: the protocol's own name
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://:9092,SSL://:9093
    Good: a node of a quorum whose role nobody tells may be a controller alone
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
    # A broker that says nothing of listeners has one, on port 9092.
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
        f"{broker} talks to other brokers by listener {str(chosen.value).upper()}"
        + ("" if name.written else " (by security.inter.broker.protocol)")
        + f", and advertises {', '.join(sorted(names)) or 'none'}",
        at=at,
        because=rest,
        breaks="Kafka refuses to start: inter.broker.listener.name must be a listener name defined in "
        "advertised.listeners",
        fix=f"set inter.broker.listener.name to one of {', '.join(sorted(names))}"
        if names
        else "advertise the listener",
    )


@rule(
    "KC1006",
    "advertised-not-wildcard",
    ERROR,
    kafka=REFUSED,
    on=("listeners", "advertised.listeners"),
    refs=("KAFKA-18281",),
    invariants=("advertised-not-wildcard",),
    versions="the controller's listener: refused in 3.9.0 alone",
)
def advertised_not_wildcard(broker: Broker | Controller) -> Iterator[Finding]:
    """0.0.0.0 is advertised to clients.

    0.0.0.0 means "all addresses of this machine" and is no address to connect to. Kafka refuses it in
    advertised.listeners, and in listeners where nothing is advertised. A controller's listener may
    stand on it, except in 3.9.0.

    Bad:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://0.0.0.0:9092
        advertised.listeners=PLAINTEXT://0.0.0.0:9092
    Bad: listeners are advertised where nothing else is
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://0.0.0.0:9092
    Bad: 3.9.0 refuses it for the controller
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
    # An image or an operator works out what to advertise by itself.
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
            breaks="Kafka refuses to start: advertised.listeners cannot use the nonroutable "
            "meta-address 0.0.0.0",
            fix="advertise a name or address that clients and brokers reach",
        )
        return
    if not broker.version.is_patch("3.9.0"):
        return
    named = {listener.name for listener in listeners.advertised(broker)} if set_itself else set()
    for listener in listeners.parse(bound.text):
        if listener.host == _WILDCARD and listener.name in quorum - named:
            yield broker.finding(
                f"{broker} binds the controller's listener to {listener} in Kafka 3.9.0",
                at=bound,
                breaks="Kafka 3.9.0 refuses to start (KAFKA-18281); all other versions do",
                fix="use 3.9.1, or leave the host empty",
            )
            return
