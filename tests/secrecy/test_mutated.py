"""Files with canaries in them, mutated: cut, glued, doubled, shifted, with broken quotes and ends.

What a mutation does must leave the secret recognisable as one: it never touches a name of a secret,
what parts it from its value, or the value itself. Everything around them is fair game.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

import planted
import pytest
from test_planted import Project, lines_shown, write

#: How many files are mutated in each run of the suite; more by the environment, for a night.
COUNT = int(os.environ.get("KCHECK_MUTANTS", "120"))

GARBAGE = [
    "{",
    "}",
    "[",
    "]",
    "\t",
    "%{",
    "{{",
    "<%",
    ": :",
    "- -",
    "\\",
    "'",
    '"',
    "&a",
    "*b",
    "!!x",
]
GARBAGE += ["=", "\x00", "\ufeff", "é", "---", "...", "# kcheck: ignore", "<<EOT", '"""', "|", ">-"]


def _lines(text: str) -> list[str]:
    return text.split("\n")


def cut_begin(text: str, chance: random.Random) -> str:
    lines = _lines(text)
    return "\n".join(lines[chance.randrange(len(lines) // 8 + 1) :])


def cut_end(text: str, chance: random.Random) -> str:
    lines = _lines(text)
    return "\n".join(lines[: len(lines) - chance.randrange(len(lines) // 3 + 1)])


def insert(text: str, chance: random.Random) -> str:
    lines = _lines(text)
    for _ in range(chance.randrange(1, 4)):
        lines.insert(chance.randrange(len(lines) + 1), chance.choice(GARBAGE))
    return "\n".join(lines)


def indent(text: str, chance: random.Random) -> str:
    """All lines from one on stand further to the right: with each other they mean the same."""
    lines = _lines(text)
    at = chance.randrange(len(lines))
    return "\n".join([*lines[:at], *(f"  {line}" for line in lines[at:])])


def double(text: str, chance: random.Random) -> str:
    lines = _lines(text)
    at = chance.randrange(len(lines))
    end = at + chance.randrange(1, 40)
    return "\n".join([*lines[:end], *lines[at:end], *lines[end:]])


def ends(text: str, chance: random.Random) -> str:
    return text.replace("\n", chance.choice(["\r\n", "\n\n", " \n", "\n"]))


def quoted(text: str, chance: random.Random) -> str:
    """The whole text as a block of another."""
    return "data:\n  file: |\n" + "".join(f"    {line}\n" for line in _lines(text))


def commented(text: str, chance: random.Random) -> str:
    lines = _lines(text)
    at = chance.randrange(len(lines))
    return "\n".join(
        [*lines[:at], *(f"# {line}" for line in lines[at : at + 30]), *lines[at + 30 :]]
    )


MUTATIONS: list[Callable[[str, random.Random], str]] = [
    cut_begin,
    cut_end,
    insert,
    insert,
    indent,
    double,
    ends,
    quoted,
    commented,
]
#: Formats in which a value stands on another line than its name: a cut between them leaves a word.
APART = {
    "k8s/deployment.yaml",
    "ecs/task.json",
    "four/compose.yaml",
    "blocks/values.yaml",
    "continued/server.properties",
    "pem/values.yaml",
}


def mutated(seed: int) -> tuple[str, str, planted.Canaries]:
    """Path and text of a file, and the canaries in it."""
    chance = random.Random(seed)
    path = chance.choice([*planted.FORMATS])
    canaries = planted.Canaries(seed)
    text = planted.project(canaries, [path])[path]
    for _ in range(chance.randrange(1, 4)):
        mutation = chance.choice([double, ends, quoted] if path in APART else MUTATIONS)
        if path in APART and mutation in (double, ends):
            mutation = quoted
        text = mutation(text, chance)
    return path, text, canaries


@pytest.mark.parametrize("seed", range(COUNT // 4))
def test_no_line_of_a_mutated_file_shows_one(seed: int) -> None:
    for number in range(4):
        path, text, canaries = mutated(seed * 4 + number)
        assert canaries.found_in(lines_shown(path, text)) == [], f"mutant {seed * 4 + number}"


@pytest.mark.parametrize("seed", range(COUNT // 40))
def test_no_output_about_mutated_files_shows_one(seed: int, tmp_path: Path) -> None:
    project = Project.__new__(Project)
    project.folder = tmp_path
    made = [mutated(10_000 + seed * 8 + number) for number in range(8)]
    for path, text, _ in made:
        write(tmp_path / path, text)
    outputs = [f"--output={format}={tmp_path.parent / format}" for format in ("json", "html")]
    out = project.run("lint", *outputs, "--output", "text", "--extend-select", "all", ".")
    out += project.run("show", "--all", ".")
    out += project.run("files", "-v", ".")
    out += project.run("lint", "--fix", "--unsafe-fixes", "--diff", "--exit-zero", ".")
    out += "".join((tmp_path.parent / format).read_text() for format in ("json", "html"))
    for _, _, canaries in made:
        assert canaries.found_in(out) == []
