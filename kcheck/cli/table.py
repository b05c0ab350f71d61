"""Columns of text: aligned, nothing cut off, safe to print on a terminal, no wider than it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kcheck.report import folding
from kcheck.report.printable import printable, width

#: What a row that has no room goes on with is so much deeper.
_DEEPER = 4
_LEAST = 24


def lines(
    rows: Iterable[Sequence[str]], indent: str = "", gap: str = "  ", columns: int = 0
) -> str:
    """The rows with their columns below each other; columns that are empty throughout go.

    On a terminal (``columns`` is not 0) cells are folded at words within their column.
    """
    return "".join(apiece(rows, indent, gap, columns))


def apiece(
    rows: Iterable[Sequence[str]], indent: str = "", gap: str = "  ", columns: int = 0
) -> list[str]:
    """The same, a text of one or several lines for each row."""
    cells = [[printable(cell) for cell in row] for row in rows]
    if not cells:
        return []
    widths = [max(width(row[at]) for row in cells) for at in range(len(cells[0]))]
    kept = [at for at, wide in enumerate(widths) if wide]
    cells = [[row[at] for at in kept] for row in cells]
    widths = [widths[at] for at in kept]
    room = columns - len(indent) - len(gap) * (len(kept) - 1)
    if columns < folding.NARROW or sum(widths) <= room:
        return [(indent + gap.join(_padded(row, widths))).rstrip() + "\n" for row in cells]
    widths = _narrowed(cells, widths, room)
    return [_row(row, widths, indent, gap, columns) for row in cells]


def _padded(row: Sequence[str], widths: list[int]) -> list[str]:
    return [cell + " " * (wide - width(cell)) for cell, wide in zip(row, widths, strict=True)]


def _narrowed(cells: list[list[str]], widths: list[int], room: int) -> list[int]:
    """Widths of the columns that fit: the widest give way, none below its longest words.

    A word that takes half of the room does not count: its row goes on below. No column is
    narrower than ``_LEAST``: what finds no room behind it goes on below, too.
    """
    least = [
        max(w for row in cells for w in (0, *_words(row[at])) if w <= room // 2)
        for at in range(len(widths))
    ]
    least = [max(word, min(wide, _LEAST)) for word, wide in zip(least, widths, strict=True)]
    widths = [min(wide, max(room, 1)) for wide in widths]
    while sum(widths) > room:
        at = max(range(len(widths)), key=lambda n: (widths[n] > least[n], widths[n]))
        if widths[at] <= least[at]:
            break
        others = sorted(w for n, w in enumerate(widths) if n != at and w > least[n])
        # Down to the next widest one at a time, so that few steps are enough.
        goal = max(least[at], others[-1] if others and others[-1] < widths[at] else widths[at] - 1)
        widths[at] = max(goal, widths[at] - (sum(widths) - room))
    return widths


def _words(cell: str) -> list[int]:
    """The widths of the words of a cell; blanks before the first one are a part of it."""
    first, *others = map(width, cell.lstrip(" ").split(" "))
    return [len(cell) - len(cell.lstrip(" ")) + first, *others]


def _row(row: list[str], widths: list[int], indent: str, gap: str, columns: int) -> str:
    """One row in as many lines as its cells need."""
    folded = [folding.lines(c, wide, wide) for c, wide in zip(row, widths, strict=True)]
    over = len(indent) + sum(widths) + len(gap) * (len(row) - 1) > columns
    if over or any(width(line) > w for c, w in zip(folded, widths, strict=True) for line in c):
        return _stacked(row, widths, indent, gap, columns)
    height = max(map(len, folded))
    made = []
    for at in range(height):
        parts = [cell[at] if at < len(cell) else "" for cell in folded]
        made.append((indent + gap.join(_padded(parts, widths))).rstrip() + "\n")
    return "".join(made)


def _stacked(row: list[str], widths: list[int], indent: str, gap: str, columns: int) -> str:
    """A row with a word that is wider than its column: what has no room behind it is below."""
    hang = len(indent) + _DEEPER
    out = [indent]
    taken = len(indent)
    begin = len(indent)
    for cell, wide in zip(row, widths, strict=True):
        # Below the cells of other rows, close behind the one before, or in a line of its own.
        if not cell:
            begin += wide + len(gap)
            continue
        places = (begin, taken + len(gap) if taken > len(indent) else taken)
        start = next((at for at in places if at + width(cell) <= columns), hang)
        if start == hang < taken:
            out.append("\n" + " " * hang)
        else:
            out.append(" " * (start - taken))
        taken = start
        pieces = folding.lines(cell, columns - taken, columns - hang)
        out.append(("\n" + " " * hang).join(pieces))
        taken = width(pieces[-1]) + (taken if len(pieces) == 1 else hang)
        begin = max(begin + wide, taken) + len(gap)
    return "\n".join(line.rstrip() for line in "".join(out).split("\n")) + "\n"
