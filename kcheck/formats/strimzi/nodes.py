"""The nodes of Strimzi's ``Kafka`` and ``KafkaNodePool``: roles, count, memory and disks of their pods."""

from __future__ import annotations

from kcheck.formats.scalars import fact, setting
from kcheck.formats.strimzi import refusals as strimzi_refusals
from kcheck.formats.strimzi.resource import Meta, claimed
from kcheck.formats.text import templated
from kcheck.model import Claim, Document, Resource, Setting
from kcheck.syntax import yaml


def pool(document: Document, meta: Meta, spec: yaml.Node | None) -> None:
    """Add the nodes of a ``KafkaNodePool``."""
    roles = [yaml.text(item) for item in yaml.items(yaml.child(spec, "roles"))]
    kind = "broker" if "broker" in roles or not roles else "controller"
    resource = claimed(document, kind, meta)
    resource.traits.pool = True
    if "controller" in roles:
        resource.traits.kraft = True
    if not any(role is None or templated(role) for role in roles):
        resource.traits.roles = tuple(role for role in roles if role)
    for key, key_node, value in yaml.pairs(spec):
        if key == "replicas":
            fact(resource, "replicas", key_node, value)
        elif key in HOST:
            host(resource, key, value)
    run(document, resource, meta, spec, "spec")


def beside(document: Document, meta: Meta, spec: yaml.Node | None) -> None:
    """Tell what the JVMs beside the nodes may use, where that is limited."""
    if any(yaml.child(spec, *fields, "resources") is not None for fields in _BESIDE):
        from kcheck.formats.strimzi import running as strimzi_running

        strimzi_running.others(document, meta.name, meta.at, spec)


HOST = ("jvmOptions", "resources", "storage")
#: The JVMs of a Kafka resource that are no nodes.
_BESIDE = (
    ("zookeeper",),
    ("entityOperator", "topicOperator"),
    ("entityOperator", "userOperator"),
    ("cruiseControl",),
)


def run(
    document: Document, resource: Resource, meta: Meta, node: yaml.Node | None, route: str
) -> None:
    """Tell the memory of the pods that run a node, where it is limited."""
    if yaml.child(node, "resources") is not None:
        from kcheck.formats.strimzi import running as strimzi_running

        resource.traits.process = strimzi_running.process(
            document, resource.kind, meta.name, meta.at, node, route
        )
    time = yaml.child(node, "template", "pod", "terminationGracePeriodSeconds")
    if time is not None:
        from kcheck.formats.containers import running

        key = "template.pod.terminationGracePeriodSeconds"
        document.processes += running.stopping(
            resource.kind, meta.name, document.path, meta.at, key, time
        )


def host(resource: Resource, key: str, node: yaml.Node) -> None:
    """What the pod has: heap, memory, cores, and the size of its disk or disks, in bytes."""
    from kcheck.formats.containers.container import amount, heap

    if key == "jvmOptions":
        for option, option_node, value in yaml.pairs(node):
            if option == "-Xmx":
                made = setting("heap", option_node, value, resource.path)
                made.raw = made.text = f"-Xmx{made.text}" if made.text else None
                heap(resource, made)
    elif key == "resources":
        for limit, limit_node, value in yaml.pairs(yaml.child(node, "limits")):
            if limit in ("memory", "cpu"):
                name = "ram" if limit == "memory" else "cores"
                amount(resource, name, setting(name, limit_node, value, resource.path))
    else:
        strimzi_refusals.storage(resource, node, "storage")
        volumes = yaml.items(yaml.child(node, "volumes")) or [node]
        kinds = {yaml.text(yaml.child(volume, "type")) for volume in volumes}
        if kinds == {"ephemeral"}:
            kind = yaml.child(volumes[0], "type") or node
            resource.traits.ephemeral = setting("storage.type", kind, kind, resource.path)
        resource.traits.claims = tuple(
            _claim(resource, volume)
            for volume in volumes
            if yaml.text(yaml.child(volume, "type")) == "persistent-claim"
        )
        sizes = [yaml.child(volume, "size") for volume in volumes]
        first = sizes[0]
        alike = {yaml.text(size) for size in sizes}
        if first is not None and len(alike) == 1:
            amount(resource, "disk_size", setting("disk_size", first, first, resource.path))
            if len(sizes) > 1:
                resource.facts["disks"] = Setting(
                    "disks", str(len(sizes)), resource.path, yaml.position(node)
                )


def _claim(resource: Resource, volume: yaml.Node) -> Claim:
    from kcheck.formats.containers.container import quantity

    name = yaml.text(yaml.child(volume, "id")) or ""
    part = f"volumes[{name}]." if name else ""
    size: Setting | None = None
    deletes: Setting | None = None
    for key, key_node, value in yaml.pairs(volume):
        made = setting(f"storage.{part}{key}", key_node, value, resource.path)
        if key == "size":
            size = made
            size.amount = quantity(made.text)
        elif key == "deleteClaim" and made.text == "true":
            deletes = made
    return Claim(name, size, deletes)
