"""The lines below a report: what was found, what is hidden, what was read, what fails."""

from __future__ import annotations

from kcheck.grouping.evidence import parted
from kcheck.model import SEVERITY_RANK
from kcheck.report.folding import folded
from kcheck.report.run import NEVER, Run
from kcheck.report.run import repeats as repeats_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.model import Finding

#: GitHub shows that many annotations of each level for one step.
_SHOWN_BY_GITHUB = 10
#: Formats with an entry for each line, so that repeats have entries too.
_BY_LINE = frozenset(("concise", "github", "gitlab", "sarif", "junit", "checkstyle"))


def footer(run: Run, columns: int = 0) -> str:
    """One line, never "clean" without the counts of what is hidden; then what needs attention."""
    counts = run.severities()
    found = ", ".join(_count(counts[s], s) for s in counts if counts[s]) or "nothing"
    if {"text", "html"} & set(run.formats or ("text",)) and run.findings:
        causes = len(run.causes)
        found += f" of {_count(causes, 'cause')}" if causes < len(run.findings) else ""
    repeats = run.repeats if _BY_LINE.intersection(run.formats) else 0
    if repeats:
        found += f" with {_count(repeats, 'repeat')} at other lines"
    told = [f"Found {found}{_hidden(run)} in {_files(run)}", *_fixable(run), _fails_on(run)]
    lines = [f"{'; '.join(told)}.{_explained(run)}"]
    if run.stale:
        stale = _count(run.stale, "entry", "entries")
        lines.append(
            f"{stale} of the baseline no longer match: remove them with kcheck baseline prune."
        )
    if "github" in run.formats:
        shown = dict(counts)
        for other in (other for finding in run.findings for other in repeats_of(finding)):
            shown[other.severity] += 1
        unseen = sum(max(0, n - _SHOWN_BY_GITHUB) for n in shown.values())
        if unseen:
            lines.append(
                f"GitHub shows {_SHOWN_BY_GITHUB} annotations per level, so "
                f"{_count(unseen, 'finding')} will not be shown there."
            )
    return "".join(f"{folded(line, columns, hang=2)}\n" for line in lines)


def _count(number: int, noun: str, plural: str = "") -> str:
    if noun == "info":
        plural = "info"
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {plural or noun + 's'}"


def _hidden(run: Run) -> str:
    parts = []
    if run.ignored:
        parts.append(f"{run.ignored:,} ignored")
    if run.baselined:
        parts.append(f"{run.baselined:,} in baseline")
    if run.since:
        parts.append(f"{run.known:,} known in {run.since}")
    if run.withheld:
        parts.append(f"{run.withheld:,} outside the named files")
    return f" ({', '.join(parts)})" if parts else ""


def _files(run: Run) -> str:
    files = run.files()
    parts = [_count(files["read"], "file")]
    for status, words in (
        ("passed-over", "unrelated"),
        ("skipped", "skipped"),
        ("error", "unreadable"),
    ):
        if files[status]:
            parts.append(f"{files[status]:,} {words}")
    if run.unread:
        parts.append(f"{run.unread:,} with Kafka's keys unread (kcheck files --unread)")
    unjoined = len({one.document.path for one in run.project.unjoined})
    if unjoined:
        partly = len(parted(run.project.unjoined))
        told = f" ({partly:,} partly)" if partly else ""
        parts.append(f"{unjoined:,} in no known cluster{told}")
    return ", ".join(parts)


def _fails_on(run: Run) -> str:
    if run.gate is not None:
        failing = sum(map(run.counts, run.findings))
        if not failing:
            return f"passes gate {run.gate.name}"
        verb = "fails" if failing == 1 else "fail"
        return f"{failing:,} {verb} gate {run.gate.name}"
    if run.fail_on == NEVER:
        return "nothing fails the run"
    graver = "" if SEVERITY_RANK[run.fail_on] == max(SEVERITY_RANK.values()) else " and above"
    return f"fails on: {run.fail_on}{graver}"


def _fixable(run: Run) -> list[str]:
    """How many findings ``--fix`` changes, and how many more with ``--unsafe-fixes``."""
    safe = unsafe = 0
    for finding in run.findings:
        fix = finding.fix
        if fix is None or not fix.edits or finding.change or _refused(run, finding):
            continue
        safe += fix.safe
        unsafe += not fix.safe
    if not safe and not unsafe:
        return []
    if not unsafe:
        return [f"{safe:,} fixable with --fix"]
    more = f", {unsafe:,} more with --unsafe-fixes" if safe else " with --unsafe-fixes"
    return [f"{safe or unsafe:,} fixable" + (" with --fix" if safe else "") + more]


def _refused(run: Run, finding: Finding) -> bool:
    from kcheck import fingerprint

    return bool(run.refused) and fingerprint.of(finding, run.prefix) in run.refused


def _explained(run: Run) -> str:
    """How to learn more of a rule, where the report does not hold it itself."""
    if not run.findings or not {"text", "concise"} & set(run.formats or ("text",)):
        return ""
    return f" Explain: kcheck explain {run.findings[0].code}."
