"""``kcheck lint --since REF`` and ``--since-state FILE``: what is new, and what a change does."""

from __future__ import annotations

import os

from kcheck import changes, discover, engine, fingerprint, matching
from kcheck.changes import Before
from kcheck.circumstances import Circumstances
from kcheck.cli.options import Options
from kcheck.cli.project import prefix_of
from kcheck.cli.run import Stop
from kcheck.engine import Project
from kcheck.git import GitError
from kcheck.matching import Places
from kcheck.model import Finding
from kcheck.revision import NoCommit, Revision
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

    def __init__(
        self,
        options: Options,
        settings: Settings,
        inputs: discover.Inputs,
        about: Circumstances | None = None,
    ) -> None:
        self._about = about
        self.known = 0
        self.label: str = options.since or options.since_state
        self._inputs = inputs
        self._states: list[Before] = []
        self._placeless: set[_Placeless] = set()
        self._stood: Stood | None = None
        if options.since_state:
            self._read_state(options.since_state, settings)
        if options.since:
            self._read_revision(options.since, settings)

    def _read_state(self, path: str, settings: Settings) -> None:
        sources = discover.Inputs([path])
        project = engine.lint_project(
            sources, settings, sources.lookup, sources.named, circumstances=self._about
        )
        for missing, reason in sources.missing:
            raise Stop(f"--since-state {missing}: {reason}")
        if not any(document.resources for document in project.documents):
            raise Stop(f"--since-state {path}: no Kafka configuration found in it")
        live = any(_LIVE in (document.format or "") for document in project.documents)
        self._states.append(Before(project, os.path.basename(path), whole=not live, live=True))
        self._placeless = {_placeless(finding) for finding in project.findings}

    def _read_revision(self, ref: str, settings: Settings) -> None:
        try:
            stood = self._stood = Stood(ref, settings, self._inputs, self._about)
        except GitError as error:
            raise Stop(str(error)) from None
        self._states.append(
            Before(stood.project, ref, stood.renamed, self._inputs.walks, exists=os.path.exists)
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
        return self._stood is not None and self._stood.reported(path)

    def new(self, project: Project, findings: list[Finding]) -> list[Finding]:
        """Those of the project's findings that were not there before, and one for each change."""
        kept: list[Finding] = []
        seen: set[_Placeless] = set()
        found = findings if self._stood is None else self._stood.new(project, findings)
        for finding in found:
            if _placeless(finding) in (seen if _of_change(finding) else self._placeless):
                continue
            if _of_change(finding):
                seen.add(_placeless(finding))
            kept.append(finding)
        self.known = len(findings) - len(kept)
        return kept


class Stood:
    """A commit, linted: what stood there already. Raises GitError where it cannot be read.

    ``project`` is what it was, ``renamed`` leads from paths of then to those of today.
    """

    def __init__(
        self,
        ref: str,
        settings: Settings,
        inputs: discover.Inputs,
        about: Circumstances | None = None,
        option: str = "--since",
    ) -> None:
        self._inputs = inputs
        self._prefix = prefix_of(inputs.root)
        revision = self._revision = Revision(inputs, ref, option)
        try:
            self.project = engine.lint_project(
                revision, settings, revision.lookup, inputs.named, circumstances=about
            )
            revision.whole()
            self.renamed = revision.renamed()
        finally:
            revision.close()
        self._then = [matching.mark(finding, self._prefix) for finding in self.project.findings]

    def reported(self, path: str) -> bool:
        """Whether the file was among what is named today."""
        return self._revision.reported(path)

    def new(self, project: Project, findings: list[Finding]) -> list[Finding]:
        """Those of the project's findings that were not there."""
        prefix, root = self._prefix, self._inputs.root
        now = [matching.mark(finding, prefix) for finding in project.findings]
        places = Places(
            project.documents,
            prefix,
            lambda path: os.path.exists(os.path.join(root, path)),
            self.project.documents,
        )
        known = {id(new) for _, new in matching.same(self._then, now, places, self._by_root)}
        new = {
            id(finding)
            for mark, finding in zip(now, project.findings, strict=True)
            if id(mark) not in known
        }
        return [finding for finding in findings if id(finding) in new]

    def _by_root(self) -> dict[str, str]:
        from_root, prefix = fingerprint.from_root, self._prefix
        return {from_root(a, prefix): from_root(b, prefix) for a, b in self.renamed.items()}


def stood(
    ref: str, settings: Settings, inputs: discover.Inputs, about: Circumstances | None = None
) -> Stood | None:
    """What stood at the commit of --context-since; None in a repository without any.

    Raises Stop for another one.
    """
    try:
        return Stood(ref, settings, inputs, about, "--context-since")
    except NoCommit as error:
        # The hook runs before the first commit, too.
        if ref == "HEAD":
            return None
        raise Stop(str(error)) from None
    except GitError as error:
        raise Stop(str(error)) from None


def _of_change(finding: Finding) -> bool:
    return finding.code.startswith("KC19")


def _placeless(finding: Finding) -> _Placeless:
    resource = finding.resource
    place = ""
    if _of_change(finding):
        place = finding.cluster if resource.kind == "topic" else finding.path
    key = fingerprint.primary_key(finding)
    return finding.code, f"{resource.kind} {resource.name}", key, place
