"""``kcheck lint --since REF`` and ``--since-state FILE``: what is new, and what a change does."""

from __future__ import annotations

import os
from copy import copy

from kcheck import changes, discover, engine, fingerprint
from kcheck.changes import Before
from kcheck.cli.options import Options
from kcheck.cli.project import prefix_of
from kcheck.cli.run import Stop
from kcheck.engine import Project
from kcheck.model import Finding
from kcheck.revision import Revision, RevisionError
from kcheck.runner import Runner
from kcheck.settings import Settings

#: What formats of live clusters' output are called: it does not tell what is meant to be there.
_LIVE = "describe"

#: A finding without its file: all that a live state and a repository have in common. Of a change
#: also where it is: several clusters may have a topic of one name.
_Placeless = tuple[str, str, str, str]


class Since:
    """The older states that a run compares with. Raises Stop where one cannot be read.

    ``known`` counts the findings that were there before, ``label`` names what they are compared
    with.
    """

    def __init__(self, options: Options, settings: Settings, inputs: discover.Inputs) -> None:
        self.known = 0
        self.label: str = options.since or options.since_state
        self._inputs = inputs
        self._states: list[Before] = []
        self._marks: set[str] = set()
        self._placeless: set[_Placeless] = set()
        self._revision: Revision | None = None
        settings.changes = True
        if options.since_state:
            self._read_state(options.since_state, settings)
        if options.since:
            self._read_revision(options.since, settings)

    def _read_state(self, path: str, settings: Settings) -> None:
        sources = discover.Inputs([path])
        project = engine.lint_project(sources, settings, sources.lookup, sources.named)
        for missing, reason in sources.missing:
            raise Stop(f"--since-state {missing}: {reason}")
        if not any(document.resources for document in project.documents):
            raise Stop(f"--since-state {path}: nothing in it that kcheck reads")
        live = any(_LIVE in (document.format or "") for document in project.documents)
        self._states.append(Before(project, os.path.basename(path), whole=not live, live=True))
        self._placeless = {_placeless(finding) for finding in project.findings}

    def _read_revision(self, ref: str, settings: Settings) -> None:
        try:
            revision = self._revision = Revision(self._inputs, ref)
            named = self._inputs.named
            project = engine.lint_project(revision, settings, revision.lookup, named)
            renamed = revision.renamed()
        except RevisionError as error:
            raise Stop(str(error)) from None
        finally:
            if self._revision is not None:
                self._revision.close()
        prefix = prefix_of(self._inputs.root)
        for finding in project.findings:
            self._marks.add(fingerprint.of(finding, prefix))
            moved = _moved(finding, renamed)
            if moved is not None:
                self._marks.add(fingerprint.of(moved, prefix))
        self._states.append(
            Before(project, ref, renamed, self._inputs.walks, exists=os.path.exists)
        )

    def look(self, project: Project, runner: Runner) -> None:
        """Let the rules on changes see what has changed."""
        for state in self._states:
            changes.look(state, project, runner)

    def reported(self, path: str) -> bool:
        """Whether findings in that file are told: it is named, or was."""
        if self._inputs.reported(path):
            return True
        if any(d.path == path for s in self._states if s.live for d in s.project.documents):
            return True
        return self._revision is not None and self._revision.reported(path)

    def new(self, findings: list[Finding]) -> list[Finding]:
        """The findings that were not there before, and one for each change."""
        prefix = prefix_of(self._inputs.root)
        kept: list[Finding] = []
        seen: set[_Placeless] = set()
        for finding in findings:
            if fingerprint.of(finding, prefix) in self._marks:
                continue
            if _placeless(finding) in (seen if _of_change(finding) else self._placeless):
                continue
            if _of_change(finding):
                seen.add(_placeless(finding))
            kept.append(finding)
        self.known = len(findings) - len(kept)
        return kept


def _of_change(finding: Finding) -> bool:
    return finding.code.startswith("KC19")


def _placeless(finding: Finding) -> _Placeless:
    resource = finding.resource
    place = ""
    if _of_change(finding):
        place = finding.cluster if resource.kind == "topic" else finding.path
    key = fingerprint.primary_key(finding)
    return finding.code, f"{resource.kind} {resource.name}", key, place


def _moved(finding: Finding, renamed: dict[str, str]) -> Finding | None:
    """The finding as it would be in a file that has another path today; None where it has not."""
    path, owner = renamed.get(finding.path), renamed.get(finding.resource.path)
    if path is None and owner is None:
        return None
    moved = copy(finding)
    moved.path = path or finding.path
    moved.resource = copy(finding.resource)
    moved.resource.path = owner or finding.resource.path
    if finding.resource.name == finding.resource.path:
        moved.resource.name = moved.resource.path
    return moved
