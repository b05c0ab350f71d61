"""The source lines of a run, as they may be shown: decoded, secrets marked, columns counted."""

from __future__ import annotations

from collections.abc import Sequence

from kcheck import secrets
from kcheck.model import Position
from kcheck.report.printable import printable, width
from kcheck.report.record import settings_of
from kcheck.report.run import Run
from kcheck.syntax.entry import lines_of

#: Longer lines are cut around what they are shown for.
_LONGEST = 140
_BEFORE = 40
_TAB = 4
#: A report walks through the files in order, so a few are enough to remember.
_REMEMBERED = 64


class Sources:
    """Gives single lines of the input files, and says what of a line is secret."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._lines: dict[str, list[str] | None] = {}
        self._places: dict[str, list[Position]] | None = None

    def line(self, path: str, number: int) -> str | None:
        """The text of a line; None where the file cannot be read or has no such line."""
        if path not in self._lines:
            if len(self._lines) >= _REMEMBERED:
                self._lines.clear()
            data = self._run.read_source(path)
            self._lines[path] = None if data is None else _lines(path, data)
        lines = self._lines[path]
        if lines is None or not 1 <= number <= len(lines):
            return None
        return lines[number - 1]

    def hidden(self, path: str, number: int, text: str, near: list[str]) -> list[tuple[int, int]]:
        """(start, end) of the secrets in that line: by place, by surroundings, by their text."""
        found = secrets.spans(text)
        for line, column, end_line, end_column in self._secret_places().get(path, ()):
            if line <= number <= end_line:
                start = column - 1 if number == line else len(text) - len(text.lstrip())
                found.append((start, end_column - 1 if number == end_line else len(text)))
        for secret in near:
            at = text.find(secret)
            while at >= 0:
                found.append((at, at + len(secret)))
                at = text.find(secret, at + len(secret))
        return secrets.merged(found)

    def _secret_places(self) -> dict[str, list[Position]]:
        if self._places is None:
            self._places = {}
            for document in self._run.project.documents:
                for resource in document.resources:
                    for setting in settings_of(resource):
                        if secrets.is_secret(setting.key) or secrets.is_secret(setting.name):
                            self._places.setdefault(setting.path, []).append(setting.at)
        return self._places


def _lines(path: str, data: bytes) -> list[str]:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16", "replace")
    else:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            text = data.decode("latin-1")
    if path.endswith((".yaml", ".yml")):
        # libyaml counts neither the byte order mark, nor these as anything but line ends.
        text = text.removeprefix("\ufeff")
        for end in "\x85\u2028\u2029":
            text = text.replace(end, "\n")
    return lines_of(text)


class Shown:
    """A line as a terminal shows it; ``column`` finds a character of the source line in it.

    ``around`` is the character (from 0) for whose sake a long line is shown.
    """

    __slots__ = ("_columns", "_hidden", "text")

    def __init__(self, source: str, hidden: list[tuple[int, int]], around: int) -> None:
        self._hidden = hidden
        if not hidden and len(source) <= _LONGEST and source.isascii() and source.isprintable():
            # Nearly every line: each character is one column, and all are shown.
            self._columns: Sequence[int] = range(len(source) + 1)
            self.text = source.rstrip()
            return
        first = 0
        if len(source) > _LONGEST:
            first = max(0, min(around - _BEFORE, len(source) - _LONGEST))
        last = min(len(source), first + _LONGEST)
        columns = [0] * first
        parts: list[str] = ["…"] if first else []
        column = len(parts)
        masks = iter(hidden)
        mask = next(masks, None)
        for at in range(first, last):
            columns.append(column)
            while mask is not None and mask[1] <= at:
                mask = next(masks, None)
            if mask is not None and mask[0] <= at:
                if at not in (mask[0], first):
                    columns[-1] = columns[-2]
                    continue
                part = secrets.HIDDEN
            elif source[at] == "\t":
                part = " " * (_TAB - column % _TAB)
            else:
                part = printable(source[at])
            parts.append(part)
            column += width(part)
        if last < len(source):
            parts.append("…")
        columns += [column] * (len(source) + 1 - last)
        self._columns = columns
        self.text = "".join(parts).rstrip()

    def holds(self, at: int) -> bool:
        """Whether the character is in the part that is shown."""
        return (at < len(self._columns) and self._columns[at] < self._columns[-1]) or at == 0

    def extent(self, start: int, end: int | None) -> tuple[int, int]:
        """First column (from 0) and width of the characters; None means up to the line's end."""
        last = len(self._columns) - 1
        end = last if end is None else min(end, last)
        for hidden_start, hidden_end in self._hidden:
            if hidden_start < end < hidden_end:
                end = min(hidden_end, last)
        first = self._columns[min(start, last)]
        return first, max(1, self._columns[end] - first)
