"""Defaults that differ between the possible versions."""

from __future__ import annotations

from kcheck.model import Value
from kcheck.wording import in_ms


def possible(value: Value) -> list[float]:
    """The numbers that a value may have: several where a default differs between versions."""
    if value.known:
        return [value.number]
    return [c for c in value.candidates if isinstance(c, int)]


def spread(value: Value) -> str:
    """``linger.ms=0 or 5 (default, by version)`` where the version decides; else as usual."""
    if value.known:
        return in_ms(value)
    numbers = " or ".join(str(int(number)) for number in possible(value))
    return f"{value.key}={numbers} (default, by version)"
