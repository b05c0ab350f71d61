"""Reads plain YAML by itself: mappings of mappings and one-line scalars, as most resources are.

What it reads are the nodes that libyaml would make, with a place instead of two marks for each.
Thousands of files are alike in all but their values: what a file is without those, its outline, is
read once, and of the others only the values are. Whatever is not plain (lists, anchors, tags, flow
and block styles, escapes, letters beyond ASCII, errors) it leaves to libyaml, whole file by whole file.
"""

from __future__ import annotations

import re

from kcheck.bounded_cache import BoundedCache
from kcheck.model import START, Position
from kcheck.syntax.nodes import Mapping, Node, Placed, Scalar

#: What a plain scalar may hold wherever it stands; it begins with less.
_SAFE = r"[\w./,;=+@$%()<>-]"
_WORDS = rf"(?:-?[\w./]{_SAFE}*(?:(?::|[ ]+){_SAFE}+)*)"
_QUOTED = r"""(?:"[ !#-\[\]-~]*"|'[ -&(-~]*')"""
_COMMENT = r"\#[ -~]*"
#: A line: (indent, key, scalar, sign of a new document, rest of a file that is not plain).
_LINE = re.compile(
    rf"([ ]*)(\w[\w./-]*):(?:[ ]({_WORDS}|{_QUOTED}))?(?:\n|[ ]+(?:{_COMMENT})?\n)"
    rf"|[ ]*(?:{_COMMENT})?\n|(---)[ ]*\n|([\s\S]+)",
    re.ASCII,
)


_QUOTES = ("'", '"')
#: Whatever else there is stands in no plain file, or in comments of few.
_SIGNS = (
    b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,;=+@$%()<>-:#\"' \n"
    b"!&*?\\|~^"
)
#: A scalar up to the end of its line; also in a comment, whose text is of no matter.
_VALUE = re.compile(rf": ({_WORDS}|{_QUOTED})\n", re.ASCII)


def _scalar(text: str, at: Position) -> Scalar:
    if text and text[0] in _QUOTES:
        return Scalar(text[1:-1], at, text[0])
    return Scalar(text, at)


#: As if another document began behind the last line.
_END = ("", "", "", "---", "")


class _Outline:
    """A mapping without the values that its files differ in."""

    __slots__ = ("_at", "_entries")

    def __init__(self, mapping: Mapping, numbers: dict[tuple[int, int], int]) -> None:
        """``numbers`` tell which value of the file begins at a line and column."""
        self._at = mapping.at
        #: The key, its node, the number of its value, where that begins; or what stands there.
        self._entries: list[tuple[str, Node, int, int, int, _Outline | Node | None]] = []
        for key, node, value in mapping.pairs:
            assert isinstance(value, Placed)
            line, column = value.at[:2]
            number = numbers.get((line, column), -1)
            inner: _Outline | Node | None = None
            if isinstance(value, Mapping):
                inner = _Outline(value, numbers)
            elif number < 0:
                inner = value
            self._entries.append((key, node, number, line, column, inner))

    def filled(self, values: list[str]) -> Mapping:
        """The mapping of a file with these values."""
        made = Mapping(self._at)
        take = made.pairs.append
        for key, node, number, line, column, inner in self._entries:
            if inner is None:
                text = values[number]
                at = line, column, line, column + len(text)
                made_of = _scalar if text[0] in _QUOTES else Scalar
                take((key, node, made_of(text, at)))
            elif isinstance(inner, _Outline):
                take((key, node, inner.filled(values)))
            else:
                take((key, node, inner))
        return made


#: The outlines of files of few bytes, by all that is not a value in them.
_MOST_OUTLINES, _LONGEST = 500, 4000
_outlines: dict[tuple[str, ...], list[_Outline]] = BoundedCache(_MOST_OUTLINES)


def documents(data: bytes) -> list[Mapping] | None:
    """The documents of a file that is plain, None for any other."""
    if b"- " in data or data.translate(None, _SIGNS) or not data.endswith(b"\n"):
        return None
    text = data.decode("ascii")
    if len(text) > _LONGEST:
        return _read(text)
    parts = _VALUE.split(text)
    form = tuple(parts[::2])
    outlines = _outlines.get(form)
    if outlines is not None:
        values = parts[1::2]
        return [outline.filled(values) for outline in outlines]
    found = _read(text)
    if found is not None:
        numbers = _numbered(parts)
        _outlines[form] = [_Outline(mapping, numbers) for mapping in found]
    return found


def _numbered(parts: list[str]) -> dict[tuple[int, int], int]:
    """The number of each value in a file that is split at them, by its line and column."""
    numbers: dict[tuple[int, int], int] = {}
    line, column = 1, 1
    for at in range(0, len(parts) - 1, 2):
        before = parts[at]
        line += before.count("\n")
        column = len(before) - (before.rfind("\n") + 1) + len(": ") + 1
        numbers[line, column] = at // 2
        line += 1
    return numbers


def _read(text: str) -> list[Mapping] | None:  # noqa: C901
    rows = _LINE.findall(text)
    if rows[-1][4]:
        return None
    rows.append(_END)
    found: list[Mapping] = []
    #: The innermost mapping that is open, its column, and those around it; column 0: none is.
    inner, depth = Mapping(START), 0
    take = inner.pairs.append
    outer: list[tuple[Mapping, int]] = []
    #: A key that has no value yet.
    waiting: Scalar | None = None
    parted = False
    for line, (indent, key, value, parts, _) in enumerate(rows, 1):
        if key:
            column = len(indent) + 1
        elif parts:
            if parted and not depth:
                return None  # a document with nothing in it
            parted, column = True, 0
        else:
            continue
        if column > depth:
            made = Mapping((line, column, line, column))
            if waiting is not None:
                take((waiting.value, waiting, made))
                waiting = None
            elif depth:
                return None  # a scalar of several lines, or an error
            else:
                found.append(made)
            outer.append((inner, depth))
            inner, depth, take = made, column, made.pairs.append
        else:
            if waiting is not None:
                place = waiting.at[0], waiting.at[3] + 1
                take((waiting.value, waiting, Scalar("", (*place, *place))))
                waiting = None
            if column != depth:
                while column < depth:
                    inner.at = (*inner.at[:2], line, column or 1)
                    inner, depth = outer.pop()
                if column != depth:
                    return None
                take = inner.pairs.append
        if key:
            after = column + len(key)
            named = Scalar(key, (line, column, line, after))
            if value:
                at = (line, after + 2, line, after + 2 + len(value))
                take((key, named, _scalar(value, at)))
            else:
                waiting = named
    return found
