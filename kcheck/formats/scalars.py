"""YAML pairs as settings: scalars keep their source text."""

from __future__ import annotations

from kcheck.formats.text import templated, unrendered
from kcheck.model import (
    PASSED_OVER,
    READ,
    SKIPPED,
    START,
    Derived,
    Document,
    Framed,
    Position,
    Resource,
    Setting,
)
from kcheck.syntax import yaml
from kcheck.units import whole


def setting(key: str, key_node: yaml.Node, node: yaml.Node, path: str, name: str = "") -> Setting:
    """A YAML pair as a setting. Null, templates and anything but a scalar have no known text."""
    raw = yaml.text(node)
    at, key_at = yaml.position(node), yaml.position(key_node)
    # The commonest values are numbers: this runs for every key of every file.
    if raw is not None and not raw.isdecimal():
        if templated(raw):
            return Framed(key, raw, path, at, key_at, name or key)
        meant = yaml.resolved(node)
        if meant is not None:
            return Derived(key, meant, path, at, key_at, name or key)
    return Setting(key, raw, path, at, key_at, name or key)


def fill(
    resource: Resource, node: yaml.Node | None, strings: bool = False, nested: bool = False
) -> None:
    """Take a mapping of Kafka's keys for the resource's settings.

    A list is Kafka's list, joined with commas. A key that a template makes is left out. Where all
    values have to be ``strings``, their places are inside of the quotes, which must stay. Where a
    chart or a script takes the mapping, what is ``nested`` in it may be keys in parts, or nothing.
    """
    for key, key_node, value in yaml.pairs(node):
        if templated(key) or "{" in key:
            continue
        if nested and isinstance(value, yaml.MappingNode):
            resource.traits.partial = True
            continue
        made = setting(key, key_node, value, resource.path)
        if strings:
            made.at = inside(value)
        members = [yaml.text(item) for item in yaml.items(value)]
        if members and None not in members:
            text = ",".join(map(str, members))
            made = derived(made, None if templated(text) else text)
        take(resource, made)


def inside(node: yaml.Node) -> Position:
    """Where the text of a scalar stands: inside of its quotes, if it has some on one line."""
    line, column, end_line, end_column = yaml.position(node)
    if isinstance(node, yaml.ScalarNode) and node.style in ("'", '"') and line == end_line:
        return line, column + 1, end_line, end_column - 1
    return line, column, end_line, end_column


def derived(made: Setting, text: str | None) -> Setting:
    """The same setting with a text that is made of what stands in the file."""
    return Derived(made.key, text, made.path, made.at, made.key_at, made.name)


def take(resource: Resource, made: Setting) -> None:
    """Set a key of the resource; what an earlier line set is remembered."""
    if made.key in resource.settings:
        resource.earlier.append((resource.settings[made.key], made))
    resource.settings[made.key] = made


def fact(resource: Resource, name: str, key: yaml.Node, value: yaml.Node) -> None:
    """Take a pair for a fact of the resource, which a whole number is the amount of."""
    made = setting(name, key, value, resource.path)
    made.amount = whole(made.text)
    resource.facts[name] = made


def scaled(resource: Resource, key: str, node: yaml.Node, value: yaml.Node, factor: float) -> None:
    """Take a pair for a setting of Kafka's in a finer unit; negative numbers are special values."""
    made = setting(key, node, value, resource.path, str(node.value))
    try:
        number = float(made.text or "")
        text = str(round(number * factor, 9) if number >= 0 else number)
        made = derived(made, text.removesuffix(".0") if "e" not in text else None)
    except ValueError:
        pass  # no number in any unit: as it is, for those who tell that
    take(resource, made)


def known(node: yaml.Node | None) -> str:
    """The text of a scalar; "" where there is none, or a template fills it in."""
    text = yaml.text(node) or ""
    return "" if templated(text) else text


def named(document: Document, kind: str, node: yaml.Node | None, cluster: str = "") -> Resource:
    """A new resource of the document, with the name that the node holds."""
    at = yaml.position(node) if node is not None else START
    made = Resource(kind, yaml.text(node) or "?", document.path, at)
    made.cluster = cluster or None
    document.resources.append(made)
    return made


def documents(document: Document, data: bytes) -> list[yaml.Node]:
    """The YAML documents of a file; what is wrong is told, or the file skipped as a template."""
    nodes, problem = yaml.documents(data)
    if problem is not None:
        if unrendered(data):
            document.status, document.reason = SKIPPED, "an unrendered template"
            return []
        document.problems.append(problem)
    return nodes


def joined(key: str, key_node: yaml.Node, node: yaml.Node, path: str) -> Setting:
    """A YAML list as Kafka's list, such as ``bootstrap.servers``; unknown if one member is."""
    members = yaml.items(node)
    texts = [known(item) for item in members]
    made = setting(key, key_node, node, path, str(key_node.value))
    made.raw = made.text = ",".join(texts) if texts and all(texts) else None
    if members:
        # A block sequence goes on to whatever comes next.
        made.at = (*yaml.position(members[0])[:2], *yaml.position(members[-1])[2:])
    return made


def nothing(document: Document, reason: str) -> None:
    """Pass a document over in which nothing was found, unless there is a better reason."""
    found = document.resources or document.problems or document.processes
    if not found and document.status == READ:
        document.status, document.reason = PASSED_OVER, reason
