"""The ends of a finding: every place whose text has part in the verdict.

A relation has several: the producer's ``acks`` and the broker's ``min.insync.replicas`` that it
makes void. The first is where the finding is told; whoever changes one of the others has made it
as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kcheck.model import ABSENT, DEFAULT, SEVERITY_RANK, Finding, Position, Value


def place(value: Value) -> tuple[str | None, Position | None]:
    """Where the value stands: at its setting, or what is absent at the resource that lacks it."""
    if value.setting is not None and value.origin != DEFAULT:
        return value.setting.path, value.setting.at
    if value.origin == ABSENT:
        return value.resource.path, value.resource.at
    return None, None


def lies_in(finding: Finding, named: Callable[[str], bool]) -> bool:
    """Whether the finding or any of its evidence lies in a file of which ``named`` is true."""
    return named(finding.path) or end_in(finding, named) is not None


def end_in(finding: Finding, named: Callable[[str], bool]) -> Value | None:
    """The first value of the evidence that stands in such a file; None where there is none."""
    for value in finding.evidence:
        path, _ = place(value)
        if path is not None and named(path):
            return value
    return None


def others(finding: Finding) -> tuple[tuple[str, str, str], ...]:
    """(key, kind, name) of the evidence, sorted; the finding's own resource has no name here.

    They tell apart findings of one rule at one resource, and outlive a rename of that resource.
    """
    own = finding.resource
    found = set()
    for value in finding.evidence:
        of = value.resource
        if of is own or (of.kind == own.kind and of.name == own.name):
            found.add((value.key, "", ""))
        else:
            found.add((value.key, of.kind, "" if of.name == of.path else of.name))
    return tuple(sorted(found))


def folded(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, with one for each fault that has the same ends in several clusters.

    That is a fault of what clusters share: the base of overlays, a common file of values. It is
    told once, with the clusters in which it holds, as grave as it is in any of them.
    """
    kept: list[Finding] = []
    first: dict[tuple[object, ...], Finding] = {}
    for finding in findings:
        if not finding.cluster:
            kept.append(finding)
            continue
        same = first.setdefault(_fault(finding), finding)
        if same is finding:
            kept.append(finding)
        elif _of(finding) == _of(same) or _of(finding) in same.clusters:
            # Twice in one cluster: they differ in what they say.
            kept.append(finding)
        else:
            same.clusters = (*(same.clusters or (_of(same),)), _of(finding))
            if SEVERITY_RANK[finding.severity] > SEVERITY_RANK[same.severity]:
                same.severity = finding.severity
    return kept


def _of(finding: Finding) -> str:
    """Which cluster a finding is of, also where two are called alike."""
    return finding.cluster_id or finding.cluster


def _fault(finding: Finding) -> tuple[object, ...]:
    resource = finding.resource
    evidence = [(value.key, value.text, place(value)) for value in finding.evidence]
    return finding.code, finding.path, finding.at, resource.kind, resource.name, *evidence
