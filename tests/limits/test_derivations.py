"""The formulas by numbers that were worked out by hand, and by what must hold for all numbers."""

from __future__ import annotations

import inspect
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcheck.limits import derivations as d
from kcheck.limits.format import about, exact, share

GIB, MIB = 2**30, 2**20
MB = 10**6
DAY = 86_400_000


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        # S000-023, S000-024: one mapped segment for each replica
        (d.replicas_by_maps(65_530, 2), 32_765),
        (d.replicas_by_maps(262_144, 2), 131_072),
        (d.replicas_by_maps(65_531, 2), 32_765),
        # S000-021: 2,000 segments
        (d.memory_maps(2_000, 2), 4_000),
        # S000-031: 2,000 partitions × 20 segments, 5,000 sockets; planned and in fact
        (d.open_files(2_000 * 20, 3, 5_000), 125_000),
        (d.open_files(2_000 * 20, 1, 5_000), 45_000),
        (d.open_files(10.1, 1, 0), 11),
        # 20 MB/s for a week, with and without a limit by size
        (d.retained(20 * MB, 7 * DAY, -1), 20 * MB * 604_800),
        (d.retained(20 * MB, 7 * DAY, GIB), GIB),
        (d.retained(1, 1_000, GIB), 1),
        (d.retained(20 * MB, -1, GIB), GIB),
        (d.retained(20 * MB, -1, -1), math.inf),
        (d.retained(math.nan, 7 * DAY, GIB), GIB),
        (d.retained(0, 7 * DAY, -1), 0),
        # cap-segments: 20 GiB in segments of 1 GiB, and the one that is written
        (d.segments(20 * GIB, GIB), 21),
        (d.segments(20 * GIB + 1, GIB), 22),
        (d.segments(GIB, GIB, 7 * DAY, DAY), 8),
        (d.segments(20 * GIB, GIB, 7 * DAY, DAY), 21),
        (d.segments(math.nan, GIB), 1),
        (d.segments(0, GIB), 1),
        (d.disk(20 * GIB, GIB), 21 * GIB),
        (d.replica_connections(3, 4), 8),
        (d.replica_connections(1, 4), 0),
        # S000-095: 10,000 connections of 122 KB
        (d.tls_memory(10_000, 122_000), 1_220_000_000),
        (d.fetch_buffers(3, 2, 10 * MIB), 40 * MIB),
        # S000-075: the default queue of requests of 1 MiB
        (d.queued_bytes(500, MIB), 500 * MIB),
        (d.queued_bytes(500, MIB, 100 * MIB), 100 * MIB),
        (d.queued_bytes(500, MIB, -1), 500 * MIB),
        (d.page_cache_ms(64 * 10**9, 4 * 10**9, 60 * MB), 1_000_000),
        (d.page_cache_ms(4, 6, 1), 0),
        # S000-038: 1,000 leaders of 5 ms
        (d.election_ms(1_000, 5), 5_000),
        (d.recovery_ms(500 * MB, 2, 250 * MB), 1_000),
        # S000-110, in its right units: 1 GiB/s at 50 and at 10 MB/s
        (d.partitions_for(GIB, 50 * MB), 22),
        (d.partitions_for(GIB, 10 * MB), 108),
        (d.partitions_for(100 * MB, 50 * MB), 2),
        # S000-111: what leaders send to followers is RF - 1 times what they get
        (d.network_in(3 * 90 * MB, 3), 90 * MB),
        (d.network_out(2 * 90 * MB, 90 * MB, 3), 90 * MB),
        # S000-112, S000-113: 10 Gbit/s at RF 3, the whole card and the part to plan with
        (d.usable_ingress(1_250 * MB, 1, 3, 1), 1_250 * MB / 3),
        (d.usable_ingress(1_250 * MB, 0.6, 3, 1), 250 * MB),
        (d.usable_ingress(1_250 * MB, 0.6, 3, 4), 125 * MB),
        # S000-114: 1 GiB/s with three replicas over cards of 10 Gbit/s
        (d.brokers_needed(3 * GIB, 3 * GIB, 1_250 * MB, 0.6, 3), 5),
        (d.brokers_needed(3 * MB, 3 * MB, 1_250 * MB, 0.6, 3), 3),
        (d.brokers_needed(3 * GIB, 9 * GIB, 1_250 * MB, 0.6, 3), 13),
    ],
)
def test_by_hand(found: float, expected: float) -> None:
    assert found == pytest.approx(expected, rel=1e-12)


FORMULAS = [
    function
    for name, function in inspect.getmembers(d, inspect.isfunction)
    if function.__module__ == d.__name__ and name not in ("least", "most", "retained", "segments")
]


@pytest.mark.parametrize("formula", FORMULAS, ids=lambda f: f.__name__)
def test_unknown_in_unknown_out(formula: object) -> None:
    """One unknown number makes the result unknown, never a guess."""
    assert callable(formula)
    needed = [
        name
        for name, parameter in inspect.signature(formula).parameters.items()
        if parameter.default is inspect.Parameter.empty
    ]
    for unknown in needed:
        numbers = {name: math.nan if name == unknown else 4.0 for name in needed}
        assert math.isnan(formula(**numbers)), unknown


def test_what_stays_unknown_of_retention() -> None:
    assert math.isnan(d.retained(math.nan, 7 * DAY, -1))
    assert math.isnan(d.retained(MB, math.nan, -1))
    assert math.isnan(d.retained(MB, -1, math.nan))
    assert math.isnan(d.least(math.nan, math.nan))


def test_nothing_to_divide_by() -> None:
    assert d.over(1, 0) == math.inf
    assert math.isnan(d.over(0, 0))


whole = st.integers(1, 10**6)
sizes = st.integers(1, 2**45)


@given(sizes, sizes, st.integers(1, 2**31 - 1))
def test_more_that_is_kept_is_never_fewer_segments(one: int, other: int, segment: int) -> None:
    less, more = sorted((one, other))
    assert d.segments(less, segment) <= d.segments(more, segment)
    assert d.segments(less, segment) >= d.segments(less, min(2 * segment, 2**31))


@given(st.integers(1, 10**9), st.integers(1, 400 * DAY), sizes)
def test_either_retention_deletes(rate: int, age: int, size: int) -> None:
    kept = d.retained(rate, age, size)
    assert kept == min(d.retained(rate, age, -1), size)
    assert kept <= d.retained(rate + 1, age, size) <= d.retained(rate + 1, age, -1)


@given(whole, whole, whole)
def test_more_brokers_carry_more(produced: int, brokers: int, consumed: int) -> None:
    assert d.network_in(produced, brokers + 1) < d.network_in(produced, brokers)
    assert d.network_out(produced, consumed, brokers + 1) < d.network_out(
        produced, consumed, brokers
    )


@given(st.floats(1, 1e12), st.floats(1, 1e10))
def test_as_many_partitions_as_are_needed_and_no_more(rate: float, each: float) -> None:
    needed = d.partitions_for(rate, each)
    assert needed * each >= rate * (1 - 1e-9)
    assert (needed - 1) * each < rate


@given(st.floats(1e6, 1e12), st.floats(0.1, 1), st.integers(1, 9), st.integers(0, 20))
def test_brokers_that_are_needed_take_what_each_may_be_sent(
    produced: float, use: float, factor: int, readers: int
) -> None:
    """The number of brokers and what one of them takes are two sides of one formula."""
    card = 1_250 * MB
    outgoing = produced * (factor - 1 + readers)
    brokers = d.brokers_needed(produced * factor, outgoing, card, use, factor)
    assert brokers * d.usable_ingress(card, use, factor, readers) >= produced * (1 - 1e-9)


@pytest.mark.parametrize(
    ("number", "unit", "exactly", "roughly"),
    [
        (1_048_588, "B", "1,048,588 B", "≈1 MiB"),
        (2**31 - 1, "B", "2,147,483,647 B", "≈2 GiB"),
        (1.5e12, "B", "1,500,000,000,000 B", "≈1.36 TiB"),
        (6 * GIB, "B", "6 GiB", "6 GiB"),
        (0, "B", "0 B", "0 B"),
        (1.25e9, "B/s", "1,250 MB/s", "1.25 GB/s"),
        (12.5e6, "B/s", "12.5 MB/s", "12.5 MB/s"),
        (7 * DAY, "ms", "7 d", "7 d"),
        (1_015, "ms", "1,015 ms", "≈1.01 s"),
        (0.5, "ms", "0.5 ms", "0.5 ms"),
        (1234.5, "", "1234.5", "1,235"),
        (math.nan, "B", "?", "?"),
        (math.inf, "", "unlimited", "unlimited"),
    ],
)
def test_figures(number: float, unit: str, exactly: str, roughly: str) -> None:
    assert exact(number, unit) == exactly
    assert about(number, unit) == roughly


@pytest.mark.parametrize(
    ("part", "text"), [(0, "0%"), (0.0001, "<1%"), (0.126, "13%"), (2.366, "237%"), (12, "1,200%")]
)
def test_shares(part: float, text: str) -> None:
    assert share(part) == text
