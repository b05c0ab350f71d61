"""ConfigMaps and Secrets that a kustomization generates of literals, or of one file of variables.

What is made of several sources, or merged into a base, is left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats import Lookup
from kcheck.formats.origins import within
from kcheck.formats.scalars import known
from kcheck.model import Position
from kcheck.syntax import yaml
from kcheck.syntax.entry import lines_of
from kcheck.syntax.nodes import Mapping, Scalar

_KINDS = {
    "configMapGenerator": ("ConfigMap", "data"),
    "secretGenerator": ("Secret", "stringData"),
}
_SOURCES = ("literals", "envs", "env", "files")
_MOST = 1000


def generated(path: str, node: yaml.Node, lookup: Lookup) -> Iterator[tuple[str, yaml.Node]]:
    """The objects, each with the path of the file that has its values."""
    for key, (kind, part) in _KINDS.items():
        for item in yaml.items(yaml.child(node, key)):
            if known(yaml.child(item, "behavior")) not in ("", "create"):
                continue
            sources = [one for one in _SOURCES if yaml.child(item, one) is not None]
            name = yaml.child(item, "name")
            if len(sources) != 1 or name is None or sources == ["files"]:
                continue
            held = yaml.child(item, sources[0])
            files = [known(held)] if sources == ["env"] else [known(o) for o in yaml.items(held)]
            if sources == ["literals"]:
                yield path, _object(kind, part, name, _literals(held))
            elif len(files) == 1:
                where = within(path.rpartition("/")[0], files[0])
                data = lookup(where) if where else None
                if data is not None:
                    text = data.decode("utf-8", "replace")
                    yield where, _object(kind, part, name, _variables(text))


def of_literals(node: yaml.Node) -> Iterator[tuple[str, yaml.Node]]:
    """The objects that are made of literals, each with its behavior, at their places in the node."""
    for key, (kind, part) in _KINDS.items():
        for item in yaml.items(yaml.child(node, key)):
            name, held = yaml.child(item, "name"), yaml.child(item, "literals")
            if name is not None and held is not None:
                behavior = known(yaml.child(item, "behavior"))
                yield behavior, _object(kind, part, name, _literals(held))


def file_of(path: str, node: yaml.Node, name: str, key: str) -> str:
    """The path of the file that a generated ConfigMap of that name has under a key; "" for none."""
    for item in yaml.items(yaml.child(node, "configMapGenerator")):
        if known(yaml.child(item, "name")) != name:
            continue
        for told in yaml.items(yaml.child(item, "files")):
            text = known(told)
            own, equals, file = text.partition("=")
            file = file if equals else text
            if (own if equals else file.rpartition("/")[2]) == key:
                return within(path.rpartition("/")[0], file)
    return ""


def holding(path: str, node: yaml.Node, file: str) -> set[str]:
    """The names of the ConfigMaps that a kustomization makes of a file."""
    folder = path.rpartition("/")[0]
    return {
        known(yaml.child(item, "name"))
        for item in yaml.items(yaml.child(node, "configMapGenerator"))
        for told in yaml.items(yaml.child(item, "files"))
        if within(folder, known(told).rpartition("=")[2]) == file
    } - {""}


def _object(kind: str, part: str, name: yaml.Node, values: Mapping) -> yaml.Node:
    at = yaml.position(name)
    made, meta = Mapping(at), Mapping(at)
    meta.pairs.append(("name", Scalar("name", at, ""), name))
    made.pairs += [
        ("kind", Scalar("kind", at, ""), Scalar(kind, at, "")),
        ("metadata", Scalar("metadata", at, ""), meta),
        (part, Scalar(part, at, ""), values),
    ]
    return made


def _literals(node: yaml.Node | None) -> Mapping:
    made = Mapping(yaml.position(node) if node is not None else (1, 1, 1, 1))
    for item in yaml.items(node)[:_MOST]:
        text = yaml.text(item)
        if text is None or "=" not in text:
            continue
        line, column, end, last = yaml.position(item)
        if isinstance(item, yaml.ScalarNode) and item.style in ("'", '"'):
            column, last = column + 1, last - 1
        _add(made, text, (line, column, end, last))
    return made


def _variables(text: str) -> Mapping:
    made = Mapping((1, 1, 1, 1))
    for number, line in enumerate(lines_of(text)[:_MOST], 1):
        own = line.strip()
        if own and not own.startswith("#") and "=" in own:
            start = line.index(own) + 1
            _add(made, own, (number, start, number, start + len(own)))
    return made


def _add(made: Mapping, text: str, at: Position) -> None:
    """Add ``KEY=value``, which stands at a place."""
    key, _, value = text.partition("=")
    line, column, end, last = at
    middle = column + len(key)
    # Values in quotes keep their text, without them.
    bare = value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value
    key_at, value_at = (line, column, line, middle), (line, middle + 1, end, last)
    made.pairs.append((key, Scalar(key, key_at, ""), Scalar(bare, value_at, "=")))
