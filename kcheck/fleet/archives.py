"""tar and zip files as collectors leave them: one unit per top-level folder inside."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from kcheck import formats

ENDINGS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".zip")

#: More in one archive is not read: all of it is in memory while it is linted.
MOST_BYTES = 1 << 30

Files = dict[str, bytes | None]


class Damaged(Exception):
    """The archive cannot be read to its end; the text says why."""


def is_archive(path: str) -> bool:
    return path.lower().endswith(ENDINGS)


def units(path: str) -> Iterator[tuple[str, Files]]:
    """(unit, its files by path) of an archive; files at its top are a unit of the name ".".

    Raises Damaged. A damaged archive gives no unit at all: which of them are whole, nobody knows.
    """
    found: dict[str, Files] = {}
    total = 0
    for name, data in _zip(path) if path.lower().endswith(".zip") else _tar(path):
        clean = posixpath.normpath(name)
        if clean.startswith(("/", "../")) or clean in ("..", "."):
            continue
        total += len(data)
        if total > MOST_BYTES:
            raise Damaged(f"holds more than {MOST_BYTES:,} bytes; split it")
        top, slash, _ = clean.partition("/")
        found.setdefault(top if slash else ".", {})[clean] = data
    at_top = found.get(".", {})
    if declares_any(at_top):
        yield ".", {name: data for files in found.values() for name, data in files.items()}
        return
    yield from sorted(found.items())


def declares_any(files: Files) -> bool:
    """Whether one of the files says something of Kafka, so that the folders below belong to it."""
    for name, data in files.items():
        if data is not None and formats.modules_for(name):
            try:
                if formats.read(name, data, files.get).resources:
                    return True
            except Exception:
                continue
    return False


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
