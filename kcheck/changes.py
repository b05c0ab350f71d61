"""What a change does: each resource of today beside what it was, looked at by the rules of KC19.

A resource is found again by its file, kind and name, else by its cluster, kind and name, so that
neither a moved file nor another grouping of files looks like a removal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from kcheck.engine import Project
from kcheck.graph.change import (
    BrokerChange,
    Changed,
    ClientChange,
    DefaultsChange,
    PoolChange,
    Removal,
    TopicChange,
    TopicRemoval,
    UserChange,
)
from kcheck.graph.cluster import Cluster
from kcheck.graph.nodes import Node
from kcheck.graph.topics import Topic, TopicDefaults
from kcheck.model import FAILED, SKIPPED, START, Document, Position
from kcheck.runner import Runner


class Before:
    """An older state: ``project`` as it was read, ``label`` what it is called.

    ``renamed`` leads from old paths to new ones. ``whole`` says that what is missing now is
    removed; a part of the files, or a live cluster, does not tell that. With ``live`` the paths of
    both sides have nothing to do with each other. ``exists`` tells which files there are today.
    """

    def __init__(
        self,
        project: Project,
        label: str,
        renamed: dict[str, str] | None = None,
        whole: bool = True,
        live: bool = False,
        exists: Callable[[str], bool] = lambda path: False,
    ) -> None:
        self.project = project
        self.label = label
        self.renamed = renamed or {}
        self.whole = whole
        self.live = live
        self.exists = exists

    def path(self, old: str) -> str:
        """Where the file of that time is today."""
        return self.renamed.get(old, old)


def look(before: Before, project: Project, runner: Runner) -> None:
    """Run the rules on every change between the older state and the project of today."""
    for change in changes(before, project):
        runner.change(change)


def changes(before: Before, project: Project) -> Iterator[Changed | Removal]:
    """All resources that are there at both times, and the topics, connectors and users that are gone."""
    matched = _Matched(before, project)
    label = before.label
    for old, new in matched.pairs(_topics):
        yield TopicChange(old, new, label)
    for old, new in matched.pairs(_brokers):
        yield BrokerChange(old, new, label)
        # One view of the defaults stands for all brokers that agree on them.
        one, other = _defaults(old), _defaults(new)
        if one is not None and other is not None:
            yield DefaultsChange(one, other, label)
    for old, new in matched.pairs(_pools):
        yield PoolChange(old, new, label)
    for old, new in matched.pairs(_clients):
        yield ClientChange(old, new, label, matched.moved(old.cluster, new.cluster))
    for old, new in matched.pairs(_users):
        yield UserChange(old, new, label)
    matched.pairs(_connectors)
    yield from matched.removals()


def _topics(cluster: Cluster) -> list[Node]:
    # Brokers that differ give one topic several views.
    found: dict[int, Node] = {}
    for topic in cluster.topics:
        found.setdefault(id(topic.resource), topic)
    return [*found.values()]


def _brokers(cluster: Cluster) -> list[Node]:
    return [*cluster.brokers, *cluster.separate_controllers]


def _pools(cluster: Cluster) -> list[Node]:
    return cluster.pools


def _clients(cluster: Cluster) -> list[Node]:
    return [*cluster.clients]


def _users(cluster: Cluster) -> list[Node]:
    return [node for node in cluster.others if node.resource.kind == "user"]


def _connectors(cluster: Cluster) -> list[Node]:
    return [*cluster.connectors]


def _defaults(node: Node) -> TopicDefaults | None:
    return next((d for d in node.cluster.defaults if d.broker is node), None)


Nodes = Callable[[Cluster], list[Node]]
_Key = tuple[str, str, str]


class _Matched:
    """Pairs what was with what is."""

    def __init__(self, before: Before, project: Project) -> None:
        self._before = before
        self._project = project
        self._documents = {document.path: document for document in project.documents}
        self._gone: list[Node] = []
        #: Users and connectors that are gone.
        self._lost: list[Node] = []
        self._new: list[Node] = []

    def pairs(self, nodes: Nodes) -> list[tuple[Node, Node]]:
        old = [node for cluster in self._before.project.clusters for node in nodes(cluster)]
        new = [node for cluster in self._project.clusters for node in nodes(cluster)]
        found: list[tuple[Node, Node]] = []
        steps = [self._by_cluster] if self._before.live else [self._by_file, self._by_cluster]
        for key in steps:
            old, new = _joined(old, new, key, found)
        if self._before.live:
            old, new = _joined(old, new, _by_name, found, alone=True)
        if nodes is _topics:
            self._gone, self._new = old, new
        elif nodes is _users or nodes is _connectors:
            # Neither is lost by another grouping of files.
            old, new = _joined(old, new, _by_name, found)
            self._lost += old
        elif nodes is _clients or nodes is _brokers:
            # A client without a name is called by what changes: its group, its transactional id.
            old, new = _joined(old, new, self._by_kind, found, alone=True)
        return found

    def moved(self, old: Cluster, new: Cluster) -> bool:
        """Whether these are two clusters, both of them told by more than their clients.

        Where the one is gone and the other was not there, a cluster was renamed.
        """
        if old.name == new.name or not (_is_described(old) and _is_described(new)):
            return False
        there = any(cluster.name == old.name for cluster in self._project.clusters)
        return there or any(c.name == new.name for c in self._before.project.clusters)

    def _by_file(self, node: Node, old: bool) -> _Key:
        path = node.resource.path
        return (self._before.path(path) if old else path, node.resource.kind, node.name)

    def _by_cluster(self, node: Node, old: bool) -> _Key:
        return (node.cluster.name, node.resource.kind, node.name)

    def _by_kind(self, node: Node, old: bool) -> _Key:
        path = node.resource.path
        return (self._before.path(path) if old else path, node.resource.kind, "")

    # -- what is gone ------------------------------------------------------------------------

    def removals(self) -> Iterator[Removal]:
        if not self._before.whole:
            return
        for node in self._lost:
            place = self._place(node)
            if place is not None:
                yield Removal(node, self._cluster(node), self._before.label, *place)
        free = [node for node in self._new if isinstance(node, Topic)]
        gone = [node for node in self._gone if isinstance(node, Topic)]
        for topic in gone:
            place = self._place(topic)
            if place is None:
                continue
            successor = _successor(topic, place[0], gone, free)
            if successor is not None:
                free.remove(successor)
            yield TopicRemoval(topic, self._cluster(topic), self._before.label, *place, successor)

    def _place(self, node: Node) -> tuple[str, Position] | None:
        """Where the node was, by the paths of today; None where that file cannot be read now."""
        path = self._before.path(node.resource.path)
        document = self._documents.get(path)
        if _unread(document) or (document is None and self._before.exists(path)):
            return None
        return path, node.resource.at if document is None else START

    def _cluster(self, node: Node) -> Cluster:
        """The cluster of today that lost the node; its own of then where that is gone, too."""
        name = node.cluster.name
        return next((c for c in self._project.clusters if c.name == name), node.cluster)


def _is_described(cluster: Cluster) -> bool:
    return bool(cluster.brokers or cluster.declaration)


def _by_name(node: Node, old: bool) -> _Key:
    return ("", node.resource.kind, node.name)


def _joined(
    old: list[Node],
    new: list[Node],
    key: Callable[[Node, bool], _Key],
    found: list[tuple[Node, Node]],
    alone: bool = False,
) -> tuple[list[Node], list[Node]]:
    """Put pairs with the same key into ``found``; gives what is left of both sides.

    ``alone``: only where the key stands for one of each side.
    """
    there: dict[_Key, list[Node]] = {}
    for node in new:
        there.setdefault(key(node, False), []).append(node)
    counts: dict[_Key, int] = {}
    for node in old:
        counts[key(node, True)] = counts.get(key(node, True), 0) + 1
    left: list[Node] = []
    taken: set[int] = set()
    for node in old:
        place = key(node, True)
        others = there.get(place, [])
        if others and not (alone and (counts[place] > 1 or len(others) > 1)):
            other = others.pop(0)
            taken.add(id(other))
            found.append((node, other))
        else:
            left.append(node)
    return left, [node for node in new if id(node) not in taken]


def _unread(document: Document | None) -> bool:
    """Whether the file is there and cannot be read now, so that nobody knows what it declares."""
    if document is None:
        return False
    return document.status in (FAILED, SKIPPED) or any(
        problem.code == "KC0001" for problem in document.problems
    )


#: Names that have so much in common are one topic's two names.
_LIKE = 0.6


def _successor(
    topic: Topic, path: str, gone: Sequence[Topic], free: Sequence[Topic]
) -> Topic | None:
    """The new topic that stands where the old one stood and looks like it, if there is just one."""
    from difflib import SequenceMatcher

    here = [node for node in free if node.resource.path == path]
    lost = [node for node in gone if node.resource.path == topic.resource.path]
    like = [
        node
        for node in here
        if SequenceMatcher(None, node.name.lower(), topic.name.lower()).ratio() >= _LIKE
        or (len(here) == len(lost) == 1 and _shape(node) == _shape(topic))
    ]
    return like[0] if len(like) == 1 else None


def _shape(topic: Topic) -> tuple[object, ...]:
    settings = topic.resource.settings
    return (
        topic.partitions.text,
        topic.replication_factor.text,
        sorted((key, setting.text) for key, setting in settings.items()),
    )
