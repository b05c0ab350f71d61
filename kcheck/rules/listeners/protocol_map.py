"""KC10: listener.security.protocol.map, against the names of the listeners."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph import listeners
from kcheck.graph.listeners import addresses
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ERROR, WARNING, Finding, Value
from kcheck.refusal import refused
from kcheck.rule import REFUSED, rule
from kcheck.rules.listeners.listener_lists import LISTS, MAP


@rule(
    "KC1009",
    "listener-protocol-map-complete",
    ERROR,
    kafka=REFUSED,
    on=(*LISTS, MAP, "inter.broker.listener.name", "control.plane.listener.name"),
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
    value = broker[MAP]
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
            fix=f"add {name}:PROTOCOL to {MAP}",
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
    on=(MAP,),
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
    value = broker[MAP]
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
                f"{broker}: {MAP} {wrong}",
                at=value,
                breaks=breaks,
                fix="write NAME:PROTOCOL, with one of the protocols "
                + ", ".join(listeners.PROTOCOLS),
                severity=severity,
            )
            return
