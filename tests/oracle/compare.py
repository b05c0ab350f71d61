#!/usr/bin/env python3
"""Kafka and kcheck on the same configurations: where they agree, per plane, release and rule.

    python tests/oracle/compare.py --cases 21500 --seed 5 --releases 2.8.2 3.9.2 4.0.2 4.1.2 4.2.1 4.3.1 4.4.0

The cases are drawn by ``generate.py``; files of a folder join in with ``--folder``. Kafka's side is
the code of the released jars, which ``schemas/kafka/generate.py`` fetches, kcheck's side the linter
on the files that one would have. They agree on a case if kcheck says that Kafka refuses it just
where Kafka does, and, where Kafka takes it, if the values are the same that both reckon with.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
for _folder in (HERE, HERE.parents[1]):
    if str(_folder) not in sys.path:
        sys.path.insert(0, str(_folder))

import answers  # noqa: E402
import exceptions  # noqa: E402
import jvm  # noqa: E402
import sample  # noqa: E402
import verdicts  # noqa: E402
from answers import Table  # noqa: E402
from cases import PLANES, RELEASES, Case, base_questions  # noqa: E402

SAME, MISSED, FALSE, VALUE, EXCEPTED, SILENT = (
    "same",
    "missed",
    "false",
    "value",
    "excepted",
    "silent",
)


class Comparison:
    """One case in one release: what Kafka said, what kcheck said, and whether that is one.

    ``kind`` is SAME, MISSED (Kafka refuses, kcheck does not say so), FALSE (the other way round),
    VALUE (a value differs), EXCEPTED (they differ for a documented reason) or SILENT (the JVM gave no
    answer). ``codes`` are the rules that spoke of a refusal, ``detail`` tells a difference in words.
    """

    __slots__ = ("case", "codes", "detail", "keys", "kind", "refused", "release")

    def __init__(self, case: Case, release: str) -> None:
        self.case = case
        self.release = release
        self.kind = SAME
        self.refused = False
        self.codes: tuple[str, ...] = ()
        self.keys: tuple[str, ...] = ()
        self.detail = ""


def compared(case: Case, release: str, answer: jvm.Answer, base: dict[str, str]) -> Comparison:
    """Whether both sides agree on one case. ``base`` are Kafka's values of the plane's base."""
    found = Comparison(case, release)
    if answer.kind == jvm.LATE:
        found.kind = SILENT
        return found
    told = verdicts.judge(case, release)
    refusals = told.refusals
    found.refused = answer.refused
    found.codes = tuple(dict.fromkeys(finding.code for finding in refusals))
    found.keys = tuple(value.key for finding in refusals for value in finding.evidence)
    if answer.refused and not refusals:
        found.kind = MISSED
        found.detail = f"{answer.error}: {answer.message}"
    elif refusals and not answer.refused:
        found.kind = FALSE
        found.detail = "; ".join(f"{one.code} {one.message}" for one in refusals)
    elif not answer.refused:
        wrong = verdicts.differing(case, release, told, {**base, **answer.values})
        if wrong:
            found.kind = VALUE
            found.detail = "; ".join(wrong)
    if found.kind != SAME:
        reason = exceptions.reason(found, answer)
        if reason:
            found.kind, found.detail = EXCEPTED, reason
    return found


# -- asking -----------------------------------------------------------------------------------------


def asked(cases: list[Case], releases: Iterable[str], jars: Path | None = None) -> Table:
    """What those releases say of the cases: one JVM per release."""
    table = Table(tuple(releases))
    said: list[answers.Answers] = [{} for _ in cases]
    with jvm.compiled() as classes:
        for release in table.releases:
            bases = base_questions(release)
            mine = [at for at, case in enumerate(cases) if case.asked_of(release)]
            questions = [*bases, *(cases[at].question(release) for at in mine)]
            got = jvm.ask(release, questions, classes, jars)
            for question, answer in zip(bases, got, strict=False):
                if answer.kind != jvm.ACCEPTED:
                    raise SystemExit(
                        f"{release} refuses the base of {question[0]}: {answer.message}"
                    )
                table.bases[question[0], release] = answer.values
            for at, answer in zip(mine, got[len(bases) :], strict=True):
                said[at][release] = answer
            print(f"{release}: {len(mine)} cases asked", file=sys.stderr)
    table.rows = [*zip(cases, said, strict=True)]
    return table


def compare(table: Table, jobs: int = 1) -> list[Comparison]:
    """Every case in every release that was asked."""
    work = [
        (case, release, answer, table.bases.get((case.plane, release), {}))
        for case, said in table.rows
        for release, answer in said.items()
    ]
    if jobs < 2:
        return [compared(*one) for one in work]
    with ProcessPoolExecutor(jobs) as pool:
        return [*pool.map(_compared, work, chunksize=200)]


def _compared(work: tuple[Case, str, jvm.Answer, dict[str, str]]) -> Comparison:
    return compared(*work)


# -- telling ----------------------------------------------------------------------------------------


def agreement(found: list[Comparison]) -> str:
    """The table of agreement per plane and release."""
    releases = sorted({one.release for one in found}, key=RELEASES.index)
    lines = ["| plane | cases | refused | " + " | ".join(releases) + " | all |"]
    lines.append("|---|---|---|" + "---|" * (len(releases) + 1))
    for plane in (*PLANES, ""):
        mine = [one for one in found if plane in ("", one.case.plane) and one.kind != SILENT]
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
    good = sum(one.kind in (SAME, EXCEPTED) for one in found)
    rate = f"{100 * good / len(found):.2f}%"
    return rate if good == len(found) else f"{rate} ({len(found) - good} differ)"


def by_rule(found: list[Comparison]) -> str:
    """Per rule that tells of refusals: the cases on both sides of its bound, and its false alarms."""
    from kcheck import rules
    from kcheck.rule import REFUSED

    refused, taken = sample.sides(found)
    wrong = Counter(code for one in found if one.kind == FALSE for code in one.codes)
    lines = ["| rule | refused by both | by kcheck alone | taken by both, with one of its keys |"]
    lines.append("|---|---|---|---|")
    for code, rule in rules.load().items():
        if rule.kafka == REFUSED:
            counts = (len(refused.get(code, ())), wrong[code], len(taken.get(code, ())))
            lines.append(f"| {code} {rule.name} | " + " | ".join(map(str, counts)) + " |")
    return "\n".join(lines) + "\n"


def differences(found: list[Comparison], most: int) -> str:
    """The disagreements by kind and reason, a few of each in full."""
    groups: dict[tuple[str, str], list[Comparison]] = {}
    for one in found:
        if one.kind in (MISSED, FALSE, VALUE):
            groups.setdefault((one.kind, _shape(one.detail)), []).append(one)
    lines = []
    for (kind, shape), members in sorted(groups.items(), key=lambda group: -len(group[1])):
        releases = sorted({one.release for one in members}, key=RELEASES.index)
        planes = ", ".join(dict.fromkeys(one.case.plane for one in members))
        lines.append(f"{len(members):5} {kind} {planes} {releases[0]}–{releases[-1]}: {shape}")
        for one in members[:most]:
            lines.append(f"        {one.release} {one.case!r}\n          {one.detail[:300]}")
    return "\n".join(lines) + "\n"


def _shape(detail: str) -> str:
    import re

    return re.sub(r"[\d]+", "N", re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`", "…", detail))[:110]


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare kcheck with Kafka itself.")
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--releases", nargs="+", default=["3.9.2", "4.4.0"], choices=RELEASES)
    parser.add_argument("--planes", nargs="+", default=[*PLANES], choices=PLANES)
    parser.add_argument("--folder", type=Path, help="files of yours to alter, besides fixtures/")
    parser.add_argument("--jars", type=Path)
    parser.add_argument("--save", type=Path, help="keep the answers (.tsv or .tsv.gz)")
    parser.add_argument("--answers", type=Path, help="compare with answers that were kept")
    parser.add_argument("--sample", type=Path, help="keep a part of the answers that shows all")
    parser.add_argument("--size", type=int, default=2_200, help="cases of the sample")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--show", type=int, default=2, help="differences of each kind in full")
    given = parser.parse_args()
    if given.answers:
        table = answers.read(given.answers)
        table.rows = [row for row in table.rows if row[0].plane in given.planes]
    else:
        import generate

        files = generate.read_files(HERE.parents[1] / "fixtures")
        files += generate.read_files(given.folder) if given.folder else []
        cases = generate.drawn(given.cases, given.seed, given.planes, files)
        table = asked(cases, given.releases, given.jars)
    if given.save:
        answers.write(table, given.save)
    found = compare(table, given.jobs)
    if given.sample:
        answers.write(sample.chosen(table, found, given.size), given.sample)
    print(agreement(found))
    print(by_rule(found))
    reasons = Counter(one.detail for one in found if one.kind == EXCEPTED)
    for reason, count in reasons.most_common():
        print(f"{count:6} excepted: {reason}")
    told = differences(found, given.show)
    print(told)
    return 1 if told.strip() else 0


if __name__ == "__main__":
    sys.exit(main())
