"""Terraform's own resources for objects of Kubernetes: blocks in snake_case, one for each member of
a list."""

from __future__ import annotations

from collections.abc import Callable

from kcheck.syntax import yaml
from kcheck.syntax.hcl import Block, Entry
from kcheck.syntax.nodes import Mapping, Scalar, Sequence

#: The kinds by the type of resource, which may have the version of the API behind it.
KINDS = {
    "kubernetes_config_map": "ConfigMap",
    "kubernetes_secret": "Secret",
    "kubernetes_deployment": "Deployment",
    "kubernetes_stateful_set": "StatefulSet",
    "kubernetes_daemonset": "DaemonSet",
    "kubernetes_daemon_set": "DaemonSet",
    "kubernetes_pod": "Pod",
    "kubernetes_job": "Job",
    "kubernetes_cron_job": "CronJob",
    "kubernetes_service": "Service",
}
#: Blocks that are members of a list, by the name of that.
_LISTS = {
    "container": "containers",
    "init_container": "initContainers",
    "volume": "volumes",
    "volume_mount": "volumeMounts",
    "env": "env",
    "env_from": "envFrom",
    "port": "ports",
    "sources": "sources",
    "items": "items",
    "volume_claim_template": "volumeClaimTemplates",
}
#: What the provider calls otherwise than Kubernetes.
_NAMES = {"claim_name": "claimName", "cluster_ip": "clusterIP"}
_DEEPEST = 20

#: What an attribute says, as a node.
Value = Callable[[Entry], yaml.Node]


def kind_of(block: Block) -> str:
    """The kind of object that a resource makes; "" where it makes none."""
    label = block.labels[0] if block.labels else ""
    base, mark, version = label.rpartition("_v")
    return KINDS.get(base if mark and version.isdecimal() else label, "")


def of_block(block: Block, kind: str, value: Value) -> yaml.Node:
    """The object of a resource."""
    made = _mapping(block, value, 0)
    at = made.at
    if kind == "Secret":
        # The provider encodes what is plain here.
        made.pairs = [
            ("stringData" if name == "data" else name, key, told) for name, key, told in made.pairs
        ]
    made.pairs.insert(0, ("kind", Scalar("kind", at, ""), Scalar(kind, at, "=")))
    return made


def _mapping(block: Block, value: Value, depth: int) -> Mapping:
    start, end = block.node.start_point, block.node.end_point
    made = Mapping((start.row + 1, start.column + 1, end.row + 1, end.column + 1))
    for key, entry in block.attributes().items():
        name = _camel(key)
        made.pairs.append((name, Scalar(name, entry.key_at, ""), value(entry)))
    lists: dict[str, list[yaml.Node]] = {}
    for inner in block.blocks() if depth < _DEEPEST else ():
        if inner.type == "dynamic":
            # As many as somebody tells: of a member without a name, nobody knows more.
            name = _LISTS.get(inner.labels[0] if inner.labels else "", "")
            lists.setdefault(name, []).append(Mapping(inner.at))
            continue
        held = _mapping(inner, value, depth + 1)
        if inner.type in _LISTS:
            lists.setdefault(_LISTS[inner.type], []).append(held)
        else:
            name = _camel(inner.type)
            made.pairs.append((name, Scalar(name, inner.at, ""), held))
    for name, members in lists.items():
        at = yaml.position(members[0])
        made.pairs.append((name, Scalar(name, at, ""), Sequence(members, at)))
    return made


def _camel(name: str) -> str:
    if name in _NAMES:
        return _NAMES[name]
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)
