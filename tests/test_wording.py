"""How values are put into sentences."""

from __future__ import annotations

from kcheck.evidence import written_first
from kcheck.model import DEFAULT, INHERITED, SET, Resource, Setting, Value
from kcheck.wording import in_ms

BROKER = Resource("broker", "1", "server.properties")


def value(
    key: str, text: str, number: int, origin: str = SET, from_key: str | None = None
) -> Value:
    setting = (
        None if origin == DEFAULT else Setting(from_key or key, text, BROKER.path, (1, 1, 1, 2))
    )
    return Value(key, BROKER, origin, text, number, True, setting, from_key)


def test_a_coarser_unit_is_told_as_written() -> None:
    hours = value("log.retention.ms", "168", 604_800_000, from_key="log.retention.hours")
    assert in_ms(hours) == "log.retention.hours=168 (604,800,000 ms)"


def test_milliseconds_are_told_with_the_round_unit() -> None:
    assert in_ms(value("retention.ms", "604800000", 604_800_000)) == (
        "retention.ms=604,800,000 ms (7 d)"
    )


def test_own_values_come_before_inherited_ones_and_those_before_defaults() -> None:
    default = value("a", "1", 1, DEFAULT)
    inherited = value("b", "1", 1, INHERITED)
    own, other = value("c", "1", 1), value("d", "1", 1)
    assert written_first(default, inherited, own, other) == (own, other, inherited, default)
