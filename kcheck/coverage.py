"""What answers each invariant and claim: a rule of its own, or what ``schemas/coverage.tsv`` says.

That table lists what there is to cover. A rule names what it covers in its own metadata, and counts
as tested where the tests execute a bad and a good example of it. All else is answered in the table:
by a rule on types and ranges, by another command, or by the reason why no configuration shows it.
"""

from __future__ import annotations

from collections.abc import Iterable

from kcheck import data
from kcheck.examples import examples
from kcheck.rule import Rule

KINDS = ("invariant", "claim")

RULE, GENERIC, LIMITS, EXPLAIN, PARTITION, NOT_SHOWN = (
    "rule",
    "generic",
    "limits",
    "explain",
    "partition",
    "not-shown",
)
#: The ways in which an item may be answered, and how they read.
WAYS = {
    RULE: "by a dedicated rule",
    GENERIC: "by a rule on types, ranges or classes",
    LIMITS: "by a line of kcheck limits",
    EXPLAIN: "by kcheck explain",
    PARTITION: "by kcheck partition",
    NOT_SHOWN: "not answerable from configuration",
}


class Item:
    """One invariant or claim; ``rules`` are the codes that cover it, ``tested`` those by a test.

    ``stated`` is the way that the table states, ``said`` its answer there: codes, a key, a limit
    or a reason.
    """

    __slots__ = ("id", "kind", "rules", "said", "stated", "tested", "words")

    def __init__(self, kind: str, id: str, words: str, stated: str, said: str) -> None:
        self.kind = kind
        self.id = id
        self.words = words
        self.stated = stated
        self.said = said
        self.rules: list[str] = []
        self.tested: list[str] = []

    @property
    def how(self) -> str:
        """The way in which it is answered; empty where a rule is owed that is not there."""
        if self.rules:
            return RULE
        return "" if self.stated == RULE else self.stated

    @property
    def answer(self) -> str:
        """The codes of its rules, else what the table says."""
        return " ".join(self.rules) or self.said


def counted(rules: Iterable[Rule]) -> tuple[list[Item], list[tuple[str, str, str]]]:
    """Every item with the rules that cover it; and (code, kind, id) of what no list knows.

    Raises FileNotFoundError where the list is not installed.
    """
    items = {(row[0], row[1]): Item(*row) for row in data.rows("coverage.tsv")}
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
