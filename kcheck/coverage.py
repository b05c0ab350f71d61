"""Which invariants and claims the rules cover, counted from their own metadata.

``schemas/coverage.tsv`` lists what there is to cover; a rule names what it covers, and counts as
tested where the tests execute a bad and a good example of it.
"""

from __future__ import annotations

from collections.abc import Iterable

from kcheck import data
from kcheck.examples import examples
from kcheck.rule import Rule

KINDS = ("invariant", "claim")


class Item:
    """One invariant or claim; ``rules`` are the codes that cover it, ``tested`` those by a test.

    ``due`` marks what the first release must cover.
    """

    __slots__ = ("due", "id", "kind", "rules", "tested", "words")

    def __init__(self, kind: str, id: str, words: str, due: bool) -> None:
        self.kind = kind
        self.id = id
        self.words = words
        self.due = due
        self.rules: list[str] = []
        self.tested: list[str] = []


def counted(rules: Iterable[Rule]) -> tuple[list[Item], list[tuple[str, str, str]]]:
    """Every item with the rules that cover it; and (code, kind, id) of what no list knows.

    Raises FileNotFoundError where the list is not installed.
    """
    items = {
        (kind, id): Item(kind, id, words, bool(due))
        for kind, id, words, due in data.rows("coverage.tsv")
    }
    strays: list[tuple[str, str, str]] = []
    for rule in rules:
        tested = {example.bad for example in examples(rule)} == {True, False}
        for kind, ids in (("invariant", rule.invariants), ("claim", rule.claims)):
            for id in ids:
                item = items.get((kind, id))
                if item is None:
                    strays.append((rule.code, kind, id))
                    continue
                item.rules.append(rule.code)
                if tested:
                    item.tested.append(rule.code)
    return list(items.values()), strays
