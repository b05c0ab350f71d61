"""Containers in Terraform: task definitions of ECS, written with ``jsonencode`` or as JSON text, and
containers of Docker's provider. Those of Kubernetes' are read as its objects.

What is no literal of the same file is unknown, as in all of Terraform.
"""

from __future__ import annotations

from kcheck.formats import Lookup
from kcheck.formats.containers import ecs
from kcheck.formats.containers.container import Image, container
from kcheck.formats.containers.variables import Variable
from kcheck.formats.kubernetes import manifests
from kcheck.formats.terraform.manifests import Reader
from kcheck.model import DOCKER, Document, Position, Setting
from kcheck.syntax import yaml
from kcheck.syntax.hcl import Block, Entry, File, Scalar

TASKS, CONTAINERS = "aws_ecs_task_definition", "docker_container"
SERVICES = "aws_ecs_service"
_COMMANDS = ("command", "entrypoint")


def read(document: Document, file: File, data: bytes, lookup: Lookup) -> None:
    """Add the nodes and clients of the file's containers."""
    reader = Reader(document, file, data, lookup)
    for block in file.blocks:
        if block.type != "resource" or len(block.labels) < 2:
            continue
        if block.labels[0] == TASKS:
            count = _count(file, block)
            for node in _definitions(document, reader, block):
                ecs.take(document, node, node, count)
        elif block.labels[0] == CONTAINERS:
            _container(document, file, block)


def _count(file: File, task: Block) -> Setting | None:
    """How many of a task its one service runs, where this file says so."""
    name = f"{TASKS}.{task.labels[1]}."
    found = [
        own.get("desired_count")
        for block in file.blocks
        if block.type == "resource" and block.labels[:1] == [SERVICES]
        for own in (block.attributes(),)
        if "task_definition" in own and name in f"{own['task_definition'].source}."
    ]
    told = found[0] if len(found) == 1 else None
    value = told.value if told is not None else None
    if told is None or not isinstance(value, Scalar) or not value.text.isdigit():
        return None
    return Setting("instances", value.text, file.path, told.at, told.at, "desired_count")


def _definitions(document: Document, reader: Reader, block: Block) -> list[yaml.Node]:
    """The containers of a task."""
    entry = block.attributes().get("container_definitions")
    if entry is None:
        return []
    encoded = entry.argument("jsonencode")
    if encoded is not None:
        return yaml.items(reader.node(encoded))
    found = entry.heredoc()
    if found is None:
        return []
    lines, first, indent = found
    text = "\n".join(lines)
    if "%{" in text:
        return []

    def place(at: Position) -> Position:
        return at[0] + first - 1, at[1] + indent, at[2] + first - 1, at[3] + indent

    nodes = manifests.documents_at(document, manifests.filled(text), place)
    return [item for node in nodes for item in yaml.items(node)]


def _container(document: Document, file: File, block: Block) -> None:
    """A container of Docker's provider, whose variables are texts ``NAME=value``."""
    own = block.attributes()
    told = own.get("env")
    members = told.members() if told is not None else []
    variables: dict[str, Variable] = {}
    for entry in members:
        made = _variable(document.path, entry)
        if made is not None:
            variables[made.name] = made
    literal = told is None or (bool(members) and len(variables) == len(members))
    complete = literal and not any(key in own for key in _COMMANDS)
    image, at = _image(file, own.get("image"), block)
    if not variables or any(key in own for key in _COMMANDS):
        return
    name = own.get("name")
    value = name.value if name is not None else None
    called = value.text if isinstance(value, Scalar) else block.labels[1]
    node = container(called, document.path, block.at, Image(image, at), variables, complete, DOCKER)
    if node is not None:
        document.resources.append(node)
    elif any(one.startswith("SPRING_") for one in variables):
        from kcheck.formats.spring import variables as spring_variables

        spring_variables.of_container(document, called, variables.values(), DOCKER, None)


def _variable(path: str, entry: Entry) -> Variable | None:
    """``"NAME=value"``; the value is unknown where Terraform fills something in."""
    value = entry.value
    literal = isinstance(value, Scalar) and not value.made and value.path == path
    raw = value.text if literal and isinstance(value, Scalar) else entry.source.strip('"')
    name, equals, text = raw.partition("=")
    if not equals or "$" in name:
        return None
    line, column, end, last = entry.at
    start = column + 1 + len(name)
    key_at = (line, column + 1, line, start)
    at = (line, start + 1, end, last - 1)
    if literal:
        return Variable(name, text, path, at, key_at)
    return Variable(name, None, path, at, key_at, frame=text)


def _image(file: File, entry: Entry | None, block: Block) -> tuple[str | None, Position]:
    """The image of a container, by its name or by the resource that pulls it."""
    if entry is None:
        return None, block.at
    value = entry.value
    if isinstance(value, Scalar):
        return value.text, value.at
    for other in file.blocks:
        name = ".".join(other.labels[:2])
        if name.startswith("docker_image.") and entry.source.startswith(f"{name}."):
            told = other.attributes().get("name")
            named = told.value if told is not None else None
            if isinstance(named, Scalar):
                return named.text, named.at
    return None, entry.at
