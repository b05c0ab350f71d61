"""Compose's env files. Expected values are those of compose-go 2.16 before interpolation."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcheck.syntax.dotenv import DotenvError, EnvEntry, parse
from kcheck.syntax.entry import Position


def spanned(text: str, at: Position) -> str:
    start, end = offsets(text, at)
    return text[start:end]


def offsets(text: str, at: Position) -> tuple[int, int]:
    starts = [0, *(end.end() for end in re.finditer(r"\r\n|\r|\n", text))]
    return starts[at[0] - 1] + at[1] - 1, starts[at[2] - 1] + at[3] - 1


def entries_of(text: str) -> list[EnvEntry]:
    try:
        return parse(text)
    except DotenvError as error:
        return error.entries


def pairs(text: str) -> list[tuple[str, str | None]]:
    return [(entry.key, entry.value) for entry in entries_of(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A=1\n\n  B = 2 \r\n# C=3\n", [("A", "1"), ("B", "2")]),
        (
            "export A=1\nexport\tB=2\nexport=3\nexportC=4",
            [*zip(["A", "B", "export", "exportC"], "1234", strict=True)],
        ),
        ("A: 1\nB:2\nC.d-e[0]=3\nÉ=4", [("A", "1"), ("B", "2"), ("C.d-e[0]", "3"), ("É", "4")]),
        ("A=1\nA=2", [("A", "1"), ("A", "2")]),
        ("A=\nB=  \nC=\r\n", [("A", ""), ("B", ""), ("C", "")]),
        ("A\nexport B\nC \nD", [("A", None), ("B", None), ("C", None), ("D", None)]),
        ("export \nA=1", [("A", "1")]),
        # A comment needs a blank before it, and text before that.
        ("A=1 # note\nB=1# note\nC=1\t# note", [("A", "1"), ("B", "1# note"), ("C", "1\t# note")]),
        ("A= # note\nB=#note", [("A", "# note"), ("B", "#note")]),
        ("A='1' # note\nB=\"2\"# note", [("A", "1"), ("B", "2")]),
        # Quotes count only as the first character, and what follows them is the next statement.
        ("A=x'1 # 2'\nB=x\"y\"", [("A", "x'1"), ("B", 'x"y"')]),
        ("A='1'B=\"2\" C=3", [("A", "1"), ("B", "2"), ("C", "3")]),
        ("A=' # ' \nB=\" = \"", [("A", " # "), ("B", " = ")]),
        (r"A='\n\\\x$X \'q\' '", [("A", r"\n\\\x$X 'q' ")]),
        ('A="\\n\\r\\t\\"\\\\\\a\\b\\f\\v"', [("A", '\n\r\t"\\\a\b\f\v')]),
        (r'A="\$X $Y \\n \z \\"', [("A", "$$X $Y \\n \\z \\")]),
        (r'A="\0101\0377\0400\018\07\0"', [("A", "Aÿ\\400\\18\\7\\")]),
        ("A=\"1\n 2\r\n#3\"\nB='x\ny'", [("A", "1\n 2\r\n#3"), ("B", "x\ny")]),
        ('A=\\n\\"', [("A", '\\n\\"')]),
        ("A=${X:-d} $$ $Y", [("A", "${X:-d} $$ $Y")]),
        ("\ufeffA=1", [("A", "1")]),
        ("A=1\rB=2", [("A", "1\rB=2")]),
        ("\u2003A\xa0=\x851\u3000\n", [("A", "1")]),
        ("=1", [("", "1")]),
        ("# only", []),
        ("", []),
    ],
)
def test_pairs(text: str, expected: list[tuple[str, str | None]]) -> None:
    assert pairs(text) == expected
    parse(text)


@pytest.mark.parametrize(
    ("text", "line", "column", "word"),
    [
        ("A=1\n B C=2\nD=3", 2, 2, "blank"),
        ("A=1\nB/C=2", 2, 2, "'/'"),
        ('A=1\nB= "2', 2, 4, '"'),
        ("A=1\nB='2\\'\n\n", 2, 3, "'"),
        ("A=1\nB='\\", 2, 3, "'"),
        ("A=1\n${X}=2", 2, 1, "'$'"),
        ("A=1\r\n'B'=2", 2, 1, "'"),
    ],
)
def test_errors(text: str, line: int, column: int, word: str) -> None:
    with pytest.raises(DotenvError) as caught:
        parse(text)
    error = caught.value
    assert (error.line, error.column) == (line, column)
    assert word in error.message
    assert [entry.key for entry in error.entries] == ["A"]


@pytest.mark.parametrize(
    ("text", "key_at", "at", "quote"),
    [
        ("A=1 # x", (1, 1, 1, 2), (1, 3, 1, 4), ""),
        ("\r\n  export KEY = v \n", (2, 10, 2, 13), (2, 16, 2, 17), ""),
        ("\ufeffA='1\n2'", (1, 2, 1, 3), (1, 4, 2, 3), "'"),
        ('é: "\\n"', (1, 1, 1, 2), (1, 4, 1, 8), '"'),
        ("A=  \r\n", (1, 1, 1, 2), (1, 3, 1, 3), ""),
        ("AB \n", (1, 1, 1, 3), (1, 3, 1, 3), ""),
        ("AB", (1, 1, 1, 3), (1, 3, 1, 3), ""),
    ],
)
def test_places(text: str, key_at: Position, at: Position, quote: str) -> None:
    (entry,) = parse(text)
    assert (entry.key_at, entry.at, entry.quote) == (key_at, at, quote)


soup = st.lists(
    st.sampled_from([*"AB==:\n\n\r \t#\"\"''\\$n", "KEY=", "\nexport ", " # ", "\\$", "\\0101"])
).map("".join)
anything = st.one_of(soup, st.text())


@given(anything)
def test_spans_hold_the_raw_texts(text: str) -> None:
    before = (1, 1)
    for entry in entries_of(text):
        raw = spanned(text, entry.at)
        assert spanned(text, entry.key_at) == entry.key
        if entry.quote:
            assert raw[0] == raw[-1] == entry.quote
            assert "\\" in raw or raw[1:-1] == entry.value
        else:
            assert raw == (entry.value or "")
        order = [before, entry.key_at[:2], entry.key_at[2:], entry.at[:2], entry.at[2:]]
        assert order == sorted(order)
        before = entry.at[2:]


@given(anything)
def test_writing_over_a_span_changes_that_value_only(text: str) -> None:
    entries = entries_of(text)
    for number, entry in enumerate(entries):
        if entry.value is not None:
            start, end = offsets(text, entry.at)
            expected = [(each.key, each.value) for each in entries]
            expected[number] = (entry.key, "new")
            assert pairs(f'{text[:start]}"new"{text[end:]}') == expected
