"""Compose's interpolation. Expected texts are those of compose-go 2.16."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcheck.syntax.interpolate import expand

VARIABLES = {"SET": "value", "EMPTY": "", "_a1": "low", "MONEY": "$SET"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("no reference", "no reference"),
        ("$SET,${SET},$_a1-x", "value,value,low-x"),
        ("$SETTER", None),
        ("a${UNSET}b", None),
        ("$EMPTY${EMPTY}", ""),
        ("$$SET $${SET} $$$SET", "$SET ${SET} $value"),
        ("$1 $ $( $- $é cost: 5$", "$1 $ $( $- $é cost: 5$"),
        ("RULE:^CN=(.*?)$$/$$1/", "RULE:^CN=(.*?)$/$1/"),
        ("$MONEY", "$SET"),
        ("${UNSET:-d}${EMPTY:-d}${SET:-d}", "ddvalue"),
        ("${UNSET-d}${EMPTY-d}${SET-d}", "dvalue"),
        ("${UNSET:-}${UNSET-}", ""),
        ("${UNSET:+r}${EMPTY:+r}${SET:+r}", "r"),
        ("${UNSET+r}${EMPTY+r}${SET+r}", "rr"),
        ("${SET:?no}${SET?no}${EMPTY?no}", "valuevalue"),
        ("${EMPTY:?no}", None),
        ("${UNSET?no}", None),
        ("${UNSET:?}", None),
        ("${UNSET:-${EMPTY:-${SET}}}!", "value!"),
        ("${UNSET:-x${SET}y$$z}", "xvaluey$z"),
        ("${UNSET:-${UNSET}}", None),
        ("${SET:-${UNSET}}", "value"),
        ("${SET:+${UNSET}}", None),
        ("${UNSET:--1}${UNSET-:-1}", "-1:-1"),
        ("${UNSET:-a:?b}", "a:?b"),
        ("${UNSET:-a b/c@d#}", "a b/c@d#"),
        ('${UNSET:-{"a":{"b":1}}}', '{"a":{"b":1}}'),
        ("${UNSET:-a}}", "a}"),
        # Compose overlooks a brace right after an opening one: the last of the line closes.
        ("${UNSET:-{}}", "{}"),
        ("${UNSET:-{}", "{"),
        ("${UNSET:-{}} x}", "{}} x"),
        ("${UNSET:-a\n}", None),
        ("${}", None),
        ("${1}", None),
        ("${SET", None),
        ("${SET:}", None),
        ("${SET:=d}", None),
        ("${SET d}", None),
        ("${É}", None),
        ("${SET:-", None),
    ],
)
def test_expand(text: str, expected: str | None) -> None:
    assert expand(text, VARIABLES.get) == (
        text if expected is None else expected,
        expected is not None,
    )


def test_what_cannot_be_resolved_stays_as_written() -> None:
    text = "$SET $UNSET ${UNSET:-${OTHER:-$LAST}} ${UNSET:?no} $$ ${SET"
    assert expand(text, VARIABLES.get) == (
        "value $UNSET ${UNSET:-${OTHER:-$LAST}} ${UNSET:?no} $ ${SET",
        False,
    )


def test_nesting_is_bounded() -> None:
    assert expand("${A:-" * 20 + "x" + "}" * 20, VARIABLES.get) == ("x", True)
    for deep in ("${A:-" * 50_000, "${A:-" * 9_000 + "}" * 9_000, "${A:-{" * 9_000 + "}"):
        assert expand(deep, VARIABLES.get) == (deep, False)


@given(st.text("${}:-?+Aa1 \n"), st.none() | st.text())
def test_any_text_expands(text: str, value: str | None) -> None:
    expanded, resolved = expand(text, lambda name: value)
    if "$" not in text:
        assert (expanded, resolved) == (text, True)
    if value is None and not resolved:
        assert "$" in expanded


@given(st.text())
def test_escaped_dollar_signs_come_back(text: str) -> None:
    assert expand(text.replace("$", "$$"), lambda name: None) == (text, True)
