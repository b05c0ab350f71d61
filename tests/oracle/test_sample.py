"""kcheck and Kafka agree on the recorded sample; no Java is needed for that.

``compare.py`` records ``sample.tsv.gz`` and says how; CI asks Kafka itself again, on other cases.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import answers
import compare
import exceptions
import librdkafka
import pytest
import sample
from cases import PLANES
from compare import EXCEPTED, SAME, Comparison
from sides import ENOUGH, Side, different, sides

from kcheck import rules
from kcheck.rule import CHANGED, FAILED, REFUSED, Rule

#: A minute of verdicts on a slow machine: CI asks for them.
pytestmark = pytest.mark.thorough

HERE = Path(__file__).resolve().parent
RULES = rules.load()


@cache
def compared() -> list[Comparison]:
    """All cases of the sample in the releases whose answers say something new."""
    table = answers.read(HERE / "sample.tsv.gz")
    return [
        compare.compared(case, release, said[release], table.bases.get((case.plane, release), {}))
        for case, said in table.rows
        for release in sample.telling(said)
    ]


def test_the_sample_is_worth_its_name() -> None:
    found = compared()
    assert len({one.case.key for one in found}) >= 2_000
    assert {one.case.plane for one in found} == set(PLANES)
    releases = {one.release.rpartition(".")[0] for one in found}
    assert releases >= {"2.8", "3.9", "4.0", "4.1", "4.2", "4.3", "4.4"}
    refused = sum(one.refused for one in found)
    assert 0.4 < refused / len(found) < 0.75


@pytest.mark.parametrize("plane", PLANES)
def test_kcheck_says_what_kafka_says(plane: str) -> None:
    wrong = [
        f"{one.kind} {one.release} {one.case!r}: {one.detail}"
        for one in compared()
        if one.case.plane == plane and one.kind not in (SAME, EXCEPTED)
    ]
    assert not wrong


@pytest.mark.parametrize("reason", [why for _, why, _ in exceptions.EXCEPTIONS])
def test_each_exception_is_met(reason: str) -> None:
    assert [one for one in compared() if one.detail == reason]


# -- what proves a rule ------------------------------------------------------------------------------


def _observations() -> dict[str, str]:
    """Rule → what was seen on a running Kafka, where no configuration alone can show it."""
    lines = (HERE / "observations.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("# ")]
    return dict(rows[1:])


@cache
def both_sides() -> tuple[dict[str, Side], dict[str, Side]]:
    """Rule → its cases that Kafka refuses and it tells, and its neighbours that both take."""
    return sides(compared())


REFUSING = [rule for rule in RULES.values() if rule.kafka == REFUSED]


def test_a_rule_on_refusals_has_its_cases_on_both_sides() -> None:
    for rule in REFUSING:
        assert_cases_on_both_sides(rule)


def assert_cases_on_both_sides(rule: Rule) -> None:
    refused, taken = (side.get(rule.code, {}) for side in both_sides())
    if rule.code in _observations():
        assert not (refused and taken), f"its cases prove {rule.code}"
        return
    counts = (len(refused), len(taken))
    if rule.code in exceptions.SPARSE:
        # Fewer are recorded than there should be; not fewer still.
        assert counts == exceptions.SPARSE[rule.code], rule.code
        return
    assert min(counts) >= ENOUGH, rule.code
    # Twenty that look the same to the rule are not worth more than one.
    fewest = min(different(refused), different(taken))
    assert fewest >= ENOUGH or rule.code in exceptions.FEW, rule.code


def _enforced() -> dict[str, str]:
    """Relation → ``A`` where Kafka or a client refuses or fails, ``B`` where it changes a value."""
    lines = (HERE / "enforced.tsv").read_text(encoding="utf-8").splitlines()[2:]
    return dict(line.split("\t") for line in lines)


ENFORCED = _enforced()


def test_a_rule_on_what_is_enforced_has_its_proof() -> None:
    for rule in RULES.values():
        if any(slug in ENFORCED for slug in rule.invariants):
            proven = rule.kafka == REFUSED or rule.code in librdkafka.REFUSING
            assert proven or rule.code in _observations(), rule.code


def test_a_rule_on_failures_and_changes_was_observed() -> None:
    for rule in RULES.values():
        if rule.kafka in (FAILED, CHANGED):
            assert rule.code in _observations()


def test_observations_are_of_rules_that_need_them() -> None:
    for code, words in _observations().items():
        rule = RULES[code]
        assert words.strip() and (
            rule.kafka or any(slug in ENFORCED for slug in rule.invariants)
        ), code
        # What was not run says why.
        assert words.startswith(("ran ", "method ", "code, not run: ", "reported: ")), code


# -- what the document says --------------------------------------------------------------------------


def test_the_document_tells_of_all_planes_rules_and_exceptions() -> None:
    text = (HERE.parents[1] / "docs" / "oracle.md").read_text(encoding="utf-8")
    for plane in PLANES:
        assert re.search(rf"^\| {plane} \| [\d,]+ \| \d+% \|", text, re.MULTILINE), plane
    assert not [why for _, why, _ in exceptions.EXCEPTIONS if why not in text]
    for rule in RULES.values():
        assert rule.kafka != REFUSED or f"| {rule.code} {rule.name} |" in text


def test_the_document_shows_that_they_agree() -> None:
    text = (HERE.parents[1] / "docs" / "oracle.md").read_text(encoding="utf-8")
    (row,) = re.findall(r"^\| all \| ([\d,]+) \| (\d+)% \|(.*)$", text, re.MULTILINE)
    cases, refused, rates = row
    assert int(cases.replace(",", "")) >= 20_000
    assert int(refused) >= 40
    assert min(float(rate) for rate in re.findall(r"([\d.]+)%", rates)) >= 99.5
