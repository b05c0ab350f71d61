"""KC09: the protocol, the id, the members and the assignors of consumer groups."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.clients import Consumer
from kcheck.graph.cluster import Cluster, ClusterWithClients
from kcheck.graph.edges import Connects
from kcheck.graph.running import together
from kcheck.model import ERROR, INFO, STRIMZI, WARNING, Finding
from kcheck.rule import CHANGED, FAILED, REFUSED, rule
from kcheck.rules.groups.sessions import classic, in_group
from kcheck.wording import count, plain


@rule(
    "KC0906",
    "group-protocol-forbidden",
    ERROR,
    kafka=REFUSED,
    on=("group.protocol",),
    refs=("KIP-848",),
    invariants=("group-protocol-forbidden",),
    versions="4.0+: rejected; 3.7–3.9: ignored; librdkafka 2.10+: rejected",
)
def group_protocol_forbidden(consumer: Consumer) -> Iterator[Finding]:
    """A consumer sets a key that group.protocol=consumer forbids.

    With group.protocol=consumer the brokers control sessions, heartbeats and assignment. From 4.0
    the client rejects session.timeout.ms, heartbeat.interval.ms and partition.assignment.strategy,
    even at their default values; 3.7 to 3.9 ignore them. librdkafka rejects them from 2.10, and
    group.protocol.type too.

    Bad:
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        consumers: [{name: work, config: {group.id: work, group.protocol: consumer, session.timeout.ms: 45000}}]
    Good:
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        consumers: [{name: work, config: {group.id: work, group.protocol: consumer}}]
    Bad: librdkafka
        --- kcheck.yaml
        consumers:
          - name: work
            client: {library: librdkafka, version: "2.12"}
            config: {group.id: work, group.protocol: consumer, session.timeout.ms: 45000}
    Good: librdkafka accepted it at first
        --- kcheck.yaml
        consumers:
          - name: work
            client: {library: librdkafka, version: "2.6"}
            config: {group.id: work, group.protocol: consumer, session.timeout.ms: 45000}
    Good: the classic protocol
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        consumers: [{name: work, config: {group.id: work, group.protocol: classic, session.timeout.ms: 45000}}]
    Good: an older client does not have the key, and uses the classic protocol
        --- kcheck.yaml
        cluster: {client_version: "3.6"}
        consumers: [{name: work, config: {group.id: work, group.protocol: consumer, session.timeout.ms: 45000}}]
    """
    protocol = consumer["group.protocol"]
    version, spoken = consumer.version, consumer.library.consumer_protocol
    if not spoken or str(protocol.value).lower() != "consumer":
        return
    if version.below("3.7" if consumer.java else "2.10"):
        return
    keys = ["session.timeout.ms", "heartbeat.interval.ms", "partition.assignment.strategy"]
    for key in keys if consumer.java else [*keys, "group.protocol.type"]:
        value = consumer[key]
        if not value.explicit or value.value == []:
            continue
        if not consumer.java:
            severity = ERROR if version.at_least("2.10") else WARNING
            breaks = "from 2.10 on, librdkafka fails to create the consumer"
        elif version.at_least("4.0"):
            severity, breaks = ERROR, "the consumer cannot be created"
        elif version.below("4.0"):
            severity, breaks = WARNING, "the client ignores it"
        else:
            severity, breaks = (
                WARNING,
                "3.7–3.9 ignore it, and from 4.0 the consumer cannot be created",
            )
        yield consumer.finding(
            f"{consumer} sets {plain(value)} with {plain(protocol)}",
            at=value,
            because=(protocol,),
            breaks=f"{breaks}: the brokers control it (group.consumer.* or the group's own config)",
            fix=f"remove {key}",
            severity=severity,
        )


@rule(
    "KC0907",
    "autocommit-without-group",
    INFO,
    kafka=REFUSED,
    on=("enable.auto.commit",),
    invariants=("autocommit-without-group",),
)
def autocommit_without_group(consumer: Consumer) -> Iterator[Finding]:
    """A consumer sets enable.auto.commit=true without a group.id.

    Java rejects this when the consumer is created. It is only an info, because most programs set the
    group.id, and Kafka's console consumer makes one.

    Bad:
        --- kcheck.yaml
        consumers: [{name: reader, config: {enable.auto.commit: "true"}}]
    Good:
        --- kcheck.yaml
        consumers: [{name: reader, config: {group.id: reader, enable.auto.commit: "true"}}]
    Good: the default becomes false automatically
        --- kcheck.yaml
        consumers: [{name: reader}]
    """
    commit, identity = consumer["enable.auto.commit"], consumer["group.id"]
    if consumer.java and commit.value is True and not (identity.explicit or in_group(consumer)):
        yield consumer.finding(
            f"{consumer} sets enable.auto.commit=true without a group.id",
            at=commit,
            because=(identity,),
            breaks="the consumer cannot be created, unless the program sets group.id",
            fix="set group.id, or remove enable.auto.commit",
        )


@rule(
    "KC0908",
    "group-id-rules",
    WARNING,
    kafka=REFUSED,
    on=("group.id",),
    refs=("KIP-289",),
    invariants=("group-id-rules",),
    versions="4.0+: rejected at creation; before: rejected when it subscribes",
)
def group_id_rules(consumer: Consumer) -> Iterator[Finding]:
    """A consumer's group.id is empty.

    From 4.0 the consumer cannot be created (InvalidGroupIdException); before, it fails when it
    subscribes or commits, and with the consumer protocol from 3.7 immediately.

    Bad:
        --- kcheck.yaml
        cluster: {client_version: "4.0"}
        consumers: [{name: reader, config: {group.id: ""}}]
    Good:
        --- kcheck.yaml
        cluster: {client_version: "4.0"}
        consumers: [{name: reader, config: {group.id: reader}}]
    """
    identity = consumer["group.id"]
    if not consumer.java or identity.text != "":
        return
    version = consumer.version
    modern = str(consumer["group.protocol"].value).lower() == "consumer"
    if version.at_least("4.0") or (modern and version.at_least("3.7")):
        severity, breaks = ERROR, "the consumer cannot be created: InvalidGroupIdException"
    elif version.below("4.0"):
        severity, breaks = WARNING, "subscribing and committing fail with InvalidGroupIdException"
    else:
        severity, breaks = (
            WARNING,
            "subscribing and committing fail with InvalidGroupIdException; from 4.0 the consumer "
            "cannot be created",
        )
    yield consumer.finding(
        f"{consumer} has an empty group.id",
        at=identity,
        breaks=breaks,
        fix="set a non-empty group.id, or remove it if the consumer only uses assign()",
        severity=severity,
    )


@rule(
    "KC0909",
    "partitions-lt-consumers",
    INFO,
    invariants=("partitions-lt-consumers",),
)
def partitions_lt_consumers(cluster: ClusterWithClients) -> Iterator[Finding]:
    """A group has more members than its topics have partitions.

    A partition is read by one member of a group, so the others are idle. Reported where the topics
    of all members and their partitions are declared. Members are the declared instances, otherwise
    the replicas of the workload times the consumers of each (concurrency of a listener, binding,
    channel).

    Bad:
        --- kcheck.yaml
        topics: [{name: orders, partitions: 6}]
        consumers:
          - {name: billing, topics: [orders], instances: 8, config: {group.id: billing}}
    Good:
        --- kcheck.yaml
        topics: [{name: orders, partitions: 6}, {name: refunds, partitions: 6}]
        consumers:
          - {name: billing, topics: [orders, refunds], instances: 8, config: {group.id: billing}}
    Good: the number of members is unknown
        --- kcheck.yaml
        topics: [{name: orders, partitions: 6}]
        consumers: [{name: billing, topics: [orders], config: {group.id: billing}}]
    """
    for name, members in groups(cluster).items():
        run = together(members)
        topics = {}
        for client in members:
            named = cluster.topics_of(client)
            if not named:
                break
            topics.update({topic.name: topic.partitions for topic in named})
        else:
            total = run.number
            partitions = sum(value.number for value in topics.values())
            if total > partitions:
                idle = total - partitions
                yield members[0].finding(
                    f"group {name} has {count(total, 'member')} for "
                    f"{count(partitions, 'partition')}",
                    at=run.said[0],
                    because=[*run.said[1:], *topics.values()],
                    breaks=f"{count(idle, 'member')} of the group {'stays' if idle == 1 else 'stay'} idle",
                    fix=f"run at most {int(partitions)} members, or add partitions if record keys allow it",
                )


def groups(cluster: Cluster) -> dict[str, list[Consumer]]:
    """The consumers of each group whose id is known, except those of a single profile."""
    found: dict[str, list[Consumer]] = {}
    for client in cluster.clients:
        if isinstance(client, Consumer) and not client.resource.traits.profile:
            identity = client["group.id"]
            if identity.text:
                found.setdefault(identity.text, []).append(client)
    return found


#: Assignors by their name in the group protocol; librdkafka uses these names directly.
_ASSIGNORS = {
    "RangeAssignor": "range",
    "RoundRobinAssignor": "roundrobin",
    "StickyAssignor": "sticky",
    "CooperativeStickyAssignor": "cooperative-sticky",
}


def _strategies(consumer: Consumer) -> set[str] | None:
    """The assignors that a member supports; None where one of them is unknown."""
    value = consumer["partition.assignment.strategy"]
    if value.text is None:
        return None
    names: set[str] = set()
    for entry in value.text.split(","):
        name = entry.strip().rpartition(".")[2]
        name = _ASSIGNORS.get(name, name)
        if name not in _ASSIGNORS.values():
            return None
        names.add(name)
    return names


@rule(
    "KC0910",
    "assignors-in-common",
    ERROR,
    kafka=FAILED,
    invariants=("assignor-nonempty",),
)
def assignors_in_common(cluster: ClusterWithClients) -> Iterator[Finding]:
    """Members of one group share no assignor.

    The coordinator selects an assignor that all members support. A member without a common assignor
    is rejected (InconsistentGroupProtocolException).

    Bad:
        --- kcheck.yaml
        consumers:
          - name: a
            config: {group.id: work, partition.assignment.strategy: org.apache.kafka.clients.consumer.RoundRobinAssignor}
          - name: b
            config: {group.id: work, partition.assignment.strategy: org.apache.kafka.clients.consumer.RangeAssignor}
    Good: one in common
        --- kcheck.yaml
        consumers:
          - name: a
            config: {group.id: work, partition.assignment.strategy: org.apache.kafka.clients.consumer.RangeAssignor}
          - name: b
            client: {library: librdkafka}
            config: {group.id: work, partition.assignment.strategy: "range,roundrobin"}
    Good: two groups
        --- kcheck.yaml
        consumers:
          - name: a
            config: {group.id: one, partition.assignment.strategy: org.apache.kafka.clients.consumer.RoundRobinAssignor}
          - name: b
            config: {group.id: two, partition.assignment.strategy: org.apache.kafka.clients.consumer.RangeAssignor}
    """
    for name, members in groups(cluster).items():
        first: tuple[Consumer, set[str]] | None = None
        for client in members:
            offered = _strategies(client)
            if offered is None or not classic(client):
                continue
            if first is None:
                first = client, offered
            elif not first[1] & offered:
                other = first[0]
                key = "partition.assignment.strategy"
                at, *because = written_first(client[key], other[key])
                yield client.finding(
                    f"group {name}: {client} and {other} share no assignor "
                    f"({', '.join(sorted(offered))} vs. {', '.join(sorted(first[1]))})",
                    at=at,
                    because=(*because, client["group.id"]),
                    breaks="the second member to join is rejected: InconsistentGroupProtocolException",
                    fix="set a common partition.assignment.strategy on all members of the group",
                )


@rule(
    "KC0911",
    "client-rack",
    WARNING,
    kafka=CHANGED,
    refs=("KIP-392",),
    invariants=("client-rack",),
    versions="2.4+",
)
def client_rack(edge: Connects) -> Iterator[Finding]:
    """A consumer sets client.rack, but its brokers do not use it.

    Fetching from the closest replica requires three keys: client.rack on the consumer, and
    replica.selector.class and broker.rack on every broker. Without them the consumer silently reads
    from the leader, and pays for traffic between zones. (From 3.5 client.rack also guides some
    assignors.)

    Bad: no selector
        --- kcheck.yaml
        cluster: {brokers: 3}
        consumers: [{name: index, config: {group.id: index, client.rack: a}}]
    Bad: no rack on the brokers
        --- kcheck.yaml
        cluster:
          brokers: [{id: 1}, {id: 2}]
          config: {replica.selector.class: org.apache.kafka.common.replica.RackAwareReplicaSelector}
        consumers: [{name: index, config: {group.id: index, client.rack: a}}]
    Good:
        --- kcheck.yaml
        cluster:
          brokers: [{id: 1, rack: a}, {id: 2, rack: b}]
          config: {replica.selector.class: org.apache.kafka.common.replica.RackAwareReplicaSelector}
        consumers: [{name: index, config: {group.id: index, client.rack: a}}]
    Good: the brokers are unknown
        --- kcheck.yaml
        consumers: [{name: index, config: {group.id: index, client.rack: a}}]
    """
    if not isinstance(edge.client, Consumer):
        return
    rack = edge.client["client.rack"]
    if not rack.text:
        return
    owner = edge.broker.resource
    needed = ["replica.selector.class"]
    # A declaration for all brokers does not state each one's rack; Strimzi sets it automatically.
    if owner.kind == "broker" and owner.traits.deployer != STRIMZI:
        needed.append("broker.rack")
    for missing in (edge.broker[key] for key in needed):
        if missing.known and not missing.value:
            yield edge.finding(
                f"{edge.client} sets {plain(rack)}, but {missing.key} is not set on the brokers",
                at=rack,
                because=(missing,),
                breaks="it still reads from the leaders, and pays for traffic between zones",
                fix="set replica.selector.class="
                "org.apache.kafka.common.replica.RackAwareReplicaSelector and broker.rack on all "
                "brokers",
            )
            return
