"""Which Connect workers run a connector: those that its label names, or the nearest ones."""

from __future__ import annotations

from kcheck.grouping import place
from kcheck.grouping.group import Group, namespace_of
from kcheck.grouping.pieces import Piece
from kcheck.model import Resource


class Workers:
    """The workers of a project, each with the group or the piece without one that it is in."""

    def __init__(self, groups: list[Group], left: list[Piece]) -> None:
        self._all: list[tuple[Resource, Group | Piece]] = []
        for group in groups:
            self._all += [(r, group) for r in group.resources if r.kind == "worker"]
        for piece in left:
            self._all += [(r, piece) for r in piece.resources if r.kind == "worker"]
        self._named: dict[str, list[tuple[Resource, Group | Piece]]] = {}
        for worker, home in self._all:
            self._named.setdefault(worker.name, []).append((worker, home))

    def running(self, piece: Piece) -> Group | Piece | None:
        """Where the workers of a connector are; None where nothing tells which those are."""
        label = piece.resources[0].traits.runs_on
        if label:
            known = [
                (worker, home)
                for worker, home in self._named.get(label) or self._meant(label)
                if not piece.namespace or namespace_of(worker) in ("", piece.namespace)
            ]
        else:
            known = [(w, home) for w, home in self._all if not place.strangers(piece.path, w.path)]
        known = [pair for pair in known if _admits(pair[0].path, piece.path)]
        homes = {id(home): home for _, home in known}
        if len(homes) > 1:
            nearest = place.nearest(piece.path, [worker.path for worker, _ in known])
            homes = {id(known[number][1]): known[number][1] for number in nearest}
        return homes.popitem()[1] if len(homes) == 1 else None

    def _meant(self, label: str) -> list[tuple[Resource, Group | Piece]]:
        """The workers that a label means which names none; no worker where it is not sure."""
        from kcheck.lexicon.suggest import relabelled

        near = relabelled(label, self._named)
        return self._named[near[0]] if len(near) == 1 else []


def _admits(path: str, other: str) -> bool:
    return place.compatible(
        place.environments(path), place.environments(other)
    ) and place.overlapping(place.regions(path), place.regions(other))
