"""KC10: custom resources that name others of their operator."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.layout import Layout
from kcheck.model import CFK, WARNING, Finding, Resource
from kcheck.rule import rule
from kcheck.rules.shared.reference_findings import finding


@rule("KC1093", "controllers-of-nobody", WARNING)
def controllers_of_nobody(layout: Layout) -> Iterator[Finding]:
    """A Kafka resource depends on a KRaftController that no file defines, beside one of another name.

    Confluent for Kubernetes finds the controllers by name and namespace: without them it starts no
    broker. Reported if the files define KRaftController resources in that namespace, none of them has
    the name, and at least one is the dependency of no Kafka resource.

    Bad:
        --- platform.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: KRaftController
        metadata: {name: kraftcontroller, namespace: confluent}
        spec: {replicas: 3, dataVolumeCapacity: 10Gi}
        ---
        apiVersion: platform.confluent.io/v1beta1
        kind: Kafka
        metadata: {name: kafka, namespace: confluent}
        spec:
          replicas: 3
          dataVolumeCapacity: 100Gi
          dependencies: {kRaftController: {clusterRef: {name: kraft-controller}}}
    Bad: in another namespace
        --- controllers.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: KRaftController
        metadata: {name: kraftcontroller, namespace: confluent}
        spec: {replicas: 3, dataVolumeCapacity: 10Gi}
        --- kafka.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: Kafka
        metadata: {name: kafka, namespace: streaming}
        spec:
          replicas: 3
          dataVolumeCapacity: 100Gi
          dependencies: {kRaftController: {clusterRef: {name: controllers, namespace: confluent}}}
    Good:
        --- platform.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: KRaftController
        metadata: {name: kraftcontroller, namespace: confluent}
        spec: {replicas: 3, dataVolumeCapacity: 10Gi}
        ---
        apiVersion: platform.confluent.io/v1beta1
        kind: Kafka
        metadata: {name: kafka, namespace: confluent}
        spec:
          replicas: 3
          dataVolumeCapacity: 100Gi
          dependencies: {kRaftController: {clusterRef: {name: kraftcontroller}}}
    Good: its controllers may be defined elsewhere
        --- kafka.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: Kafka
        metadata: {name: kafka, namespace: confluent}
        spec:
          replicas: 3
          dataVolumeCapacity: 100Gi
          dependencies: {kRaftController: {clusterRef: {name: kraft-controller}}}
    """
    nodes = [
        node for group in layout.found.groups for node in group.nodes if node.traits.deployer == CFK
    ]
    controllers = [node for node in nodes if node.kind == "controller"]
    taken = {node.traits.controllers for node in nodes}
    for node in nodes:
        near = [one for one in controllers if _together(node, one)]
        free = [one for one in near if one.name not in taken]
        told, name = node.traits.controllers_at, node.traits.controllers
        if not name or not free or any(one.name == name for one in near):
            continue
        assert told is not None, "a name is written somewhere"
        yield finding(
            told,
            f"Kafka {node.name} depends on KRaftController {name}, but the files define "
            f"{', '.join(sorted(one.name for one in near))}",
            None,
            "the operator waits for the controllers and starts no broker",
            f"set the name to {free[0].name}",
        )


def _together(node: Resource, controller: Resource) -> bool:
    """Whether a Kafka resource looks for its controllers where this one is."""
    wanted = node.traits.controllers_namespace or node.traits.namespace
    space = controller.traits.namespace
    if wanted and space:
        return wanted == space
    return node.path.rpartition("/")[0] == controller.path.rpartition("/")[0]
