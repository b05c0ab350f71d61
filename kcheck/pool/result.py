"""What a worker sends back: all that the run still needs of some files once they are linted.

Documents go as reports see them, resources without the settings that nobody asks for any more,
and beside them the outlines by which the clusters are checked against the rest of the project.
"""

from __future__ import annotations

import io
import pickle

from kcheck.graph.cluster import Traits
from kcheck.grouping.group import Group
from kcheck.grouping.outline import Outline
from kcheck.model import Document, Finding, Position, Resource, Setting
from kcheck.report.shown import hidden_settings
from kcheck.secrets import keeps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Findings, and which rules failed how.
Told = tuple[list[Finding], list[str]]

#: (product, version, path, where it stands) of a version that other files tell of a cluster.
_Release = tuple[str, str | None, str, Position]
_Places = frozenset[tuple[int, int]]
#: (id, numbers of its files, (number of a file, number of a resource in its outline) …, those of
#: them that may mean another cluster, versions told of it).
Membership = tuple[str, tuple[int, ...], _Places, _Places, tuple[_Release, ...]]


class Part:
    """What became of some files. Everything of a file stands under its number."""

    def __init__(self) -> None:
        self.documents: dict[int, Document] = {}
        self.outlines: dict[int, Outline] = {}
        #: Why files could not be read.
        self.lost: dict[int, str] = {}
        #: That kcheck failed to read one.
        self.failures: dict[int, list[str]] = {}
        #: What rules said of single files.
        self.of_documents: dict[int, Told] = {}
        #: What they said of each cluster.
        self.of_clusters: dict[Membership, Told] = {}
        #: What reports tell of each cluster besides.
        self.traits: dict[Membership, Traits] = {}


def membership(
    group: Group, key: str, numbers: dict[str, int], places: dict[int, tuple[int, int]]
) -> Membership:
    """What tells a cluster from every other: ``numbers`` are those of its files, ``places`` where
    each resource, by its id, stands in the outlines."""
    return (
        key,
        tuple(numbers[document.path] for document in group.documents),
        frozenset(places[id(resource)] for resource in group.resources),
        frozenset(
            places[id(resource)]
            for join in group.joins
            if join.guessed
            for resource in join.resources
        ),
        tuple((one.product, one.told.text, one.told.path, one.told.at) for one in group.releases),
    )


def reported(document: Document) -> Document:
    """The document as reports see it: what became of it, whose it is, where its secrets stand.

    To be made when it is grouped.
    """
    slim = Document(document.path, document.format)
    slim.status, slim.reason = document.status, document.reason
    slim.unread = document.unread
    if document.kustomize is not None:
        # Its patches are read here.
        slim.kustomize, slim.extent.covers = document.kustomize, document.extent.covers
    slim.problems, slim.comments = document.problems, document.comments
    for resource in document.resources:
        secret = [s for s in resource.stated if keeps(s)]
        if secret or document.comments or not slim.resources:
            slim.resources.append(_bare(*_traits(resource, secret)))
    return slim


def packed(part: Part) -> bytes:
    """A part as bytes, the resources of its findings reduced to what reports show of them."""
    out = io.BytesIO()
    pickler = pickle.Pickler(out, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = {Resource: _reduced}
    pickler.dump(part)
    return out.getvalue()


def unpacked(data: bytes) -> Part:
    part: Part = pickle.loads(data)
    return part


def _reduced(resource: Resource) -> tuple[Any, ...]:
    return _bare, _traits(resource, hidden_settings(resource))


def _traits(resource: Resource, settings: list[Setting]) -> tuple[Any, ...]:
    return (
        resource.kind,
        resource.name,
        resource.path,
        resource.at,
        resource.plane,
        settings,
    )


def _bare(
    kind: str, name: str, path: str, at: Any, plane: str, settings: list[Setting]
) -> Resource:
    resource = Resource(kind, name, path, at, plane)
    # Whatever they were: all that reports do with them is not to show them.
    resource.facts = {str(at): setting for at, setting in enumerate(settings)}
    return resource
