"""Columns of text: aligned, nothing cut off, safe to print on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kcheck.report.printable import printable, width


def lines(rows: Iterable[Sequence[str]], indent: str = "", gap: str = "  ") -> str:
    """The rows with their columns below each other; columns that are empty throughout go."""
    cells = [[printable(cell) for cell in row] for row in rows]
    if not cells:
        return ""
    widths = [max(width(row[at]) for row in cells) for at in range(len(cells[0]))]
    out: list[str] = []
    for row in cells:
        parts = [
            cell + " " * (wide - width(cell))
            for cell, wide in zip(row, widths, strict=True)
            if wide
        ]
        out.append((indent + gap.join(parts)).rstrip() + "\n")
    return "".join(out)
