"""Which files form one cluster, without configuration in the layouts that people use.

Anchors are files that say something of brokers; everything else joins an anchor. Strong keys win:
the settings' own assignment, a declared or labelled cluster name, then nearness in the tree: a
declared cluster covers its folder and all below it, other anchors reach a step or two. Where two
anchors in one place contradict each other they are alternatives, not one cluster, and what lies
beside them belongs to neither for certain.
"""

from __future__ import annotations

from kcheck.graph.cluster import Cluster
from kcheck.model import Document, Resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.settings import Settings

#: How far up a file without brokers looks for the cluster that it belongs to.
_REACH = 2

_ENVIRONMENTS = {
    "dev": "dev",
    "development": "dev",
    "test": "test",
    "testing": "test",
    "int": "int",
    "qa": "qa",
    "uat": "uat",
    "stg": "stage",
    "stage": "stage",
    "staging": "stage",
    "sandbox": "sandbox",
    "prod": "prod",
    "prd": "prod",
    "production": "prod",
    "real": "prod",
    "local": "local",
}


_NODES = ("broker", "controller")


class _Group:
    """Documents that form one cluster so far."""

    def __init__(self, name: str | None, folder: str, anchor: bool) -> None:
        self.name = name
        self.folder = folder
        self.anchor = anchor
        self.documents: list[Document] = []
        self.resources: list[Resource] = []
        #: A compose file or custom resource: complete in itself.
        self.whole = False

    @property
    def declared(self) -> bool:
        """Whether a kcheck declaration speaks of this cluster."""
        return any(r.kind == "cluster" for r in self.resources)

    def take(self, document: Document, resources: list[Resource]) -> None:
        if document not in self.documents[-1:]:
            self.documents.append(document)
        self.resources.extend(resources)


def group(documents: list[Document], settings: Settings) -> list[Cluster]:
    """The clusters of a project, in the order of their first files.

    Sets ``cluster`` on every resource that it places.
    """
    groups: list[_Group] = []
    by_name: dict[tuple[str, str], _Group] = {}
    rest: list[Document] = []
    anchors: list[Document] = []
    for document in documents:
        if not document.resources:
            continue
        assigned = settings.cluster_of(document.path)
        if assigned is not None:
            found = by_name.get(("settings", assigned))
            if found is None:
                found = by_name["settings", assigned] = _Group(assigned, _folder(document), False)
                groups.append(found)
            found.take(document, document.resources)
        elif any(r.kind in ("broker", "controller", "cluster") for r in document.resources):
            anchors.append(document)
        else:
            rest.append(document)
    anchored = _anchor(anchors)
    groups.extend(anchored)
    _join(rest, anchored, groups)
    return _clusters(groups, settings)


def _folder(document: Document) -> str:
    return document.path.rpartition("/")[0]


# -- anchors --------------------------------------------------------------------------------


def _anchor(documents: list[Document]) -> list[_Group]:
    groups: list[_Group] = []
    loose: dict[str, list[Document]] = {}
    pools: list[Document] = []
    for document in documents:
        joins = dict(document.joins)
        if "whole" in joins:
            # A compose file or a custom resource is a cluster of its own, several if it says so.
            groups.extend(_whole(document, joins.get("name")))
        elif "pool" in joins:
            pools.append(document)
        else:
            loose.setdefault(_folder(document), []).append(document)
    for document in pools:
        _pool(document, groups)
    for folder, members in _siblings(loose).items():
        groups.extend(_merge(folder, members, groups))
    return _covered(groups)


def _covered(groups: list[_Group]) -> list[_Group]:
    """Broker files below a declared cluster are its nodes, if they can be nodes of one cluster."""
    taken: set[int] = set()
    for one in groups:
        if not one.declared or any(r.kind in _NODES for r in one.resources):
            continue
        below = [g for g in groups if not g.declared and _nearest(g.folder, groups) is one]
        documents = [document for g in below for document in g.documents]
        if below and not any(g.whole for g in below) and _agree(documents):
            for g in below:
                taken.add(id(g))
                for document in g.documents:
                    one.take(document, document.resources)
    return [g for g in groups if id(g) not in taken]


def _nearest(folder: str, groups: list[_Group]) -> _Group | None:
    """The declared cluster whose folder is the closest one at or above; None if there are two."""
    while True:
        here = [g for g in groups if g.declared and g.folder == folder]
        if here:
            return here[0] if len(here) == 1 else None
        if not folder:
            return None
        folder = folder.rpartition("/")[0]


def _whole(document: Document, name: str | None) -> list[_Group]:
    """One group per cluster that the resources of the file name; unnamed ones are one cluster."""
    found: dict[str, _Group] = {}
    for resource in document.resources:
        key = resource.cluster or name or ""
        made = found.get(key)
        if made is None:
            made = found[key] = _Group(key or None, _folder(document), True)
            made.whole = True
        made.take(document, [resource])
    # Resources that name no cluster (a client service beside one cluster) belong to the only one.
    unnamed = found.get("")
    if unnamed is not None and len(found) == 2:
        other = next(g for key, g in found.items() if key)
        other.take(document, unnamed.resources)
        del found[""]
    return list(found.values())


def _pool(document: Document, groups: list[_Group]) -> None:
    """Node pools join the custom resource of their cluster, if there is just one in reach."""
    name = dict(document.joins).get("name")
    for candidates in (
        [g for g in groups if g.name == name and g.folder == _folder(document)],
        [g for g in groups if g.name == name],
    ):
        if len(candidates) == 1:
            candidates[0].take(document, document.resources)
            return
    made = _Group(name, _folder(document), True)
    made.take(document, document.resources)
    groups.append(made)


def _siblings(loose: dict[str, list[Document]]) -> dict[str, list[Document]]:
    """Folders ``kafka1/ kafka2/ kafka3/`` under one parent hold the nodes of one cluster."""
    merged: dict[str, list[Document]] = {}
    for folder, members in loose.items():
        stem = folder.rstrip("0123456789")
        parent, _, base = folder.rpartition("/")
        twins = [other for other in loose if other.rstrip("0123456789") == stem and other != folder]
        numbered = base.rstrip("0123456789-_") != base and base.rstrip("0123456789-_") != ""
        single = all(len(loose[f]) == 1 for f in (folder, *twins))
        home = parent if numbered and twins and single else folder
        merged.setdefault(home, []).extend(members)
    return merged


def _merge(folder: str, members: list[Document], groups: list[_Group]) -> list[_Group]:
    """Broker files and declarations of one folder: one cluster, or alternatives of each other."""
    declared = [d for d in members if any(r.kind == "cluster" for r in d.resources)]
    nodes = [d for d in members if d not in declared]
    names = list(dict.fromkeys(dict(d.joins).get("name") for d in declared))
    made: list[_Group] = []
    whole_here = [g for g in groups if g.folder == folder]
    if len(declared) > 1 and len(names) > 1:
        for document in declared:
            one = _Group(dict(document.joins).get("name"), folder, True)
            one.take(document, document.resources)
            made.append(one)
        declared = []
    if nodes and _agree(nodes):
        one = _Group(names[0] if len(names) == 1 else None, folder, True)
        for document in (*declared, *nodes):
            one.take(document, document.resources)
        return [*made, one]
    if nodes:
        for document in nodes:
            one = _Group(None, folder, True)
            one.take(document, document.resources)
            made.append(one)
    if declared:
        target = whole_here[0] if len(whole_here) == 1 and not nodes else None
        if target is None:
            target = _Group(names[0] if len(names) == 1 else None, folder, True)
            made.append(target)
        for document in declared:
            target.take(document, document.resources)
            target.name = target.name or dict(document.joins).get("name")
    return made


def _agree(nodes: list[Document]) -> bool:
    """Whether broker files can be nodes of one cluster: different ids, one quorum."""
    ids: set[str] = set()
    quorums: set[str] = set()
    for document in nodes:
        for resource in document.resources:
            if resource.kind not in _NODES:
                continue
            setting = resource.settings.get("node.id") or resource.settings.get("broker.id")
            identity = (setting.text if setting else None) or ""
            if len(nodes) > 1 and identity and identity in ids:
                return False
            ids.add(identity)
            for key in ("controller.quorum.voters", "zookeeper.connect"):
                quorum = resource.settings.get(key)
                if quorum is not None and quorum.text:
                    quorums.add(f"{key}={quorum.text.replace(' ', '')}")
                    break
    return len(quorums) <= 1 and not (len(nodes) > 1 and "" in ids)


# -- everything else ------------------------------------------------------------------------


def _join(rest: list[Document], anchored: list[_Group], groups: list[_Group]) -> None:
    alone: dict[tuple[str, str], _Group] = {}
    by_folder: dict[str, list[_Group]] = {}
    for one in anchored:
        folder = one.folder
        for _ in range(_REACH + 1):
            by_folder.setdefault(folder, []).append(one)
            if not folder:
                break
            folder = folder.rpartition("/")[0]
    for document in rest:
        named: dict[str, list[Resource]] = {}
        for resource in document.resources:
            named.setdefault(resource.cluster or "", []).append(resource)
        for name, resources in named.items():
            target = _home(document, name, anchored, by_folder)
            if target is None:
                key = (name, "" if name else _folder(document))
                target = alone.get(key)
                if target is None:
                    target = alone[key] = _Group(name or None, _folder(document), False)
                    groups.append(target)
            target.take(document, resources)


def _home(
    document: Document, name: str, anchored: list[_Group], by_folder: dict[str, list[_Group]]
) -> _Group | None:
    """The one anchored cluster that the resources belong to; None where none or several could be."""
    folder = _folder(document)
    if name:
        mine = [g for g in anchored if g.name == name]
        for candidates in (
            [g for g in mine if document in g.documents],
            [g for g in mine if g.folder == folder],
            mine,
        ):
            if len(candidates) == 1:
                return candidates[0]
            if candidates:
                return None
        return None
    covering = _nearest(folder, anchored)
    place = folder
    for _ in range(_REACH + 1):
        if covering is not None and covering.folder == place:
            return covering
        candidates = by_folder.get(place, [])
        if place == folder:
            here = [g for g in candidates if g.folder == folder]
            if len(here) == 1:
                return here[0]
            if here:
                return None
        if candidates:
            if len(candidates) == 1 and _same_environment(document.path, candidates[0]):
                return candidates[0]
            return None
        if not place:
            break
        place = place.rpartition("/")[0]
    return _nearest(folder, anchored)


def _words(path: str) -> set[str]:
    found: set[str] = set()
    for part in path.lower().replace(".", "/").replace("_", "/").replace("-", "/").split("/"):
        if part in _ENVIRONMENTS:
            found.add(_ENVIRONMENTS[part])
    return found


def _same_environment(path: str, candidate: _Group) -> bool:
    mine = _words(path)
    theirs = _words(candidate.documents[0].path if candidate.documents else candidate.folder)
    return mine == theirs


def _clusters(groups: list[_Group], settings: Settings) -> list[Cluster]:
    clusters: list[Cluster] = []
    names: dict[str, int] = {}
    for one in groups:
        names[one.folder] = names.get(one.folder, 0) + (one.name is None)
    for one in groups:
        name = one.name
        if name is None:
            name = one.folder or "."
            if names[one.folder] > 1:
                name = one.documents[0].path
        path = one.documents[0].path
        for resource in one.resources:
            resource.cluster = name
        clusters.append(Cluster(name, one.resources, settings.cluster_settings(name, path)))
    return clusters
