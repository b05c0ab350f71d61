"""What the rules say they cover is known, and all that is due is covered and tested."""

from __future__ import annotations

from kcheck import coverage, rules

ITEMS, STRAYS = coverage.counted(rules.load().values())


def test_rules_name_only_what_the_list_knows() -> None:
    assert STRAYS == []


def test_all_that_is_due_is_covered_by_a_rule_with_executed_examples() -> None:
    assert [f"{item.kind} {item.id}" for item in ITEMS if item.due and not item.tested] == []


def test_words_are_few_and_ids_are_unique() -> None:
    ids = [(item.kind, item.id) for item in ITEMS]
    assert len(ids) == len(set(ids))
    assert all(1 <= len(item.words.split()) <= 8 for item in ITEMS)
