"""The baseline: findings that a project starts with, one JSON line each, sorted.

An entry stands for one finding, and is found again as ``matching`` tells: by its fingerprint, among
twins by its other ends (``ends``, which older baselines do not have), and after a rename by rule,
key, resource and ends. ``create`` writes the file, ``prune`` only takes away, nothing else changes
it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kcheck import fingerprint, matching
from kcheck.matching import Mark, Others, Places
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
            raise BaselineError(f"line {number} is not JSON") from None
        mark = entry.get("fingerprint") if isinstance(entry, dict) else None
        if not isinstance(mark, str) or not all(
            isinstance(entry.get(name), str) for name in ("rule", "path")
        ):
            raise BaselineError(f"line {number} is not a baseline entry")
        entries[mark] = entry
    return Baseline(entries)


def split(
    findings: Iterable[Finding],
    baseline: Baseline,
    prefix: str = "",
    judged: Callable[[Entry], bool] | None = None,
    places: Places | None = None,
    renamed: Callable[[], dict[str, str]] | None = None,
) -> tuple[list[Finding], int, int]:
    """(findings that are not in the baseline, how many are, how many entries match nothing).

    Entries that the run could not judge, because it did not look at their file or rule, are
    not counted as stale; ``judged`` tells. ``places`` and ``renamed`` are those of ``matching``:
    without them nothing is known again under another name.
    """
    findings = list(findings)
    known, matched = _known(findings, baseline, prefix, places, renamed)
    left = (entry for mark, entry in baseline.entries.items() if mark not in matched)
    stale = sum(judged is None or judged(entry) for entry in left)
    return [finding for finding in findings if id(finding) not in known], len(known), stale


def prune(
    baseline: Baseline,
    findings: Iterable[Finding],
    prefix: str = "",
    judged: Callable[[Entry], bool] | None = None,
    places: Places | None = None,
    renamed: Callable[[], dict[str, str]] | None = None,
) -> Baseline:
    """The baseline without the entries that were judged and match nothing; it never grows."""
    _, matched = _known(list(findings), baseline, prefix, places, renamed)
    return Baseline(
        {
            mark: entry
            for mark, entry in baseline.entries.items()
            if mark in matched or (judged is not None and not judged(entry))
        }
    )


def _known(
    findings: list[Finding],
    baseline: Baseline,
    prefix: str,
    places: Places | None,
    renamed: Callable[[], dict[str, str]] | None,
) -> tuple[set[int], set[str]]:
    """The identities of the findings that are in the baseline, and the fingerprints of their entries."""
    now = [matching.mark(finding, prefix) for finding in findings]
    whose = {id(mark): id(finding) for mark, finding in zip(now, findings, strict=True)}
    pairs = matching.same([*map(_mark, baseline.entries.values())], now, places, renamed)
    return {whose[id(new)] for _, new in pairs}, {old.fingerprint for old, _ in pairs}


def _mark(entry: Entry) -> Mark:
    """The mark of an entry; people may have changed whatever is in it."""
    path, resource = entry["path"], entry.get("resource")
    kind, name = "", ""
    if isinstance(resource, dict):
        kind, name = str(resource.get("kind", "")), str(resource.get("name", ""))
    # A resource without a name is called like its file, from wherever kcheck was run.
    if f"/{path}".endswith(f"/{name}"):
        name = ""
    key, number = str(entry.get("key", "")), entry.get("occurrence")
    occurrence = number if isinstance(number, int) else 0
    return Mark(
        entry["fingerprint"], entry["rule"], path, kind, name, key, occurrence, _others(entry)
    )


def _others(entry: Entry) -> Others | None:
    ends = entry.get("ends")
    if not isinstance(ends, list) or not all(isinstance(end, dict) for end in ends):
        return None
    return tuple(sorted(tuple(str(end.get(field, "")) for field in _END) for end in ends))  # type: ignore[misc]


_END = ("key", "kind", "name")


def _entry(finding: Finding, prefix: str) -> Entry:
    resource = finding.resource
    entry: Entry = {
        "rule": finding.code,
        "name": finding.name,
        "path": fingerprint.from_root(finding.path, prefix),
        "resource": {"kind": resource.kind, "name": resource.name},
        "key": fingerprint.primary_key(finding),
        "occurrence": finding.occurrence,
        "fingerprint": fingerprint.of(finding, prefix),
    }
    if others := matching.others(finding):
        entry["ends"] = [dict(zip(_END, end, strict=True)) for end in others]
    return entry


def _order(entry: Entry) -> tuple[str, ...]:
    return entry["path"], entry["rule"], str(entry.get("resource")), entry["fingerprint"]
