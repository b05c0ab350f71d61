"""``engine.lint_project`` over worker processes, for a folder of many folders: the same result.

Workers lint neighbouring folders as projects of their own. Whether those were projects of their
own is checked afterwards: all files, reduced to what grouping looks at, are grouped once more as a
whole. If any cluster comes out other than in a worker, the whole is linted in one process.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from kcheck import discover, engine
from kcheck.engine import Project
from kcheck.graph import assign
from kcheck.model import Document, Finding, Resource
from kcheck.report.record import settings_of
from kcheck.secrets import is_secret
from kcheck.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from multiprocessing.context import BaseContext

#: Chunks per worker, so that one heavy folder does not keep the others waiting.
_CHUNKS = 4

#: What ``assign.group`` asks of a resource: more would only make the way between processes longer.
_SETTINGS = (
    "node.id",
    "broker.id",
    "controller.quorum.voters",
    "controller.quorum.bootstrap.servers",
    "zookeeper.connect",
    "advertised.listeners",
    "listeners",
    "bootstrap.servers",
)
_FACTS = ("service", "environment")
_VALUES = ("namespace", "pool")

#: (name, (path, number of the resource in its file) …) of a cluster.
Membership = tuple[str, tuple[tuple[str, int], ...]]


class Part:
    """What a worker made of its folders."""

    def __init__(self, project: Project, left: list[tuple[str, str, str]]) -> None:
        self.documents = [reported(document) for document in project.documents]
        self.clusters = len(project.clusters)
        self.findings = project.findings
        self.failures = project.failures
        self.ignored = project.ignored
        self.left = left
        self.grouped: list[Document] = []
        self.members: list[Membership] = []


def lint_project(inputs: discover.Inputs, settings: Settings, processes: int = 0) -> Project | None:
    """The project of ``inputs``, or None where one process has to do it, or does it sooner."""
    processes = processes or _processors()
    context = _fork()
    # An entry of [[ignore]] that hides nothing is told of the whole alone.
    if processes < 2 or context is None or settings.ignores:
        return None
    parts = inputs.parts()
    if parts is None:
        return None
    made = _run(parts, settings, processes, context)
    if made is None or not _apart(made, settings):
        return None
    project = Project([], [], [], [])
    # Only their number is of interest once the rules have run.
    project.clusters = [None for part in made for _ in range(part.clusters)]  # type: ignore[misc]
    findings: list[Finding] = []
    for part in made:
        project.documents += part.documents
        findings += part.findings
        project.failures += part.failures
        project.ignored += part.ignored
        inputs.left += part.left
    project.findings = sorted(findings, key=engine.order)
    return project


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _fork() -> BaseContext | None:
    """Workers inherit the settings, whose patterns are functions: only a fork can do that."""
    import sys

    if sys.platform == "darwin" or not hasattr(os, "fork"):
        return None
    from multiprocessing import get_context

    return get_context("fork")


#: What the workers inherit: chunks of parts, and the settings.
_work: tuple[list[list[discover.Part]], Settings] | None = None


def _run(
    parts: list[discover.Part], settings: Settings, processes: int, context: BaseContext
) -> list[Part] | None:
    global _work
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool

    size = -(-len(parts) // (_CHUNKS * processes))
    chunks = [parts[at : at + size] for at in range(0, len(parts), size)]
    _work = chunks, settings
    try:
        with ProcessPoolExecutor(processes, mp_context=context) as pool:
            return list(pool.map(_lint, range(len(chunks))))
    except BrokenProcessPool:
        return None
    finally:
        _work = None


def _lint(number: int) -> Part:
    """One chunk, in a worker."""
    import gc

    assert _work is not None
    chunks, settings = _work
    gc.disable()
    try:
        return lint_parts(chunks[number], settings)
    finally:
        gc.enable()
        gc.collect()


def lint_parts(parts: list[discover.Part], settings: Settings) -> Part:
    """Some parts of a walk as one project."""
    project = Project([], [], [], [])
    engine.read_documents(project, _sources(parts), settings, parts[0].lookup)
    grouped = [reduced(document) for document in project.documents if document.resources]
    numbers = {
        id(resource): (document.path, at)
        for document in project.documents
        for at, resource in enumerate(document.resources)
    }
    project.clusters = assign.group(project.documents, settings)
    members = [
        (cluster.name, tuple(numbers[id(resource)] for resource in cluster.resources))
        for cluster in project.clusters
    ]
    engine.judge(project, settings)
    made = Part(project, [left for part in parts for left in part.left])
    made.grouped, made.members = grouped, members
    return made


def _sources(parts: Iterable[discover.Part]) -> Iterator[engine.Source]:
    for part in parts:
        yield from part


def _apart(made: list[Part], settings: Settings) -> bool:
    """Whether the whole has the very clusters that its parts have."""
    documents = [document for part in made for document in part.grouped]
    numbers = {
        id(resource): (document.path, at)
        for document in documents
        for at, resource in enumerate(document.resources)
    }
    whole = [
        (cluster.name, tuple(numbers[id(resource)] for resource in cluster.resources))
        for cluster in assign.group(documents, settings)
    ]
    return whole == [members for part in made for members in part.members]


def reduced(document: Document) -> Document:
    """The document as grouping sees it, before grouping has written into it."""
    slim = Document(document.path, document.format)
    slim.joins = document.joins
    for resource in document.resources:
        copy = Resource(resource.kind, resource.name, resource.path, resource.at, resource.plane)
        copy.cluster = resource.cluster
        copy.settings = {k: resource.settings[k] for k in _SETTINGS if k in resource.settings}
        copy.image = {k: resource.image[k] for k in _SETTINGS if k in resource.image}
        copy.facts = {k: resource.facts[k] for k in _FACTS if k in resource.facts}
        copy.values = {k: resource.values[k] for k in _VALUES if k in resource.values}
        copy.managed = resource.managed
        slim.resources.append(copy)
    return slim


def reported(document: Document) -> Document:
    """The document as reports see it: what became of it, whose it is, and where its secrets stand."""
    slim = Document(document.path, document.format)
    slim.status, slim.reason, slim.problems = document.status, document.reason, document.problems
    for resource in document.resources:
        hidden = [s for s in settings_of(resource) if is_secret(s.key) or is_secret(s.name)]
        if hidden or not slim.resources:
            copy = Resource(
                resource.kind, resource.name, resource.path, resource.at, resource.plane
            )
            copy.cluster = resource.cluster
            copy.earlier = [(setting, setting) for setting in hidden]
            slim.resources.append(copy)
    return slim
