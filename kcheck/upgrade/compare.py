"""The verdicts on one cluster at two ends of a stretch: what comes, what changes, what goes."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy

from kcheck import rules
from kcheck.graph.cluster import Cluster
from kcheck.model import (
    AFTER,
    APPEARS,
    BEFORE,
    CHANGES,
    DISAPPEARS,
    INFO,
    SEVERITY_RANK,
    WITH,
    Change,
    Finding,
    Value,
)

#: What identifies a verdict in every version: its fingerprint, before it is hashed.
Identity = tuple[object, ...]


class State:
    """One cluster with brokers and clients of one version each, and the verdicts on it."""

    __slots__ = ("cluster", "found")

    def __init__(self, cluster: Cluster, findings: list[Finding]) -> None:
        self.cluster = cluster
        self.found: dict[Identity, Finding] = {identity(f): f for f in findings}


def identity(finding: Finding) -> Identity:
    resource = finding.resource
    key = finding.evidence[0].key if finding.evidence else ""
    return (finding.code, finding.path, resource.kind, resource.name, key, finding.occurrence)


_of_upgrades: set[str] = set()


def of_upgrades() -> set[str]:
    """The codes of the rules that look at two versions at once."""
    if not _of_upgrades:
        _of_upgrades.update(r.code for r in rules.load().values() if r.scopes == ("Upgrade",))
    return _of_upgrades


# -- one stretch ---------------------------------------------------------------------------------


def compared(one: State, other: State, told: list[Finding]) -> list[Finding]:
    """What comes, changes and goes between two states; ``told`` is what upgrade rules say.

    The findings are copies with a ``change`` that knows neither versions nor stage yet.
    """
    said = {place for finding in told for place in _places(finding.evidence)}
    news = [
        _new(finding, one.found.get(key))
        for key, finding in other.found.items()
        if not (key in one.found and _same(one.found[key], finding))
        and said.isdisjoint(_places(finding.evidence[:1]))
    ]
    spoilt = _spoilt(told, news)
    gone: list[Finding] = []
    for key, finding in one.found.items():
        if key in other.found or _of_version(finding):
            continue
        rank = SEVERITY_RANK[finding.severity]
        if any(spoilt.get(place, -1) >= rank for place in _places(finding.evidence)):
            _succeed(finding, (*news, *told))
        else:
            gone.append(_good_news(finding))
    return [*told, *news, *gone]


def holds(finding: Finding, found: dict[Identity, Finding]) -> bool:
    """Whether a verdict of the end of a stretch is among these; of one that goes, that it is not."""
    there = found.get(identity(finding))
    if finding.change is not None and finding.change.kind == DISAPPEARS:
        return there is None
    return there is not None and _same(there, finding)


def _new(finding: Finding, before: Finding | None) -> Finding:
    finding = copy(finding)
    when = WITH if finding.severity == INFO else BEFORE
    finding.change = Change(APPEARS if before is None else CHANGES, when)
    finding.change.previous = before
    return finding


def _good_news(finding: Finding) -> Finding:
    """A verdict that is gone, as an info: its severity was that of before."""
    gone = copy(finding)
    gone.severity, gone.fix, gone.consequence = INFO, None, ""
    gone.message = f"no longer true: {finding.message}"
    gone.change = Change(DISAPPEARS, WITH)
    gone.change.previous = finding
    return gone


#: (file, key as written, line) of a setting.
_Place = tuple[str, str, int]


def _places(evidence: Iterable[Value]) -> list[_Place]:
    return [
        (value.setting.path, value.setting.name, value.setting.key_at[0])
        for value in evidence
        if value.setting is not None
    ]


def _spoilt(told: list[Finding], news: list[Finding]) -> dict[_Place, int]:
    """The settings that are refused, ignored or otherwise at fault now, and how gravely.

    What vanishes because its value is refused is no good news.
    """
    found: dict[_Place, int] = {}
    for finding, about in (
        *((finding, finding.evidence) for finding in told),
        *((finding, finding.evidence[:1]) for finding in news),
    ):
        for place in _places(about):
            found[place] = max(found.get(place, 0), SEVERITY_RANK[finding.severity])
    return found


def _succeed(gone: Finding, news: Iterable[Finding]) -> None:
    """Let the new verdict on a value know the one whose place it takes."""
    places = set(_places(gone.evidence[:1]))
    for finding in news:
        change = finding.change
        if change is None or change.previous is not None:
            continue
        if not places.isdisjoint(_places(finding.evidence[:1])):
            change.previous = gone
            return


def _of_version(finding: Finding) -> bool:
    """Whether the verdict is on the version itself, which is no news."""
    return bool(finding.evidence) and finding.evidence[0].key in ("kafka_version", "client_version")


def _same(one: Finding, other: Finding) -> bool:
    """Whether two findings of one fingerprint are one verdict: the same severity, the same values."""
    return one.severity == other.severity and _weighed(one) == _weighed(other)


def _weighed(finding: Finding) -> list[tuple[str, str, str | None, str]]:
    return [
        (value.resource.name, value.key, value.text, value.origin) for value in finding.evidence
    ]


# -- the whole way -------------------------------------------------------------------------------

_ORDER = {BEFORE: 0, WITH: 1, AFTER: 2}


def settled(findings: list[Finding], end: State) -> list[Finding]:
    """The findings of all stretches in their order.

    Advice that comes on the way and is gone at its end was never there; what is more than advice
    is told all the same.
    """
    came: set[Identity] = set()
    kept: list[Finding] = []
    for finding in findings:
        key, change = identity(finding), finding.change
        assert change is not None
        if change.kind == DISAPPEARS:
            if key not in came:
                kept.append(finding)
            continue
        came.add(key)
        lasts = key in end.found or finding.code in of_upgrades()
        if lasts or finding.severity != INFO:
            kept.append(finding)
    kept.sort(key=_in_order)
    return kept


def _in_order(finding: Finding) -> tuple[object, ...]:
    """Stretch by stretch: what to do before, what changes, what to do after; good news last."""
    change = finding.change
    assert change is not None
    return (
        change.kind == DISAPPEARS,
        change.stage,
        _ORDER[change.when],
        -SEVERITY_RANK[finding.severity],
        finding.code not in of_upgrades(),
        finding.code,
        finding.path,
        finding.at,
        finding.message,
    )
