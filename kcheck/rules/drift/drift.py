"""KC18: nodes of one cluster that disagree where they must, or had better, be alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kcheck import catalogue
from kcheck.graph.cluster import Cluster, ClusterWithNodes
from kcheck.graph.nodes import Node
from kcheck.graph.topics import TopicDefaults
from kcheck.model import ERROR, WARNING, Finding, Value
from kcheck.rule import FAILED, rule
from kcheck.wording import in_bytes, in_ms, plain


def _groups(nodes: Sequence[Node], key: str) -> list[tuple[Value, list[str]]]:
    """The known values of a key with the names of the nodes that have each, commonest first."""
    found: dict[str, tuple[Value, list[str]]] = {}
    for node in nodes:
        one = node[key]
        if one.known:
            found.setdefault(repr(one.value), (one, []))[1].append(node.name)
    return sorted(found.values(), key=lambda pair: -len(pair[1]))


def _by_value(groups: list[tuple[Value, list[str]]]) -> str:
    return "; ".join(f"{shown(value)} on {', '.join(names)}" for value, names in groups)


def shown(value: Value) -> str:
    """``key=value``, a known one, with the unit that the key's name tells."""
    if value.key.endswith((".ms", ".hours", ".minutes")):
        return in_ms(value)
    if value.key.endswith(".bytes"):
        return in_bytes(value)
    return plain(value)


def _at(groups: list[tuple[Value, list[str]]]) -> tuple[Value, list[Value]]:
    """The place to point at: the rarest value that some file sets; and the others.

    Where values differ, a file sets one of them: the default is the same on all nodes.
    """
    values = [value for value, _ in groups]
    odd = next(value for value in reversed(values) if value.written)
    return odd, [value for value in values if value is not odd]


@rule(
    "KC1801",
    "topic-default-drift-across-brokers",
    WARNING,
    broker_side=True,
    invariants=("topic-default-drift-across-brokers",),
    claims=("S000-135",),
)
def topic_default_drift_across_brokers(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """Brokers of one cluster give topics different defaults.

    A topic that does not set a key takes the value of the broker that holds the replica. Where
    brokers differ, one topic is kept, rolled or limited differently on each replica, and changes
    with each move of a leader. What a topic sets itself is not touched by it.

    Bad:
        --- kcheck.yaml
        cluster:
          brokers:
            - {id: 1, config: {log.retention.hours: 168}}
            - {id: 2, config: {log.retention.hours: 168}}
            - {id: 3, config: {log.retention.hours: 24}}
    Bad: set on one of them alone
        --- kcheck.yaml
        cluster:
          brokers:
            - {id: 1, config: {message.max.bytes: 5242880}}
            - {id: 2}
    Good: the same in other units
        --- kcheck.yaml
        cluster:
          brokers:
            - {id: 1, config: {log.retention.hours: 24}}
            - {id: 2, config: {log.retention.ms: 86400000}}
    Good: one value is not known here
        --- kcheck.yaml
        cluster:
          brokers:
            - {id: 1, config: {message.max.bytes: 5242880}}
            - {id: 2, config: {message.max.bytes: "${MAX_BYTES}"}}
    """
    if len(cluster.defaults) < 2:
        return
    views: list[Node] = [TopicDefaults(broker) for broker in cluster.brokers]
    for key in catalogue.topic_keys_with_fallback():
        yield from _drift(cluster, _groups(views, key), key)
    brokers: list[Node] = list(cluster.brokers)
    for key in ("default.replication.factor", "num.partitions"):
        yield from _drift(cluster, _groups(brokers, key), key)


def _drift(cluster: Cluster, groups: list[tuple[Value, list[str]]], key: str) -> Iterator[Finding]:
    if len(groups) < 2:
        return
    at, because = _at(groups)
    yield cluster.finding(
        f"brokers of {cluster} differ in what topics get for {key}: {_by_value(groups)}",
        at=at,
        because=because,
        breaks="one topic behaves differently on each of its replicas, and changes with its leader",
        fix=f"set {at.key} alike on all brokers",
    )


@rule(
    "KC1804",
    "inter-broker-same-on-all",
    WARNING,
    broker_side=True,
    invariants=("inter-broker-same-on-all",),
)
def inter_broker_same_on_all(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """Brokers of one cluster talk to each other over different listeners.

    A broker looks for the name of its own inter-broker listener among the endpoints of the peer.
    Where the peer has none of that name it cannot connect, and replicas fall behind. During a
    rolling change both listeners must be there on all brokers.

    Bad:
        --- kcheck.yaml
        cluster:
          brokers:
            - {id: 1, config: {inter.broker.listener.name: REPLICATION}}
            - {id: 2, config: {security.inter.broker.protocol: SASL_SSL}}
    Good:
        --- kcheck.yaml
        cluster:
          brokers:
            - {id: 1, config: {inter.broker.listener.name: SASL_SSL}}
            - {id: 2, config: {security.inter.broker.protocol: SASL_SSL}}
    """
    names: dict[str, tuple[Value, list[str]]] = {}
    for broker in cluster.brokers:
        name = broker["inter.broker.listener.name"]
        if not name.written:
            name = broker["security.inter.broker.protocol"]
        if name.known:
            names.setdefault(str(name.value).upper(), (name, []))[1].append(broker.name)
    if len(names) < 2:
        return
    groups = sorted(names.values(), key=lambda pair: -len(pair[1]))
    at, because = _at(groups)
    yield cluster.finding(
        f"brokers of {cluster} use different listeners among themselves: {_by_value(groups)}",
        at=at,
        because=because,
        breaks="a broker finds no endpoint of that name on its peers: replication stops, "
        "partitions are under-replicated",
        fix="set inter.broker.listener.name alike on all brokers",
    )


@rule(
    "KC1805",
    "node-id-unique-in-cluster",
    ERROR,
    kafka=FAILED,
    broker_side=True,
    invariants=("node-id-unique-in-cluster",),
)
def node_id_unique_in_cluster(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """Two nodes of one cluster have the same id.

    The second one is refused registration and exits after
    initial.broker.registration.timeout.ms; in ZooKeeper mode it fails on the existing node.
    Brokers and controllers share the ids, a combined node has one.

    Bad:
        --- kcheck.yaml
        cluster:
          brokers:
            - {id: 1, config: {node.id: 0}}
            - {id: 2, config: {node.id: 0}}
    Bad: three containers of one service
        --- docker-compose.yml
        services:
          kafka:
            image: wurstmeister/kafka:2.13-2.8.1
            deploy: {replicas: 3}
            environment: {KAFKA_BROKER_ID: 1, KAFKA_ZOOKEEPER_CONNECT: "zk:2181"}
    Good:
        --- kcheck.yaml
        cluster:
          brokers:
            - {id: 1, config: {node.id: 1}}
            - {id: 2, config: {node.id: 2}}
    Good: two clusters
        --- docker-compose.yml
        services:
          west:
            image: confluentinc/cp-kafka:7.0.0
            environment: {KAFKA_BROKER_ID: 1, KAFKA_ZOOKEEPER_CONNECT: "zookeeper-west:2181"}
          east:
            image: confluentinc/cp-kafka:7.0.0
            environment: {KAFKA_BROKER_ID: 1, KAFKA_ZOOKEEPER_CONNECT: "zookeeper-east:2181"}
    Good: the broker gets its id from ZooKeeper
        --- kcheck.yaml
        cluster:
          kafka_version: "3.9"
          brokers:
            - {id: 1, config: {broker.id: -1}}
            - {id: 2, config: {broker.id: -1}}
    """
    first: dict[float, tuple[Node, Value]] = {}
    nodes = [*cluster.brokers, *cluster.separate_controllers]
    for node in nodes:
        identity = node["node.id"] if node.sets("node.id") else node["broker.id"]
        if not identity.number >= 0:
            continue
        copies = node.fact("deploy.replicas")
        if copies.number > 1:
            yield node.finding(
                f"{plain(identity)} is the id of all {int(copies.number)} containers of {node}",
                at=identity,
                because=(copies,),
                breaks="only the first to start is registered, the others are refused and exit",
                fix="declare a service for each broker with an id of its own",
            )
        other, taken = first.setdefault(identity.number, (node, identity))
        if other is node or _apart(node, other):
            continue
        yield node.finding(
            f"{plain(identity)} is the id of {other} too",
            at=identity,
            because=(taken,),
            breaks="the second node to start is refused registration and exits",
            fix="give every node an id of its own",
        )


def _apart(one: Node, other: Node) -> bool:
    """Whether the two name different quorums, and so are no nodes of one cluster after all."""
    for key in ("controller.quorum.voters", "zookeeper.connect"):
        mine, theirs = one[key], other[key]
        if mine.written and theirs.written:
            return mine.text != theirs.text
    return False


@rule(
    "KC1806",
    "voters-identical-everywhere",
    WARNING,
    broker_side=True,
    invariants=("voters-identical-everywhere",),
)
def voters_identical_everywhere(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """Nodes of one cluster know different voters of the quorum.

    controller.quorum.voters must be the same map of ids to addresses on every node of a static
    quorum: with different ones the nodes find no leader, or two quorums.

    Bad:
        --- kcheck.yaml
        cluster:
          brokers:
            - {id: 1, config: {controller.quorum.voters: "1@k1:9093,2@k2:9093,3@k3:9093"}}
            - {id: 2, config: {controller.quorum.voters: "1@k1:9093,2@k2:9093"}}
    Good: another order
        --- kcheck.yaml
        cluster:
          brokers:
            - {id: 1, config: {controller.quorum.voters: "1@k1:9093,2@k2:9093"}}
            - {id: 2, config: {controller.quorum.voters: "2@k2:9093, 1@k1:9093"}}
    """
    first: tuple[dict[str, str], Value] | None = None
    for node in (*cluster.brokers, *cluster.separate_controllers):
        voters = node["controller.quorum.voters"]
        if not voters.text:
            continue
        mine = _voters(voters.text)
        if first is None:
            first = (mine, voters)
        elif mine != first[0] and set(mine.items()) & set(first[0].items()):
            yield cluster.finding(
                f"nodes of {cluster} know different voters: {plain(voters)} and {plain(first[1])}",
                at=voters,
                because=(first[1],),
                breaks="the nodes find no common leader (INCONSISTENT_VOTER_SET), or none at all",
                fix="set controller.quorum.voters to the same voters on all brokers and "
                "controllers",
            )
            return


def _voters(text: str) -> dict[str, str]:
    entries = [entry.partition("@") for entry in text.split(",")]
    return {identity.strip(): address.strip() for identity, _, address in entries}
