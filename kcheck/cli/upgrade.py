"""``kcheck upgrade``: what another version of Kafka changes for a configuration."""

from __future__ import annotations

import gc

from kcheck import catalogue, report
from kcheck import upgrade as upgrading
from kcheck.cli import run
from kcheck.cli.configure import require_rules
from kcheck.cli.options import Options
from kcheck.cli.project import circumstances, complain, opened, prefix_of
from kcheck.cli.reports import consistent, grave, outputs_of, write
from kcheck.cli.run import Stop
from kcheck.cli.terminal import terminal, width
from kcheck.model import FAILED
from kcheck.report import Run
from kcheck.report.folding import folded
from kcheck.version import parse

#: The rule that tells minor defaults together, and its option to tell each.
_MINOR = "KC0225"


def upgrade(options: Options) -> int:
    """Compare the named paths in both versions and write the reports; gives the exit code."""
    outputs = outputs_of(options.output)
    start, goal = _version(options.start, "--from"), _version(options.goal, "--to")
    goal = goal or catalogue.newest()
    settings, inputs = opened(options)
    require_rules(settings, upgrades=True)
    consistent(options.min_severity, settings.fail_on)
    if options.all:
        each = {**settings.rule_options.get(_MINOR, {}), "each": True}
        settings = settings.but(rule_options={**settings.rule_options, _MINOR: each})
    # As lint does: a million objects that live until the end of the run.
    gc.disable()
    try:
        project = upgrading.upgrade_project(
            inputs,
            settings,
            goal,
            start,
            options.only,
            options.cluster,
            inputs.lookup,
            inputs.named,
            circumstances(options, inputs),
        )
    except upgrading.Refused as refused:
        raise Stop(str(refused)) from None
    finally:
        gc.enable()
    project.documents.extend(inputs.documents())
    findings = grave(project.findings, options.min_severity, settings)
    color, links = terminal(options.color)
    result = Run(
        project,
        inputs.source,
        findings=findings,
        fail_on=settings.fail_on,
        gate=settings.gate,
        prefix=prefix_of(inputs.root),
        formats=[format for format, _ in outputs],
        links=links,
        width=width(),
    )
    code = write(outputs, result, color)
    code = max(code, complain(options, inputs, project))
    for way in project.ways:
        if not options.quiet:
            run.note(folded(_summary(way), width(), hang=2))
    if not options.quiet:
        run.note(report.footer(result))
    broken = [d.path for d in project.documents if d.status == FAILED and d.problems]
    for path in broken:
        run.say(f"{path}: cannot be read, so it is not checked (kcheck lint reports why)")
    if code == run.CLEAN and (result.fails or broken) and not options.exit_zero:
        return run.FOUND
    return code


def _version(text: str, option: str) -> str:
    if text and parse(text) is None:
        raise Stop(f"{option} must be a version such as 3.9, not {text}")
    return text


def _summary(way: upgrading.Way) -> str:
    """The way of one cluster in a line."""
    parts: list[str] = []
    if len(way.brokers) > 1:
        parts.append(f"brokers {' → '.join(way.brokers)}")
    if len(way.clients) > 1:
        assumed = " (assumed to have the brokers' version where no file states theirs)"
        parts.append(f"clients {' → '.join(way.clients)}" + (assumed if way.assumed else ""))
    return f"{way.cluster}: {', then '.join(parts) or f'nothing to upgrade, it runs {way.brokers[-1]}'}."
