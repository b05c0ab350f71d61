"""What joins no cluster that is read forms groups of its own: by address, name or folder."""

from __future__ import annotations

from collections.abc import Iterable

from kcheck.grouping.pieces import Piece
from kcheck.grouping.place import compatible, environments, regions
from kcheck.model import ALIAS, STRIMZI

#: How the Service of a Strimzi cluster's brokers is called behind the cluster's name.
_BOOTSTRAP = "-kafka-bootstrap"


class _Sets:
    """Sets of numbers that grow together (union-find)."""

    def __init__(self, count: int) -> None:
        self._above = list(range(count))

    def root(self, number: int) -> int:
        while self._above[number] != number:
            self._above[number] = self._above[self._above[number]]
            number = self._above[number]
        return number

    def unite(self, one: int, other: int) -> None:
        a, b = sorted((self.root(one), self.root(other)))
        self._above[b] = a


def components(left: list[Piece]) -> list[list[Piece]]:
    """The groups that pieces form without brokers, in the order of their first pieces.

    Pieces that ask one qualified address are of one cluster, and so are those that name one
    cluster in one namespace and environment. What neither names nor asks anybody goes with what
    lies in its folder, if that is of one cluster.
    """
    sets = _Sets(len(left))
    first: dict[tuple[object, ...], int] = {}
    loose: list[int] = []
    numbers = {id(piece): number for number, piece in enumerate(left)}
    for number, piece in enumerate(left):
        if piece.follows is not None:
            sets.unite(numbers[id(piece.follows)], number)
            continue
        keys = list(_keys(piece))
        if not keys and not piece.remote:
            loose.append(number)
        for key in keys:
            sets.unite(first.setdefault(key, number), number)
    _by_folder(left, loose, sets)
    _by_service(left, sets)
    found: dict[int, list[Piece]] = {}
    for number, piece in enumerate(left):
        found.setdefault(sets.root(number), []).append(piece)
    return list(found.values())


def _keys(piece: Piece) -> Iterable[tuple[object, ...]]:
    """What identifies the cluster of a piece wherever else it occurs."""
    if piece.name:
        if piece.origin == ALIAS:
            yield "alias", piece.path, piece.name
        else:
            where = environments(piece.path), regions(piece.path)
            yield "name", piece.name, piece.namespace, *where
    for address in piece.places:
        yield "address", address
    yield from _of_strimzi(piece)


def _of_strimzi(piece: Piece) -> Iterable[tuple[object, ...]]:
    """The Strimzi cluster whose label resources have, and whose Services clients ask."""
    where = environments(piece.path), regions(piece.path)
    if piece.name and piece.resources[0].traits.deployer == STRIMZI:
        yield "strimzi", piece.name, piece.namespace, *where
    elif not piece.name:
        for one in piece.asked:
            name, mark, rest = one.host.partition(_BOOTSTRAP)
            if name and mark and rest[:1] in ("", "."):
                yield "strimzi", name, rest[1:].partition(".")[0], *where


def _by_folder(left: list[Piece], loose: list[int], sets: _Sets) -> None:
    """Put pieces without an identity to the one cluster of their folder that could be theirs."""
    loose_ones = set(loose)
    at: dict[tuple[object, ...], set[int]] = {}
    for number, piece in enumerate(left):
        told = number not in loose_ones and not piece.remote
        if told and not piece.name and not piece.network:
            at.setdefault((_folder(piece), piece.service), set()).add(number)
    beside: dict[tuple[object, ...], int] = {}
    for number in loose:
        piece = left[number]
        place = (_folder(piece), piece.service, piece.network, *_network(piece))
        sets.unite(beside.setdefault(place, number), number)
    # What creates topics asks their cluster, be it a service's.
    everybody: dict[str, set[int]] = {}
    for (folder, _), numbers in at.items():
        everybody.setdefault(str(folder), set()).update(numbers)
    for (folder, service, network, *_), number in beside.items():
        there = at.get((folder, service), ())
        all_there = everybody.get(str(folder), set()) if not service else set()
        if not there and all(_creates(left[one]) for one in all_there):
            there = all_there
        known = {sets.root(one) for one in there}
        if len(known) == 1 and not network:
            sets.unite(known.pop(), number)


def _creates(piece: Piece) -> bool:
    """Whether a piece is a client that administers topics."""
    return all(resource.kind == "admin" for resource in piece.resources)


def _by_service(left: list[Piece], sets: _Sets) -> None:
    """Put clients of a managed service to the only topics that are declared on that service."""
    topics: dict[str, set[int]] = {}
    clients: dict[str, list[int]] = {}
    for number, piece in enumerate(left):
        if not piece.service or piece.remote:
            continue
        if any(resource.kind == "topic" for resource in piece.resources):
            topics.setdefault(piece.service, set()).add(sets.root(number))
        elif not piece.name:
            clients.setdefault(piece.service, []).append(number)
    for service, roots in topics.items():
        if len(roots) != 1:
            continue
        home = roots.pop()
        words = {environments(left[number].path) for number in clients.get(service, ())}
        for number in clients.get(service, ()):
            mine, theirs = environments(left[number].path), environments(left[home].path)
            if mine == theirs or (len(words) == 1 and compatible(mine, theirs)):
                sets.unite(home, number)


def _folder(piece: Piece) -> str:
    return piece.path.rpartition("/")[0]


def _network(piece: Piece) -> tuple[str, ...]:
    """What tells containers apart that ask nobody in their own file: whom they ask beyond it."""
    if not piece.network or not piece.elsewhere:
        return ()
    return tuple(sorted(one.host for one in piece.asked)) or ("?",)
