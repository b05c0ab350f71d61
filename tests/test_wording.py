"""How values are put into sentences."""

from __future__ import annotations

from kcheck.evidence import written_first
from kcheck.model import DEFAULT, INHERITED, SET, Resource, Setting, Value
from kcheck.wording import in_bytes, in_ms

BROKER = Resource("broker", "1", "server.properties")


def value(
    key: str, text: str, number: int, origin: str = SET, from_key: str | None = None
) -> Value:
    setting = (
        None if origin == DEFAULT else Setting(from_key or key, text, BROKER.path, (1, 1, 1, 2))
    )
    return Value(key, BROKER, origin, text, number, True, setting, from_key)


def test_a_coarser_unit_is_shown_as_written() -> None:
    hours = value("log.retention.ms", "168", 604_800_000, from_key="log.retention.hours")
    assert in_ms(hours) == "log.retention.hours=168 (7 d)"


def test_a_number_can_be_pasted_and_its_round_unit_follows() -> None:
    assert in_ms(value("retention.ms", "604800000", 604_800_000)) == "retention.ms=604800000 (7 d)"
    assert in_ms(value("retention.ms", "604800001", 604_800_001)) == "retention.ms=604800001"
    assert in_ms(value("linger.ms", "60000", 60_000, DEFAULT)) == "linger.ms=60000 (1 min, default)"
    assert (
        in_bytes(value("batch.size", "1048588", 1_048_588)) == "batch.size=1048588 (1 MiB + 12 B)"
    )
    assert in_bytes(value("batch.size", "500", 500)) == "batch.size=500"


def test_own_values_come_before_inherited_ones_and_those_before_defaults() -> None:
    default = value("a", "1", 1, DEFAULT)
    inherited = value("b", "1", 1, INHERITED)
    own, other = value("c", "1", 1), value("d", "1", 1)
    assert written_first(default, inherited, own, other) == (own, other, inherited, default)
