"""The source lines of a run, as they may be shown: decoded, secrets marked, columns counted."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from kcheck import secrets
from kcheck.model import Setting
from kcheck.report.folding import NARROW
from kcheck.report.printable import broken, printable, width
from kcheck.report.run import Run
from kcheck.syntax.entry import lines_of

#: Longer lines are cut around what they are shown for.
_LONGEST = 140
_BEFORE = 40
#: A line's number, what stands behind it, and two signs of a cut.
_EDGE = 10
#: Of longer lines nothing is shown: what of them is secret would have to be looked for in all of it.
_READABLE = 20_000
_TAB = 4
#: A report walks through the files in order, so a few are enough to remember.
_REMEMBERED = 64
#: Lines are searched for secrets with so many of their neighbours.
_BLOCK = 64
_BELOW = 8
#: From this length on a line is searched on its own, too.
_CLIPPED = 2_000

#: (start, end) of parts of a line, from 0.
Spans = list[tuple[int, int]]


class Sources:
    """Gives single lines of the input files, and hides what of a line is secret."""

    def __init__(self, run: Run, columns: int = 0) -> None:
        self._run = run
        #: On a terminal a line is not wider than it is, with its number and the signs of a cut.
        room = columns - _EDGE if columns >= NARROW else _LONGEST
        self._longest = min(_LONGEST, room)
        self._lines: dict[str, list[str] | None] = {}
        self._hidden: dict[tuple[str, int], Spans] = {}
        self._blocks: dict[tuple[str, int], list[Spans]] = {}
        self._settings: dict[str, list[Setting]] | None = None
        self._places: dict[str, dict[int, list[Setting]]] = {}

    def shown(self, path: str, number: int, around: int, near: list[str]) -> Shown | None:
        """A line as it may be shown; None where the file cannot be read or has no such line.

        ``around`` is the character (from 0) for whose sake it is shown, ``near`` are secrets
        that might stand in it besides those that its text gives away.
        """
        source = self.line(path, number)
        if source is None or len(source) > _READABLE:
            return None
        before = min(_BEFORE, self._longest // 3)
        first = max(0, min(around - before, len(source) - self._longest))
        last = min(len(source), first + self._longest)
        everywhere = self._secrets_of(path, number, source)
        begin = bisect_right(everywhere, (first, first))
        if begin and everywhere[begin - 1][1] > first:
            begin -= 1
        hidden = everywhere[begin : bisect_right(everywhere, (last, last))]
        for secret in near:
            end = last + len(secret)
            at = source.find(secret, max(0, first - len(secret)), end)
            while 0 <= at < last:
                hidden.append((at, at + len(secret)))
                at = source.find(secret, at + len(secret), end)
        return Shown(source, first, last, secrets.merged(hidden) if near else hidden)

    def line(self, path: str, number: int) -> str | None:
        """The text of a line; None where the file cannot be read or has no such line."""
        if path not in self._lines:
            if len(self._lines) >= _REMEMBERED:
                self._lines.clear()
                self._hidden.clear()
                self._blocks.clear()
            data = self._run.read_source(path)
            self._lines[path] = None if data is None else _lines(path, data)
        lines = self._lines[path]
        if lines is None or not 1 <= number <= len(lines):
            return None
        return lines[number - 1]

    def _secrets_of(self, path: str, number: int, source: str) -> Spans:
        """The secrets that a line's own text gives away, and the places of secret settings."""
        known = self._hidden.get((path, number))
        if known is None:
            found = self._read(path, number, source)
            for setting in self._settings_on(path, number):
                if not secrets.keeps(setting) or _is_made(setting):
                    continue
                line, column, end_line, end_column = setting.at
                inner = len(source) - len(source.lstrip())
                start = column - 1 if number == line else inner
                found.append((start, end_column - 1 if number == end_line else len(source)))
            known = self._hidden[path, number] = secrets.merged(found)
        return known

    def _read(self, path: str, number: int, source: str) -> Spans:
        """The secrets that the text of a line gives away, and that of the lines around it.

        A line may be one of a key in PEM, of a block, of a value that a backslash glues together,
        in a file that nobody could parse. Lines are read in blocks, with some above each.
        """
        lines = self._lines[path] or []
        if not secrets.reach(lines, number - 1):
            return []
        block = (number - 1) // _BLOCK
        known = self._blocks.get((path, block))
        first = max(0, (block - 1) * _BLOCK)
        if known is None:
            end = min(len(lines), (block + 1) * _BLOCK + _BELOW)
            known = self._blocks[path, block] = secrets.spans_of_lines(lines, first, end)
        found = list(known[number - 1 - first])
        if len(source) > _CLIPPED:
            found += secrets.spans(source)
        return found

    def _settings_on(self, path: str, number: int) -> list[Setting]:
        """The settings whose values stand in a line, or go over it."""
        places = self._places.get(path)
        if places is None:
            places = self._places[path] = {}
            for setting in self._by_path().get(path, ()):
                for line in range(setting.at[0], setting.at[2] + 1):
                    places.setdefault(line, []).append(setting)
        return places.get(number, [])

    def _by_path(self) -> dict[str, list[Setting]]:
        """All settings by the files that they stand in: some stand in another one's."""
        if self._settings is None:
            found: dict[str, list[Setting]] = {}
            self._settings = found
            path = ""
            there: list[Setting] = []
            for document in self._run.project.documents:
                for resource in document.resources:
                    for setting in resource.stated:
                        if setting.path != path:
                            path, there = setting.path, found.setdefault(setting.path, [])
                        there.append(setting)
        return self._settings


def _is_made(setting: Setting) -> bool:
    """Whether a reader made a setting of another field, and no text of its own stands there."""
    return setting.text is None and setting.key_at == setting.at


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
    """The part of a line from ``first`` to ``last`` as a terminal shows it."""

    __slots__ = ("_columns", "_first", "_hidden", "_last", "text")

    def __init__(self, source: str, first: int, last: int, hidden: Spans) -> None:
        self._first = first
        self._last = last
        self._hidden = hidden
        source = broken(source)
        whole = first == 0 and last == len(source)
        if whole and not hidden and source.isascii() and source.isprintable():
            # Nearly every line: each character is one column, and all are shown.
            self._columns: Sequence[int] = range(last + 1)
            self.text = source.rstrip()
            return
        columns: list[int] = []
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
        self._columns = [*columns, column]
        self.text = "".join(parts).rstrip()

    def holds(self, at: int) -> bool:
        """Whether the character, or the end of the line, is in the part that is shown."""
        return self._first <= at <= self._last

    def extent(self, start: int, end: int | None) -> tuple[int, int]:
        """First column (from 0) and width of the characters; None means up to the line's end."""
        end = self._last if end is None else end
        for hidden_start, hidden_end in self._hidden:
            if hidden_start < end < hidden_end:
                end = hidden_end
        first = self._columns[self._place(start)]
        return first, max(1, self._columns[self._place(end)] - first)

    def _place(self, at: int) -> int:
        return min(max(at, self._first), self._last) - self._first
