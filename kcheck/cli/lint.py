"""``kcheck lint``: read, check, report."""

from __future__ import annotations

import os
import sys

from kcheck import discover, engine
from kcheck.cli import run
from kcheck.cli.options import FORMATS, Options
from kcheck.cli.run import Stop
from kcheck.model import ERROR, INFO, SEVERITY_RANK
from kcheck.settings import Settings


def lint(options: Options) -> int:
    """Check the named paths; gives the exit code."""
    outputs = _outputs(options.output)
    settings = Settings()
    inputs = discover.Inputs(options.paths or (".",), options.context)
    project = engine.lint_project(inputs, settings, inputs.lookup)
    project.documents.extend(inputs.documents())
    project.findings = [f for f in project.findings if inputs.reported(f.path)]
    from kcheck.cli._standin import render

    for format, path in outputs:
        text = render(format, project)
        if path:
            run.save(path, text)
        else:
            run.write(text)
    for path, reason in inputs.missing:
        run.say(f"{path}: {reason}")
    for failure in project.failures:
        run.say(failure)
    if inputs.missing or project.failures:
        return run.BROKEN
    gravest = max((SEVERITY_RANK[f.severity] for f in project.findings), default=-1)
    return run.FOUND if gravest >= SEVERITY_RANK[options.fail_on or ERROR] else run.CLEAN


def _outputs(asked: tuple[str, ...]) -> list[tuple[str, str]]:
    """(format, file or "") for each output; at most one may go to stdout."""
    outputs: list[tuple[str, str]] = []
    for text in asked or ("text",):
        format, _, path = text.partition("=")
        if format not in FORMATS:
            raise Stop(f"--output {format}: no such format (one of {', '.join(FORMATS)})")
        outputs.append((format, path))
    if sum(not path for _, path in outputs) > 1:
        raise Stop("--output: only one format can go to stdout; give the others a file")
    return outputs
