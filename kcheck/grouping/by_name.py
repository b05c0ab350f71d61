"""Clusters by name: the one that a label, a declaration or a reference of a file means."""

from __future__ import annotations

from kcheck.grouping.by_address import Addresses
from kcheck.grouping.by_place import Places
from kcheck.grouping.contradictions import EXAMPLE, NAMESPACE, of_places, spoken
from kcheck.grouping.evidence import AMBIGUOUS, DENIED, NEARNESS, REFERENCE, UNREAD, Join, Unjoined
from kcheck.grouping.group import Group, alike, closest, meant, narrowed, nearest
from kcheck.grouping.pieces import Piece
from kcheck.model import ALIAS


class Names:
    """The clusters of a project by name."""

    def __init__(self, everyone: list[Group], addresses: Addresses, places: Places) -> None:
        self._addresses = addresses
        self._places = places
        self._named: dict[str, list[Group]] = {}
        #: Of names that no cluster has: those that they may be a slip of.
        self._misspelt: dict[str, list[Group]] = {}
        for one in everyone:
            if one.name:
                self._named.setdefault(one.name, []).append(one)

    def home(self, piece: Piece) -> tuple[Group, Join] | Unjoined:
        name, document = piece.name, piece.document
        if piece.origin:
            # The name holds within the file alone, or is read off the address.
            by_address = self._addresses.home(piece)
            if by_address is not None:
                return by_address
        label = piece.join(REFERENCE, f"it names cluster {name}")
        candidates = self._named.get(name, [])
        if piece.origin == ALIAS:
            candidates = [g for g in candidates if not self._places.strange(g, piece)]
        if candidates:
            return self._chosen(piece, candidates, label)
        if all(member.traits.labelled for member in piece.resources):
            found = nearest(self._meant(name), document, piece.namespace, piece.path)
            if found is not None:
                return found, label
        cover = self._places.cover(document)
        if cover is not None and not cover.name and self._places.only_name(cover, document):
            return cover, piece.join(NEARNESS, f"{cover.path} declares the cluster of its folder")
        if piece.origin and piece.asked:
            text = f"{piece.asked[0].text} is not an address of a known cluster"
            return piece.left(UNREAD, text, [])
        return piece.left(UNREAD, f"no file describes cluster {name}", [])

    def _chosen(
        self, piece: Piece, candidates: list[Group], label: Join
    ) -> tuple[Group, Join] | Unjoined:
        """Which of the clusters of that name is meant."""
        namespace = "" if piece.origin else piece.namespace
        fitting = narrowed(candidates, piece.document, namespace, piece.path)
        label.guessed = alike(fitting, piece.path)
        if label.guessed:
            # Alternatives, as examples are: what none of them has is wrong, and no more.
            fitting = self._addresses.answering(piece, fitting) or fitting
        found = closest(fitting, piece.path)
        if found is not None:
            return found, label
        if fitting:
            text = f"{len(fitting)} clusters are named {piece.name}"
            return piece.left(AMBIGUOUS, text, fitting)
        told: set[str] = set()
        for one in candidates:
            told |= of_places(piece.path, one) - {EXAMPLE}
            if namespace and one.namespace and one.namespace != namespace:
                told.add(NAMESPACE)
        return piece.left(DENIED, f"cluster {piece.name} is in {spoken(told)}", candidates)

    def _meant(self, name: str) -> list[Group]:
        if name not in self._misspelt:
            self._misspelt[name] = meant(name, self._named)
        return self._misspelt[name]
