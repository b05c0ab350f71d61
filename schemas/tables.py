"""What the generators of ``schemas/`` share: facts per release as one table by version range.

A table is tab-separated text: comment lines that start with ``# ``, the names of the columns, then
a row per fact and maximal contiguous range of releases, sorted by its first column and version.
``versions`` is inclusive: ``3.9``, ``2.8-3.9``; ``4.0-`` reaches to the newest release.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NoReturn

#: A fact without its versions, which are the second column.
Row = tuple[str, ...]


def fail(message: str) -> NoReturn:
    """End with exit code 2; 1 is for tables that differ."""
    print(message, file=sys.stderr)
    sys.exit(2)


def render(
    head: Sequence[str],
    columns: Sequence[str],
    releases: Sequence[str],
    facts: Mapping[str, Iterable[Row]],
) -> str:
    """The table as text; ``facts`` holds the rows of each release, ``head`` the comment lines."""
    present: dict[Row, list[int]] = {}
    for index, release in enumerate(releases):
        for row in dict.fromkeys(facts[release]):
            present.setdefault(row, []).append(index)
    lines = [
        (row[0], first, (row[0], span(releases, first, last), *row[1:]))
        for row, indexes in present.items()
        for first, last in runs(indexes)
    ]
    body = ["\t".join(row) for _, _, row in sorted(lines)]
    return "\n".join([*(f"# {line}" for line in head), "\t".join(columns), *body, ""])


def runs(indexes: Iterable[int]) -> list[tuple[int, int]]:
    """Ascending numbers as runs of neighbours: [1, 2, 5] → [(1, 2), (5, 5)]."""
    found: list[tuple[int, int]] = []
    for index in indexes:
        if found and index == found[-1][1] + 1:
            found[-1] = (found[-1][0], index)
        else:
            found.append((index, index))
    return found


def span(releases: Sequence[str], first: int, last: int) -> str:
    """Two indexes of the releases as the versions column has it."""
    if last == len(releases) - 1:
        return f"{releases[first]}-"
    return releases[first] if first == last else f"{releases[first]}-{releases[last]}"


def differences(folder: Path, texts: Mapping[str, str], source: str) -> str:
    """The committed tables against these texts, as a unified diff; empty if they agree."""
    found: list[str] = []
    for name, text in texts.items():
        path = folder / name
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        lines = old.splitlines(keepends=True), text.splitlines(keepends=True)
        found += difflib.unified_diff(*lines, name, f"{name} ({source})", n=0)
    return "".join(found)


def deliver(folder: Path, texts: Mapping[str, str], source: str, check: bool) -> int:
    """Write the tables, or with ``check`` print where the committed ones differ; the exit code."""
    if check:
        diff = differences(folder, texts, source)
        sys.stdout.write(diff)
        return 1 if diff else 0
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    return 0
