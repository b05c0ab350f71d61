"""A small part of a run that still shows all of it: the sample that tests compare without Java."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from answers import Answers, Table
from cases import Case

TYPE_CHECKING = False
if TYPE_CHECKING:
    from compare import Comparison

#: How many cases each rule gets on either side of its bound, and each exception.
_EACH = 8


def sides(found: Iterable[Comparison]) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """The keys of the cases that a rule and Kafka refuse, by code, and of its accepted neighbours.

    A neighbour sets a key that the rule weighs, is taken by Kafka and draws no word from kcheck.
    """
    refused: dict[str, set[str]] = defaultdict(set)
    weighed: dict[str, set[str]] = defaultdict(set)
    quiet: list[Comparison] = []
    for one in found:
        for code in one.codes if one.refused else ():
            refused[code].add(one.case.key)
            weighed[code].update(one.keys)
        if one.kind == "same" and not one.refused and not one.codes:
            quiet.append(one)
    taken: dict[str, set[str]] = defaultdict(set)
    for one in quiet:
        given = {*one.case.properties, *one.case.broker}
        for code, keys in weighed.items():
            if not given.isdisjoint(keys):
                taken[code].add(one.case.key)
    return refused, taken


def chosen(table: Table, found: list[Comparison], size: int) -> Table:
    """About so many of the table's rows: some for each rule, side and exception, the rest by lot."""
    tags: dict[str, set[str]] = defaultdict(set)
    for name, by_code in zip(("refused", "taken"), sides(found), strict=True):
        for code, keys in by_code.items():
            for key in keys:
                tags[key].add(f"{name} {code}")
    for one in found:
        tags[one.case.key].add(f"plane {one.case.plane} {one.refused}")
        if one.kind == "excepted":
            tags[one.case.key].add(f"excepted {one.detail}")
    counts: Counter[str] = Counter()
    picked: dict[str, tuple[Case, Answers]] = {}
    rows = sorted(table.rows, key=lambda row: _lot(row[0]))
    for rare in (True, False):
        for case, said in rows:
            mine = tags.get(case.key, set())
            wanted = any(counts[tag] < _EACH for tag in mine) if rare else len(picked) < size
            if wanted and case.key not in picked:
                counts.update(mine)
                picked[case.key] = (case, said)
    made = Table(table.releases)
    made.bases = table.bases
    made.rows = [row for row in table.rows if row[0].key in picked]
    return made


def _lot(case: Case) -> str:
    """A number that hangs on the case alone: another run chooses the same."""
    return hashlib.sha256(case.key.encode()).hexdigest()


def telling(said: Answers) -> Iterator[str]:
    """The releases that tell something: on both sides of a change of verdict, and the newest."""
    releases = [*said]
    for at, release in enumerate(releases):
        nearby = {said[one].refused for one in releases[max(0, at - 1) : at + 2]}
        if len(nearby) > 1 or release == releases[-1]:
            yield release
