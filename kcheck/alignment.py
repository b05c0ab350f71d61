"""What stands in columns stays in them: comments behind a value, equals signs of Terraform.

``fixes`` asks for it once the texts of a file are known; nothing but blanks is changed here.
"""

from __future__ import annotations

import re

#: A comment behind a value, and the blanks before it, where they are more than one.
_COMMENT = re.compile(r"[\"',;]*(?P<gap> {2,})(?=#|//)")
#: An equals sign or a colon behind a key, where blanks put it into a column.
_SIGN = re.compile(r"(?P<gap> {2,})(?=[=:])")
#: ``key = value`` of Terraform: a value that ends in the line.
_ITEM = re.compile(r"(?P<key>[ \t]*(?:\"[^\"\n]*\"|[\w.-]+))(?P<gap> +)=(?=[ \t])")
_OPEN = re.compile(r"[\[{(]\s*(?:(?:#|//).*)?\Z|<<-?\w+\s*\Z")
_TERRAFORM = (".tf", ".tofu", ".tfvars")


def filled(rest: str, growth: int) -> tuple[int, str] | None:
    """What of the text behind a change has to give way, and what stands there then.

    ``rest`` is the line from the end of what was replaced, ``growth`` how much longer the new text
    is. One blank stays. None where nothing stands in a column there.
    """
    found = _SIGN.match(rest) or _COMMENT.match(rest)
    if found is None or not growth:
        return None
    gap = max(1, len(found["gap"]) - growth)
    return found.end(), rest[: found.start("gap")] + " " * gap


def aligned(path: str, old: str, new: str) -> str:
    """The new text of a file with its equals signs in columns, where the old one had them there."""
    if not path.endswith(_TERRAFORM) or old == new:
        return new
    before, after = old.split("\n"), new.split("\n")
    # The lines of blocks that are in order as they stood.
    ordered = {before[at] for block in _blocks(before) if _even(before, block) for at in block}
    for block in _blocks(after):
        kept = [at for at in block if after[at] in ordered]
        # A block of which nothing is left as it was, or that was in no order, stays as it is.
        if not kept or len(kept) == len(block) or _even(after, block):
            continue
        widest = max(len(_key(after[at])) for at in block)
        for at in block:
            key = _key(after[at])
            after[at] = f"{key:<{widest}} ={after[at].removeprefix(key).lstrip(' ')[1:]}"
    return "\n".join(after)


def _key(line: str) -> str:
    found = _ITEM.match(line)
    return found["key"] if found else ""


def _even(lines: list[str], block: list[int]) -> bool:
    """Whether the signs of several lines stand below each other, close behind the longest key."""
    keys = [_key(lines[at]) for at in block]
    widest = max(map(len, keys))
    return len(block) > 1 and all(
        lines[at].startswith(f"{key:<{widest}} =") for at, key in zip(block, keys, strict=True)
    )


def _blocks(lines: list[str]) -> list[list[int]]:
    """Lines that stand below each other, of one indentation and with a value each."""
    blocks: list[list[int]] = []
    last = ("", -2)
    for at, line in enumerate(lines):
        found = _ITEM.match(line)
        if found is None or _OPEN.search(line):
            continue
        indent = line[: len(line) - len(line.lstrip())]
        if last == (indent, at - 1):
            blocks[-1].append(at)
        else:
            blocks.append([at])
        last = (indent, at)
    return blocks
