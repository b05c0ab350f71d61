#!/usr/bin/env python3
"""What started processes do with a configuration: the cases, what was recorded of them, kcheck's side.

    python tests/oracle/started.py [--releases 4.4.0 …] [--planes combined …] [--cases ID …]

starts brokers, workers, MirrorMaker and clients from the released jars (``processes.py``) and records
in ``started.tsv`` what became of each case. The cases are the files of ``started/``:

``id``, ``plane``
    its name, and which of the bases of ``started/bases.yaml`` it changes;
``files``
    file → keys that are other than in the base (null: not there), as kcheck reads them. Ports,
    folders and names are exchanged for free ones where a process gets them;
``do``
    the steps, where they are not those of the plane (see ``processes.py``);
``releases``
    where they are not those of the plane;
``says``
    what kcheck must say: ``error CODE``, ``warning CODE``, ``info CODE`` or ``silent`` (no error), for
    all releases, or by release with ``else``;
``why``
    where a failure is no error, or an error no failure: the reason.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path

HERE = Path(__file__).resolve().parent
for _folder in (HERE, HERE.parents[1]):
    if str(_folder) not in sys.path:
        sys.path.insert(0, str(_folder))

import yaml  # noqa: E402

from kcheck.engine import lint_project  # noqa: E402
from kcheck.model import Finding  # noqa: E402
from kcheck.settings import ClusterSettings, Settings  # noqa: E402

FOLDER = HERE / "started"
RECORD = HERE / "started.tsv"
RELEASES = ("2.8.2", "3.9.2", "4.0.2", "4.4.0")

#: Where a plane is not there in all releases: ZooKeeper went with 4.0, Maven has no MirrorMaker of 4.4.
_THERE = {
    "zookeeper": ("2.8.2", "3.9.2"),
    "combined": ("3.9.2", "4.0.2", "4.4.0"),
    "broker": ("3.9.2", "4.0.2", "4.4.0"),
    "mirror": ("2.8.2", "3.9.2", "4.0.2"),
}
PLANES = (
    *("zookeeper", "combined", "broker", "topic", "client", "group", "quota", "streams"),
    *("connect-distributed", "connect-standalone", "mirror"),
)
#: Outcomes that are no failure.
FINE = ("runs", "accepted")

#: Path of a file → its keys, or what it holds.
Files = dict[str, dict[str, object]]


class Case:
    """One configuration and what is done with it."""

    __slots__ = ("do", "files", "name", "plane", "releases", "says", "why")

    def __init__(self, entry: dict[str, object], bases: dict[str, dict[str, Files]]) -> None:
        self.name = str(entry.pop("id"))
        self.plane = str(entry.pop("plane"))
        base = bases[self.plane]
        self.files = _changed(base["files"], entry.pop("files", {}))
        self.do = [str(step) for step in entry.pop("do", base.get("do", []))]
        self.releases = tuple(entry.pop("releases", _THERE.get(self.plane, RELEASES)))
        said = entry.pop("says")
        self.says = said if isinstance(said, dict) else {"else": said}
        self.why = str(entry.pop("why", ""))
        assert not entry, (self.name, entry)

    def expected(self, release: str) -> tuple[str, tuple[str, ...]]:
        """(severity, codes); severity ``silent`` has none."""
        severity, *codes = self.says.get(release, self.says.get("else", "silent")).split()
        return severity, tuple(codes)

    def texts(self) -> dict[str, str]:
        """The files as somebody would have them."""
        return {path: text(path, held) for path, held in self.files.items()}


def cases() -> list[Case]:
    bases = yaml.load((FOLDER / "bases.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)
    found = [
        Case(entry, bases)
        for plane in PLANES
        if (path := FOLDER / f"{plane}.yaml").exists()
        for entry in yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    ]
    assert len({case.name for case in found}) == len(found)
    return found


def text(path: str, held: dict[str, object]) -> str:
    if path.endswith((".yaml", ".json")):
        return json.dumps(held, indent=1) + "\n"
    return "".join(f"{key}={value}\n" for key, value in held.items())


def findings(case: Case, release: str) -> list[Finding]:
    """What kcheck says of the case's files in that release."""
    sources = {path: content.encode() for path, content in case.texts().items()}
    facts = ClusterSettings(kafka_version=release, client_version=release)
    project = lint_project(sources.items(), Settings(cluster=facts), sources.get)
    assert not project.failures, project.failures
    return project.findings


def read(path: Path = RECORD) -> dict[tuple[str, str], str]:
    """(case, release) → outcome."""
    rows = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:])
    return {(name, release): outcome for name, _, release, outcome in rows}


def write(record: dict[tuple[str, str], str], path: Path = RECORD) -> None:
    lines = ["case\tplane\trelease\toutcome"]
    for case in cases():
        for release in case.releases:
            if (case.name, release) in record:
                row = (case.name, case.plane, release, record[case.name, release])
                lines.append("\t".join(row))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def disagreements(case: Case, release: str, outcome: str) -> list[str]:
    """How kcheck's findings, what the case says of them and what Kafka did differ."""
    severity, codes = case.expected(release)
    found = findings(case, release)
    errors = {one.code for one in found if one.severity == "error"}
    wrong = []
    if severity == "error":
        if not errors.issuperset(codes):
            wrong.append(f"no error {' '.join(codes)} but {sorted(errors)}")
    else:
        if errors:
            wrong.append(f"error {' '.join(sorted(errors))}")
        there = {one.code for one in found if one.severity == severity}
        if not there.issuperset(codes):
            wrong.append(f"no {severity} {' '.join(codes)} but {sorted(there)}")
    if (outcome in FINE) == (severity == "error") and not case.why:
        wrong.append(f"{severity} where Kafka: {outcome}")
    return wrong


def table(record: dict[tuple[str, str], str]) -> list[str]:
    """Plane by release: cases, and how many of them fail."""
    lines = [f"| plane | cases | {' | '.join(RELEASES)} |", f"|---|---|{'---|' * len(RELEASES)}"]
    known = cases()
    for plane in (*PLANES, "all"):
        mine = [case for case in known if plane in (case.plane, "all")]
        cells = []
        for release in RELEASES:
            said = [record[case.name, release] for case in mine if (case.name, release) in record]
            failing = sum(outcome not in FINE for outcome in said)
            cells.append(f"{failing} of {len(said)}" if said else "–")
        if mine:
            lines.append(f"| {plane} | {len(mine)} | {' | '.join(cells)} |")
    return lines


def remaining(record: dict[tuple[str, str], str]) -> list[str]:
    """Cases on which kcheck's severity is not Kafka's outcome, with the reason."""
    lines = ["| case | plane | kcheck | reason |", "|---|---|---|---|"]
    for case in cases():
        said = {
            case.expected(release)
            for release in case.releases
            if (case.name, release) in record
            and (record[case.name, release] in FINE) == (case.expected(release)[0] == "error")
        }
        for severity, codes in sorted(said):
            words = " ".join((severity, *codes))
            lines.append(f"| {case.name} | {case.plane} | {words} | {case.why} |")
    return lines


def document(record: dict[tuple[str, str], str], path: Path) -> None:
    """Write both tables between their marks."""
    text_ = path.read_text(encoding="utf-8")
    for mark, lines in (("started", table(record)), ("remaining", remaining(record))):
        before, _, rest = text_.partition(f"<!-- {mark} -->\n")
        _, end, after = rest.partition(f"<!-- /{mark} -->")
        text_ = before + f"<!-- {mark} -->\n" + "\n".join(lines) + "\n" + end + after
    path.write_text(text_, encoding="utf-8")


def main(arguments: Iterable[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--releases", nargs="+", default=RELEASES)
    parser.add_argument("--planes", nargs="+", default=PLANES)
    parser.add_argument("--cases", nargs="+", default=())
    parser.add_argument("--missing", action="store_true", help="only what is not recorded yet")
    parser.add_argument(
        "--compare", action="store_true", help="start nothing: kcheck and the record"
    )
    parser.add_argument("--document", type=Path, help="start nothing: write the tables into it")
    given = parser.parse_args(None if arguments is None else [*arguments])
    record = read() if RECORD.exists() else {}
    chosen = [
        (case, release)
        for release in given.releases
        for case in cases()
        if release in case.releases and case.plane in given.planes
        if not given.cases or case.name in given.cases
    ]
    if given.document:
        document(record, given.document)
        return 0
    if not given.compare:
        import processes

        if given.missing:
            chosen = [
                (case, release) for case, release in chosen if (case.name, release) not in record
            ]
        for case, release, outcome in processes.run(chosen):
            print(case.name, release, outcome, sep="\t", flush=True)
            record = read() if RECORD.exists() else {}
            record[case.name, release] = outcome
            write(record)
    differ = 0
    for case, release in chosen:
        if (case.name, release) in record:
            for line in disagreements(case, release, record[case.name, release]):
                differ += 1
                print(f"{case.name} {release}: {line}")
    return 1 if differ else 0


def _changed(base: Files, changes: object) -> Files:
    assert isinstance(changes, dict)
    files = {path: dict(held) for path, held in base.items()}
    for path, keys in changes.items():
        if keys is None:
            files.pop(path, None)
            continue
        held = files.setdefault(path, {})
        for key, value in keys.items():
            held.pop(key, None)
            if value is not None:
                held[key] = value
    return files


if __name__ == "__main__":
    sys.exit(main())
