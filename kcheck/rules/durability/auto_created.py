"""KC03: the replication of auto-created topics."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.topics import TopicDefaults
from kcheck.model import WARNING, Finding
from kcheck.rule import rule
from kcheck.wording import plain


@rule(
    "KC0311",
    "default-rf-vs-min-isr",
    WARNING,
    broker_side=True,
    on=("min.insync.replicas",),
    invariants=("default-rf-vs-min-isr",),
)
def default_rf_vs_min_isr(defaults: TopicDefaults) -> Iterator[Finding]:
    """Auto-created topics have fewer replicas than min.insync.replicas.

    Auto-created topics get default.replication.factor. If the brokers' min.insync.replicas exceeds
    it, all writes with acks=all are rejected up to Kafka 3.6; from 3.7 the value is capped at the
    number of replicas.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, brokers: 3, config: {min.insync.replicas: 2}}
    Good:
        --- kcheck.yaml
        cluster: {name: core, brokers: 3, config: {min.insync.replicas: 2, default.replication.factor: 3}}
    Good: topic auto-creation is disabled
        --- kcheck.yaml
        cluster: {name: core, brokers: 3, config: {min.insync.replicas: 2, auto.create.topics.enable: "false"}}
    """
    broker = defaults.broker
    factor, min_isr = broker["default.replication.factor"], broker["min.insync.replicas"]
    auto = broker["auto.create.topics.enable"]
    if not min_isr.number > factor.number or auto.value is not True:
        return
    if not factor.written and defaults.cluster.development:
        return
    if defaults.version.below("3.7"):
        breaks = "all writes with acks=all to an auto-created topic are rejected"
    elif defaults.version.at_least("3.7"):
        breaks = (
            "an auto-created topic has fewer replicas than min.insync.replicas; the broker caps the "
            "value, so it guarantees less than configured"
        )
    else:
        breaks = (
            "writes with acks=all to an auto-created topic are rejected up to Kafka 3.6; from 3.7 the "
            "value is capped and guarantees less than configured"
        )
    yield defaults.finding(
        f"{broker} auto-creates topics with {plain(factor)}, which is less than {plain(min_isr)}",
        at=factor if factor.written else min_isr,
        because=(min_isr,) if factor.written else (factor,),
        breaks=breaks,
        fix=f"set default.replication.factor={int(min_isr.number) + 1} or "
        "auto.create.topics.enable=false",
    )


@rule(
    "KC0312",
    "auto-create-weak",
    WARNING,
    broker_side=True,
    invariants=("auto-create-weak",),
)
def auto_create_weak(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A production cluster auto-creates topics with too few replicas.

    By default auto.create.topics.enable is true and default.replication.factor is 1, so the first
    producer with a misspelt topic name creates an unreplicated topic. Reported once per production
    cluster.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, environment: production, brokers: 3}
    Good:
        --- kcheck.yaml
        cluster: {name: core, environment: production, brokers: 3, config: {auto.create.topics.enable: "false"}}
    Good: the environment is unknown
        --- server.properties
        broker.id=0
        zookeeper.connect=zk:2181
        log.dirs=/data/kafka
    Bad: three brokers with disks
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {replicas: 3, storage: {type: persistent-claim, size: 10Gi}}
          zookeeper: {replicas: 3, storage: {type: persistent-claim, size: 1Gi}}
    Good: no production keeps its records in its pods
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {replicas: 3, storage: {type: ephemeral}}
          zookeeper: {replicas: 3, storage: {type: ephemeral}}
    Good: a node pool
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaNodePool
        metadata: {name: combined, labels: {strimzi.io/cluster: core}}
        spec:
          replicas: 3
          roles: [controller, broker]
          storage: {type: jbod, volumes: [{id: 0, type: ephemeral}]}
        ---
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: core, annotations: {strimzi.io/kraft: enabled, strimzi.io/node-pools: enabled}}
        spec:
          kafka: {config: {}}
    Good: a chart
        --- values.yaml
        replicaCount: 3
        persistence: {enabled: false, size: 8Gi}
        config: |
          zookeeper.connect=zk:2181
    Good: the volumes are deleted with the resource
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {replicas: 3, storage: {type: persistent-claim, size: 10Gi, deleteClaim: true}}
          zookeeper: {replicas: 3, storage: {type: persistent-claim, size: 1Gi, deleteClaim: true}}
    Good: a lesson
        --- lab-2/storage/kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {replicas: 3, storage: {type: persistent-claim, size: 10Gi}}
          zookeeper: {replicas: 3, storage: {type: persistent-claim, size: 1Gi}}
    Good: only one of the replicas runs, and KC2020 says so
        --- kafka.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: kafka}
        spec:
          replicas: 3
          template:
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.5.3
                  env: [{name: KAFKA_ZOOKEEPER_CONNECT, value: "zk:2181"}]
                  volumeMounts: [{name: data, mountPath: /var/lib/kafka/data}]
              volumes: [{name: data, persistentVolumeClaim: {claimName: kafka-data}}]
    Good: disks with room for two segments
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {replicas: 3, config: {}, storage: {type: persistent-claim, size: 1Gi}}
          zookeeper: {replicas: 3, storage: {type: persistent-claim, size: 1Gi}}
    """
    if not cluster.production:
        return
    for broker in cluster.brokers:
        auto, factor = broker["auto.create.topics.enable"], broker["default.replication.factor"]
        if auto.value is True and factor.number < 2:
            yield cluster.finding(
                f"{cluster} auto-creates topics with {plain(factor)}",
                at=factor if factor.written else auto,
                because=(auto,) if factor.written else (factor,),
                breaks="a topic with a misspelt name, or one not created explicitly, gets one replica: "
                "it is unavailable if its broker fails and lost if the disk fails",
                fix="set auto.create.topics.enable=false or default.replication.factor=3",
            )
            return
