"""Inputs → units of work: what one task lints as one project. Runs on the driver, reads no content
but that of files which stand directly in an input.

The unit is the folder below an input; files directly in the input are one more. An input that
itself holds Kafka files is one project, as it is to ``kcheck lint``: what stands above the folders
speaks for all of them. Rows of a table and folders at the top of an archive are units, too.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator

from kcheck import discover, formats
from kcheck.fleet import archives
from kcheck.paths import project_root
from kcheck.settings import Settings

#: How a unit is read (``schemas.WORK``): a folder, the files directly in one, an input that is one
#: project as a whole, files that stand in the row; an archive gives rows of the last kind.
TREE, FLAT, WHOLE, FILES, ARCHIVE = "tree", "flat", "whole", "files", "archive"

#: A bin of less work costs more to schedule than it spreads.
_LEAST_BYTES = 1 << 16
#: What a unit costs beside its bytes, in bytes.
_OVERHEAD = 4096
_MOST_BINS = 2000


class Refused(Exception):
    """An input that the audit cannot take; the text says why."""


class Home:
    """Where the paths of an input start: findings name files from here, so that they stay the same
    when the input is moved or called otherwise.

    ``root`` bounds what may be looked up; ``lead`` leads from the working directory to ``base``,
    for the patterns of the settings.
    """

    __slots__ = ("base", "lead", "root")

    def __init__(self, base: str, root: str) -> None:
        self.base = base
        self.root = root
        self.lead = os.path.relpath(base).replace(os.sep, "/")


class Unit:
    """One unit that the driver knows by name: where it lies, and how many bytes are in it.

    ``ref`` is its path from the base of its home, which it names by number.
    """

    __slots__ = ("bytes", "home", "name", "place", "ref")

    def __init__(self, name: str, place: str, ref: str, size: int, home: int = 0) -> None:
        self.name = name
        self.place = place
        self.ref = ref
        self.bytes = size
        self.home = home


class Inputs:
    """The inputs of an audit by the way in which they are read."""

    def __init__(self, settings: Settings) -> None:
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


def opened(paths: Iterable[str], settings: Settings) -> Inputs:
    """Sort out what is named. Raises Refused for what is not there."""
    inputs = Inputs(settings)
    trees: list[tuple[str, Unit]] = []
    for path in dict.fromkeys(paths):
        kind = table_format(path)
        if kind:
            inputs.tables.append((path, kind))
        elif "://" in path or path.startswith("file:/"):
            inputs.remote.append(path)
        elif archives.is_archive(path) and os.path.isfile(path):
            folder, name = os.path.split(os.path.abspath(path))
            trees.append((path, _archive(folder, name, inputs.home(folder, path))))
        elif os.path.isdir(path):
            trees.extend((path, unit) for unit in _tree(os.path.abspath(path), inputs))
        elif os.path.exists(path):
            raise Refused(f"{path}: neither a folder nor a table nor an archive")
        else:
            raise Refused(f"{path}: does not exist")
    inputs.units = _distinct(trees)
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


def _distinct(units: list[tuple[str, Unit]]) -> list[Unit]:
    """The units under names of their own: those that several inputs have bear the end of the
    input's path, too, as much of it as it takes.
    """
    own = [unit.name for _, unit in units]
    homes = [os.path.abspath(path).split("/") for path, _ in units]
    for parts in range(1, max(map(len, homes), default=0)):
        times = Counter(unit.name for _, unit in units)
        if len(times) == len(units):
            break
        for (_, unit), name, home in zip(units, own, homes, strict=True):
            if times[unit.name] > 1 and unit.place != ARCHIVE:
                unit.name = "/".join([*home[-parts:], name]).removesuffix("/.")
    return [unit for _, unit in units]


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
    # Not bounded by a repository: only the files in this one folder are looked at.
    top = discover.Part(".", path, path, inputs.settings(home).excluded, flat=True)
    whole = False
    size = count = 0
    for file, data in top:
        count += 1
        size += len(data)
        if not whole:
            whole = speaks(file, data, top)
    if top.missing:
        raise Refused(f"{path}: {top.missing[0][1]}")
    if whole:
        # One project is called like its folder, from wherever it is looked at.
        yield Unit(name, WHOLE, name, size_of(path), inputs.home(parent, path))
        return
    seen: set[str] = set()
    for file, _, _ in top.left:
        if archives.is_archive(file) and os.path.isfile(os.path.join(path, file)):
            seen.add(file)
            yield _archive(path, file, home)
    if count or any(file not in seen for file, _, _ in top.left):
        yield Unit(".", FLAT, ".", size, home)
    for folder in top.below:
        yield Unit(folder, TREE, folder, size_of(os.path.join(path, folder)), home)


def speaks(path: str, data: bytes, inputs: discover.Inputs) -> bool:
    """Whether a file says something of Kafka, so that the folders beside it may belong to it."""
    try:
        return bool(formats.read(path, data, inputs.lookup).resources)
    except Exception:
        return False


def size_of(folder: str) -> int:
    """The bytes of all files below a folder that could be read, about."""
    total = 0
    stack = [folder]
    while stack:
        try:
            with os.scandir(stack.pop()) as listing:
                for entry in listing:
                    if entry.is_dir(follow_symlinks=False):
                        stack.append(entry.path)
                    elif entry.is_file(follow_symlinks=False):
                        total += min(entry.stat().st_size, formats.MAX_BYTES)
        except OSError:
            continue
    return total


def bins(units: list[Unit], slots: int, wanted: int = 0) -> list[list[Unit]]:
    """The units in parts of about the same weight for tasks, the heaviest part first.

    ``slots`` is how many tasks run at a time; ``wanted`` overrides the number of parts.
    """
    import heapq

    if not units:
        return []
    total = sum(unit.bytes + _OVERHEAD for unit in units)
    # Several per slot, so that one that is slow does not hold up the rest for long.
    count = wanted or max(4 * slots, -(-len(units) // 500))
    if not wanted:
        count = min(count, max(slots, total // _LEAST_BYTES), _MOST_BINS)
    count = max(1, min(count, len(units)))
    parts: list[list[Unit]] = [[] for _ in range(count)]
    loads = [(0, at) for at in range(count)]
    for unit in sorted(units, key=lambda unit: (-unit.bytes, unit.name)):
        load, at = heapq.heappop(loads)
        parts[at].append(unit)
        heapq.heappush(loads, (load + unit.bytes + _OVERHEAD, at))
    weights = {at: load for load, at in loads}
    return [parts[at] for at in sorted(range(count), key=lambda at: (-weights[at], at))]
