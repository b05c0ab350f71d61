"""KC11: the controllers of a Strimzi cluster, and its migration to KRaft."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.nodes import Node
from kcheck.model import ERROR, WARNING, Finding, Resource, Value
from kcheck.rule import rule
from kcheck.rules.shared.strimzi import absent, kafka_resource
from kcheck.version import Version

_PROTOCOLS = ("inter.broker.protocol.version", "log.message.format.version")


@rule("KC1139", "strimzi-migration-versions", ERROR, versions="Strimzi 0.40–0.45")
def strimzi_migration_versions(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A Strimzi cluster that migrates to KRaft has different metadata, protocol and format versions.

    With strimzi.io/kraft: migration the operator requires the metadata version, the inter-broker
    protocol version and the log message format version to be equal. Each defaults to that of Kafka.

    Bad:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, annotations: {strimzi.io/kraft: migration, strimzi.io/node-pools: enabled}}
        spec:
          kafka:
            version: 3.8.0
            config: {inter.broker.protocol.version: "3.6", log.message.format.version: "3.6"}
    Bad: the metadata version
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, annotations: {strimzi.io/kraft: migration, strimzi.io/node-pools: enabled}}
        spec:
          kafka: {version: 3.8.0, metadataVersion: 3.7-IV4}
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, annotations: {strimzi.io/kraft: migration, strimzi.io/node-pools: enabled}}
        spec:
          kafka:
            version: 3.8.0
            metadataVersion: 3.7-IV4
            config: {inter.broker.protocol.version: "3.7", log.message.format.version: "3.7"}
    Good: the migration has not started
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, annotations: {strimzi.io/kraft: disabled, strimzi.io/node-pools: enabled}}
        spec:
          kafka: {version: 3.8.0, config: {inter.broker.protocol.version: "3.6"}}
    """
    kafka = kafka_resource(cluster)
    if kafka is None or not kafka.traits.migrates:
        return
    node = Node(kafka, cluster)
    release = node.fact("kafka_version")
    versions = [node.fact("metadata.version"), *(_set(node, key) for key in _PROTOCOLS)]
    found = [value if value.written else release for value in versions]
    minors = {_minor(value) for value in found}
    if "" in minors or len(minors) == 1:
        return
    one, other = next((a, b) for a in found for b in found if _minor(a) != _minor(b))
    said = [f"{value.key}={value.text}" for value in dict.fromkeys((one, other))]
    yield node.finding(
        f"Kafka {kafka.name} migrates to KRaft with different versions: {' and '.join(said)}",
        at=one,
        because=(other,),
        breaks="the operator rejects the migration: the versions must be equal",
        fix=f"set metadataVersion, {' and '.join(_PROTOCOLS)} to the same version first",
    )


@rule("KC1141", "strimzi-pool-roles", ERROR, versions="Strimzi in KRaft mode")
def strimzi_pool_roles(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """The node pools of a Strimzi cluster lack the role controller or broker, or have one too many.

    In KRaft mode the operator requires at least one pool with each of the two roles. A warning if the
    pools are in other files beside the Kafka resource, where there may be more of them. With ZooKeeper it
    accepts no controllers: before Kafka 4.0 the annotation strimzi.io/kraft turns KRaft mode on. A warning
    before 3.7, where operators up to 0.39 have a feature gate for it instead.

    Bad: no controllers
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaNodePool
        metadata: {name: brokers, labels: {strimzi.io/cluster: core}}
        spec: {replicas: 3, roles: [broker], storage: {type: ephemeral}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, annotations: {strimzi.io/node-pools: enabled, strimzi.io/kraft: enabled}}
        spec: {kafka: {version: 3.9.0}}
    Bad: no brokers
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaNodePool
        metadata: {name: controllers, labels: {strimzi.io/cluster: core}}
        spec: {replicas: 3, roles: [controller], storage: {type: ephemeral}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec: {kafka: {version: 4.1.0}}
    Bad: controllers beside ZooKeeper
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaNodePool
        metadata: {name: nodes, labels: {strimzi.io/cluster: core}}
        spec: {replicas: 3, roles: [controller, broker], storage: {type: ephemeral}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, annotations: {strimzi.io/node-pools: enabled, strimzi.io/kraft: disabled}}
        spec: {kafka: {version: 3.9.0}}
    Bad: no annotation
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaNodePool
        metadata: {name: nodes, labels: {strimzi.io/cluster: core}}
        spec: {replicas: 3, roles: [controller, broker], storage: {type: ephemeral}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, annotations: {strimzi.io/node-pools: enabled}}
        spec: {kafka: {version: 3.6.1}}
    Good: on the way to KRaft
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaNodePool
        metadata: {name: controllers, labels: {strimzi.io/cluster: core}}
        spec: {replicas: 3, roles: [controller], storage: {type: ephemeral}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, annotations: {strimzi.io/node-pools: enabled, strimzi.io/kraft: migration}}
        spec:
          kafka: {version: 3.9.0}
          zookeeper: {replicas: 3, storage: {type: ephemeral}}
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaNodePool
        metadata: {name: nodes, labels: {strimzi.io/cluster: core}}
        spec: {replicas: 3, roles: [controller, broker], storage: {type: ephemeral}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, annotations: {strimzi.io/node-pools: enabled, strimzi.io/kraft: enabled}}
        spec: {kafka: {version: 3.9.0}}
    Good: with ZooKeeper there are no controllers
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaNodePool
        metadata: {name: brokers, labels: {strimzi.io/cluster: core}}
        spec: {replicas: 3, roles: [broker], storage: {type: ephemeral}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, annotations: {strimzi.io/node-pools: enabled}}
        spec:
          kafka: {version: 3.8.0}
          zookeeper: {replicas: 3, storage: {type: ephemeral}}
    """
    kafka = kafka_resource(cluster)
    pools = [one for one in cluster.resources if one.traits.pool]
    if kafka is None or not pools or not all(one.traits.roles for one in pools):
        return
    if kafka.traits.kraft is not True and not cluster.version.at_least("4.0"):
        yield from _controllers_of_zookeeper(kafka, pools, cluster)
        return
    if {_folder(one) for one in pools} != {_folder(kafka)}:
        # Pools that lie elsewhere may be several clusters', or some of many.
        return
    roles = {role for one in pools for role in one.traits.roles}
    for lacking in ("controller", "broker"):
        if lacking in roles:
            continue
        names = " and ".join(one.name for one in pools)
        pool = Node(pools[0], cluster)
        yield pool.finding(
            f"no node pool of Kafka {kafka.name} has the role {lacking}: {names} "
            f"{'has' if len(pools) == 1 else 'have'} roles: [{', '.join(sorted(roles))}]",
            at=absent(pool, "roles"),
            breaks="the operator rejects the cluster: nothing is created or changed",
            fix=f"add {lacking} to spec.roles of a pool, or add a pool with that role",
            severity=ERROR if {one.path for one in pools} == {kafka.path} else WARNING,
        )


@rule("KC1142", "strimzi-zookeeper-gone", ERROR, versions="Kafka 4.0+ (Strimzi 0.46+)")
def strimzi_zookeeper_gone(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A Strimzi cluster of Kafka 4.0 or newer has a ZooKeeper ensemble.

    Operators that support Kafka 4.0 (0.46 and newer) have no ZooKeeper mode.

    Bad:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {version: 4.0.0, replicas: 3, storage: {type: ephemeral}}
          zookeeper: {replicas: 3, storage: {type: ephemeral}}
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {version: 3.9.0, replicas: 3, storage: {type: ephemeral}}
          zookeeper: {replicas: 3, storage: {type: ephemeral}}
    """
    kafka = kafka_resource(cluster)
    if kafka is None or kafka.traits.kraft is not False:
        return
    node = Node(kafka, cluster)
    release, ensemble = node.fact("kafka_version"), node.fact("zookeeper")
    if release.written and cluster.version.at_least("4.0"):
        yield node.finding(
            f"Kafka {kafka.name} has version {release.text} and runs with ZooKeeper",
            at=release,
            because=(ensemble,) if ensemble.written else (),
            breaks="the operator rejects the resource: Kafka 4.0 and newer have no ZooKeeper mode",
            fix="migrate to KRaft on Kafka 3.9 or older first, then remove spec.zookeeper",
        )


def _controllers_of_zookeeper(
    kafka: Resource, pools: list[Resource], cluster: ClusterWithNodes
) -> Iterator[Finding]:
    """Pools whose role controller the operator refuses, since nothing turns KRaft mode on."""
    stays = kafka.traits.kraft is False or kafka.traits.no_mode
    if not (stays and kafka.traits.reads_pools and cluster.version.below("4.0")):
        return
    for one in pools:
        if "controller" in one.traits.roles:
            pool = Node(one, cluster)
            yield pool.finding(
                f"node pool {one.name} has the role controller, but Kafka {kafka.name} runs with "
                "ZooKeeper: strimzi.io/kraft is neither enabled nor migration",
                at=absent(pool, "roles"),
                because=(absent(Node(kafka, cluster), "strimzi.io/kraft"),),
                breaks="the operator rejects the cluster: nothing is created or changed",
                fix="set the annotation strimzi.io/kraft of the Kafka resource to enabled, or to "
                "migration for a cluster that has ZooKeeper",
                severity=ERROR if cluster.version.at_least("3.7") else WARNING,
            )


def _folder(resource: Resource) -> str:
    return resource.path.rpartition("/")[0]


def _set(node: Node, key: str) -> Value:
    """What the resource itself sets; not Kafka's default."""
    return node[key] if node.sets(key) else node.fact(key)


def _minor(value: Value) -> str:
    """``3.7`` of 3.7.1, 3.7-IV4 and 3.7; "" where it is unknown."""
    return Version((value.text or "").partition("-")[0]).minor or ""
