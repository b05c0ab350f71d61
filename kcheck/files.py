"""The files of a project by name: their bytes, or in words why there are none."""

from __future__ import annotations

import errno
import os

from kcheck import formats
from kcheck.bounded_cache import BoundedCache
from kcheck.paths import inside

_CHUNK = 1 << 16
#: Folders whose names are kept, and the names of one.
_FOLDERS, _NAMES = 4_096, 10_000
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


def no_listings() -> BoundedCache:
    """The names in folders, by folder, before any was looked into."""
    return BoundedCache(_FOLDERS)


class Files:
    """The files of a project by name: their bytes, and those of others that they point at.

    A relative path starts at ``base``, or where this process works; ``root`` bounds what may be
    looked up. ``given`` are files whose text comes from elsewhere than the disk. ``listings`` are
    the names in folders that were looked into before, by folder: several projects that lie side by
    side share them.
    """

    def __init__(
        self,
        root: str,
        base: str = "",
        given: dict[str, bytes] | None = None,
        listings: BoundedCache | None = None,
    ) -> None:
        self.root = root
        self._real_root = os.path.realpath(root)
        self._base = base
        self._given = given or {}
        self._listings = no_listings() if listings is None else listings
        #: Paths that were looked up in vain: all files of a folder look for the same ones.
        self._absent: dict[str, bool] = BoundedCache(_FOLDERS)

    def _at(self, path: str) -> str:
        """Where the file of that name is opened."""
        return os.path.join(self._base, path) if self._base else path

    def read(self, path: str) -> bytes:
        """The bytes of a file. Raises OSError."""
        if path in self._given:
            return self._given[path]
        return read_file(os.path.join(self._base, path) if self._base else path)

    def size(self, path: str) -> int:
        """About how many bytes of the file will be read."""
        try:
            return min(os.stat(self._at(path)).st_size, formats.MAX_BYTES)
        except OSError:
            return 0

    def source(self, path: str) -> bytes | None:
        """The bytes of an input once more, for its source lines; None where that fails."""
        try:
            return self.read(path)
        except OSError:
            return None

    def lookup(self, path: str) -> bytes | None:
        """The bytes of another file of the project; None outside of it, or where there is none.

        A path that ends with a slash asks for the names in a folder, one a line.
        """
        if path in self._given:
            return self._given[path]
        if path in self._absent:
            return None
        folder, _, name = path.rpartition("/")
        names = self._listing(folder or ("/" if path.startswith("/") else ""))
        if not name:
            return "\n".join(sorted(names)).encode("utf-8", "surrogateescape") if names else None
        if names is not None and name not in names:
            self._absent[path] = True
            return None
        at = self._at(path)
        if names is None and not os.path.lexists(at):
            return None  # which is cheaper to see than where it would lie
        real = os.path.realpath(at)
        if not inside(real, self._real_root):
            return None
        try:
            return read_file(real)
        except OSError:
            return None

    def _listing(self, folder: str) -> frozenset[str] | None:
        """The names in a folder of the project; None where it is to be asked for each.

        Most files that are looked up are not there, and many inputs look for the same ones.
        """
        if folder in self._listings:
            known: frozenset[str] | None = self._listings[folder]
            return known
        names: frozenset[str] | None = None
        real = os.path.realpath(self._at(folder))
        if inside(real, self._real_root):
            try:
                with os.scandir(real) as entries:
                    first = [entry.name for entry, _ in zip(entries, range(_NAMES), strict=False)]
                    names = frozenset(first) if len(first) < _NAMES else None
            except (FileNotFoundError, NotADirectoryError):
                names = frozenset()
            except OSError:
                names = None
        self._listings[folder] = names
        return names


def read_file(path: str, most: int = formats.MAX_BYTES) -> bytes:
    """The bytes of a file, cut off just above ``most`` (0: not at all). Raises OSError.

    ``os.read`` of one chunk is half the price of ``open`` for files of the usual size.
    """
    descriptor = os.open(path, _FLAGS)
    try:
        data = os.read(descriptor, _CHUNK)
        if len(data) < _CHUNK:
            return data
        parts = [data]
        size = len(data)
        while not most or size <= most:
            more = os.read(descriptor, 1 << 20)
            if not more:
                break
            parts.append(more)
            size += len(more)
        return b"".join(parts)
    finally:
        os.close(descriptor)


def words(error: OSError) -> str:
    """Why a file cannot be read, as kcheck says it."""
    if error.errno == errno.ENOENT:
        return "does not exist"
    return (error.strerror or str(error)).lower()
