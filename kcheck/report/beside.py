"""Findings of files that nobody named, which only end in a named one: a line for each cause.

Two thousand topics may inherit what one line of a broker says. Whoever changes that line learns
what it does and to how many, and finds the rest in the formats for programs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kcheck import ends
from kcheck.model import SEVERITY_RANK, Finding, Position

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.report.run import Run

#: So many are told like any other.
_FEW = 2
#: Of one rule and key in so many places of a file each has a line of its own.
_PLACES = 3


class Cause:
    """A value in a named file (``key`` at ``path``, ``at``), and the ``findings`` that end there."""

    __slots__ = ("at", "findings", "key", "path")

    def __init__(self, key: str, path: str, at: Position) -> None:
        self.key = key
        self.path = path
        self.at = at
        self.findings: list[Finding] = []

    @property
    def severity(self) -> str:
        return max((f.severity for f in self.findings), key=SEVERITY_RANK.__getitem__)

    @property
    def where(self) -> str:
        return f"{self.path}:{self.at[0]}:{self.at[1]}"

    def in_place(self, message: str) -> str:
        """What is said of it; ``message`` is that of the first finding."""
        first = self.findings[0]
        place = f"{first.path}:{first.at[0]}:{first.at[1]}"
        if len(self.findings) == 1:
            return f"{message} ({place})"
        files = len({finding.path for finding in self.findings})
        others = f"{files:,} other files" if files > 1 else "another file"
        return f"{self.key}: {len(self.findings):,} findings in {others}, first {place}: {message}"


def parted(run: Run, named: Callable[[str], bool]) -> tuple[list[Finding], list[Cause]]:
    """The findings that are told each, and the causes that stand for the rest."""
    beside = [finding for finding in run.findings if not named(finding.path)]
    if len(beside) <= _FEW:
        return run.findings, []
    own = [finding for finding in run.findings if named(finding.path)]
    return own, _merged(_causes(named, beside))


def _causes(named: Callable[[str], bool], findings: Iterable[Finding]) -> list[Cause]:
    found: dict[tuple[object, ...], Cause] = {}
    for finding in findings:
        value = ends.end_in(finding, named)
        key, (path, at) = (value.key, ends.place(value)) if value else ("", (None, None))
        cause = Cause(key, path or finding.path, at or finding.at)
        cause = found.setdefault((finding.code, key, cause.path, cause.at), cause)
        cause.findings.append(finding)
    return [*found.values()]


def _merged(causes: list[Cause]) -> list[Cause]:
    """The causes, with one for those of a rule and key that have many places in one file."""
    alike: dict[tuple[str, ...], list[Cause]] = {}
    for cause in causes:
        alike.setdefault((cause.findings[0].code, cause.key, cause.path), []).append(cause)
    kept: list[Cause] = []
    for same in alike.values():
        if len(same) <= _PLACES:
            kept += same
            continue
        first = same[0]
        for other in same[1:]:
            first.findings += other.findings
        kept.append(first)
    return sorted(kept, key=lambda cause: (cause.path, cause.at, cause.findings[0].code))
