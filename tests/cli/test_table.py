"""Tables on a terminal: columns while there is room, then lines below; nothing is cut off."""

from __future__ import annotations

import pytest

from kcheck.cli import table
from kcheck.report import folding

ROWS = [
    ("transaction.state.log.replication.factor", "3", "brokers/server-1.properties:15"),
    ("log.dirs", "/data/kafka", "line 11"),
    ("listeners", "INTERNAL://a.example.com:9092,EXTERNAL://b.example.com:9093", "line 5"),
    ("a", "", "of words that are many and do not fit beside what stands before them"),
]


def test_without_a_terminal_a_row_is_a_line() -> None:
    told = table.lines(ROWS).splitlines()
    assert len(told) == len(ROWS)
    assert table.lines([("a", "", "c"), ("bb", "", "d")]) == "a   c\nbb  d\n"


@pytest.mark.parametrize("columns", [70, 80, 100, 140])
def test_no_line_is_wider_than_the_terminal_and_nothing_is_lost(columns: int) -> None:
    told = table.apiece(ROWS, "  ", columns=columns)
    assert len(told) == len(ROWS)
    for row, cells in zip(told, ROWS, strict=True):
        assert all(len(line) <= columns for line in row.splitlines())
        assert row.split() == " ".join(cells).split()


def test_a_cell_has_the_column_of_its_heading_where_it_has_room() -> None:
    head, row, *_ = table.apiece([("key", "value"), ("acks", "all")] * 2, columns=80)
    assert head.index("value") == row.index("all")


def test_what_is_indented_stays_so() -> None:
    assert folding.lines("  one two", 7, 7) == ["  one", "two"]
    assert folding.lines("   ", 5, 5) == [""]


def test_a_column_has_room_for_an_indented_name() -> None:
    rows = [
        ("  mailer-producer.properties", "read", "client-properties", "producer of many topics"),
        ("  a.properties", "read", "client-properties", "consumer"),
    ]
    long, short = table.apiece(rows, columns=72)
    assert long.index("read") == short.index("read")


def test_a_word_that_is_too_long_stays_whole() -> None:
    assert folding.folded("see https://example.com/a/b/c/d/e/f/g/h/i", 42, 10, 4) == (
        "see\n    https://example.com/a/b/c/d/e/f/g/h/i"
    )
