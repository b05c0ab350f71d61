"""KC18: what makes nodes one cluster: its id, their addresses, the names of their listeners."""

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
    """Whether both name the same quorum or the same ZooKeeper, and so are of one cluster."""
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
    """Nodes of one quorum format their storage with different cluster ids.

    Whoever has another id is refused by the others (INCONSISTENT_CLUSTER_ID): a controller takes no
    part in elections, a broker is never registered.

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
                f"{node} has the cluster id {setting.text}, {first[0]} of the same quorum has "
                f"{first[1].text}",
                at=mine,
                because=(first[1],),
                breaks="the others refuse it (INCONSISTENT_CLUSTER_ID): it takes no part in elections "
                "and is never registered",
                fix="give all nodes of a cluster one id",
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
    versions="ZooKeeper mode: refused at the start; KRaft takes it",
)
def advertised_unique_across_brokers(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """Two brokers advertise the same address.

    Clients that ask for the leader of a partition are sent to an address where one of the two
    answers: for the other's partitions it is not the leader, and the client asks again, for ever.
    With ZooKeeper the second broker does not start.

    Bad: only the id was changed in the copy
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
        told, identity = broker["advertised.listeners"], _identity(broker)
        if not identity >= 0:
            continue
        for one in listeners.advertised(broker):
            if one.host.lower() in _LOOPBACK or one.port <= 0:
                continue
            other, theirs = taken.setdefault((one.host.lower(), one.port), (broker, told))
            if _identity(other) == identity or not _together(broker, other):
                continue
            yield broker.finding(
                f"{broker} advertises {one.host}:{one.port}, as {other} does",
                at=told,
                because=(theirs,),
                breaks="the second one does not start: the endpoint is taken"
                if broker.kraft is False
                else "clients that look for the one reach the other: NOT_LEADER_OR_FOLLOWER again "
                "and again for half of the partitions",
                fix="advertise for each broker a host or port that leads to it alone",
            )
            return


def _identity(broker: Broker) -> float:
    """The broker's id; below 0 where ZooKeeper gives it one, or nobody tells."""
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
    """Brokers of one cluster have listeners of different names.

    A client learns the addresses of all brokers under the name of the listener that it asked.
    Brokers without one of that name are left out: partitions that they lead have no leader for
    those clients (LISTENER_NOT_FOUND).

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
    Good: the controllers' listener is on some of them
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
        told = broker["listeners"]
        found = listeners.addresses(broker)
        if not (told.written or broker.whole) or not found.known:
            continue
        names = sorted({one.name for one in found.visible})
        if first is None:
            first = (broker, names)
        elif names != first[1] and names and first[1] and _together(broker, first[0]):
            lacking, having = sorted(((broker, names), first), key=lambda pair: len(pair[1]))
            missing = [name for name in having[1] if name not in lacking[1]]
            yield cluster.finding(
                f"{having[0]} has listener {missing[0]}, {lacking[0]} of the same cluster has not",
                at=lacking[0]["listeners"],
                because=(having[0]["listeners"],),
                breaks=f"clients that come by {missing[0]} do not see {lacking[0]}: the partitions that "
                "it leads have no leader for them",
                fix=f"give every broker a listener {missing[0]}",
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
    """Nodes of one cluster have different secrets for delegation tokens, or some have none.

    Each node signs and checks tokens with its own delegation.token.secret.key. A token from one
    that has another secret is refused, and where there is none tokens are switched off.

    Bad: the controllers, which give tokens out in KRaft mode, lack it
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
    Good: by the older name, which is still read
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
            breaks="a token that one node gave is refused by the others",
            fix=f"set {_SECRET} to one value on all brokers and controllers",
        )
        return
    lacking = next(node for node in nodes if node not in having)
    one, *_ = having
    key = _SECRET if one.sets(_SECRET) else "delegation.token.master.key"
    yield cluster.finding(
        f"{one} sets {key}, {lacking} has no secret for delegation tokens",
        at=one[key],
        because=(lacking[_SECRET],),
        breaks=f"{lacking} answers DELEGATION_TOKEN_AUTH_DISABLED, and who logs in there by a token is "
        "refused",
        fix=f"set {_SECRET} alike on all brokers and controllers",
    )


def _older(node: Broker) -> bool:
    return node.sets("delegation.token.master.key") and not node.version.at_least("4.0")
