"""Defaults that differ between the possible versions."""

from __future__ import annotations

from kcheck.model import Value
from kcheck.wording import in_ms


def possible(value: Value) -> list[float]:
    """The numbers that a value may have: several where a default differs between versions."""
    if value.known:
        return [value.number]
    numbers = (
        Value(value.key, value.resource, value.origin, None, c, True) for c in value.candidates
    )
    return [one.number for one in numbers]


def spread(value: Value) -> str:
    """``linger.ms=0 or 5 (default, by version)`` where the version decides; else as usual."""
    if value.known:
        return in_ms(value)
    numbers = " or ".join(str(int(number)) for number in possible(value))
    return f"{value.key}={numbers} (default, by version)"
