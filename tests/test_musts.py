"""What products demand between their own settings: each row of the table is broken by settings that break
it, and by no others."""

from __future__ import annotations

import pytest

from kcheck import data, musts
from kcheck.musts import Condition, Must


class Held:
    def __init__(self, text: str | None) -> None:
        self.text = text


ROWS = data.rows(musts.TABLE)
#: Texts of the forms that the table's patterns describe.
_FORMS = ("orders", "a:b", "a:header")


def fulfilled(condition: Condition) -> dict[str, str]:
    """Settings with which a condition holds."""
    if condition.negated:
        return {}
    if condition.pattern is not None:
        return {condition.key: next(one for one in _FORMS if condition.pattern.fullmatch(one))}
    if condition.sign == "#":
        return {condition.key: "a,b", condition.values[0]: "c,d"}
    if condition.sign == "%":
        return {condition.key: "one", condition.values[0]: "another"}
    if condition.sign == "!=":
        return {condition.key: "something"}
    return {condition.key: condition.values[0] if condition.values else "something"}


def violated(condition: Condition) -> dict[str, str]:
    """Settings with which a condition of ``must`` does not hold."""
    if condition.negated:
        return {condition.key: condition.values[0] if condition.values else "something"}
    match condition.sign:
        case ">=":
            return (
                {condition.key: str(int(condition.values[0]) - 1)}
                if condition.values[0] != "0"
                else {}
            )
        case "<=":
            return {condition.key: str(int(condition.values[0]) + 1)}
        case "~":
            return {condition.key: "::"}
        case "#":
            return {condition.key: "a,b", condition.values[0]: "c"}
        case "%":
            return {condition.key: "one", condition.values[0]: "one"}
        case "=" | "@" | "^":
            return {condition.key: "0"}
    return {}


def held(*parts: dict[str, str]) -> dict[str, Held]:
    return {key: Held(text) for part in parts for key, text in part.items()}


@pytest.mark.parametrize(
    "row", ROWS, ids=lambda row: f"{row[0].rpartition('.')[2]}: {row[1]} {row[2]}"
)
def test_each_row(row: list[str]) -> None:
    of, when, must, result, source = row
    assert of and must and source
    assert not result or result.split(":")[0] in ("refused", "unread")
    made = Must(of, when, must, result)
    cause = [fulfilled(one) for one in made.when]
    assert not made.broken(held(*cause, *(fulfilled(one) for one in made.must[0])))
    wrong = made.must[0][0]
    given = held(violated(wrong), *cause)
    if wrong.key in held(*cause) and wrong.sign == "=":
        given[wrong.key] = Held(f"{given[wrong.key].text},0")
    broken = made.broken(given)
    assert wrong in broken
    assert not made.broken({one.key: Held(None) for one in (*made.when, *made.must[0])})


@pytest.mark.parametrize(
    ("written", "text", "among", "holds"),
    [
        ("a", None, True, True),
        ("a", "", True, False),
        ("a?", "", True, True),
        ("!a", None, True, None),
        ("a=x|y", "org.example.Y", True, True),
        ("a=x", None, True, None),
        ("a@x", "y, X", True, True),
        ("a^http://", "b,http://c", False, True),
        ("a>=5", "4", True, False),
        ("a>=5", "many", True, None),
        ("a~[a-z]+", "b,C", True, False),
    ],
)
def test_conditions(written: str, text: str | None, among: bool, holds: bool | None) -> None:
    assert Condition(written).holds({"a": Held(text)}, among) is holds


def test_a_setting_that_is_not_there() -> None:
    for written in ("a>=5", "a<=5", "a~b", "a@b", "a!=b"):
        assert Condition(written).holds({}, True) is True
        assert Condition(written).holds({}, False) is False
    assert Condition("a").holds({}, True) is False
    assert Condition("a=b").holds({}, True) is False
    assert Condition("!a=b").holds({}, False) is True
