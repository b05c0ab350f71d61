"""On which side of a rule's bound a compared case lies, and how many different ones each side has.

A case lies beyond the bound of a rule if the rule tells of it and Kafka refuses it. A neighbour is
taken by Kafka, draws no word from kcheck, and sets in the same plane what a refused case of the
rule weighs. Two cases are different to a rule if they differ in the texts of the keys it weighs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from cases import Case

TYPE_CHECKING = False
if TYPE_CHECKING:
    from compare import Comparison

#: How many cases each rule on refusals needs on either side.
ENOUGH = 20

#: The texts of the keys that a finding weighs, and the plane: what a rule sees of a case.
View = tuple[str, tuple[tuple[str, str], ...]]
#: Case → what the rule sees of it.
Side = dict[str, View]


def sides(found: Iterable[Comparison]) -> tuple[dict[str, Side], dict[str, Side]]:  # noqa: C901
    """The cases beyond the bound of each rule, by code, and those just before it."""
    everyone = [*found]
    # A rule that never says error cannot know what the program adds; its warning tells as well.
    erring = {code for one in everyone for code in one.codes}
    refused: dict[str, Side] = defaultdict(dict)
    weighed: dict[tuple[str, str], dict[tuple[str, frozenset[str], frozenset[str]], None]]
    weighed = defaultdict(dict)
    for one in everyone:
        if not one.refused:
            continue
        given = texts(one.case)
        for code, keys in one.evidence.items():
            if code in one.codes or code not in erring:
                refused[code].setdefault(one.case.key, view(one.case, keys))
                for key in keys:
                    entry = (code, frozenset(keys), frozenset(keys).intersection(given))
                    weighed[one.case.plane, key][entry] = None
    taken: dict[str, Side] = defaultdict(dict)
    for one in everyone:
        if one.kind != "same" or one.refused or one.codes:
            continue
        given = texts(one.case)
        for key in _touched(one.case):
            for code, keys, needed in weighed.get((one.case.plane, key), ()):
                if code not in one.evidence and needed <= given.keys():
                    taken[code].setdefault(one.case.key, view(one.case, keys))
    return refused, taken


def view(case: Case, keys: Iterable[str]) -> View:
    """What a rule that weighs these keys sees of the case."""
    given = texts(case)
    return case.plane, tuple((key, given.get(key, "")) for key in sorted({*keys}))


def different(side: Side) -> int:
    """How many of the cases differ in what the rule weighs."""
    return len({*side.values()})


def texts(case: Case) -> dict[str, str]:
    """All that a case sets, its base and its broker's part with it."""
    outer = {key: text for key, text in case.broker.items() if text is not None}
    return {**outer, **case.complete()}


def _touched(case: Case) -> Iterator[str]:
    yield from case.properties
    yield from case.broker


def few(refused: dict[str, Side], taken: dict[str, Side], codes: Iterable[str]) -> list[str]:
    """The rules with fewer than ENOUGH cases on a side."""
    return [
        code for code in codes if min(len(refused.get(code, ())), len(taken.get(code, ()))) < ENOUGH
    ]
