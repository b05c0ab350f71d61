"""KC18: settings that brokers and separate controllers of one cluster must share."""

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


#: The keys with which controllers validate topics, by their own values.
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
    """One of the separate controllers, whose files are expected to be the same."""
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
)
def broker_only_ignored_defaults(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A broker sets a key that only the controllers read, and they have another value.

    In KRaft mode the controller creates topics: num.partitions and default.replication.factor of a
    node with process.roles=broker apply to auto-created topics only, those of the controllers to
    every other topic that does not set them. Policies are evaluated on the controllers only. Where no
    file shows the controllers it is an info, for the policies a warning.

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
    Bad: a policy that is never evaluated
        --- broker.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        create.topic.policy.class.name=com.example.Policy
    Good: the same on both
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
    Good: the default, which unknown controllers have too
        --- broker.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        num.partitions=1
    Good: a combined node
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
            # Unknown controllers are assumed to have the default.
            default = from_default(key, value.resource, "broker", cluster.version)
            stock = theirs or default
            if not stock.known or stock.value == value.value:
                continue
            yield _ignored(cluster, value, theirs)
            break


def _ignored(cluster: Cluster, value: Value, theirs: Value | None) -> Finding:
    policy = value.key.endswith(".policy.class.name")
    if policy:
        breaks = "the policy is never evaluated: topics are created and altered without it"
    elif theirs is not None:
        breaks = (
            f"only auto-created topics get {value.text}; other topics that do not set it get "
            f"{theirs.text}"
        )
    else:
        breaks = (
            "only auto-created topics get it; other topics that do not set it get the "
            "controllers' value, which no file shows"
        )
    effective = (
        f"but the controllers have {plain(theirs)}"
        if theirs is not None
        else "but controllers use their own value"
    )
    return cluster.finding(
        f"{plain(value)} is set on brokers that are not controllers, {effective}",
        at=value,
        because=(theirs,) if theirs is not None else (),
        breaks=breaks,
        fix=f"set {value.key} to the same value on all controllers",
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

    In KRaft mode the active controller accepts or rejects a topic by its own log.cleaner lags, its
    own remote.log.storage.system.enable and, for tiered topics, its own retention. Brokers apply
    their own values without validating again: topics that brokers could serve are rejected, or
    topics that contradict the brokers' values are accepted.

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
    Good: retention of controllers, which store no topics, has no effect
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
                f"brokers have {shown(here)}, but controllers validate topics with {shown(there)}",
                at=there if there.written else here,
                because=(here if there.written else there,),
                breaks="topics that the brokers could serve are rejected"
                if key == _VALIDATED_WITH[0]
                else "topics that contradict the brokers' values are accepted, or topics that do "
                "not are rejected",
                fix=f"set {key} to the same value on brokers and controllers",
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
    """min.insync.replicas of the controllers overrides another value on the brokers.

    A cluster formatted with Kafka 4.1 or newer has eligible leader replicas: at its first start it
    stores the controllers' min.insync.replicas as the cluster-wide value, which overrides the
    brokers' files. Later edits of either file have no effect.

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
    Good: Kafka 3.9 has no eligible leader replicas
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
            f"brokers have {plain(here)}, but controllers have {plain(there)}",
            at=there if there.written else here,
            because=(here if there.written else there,),
            breaks=f"on a cluster formatted with Kafka 4.1 or newer, {there.text} applies to all "
            "topics that do not set it",
            fix="set min.insync.replicas to the same value on brokers and controllers before the "
            "first start; afterwards change it only cluster-wide, with kafka-configs "
            "--entity-default",
        )
        return
