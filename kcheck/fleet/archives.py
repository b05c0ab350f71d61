"""tar and zip files as collectors leave them: units of work as a tree of the same files has them."""

from __future__ import annotations

import io
import itertools
import os
import posixpath
from collections.abc import Callable, Iterator

from kcheck import formats
from kcheck.fleet import layout
from kcheck.fleet.members import POINTED_AT, File, Members, pointed_at
from kcheck.formats import endings
from kcheck.globs import Match, nothing

ENDINGS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".zip")

#: More in one archive is not read: all of it is in memory while it is linted.
MOST_BYTES = 1 << 30

#: So many bytes are unpacked to find them: members that are no files count, too.
_MOST_UNPACKED = 2 << 30
_TOO_MUCH = f"unpacks to more than {_MOST_UNPACKED:,} bytes; split it"
#: So many members.
MOST_MEMBERS = 1_000_000
#: No file system takes a longer path, of a member or of what a link leads to.
_MOST_PATH = 4096
#: Links on the way to one file; more go in circles.
_MOST_LINKS = 40

TYPE_CHECKING = False
if TYPE_CHECKING:
    from io import BufferedIOBase

Files = dict[str, bytes]


class Damaged(Exception):
    """The archive cannot be read to its end; the text says why."""


def is_archive(path: str) -> bool:
    return path.lower().endswith(ENDINGS)


def units(
    path: str, excluded: Match = nothing, depth: int | None = None
) -> Iterator[tuple[str, str, list[File]]]:
    """(unit, folder, its files) of an archive; what stands at its top is called like it.

    A folder that holds all there is and is no unit itself is but what was packed: paths start in
    it. Raises Damaged. A damaged archive gives no unit at all: which of them are whole, nobody
    knows.
    """
    held = _read(path)
    stem = stem_of(path)
    tree = Memory(held, excluded)
    found = list(layout.units(tree, depth))
    if found == [("", layout.WHOLE)]:
        whole = {f"{stem}/{name}": data for name, data in held.items()}
        yield stem, stem, _carried(whole, whole.get)
        return
    tops = {folder.partition("/")[0] for folder, _ in found}
    lead = f"{tops.pop()}/" if len(tops) == 1 and all("/" in folder for folder, _ in found) else ""
    held = {name.removeprefix(lead): data for name, data in held.items()}
    places = {folder.removeprefix(lead): place for folder, place in found}
    for folder, names in _placed(held, places).items():
        own = {name: held[name] for name in names}
        yield folder or stem, folder, _carried(own, held.get)


def _carried(own: Files, lookup: Callable[[str], bytes | None]) -> list[File]:
    """The files of a unit as they travel: of those that nobody reads only their names."""
    read = {name: data for name, data in own.items() if _is_read(name)}
    asked = pointed_at(read, lookup)
    files: list[File] = [
        (name, data if name in read or name in asked else b"", None) for name, data in own.items()
    ]
    return files + [(*file, POINTED_AT) for file in asked.items() if file[0] not in own]


def _is_read(name: str) -> bool:
    return endings.takes(name.rpartition("/")[2])


def _read(path: str) -> Files:
    """The files of an archive under clean names; links to files among them count as such."""
    held: Files = {}
    links: dict[str, str] = {}
    total = 0
    if not os.path.isfile(path):
        raise Damaged("not a regular file" if os.path.exists(path) else "does not exist")
    for name, data, target in _zip(path) if path.lower().endswith(".zip") else _tar(path):
        if max(len(name), len(target)) > _MOST_PATH:
            continue
        clean = _clean(name)
        if target:
            links[clean] = _clean(target)
        elif clean:
            total += len(data)
            if total > MOST_BYTES:
                raise Damaged(f"contains more than {MOST_BYTES:,} bytes; split it")
            held[clean] = data
    for name in links:
        end = _end(name, links)
        if end in held:
            held[name] = held[end]
    return held


def _clean(name: str) -> str:
    """A name as unpackers take it: the archive's top is as far up as a path leads."""
    return posixpath.normpath(f"/{name}").lstrip("/")


def _end(path: str, links: dict[str, str]) -> str:
    """Where a path leads through links to files and to folders; "" where it goes in circles."""
    for _ in range(_MOST_LINKS):
        for head in itertools.accumulate(path.split("/"), posixpath.join):
            if head in links:
                path = posixpath.normpath(f"{links[head]}{path[len(head) :]}")
                break
        else:
            return path
    return ""


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
        held = ((path, data, None) for path, data in files.items())
        self._paths = [path for path, _ in Members(held, "", excluded)]
        self._levels: dict[str, tuple[list[str], list[str]]] = {"": ([], [])}
        self._first: dict[str, int] = {"": 0}
        for number, path in enumerate(self._paths):
            folder = path.rpartition("/")[0]
            for above in itertools.accumulate(folder.split("/"), posixpath.join):
                self._add(above, number)
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
            self._levels[folder.rpartition("/")[0]][1].append(folder)
            self._levels[folder] = ([], [])
            self._first[folder] = number


def _tar(path: str) -> Iterator[tuple[str, bytes, str]]:
    """(name, content, what a link leads to) of the members that are files or links."""
    import tarfile
    import zlib
    from lzma import LZMAError

    try:
        # Not by tarfile, which takes the first piece of several in a file for all there is.
        with _Bounded(_unpacked(path)) as plain, tarfile.open(fileobj=plain, mode="r|") as archive:
            for count, member in enumerate(archive, 1):
                _few(count)
                # A list of all of them is kept for those who ask by name.
                archive.members.clear()  # type: ignore[attr-defined]
                if member.size > _MOST_UNPACKED:
                    raise Damaged(_TOO_MUCH)
                if member.isreg():
                    held = archive.extractfile(member)
                    if held is not None:
                        yield member.name, held.read(formats.MAX_BYTES + 1), ""
                elif member.islnk():
                    yield member.name, b"", member.linkname
                elif member.issym():
                    folder = posixpath.dirname(member.name)
                    yield member.name, b"", posixpath.join(folder, member.linkname)
    except (tarfile.TarError, OSError, EOFError, zlib.error, LZMAError) as error:
        raise Damaged(_words(error)) from None


class _Bounded(io.RawIOBase):
    """A stream of which no more is read than that: what is left out is unpacked all the same."""

    def __init__(self, stream: BufferedIOBase) -> None:
        self._stream = stream
        self._left = _MOST_UNPACKED

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise Damaged(_TOO_MUCH)
        return data

    def close(self) -> None:
        self._stream.close()
        super().close()


def _unpacked(path: str) -> BufferedIOBase:
    """The tar file in a file, however it is compressed; its name need not say so."""
    with open(path, "rb") as file:
        start = file.read(6)
    if start.startswith(b"\x1f\x8b"):
        import gzip

        return gzip.open(path)
    if start.startswith(b"BZh"):
        import bz2

        return bz2.open(path)
    if start.startswith(b"\xfd7zXZ"):
        import lzma

        return lzma.open(path)
    return open(path, "rb")


def _zip(path: str) -> Iterator[tuple[str, bytes, str]]:
    """(name, content, what a link leads to) of the members."""
    import stat
    import zipfile
    import zlib

    try:
        with zipfile.ZipFile(path) as archive:
            _few(len(archive.infolist()))
            for member in archive.infolist():
                if member.is_dir():
                    continue
                with archive.open(member) as held:
                    data = held.read(formats.MAX_BYTES + 1)
                if stat.S_ISLNK(member.external_attr >> 16):
                    if len(data) > _MOST_PATH:
                        continue
                    target = data.decode("utf-8", "replace")
                    folder = posixpath.dirname(member.filename)
                    yield member.filename, b"", posixpath.join(folder, target)
                else:
                    yield member.filename, data, ""
    except (
        zipfile.BadZipFile,
        OSError,
        EOFError,
        zlib.error,
        NotImplementedError,
        RuntimeError,
    ) as error:
        raise Damaged(_words(error)) from None


def _few(count: int) -> None:
    """Refuse an archive of so many members."""
    if count > MOST_MEMBERS:
        raise Damaged(f"contains more than {MOST_MEMBERS:,} members; split it")


def _words(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error) or type(error).__name__
