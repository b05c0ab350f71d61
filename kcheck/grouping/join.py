"""What is no broker joins a cluster: by what it names, by whom it asks, or by where it lies."""

from __future__ import annotations

from collections.abc import Iterable

from kcheck.grouping import place
from kcheck.grouping.by_address import Addresses
from kcheck.grouping.by_name import Names
from kcheck.grouping.by_place import Places
from kcheck.grouping.evidence import (
    ADDRESS,
    AMBIGUOUS,
    DENIED,
    NEARNESS,
    PROJECT,
    REFERENCE,
    UNNAMED,
    Conflict,
    Join,
    Unjoined,
)
from kcheck.grouping.group import Group
from kcheck.grouping.index import SURE, Index
from kcheck.grouping.pieces import Piece, pieces
from kcheck.model import Document, Resource


class Joiner:
    """Finds the cluster of what is no broker; ``alone`` are groups of files that have none."""

    def __init__(
        self,
        anchors: list[Group],
        everyone: list[Group],
        owners: dict[str, Document],
        overlay: str = "",
        documents: Iterable[Document] = (),
    ) -> None:
        #: The overlay that builds all of these files: its place is theirs.
        self._overlay = overlay
        self._owners = owners
        self._anchors = anchors
        self._everyone = everyone
        self.alone: list[Group] = []
        #: What belongs to no cluster with brokers.
        self.left: list[Unjoined] = []
        index = Index()
        for one in everyone:
            index.add(one)
        self._places = Places(anchors, index)
        self._addresses = Addresses(index, self._places, len(anchors) > 1)
        self._documents = documents
        self._names = Names(everyone, self._addresses, self._places)
        self._of: dict[int, list[Group]] = {}
        #: By document: the clusters that its addresses lead to.
        self._followed: dict[int, list[Group]] = {}
        for one in anchors:
            for document in one.documents:
                self._of.setdefault(id(document), []).append(one)

    @property
    def conflicts(self) -> list[Conflict]:
        """Where evidence of two clusters meets in one place."""
        return self._addresses.conflicts

    def join(self, rest: Iterable[tuple[Document, list[Resource]]]) -> None:
        """Put each document's resources into the cluster that they belong to, or into ``alone``."""
        left: list[Piece] = []
        everything = [
            piece
            for document, resources in rest
            for piece in pieces(document, resources, self._overlay)
        ]
        if any(document.extent.built for document in self._documents):
            from kcheck.grouping.built import place_applications  # few projects have any

            place_applications(everything, self._documents)
        self._places.survey(everything)
        connectors = [piece for piece in everything if piece.connectors and not piece.name]
        for piece in everything:
            if not (piece.connectors and not piece.name) and not self._take(piece):
                left.append(piece)
        if connectors:
            from kcheck.grouping.workers import Workers

            workers = Workers(self._everyone, left)
        for piece in connectors:
            run = workers.running(piece) if not piece.apart else None
            if isinstance(run, Piece):
                piece.follows = run
                left.append(piece)
            elif run is not None and self._beside(piece, run):
                run.take(piece.document, piece.resources, piece.join(REFERENCE, "its workers"))
            elif not self._take(piece):
                left.append(piece)
        self._leave(self._follow_programs(left))

    def _follow_programs(self, left: list[Piece]) -> list[Piece]:
        """Join what names no brokers by the programs that it asks; gives what is left then."""
        asking = [
            piece
            for piece in left
            if not (piece.asked or piece.name or piece.remote)
            and any(resource.kind != "topic" for resource in piece.resources)
        ]
        if not asking:
            return left
        from kcheck.grouping.by_program import Programs

        programs = Programs(self._everyone)
        joined: set[int] = set()
        for piece in asking:
            found = programs.home(piece)
            if found is not None:
                group, join = found
                group.take(piece.document, piece.resources, join)
                piece.unjoined = None
                joined.add(id(piece))
        return [piece for piece in left if id(piece) not in joined]

    def _beside(self, piece: Piece, run: Group) -> bool:
        """Whether the workers of a group are those of a connector that names none.

        The only Connect of a project can be that of another folder and another cluster.
        """
        if piece.resources[0].traits.runs_on or not run.contained:
            return True
        workers = [r.path for r in run.resources if r.kind == "worker"]
        if any("/" not in path or place.shared(path, piece.path) for path in workers):
            return True
        return all(one is run for one in self._places.fitting(piece))

    def _take(self, piece: Piece) -> bool:
        found = self._names.home(piece) if piece.name else self._home(piece)
        if isinstance(found, Unjoined):
            piece.unjoined = found
            return False
        group, join = found
        group.take(piece.document, piece.resources, join)
        if join.kind == ADDRESS:
            followed = self._followed.setdefault(id(piece.document), [])
            if group not in followed:
                followed.append(group)
        self._compare(piece, group)
        return True

    def _home(self, piece: Piece) -> tuple[Group, Join] | Unjoined:
        document = piece.document
        owner = self._owners.get(document.path, document)
        own = self._of.get(id(owner), [])
        by_address = self._addresses.home(piece, own)
        if by_address is not None:
            return by_address
        if piece.remote:
            return self._unjoined(piece, [])
        follows = self._followed.get(id(document), [])
        if not piece.asked and follows:
            # What asks nobody goes with what does in its file, if that is all of one cluster.
            if len(follows) == 1:
                return follows[0], piece.join(
                    REFERENCE, "the rest of its file belongs to that cluster"
                )
            return piece.left(
                AMBIGUOUS, "the rest of its file belongs to several clusters", follows
            )
        if own and not piece.elsewhere:
            fitting = [
                g
                for g in own
                if not self._places.denied(g, piece) and not self._places.strange(g, piece, True)
            ]
            if len(fitting) == 1:
                text = f"{owner.path} mounts it" if owner is not document else "the file itself"
                return fitting[0], piece.join(REFERENCE, text)
        return self._fallback(piece)

    def _fallback(self, piece: Piece) -> tuple[Group, Join] | Unjoined:
        """The nearest cluster, the one that is declared for the folder, or the only one that fits."""
        cover = self._places.cover(piece.document)
        fitting: list[Group] = []
        # Another compose file is another network: who asks nobody here asks somebody else.
        if not piece.network:
            near = self._places.near(piece, cover)
            if near is not None:
                text = f"the nearest cluster is that of {near.path}"
                return near, _inferred(piece.join(NEARNESS, text))
        declared = self._places.covered(cover, piece)
        if declared is not None:
            return declared
        if not piece.network:
            fitting = self._places.fitting(piece)
            if len(fitting) == 1:
                text = f"the cluster of {fitting[0].path} is the only match"
                return fitting[0], _inferred(piece.join(PROJECT, text))
        return self._unjoined(piece, fitting)

    def _unjoined(self, piece: Piece, fitting: list[Group]) -> Unjoined:
        if fitting:
            fitting = self._places.nearer(fitting, piece.path)
            text = f"{len(fitting)} clusters match, and nothing decides between them"
            return piece.left(AMBIGUOUS, text, fitting)
        if piece.asked:
            return self._addresses.unread(piece)
        if piece.remote:
            text = (
                "a command uses it that does not tell where"
                if piece.apart
                else "it links clusters without naming them"
            )
            return piece.left(UNNAMED, text, [])
        if self._anchors and not piece.network:
            return piece.left(DENIED, self._places.contradicted(piece), [])
        return piece.left(UNNAMED, "it does not name its cluster", [])

    def _leave(self, left: list[Piece]) -> None:
        """Form groups of what belongs to no cluster that is read."""
        if not left:
            return
        alone = [left]
        if len(left) > 1:
            from kcheck.grouping.components import components

            alone = components(left)
        for members in alone:
            first = members[0]
            made = Group(first.name or None, first.path.rpartition("/")[0], first.path)
            made.unjoined = first.unjoined
            for piece in members:
                if all(member.kind == "host" for member in piece.resources):
                    continue  # limits of machines that nothing of Kafka's is known to run on
                made.take(piece.document, piece.resources, piece.join(NEARNESS, ""))
            if made.resources:
                self.alone.append(made)
                # Of what a command does somewhere, nobody need say where.
                left_ = [p.unjoined for p in members if not p.apart]
                self.left += [one for one in left_ if one is not None]

    def _compare(self, piece: Piece, group: Group) -> None:
        """Note where a name that decided is contradicted by an address."""
        if not piece.name or piece.origin or piece.resources[0].kind == "topic" or not piece.asked:
            return
        for found in self._addresses.matches(piece):
            others = [m for m in found if m.group is not group and m.port]
            if len(others) == len(found) == 1 and others[0].certainty == SURE:
                setting = others[0].asked.setting
                conflict = Conflict(piece.resources[0], setting, group, others[0].group, False)
                self.conflicts.append(conflict)
                return


_DECLARATION = "kcheck-yaml"


def _inferred(join: Join) -> Join:
    # A declaration is written for kcheck, beside what it speaks of.
    join.inferred = join.document.format != _DECLARATION
    return join
