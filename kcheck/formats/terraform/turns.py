"""How often a block of Terraform is made, and what its loop puts into each turn."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.syntax.hcl import Block, Entry, Scalar, Scope
from kcheck.syntax.hcl_functions import number

#: So many turns of one block are read.
_MOST = 2_000
_CONDITION = re.compile(r"\?|\bif\b")


def turns(block: Block, switches: bool = True) -> Iterator[tuple[Block, bool]]:
    """The block in each turn of its ``for_each`` or ``count``, and whether it is unknown how many
    there are: then it stands for all of them. That is so as well where an expression comes to none of
    them by ``switches``, which are there to be turned: variables that somebody may set."""
    own = block.attributes()
    loop, count = own.get("for_each"), own.get("count")
    if loop is not None:
        value = loop.value
        written = loop.source in ("{}", "[]", "toset([])")
        yield from _each(block, value if value or written or not switches else None)
    elif count is not None:
        yield from _counted(block, count, switches)
    else:
        yield block, False


def switch(block: Block) -> str:
    """The expression with a condition that tells whether a block is made, or how often; "" if none.

    Whoever writes one knows the clusters that do not support the block.
    """
    own = block.attributes()
    told = [own[word].source for word in ("count", "for_each") if word in own]
    return next((source for source in told if _CONDITION.search(source)), "")


def _each(block: Block, each: object) -> Iterator[tuple[Block, bool]]:
    if isinstance(each, list):
        for entry in each[:_MOST]:
            key = Scalar(entry.key, entry.key_at, entry.path)
            yield block.turn(Scope(block.file, (key, entry.value))), False
    elif isinstance(each, tuple):
        for member in each[:_MOST]:
            if isinstance(member, Scalar):
                yield block.turn(Scope(block.file, (member, member))), False
    else:
        yield block, True


def _counted(block: Block, count: Entry, switches: bool) -> Iterator[tuple[Block, bool]]:
    times = number(count.value)
    if times is None or (not times and switches and count.source.strip('"') != "0"):
        yield block, True
        return
    for at in range(min(times, _MOST)):
        index = Scalar(str(at), block.at, block.file.path, made=True)
        yield block.turn(Scope(block.file, index=index)), False
