"""tar and zip files as collectors leave them: units of work as a tree of the same files has them."""

from __future__ import annotations

import itertools
import posixpath
from collections.abc import Iterator

from kcheck import formats
from kcheck.fleet import layout
from kcheck.fleet.members import Members
from kcheck.globs import Match, nothing

ENDINGS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".zip")

#: More in one archive is not read: all of it is in memory while it is linted.
MOST_BYTES = 1 << 30

Files = dict[str, bytes | None]


class Damaged(Exception):
    """The archive cannot be read to its end; the text says why."""


def is_archive(path: str) -> bool:
    return path.lower().endswith(ENDINGS)


def units(
    path: str, excluded: Match = nothing, depth: int | None = None
) -> Iterator[tuple[str, str, Files]]:
    """(unit, folder, its files by path) of an archive; what stands at its top is called like it.

    A folder that holds all there is and is no unit itself is but what was packed: paths start in
    it. Raises Damaged. A damaged archive gives no unit at all: which of them are whole, nobody
    knows.
    """
    held: Files = {}
    total = 0
    for name, data in _zip(path) if path.lower().endswith(".zip") else _tar(path):
        clean = posixpath.normpath(name)
        if clean.startswith(("/", "../")) or clean in ("..", "."):
            continue
        total += len(data)
        if total > MOST_BYTES:
            raise Damaged(f"holds more than {MOST_BYTES:,} bytes; split it")
        held[clean] = data
    stem = stem_of(path)
    tree = Memory(held, excluded)
    found = list(layout.units(tree, depth))
    if found == [("", layout.WHOLE)]:
        yield stem, stem, {f"{stem}/{name}": data for name, data in held.items()}
        return
    tops = {folder.partition("/")[0] for folder, _ in found}
    lead = f"{tops.pop()}/" if len(tops) == 1 and all("/" in folder for folder, _ in found) else ""
    inside = _placed(held, dict(found))
    for folder, _ in found:
        unit = folder.removeprefix(lead)
        files = {name.removeprefix(lead): held[name] for name in inside[folder]}
        yield unit or stem, unit, files


def _placed(files: Files, units: dict[str, str]) -> dict[str, list[str]]:
    """The names of the files of each unit."""
    found: dict[str, list[str]] = {folder: [] for folder in units}
    for name in files:
        own = folder = name.rpartition("/")[0]
        while folder and units.get(folder) != layout.TREE:
            folder = folder.rpartition("/")[0]
        # Only in its own folder, or below one that is a unit with all that is in it.
        if folder or own in units:
            found[folder or own].append(name)
    return found


def stem_of(path: str) -> str:
    """The name of an archive without its ending."""
    name = posixpath.basename(path)
    for ending in sorted(ENDINGS, key=len, reverse=True):
        if name.lower().endswith(ending):
            return name[: -len(ending)] or name
    return name


class Memory:
    """The files of an archive as a tree."""

    def __init__(self, files: Files, excluded: Match = nothing) -> None:
        self.lookup = files.get
        self._paths = [path for path, _ in Members(files.items(), "", excluded)]
        self._levels: dict[str, tuple[list[str], list[str]]] = {"": ([], [])}
        self._first: dict[str, int] = {"": 0}
        for number, path in enumerate(self._paths):
            folder = path.rpartition("/")[0]
            self._add(folder, number)
            self._levels[folder][0].append(path)

    def level(self, folder: str) -> tuple[list[str], list[str]]:
        return self._levels[folder]

    def walk(self, folder: str) -> Iterator[str]:
        prefix = f"{folder}/" if folder else ""
        for path in itertools.islice(self._paths, self._first[folder], None):
            if not path.startswith(prefix):
                return
            yield path

    def _add(self, folder: str, number: int) -> None:
        if folder not in self._levels:
            above = folder.rpartition("/")[0]
            self._add(above, number)
            self._levels[above][1].append(folder)
            self._levels[folder] = ([], [])
            self._first[folder] = number


def _tar(path: str) -> Iterator[tuple[str, bytes]]:
    import tarfile
    import zlib
    from lzma import LZMAError

    try:
        with tarfile.open(path, "r|*") as archive:
            for member in archive:
                if member.isreg():
                    held = archive.extractfile(member)
                    if held is not None:
                        yield member.name, held.read(formats.MAX_BYTES + 1)
    except (tarfile.TarError, OSError, EOFError, zlib.error, LZMAError) as error:
        raise Damaged(_words(error)) from None


def _zip(path: str) -> Iterator[tuple[str, bytes]]:
    import zipfile
    import zlib

    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if not member.is_dir():
                    with archive.open(member) as held:
                        yield member.filename, held.read(formats.MAX_BYTES + 1)
    except (
        zipfile.BadZipFile,
        OSError,
        EOFError,
        zlib.error,
        NotImplementedError,
        RuntimeError,
    ) as error:
        raise Damaged(_words(error)) from None


def _words(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error) or type(error).__name__
