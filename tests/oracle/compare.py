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
import telling  # noqa: E402
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
    answer). ``codes`` are the rules that spoke of a refusal, ``evidence`` the keys that each rule on
    refusals weighs that spoke at all, ``detail`` tells a difference in words.
    """

    __slots__ = (
        *("case", "codes", "detail", "evidence", "keys", "kind", "read_as", "refused"),
        "release",
    )

    def __init__(self, case: Case, release: str) -> None:
        self.case = case
        self.release = release
        self.kind = SAME
        self.refused = False
        self.codes: tuple[str, ...] = ()
        self.keys: tuple[str, ...] = ()
        self.evidence: dict[str, tuple[str, ...]] = {}
        #: The kind of the resource that kcheck makes of the files, where it makes one.
        self.read_as = ""
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
    found.evidence = told.weighed
    found.read_as = told.node.resource.kind if told.node is not None else ""
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


def differences(found: list[Comparison], most: int) -> str:
    """The disagreements by kind and reason, a few of each in full."""
    groups: dict[tuple[str, str], list[Comparison]] = {}
    for one in found:
        if one.kind in (MISSED, FALSE, VALUE):
            groups.setdefault((one.kind, telling.shape(one.detail)), []).append(one)
    lines = []
    for (kind, shape), members in sorted(groups.items(), key=lambda group: -len(group[1])):
        releases = sorted({one.release for one in members}, key=RELEASES.index)
        planes = ", ".join(dict.fromkeys(one.case.plane for one in members))
        lines.append(f"{len(members):5} {kind} {planes} {releases[0]}–{releases[-1]}: {shape}")
        for one in members[:most]:
            lines.append(f"        {one.release} {one.case!r}\n          {one.detail[:300]}")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare kcheck with Kafka itself.")
    parser.add_argument("--cases", type=int, help="20,000, or none beside --rules")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--releases", nargs="+", default=["3.9.2", "4.4.0"], choices=RELEASES)
    parser.add_argument("--planes", nargs="+", default=[*PLANES], choices=PLANES)
    parser.add_argument("--folder", type=Path, help="files of yours to alter, besides fixtures/")
    parser.add_argument("--jars", type=Path)
    parser.add_argument("--save", type=Path, help="keep the answers (.tsv or .tsv.gz)")
    parser.add_argument("--answers", type=Path, help="compare with answers that were kept")
    parser.add_argument("--sample", type=Path, help="keep a part of the answers that shows all")
    parser.add_argument("--size", type=int, default=2_200, help="cases of the sample")
    parser.add_argument("--rules", nargs="+", metavar="CODE", help="ask around these rules")
    parser.add_argument(
        "--free",
        action="store_true",
        help="draw without the rules; --cases are those of each plane",
    )
    parser.add_argument("--add", type=Path, help="add the answers to this sample, in its releases")
    parser.add_argument("--document", type=Path, help="write the tables into this document")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--show", type=int, default=2, help="differences of each kind in full")
    given = parser.parse_args()
    if given.add:
        given.releases = answers.read(given.add).releases
    if given.answers:
        table = answers.read(given.answers)
        table.rows = [row for row in table.rows if row[0].plane in given.planes]
    else:
        # Before anything is drawn, which takes its time.
        jvm.within_reach(given.releases, given.jars)
        table = asked(_cases(given), given.releases, given.jars)
    if given.save:
        answers.write(table, given.save)
    found = compare(table, given.jobs)
    if given.sample:
        answers.write(sample.chosen(table, found, given.size), given.sample)
    whole = found
    if given.add:
        # What differs is told below; the sample is of what agrees.
        wrong = {one.case.key for one in found if one.kind not in (SAME, EXCEPTED)}
        table.rows = [row for row in table.rows if row[0].key not in wrong]
        agreed = [one for one in found if one.case.key not in wrong]
        whole_table = sample.joined(answers.read(given.add), sample.chosen(table, agreed, 0))
        answers.write(whole_table, given.add)
        whole = compare(sample.told(whole_table), given.jobs)
        print(telling.sparse(whole))
    if given.free:
        print(telling.freely(found, given.seed))
        print(telling.remaining(found, given.seed))
        if given.document:
            telling.written_freely(given.document, found, given.seed)
    elif given.document:
        telling.written(given.document, whole, partly=bool(given.add or given.rules))
    print(telling.agreement(found))
    print(telling.by_rule(found, given.rules or ()))
    print(telling.reasons(found))
    told = differences(found, given.show)
    print(told)
    return 1 if told.strip() else 0


def _cases(given: argparse.Namespace) -> list[Case]:
    """The cases that are asked: free ones, or those around all rules or some, and of all planes."""
    if given.free:
        import free

        return free.drawn(given.cases or 1_000, given.seed, given.planes)
    import generate
    import guided

    codes = given.rules or guided.refusing()
    found: dict[str, Case] = {}
    for mine in guided.drawn(codes, given.seed, given.releases).values():
        found |= {case.key: case for case in mine if case.plane in given.planes}
    print(f"{len(found)} cases around {len(codes)} rules", file=sys.stderr)
    wanted = given.cases if given.cases is not None else 0 if given.rules else 20_000
    if wanted > len(found):
        files = generate.read_files(HERE.parents[1] / "fixtures")
        files += generate.read_files(given.folder) if given.folder else []
        for case in generate.drawn(wanted - len(found), given.seed, given.planes, files):
            found.setdefault(case.key, case)
    return [*found.values()]


if __name__ == "__main__":
    sys.exit(main())
