"""A fault is told however it is written: as the images, operators, plays and frameworks write it."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest
import restatement

RATES = {
    (row["written"], row["as"]): (int(row["told"]), int(row["of"]))
    for row in csv.DictReader(
        (Path(__file__).parent / "rates.tsv").open(encoding="utf-8"), delimiter="\t"
    )
}


def test_some_faults_are_told_in_other_words() -> None:
    told: Counter[tuple[str, str]] = Counter()
    of: Counter[tuple[str, str]] = Counter()
    lost = [*restatement.measured(restatement.cases(bad=True, every=80), told, of)]
    assert sum(of.values()) > 100
    assert len(lost) < 0.15 * sum(of.values())


@pytest.mark.thorough
def test_no_carrier_tells_less_than_it_did() -> None:
    told: Counter[tuple[str, str]] = Counter()
    of: Counter[tuple[str, str]] = Counter()
    assert list(restatement.measured(restatement.cases(bad=True), told, of))
    less = {
        carrier: f"{told[carrier]} of {of[carrier]}, were {before} of {all_}"
        for carrier, (before, all_) in RATES.items()
        if told[carrier] * all_ < (before - 1) * of[carrier]
    }
    assert not less
