"""KC07: storage of nodes that goes with their pods or containers, as operators, charts and files give it."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.endpoints import split
from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.environment import PRODUCTION
from kcheck.graph.nodes import Broker, Node
from kcheck.model import FACT, WARNING, Finding, Resource, Setting, Value
from kcheck.rule import rule
from kcheck.rules.shared.volumes import covering_volume, dirs_of, volumes_of

_ZOOKEEPER = "zookeeper.storage.type"
_EPHEMERAL = "ephemeral"
#: What follows by the role of a node; "" is ZooKeeper's.
_BREAKS = {
    "broker": "the records of a broker are lost with its pod: until they are replicated again, a "
    "partition has fewer copies, and if the pods of all its replicas are replaced, it is lost",
    "controller": "if a majority of the controllers is rescheduled at once, the metadata of the "
    "cluster is lost: topics, configurations and ACLs",
    "": "if the pods of the ensemble are replaced, it starts empty with a new cluster id: brokers "
    "that keep their data refuse to start, and topics and ACLs are lost",
}


@rule("KC0761", "ephemeral-storage", WARNING, broker_side=True)
def ephemeral_storage(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """Nodes of a cluster keep their data on storage that goes with their pods.

    Reported in a cluster that is declared to be production, and where other nodes of the cluster have
    persistent storage: a cluster that is ephemeral as a whole is taken for a trial. The state of
    controllers and of ZooKeeper is as much part of a cluster as the records of its brokers.

    Bad: controllers of brokers that keep their records
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaNodePool
        metadata: {name: brokers, labels: {strimzi.io/cluster: core}}
        spec: {replicas: 3, roles: [broker], storage: {type: persistent-claim, size: 100Gi}}
        ---
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaNodePool
        metadata: {name: controllers, labels: {strimzi.io/cluster: core}}
        spec: {replicas: 3, roles: [controller], storage: {type: ephemeral}}
        ---
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: core}
        spec: {kafka: {version: 4.1.0}}
    Bad: ZooKeeper
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {version: 3.8.0, replicas: 3, storage: {type: persistent-claim, size: 100Gi}}
          zookeeper: {replicas: 3, storage: {type: ephemeral}}
    Bad: a chart in production
        --- kcheck.yaml
        cluster: {environment: production}
        --- values.yaml
        image: {repository: bitnami/kafka, tag: 3.7.0}
        controller: {replicaCount: 3, persistence: {enabled: false}}
    Good: a trial
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {version: 3.8.0, replicas: 3, storage: {type: ephemeral}}
          zookeeper: {replicas: 3, storage: {type: ephemeral}}
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {version: 3.8.0, replicas: 3, storage: {type: persistent-claim, size: 100Gi}}
          zookeeper: {replicas: 3, storage: {type: persistent-claim, size: 10Gi}}
    """
    kept = any(claim.size is not None for one in cluster.resources for claim in one.traits.claims)
    if cluster.development or not (kept or cluster.environment == PRODUCTION):
        return
    for node, said, role in _ephemeral(cluster.resources):
        at = Value(said.key, node, FACT, said.text, said.text, True, said)
        view = Node(node, cluster)
        what = "the ZooKeeper ensemble" if not role else f"{role} {node.name}"
        yield view.finding(
            f"{what} of {cluster} has {said.name}={said.text}",
            at=at,
            breaks=_BREAKS[role],
            fix=_fix(said),
        )


def _ephemeral(nodes: list[Resource]) -> Iterator[tuple[Resource, Setting, str]]:
    """The nodes whose storage goes with their pods, with what says so and their role."""
    for node in nodes:
        if node.traits.ephemeral is not None:
            yield node, node.traits.ephemeral, node.kind
        ensemble = node.facts.get(_ZOOKEEPER)
        if ensemble is not None and ensemble.text == _EPHEMERAL:
            yield node, ensemble, ""


def _fix(said: Setting) -> str:
    if said.text == _EPHEMERAL:
        return f"set {said.name} to persistent-claim, with a size"
    if said.text == "false":
        return f"set {said.name} to true"
    return "use persistent volume claims instead"


@rule("KC0760", "zookeeper-volume", WARNING, broker_side=True, versions="≤3.9, ZooKeeper mode")
def zookeeper_volume(broker: Broker) -> Iterator[Finding]:
    """Kafka's data survives its container, but its ZooKeeper's data does not.

    The broker stores the cluster id in its data directory. A ZooKeeper that starts empty generates a
    new id, and the broker refuses to start with it; the topics are missing from ZooKeeper as well.
    The image's own anonymous volume does not help: after ``docker compose down`` the next container
    gets a new one.

    Bad:
        --- docker-compose.yml
        services:
          zookeeper: {image: "confluentinc/cp-zookeeper:7.5.0"}
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            volumes: ["kdata:/var/lib/kafka/data"]
            environment: {KAFKA_BROKER_ID: 1, KAFKA_ZOOKEEPER_CONNECT: "zookeeper:2181"}
        volumes: {kdata: {}}
    Bad: a volume above that of the image, which hides it
        --- docker-compose.yml
        services:
          zookeeper: {image: "confluentinc/cp-zookeeper:7.5.0", volumes: ["zdata:/var/lib/zookeeper"]}
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            volumes: ["kdata:/var/lib/kafka/data"]
            environment: {KAFKA_BROKER_ID: 1, KAFKA_ZOOKEEPER_CONNECT: "zookeeper:2181"}
        volumes: {kdata: {}, zdata: {}}
    Good: both
        --- docker-compose.yml
        services:
          zookeeper:
            image: confluentinc/cp-zookeeper:7.5.0
            volumes: ["zdata:/var/lib/zookeeper/data", "zlog:/var/lib/zookeeper/log"]
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            volumes: ["kdata:/var/lib/kafka/data"]
            environment: {KAFKA_BROKER_ID: 1, KAFKA_ZOOKEEPER_CONNECT: "zookeeper:2181"}
        volumes: {kdata: {}, zdata: {}, zlog: {}}
    Good: neither
        --- docker-compose.yml
        services:
          zookeeper: {image: "confluentinc/cp-zookeeper:7.5.0"}
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment: {KAFKA_BROKER_ID: 1, KAFKA_ZOOKEEPER_CONNECT: "zookeeper:2181"}
    Good: a directory set by a variable
        --- docker-compose.yml
        services:
          zookeeper:
            image: confluentinc/cp-zookeeper:7.5.0
            environment: {ZOOKEEPER_DATA_DIR: /zk}
            volumes: ["zdata:/zk"]
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            volumes: ["kdata:/var/lib/kafka/data"]
            environment: {KAFKA_BROKER_ID: 1, KAFKA_ZOOKEEPER_CONNECT: "zookeeper:2181"}
        volumes: {kdata: {}, zdata: {}}
    Good: another ZooKeeper of the ensemble keeps its data
        --- docker-compose.yml
        services:
          zk1: {image: "confluentinc/cp-zookeeper:7.5.0"}
          zk2: {image: "confluentinc/cp-zookeeper:7.5.0", volumes: ["zdata:/var/lib/zookeeper/data"]}
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            volumes: ["kdata:/var/lib/kafka/data"]
            environment: {KAFKA_BROKER_ID: 1, KAFKA_ZOOKEEPER_CONNECT: "zk1:2181,zk2:2181"}
        volumes: {kdata: {}, zdata: {}}
    """
    bare = broker.resource.traits.bare_zookeepers
    connect, dirs = broker["zookeeper.connect"], dirs_of(broker)
    if bare is None or not connect.text or broker.kraft or broker.version.below("2.4"):
        return
    hosts = [host for host, _ in split(connect.text.partition("/")[0])]
    kept = [covering_volume(volumes_of(broker), path) for path in dirs]
    volume = kept[0] if kept else None
    if volume is None or not volume[0] or not all(host in bare for host in hosts):
        return
    name, path = bare[hosts[0]]
    yield broker.finding(
        f"{broker} stores its data in volume {volume[0]}, but the data of its ZooKeeper {name} is "
        "lost with the container",
        at=broker.fact("volumes"),
        because=(connect,),
        breaks="after docker compose down the broker finds another cluster id in ZooKeeper and exits "
        "(InconsistentClusterIdException)",
        fix=f"mount named volumes in {name} at {path} and at its transaction log directory",
    )
