"""Task definitions of ECS in CloudFormation's templates, whose keys begin with a capital there."""

from __future__ import annotations

from kcheck.formats import Lookup
from kcheck.formats.containers import ecs
from kcheck.formats.scalars import documents, nothing, setting
from kcheck.model import Document, Setting
from kcheck.syntax import yaml
from kcheck.syntax.nodes import Mapping, Sequence
from kcheck.syntax.nodes import Scalar as Text
from kcheck.units import whole

_TASK = "AWS::ECS::TaskDefinition"
_DEEPEST = 12


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    for node in documents(document, data):
        take(document, node)
    nothing(document, "contains no container with a supported Kafka image")


def take(document: Document, template: yaml.Node) -> None:
    """Add the nodes and clients of a template's tasks."""
    top = yaml.child(template, "Resources") or yaml.child(template, "resources", "Resources")
    for name, _, body in yaml.pairs(top):
        if yaml.text(yaml.child(body, "Type")) != _TASK:
            continue
        properties = yaml.child(body, "Properties")
        if properties is None:
            continue
        task, count = _lowered(properties, 0), _count(document, top, name)
        for item in yaml.items(yaml.child(task, "containerDefinitions")):
            ecs.take(document, item, task, count)


def _count(document: Document, top: yaml.Node | None, task: str) -> Setting | None:
    """How many of a task its one service runs, where the template says so."""
    found: list[tuple[yaml.Node, yaml.Node]] = []
    for _, _, body in yaml.pairs(top):
        properties = yaml.child(body, "Properties")
        named = yaml.child(properties, "TaskDefinition")
        if task in (yaml.text(named), yaml.text(yaml.child(named, "Ref"))):
            found += [(k, v) for key, k, v in yaml.pairs(properties) if key == "DesiredCount"]
    if len(found) != 1 or whole(yaml.text(found[0][1])) is None:
        return None
    return setting("instances", *found[0], document.path, "DesiredCount")


def _lowered(node: yaml.Node, depth: int) -> yaml.Node:
    """The node with the keys of the service's own API; what a function makes is a placeholder."""
    at = yaml.position(node)
    if depth > _DEEPEST or str(node.tag).startswith("!"):
        return Text("${function}", at, '"')
    if isinstance(node, yaml.MappingNode):
        members = yaml.pairs(node)
        if any(key == "Ref" or key.startswith("Fn::") for key, _, _ in members):
            return Text("${function}", at, '"')
        made = Mapping(at)
        for key, key_node, value in members:
            made.pairs.append((key[:1].lower() + key[1:], key_node, _lowered(value, depth + 1)))
        return made
    if isinstance(node, yaml.SequenceNode):
        return Sequence([_lowered(item, depth + 1) for item in yaml.items(node)], at)
    return node
