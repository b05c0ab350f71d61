"""The whole tool as a function of text: sources and settings in, documents and findings out.

``kcheck lint`` and the fleet pipeline both call ``lint_project`` and nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from kcheck import ends, fingerprint, formats, registry, share
from kcheck.circumstances import Circumstances
from kcheck.formats import limits
from kcheck.graph.cluster import Cluster, Traits
from kcheck.graph.formed import clusters
from kcheck.grouping.gather import Gathered, gathered
from kcheck.model import FAILED, Document, Finding
from kcheck.runner import Runner, fault
from kcheck.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.grouping.evidence import Unjoined
    from kcheck.grouping.homes import Homes
    from kcheck.suppress import Ignores

#: (path, bytes) of one input file; the path is what findings will name.
Source = tuple[str, bytes]

#: Gives the bytes of another file of the project by path, None where there is none.
Lookup = Callable[[str], bytes | None]


#: Why a file is not read whose format raised.
FAULT = "kcheck failed to read it"


class Project:
    """What a run made of its input: every file, every cluster, every finding."""

    __slots__ = (
        "_homes",
        "clusters",
        "documents",
        "elsewhere",
        "failures",
        "findings",
        "found",
        "ignored",
        "ignored_by",
        "traits",
    )

    def __init__(
        self,
        documents: list[Document],
        clusters: list[Cluster],
        findings: list[Finding],
        failures: list[str],
        found: Gathered | None = None,
    ) -> None:
        self.documents = documents
        self.clusters = clusters
        #: How the files met.
        self.found = found or Gathered([], [], [])
        self._homes: Homes | None = None
        self.findings = findings
        #: Formats and rules that raised: kcheck's own errors, which end a run with exit code 2.
        self.failures = failures
        self.ignored = 0
        #: The lines of the ``[[ignore]]`` entries that hid something.
        self.ignored_by: list[int] = []
        #: How many more clusters there are, judged by other processes.
        self.elsewhere = 0
        #: What is known of them.
        self.traits: list[Traits] = []

    @property
    def homes(self) -> Homes:
        """Which cluster each file belongs to, and why."""
        if self._homes is None:
            from kcheck.grouping.homes import Homes

            self._homes = Homes(self.found)
        return self._homes

    @property
    def unjoined(self) -> list[Unjoined]:
        """What belongs to no cluster that is read, one entry for each part of a file."""
        return self.found.unjoined


def no_lookup(path: str) -> bytes | None:
    return None


def nobody(path: str) -> bool:
    return False


def read_project(
    sources: Iterable[Source],
    settings: Settings,
    lookup: Lookup = no_lookup,
    named: Callable[[str], bool] = nobody,
) -> Project:
    """Parse all sources and group them into clusters. Nothing in a source ends the run.

    ``named`` tells which files somebody asked for by name: there, as in files that the settings
    assign to a cluster, broken text is a finding even if nothing in it speaks of Kafka.
    """
    documents, failures = read_documents(sources, settings, lookup, named)
    return grouped(documents, failures, settings)


def grouped(documents: list[Document], failures: list[str], settings: Settings) -> Project:
    """The project of documents that were read before, with its clusters and without findings."""
    documents = list(documents)
    while True:
        try:
            declared = sum(len(document.resources) for document in documents)
            with share.of(len(documents) or 1, share.JUDGING_MEGABYTES, resources=declared):
                found = gathered(documents, settings)
                return Project(documents, clusters(found, settings), [], [*failures], found)
        except share.Exceeded as over:
            # Without the file that declares most, until the others can be grouped.
            most = max(range(len(documents)), key=lambda at: len(documents[at].resources))
            documents[most] = limits.too_costly(documents[most].path, str(over))


def read_documents(
    sources: Iterable[Source],
    settings: Settings,
    lookup: Lookup = no_lookup,
    named: Callable[[str], bool] = nobody,
) -> tuple[list[Document], list[str]]:
    """The documents of all sources, and where kcheck itself failed to read one."""
    documents: list[Document] = []
    failures: list[str] = []
    for path, data in sources:
        documents.append(read_document(path, data, settings, lookup, named, failures))
    return documents, failures


def read_document(
    path: str,
    data: bytes,
    settings: Settings,
    lookup: Lookup,
    named: Callable[[str], bool],
    failures: list[str],
) -> Document:
    """Parse one source; if kcheck itself fails to, ``failures`` gets to know."""
    try:
        with share.of(size=len(data)):
            document = formats.read(path, data, lookup)
            if document.format is None and (named(path) or settings.cluster_of(path)):
                formats.insist(document, data)
    except share.Exceeded as over:
        return limits.too_costly(path, str(over))
    except Exception as error:
        document = Document(path)
        document.status, document.reason = FAILED, FAULT
        failures.append(f"reading {path} failed: {fault(error)}")
    return document


def lint_project(
    sources: Iterable[Source],
    settings: Settings,
    lookup: Lookup = no_lookup,
    named: Callable[[str], bool] = nobody,
    also: Callable[[Project, Runner], None] | None = None,
    circumstances: Circumstances | None = None,
) -> Project:
    """Lint all sources as one project; the parameters are those of ``read_project``.

    ``also`` is called when all rules have run on what there is: with the project and the runner,
    to let it look at something else. Findings come sorted by path, line, column and code, without those that an ignore hides.
    """
    documents, failures = read_documents(sources, settings, lookup, named)
    return lint_documents(documents, failures, settings, also, circumstances)


def lint_documents(
    documents: list[Document],
    failures: list[str],
    settings: Settings,
    also: Callable[[Project, Runner], None] | None = None,
    circumstances: Circumstances | None = None,
) -> Project:
    """Lint documents that were read before. They stay as they are: they can be linted again."""
    project = grouped(documents, failures, settings)
    runner = Runner(settings)
    ignores = ignores_in(project.documents, settings, circumstances)
    for document in project.documents:
        runner.document(judged(document, ignores))
    for cluster in project.clusters:
        judge(cluster, runner)
    found = project.found
    if found.open:
        from kcheck.graph.layout import Layout

        runner.layout(Layout(found))
    if also is not None:
        also(project, runner)
    project.findings, failed = runner.take()
    project.failures += failed
    conclude(project, ignores, runner)
    return project


def judge(cluster: Cluster, runner: Runner) -> None:
    """Let the rules look at a cluster; where its file takes more than its share, that is told.

    All clusters of a file have one share: the runner knows what those before this one took.
    """
    paths = cluster.paths() or [cluster.name]
    path = paths[0]
    began = time.process_time()
    before = runner.taken.get(path, 0.0)
    declared = runner.judged[path] = runner.judged.get(path, 0) + len(cluster.resources)
    try:
        with share.of(len(paths), share.JUDGING_MEGABYTES, before, resources=declared):
            runner.cluster(cluster)
    except share.Exceeded as over:
        if path not in runner.given_up:
            runner.given_up.add(path)
            runner.document(limits.unjudged(path, cluster.name, str(over)))
    runner.taken[path] = before + time.process_time() - began


def ignores_in(
    documents: list[Document], settings: Settings, circumstances: Circumstances | None = None
) -> Ignores | None:
    """What the documents and the settings ignore, if anything."""
    if not settings.ignores and not any(document.comments for document in documents):
        return None
    from kcheck.suppress import Ignores

    known = registry.known(settings)
    return Ignores(documents, settings, known, circumstances or Circumstances())


def judged(document: Document, ignores: Ignores | None) -> Document:
    """What rules on documents look at: the document, with what is wrong with its ignores."""
    return document if ignores is None else ignores.judged(document)


def conclude(project: Project, ignores: Ignores | None, runner: Runner) -> None:
    """Sort and number all that was found, and take out what is ignored."""
    if len(project.clusters) + project.elsewhere > 1:
        project.findings = ends.folded(project.findings)
    project.findings.sort(key=order)
    # Before anything is hidden: a finding keeps its fingerprint when its twin is ignored.
    fingerprint.number(project.findings)
    if ignores is not None and ignores.count:
        _hide(project, ignores, runner)


def _hide(project: Project, ignores: Ignores, runner: Runner) -> None:
    """Take out what is ignored, and add what there is to say about the ignores themselves."""
    kept = ignores.apply(project.findings)
    project.ignored = len(project.findings) - len(kept)
    project.ignored_by = ignores.used()
    for document in ignores.remarks():
        runner.document(document)
    told, failures = runner.take()
    told.sort(key=order)
    fingerprint.number(told)
    project.findings = sorted((*kept, *told), key=order)
    project.failures += failures


def order(finding: Finding) -> tuple[str, tuple[int, ...], str, str]:
    return finding.path, finding.at, finding.code, finding.message
