"""KC01: what keeps Kubernetes from evicting the pods of Strimzi's clusters."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.layout import Layout
from kcheck.model import EVICTIONS, STRIMZI, WARNING, Finding, Reference, Resource
from kcheck.rule import rule
from kcheck.rules.shared.reference_findings import finding


@rule("KC0165", "drain-without-budget", WARNING)
def drain_without_budget(layout: Layout) -> Iterator[Finding]:
    """Strimzi's Drain Cleaner allows evictions, but the pods of Kafka have a disruption budget.

    With STRIMZI_DENY_EVICTION=false (legacy mode) the Drain Cleaner only marks pods for the operator.
    Kubernetes then evicts them itself, unless podDisruptionBudget.maxUnavailable of the Kafka resource
    is 0; its default is 1. The operator is not asked whether partitions become under-replicated.

    Bad:
        --- drain-cleaner.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: drain-cleaner, namespace: strimzi-drain-cleaner}
        spec:
          selector: {matchLabels: {app: drain-cleaner}}
          template:
            metadata: {labels: {app: drain-cleaner}}
            spec:
              containers:
                - name: drain-cleaner
                  image: quay.io/strimzi/drain-cleaner:1.3.0
                  env:
                    - {name: STRIMZI_DRAIN_KAFKA, value: "true"}
                    - {name: STRIMZI_DENY_EVICTION, value: "false"}
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: core, namespace: kafka}
        spec:
          kafka:
            version: 4.1.0
            listeners: [{name: plain, port: 9092, type: internal, tls: false}]
    Good: the operator alone evicts
        --- drain-cleaner.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: drain-cleaner, namespace: strimzi-drain-cleaner}
        spec:
          selector: {matchLabels: {app: drain-cleaner}}
          template:
            metadata: {labels: {app: drain-cleaner}}
            spec:
              containers:
                - name: drain-cleaner
                  image: quay.io/strimzi/drain-cleaner:1.3.0
                  env: [{name: STRIMZI_DENY_EVICTION, value: "false"}]
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: core, namespace: kafka}
        spec:
          kafka:
            version: 4.1.0
            listeners: [{name: plain, port: 9092, type: internal, tls: false}]
            template: {podDisruptionBudget: {maxUnavailable: 0}}
    Good: evictions are denied
        --- drain-cleaner.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: drain-cleaner, namespace: strimzi-drain-cleaner}
        spec:
          selector: {matchLabels: {app: drain-cleaner}}
          template:
            metadata: {labels: {app: drain-cleaner}}
            spec:
              containers:
                - name: drain-cleaner
                  image: quay.io/strimzi/drain-cleaner:1.3.0
                  env: [{name: STRIMZI_DENY_EVICTION, value: "true"}]
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: core, namespace: kafka}
        spec:
          kafka:
            version: 4.1.0
            listeners: [{name: plain, port: 9092, type: internal, tls: false}]
    Good: another namespace is watched
        --- drain-cleaner.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: drain-cleaner, namespace: strimzi-drain-cleaner}
        spec:
          selector: {matchLabels: {app: drain-cleaner}}
          template:
            metadata: {labels: {app: drain-cleaner}}
            spec:
              containers:
                - name: drain-cleaner
                  image: quay.io/strimzi/drain-cleaner:1.3.0
                  env:
                    - {name: STRIMZI_DENY_EVICTION, value: "false"}
                    - {name: STRIMZI_DRAIN_NAMESPACES, value: "staging,lab"}
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: core, namespace: kafka}
        spec:
          kafka:
            version: 4.1.0
            listeners: [{name: plain, port: 9092, type: internal, tls: false}]
    """
    for asking in layout.references.all():
        reference = asking.reference
        if reference.role != EVICTIONS:
            continue
        for group in layout.found.groups:
            for node in group.nodes:
                if _evicted(reference, node):
                    yield _finding(reference, node)


def _evicted(reference: Reference, node: Resource) -> bool:
    """Whether Kubernetes may evict the pods of a Kafka resource that the Drain Cleaner watches."""
    traits = node.traits
    if traits.deployer != STRIMZI or traits.pool:
        return False
    watched = [one.strip() for one in reference.url.split(",")]
    if watched != ["*"] and traits.namespace not in watched:
        return False
    told = traits.disruptions
    return told is None or told.text not in (None, "0")


def _finding(reference: Reference, node: Resource) -> Finding:
    told = node.traits.disruptions
    budget = f"maxUnavailable={told.text}" if told is not None else "maxUnavailable=1 (default)"
    return finding(
        reference.setting,
        f"Drain Cleaner {reference.asker.name} allows evictions, but the PodDisruptionBudget of Kafka "
        f"{node.name} has {budget}",
        told,
        "draining a node evicts brokers before their partitions are in sync elsewhere",
        f"set spec.kafka.template.podDisruptionBudget.maxUnavailable=0 on Kafka {node.name}, or "
        f"{reference.setting.key}=true",
    )
