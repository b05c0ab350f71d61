"""The clusters that brokers and declarations form: what everything else then joins.

A custom resource or compose file is a cluster of its own; broker files are the nodes of one where
their folders or names show it and nothing contradicts; a declaration takes the broker files of its
folder and below.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from kcheck.grouping.evidence import ANCHOR, Join
from kcheck.grouping.group import (
    Group,
    Groups,
    begun,
    by_folder,
    covering,
    declares,
    folder_of,
    namespace_of,
    nearest,
)
from kcheck.grouping.nodes import (
    NODES,
    agree,
    meet,
    one_quorum,
    quorum,
    shared_quorum,
    unnumbered,
)
from kcheck.model import Document, Resource

#: Numbered folders of these names hold one node each; ``chapter1 chapter2`` do not.
_NODE_WORDS = ("kafka", "broker", "node", "server", "controller", "instance", "host", "machine")
_DIGITS = "0123456789"

Part = tuple[Document, list[Resource]]


def anchored(parts: list[Part], owners: dict[str, Document]) -> list[Group]:
    """The groups of all documents that say something of brokers, with those resources only.

    ``owners`` are the compose files that mount a broker's file, by its path.
    """
    groups = Groups()
    loose: dict[str, list[Document]] = {}
    mounted: dict[str, list[Document]] = {}
    pools: list[tuple[Document, Resource]] = []
    declarations: list[Part] = []
    for document, nodes in parts:
        extent = document.extent
        if declares(document):
            declarations.append((document, nodes))
        elif document.path in owners:
            mounted.setdefault(owners[document.path].path, []).append(document)
        elif (extent.whole and not extent.piece) or any(r.traits.pool for r in nodes):
            pools.extend((document, r) for r in nodes if r.traits.pool)
            own = [r for r in nodes if not r.traits.pool]
            for one in _whole(document, own, extent.parted):
                groups.add(one)
        else:
            loose.setdefault(folder_of(document), []).append(document)
    for document, pool in pools:
        _pool(document, pool, groups)
    unmounted = [_left(owners[row[0].path], row, groups) for row in mounted.values()]
    for document in chain.from_iterable(unmounted):
        loose.setdefault(folder_of(document), []).append(document)
    for home, series in _series(loose):
        groups.add(_nodes(home, series))
    for document, nodes in declarations:
        _declarations(document, nodes, groups)
    return _covered(groups.all)


# -- files that are whole clusters ----------------------------------------------------------


def _whole(document: Document, nodes: list[Resource], told: bool) -> list[Group]:
    """A group per cluster that the nodes of a file name.

    Nameless ones are parted by their quorums, unless the format has ``told`` them apart already.
    """
    parts: list[tuple[tuple[str, str], list[Resource]]] = []
    for node in nodes:
        key = (node.cluster or "", namespace_of(node))
        for other, members in parts:
            if other == key and (
                told or key[0] or any(meet(quorum(m), quorum(node)) for m in members)
            ):
                members.append(node)
                break
        else:
            parts.append((key, [node]))
    groups: list[Group] = []
    for (name, namespace), members in parts:
        made = begun(name or None, document, members)
        made.whole, made.namespace = True, namespace
        groups.append(made)
    return groups


def _left(owner: Document, members: list[Document], groups: Groups) -> list[Document]:
    """Put the brokers' files that a compose file mounts to its own nodes; those that cannot be."""
    own = groups.holding(owner)
    if len(own) > 1 or not agree([owner, *members]):
        return members
    target = own[0] if own else begun(None, owner, ())
    if not own:
        groups.add(target)
    for document in members:
        groups.take(target, document, [r for r in document.resources if r.kind in NODES])
    return []


def _pool(document: Document, pool: Resource, groups: Groups) -> None:
    """A node pool joins the custom resource of its cluster, if there is just one in reach."""
    candidates = (
        [g for g in groups.named(pool.cluster) if g.whole]
        if pool.cluster
        else [g for g in groups.at(folder_of(document)) if g.whole and not g.name]
    )
    if not candidates and pool.cluster:
        candidates = groups.meant(pool.cluster)
    target = nearest(candidates, document, namespace_of(pool))
    if target is None:
        target = begun(pool.cluster, document, ())
        target.whole, target.namespace = True, namespace_of(pool)
        groups.add(target)
    groups.take(target, document, [pool])


# -- one file per node ----------------------------------------------------------------------


def _nodes(folder: str, documents: list[Document]) -> Group:
    made = Group(None, folder, documents[0].path)
    told = all(map(shared_quorum, documents)) or one_quorum(
        [r for document in documents for r in document.resources if r.kind in NODES]
    )
    for document in documents:
        nodes = [r for r in document.resources if r.kind in NODES]
        join = Join(ANCHOR, "", document, nodes)
        # What lies side by side may be alternatives, unless it names one quorum of a name of its own.
        join.inferred = not told
        made.take(document, nodes, join)
    return made


def _series(loose: dict[str, list[Document]]) -> Iterator[tuple[str, list[Document]]]:
    """Broker files that form a cluster, and its folder: by folders in a row, folder, names in a row."""
    left = dict(loose)
    agreeing = {folder: members for folder, members in loose.items() if agree(members)}
    for home, folders in _rows(agreeing):
        folders = [folder for folder in folders if folder in left]
        members = [document for folder in folders for document in agreeing[folder]]
        if len(folders) > 1 and agree(members):
            yield home, members
            for folder in folders:
                del left[folder]
    for folder, members in left.items():
        if folder in agreeing:
            yield folder, members
            continue
        rows: dict[str, list[Document]] = {}
        for document in members:
            rows.setdefault(unnumbered(document.path), []).append(document)
        for row in rows.values():
            for alternative in [row] if agree(row) else [[document] for document in row]:
                yield folder, alternative


def _rows(folders: dict[str, list[Document]]) -> Iterator[tuple[str, list[str]]]:
    """Folders that may hold the nodes of one cluster, and the folder above them, best first.

    ``kafka1/ kafka2/`` and the like, siblings that name a quorum of several members, and those of
    them that name the same one.
    """
    numbered: dict[str, list[str]] = {}
    alike: dict[tuple[str, str], list[str]] = {}
    siblings: dict[str, list[str]] = {}
    voters: dict[tuple[str, frozenset[str]], list[str]] = {}
    for folder, members in folders.items():
        parts = folder.split("/")
        for at, part in enumerate(parts):
            word = part.lower().rstrip(_DIGITS).rstrip("-_.")
            if part[-1:] in _DIGITS and word.endswith(_NODE_WORDS):
                home = "/".join(parts[:at])
                numbered.setdefault(home, []).append(folder)
                alike.setdefault((home, "/".join((word, *parts[at + 1 :]))), []).append(folder)
                break
        if folder and all(map(shared_quorum, members)):
            home = folder.rpartition("/")[0]
            siblings.setdefault(home, []).append(folder)
            voters.setdefault((home, _quorums(members)), []).append(folder)
    yield from numbered.items()
    for (home, _), row in alike.items():
        yield home, row
    yield from siblings.items()
    # Beside each other, the nodes of several clusters: kafka1-a kafka2-a kafka1-b kafka2-b.
    for (home, _), row in voters.items():
        yield home, row


def _quorums(documents: list[Document]) -> frozenset[str]:
    """The members of all quorums that the nodes of some files name."""
    nodes = [r for document in documents for r in document.resources if r.kind in NODES]
    return frozenset(chain.from_iterable(chain.from_iterable(quorum(n).values()) for n in nodes))


# -- declarations ---------------------------------------------------------------------------


def _declarations(document: Document, nodes: list[Resource], groups: Groups) -> None:
    """Each cluster that a file declares, with its nodes."""
    for cluster in list(nodes):
        if cluster.kind != "cluster" or cluster not in nodes:
            continue
        mine = [r for r in nodes if r is cluster or r.cluster == cluster.cluster]
        nodes = [r for r in nodes if r not in mine]
        _declared(document, cluster, mine, groups)


def _declared(document: Document, cluster: Resource, mine: list[Resource], groups: Groups) -> None:
    """A declaration joins one of its name, or the one anchor of its folder, or stands alone."""
    name = cluster.cluster
    target = nearest(groups.named(name), document, "") if name else None
    if target is None:
        here = [g for g in groups.at(folder_of(document)) if not g.declared]
        if len(here) == 1 and not (here[0].name and name):
            target = here[0]
    if target is None:
        target = begun(name, document, ())
        groups.add(target)
    groups.take(target, document, mine)
    groups.name(target, name)
    target.declared = True
    told = cluster.facts.get("environment")
    target.told = target.told or (told.text or "" if told is not None else "")


def _covered(groups: list[Group]) -> list[Group]:
    """Broker files below a declared cluster are its nodes, if they can be nodes of one cluster."""
    declared = by_folder(g for g in groups if g.declared)
    below: dict[int, list[Group]] = {}
    for one in groups:
        cover = None if one.declared or one.whole else covering(one.folder, declared)
        if cover is not None and not cover.whole and cover.admits(one.environments):
            below.setdefault(id(cover), []).append(one)
    taken: set[int] = set()
    for one in groups:
        candidates = below.get(id(one), [])
        files = [d for g in (one, *candidates) for d in g.documents if not declares(d)]
        if candidates and agree(files):
            for candidate in candidates:
                taken.add(id(candidate))
                for document in candidate.documents:
                    one.take(document, [r for r in document.resources if r.kind in NODES])
    return [g for g in groups if id(g) not in taken]
