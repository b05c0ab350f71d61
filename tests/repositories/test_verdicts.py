"""Every error and warning of thirty public repositories, judged: the table, and the figures drawn from it."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
DOCUMENT = (HERE.parent.parent / "docs" / "repositories.md").read_text(encoding="utf-8")
VERDICTS = ("true", "useless", "false", "unsure")


def rows(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


CHOSEN = rows("chosen.tsv")
JUDGED = rows("verdicts.tsv")


def share(counts: Counter[str]) -> str:
    total = counts.total()
    return f"{100 * counts['true'] / total:.0f}%" if total else "-"


def test_thirty_repositories_are_chosen_once_each() -> None:
    assert len(CHOSEN) == len({row["repository"] for row in CHOSEN}) == 30
    assert all(row["query"] and len(row["commit"]) == 40 for row in CHOSEN)


def test_each_judgement_is_complete() -> None:
    commits = {row["repository"]: row["commit"] for row in CHOSEN}
    for row in JUDGED:
        assert None not in row.values()
        assert row["commit"] == commits[row["repository"]], row
        assert row["severity"] in ("error", "warning"), row
        assert row["verdict"] in VERDICTS, row
        assert row["code"].startswith("KC")
        assert row["line"].isdigit()
        assert row["path"]
        assert row["reason"]
        assert row["now"] in ("kept", "downgraded", "gone"), row


def test_what_is_true_stays_and_what_is_not_goes() -> None:
    """A judgement that still holds is not lost on the way, and none that is false is kept."""
    assert {row["now"] for row in JUDGED if row["verdict"] == "true"} == {"kept"}
    assert not [row for row in JUDGED if row["verdict"] != "true" and row["now"] == "kept"]


def test_figures_of_the_document_are_those_of_the_table() -> None:
    for severity in ("error", "warning"):
        counts = Counter(row["verdict"] for row in JUDGED if row["severity"] == severity)
        cells = [severity, *(str(counts[verdict]) for verdict in VERDICTS), share(counts)]
        assert f"| {' | '.join(cells)} |" in DOCUMENT
    kinds = Counter(
        (row["code"], row["severity"], row["verdict"], row["reason"])
        for row in JUDGED
        if row["verdict"] != "true"
    )
    kept = Counter(row["severity"] for row in JUDGED if row["now"] == "kept")
    lower = sum(row["now"] == "downgraded" for row in JUDGED)
    assert (
        f"{kept['error']} errors and {kept['warning']} warnings are left as they were" in DOCUMENT
    )
    assert f"{lower} are less severe" in DOCUMENT
    for (code, severity, verdict, reason), number in kinds.items():
        assert f"| {code} | {severity} | {number} | {verdict} | {reason} |" in DOCUMENT
