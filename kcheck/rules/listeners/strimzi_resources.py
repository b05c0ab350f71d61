"""KC10: listeners and node pools of Strimzi's Kafka resource."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.nodes import Node
from kcheck.model import ERROR, WARNING, Finding, Note
from kcheck.rule import rule
from kcheck.rules.shared.keys_wording import noted
from kcheck.rules.shared.strimzi import absent, kafka_resource

_POOLS = "strimzi.io/node-pools"


@rule("KC1066", "strimzi-listener-refused", ERROR, versions="Strimzi 0.20+")
def strimzi_listener_refused(note: Note, node: Node) -> Iterator[Finding]:
    """The Strimzi operator rejects a listener of the Kafka resource.

    Listener names and ports are unique within a cluster. Names are 1 to 11 lower-case letters and
    digits. Ports start at 9092; 9404 and 9999 are reserved for metrics, lower ports for the operator.
    Listeners of type route and ingress require TLS, those of type ingress a host for bootstrapping and
    for each broker, and most parts of the configuration belong to some types only. Authentication of
    type oauth requires an issuer, and the keys of tokens or an endpoint that knows them. Since API
    version v1beta2, listeners is a list; Strimzi before 0.20 has a mapping instead.

    Bad: duplicate name
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            listeners:
              - {name: plain, port: 9092, type: internal, tls: false}
              - {name: plain, port: 9093, type: internal, tls: true}
    Bad: a port reserved for the operator
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            listeners:
              - {name: plain, port: 9091, type: internal, tls: false}
    Bad: a route without TLS
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            listeners:
              - {name: external, port: 9094, type: route, tls: false}
    Bad: an ingress without hosts
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            listeners:
              - {name: web, port: 9094, type: ingress, tls: true, configuration: {class: nginx}}
    Bad: a name in capitals
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            listeners:
              - {name: External_TLS, port: 9094, type: loadbalancer, tls: true}
    Bad: a part that another type has
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            listeners:
              - name: external
                port: 9094
                type: nodeport
                tls: true
                configuration: {loadBalancerSourceRanges: [10.0.0.0/8], brokers: [{broker: 0, host: k0.example.com}]}
    Bad: client certificates without TLS
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            listeners:
              - {name: plain, port: 9092, type: internal, tls: false, authentication: {type: tls}}
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            listeners:
              - {name: plain, port: 9092, type: internal, tls: false}
              - {name: tls, port: 9093, type: internal, tls: true}
    Good: each part belongs to its type
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            listeners:
              - name: web
                port: 9094
                type: ingress
                tls: true
                configuration:
                  class: nginx
                  bootstrap: {host: k.example.com}
                  brokers: [{broker: 0, host: k0.example.com}]
              - {name: nodes, port: 9095, type: nodeport, tls: false, configuration: {preferredNodePortAddressType: InternalIP}}
    Bad: the mapping of old API versions
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            listeners: {plain: {}, tls: {}}
    Bad: a list for an old operator
        --- operator.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: strimzi-cluster-operator}
        spec:
          template:
            spec:
              containers:
                - name: strimzi-cluster-operator
                  image: strimzi/operator:0.19.0
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta1
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            listeners:
              - {name: plain, port: 9092, type: internal, tls: false}
    Good: the mapping of old API versions
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta1
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            listeners: {plain: {}, tls: {}}
    Bad: OAuth without the keys of the tokens
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            listeners:
              - name: oauth
                port: 9094
                type: internal
                tls: true
                authentication: {type: oauth, validIssuerUri: "https://sso.example.com/realms/kafka"}
    Good: OAuth
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            listeners:
              - name: oauth
                port: 9094
                type: internal
                tls: true
                authentication:
                  type: oauth
                  validIssuerUri: https://sso.example.com/realms/kafka
                  jwksEndpointUri: https://sso.example.com/realms/kafka/protocol/openid-connect/certs
                  jwksRefreshSeconds: 300
                  jwksExpirySeconds: 360
    """
    yield noted(note, node)


@rule("KC1067", "strimzi-pools-unread", WARNING, versions="Kafka below 3.9 (Strimzi before 0.46)")
def strimzi_pools_unread(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A Strimzi cluster has node pools, but node pools are not enabled on its Kafka resource.

    Before 0.46, which supports only Kafka 3.9 and newer, the operator reads KafkaNodePool resources
    only for a Kafka resource with the annotation strimzi.io/node-pools: enabled.

    Bad:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaNodePool
        metadata: {name: brokers, labels: {strimzi.io/cluster: core}}
        spec: {replicas: 3, roles: [broker]}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {version: 3.7.0}
    Good:
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaNodePool
        metadata: {name: brokers, labels: {strimzi.io/cluster: core}}
        spec: {replicas: 3, roles: [broker]}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, annotations: {strimzi.io/node-pools: enabled}}
        spec:
          kafka: {version: 3.7.0}
    Good: not required by current operators
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaNodePool
        metadata: {name: brokers, labels: {strimzi.io/cluster: core}}
        spec: {replicas: 3, roles: [broker]}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {version: 4.0.0}
    """
    kafka = kafka_resource(cluster)
    pool = next((r for r in cluster.resources if r.traits.pool), None)
    if kafka is None or pool is None or kafka.traits.reads_pools:
        return
    if not cluster.version.below("3.9"):
        return
    node = Node(kafka, cluster)
    replicas = "replicas" in kafka.facts
    yield node.finding(
        f"Kafka {kafka.name} has node pool {pool.name}, but no annotation {_POOLS}: enabled",
        at=absent(node, _POOLS),
        because=(cluster.fact("kafka_version"),) if cluster.fact("kafka_version").written else (),
        breaks="the operator ignores the node pools and runs the replicas of the Kafka resource"
        if replicas
        else "the operator ignores the node pools and rejects a Kafka resource without replicas",
        fix=f"add the annotation {_POOLS}: enabled to Kafka {kafka.name}",
        severity=WARNING if replicas else ERROR,
    )
