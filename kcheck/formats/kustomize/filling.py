"""Values that are put into the texts of objects: the ``vars`` of kustomize, and Flux' variables."""

from __future__ import annotations

import re
from collections.abc import Callable

from kcheck.formats.kustomize.changes import at, members_of, names_of, pairs_of
from kcheck.formats.scalars import known
from kcheck.syntax import yaml
from kcheck.syntax.nodes import Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.kustomize.build import Build, Built

_MOST, _DEEPEST = 200, 30
#: The texts of one kustomization may become so long, and the values that are put into them.
_LONGEST, _LONGEST_VALUE = 50_000_000, 500
_REFERENCE = re.compile(r"\$\(([\w.-]{1,200})\)")


def resolve(node: yaml.Node, objects: list[Built], build: Build) -> None:
    """Put the ``vars`` of a kustomization into the objects."""
    values: dict[str, yaml.Node] = {}
    for item in yaml.items(yaml.child(node, "vars"))[:_MOST]:
        told = yaml.child(item, "objref")
        kind, own = known(yaml.child(told, "kind")), known(yaml.child(told, "name"))
        path = yaml.child(item, "fieldref", "fieldpath")
        names = names_of(known(path)) if path is not None else ["metadata", "name"]
        found = [one for one in objects if (one.kind, one.name) == (kind, own)]
        value = at(found[0].node, names) if len(found) == 1 else None
        long = value is not None and len(yaml.text(value) or "") > _LONGEST_VALUE
        if value is not None and not long and not (build.renames and names == ["metadata", "name"]):
            values[known(yaml.child(item, "name"))] = value

    def put(text: str) -> str:
        return _REFERENCE.sub(
            lambda m: (yaml.text(values[m[1]]) or m[0]) if m[1] in values else m[0], text
        )

    filler = Filler(put)
    for one in objects if values else ():
        made = filler.filled(one.node)
        if made is not None:
            one.put(made)
            build.patched = True


class Filler:
    """Puts values into texts; those that would grow beyond all measure stay as they are."""

    def __init__(self, put: Callable[[str], str], mark: str = "$") -> None:
        self._put = put
        self._mark = mark
        self._left = _LONGEST

    def filled(self, node: yaml.Node, depth: int = _DEEPEST) -> yaml.Node | None:
        """The node with its texts as ``put`` makes them; None where it changes none."""
        if isinstance(node, yaml.SequenceNode):
            return members_of(node, lambda one: self.filled(one, depth - 1), depth)
        if isinstance(node, yaml.MappingNode):
            return pairs_of(node, lambda _, one: self.filled(one, depth - 1)) if depth else None
        text = yaml.text(node) or ""
        fits = self._mark in text and len(text) * _LONGEST_VALUE < self._left
        made = self._put(text) if fits else text
        self._left -= len(made)
        style = node.style if isinstance(node, yaml.ScalarNode) else ""
        return Scalar(made, yaml.position(node), style) if made != text else None
