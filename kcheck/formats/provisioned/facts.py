"""The blocks of a resource of infrastructure as code as a tree of facts, and the blocks that it refers to."""

from __future__ import annotations

import re
from collections.abc import Callable

from kcheck.formats.fact_trees import Fact, Facts, Tree
from kcheck.formats.terraform.entries import mapped
from kcheck.syntax.hcl_values import Entry, Scalar, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.provisioned.resources import Block

#: Leads from a reference to the block that it names: its type and its label.
Follow = Callable[[str, str], "Block | None"]
#: An attribute of a resource of the same module.
_REFERENCE = re.compile(r"(?:\$\{\s*)?([a-z][a-z0-9]*_\w+)\.([\w-]+)\.[\w.]+\s*\}?")


class Blocks(Tree):
    """A resource; ``>`` in a path leads to the resource that the attribute before it refers to.

    ``provider>`` leads to the provider that makes it, where it is the default one and in the files.
    """

    __slots__ = ("_block", "_follow")

    def __init__(self, block: Block, follow: Follow | None = None) -> None:
        super().__init__(block.at)
        self._block = block
        self._follow = follow

    def facts(self, path: str) -> Facts:
        reference, arrow, rest = path.rpartition(">")
        block = self._referred(reference) if arrow else self._block
        return _facts([block], rest.split("/")) if block is not None else None

    def _referred(self, path: str) -> Block | None:
        if path == "provider" and self._follow is not None:
            if path in self._block.attributes():
                return None
            return self._follow(path, self._block.labels[0].partition("_")[0])
        held = _ends([self._block], path.split("/"))
        entry = held[0] if held else None
        if not isinstance(entry, Entry) or self._follow is None:
            return None
        found = _REFERENCE.fullmatch(entry.origin().source)
        return self._follow(found[1], found[2]) if found is not None else None


def _facts(holders: list[Block | list[Entry]], parts: list[str]) -> Facts:
    ends = _ends(holders, parts)
    if ends is None:
        return None
    found: list[Fact] = []
    for end in ends:
        if isinstance(end, Entry):
            value = end.value
            values = value if isinstance(value, tuple) and value else (value,)
            found += [_of_value(parts, one, end) for one in values]
        else:
            found.append(Fact(".".join(parts), parts[-1], "", end.at, end.at))
    return found


def _ends(holders: list[Block | list[Entry]], parts: list[str]) -> list[Block | Entry] | None:
    """The attributes and blocks at the end of a path; None where something that is not known may be one."""
    *outer, last = parts
    for part in outer:
        inner: list[Block | list[Entry]] = []
        for holder in holders:
            made = _inside(holder, part)
            if made is None:
                return None
            inner += made
        holders = inner
    found: list[Block | Entry] = []
    for holder in holders:
        entry = _attributes(holder).get(last)
        if entry is not None:
            found.append(entry)
        elif not isinstance(holder, list):
            for block in holder.blocks():
                if block.type == "dynamic" and block.labels[:1] == [last]:
                    return None
                if block.type == last:
                    found.append(block)
    return found


def _attributes(holder: Block | list[Entry]) -> dict[str, Entry]:
    return {one.key: one for one in holder} if isinstance(holder, list) else holder.attributes()


def _inside(holder: Block | list[Entry], part: str) -> list[Block | list[Entry]] | None:
    """The blocks, or the objects of an attribute, of that name; None where it is not known."""
    found: list[Block | list[Entry]] = []
    for block in holder.blocks() if not isinstance(holder, list) else ():
        if block.type == "dynamic" and block.labels[:1] == [part]:
            return None
        if block.type == part:
            found.append(block)
    entry = _attributes(holder).get(part)
    if found or entry is None:
        return found
    held: Value = mapped(entry)
    objects = held if isinstance(held, tuple) else (held,)
    return None if None in objects else [one for one in objects if isinstance(one, list)]


def _of_value(parts: list[str], value: Value, entry: Entry) -> Fact:
    source, at = entry.source, entry.at
    if isinstance(value, Scalar):
        text: str | None = value.text
        at = value.at if value.path == entry.path and not value.made else at
    else:
        text = "" if value or _REFERENCE.fullmatch(source) is not None else None
    return Fact(".".join(parts), parts[-1], text, at, entry.key_at, source)
