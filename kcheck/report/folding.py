"""Printable text in lines that the terminal need not break: at words, with a hanging indent."""

from __future__ import annotations

from kcheck.report.printable import width

#: In fewer columns no line is broken.
NARROW = 40


def folded(text: str, columns: int, begin: int = 0, hang: int = 0) -> str:
    """The text, ``begin`` columns of whose first line are taken, its other lines ``hang`` deep.

    ``columns`` is 0 where no terminal is: then no line is broken.
    """
    if columns < NARROW or begin + width(text) <= columns:
        return text
    return ("\n" + " " * hang).join(lines(text, columns - begin, columns - hang))


def lines(text: str, first: int, rest: int) -> list[str]:
    """The text in lines of ``first`` columns, then ``rest``; a longer word stays whole."""
    found: list[str] = []
    room = first
    bare = text.lstrip(" ")
    taken = len(text) - len(bare)
    line = text[:taken] if bare else ""
    if line:
        # What is indented stays so: the blanks are a part of the first word.
        word, _, bare = bare.partition(" ")
        line += word
        taken += width(word)
        if not bare:
            return [line]
    for word in bare.split(" "):
        needed = width(word)
        if line and taken + 1 + needed > room:
            found.append(line)
            line, taken, room = word, needed, rest
        else:
            taken += needed + bool(line)
            line = f"{line} {word}" if line else word
    return [*found, line]
