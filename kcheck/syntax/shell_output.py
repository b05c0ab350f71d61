"""What the commands of a shell that only print give out: ``cat`` with a here-document, ``echo`` …"""

from __future__ import annotations

import re

from kcheck.syntax.shell_values import Piece, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.syntax.shell_command import Call

_ESCAPE = re.compile(r"\\([\\abefnrtv]|0[0-7]{0,3})")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
#: What printf puts a word in place of, and what it does not know to.
_FIELD = re.compile(r"%(?:([sbdi])|(%)|[^%\s]*[A-Za-z])")
_OPTIONS = re.compile(r"-[neE]+")


def printed(call: Call, words: list[Word] | None = None) -> Word | None:
    """The text that a command prints, wherever that goes; None where the command does not tell.

    ``words`` are those of the command that is meant, where others run it: ``sudo cat``.
    """
    words = call.words if words is None else words
    if not words:
        return None
    name, rest = words[0].text.rpartition("/")[2], words[1:]
    if name in (":", "true"):
        return Word([], words[-1].end, words[-1].end)
    if name == "cat" and all(one.text == "-" for one in rest):
        return call.input
    if name == "echo":
        return _echoed(call, rest)
    if name == "printf" and rest:
        return _formatted(rest[0], rest[1:])
    return None


def _echoed(call: Call, rest: list[Word]) -> Word:
    options = ""
    while rest and _OPTIONS.fullmatch(rest[0].text):
        options += rest[0].text
        rest = rest[1:]
    pieces: list[Piece] = []
    for number, word in enumerate(rest):
        if number:
            pieces.append(_gap(" ", rest[number - 1]))
        pieces += _unescaped(word) if "e" in options else word.pieces
    last = rest[-1] if rest else call.words[0]
    if "n" not in options:
        pieces.append(_gap("\n", last))
    return Word(pieces, rest[0].start if rest else last.end, last.end)


def _gap(text: str, before: Word) -> Piece:
    return Piece(text, before.end, before.end, False)


def _unescaped(word: Word) -> list[Piece]:
    """What ``echo -e`` and ``printf`` make of a word with backslashes."""
    made: list[Piece] = []
    at = 0
    for found in _ESCAPE.finditer(word.text) if "\\" in word.text else ():
        made += word.part(at, found.start()).pieces if found.start() > at else []
        at = found.end()
        place = word.part(found.start(), at)
        made.append(Piece(_ESCAPED.get(found[1], ""), place.start, place.end, False))
    return made + (word.part(at).pieces if at < len(word.text) else [])


def _formatted(form: Word, rest: list[Word]) -> Word | None:
    """``printf``: the form once, or again for the words that it leaves, as a shell does."""
    if not form.known:
        return None
    plain = Word(_unescaped(form), form.start, form.end)
    fields = [*_FIELD.finditer(plain.text)]
    if any(one[1] is None and one[2] is None for one in fields):
        return None
    takes = sum(one[1] is not None for one in fields)
    rounds = -(-len(rest) // takes) if takes and rest else 1
    left = iter(rest)
    pieces: list[Piece] = []
    for _ in range(rounds):
        at = 0
        for one in fields:
            pieces += plain.part(at, one.start()).pieces if one.start() > at else []
            at = one.end()
            if one[2]:
                pieces.append(Piece("%", form.start, form.end, False))
            elif (word := next(left, None)) is not None:
                pieces += word.pieces
        pieces += plain.part(at).pieces if at < len(plain.text) else []
    return Word(pieces, form.start, rest[-1].end if rest else form.end)
