"""Parts → the project that one process would have made of the same files.

Workers took their batches for projects of their own. Here all files, by their outlines, are grouped
as the one project that they are. A cluster that comes out as it did in a worker keeps what the
worker's rules said; files of any other are read again, and their clusters judged here.
"""

from __future__ import annotations

from collections.abc import Iterable

from kcheck import engine
from kcheck.circumstances import Circumstances
from kcheck.discover import Inputs
from kcheck.engine import Project
from kcheck.files import words
from kcheck.graph.cluster import Traits
from kcheck.graph.formed import formed
from kcheck.graph.layout import Layout
from kcheck.grouping.evidence import parted
from kcheck.grouping.gather import Gathered, gathered, ids, names
from kcheck.grouping.group import Group
from kcheck.grouping.outline import restored
from kcheck.model import Document, Finding
from kcheck.pool.result import Membership, Part, Told, membership
from kcheck.runner import Runner
from kcheck.settings import Settings


class Merge:
    """The project so far: parts by files that workers linted, documents of those read here."""

    def __init__(
        self, inputs: Inputs, settings: Settings, circumstances: Circumstances | None = None
    ) -> None:
        self._inputs = inputs
        self._settings = settings
        self._circumstances = circumstances
        self._paths = inputs.files()
        self._numbers = {path: number for number, path in enumerate(self._paths)}
        #: Files that were read here, whole, and the outlines of the others.
        self._own: dict[int, Document] = {}
        self._outlines: dict[int, Document] = {}
        self._places: dict[int, tuple[int, int]] = {}
        self._reported: dict[int, Document] = {}
        self._lost: dict[int, str] = {}
        self._failures: dict[int, list[str]] = {}
        self._of_documents: dict[int, Told] = {}
        self._of_clusters: dict[Membership, Told] = {}
        self._traits: dict[Membership, Traits] = {}

    def add(self, part: Part) -> None:
        """Take what a worker made of its files."""
        self._reported |= part.documents
        self._lost |= part.lost
        self._failures |= part.failures
        self._of_documents |= part.of_documents
        self._of_clusters |= part.of_clusters
        self._traits |= part.traits
        for number, outline in part.outlines.items():
            document = self._outlines[number] = restored(outline)
            for trait, resource in enumerate(document.resources):
                self._places[id(resource)] = number, trait

    def read(self, numbers: Iterable[int]) -> None:
        """Read files here, be it for the first time or again."""
        inputs = self._inputs
        numbers = sorted(numbers)
        self.forget(numbers)
        for number in numbers:
            path = self._paths[number]
            try:
                data = inputs.read(path)
            except OSError as error:
                self._lost[number] = words(error)
                continue
            failures: list[str] = []
            self._own[number] = engine.read_document(
                path, data, self._settings, inputs.lookup, inputs.named, failures
            )
            if failures:
                self._failures[number] = failures

    def forget(self, numbers: Iterable[int]) -> None:
        """Take files for not read."""
        for number in numbers:
            for known in (
                self._own,
                self._outlines,
                self._reported,
                self._lost,
                self._failures,
                self._of_documents,
            ):
                known.pop(number, None)

    def telling(self, numbers: list[int]) -> float:
        """Of files that were read here the share of those with something in them for rules."""
        held = [number in self._own and bool(self._own[number].resources) for number in numbers]
        return sum(held) / len(held)

    def entangled(self, units: list[list[int]]) -> float:
        """Of units that were read here the share of those with a cluster that is not theirs alone."""
        unit_of = {number: at for at, unit in enumerate(units) for number in unit}
        shared: set[int] = set()
        for one in self._gathered().groups:
            held = {unit_of.get(self._numbers[document.path], -1) for document in one.documents}
            if len(held) > 1:
                shared |= held
        return len(shared - {-1}) / len(units)

    def project(self) -> Project:
        """The project, when every file was read here or in a worker."""
        found = self._gathered()
        again = self._stale(found)
        if again:
            self.read(again)
            found = self._gathered()
        groups = found.groups
        documents = {**self._reported, **self._own}
        project = Project([documents[number] for number in sorted(documents)], [], [], [], found)
        for number in sorted(self._lost):
            self._inputs.lose(self._paths[number], self._lost[number])
        for number in sorted(self._failures):
            project.failures += self._failures[number]
        ignores = engine.ignores_in(project.documents, self._settings, self._circumstances)
        runner = Runner(self._settings)
        told: list[Told] = []
        for number in sorted({*self._own, *self._of_documents}):
            if number in self._own:
                runner.document(engine.judged(self._own[number], ignores))
                told.append(runner.take())
            else:
                told.append(self._of_documents[number])
        for one, name, key in zip(groups, names(groups), ids(groups), strict=True):
            if self._is_own(one):
                cluster = formed(one, name, key, self._settings)
                project.clusters.append(cluster)
                engine.judge(cluster, runner)
                told.append(runner.take())
            else:
                project.elsewhere += 1
                members = self._membership(one, key)
                told.append(self._of_clusters[members])
                project.traits.append(self._traits[members])
        runner.layout(Layout(found))
        told.append(runner.take())
        project.findings = _distinct(finding for findings, _ in told for finding in findings)
        for _, failures in told:
            project.failures += failures
        engine.conclude(project, ignores, runner)
        return project

    # -- groups -----------------------------------------------------------------------------

    def _gathered(self) -> Gathered:
        documents = {**self._outlines, **self._own}
        return gathered([documents[number] for number in sorted(documents)], self._settings)

    def _is_own(self, group: Group) -> bool:
        return self._numbers[group.documents[0].path] in self._own

    def _membership(self, group: Group, key: str) -> Membership:
        return membership(group, key, self._numbers, self._places)

    def _stale(self, found: Gathered) -> set[int]:
        """The files that workers read of clusters which are not all in one worker's batch.

        So are those that are of no cluster in part: which part it is no outline tells.
        """
        groups = found.groups
        parts = parted(found.unjoined)
        numbers = [{self._numbers[d.path] for d in one.documents} for one in groups]
        stale = {self._numbers[u.document.path] for u in found.unjoined if id(u.document) in parts}
        for one, key, held in zip(groups, ids(groups), numbers, strict=True):
            here = not held.isdisjoint(self._own)
            if here or self._membership(one, key) not in self._of_clusters:
                stale |= held
        # A file may be in several clusters, and each is judged as a whole.
        count = -1
        while count < len(stale):
            count = len(stale)
            for held in numbers:
                if not held.isdisjoint(stale):
                    stale |= held
        return stale - self._own.keys()


def _distinct(findings: Iterable[Finding]) -> list[Finding]:
    """The first of all findings that say the same of the same place of one cluster."""
    found: dict[object, Finding] = {}
    for finding in findings:
        found.setdefault((engine.order(finding), finding.cluster), finding)
    return list(found.values())
