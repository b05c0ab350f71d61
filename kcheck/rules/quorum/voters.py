"""KC11: what the members of a quorum are told of each other, and what its storage is formatted with."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.nodes import Broker, Controller, Node
from kcheck.model import COMPOSE, ERROR, FACT, WARNING, Finding, Value
from kcheck.rule import FAILED, rule
from kcheck.rules.shared.volumes import (
    DECLARING,
    OWN_VOLUME,
    dirs_of,
    innermost,
    mounted,
    volumes_of,
)
from kcheck.wording import count


def lasting(broker: Broker) -> bool:
    """Whether what the broker stores is there after its container, as far as its file tells."""
    if broker.resource.traits.deployer != COMPOSE:
        return True
    # Docker keeps a volume that the image declares for the container that takes its place.
    image = broker.resource.traits.image_family
    own = OWN_VOLUME if image in DECLARING else "/bitnami/kafka" if image == "bitnami" else "/-"
    mounts = mounted([*volumes_of(broker), ("", own)])
    return any(innermost(mounts, path) is not None for path in dirs_of(broker))


_VOTERS = "controller.quorum.voters"


_BYTES = 16


@rule(
    "KC1124",
    "voters-endpoints-distinct",
    ERROR,
    on=(_VOTERS,),
    invariants=("voters-host-port-match-listener",),
    versions="KRaft",
)
def voters_endpoints_distinct(node: Broker | Controller) -> Iterator[Finding]:
    """Several voters of the quorum are at one address.

    Each of them listens for itself; whoever asks for the others gets the one that is there, whose
    id is another one than expected, and no majority comes together.

    Bad:
        --- server.properties
        process.roles=broker,controller
        node.id=0
        controller.quorum.voters=0@127.0.0.1:9093,1@127.0.0.1:9093,2@127.0.0.1:9093
    Good:
        --- server.properties
        process.roles=broker,controller
        node.id=0
        controller.quorum.voters=0@k0:9093,1@k1:9093,2@k2:9093
    Good: on one machine, with a port for each
        --- server.properties
        process.roles=broker,controller
        node.id=0
        controller.quorum.voters=0@127.0.0.1:9093,1@127.0.0.1:9094,2@127.0.0.1:9095
    """
    voters = node[_VOTERS]
    if not voters.text:
        return
    at: dict[str, list[str]] = {}
    for entry in voters.text.split(","):
        number, separator, endpoint = entry.strip().partition("@")
        if separator and number not in at.setdefault(endpoint, []):
            at[endpoint].append(number)
    for endpoint, numbers in at.items():
        if len(numbers) > 1:
            yield node.finding(
                f"{node}: {count(len(numbers), 'voter')} ({', '.join(numbers)}) share {endpoint}",
                at=voters,
                breaks="each voter finds only itself there: they elect no leader, and no broker starts",
                fix="give each voter the host and port where that node's controller listens",
            )


@rule(
    "KC1140",
    "voters-disjoint",
    WARNING,
    invariants=("voters-host-port-match-listener",),
    versions="KRaft",
)
def voters_disjoint(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """Nodes of one cluster name quorums that have no voter in common.

    Each group of nodes elects a controller of its own and keeps its own metadata: what looks like
    one cluster starts as several, each without the brokers and topics of the others. All nodes need
    the same controller.quorum.voters.

    Bad: each node is its own only voter
        --- broker-1.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
        --- broker-2.properties
        process.roles=broker,controller
        node.id=2
        controller.quorum.voters=2@k2:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
    Bad: one CLUSTER_ID, two quorums
        --- docker-compose.yml
        services:
          k1:
            image: apache/kafka:4.1.0
            environment:
              CLUSTER_ID: q1Sh-9_ISia_zwGINzRvyQ
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9093
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@k1:9093
          k2:
            image: apache/kafka:4.1.0
            environment:
              CLUSTER_ID: q1Sh-9_ISia_zwGINzRvyQ
              KAFKA_NODE_ID: 2
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_LISTENERS: PLAINTEXT://:9092,CONTROLLER://:9093
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_CONTROLLER_QUORUM_VOTERS: 2@k2:9093
    Good:
        --- broker-1.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1:9093,2@k2:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
        --- broker-2.properties
        process.roles=broker,controller
        node.id=2
        controller.quorum.voters=1@k1:9093,2@k2:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
    """
    known: list[tuple[Node, Value, set[str]]] = []
    for node in (*cluster.controllers, *cluster.brokers):
        voters = node[_VOTERS]
        entries = (voters.text or "").split(",")
        members = {entry.strip().partition("@")[0] for entry in entries} - {""}
        if members:
            known.append((node, voters, members))
    for other, voters, members in known:
        first, theirs, others = known[0]
        if members.isdisjoint(others):
            yield cluster.finding(
                f"{other} and {first} name quorums without a common voter ({_VOTERS}={voters.text} "
                f"and {theirs.text})",
                at=voters,
                because=(theirs,),
                breaks="each quorum elects a controller of its own: the nodes form separate clusters",
                fix=f"set the same {_VOTERS} on all nodes",
            )
            return


@rule(
    "KC1125",
    "cluster-id-text",
    ERROR,
    invariants=("cluster-id-text",),
    kafka=FAILED,
    versions="≤3.6: refused, or stored as another text; 3.7+ stores any text",
)
def cluster_id_text(node: Broker | Controller) -> Iterator[Finding]:
    """A cluster id is not what the formatting of the storage makes of it.

    Up to Kafka 3.6 it must be 16 bytes in the letters of base64 for URLs. Of the last letter only
    some bits count: with others the id is stored as another text. Bitnami's image compares the two
    at its next start, the formatting of Kafka 3.7 and newer after the upgrade: the node does not
    start, unless its data went with its container.

    Bad: no such id
        --- compose.yaml
        services:
          kafka:
            image: bitnami/kafka:3.4.0
            environment: {KAFKA_KRAFT_CLUSTER_ID: my-cluster-id, KAFKA_CFG_PROCESS_ROLES: broker}
    Bad: stored with an A at its end
        --- compose.yaml
        services:
          kafka:
            image: bitnami/kafka:3.4.0
            environment: {KAFKA_KRAFT_CLUSTER_ID: hK3vQm7TSJ2pWc9xLd4uYG, KAFKA_CFG_PROCESS_ROLES: broker}
    Bad: found after the upgrade
        --- compose.yaml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.6.0
            environment: {CLUSTER_ID: hK3vQm7TSJ2pWc9xLd4uYG, KAFKA_PROCESS_ROLES: broker}
    Good:
        --- compose.yaml
        services:
          kafka:
            image: bitnami/kafka:3.4.0
            environment: {KAFKA_KRAFT_CLUSTER_ID: hK3vQm7TSJ2pWc9xLd4uYA, KAFKA_CFG_PROCESS_ROLES: broker}
    Good: any text will do
        --- compose.yaml
        services:
          kafka:
            image: apache/kafka:3.9.0
            environment: {CLUSTER_ID: my-cluster-id, KAFKA_PROCESS_ROLES: broker}
    Good: its data goes with the container
        --- compose.yaml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.6.0
            environment:
              CLUSTER_ID: hK3vQm7TSJ2pWc9xLd4uYG
              KAFKA_PROCESS_ROLES: broker
              KAFKA_LOG_DIRS: /tmp/kraft-combined-logs
    """
    setting = node.resource.facts.get("cluster.id")
    if setting is None or not setting.text or node.kraft is False:
        return
    if not node.version.below("3.7"):
        return
    stored = _stored(setting.text)
    if stored == setting.text:
        return
    at = Value(setting.name, node.resource, FACT, setting.text, setting.text, True, setting)
    if stored is None:
        yield node.finding(
            f"{node}: the cluster id {setting.text} is no base64 text of {_BYTES} bytes",
            at=at,
            breaks="kafka-storage refuses to format the directory, and the node does not start",
            fix="take what kafka-storage.sh random-uuid prints (22 letters)",
        )
    elif lasting(node):
        # Bitnami's script compares the two at each start, Kafka's formatting from 3.7 on.
        once = (
            "" if node.resource.traits.image_family == "bitnami" else "once Kafka is 3.7 or newer, "
        )
        yield node.finding(
            f"{node}: the cluster id {setting.text} is stored as {stored}",
            at=at,
            breaks=f"{once}a later start compares the two and fails: the id does not match the stored "
            "one",
            fix=f"write {stored}",
            set_to=stored,
            severity=WARNING,
        )


def _stored(text: str) -> str | None:
    """The id as Kafka writes it back; None for one that it does not take."""
    from base64 import urlsafe_b64decode, urlsafe_b64encode

    if len(text) > 24:
        return None
    letters = text.rstrip("=")
    if not letters.replace("-", "a").replace("_", "a").isalnum():
        return None
    try:
        decoded = urlsafe_b64decode(letters + "==")  # 22 letters have two, others do not matter
    except ValueError:
        return None
    return urlsafe_b64encode(decoded).decode().rstrip("=") if len(decoded) == _BYTES else None
