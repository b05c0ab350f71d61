"""The hashes in a manifest of Puppet, as mappings; the language around them is passed over.

A value that hangs on a variable or a function stands as ``${…}``, which everybody knows for unknown.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from kcheck.model import Position
from kcheck.syntax.nodes import Mapping, Node, Scalar

_TOKEN = re.compile(
    r"(?P<skip>#[^\n]*|/\*.*?(?:\*/|\Z)|\s+)"
    r"|(?P<text>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
    r"|(?P<word>[\w$][\w:.$-]*)|(?P<mark>=>|.)",
    re.DOTALL,
)
_ESCAPED = re.compile(r"\\(['\"\\$])")
_DEEPEST = 40
_OPEN, _CLOSE = "{[(", "}])"
UNKNOWN = "${…}"


def hashes(text: str) -> list[tuple[str, Node, Mapping]]:
    """The outermost hashes: the name before each, where that stands, and what it holds."""
    reader = _Reader(text)
    found: list[tuple[str, Node, Mapping]] = []
    name: Scalar | None = None
    while reader.at < len(reader.tokens):
        kind, word, at = reader.tokens[reader.at]
        if word == "{" and name is not None and reader.opens_hash():
            found.append((name.value, name, reader.hash(_DEEPEST)))
            name = None
            continue
        if kind in ("word", "text"):
            name = Scalar(word.strip("'\"$"), at)
        elif word not in ("=", "=>"):
            name = None
        reader.at += 1
    return found


class _Reader:
    def __init__(self, text: str) -> None:
        starts = [0, *(found.end() for found in re.finditer("\n", text))]

        def place(start: int, end: int) -> Position:
            first, last = bisect_right(starts, start), bisect_right(starts, end)
            return first, start - starts[first - 1] + 1, last, end - starts[last - 1] + 1

        self.tokens = [
            (found.lastgroup, found[0], place(*found.span()))
            for found in _TOKEN.finditer(text)
            if found.lastgroup != "skip"
        ]
        self.at = 0

    def word(self, ahead: int = 0) -> str:
        at = self.at + ahead
        return self.tokens[at][1] if at < len(self.tokens) else ""

    def opens_hash(self) -> bool:
        """Whether the brace here begins a hash, and no body of a resource or a class."""
        return self.word(2) == "=>" and self.word(-1) in ("=", "=>")

    def hash(self, depth: int) -> Mapping:
        """The hash whose brace is the next token."""
        made = Mapping(self.tokens[self.at][2])
        self.at += 1
        while self.word() not in ("", "}"):
            kind, word, at = self.tokens[self.at]
            if kind not in ("text", "word") or self.word(1) != "=>":
                self._pass()
                continue
            self.at += 2
            key = _text(str(kind), word)
            value = self._value(depth)
            if value is not None and "$" not in key:
                made.pairs.append((key, Scalar(key, _inside(str(kind), at)), value))
        self.at += 1
        return made

    def _value(self, depth: int) -> Node | None:
        """The value here up to its comma; None for none, which Puppet calls undef."""
        if self.at >= len(self.tokens):
            return None
        kind, word, at = self.tokens[self.at]
        if word == "{" and depth and self.word(2) == "=>":
            inner = self.hash(depth - 1)
            return inner if not self._pass() else Scalar(UNKNOWN, at)
        self.at += 1
        plain = kind == "text" or (kind == "word" and self.word() not in ("(", "["))
        if word in _OPEN:
            self.at -= 1
        if self._pass() or not plain:
            return Scalar(UNKNOWN, at)
        if word == "undef":
            return None
        return Scalar(_text(str(kind), word), _inside(str(kind), at), word[0])

    def _pass(self) -> int:
        """Go on behind the next comma, or to the brace that ends the hash; how many tokens that were."""
        begun, open_ = self.at, 0
        while self.at < len(self.tokens):
            word = self.word()
            if not open_ and word in (",", "}"):
                break
            open_ += (word in _OPEN) - (word in _CLOSE)
            self.at += 1
        passed = self.at - begun
        self.at += self.word() == ","
        return passed


def _text(kind: str, word: str) -> str:
    if kind == "word":
        return UNKNOWN if word.startswith("$") or not _is_literal(word) else word
    inner = word[1:-1]
    if word[0] == '"' and "$" in inner.replace("\\$", ""):
        return UNKNOWN
    return _ESCAPED.sub(r"\1", inner)


def _is_literal(word: str) -> bool:
    """Whether a bare word stands for itself: a number, a boolean, a key; no variable."""
    return "::" not in word and "$" not in word


def _inside(kind: str, at: Position) -> Position:
    """Where a text stands inside of its quotes."""
    return (at[0], at[1] + 1, at[2], at[3] - 1) if kind == "text" else at
