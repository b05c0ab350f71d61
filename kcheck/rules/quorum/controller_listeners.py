"""KC11: controller listeners, and the nodes that bind them."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.listeners import addresses
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ABSENT, ERROR, Finding, Value
from kcheck.refusal import refused
from kcheck.rule import REFUSED, rule
from kcheck.wording import plain

_NAMES = "controller.listener.names"


_STOPS = "the node fails to start"


def roles_of(broker: Broker) -> frozenset[str]:
    """The roles; empty in ZooKeeper mode and where they are unknown."""
    return frozenset(broker.roles) - {""}


@rule(
    "KC1109",
    "controller-listener-names-present",
    ERROR,
    kafka=REFUSED,
    on=("process.roles",),
    invariants=("controller-listener-names-present",),
    versions="3.0: controllers; 3.1+: brokers too",
)
def controller_listener_names_present(broker: Broker | Controller) -> Iterator[Finding]:
    """A KRaft node has no controller.listener.names.

    controller.listener.names defines which listeners of a controller serve the quorum, and with which
    protocol a broker connects to it. There is no default.

    Bad:
        --- server.properties
        node.id=1
        process.roles=broker
        controller.quorum.voters=9@k9:9093
        log.dirs=/data/kafka
    Good:
        --- server.properties
        node.id=1
        process.roles=broker
        controller.quorum.voters=9@k9:9093
        controller.listener.names=CONTROLLER
        log.dirs=/data/kafka
    Bad: a variable replaces the whole configuration of the image
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.0
            environment: {KAFKA_PROCESS_ROLES: broker, KAFKA_NODE_ID: 1}
    Good: without variables the configuration of the image applies
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.0
    Good: the image sets it
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.6
            environment: {KAFKA_CFG_PROCESS_ROLES: broker, KAFKA_CFG_NODE_ID: 1}
    """
    names, roles = broker[_NAMES], broker["process.roles"]
    if not roles_of(broker) or (names.written and not _empty(names, broker)):
        return
    if not broker.whole:
        return
    since = "3.0" if "controller" in broker.roles else "3.1"
    refusal = refused(
        broker.version, f"{_STOPS}: {_NAMES} must name the controller listener", since
    )
    if refusal is None:
        return
    severity, breaks = refusal
    yield broker.finding(
        f"{broker} has {plain(roles)}, but "
        + (f"an empty {_NAMES}" if names.written else f"no {_NAMES}"),
        at=names if names.written else roles,
        because=(roles,) if names.written else (Value(_NAMES, broker.resource, ABSENT),),
        breaks=breaks,
        fix=f"set {_NAMES} to the name of the controller listener, such as CONTROLLER",
        severity=severity,
    )


def _empty(names: Value, broker: Controller) -> bool:
    """Whether the list is empty: up to 4.0 commas alone are an empty list as well."""
    commas = names.text is not None and not names.text.strip(",")
    return names.text == "" or (commas and broker.version.below("4.1"))


@rule(
    "KC1110",
    "controller-listener-not-on-broker",
    ERROR,
    kafka=REFUSED,
    on=("listeners", _NAMES),
    invariants=("controller-listener-not-on-broker",),
    versions="3.1+",
)
def controller_listener_not_on_broker(broker: Broker) -> Iterator[Finding]:
    """A broker-only node binds a controller listener.

    Bad:
        --- server.properties
        node.id=1
        process.roles=broker
        controller.quorum.voters=9@k9:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
    Good:
        --- server.properties
        node.id=1
        process.roles=broker
        controller.quorum.voters=9@k9:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092
    """
    found = addresses(broker)
    bound = broker["listeners"]
    both = [name for name in found.names if name in found.quorum]
    if broker.roles != ["broker"] or not both:
        return
    if not bound.written and not broker.whole:
        return
    refusal = refused(
        broker.version, f"{_STOPS}: only a controller may bind a controller listener", "3.1"
    )
    if refusal is None:
        return
    severity, breaks = refusal
    yield broker.finding(
        f"{broker} has {plain(broker['process.roles'])}, but binds the controller listener {both[0]}",
        at=bound,
        because=(broker[_NAMES], broker["process.roles"]),
        breaks=breaks,
        fix=f"remove {both[0]} from listeners"
        if bound.written
        else f"set listeners without {both[0]}",
        severity=severity,
    )


@rule(
    "KC1111",
    "controller-listener-in-listeners",
    ERROR,
    kafka=REFUSED,
    on=(_NAMES,),
    invariants=("controller-listener-in-listeners", "controller-listener-name-text"),
    versions="3.0: one of them; 3.1+: all",
)
def controller_listener_in_listeners(broker: Controller) -> Iterator[Finding]:
    """A controller listener is missing from the listeners of the controller.

    Every name in controller.listener.names must be in listeners. Kafka converts the names in listeners
    to upper case, but not those in controller.listener.names: a lower-case name matches none.

    Bad:
        --- server.properties
        node.id=1
        process.roles=broker,controller
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092
    Bad: in lower case
        --- server.properties
        node.id=1
        process.roles=controller
        controller.quorum.voters=1@k1:9093
        controller.listener.names=controller
        listeners=controller://:9093
    Good:
        --- server.properties
        node.id=1
        process.roles=controller
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=controller://:9093
    Bad: the image assembles listeners from the advertised ones alone
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.0
            environment:
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
    Good: the image assembles the listeners
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.9
            environment:
              KAFKA_CFG_PROCESS_ROLES: broker,controller
              KAFKA_CFG_CONTROLLER_LISTENER_NAMES: CONTROLLER
    """
    found = addresses(broker)
    names, bound = broker[_NAMES], broker["listeners"]
    if not found.listeners or (not bound.written and not broker.whole):
        return
    missing = [name for name in found.quorum if name not in found.names]
    if not missing:
        return
    since = "3.0" if len(missing) == len(found.quorum) else "3.1"
    refusal = refused(
        broker.version, f"{_STOPS}: the controller listener must be one of listeners", since
    )
    if refusal is None:
        return
    severity, breaks = refusal
    spelt = missing[0].strip().upper() in found.names
    yield broker.finding(
        f"{broker} has no listener {missing[0]}"
        + f", but {_NAMES} lists it"
        + (" in this spelling" if spelt else ""),
        at=names,
        because=(bound, broker["process.roles"]),
        breaks=breaks,
        fix=f"write {missing[0].strip().upper()} in {_NAMES}"
        if spelt
        else f"add {missing[0]}://:9093 to listeners",
        severity=severity,
    )


@rule(
    "KC1112",
    "controller-only-listeners",
    ERROR,
    kafka=REFUSED,
    on=("process.roles",),
    invariants=("controller-only-listeners",),
    versions="3.1+",
)
def controller_only_listeners(broker: Controller) -> Iterator[Finding]:
    """A controller-only node has a listener that is not in controller.listener.names.

    This includes the default, PLAINTEXT://:9092, so a controller must set listeners. 3.9 and 4.0
    report the same error for a list that names a listener twice.

    Bad:
        --- server.properties
        node.id=1
        process.roles=controller
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093,PLAINTEXT://:9092
    Bad: the default of listeners
        --- server.properties
        node.id=1
        process.roles=controller
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
    Good:
        --- server.properties
        node.id=1
        process.roles=controller
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
    """
    found = addresses(broker)
    bound = broker["listeners"]
    if roles_of(broker) != {"controller"} or not found.quorum:
        return
    if not bound.written and not broker.whole:
        return
    others = [name for name in found.names if name not in found.quorum]
    if not others:
        yield from _named_twice(broker, found.quorum)
        return
    refusal = refused(
        broker.version,
        f"{_STOPS}: a controller-only node may bind controller listeners only",
        "3.1",
    )
    if refusal is None:
        return
    severity, breaks = refusal
    yield broker.finding(
        f"{broker} has {'' if bound.written else 'the default '}listener {others[0]}, but "
        f"{plain(broker[_NAMES])}",
        at=bound if bound.written else broker["process.roles"],
        because=(broker[_NAMES],),
        breaks=breaks,
        fix=f"remove {others[0]} from listeners"
        if bound.written
        else f"set listeners={found.quorum[0]}://:9093",
        severity=severity,
    )


def _named_twice(broker: Controller, names: list[str]) -> Iterator[Finding]:
    """3.9 and 4.0 count a listener as often as it is named, and so miss one; 4.1 removes duplicates."""
    version = broker.version
    if len({*names}) < len(names) and version.at_least("3.9") and version.below("4.1"):
        yield broker.finding(
            f"{broker}: {plain(broker[_NAMES])} names a listener twice",
            at=broker[_NAMES],
            because=(broker["process.roles"],),
            breaks=f"{_STOPS}: it counts fewer listeners than names",
            fix=f"name each listener once in {_NAMES}",
        )


@rule(
    "KC1115",
    "controller-names-empty-in-zk",
    ERROR,
    kafka=REFUSED,
    on=(_NAMES,),
    invariants=("controller-names-empty-in-zk",),
    versions="3.1–3.9",
)
def controller_names_empty_in_zk(broker: Broker) -> Iterator[Finding]:
    """controller.listener.names is set on a broker in ZooKeeper mode.

    The key is for KRaft mode and for the migration to it.

    Bad:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        controller.listener.names=CONTROLLER
        log.dirs=/data/kafka
    Good: during the migration to KRaft
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        controller.listener.names=CONTROLLER
        controller.quorum.voters=9@k9:9093
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
        zookeeper.metadata.migration.enable=true
        log.dirs=/data/kafka
    """
    names, migrates = broker[_NAMES], broker["zookeeper.metadata.migration.enable"]
    refusal = refused(
        broker.version, f"{_STOPS}: {_NAMES} must be empty in ZooKeeper mode", "3.1", "4.0"
    )
    if refusal is None or broker.kraft is not False or not (names.text or "").strip(", "):
        return
    if migrates.written and (migrates.value is True or not migrates.known):
        return
    if broker.resource.managed:
        return
    severity, breaks = refusal
    yield broker.finding(
        f"{broker} has {plain(names)} in ZooKeeper mode ({plain(broker['zookeeper.connect'])})",
        at=names,
        because=(broker["zookeeper.connect"],),
        breaks=breaks,
        fix=f"remove {_NAMES}, or set process.roles for KRaft mode",
        severity=severity,
    )
