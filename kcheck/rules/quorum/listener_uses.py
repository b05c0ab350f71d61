"""KC11: which listeners KRaft lets be advertised, start early or serve between the nodes."""

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


_BOOTSTRAP = "controller.quorum.bootstrap.servers"


_STOPS = "Kafka refuses to start"


def _dynamic(broker: Broker) -> bool:
    """Whether a node whose version nobody tells has what 3.9 brought with dynamic quorums."""
    return not broker.version.known and broker.sets(_BOOTSTRAP)


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
    """Brokers would talk to each other over the controllers' listener.

    On a node with the broker role that is refused because the listener is not advertised; from 4.0 on
    Kafka refuses it on a controller alone as well.

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
    told = refused(broker.version, f"{_STOPS}: the two must be different", "4.0")
    if told is None or value.text.upper() not in addresses(broker).quorum:
        return
    severity, breaks = told
    yield broker.finding(
        f"{broker}: {plain(value)} is the controllers' listener",
        at=value,
        because=(broker[_NAMES],),
        breaks=breaks,
        fix="name the brokers' own listener, or remove the key from controllers",
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
    """A control plane listener in KRaft mode.

    control.plane.listener.name belongs to ZooKeeper mode.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9"}
        --- server.properties
        node.id=1
        process.roles=broker
        controller.quorum.voters=9@k9:9093
        controller.listener.names=CONTROLLER
        control.plane.listener.name=PLAINTEXT
    Good: with ZooKeeper
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9"}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://:9092,SSL://:9093
        control.plane.listener.name=SSL
    """
    value = broker["control.plane.listener.name"]
    told = refused(broker.version, f"{_STOPS}: it is not supported in KRaft mode", "3.1", "4.0")
    if told is None or not roles_of(broker) or value.text is None:
        return
    severity, breaks = told
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
    """A node that is a controller alone advertises listeners.

    Up to 3.8 a controller has nothing to advertise, and Kafka refuses the key; from 3.9 on a dynamic
    quorum needs it.

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
    Good: the key of a dynamic quorum tells that it is 3.9 or newer
        --- server.properties
        node.id=1
        process.roles=controller
        controller.quorum.bootstrap.servers=k1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        advertised.listeners=CONTROLLER://k1:9093
    """
    value = broker["advertised.listeners"]
    told = refused(broker.version, f"{_STOPS}: it must be empty on a controller", "3.1", "3.9")
    if told is None or roles_of(broker) != {"controller"} or _dynamic(broker):
        return
    severity, breaks = told
    yield broker.finding(
        f"{broker} advertises {value.text}, and has {plain(broker['process.roles'])}",
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
    """A broker advertises the controllers' listener.

    Up to 3.8 that is refused; from 3.9 on it is how a combined node of a dynamic quorum is found.

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
    Good: the key of a dynamic quorum tells that it is 3.9 or newer
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
    told = refused(
        broker.version, f"{_STOPS}: only brokers' listeners are advertised", since, "3.9"
    )
    if told is None or "broker" not in broker.roles or not both or _dynamic(broker):
        return
    severity, breaks = told
    yield broker.finding(
        f"{broker} advertises {both[0]}, the controllers' listener",
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

    early.start.listeners names some of listeners, in upper case as Kafka writes them. On a node that
    is a broker alone the controllers' listener is not among them.

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
    told = refused(broker.version, f"{_STOPS}: it must be one of listeners", "3.3")
    if told is None or not strangers:
        return
    severity, breaks = told
    yield broker.finding(
        f"{broker}: early.start.listeners names {strangers[0]}, and listeners does not",
        at=value,
        because=(bound,),
        breaks=breaks,
        fix="name only listeners of this node, as they are written in upper case",
        severity=severity,
    )
