"""``kcheck lint``: read, check, report."""

from __future__ import annotations

import os

from kcheck import ends, fingerprint, report
from kcheck.cli import run
from kcheck.cli.configure import require_rules
from kcheck.cli.options import Options
from kcheck.cli.project import STDIN, circumstances, complain, linted, opened, prefix_of
from kcheck.cli.reports import consistent, grave, outputs_of, write
from kcheck.cli.run import Stop
from kcheck.cli.terminal import terminal, width
from kcheck.report import Run
from kcheck.report.run import counts
from kcheck.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from kcheck.baseline import Baseline
    from kcheck.circumstances import Circumstances
    from kcheck.cli.since import Since, Stood
    from kcheck.discover import Inputs
    from kcheck.engine import Project
    from kcheck.model import Finding


def lint(options: Options) -> int:
    """Check the named paths and write the reports; gives the exit code."""
    fixing = options.fix or options.unsafe_fixes or options.diff
    # What stands on stdout then is the changes, or the text that was read from stdin.
    taken = options.diff or (fixing and STDIN in options.paths)
    outputs = outputs_of(options.output, taken or options.statistics)
    settings, inputs = opened(options)
    about = circumstances(options, inputs)
    require_rules(settings, about.changes)
    consistent(options.min_severity, settings.fail_on)
    since = None
    if options.since or options.since_state:
        from kcheck.cli.since import Since

        since = Since(options, settings, inputs, about)
    also = since.look if since is not None else None
    shown = _Shown(options, settings, since, about)
    project = linted(options, settings, inputs, also, about)
    findings = shown.of(inputs, project)
    changes = ""
    refused: list[Finding] = []
    if fixing:
        from kcheck.cli import fix, termination

        def again(other: Inputs) -> tuple[Project, list[Finding]]:
            made = linted(options, settings, other, also, about)
            return made, shown.of(other, made)

        first = project, findings
        if options.diff:
            fixed, patch = fix.patched(inputs, first, again, options.unsafe_fixes)
            run.write_bytes(patch.painted() if terminal(options.color)[0] else patch.data)
        else:
            fixed = fix.fix(inputs, first, again, options.unsafe_fixes)
            inputs, project = fixed.inputs, fixed.project
            findings = shown.of(inputs, project)
            termination.heeded(lambda: fix.save(fixed.texts, inputs if taken else None))
        changes = fix.summary(fixed, options.unsafe_fixes, options.diff, width())
        refused = [one for one in findings if fingerprint.of(one) in fixed.refused]
    if len(findings) > 1:
        from kcheck.causes import told_once

        findings = told_once(findings, lambda f: counts(f, settings.fail_on, settings.gate))
    color, links = terminal(options.color)
    result = Run(
        project,
        inputs.source,
        findings=findings,
        fail_on=settings.fail_on,
        gate=settings.gate,
        baselined=shown.baselined,
        stale=shown.stale,
        prefix=prefix_of(inputs.root),
        root=inputs.root,
        own=settings.own,
        formats=[format for format, _ in outputs],
        links=links,
        width=width(),
        fold=os.environ.get("GITHUB_ACTIONS") == "true",
        since=shown.since,
        known=shown.known,
        withheld=shown.withheld if options.context else None,
        named=shown.named if options.context else None,
        refused=[fingerprint.of(one, prefix_of(inputs.root)) for one in refused],
    )
    code = write(outputs, result, color)
    if options.statistics and not taken:
        run.write(report.statistics(result))
    code = max(code, complain(options, inputs, project))
    if not options.quiet:
        run.note(changes + report.footer(result))
    if code == run.CLEAN and result.fails and not options.exit_zero:
        return run.FOUND
    return code


class _Shown:
    """Which findings of a project are told, and how many the baseline hides. Raises Stop."""

    def __init__(
        self, options: Options, settings: Settings, since: Since | None, about: Circumstances
    ) -> None:
        self._about = about
        self._since = since
        self._options = options
        self._settings = settings
        self._stood: Stood | None = None
        self.named: Callable[[str], bool] | None = None
        self._baseline = _baseline(options, settings)
        self.baselined = self.stale = self.known = self.withheld = 0
        #: What the known ones are known from.
        self.since = since.label if since is not None else ""
        if options.context_since and not options.context:
            raise Stop("--context-since requires --context")

    def of(self, inputs: Inputs, project: Project) -> list[Finding]:
        since = self._since
        named = self.named = inputs.reported if since is None else since.reported
        least = self._options.min_severity
        findings = [f for f in project.findings if ends.lies_in(f, named)]
        self.withheld = len(grave(project.findings, least, self._settings)) - len(
            grave(findings, least, self._settings)
        )
        if since is not None:
            findings = since.new(project, findings)
            self.known = since.known
        elif self._options.context_since:
            findings = self._since_commit(inputs, project, findings)
        if self._baseline is not None:
            findings = self._new(inputs, project, findings, self._baseline)
        return grave(findings, least, self._settings)

    def _new(
        self, inputs: Inputs, project: Project, findings: list[Finding], known: Baseline
    ) -> list[Finding]:
        """The findings that are not in the baseline.

        All of the project are looked for there, told or not: an entry stands for one of them.
        """
        from kcheck import baseline
        from kcheck.cli.baseline import around, judge, renamed

        path = self._options.baseline or self._settings.baseline
        new, _, self.stale = baseline.split(
            project.findings,
            known,
            prefix_of(inputs.root),
            judge(self._settings, inputs, project),
            around(inputs, project),
            renamed(inputs, path),
        )
        marks = {id(finding) for finding in new}
        shown = [finding for finding in findings if id(finding) in marks]
        self.baselined = len(findings) - len(shown)
        return shown

    def _since_commit(
        self, inputs: Inputs, project: Project, findings: list[Finding]
    ) -> list[Finding]:
        """The findings without those that lie in the context and stood at the commit already."""
        beside = [finding for finding in findings if not inputs.reported(finding.path)]
        if not beside:
            # The commit is not even read: most changes have no part in what other files do.
            return findings
        from kcheck.cli.since import stood

        if self._stood is None:
            self._stood = stood(self._options.context_since, self._settings, inputs, self._about)
        if self._stood is None:
            return findings
        new = {id(finding) for finding in self._stood.new(project, beside)}
        self.since = self._options.context_since
        self.known = len(beside) - len(new)
        return [f for f in findings if inputs.reported(f.path) or id(f) in new]


def _baseline(options: Options, settings: Settings) -> Baseline | None:
    """The baseline to use, if any. Raises Stop where a named one is of no use."""
    if options.no_baseline:
        if options.baseline:
            raise Stop("--no-baseline and --baseline are mutually exclusive")
        return None
    path = options.baseline or settings.baseline
    if not path:
        return None
    from kcheck.cli.baseline import load

    return load(path)
