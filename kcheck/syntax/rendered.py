"""The text that a template is rendered to, and where in the template each part of it stands."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.model import Position


class Line:
    """A line that is put out, with the runs of the template that it is made of."""

    __slots__ = ("certain", "doubtful", "runs", "text")

    def __init__(self) -> None:
        self.text = ""
        self.runs: list[tuple[int, int, int]] = []
        self.doubtful = False
        #: Whether it has text that is surely put out.
        self.certain = False

    def empty(self) -> None:
        self.text = ""
        self.runs = []


class Rendered:
    """A text, and the places that its parts have in the template.

    ``maps`` are the variables whose pairs the template writes as settings, one to a line.
    """

    def __init__(self, template: str) -> None:
        self.text = ""
        self.maps: list[str] = []
        #: The lines of the template with something that is in doubt.
        self.doubtful: set[int] = set()
        #: Those in branches that its variables leave out.
        self.off: set[int] = set()
        self._starts = [0, *(found.end() for found in re.finditer("\n", template))]
        #: Of each line: (column, offset in the template, length there or -1 if it is as written).
        self._runs: list[list[tuple[int, int, int]]] = []

    def put(self, lines: list[Line], left: list[int], off: list[tuple[int, int]]) -> None:
        self.text = "\n".join(line.text for line in lines)
        self._runs = [line.runs for line in lines]
        self.doubtful = {self._position(offset)[0] for offset in left}
        for first, last in off:
            self.off.update(range(self._position(first)[0], self._position(last)[0] + 1))

    def place(self, at: Position) -> Position:
        """Where in the template a part of the text stands."""
        start, end = self._offset(at[0], at[1], False), self._offset(at[2], at[3], True)
        if start is None or end is None:
            return at
        return (*self._position(start), *self._position(max(start, end)))

    def joined(self) -> Iterator[tuple[int, int, int, int]]:
        """Where text of a later line of the template goes on in a line, for a block took the newline
        between them: the line and the column in the text, the template's line that it begins in,
        and the later one."""
        for number, runs in enumerate(self._runs, 1):
            first = self._position(runs[0][1])[0] if runs else 0
            for column, source, _ in runs[1:]:
                line = self._position(source)[0]
                if line > first:
                    yield number, column + 1, first, line

    def made(self, at: Position) -> bool:
        """Whether a part of the text, on one line, is what something else was replaced with."""
        runs = self._runs[at[0] - 1] if 0 < at[0] <= len(self._runs) else []
        ends = [*(begin for begin, _, _ in runs[1:]), at[3]]
        return any(
            length >= 0 and begin < at[3] - 1 and end > at[1] - 1
            for (begin, _, length), end in zip(runs, ends, strict=False)
        )

    def _offset(self, line: int, column: int, end: bool) -> int | None:
        runs = self._runs[line - 1] if 0 < line <= len(self._runs) else []
        # The end of one run is not the beginning of the next.
        at = bisect_right(runs, (column - 1 - end, 1 << 62)) - 1
        if at < 0:
            return None
        begin, source, length = runs[at]
        if length >= 0:
            return source + length if end else source
        return source + column - 1 - begin

    def _position(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset) - 1
        return line + 1, offset - self._starts[line] + 1
