"""The names in folders, where files are known by their paths alone."""

from __future__ import annotations

from collections.abc import Iterable


class FolderNames:
    """What is in the folders that some paths lead through."""

    __slots__ = ("_names", "_paths")

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = paths
        self._names: dict[str, set[str]] | None = None

    def of(self, folder: str) -> bytes | None:
        """The names in a folder, one a line, as ``lookup`` gives them; None where there are none."""
        if self._names is None:
            self._names = {}
            for path in self._paths:
                above, slash, name = path.rpartition("/")
                while name not in self._names.setdefault(above, set()):
                    self._names[above].add(name)
                    if not slash:
                        break
                    above, slash, name = above.rpartition("/")
        names = self._names.get("" if folder == "." else folder)
        return "\n".join(sorted(names)).encode("utf-8", "surrogateescape") if names else None
