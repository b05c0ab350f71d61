"""What is wrong with a declaration, in words for its author: loaded only where something is.

The schema in ``schemas/kcheck.schema.json`` finds the places; its titles are the words. YAML's
nodes know where the places are.
"""

from __future__ import annotations

from kcheck import data, secrets
from kcheck.formats.declarations.declared import number
from kcheck.formats.text import templated
from kcheck.model import Position, Problem
from kcheck.syntax import yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: (message, place, what to write instead)
Told = tuple[str, Position, str]

#: (key, value) by name, of the mappings by their identity that were asked for.
_Members = dict[int, dict[str, tuple[yaml.Node, yaml.Node]]]

#: Who has made more mistakes than this has made one mistake many times.
_MOST_TOLD = 100

#: Aliases can make a small file endless to walk; such a file is not explained by the schema.
_MOST_NODES = 200_000


class _TooMany(Exception):
    pass


def problems(nodes: list[yaml.Node], wrong: list[tuple[str, Position]]) -> list[Problem]:
    """What is wrong, in the schema's words where it sees it too, else in ours."""
    told = explained(nodes, _MOST_TOLD)
    places = {at for _, at, _ in told}
    told += [(message, at, "") for message, at in wrong if at not in places]
    told.sort(key=lambda one: one[1])
    if len(told) > _MOST_TOLD:
        at = told[_MOST_TOLD][1]
        more = f"{len(told) - _MOST_TOLD:,} more errors in this file, this is the next one"
        told[_MOST_TOLD:] = [(more, at, "")]
    return [
        Problem(message, at, "KC0007", consequence="it is ignored", fix=fix)
        for message, at, fix in told
    ]


def explained(nodes: list[yaml.Node], most: int = 100) -> list[Told]:
    """One message for each place that the schema refuses, about ``most`` of them.

    Empty where jsonschema is not installed or the file is too large to walk.
    """
    try:
        from jsonschema import Draft202012Validator
    except ImportError:
        return []
    import json

    validator = Draft202012Validator(json.loads(data.read("kcheck.schema.json")))
    told: dict[tuple[str, Position], str] = {}
    members: _Members = {}
    for node in nodes:
        try:
            instance = _Plain().value(node)
        except (_TooMany, RecursionError):
            return []
        for error in validator.iter_errors(instance):
            for message, at, fix in _leaves(error, node, members):
                told.setdefault((message, at), fix)
            if len(told) >= most:
                break
    return [(message, at, fix) for (message, at), fix in told.items()]


class _Plain:
    """YAML nodes → plain values, typed as an editor types them."""

    def __init__(self) -> None:
        self._seen = 0

    def value(self, node: yaml.Node) -> Any:
        self._seen += 1
        if self._seen > _MOST_NODES:
            raise _TooMany
        if isinstance(node, yaml.MappingNode):
            return {key: self.value(value) for key, _, value in yaml.pairs(node)}
        if isinstance(node, yaml.SequenceNode):
            return [self.value(item) for item in node.value]
        text = yaml.text(node)
        if text is None or (isinstance(node, yaml.ScalarNode) and node.style):
            return text
        if text.lower() in ("true", "false"):
            return text.lower() == "true"
        plain = number(text)
        return text if plain is None else plain


def _leaves(error: Any, root: yaml.Node, members: _Members) -> list[Told]:
    deeper = [inner for inner in error.context or () if inner.relative_path]
    if deeper:
        return [told for inner in deeper for told in _leaves(inner, root, members)]
    path = list(error.absolute_path)
    value, title = error.instance, error.schema.get("title", "something else")
    if error.validator == "additionalProperties" and error.validator_value is False:
        known = error.schema["properties"]
        return [
            _stranger(key, title, known, _place(root, [*path, key], members, key=True))
            for key in value
            if key not in known
        ]
    at = _place(root, path, members)
    if error.validator == "required":
        missing = [key for key in error.validator_value if key not in value]
        return [(f"{title} requires a {key}", at, f"add {key}") for key in missing]
    if isinstance(value, str) and templated(value):
        return []
    subject = str(path[-1]) if path and isinstance(path[-1], str) else ""
    if "object" in error.validator_value:
        parts = [*error.schema.get("properties", ())]
        # The value itself may be right, one level too high.
        inner = (
            f"{{{parts[0]}: {_given(subject, value)}}}"
            if parts[:1] and isinstance(value, str) and parts[0] in _NAMING
            else ""
        )
        fix = f"write {subject}: {inner}" if subject else f"write {inner}"
        if inner and subject:
            return [(f"{subject} must be a mapping ({', '.join(parts[:_FEW])})", at, fix)]
        if inner or not subject:
            told = f"{title} must be a mapping, not {_given(subject, value)}"
            return [(told, at, fix if inner else "")]
    return [(f"{subject or 'this'} must be {title}, not {_given(subject, value)}", at, "")]


def _stranger(key: str, title: str, known: dict[str, Any], at: Position) -> Told:
    """A key that has no meaning there, with the likeliest one that has."""
    from difflib import get_close_matches

    close = get_close_matches(key.lower().replace("-", "_"), known, 1, 0.7)
    if close:
        return f"unknown key {key} in {title}; did you mean {close[0]}?", at, f"write {close[0]}"
    if "." in key and "config" in known:
        return (
            f"unknown key {key} in {title}: Kafka's keys go under config",
            at,
            "move it under config",
        )
    return f"unknown key {key} in {title}, which has {', '.join(known)}", at, ""


#: Parts of a mapping that a single word in its place is likely to be.
_NAMING = ("library", "name")
_FEW = 3


def _given(key: str, value: object) -> str:
    """What the file has there, as far as it may be shown."""
    shape = {dict: "a mapping", list: "a list", type(None): "nothing"}.get(type(value))
    if isinstance(value, bool):
        shape = str(value).lower()
    return shape or secrets.shown(key, str(value)) or '""'


def _place(root: yaml.Node, path: list[Any], members: _Members, key: bool = False) -> Position:
    """Where the value at the end of the path stands, or its key."""
    node = root
    at = yaml.position(root)
    for step in path:
        if isinstance(node, yaml.SequenceNode):
            node = node.value[step]
            at = yaml.position(node)
            continue
        if id(node) not in members:
            members[id(node)] = {name: (one, value) for name, one, value in yaml.pairs(node)}
        found = members[id(node)].get(step)
        if found is not None:
            node, at = found[1], yaml.position(found[0] if key else found[1])
    return at
