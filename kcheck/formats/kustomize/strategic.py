"""Patches of kustomize that are pieces of an object (strategic merge), laid over it."""

from __future__ import annotations

from kcheck.formats.scalars import known
from kcheck.syntax import yaml
from kcheck.syntax.nodes import Mapping, Sequence

#: Lists of Kubernetes' own kinds whose members are merged by their names.
_NAMED = frozenset(("containers", "initContainers", "env", "volumes"))


def apply(node: yaml.Node, piece: yaml.Node) -> yaml.Node | None:
    """A piece laid over an object, which keeps its name."""
    own = "." not in known(yaml.child(node, "apiVersion")).partition("/")[0]
    made = Mapping(yaml.position(piece))
    made.pairs = [one for one in yaml.pairs(piece) if one[0] not in ("apiVersion", "kind")]
    return _without_name(node, _strategic(node, made, own))


def _without_name(node: yaml.Node, made: yaml.Node) -> yaml.Node:
    """A patched object under the name that it had."""
    meta = next((one for one in yaml.pairs(node) if one[0] == "metadata"), None)
    named = [one for one in yaml.pairs(meta[2] if meta is not None else None) if one[0] == "name"]
    if meta is None or not named:
        return made
    inner, head = Mapping(yaml.position(meta[2])), Mapping(yaml.position(node))
    inner.pairs += named
    head.pairs.append(("metadata", meta[1], inner))
    return _strategic(made, head, False)


def _strategic(lower: yaml.Node, upper: yaml.Node, own: bool, key: str = "") -> yaml.Node:
    if isinstance(lower, yaml.SequenceNode) and isinstance(upper, yaml.SequenceNode):
        return _members(lower, upper, own) if own and key in _NAMED else upper
    if not isinstance(lower, yaml.MappingNode) or not isinstance(upper, yaml.MappingNode):
        return lower if yaml.text(lower) == yaml.text(upper) is not None else upper
    above = {name: (key_node, value) for name, key_node, value in yaml.pairs(upper)}
    if known(yaml.child(upper, "$patch")) == "replace":
        return upper
    made = Mapping(yaml.position(lower))
    for name, key_node, value in yaml.pairs(lower):
        found = above.pop(name, None)
        if found is None:
            made.pairs.append((name, key_node, value))
        elif not yaml.is_null(found[1]):
            made.pairs.append((name, found[0], _strategic(value, found[1], own, name)))
    made.pairs += [(name, *held) for name, held in above.items() if not name.startswith("$")]
    return made


def _members(lower: yaml.Node, upper: yaml.Node, own: bool) -> yaml.Node:
    """A list with the members of another one put in by their names."""
    above = {known(yaml.child(one, "name")): one for one in yaml.items(upper)}
    found: list[yaml.Node] = []
    for one in yaml.items(lower):
        over = above.pop(known(yaml.child(one, "name")), None)
        if over is None:
            found.append(one)
        elif known(yaml.child(over, "$patch")) != "delete":
            found.append(_strategic(one, over, own))
    return Sequence([*found, *above.values()], yaml.position(lower))
