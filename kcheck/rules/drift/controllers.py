"""KC18: what brokers and separate controllers of one cluster must have alike."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.cluster import Cluster, ClusterWithNodes
from kcheck.graph.nodes import Controller
from kcheck.graph.resolve import from_default
from kcheck.model import INFO, WARNING, Finding, Value
from kcheck.rule import CHANGED, rule
from kcheck.rules.drift.drift import shown
from kcheck.wording import plain

#: Read by the controller in KRaft mode when a topic is created (KIP-631).
_CONTROLLERS_OWN = (
    "num.partitions",
    "default.replication.factor",
    "create.topic.policy.class.name",
    "alter.config.policy.class.name",
)


#: What a topic's cross-key rules are validated with: on the controllers, by their own values.
_VALIDATED_WITH = (
    "remote.log.storage.system.enable",
    "log.cleaner.min.compaction.lag.ms",
    "log.cleaner.max.compaction.lag.ms",
)


#: Only tiered topics are validated with these.
_VALIDATED_TIERED = (
    "log.retention.ms",
    "log.retention.bytes",
    "log.local.retention.ms",
    "log.local.retention.bytes",
    "log.cleanup.policy",
)


def _controller(cluster: Cluster) -> Controller | None:
    """One of the separate controllers, whose files are meant to be alike."""
    return next(iter(cluster.separate_controllers), None)


@rule(
    "KC1802",
    "broker-only-ignored-defaults",
    WARNING,
    kafka=CHANGED,
    broker_side=True,
    invariants=(
        "broker-only-ignored-defaults",
        "auto-created-partitions",
        "config-resource-policies",
    ),
    claims=("S001-37", "S004-69"),
)
def broker_only_ignored_defaults(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A broker sets what is read on the controllers, which have another value.

    In KRaft mode the controller creates topics: num.partitions and default.replication.factor of a
    node with process.roles=broker hold for auto-created topics alone, those of the controllers for
    every other topic without counts of its own. Policies are asked on the controllers only. Where
    no file shows the controllers it is a remark, for the policies a warning.

    Bad:
        --- broker.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        default.replication.factor=3
        --- controller.properties
        process.roles=controller
        node.id=100
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
    Bad: a policy that nobody asks
        --- broker.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        create.topic.policy.class.name=com.example.Policy
    Good: alike on both
        --- broker.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        default.replication.factor=3
        --- controller.properties
        process.roles=controller
        node.id=100
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        default.replication.factor=3
    Good: what unknown controllers have too, unless they set it
        --- broker.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        num.partitions=1
    Good: broker and controller in one
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
        default.replication.factor=3
    """
    controller = _controller(cluster)
    if any("broker" in node.roles for node in cluster.controllers):
        return
    for key in _CONTROLLERS_OWN:
        for broker in cluster.brokers:
            value = broker[key]
            if broker.roles != ["broker"] or not value.written or not value.known:
                continue
            theirs = controller[key] if controller else None
            # Controllers that nobody knows are taken to have the default.
            default = from_default(key, value.resource, "broker", cluster.version)
            stock = theirs or default
            if not stock.known or stock.value == value.value:
                continue
            yield _ignored(cluster, value, theirs)
            break


def _ignored(cluster: Cluster, value: Value, theirs: Value | None) -> Finding:
    policy = value.key.endswith(".policy.class.name")
    if policy:
        breaks = "the policy is never asked: topics are created and altered without it"
    elif theirs is not None:
        breaks = (
            f"only auto-created topics get {value.text}; all others without a number of their own "
            f"get {theirs.text}"
        )
    else:
        breaks = (
            "only auto-created topics get it; all others without a number of their own get the "
            "controllers' value, which no file here shows"
        )
    told = (
        f"the controllers have {plain(theirs)}" if theirs is not None else "controllers read theirs"
    )
    return cluster.finding(
        f"{plain(value)} is set on brokers that are no controllers; {told}",
        at=value,
        because=(theirs,) if theirs is not None else (),
        breaks=breaks,
        fix=f"set {value.key} on the controllers, alike on all of them",
        severity=WARNING if policy or theirs is not None else INFO,
    )


@rule(
    "KC1803",
    "topic-validated-with-controller-defaults",
    WARNING,
    broker_side=True,
    invariants=("topic-validated-with-controller-defaults",),
)
def topic_validated_with_controller_defaults(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """Controllers validate topics with other values than the brokers have.

    In KRaft mode a topic is accepted or refused by the active controller's own log.cleaner lags,
    its own switch for tiered storage and, for tiered topics, its own retention. The brokers then
    use theirs without looking again: topics are refused that brokers could serve, or accepted in
    contradiction.

    Bad:
        --- broker.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        remote.log.storage.system.enable=true
        --- controller.properties
        process.roles=controller
        node.id=100
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
    Good: controllers hold no data, their retention is nobody's
        --- broker.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        log.retention.hours=72
        --- controller.properties
        process.roles=controller
        node.id=100
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
    """
    controller = _controller(cluster)
    if controller is None:
        return
    keys = list(_VALIDATED_WITH)
    if any(b["remote.log.storage.system.enable"].value is True for b in cluster.brokers):
        keys += _VALIDATED_TIERED
    for key in keys:
        for broker in cluster.brokers:
            here, there = broker[key], controller[key]
            if not (here.known and there.known) or here.value == there.value:
                continue
            yield cluster.finding(
                f"brokers have {shown(here)}, controllers validate topics with {shown(there)}",
                at=there if there.written else here,
                because=(here if there.written else there,),
                breaks="topics are refused though the brokers could serve them"
                if key == _VALIDATED_WITH[0]
                else "topics are accepted in contradiction to the brokers' values, or refused "
                "without one",
                fix=f"set {key} alike on brokers and controllers",
            )
            break


@rule(
    "KC1807",
    "elr-needs-min-isr",
    WARNING,
    kafka=CHANGED,
    broker_side=True,
    refs=("KIP-966",),
    invariants=("elr-needs-min-isr",),
    versions="4.1+",
)
def elr_needs_min_isr(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """The controllers have another min.insync.replicas than the brokers, and theirs holds.

    A cluster that was formatted by Kafka 4.1 or newer has eligible leader replicas: at its first
    start it freezes the controllers' min.insync.replicas as the value of the whole cluster, over
    what brokers have in their files. Later edits of either file have no effect.

    Bad:
        --- broker.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        min.insync.replicas=2
        --- controller.properties
        process.roles=controller
        node.id=100
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        --- kcheck.yaml
        cluster: {kafka_version: "4.1"}
    Good:
        --- broker.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        min.insync.replicas=2
        --- controller.properties
        process.roles=controller
        node.id=100
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        min.insync.replicas=2
        --- kcheck.yaml
        cluster: {kafka_version: "4.1"}
    Good: Kafka 3.9 has no such replicas
        --- broker.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        min.insync.replicas=2
        --- controller.properties
        process.roles=controller
        node.id=100
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        --- kcheck.yaml
        cluster: {kafka_version: "3.9"}
    """
    controller = _controller(cluster)
    if controller is None or cluster.version.below("4.1"):
        return
    there = controller["min.insync.replicas"]
    for broker in cluster.brokers:
        here = broker["min.insync.replicas"]
        if not (here.known and there.known) or here.value == there.value:
            continue
        yield cluster.finding(
            f"brokers have {plain(here)}, controllers {plain(there)}",
            at=there if there.written else here,
            because=(here if there.written else there,),
            breaks=f"on a cluster formatted with Kafka 4.1 or newer {there.text} holds for all "
            "topics without a value of their own",
            fix="set min.insync.replicas alike on brokers and controllers before the first start; "
            "afterwards only cluster-wide with kafka-configs --entity-default",
        )
        return
