"""The tables that a comparison tells, and the document that shows them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import exceptions
from cases import PLANES, RELEASES
from sides import ENOUGH, different, sides

from kcheck import rules
from kcheck.rule import REFUSED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from compare import Comparison

#: The kinds of comparisons that count as agreement, as ``compare.py`` names them.
_GOOD = ("same", "excepted")


def agreement(found: list[Comparison]) -> str:
    """The table of agreement per plane and release."""
    releases = sorted({one.release for one in found}, key=RELEASES.index)
    lines = ["| plane | cases | refused | " + " | ".join(releases) + " | all |"]
    lines.append("|---|---|---|" + "---|" * (len(releases) + 1))
    for plane in (*PLANES, ""):
        mine = [one for one in found if plane in ("", one.case.plane) and one.kind != "silent"]
        if not mine:
            continue
        distinct = len({id(one.case) for one in mine})
        refused = sum(one.refused for one in mine) / len(mine)
        cells = [plane or "all", f"{distinct:,}", f"{refused:.0%}"]
        for release in (*releases, ""):
            cells.append(_rate([one for one in mine if release in ("", one.release)]))
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _rate(found: list[Comparison]) -> str:
    if not found:
        return "–"
    good = sum(one.kind in _GOOD for one in found)
    rate = f"{100 * good / len(found):.2f}%"
    return rate if good == len(found) else f"{rate} ({len(found) - good} differ)"


def freely(found: list[Comparison], number: int) -> str:
    """The table of free cases: agreement per plane and release, refusals named, and false errors.

    ``named`` is the part of Kafka's refusals that kcheck names, without those that differ for a
    documented reason, whose part is ``for a reason``; ``false`` is the part of what Kafka takes
    that kcheck calls an error.
    """
    releases = sorted({one.release for one in found}, key=RELEASES.index)
    head = f"| seed {number} | cases | of one line | refused | for a reason | "
    lines = [head + " | ".join(releases) + " | named | false |"]
    lines.append("|---|---|---|---|---|" + "---|" * (len(releases) + 2))
    for plane in (*PLANES, ""):
        mine = [one for one in found if plane in ("", one.case.plane) and one.kind != "silent"]
        if not mine:
            continue
        cases = {id(one.case): one.case for one in mine}
        single = sum(len(case.properties) + len(case.broker) == 1 for case in cases.values())
        refused = [one for one in mine if one.refused]
        excused = [one for one in refused if one.kind == "excepted"]
        missed = sum(one.kind == "missed" for one in refused)
        wrong = sum(one.kind == "false" for one in mine)
        cells = [plane or "all planes", f"{len(cases):,}", f"{single / len(cases):.0%}"]
        cells += [f"{len(refused) / len(mine):.0%}", _part(len(excused), len(refused))]
        cells += [_rate([one for one in mine if one.release == release]) for release in releases]
        cells.append(_part(len(refused) - len(excused) - missed, len(refused) - len(excused)))
        cells.append(_part(wrong, len(mine) - len(refused)))
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _part(some: int, of: int) -> str:
    return f"{100 * some / of:.2f}%" if of else "–"


def remaining(found: list[Comparison], number: int) -> str:
    """The kinds of differences of free cases that no reason excuses, the commonest first."""
    kinds: dict[tuple[str, str], list[Comparison]] = {}
    for one in found:
        if one.kind in ("missed", "false", "value"):
            kinds.setdefault((one.kind, shape(one.detail)), []).append(one)
    lines = [f"| answers of seed {number} | difference | planes | Kafka or kcheck says |"]
    lines.append("|---|---|---|---|")
    for (kind, words), mine in sorted(kinds.items(), key=lambda item: -len(item[1])):
        planes = ", ".join(sorted({one.case.plane for one in mine}))
        lines.append(f"| {len(mine)} | {kind} | {planes} | {words.replace('|', '/')} |")
    return "\n".join(lines) + "\n"


def shape(detail: str) -> str:
    """What differs, without the numbers and the names of a single case."""
    return re.sub(r"[\d]+", "N", re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`", "…", detail))[:110]


RULES_HEAD = (
    "| rule | refused by both | different ones | taken by both | different ones | by kcheck alone |"
)


def by_rule(found: list[Comparison], codes: Iterable[str] = ()) -> str:
    """Per rule that tells of refusals: the cases on both sides of its bound, and its false alarms."""
    refused, taken = sides(found)
    wrong = Counter(code for one in found if one.kind == "false" for code in one.codes)
    lines = [RULES_HEAD, "|---|---|---|---|---|---|"]
    wanted = {*codes}
    for code, rule in rules.load().items():
        if rule.kafka == REFUSED and (not wanted or code in wanted):
            told = (refused.get(code, {}), taken.get(code, {}))
            counts = [number for side in told for number in (len(side), different(side))]
            cells = " | ".join(map(str, (*counts, wrong[code])))
            lines.append(f"| {code} {rule.name} | {cells} |")
    return "\n".join(lines) + "\n"


def reasons(found: list[Comparison]) -> str:
    """Why they differ where they do so on purpose, and how often."""
    counted = Counter(one.detail for one in found if one.kind == "excepted")
    # What none of these met stays told: the sample has cases of each.
    counted.update(dict.fromkeys((why for _, why, _ in exceptions.EXCEPTIONS), 0))
    rows = [f"| {count:,} | {reason} |" for reason, count in counted.most_common()]
    return "\n".join(("| answers | reason |", "|---|---|", *rows)) + "\n"


def written_freely(document: Path, found: list[Comparison], number: int) -> None:
    """Put the tables of free cases of one seed into the document."""
    text = document.read_text(encoding="utf-8")
    text = _replaced(text, freely(found, number), f"| seed {number} | cases |")
    text = _replaced(text, remaining(found, number), f"| answers of seed {number} |")
    document.write_text(text, encoding="utf-8")


FEW_HEAD = "| rule | why there are no more |"
_SPARSE = r"Of \w+ rules? the sample holds fewer than 20 cases"


def few() -> str:
    """The rules with few different cases, and why."""
    names = {code: rule.name for code, rule in rules.load().items()}
    rows = [f"| {code} {names[code]} | {why} |" for code, why in sorted(exceptions.FEW.items())]
    return "\n".join((FEW_HEAD, "|---|---|", *rows)) + "\n"


def sparse(found: list[Comparison]) -> str:
    """The rules on refusals with fewer cases than they need, as ``exceptions.py`` lists them."""
    refused, taken = sides(found)
    lines = []
    for code, rule in rules.load().items():
        first, second = refused.get(code, {}), taken.get(code, {})
        if rule.kafka != REFUSED or not (first or second):
            continue
        if min(len(first), len(second)) < ENOUGH:
            lines.append(f'    "{code}": ({len(first)}, {len(second)}),')
        elif min(different(first), different(second)) < ENOUGH:
            lines.append(f"    # {code} is few: {different(first)}, {different(second)} different")
    return "\n".join((*sorted(lines, key=lambda line: "#" in line), ""))


def written(document: Path, found: list[Comparison], partly: bool = False) -> None:
    """Put the tables of a whole run into the document; ``partly`` those of the rules alone."""
    text = document.read_text(encoding="utf-8")
    if not partly:
        text = _replaced(text, agreement(found), "| plane | cases |")
        text = _replaced(text, reasons(found), "| answers | reason |")
    # A rule that was not asked about keeps its row, as one whose row says why it has none.
    rows = {row[2:8]: row for row in _table(text, RULES_HEAD).splitlines()[2:]}
    head, line, *new = by_rule(found).splitlines()
    for row in new:
        code = row[2:8]
        if code not in rows or (" 0 | 0 |" not in row and not rows[code].endswith("| – |")):
            rows[code] = row
    text = _replaced(
        text, "\n".join((head, line, *(rows[code] for code in sorted(rows)))) + "\n", RULES_HEAD
    )
    text = _replaced(text, few(), FEW_HEAD)
    text = re.sub(_SPARSE, lambda _: _sparse_sentence(), text)
    document.write_text(text, encoding="utf-8")


def _sparse_sentence() -> str:
    return f"Of {len(exceptions.SPARSE)} rules the sample holds fewer than 20 cases"


def _table(text: str, head: str) -> str:
    found = re.search(rf"^{re.escape(head)}.*\n(\|.*\n)*", text, re.MULTILINE)
    if found is None:
        raise SystemExit(f"the document has no table headed {head}")
    return found[0]


def _replaced(text: str, table: str, head: str) -> str:
    return text.replace(_table(text, head), table)
