"""One ``key=value`` of a line-based file with the places of both, and the error of such files."""

from __future__ import annotations

from kcheck.share import Exceeded

#: The largest files of settings that people write have some thousand lines.
MOST_LINES = 50_000

#: (line, column, end line, end column): from 1, columns in characters, end exclusive.
Position = tuple[int, int, int, int]


class Placed:
    """A key and where it and its value stand, as the file writes them.

    ``at`` is the value's raw text with its quotes, escapes and continuation lines; an empty
    value has no width and stands where text would have to be inserted.
    """

    __slots__ = ("at", "key", "key_at")

    key: str
    key_at: Position
    at: Position

    @property
    def line(self) -> int:
        return self.at[0]

    @property
    def column(self) -> int:
        return self.at[1]

    @property
    def end_line(self) -> int:
        return self.at[2]

    @property
    def end_column(self) -> int:
        return self.at[3]

    @property
    def key_line(self) -> int:
        return self.key_at[0]

    @property
    def key_column(self) -> int:
        return self.key_at[1]


class Entry(Placed):
    """One entry whose value is always there, if only as the empty text."""

    __slots__ = ("value",)

    def __init__(self, key: str, value: str, key_at: Position, at: Position) -> None:
        self.key = key
        self.value = value
        self.key_at = key_at
        self.at = at

    def __repr__(self) -> str:
        return f"Entry({self.key}={self.value!r} {self.at[0]}:{self.at[1]})"


class ParseError(Exception):
    """The text cannot be read beyond this place. ``entries`` are those before it."""

    def __init__(self, line: int, column: int, message: str) -> None:
        super().__init__(f"{line}:{column}: {message}")
        self.line = line
        self.column = column
        self.message = message


def lines_of(text: str) -> list[str]:
    r"""The lines without their ends: ``\n``, ``\r`` or ``\r\n``, as editors and Java count them.

    str.splitlines would also break at form feeds, U+0085 and U+2028, which are text here.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.split("\n")


def settings_lines(text: str) -> list[str]:
    """The lines of a file in which people write settings, one to a line.

    Raises Exceeded for more lines than anybody writes: each would become some hundred bytes.
    """
    lines = lines_of(text)
    if len(lines) > MOST_LINES:
        raise Exceeded(f"{MOST_LINES:,} lines")
    return lines
