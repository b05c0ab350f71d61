"""All documents of a project → its groups, in the order of their first files."""

from __future__ import annotations

from collections.abc import Sequence

from kcheck.grouping.anchors import Part, anchored
from kcheck.grouping.evidence import REFERENCE, SETTINGS, Conflict, Join, Unjoined
from kcheck.grouping.group import Group, folder_of
from kcheck.grouping.join import Joiner
from kcheck.grouping.nodes import NODES
from kcheck.model import BROKER, EVICTIONS, Document, Resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.grouping.overlays import World
    from kcheck.settings import Settings


#: The format whose resources name each other.
_NAMING = "cfk-cr"


class Gathered:
    """The groups of a project, what belongs to none of them, and where evidence contradicts.

    ``documents`` are all of the project, with those that hold nothing of a cluster's.
    """

    __slots__ = ("conflicts", "documents", "groups", "unjoined")

    def __init__(
        self,
        groups: list[Group],
        unjoined: list[Unjoined],
        conflicts: list[Conflict],
        documents: Sequence[Document] = (),
    ) -> None:
        self.documents = documents
        self.groups = groups
        self.unjoined = unjoined
        self.conflicts = conflicts

    @property
    def has_clusters(self) -> bool:
        """Whether brokers, or a declaration of them, are read.

        A repository of services alone has nothing to be joined with.
        """
        return any(group.nodes or group.declared for group in self.groups)

    @property
    def open(self) -> bool:
        """Whether rules on how files met have anything to look at: most projects of one file do not."""
        return (
            bool(self.conflicts)
            or any(one.services and self._asks(one) for one in self.documents)
            or (bool(self.unjoined) and self.has_clusters)
            or any(one.format == _NAMING for one in self.documents)
            or any(told.role == EVICTIONS for one in self.documents for told in one.references)
        )

    def _asks(self, document: Document) -> bool:
        """Whether somebody may ask the programs of a file by URLs; of a compose file alone by those
        of its network, which are looked at before more is loaded."""
        if len(self.documents) > 1 or document.format != "compose":
            return True
        return any(
            "://" in reference.text and reference.role != BROKER
            for resource in document.resources
            if resource.traits.network is not None
            for reference in resource.traits.network.references
        )


def gathered(documents: list[Document], settings: Settings) -> Gathered:
    """The documents and resources of each cluster, in the order of their first files.

    Changes nothing in a document. Outlines (see ``outline``) are gathered as what they stand for.
    """
    assigned: dict[str, Group] = {}
    anchors: list[Part] = []
    rest: list[Part] = []
    order: dict[str, int] = {}
    # Files that somebody starts with other values over them are judged there.
    covered = {path for document in documents for path in document.extent.covers}
    built = _built(documents, settings)
    layered = {id(document) for world in built for document in world.documents}
    for number, document in enumerate(documents):
        if not document.resources or document.path in covered:
            continue
        order[document.path] = number
        resources = _uncovered(document.resources, covered)
        if not resources or id(document) in layered:
            continue
        name = settings.cluster_of(document.path)
        if name is not None:
            _assign(assigned, name, document, resources, settings)
            continue
        # Of a node that a command configures somewhere nobody here knows the others.
        nodes = [r for r in resources if _anchors(r)]
        if nodes:
            anchors.append((document, nodes))
            resources = [r for r in resources if r not in nodes]
        if resources:
            rest.append((document, resources))
    owners = _owners(documents)
    found = anchored(anchors, owners)
    left: list[Unjoined] = []
    for world in built:
        inner = _world(world, owners)
        found += inner.groups
        left += inner.unjoined
    joiner = Joiner(
        [g for g in found if g.unjoined is None],
        [*assigned.values(), *found],
        owners,
        documents=documents,
    )
    joiner.join(rest)
    groups = [*assigned.values(), *found, *joiner.alone]
    if covered:
        _attach(documents, groups)
    _sort(groups, order)
    if any(document.extent.releases for document in documents):
        from kcheck.grouping.releases import attach  # few projects have any

        attach(documents, groups)
    return Gathered(groups, [*left, *joiner.left], joiner.conflicts, documents)


def _anchors(one: Resource) -> bool:
    return one.kind == "cluster" or (one.kind in NODES and not one.traits.apart)


def _assign(
    assigned: dict[str, Group],
    name: str,
    document: Document,
    resources: list[Resource],
    settings: Settings,
) -> None:
    """Put a document to the cluster that the settings assign it to."""
    if name not in assigned:
        assigned[name] = Group(name, folder_of(document), document.path)
    text = f"{settings.file or 'the settings'} assigns it to {name}"
    assigned[name].take(document, resources, Join(SETTINGS, text, document, resources))


def _sort(groups: list[Group], order: dict[str, int]) -> None:
    """Put groups, and what each of them holds, in the order of the files."""
    for one in groups:
        if len(one.documents) > 1:
            one.documents.sort(key=lambda document: order[document.path])
            one.resources.sort(key=lambda resource: order.get(resource.path, 0))
    groups.sort(key=lambda one: order[one.documents[0].path])


def _built(documents: list[Document], settings: Settings) -> list[World]:
    """The overlays of a project that the settings do not assign to clusters."""
    if not any(d.kustomize is not None or "/values" in f"/{d.path}" for d in documents):
        return []
    from kcheck.grouping.overlays import worlds

    return [one for one in worlds(documents) if not _assigned(one, settings)]


def _assigned(world: World, settings: Settings) -> bool:
    """Whether the settings say of some of its files which cluster they are of."""
    return any(settings.cluster_of(document.path) is not None for document in world.documents)


def _world(world: World, owners: dict[str, Document]) -> Gathered:
    """The groups of what one overlay builds, its patches over what they change."""
    layers = world.layers()
    uppers = {id(upper) for _, upper in layers}
    covered = {path for document in world.documents for path in document.extent.covers}
    anchors: list[Part] = []
    rest: list[Part] = []
    for document in world.documents:
        resources = [r for r in _uncovered(document.resources, covered) if id(r) not in uppers]
        # Of a node that a command configures somewhere nobody here knows the others.
        nodes = [r for r in resources if _anchors(r)]
        others = [r for r in resources if r not in nodes]
        if nodes:
            anchors.append((document, nodes))
        if others:
            rest.append((document, others))
    found = anchored(anchors, owners)
    for group in found:
        group.place(world.path, world.namespace)
    joiner = Joiner(found, found, owners, world.path)
    joiner.join(rest)
    groups = [*found, *joiner.alone]
    holders = {id(resource): group for group in groups for resource in group.resources}
    documents = {id(r): document for document in world.documents for r in document.resources}
    for lower, upper in layers:
        group = holders[id(lower)]
        holders[id(upper)] = group
        group.cover(lower, upper, documents[id(upper)])
    if world.unread:
        for group in groups:
            group.unknown += [r for r in group.resources if world.unknown(r)]
    return Gathered(groups, joiner.left, joiner.conflicts, world.documents)


def _uncovered(resources: list[Resource], covered: set[str]) -> list[Resource]:
    """The resources that no other file makes, too, with what it sets itself over it."""
    if not covered:
        return resources
    return [resource for resource in resources if resource.traits.holder not in covered]


def _attach(documents: list[Document], groups: list[Group]) -> None:
    """Let files be of the cluster of those that make their resources, too."""
    takers = {what: one for one in documents for what in one.extent.covers if "#" in what}
    if not takers:
        return
    homes = {id(document): group for group in groups for document in group.documents}
    for document in documents:
        held: dict[str, list[Resource]] = {}
        for resource in document.resources:
            if resource.traits.holder in takers:
                held.setdefault(resource.traits.holder, []).append(resource)
        for holder, resources in held.items():
            taker = takers[holder]
            group = homes.get(id(taker))
            if group is not None:
                if not any(one is document for one in group.documents):
                    group.documents.append(document)
                text = f"{taker.path} has its variables"
                group.joins.append(Join(REFERENCE, text, document, resources))


def _owners(documents: list[Document]) -> dict[str, Document]:
    """The compose file that mounts each file into a container of Kafka's, where that is one."""
    mounts: dict[str, list[Document]] = {}
    for document in documents:
        for path in document.extent.mounts if document.resources else ():
            mounts.setdefault(path, []).append(document)
    found: dict[str, Document] = {}
    if not mounts:
        return found
    for document in documents:
        place = document.path
        while place and document.resources:
            if place in mounts:
                if len(set(map(id, mounts[place]))) == 1:
                    found[document.path] = mounts[place][0]
                break
            place = place.rpartition("/")[0]
    return found


def names(groups: list[Group]) -> list[str]:
    """The clusters' names: declared, else the folder, else the file where a folder holds several."""
    nameless: dict[str, int] = {}
    for one in groups:
        nameless[one.folder] = nameless.get(one.folder, 0) + (one.name is None)

    def name(one: Group) -> str:
        if one.name is not None:
            return one.name
        return one.documents[0].path if nameless[one.folder] > 1 else one.folder or "."

    return [name(one) for one in groups]


def ids(groups: list[Group]) -> list[str]:
    """What tells each cluster from every other: its name and its place, ``prod@clusters/eu``.

    Adding a cluster elsewhere changes no other one's id; what shares both has its namespace, or its
    file, as well.
    """
    found: list[str] = []
    taken: dict[str, int] = {}
    for one, name in zip(groups, names(groups), strict=True):
        space = f"{one.namespace}/" if one.namespace else ""
        key = f"{space}{name}@{one.folder or '.'}" if one.name is not None else name
        taken[key] = taken.get(key, 0) + 1
        found.append(key)
    return [
        f"{key}/{one.path.rpartition('/')[2]}" if taken[key] > 1 else key
        for key, one in zip(found, groups, strict=True)
    ]
