"""JSON text → the nodes of ``syntax.yaml``, with positions: formats read both alike.

Scalars keep their source text; a string's place is what stands between its quotes, so that a value
can be replaced there. As in the configuration of many programs, comments and a comma too many are
no error; ``strictly`` names the first of them for formats whose own parsers refuse it.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from kcheck.model import ERROR, START, WARNING, Position, Problem
from kcheck.syntax.nodes import Mapping, Node, Scalar, Sequence

_SPACE = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_BLANKS = " \t\r\n"
_STRING = re.compile(r'"[^"\\\x00-\x1f]*"')
#: A part of a string up to its end or an escape. A pattern of the whole would take memory for
#: each of its characters.
_STRETCH = re.compile(r'[^"\\\x00-\x1f]*')
_PLAIN = re.compile(r"[-+.\w]+")
_VALUE = re.compile(r"true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?")
_DEEPEST = 100
#: Values in one file.
MOST = 10_000


#: What is said of a file that holds more than its value: a list of records, a log.
FOLLOWS = "unexpected text after the value"


class _Wrong(Exception):
    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at = at
        self.message = message


def document(data: bytes) -> tuple[Node | None, Problem | None]:
    """The value that the file holds, or what is wrong with it and where."""
    nodes, problem = _values(data, most=1)
    return (nodes[0] if nodes and problem is None else None), problem


def strictly(data: bytes, most: int = 1) -> tuple[list[Node], Problem | None, Problem | None]:
    """(values, what is wrong, what a strict parser refuses although it was read).

    Kafka Connect's parser is strict, and so are those of Terraform and CloudFormation.
    """
    loose: list[Problem] = []
    nodes, problem = _values(data, most, loose)
    return nodes, problem, loose[0] if loose else None


def _values(
    data: bytes, most: int, loose: list[Problem] | None = None
) -> tuple[list[Node], Problem | None]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        return [], Problem("not readable as JSON: not UTF-8", (line, 1, line, 1))
    reader = _Reader(text)
    nodes: list[Node] = []
    try:
        at = reader.skip(0)
        while not nodes or at < len(text):
            if nodes and (len(nodes) == most or text[at] != "{"):
                raise _Wrong(at, FOLLOWS)
            nodes.append(reader.value(at, 0))
            at = reader.skip(reader.end)
    except _Wrong as error:
        place = reader.stretch(error.at, error.at)
        return nodes, Problem(f"not valid JSON: {error.message}", place)
    if reader.loose and loose is not None:
        at, what, severity = min(reader.loose)
        place = reader.stretch(at, at + 1)
        loose.append(Problem(f"not valid JSON: {what}", place, severity=severity))
    return nodes, None


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.end = 0
        #: (where, what, how grave) of all that was read although JSON does not have it.
        self.loose: list[tuple[int, str, str]] = []
        self._starts = [0]
        at = text.find("\n")
        while at >= 0:
            self._starts.append(at + 1)
            at = text.find("\n", at + 1)

    def place(self, at: int) -> tuple[int, int]:
        """The line and the column, from 1 on."""
        line = bisect_right(self._starts, at)
        return line, at - self._starts[line - 1] + 1

    def stretch(self, start: int, end: int) -> Position:
        return (*self.place(start), *self.place(end))

    def skip(self, at: int) -> int:
        found = _SPACE.match(self.text, at)
        if found is None:
            return at
        if found.group().strip(_BLANKS):
            self.loose.append((self.text.index("/", at), "JSON has no comments", WARNING))
        return found.end()

    def value(self, at: int, depth: int) -> Node:
        """The value that begins there; ``end`` is then the place behind it."""
        if depth > _DEEPEST:
            raise _Wrong(at, "nested too deeply to read")
        first = self.text[at : at + 1]
        if first == "{":
            return self._object(at, depth)
        if first == "[":
            return self._array(at, depth)
        return self._string(at) if first == '"' else self._plain(at)

    def _object(self, start: int, depth: int) -> Node:
        made = Mapping(START)
        at = self.skip(start + 1)
        while self.text[at : at + 1] != "}":
            if self.text[at : at + 1] != '"':
                raise _Wrong(at, "a name in quotes is missing")
            key = self._string(at)
            at = self.skip(self.end)
            if self.text[at : at + 1] != ":":
                raise _Wrong(at, "a colon is missing")
            made.pairs.append((key.value, key, self.value(self.skip(at + 1), depth + 1)))
            at = self._next(self.skip(self.end), "}")
        self.end = at + 1
        made.at = self.stretch(start, self.end)
        return made

    def _array(self, start: int, depth: int) -> Node:
        items: list[Node] = []
        at = self.skip(start + 1)
        while self.text[at : at + 1] != "]":
            items.append(self.value(at, depth + 1))
            at = self._next(self.skip(self.end), "]")
        self.end = at + 1
        return Sequence(items, self.stretch(start, self.end))

    def _next(self, at: int, closing: str) -> int:
        """The place of the next member or of the closing bracket."""
        if self.text[at : at + 1] == ",":
            following = self.skip(at + 1)
            if self.text[following : following + 1] == closing:
                self.loose.append((at, f"a comma before {closing}", ERROR))
            return following
        if self.text[at : at + 1] != closing:
            raise _Wrong(at, f"a comma or {closing} is missing")
        return at

    def _string(self, start: int) -> Scalar:
        found = _STRING.match(self.text, start)
        self.end = found.end() if found is not None else self._string_end(start)
        raw = self.text[start + 1 : self.end - 1]
        if found is None:
            raw = self._decoded(start, self.text[start : self.end])
        return Scalar(raw, self.stretch(start + 1, self.end - 1), '"')

    def _string_end(self, start: int) -> int:
        """The place behind a string with escapes in it."""
        text = self.text
        at = start + 1
        while True:
            stretch = _STRETCH.match(text, at)
            at = stretch.end() if stretch else at
            sign = text[at : at + 1]
            if sign == '"':
                return at + 1
            if sign != "\\" or text[at + 1 : at + 2] in ("", "\n"):
                raise _Wrong(start, "the closing quote is missing")
            at += 2

    def _decoded(self, start: int, literal: str) -> str:
        import json  # costs more than most files do, and few have escapes

        try:
            return str(json.loads(literal))
        except ValueError:
            raise _Wrong(start, "invalid escape") from None

    def _plain(self, start: int) -> Node:
        found = _PLAIN.match(self.text, start)
        if found is None:
            raise _Wrong(start, "a value is missing")
        self.end = found.end()
        if not _VALUE.fullmatch(found.group()):
            self.loose.append((start, f"{found.group()} is neither quoted nor a number", WARNING))
        return Scalar(found.group(), self.stretch(start, self.end))
