"""Parts of a text as spans."""

from __future__ import annotations

#: (start, end) of a part of a text, from 0.
Span = tuple[int, int]


def merged(found: list[Span]) -> list[Span]:
    """The spans sorted, those that touch or overlap made one."""
    result: list[Span] = []
    for start, end in sorted(found):
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        elif end > start:
            result.append((start, end))
    return result
