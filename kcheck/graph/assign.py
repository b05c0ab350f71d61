"""Which files form one cluster, without configuration in the layouts that people use.

Anchors are files that say something of brokers; everything else joins an anchor. Strong keys win:
the settings' own assignment, a declared or labelled cluster name, then nearness in the tree: a
declared cluster covers its folder and all below it, other anchors reach a step or two. Where two
anchors in one place contradict each other they are alternatives, not one cluster, and what lies
beside them belongs to neither for certain: an unknown cluster is better than a wrong one.
"""

from __future__ import annotations

from kcheck.graph.affinity import (
    NODES,
    bootstrap_hosts,
    environments,
    hosts,
    identity,
    names_others,
    service,
)
from kcheck.graph.anchors import Part, anchored
from kcheck.graph.cluster import Cluster
from kcheck.graph.forming import (
    Group,
    by_folder,
    covering,
    declares,
    folder_of,
    meant,
    namespace_of,
    nearest,
)
from kcheck.model import Document, Resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.settings import Settings

#: How far up a file without brokers looks for the cluster that it belongs to.
_REACH = 2


def group(documents: list[Document], settings: Settings) -> list[Cluster]:
    """The clusters of a project, in the order of their first files.

    Sets ``cluster`` on every resource that it places.
    """
    groups = gathered(documents, settings)
    return [formed(one, name, settings) for one, name in zip(groups, names(groups), strict=True)]


def gathered(documents: list[Document], settings: Settings) -> list[Group]:
    """The documents and resources of each cluster, in the order of their first files.

    Changes nothing in a document. Outlines (see ``outline.py``) are gathered as what they stand for.
    """
    assigned: dict[str, Group] = {}
    anchors: list[Part] = []
    rest: list[Part] = []
    order: dict[str, int] = {}
    # Files that somebody starts with other values over them are judged there.
    covered = {path for d in documents for kind, path in d.joins if kind == "covers"}
    for number, document in enumerate(documents):
        resources = document.resources
        if not resources or document.path in covered:
            continue
        order[document.path] = number
        name = settings.cluster_of(document.path)
        if name is not None:
            if name not in assigned:
                assigned[name] = Group(name, folder_of(document), document.path)
            assigned[name].take(document, resources)
            continue
        nodes = [r for r in resources if r.kind in NODES or r.kind == "cluster"]
        if nodes:
            anchors.append((document, nodes))
            resources = [r for r in resources if r not in nodes]
        if resources:
            rest.append((document, resources))
    owners = _owners(documents)
    found = anchored(anchors, owners)
    joiner = _Joiner(found, [*assigned.values(), *found], owners)
    joiner.join(rest)
    groups = [*assigned.values(), *found, *joiner.alone.values()]
    for one in groups:
        if len(one.documents) > 1:
            one.documents.sort(key=lambda document: order[document.path])
            one.resources.sort(key=lambda resource: order.get(resource.path, 0))
    groups.sort(key=lambda one: order[one.documents[0].path])
    return groups


class _Joiner:
    """Finds the cluster of what is no broker; ``alone`` are groups of files that have none."""

    def __init__(
        self, anchors: list[Group], all_groups: list[Group], owners: dict[str, Document]
    ) -> None:
        self._owners = owners
        self.alone: dict[tuple[object, ...], Group] = {}
        self._declared = by_folder(g for g in anchors if g.declared)
        self._named: dict[str, list[Group]] = {}
        #: Of names that no cluster has: those that they may be a slip of.
        self._misspelt: dict[str, list[Group]] = {}
        self._of: dict[int, list[Group]] = {}
        #: By folder: the anchors in it, and those a step or two below it.
        self._reached: dict[str, list[Group]] = {}
        #: Of each nameless or environment-less declaration: what the files below it name.
        self._below: dict[int, set[tuple[str, object]]] = {}
        for one in all_groups:
            if one.name:
                self._named.setdefault(one.name, []).append(one)
        for one in anchors:
            for document in one.documents:
                self._of.setdefault(id(document), []).append(one)
            folder = one.folder
            for _ in range(_REACH + 1):
                self._reached.setdefault(folder, []).append(one)
                if not folder:
                    break
                folder = folder.rpartition("/")[0]

    def join(self, rest: list[Part]) -> None:
        parts: list[tuple[Document, str, list[Resource]]] = []
        for document, resources in rest:
            for name, members in _by_cluster(resources):
                parts.append((document, name, members))
                if self._declared:
                    self._note(document, name)
        for document, name, members in parts:
            home = self._named_home if name else self._home
            target = home(document, name, members)
            if target is None and all(member.kind == "host" for member in members):
                continue  # limits of machines that nothing of Kafka's is known to run on
            (target or self._alone(document, name, members)).take(document, members)

    def _note(self, document: Document, name: str) -> None:
        """Remember what the files below a declaration name, to see whether they are of a kind."""
        cover = covering(folder_of(document), self._declared)
        if cover is None:
            return
        told = self._below.setdefault(id(cover), set())
        words = environments(document.path)
        if name:
            told.add(("name", name))
        if words:
            told.add(("environment", words))

    def _alone(self, document: Document, name: str, members: list[Resource]) -> Group:
        folder = folder_of(document)
        place: tuple[object, ...] = (folder, service(members[0]), _network(members[0]))
        if name:
            place = (name, namespace_of(members[0]), environments(document.path))
        if place not in self.alone:
            self.alone[place] = Group(name or None, folder, document.path)
        return self.alone[place]

    def _named_home(self, document: Document, name: str, members: list[Resource]) -> Group | None:
        candidates = self._named.get(name)
        if candidates:
            return nearest(candidates, document, namespace_of(members[0]))
        if all("labelled" in member.values for member in members):
            found = nearest(self._meant(name), document, namespace_of(members[0]))
            if found is not None:
                return found
        cover = covering(folder_of(document), self._declared)
        if cover is None or cover.name or not self._covers(cover, document):
            return None
        return cover if self._count_below(cover, "name") == 1 else None

    def _meant(self, name: str) -> list[Group]:
        if name not in self._misspelt:
            self._misspelt[name] = meant(name, self._named)
        return self._misspelt[name]

    def _covers(self, cover: Group, document: Document) -> bool:
        """Whether a declaration can mean a file below it, by the environments that both name."""
        words = environments(document.path)
        if not words or cover.told or cover.environments:
            return cover.admits(words)
        # It names none: fine as long as what lies below it is all of one environment.
        return self._count_below(cover, "environment") == 1

    def _count_below(self, cover: Group, what: str) -> int:
        return sum(kind == what for kind, _ in self._below[id(cover)])

    def _home(self, document: Document, name: str, members: list[Resource]) -> Group | None:
        """The one anchor that the file belongs to; None where none or several could be."""
        owner = self._owners.get(document.path, document)
        own = self._of.get(id(owner))
        elsewhere = members[0].values.get("asks elsewhere")
        if own and not elsewhere:
            return own[0] if len(own) == 1 else _asked(own, members)
        words = environments(document.path)
        folder = place = folder_of(document)
        cover = covering(folder, self._declared)
        managed = service(members[0])
        if members[0].managed == "compose":
            # Another compose file is another network, unless its brokers are asked by name.
            here = [g for g in self._reached.get(folder, ()) if g.folder == folder]
            found = None if managed else _asked(here, members)
            return found or self._covered(cover, document, managed)
        for _ in range(_REACH + 1):
            if cover is not None and cover.folder == place:
                break
            candidates = [
                g
                for g in self._reached.get(place, ())
                if not (managed and g.read_nodes) and not _others(g, members)
            ]
            if place == folder:
                here = [g for g in candidates if g.folder == folder]
                if here:
                    fitting = [g for g in here if g.admits(words)]
                    same = [g for g in fitting if words and g.environments == words]
                    if len(same or fitting) == 1:
                        return (same or fitting)[0]
                    return _asked(fitting, members)
            # The containers of a sibling are a project of its own, unless they are asked by name.
            aside = [g for g in candidates if g.folder != place and g.contained]
            if aside:
                found = _asked(aside, members)
                if found is not None:
                    return found
                candidates = [g for g in candidates if g not in aside]
            if candidates:
                # Beyond its own folder a file follows only what names the same environment.
                fitting = [g for g in candidates if g.environments == words]
                if len(fitting) == 1 and (words or len(candidates) == 1):
                    return fitting[0]
                return _asked(fitting, members)
            if not place:
                break
            place = place.rpartition("/")[0]
        return self._covered(cover, document, managed)

    def _covered(self, cover: Group | None, document: Document, managed: str) -> Group | None:
        if cover is None or (managed and cover.read_nodes) or not self._covers(cover, document):
            return None
        return cover


def _owners(documents: list[Document]) -> dict[str, Document]:
    """The compose file that mounts each file into a container of Kafka's, where that is one."""
    mounts: dict[str, list[Document]] = {}
    for document in documents:
        for kind, path in document.joins if document.resources else ():
            if kind == "mount":
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


def _others(group: Group, members: list[Resource]) -> bool:
    """Whether the clients ask other hosts than this cluster has."""
    nodes = group.nodes
    return bool(nodes) and any(names_others(member, nodes) for member in members)


def _network(resource: Resource) -> tuple[str, ...]:
    """What tells clients in containers apart: their compose file, and whom they ask beyond it."""
    if resource.managed != "compose":
        return ()
    if not resource.values.get("asks elsewhere"):
        return (resource.path,)
    return (resource.path, *(sorted(bootstrap_hosts(resource)) or "?"))


def _by_cluster(resources: list[Resource]) -> list[tuple[str, list[Resource]]]:
    """A file's resources by the cluster that they name; without one, by whom they ask."""
    if len(resources) == 1:
        return [(resources[0].cluster or "", resources)]
    found: dict[tuple[object, ...], list[Resource]] = {}
    for resource in resources:
        name = resource.cluster or ""
        place = () if name else (service(resource), _network(resource))
        found.setdefault((name, *place), []).append(resource)
    return [(members[0].cluster or "", members) for members in found.values()]


def _asked(groups: list[Group], members: list[Resource]) -> Group | None:
    """The one group whose brokers have the host names that the clients ask first."""
    wanted = {host for member in members for host in bootstrap_hosts(member)}
    found = [g for g in groups if any(wanted & hosts(r) for r in g.nodes)]
    return found[0] if len(found) == 1 else None


# -- groups → clusters ----------------------------------------------------------------------


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


def formed(one: Group, name: str, settings: Settings) -> Cluster:
    """The cluster of a group, whose resources get to know its name."""
    resources = _united(one)
    for resource in resources:
        resource.cluster = name
    return Cluster(name, resources, settings.cluster_settings(name, one.documents[0].path))


def _united(one: Group) -> list[Resource]:
    """The group's resources, with what several declarations say of one of them put together.

    A broker of a declaration is the node of that id in a broker file; the file's settings win,
    the declaration's facts do. Several declarations of a cluster are one.
    """
    if not one.declared:
        return one.resources
    declared = {id(r) for d in one.documents if declares(d) for r in d.resources}
    nodes = {identity(r): r for r in one.resources if r.kind in NODES and id(r) not in declared}
    whole: Resource | None = None
    kept: list[Resource] = []
    for resource in one.resources:
        if resource.kind == "cluster" and whole is not None:
            _add(whole, resource)
        elif resource.kind == "broker" and id(resource) in declared and resource.name in nodes:
            _add(nodes[resource.name], resource)
        else:
            whole = resource if resource.kind == "cluster" else whole
            kept.append(resource)
    return kept


def _add(to: Resource, other: Resource) -> None:
    for name, setting in other.settings.items():
        to.settings.setdefault(name, setting)
    for name, setting in other.dynamic.items():
        to.dynamic.setdefault(name, setting)
    for name, fact in other.facts.items():
        to.facts.setdefault(name, fact)
    for name, value in other.values.items():
        to.values.setdefault(name, value)
