"""What commands with reports share: formats and files, severities, writing them."""

from __future__ import annotations

from kcheck import report
from kcheck.cli import run
from kcheck.cli.run import Stop
from kcheck.model import SEVERITY_RANK, Finding
from kcheck.report import Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.settings import Settings


def outputs_of(asked: tuple[str, ...], taken: bool = False) -> list[tuple[str, str]]:
    """(format, file or "") for each output; at most one may go to stdout, none if that is taken."""
    outputs: list[tuple[str, str]] = []
    for text in asked or (() if taken else ("text",)):
        format, equals, path = text.partition("=")
        if format not in report.FORMATS:
            raise Stop(f"--output {format}: unknown format (one of {', '.join(report.FORMATS)})")
        if equals and not path:
            raise Stop(f"--output {format}=: the file name is missing")
        outputs.append((format, path))
    if taken and not all(path for _, path in outputs):
        raise Stop("--output: stdout is used by --diff, --fix of - or --statistics; name a file")
    if sum(not path for _, path in outputs) > 1:
        raise Stop("--output: only one format can go to stdout; name a file for the others")
    return outputs


def consistent(min_severity: str, fail_on: str) -> None:
    """A run must not fail by findings that it does not show."""
    if not min_severity or fail_on == report.NEVER:
        return
    if SEVERITY_RANK[min_severity] > SEVERITY_RANK[fail_on]:
        raise Stop(
            f"--min-severity {min_severity} would hide findings that fail the run "
            f"(--fail-on {fail_on})"
        )


def grave(
    findings: list[Finding], min_severity: str, settings: Settings | None = None
) -> list[Finding]:
    """The findings of that severity and graver ones, and those that the settings' gate counts.

    All where no severity is asked for.
    """
    if not min_severity:
        return findings
    least, gate = SEVERITY_RANK[min_severity], settings.gate if settings else None
    return [
        finding
        for finding in findings
        if SEVERITY_RANK[finding.severity] >= least
        or (gate is not None and gate.counts(finding, report.NEVER))
    ]


def write(outputs: list[tuple[str, str]], result: Run, color: bool) -> int:
    """Write every report, also where one of them cannot be written."""
    code = run.CLEAN
    for format, path in outputs:
        text = report.render(format, result, color and not path)
        if not path:
            run.write_report(text)
            continue
        try:
            run.save(path, text)
        except Stop as stop:
            run.say(str(stop))
            code = run.BROKEN
    return code
