"""Everything there is to cover has an answer that exists; what rules say they cover is known."""

from __future__ import annotations

from kcheck import catalogue, coverage, data, rules
from kcheck.lexicon.planes import TABLES

ALL = rules.load()
try:
    LIMITS = {row[0] for row in data.rows("limits/limits.tsv")}
except FileNotFoundError:  # this checkout has no kcheck limits
    LIMITS = set()
ITEMS, STRAYS = coverage.counted(ALL.values())
#: What answers claims is executed in test_claims.
INVARIANTS = [item for item in ITEMS if item.kind == coverage.INVARIANT]


def fault(item: coverage.Item) -> str:
    """What is wrong with the answer to an item; empty where it stands."""
    if item.how == coverage.RULE:
        return "" if item.tested else "its rule has no executed examples"
    if not item.how:
        return "no rule covers it"
    if item.how not in coverage.WAYS:
        return f"{item.how} is no way to answer"
    if not item.said:
        return "the answer is empty"
    if item.how == coverage.GENERIC:
        unknown = [code for code in item.said.split() if code not in ALL]
        return f"no rule {unknown}" if unknown else ""
    if item.how == coverage.EXPLAIN:
        unknown = [word for word in item.said.split() if not explained(word)]
        return f"nothing explains {unknown}" if unknown else ""
    if item.how == coverage.LIMITS and LIMITS:
        unknown = [word for word in item.said.split() if word != "*" and word not in LIMITS]
        return f"no limit {unknown}" if unknown else ""
    return ""


def explained(word: str) -> bool:
    """Whether it is a rule, a key of Kafka's in some plane, or an error."""
    return (
        word in ALL or word.endswith("Exception") or any(word in catalogue.plane(n) for n in TABLES)
    )


def test_each_is_answered() -> None:
    assert {item.id: wrong for item in INVARIANTS if (wrong := fault(item))} == {}


def test_a_missing_or_invented_answer_is_a_fault() -> None:
    for how, said in (
        ("rule", ""),
        ("generic", "KC9999"),
        ("explain", "no.such.key"),
        ("limits", ""),
        ("elsewhere", "x"),
    ):
        assert fault(coverage.Item("invariant", "second", "words", how, said)), how


def test_rules_name_only_what_the_list_knows() -> None:
    assert STRAYS == []


def test_words_are_few_and_ids_are_unique() -> None:
    ids = [(item.kind, item.id) for item in ITEMS]
    assert len(ids) == len(set(ids))
    assert all(1 <= len(item.words.split()) <= 8 for item in INVARIANTS)
    assert all(len(item.said.split()) <= 14 for item in INVARIANTS)
