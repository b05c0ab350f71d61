"""A small part of a run that still shows all of it: the sample that tests compare without Java."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator

from answers import Answers, Table
from cases import Case
from sides import ENOUGH, sides

TYPE_CHECKING = False
if TYPE_CHECKING:
    from compare import Comparison

#: How many cases each exception gets, and each side of a plane.
_FEW = 8
#: More than each rule needs: what a neighbour is hangs on the refused cases that are kept.
_SPARE = 6


def chosen(table: Table, found: list[Comparison], size: int) -> Table:  # noqa: C901
    """About so many of the table's rows: some for each rule, side and exception, the rest by lot."""
    tags: dict[str, set[str]] = defaultdict(set)
    shown = _shown(table, found)
    for name, by_code in zip(("refused", "taken"), sides(shown), strict=True):
        for code, side in by_code.items():
            for key, view in side.items():
                tags[key].update((f"{name} {code}", f"{name} {code} {view}"))
    for one in shown:
        tags[one.case.key].add(f"plane {one.case.plane} {one.refused}")
        if one.kind == "excepted":
            tags[one.case.key].add(f"excepted {one.detail}")
    counts: Counter[str] = Counter()
    different: Counter[str] = Counter()
    picked: dict[str, tuple[Case, Answers]] = {}
    rows = sorted(table.rows, key=lambda row: _lot(row[0]))

    def wants(tag: str, turn: int) -> bool:
        kind, _, view = tag.partition(" (")
        if view:
            # What a rule has not seen yet comes first.
            return turn == 0 and not counts[tag] and different[kind] < ENOUGH + _SPARE
        return turn == 1 and counts[tag] < (_FEW if tag[0] in "pe" else ENOUGH + _SPARE)

    for turn in range(3):
        for case, said in rows:
            mine = tags.get(case.key, set())
            wanted = any(wants(tag, turn) for tag in mine) if turn < 2 else len(picked) < size
            if wanted and case.key not in picked:
                different.update(tag.partition(" (")[0] for tag in mine if not counts[tag])
                counts.update(mine)
                picked[case.key] = (case, said)
    made = Table(table.releases)
    made.bases = table.bases
    made.rows = [row for row in table.rows if row[0].key in picked]
    return made


def _shown(table: Table, found: list[Comparison]) -> list[Comparison]:
    """The comparisons of the releases that a reader of the sample looks at."""
    telling_of = {case.key: {*telling(said)} for case, said in table.rows}
    return [one for one in found if one.release in telling_of[one.case.key]]


def joined(old: Table, new: Table) -> Table:
    """The old table with the new one's cases that it lacks; both are of the same releases."""
    known = {case.key for case, _ in old.rows}
    old.rows += [row for row in new.rows if row[0].key not in known]
    return old


def told(table: Table) -> Table:
    """The table with the answers alone that a reader of the sample looks at."""
    made = Table(table.releases)
    made.bases = table.bases
    made.rows = [(case, {one: said[one] for one in telling(said)}) for case, said in table.rows]
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
