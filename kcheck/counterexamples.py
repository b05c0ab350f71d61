"""Tries claims: what the rule of a claim says of the files that break it, and of the mended ones."""

from __future__ import annotations

from kcheck.changes import Before, look
from kcheck.circumstances import Circumstances
from kcheck.claims import Claim
from kcheck.engine import Project, lint_project
from kcheck.examples import explanation
from kcheck.model import Finding
from kcheck.rule import PREVIEW, Rule
from kcheck.settings import Settings

_DAY = Circumstances(today="2026-06-01")
_SETS = ("default", "advice", PREVIEW)


class Outcome:
    """What came of a claim: what answers it (a finding's or an answer's first line), or why not."""

    __slots__ = ("claim", "line", "reason")

    def __init__(self, claim: Claim, line: str, reason: str = "") -> None:
        self.claim = claim
        self.line = line
        self.reason = reason


def tried(claim: Claim, rule: Rule) -> Outcome:
    """The outcome of a claim that this rule answers."""
    findings = found(rule, claim.files)
    for finding in findings:
        if not _unlike(claim, finding):
            lacking = absent(claim.explained, _prose(rule))
            reason = f"the explanation of {rule.code} does not say {lacking}" if lacking else ""
            return Outcome(claim, finding.message, reason)
    if not findings:
        return Outcome(claim, "", f"{rule.code} finds nothing in its files")
    return Outcome(claim, "", f"{rule.code} {_unlike(claim, findings[0])}")


def absent(parts: list[str], text: str) -> str:
    """The first of the parts that the text does not contain, however it is wrapped; else empty."""
    words = " ".join(text.split())
    return next((part for part in parts if part not in words), "")


def found(rule: Rule, files: dict[str, str]) -> list[Finding]:
    """What the rule alone finds there. Rules on changes compare what lies in before/ and in after/."""
    settings = Settings(sets=_SETS).but(selected=frozenset({rule.code}))
    given = {path: text.encode() for path, text in files.items()}
    return [one for one in _judged(rule, given, settings).findings if one.code == rule.code]


def _judged(rule: Rule, files: dict[str, bytes], settings: Settings) -> Project:
    if rule.family == "change":
        old, new = (
            {path.removeprefix(at): data for path, data in files.items() if path.startswith(at)}
            for at in ("before/", "after/")
        )
        was = lint_project(sorted(old.items()), settings, old.get, circumstances=_DAY)
        before = Before(was, "before")
        return lint_project(
            sorted(new.items()),
            settings,
            new.get,
            also=lambda project, runner: look(before, project, runner),
            circumstances=_DAY,
        )
    return lint_project(sorted(files.items()), settings, files.get, circumstances=_DAY)


def _unlike(claim: Claim, finding: Finding) -> str:
    """In what a finding is not the one that the claim is about; empty where it is."""
    if claim.key and claim.key not in {value.key for value in finding.evidence}:
        return f"does not rest on {claim.key}"
    if claim.severity and claim.severity != finding.severity:
        return f"is of severity {finding.severity}, not {claim.severity}"
    lacking = absent(claim.text, _said(finding))
    return f"does not say {lacking}" if lacking else ""


def _said(finding: Finding) -> str:
    """All that a finding says: its message, consequence, fix and evidence."""
    said = [finding.message, finding.consequence, finding.fix.text if finding.fix else ""]
    return "\n".join((*said, *(f"{value.key}={value.text}" for value in finding.evidence)))


def _prose(rule: Rule) -> str:
    return f"{rule.summary}\n{explanation(rule)}"
