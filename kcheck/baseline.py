"""The baseline: findings that a project starts with, one JSON line each, sorted.

An entry is found again by its fingerprint; the other fields are for the people who review the
file. ``create`` writes it, ``prune`` only takes away, nothing else changes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kcheck import fingerprint
from kcheck.model import Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Entry = dict[str, Any]


class BaselineError(ValueError):
    """A baseline that cannot be used; the message names the line."""


class Baseline:
    """The entries of a baseline by fingerprint, each with its line of text."""

    __slots__ = ("entries",)

    def __init__(self, entries: dict[str, Entry]) -> None:
        self.entries = entries

    def __len__(self) -> int:
        return len(self.entries)

    def text(self) -> str:
        """The file: sorted by path, rule and resource, so that changes read well in a diff."""
        import json

        ordered = sorted(self.entries.values(), key=_order)
        return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in ordered)


def create(findings: Iterable[Finding], prefix: str = "") -> Baseline:
    """A baseline of these findings; ``prefix`` leads from the repository's root to their paths."""
    entries: dict[str, Entry] = {}
    for finding in findings:
        entry = _entry(finding, prefix)
        entries[entry["fingerprint"]] = entry
    return Baseline(entries)


def load(data: bytes) -> Baseline:
    """The baseline in a file. Raises BaselineError where it is none."""
    import json

    entries: dict[str, Entry] = {}
    try:
        lines = data.decode("utf-8").split("\n")
    except UnicodeDecodeError:
        raise BaselineError("not UTF-8") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            raise BaselineError(f"line {number} is no JSON") from None
        mark = entry.get("fingerprint") if isinstance(entry, dict) else None
        if not isinstance(mark, str) or not all(
            isinstance(entry.get(name), str) for name in ("rule", "path")
        ):
            raise BaselineError(f"line {number} is no entry of a baseline")
        entries[mark] = entry
    return Baseline(entries)


def split(
    findings: Iterable[Finding],
    baseline: Baseline,
    prefix: str = "",
    judged: Callable[[Entry], bool] | None = None,
) -> tuple[list[Finding], int, int]:
    """(findings that are not in the baseline, how many are, how many entries match nothing).

    Entries that the run could not judge, because it did not look at their file or rule, are
    not counted as stale; ``judged`` tells.
    """
    shown: list[Finding] = []
    hidden = 0
    unmatched = dict(baseline.entries)
    for finding in findings:
        mark = fingerprint.of(finding, prefix)
        if mark in baseline.entries:
            hidden += 1
            unmatched.pop(mark, None)
        else:
            shown.append(finding)
    stale = sum(judged is None or judged(entry) for entry in unmatched.values())
    return shown, hidden, stale


def prune(
    baseline: Baseline,
    findings: Iterable[Finding],
    prefix: str = "",
    judged: Callable[[Entry], bool] | None = None,
) -> Baseline:
    """The baseline without the entries that were judged and match nothing; it never grows."""
    marks = {fingerprint.of(finding, prefix) for finding in findings}
    return Baseline(
        {
            mark: entry
            for mark, entry in baseline.entries.items()
            if mark in marks or (judged is not None and not judged(entry))
        }
    )


def _entry(finding: Finding, prefix: str) -> Entry:
    resource = finding.resource
    return {
        "rule": finding.code,
        "name": finding.name,
        "path": fingerprint.from_root(finding.path, prefix),
        "resource": {"kind": resource.kind, "name": resource.name},
        "key": fingerprint.primary_key(finding),
        "occurrence": finding.occurrence,
        "fingerprint": fingerprint.of(finding, prefix),
    }


def _order(entry: Entry) -> tuple[str, ...]:
    return entry["path"], entry["rule"], str(entry.get("resource")), entry["fingerprint"]
