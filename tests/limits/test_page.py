"""docs/limits.md says what the program prints, and names every assumption and derivation."""

from __future__ import annotations

import os
import re
from pathlib import Path

from kcheck import rules
from kcheck.cli.commands import COMMANDS
from kcheck.limits import assumptions
from kcheck.limits.entry import FACTS, GROUPS, entries

ROOT = Path(__file__).resolve().parent.parent.parent
PATH = ROOT / "docs" / "limits.md"


def test_the_example_is_what_the_command_prints() -> None:
    """tests/cli/test_limits.py holds the command to the file that the page quotes."""
    page = PATH.read_text(encoding="utf-8")
    ((source, shown),) = re.findall(
        r"<!-- example: (\S+) -->\n```text\n(.*?)\n```", page, re.DOTALL
    )
    assert shown in (ROOT / source).read_text(encoding="utf-8")


def test_the_table_of_assumptions() -> None:
    """``KCHECK_UPDATE=1`` writes it anew."""
    page = PATH.read_text(encoding="utf-8")
    rows = ["| name | default | unit | evidence | what, and from where |", "|---|---:|---|---|---|"]
    for found in assumptions.table().values():
        rows.append(
            f"| `{found.name}` | {found.default} | {found.unit} | {found.evidence} | "
            f"{found.words}. From: {found.source} |"
        )
    table = "\n".join(rows)
    before, _, rest = page.partition("<!-- assumptions -->\n")
    _, _, after = rest.partition("<!-- /assumptions -->")
    expected = f"{before}<!-- assumptions -->\n{table}\n<!-- /assumptions -->{after}"
    if os.environ.get("KCHECK_UPDATE"):
        PATH.write_text(expected, encoding="utf-8")
        page = expected
    assert page == expected


def test_the_formulas_name_every_assumption_and_fact() -> None:
    formulas = PATH.read_text(encoding="utf-8").partition("## The formulas")[2]
    for name in assumptions.table():
        if name not in ("planned_files_per_segment",):
            assert f"`{name}`" in formulas, name
    for name in set(FACTS) - {"kafka_version", "broker settings", "replication_factor"}:
        assert f"`{name}`" in formulas, name


def test_the_rules_that_it_names() -> None:
    page = PATH.read_text(encoding="utf-8").partition("## In lint")[2]
    # From KC2010 on they are about processes, which have no limits on the page.
    ours = {code for code in rules.load() if "KC2001" <= code < "KC2010"}
    assert set(re.findall(r"KC\d{4}", page)) == ours


def test_its_options_exist() -> None:
    (command,) = (known for known in COMMANDS if known.name == "limits")
    known = {name for option in command.options for name in option.names}
    said = set(re.findall(r"--[a-z][a-z-]*", PATH.read_text(encoding="utf-8")))
    assert said <= known


def test_every_group_has_limits() -> None:
    assert {entry.group for entry in entries()} == set(GROUPS)
