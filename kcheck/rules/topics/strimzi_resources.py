"""KC06: the labels that assign Strimzi resources to a cluster."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.nodes import Node
from kcheck.lexicon.suggest import namesakes, relabelled
from kcheck.model import FACT, WARNING, Finding, Value
from kcheck.rule import rule
from kcheck.rules.shared.strimzi import LABEL, absent, apart, kafka_resource


@rule("KC0607", "strimzi-label-missing", WARNING)
def strimzi_label_missing(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A KafkaTopic or KafkaUser has no label strimzi.io/cluster.

    The topic operator and the user operator of a Kafka resource watch only resources with the label
    strimzi.io/cluster: NAME. A resource without the label is stored in Kubernetes and has no effect.
    Silent if kustomize builds the file, because it may add labels.

    Bad:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {version: 4.0.0}
          entityOperator: {topicOperator: {}, userOperator: {}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaTopic
        metadata: {name: orders}
        spec: {partitions: 3, replicas: 3}
    Bad: a user
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, namespace: kafka}
        spec:
          kafka: {version: 4.0.0}
          entityOperator: {userOperator: {}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: writer, labels: {app: x}}
        spec: {authentication: {type: tls}}
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {version: 4.0.0}
          entityOperator: {topicOperator: {}, userOperator: {}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaTopic
        metadata: {name: orders, labels: {strimzi.io/cluster: core}}
        spec: {partitions: 3, replicas: 3}
    Good: a standalone operator, which may watch other labels
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec: {kafka: {version: 4.0.0}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaTopic
        metadata: {name: orders}
        spec: {partitions: 3, replicas: 3}
    """
    kafka = kafka_resource(cluster)
    if kafka is None:
        return
    running = kafka.traits.operators
    for resource in cluster.resources:
        if not resource.traits.unlabelled or running is None:
            continue
        if f"{resource.kind}Operator" not in running or apart(resource, kafka):
            continue
        node = Node(resource, cluster)
        yield node.finding(
            f"{node} has no label {LABEL}",
            at=absent(node, LABEL),
            breaks=f"the {resource.kind} operator of Kafka {kafka.name} ignores it: the "
            f"{resource.kind} is neither created nor changed",
            fix=f"add {LABEL}: {kafka.name} to the labels",
        )


@rule("KC0608", "strimzi-label-misspelt", WARNING)
def strimzi_label_misspelt(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """strimzi.io/cluster looks like a typo of an existing cluster.

    The operators find a KafkaTopic, a KafkaUser and a KafkaNodePool only by the label
    strimzi.io/cluster. With the name of a cluster that does not exist the resource is stored in
    Kubernetes and has no effect. Reported only if the name must be a typo of a cluster in the same
    namespace, or is its name with -kafka, -cluster or the like more or less: a cluster of any other
    name may be defined elsewhere.

    Bad:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, namespace: kafka}
        spec:
          kafka: {version: 4.0.0}
          entityOperator: {topicOperator: {}, userOperator: {}}
        --- user.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: writer, namespace: kafka, labels: {strimzi.io/cluster: cores}}
        spec: {authentication: {type: tls}}
    Bad: a node pool
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: payment-kafka}
        spec: {kafka: {version: 4.0.0}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaNodePool
        metadata: {name: brokers, labels: {strimzi.io/cluster: payments-kafka}}
        spec: {replicas: 3, roles: [broker]}
    Bad: the name with its kind
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, namespace: kafka}
        spec:
          kafka: {version: 4.0.0}
          entityOperator: {topicOperator: {}, userOperator: {}}
        --- topic.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaTopic
        metadata: {name: orders, namespace: kafka, labels: {strimzi.io/cluster: core-kafka}}
        spec: {partitions: 3, replicas: 3}
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, namespace: kafka}
        spec:
          kafka: {version: 4.0.0}
          entityOperator: {topicOperator: {}, userOperator: {}}
        --- user.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: writer, namespace: kafka, labels: {strimzi.io/cluster: core}}
        spec: {authentication: {type: tls}}
    Good: a cluster with another number may exist elsewhere
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core-1}
        spec:
          kafka: {version: 4.0.0}
          entityOperator: {topicOperator: {}, userOperator: {}}
        --- user.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: writer, labels: {strimzi.io/cluster: core-2}}
        spec: {authentication: {type: tls}}
    """
    kafka = kafka_resource(cluster)
    if kafka is None:
        return
    running = kafka.traits.operators
    for resource in cluster.resources:
        label = resource.traits.label
        if label is None or not relabelled(label.text or "", [kafka.name]):
            continue
        pool = resource.traits.pool
        watched = running is not None and f"{resource.kind}Operator" in running
        if not (pool or watched):
            continue
        node = Node(resource, cluster)
        what = f"node pool {resource.name}" if pool else str(node)
        typo = namesakes(label.text or "", [kafka.name])
        yield node.finding(
            f"{what} has {LABEL}: {label.text}, which "
            + ("looks like a typo of" if typo else "no Kafka resource has: its name is")
            + f" {kafka.name}",
            at=Value(LABEL, resource, FACT, label.text, label.text, True, label),
            breaks="no operator manages it: "
            + (
                "its nodes are not started"
                if pool
                else f"the {resource.kind} is neither created nor changed"
            ),
            fix=f"set {LABEL}: {kafka.name}",
            set_to=kafka.name,
        )


@rule("KC0639", "strimzi-operator-not-deployed", WARNING)
def strimzi_operator_not_deployed(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """KafkaTopic or KafkaUser resources of a cluster whose entity operator leaves their operator out.

    spec.entityOperator deploys the topic operator and the user operator only if it lists them. Without
    the user operator no KafkaUser gets credentials, ACLs or quotas; without the topic operator no
    KafkaTopic is created. Silent without spec.entityOperator: a standalone operator may run.

    Bad: users
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, namespace: kafka}
        spec:
          kafka: {version: 4.0.0}
          entityOperator: {topicOperator: {}}
        --- user.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: writer, namespace: kafka, labels: {strimzi.io/cluster: core}}
        spec: {authentication: {type: tls}}
    Bad: topics
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {version: 4.0.0}
          entityOperator: {userOperator: {}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaTopic
        metadata: {name: orders, labels: {strimzi.io/cluster: core}}
        spec: {partitions: 3, replicas: 3}
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {version: 4.0.0}
          entityOperator: {topicOperator: {}, userOperator: {}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: writer, labels: {strimzi.io/cluster: core}}
        spec: {authentication: {type: tls}}
    Good: a standalone user operator may run
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec: {kafka: {version: 4.0.0}}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaUser
        metadata: {name: writer, labels: {strimzi.io/cluster: core}}
        spec: {authentication: {type: tls}}
    """
    kafka = kafka_resource(cluster)
    if kafka is None or not kafka.traits.operators:
        return
    for kind in ("topic", "user"):
        operator = f"{kind}Operator"
        left = [
            one
            for one in cluster.resources
            if one.kind == kind
            and one.traits.label is not None
            and one.traits.label.text == kafka.name
        ]
        if operator in kafka.traits.operators or not left:
            continue
        first, *others = left
        node = Node(first, cluster)
        more = f" and {len(others)} more" if others else ""
        yield node.finding(
            f"{node}{more}: Kafka {kafka.name} runs no {kind} operator, because its entityOperator has "
            f"no {operator}",
            at=absent(node, f"spec.entityOperator.{operator}"),
            breaks=f"the {kind} is neither created nor changed"
            + (": it has no credentials and no ACLs" if kind == "user" else ""),
            fix=f"add {operator}: {{}} to spec.entityOperator of Kafka {kafka.name}",
        )
