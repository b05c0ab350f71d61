"""KC16: mirrors between clusters: loops."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats.flows import matches
from kcheck.graph.cluster import Cluster, ClusterWithClients
from kcheck.model import ERROR, SET, WARNING, Finding, Flow, Resource, Setting, Value
from kcheck.rule import rule

_POLICY, _SEPARATOR = "replication.policy.class", "replication.policy.separator"


def flows(cluster: Cluster, side: str) -> list[tuple[Flow, Resource]]:
    """The flows into (``in``) or out of (``out``) a cluster, in the order of their places."""
    found: dict[int, tuple[Flow, Resource]] = {}
    for resource in cluster.resources:
        traits = resource.traits
        for flow in traits.flows_in if side == "in" else traits.flows_out:
            found.setdefault(id(flow), (flow, resource))
    return sorted(found.values(), key=lambda pair: pair[0].place)


def _text(flow: Flow, key: str, default: str) -> str | None:
    setting = flow.settings.get(key)
    return default if setting is None else setting.text


def _policy(flow: Flow) -> str:
    """``Identity`` or ``Default`` for Kafka's own replication policies; "" for others and unknown ones."""
    name = (_text(flow, _POLICY, "DefaultReplicationPolicy") or "").rpartition(".")[2]
    return name.removesuffix("ReplicationPolicy") if name in _POLICIES else ""


_POLICIES = ("DefaultReplicationPolicy", "IdentityReplicationPolicy")


def mirrors(flow: Flow, name: str) -> bool:
    """Whether the flow mirrors a topic of that name; false if its patterns are unknown."""
    wanted, kept = _text(flow, "topics", ".*"), _text(flow, "topics.exclude", "")
    if wanted is None or kept is None or "topics.blacklist" in flow.settings:
        return False
    return matches(wanted, name) and not matches(kept, name)


def _samples(flow: Flow) -> list[tuple[str, str]]:
    """(pattern, a name that the flow mirrors by it) for each of its patterns."""
    entries = [entry.strip() for entry in (_text(flow, "topics", ".*") or "").split(",")]
    found = [(entry, entry.replace(".*", "x")) for entry in entries if entry]
    return [(entry, name) for entry, name in found if mirrors(flow, name)]


def _way(pattern: str, name: str, *prefixes: str, end: str = "") -> str:
    """The names of a topic on its way round; one that only a pattern tells is called TOPIC."""
    shown = name if pattern == name else "TOPIC"
    names = ", ".join((shown, *(prefix + shown for prefix in prefixes))) + end
    return names if pattern == name else f"{names} for topics that match {pattern}"


def _follows(second: Flow, first: Flow) -> bool:
    """Whether one reads from the other's target: a common address, or one file's alias."""
    written, read = first.servers[1], second.servers[0]
    if written and read:
        return bool(written & read)
    end, begin = first.target, second.source
    return end.path == begin.path and end.text is not None and end.text == begin.text


def value_of(setting: Setting, resource: Resource) -> Value:
    return Value(setting.key, resource, SET, setting.text, setting.text, True, setting)


@rule(
    "KC1605",
    "mm2-cycle",
    ERROR,
    refs=("KIP-382",),
    invariants=("mm2-cycle",),
)
def mm2_cycle(cluster: ClusterWithClients) -> Iterator[Finding]:
    """Mirrors replicate the same topics in a loop.

    MirrorMaker recognises mirrored topics by the alias before the topic name, so a cluster must have
    the same alias in all mirrors that read or write it. Two mirrors in opposite directions with the
    aliases source and target each mirror source.orders to source.source.orders, and so on.
    IdentityReplicationPolicy adds no alias: in both directions it mirrors each record back to its
    source forever. A mirror from a cluster to itself is a loop on its own.

    Bad: aliases swapped
        --- east.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaMirrorMaker2
        metadata: {name: to-east}
        spec:
          connectCluster: target
          clusters:
            - {alias: source, bootstrapServers: "west-kafka-bootstrap:9092"}
            - {alias: target, bootstrapServers: "east-kafka-bootstrap:9092"}
          mirrors:
            - {sourceCluster: source, targetCluster: target, topicsPattern: ".*", sourceConnector: {}}
        --- west.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaMirrorMaker2
        metadata: {name: to-west}
        spec:
          connectCluster: target
          clusters:
            - {alias: source, bootstrapServers: "east-kafka-bootstrap:9092"}
            - {alias: target, bootstrapServers: "west-kafka-bootstrap:9092"}
          mirrors:
            - {sourceCluster: source, targetCluster: target, topicsPattern: ".*", sourceConnector: {}}
    Bad: topic names without aliases
        --- mm2.properties
        clusters=A,B
        A.bootstrap.servers=a1:9092
        B.bootstrap.servers=b1:9092
        A->B.enabled=true
        A->B.topics=orders
        B->A.enabled=true
        B->A.topics=.*
        replication.policy.class=org.apache.kafka.connect.mirror.IdentityReplicationPolicy
    Bad: connectors
        --- there.json
        {"name": "there", "config": {"connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
         "source.cluster.alias": "mine", "source.cluster.bootstrap.servers": "a:9092",
         "target.cluster.alias": "theirs", "target.cluster.bootstrap.servers": "b:9092"}}
        --- back.json
        {"name": "back", "config": {"connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
         "source.cluster.alias": "mine", "source.cluster.bootstrap.servers": "b:9092",
         "target.cluster.alias": "theirs", "target.cluster.bootstrap.servers": "a:9092"}}
    Bad: one alias differs, so topics are mirrored back once
        --- there.json
        {"name": "there", "config": {"connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
         "source.cluster.alias": "A", "source.cluster.bootstrap.servers": "a:9092",
         "target.cluster.alias": "B", "target.cluster.bootstrap.servers": "b:9092"}}
        --- back.json
        {"name": "back", "config": {"connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
         "source.cluster.alias": "B", "source.cluster.bootstrap.servers": "b:9092",
         "target.cluster.alias": "main", "target.cluster.bootstrap.servers": "a:9092"}}
    Good: two alternative files, each of which disables the other's flow
        --- mm2-active.properties
        clusters=A,B
        A.bootstrap.servers=a1:9092
        B.bootstrap.servers=b1:9092
        A->B.enabled=true
        B->A.enabled=false
        replication.policy.class=org.apache.kafka.connect.mirror.IdentityReplicationPolicy
        --- mm2-failback.properties
        clusters=A,B
        A.bootstrap.servers=a1:9092
        B.bootstrap.servers=b1:9092
        A->B.enabled=false
        B->A.enabled=true
        replication.policy.class=org.apache.kafka.connect.mirror.IdentityReplicationPolicy
    Good: each cluster has one alias
        --- mm2.properties
        clusters=A,B
        A.bootstrap.servers=a1:9092
        B.bootstrap.servers=b1:9092
        A->B.enabled=true
        B->A.enabled=true
    Good: other topics
        --- mm2.properties
        clusters=A,B
        A.bootstrap.servers=a1:9092
        B.bootstrap.servers=b1:9092
        A->B.enabled=true
        A->B.topics=orders
        B->A.enabled=true
        B->A.topics=refunds
        replication.policy.class=org.apache.kafka.connect.mirror.IdentityReplicationPolicy
    Good: one direction
        --- mm2.properties
        clusters=A,B
        A.bootstrap.servers=a1:9092
        B.bootstrap.servers=b1:9092
        A->B.enabled=true
        B->A.enabled=false
        replication.policy.class=org.apache.kafka.connect.mirror.IdentityReplicationPolicy
    Good: mirrored topics are excluded
        --- there.json
        {"name": "there", "config": {"connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
         "topics.exclude": "mine[.].*",
         "source.cluster.alias": "mine", "source.cluster.bootstrap.servers": "a:9092",
         "target.cluster.alias": "theirs", "target.cluster.bootstrap.servers": "b:9092"}}
        --- back.json
        {"name": "back", "config": {"connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
         "topics.exclude": "mine[.].*",
         "source.cluster.alias": "mine", "source.cluster.bootstrap.servers": "b:9092",
         "target.cluster.alias": "theirs", "target.cluster.bootstrap.servers": "a:9092"}}
    Good: one direction is stopped until the other one fails
        --- forth.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaMirrorMaker2
        metadata: {name: forth}
        spec:
          connectCluster: east
          clusters:
            - {alias: west, bootstrapServers: "west-kafka-bootstrap:9092"}
            - {alias: east, bootstrapServers: "east-kafka-bootstrap:9092"}
          mirrors:
            - sourceCluster: west
              targetCluster: east
              topicsPattern: orders
              sourceConnector:
                config: {replication.policy.class: org.apache.kafka.connect.mirror.IdentityReplicationPolicy}
        --- back.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaMirrorMaker2
        metadata: {name: back}
        spec:
          connectCluster: west
          clusters:
            - {alias: west, bootstrapServers: "west-kafka-bootstrap:9092"}
            - {alias: east, bootstrapServers: "east-kafka-bootstrap:9092"}
          mirrors:
            - sourceCluster: east
              targetCluster: west
              topicsPattern: orders
              sourceConnector:
                state: stopped
                config: {replication.policy.class: org.apache.kafka.connect.mirror.IdentityReplicationPolicy}
    Good: a connector that is created stopped
        --- there.json
        {"name": "there", "config": {"connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
         "source.cluster.alias": "mine", "source.cluster.bootstrap.servers": "a:9092",
         "target.cluster.alias": "theirs", "target.cluster.bootstrap.servers": "b:9092"}}
        --- back.json
        {"name": "back", "initial_state": "STOPPED",
         "config": {"connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
         "source.cluster.alias": "mine", "source.cluster.bootstrap.servers": "b:9092",
         "target.cluster.alias": "theirs", "target.cluster.bootstrap.servers": "a:9092"}}
    """
    for first, owner in flows(cluster, "in"):
        for second, other in flows(cluster, "out"):
            # Both clusters have the two; the first one reports them.
            opposite = _follows(second, first) and _follows(first, second)
            if not opposite or not first.place <= second.place or first.excludes(second):
                continue
            severity, way = _round(first, second)
            if not severity:
                continue
            ends = ((second, other), (first, owner))
            at, because = value_of(second.target, other), [value_of(first.source, owner)]
            fix = "use the same alias for each cluster in all mirrors"
            sent = f"mirrors {shown_flow(first)} and {shown_flow(second)} replicate"
            if first is second:
                sent = f"mirror {shown_flow(first)} replicates"
                fix = "mirror to a different cluster"
            elif _policy(first) == "Identity":
                at, because = (
                    value_of(second.settings[_POLICY], other),
                    [value_of(second.target, other)],
                )
                fix = "mirror different topics in each direction, or use DefaultReplicationPolicy"
            elif _text(first, _SEPARATOR, ".") != _text(second, _SEPARATOR, "."):
                at, *because = (
                    value_of(flow.settings[_SEPARATOR], end)
                    for flow, end in ends
                    if _SEPARATOR in flow.settings
                )
                fix = "set the same replication.policy.separator on both mirrors"
            yield cluster.finding(
                f"{sent} topics in a loop: {way}",
                at=at,
                because=because,
                breaks="records are mirrored back and forth endlessly, until the disks are full"
                if severity == ERROR
                else "each topic is mirrored back to its source cluster under another name",
                fix=fix,
                severity=severity,
            )


def shown_flow(flow: Flow) -> str:
    return f"{flow.source.text}->{flow.target.text}"


def _round(first: Flow, second: Flow) -> tuple[str, str]:
    """(severity, way) of topics that are mirrored in a loop; empty if there are none."""
    policies = {_policy(first), _policy(second)}
    if policies == {"Identity"}:
        for pattern, name in (*_samples(first), *_samples(second)):
            if mirrors(first, name) and mirrors(second, name):
                what = name if pattern == name else f"topics that match {pattern}"
                return ERROR, f"{what} in both directions"
    ways = [(first, second), (second, first)]
    prefixes = [(_prefix(there, there.source), _prefix(back, back.target)) for there, back in ways]
    if policies != {"Default"} or not all(map(all, prefixes)):
        return "", ""
    # Each mirror excludes names that begin with the alias of its target.
    open_ends = [written != left_out for written, left_out in prefixes]
    found = ("", "")
    for (there, back), blind in zip(ways, open_ends, strict=True):
        for pattern, name in _samples(there) if blind else ():
            once = _prefix(there, there.source)
            twice = _prefix(back, back.source) + once
            if not mirrors(back, once + name):
                continue
            if all(open_ends) and mirrors(there, twice + name):
                return ERROR, _way(pattern, name, once, twice, end=" …")
            found = WARNING, _way(pattern, name, once, twice)
    return found


def _prefix(flow: Flow, end: Setting) -> str:
    """The prefix of a cluster's topics in the names of the flow; empty if unknown."""
    separator = _text(flow, _SEPARATOR, ".")
    return f"{end.text}{separator}" if end.text and separator else ""
