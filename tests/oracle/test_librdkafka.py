"""kcheck and librdkafka agree on the recorded clients; where pip reaches a wheel, it is asked again."""

from __future__ import annotations

import platform
import sys
from functools import cache

import librdkafka
import pytest
from librdkafka import MINORS, REFUSING, Case, Verdict

from kcheck import rules

ENOUGH = 20

#: Two minutes of verdicts on a slow machine: CI asks for them.
pytestmark = pytest.mark.thorough


@cache
def recorded() -> tuple[list[Case], list[Verdict]]:
    cases = librdkafka.read()
    return cases, [Verdict(case, minor) for case in cases for minor in case.told]


def test_the_record_is_worth_its_name() -> None:
    cases, found = recorded()
    assert len(cases) >= 600
    assert {one.minor for one in found} == {*MINORS}
    assert 0.4 < sum(bool(one.refusal) for one in found) / len(found) < 0.8


def test_kcheck_says_what_librdkafka_says() -> None:
    wrong = [
        f"{one.minor} {one.case!r}: {one.refusal or one.codes}"
        for one in recorded()[1]
        if not one.agree
    ]
    assert not wrong


def test_what_is_excused_is_met() -> None:
    assert [one for one in recorded()[1] if one.excused]


@pytest.mark.parametrize("code", REFUSING)
def test_each_rule_has_its_cases_on_both_sides(code: str) -> None:
    beyond, taken = librdkafka.sides(recorded()[1])[code]
    assert code in rules.load()
    assert min(len(beyond), len(taken)) >= ENOUGH


@pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64",
    reason="the wheels' libraries are of x86-64 Linux",
)
def test_the_library_says_it_again() -> None:
    cases = recorded()[0][::5]
    minor = MINORS[-1]
    try:
        said = librdkafka.ask(cases, minor)
    except SystemExit:
        pytest.skip("the package index is out of reach")
    wrong = [
        repr(case)
        for case, answer in zip(cases, said, strict=True)
        if bool(answer) != bool(case.said[minor])
    ]
    assert not wrong
