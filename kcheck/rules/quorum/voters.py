"""KC11: the list of voters on each node, and the cluster id that the storage is formatted with."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.nodes import Broker, Controller, Node
from kcheck.model import COMPOSE, ERROR, FACT, INFO, KUBERNETES, WARNING, Finding, Value
from kcheck.model.processes import covering
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


def lasting(broker: Broker, *, declared: bool = True) -> bool:
    """Whether the broker's data outlives its container, as far as the file shows.

    ``declared`` counts the volume that the image declares: Docker keeps it for the container that
    takes its place.
    """
    if broker.resource.traits.deployer == KUBERNETES:
        return _claimed(broker)
    if broker.resource.traits.deployer != COMPOSE:
        return True
    image = broker.resource.traits.image_family
    own = OWN_VOLUME if image in DECLARING else "/bitnami/kafka" if image == "bitnami" else "/-"
    mounts = mounted([*volumes_of(broker), ("", own if declared else "/-")])
    return any(innermost(mounts, path) is not None for path in dirs_of(broker))


def _claimed(broker: Broker) -> bool:
    """Whether a pod mounts something lasting below the data; a container's own goes with it."""
    process, dirs = broker.resource.traits.process, dirs_of(broker)
    if process is None or process.mounts is None or not dirs:
        return True
    held = (covering(process.mounts, path) for path in dirs)
    return any(mount is not None and mount.kind != _EMPTY for mount in held)


_EMPTY = "emptyDir"
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
    """Several voters share one address.

    Only one node listens at that address. A request to another voter is answered by a node with a
    different id, and no majority is formed; a warning where the voters of other addresses are one.

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
    whole = sum(map(len, at.values()))
    # One voter of each address can answer.
    elects = len(at) > whole // 2
    for endpoint, numbers in at.items():
        if len(numbers) > 1:
            yield node.finding(
                f"{node}: {count(len(numbers), 'voter')} ({', '.join(numbers)}) share {endpoint}",
                at=voters,
                breaks=f"only one of them can answer there: {len(at)} of {whole} voters are left, and "
                "the quorum tolerates fewer failures"
                if elects
                else "each voter finds only itself there, so no leader is elected and no broker starts",
                fix="give each voter the host and port of that node's controller listener",
                severity=WARNING if elects else ERROR,
            )


@rule(
    "KC1140",
    "voters-disjoint",
    WARNING,
    invariants=("voters-host-port-match-listener",),
    versions="KRaft",
)
def voters_disjoint(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """Nodes of one cluster have quorums without a common voter.

    Each group of nodes elects its own controller and has its own metadata: the nodes form several
    clusters, each without the brokers and topics of the others. All nodes need the same
    controller.quorum.voters.

    Bad: each node is its only voter
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
                f"{other} and {first} have quorums without a common voter ({_VOTERS}={voters.text} "
                f"and {theirs.text})",
                at=voters,
                because=(theirs,),
                breaks="each quorum elects its own controller: the nodes form separate clusters",
                fix=f"set the same {_VOTERS} on all nodes",
            )
            return


@rule(
    "KC1125",
    "cluster-id-text",
    ERROR,
    invariants=("cluster-id-text",),
    kafka=FAILED,
    versions="≤3.6: rejected, or stored as a different text; 3.7+ stores any text",
)
def cluster_id_text(node: Broker | Controller) -> Iterator[Finding]:
    """A cluster id is invalid, or stored as a different text.

    Up to Kafka 3.6 it must be 16 bytes in URL-safe base64. Only some bits of the last character
    count: with others set, the id is stored as a different text. kafka-storage of Kafka 3.7 and later
    compares the two after the upgrade: the node fails to start, unless its data was lost with its
    container. Bitnami's image formats with the stored id, so that only a new node has another one.

    Bad: an invalid id
        --- compose.yaml
        services:
          kafka:
            image: bitnami/kafka:3.4.0
            environment: {KAFKA_KRAFT_CLUSTER_ID: my-cluster-id, KAFKA_CFG_PROCESS_ROLES: broker}
    Bad: stored with A as the last character; an info, because the image goes on with the stored id
        --- compose.yaml
        services:
          kafka:
            image: bitnami/kafka:3.4.0
            environment: {KAFKA_KRAFT_CLUSTER_ID: hK3vQm7TSJ2pWc9xLd4uYG, KAFKA_CFG_PROCESS_ROLES: broker}
    Bad: detected after the upgrade; an info, because nothing but the image's own volume keeps it
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
    Good: any text is valid
        --- compose.yaml
        services:
          kafka:
            image: apache/kafka:3.9.0
            environment: {CLUSTER_ID: my-cluster-id, KAFKA_PROCESS_ROLES: broker}
    Good: the data is lost with the container
        --- compose.yaml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.6.0
            environment:
              CLUSTER_ID: hK3vQm7TSJ2pWc9xLd4uYG
              KAFKA_PROCESS_ROLES: broker
              KAFKA_LOG_DIRS: /tmp/kraft-combined-logs
    Good: the data is lost with the pod's container
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          replicas: 1
          selector: {matchLabels: {app: kafka}}
          template:
            metadata: {labels: {app: kafka}}
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.5.0
                  env:
                    - {name: CLUSTER_ID, value: hK3vQm7TSJ2pWc9xLd4uYG}
                    - {name: KAFKA_NODE_ID, value: "0"}
                    - {name: KAFKA_PROCESS_ROLES, value: "broker,controller"}
                    - {name: KAFKA_LISTENERS, value: "PLAINTEXT://:9092,CONTROLLER://:9093"}
                    - {name: KAFKA_ADVERTISED_LISTENERS, value: "PLAINTEXT://kafka:9092"}
                    - {name: KAFKA_CONTROLLER_LISTENER_NAMES, value: CONTROLLER}
                    - {name: KAFKA_CONTROLLER_QUORUM_VOTERS, value: "0@localhost:9093"}
    Bad: a claim keeps the stored id until the upgrade
        --- kafka.yaml
        apiVersion: apps/v1
        kind: StatefulSet
        metadata: {name: kafka}
        spec:
          replicas: 1
          selector: {matchLabels: {app: kafka}}
          template:
            metadata: {labels: {app: kafka}}
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.5.0
                  env:
                    - {name: CLUSTER_ID, value: hK3vQm7TSJ2pWc9xLd4uYG}
                    - {name: KAFKA_NODE_ID, value: "0"}
                    - {name: KAFKA_PROCESS_ROLES, value: "broker,controller"}
                    - {name: KAFKA_LISTENERS, value: "PLAINTEXT://:9092,CONTROLLER://:9093"}
                    - {name: KAFKA_ADVERTISED_LISTENERS, value: "PLAINTEXT://kafka:9092"}
                    - {name: KAFKA_CONTROLLER_LISTENER_NAMES, value: CONTROLLER}
                    - {name: KAFKA_CONTROLLER_QUORUM_VOTERS, value: "0@localhost:9093"}
                  volumeMounts: [{name: data, mountPath: /var/lib/kafka/data, subPath: kafka}]
          volumeClaimTemplates:
            - metadata: {name: data}
              spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 10Gi}}}
    Bad: a volume keeps the stored id until the upgrade
        --- compose.yaml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.6.0
            environment: {CLUSTER_ID: hK3vQm7TSJ2pWc9xLd4uYG, KAFKA_PROCESS_ROLES: broker}
            volumes: ["data:/var/lib/kafka/data"]
        volumes: {data: {}}
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
            f"{node}: the cluster id {setting.text} is not {_BYTES} bytes in URL-safe base64",
            at=at,
            breaks="kafka-storage fails to format the directory, and the node fails to start",
            fix="use the output of kafka-storage.sh random-uuid (22 characters)",
        )
    elif lasting(node):
        # Kafka's formatting compares the two from 3.7 on. That is an upgrade, which few wait for whose
        # file mounts nothing. Bitnami's script formats with the stored id where there is one.
        keeps = node.resource.traits.image_family == "bitnami"
        yield node.finding(
            f"{node}: the cluster id {setting.text} is stored as {stored}",
            at=at,
            breaks="with Kafka 3.7 or later, a node with an empty volume stores it as it is written, and "
            "does not join the others"
            if keeps
            else "with Kafka 3.7 or later, a later start fails because the id does not match the stored one",
            fix=f"use {stored}",
            set_to=stored,
            severity=WARNING if not keeps and lasting(node, declared=False) else INFO,
        )


def _stored(text: str) -> str | None:
    """The id as Kafka stores it; None for one that it rejects."""
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
