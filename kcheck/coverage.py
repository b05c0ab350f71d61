"""What answers each invariant and claim: a rule of its own, another command, or a reason why nothing.

``schemas/coverage.tsv`` lists the invariants there are to cover. A rule names those that it covers
in its own metadata, and counts as tested where the tests execute a bad and a good example of it.
All other invariants are answered in the table: by a rule on types and ranges, by another command,
or by the reason why no configuration shows it. Claims are listed with what answers them in
``schemas/claims/``, and count as tested where that can be executed.
"""

from __future__ import annotations

from collections.abc import Iterable

from kcheck import claims, data
from kcheck.claims import Claim
from kcheck.examples import examples
from kcheck.rule import Rule

INVARIANT, CLAIM = "invariant", "claim"
KINDS = (INVARIANT, CLAIM)

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
    or a reason. ``claims`` are a claim's entries.
    """

    __slots__ = ("claims", "id", "kind", "rules", "said", "stated", "tested", "words")

    def __init__(self, kind: str, id: str, words: str, stated: str, said: str) -> None:
        self.kind = kind
        self.id = id
        self.words = words
        self.stated = stated
        self.said = said
        self.rules: list[str] = []
        self.tested: list[str] = []
        self.claims: list[Claim] = []

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

    Raises FileNotFoundError where a list is not installed.
    """
    items = {row[1]: Item(*row) for row in data.rows("coverage.tsv")}
    strays: list[tuple[str, str, str]] = []
    codes = set()
    for rule in rules:
        codes.add(rule.code)
        tested = {example.bad for example in examples(rule)} == {True, False}
        for id in rule.invariants:
            item = items.get(id)
            if item is None:
                strays.append((rule.code, INVARIANT, id))
                continue
            item.rules.append(rule.code)
            if tested:
                item.tested.append(rule.code)
    return [*items.values(), *_claimed(codes)], strays


def _claimed(codes: set[str]) -> Iterable[Item]:
    """The claims, with those of their rules that are among the codes."""
    items: dict[str, Item] = {}
    for claim in claims.claims():
        item = items.get(claim.id)
        if item is None:
            item = items[claim.id] = Item(CLAIM, claim.id, claim.says, *_stated(claim))
        item.claims.append(claim)
        if claim.rule in codes and claim.rule not in item.rules:
            item.rules.append(claim.rule)
            item.tested.append(claim.rule)
    return items.values()


def _stated(claim: Claim) -> tuple[str, str]:
    """(way, answer) of a claim, as an item has them."""
    if claim.asked:
        way, _, words = claim.asked.partition(" ")
        return way, words or way
    if claim.not_shown:
        return NOT_SHOWN, claim.not_shown
    return RULE, claim.missed
