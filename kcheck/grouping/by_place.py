"""Clusters by place and service: which of them nothing contradicts, and which lies nearest."""

from __future__ import annotations

from kcheck.grouping import place
from kcheck.grouping.contradictions import EXAMPLE, SERVICE, of_places, spoken
from kcheck.grouping.evidence import NEARNESS, Join
from kcheck.grouping.group import Group, by_folder, covering, folder_of, without_variants
from kcheck.grouping.index import Index
from kcheck.grouping.names import loopback, qualified
from kcheck.grouping.pieces import Piece
from kcheck.grouping.place import environments, regions
from kcheck.model import Document

#: How far up a file without brokers looks for the cluster that it belongs to, among several.
_REACH = 2


class Places:
    """The clusters of a project by where they lie, as far as files can belong to them."""

    def __init__(self, anchors: list[Group], index: Index) -> None:
        self._anchors = anchors
        self._index = index
        self._declared = by_folder(g for g in anchors if g.declared)
        #: By folder: the anchors in it, and those a step or two below it.
        self._reached: dict[str, list[Group]] = {}
        #: Of each nameless or environment-less declaration: what the files below it name.
        self._below: dict[int, set[tuple[str, object]]] = {}
        self._single: dict[tuple[object, ...], list[Group]] = {}
        #: Of pieces that no cluster fits: why, by what decides that.
        self._contradictions: dict[tuple[object, ...], str] = {}
        self._everything: list[Piece] = []
        self._several: bool | None = None
        #: Of clusters that fit alike: those at or below each folder.
        self._spread: dict[tuple[int, ...], dict[str, list[Group]]] = {}
        for one in anchors:
            folder = one.folder
            for _ in range(_REACH + 1):
                self._reached.setdefault(folder, []).append(one)
                if not folder:
                    break
                folder = folder.rpartition("/")[0]

    def survey(self, everything: list[Piece]) -> None:
        """Look at all that is to be joined: what it names tells what a declaration can mean."""
        self._everything = everything
        if self._declared:
            for piece in everything:
                self._note(piece)

    def cover(self, document: Document) -> Group | None:
        """The cluster that is declared for the folder of a file, or for one above it."""
        return covering(folder_of(document), self._declared)

    def fitting(self, piece: Piece) -> list[Group]:
        """The clusters that nothing contradicts; one of the same environment before the others."""
        words = environments(piece.path)
        kind = _kind(piece)
        named = any(qualified(one.host) for one in piece.asked)
        place_of = (words, regions(piece.path), place.collection(piece.path))
        key = (*place_of, piece.service, kind, named, frozenset(piece.namespaces))
        found = self._single.get(key)
        if found is None:
            found = [
                g for g in self._anchors if not (self.denied(g, piece) or self.strange(g, piece))
            ]
            if words:
                same = [g for g in found if g.environments == words]
                # A cluster of no environment is not that of two of them.
                found = same or [
                    g for g in found if g.told or g.environments or not self._environments_differ()
                ]
            found = self._single[key] = without_variants(found)
        return found

    def _environments_differ(self) -> bool:
        """Whether the files are of several environments."""
        if self._several is None:
            found = {environments(piece.path) for piece in self._everything}
            self._several = len(found - {frozenset()}) > 1
        return self._several

    def denied(self, group: Group, piece: Piece) -> bool:
        """Whether the places or the services of a file and a cluster contradict each other."""
        return (
            not group.admits_place(piece.path)
            or self.other_service(group, piece)
            or place.strangers(piece.path, group.path)
            or place.of_module(piece.path, group.path)
        )

    def other_service(self, group: Group, piece: Piece) -> bool:
        if piece.service:
            return group.service != piece.service if group.service else group.read_nodes
        # A name of one's own in front of a service is seldom.
        return (
            bool(group.service)
            and not self._index.complete(group)
            and any(qualified(one.host) for one in piece.asked)
        )

    def strange(self, group: Group, piece: Piece, near: bool = False) -> bool:
        """Whether a file asks addresses that are surely none of the cluster's.

        ``near``: beside the cluster ``localhost`` may stand for what its host publishes.
        """
        if group.namespace and piece.namespaces and group.namespace not in piece.namespaces:
            return True
        if not self._index.complete(group):
            return False
        return _kind(piece) == _ELSEWHERE or (not near and _kind(piece) == _MACHINE)

    def nearer(self, groups: list[Group], path: str) -> list[Group]:
        """The groups that share the most of a path, where those are several: what to choose from."""
        key = tuple(map(id, groups))
        below = self._spread.get(key)
        if below is None:
            below = self._spread[key] = {}
            for one in groups:
                folder = one.folder
                while folder:
                    below.setdefault(folder, []).append(one)
                    folder = folder.rpartition("/")[0]
        folder = path.rpartition("/")[0]
        while folder and folder not in below:
            folder = folder.rpartition("/")[0]
        found = below.get(folder, groups)
        return found if len(found) > 1 else groups

    def contradicted(self, piece: Piece) -> str:
        """Why none of the clusters fits a piece that asks nobody."""
        words, areas = environments(piece.path), regions(piece.path)
        key = (words, areas, place.collection(piece.path), piece.service)
        known = self._contradictions.get(key)
        if known is None:
            known = self._contradictions[key] = self._objection(piece)
        return known

    def _objection(self, piece: Piece) -> str:
        told: set[str] = set()
        nowhere = False
        for one in self._anchors:
            why = of_places(piece.path, one)
            if self.other_service(one, piece):
                why.add(SERVICE)
            if place.of_module(piece.path, one.path):
                why.add(EXAMPLE)
            told |= why
            nowhere = nowhere or not why
        parts = [f"in {spoken(told)}"] if told else []
        if nowhere:
            parts.append("in no environment, though files are in several")
        return f"the known clusters are {', or '.join(parts)}"

    def near(self, piece: Piece, cover: Group | None) -> Group | None:
        """The anchor that is nearest in the tree, a step or two away; None where that is open."""
        words = environments(piece.path)
        folder = at = folder_of(piece.document)
        for _ in range(_REACH + 1):
            if cover is not None and cover.folder == at:
                break
            candidates = [
                g
                for g in self._reached.get(at, ())
                if not self.other_service(g, piece)
                and not self.strange(g, piece, True)
                and not place.strangers(piece.path, g.path)
                and g.admits_region(piece.path)
            ]
            if at == folder:
                here = [g for g in candidates if g.folder == folder]
                if here:
                    fitting = [g for g in here if g.admits(words)]
                    same = [g for g in fitting if words and g.environments == words]
                    return (same or fitting)[0] if len(same or fitting) == 1 else None
            # The containers of a sibling are a project of its own; of several such projects side
            # by side each has its cluster, so that what lies in none of them has another one.
            apart = {g.folder for g in candidates if g.folder != at and g.contained}
            if len(apart) > 1:
                candidates = [g for g in candidates if g.folder == at]
            candidates = [g for g in candidates if g.folder == at or not g.contained]
            if candidates:
                # Beyond its own folder a file follows only what names the same environment.
                fitting = [g for g in candidates if g.environments == words]
                if len(fitting) == 1 and (words or len(candidates) == 1):
                    return fitting[0]
                return None
            if not at:
                break
            at = at.rpartition("/")[0]
        return None

    def covered(self, cover: Group | None, piece: Piece) -> tuple[Group, Join] | None:
        if (
            cover is None
            or (piece.service and cover.read_nodes)
            or self.strange(cover, piece, True)
            or not self.covers(cover, piece.document)
        ):
            return None
        return cover, piece.join(NEARNESS, f"{cover.path} declares the cluster of its folder")

    def covers(self, cover: Group, document: Document) -> bool:
        """Whether a declaration can mean a file below it, by the environments that both name."""
        words = environments(document.path)
        if not words or cover.told or cover.environments:
            return cover.admits(words)
        # It names none: fine as long as what lies below it is all of one environment.
        return self._count_below(cover, "environment") == 1

    def only_name(self, cover: Group, document: Document) -> bool:
        """Whether a nameless declaration can mean the one name that the files below it have."""
        return self.covers(cover, document) and self._count_below(cover, "name") == 1

    def _count_below(self, cover: Group, what: str) -> int:
        return sum(kind == what for kind, _ in self._below.get(id(cover), ()))

    def _note(self, piece: Piece) -> None:
        """Remember what the files below a declaration name, to see whether they are of a kind."""
        cover = self.cover(piece.document)
        if cover is None:
            return
        told = self._below.setdefault(id(cover), set())
        words = environments(piece.path)
        if piece.name:
            told.add(("name", piece.name))
        if words:
            told.add(("environment", words))


#: Whom a piece asks: nobody (or, for want of a variable, a developer's machine), the machine that it
#: runs on, or somebody else.
_NOBODY, _MACHINE, _ELSEWHERE = range(3)


def _kind(piece: Piece) -> int:
    if all(one.stands_in for one in piece.asked):
        return _NOBODY
    return _MACHINE if all(loopback(one.host) for one in piece.asked) else _ELSEWHERE
