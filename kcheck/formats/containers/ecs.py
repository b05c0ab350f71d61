"""ECS task definitions: containers of known images with their variables. JSON is YAML enough."""

from __future__ import annotations

from kcheck.formats import Lookup
from kcheck.formats.containers import programs as program_containers
from kcheck.formats.containers import running
from kcheck.formats.containers.container import Image, container
from kcheck.formats.containers.variables import Variable
from kcheck.formats.observers import signs as observer_signs
from kcheck.formats.scalars import inside
from kcheck.model import ECS, PASSED_OVER, SKIPPED, Document, Position, Setting
from kcheck.model.processes import BIND, EMPTY, HEALTH, NAMED, OTHER, Mount, Probe, Process
from kcheck.syntax import yaml
from kcheck.units import whole

_MIB = 1 << 20
_SPRING = "SPRING_"


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    nodes, problem = yaml.documents(data)
    if problem is not None:
        document.status = SKIPPED
        document.reason = "not valid JSON, or a template"
        return
    for node in nodes:
        for item in yaml.items(yaml.child(node, "containerDefinitions")):
            take(document, item, node)
        for item in yaml.items(node):
            take(document, item, item)
    if not document.resources and not document.processes:
        document.status = PASSED_OVER
        document.reason = "contains no container with a supported Kafka image"
    elif document.resources:
        document.extent.whole = True


def _process(
    document: Document,
    node: yaml.Node,
    task: yaml.Node,
    name: str,
    variables: dict[str, Variable],
    complete: bool,
) -> Process | None:
    """The container as a process, with the memory that ECS kills it above: its own, else the task's."""
    kind = running.kind_of(yaml.text(yaml.child(node, "image")) or "")
    words = [yaml.text(part) or "" for part in yaml.items(yaml.child(node, "command"))]
    if kind is None or (words and running.started_by(" ".join(words)) is not kind):
        return None
    at = yaml.position(yaml.child(node, "name") or node)
    made = running.process(kind, name, document.path, at, variables, complete, " ".join(words))
    for holder in (task, node):
        memory = yaml.child(holder, "memory")
        megabytes = whole(yaml.text(memory))
        if memory is not None and megabytes is not None:
            made.memory = Setting("memory", yaml.text(memory), document.path, inside(memory))
            made.memory.amount = megabytes * _MIB
    test = yaml.child(node, "healthCheck", "command")
    parts = [yaml.text(part) or "" for part in yaml.items(test)]
    if test is not None and parts[:1] != ["NONE"]:
        told = Setting("healthCheck", " ".join(parts[1:]), document.path, yaml.position(test))
        made.probes = (Probe(HEALTH, " ".join(parts[1:]), told),)
    made.mounts = _mounts(document, node, task)
    stop = yaml.child(node, "stopTimeout")
    if stop is not None:
        made.grace = Setting("stopTimeout", yaml.text(stop), document.path, yaml.position(stop))
        made.grace.amount = whole(made.grace.text)
    document.processes += (made,)
    return made


#: What keeps the data of a volume when its task has ended, and how sentences call it.
_KEPT = {
    "efsVolumeConfiguration": NAMED,
    "dockerVolumeConfiguration": NAMED,
    "fsxWindowsFileServerVolumeConfiguration": NAMED,
    "configuredAtLaunch": OTHER,
}


def _mounts(document: Document, node: yaml.Node, task: yaml.Node) -> tuple[Mount, ...] | None:
    """What is mounted; None where the definition of the task is not there, and with it its volumes."""
    if task is node or yaml.child(node, "volumesFrom") is not None:
        return None
    kinds: dict[str, str] = {}
    for volume in yaml.items(yaml.child(task, "volumes")):
        kept = [kind for key, kind in _KEPT.items() if yaml.child(volume, key) is not None]
        bound = yaml.child(volume, "host", "sourcePath") is not None
        kinds[yaml.text(yaml.child(volume, "name")) or ""] = BIND if bound else (*kept, EMPTY)[0]
    found: list[Mount] = []
    for item in yaml.items(yaml.child(node, "mountPoints")):
        name = yaml.text(yaml.child(item, "sourceVolume")) or ""
        place = yaml.text(yaml.child(item, "containerPath"))
        if place is None:
            return None
        kind = kinds.get(name, OTHER)
        told = Setting("mountPoints", kind, document.path, yaml.position(item))
        found.append(Mount(place, kind, name, told))
    return tuple(found)


def _programs(
    document: Document,
    name: str,
    image: str,
    variables: dict[str, Variable],
    node: yaml.Node,
    at: Position,
    complete: bool,
    process: Process | None,
    count: Setting | None,
) -> None:
    """The clients of a program around Kafka, of one that watches clusters, or of an application."""
    if program_containers.program_of(image, variables):
        for client in program_containers.clients(
            document, name, image, variables, at, ECS, complete
        ):
            client.traits.process, client.traits.instances = process, count
    elif observer_signs.program_of(image, variables):
        from kcheck.formats.observers import (
            containers as observer_containers,  # few containers are one of them
        )

        words = [
            (yaml.text(part) or "", yaml.position(part))
            for key in ("entryPoint", "command")
            for part in yaml.items(yaml.child(node, key))
        ]
        whole = complete and yaml.child(node, "mountPoints") is None
        observer_containers.clients(document, name, image, variables, words, at, ECS, whole, [])
    elif any(one.startswith(_SPRING) for one in variables):
        from kcheck.formats.spring import variables as spring_variables

        spring_variables.of_container(document, name, variables.values(), ECS, count)


def take(
    document: Document, node: yaml.Node, task: yaml.Node, count: Setting | None = None
) -> None:
    """Add the node or the clients of one container of a task; ``task`` is the container itself where
    its task is not there, ``count`` tells how many of it a service runs.
    """
    image_node = yaml.child(node, "image")
    given = yaml.child(node, "environment")
    if image_node is None or isinstance(given, yaml.ScalarNode):
        return  # a function makes the variables
    image = Image(yaml.text(image_node), inside(image_node))
    variables: dict[str, Variable] = {}
    for item in yaml.items(given):
        key, value = yaml.child(item, "name"), yaml.child(item, "value")
        text = yaml.text(key)
        if key is not None and value is not None and text:
            made = Variable(text, yaml.text(value), document.path, inside(value), inside(key))
            made.replaced = variables.get(text)
            variables[text] = made
    plain = all(yaml.child(node, key) is None for key in ("command", "entryPoint", "secrets"))
    name_node = yaml.child(node, "name")
    at = yaml.position(name_node or node)
    name = yaml.text(name_node) or "?"
    files = yaml.child(node, "environmentFiles")
    complete = plain and files is None
    made_of = container(name, document.path, at, image, variables, complete, ECS)
    process = _process(document, node, task, name, variables, complete)
    if process is not None:
        process.replicas = count
    if made_of is None:
        _programs(document, name, image.text or "", variables, node, at, complete, process, count)
        return
    if count is not None:
        made_of.facts["replicas"] = count
    made_of.traits.process = process
    memory = yaml.child(node, "memory")
    megabytes = whole(yaml.text(memory))
    if memory is not None and megabytes is not None:
        made_of.facts["ram"] = Setting("ram", yaml.text(memory), document.path, inside(memory))
        made_of.facts["ram"].amount = megabytes * _MIB
    for limit in yaml.items(yaml.child(node, "ulimits")):
        soft = yaml.child(limit, "softLimit")
        number = whole(yaml.text(soft))
        if yaml.text(yaml.child(limit, "name")) == "nofile" and soft is not None and number:
            made_of.facts["nofile"] = Setting(
                "nofile", str(number), document.path, yaml.position(soft)
            )
            made_of.facts["nofile"].amount = number
    document.resources.append(made_of)
