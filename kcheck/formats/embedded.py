"""Configuration text inside of another file: a properties file in a ConfigMap, a chart's value …

The text is read as the file that it becomes, and everything in it is put where it stands in the file
around it. Where that cannot be told exactly (folded text, escapes) it is at the whole of the text.
"""

from __future__ import annotations

import re
from importlib import import_module

from kcheck.formats import Lookup
from kcheck.formats.endings import modules_for
from kcheck.model import Document, Position, Resource, Setting
from kcheck.syntax import yaml
from kcheck.syntax.entry import Entry, lines_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType


#: Formats of programs whose clients are what the file says, wherever it is mounted.
_PROGRAMS = {
    "akhq",
    "client-maps",
    "client-other",
    "kafka-lag-exporter",
    "kafka-ui",
    "kminion",
    "lag-exporter-conf",
    "librdkafka",
    "micronaut-properties",
    "micronaut-yaml",
    "mp-properties",
    "mp-yaml",
    "redpanda-console",
    "spring-properties",
    "spring-yaml",
}


#: A key before its value.
_KEY = re.compile(r"\s*([\w.-]+[ \t]*[=:])")


class Inlay:
    """A text and where it lies: ``text`` is what is written, without the indent of its lines."""

    __slots__ = ("_indent", "_line", "_whole", "text")

    def __init__(self, node: yaml.ScalarNode, lines: list[str]) -> None:
        self.text: str = node.value
        self._whole = yaml.position(node)
        #: The line before the first one of the text, and how far they are indented; -1: unknown.
        self._line = node.start_mark.line
        self._indent = -1
        if node.style == "|":
            self._line += 1
            self._indent = self._indented(lines)
        elif node.start_mark.line == node.end_mark.line and self._line < len(lines):
            for quote in (1, 0):  # those of JSON are no part of the node
                start = node.start_mark.column + quote
                if lines[self._line][start : node.end_mark.column - quote] == self.text:
                    self._indent = start

    def _indented(self, lines: list[str]) -> int:
        """The indent of the first line; a value may be put into it, behind its key."""
        for number, line in enumerate(self.text.split("\n")):
            if line.strip():
                there = lines[self._line + number] if self._line + number < len(lines) else ""
                if there.endswith(line):
                    return len(there) - len(line)
                key = _KEY.match(line)
                alike = key is not None and there.lstrip().startswith(key[1])
                margin = len(there) - len(there.lstrip()) - (len(line) - len(line.lstrip()))
                return margin if alike and margin > 0 else -1
        return -1

    def place(self, at: Position) -> Position:
        """A position of the text as one of the file."""
        if self._indent < 0:
            return self._whole
        return (
            at[0] + self._line,
            at[1] + self._indent,
            at[2] + self._line,
            at[3] + self._indent,
        )


def files(
    document: Document,
    holder: str,
    members: list[tuple[str, yaml.Node]],
    lines: list[str],
    lookup: Lookup,
) -> list[Resource]:
    """What the files say that a ConfigMap or Secret called ``holder`` carries, by name and text.

    A file of a program's is read together with those beside it in the same holder.
    """
    found: list[Resource] = []
    texts = _texts(members)
    for name, node in texts.items():
        made = _program(document, holder, name, texts, lines)
        found.extend(file(document, name, node, lines, lookup) if made is None else made)
    return found


def programs(
    document: Document, holder: str, members: list[tuple[str, yaml.Node]], lines: list[str]
) -> list[Resource]:
    """The clients of the programs' files alone that something carries, as ``files`` takes them."""
    texts = _texts(members)
    return [made for name in texts for made in _program(document, holder, name, texts, lines) or ()]


def _texts(members: list[tuple[str, yaml.Node]]) -> dict[str, yaml.ScalarNode]:
    return {name: node for name, node in members if isinstance(node, yaml.ScalarNode)}


def _program(
    document: Document,
    holder: str,
    name: str,
    texts: dict[str, yaml.ScalarNode],
    lines: list[str],
) -> list[Resource] | None:
    """The clients of a program that the file configures; None where it is no such file.

    They have the text's own folder: what lies beside the file around it is another program's.
    """
    data = texts[name].value.encode()
    outer, _, own = document.path.rpartition("/")
    folder = f"{outer}/{own}#{holder}".lstrip("/").replace(".", "_") + "/"
    beside = {folder + other: node for other, node in texts.items()}

    def lookup(path: str) -> bytes | None:
        node = beside.get(path)
        return None if node is None else node.value.encode()

    inner = Document(folder + name)
    for module in map(_format, modules_for(name)):
        inner.format = module.recognise(inner.path, data)
        if inner.format is None:
            continue
        if inner.format not in _PROGRAMS:
            return None
        module.read(inner, data, lookup)
        for resource in inner.resources:
            _place(resource, document.path, inner.path, beside, lines)
        return inner.resources
    return None


def _format(name: str) -> ModuleType:
    return import_module(f"kcheck.formats.{name}")


def file(
    document: Document, name: str, node: yaml.Node | None, lines: list[str], lookup: Lookup
) -> list[Resource]:
    """What the properties file ``name`` says that a scalar holds; nothing if it is not Kafka's.

    The resources belong to the document, which does not have them yet.
    """
    from kcheck.formats.properties import reader as properties

    if not isinstance(node, yaml.ScalarNode) or not node.value.strip():
        return []
    inlay = Inlay(node, lines)
    if _is_script(name, inlay.text):
        return []
    data = inlay.text.encode()
    path = document.path
    inner = Document(f"{path.rpartition('/')[0]}/{name}".lstrip("/"))
    inner.format = properties.recognise(name, data)
    if inner.format is None:
        return []
    properties.read(inner, data, lookup)
    for resource in inner.resources:
        _move(resource, inlay, path, inner.path, yaml.position(node))
    return inner.resources


def _is_script(name: str, text: str) -> bool:
    """Whether a text is a program: what it writes into a file, it has at hand in another form."""
    if name.endswith((".sh", ".bash", ".py")) or text.startswith("#!"):
        return True
    return any(line.lstrip().startswith("export ") for line in text.split("\n"))


def entries(node: yaml.Node | None, lines: list[str]) -> list[Entry]:
    """The ``key=value`` lines of a scalar, at their places in the file."""
    from kcheck.syntax.properties import PropertiesError, parse

    if not isinstance(node, yaml.ScalarNode):
        return []
    inlay = Inlay(node, lines)
    try:
        found = parse(inlay.text)
    except PropertiesError as error:
        found = error.entries
    return [Entry(e.key, e.value, inlay.place(e.key_at), inlay.place(e.at)) for e in found]


def _move(resource: Resource, inlay: Inlay, path: str, inner: str, at: Position) -> None:
    """Put a resource of the inner file where it stands in the outer one."""
    if resource.name == inner:
        resource.name = path
    resource.path, resource.at = path, at
    for setting in resource.placed:
        setting.path = path
        setting.at, setting.key_at = inlay.place(setting.at), inlay.place(setting.key_at)


def _place(
    resource: Resource,
    path: str,
    inner: str,
    texts: dict[str, yaml.ScalarNode],
    lines: list[str],
) -> None:
    """As ``_move``, for settings of several texts: those of the resource's own and those beside."""
    inlays = {name: Inlay(node, lines) for name, node in texts.items()}
    if resource.name == inner:
        resource.name = path
    resource.path, resource.at = path, inlays[inner].place(resource.at)
    for setting in resource.placed:
        inlay = inlays.get(setting.path)
        if inlay is not None:
            setting.path = path
            setting.at, setting.key_at = inlay.place(setting.at), inlay.place(setting.key_at)


def placed(resources: list[Resource], inlay: Inlay, path: str) -> None:
    """Put resources of a text, which have the path of the file around it, to their places there."""
    found: list[Setting | None] = []
    for resource in resources:
        resource.at = inlay.place(resource.at)
        traits = resource.traits
        found += resource.placed
        found += (one.setting for one in traits.addresses)
        found += (traits.instances, traits.concurrency)
    for setting in {id(one): one for one in found}.values():
        if setting is not None and setting.path == path:
            setting.at, setting.key_at = inlay.place(setting.at), inlay.place(setting.key_at)


def split_lines(data: bytes) -> list[str]:
    """The lines of a file as positions count them."""
    if isinstance(data, yaml.Parsed) and data.lines is not None:
        return data.lines
    return lines_of(data.decode("utf-8", "replace"))
