"""What a script of ``sed`` makes of lines with ``key=value``: which keys it sets, and to what.

Nothing is run: a substitution counts as the line that it makes, wherever there is one to be changed.
What it takes over from the line that was there is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.syntax.shell_values import Piece, Word

#: Where a command works: ``/pattern/``, ``3``, ``$`` and two of them.
_ADDRESS = re.compile(r"(?:/(?:[^/\\\n]|\\.)*/I?|\d+|\$)(?:,(?:/(?:[^/\\\n]|\\.)*/I?|\d+|\$))?!?")
_BLANK = re.compile(r"[\s;{}]*")
_TEXT = re.compile(r"[aic](?:\\[ \t]*\r?\n?[ \t]*|[ \t]+)?")
_FLAGS = re.compile(r"[gpiIemM0-9]*")
#: A key in a line, or in a pattern that fits one.
_KEY = re.compile(r"[A-Za-z][\w-]*(?:\.[\w-]+)*")
_SET = re.compile(r"[ \t]*([A-Za-z][\w-]*(?:\.[\w-]+)*)[ \t]*=[ \t]*")
#: ``\1=…`` and ``\1…``, where the first group of the pattern has the key.
_KEPT = re.compile(r"(?:\\1|&)[ \t]*(=?)[ \t]*")
_BACK = re.compile(r"\\[0-9]|(?<!\\)&")
_NEXT = re.compile(r"[;\n]")
_MOST = 200


class Edit:
    """A line that a script makes: its key, and its value, None where that is unknown."""

    __slots__ = ("key", "line", "value")

    def __init__(self, key: str, line: Word, value: Word | None) -> None:
        self.key = key
        #: What of the script makes it.
        self.line = line
        self.value = value


def edits(script: Word) -> Iterator[Edit]:
    """The lines that a script's commands make, as far as its text tells."""
    text, at = script.text, 0
    for _ in range(_MOST):
        at = _end(_BLANK, text, at)
        address = _ADDRESS.match(text, at)
        at = _end(_BLANK, text, address.end()) if address is not None else at
        if text.startswith("s", at) and len(text) > at + 1 and not text[at + 1].isalnum():
            parts = _parts(text, at + 1)
            if parts is None:
                return
            middle, end = parts
            made = _substituted(script, at + 2, middle, end)
            if made is not None:
                yield made
            at = _end(_FLAGS, text, end + 1)
        elif (added := _TEXT.match(text, at)) is not None and address is not None:
            end = text.find("\n", added.end())
            end = len(text) if end < 0 else end
            yield from _line(script.part(added.end(), end))
            at = end
        else:
            # Any other command: up to the next one.
            found = _NEXT.search(text, at)
            if found is None:
                return
            at = found.end()


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found is not None else at


def _parts(text: str, at: int) -> tuple[int, int] | None:
    """Where the pattern of ``s`` ends, and its replacement; ``at`` is its first separator."""
    separator = text[at]
    found: list[int] = []
    at += 1
    while at < len(text) and len(found) < 2:
        if text[at] == "\\":
            at += 1
        elif text[at] == separator:
            found.append(at)
        at += 1
    return (found[0], found[1]) if len(found) == 2 else None


def _substituted(script: Word, start: int, middle: int, end: int) -> Edit | None:
    pattern, made = script.text[start:middle], script.part(middle + 1, end)
    kept = _KEPT.match(made.text)
    told = _key_of(pattern)
    if kept is not None and told is not None:
        # The group may have the sign as well: ``s/^\(key=\).*/\1value/``.
        key, covered = told
        if made.text.startswith("&"):
            return Edit(key, made, None)
        if not kept[1] and not re.search(r"=\\?\)", pattern):
            return None
        return Edit(key, made, _value(made.part(kept.end())) if covered else None)
    found = _SET.match(made.text)
    if found is None:
        return None
    # What the pattern leaves of the line stays behind the value.
    open_ = told is not None and not told[1]
    return Edit(found[1], made, None if open_ else _value(made.part(found.end())))


def _key_of(pattern: str) -> tuple[str, bool] | None:
    """The key that a pattern looks for, and whether it takes what stands behind the sign."""
    plain = re.sub(r"\\s\*|\\s\+|\[\^?[^\]]*\][*+?]?", "", pattern).replace("\\.", ".")
    before, equals, behind = plain.partition("=")
    found = _KEY.findall(before)
    if not found:
        return None
    return found[-1], not equals or bool(behind.strip("\\)( ")) or "[" in pattern


def _value(word: Word) -> Word | None:
    """The text of a replacement without its backslashes; None where the line before tells it."""
    if _BACK.search(word.text):
        return None
    return unescaped(word)


def unescaped(word: Word) -> Word:
    r"""A word in which a backslash only keeps the meaning of what follows from it: ``\/``."""
    if "\\" not in word.text:
        return word
    pieces: list[Piece] = []
    at = 0
    for found in re.finditer(r"\\(.)", word.text):
        pieces += word.part(at, found.start()).pieces if found.start() > at else []
        place = word.part(found.start(), found.end())
        pieces.append(Piece(found[1], place.start, place.end, False))
        at = found.end()
    pieces += word.part(at).pieces if at < len(word.text) else []
    return Word(pieces, word.start, word.end)


def _line(line: Word) -> Iterator[Edit]:
    found = _SET.match(line.text)
    if found is not None:
        yield Edit(found[1], line, unescaped(line.part(found.end())))
