"""Regular expressions of settings: they mean what ``re`` says, and none takes long."""

from __future__ import annotations

import re
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcheck.expressions import ExpressionError, check, found

NAMES = [
    "orders",
    "dev.orders.v1",
    "Orders",
    "a-b_c.d",
    "",
    "orders\n",
    "x" * 40,
    "péage",
    "1.2",
    "a b",
]


@pytest.mark.parametrize(
    "pattern",
    [
        "^[a-z]+$",
        r"^[a-z0-9]+(\.[a-z0-9]+)*$",
        r"^(dev|test|prod)\.[a-z]+\.v\d+$",
        r"^\w+$",
        r"\d",
        r"^[^.]*$",
        "(?i)^orders$",
        "^(?i:o)rders$",
        r"\Aorders\Z",
        "orders$",
        r"\borders\b",
        r"\Bd",
        "(?s)orders.",
        "(?m)^$",
        "^x{40}$",
        "^x{41,}$",
        "^x{1,39}$",
        "^.{1,5}?$",
        "a?b?c?",
        "^(|a|orders)$",
        "(?x) ^ o r d e r s $",
        "^(?:(?:a|b)*c?)*$",
        "^(a*)*$",
        "[é-ü]",
        r"^(?!dev)\w+",
        r"(?<!\.)orders",
        r"(.)\1",
        "^[a-z]++$",
        "^^a",
        "a{0}",
    ],
)
def test_it_means_what_re_says(pattern: str) -> None:
    for name in NAMES:
        assert found(pattern, name) == (re.search(pattern, name) is not None), name


ATOMS = st.sampled_from(["a", "b", ".", "[ab]", "[^a]", "^", "$", r"\b", "ab"])
EXPRESSIONS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds("{}{}".format, inner, inner),
        st.builds("(?:{}|{})".format, inner, inner),
        st.builds(
            "({}){}".format, inner, st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{2,}", "*?"])
        ),
    ),
    max_leaves=8,
)


@settings(max_examples=300)
@given(EXPRESSIONS, st.text("abc \n", max_size=7))
def test_any_expression(pattern: str, text: str) -> None:
    assert found(pattern, text) == (re.search(pattern, text) is not None)


@pytest.mark.parametrize(
    "pattern",
    [
        "^(a+)+$",
        "^(a|a)*$",
        "^(a|aa)+$",
        "(.*)*x",
        "^(([a-z])+.)+[A-Z]([a-z])+$",
        ".*.*.*.*.*=.*!",
        "a?" * 100 + "b" * 100,
        "^[a-z.]{0,249}[a-z]{0,249}$",
        "(?:a{0,40}){0,40}!",
        r"(?=.*b)a*!",
    ],
)
def test_no_expression_takes_long(pattern: str) -> None:
    start = process_time()
    for text in ("a" * 40 + "!", "a" * 249 + "!", "a" * 3000 + "!", "a" * 1_000_000):
        found(pattern, text)
    assert process_time() - start < 3


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("(", "missing"),
        ("[z-a]", "bad character range"),
        ("a{9999999999}", "nested too deeply|the repetition number is too large"),
        ("(" * 5000 + ")" * 5000, "nested too deeply"),
        ("(?:[a-z]{1,249}){1,249}", "longer than"),
        (r"(?=x)(a+)+", "could run forever"),
        (r"(aa|b)(aa|b)(aa|b)(aa|b)(aa|b)(aa|b)\1", "could run forever"),
        ("(?!x)a*a*a*", "could run forever"),
        ("(?>a|b)+", "could run forever"),
        ("[a-z&&[^x]]", "sets of characters"),
        ("[a--b]", "sets of characters"),
    ],
)
def test_what_is_refused(pattern: str, said: str) -> None:
    with pytest.raises(ExpressionError, match=said):
        check(pattern)
