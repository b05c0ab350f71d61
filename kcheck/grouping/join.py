"""What is no broker joins a cluster: by what it names, by whom it asks, or by where it lies."""

from __future__ import annotations

from collections.abc import Iterable

from kcheck.grouping import place
from kcheck.grouping.contradictions import (
    EXAMPLE,
    FOLDER,
    NAMESPACE,
    SERVICE,
    of_places,
    spoken,
)
from kcheck.grouping.evidence import (
    ADDRESS,
    AMBIGUOUS,
    DENIED,
    NEARNESS,
    PROJECT,
    REFERENCE,
    UNNAMED,
    UNREAD,
    Conflict,
    Join,
    Unjoined,
)
from kcheck.grouping.group import (
    Group,
    alike,
    by_folder,
    closest,
    covering,
    folder_of,
    meant,
    narrowed,
    nearest,
)
from kcheck.grouping.index import GENERIC, SURE, Asker, Index, Match
from kcheck.grouping.names import loopback, qualified
from kcheck.grouping.pieces import Piece, pieces
from kcheck.grouping.place import environments, regions
from kcheck.model import ALIAS, Document, Resource

#: How far up a file without brokers looks for the cluster that it belongs to, among several.
_REACH = 2


class Joiner:
    """Finds the cluster of what is no broker; ``alone`` are groups of files that have none."""

    def __init__(
        self,
        anchors: list[Group],
        everyone: list[Group],
        owners: dict[str, Document],
        overlay: str = "",
    ) -> None:
        #: The overlay that builds all of these files: its place is theirs.
        self._overlay = overlay
        self._owners = owners
        self._anchors = anchors
        self._everyone = everyone
        self.alone: list[Group] = []
        #: What belongs to no cluster with brokers.
        self.left: list[Unjoined] = []
        self.conflicts: list[Conflict] = []
        self.index = Index()
        self._declared = by_folder(g for g in anchors if g.declared)
        self._named: dict[str, list[Group]] = {}
        #: Of names that no cluster has: those that they may be a slip of.
        self._misspelt: dict[str, list[Group]] = {}
        self._of: dict[int, list[Group]] = {}
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
        #: By document: the clusters that its addresses lead to.
        self._followed: dict[int, list[Group]] = {}
        for one in everyone:
            self.index.add(one)
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

    def join(self, rest: Iterable[tuple[Document, list[Resource]]]) -> None:
        """Put each document's resources into the cluster that they belong to, or into ``alone``."""
        left: list[Piece] = []
        everything = [
            piece
            for document, resources in rest
            for piece in pieces(document, resources, self._overlay)
        ]
        self._everything = everything
        if self._declared:
            for piece in everything:
                self._note(piece)
        connectors = [piece for piece in everything if piece.connectors and not piece.name]
        for piece in everything:
            if not (piece.connectors and not piece.name) and not self._take(piece):
                left.append(piece)
        if connectors:
            from kcheck.grouping.workers import Workers

            workers = Workers(self._everyone, left)
        for piece in connectors:
            run = workers.running(piece)
            if isinstance(run, Piece):
                piece.follows = run
                left.append(piece)
            elif run is not None and self._beside(piece, run):
                run.take(piece.document, piece.resources, piece.join(REFERENCE, "its workers"))
            elif not self._take(piece):
                left.append(piece)
        self._leave(left)

    def _beside(self, piece: Piece, run: Group) -> bool:
        """Whether the workers of a group are those of a connector that names none.

        The only Connect of a project can be that of another folder and another cluster.
        """
        if piece.resources[0].traits.runs_on or not run.contained:
            return True
        workers = [r.path for r in run.resources if r.kind == "worker"]
        if any("/" not in path or place.shared(path, piece.path) for path in workers):
            return True
        return all(one is run for one in self._fitting(piece))

    def _take(self, piece: Piece) -> bool:
        found = self._named_home(piece) if piece.name else self._home(piece)
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

    # -- what a file names ------------------------------------------------------------------

    def _named_home(self, piece: Piece) -> tuple[Group, Join] | Unjoined:
        name, document = piece.name, piece.document
        if piece.origin:
            # The name holds within the file alone, or is read off the address.
            by_address = self._by_address(piece, self._matches(piece), [])
            if by_address is not None:
                return by_address
        label = piece.join(REFERENCE, f"it names the cluster {name}")
        candidates = self._named.get(name, [])
        if piece.origin == ALIAS:
            candidates = [g for g in candidates if not self._strange(g, piece)]
        if candidates:
            namespace = "" if piece.origin else piece.namespace
            fitting = narrowed(candidates, document, namespace, piece.path)
            label.guessed = alike(fitting, piece.path)
            if label.guessed:
                # Alternatives, as examples are: what none of them has is wrong, and no more.
                fitting = self._answering(piece, fitting) or fitting
            found = closest(fitting, piece.path)
            if found is not None:
                return found, label
            if fitting:
                return piece.left(AMBIGUOUS, f"{len(fitting)} clusters are called {name}", fitting)
            told: set[str] = set()
            for one in candidates:
                told |= of_places(piece.path, one) - {EXAMPLE}
                if namespace and one.namespace and one.namespace != namespace:
                    told.add(NAMESPACE)
            return piece.left(DENIED, f"cluster {name} is of {spoken(told)}", candidates)
        if all(member.traits.labelled for member in piece.resources):
            found = nearest(self._meant(name), document, piece.namespace, piece.path)
            if found is not None:
                return found, label
        cover = covering(folder_of(document), self._declared)
        if (
            cover is not None
            and not cover.name
            and self._covers(cover, document)
            and self._count_below(cover, "name") == 1
        ):
            return cover, piece.join(NEARNESS, f"{cover.path} declares the cluster of its folder")
        if piece.origin and piece.asked:
            text = f"{piece.asked[0].text} is no address of a cluster that is read"
            return piece.left(UNREAD, text, [])
        return piece.left(UNREAD, f"no file holds the cluster {name}", [])

    def _answering(self, piece: Piece, groups: list[Group]) -> list[Group]:
        """Those of several clusters that answer at an address that a piece asks."""
        there = {id(m.group) for found in self._matches(piece) for m in found if m.port}
        return [one for one in groups if id(one) in there]

    def _meant(self, name: str) -> list[Group]:
        if name not in self._misspelt:
            self._misspelt[name] = meant(name, self._named)
        return self._misspelt[name]

    # -- whom a file asks -------------------------------------------------------------------

    def _home(self, piece: Piece) -> tuple[Group, Join] | Unjoined:
        document = piece.document
        owner = self._owners.get(document.path, document)
        own = self._of.get(id(owner), [])
        matches = self._matches(piece)
        by_address = self._by_address(piece, matches, own)
        if by_address is not None:
            return by_address
        if piece.remote:
            return self._unjoined(piece, [])
        follows = self._followed.get(id(document), [])
        if not piece.asked and follows:
            # What asks nobody goes with what does in its file, if that is all of one cluster.
            if len(follows) == 1:
                return follows[0], piece.join(REFERENCE, "the rest of its file is of that cluster")
            return piece.left(AMBIGUOUS, "the rest of its file is of several clusters", follows)
        if own and not piece.elsewhere:
            fitting = [
                g for g in own if not self._denied(g, piece) and not self._strange(g, piece, True)
            ]
            if len(fitting) == 1:
                text = f"{owner.path} mounts it" if owner is not document else "the file itself"
                return fitting[0], piece.join(REFERENCE, text)
        return self._fallback(piece)

    def _matches(self, piece: Piece) -> list[list[Match]]:
        asker = Asker(piece.path, piece.namespace, piece.network)
        return [self.index.find(one, asker) for one in piece.asked]

    def _by_address(
        self, piece: Piece, matches: list[list[Match]], own: list[Group]
    ) -> tuple[Group, Join] | Unjoined | None:
        """The cluster that the bootstrap servers lead to; None where they tell nothing."""
        reached: dict[int, Match] = {}
        open_ones: list[Match] = []
        for found in matches:
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
            return first.group, join
        if open_ones:
            candidates = [match.group for match in open_ones]
            text = f"{open_ones[0].asked.text} is an address of {len(candidates)} clusters"
            return piece.left(AMBIGUOUS, text, self._nearer(candidates, piece.path))
        return None

    def _objections(self, match: Match, piece: Piece) -> set[str]:
        """In which respects an address is contradicted; empty where ``_admits`` takes it."""
        if self._admits(match, piece):
            return set()
        group = match.group
        found = of_places(piece.path, group)
        if self._other_service(group, piece):
            found.add(SERVICE)
        if self.index.shared(match.answer.address) and not place.shared(piece.path, group.path):
            found.add(EXAMPLE)
        return found or {FOLDER}

    def _admits(self, match: Match, piece: Piece) -> bool:
        """Whether nothing contradicts an address."""
        group = match.group
        if self._other_service(group, piece):
            return False
        if match.certainty == SURE and qualified(match.asked.host):
            return True
        if self.index.shared(match.answer.address) and not place.shared(piece.path, group.path):
            return False
        if match.certainty == GENERIC and not loopback(match.asked.host):
            # kafka:9092 is another machine in every project: of several clusters the one around.
            inside = f"{piece.path.rpartition('/')[0]}/".startswith(f"{group.folder}/")
            if not inside and len(self._anchors) > 1:
                return False
        return group.admits_place(piece.path) and not place.strangers(piece.path, group.path)

    def _choose(self, matches: list[Match], piece: Piece, own: list[Group]) -> Match | None:
        """The one cluster among those that answer at an address."""
        groups = [match.group for match in matches]
        mine = [g for g in groups if any(g is one for one in own)]
        words = environments(piece.path)
        if len(groups) > 1 and words:
            same = [g for g in groups if g.environments == words]
            groups = same or groups
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

    # -- what is left to go by --------------------------------------------------------------

    def _fallback(self, piece: Piece) -> tuple[Group, Join] | Unjoined:
        """The nearest cluster, the one that is declared for the folder, or the only one that fits."""
        cover = covering(folder_of(piece.document), self._declared)
        fitting: list[Group] = []
        # Another compose file is another network: who asks nobody here asks somebody else.
        if not piece.network:
            near = self._near(piece, cover)
            if near is not None:
                return near, piece.join(NEARNESS, f"the nearest cluster is that of {near.path}")
        declared = self._covered(cover, piece)
        if declared is not None:
            return declared
        if not piece.network:
            fitting = self._fitting(piece)
            if len(fitting) == 1:
                text = f"the cluster of {fitting[0].path} is the only one that fits"
                return fitting[0], piece.join(PROJECT, text)
        return self._unjoined(piece, fitting)

    def _unjoined(self, piece: Piece, fitting: list[Group]) -> Unjoined:
        if fitting:
            fitting = self._nearer(fitting, piece.path)
            text = f"{len(fitting)} clusters fit, and nothing tells which one it is"
            return piece.left(AMBIGUOUS, text, fitting)
        if piece.asked:
            return self._unread(piece)
        if piece.remote:
            return piece.left(UNNAMED, "it links clusters, and does not tell which ones", [])
        if self._anchors and not piece.network:
            return piece.left(DENIED, self._contradicted(piece), [])
        return piece.left(UNNAMED, "it does not tell which cluster it is of", [])

    def _unread(self, piece: Piece) -> Unjoined:
        """What an address tells that leads to no cluster: to none at all, or to one that is denied."""
        for found in self._matches(piece):
            told = {why for match in found for why in self._objections(match, piece)}
            if told:
                text = f"{found[0].asked.text} is an address of {spoken(told)}"
                return piece.left(DENIED, text, [match.group for match in found])
        text = f"{piece.asked[0].text} is no address of a cluster that is read"
        return piece.left(UNREAD, text, [])

    def _contradicted(self, piece: Piece) -> str:
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
            if self._other_service(one, piece):
                why.add(SERVICE)
            told |= why
            nowhere = nowhere or not why
        parts = [f"of {spoken(told)}"] if told else []
        if nowhere:
            parts.append("of no environment, where files are of several")
        return f"the clusters that are read are {', or '.join(parts)}"

    def _nearer(self, groups: list[Group], path: str) -> list[Group]:
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

    def _fitting(self, piece: Piece) -> list[Group]:
        """The clusters that nothing contradicts; one of the same environment before the others."""
        words = environments(piece.path)
        kind = 0 if not piece.asked else 1 if all(loopback(one.host) for one in piece.asked) else 2
        named = any(qualified(one.host) for one in piece.asked)
        place_of = (words, regions(piece.path), place.collection(piece.path))
        key = (*place_of, piece.service, kind, named, frozenset(piece.namespaces))
        found = self._single.get(key)
        if found is None:
            found = [
                g for g in self._anchors if not (self._denied(g, piece) or self._strange(g, piece))
            ]
            if words:
                same = [g for g in found if g.environments == words]
                # A cluster of no environment is not that of two of them.
                found = same or [
                    g for g in found if g.told or g.environments or not self._environments_differ()
                ]
            self._single[key] = found
        return found

    def _environments_differ(self) -> bool:
        """Whether the files are of several environments."""
        if self._several is None:
            found = {environments(piece.path) for piece in self._everything}
            self._several = len(found - {frozenset()}) > 1
        return self._several

    def _denied(self, group: Group, piece: Piece) -> bool:
        """Whether the places or the services of a file and a cluster contradict each other."""
        return (
            not group.admits_place(piece.path)
            or self._other_service(group, piece)
            or place.strangers(piece.path, group.path)
        )

    def _other_service(self, group: Group, piece: Piece) -> bool:
        if piece.service:
            return group.service != piece.service if group.service else group.read_nodes
        # A name of one's own in front of a service is seldom.
        return (
            bool(group.service)
            and not self.index.complete(group)
            and any(qualified(one.host) for one in piece.asked)
        )

    def _strange(self, group: Group, piece: Piece, near: bool = False) -> bool:
        """Whether a file asks addresses that are surely none of the cluster's.

        ``near``: beside the cluster ``localhost`` may stand for what its host publishes.
        """
        if group.namespace and piece.namespaces and group.namespace not in piece.namespaces:
            return True
        if not piece.asked or not self.index.complete(group):
            return False
        return not (near and all(loopback(one.host) for one in piece.asked))

    def _near(self, piece: Piece, cover: Group | None) -> Group | None:
        """The anchor that is nearest in the tree, a step or two away; None where that is open."""
        words = environments(piece.path)
        folder = at = folder_of(piece.document)
        for _ in range(_REACH + 1):
            if cover is not None and cover.folder == at:
                break
            candidates = [
                g
                for g in self._reached.get(at, ())
                if not self._other_service(g, piece)
                and not self._strange(g, piece, True)
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

    def _covered(self, cover: Group | None, piece: Piece) -> tuple[Group, Join] | None:
        if (
            cover is None
            or (piece.service and cover.read_nodes)
            or self._strange(cover, piece, True)
            or not self._covers(cover, piece.document)
        ):
            return None
        return cover, piece.join(NEARNESS, f"{cover.path} declares the cluster of its folder")

    def _covers(self, cover: Group, document: Document) -> bool:
        """Whether a declaration can mean a file below it, by the environments that both name."""
        words = environments(document.path)
        if not words or cover.told or cover.environments:
            return cover.admits(words)
        # It names none: fine as long as what lies below it is all of one environment.
        return self._count_below(cover, "environment") == 1

    def _count_below(self, cover: Group, what: str) -> int:
        return sum(kind == what for kind, _ in self._below.get(id(cover), ()))

    def _note(self, piece: Piece) -> None:
        """Remember what the files below a declaration name, to see whether they are of a kind."""
        cover = covering(folder_of(piece.document), self._declared)
        if cover is None:
            return
        told = self._below.setdefault(id(cover), set())
        words = environments(piece.path)
        if piece.name:
            told.add(("name", piece.name))
        if words:
            told.add(("environment", words))

    # -- what joins nothing -----------------------------------------------------------------

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
                self.left += [p.unjoined for p in members if p.unjoined is not None]

    # -- two kinds of evidence against each other --------------------------------------------

    def _compare(self, piece: Piece, group: Group) -> None:
        """Note where a name that decided is contradicted by an address."""
        if not piece.name or piece.origin or piece.resources[0].kind == "topic" or not piece.asked:
            return
        for found in self._matches(piece):
            others = [m for m in found if m.group is not group and m.port]
            if len(others) == len(found) == 1 and others[0].certainty == SURE:
                setting = others[0].asked.setting
                conflict = Conflict(piece.resources[0], setting, group, others[0].group, False)
                self.conflicts.append(conflict)
                return


def _shown(match: Match) -> str:
    """What an address leads to, in words."""
    answer = match.answer
    listener = f", listener {answer.address.listener}" if answer.address.listener else ""
    node, told = answer.node, answer.address.setting
    path, line = (told.path, told.at[0]) if told is not None else (node.path, node.at[0])
    return f"{match.asked.text} is {node.kind} {node.name}{listener} ({path}:{line})"


def _around(groups: list[Group], piece: Piece) -> Group | None:
    """The one group in whose folder, or below it, the file lies; the innermost of several."""
    folder = f"{folder_of(piece.document)}/"
    inside = [g for g in groups if not g.folder or folder.startswith(f"{g.folder}/")]
    if not inside:
        return None
    deepest = max(len(g.folder) for g in inside)
    found = [g for g in inside if len(g.folder) == deepest]
    return found[0] if len(found) == 1 else None
