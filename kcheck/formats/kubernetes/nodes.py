"""Nodes and workers of Kubernetes' workloads: the file and the options that a command starts them
with, how many there are, what they may use, and what reaches them.
"""

from __future__ import annotations

from kcheck.formats import embedded
from kcheck.formats.containers import started
from kcheck.formats.containers.container import amount
from kcheck.formats.kubernetes.beside import cover, instances
from kcheck.formats.kubernetes.objects import Objects, name_of
from kcheck.formats.scalars import setting
from kcheck.model import KUBERNETES, THE_POD, Document, Resource, Setting
from kcheck.syntax import yaml

_LIMITS = (("memory", "ram"), ("cpu", "cores"))


def of_command(
    objects: Objects,
    workload: yaml.Node,
    pod: yaml.Node | None,
    node: yaml.Node,
    command: list[yaml.ScalarNode],
    file: str,
) -> Resource:
    """A broker with a file and what the command sets over it; its variables mean nothing."""
    base = _mounted(objects, pod, node, file) or _beside(objects, file)
    name = name_of(workload, node)
    at = yaml.position(yaml.child(node, "name") or node)
    resource = base or Resource("broker", name, objects.document.path, at)
    resource.name, resource.traits.deployer = name, KUBERNETES
    resource.path, resource.at = objects.document.path, at
    if base is None:
        # The file is in the image, or comes from elsewhere: what is not here may be there.
        resource.traits.partial = True
        image = yaml.text(yaml.child(node, "image"))
        if image is not None:
            at = yaml.position(yaml.child(node, "image") or node)
            resource.facts["image"] = Setting("image", image, objects.document.path, at)
    elif resource.settings.keys().isdisjoint(("node.id", "broker.id")):
        resource.traits.partial, resource.traits.completed_by = True, THE_POD
    resource.traits.weighed = tuple(
        one.setting(one.name, None) for one in objects.variables.of(workload, node)[0].values()
    )
    for made in started.overrides(command, objects.lines, objects.document.path):
        resource.settings[made.key] = started.plain(made)
    return resource


def _mounted(
    objects: Objects, pod: yaml.Node | None, node: yaml.Node, file: str
) -> Resource | None:
    """The broker of the file, if a ConfigMap of this document holds it."""
    folder, _, name = file.rpartition("/")
    for mount in yaml.items(yaml.child(node, "volumeMounts")):
        path = (yaml.text(yaml.child(mount, "mountPath")) or "").rstrip("/")
        if path not in (folder, file):
            continue
        for volume in yaml.items(yaml.child(pod, "volumes")):
            if yaml.text(yaml.child(volume, "name")) != yaml.text(yaml.child(mount, "name")):
                continue
            held = yaml.text(yaml.child(volume, "configMap", "name")) or ""
            text = yaml.child(objects.maps.get(held), "data", name)
            made = embedded.file(objects.document, name, text, objects.lines, objects.lookup)
            if made:
                objects.mounted.add(held)
                return made[0]
    return None


def _beside(objects: Objects, file: str) -> Resource | None:
    """The broker of a file of that name in this folder, of which an image or a map is made."""
    from kcheck.formats.properties import reader as properties

    folder, name = objects.document.path.rpartition("/")[0], file.rpartition("/")[2]
    path = f"{folder}/{name}".lstrip("/")
    data = objects.lookup(path) if name.endswith(".properties") else None
    if data is None:
        return None
    inner = Document(path)
    inner.format = properties.recognise(path, data)
    if inner.format is not None:
        properties.read(inner, data, objects.lookup)
    if len(inner.resources) != 1 or inner.resources[0].kind not in ("broker", "controller"):
        return None
    cover(objects.document, path)
    return inner.resources[0]


def counted(objects: Objects, resource: Resource, workload: yaml.Node) -> None:
    """Note how many pods a workload has."""
    if resource.kind == "worker":
        resource.traits.instances = instances(workload, objects.document.path)
        return
    node = yaml.child(workload, "spec", "replicas")
    text = yaml.text(node) if node is not None else "1"
    kind = yaml.text(yaml.child(workload, "kind"))
    if kind in ("StatefulSet", "Deployment") and text is not None and text.isdecimal():
        at = yaml.position(node) if node is not None else resource.at
        resource.facts["replicas"] = Setting("replicas", text, objects.document.path, at)


def limited(objects: Objects, resource: Resource, node: yaml.Node) -> None:
    """Note the memory and the cores that a container may use."""
    for key, key_node, value in yaml.pairs(yaml.child(node, "resources", "limits")):
        for name, fact in _LIMITS:
            if key == name:
                amount(resource, fact, setting(fact, key_node, value, objects.document.path))


def quorum(objects: Objects, resource: Resource, workload: yaml.Node, node: yaml.Node) -> None:
    """What keeps the nodes of a quorum from each other."""
    if not any(key.startswith("controller.quorum.") for key in resource.settings):
        return
    from kcheck.formats.kubernetes import quorum as kubernetes_quorum  # few files have such nodes

    policies = objects.policies or [
        *kubernetes_quorum.policies_beside(objects.document.path, objects.lookup)
    ]
    services = objects.answering.selecting(workload)
    objects.document.problems.extend(
        kubernetes_quorum.faults(resource, workload, node, services, policies)
    )


def reached(objects: Objects, resource: Resource, workload: yaml.Node, node: yaml.Node) -> None:
    """What Services and probes ask of a broker's ports."""
    from kcheck.formats.kubernetes import ports as kubernetes_ports  # few files have brokers

    services = objects.answering.selecting(workload)
    objects.document.problems.extend(kubernetes_ports.faults(resource, workload, node, services))


def has_names(pod: yaml.Node | None) -> bool:
    """Whether a pod has names of its own from elsewhere."""
    keys = ("hostAliases", "hostNetwork", "dnsConfig", "hostname", "subdomain")
    return any(yaml.child(pod, key) is not None for key in keys)
