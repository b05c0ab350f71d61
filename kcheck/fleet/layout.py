"""Which folders of an input are units of work: those that hold a cluster each.

They lie directly below the input or, where folders such as regions only gather clusters, as many
levels down as that goes. What a folder is, lint's own grouping of some of its files tells: it
gives way to the folders below it if several of them hold a cluster of their own and no cluster
spans two of them. An input that says something of Kafka itself, or is one cluster in several
folders, is one project. A unit that holds several clusters is no mistake, the engine tells them
apart; only a cluster in two units would be one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module

from kcheck import discover, engine, formats, left_out
from kcheck.fleet import limits
from kcheck.formats import endings
from kcheck.globs import Match
from kcheck.model import PASSED_OVER
from kcheck.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol, TypeVar

    T = TypeVar("T")

    class Tree(Protocol):
        """Files in folders, by their paths from the top, which is ""."""

        def level(self, folder: str) -> tuple[list[str], list[str]]:
            """The files of a folder that lint reads or would, and the folders that it goes into."""

        def walk(self, folder: str) -> Iterable[str]:
            """All files below a folder that lint reads."""

        def lookup(self, path: str) -> bytes | None: ...


#: How a folder is a unit: it alone, all below it; and the whole input.
FLAT, TREE, WHOLE = "flat", "tree", "whole"

#: Of the folders in a folder so many are looked at, and so much of each, for so many seconds; and
#: so long at all of them, after which a folder is what its names say.
_FOLDERS, _FILES, _BYTES, _SECONDS, _ALL_SECONDS = 16, 64, 1 << 18, 20.0, 120.0

#: One cluster in several folders, clusters apart, one folder that speaks of Kafka at all, none of
#: these.
_TOGETHER, _APART, _LONE, _UNSURE = "together", "apart", "lone", "unsure"


def units(
    tree: Tree, depth: int | None = None, seconds: float = 0, megabytes: int = 0
) -> Iterator[tuple[str, str]]:
    """(folder, how it is a unit), in the order of a walk; the top is "".

    ``depth`` says how many levels below the top the clusters lie; 0: it is one project. No look at
    a folder takes more than that, where it is not 0: one that would says nothing.
    """
    return _Layout(tree, min(seconds or _SECONDS, _SECONDS), megabytes).units(depth)


class _Layout:
    def __init__(self, tree: Tree, seconds: float, megabytes: int) -> None:
        self._tree = tree
        self._seconds = seconds
        self._megabytes = megabytes
        self._end = time.monotonic() + _ALL_SECONDS
        self._levels: dict[str, tuple[list[str], list[str]]] = {}
        #: Folders whose folders have the same names are taken to be alike.
        self._known: dict[tuple[str, ...], str] = {}

    def units(self, depth: int | None) -> Iterator[tuple[str, str]]:
        if depth == 0 or (depth is None and self._one_project()):
            yield "", WHOLE
        elif depth is None:
            yield from self._found("")
        else:
            yield from self._at("", depth)

    def _at(self, folder: str, depth: int) -> Iterator[tuple[str, str]]:
        """The units ``depth`` levels further down; files on the way are some, too."""
        files, folders = self._level(folder)
        if files:
            yield folder, FLAT
        for below in folders:
            if depth == 1:
                yield below, TREE
            else:
                yield from self._at(below, depth - 1)

    def _found(self, folder: str) -> Iterator[tuple[str, str]]:
        files, folders = self._level(folder)
        if files:
            yield folder, FLAT
        verdicts = {below: self._verdict(below) for below in folders}
        gathers = _APART in verdicts.values()
        for below in folders:
            # One with a single cluster is a region beside regions, else it may be that cluster.
            if verdicts[below] == _APART or (gathers and verdicts[below] == _LONE):
                yield from self._found(below)
            else:
                yield below, TREE

    def _one_project(self) -> bool:
        files, folders = self._level("")
        if any(self._speaks(path) for path in files):
            return True
        return len(folders) > 1 and self._judged(folders) == _TOGETHER

    def _verdict(self, folder: str) -> str:
        files, folders = self._level(folder)
        if not folders or any(self._recognised(path) for path in files):
            return _UNSURE
        if len(folders) == 1:
            return _LONE
        name = folder.rpartition("/")[2]
        names = tuple(path.rpartition("/")[2].replace(name, "*") for path in folders)
        if names not in self._known:
            self._known[names] = self._judged(folders)
        return self._known[names]

    def _judged(self, folders: list[str]) -> str:
        step = -(-len(folders) // _FOLDERS)
        looked_at = folders[::step]
        project = self._look(lambda: self._project(looked_at), None)
        if project is None:
            # What takes too much is in few of them, and is not to speak for the others.
            bearable = [one for one in looked_at if self._bearable(one)]
            project = self._look(lambda: self._project(bearable), None)
        if project is None:
            return _UNSURE
        length = len(folders[0].split("/"))
        spans = [
            ({"/".join(r.path.split("/")[:length]) for r in cluster.resources}, cluster)
            for cluster in project.clusters
        ]
        if any(len(places) > 1 for places, _ in spans):
            return _TOGETHER if len(spans) == 1 else _UNSURE
        anchored = [c for _, c in spans if c.brokers or c.controllers or c.declaration]
        homes = {place for places, _ in spans for place in places}
        if len(homes) == 1:
            return _LONE
        return _APART if len(anchored) > 1 else _UNSURE

    def _project(self, folders: list[str]) -> engine.Project:
        sources = (source for folder in folders for source in self._sources(folder))
        return engine.read_project(sources, Settings(), self._tree.lookup)

    def _bearable(self, folder: str) -> bool:
        return self._look(lambda: self._project([folder]) is not None, False, _SECONDS / _FOLDERS)

    def _sources(self, folder: str) -> Iterator[engine.Source]:
        left = _BYTES
        for number, path in enumerate(self._tree.walk(folder)):
            if number >= _FILES or left <= 0:
                return
            data = self._tree.lookup(path)
            # One that is all too large says what the others say, and takes long.
            if data is not None and len(data) <= _BYTES:
                left -= len(data)
                yield path, data

    def _speaks(self, path: str) -> bool:
        """Whether a file says something of Kafka, so that the folders beside it may belong to it."""
        tree = self._tree
        data = tree.lookup(path)
        if data is None:
            return False
        return self._look(lambda: bool(formats.read(path, data, tree.lookup).resources), False)

    def _recognised(self, path: str) -> bool:
        """Whether a file is in a format of Kafka's: cheaper, and true of some that say nothing."""
        data = self._tree.lookup(path)
        return data is not None and self._look(lambda: recognised(path, data), False)

    def _look(self, call: Callable[[], T], unsure: T, seconds: float = _SECONDS) -> T:
        """What a look gives; ``unsure`` where it takes too much or fails."""
        left = min(self._seconds, self._end - time.monotonic(), seconds)
        if left <= 0:
            return unsure
        try:
            return limits.guarded(call, left, self._megabytes)
        except (Exception, limits.OverLimit):
            return unsure

    def _level(self, folder: str) -> tuple[list[str], list[str]]:
        found = self._levels.get(folder)
        if found is None:
            found = self._levels[folder] = self._tree.level(folder)
        return found


def recognised(path: str, data: bytes) -> bool:
    """Whether a file is in a format of Kafka's."""
    return any(
        import_module(f"kcheck.formats.{name}").recognise(path, data)
        for name in endings.modules_of(path, data)
    )


class Disk:
    """A folder of the local disk."""

    def __init__(self, base: str, excluded: Match) -> None:
        self._base = base
        self._excluded = excluded
        # Not bounded by a repository: what lies elsewhere does not tell what this folder is.
        self._listing = discover.Part(".", base, base, excluded)
        self.lookup = self._listing.lookup
        #: What was left out in the folders that were asked for.
        self.left = self._listing.left

    def level(self, folder: str) -> tuple[list[str], list[str]]:
        before = len(self.left)
        files, folders = self._listing.level(folder)
        # Files that cannot be read have to be told of, too.
        files += [
            path
            for path, status, reason in self.left[before:]
            if status != PASSED_OVER and reason not in left_out.MEANT
        ]
        return files, folders

    def walk(self, folder: str) -> list[str]:
        return discover.Part(folder, self._base, self._base, self._excluded).files()
