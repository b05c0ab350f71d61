"""Score kcheck on a batch of public threads: which faults it tells, by which rule, by kind.

    python tests/threads/score.py                           # batch-1
    python tests/threads/score.py batch-1 --verbose         # with misses and findings on mended files
    python tests/threads/score.py batch-1 --write COMMIT    # records the result as first-try.tsv

A case is caught when each of its expectations is: a finding of the faulty files names one of the
keys on the expected file (any file of the case, if none is given), is at most one severity below
it, and the mended files have neither the same finding nor any warning about these keys.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).resolve().parent
RANK = {"info": 0, "warning": 1, "error": 2}
#: What a case that nobody can decide from files is counted as: in the denominator, never caught.
UNDECIDABLE = "undecidable"


@dataclass
class Score:
    """The outcome of one case, the rules credited, and what stays on the mended files."""

    case: str
    kind: str
    outcome: str
    rules: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    noise: list[str] = field(default_factory=list)


def cases(batch: str) -> list[dict[str, Any]]:
    """The cases of a batch, in their order."""
    found = sorted((HERE / batch).glob("*.yaml"))
    return [yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader) for path in found]


def lint(command: list[str], files: list[dict[str, str]]) -> list[dict[str, Any]]:
    """The findings of kcheck on these files alone."""
    with tempfile.TemporaryDirectory() as folder:
        for file in files:
            path = Path(folder) / file["name"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(file["content"], encoding="utf-8")
        ran = subprocess.run(
            [*command, "lint", "--output", "json", "."],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    if not ran.stdout.strip():
        raise RuntimeError(f"kcheck gave no report: {ran.stderr.strip()[-300:]}")
    report: dict[str, Any] = json.loads(ran.stdout)
    return list(report["findings"])


def lowered(keys: list[str]) -> frozenset[str]:
    return frozenset(str(key).strip().lower() for key in keys)


def same(finding: dict[str, Any]) -> tuple[str, frozenset[str]]:
    """What makes two findings one before and after the mend."""
    return finding["rule"], lowered(finding["keys"])


def concerns(finding: dict[str, Any], expected: dict[str, Any]) -> bool:
    """Whether a finding names one of the keys, on the expected file if there is one."""
    evidence = finding["evidence"]
    if not lowered(expected["keys"]) & lowered(
        [*finding["keys"], *(fact["key"] for fact in evidence)]
    ):
        return False
    paths = {finding["path"], *(fact["path"] for fact in evidence)}
    return "file" not in expected or expected["file"] in paths


def score(case: dict[str, Any], command: list[str]) -> Score:
    if UNDECIDABLE in case:
        return Score(case["id"], case["kind"], UNDECIDABLE, missed=[case[UNDECIDABLE]])
    faulty, mended = lint(command, case["files"]), lint(command, case["files_fixed"])
    still = {same(finding) for finding in mended}
    told = Score(case["id"], case["kind"], "caught")
    for expected in case["expect"]:
        hits = {
            finding["rule"]
            for finding in faulty
            if concerns(finding, expected)
            and RANK[finding["severity"]] >= RANK[expected["severity"]] - 1
            and same(finding) not in still
        }
        left = any(RANK[found["severity"]] and concerns(found, expected) for found in mended)
        told.rules += sorted(hits)
        if not hits or left:
            told.outcome = "missed"
            told.missed.append(expected["what"] + (" (told of the mended files too)" * left))
    told.noise = [
        f"{found['severity']} {found['rule']}: {found['message']}"
        for found in mended
        if RANK[found["severity"]]
    ]
    return told


def table(scores: list[Score]) -> str:
    """Rows of case, kind, outcome and rules."""
    rows = [f"{told.case}\t{told.kind}\t{told.outcome}\t{' '.join(told.rules)}" for told in scores]
    return "\n".join(["case\tkind\toutcome\trule", *rows]) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("batch", nargs="?", default="batch-1")
    parser.add_argument("--kcheck", default=f"{shlex.quote(sys.executable)} -m kcheck")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--write", metavar="COMMIT", help="the commit that is scored")
    asked = parser.parse_args()
    scores = [score(case, shlex.split(asked.kcheck)) for case in cases(asked.batch)]
    if asked.write:
        first = HERE / asked.batch / "first-try.tsv"
        first.write_text(f"# kcheck {asked.write}\n{table(scores)}", encoding="utf-8")
    if asked.verbose:
        for told in scores:
            print(told.outcome, told.case, " ".join(told.rules), "; ".join(told.missed), sep=" | ")
            for line in told.noise:
                print("  on the mended files:", line)
    every = Counter(told.kind for told in scores)
    got = Counter(told.kind for told in scores if told.outcome == "caught")
    for kind, number in sorted(every.items()):
        print(f"{kind:22s} {got[kind]}/{number}")
    decided = sum(told.outcome != UNDECIDABLE for told in scores)
    caught = sum(got.values())
    noisy = sum(bool(told.noise) for told in scores)
    print(
        f"threads {len(scores)} caught {caught} ({caught / len(scores):.0%}), "
        f"of {decided} decidable {caught / max(decided, 1):.0%}; mended sets with a warning {noisy}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
