"""Cases with what Kafka said of them, as a table: the recorded sample, and runs that were kept.

One case per row: the cells of ``Case`` and then, per release of the head, one letter. A lower-case
letter stands for a refusal, whose text is that number in the fifth column; an upper-case one for
values that differ from those of the plane's base, in the sixth column; ``-`` was not asked, ``?``
did not answer. The values of the bases themselves are rows of their own, with the plane ``base:``.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from cases import Case
from jvm import ACCEPTED, LATE, REFUSED, Answer

_LOWER, _UPPER = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LONGEST = 140

#: What a release said of a case; None where it was not asked.
Answers = dict[str, Answer]


class Table:
    """Releases, cases and answers; ``bases`` are the values of a plane's base per release."""

    def __init__(self, releases: Sequence[str]) -> None:
        self.releases = tuple(releases)
        self.rows: list[tuple[Case, Answers]] = []
        self.bases: dict[tuple[str, str], dict[str, str]] = {}

    def values(self, case: Case, release: str) -> dict[str, str]:
        """All values of an accepted case: those of the base, and what differs."""
        for known, answers in self.rows:
            if known is case:
                return {**self.bases.get((case.plane, release), {}), **answers[release].values}
        raise KeyError(case)


def write(table: Table, path: Path) -> None:
    lines = ["\t".join(("# plane", "bare", "properties", "broker", *table.releases))]
    planes = dict.fromkeys(plane for plane, _ in table.bases)
    for plane in planes:
        told = {
            release: _answer(table.bases[plane, release])
            for release in table.releases
            if (plane, release) in table.bases
        }
        lines.append("\t".join((f"base:{plane}", "", "", "", *_cells(table.releases, told))))
    for case, answers in table.rows:
        lines.append("\t".join((*case.cells(), *_cells(table.releases, answers))))
    data = ("\n".join(lines) + "\n").encode("utf-8")
    if path.suffix == ".gz":
        # No time and no name in it: the same table gives the same bytes.
        data = gzip.compress(data, 9, mtime=0)
    path.write_bytes(data)


def read(path: Path) -> Table:
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    head, *lines = text.split("\n")
    table = Table(head.split("\t")[4:])
    for line in lines:
        if line:
            cells = line.split("\t")
            answers = _answers(table.releases, cells[4:])
            if cells[0].startswith("base:"):
                for release, answer in answers.items():
                    table.bases[cells[0][5:], release] = answer.values
            else:
                table.rows.append((Case.read(cells[:4]), answers))
    return table


def _answer(values: dict[str, str]) -> Answer:
    answer = Answer(ACCEPTED)
    answer.values = values
    return answer


def _cells(releases: Iterable[str], answers: Answers) -> list[str]:
    letters = ""
    refusals: dict[str, str] = {}
    values: dict[str, str] = {}
    for release in releases:
        answer = answers.get(release)
        if answer is None:
            letters += "-"
        elif answer.kind == LATE:
            letters += "?"
        elif answer.refused:
            text = f"{answer.error}: {answer.message}"[:_LONGEST]
            letters += refusals.setdefault(text, _LOWER[len(refusals)])
        else:
            text = json.dumps(answer.values, ensure_ascii=False, separators=(",", ":"))
            letters += values.setdefault(text, _UPPER[len(values)])
    told = json.dumps([*refusals], ensure_ascii=False, separators=(",", ":")) if refusals else ""
    return [letters, told, f"[{','.join(values)}]" if values and [*values] != ["{}"] else ""]


def _answers(releases: Iterable[str], cells: list[str]) -> Answers:
    letters, told, shown = cells
    refusals: list[str] = json.loads(told or "[]")
    values: list[dict[str, str]] = json.loads(shown or "[{}]")
    found: Answers = {}
    for release, letter in zip(releases, letters, strict=True):
        if letter == "?":
            found[release] = Answer(LATE)
        elif letter in _LOWER:
            error, _, message = refusals[_LOWER.index(letter)].partition(": ")
            found[release] = Answer(f"{REFUSED}\t{error}\t{message}")
        elif letter in _UPPER:
            found[release] = _answer(values[_UPPER.index(letter)])
    return found
