"""Units in declarations and in messages. MB is 10^6 bytes and MiB 2^20; they are never mixed."""

from __future__ import annotations

import re

_SIZES = {
    "": 1,
    "B": 1,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "TiB": 2**40,
}
#: Network cards are sold in bits.
_BITS = {"bit": 1, "Kbit": 10**3, "Mbit": 10**6, "Gbit": 10**9, "Tbit": 10**12}
#: Bytes over a round size that are named beside it: Kafka's limits differ by overheads of a dozen.
_NEAR = 100
_DURATIONS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_PARTS = re.compile(r"(\d{1,9})(us|ms|min|s|m|h)")
_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1, "m": 60, "min": 60, "h": 3600}


def _split(text: str) -> tuple[float, str] | None:
    text = text.strip()
    end = len(text)
    while end and not (text[end - 1].isdigit() or text[end - 1] == "."):
        end -= 1
    try:
        number = float(text[:end])
    except ValueError:
        return None
    # 400 digits are no size either; NaN fails the comparison.
    return (number, text[end:].strip()) if 0 <= number < 1e30 else None


def size(text: str) -> int | None:
    """``"64GiB"`` or ``"20MB/s"`` → bytes (per second); ``"10Gbit/s"`` → bytes per second.

    A plain number is bytes. None where the text is no such thing.
    """
    parts = _split(text)
    if parts is None:
        return None
    number, unit = parts
    unit = unit.removesuffix("/s")
    if unit in _SIZES:
        return int(number * _SIZES[unit])
    if unit in _BITS:
        return int(number * _BITS[unit] / 8)
    return None


def whole(text: str | None) -> int | None:
    """The number that digits alone spell; None for anything else, and for what no number needs."""
    if text is None or not text.isdecimal() or len(text) >= 20:
        return None
    return int(text)


def duration(text: str) -> int | None:
    """``"7d"`` → milliseconds; a plain number is milliseconds. None for anything else."""
    parts = _split(text)
    if parts is None:
        return None
    number, unit = parts
    factor = _DURATIONS.get(unit or "ms")
    return None if factor is None else int(number * factor)


def seconds(text: str) -> float | None:
    """A time of parts, as containers and units have it, → seconds: ``1m30s``, ``2min 10s``. None for
    anything else, and for a number without a unit."""
    parts = _PARTS.findall(text.replace(" ", ""))
    if not parts or "".join(number + unit for number, unit in parts) != text.replace(" ", ""):
        return None
    return sum(float(number) * _SECONDS[unit] for number, unit in parts)


def milliseconds(text: str) -> float | None:
    """The same where parts of a millisecond count: ``"0.5ms"`` → 0.5."""
    parts = _split(text)
    if parts is None or (parts[1] or "ms") not in _DURATIONS:
        return None
    return parts[0] * _DURATIONS[parts[1] or "ms"]


def in_bytes(count: float) -> str:
    """``1048588`` → ``1,048,588 B``: exact, because limits differ by a dozen bytes."""
    return f"{int(count):,} B"


def in_ms(count: float) -> str:
    """``604800000`` → ``604,800,000 ms (7 d)``, with the round unit where there is one."""
    rounded = round_duration(count) if int(count) >= 10_000 else ""
    return f"{int(count):,} ms ({rounded})" if rounded else f"{int(count):,} ms"


def round_size(count: float) -> str:
    """``5242880`` → ``5 MiB``, ``1048588`` → ``1 MiB + 12 B``; "" where no round number is near."""
    whole = int(count)
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        number, rest = divmod(whole, _SIZES[unit])
        if 0 < number < 10_000 and rest <= _NEAR:
            return f"{number:,} {unit} + {rest} B" if rest else f"{number:,} {unit}"
    return ""


def round_duration(count: float) -> str:
    """``604800000`` → ``7 d``; "" where no unit gives a whole number."""
    whole = int(count)
    for unit, name in (("d", "d"), ("h", "h"), ("m", "min"), ("s", "s")):
        number, rest = divmod(whole, _DURATIONS[unit])
        if number and not rest:
            return f"{number:,} {name}"
    return ""
