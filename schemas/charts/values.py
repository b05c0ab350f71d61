"""Compares values.tsv with all releases of a chart, in a checkout with its history.

    python schemas/charts/values.py CHECKOUT [FOLDER]       # bitnami/charts, bitnami/kafka

Prints each row whose first or last release is another one, and ends with 1 where there is any.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import yaml

HERE = Path(__file__).parent
#: A value that a template reads, and one that a comment of the values documents.
_USED = re.compile(r"\$?\.?Values\.([A-Za-z_][\w.]*)")
_TOLD = re.compile(r"^\s*#+\s*@param\s+([\w.-]+)", re.MULTILINE)


def names(held: object, before: str = "", depth: int = 5) -> set[str]:
    """The routes of a tree of values."""
    found: set[str] = set()
    for key, value in held.items() if isinstance(held, dict) and depth else ():
        found |= {f"{before}{key}"} | names(value, f"{before}{key}.", depth - 1)
    return found


def main() -> int:
    checkout, folder = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "bitnami/kafka"

    def git(*words: str) -> str:
        made = subprocess.run(["git", "-C", checkout, *words], capture_output=True, check=False)
        return made.stdout.decode("utf-8", "replace")

    last: dict[tuple[int, ...], str] = {}  # the last commit of each minor release
    for commit in git("log", "--first-parent", "--reverse", "--format=%H", "--", folder).split():
        told = re.search(
            r"^version: (\d+)\.(\d+)", git("show", f"{commit}:{folder}/Chart.yaml"), re.M
        )
        if told is not None:
            last[int(told[1]), int(told[2])] = commit
    read: dict[tuple[int, ...], set[str]] = {}
    for release, commit in sorted(last.items()):
        text = git("show", f"{commit}:{folder}/values.yaml")
        try:
            found = names(yaml.safe_load(text)) | set(_TOLD.findall(text))
        except yaml.YAMLError:
            continue  # three releases hold a tab
        for path in git("ls-tree", "-r", "--name-only", commit, f"{folder}/templates").split():
            found |= set(_USED.findall(git("show", f"{commit}:{path}")))
        read[release] = found
    return compared(list(read.items()), folder)


def compared(releases: list[tuple[tuple[int, ...], set[str]]], chart: str) -> int:
    wrong = 0
    for line in (HERE / "values.tsv").read_text().splitlines():
        cells = line.split("\t")
        if cells[0] != chart or cells[6]:  # a form tells nothing about the name
            continue
        name, since, until = cells[1:4]
        having = [
            at
            for at, (_, found) in enumerate(releases)
            if any(f"{one}.".startswith(f"{name}.") for one in found)
        ]
        ends = (
            [".".join(map(str, releases[at][0])) for at in (having[0], having[-1])]
            if having
            else []
        )
        gone = (
            ".".join(map(str, releases[having[-1] + 1][0]))
            if having and having[-1] + 1 < len(releases)
            else ""
        )
        if not ends or (since and since != ends[0]) or until != gone:
            print(name, since, until, "is", ends[:1], gone)
            wrong += 1
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
