"""KC18: nodes of one cluster with different values where they must, or should, be the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kcheck import catalogue
from kcheck.graph.cluster import Cluster, ClusterWithNodes
from kcheck.graph.nodes import Node
from kcheck.graph.topics import TopicDefaults
from kcheck.model import ERROR, WARNING, Finding, Value
from kcheck.rule import FAILED, rule
from kcheck.wording import in_bytes, in_ms, plain


def _together(nodes: Sequence[Node]) -> Sequence[Node]:
    """The nodes that may run at once: those of one name, as a script has them for each way to start
    it, are one."""
    return nodes if len({node.name for node in nodes}) > 1 else nodes[:1]


def _groups(nodes: Sequence[Node], key: str) -> list[tuple[Value, list[str]]]:
    """The known values of a key with the names of the nodes that have each, commonest first."""
    found: dict[str, tuple[Value, list[str]]] = {}
    for node in _together(nodes):
        one = node[key]
        if one.known:
            found.setdefault(repr(one.value), (one, []))[1].append(node.name)
    return sorted(found.values(), key=lambda pair: -len(pair[1]))


def _listed(groups: list[tuple[Value, list[str]]]) -> str:
    return "; ".join(f"{shown(value)} on {', '.join(names)}" for value, names in groups)


def shown(value: Value) -> str:
    """``key=value``, a known one, with the unit that the key's name implies."""
    if value.key.endswith((".ms", ".hours", ".minutes")):
        return in_ms(value)
    if value.key.endswith(".bytes"):
        return in_bytes(value)
    return plain(value)


def _at(groups: list[tuple[Value, list[str]]]) -> tuple[Value, list[Value]]:
    """The value to report, the rarest one that a file sets; and the others.

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
)
def topic_default_drift_across_brokers(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """Brokers of one cluster have different topic defaults.

    A topic that does not set a key inherits the value of the broker that hosts the replica. Where
    brokers differ, retention, segments or limits of one topic differ per replica and change when
    leadership moves. Keys that a topic sets itself are not affected.

    Bad:
        --- kcheck.yaml
        cluster:
          brokers:
            - {id: 1, config: {log.retention.hours: 168}}
            - {id: 2, config: {log.retention.hours: 168}}
            - {id: 3, config: {log.retention.hours: 24}}
    Bad: set on one broker only
        --- kcheck.yaml
        cluster:
          brokers:
            - {id: 1, config: {message.max.bytes: 5242880}}
            - {id: 2}
    Good: the same value in another unit
        --- kcheck.yaml
        cluster:
          brokers:
            - {id: 1, config: {log.retention.hours: 24}}
            - {id: 2, config: {log.retention.ms: 86400000}}
    Good: one value is unknown
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
        f"brokers of {cluster} have different topic defaults for {key}: {_listed(groups)}",
        at=at,
        because=because,
        breaks="one topic behaves differently per replica and changes when leadership moves",
        fix=f"set {at.key} to the same value on all brokers",
    )


@rule(
    "KC1804",
    "inter-broker-same-on-all",
    WARNING,
    broker_side=True,
    invariants=("inter-broker-same-on-all",),
)
def inter_broker_same_on_all(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """Brokers of one cluster use different inter-broker listeners.

    A broker looks up the name of its own inter-broker listener among the endpoints of its peer.
    Where the peer has no listener of that name, it cannot connect, and its replicas fall behind.
    During a rolling change all brokers must have both listeners.

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
    for broker in _together(cluster.brokers):
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
        f"brokers of {cluster} use different inter-broker listeners: {_listed(groups)}",
        at=at,
        because=because,
        breaks="a broker finds no endpoint of that name on its peers: replication stops and "
        "partitions become under-replicated",
        fix="set inter.broker.listener.name to the same name on all brokers",
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
    """Two nodes of one cluster have the same node id.

    Registration of the second one is rejected, and it exits after
    initial.broker.registration.timeout.ms; in ZooKeeper mode it fails on the existing node.
    Brokers and controllers share one id space; a combined node has one id.

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
    Good: each starts with a profile of its own
        --- docker-compose.yml
        services:
          zookeeper: {image: "confluentinc/cp-zookeeper:7.6.0", environment: {ZOOKEEPER_CLIENT_PORT: 2181}}
          plain:
            profiles: [plain]
            image: confluentinc/cp-kafka:7.6.0
            environment:
              KAFKA_BROKER_ID: 2
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://plain:9092
          tuned:
            profiles: [tuned]
            image: confluentinc/cp-kafka:7.6.0
            environment:
              KAFKA_BROKER_ID: 2
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://tuned:9092
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
    Good: one broker, set up in one way or another
        --- docker-compose.yml
        services:
          zookeeper: {image: "confluentinc/cp-zookeeper:7.6.0", environment: {ZOOKEEPER_CLIENT_PORT: 2181}}
          plain:
            profiles: [plain]
            image: confluentinc/cp-kafka:7.6.0
            hostname: kafka
            environment:
              KAFKA_BROKER_ID: 2
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
          tuned:
            profiles: [tuned]
            image: confluentinc/cp-kafka:7.6.0
            hostname: kafka
            environment:
              KAFKA_BROKER_ID: 2
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_NUM_IO_THREADS: 16
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
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
        containers = node.fact("deploy.replicas")
        if containers.number > 1:
            yield node.finding(
                f"all {int(containers.number)} containers of {node} have {plain(identity)}",
                at=identity,
                because=(containers,),
                breaks="only the first to start is registered; the others are rejected and exit",
                fix="declare one service per broker, each with its own id",
            )
        other, taken = first.setdefault(identity.number, (node, identity))
        if other is node or _apart(node, other) or _alternatives(node, other):
            continue
        yield node.finding(
            f"{plain(identity)} is also the id of {other}",
            at=identity,
            because=(taken,),
            breaks="registration of the second node to start is rejected, and it exits",
            fix="give every node a unique id",
        )


def _alternatives(one: Node, other: Node) -> bool:
    """Whether two services of a compose file start only with different profiles."""
    mine, theirs = one.resource.traits.profiles, other.resource.traits.profiles
    return bool(mine and theirs) and not mine & theirs


def _apart(one: Node, other: Node) -> bool:
    """Whether the two name different quorums, and so belong to different clusters."""
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
    """Nodes of one cluster have different controller.quorum.voters.

    controller.quorum.voters must be the same map of ids to addresses on every node of a static
    quorum: otherwise the nodes elect no leader, or form two quorums.

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
                f"nodes of {cluster} have different voters: {plain(voters)} and {plain(first[1])}",
                at=voters,
                because=(first[1],),
                breaks="the nodes elect no common leader (INCONSISTENT_VOTER_SET), or none at all",
                fix="set controller.quorum.voters to the same voters on all brokers and "
                "controllers",
            )
            return


def _voters(text: str) -> dict[str, str]:
    entries = [entry.partition("@") for entry in text.split(",")]
    return {identity.strip(): address.strip() for identity, _, address in entries}
