"""Plain Kubernetes: containers of known images, ``--override`` arguments, files in ConfigMaps and
in the plain part of Secrets.

What a volume, a secret or another file puts into a container is unknown: nothing is missing then.
"""

from __future__ import annotations

from kcheck.formats import Lookup
from kcheck.formats.kubernetes import containers as kubernetes_containers
from kcheck.formats.kubernetes import maps as kubernetes_maps
from kcheck.formats.kubernetes import strings as kubernetes_strings
from kcheck.formats.kubernetes.beside import WORKLOADS, pod_of
from kcheck.formats.kubernetes.objects import Objects
from kcheck.formats.scalars import documents, known, nothing
from kcheck.model import EVICTIONS, Document
from kcheck.syntax import yaml

_NODES = ("broker", "controller")
#: Groups of operators that are clients of Kafka's.
_CLIENTS = (b"keda.sh/", b"dapr.io/", b"knative.dev/", b"opentelemetry.io/", b"default.topic.")


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    nodes: list[yaml.Node] = []
    for node in documents(document, data):
        many = yaml.text(yaml.child(node, "kind")) == "List"
        nodes.extend(yaml.items(yaml.child(node, "items")) if many else [node])
    applied = _applied(nodes)
    _read(Objects(document, data, lookup, applied), applied)
    if any(group in data for group in _CLIENTS):
        from kcheck.formats.agents import resources  # few files have such resources

        resources.take(document, data, applied)
    if document.resources or document.references:
        for node in applied:
            kubernetes_strings.tell(document, node)
    if not any(one.role == EVICTIONS for one in document.references):
        nothing(document, "contains no Kafka container or file")


def _applied(nodes: list[yaml.Node]) -> list[yaml.Node]:
    """The objects that there are when all of a file is applied: of one name the last replaces others."""
    found: dict[tuple[object, ...], yaml.Node] = {}
    for node in nodes:
        meta = yaml.child(node, "metadata")
        name, namespace = known(yaml.child(meta, "name")), yaml.text(yaml.child(meta, "namespace"))
        key = (yaml.text(yaml.child(node, "kind")), namespace, name) if name else (id(node),)
        found.pop(key, None)
        found[key] = node
    return [*found.values()]


def _read(objects: Objects, nodes: list[yaml.Node]) -> None:
    if objects.services:
        objects.document.extent.hosts = tuple(name for name in objects.services if name)
    for node in objects.workloads:
        kubernetes_containers.workload(objects, node)
    if objects.bare:
        for resource in objects.document.resources:
            if resource.kind == "broker":
                resource.traits.bare_zookeepers = objects.bare
    for node in nodes:
        if yaml.text(yaml.child(node, "kind")) in (*WORKLOADS, "Job", "CronJob"):
            _commands(objects, node)
    for name, node in objects.maps.items():
        if name not in objects.mounted:
            kubernetes_maps.files(objects, node)
        kubernetes_maps.scripts(objects, node)


def _commands(objects: Objects, node: yaml.Node) -> None:
    job = yaml.child(node, "spec", "jobTemplate")
    pod = pod_of(node if job is None else job)
    resources, before = objects.document.resources, len(objects.document.resources)
    for item in yaml.items(yaml.child(pod, "initContainers")):
        _tools(objects, node, item)
    first = resources[before:]
    for item in yaml.items(yaml.child(pod, "containers")):
        _tools(objects, node, item)
    if any(one.kind in _NODES for one in resources[before + len(first) :]):
        # The file that they write before is for the format of the storage, or for the same broker.
        resources[before : before + len(first)] = [one for one in first if one.kind not in _NODES]


def _tools(objects: Objects, workload: yaml.Node, node: yaml.Node) -> None:
    """What the command of a container does with Kafka's tools."""
    parts = [
        part
        for key in ("command", "args")
        for part in yaml.items(yaml.child(node, key))
        if isinstance(part, yaml.ScalarNode)
    ]
    ours = ("kafka-", "curl", "rpk ")
    if not any(sign in str(one.value) for one in parts for sign in ours):
        return
    from kcheck.formats.kubernetes import (
        commands as kubernetes_commands,  # few containers have such commands
    )

    kubernetes_commands.read(objects.document, workload, node, parts, objects.lines)
