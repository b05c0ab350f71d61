"""The tables that a comparison tells, and the document that shows them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from cases import PLANES, RELEASES
from sides import different, sides

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
    rows = [f"| {count:,} | {reason} |" for reason, count in counted.most_common()]
    return "\n".join(("| cases | reason |", "|---|---|", *rows)) + "\n"


def written(document: Path, found: list[Comparison], codes: Iterable[str] = ()) -> None:
    """Put the tables of a whole run into the document, or the rows of some rules alone."""
    text = document.read_text(encoding="utf-8")
    wanted = {*codes}
    if not wanted:
        text = _replaced(text, agreement(found), "| plane | cases |")
        text = _replaced(text, reasons(found), "| cases | reason |")
        text = _replaced(text, by_rule(found), RULES_HEAD)
    else:
        rows = {row[2:8]: row for row in _table(text, RULES_HEAD).splitlines()[2:]}
        rows |= {row[2:8]: row for row in by_rule(found, wanted).splitlines()[2:]}
        head = _table(text, RULES_HEAD).splitlines()[:2]
        told = "\n".join((*head, *(rows[code] for code in sorted(rows)))) + "\n"
        text = _replaced(text, told, RULES_HEAD)
    document.write_text(text, encoding="utf-8")


def _table(text: str, head: str) -> str:
    found = re.search(rf"^{re.escape(head)}.*\n(\|.*\n)*", text, re.MULTILINE)
    if found is None:
        raise SystemExit(f"the document has no table headed {head}")
    return found[0]


def _replaced(text: str, table: str, head: str) -> str:
    return text.replace(_table(text, head), table)
