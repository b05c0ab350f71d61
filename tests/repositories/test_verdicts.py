"""Every error and warning of public repositories, judged: the tables, and the figures drawn from them."""

from __future__ import annotations

import csv
import importlib.util
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).parent
DOCUMENT = (HERE.parent.parent / "docs" / "repositories.md").read_text(encoding="utf-8")
VERDICTS = ("true", "useless", "false", "unsure")
#: One that is merged is told once for all brokers of its cluster, at another of them.
NOW = ("kept", "merged", "downgraded", "gone")


class Review:
    """The repositories of one review, by the ending of its tables' names, and what was found there."""

    def __init__(self, ending: str, repositories: int) -> None:
        self.repositories = repositories
        self.chosen = rows(f"chosen{ending}.tsv")
        self.judged = rows(f"verdicts{ending}.tsv")


def rows(name: str) -> list[dict[str, str]]:
    with (HERE / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


REVIEWS = [
    Review("", 30),
    Review("-2", 22),
    Review("-3", 24),
    Review("-4", 23),
    Review("-5", 32),
    Review("-6", 40),
    Review("-7", 40),
    Review("-8", 30),
    Review("-9", 40),
    Review("-10", 33),
    Review("-11", 40),
    Review("-12", 39),
    Review("-13", 40),
    Review("-14", 40),
    Review("-15", 40),
]
each = pytest.mark.parametrize(
    "review",
    REVIEWS,
    ids=(
        *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"),
        *("ninth", "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth"),
    ),
)


def share(counts: Counter[str]) -> str:
    total = counts.total()
    return f"{100 * counts['true'] / total:.0f}%" if total else "-"


@each
def test_each_repository_is_chosen_once(review: Review) -> None:
    names = {row["repository"] for row in review.chosen}
    assert len(review.chosen) == len(names) == review.repositories
    assert all(row["query"] and len(row["commit"]) == 40 for row in review.chosen)


@each
def test_each_judgement_is_complete(review: Review) -> None:
    commits = {row["repository"]: row["commit"] for row in review.chosen}
    for row in review.judged:
        assert None not in row.values()
        assert row["commit"] == commits[row["repository"]], row
        assert row["severity"] in ("error", "warning"), row
        assert row["verdict"] in VERDICTS, row
        assert row["code"].startswith("KC")
        assert row["line"].isdigit()
        assert row["path"]
        assert row["reason"]
        assert row["now"] in NOW, row


@each
def test_what_is_true_stays_and_what_is_false_goes(review: Review) -> None:
    """A judgement that still holds is not lost on the way, and none that is false is kept."""
    assert {row["now"] for row in review.judged if row["verdict"] == "true"} <= {"kept", "merged"}
    assert not [row for row in review.judged if (row["verdict"], row["now"]) == ("false", "kept")]


@each
def test_figures_of_the_document_are_those_of_the_table(review: Review) -> None:
    for severity in ("error", "warning"):
        counts = Counter(row["verdict"] for row in review.judged if row["severity"] == severity)
        cells = [severity, *(str(counts[verdict]) for verdict in VERDICTS), share(counts)]
        assert f"| {' | '.join(cells)} |" in DOCUMENT
    kinds = Counter(
        (row["code"], row["severity"], row["verdict"], row["reason"])
        for row in review.judged
        if row["verdict"] != "true"
    )
    for (code, severity, verdict, reason), number in kinds.items():
        assert f"| {code} | {severity} | {number} | {verdict} | {reason} |" in DOCUMENT
    for severity in ("error", "warning"):
        left = [row for row in review.judged if (row["severity"], row["now"]) == (severity, "kept")]
        true = sum(row["verdict"] == "true" for row in left)
        assert f"| {severity} | {len(left)} | {true} |" in DOCUMENT


def draw() -> ModuleType:
    """The script that draws, which is in no package."""
    spec = importlib.util.spec_from_file_location("draw", HERE / "draw.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_second_reader_judged_what_was_drawn() -> None:
    script = draw()
    second = rows("second.tsv")
    assert [[row[name] for name in script.SHOWN] for row in second] == [
        [row[name] for name in script.SHOWN] for row in script.draw()
    ]
    assert all(row["verdict"] in VERDICTS and row["reason"] for row in second)


def test_figures_of_the_second_reader_are_those_of_the_tables() -> None:
    pairs = list(zip(draw().draw(), rows("second.tsv"), strict=True))
    for severity in ("error", "warning"):
        judged = [pair for pair in pairs if pair[0]["severity"] == severity]
        agreed = sum(first["verdict"] == second["verdict"] for first, second in judged)
        counts = Counter(second["verdict"] for _, second in judged)
        cells = [severity, len(judged), *(counts[verdict] for verdict in VERDICTS), agreed]
        assert f"| {' | '.join(map(str, cells))} |" in DOCUMENT
    reported = [first for first, second in pairs if first["now"] == "kept"]
    useful = sum(second["verdict"] == "true" for first, second in pairs if first["now"] == "kept")
    assert f"{len(reported)} of the 30 are still reported, {useful} of them true" in DOCUMENT
    fixtures = sum("/test/fixtures/" in first["path"] for first, _ in pairs)
    volumes = sum(first["code"] == "KC0731" for first, _ in pairs)
    assert (
        f"{fixtures} are test fixtures of one vendored image, {volumes} are one mistake" in DOCUMENT
    )


def test_the_figures_of_all_reviews_are_their_sum() -> None:
    cells = [str(sum(review.repositories for review in REVIEWS))]
    for severity in ("error", "warning"):
        counts = Counter(
            row["verdict"]
            for review in REVIEWS
            for row in review.judged
            if row["severity"] == severity
        )
        cells += [str(counts.total()), share(counts)]
    assert f"| at first sight | {' | '.join(cells)} |" in DOCUMENT
