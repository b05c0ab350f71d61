"""``kcheck lint``: read, check, report."""

from __future__ import annotations

import os

from kcheck import discover, engine, report
from kcheck.cli import run
from kcheck.cli.options import Options
from kcheck.cli.project import complain, opened
from kcheck.cli.run import Stop
from kcheck.cli.terminal import terminal
from kcheck.model import SEVERITY_RANK
from kcheck.report import Run


def lint(options: Options) -> int:
    """Check the named paths and write the reports; gives the exit code."""
    outputs = _outputs(options.output)
    settings, inputs = opened(options)
    _consistent(options.min_severity, settings.fail_on)
    project = engine.lint_project(inputs, settings, inputs.lookup)
    project.documents.extend(inputs.documents())
    findings = [f for f in project.findings if inputs.reported(f.path)]
    if options.min_severity:
        least = SEVERITY_RANK[options.min_severity]
        findings = [f for f in findings if SEVERITY_RANK[f.severity] >= least]
    color, links = terminal(options.color)
    result = Run(
        project,
        inputs.source,
        findings=findings,
        fail_on=settings.fail_on,
        prefix=_prefix(inputs.root),
        formats=[format for format, _ in outputs],
        links=links,
        fold=os.environ.get("GITHUB_ACTIONS") == "true",
    )
    for format, path in outputs:
        text = report.render(format, result, color and not path)
        if path:
            run.save(path, text)
        else:
            run.write(text)
    code = complain(options, inputs, project.documents)
    if not options.quiet:
        run.note(report.footer(result))
    for failure in project.failures:
        run.say(f"an error of kcheck's own: {failure}")
        code = run.BROKEN
    if code == run.CLEAN and result.fails and not options.exit_zero:
        return run.FOUND
    return code


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


def _prefix(root: str) -> str:
    """From the project's root to the working directory; "" where that lies outside of it."""
    here = os.getcwd()
    if here == root or not discover.inside(here, root):
        return ""
    return os.path.relpath(here, root).replace(os.sep, "/")
