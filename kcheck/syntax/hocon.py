"""HOCON text → the nodes of ``syntax.yaml``, with positions, as far as it is literal.

Objects with or without a root brace, ``=``, ``:`` and ``+=``, dotted paths, comments, quoted and
unquoted text, lists. A name keeps its dots: ``a.b { c = 1 }`` is ``a.b`` with ``c`` in it. What
``include`` names is not read. A value with a substitution keeps its source text, ``${name}``
included; what ``+=`` makes is unknown. Objects that stand one after the other are one, in which a
substitution among them is a member without a name.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from kcheck.model import START, Position, Problem
from kcheck.syntax.nodes import Mapping, Node, Scalar, Sequence

_SPACE = re.compile(r"(?:[\s,\ufeff]+|(?:#|//)[^\n]*)*")
_BLANKS = re.compile(r"[^\S\n]*")
_QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"')
#: Text without quotes ends with these, or where a comment begins.
_BARE = re.compile(r"(?:[^\s,{}\[\]\"#:=+/$]|/(?!/)|\+(?!=)|\$(?!\{))+")
_WORDS = re.compile(r"(?:[^\n,{}\[\]\"#/$]|/(?!/)|\$(?!\{))+")
_SUBSTITUTION = re.compile(r"\$\{[^{}\n]*\}")
_INCLUDE = re.compile(r"include[^\S\n]+(?:\"|\w+\()[^\n]*")
#: A sign or a value may stand on the next line.
_LINES = re.compile(r"(?:\s+|(?:#|//)[^\n]*)*")
_DEEPEST = 100
#: Values in one file.
_MOST = 20_000


class _Wrong(Exception):
    def __init__(self, at: int, message: str) -> None:
        super().__init__(message)
        self.at = at
        self.message = message


def document(data: bytes) -> tuple[Node | None, Problem | None]:
    """The object that the file holds, or what is wrong with it and where."""
    reader = _Reader(data.decode("utf-8", "replace"))
    try:
        return reader.whole(), None
    except _Wrong as error:
        place = reader.stretch(error.at, error.at)
        return None, Problem(f"not valid HOCON: {error.message}", place)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.end = 0
        self.count = 0
        self._starts = [0, *(found.end() for found in re.finditer("\n", text))]

    def stretch(self, start: int, end: int) -> Position:
        return (*self._place(start), *self._place(end))

    def _place(self, at: int) -> tuple[int, int]:
        line = bisect_right(self._starts, at)
        return line, at - self._starts[line - 1] + 1

    def whole(self) -> Node:
        """The object of the file, whose braces may be left out."""
        start = self._skip(0)
        braced = self.text[start : start + 1] == "{"
        made = self._object(start + 1 if braced else start, "}" if braced else "", 0)
        if self._skip(self.end) < len(self.text):
            raise _Wrong(self._skip(self.end), "unexpected text after the object")
        return made

    def _skip(self, at: int) -> int:
        found = _SPACE.match(self.text, at)
        return found.end() if found else at

    def _object(self, at: int, closing: str, depth: int) -> Mapping:
        """The members from there on; ``end`` is then the place behind the closing brace."""
        if depth > _DEEPEST:
            raise _Wrong(at, "nested too deeply to read")
        made = Mapping(START)
        start = at
        while True:
            at = self._skip(at)
            if at >= len(self.text) or self.text[at] == "}":
                break
            include = _INCLUDE.match(self.text, at)
            if include is not None:
                at = include.end()
                continue
            self._member(made, at, depth)
            at = self.end
        if (self.text[at : at + 1] == "}") != (closing == "}"):
            raise _Wrong(at, "a closing brace is missing" if closing else "this } closes nothing")
        self.end = at + len(closing)
        made.at = self.stretch(start, self.end)
        return made

    def _member(self, made: Mapping, at: int, depth: int) -> None:
        key = self._key(at)
        at = self._skip_lines(self.end)
        sign = self.text[at : at + 1]
        if self.text.startswith("+=", at):
            value = self._value(at + 2, depth)
            unknown: Node = Scalar("", value.at if isinstance(value, Scalar) else key.at)
            made.pairs.append((key.value, key, unknown))
        elif sign in (":", "="):
            made.pairs.append((key.value, key, self._value(at + 1, depth)))
        elif sign == "{":
            made.pairs.append((key.value, key, self._value(at, depth)))
        else:
            raise _Wrong(at, "a value is missing")

    def _skip_blanks(self, at: int) -> int:
        found = _BLANKS.match(self.text, at)
        return found.end() if found else at

    def _key(self, start: int) -> Scalar:
        """A name: parts in quotes lose them, dots stay."""
        parts: list[str] = []
        at = start
        while True:
            found = _QUOTED.match(self.text, at) or _BARE.match(self.text, at)
            if found is None:
                break
            quoted = found.group().startswith('"')
            parts.append(found.group()[1:-1] if quoted else found.group())
            at = found.end()
        if not parts:
            raise _Wrong(start, "a name is missing")
        self.end = at
        return Scalar("".join(parts), self.stretch(start, at))

    def _value(self, at: int, depth: int) -> Node:
        """A value with all that is joined to it on its line."""
        parts: list[Node] = []
        start = end = at = self._skip_lines(at)
        while True:
            self.count += 1
            if self.count > _MOST:
                raise _Wrong(at, f"more than {_MOST:,} values")
            part = self._part(at, depth)
            if part is None:
                break
            parts.append(part)
            end = at = self.end
            at = self._skip_blanks(at)
        self.end = end
        return self._joined(parts, start, end)

    def _skip_lines(self, at: int) -> int:
        found = _LINES.match(self.text, at)
        return found.end() if found else at

    def _part(self, at: int, depth: int) -> Node | None:
        text = self.text
        first = text[at : at + 1]
        if first == "{":
            return self._object(at + 1, "}", depth + 1)
        if first == "[":
            return self._list(at, depth + 1)
        if text.startswith('"""', at):
            close = text.find('"""', at + 3)
            if close < 0:
                raise _Wrong(at, "the closing quotes are missing")
            self.end = close + 3
            return Scalar(text[at + 3 : close], self.stretch(at + 3, close), '"')
        found = _QUOTED.match(text, at)
        if found is not None:
            self.end = found.end()
            return self._quoted(at, found.group())
        found = _SUBSTITUTION.match(text, at) or _WORDS.match(text, at)
        if found is None or not found.group().strip():
            if first == '"':
                raise _Wrong(at, "the closing quote is missing")
            return None
        written = found.group().rstrip()
        self.end = at + len(written)
        return Scalar(written, self.stretch(at, self.end))

    def _quoted(self, at: int, literal: str) -> Scalar:
        inner = literal[1:-1]
        if "\\" in inner:
            import json  # few texts have escapes

            try:
                inner = str(json.loads(literal))
            except ValueError:
                raise _Wrong(at, "invalid escape") from None
        return Scalar(inner, self.stretch(at + 1, self.end - 1), '"')

    def _list(self, start: int, depth: int) -> Sequence:
        if depth > _DEEPEST:
            raise _Wrong(start, "nested too deeply to read")
        items: list[Node] = []
        at = self._skip(start + 1)
        while self.text[at : at + 1] not in ("]", ""):
            before = at
            items.append(self._value(at, depth))
            at = self._skip(self.end)
            if at == before:
                raise _Wrong(at, "a value is missing")
        if at >= len(self.text):
            raise _Wrong(start, "a closing bracket is missing")
        self.end = at + 1
        return Sequence(items, self.stretch(start, self.end))

    def _joined(self, parts: list[Node], start: int, end: int) -> Node:
        if not parts:
            raise _Wrong(start, "a value is missing")
        if len(parts) == 1:
            return parts[0]
        if any(isinstance(part, Mapping) for part in parts):
            made = Mapping(self.stretch(start, end))
            for part in parts:
                if isinstance(part, Mapping):
                    made.pairs += part.pairs
                elif isinstance(part, Scalar):
                    made.pairs.append(("", part, part))
            return made
        if any(isinstance(part, Sequence) for part in parts):
            return Scalar("", self.stretch(start, end))
        return Scalar(self.text[start:end], self.stretch(start, end))
