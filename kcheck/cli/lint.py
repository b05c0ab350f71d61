"""``kcheck lint``: read, check, report."""

from __future__ import annotations

import gc
import os

from kcheck import report
from kcheck.cli import run
from kcheck.cli.options import Options
from kcheck.cli.project import complain, linted, opened, prefix_of
from kcheck.cli.run import Stop
from kcheck.cli.terminal import terminal
from kcheck.model import SEVERITY_RANK
from kcheck.report import Run
from kcheck.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.baseline import Baseline


def lint(options: Options) -> int:
    """Check the named paths and write the reports; gives the exit code."""
    outputs = _outputs(options.output)
    settings, inputs = opened(options)
    _consistent(options.min_severity, settings.fail_on)
    known = _baseline(options, settings)
    # A run makes a million objects that live until its end: looking for cycles among them again
    # and again would take longer than all rules together.
    gc.disable()
    try:
        project = linted(options, settings, inputs)
    finally:
        gc.enable()
    findings = [f for f in project.findings if inputs.reported(f.path)]
    baselined = stale = 0
    if known is not None:
        from kcheck import baseline
        from kcheck.cli.baseline import judge

        findings, baselined, stale = baseline.split(
            findings, known, prefix_of(inputs.root), judge(settings, inputs, project)
        )
    if options.min_severity:
        least = SEVERITY_RANK[options.min_severity]
        findings = [f for f in findings if SEVERITY_RANK[f.severity] >= least]
    color, links = terminal(options.color)
    result = Run(
        project,
        inputs.source,
        findings=findings,
        fail_on=settings.fail_on,
        baselined=baselined,
        stale=stale,
        prefix=prefix_of(inputs.root),
        formats=[format for format, _ in outputs],
        links=links,
        fold=os.environ.get("GITHUB_ACTIONS") == "true",
    )
    code = _write(outputs, result, color)
    code = max(code, complain(options, inputs, project))
    if not options.quiet:
        run.note(report.footer(result))
    if code == run.CLEAN and result.fails and not options.exit_zero:
        return run.FOUND
    return code


def _write(outputs: list[tuple[str, str]], result: Run, color: bool) -> int:
    """Write every report, also where one of them cannot be written."""
    code = run.CLEAN
    for format, path in outputs:
        text = report.render(format, result, color and not path)
        if not path:
            run.write(text)
            continue
        try:
            run.save(path, text)
        except Stop as stop:
            run.say(str(stop))
            code = run.BROKEN
    return code


def _baseline(options: Options, settings: Settings) -> Baseline | None:
    """The baseline to use, if any. Raises Stop where a named one is of no use."""
    if options.no_baseline:
        if options.baseline:
            raise Stop("--no-baseline uses no baseline, --baseline names one")
        return None
    path = options.baseline or settings.baseline
    if not path:
        return None
    from kcheck.cli.baseline import load

    return load(path)


def _consistent(min_severity: str, fail_on: str) -> None:
    """A run must not fail by findings that it does not show."""
    if not min_severity or fail_on == report.NEVER:
        return
    if SEVERITY_RANK[min_severity] > SEVERITY_RANK[fail_on]:
        raise Stop(
            f"--min-severity {min_severity} would hide findings that fail the run "
            f"(--fail-on {fail_on})"
        )


def _outputs(asked: tuple[str, ...]) -> list[tuple[str, str]]:
    """(format, file or "") for each output; at most one may go to stdout."""
    outputs: list[tuple[str, str]] = []
    for text in asked or ("text",):
        format, equals, path = text.partition("=")
        if format not in report.FORMATS:
            raise Stop(f"--output {format}: no such format (one of {', '.join(report.FORMATS)})")
        if equals and not path:
            raise Stop(f"--output {format}= names no file")
        outputs.append((format, path))
    if sum(not path for _, path in outputs) > 1:
        raise Stop("--output: one format alone can go to stdout; give the others a file")
    return outputs
