"""Texts of one key that people write, and programs: oddly spelt, of another type, beyond a bound."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hypothesis import strategies as st

from kcheck.catalogue import Fact

LIMITS = {"int": 31, "long": 63, "short": 15}
#: What people write where a plain number is wanted.
_ODD_NUMBERS = (
    *("", "1_000", "1e3", "0x10", "10L", "1GB", "7d", "5 # five", '"5"', "five", "1.5", "1,000"),
    *("-", "+", "--1", "+-1", "1-", "0b1", "010", "1 000", "5;", "null", "None", "${N}"),
    # Digits of other scripts are digits to Java too; a minus sign and a blank of print are none.
    *("\uff15", "\u0665", "\u22125", "5\u00a0", "\u00b2"),
)
_SPELT_NUMBERS = ("+{}", "00{}", " {} ", "-0{}", "{}.0", "{}L", "{},", "\t{}", "{} ms", "\u00a0{}")
_FLAGS = (
    *("true", "false", "TRUE", "False", "tRuE", " true ", "true,", "true # on"),
    *("yes", "1", "on", "", "tru", "null", '"true"', "t", "\uff54rue"),
)
_DOUBLES = (
    *("0", "1", "0.5", "1e-3", "NaN", "Infinity", "-0.0", "1.0d", ".5", "1,5", "", "half", "0x1p3"),
    *(
        "nan",
        "inf",
        "+1",
        "1.",
        "1e400",
        "-1e400",
        "1e-400",
        "1_0",
        "0.5f",
        " 0.5 ",
        "50%",
        "\u0665",
    ),
)
_TEXTS = ("", "a", " a ", "null", "none", "x y", "/a/b", "A,B", "\u00fc", "1")
#: For keys without facts.
ANY = (*_TEXTS, "5", "true")
_CLASSES = (
    "",
    "java.lang.String",
    " java.lang.String ",
    "java.lang.string",
    "java/lang/String",
    "int",
)
#: Two elements put together, well and badly.
_JOINED = (
    "{0},{1}",
    "{0}, {1}",
    "{0},{0}",
    "{0},,{1}",
    ",{0}",
    "{0};{1}",
    "{0} {1}",
    "[{0}]",
    "{0},{1},",
)


def numbers(facts: Iterable[Fact]) -> list[int]:
    """Defaults, bounds and their neighbours of all facts of numeric keys."""
    found: set[int] = set()
    for fact in facts:
        if fact.type in LIMITS:
            texts = [fact.default_text or ""]
            texts += re.findall(r"-?\d+", fact.valid if ".." in fact.valid else "")
            for text in texts:
                if re.fullmatch(r"-?\d+", text):
                    found |= {int(text) + step for step in (-1, 0, 1)}
    return sorted(found | {-1, 0, 1})


def of_fact(fact: Fact) -> st.SearchStrategy[str]:
    """Values of a key: right, at a bound, beyond it, of another type, oddly spelt."""
    named = words(fact)
    if named:
        return st.sampled_from(_of_words(named, fact.type == "list"))
    if fact.type in LIMITS:
        return _of_number(fact)
    if fact.type == "boolean":
        return st.sampled_from(_FLAGS)
    if fact.type == "double":
        ends = [end for word in fact.valid.split() for end in word.split("..") if ".." in word]
        ends = [end for end in ends if end]
        near = [str(float(end) + step) for end in ends for step in (-0.01, 0.01)]
        return st.sampled_from([*_DOUBLES, *ends, *near])
    default = fact.default_text
    if fact.type == "class":
        return st.sampled_from([*_CLASSES, *([default, f" {default}"] if default else [])])
    if fact.type == "list":
        some = [default] if default else []
        joined = [form.format(text, "b") for text in (*some, "a") for form in _JOINED]
        return st.sampled_from(
            [*some, "", ",", " ", " , ", *(f"{text}," for text in some), *joined]
        )
    return st.sampled_from([*_TEXTS, *([default] if default else [])])


def _of_number(fact: Fact) -> st.SearchStrategy[str]:
    bits = LIMITS[fact.type]
    ends = [2**bits - 1, 2**bits, -(2**bits), -(2**bits) - 1, 2**64, 10**30]
    pool = [str(number) for number in (*numbers([fact]), *ends)]
    # The odd spellings are of a number that is taken, so that nothing but the spelling counts.
    plain = (fact.default_text or "").lstrip("-") or "1"
    spelt = [form.format(text) for form in _SPELT_NUMBERS for text in (plain, pool[-3].lstrip("-"))]
    odd = st.sampled_from([*pool, *pool, *spelt, *_ODD_NUMBERS])
    return odd | st.integers(0, 10**9).map(str)


def _of_words(named: list[str], listed: bool) -> list[str]:
    first = named[0]
    spelt = [change(word) for word in named for change in (str.upper, str.lower, str.title)]
    odd = [
        f" {first} ",
        f"{first},",
        f'"{first}"',
        f"{first} # c",
        f"{first}\u00a0",
        "",
        " ",
        "nosuch",
    ]
    # Letters whose capitals are those of other letters.
    odd += [first.lower().replace("s", "\u017f").replace("i", "\u0131"), first.replace("_", "-")]
    pairs = [f"{a},{b}" for a in named[:3] for b in named[:3]] if listed else []
    pairs += [form.format(first, named[-1]) for form in _JOINED] if listed else []
    return [*named, *named, *spelt, *pairs, *odd]


def words(fact: Fact) -> list[str]:
    """What the key's validator names."""
    for word in fact.valid.split(" "):
        name, colon, rest = word.partition(":")
        if colon and name in ("enum", "enum-ci", "list"):
            return rest.split("|")
    return []
