"""KC11: the roles of a node and its controller quorum."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ABSENT, ERROR, Finding, Value
from kcheck.refusal import refused
from kcheck.rule import REFUSED, rule
from kcheck.rules.shared.completeness import operated
from kcheck.wording import plain

_VOTERS = "controller.quorum.voters"


_BOOTSTRAP = "controller.quorum.bootstrap.servers"


STOPS = "the node fails to start"


_ID = re.compile(r"-?\d{1,10}")


@rule(
    "KC1105",
    "process-roles-required",
    ERROR,
    kafka=REFUSED,
    refs=("KIP-833",),
    invariants=("process-roles-valid",),
    versions="4.0+",
)
def process_roles_required(broker: Broker) -> Iterator[Finding]:
    """process.roles is missing with Kafka 4.

    Kafka 4 has no ZooKeeper mode: process.roles has no default, and a node with an older file fails
    to start. The cluster must be migrated to KRaft with Kafka 3.9 at the latest.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.0"}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
    Good:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.0"}
        --- server.properties
        node.id=1
        process.roles=broker
        controller.quorum.voters=9@k9:9093
        controller.listener.names=CONTROLLER
    Good: an older version
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9"}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
    """
    if broker.sets("process.roles") or not broker.version.at_least("4.0") or not broker.whole:
        return
    absent, zookeeper = Value("process.roles", broker.resource, ABSENT), broker["zookeeper.connect"]
    moves = zookeeper.setting is not None
    yield broker.finding(
        f"{broker} has no process.roles with Kafka {broker.version}",
        at=zookeeper if moves else absent,
        because=(absent,) if moves else (),
        breaks=f"{STOPS}: process.roles is missing and has no default",
        fix="migrate the cluster to KRaft with Kafka 3.9 first" if moves else "set process.roles",
    )


@rule(
    "KC1106",
    "quorum-endpoints-present",
    ERROR,
    kafka=REFUSED,
    on=("process.roles",),
    refs=("KIP-853",),
    invariants=("quorum-endpoints-present",),
    versions="3.0–3.8: the voters; 3.9+: one of the two",
)
def quorum_endpoints_present(broker: Broker | Controller) -> Iterator[Finding]:
    """A KRaft node has no controller quorum configured.

    A node finds its quorum by controller.quorum.voters, or from 3.9 on by
    controller.quorum.bootstrap.servers. An empty value counts as not set.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9"}
        --- server.properties
        node.id=1
        process.roles=broker
        controller.listener.names=CONTROLLER
        log.dirs=/data/kafka
    Bad: controller.quorum.bootstrap.servers before 3.9
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.8"}
        --- server.properties
        node.id=1
        process.roles=broker
        controller.quorum.bootstrap.servers=k9:9093
        controller.listener.names=CONTROLLER
    Good:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9"}
        --- server.properties
        node.id=1
        process.roles=broker
        controller.quorum.bootstrap.servers=k9:9093
        controller.listener.names=CONTROLLER
    Good: part of a file
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9"}
        --- broker.properties
        process.roles=broker
        controller.listener.names=CONTROLLER
    """
    owner, version = broker.resource, broker.version
    voters, bootstrap = broker[_VOTERS], broker[_BOOTSTRAP]
    if not any(broker.roles) or operated(broker):
        return
    if may_have_value(voters) or (may_have_value(bootstrap) and not version.below("3.9")):
        return
    if not _complete(broker, voters, bootstrap):
        return
    refusal = refused(version, f"{STOPS}: it finds no controller quorum", "3.0")
    if refusal is None:
        return
    severity, breaks = refusal
    early = bootstrap.written and version.below("3.9")
    at = bootstrap if early else voters if voters.written else broker["process.roles"]
    yield broker.finding(
        f"{broker} has {plain(broker['process.roles'])}, but no {_VOTERS}"
        + (f"; {_BOOTSTRAP} is supported from 3.9 on" if early else ""),
        at=at,
        because=() if at is voters else (Value(_VOTERS, owner, ABSENT),),
        breaks=breaks,
        fix=f"set {_VOTERS}"
        + ("" if version.below("3.9") else f" or {_BOOTSTRAP}")
        + " to the controllers",
        severity=severity,
    )


def may_have_value(value: Value) -> bool:
    """Whether the key has a value, or may have one that is unknown here."""
    return value.text != ""


def _complete(broker: Broker, *given: Value) -> bool:
    """Whether the file is complete: it sets the key, or the node's id and its directories or listeners."""
    if any(value.written for value in given):
        return True
    identity = broker.sets("node.id") or broker.sets("broker.id")
    return identity and any(broker.sets(key) for key in ("log.dirs", "log.dir", "listeners"))


@rule(
    "KC1107",
    "controller-in-voters",
    ERROR,
    kafka=REFUSED,
    on=(_VOTERS,),
    invariants=("controller-in-voters",),
    versions="3.0+",
)
def controller_in_voters(broker: Controller) -> Iterator[Finding]:
    """A controller is not one of the voters.

    In a static quorum controller.quorum.voters lists every node with the controller role by its
    node.id.

    Bad:
        --- server.properties
        node.id=4
        process.roles=controller
        controller.quorum.voters=1@k1:9093,2@k2:9093,3@k3:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
    Good:
        --- server.properties
        node.id=3
        process.roles=controller
        controller.quorum.voters=1@k1:9093,2@k2:9093,3@k3:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
    Good: a dynamic quorum has no such list
        --- server.properties
        node.id=4
        process.roles=controller
        controller.quorum.bootstrap.servers=k1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
    """
    voters, identity = broker[_VOTERS], broker["node.id"]
    ids = voter_ids(voters.text)
    if not ids or not identity.number >= 0:
        return
    refusal = refused(broker.version, f"{STOPS}: a controller must be one of the voters", "3.0")
    if refusal is None or identity.number in ids:
        return
    severity, breaks = refusal
    yield broker.finding(
        f"{broker.resource.kind} {broker.name} with {plain(identity)} is not one of the voters "
        + ", ".join(map(str, sorted(ids))),
        at=voters,
        because=(identity, broker["process.roles"]),
        breaks=breaks,
        fix=f"add {int(identity.number)}@HOST:PORT to {_VOTERS} on all nodes, or correct node.id",
        severity=severity,
    )


def voter_ids(text: str | None) -> set[int]:
    """The ids in a list of voters; empty where one of them cannot be read."""
    found: set[int] = set()
    for entry in (text or "").split(","):
        voter = entry.strip().partition("@")[0]
        if not _ID.fullmatch(voter):
            return set()
        found.add(int(voter))
    return found


@rule(
    "KC1108",
    "broker-not-in-voters",
    ERROR,
    kafka=REFUSED,
    on=(_VOTERS,),
    invariants=("broker-not-in-voters",),
    versions="3.0+",
)
def broker_not_in_voters(broker: Broker) -> Iterator[Finding]:
    """A broker-only node is one of the voters.

    The voters are the controllers. A broker must have a different id.

    Bad:
        --- server.properties
        node.id=1
        process.roles=broker
        controller.quorum.voters=1@k1:9093,2@k2:9093,3@k3:9093
        controller.listener.names=CONTROLLER
    Good:
        --- server.properties
        node.id=11
        process.roles=broker
        controller.quorum.voters=1@k1:9093,2@k2:9093,3@k3:9093
        controller.listener.names=CONTROLLER
    """
    voters, identity = broker[_VOTERS], broker["node.id"]
    if broker.roles != ["broker"]:
        return
    refusal = refused(broker.version, f"{STOPS}: a broker-only node must not be a voter", "3.0")
    if refusal is None or identity.number not in voter_ids(voters.text):
        return
    severity, breaks = refusal
    yield broker.finding(
        f"{broker} with {plain(identity)} is one of the voters, but has "
        f"{plain(broker['process.roles'])}",
        at=identity,
        because=(voters, broker["process.roles"]),
        breaks=breaks,
        fix="give the broker a different id, or add controller to process.roles",
        severity=severity,
    )


@rule(
    "KC1118",
    "auto-join-only-controllers",
    ERROR,
    kafka=REFUSED,
    on=("controller.quorum.auto.join.enable",),
    refs=("KIP-1186",),
    invariants=("auto-join-only-controllers",),
    versions="4.2+",
)
def auto_join_only_controllers(broker: Broker) -> Iterator[Finding]:
    """controller.quorum.auto.join.enable is set on a node without the controller role.

    The key adds a controller to the voters of a dynamic quorum. Kafka rejects it on a node without the
    controller role.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.2"}
        --- server.properties
        node.id=11
        process.roles=broker
        controller.quorum.bootstrap.servers=k1:9093
        controller.listener.names=CONTROLLER
        controller.quorum.auto.join.enable=true
    Good:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.2"}
        --- server.properties
        node.id=11
        process.roles=broker
        controller.quorum.bootstrap.servers=k1:9093
        controller.listener.names=CONTROLLER
        controller.quorum.auto.join.enable=false
    """
    value = broker["controller.quorum.auto.join.enable"]
    refusal = refused(broker.version, f"{STOPS}: only a controller can join the quorum", "4.2")
    if refusal is None or value.value is not True or broker.roles != ["broker"]:
        return
    severity, breaks = refusal
    yield broker.finding(
        f"{broker} has {plain(value)}, but {plain(broker['process.roles'])}",
        at=value,
        because=(broker["process.roles"],),
        breaks=breaks,
        fix="remove it from nodes without the controller role",
        severity=severity,
    )
