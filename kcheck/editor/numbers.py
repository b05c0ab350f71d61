"""Regular expressions for the texts of numbers within bounds, in ECMA-262's and Python's common part.

A ``.properties`` file has texts only, so that bounds on numbers do not reach its values.
"""

from __future__ import annotations

from math import inf


def whole(low: int, high: int) -> str:
    """Matches, between ``^`` and ``$``, whole numbers from low to high as Java reads them.

    A sign, zeros in front and blanks around are permitted; anything else is not.
    """
    found = _patterns.get((low, high))
    if found is None:
        found = _patterns[low, high] = _whole(low, high)
    return found


_patterns: dict[tuple[int, int], str] = {}


def _whole(low: int, high: int) -> str:
    parts: list[str] = []
    if high >= 0:
        parts.append(rf"\+?0*(?:{_digits(max(low, 0), high)})")
    if low < 0:
        parts.append(f"-0*(?:{_digits(max(1, -high), -low)})")
    if low <= 0 <= high:
        parts.append("-0+")
    return rf"\s*(?:{'|'.join(parts)})\s*"


def _digits(low: int, high: int) -> str:
    """The numbers from low to high without zeros in front, none of them negative."""
    parts: list[str] = []
    full: list[int] = []
    for first, last in _ranges(low, high):
        length = len(str(last))
        if length > 1 and (first, last) == (10 ** (length - 1), 10**length - 1):
            full.append(length - 1)
        else:
            parts.append(_same_length(first, last))
    if full:
        # All numbers of these lengths, which follow one another.
        parts.append(f"[1-9][0-9]{{{full[0]},{full[-1]}}}")
    return "|".join(parts)


def _ranges(low: int, high: int) -> list[tuple[int, int]]:
    """The range in parts whose digits vary each for itself: 8–123 is 8–9, 10–99, 100–119, 120–123."""
    stops = {high}
    place = 1
    while (stop := low - low % 10**place + 10**place - 1) < high:
        if stop >= low:
            stops.add(stop)
        place += 1
    place = 1
    while (stop := (high + 1) - (high + 1) % 10**place - 1) > low:
        stops.add(stop)
        place += 1
    parts: list[tuple[int, int]] = []
    first = low
    for stop in sorted(stops):
        parts.append((first, stop))
        first = stop + 1
    return parts


def _same_length(low: int, high: int) -> str:
    """Numbers of one length whose digits vary each for itself."""
    pattern, free = "", 0
    for one, other in zip(str(low), str(high), strict=True):
        if one == other:
            pattern += one
        elif (one, other) == ("0", "9"):
            free += 1
        else:
            pattern += f"[{one}-{other}]"
    if free:
        pattern += "[0-9]" if free == 1 else f"[0-9]{{{free}}}"
    return pattern


def decimal(low: float = -inf, high: float = inf) -> str:
    """Matches, between ``^`` and ``$``, numbers as Java's ``Double`` reads them.

    Of bounds only these reach the text: not below 0, and within 0 to 1.
    """
    if low >= 0 and high <= 1:
        return r"\s*\+?(?:0*\.[0-9]+|0+\.?|0*1(?:\.0*)?)\s*"
    sign = r"\+?" if low >= 0 else r"[+-]?"
    return rf"\s*{sign}(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[dDfF]?\s*"
