"""Numbers as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcheck.lexicon import quantities


@pytest.mark.parametrize(
    ("key", "text", "number"),
    [
        ("log.segment.bytes", "1GiB", "1073741824"),
        ("log.segment.bytes", "1g", "1073741824"),
        ("log.segment.bytes", "512 MiB", "536870912"),
        ("log.segment.bytes", "100B", "100"),
        ("log.segment.bytes", "1.5k", "1536"),
        ("log.segment.bytes", "1_000", "1000"),
        ("log.segment.bytes", "1 000 000", "1000000"),
        ("log.segment.bytes", "10L", "10"),
        ("log.segment.bytes", "1e6", "1000000"),
        ("log.segment.bytes", "-1.0", "-1"),
        ("retention.ms", "9223372036854775807L", "9223372036854775807"),
        ("buffer.memory", "32m", "33554432"),
        ("max.request.size", "2MiB", "2097152"),
        ("retention.ms", "7d", "604800000"),
        ("retention.ms", "30 seconds", "30000"),
        ("retention.ms", "5m", "300000"),
        ("log.retention.hours", "7d", "168"),
        ("log.retention.minutes", "2h", "120"),
        ("num.partitions", "1_0", "10"),
        # Two readings, or no whole number: nothing to set.
        ("log.segment.bytes", "1GB", ""),
        ("log.segment.bytes", "1.5", ""),
        ("log.retention.hours", "5m", ""),
    ],
)
def test_readings(key: str, text: str, number: str) -> None:
    found = quantities.plain(key, text)
    assert found is not None
    assert found.text == number


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("log.segment.bytes", "1073741824"),
        ("log.segment.bytes", "200000000000000"),
        ("log.segment.bytes", "7d"),
        ("retention.ms", "1GB"),
        ("num.partitions", "7d"),
        ("retention.ms", "10.0.0.1"),
        ("retention.ms", "v1"),
        ("retention.ms", ""),
        ("retention.ms", "1."),
        ("retention.ms", "-"),
        ("retention.ms", "1e999"),
    ],
)
def test_no_reading(key: str, text: str) -> None:
    assert quantities.plain(key, text) is None


def test_megabytes_are_offered_in_both_readings() -> None:
    found = quantities.plain("log.segment.bytes", "2MB")
    assert found is not None
    assert "2000000 for 2 MB" in found.words
    assert "2097152 for 2 MiB" in found.words


@given(st.text(max_size=20))
def test_no_text_is_too_odd(text: str) -> None:
    for key in ("log.segment.bytes", "retention.ms", "num.partitions"):
        quantities.plain(key, text)
