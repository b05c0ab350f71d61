"""How a figure of a limit reads: exact where it is a setting's or a constant's, rounded elsewhere.

Sizes are told in units of 1024, rates in units of 1000, as memory and network cards are sold.
"""

from __future__ import annotations

import math

BYTES, RATE, MS = "B", "B/s", "ms"
UNLIMITED, UNKNOWN = "unlimited", "?"

_SIZES = (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10), ("B", 1))
_RATES = (("TB/s", 10**12), ("GB/s", 10**9), ("MB/s", 10**6), ("KB/s", 10**3), ("B/s", 1))
_TIMES = (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1))
_SCALES = {BYTES: _SIZES, RATE: _RATES, MS: _TIMES}


def exact(number: float, unit: str) -> str:
    """``1073741824`` → ``1 GiB``, ``1048588`` → ``1,048,588 B``; counts with their commas."""
    if math.isnan(number):
        return UNKNOWN
    if math.isinf(number):
        return UNLIMITED
    scale = _SCALES.get(unit)
    if scale is None:
        return f"{int(number):,}" if number == int(number) else f"{number:g}"
    for name, factor in scale:
        # Half a unit of 1000 is still read at a glance, a fraction of 1024 is not.
        parts = number / factor * (10 if scale is _RATES else 1)
        if factor <= number < 10_000 * factor and parts == int(parts):
            return f"{number / factor:,.10g} {name}"
    told = f"{int(number):,}" if number == int(number) else f"{number:,.3f}".rstrip("0")
    return f"{told} {scale[-1][0]}"


def about(number: float, unit: str) -> str:
    """The same with three digits that count: ``≈1.37 TiB``, ``≈12.5 MB/s``; small counts whole."""
    if math.isnan(number) or math.isinf(number):
        return exact(number, unit)
    scale = _SCALES.get(unit)
    if scale is None:
        return f"{math.ceil(number):,}"
    for name, factor in scale:
        if abs(number) >= factor or factor == 1:
            told = _three(number / factor)
            whole = float(told.replace(",", "")) * factor == number
            return f"{'' if whole else '≈'}{told} {name}"
    raise AssertionError("a scale ends with 1")


def _three(number: float) -> str:
    """Three significant digits, no exponent, no zeros at the end of a fraction."""
    digits = 0 if number >= 100 else 1 if number >= 10 else 2
    text = f"{number:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def in_size(number: float) -> str:
    """``4 GiB`` where that is exact, else ``84,884,901,888 B (≈79.1 GiB)``."""
    text, rounded = exact(number, BYTES), about(number, BYTES)
    return text if not text.endswith(" B") or text == rounded else f"{text} ({rounded})"


def in_rate(number: float) -> str:
    """``20 MB/s``, rounded where it is not whole."""
    return about(number, RATE)


def share(part: float) -> str:
    """``0.126`` → ``13%``; what is above 0 is not told as nothing."""
    if 0 < part < 0.01:
        return "<1%"
    return f"{part:,.0%}"
