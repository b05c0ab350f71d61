"""``kcheck lint``: read, check, report."""

from __future__ import annotations

import os

from kcheck import report
from kcheck.cli import run
from kcheck.cli.options import Options
from kcheck.cli.project import complain, linted, opened, prefix_of
from kcheck.cli.reports import consistent, grave, outputs_of, write
from kcheck.cli.run import Stop
from kcheck.cli.terminal import terminal
from kcheck.report import Run
from kcheck.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.baseline import Baseline


def lint(options: Options) -> int:
    """Check the named paths and write the reports; gives the exit code."""
    outputs = outputs_of(options.output)
    settings, inputs = opened(options)
    consistent(options.min_severity, settings.fail_on)
    known = _baseline(options, settings)
    project = linted(options, settings, inputs)
    findings = [f for f in project.findings if inputs.reported(f.path)]
    baselined = stale = 0
    if known is not None:
        from kcheck import baseline
        from kcheck.cli.baseline import judge

        findings, baselined, stale = baseline.split(
            findings, known, prefix_of(inputs.root), judge(settings, inputs, project)
        )
    findings = grave(findings, options.min_severity)
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
    code = write(outputs, result, color)
    code = max(code, complain(options, inputs, project))
    if not options.quiet:
        run.note(report.footer(result))
    if code == run.CLEAN and result.fails and not options.exit_zero:
        return run.FOUND
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
