"""Files, variables and scripts that ConfigMaps hold, and the plain part of Secrets."""

from __future__ import annotations

from kcheck.formats import embedded
from kcheck.formats.kubernetes.beside import Workload, pod_of
from kcheck.formats.kubernetes.objects import Objects, name_of
from kcheck.formats.kubernetes.variables import variable
from kcheck.formats.scalars import known
from kcheck.model import THE_POD, Resource
from kcheck.syntax import yaml


def scripts(objects: Objects, node: yaml.Node) -> None:
    """What scripts do with Kafka's tools that a map carries."""
    if any(
        "kafka-" in (text := yaml.text(value) or "") or "rpk " in text
        for _, _, value in yaml.pairs(yaml.child(node, "data"))
    ):
        from kcheck.formats.kubernetes import (
            commands as kubernetes_commands,  # few maps have such scripts
        )

        kubernetes_commands.scripts(objects.document, node, objects.lines)


def files(objects: Objects, node: yaml.Node) -> None:
    """Add what a map's files and variables declare to the document."""
    # What a Secret has under data is encoded.
    secret = yaml.text(yaml.child(node, "kind")) == "Secret"
    held = yaml.pairs(yaml.child(node, "stringData" if secret else "data"))
    holder = known(yaml.child(node, "metadata", "name"))
    members = [(name, value) for name, _, value in held]
    found = embedded.files(objects.document, holder, members, objects.lines, objects.lookup)
    for one in found:
        if one.kind in ("broker", "controller") and not one.settings.keys() & {
            "node.id",
            "broker.id",
        }:
            # What several pods have in common, each completes with its own identity as it starts.
            one.traits.partial, one.traits.completed_by = True, THE_POD
    objects.document.resources.extend(found)
    drawn: list[Resource] = []
    if holder not in objects.variables.drawn:
        variables = [variable(*member, objects.document.path) for member in held]
        drawn = objects.springs(holder or "?", variables)
    namespace = known(yaml.child(node, "metadata", "namespace"))
    for resource in drawn:
        resource.traits.holder = f"{objects.document.path}#{holder}"
    for resource in (*found, *drawn) if namespace else ():
        resource.traits.namespace = namespace
    if holder and (found or drawn):
        _run(objects, found, drawn, holder, namespace)


def _run(
    objects: Objects, mounted: list[Resource], drawn: list[Resource], holder: str, namespace: str
) -> None:
    """Count the clients of a map's files and variables by the one workload that has the map."""
    everybody = [Workload(node, objects.document.path) for node in objects.workloads]
    from kcheck.formats.yaml_others import recognise

    paths: dict[str, str] = {}
    for path, data, one in objects.beside.workloads():
        everybody.append(one)
        if recognise(path, data) is None:
            paths[one.name] = path
    using = [
        one
        for one in everybody
        if holder in one.mounts | one.draws and one.namespace in ("", namespace)
    ]
    if len(using) != 1:
        return
    count = objects.replicas(using[0].name, using[0].instances)
    if mounted and using[0].name in paths:
        _alone(objects, paths[using[0].name], using[0].node)
    clients = [
        *(mounted if holder in using[0].mounts else ()),
        *(drawn if holder in using[0].draws else ()),
    ]
    for client in clients:
        if client.kind not in ("broker", "controller", "topic", "connector"):
            client.traits.instances = client.traits.instances or count


def _alone(objects: Objects, path: str, workload: yaml.Node) -> None:
    """The processes of a workload whose file has nothing of Kafka's but the map's name."""
    from kcheck.formats.kubernetes import running as kubernetes_running
    from kcheck.formats.kubernetes import stores as kubernetes_stores

    pod = pod_of(workload)
    for node in yaml.items(yaml.child(pod, "containers")):
        stores = tuple(kubernetes_stores.places(pod, node, lambda name: objects.map(name, "")))
        made = stores and kubernetes_running.process(
            path,
            name_of(workload, node),
            kubernetes_running.Pod(workload, pod, node, objects.claim),
            lambda: ({}, False),
            True,
        )
        if made:
            made.reads = stores
            objects.document.processes += (made,)
