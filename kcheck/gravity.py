"""How grave a finding may be: what its cluster's facts allow, and what its owner chose on purpose."""

from __future__ import annotations

import re

from kcheck.model import ERROR, INFO, SEVERITY_RANK, WARNING, Finding

#: Folders of what tests are given, which is wrong on purpose at times and runs no service; an
#: application's own settings are what its tests run with, known by their name where they cannot be read.
_OF_TESTS = re.compile(
    r"(?:^|/)(?:src/(?:test|it|integrationTest|testFixtures)|testdata|tests?/(?:fixtures|resources))/"
    r"(?!(?:[^/]+/)*(?:application|bootstrap)(?:-[^/]+)?\.(?:ya?ml|properties)\Z)"
)
_WORDS = re.compile(r"[a-z]+|[0-9]+")
#: What names say for the number 1, and for the words of keys that they say otherwise.
_ONE = ("1", "one", "single")
_SHORT = {
    "replication.factor": {"rf", "rep", "reps", "replica", "replicas", "replicated"},
    "min.insync.replicas": {"isr"},
}
#: Words of keys that say nothing of what the key is about.
_VAGUE = frozenset(("bytes", "factor", "log", "max", "message", "messages", "min", "ms"))


def allowed(finding: Finding, severity: str, condition: str = "") -> str:
    """The severity that a finding of a rule of ``severity`` has, whose condition it then names.

    ``condition`` says when anything uses what the finding is about: until then nobody has to act.
    """
    if _OF_TESTS.search(finding.path) and not finding.resource.traits.application:
        return INFO
    if severity == ERROR and not finding.doubt and (variable := _defaulted(finding)):
        finding.doubt = f"unless {variable} is set"
    if finding.ceiling and SEVERITY_RANK[severity] > SEVERITY_RANK[finding.ceiling]:
        severity = finding.ceiling
    elif finding.doubt and severity != INFO:
        severity = WARNING
        finding.consequence = f"{finding.doubt}: {finding.consequence}"
    if condition:
        finding.consequence = f"{condition}: {finding.consequence}"
        return INFO
    return INFO if severity == WARNING and _named_after(finding) else severity


def _defaulted(finding: Finding) -> str:
    """The variable for which one of the values is but the default; "" where none is."""
    for value in finding.evidence:
        told, owner = value.setting, value.resource
        held = owner.traits.defaults
        if not held or told is None or told.text is None or told.path != owner.path:
            continue
        name, default = held.get(told.at[0], ("", ""))
        filled = name and f"${{{name}" not in told.text
        if filled and (default in told.text if default else not told.text):
            return name
    return ""


def _named_after(finding: Finding) -> bool:
    """Whether a topic is named after the value: ``retention-60000ms``, ``test-one-replica``.

    The number must be next to a word of the key; it is the finding's first value, set on the topic.
    """
    told = finding.evidence[0] if finding.evidence else None
    if told is None or told.setting is None or told.resource.kind != "topic":
        return False
    if told.text is None or not told.text.isdecimal():
        return False
    numbers = _ONE if told.text == "1" else (told.text,)
    about = {*_WORDS.findall(told.key), *_SHORT.get(told.key, ())} - _VAGUE
    words = _WORDS.findall(told.resource.name.lower())
    return any(
        word in numbers and not about.isdisjoint(words[max(place - 1, 0) : place + 2])
        for place, word in enumerate(words)
    )
