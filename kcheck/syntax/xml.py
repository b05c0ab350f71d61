"""XML → elements with the places of their attributes and texts. Nothing outside of the text is loaded,
and entities of its own are refused."""

from __future__ import annotations

import re
from xml.parsers import expat

from kcheck.model import Position, Problem
from kcheck.syntax.nodes import Scalar

_DEEPEST, _MOST = 200, 300_000
#: Elements with more attributes are no step of anything.
_MOST_PLACED = 40
_ATTRIBUTE = re.compile(rb"\s([\w:.-]+)\s*=\s*(\"[^\"]*\"|'[^']*')")


class Element:
    """An element: ``tag`` is its name without a namespace, ``text`` what stands directly in it."""

    __slots__ = ("at", "attributes", "children", "pieces", "tag", "text_at")

    def __init__(self, tag: str, at: Position) -> None:
        self.tag = tag
        self.at = at
        self.attributes: dict[str, Scalar] = {}
        self.children: list[Element] = []
        self.pieces: list[str] = []
        self.text_at: Position | None = None

    def child(self, tag: str) -> Element | None:
        return next((one for one in self.children if one.tag == tag), None)

    def scalar(self, tag: str = "") -> Scalar | None:
        """The text of the element, or of its child of that name; None where there is no such child."""
        one = self.child(tag) if tag else self
        return None if one is None else Scalar("".join(one.pieces).strip(), one.text_at or one.at)


class _Refused(Exception):
    pass


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._open: list[Element] = []
        self._count = 0
        self.top: Element | None = None
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.EntityDeclHandler = self._entity

    def read(self) -> Problem | None:
        try:
            self._parser.Parse(self._data, True)
        except expat.ExpatError as error:
            at = (error.lineno, error.offset + 1, error.lineno, error.offset + 1)
            return Problem(f"not valid XML: {expat.errors.messages.get(error.code, 'broken')}", at)
        except _Refused as error:
            line, column = self._place()
            return Problem(f"not read as XML: {error}", (line, column, line, column))
        except (ValueError, LookupError):  # an encoding that Python does not know
            return Problem("not readable as XML: unknown encoding", (1, 1, 1, 1))
        return None

    def _place(self) -> tuple[int, int]:
        return self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber + 1

    def _entity(self, *_: object) -> None:
        raise _Refused("it declares entities")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if self._count > _MOST or len(self._open) >= _DEEPEST:
            raise _Refused(f"more than {_MOST:,} elements, or {_DEEPEST} in each other")
        line, column = self._place()
        made = Element(tag.rpartition(":")[2], (line, column, line, column + len(tag) + 1))
        if 0 < len(attributes) <= _MOST_PLACED:
            self._attributes(made, attributes, line, column)
        if self._open:
            self._open[-1].children.append(made)
        elif self.top is None:
            self.top = made
        self._open.append(made)

    def _attributes(
        self, made: Element, attributes: dict[str, str], line: int, column: int
    ) -> None:
        """Take the attributes, each at the place of its text."""
        first = self._parser.CurrentByteIndex
        end = self._data.find(b">", first)
        places: dict[str, tuple[int, int]] = {}
        for found in _ATTRIBUTE.finditer(
            self._data, first, len(self._data) if end < 0 else end + 1
        ):
            places[found[1].decode("utf-8", "replace")] = (found.start(2) + 1, found.end(2) - 1)
        for name, text in attributes.items():
            start, stop = places.get(name, (first, first))
            before = self._data[first:start].decode("utf-8", "replace")
            row = line + before.count("\n")
            left = len(before.rpartition("\n")[2]) + (column if row == line else 1)
            at = (row, left, row, left + len(self._data[start:stop].decode("utf-8", "replace")))
            made.attributes[name.rpartition(":")[2]] = Scalar(text, at)

    def _end(self, _tag: str) -> None:
        self._open.pop()

    def _text(self, text: str) -> None:
        here = self._open[-1]
        here.pieces.append(text)
        bare = text.strip()
        if bare:
            line, column = self._place()
            column += len(text) - len(text.lstrip())
            first = here.text_at or (line, column, line, column)
            here.text_at = (*first[:2], line, column + len(bare))


def document(data: bytes) -> tuple[Element | None, Problem | None]:
    """The outermost element of a text, as far as it was read, and what is wrong with it."""
    reader = _Reader(data)
    problem = reader.read()
    return reader.top, problem
