"""KC18: cluster id, addresses, listener names and delegation token secrets of a cluster's nodes."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph import listeners
from kcheck.graph.cluster import Cluster, ClusterWithNodes
from kcheck.graph.nodes import Broker, Node
from kcheck.model import ERROR, FACT, WARNING, Finding, Value
from kcheck.rule import FAILED, rule

_VOTERS = "controller.quorum.voters"


_LOOPBACK = ("localhost", "127.0.0.1", "::1", "0.0.0.0", "")


_SECRET = "delegation.token.secret.key"


def _nodes(cluster: Cluster) -> list[Broker]:
    return [*cluster.brokers, *cluster.separate_controllers]


def _together(one: Node, other: Node) -> bool:
    """Whether both name the same quorum or ZooKeeper, and so belong to one cluster."""
    for key in (_VOTERS, "controller.quorum.bootstrap.servers", "zookeeper.connect"):
        mine, theirs = one[key], other[key]
        if theirs.written and mine.text:
            return mine.text == theirs.text
    return False


@rule(
    "KC1808",
    "cluster-id-same",
    ERROR,
    kafka=FAILED,
    broker_side=True,
    invariants=("cluster-id-same",),
    versions="KRaft",
)
def cluster_id_same(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """Nodes of one quorum have different cluster ids.

    A node with another id is rejected by the others (INCONSISTENT_CLUSTER_ID): a controller cannot
    take part in elections, and a broker is never registered.

    Bad:
        --- compose.yaml
        services:
          k1:
            image: apache/kafka:3.9.0
            environment:
              CLUSTER_ID: hK3vQm7TSJ2pWc9xLd4uYA
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@k1:9093,2@k2:9093
          k2:
            image: apache/kafka:3.9.0
            environment:
              CLUSTER_ID: aaaaQm7TSJ2pWc9xLd4uYA
              KAFKA_NODE_ID: 2
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@k1:9093,2@k2:9093
    Good:
        --- compose.yaml
        services:
          k1:
            image: apache/kafka:3.9.0
            environment:
              CLUSTER_ID: hK3vQm7TSJ2pWc9xLd4uYA
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@k1:9093,2@k2:9093
          k2:
            image: apache/kafka:3.9.0
            environment:
              CLUSTER_ID: hK3vQm7TSJ2pWc9xLd4uYA
              KAFKA_NODE_ID: 2
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@k1:9093,2@k2:9093
    Good: two clusters in one file
        --- compose.yaml
        services:
          west:
            image: apache/kafka:3.9.0
            environment:
              CLUSTER_ID: hK3vQm7TSJ2pWc9xLd4uYA
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@west:9093
          east:
            image: apache/kafka:3.9.0
            environment:
              CLUSTER_ID: aaaaQm7TSJ2pWc9xLd4uYA
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@east:9093
    """
    first: tuple[Broker, Value] | None = None
    for node in _nodes(cluster):
        setting = node.resource.facts.get("cluster.id")
        if setting is None or not setting.text or node.kraft is False:
            continue
        mine = Value(setting.name, node.resource, FACT, setting.text, setting.text, True, setting)
        if first is None:
            first = (node, mine)
        elif setting.text != first[1].text and _together(node, first[0]):
            yield node.finding(
                f"{node} has cluster id {setting.text}, but {first[0]} of the same quorum has "
                f"{first[1].text}",
                at=mine,
                because=(first[1],),
                breaks="the other nodes reject it (INCONSISTENT_CLUSTER_ID): it takes part in no "
                "election and is never registered",
                fix="use the same cluster id on all nodes of a cluster",
                set_to=first[1].text,
            )
            return


@rule(
    "KC1809",
    "advertised-unique-across-brokers",
    ERROR,
    kafka=FAILED,
    broker_side=True,
    invariants=("advertised-unique-across-brokers",),
    versions="ZooKeeper mode: rejected at startup; KRaft mode accepts it",
)
def advertised_unique_across_brokers(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """Two brokers advertise the same address.

    Clients connect to the leader of a partition at an address where only one of the two answers: for
    partitions of the other it is not the leader, and the client retries forever. In ZooKeeper mode
    the second broker does not start.

    Bad: a copied file in which only the id was changed
        --- k1.properties
        node.id=1
        process.roles=broker
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER
        advertised.listeners=PLAINTEXT://kafka.example.com:9092
        --- k2.properties
        node.id=2
        process.roles=broker
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER
        advertised.listeners=PLAINTEXT://kafka.example.com:9092
    Good:
        --- k1.properties
        node.id=1
        process.roles=broker
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER
        advertised.listeners=PLAINTEXT://k1.example.com:9092
        --- k2.properties
        node.id=2
        process.roles=broker
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER
        advertised.listeners=PLAINTEXT://k2.example.com:9092
    Good: one host, two ports
        --- k1.properties
        node.id=1
        process.roles=broker
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER
        advertised.listeners=PLAINTEXT://kafka.example.com:9092
        --- k2.properties
        node.id=2
        process.roles=broker
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER
        advertised.listeners=PLAINTEXT://kafka.example.com:9093
    Good: one broker, described twice
        --- k1.properties
        node.id=1
        process.roles=broker
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER
        advertised.listeners=PLAINTEXT://kafka.example.com:9092
        --- k1-new.properties
        node.id=1
        process.roles=broker
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER
        advertised.listeners=PLAINTEXT://kafka.example.com:9092
    """
    taken: dict[tuple[str, int], tuple[Broker, Value]] = {}
    for broker in cluster.brokers:
        setting, identity = broker["advertised.listeners"], _identity(broker)
        if not identity >= 0:
            continue
        for one in listeners.to_clients(broker):
            if one.host.lower() in _LOOPBACK or one.port <= 0:
                continue
            other, theirs = taken.setdefault((one.host.lower(), one.port), (broker, setting))
            if _identity(other) == identity or not _together(broker, other):
                continue
            yield broker.finding(
                f"{broker} advertises {one.host}:{one.port}, the same address as {other}",
                at=setting,
                because=(theirs,),
                breaks="the second broker does not start: the endpoint is in use"
                if broker.kraft is False
                else "clients of one broker connect to the other: NOT_LEADER_OR_FOLLOWER on every "
                "retry for half of the partitions",
                fix="advertise a unique host or port for each broker",
            )
            return


def _identity(broker: Broker) -> float:
    """The broker's id; below 0 where ZooKeeper generates it, or it is unknown."""
    value = broker["node.id"]
    return value.number if value.written else broker.fact("id").number


@rule(
    "KC1810",
    "same-listener-set",
    WARNING,
    broker_side=True,
    invariants=("same-listener-set",),
)
def same_listener_set(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """Brokers of one cluster have different listener names.

    A client gets the addresses of all brokers for the listener that it connects to. Brokers without
    that listener are missing: partitions that they lead have no leader for those clients
    (LISTENER_NOT_FOUND).

    Bad:
        --- k1.properties
        node.id=1
        process.roles=broker
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER
        listeners=INTERNAL://k1:9092,EXTERNAL://k1:9094
        listener.security.protocol.map=INTERNAL:PLAINTEXT,EXTERNAL:SASL_SSL,CONTROLLER:PLAINTEXT
        inter.broker.listener.name=INTERNAL
        --- k2.properties
        node.id=2
        process.roles=broker
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER
        listeners=INTERNAL://k2:9092
        listener.security.protocol.map=INTERNAL:PLAINTEXT,EXTERNAL:SASL_SSL,CONTROLLER:PLAINTEXT
        inter.broker.listener.name=INTERNAL
    Good: only combined nodes have the controller listener
        --- k1.properties
        node.id=1
        process.roles=broker,controller
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=INTERNAL://k1:9092,CONTROLLER://k1:9093
        listener.security.protocol.map=INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT
        inter.broker.listener.name=INTERNAL
        --- k2.properties
        node.id=2
        process.roles=broker
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=INTERNAL://k2:9092
        listener.security.protocol.map=INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT
        inter.broker.listener.name=INTERNAL
    Good: two clusters
        --- k1.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://k1:9092,SSL://k1:9093
        --- k2.properties
        broker.id=1
        zookeeper.connect=zk2:2181
        listeners=PLAINTEXT://k2:9092
    """
    first: tuple[Broker, list[str]] | None = None
    for broker in cluster.brokers:
        setting = broker["listeners"]
        found = listeners.addresses(broker)
        if not (setting.written or broker.whole) or not found.known:
            continue
        names = sorted({one.name for one in found.visible})
        if first is None:
            first = (broker, names)
        elif names != first[1] and names and first[1] and _together(broker, first[0]):
            lacking, having = sorted(((broker, names), first), key=lambda pair: len(pair[1]))
            missing = [name for name in having[1] if name not in lacking[1]]
            yield cluster.finding(
                f"{having[0]} has listener {missing[0]}, but {lacking[0]} of the same cluster does "
                "not",
                at=lacking[0]["listeners"],
                because=(having[0]["listeners"],),
                breaks=f"clients of listener {missing[0]} do not see {lacking[0]}: partitions that "
                "it leads have no leader for them",
                fix=f"configure listener {missing[0]} on every broker",
            )
            return


@rule(
    "KC1811",
    "sec-delegation-secret",
    WARNING,
    broker_side=True,
    invariants=("sec-delegation-secret",),
)
def sec_delegation_secret(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """delegation.token.secret.key differs between nodes of one cluster, or is missing on some.

    Each node signs and verifies tokens with its own delegation.token.secret.key. A token signed with
    another secret is rejected, and a node without a secret has delegation tokens disabled.

    Bad: missing on the controllers, which issue tokens in KRaft mode
        --- broker.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        delegation.token.secret.key=${SECRET}
        --- controller.properties
        process.roles=controller
        node.id=100
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
    Good:
        --- broker.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        delegation.token.secret.key=${SECRET}
        --- controller.properties
        process.roles=controller
        node.id=100
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        delegation.token.secret.key=${SECRET}
    Good: the older key, which is still read
        --- kcheck.yaml
        cluster: {kafka_version: "3.9"}
        --- k1.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        delegation.token.secret.key=${SECRET}
        --- k2.properties
        broker.id=2
        zookeeper.connect=zk1:2181
        delegation.token.master.key=${SECRET}
    """
    nodes = [node for node in _nodes(cluster) if node.whole]
    having = [node for node in nodes if node.sets(_SECRET) or _older(node)]
    if not having or len(having) == len(nodes):
        different = {node[_SECRET].text for node in having if node[_SECRET].known}
        if len(different) < 2:
            return
        odd = having[-1]
        yield cluster.finding(
            f"nodes of {cluster} have different values of {_SECRET}",
            at=odd[_SECRET],
            because=(having[0][_SECRET],),
            breaks="a token issued by one node is rejected by the others",
            fix=f"set {_SECRET} to the same value on all brokers and controllers",
        )
        return
    lacking = next(node for node in nodes if node not in having)
    one, *_ = having
    key = _SECRET if one.sets(_SECRET) else "delegation.token.master.key"
    yield cluster.finding(
        f"{one} sets {key}, but {lacking} has no secret for delegation tokens",
        at=one[key],
        because=(lacking[_SECRET],),
        breaks=f"{lacking} answers DELEGATION_TOKEN_AUTH_DISABLED and rejects logins with a token",
        fix=f"set {_SECRET} to the same value on all brokers and controllers",
    )


def _older(node: Broker) -> bool:
    return node.sets("delegation.token.master.key") and not node.version.at_least("4.0")
