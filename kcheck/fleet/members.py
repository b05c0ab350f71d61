"""The files of a table's rows or of an archive, read as a walk over the same tree would read them."""

from __future__ import annotations

import itertools
import posixpath
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import suppress

from kcheck import formats, left_out
from kcheck.fleet import limits
from kcheck.folder_names import FolderNames
from kcheck.formats import endings
from kcheck.model import FAILED, PASSED_OVER, SKIPPED, Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Match = Callable[[str], bool]

#: Path, bytes, and why it is not to be read: because it has no bytes, or is only pointed at.
File = tuple[str | None, bytes | None, str | None]

POINTED_AT = "read only where another file refers to it"

_NAMELESS = "(no path)"
#: What files have that point at others.
_POINTERS = (b"env_file", b"extends", b"include", b"build:")
#: Of more different problems of one unit the first are told.
_FEW = 5


class Members:
    """The sources of one unit that are in memory.

    The same files are left out for the same reasons as by ``discover.Inputs``, in the same order:
    names in order, files before the folders beside them.
    """

    def __init__(self, files: Iterable[File], top: str, excluded: Match) -> None:
        self._top = f"{top}/" if top not in ("", ".") else ""
        self._excluded = excluded
        self._left: list[tuple[str, str, str]] = []
        self._files: dict[str, bytes] = {}
        self._folders = FolderNames(self._files)
        self._pointed_at: set[str] = set()
        for path, data, reason in files:
            if not path:
                self._left.append((_NAMELESS, FAILED, "a row has no path"))
            elif data is None:
                self._left.append((path, FAILED, reason or "a row has no content"))
            elif self._files.setdefault(path, data) != data:
                # Whichever came first: the same one every time.
                self._files[path] = max(self._files[path], data)
                self._left.append(
                    (path, FAILED, "several rows have this path, with different contents")
                )
            if reason == POINTED_AT and path:
                self._pointed_at.add(path)

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        vendored = left_out.sampled(self._files)
        for path in self._files:
            if path.rpartition("/")[2] in left_out.LOCKS:
                vendored |= left_out.downloaded(path, self._files[path])
        gone: set[str] = set()
        for path in sorted(self._files.keys() - self._pointed_at, key=walk_order):
            reason = self._never(path, vendored, gone)
            if reason is None:
                continue
            if not reason:
                yield path, self._files[path]
            elif not endings.takes(name := path.rpartition("/")[2]):
                why = left_out.PACKED.get(name, left_out.UNSUPPORTED)
                self._left.append((path, PASSED_OVER, why))
            else:
                self._left.append((path, SKIPPED, reason))

    def lookup(self, path: str) -> bytes | None:
        """The bytes of another file of the unit, or the names in a folder."""
        return self._folders.of(path[:-1]) if path.endswith("/") else self._files.get(path)

    def documents(self) -> list[Document]:
        found: list[Document] = []
        for path, status, reason in self._left:
            document = Document(path)
            document.status, document.reason = status, reason
            found.append(document)
        return found

    def _never(self, path: str, vendored: dict[str, str], gone: set[str]) -> str | None:
        """Why a walk would not read the file: "" if it would, None if it would not even count it."""
        folder = ""
        for part in path.split("/")[:-1]:
            folder = f"{folder}{part}/"
            if not folder.startswith(self._top):
                continue
            if part in left_out.TOOLS or part.startswith(".."):
                return None
            if folder in gone:
                return None
            away = self._excluded(folder.rstrip("/")) or self._excluded(folder)
            reason = left_out.BUILT.get(part) or ("excluded" if away else "")
            if reason:
                gone.add(folder)
                self._left.append((folder.rstrip("/"), SKIPPED, reason))
                return None
        if not endings.takes(path.rpartition("/")[2]):
            return left_out.UNSUPPORTED
        if self._excluded(path):
            return "excluded"
        return next((why for top, why in vendored.items() if path.startswith(top)), "")


def walk_order(path: str) -> tuple[tuple[bool, str], ...]:
    """A key that sorts paths as ``discover`` walks: files first, then the folders beside them."""
    *folders, name = path.split("/")
    return (*((True, folder) for folder in folders), (False, name))


# -- from rows ------------------------------------------------------------------------------


def gathered(
    rows: Iterable[dict[str, Any]], brings: Container[str], megabytes: int = 0
) -> Iterator[dict[str, Any]]:
    """Rows that follow each other and bring files of one unit → one row.

    ``brings`` are the places of rows that bring files. A unit with more than so many megabytes
    (0: no limit) is a problem, and its files are gone from memory.
    """

    def whose(row: dict[str, Any]) -> object:
        return (row["unit"], row["ref"]) if row["place"] in brings else object()

    for _, group in itertools.groupby(rows, whose):
        row = next(group)
        if row["place"] not in brings:
            yield row
            continue
        files: list[File] = []
        problems: dict[str, int] = {}
        size = 0
        for part in itertools.chain((row,), group):
            size += sum(len(data or b"") for _, data, _ in part["files"] or ())
            if part["problem"]:
                problems[part["problem"]] = problems.get(part["problem"], 0) + 1
            if megabytes and size > megabytes << 20:
                problems[limits.too_large(megabytes)] = 1
                files.clear()
            else:
                files += part["files"] or ()
        row["files"], row["bytes"] = files, size
        row["problem"] = _listed(problems) or None
        yield row


def pointed_at(
    files: Mapping[str, bytes | None], lookup: Callable[[str], bytes | None]
) -> dict[str, bytes]:
    """Files beyond these that reading them asks for: variables of compose files and the like."""
    found: dict[str, bytes] = {}

    def noted(path: str) -> bytes | None:
        data = files.get(path)
        if data is None and (data := lookup(path)) is not None:
            found[path] = data
        return data

    for path, data in files.items():
        if data is not None and any(word in data for word in _POINTERS):
            with suppress(Exception):
                formats.read(path, data, noted)
    return found


def _listed(problems: dict[str, int]) -> str:
    told = [f"{text} ({count:,} times)" if count > 1 else text for text, count in problems.items()]
    more = f" and {len(told) - _FEW:,} more" if len(told) > _FEW else ""
    return "; ".join(told[:_FEW]) + more


def settled(folder: str, files: list[File]) -> list[File]:
    """The files with paths that start at a folder, which they may lie in anywhere, or not at all."""
    clean = [posixpath.normpath(path) if path else "" for path, _, _ in files]
    at = [f"/{path}".find(f"/{folder}/") for path in clean]
    there = all(start >= 0 for start, path in zip(at, clean, strict=True) if path)
    return [
        (
            (path[start:] if there else f"{folder}/{path.lstrip('/')}") if path else None,
            data,
            reason,
        )
        for path, start, (_, data, reason) in zip(clean, at, files, strict=True)
    ]
