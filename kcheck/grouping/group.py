"""Clusters in the making: the documents that were put together, and how one of them is found again.

``anchors`` lets brokers and declarations form them, ``join`` lets everything else join.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kcheck.grouping import place
from kcheck.grouping.evidence import ANCHOR, REFERENCE, Join, Unjoined
from kcheck.grouping.nodes import NODES
from kcheck.grouping.place import compatible, environments, overlapping, regions
from kcheck.lexicon.suggest import relabelled
from kcheck.model import COMPOSE, STRIMZI, Document, Release, Resource

#: Managed services that a format tells, because their own tools declare the resource.


class Group:
    """Documents that form one cluster so far."""

    def __init__(self, name: str | None, folder: str, path: str) -> None:
        self.name = name
        self.folder = folder
        #: The file that it began with.
        self.path = path
        self.environments = environments(path)
        self.regions = regions(path)
        self.namespace = ""
        #: The managed service whose own tools declare it.
        self.service = ""
        self.documents: list[Document] = []
        self.resources: list[Resource] = []
        #: Its brokers and controllers, and whether anything of it is in a compose file's containers:
        #: kept, because thousands of files ask while they join.
        self.nodes: list[Resource] = []
        self.contained = False
        self.topics = False
        #: A compose file or custom resource: complete in itself.
        self.whole = False
        #: A declaration speaks of this cluster; ``told`` is the environment that it tells.
        self.declared = False
        self.told = ""
        #: Resources that are the same in another layer: (below, above), whose settings win.
        self.layers: list[tuple[Resource, Resource]] = []
        #: Resources that something changes which is not read.
        self.unknown: list[Resource] = []
        #: The versions that other files tell of its resources.
        self.releases: tuple[Release, ...] = ()
        #: Why each part of it is here, in the order in which they came.
        self.joins: list[Join] = []
        #: Why it has no brokers, of a group that could not join any.
        self.unjoined: Unjoined | None = None

    def take(
        self, document: Document, resources: Iterable[Resource], join: Join | None = None
    ) -> None:
        """Put resources of a document into the group, with the evidence for it."""
        resources = list(resources)
        if not self.documents or self.documents[-1] is not document:
            self.documents.append(document)
        for resource in resources:
            self.resources.append(resource)
            if resource.kind in NODES:
                self.nodes.append(resource)
            elif resource.kind == "topic":
                self.topics = True
            self.contained = self.contained or contained(resource)
            if not self.service and service(resource):
                self.service = service(resource)
        if resources:
            self.joins.append(join or Join(ANCHOR, "", document, resources))

    def place(self, path: str, namespace: str) -> None:
        """Let the group be that of another file: of the overlay that builds it."""
        self.path, self.folder = path, path.rpartition("/")[0]
        self.environments, self.regions = environments(path), regions(path)
        self.namespace = namespace or self.namespace

    def cover(self, lower: Resource, upper: Resource, document: Document) -> None:
        """Put an upper layer over one of the group's resources."""
        self.layers.append((lower, upper))
        if not any(one is document for one in self.documents):
            self.documents.append(document)
        self.resources.append(upper)
        text = f"it changes {lower.path}"
        self.joins.append(Join(REFERENCE, text, document, [upper]))

    def admits(self, words: frozenset[str]) -> bool:
        """Whether files that name these environments can belong to this cluster.

        Words that the declaration of another environment is below itself say nothing against it.
        """
        if self.told and words == self.environments:
            return True
        if self.told == "development":
            return "prod" not in words
        if self.told == "production":
            return words <= {"prod"}
        return compatible(words, self.environments)

    def admits_place(self, path: str) -> bool:
        """Whether a file of that path can belong to it, by environment and region."""
        if (self.told or self.environments) and not self.admits(environments(path)):
            return False
        return self.admits_region(path)

    def admits_region(self, path: str) -> bool:
        return not self.regions or overlapping(regions(path), self.regions)

    @property
    def read_nodes(self) -> bool:
        """Whether some file holds the configuration of its brokers."""
        return any(r.kind in NODES and not declares(d) for d in self.documents for r in d.resources)

    def __repr__(self) -> str:
        return f"Group({self.name} {self.path})"


def contained(resource: Resource) -> bool:
    """Whether the resource is a container of a compose file."""
    return resource.traits.deployer == COMPOSE


def service(resource: Resource) -> str:
    """The managed service whose own tools declare the resource; "" if none does."""
    return resource.traits.service


def folder_of(document: Document) -> str:
    return document.path.rpartition("/")[0]


def namespace_of(resource: Resource) -> str:
    return resource.traits.namespace


def declares(document: Document) -> bool:
    """Whether this is a declaration that speaks of a cluster."""
    return any(r.kind == "cluster" for r in document.resources)


class Groups:
    """Groups in the making, found by name, folder and document: a fleet has thousands of them."""

    def __init__(self) -> None:
        self.all: list[Group] = []
        self._named: dict[str, list[Group]] = {}
        self._at: dict[str, list[Group]] = {}
        self._holding: dict[int, list[Group]] = {}

    def add(self, one: Group) -> None:
        self.all.append(one)
        if one.name:
            self._named.setdefault(one.name, []).append(one)
        self._at.setdefault(one.folder, []).append(one)
        for document in one.documents:
            self._holding.setdefault(id(document), []).append(one)

    def take(
        self,
        one: Group,
        document: Document,
        resources: Iterable[Resource],
        join: Join | None = None,
    ) -> None:
        """Put more into a group that was added."""
        held = self._holding.setdefault(id(document), [])
        if one not in held:
            held.append(one)
        one.take(document, resources, join)

    def name(self, one: Group, name: str | None) -> None:
        """Name a group that was nameless."""
        if name and not one.name:
            one.name = name
            self._named.setdefault(name, []).append(one)

    def named(self, name: str) -> list[Group]:
        return self._named.get(name, [])

    def meant(self, name: str) -> list[Group]:
        return meant(name, self._named)

    def at(self, folder: str) -> list[Group]:
        return self._at.get(folder, [])

    def holding(self, document: Document) -> list[Group]:
        return self._holding.get(id(document), [])


def begun(name: str | None, document: Document, nodes: Iterable[Resource]) -> Group:
    made = Group(name, folder_of(document), document.path)
    made.take(document, nodes)
    return made


def meant(name: str, named: dict[str, list[Group]]) -> list[Group]:
    """The custom resources of Kafka that a label means which names none; mostly none."""
    found = [one for one in relabelled(name, named) if any(map(_owned, named[one]))]
    return [g for g in named[found[0]] if _owned(g)] if len(found) == 1 else []


def _owned(group: Group) -> bool:
    """Whether a custom resource of Strimzi's names the cluster."""
    return any(r.traits.deployer == STRIMZI and not r.traits.pool for r in group.nodes)


def possible(candidates: list[Group], path: str, namespace: str) -> list[Group]:
    """The clusters of a name that a file can mean, by its namespace and its place."""
    return [
        g
        for g in candidates
        if (not namespace or not g.namespace or g.namespace == namespace) and g.admits_place(path)
    ]


def nearest(
    candidates: list[Group], document: Document, namespace: str, path: str = ""
) -> Group | None:
    """The one cluster of a name that a file can mean: of its folder, else of its environment,
    else the one that shares the most of its path."""
    path = path or document.path
    return closest(narrowed(candidates, document, namespace, path), path)


def narrowed(candidates: list[Group], document: Document, namespace: str, path: str) -> list[Group]:
    """The clusters of a name that a file can mean: those of its folder, else of its environment."""
    fitting = possible(candidates, path, namespace)
    if len(fitting) < 2:
        return fitting
    words = environments(path)
    tests: tuple[Callable[[Group], bool], ...] = (
        lambda g: document in g.documents,
        lambda g: bool(namespace) and g.namespace == namespace,
        lambda g: g.folder == folder_of(document),
        lambda g: bool(words) and g.environments == words,
    )
    for test in tests:
        found = [g for g in fitting if test(g)]
        if len(found) == 1:
            return found
        fitting = found or fitting
    return fitting


def alike(groups: list[Group], path: str) -> bool:
    """Whether several clusters are as near to a path as each other, words of paths aside."""
    return len(groups) > 1 and len(place.closest(path, [group.path for group in groups])) > 1


def without_variants(groups: list[Group]) -> list[Group]:
    """The groups without those of compose files that are read on top of the files of another one."""
    paths = {document.path for one in groups for document in one.documents}
    found = [
        one
        for one in groups
        if not any(path in paths for document in one.documents for path in document.extent.project)
    ]
    return found or groups


def closest(groups: list[Group], path: str) -> Group | None:
    """The one group whose place in the tree is that of the path; None where that is open."""
    if len(groups) < 2:
        return groups[0] if groups else None
    found = place.nearest(path, [group.path for group in groups])
    return groups[found[0]] if len(found) == 1 else None


def by_folder(groups: Iterable[Group]) -> dict[str, list[Group]]:
    found: dict[str, list[Group]] = {}
    for one in groups:
        found.setdefault(one.folder, []).append(one)
    return found


def covering(folder: str, declared: dict[str, list[Group]]) -> Group | None:
    """The declared cluster whose folder is the closest one at or above; None if there are two."""
    while declared:
        here = declared.get(folder)
        if here:
            return here[0] if len(here) == 1 else None
        if not folder:
            break
        folder = folder.rpartition("/")[0]
    return None
