"""The environment that compose gives to a service: ``env_file`` below ``environment``.

Every variable keeps the place where its value is written, be that a map, a list, a merged
anchor, an env file or ``.env``.
"""

from __future__ import annotations

import re

from kcheck.formats.compose.file import File, Service
from kcheck.formats.containers.variables import Variable
from kcheck.model import Position
from kcheck.syntax import yaml

_WHOLE = re.compile(r"[-+]?[1-9][0-9_]*|0")
#: What YAML takes for some other kind of number, and writes back in a way of its own.
_NUMBER = re.compile(r"[-+]?(\.?[0-9][0-9_.]*([eE][-+]?[0-9]+)?|0[xob][0-9a-fA-F_]+)")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]*[1-9]")
_BOOLEANS = {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false"}


class Environment:
    """The variables of one service by name.

    ``earlier`` are pairs of one map or list in which a later entry replaced an earlier one.
    ``complete`` is false where an env file or a part of the definition could not be found.
    """

    def __init__(self, service: Service) -> None:
        self.variables: dict[str, Variable] = {}
        self.earlier: list[tuple[Variable, Variable]] = []
        self.complete = service.whole
        for layer in reversed(service.layers):
            for path in _env_files(layer.file, yaml.child(layer.node, "env_file")):
                self._env_file(layer.file, path)
        for layer in reversed(service.layers):
            self._own(layer.file, yaml.child(layer.node, "environment"))

    def _env_file(self, file: File, path: str | None) -> None:
        where, entries = file.env_file(path)
        if entries is None:
            self.complete = False
            return
        for entry in entries:
            value = file.variables.value(entry)
            self.variables[entry.key] = Variable(
                entry.key,
                value,
                where,
                entry.at,
                entry.key_at,
                frame=file.variables.framed(entry.value or "") if value is None else None,
            )

    def _own(self, file: File, node: yaml.Node | None) -> None:
        if node is not None and not _readable(node):
            self.complete = False
        found: dict[str, Variable] = {}
        listed = [_listed(file, item) for item in yaml.items(node)]
        mapped = [_mapped(file, *pair) for pair in yaml.pairs(node)]
        for variable in (*listed, *mapped):
            if variable is not None:
                if variable.name in found:
                    self.earlier.append((found[variable.name], variable))
                found[variable.name] = variable
        self.variables.update(found)


def names(service: Service) -> set[str]:
    """The names of the variables of a service, where their values do not matter."""
    found: set[str] = set()
    for layer in service.layers:
        for path in _env_files(layer.file, yaml.child(layer.node, "env_file")):
            found.update(entry.key for entry in layer.file.env_file(path)[1] or ())
    return found | _own_names(service)


def _own_names(service: Service) -> set[str]:
    found: set[str] = set()
    for layer in service.layers:
        node = yaml.child(layer.node, "environment")
        found.update(name for name, _, _ in yaml.pairs(node))
        found.update((yaml.text(item) or "").partition("=")[0] for item in yaml.items(node))
    return found


def corrected(service: Service) -> set[tuple[str, str]]:
    """What a service has from an env file and says otherwise itself: the paths of files, and names.

    What stands there is for somebody else, mostly for programs on the host.
    """
    own = _own_names(service)
    return {
        (where, entry.key)
        for layer in service.layers
        for path in _env_files(layer.file, yaml.child(layer.node, "env_file"))
        for where, entries in [layer.file.env_file(path)]
        for entry in entries or ()
        if entry.key in own
    }


def _readable(node: yaml.Node) -> bool:
    """Whether the node is a map or list of variables, or null: ``{{ template }}`` is neither."""
    if isinstance(node, yaml.MappingNode):
        return all(isinstance(key, yaml.ScalarNode) for key, _ in node.value)
    return isinstance(node, yaml.SequenceNode) or yaml.is_null(node)


def _env_files(file: File, node: yaml.Node | None) -> list[str | None]:
    """The paths as written, None for one that hangs on an unknown variable."""
    if node is None or yaml.is_null(node):
        return []
    found: list[str | None] = []
    for item in yaml.items(node) or [node]:
        text = yaml.text(item) or yaml.text(yaml.child(item, "path"))
        found.append(file.variables.filled(text) if text else None)
    return found


def _listed(file: File, item: yaml.Node) -> Variable | None:
    """``- NAME=value``, or ``- NAME`` which takes its value from elsewhere."""
    text = yaml.text(item)
    if text is None:
        return None
    name, equals, value = text.partition("=")
    name = file.variables.filled(name) or name
    key_at = within(file, item, 0, len(text.partition("=")[0]))
    if not equals:
        return _inherited(file, name, key_at)
    at = within(file, item, len(text) - len(value), len(text))
    return _written(file, name, value, at, key_at)


def _mapped(file: File, name: str, key: yaml.Node, node: yaml.Node) -> Variable | None:
    if yaml.is_null(node):
        return _inherited(file, name, yaml.position(key))
    text = scalar_text(node)
    return _written(file, name, text, yaml.position(node), yaml.position(key))


def _written(file: File, name: str, text: str | None, at: Position, key_at: Position) -> Variable:
    raw = None if text is None else file.variables.filled(text)
    frame = file.variables.framed(text) if raw is None and text is not None else None
    return Variable(name, raw, file.path, at, key_at, frame=frame)


def _inherited(file: File, name: str, key_at: Position) -> Variable:
    """A variable without a value: ``.env`` or the shell has it."""
    entry = file.variables.entries.get(name)
    if entry is None:
        return Variable(name, None, file.path, key_at, key_at)
    value = file.variables.values.get(name)
    return Variable(name, value, file.variables.path, entry.at, entry.key_at)


def scalar_text(node: yaml.Node) -> str | None:
    """A YAML value as the text that compose makes of it; None where that is not plain.

    Compose's YAML reader turns plain numbers into numbers and writes them back: ``1_000`` comes
    out as 1000, but what comes of ``3.0`` or ``0644`` hangs on compose's version.
    """
    text = yaml.text(node)
    if text is None or not isinstance(node, yaml.ScalarNode) or node.style:
        return text
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _WHOLE.fullmatch(text):
        return text.replace("_", "").removeprefix("+")
    if _NUMBER.fullmatch(text) and not _DECIMAL.fullmatch(text) and text.count(".") < 2:
        return None
    return text


def within(file: File, node: yaml.Node, start: int, end: int) -> Position:
    """Where the characters ``start`` to ``end`` of a scalar stand; all of it where that is vague."""
    mark = node.start_mark
    if mark.line == node.end_mark.line and mark.line < len(file.lines):
        column = file.lines[mark.line].find(str(node.value), mark.column)
        if column >= 0:
            line = mark.line + 1
            return line, column + start + 1, line, column + end + 1
    return yaml.position(node)
