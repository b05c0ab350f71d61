"""Every claim is answered: its files draw the finding, mended they do not, a command says it."""

from __future__ import annotations

from itertools import groupby

import pytest

from kcheck import claims, rules
from kcheck.claims import TEXTS, Claim
from kcheck.cli import answers
from kcheck.counterexamples import Outcome, absent, found, tried

ALL = rules.load()
CLAIMS = claims.claims()
#: The fields of which a claim has one.
WAYS = ("rule", "asked", "not_shown", "missed")


def of(text: str) -> list[Claim]:
    return [claim for claim in CLAIMS if claim.id.startswith(f"{text}-")]


def outcome(claim: Claim) -> Outcome:
    if claim.rule:
        return tried(claim, ALL[claim.rule])
    return answers.told(claim) if claim.asked else Outcome(claim, claim.says)


@pytest.mark.parametrize("text", TEXTS)
def test_each_claim_is_answered(text: str) -> None:
    faults = {claim: reason for claim in of(text) if (reason := outcome(claim).reason)}
    assert faults == {}


@pytest.mark.parametrize("text", TEXTS)
def test_files_that_keep_to_a_claim_draw_nothing(text: str) -> None:
    drawn = {
        claim: [finding.message for finding in findings]
        for claim in of(text)
        if claim.mended and (findings := found(ALL[claim.rule], claim.mended_files))
    }
    assert drawn == {}


@pytest.mark.parametrize("text", TEXTS)
def test_a_third_at_least_is_mended(text: str) -> None:
    broken = [claim for claim in of(text) if claim.rule]
    assert 3 * sum(bool(claim.mended) for claim in broken) >= len(broken)


@pytest.mark.parametrize("text", TEXTS)
def test_entries_are_whole(text: str) -> None:
    for claim in of(text):
        assert sum(bool(getattr(claim, way)) for way in WAYS) == 1, claim
        assert 1 <= len(claim.says.split()) <= 12, claim
        assert bool(claim.rule) <= bool(claim.files), claim
        assert bool(claim.asked) <= bool(claim.text), claim
        of_a_rule = claim.mended or claim.key or claim.severity or claim.explained
        assert bool(of_a_rule) <= bool(claim.rule), claim
        assert not claim.rule or claim.rule in ALL, claim


def test_every_claim_has_its_place() -> None:
    assert sum(len(of(text)) for text in TEXTS) == len(CLAIMS)
    ids = [id for id, _ in groupby(claim.id for claim in CLAIMS)]
    assert ids == sorted(ids)


CORE = 'cluster: {kafka_version: "3.6", brokers: 3}\n'
ORDERS = "topics: [{name: orders, partitions: 6, replication_factor: 2, config: {%s}}]\n"


def made(**fields: object) -> Claim:
    files = {"kcheck.yaml": CORE + ORDERS % "min.insync.replicas: 3"}
    return Claim({"id": "S999-1", "says": "words", "rule": "KC0302", "files": files, **fields})


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, ""),
        ({"key": "min.insync.replicas", "severity": "error", "text": ["exceeds"]}, ""),
        ({"key": "acks"}, "KC0302 does not rest on acks"),
        ({"severity": "info"}, "KC0302 is of severity error, not info"),
        ({"text": ["the moon"]}, "KC0302 does not say the moon"),
        ({"explained": ["the moon"]}, "the explanation of KC0302 does not say the moon"),
        ({"files": {"kcheck.yaml": CORE}}, "KC0302 finds nothing in its files"),
    ],
)
def test_why_a_claim_is_missed(fields: dict[str, object], reason: str) -> None:
    assert outcome(made(**fields)).reason == reason


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"asked": "explain acks", "text": ["in-sync replica"], "files": {}}, ""),
        ({"asked": "explain acks", "text": ["sun"], "files": {}}, "the answer does not say sun"),
        ({"asked": "explain acks", "text": ["x"], "files": {"a": ""}}, "exit code 2"),
        ({"asked": "limits kcheck.yaml", "text": ["Durability"]}, ""),
        ({"asked": "limits", "text": ["Durability"]}, ""),
    ],
)
def test_what_a_command_answers(fields: dict[str, object], reason: str) -> None:
    assert outcome(made(rule="", **fields)).reason.startswith(reason)


def test_what_is_mended_stands_there_once() -> None:
    assert made(mended={"replicas: 3": "replicas: 2"}).mended_files["kcheck.yaml"].count("2}")
    for old in ("nowhere", "3"):
        with pytest.raises(ValueError, match="does not stand in its files exactly once"):
            _ = made(mended={old: ""}).mended_files
    assert absent(["a b", "c"], "a\n  b") == "c"
