"""Patches of kustomize that are lists of operations (JSON 6902), applied to an object."""

from __future__ import annotations

import re

from kcheck.formats.scalars import known
from kcheck.syntax import yaml
from kcheck.syntax.nodes import Mapping, Sequence

#: A list of so many is made by a program.
_MOST = 500


def apply(node: yaml.Node, piece: yaml.Node) -> yaml.Node | None:
    """An object after a list of operations; None where one of them does not fit, or is not followed."""
    made: yaml.Node | None = node
    operations = yaml.items(piece)
    if not operations or len(operations) > _MOST:
        return None
    for one in operations:
        kind, path = known(yaml.child(one, "op")), yaml.child(one, "path")
        value = yaml.child(one, "value")
        route = [p.replace("~1", "/").replace("~0", "~") for p in known(path).split("/")[1:]]
        whole = kind == "remove" or (kind in ("add", "replace") and value is not None)
        if made is None or path is None or not whole or not 0 < len(route) <= 30:
            return None
        made = _put(made, route, kind, path, value)
    return made


def _put(
    node: yaml.Node, route: list[str], kind: str, path: yaml.Node, value: yaml.Node | None
) -> yaml.Node | None:
    name, rest = route[0], route[1:]
    if isinstance(node, yaml.SequenceNode):
        return _put_member(node, route, kind, path, value)
    if not isinstance(node, yaml.MappingNode):
        return None
    made = Mapping(yaml.position(node))
    there = False
    for key, key_node, held in yaml.pairs(node):
        if key != name:
            made.pairs.append((key, key_node, held))
            continue
        there = True
        if rest:
            inner = _put(held, rest, kind, path, value)
            if inner is None:
                return None
            made.pairs.append((key, key_node, inner))
        elif kind != "remove" and value is not None:
            made.pairs.append((key, path, value))
    if not there:
        # kustomize's library also sets what "replace" does not find (evanphx/json-patch 4).
        if rest or kind == "remove" or value is None:
            return None
        made.pairs.append((name, path, value))
    return made


def _put_member(
    node: yaml.Node, route: list[str], kind: str, path: yaml.Node, value: yaml.Node | None
) -> yaml.Node | None:
    name, rest = route[0], route[1:]
    members = yaml.items(node)
    at = len(members) if name == "-" else int(name) if re.fullmatch(r"[0-9]{1,4}", name) else -1
    if at < 0 or at > len(members) or (at == len(members) and (rest or kind != "add")):
        return None
    if rest:
        inner = _put(members[at], rest, kind, path, value)
        if inner is None:
            return None
        members[at] = inner
    elif kind == "remove":
        del members[at]
    elif value is not None:
        members[at : at + (kind == "replace")] = [value]
    return Sequence(members, yaml.position(node))
