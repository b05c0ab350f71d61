"""What README.md and docs/ say is what the code has: options, columns, bounds, versions, links."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from math import sqrt
from pathlib import Path

import pytest

from kcheck import formats
from kcheck.cli.commands import COMMANDS
from kcheck.cli.fleet_commands import FLEET
from kcheck.fleet import archives, column_types, drift, html, rollups, schemas

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
AUDIT = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")
SPARK = (ROOT / "docs" / "spark.md").read_text(encoding="utf-8")
ON_A_FLEET = README.partition("## Fleet audit")[2].partition("\n## ")[0]

_OPTION = re.compile(r"--[a-z][a-z-]*")
#: Options of other programs that the prose names.
_FOREIGN = {"--packages", "--py-files", "--archives", "--quiet"}


def options(command: str) -> dict[str, object]:
    """The options of a command by their names, with their defaults."""
    (found,) = (known for known in COMMANDS + FLEET if known.name == command)
    return {name: option.default for option in found.options for name in option.names}


def commands(text: str) -> Iterator[list[str]]:
    """The words of each shell command in a document's code blocks."""
    for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL):
        for line in re.sub(r"\\\n", " ", block).splitlines():
            for part in re.sub(r"(^|\s)#.*", "", line).split("&&"):
                # What goes on over several lines within quotes is none of kcheck's.
                if part.count("'") % 2 == 0:
                    yield shlex.split(part)


@pytest.mark.parametrize("text", [ON_A_FLEET, AUDIT, SPARK], ids=["readme", "audit", "spark"])
def test_options_exist(text: str) -> None:
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    known = {name for command in ("audit", "pack", "lint") for name in options(command)}
    assert set(_OPTION.findall(prose)) <= known | _FOREIGN
    ours = list(filter(None, map(arguments, commands(text))))
    assert ours
    for command, rest in ours:
        said = {word.partition("=")[0] for word in rest if word.startswith("--")}
        assert said <= options(command).keys(), rest


def arguments(words: list[str]) -> tuple[str, list[str]] | None:
    """(command, its arguments) where the words start kcheck, directly or by the entry script."""
    if "spark-submit" in words:
        (script,) = (at for at, word in enumerate(words) if word.endswith("kcheck_submit.py"))
        return "audit", words[script + 1 :]
    if words and words[0].rpartition("/")[2] == "kcheck":
        return words[1], words[2:]
    return None


def listed(marker: str) -> dict[str, list[str]]:
    """The table behind a marker: the name in its first column → those in its third."""
    block = AUDIT.partition(f"<!-- {marker} -->\n")[2].partition(f"<!-- /{marker} -->")[0]
    rows = [line.split("|")[1:-1] for line in block.splitlines()[2:]]
    return {row[0].split("`")[1]: re.findall(r"`([^`]+)`", row[2]) for row in rows}


def test_columns_of_the_tables() -> None:
    told = listed("tables")
    assert told == {
        name: column_types.names(columns) for name, columns in schemas.PUBLISHED.items()
    }


def test_columns_within_columns() -> None:
    nested: dict[str, list[str]] = {}
    for columns in schemas.PUBLISHED.values():
        for name, kind in columns:
            inner = kind[0] if isinstance(kind, list) else kind
            if not isinstance(kind, str):
                nested[name] = [] if isinstance(inner, str) else column_types.names(inner)
    assert listed("nested") == nested


def test_bounds() -> None:
    audit = options("audit")
    limits = AUDIT.partition("## Limits")[2]
    assert f"Files above {formats.MAX_BYTES >> 20} MiB" in limits
    assert f"archives above {archives.MOST_BYTES >> 30} GiB" in limits
    for option in ("--cluster-seconds", "--cluster-megabytes"):
        assert f"`{option}` ({audit[option]})" in limits
    assert f"at most {html.LIMIT // 1_000_000} MB" in AUDIT
    assert f"the {rollups.WORST} with the most errors" in AUDIT


def test_the_norm_of_drift() -> None:
    least = (drift.LEAST_SUPPORT, drift.LEAST_SHARE, drift.LEAST_CONFIDENCE)
    assert (
        "at least {} clusters are comparable, at least {:.0%} agree, and the Wilson lower bound (95% confidence) is at least {:.0%}".format(
            *least
        )
        in " ".join(AUDIT.split())
    )
    with_one_stray = next(n for n in range(drift.LEAST_SUPPORT, 99) if _lower(n - 1, n) >= least[2])
    assert f"A norm with one deviating cluster requires {with_one_stray} clusters" in " ".join(
        AUDIT.split()
    )


def _lower(agreeing: int, of: int) -> float:
    """Wilson's lower bound of a share, with 95% confidence."""
    z, share = 1.959964, agreeing / of
    spread = z * sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return (share + z * z / (2 * of) - spread) / (1 + z * z / of)


def test_versions_are_said_alike() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    assert extras["spark"] == ["pyspark>=4.0,<5", "pandas>=2.2,<3", "pyarrow>=18"]
    assert extras["connect"] == ["kcheck[spark]", "pyspark[connect]>=4.0,<5"]
    everything = README + AUDIT + SPARK
    assert set(re.findall(r"(?:pyspark|pandas|pyarrow)[<>=][^'\s]*", everything)) == set(
        extras["spark"][1:]
    )
    for text in (ON_A_FLEET, SPARK):
        said = " ".join(text.split())
        assert "4.0 or newer, below 5" in said.replace("newer below", "newer, below")
        assert "pandas 2.2 or newer below 3" in said
        assert "pyarrow 18 or newer" in said
        assert "Java 17" in said


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")),
    ],
)
def test_links_lead_somewhere(path: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", text)
    missing = [link for link in links if not (ROOT / path).parent.joinpath(link).exists()]
    assert missing == []


def test_the_readme_is_short_and_begins_with_the_installation() -> None:
    assert README.count("\n") <= 200
    assert re.findall(r"^## (.*)", README, re.MULTILINE)[0] == "Install"


def test_the_commands_of_the_readme_are_one_line_each() -> None:
    for marker in ("first", "tests", "audit"):
        block = README.partition(f"<!-- {marker} -->\n```sh\n")[2].partition("```")[0]
        assert block.count("\n") == 1
        assert block.startswith("python3 -m venv .venv && ")
