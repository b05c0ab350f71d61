"""The files of a table's row or of an archive, read as a walk over the same tree would read them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kcheck import discover, formats
from kcheck.model import PASSED_OVER, SKIPPED, Document

Match = Callable[[str], bool]


class Members:
    """The sources of one unit that are in memory: path → bytes, None for bytes that are missing.

    The same files are left out for the same reasons as by ``discover.Inputs``, in the same order:
    names in order, files before the folders beside them.
    """

    def __init__(
        self, files: Iterable[tuple[str, bytes | None]], top: str, excluded: Match
    ) -> None:
        self._files = dict(files)
        self._top = f"{top}/" if top not in ("", ".") else ""
        self._excluded = excluded
        self._left: list[tuple[str, str, str]] = []

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        vendored = self._vendored()
        gone: set[str] = set()
        for path in sorted(self._files, key=walk_order):
            reason = self._never(path, vendored, gone)
            if reason is None:
                continue
            data = self._files[path]
            if not reason and data is not None:
                yield path, data
            elif not formats.modules_for(path.rpartition("/")[2]):
                self._left.append((path, PASSED_OVER, "no format that kcheck reads"))
            else:
                self._left.append((path, SKIPPED, reason or "without content, or too large"))

    def lookup(self, path: str) -> bytes | None:
        """The bytes of another file of the unit."""
        return self._files.get(path)

    def documents(self) -> list[Document]:
        found: list[Document] = []
        for path, status, reason in self._left:
            document = Document(path)
            document.status, document.reason = status, reason
            found.append(document)
        return found

    def _never(self, path: str, vendored: set[str], gone: set[str]) -> str | None:
        """Why a walk would not read the file: "" if it would, None if it would not even count it."""
        folder = ""
        for part in path.split("/")[:-1]:
            folder = f"{folder}{part}/"
            if not folder.startswith(self._top):
                continue
            if part in discover.TOOLS or part.startswith(".."):
                return None
            if folder in gone:
                return None
            away = self._excluded(folder.rstrip("/")) or self._excluded(folder)
            reason = discover.BUILT.get(part) or ("excluded" if away else "")
            if reason:
                gone.add(folder)
                self._left.append((folder.rstrip("/"), SKIPPED, reason))
                return None
        if not formats.modules_for(path.rpartition("/")[2]):
            return "no format that kcheck reads"
        if self._excluded(path):
            return "excluded"
        return discover.SHIPPED if any(map(path.startswith, vendored)) else ""

    def _vendored(self) -> set[str]:
        """The ``config/`` of unpacked Kafka distributions among the files."""
        found: set[str] = set()
        for path in self._files:
            folder, mark, _ = path.rpartition("bin/kafka-server-start.sh")
            if not mark:
                folder, mark, name = path.rpartition("libs/")
                if not name.startswith(("kafka_", "kafka-clients-")) or not name.endswith(".jar"):
                    continue
            if mark and (not folder or folder.endswith("/")):
                found.add(f"{folder}config/")
        return found


def walk_order(path: str) -> tuple[tuple[bool, str], ...]:
    """A key that sorts paths as ``discover`` walks: files first, then the folders beside them."""
    *folders, name = path.split("/")
    return (*((True, folder) for folder in folders), (False, name))
