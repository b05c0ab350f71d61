"""KC01: what operators refuse of their resources, and of their own variables."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.model import ERROR, Faulty, Finding
from kcheck.rule import rule
from kcheck.rules.shared.problems import findings


@rule("KC0171", "custom-resource-refused", ERROR)
def custom_resource_refused(document: Faulty) -> Iterator[Finding]:
    """Fields of a custom resource contradict each other, or an object lacks one, so the operator refuses it.

    What holds between fields is in a table of the operators' sources (Strimzi, Koperator, Confluent for
    Kubernetes): volumes below /mnt, names that are unique, goals among other goals, groups that are
    defined, a method of access with its own section. What objects must have is in the definitions of
    Koperator, Redpanda and Confluent for Kubernetes. A warning where a certificate authority is due for
    renewal from the start. What kustomize or Helm completes is not checked.

    Bad: a volume of Strimzi's outside /mnt
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaNodePool
        metadata: {name: brokers, labels: {strimzi.io/cluster: core}}
        spec:
          replicas: 3
          roles: [broker]
          storage: {type: ephemeral}
          template:
            pod: {volumes: [{name: extra, configMap: {name: extra}}]}
            kafkaContainer: {volumeMounts: [{name: extra, mountPath: /opt/extra}]}
    Bad: a certificate authority that is due at once
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            version: 4.1.0
            listeners: [{name: tls, port: 9093, type: internal, tls: true}]
          clientsCa: {validityDays: 30}
    Bad: a hard goal that is none of the default goals
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            version: 4.1.0
            listeners: [{name: tls, port: 9093, type: internal, tls: true}]
          cruiseControl:
            config:
              default.goals: com.linkedin.kafka.cruisecontrol.analyzer.goals.RackAwareGoal
              hard.goals: com.linkedin.kafka.cruisecontrol.analyzer.goals.DiskCapacityGoal
    Bad: a bridge without HTTP
        --- bridge.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaBridge
        metadata: {name: web}
        spec: {replicas: 1, bootstrapServers: "core-kafka-bootstrap:9092"}
    Bad: a group of Koperator's brokers
        --- cluster.yaml
        apiVersion: kafka.banzaicloud.io/v1beta1
        kind: KafkaCluster
        metadata: {name: core}
        spec:
          brokerConfigGroups: {large: {storageConfigs: [{mountPath: /kafka}]}}
          brokers: [{id: 0, brokerConfigGroup: big}]
    Bad: a load balancer of CFK without its domain
        --- kafka.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: Kafka
        metadata: {name: kafka}
        spec:
          replicas: 3
          image: {application: "confluentinc/cp-server:7.9.0", init: "confluentinc/confluent-init-container:2.11.0"}
          dataVolumeCapacity: 100Gi
          listeners: {external: {externalAccess: {type: loadBalancer, loadBalancer: {brokerPrefix: b}}}}
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            version: 4.1.0
            listeners: [{name: tls, port: 9093, type: internal, tls: true}]
            template:
              pod: {volumes: [{name: a, configMap: {name: a}}, {name: b, secret: {secretName: b}}]}
              kafkaContainer: {volumeMounts: [{name: a, mountPath: /mnt/a}, {name: b, mountPath: "{{ where }}"}]}
          clusterCa: {validityDays: 30, renewalDays: 10}
          cruiseControl:
            config:
              default.goals: >
                com.linkedin.kafka.cruisecontrol.analyzer.goals.RackAwareGoal,
                com.linkedin.kafka.cruisecontrol.analyzer.goals.DiskCapacityGoal
              hard.goals: com.linkedin.kafka.cruisecontrol.analyzer.goals.DiskCapacityGoal
    Good: a patch
        --- overlay/kustomization.yaml
        patches: [{path: kafka.yaml}]
        --- overlay/kafka.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: Kafka
        metadata: {name: kafka}
        spec: {image: {application: "confluentinc/cp-server:7.9.0"}}
    """
    yield from findings(document, "KC0171")


@rule("KC0180", "strimzi-feature-gate", ERROR)
def strimzi_feature_gate(document: Faulty) -> Iterator[Finding]:
    """Strimzi's cluster operator is given a feature gate that its release does not have.

    A gate is gone once its feature is permanent: UseKRaft, KafkaNodePools and UnidirectionalTopicOperator
    among others. The operator ends for a gate that it does not know, for one without + or -, and for one that
    is there twice.

    Bad: gates of former releases
        --- operator.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: strimzi-cluster-operator, namespace: kafka}
        spec:
          template:
            spec:
              containers:
                - name: strimzi-cluster-operator
                  image: quay.io/strimzi/operator:0.46.0
                  env: [{name: STRIMZI_FEATURE_GATES, value: "+UseKRaft,-UseServerSideApply"}]
    Bad: no sign
        --- operator.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: strimzi-cluster-operator, namespace: kafka}
        spec:
          template:
            spec:
              containers:
                - name: strimzi-cluster-operator
                  image: quay.io/strimzi/operator:0.38.0
                  env: [{name: STRIMZI_FEATURE_GATES, value: KafkaNodePools}]
    Good:
        --- operator.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: strimzi-cluster-operator, namespace: kafka}
        spec:
          template:
            spec:
              containers:
                - name: strimzi-cluster-operator
                  image: quay.io/strimzi/operator:0.38.0
                  env: [{name: STRIMZI_FEATURE_GATES, value: "+UseKRaft,+KafkaNodePools"}]
    Good: another release
        --- operator.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: strimzi-cluster-operator, namespace: kafka}
        spec:
          template:
            spec:
              containers:
                - name: strimzi-cluster-operator
                  image: quay.io/strimzi/operator:latest
                  env: [{name: STRIMZI_FEATURE_GATES, value: "+UseKRaft"}]
    """
    yield from findings(document, "KC0180")
