"""Clusters by address: whose brokers answer at the bootstrap servers that a file asks."""

from __future__ import annotations

from collections.abc import Sequence

from kcheck.grouping import place
from kcheck.grouping.by_place import Places
from kcheck.grouping.contradictions import EXAMPLE, FOLDER, SERVICE, of_places, spoken
from kcheck.grouping.evidence import ADDRESS, AMBIGUOUS, DENIED, UNREAD, Conflict, Join, Unjoined
from kcheck.grouping.group import Group, alike, closest, folder_of, without_variants
from kcheck.grouping.index import GENERIC, SURE, Asker, Index, Match
from kcheck.grouping.names import loopback, qualified
from kcheck.grouping.pieces import Piece
from kcheck.grouping.place import environments


class Addresses:
    """The clusters of a project by the addresses of their brokers.

    ``several``: more than one cluster is read. ``conflicts`` are lists that reach two of them.
    """

    def __init__(self, index: Index, places: Places, several: bool) -> None:
        self._index = index
        self._places = places
        self._several = several
        self.conflicts: list[Conflict] = []

    def matches(self, piece: Piece) -> list[list[Match]]:
        asker = Asker(piece.path, piece.namespace, piece.network, piece.document.extent.project)
        return [self._index.find(one, asker) for one in piece.asked]

    def home(self, piece: Piece, own: Sequence[Group] = ()) -> tuple[Group, Join] | Unjoined | None:
        """The cluster that the bootstrap servers lead to; None where they tell nothing."""
        reached: dict[int, Match] = {}
        open_ones: list[Match] = []
        for found in self.matches(piece):
            fitting = [match for match in found if self._admits(match, piece)]
            chosen = self._choose(fitting, piece, own)
            if chosen is not None:
                reached.setdefault(id(chosen.group), chosen)
            elif fitting:
                open_ones = open_ones or fitting
        if reached:
            first, *others = reached.values()
            for other in others:
                self.conflicts.append(
                    Conflict(
                        piece.resources[0], first.asked.setting, first.group, other.group, True
                    )
                )
            join = piece.join(ADDRESS, _shown(first), first.asked.setting)
            join.guessed = first.guessed
            # Anybody's machine is localhost, and anybody's container kafka.
            join.inferred = first.certainty == GENERIC and _elsewhere(piece.path, first.group)
            return first.group, join
        if open_ones:
            candidates = [match.group for match in open_ones]
            text = f"{open_ones[0].asked.text} is an address of {len(candidates)} clusters"
            return piece.left(AMBIGUOUS, text, self._places.nearer(candidates, piece.path))
        return None

    def _objections(self, match: Match, piece: Piece) -> set[str]:
        """In which respects an address is contradicted; empty where ``_admits`` takes it."""
        if self._admits(match, piece):
            return set()
        group = match.group
        found = of_places(piece.path, group)
        if self._places.other_service(group, piece):
            found.add(SERVICE)
        if self._index.shared(match.answer.address) and not place.shared(piece.path, group.path):
            found.add(EXAMPLE)
        return found or {FOLDER}

    def _admits(self, match: Match, piece: Piece) -> bool:
        """Whether nothing contradicts an address."""
        group = match.group
        if self._places.other_service(group, piece):
            return False
        if match.certainty == SURE and qualified(match.asked.host):
            return True
        if self._index.shared(match.answer.address) and not place.shared(piece.path, group.path):
            return False
        if match.certainty == GENERIC and not loopback(match.asked.host):
            # kafka:9092 is another machine in every project: of several clusters the one around.
            inside = f"{piece.path.rpartition('/')[0]}/".startswith(f"{group.folder}/")
            if not inside and self._several:
                return False
        return group.admits_place(piece.path) and not place.strangers(piece.path, group.path)

    def _choose(self, matches: list[Match], piece: Piece, own: Sequence[Group]) -> Match | None:
        """The one cluster among those that answer at an address."""
        groups = [match.group for match in matches]
        mine = [g for g in groups if any(g is one for one in own)]
        words = environments(piece.path)
        if len(groups) > 1 and words:
            same = [g for g in groups if g.environments == words]
            groups = same or groups
        groups = without_variants(groups) if len(groups) > 1 else groups
        guessed = False
        if len(mine) == 1:
            found: Group | None = mine[0]
        elif len(groups) > 1 and piece.remote:
            found = None
        elif len(groups) > 1:
            around = _around(groups, piece)
            found = closest(groups, piece.path) or around
            guessed = found is not around and alike(groups, piece.path)
        else:
            found = groups[0] if groups else None
        for match in matches:
            if match.group is found:
                match.guessed = guessed
                return match
        return None

    def answering(self, piece: Piece, groups: list[Group]) -> list[Group]:
        """Those of several clusters that answer at an address that a piece asks."""
        there = {id(m.group) for found in self.matches(piece) for m in found if m.port}
        return [one for one in groups if id(one) in there]

    def unread(self, piece: Piece) -> Unjoined:
        """What an address tells that leads to no cluster: to none at all, or to one that is denied."""
        for found in self.matches(piece):
            told = {why for match in found for why in self._objections(match, piece)}
            if told:
                text = f"{found[0].asked.text} is an address of {spoken(told)}"
                return piece.left(DENIED, text, [match.group for match in found])
        text = f"{piece.asked[0].text} is not an address of a known cluster"
        return piece.left(UNREAD, text, [])


def _shown(match: Match) -> str:
    """What an address leads to, in words."""
    answer = match.answer
    listener = f", listener {answer.address.listener}" if answer.address.listener else ""
    node, told = answer.node, answer.address.setting
    path, line = (told.path, told.at[0]) if told is not None else (node.path, node.at[0])
    return f"{match.asked.text} is {node.kind} {node.name}{listener} ({path}:{line})"


def _elsewhere(path: str, group: Group) -> bool:
    """Whether a cluster lies in a part of the repository that has a name of its own, and the path in
    another one: brokers of both may be called so."""
    if not group.folder or "/" not in path or place.shared(path, group.path):
        return False
    theirs = place.words(f"{group.folder}/")
    return bool(theirs) and not theirs & place.words(path)


def _around(groups: list[Group], piece: Piece) -> Group | None:
    """The one group in whose folder, or below it, the file lies; the innermost of several."""
    folder = f"{folder_of(piece.document)}/"
    inside = [g for g in groups if not g.folder or folder.startswith(f"{g.folder}/")]
    if not inside:
        return None
    deepest = max(len(g.folder) for g in inside)
    found = [g for g in inside if len(g.folder) == deepest]
    return found[0] if len(found) == 1 else None
