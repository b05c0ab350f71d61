"""What changes no finding: how lines end, and which other projects stand beside the files.

``python tests/metamorphic/relations.py`` lints the bad examples of the rules in a folder of their own
and in each relation, and lists the warnings and errors that appear, go, or change their severity;
``--relation NAME`` tries one relation alone. With FOLDERS it takes these, whole checkouts, instead.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parent / "rules")]

from trial import NOW, examples_of, opened  # noqa: E402

from kcheck import rules  # noqa: E402
from kcheck.engine import lint_project  # noqa: E402
from kcheck.settings import Settings  # noqa: E402

Files = dict[str, bytes]
SETTINGS = Settings()
#: A larger file is left out.
_LARGE = 500_000
#: A folder with a name that says nothing of what is in it, and its neighbour.
_OWN, _NEXT = "shop", "ledger"


class Told(NamedTuple):
    """A warning or an error, by what stays when its folder has another name."""

    code: str
    path: str
    line: int
    severity: str


def told(files: Files) -> set[Told]:
    project = lint_project(sorted(files.items()), SETTINGS, opened(files), circumstances=NOW)
    return {
        Told(one.code, one.path, one.at[0], one.severity)
        for one in project.findings
        if one.severity in ("warning", "error")
    }


def below(folder: str, files: Files) -> Files:
    return {f"{folder}/{path}": data for path, data in files.items()}


def renamed(found: set[Told], old: str, new: str) -> set[Told]:
    """The findings of a folder's files, as if it had the other name."""
    return {one._replace(path=one.path.replace(f"{old}/", f"{new}/", 1)) for one in found}


def as_windows(files: Files, _: Files) -> tuple[set[Told], set[Told]]:
    """Lines end with a carriage return and a line feed."""
    other = {
        path: data if b"\r\n" in data or b"\0" in data else data.replace(b"\n", b"\r\n")
        for path, data in files.items()
    }
    return told(below(_OWN, files)), told(below(_OWN, other))


def as_twins(files: Files, _: Files) -> tuple[set[Told], set[Told]]:
    """The project stands in the repository twice; what is alike in both may be told once."""
    both = told({**below("east", files), **below("west", files)})
    return told(below("east", files)), renamed(both, "west", "east")


def beside(files: Files, others: Files) -> tuple[set[Told], set[Told]]:
    """Another project stands in the next folder."""
    mine, theirs = below(_OWN, files), below(_NEXT, others)
    return told(mine) | told(theirs), told({**mine, **theirs})


Relation = Callable[[Files, Files], tuple[set[Told], set[Told]]]
RELATIONS: dict[str, Relation] = {"windows": as_windows, "twins": as_twins, "beside": beside}


def projects(every: int = 1) -> list[tuple[str, Files]]:
    """The bad examples of the rules, of these each ``every``-th one, with their names."""
    found = [
        (f"{rule.code} bad {number}", {name: text.encode() for name, text in example.files.items()})
        for rule in rules.load().values()
        for number, example in enumerate(one for one in examples_of(rule) if one.bad)
    ]
    return found[::every]


def checkouts(folders: list[Path]) -> Iterator[tuple[str, Files]]:
    """The files of whole checkouts, without large ones."""
    for folder in folders:
        files: Files = {}
        for path in folder.rglob("*"):
            if path.is_file() and not path.is_symlink() and path.stat().st_size < _LARGE:
                files[path.relative_to(folder).as_posix()] = path.read_bytes()
        yield folder.name, files


def pairs(given: list[tuple[str, Files]]) -> Iterator[tuple[str, Files, Files]]:
    """Each project with one that has nothing to do with it, the same at each run."""
    others = given[:]
    random.Random(1).shuffle(others)
    for (name, files), (next_to, other) in zip(given, others, strict=True):
        if name.split()[0] != next_to.split()[0]:
            yield f"{name} beside {next_to}", files, other


def _main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folders", nargs="*", type=Path)
    options.add_argument("--relation", choices=RELATIONS)
    asked = options.parse_args()
    given = list(checkouts(asked.folders)) if asked.folders else projects()
    for relation in [asked.relation] if asked.relation else RELATIONS:
        changed, tried = 0, 0
        for name, files, other in pairs(given):
            expected, found = RELATIONS[relation](files, other)
            tried += 1
            changed += expected != found
            for mark, ones in (("+", found - expected), ("-", expected - found)):
                for one in sorted(ones):
                    print(relation, name, mark, *one, sep="\t")
        print(f"{relation}: {changed} of {tried} projects changed")


if __name__ == "__main__":
    _main()
