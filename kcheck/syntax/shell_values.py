"""What the words of a shell's commands are, as far as its text tells, and where each of them stands.

Variables that the text sets to literal texts are filled in. Whatever a shell puts together in another
way is unknown: the word then has what is written there, and is not ``known``.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_right
from itertools import accumulate

from kcheck.syntax.shell_tree import ALL, OUTPUT, TEXT, VARIABLE, Part, Parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from kcheck.syntax.shell_tree import Statement

#: So many characters are filled in for the variables of one text.
_MOST_FILLED = 5_000_000


class Piece:
    """A text of a word and its place; ``exact``: character by character. Unknown texts are as they
    are written, variables in braces."""

    __slots__ = ("end", "exact", "known", "start", "text")

    def __init__(self, text: str, start: int, end: int, exact: bool, known: bool = True) -> None:
        self.text = text
        self.start = start
        self.end = end
        self.exact = exact
        self.known = known


class Word:
    """A word as a command gets it; ``start`` and ``end`` are its place, with its quotes."""

    __slots__ = ("_starts", "end", "pieces", "start", "text")

    def __init__(self, pieces: list[Piece], start: int, end: int) -> None:
        self.pieces = pieces
        self.start = start
        self.end = end
        self.text = "".join(piece.text for piece in pieces)
        starts = accumulate((len(piece.text) for piece in pieces), initial=0)
        self._starts = [*starts] if len(pieces) != 1 else [0]

    @property
    def known(self) -> bool:
        return all(piece.known for piece in self.pieces)

    def part(self, start: int, end: int | None = None) -> Word:
        """The word that the characters from ``start`` to ``end`` make."""
        end = len(self.text) if end is None else end
        number = max(bisect_right(self._starts, start) - 1, 0)
        pieces: list[Piece] = []
        while number < len(self.pieces) and not (pieces and self._starts[number] >= end):
            piece, at = self.pieces[number], self._starts[number]
            last = min(end - at, len(piece.text))
            pieces.append(_cut(piece, min(max(start - at, 0), last), last))
            number += 1
        if not pieces:
            return Word([], self.end, self.end)
        first, last_one = pieces[0], pieces[-1]
        return Word(pieces, first.start, last_one.end if last_one.end >= first.start else first.end)

    def split(self, sign: str) -> list[Word]:
        """Its parts between the signs."""
        made: list[Word] = []
        at = 0
        for text in self.text.split(sign):
            made.append(self.part(at, at + len(text)))
            at += len(text) + len(sign)
        return made


def _cut(piece: Piece, first: int, last: int) -> Piece:
    text = piece.text[first:last]
    if piece.exact:
        return Piece(text, piece.start + first, piece.start + last, True, piece.known)
    return Piece(text, piece.start, piece.end, False, piece.known)


def source(text: str, start: int = 0) -> Word:
    """A text that stands in its file as it is, as a word."""
    return Word([Piece(text, start, start + len(text), True)], start, start + len(text))


class Scope:
    """Variables: a name that is missing has no value that the text tells. ``strict``: what is not
    known may be set, so that no default counts."""

    def __init__(self, strict: bool, given: Mapping[str, Word]) -> None:
        self.values: dict[str, Word | list[Word] | None] = dict(given)
        self.positional: list[Word] | None = None
        self.strict = strict
        self.functions: dict[str, list[Statement]] = {}
        #: Names that are set where it is not known whether the command is run.
        self.doubtful: list[set[str]] = []

    def set(self, name: str, value: Word | list[Word] | None) -> None:
        self.values[name] = value
        for names in self.doubtful:
            names.add(name)

    def get(self, name: str) -> Word | list[Word] | None:
        if not name.isdigit():
            return self.values.get(name)
        number = int(name[:6])
        given = self.positional or []
        return given[number - 1] if 0 < number <= len(given) else None

    def open(self, name: str) -> bool:
        """Whether nothing is known of the variable, so that its default may count."""
        if name.isdigit():
            return self.positional is None or int(name[:6]) > len(self.positional)
        return not self.strict and name not in self.values


class Filler(ABC):
    """Makes words of their parts; what commands print is the heir's to tell."""

    def __init__(self) -> None:
        self.filled = 0
        #: The text whose words they are.
        self.origin: Word | None = None

    @abstractmethod
    def output(self, part: Part, scope: Scope, depth: int) -> list[Piece]:
        """What the commands of a part print."""

    def fields(self, words: list[Parts], scope: Scope, depth: int) -> list[Word]:
        made: list[Word] = []
        for parts in words:
            made += self._split(parts, scope, depth)
        return made

    def _split(self, parts: Parts, scope: Scope, depth: int) -> list[Word]:
        """The words that one is when its variables are filled in."""
        done: list[Word] = []
        pieces: list[Piece] = []
        for part in parts.parts:
            for number, field in enumerate(self._gapped(part, scope, depth)):
                if number and pieces:
                    done.append(_word(pieces, parts))
                    pieces = []
                pieces += field
        if any(piece.text for piece in pieces) or any(
            part.quoted and part.kind != ALL for part in parts.parts
        ):
            done.append(_word(pieces, parts))
        return done

    def _gapped(self, part: Part, scope: Scope, depth: int) -> list[list[Piece]]:
        """What a part is, in pieces between which words end."""
        values = self._all(part, scope) if part.kind == ALL else None
        if values is not None:
            return [value.pieces for value in values]
        filled = self._part(part, scope, depth)
        if part.quoted or part.kind == TEXT or not all(one.known for one in filled):
            return [filled]
        return _fields(Word(filled, part.start, part.end))

    def word(self, parts: Parts, scope: Scope, depth: int) -> Word:
        """A word that is not split."""
        pieces: list[Piece] = []
        for part in parts.parts:
            pieces += self._part(part, scope, depth)
        return _word(pieces, parts)

    def _all(self, part: Part, scope: Scope) -> list[Word] | None:
        """The words of ``$@`` and ``${NAMES[@]}``; None where they are unknown."""
        if part.operator:
            return None
        value = scope.positional if part.text in "@*" else scope.get(part.text)
        return value if isinstance(value, list) else None

    def _part(self, part: Part, scope: Scope, depth: int) -> list[Piece]:
        start, end = part.start, part.end
        if part.kind == TEXT:
            return self._here(part)
        if part.kind == OUTPUT:
            return self.output(part, scope, depth)
        if part.kind == VARIABLE:
            value = self._variable(part, scope, depth)
            if value is not None:
                self.filled += len(value.text)
                place = self.span(start, end)
                # What has no place of its own stands where it is used.
                return [
                    one if one.start >= 0 else Piece(one.text, *place, False, one.known)
                    for one in (value.pieces if self.filled < _MOST_FILLED else [])
                ]
            text = f"${{{part.text}}}"
        else:
            text = part.text
        place = self.span(start, end)
        return [Piece(text, *place, False, known=False)]

    def _here(self, part: Part) -> list[Piece]:
        """A text that stands there."""
        if part.exact and self.origin is not None and not self._plain():
            return self.origin.part(part.start, part.end).pieces
        return [Piece(part.text, *self.span(part.start, part.end), part.exact)]

    def _plain(self) -> bool:
        """Whether the text stands in its file as it is."""
        return self.origin is None or (len(self.origin.pieces) == 1 and self.origin.pieces[0].exact)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The place of a stretch of the text."""
        if self.origin is None:
            return start, end
        if self._plain():
            begin = self.origin.pieces[0].start
            return begin + start, begin + end
        part = self.origin.part(start, end)
        return part.start, part.end

    def _variable(self, part: Part, scope: Scope, depth: int) -> Word | None:
        value = scope.get(part.text)
        if isinstance(value, list):
            value = value[0] if value else None
        operator = part.operator
        if operator.lstrip(":") in ("-", "=") and part.argument is not None:
            if value is None and scope.open(part.text):
                value = self.word(part.argument, scope, depth)
                if "=" in operator:
                    scope.set(part.text, value)
            elif value is not None and not value.text and operator[0] == ":":
                value = self.word(part.argument, scope, depth)
        elif operator and operator[0] in "%#" and part.argument is not None:
            pattern = self.word(part.argument, scope, depth)
            value = _stripped(value, operator, pattern) if value is not None else None
        elif operator.lstrip(":") not in ("", "?") or operator == ":":
            return None
        return value


def _word(pieces: list[Piece], parts: Parts) -> Word:
    own = [one for one in pieces if one.text] or pieces
    made = Word(pieces, parts.start, parts.end)
    if own:
        made.start, made.end = own[0].start, max(own[-1].end, own[0].end)
    return made


def _fields(value: Word) -> list[list[Piece]]:
    """The texts between the blanks of a value."""
    made: list[list[Piece]] = []
    at = 0
    for blank in re.finditer(r"\s+", value.text):
        made.append(value.part(at, blank.start()).pieces if blank.start() > at else [])
        at = blank.end()
    made.append(value.part(at).pieces if at < len(value.text) else [])
    return made


def joined(first: Word, second: Word) -> Word:
    return Word([*first.pieces, *second.pieces], first.start, second.end)


def _stripped(value: Word, operator: str, pattern: Word) -> Word | None:
    """``${name%%:*}`` and the like, for a text with a star at its end or beginning."""
    text, sign = value.text, pattern.text
    if not value.known or not pattern.known:
        return None
    front = operator[0] == "#"
    literal = (sign.removeprefix("*") if front else sign.removesuffix("*")) or "\0"
    if any(one in literal for one in "*?[\\"):
        return None
    if literal == sign:
        if front:
            return value.part(len(sign)) if text.startswith(sign) else value
        return value.part(0, len(text) - len(sign)) if text.endswith(sign) else value
    longest = len(operator) == 2
    if front:
        at = text.rfind(literal) if longest else text.find(literal)
        return value.part(at + len(literal)) if at >= 0 else value
    at = text.find(literal) if longest else text.rfind(literal)
    return value.part(0, at) if at >= 0 else value
