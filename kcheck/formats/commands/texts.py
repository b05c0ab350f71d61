"""Texts of a YAML file that a shell runs, or the words of a command, as one sequence of characters.

Words of the shell's reader are stretches of it; ``place`` tells where in the file they are.
"""

from __future__ import annotations

from bisect import bisect_right

from kcheck.formats.embedded import Inlay
from kcheck.model import Position
from kcheck.syntax import yaml
from kcheck.syntax.shell_values import Piece, Word, source


class Texts:
    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._starts: list[int] = []
        self._texts: list[tuple[Inlay, yaml.Node]] = []
        self._size = 0

    def word(self, node: yaml.Node, dollars: bool = False) -> Word | None:
        """The text of a scalar; ``dollars``: two of them stand for one, as in compose files."""
        if not isinstance(node, yaml.ScalarNode):
            return None
        start, text = self._size, str(node.value)
        self._starts.append(start)
        self._texts.append((Inlay(node, self._lines), node))
        self._size += len(text) + 1
        return undoubled(text, start) if dollars else source(text, start)

    def place(self, start: int, end: int) -> Position:
        """Where a stretch stands; the whole scalar where that is vague."""
        number = bisect_right(self._starts, start) - 1
        inlay, begin = self._texts[number][0], self._starts[number]
        text = inlay.text
        first, last = start - begin, min(max(end - begin, start - begin), len(text))
        row = text.rfind("\n", 0, first) + 1
        row_last = text.rfind("\n", 0, max(last - 1, first)) + 1
        line = text.count("\n", 0, row) + 1
        return inlay.place(
            (line, first - row + 1, line + text.count("\n", row, row_last), last - row_last + 1)
        )


def undoubled(text: str, start: int) -> Word:
    """A text in which two dollars stand for one; the others are filled in before a shell sees it."""
    pieces: list[Piece] = []
    at = 0
    while at < len(text):
        found = text.find("$$", at)
        found = len(text) if found < 0 else found
        if found > at:
            pieces.append(Piece(text[at:found], start + at, start + found, True))
        if found < len(text):
            pieces.append(Piece("$", start + found, start + found + 2, False))
        at = found + 2
    return Word(pieces, start, start + len(text))
