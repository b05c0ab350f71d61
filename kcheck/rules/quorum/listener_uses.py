"""KC11: which listeners may be advertised, start early or be the inter-broker listener in KRaft mode."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.listeners import addresses
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ERROR, Finding
from kcheck.refusal import refused
from kcheck.rule import REFUSED, rule
from kcheck.rules.quorum.controller_listeners import roles_of
from kcheck.wording import plain

_NAMES = "controller.listener.names"


_STOPS = "the node fails to start"


@rule(
    "KC1113",
    "controller-listener-not-inter-broker",
    ERROR,
    kafka=REFUSED,
    on=("inter.broker.listener.name",),
    invariants=("controller-listener-not-inter-broker",),
    versions="controllers alone: 4.0+",
)
def controller_listener_not_inter_broker(broker: Controller) -> Iterator[Finding]:
    """inter.broker.listener.name is a controller listener.

    On a node with the broker role this is rejected because the listener is not advertised; from 4.0 on
    Kafka rejects it on a controller-only node as well.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.0"}
        --- server.properties
        node.id=1
        process.roles=controller
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        inter.broker.listener.name=CONTROLLER
        listener.security.protocol.map=CONTROLLER:PLAINTEXT
    Good:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.0"}
        --- server.properties
        node.id=1
        process.roles=controller
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        inter.broker.listener.name=PLAINTEXT
        listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
    """
    value = broker["inter.broker.listener.name"]
    if roles_of(broker) != {"controller"} or value.text is None:
        return
    refusal = refused(broker.version, f"{_STOPS}: it must not be a controller listener", "4.0")
    if refusal is None or value.text.upper() not in addresses(broker).quorum:
        return
    severity, breaks = refusal
    yield broker.finding(
        f"{broker}: {plain(value)} is a controller listener",
        at=value,
        because=(broker[_NAMES],),
        breaks=breaks,
        fix="name the inter-broker listener of the brokers, or remove the key from controllers",
        severity=severity,
    )


@rule(
    "KC1114",
    "control-plane-listener-kraft",
    ERROR,
    kafka=REFUSED,
    on=("control.plane.listener.name",),
    invariants=("control-plane-listener-kraft",),
    versions="3.1–3.9; ignored from 4.0 on",
)
def control_plane_listener_kraft(broker: Broker | Controller) -> Iterator[Finding]:
    """control.plane.listener.name is set in KRaft mode.

    control.plane.listener.name is for ZooKeeper mode only.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9"}
        --- server.properties
        node.id=1
        process.roles=broker
        controller.quorum.voters=9@k9:9093
        controller.listener.names=CONTROLLER
        control.plane.listener.name=PLAINTEXT
    Good: ZooKeeper mode
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9"}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://:9092,SSL://:9093
        control.plane.listener.name=SSL
    """
    value = broker["control.plane.listener.name"]
    refusal = refused(
        broker.version, f"{_STOPS}: the key is not supported in KRaft mode", "3.1", "4.0"
    )
    if refusal is None or not roles_of(broker) or value.text is None:
        return
    severity, breaks = refusal
    yield broker.finding(
        f"{broker} has {plain(value)} in KRaft mode",
        at=value,
        because=(broker["process.roles"],),
        breaks=breaks,
        fix="remove it",
        severity=severity,
    )


@rule(
    "KC1116",
    "advertised-on-controller-only",
    ERROR,
    kafka=REFUSED,
    on=("advertised.listeners",),
    invariants=("advertised-on-controller-only",),
    versions="3.1–3.8",
)
def advertised_on_controller_only(broker: Controller) -> Iterator[Finding]:
    """A controller-only node advertises listeners.

    Up to 3.8 Kafka rejects advertised.listeners on a controller; from 3.9 on a dynamic quorum requires
    it.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.8"}
        --- server.properties
        node.id=1
        process.roles=controller
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        advertised.listeners=CONTROLLER://k1:9093
    Good:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9"}
        --- server.properties
        node.id=1
        process.roles=controller
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        advertised.listeners=CONTROLLER://k1:9093
    Good: controller.quorum.bootstrap.servers implies 3.9 or later
        --- server.properties
        node.id=1
        process.roles=controller
        controller.quorum.bootstrap.servers=k1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        advertised.listeners=CONTROLLER://k1:9093
    """
    value = broker["advertised.listeners"]
    refusal = refused(
        broker.version, f"{_STOPS}: the key must be empty on a controller", "3.1", "3.9"
    )
    if refusal is None or roles_of(broker) != {"controller"}:
        return
    severity, breaks = refusal
    yield broker.finding(
        f"{broker} advertises {value.text}, but has {plain(broker['process.roles'])}",
        at=value,
        because=(broker["process.roles"],),
        breaks=breaks,
        fix="remove advertised.listeners from controllers",
        severity=severity,
    )


@rule(
    "KC1117",
    "advertised-no-controller-names",
    ERROR,
    kafka=REFUSED,
    on=("advertised.listeners",),
    invariants=("advertised-no-controller-names",),
    versions="3.1–3.8",
)
def advertised_no_controller_names(broker: Broker) -> Iterator[Finding]:
    """A broker advertises a controller listener.

    Up to 3.8 Kafka rejects this; from 3.9 on other nodes find a combined node of a dynamic quorum
    by it.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.8"}
        --- server.properties
        node.id=1
        process.roles=broker,controller
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
        advertised.listeners=PLAINTEXT://k1:9092,CONTROLLER://k1:9093
    Good:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.8"}
        --- server.properties
        node.id=1
        process.roles=broker,controller
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
        advertised.listeners=PLAINTEXT://k1:9092
    Good: controller.quorum.bootstrap.servers implies 3.9 or later
        --- server.properties
        node.id=1
        process.roles=broker,controller
        controller.quorum.bootstrap.servers=k1:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
        advertised.listeners=PLAINTEXT://k1:9092,CONTROLLER://k1:9093
    """
    found = addresses(broker)
    value = broker["advertised.listeners"]
    both = [one.name for one in found.advertised if one.name in found.quorum]
    since = "3.0" if broker.roles == ["broker"] else "3.1"
    refusal = refused(
        broker.version, f"{_STOPS}: only broker listeners may be advertised", since, "3.9"
    )
    if refusal is None or "broker" not in broker.roles or not both:
        return
    severity, breaks = refusal
    yield broker.finding(
        f"{broker} advertises the controller listener {both[0]}",
        at=value,
        because=(broker[_NAMES],),
        breaks=breaks,
        fix=f"remove {both[0]} from advertised.listeners",
        severity=severity,
    )


@rule(
    "KC1119",
    "early-start-listeners",
    ERROR,
    kafka=REFUSED,
    on=("early.start.listeners",),
    refs=("KIP-801",),
    invariants=("early-start-listeners",),
    versions="3.3+",
)
def early_start_listeners(broker: Broker | Controller) -> Iterator[Finding]:
    """early.start.listeners names a listener that the node does not have.

    Its entries must be in listeners, in upper case as Kafka converts them. A broker-only node does not
    have the controller listener.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9"}
        --- server.properties
        node.id=1
        process.roles=broker
        controller.quorum.voters=9@k9:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092
        early.start.listeners=CONTROLLER
    Good:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9"}
        --- server.properties
        node.id=1
        process.roles=broker,controller
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
        early.start.listeners=CONTROLLER
    """
    found = addresses(broker)
    value, bound = broker["early.start.listeners"], broker["listeners"]
    if value.text is None or not found.listeners:
        return
    if not bound.written and not broker.whole:
        return
    names = [name for name in map(str.strip, value.text.split(",")) if name]
    strangers = [name for name in names if name not in found.names]
    refusal = refused(broker.version, f"{_STOPS}: each entry must be one of listeners", "3.3")
    if refusal is None or not strangers:
        return
    severity, breaks = refusal
    yield broker.finding(
        f"{broker}: early.start.listeners names {strangers[0]}, but listeners does not",
        at=value,
        because=(bound,),
        breaks=breaks,
        fix="name only listeners of this node, in upper case",
        severity=severity,
    )
