"""Findings of two times are multisets: nothing is found twice, and a fingerprint comes first."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from kcheck.matching import Mark, Others, Places, same

ENDS: list[Others | None] = [None, (), (("k", "topic", "a"),), (("k", "topic", "b"),)]


def mark(path: str, name: str, number: int, others: Others | None = None) -> Mark:
    print_ = f"{path} {name} {number}"
    return Mark(print_, "KC0001", path, "producer", name, "acks", number, others)


MARKS = st.lists(
    st.builds(
        mark,
        st.sampled_from("pq"),
        st.sampled_from("xy"),
        st.integers(0, 2),
        st.sampled_from(ENDS),
    ),
    max_size=6,
    unique_by=lambda m: m.fingerprint,
)
NOWHERE = Places((), "", lambda path: False)


@given(MARKS, MARKS, st.booleans())
def test_each_is_at_most_one(then: list[Mark], now: list[Mark], moved: bool) -> None:
    renamed = {"p": "q"} if moved else {}
    pairs = same(then, now, NOWHERE, lambda: renamed)
    assert len({id(old) for old, _ in pairs}) == len({id(new) for _, new in pairs}) == len(pairs)
    assert all(old.rule == new.rule and old.key == new.key for old, new in pairs)


@given(MARKS)
def test_nothing_has_changed(marks: list[Mark]) -> None:
    assert len(same(marks, marks)) == len(marks)


def test_without_places_nothing_is_renamed() -> None:
    assert same([mark("p", "x", 0, ())], [mark("q", "x", 0, ())]) == []


def test_twins_are_told_by_their_other_end() -> None:
    b = mark("p", "x", 0, ENDS[3])
    now = [mark("p", "x", 0, ENDS[2]), mark("p", "x", 1, ENDS[3])]
    assert same([b], now) == [(b, now[1])]
    # An entry of an older version tells no end.
    old = mark("p", "x", 0)
    assert same([old], now) == [(old, now[0])]


def test_many_twins_take_no_longer_than_many_others() -> None:
    then = [mark("p", "x", n, (("k", "topic", f"t{n}"),)) for n in range(20_000)]
    now = [mark("p", "x", n + 1, (("k", "topic", f"t{n}"),)) for n in range(20_000)]
    start = time.process_time()
    assert all(old.others == new.others for old, new in same(then, now, NOWHERE))
    assert time.process_time() - start < 5


def test_a_moved_file_is_known_by_all_that_it_has() -> None:
    two = [mark("a/p.properties", "", 0, ()), mark("a/p.properties", "", 1, ())]
    moved = [mark("b/p.properties", "", 0, ()), mark("b/p.properties", "", 1, ())]
    assert len(same(two, moved, NOWHERE)) == 2
    # One of two findings may be any other file's.
    assert same(two, moved[:1], NOWHERE) == []
    # Neither folder nor name is left.
    other = [mark("b/q.properties", "", 0, ()), mark("b/q.properties", "", 1, ())]
    assert same(two, other, NOWHERE) == []
    # Of two new ones nobody knows which was the old one.
    twice = [*moved, mark("c/p.properties", "", 0, ()), mark("c/p.properties", "", 1, ())]
    assert same(two, twice, NOWHERE) == []
