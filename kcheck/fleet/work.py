"""Inputs → units of work: what one task lints as one project. Runs on the driver, which looks at
names and sizes, and at contents only as far as it takes to know the clusters of a tree apart.

Units of a tree and of an archive are folders (see ``layout``), those of a table its clusters.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from kcheck import formats, left_out
from kcheck.files import no_listings
from kcheck.fleet import archives, child_process, layout
from kcheck.fleet.layout import FLAT, WHOLE
from kcheck.formats import endings
from kcheck.model import FAILED
from kcheck.paths import project_root
from kcheck.settings import Settings

#: How a unit is read (``schemas.WORK``) beside those that the layout knows: files that stand in the
#: row, the same with paths that may start anywhere, an archive that gives rows of files.
FILES, LOOSE, ARCHIVE = "files", "loose", "archive"

#: A unit that travels in a row, as those of archives do, may have so many bytes: Spark holds a row
#: several times over, and with it the rows of other tasks.
MOST_CARRIED = 64 << 20
TOO_MUCH = f"contains more than {MOST_CARRIED:,} bytes, the limit of a row"

#: What a unit costs beside its bytes, in bytes.
_OVERHEAD = 4096
#: A part is this share of a slot's share of what is left, the last ones this share of the whole.
_SHARE, _LAST_SHARE = 4, 32
#: A part of less costs more to schedule than it spreads; one that need not be smaller is large
#: enough; one of more is much to do again when an executor is lost.
_LEAST_BYTES, _SMALL_BYTES, _MOST_BYTES = 1 << 16, 1 << 20, 1 << 26


#: A folder that is a unit, how it is one, and its bytes.
_Folder = tuple[str, str, int]

#: Where nothing can be looked into, the clusters are the folders of the input.
_ONE_LEVEL = 1
_BY_NAME = "each folder in it is read as a cluster (change with --depth)"


class Refused(Exception):
    """An input that the audit cannot take; the text says why."""


class Home:
    """Where the paths of an input start: findings name files from here, so that they stay the same
    when the input is moved or called otherwise.

    ``root`` bounds what may be looked up; ``lead`` leads from the working directory to ``base``,
    for the patterns of the settings.
    """

    __slots__ = ("base", "lead", "listings", "root")

    def __init__(self, base: str, root: str) -> None:
        self.base = base
        self.root = root
        self.lead = os.path.relpath(base).replace(os.sep, "/")
        #: The names in its folders, for as long as a task runs: units look into the same ones.
        self.listings = no_listings()


class Unit:
    """One unit that the driver knows by name: where it lies, and how many bytes are in it.

    ``ref`` is its path from the base of its home, which it names by number; ``input`` is what the
    user calls the input that has it, ``own`` its name in there.
    """

    __slots__ = ("bytes", "home", "input", "name", "own", "place", "ref")

    def __init__(
        self, name: str, place: str, ref: str, size: int, home: int = 0, input: str = ""
    ) -> None:
        self.name = self.own = name
        self.place = place
        self.ref = ref
        self.bytes = size
        self.home = home
        self.input = input


class Inputs:
    """The inputs of an audit by the way in which they are read."""

    def __init__(
        self,
        settings: Settings,
        depth: int | None = None,
        seconds: float = 0,
        megabytes: int = 0,
    ) -> None:
        #: What was named, and how many levels below each the clusters lie; None: it shows.
        self.paths: list[str] = []
        self.depth = depth
        #: What a look at a folder may take here; 0: what it takes.
        self.seconds = seconds
        self.megabytes = megabytes
        #: What went wrong while looking, for the user.
        self.remarks: list[str] = []
        #: Folders and archives below local paths, and where those start.
        self.units: list[Unit] = []
        self.homes: list[Home] = []
        self._settings = settings
        self._numbers: dict[tuple[str, str], int] = {}
        #: (path or URI, format) of tables.
        self.tables: list[tuple[str, str]] = []
        #: Trees on a file system that Spark reads.
        self.remote: list[str] = []

    def home(self, base: str, path: str) -> int:
        """The number of the home that starts at ``base`` and serves the input at ``path``."""
        key = base, project_root(path)
        if key not in self._numbers:
            self._numbers[key] = len(self.homes)
            self.homes.append(Home(*key))
        return self._numbers[key]

    def settings(self, home: int) -> Settings:
        """The settings for paths that start there."""
        return self._settings.seen_from(self.homes[home].lead)


def opened(
    paths: Iterable[str],
    settings: Settings,
    depth: int | None = None,
    seconds: float = 0,
    megabytes: int = 0,
) -> Inputs:
    """Sort out what is named. Raises Refused for what is not there."""
    inputs = Inputs(settings, depth, seconds, megabytes)
    for path in dict.fromkeys(paths):
        inputs.paths.append(path)
        kind = table_format(path)
        if kind:
            inputs.tables.append((path, kind))
        elif "://" in path or path.startswith("file:/"):
            inputs.remote.append(path)
        elif archives.is_archive(path) and os.path.isfile(path):
            folder, name = os.path.split(os.path.abspath(path))
            inputs.units.append(_archive(folder, name, inputs.home(folder, path)))
        elif os.path.isdir(path):
            for unit in _tree(os.path.abspath(path), inputs):
                unit.input = path
                inputs.units.append(unit)
        elif os.path.exists(path):
            raise Refused(f"{path}: neither a folder nor a table nor an archive")
        else:
            raise Refused(f"{path}: does not exist")
    distinguish(inputs.units)
    return inputs


def table_format(path: str) -> str:
    """The format of a table by its name, or by what lies in its folder; "" if it is none."""
    name = path.rstrip("/").lower()
    for ending in (".gz", ".zst", ".bz2"):
        name = name.removesuffix(ending)
    if name.endswith((".jsonl", ".ndjson")):
        return "json"
    if name.endswith(".parquet"):
        return "parquet"
    if name.endswith(".delta"):
        return "delta"
    local = path.removeprefix("file:").replace("///", "/") if path.startswith("file:") else path
    if os.path.isdir(local):
        held = os.listdir(local)
        if "_delta_log" in held:
            return "delta"
        if any(entry.startswith("part-") and entry.endswith(".parquet") for entry in held):
            return "parquet"
        if any(entry.startswith("part-") and ".json" in entry for entry in held):
            return "json"
    return ""


def distinguish(units: Sequence[Unit]) -> None:
    """Give the units names of their own: those that several inputs have bear the end of the input's
    path, too, as much of it as it takes. Of an archive nobody knows yet what it holds.
    """
    known = [unit for unit in units if unit.place != ARCHIVE]
    for unit in known:
        unit.name = unit.own
    parts = 0
    while True:
        times = Counter(unit.name for unit in known)
        alike = [unit for unit in known if times[unit.name] > 1]
        parts += 1
        changed = False
        for unit in alike:
            path = unit.input if "://" in unit.input else os.path.abspath(unit.input)
            steps = [step for step in path.split("/") if step]
            changed = changed or parts <= len(steps)
            unit.name = "/".join([*steps[-parts:], unit.own]).removesuffix("/.")
        if not changed:
            return


def _archive(folder: str, name: str, home: int) -> Unit:
    try:
        size = os.path.getsize(os.path.join(folder, name))
    except OSError:
        size = 0
    # Packed text is a fraction of what will be read.
    return Unit(name, ARCHIVE, name, 8 * size, home)


def _tree(path: str, inputs: Inputs) -> Iterator[Unit]:
    parent, name = os.path.split(path)
    home = inputs.home(path, path)

    def looked(depth: int | None) -> tuple[list[_Folder], list[tuple[str, str, str]]]:
        disk = layout.Disk(path, inputs.settings(home).excluded)
        units = layout.units(disk, depth, inputs.seconds, inputs.megabytes)
        return list(_sized(path, units)), [each for each in disk.left if "/" not in each[0]]

    try:
        # Looking into files may end a process, which is not to be this one.
        folders, left = child_process.apart(lambda: looked(inputs.depth))
    except child_process.Died as died:
        inputs.remarks.append(f"{path}: looking for its clusters failed: {died}; " + _BY_NAME)
        folders, left = looked(_ONE_LEVEL)
    for folder, place, size in folders:
        if place == WHOLE:
            # One project is called like its folder, from wherever it is looked at.
            yield Unit(name, WHOLE, name, size, inputs.home(parent, path))
        else:
            yield Unit(folder or ".", place, folder or ".", size, home)
    for file, status, reason in left:
        if file == "." and status == FAILED:
            raise Refused(f"{path}: {reason}")
        at = os.path.join(path, file)
        # One that is no file either is to be told of: a link that leads nowhere, a pipe.
        if "/" not in file and archives.is_archive(file) and not os.path.isdir(at):
            yield _archive(path, file, home)


def _sized(path: str, units: Iterable[tuple[str, str]]) -> Iterator[_Folder]:
    """The units that have files at all, with their bytes."""
    for folder, place in units:
        size = bytes_below(os.path.join(path, folder), deep=place != FLAT)
        if size is not None:
            yield folder, place, size


def bytes_below(folder: str, deep: bool = True) -> int | None:
    """The bytes that lint would read of a folder and all below it, about; None: no file at all."""
    total = 0
    found = False
    stack = [folder]
    while stack:
        try:
            with os.scandir(stack.pop()) as listing:
                for entry in listing:
                    name = entry.name
                    if entry.is_dir(follow_symlinks=False):
                        if deep and name not in left_out.TOOLS and name not in left_out.BUILT:
                            stack.append(entry.path)
                    elif endings.takes(name):
                        found = True
                        if entry.is_file(follow_symlinks=False):
                            total += min(entry.stat().st_size, formats.MAX_BYTES)
        except OSError:
            # That it cannot be read is something to tell.
            found = True
    return total if found else None


def bins(units: list[Unit], slots: int, wanted: int = 0) -> list[list[Unit]]:
    """The units in parts for tasks, the heaviest part first.

    ``slots`` is how many tasks run at a time. Each part is a share of what is left, so that few
    are scheduled, and the last ones are so small that no slot waits long for another. ``wanted``
    asks for so many parts of about the same weight instead.
    """
    if wanted:
        return _alike(units, wanted)
    left = sum(map(weight_of, units))
    least = min(max(left // (_LAST_SHARE * slots), _LEAST_BYTES), _SMALL_BYTES)
    parts: list[list[Unit]] = []
    room = 0
    for unit in _heaviest_first(units):
        if room <= 0:
            parts.append([])
            room = min(max(left // (_SHARE * slots), least), _MOST_BYTES)
        parts[-1].append(unit)
        room -= weight_of(unit)
        left -= weight_of(unit)
    return parts


def _alike(units: list[Unit], count: int) -> list[list[Unit]]:
    """The units in so many parts of about the same weight, or as many as there are units."""
    import heapq

    count = min(count, len(units))
    parts: list[list[Unit]] = [[] for _ in range(count)]
    loads = [(0, at) for at in range(count)]
    for unit in _heaviest_first(units):
        load, at = heapq.heappop(loads)
        parts[at].append(unit)
        heapq.heappush(loads, (load + weight_of(unit), at))
    return [parts[at] for _, at in sorted(loads, key=lambda load: (-load[0], load[1]))]


def _heaviest_first(units: list[Unit]) -> list[Unit]:
    return sorted(units, key=lambda unit: (-unit.bytes, unit.name))


def weight_of(unit: Unit) -> int:
    """What linting the unit costs, in bytes."""
    return unit.bytes + _OVERHEAD
