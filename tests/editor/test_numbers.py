"""Patterns of numbers match the numbers within their bounds, and nothing else."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcheck.editor.numbers import decimal, whole

INT = (-(2**31), 2**31 - 1)


def matches(pattern: str, text: str) -> bool:
    return re.search(f"^(?:{pattern})$", text) is not None


@given(st.tuples(st.integers(*INT), st.integers(*INT)).map(sorted), st.integers(*INT))
def test_any_number_and_any_bounds(bounds: list[int], number: int) -> None:
    low, high = bounds
    pattern = whole(low, high)
    for near in (number, low - 1, low, low + 1, high - 1, high, high + 1, 0):
        assert matches(pattern, str(near)) == (low <= near <= high), (low, high, near)


@pytest.mark.parametrize(
    "bounds", [(0, 9), (1, 10), (8, 123), (-1, 5), (99, 1001), (-20, -7), (0, 0)]
)
def test_every_number_around_small_bounds(bounds: tuple[int, int]) -> None:
    pattern = whole(*bounds)
    found = [number for number in range(-1200, 1200) if matches(pattern, str(number))]
    assert found == list(range(bounds[0], bounds[1] + 1))


@pytest.mark.parametrize("text", ["", " ", "x", "1.0", "1e3", "0x10", "1_000", "--1", "1 2", "7L"])
def test_what_is_no_number(text: str) -> None:
    assert not matches(whole(*INT), text)


@pytest.mark.parametrize("text", [" 7 ", "+7", "007", "-0", "+0"])
def test_other_spellings_that_java_reads(text: str) -> None:
    assert matches(whole(0, 10), text)


@pytest.mark.parametrize(
    ("bounds", "text", "taken"),
    [
        ((0, 1), "0.5", True),
        ((0, 1), ".5", True),
        ((0, 1), "1.0", True),
        ((0, 1), "0", True),
        ((0, 1), "1", True),
        ((0, 1), "00.25", True),
        ((0, 1), "", False),
        ((0, 1), ".", False),
        ((0, 1), "1.5", False),
        ((0, 1), "-0.5", False),
        ((), "1e-3", True),
        ((), "-2.5d", True),
        ((), "half", False),
        ((), "", False),
    ],
)
def test_decimals(bounds: tuple[float, ...], text: str, taken: bool) -> None:
    assert matches(decimal(*bounds), text) is taken
