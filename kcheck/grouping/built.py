"""Whom an application asks whose sources a container runs: its container's variables say so.

A file of the application says whom it asks on the developer's machine, or what stands for that. Where
a compose file builds its folder, the address in the container is the one in the service's variable.
"""

from __future__ import annotations

from collections.abc import Iterable

from kcheck import endpoints
from kcheck.grouping.compose import project_of
from kcheck.grouping.names import Asked, loopback, normal, number, qualified
from kcheck.grouping.pieces import Piece
from kcheck.model import Built, Document, Setting

#: Where an application that is the whole project keeps its files.
_OWN = ("src/", "config/", "resources/", "app/")
_CLIENTS = frozenset({"producer", "consumer", "streams", "client", "admin"})


def place_applications(pieces: Iterable[Piece], documents: Iterable[Document]) -> None:
    """Let the pieces of applications that containers run ask whom their containers ask."""
    run = _Applications(documents)
    for piece in pieces:
        run.place(piece)


class _Applications:
    """The folders that the compose files of a project run in containers."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self._by_folder: dict[str, list[tuple[Document, Built]]] = {}
        for document in documents:
            for one in document.extent.built:
                self._by_folder.setdefault(one.folder, []).append((document, one))

    def place(self, piece: Piece) -> None:
        """Let a piece of an application ask whom its container asks."""
        if not self._by_folder or not self._movable(piece):
            return
        found = self._of(piece.path)
        projects = {project_of(document.path) for document, _ in found}
        told = {one.asked.text if one.asked else "": one.asked for _, one in found}
        if len(projects) != 1 or len(told) != 1:
            return
        (setting,) = told.values()
        if setting is not None:
            piece.ask(list(_asked(setting)), projects.pop())
        elif not any(loopback(one.host) for one in piece.asked):
            piece.ask(piece.asked, projects.pop())

    @staticmethod
    def _movable(piece: Piece) -> bool:
        """Whether a piece is of an application that asks nobody whom everybody knows by that name."""
        return (
            not piece.network
            and not piece.name
            and not piece.remote
            and all(resource.kind in _CLIENTS for resource in piece.resources)
            and not any(qualified(one.host) for one in piece.asked)
            and not any(resource.traits.profile for resource in piece.resources)
        )

    def _of(self, path: str) -> list[tuple[Document, Built]]:
        """What runs the innermost folder around a file."""
        folder = path.rpartition("/")[0]
        while folder:
            if folder in self._by_folder:
                return self._by_folder[folder]
            folder = folder.rpartition("/")[0]
        whole = "/" not in path or path.startswith(_OWN)
        return self._by_folder.get("", []) if whole else []


def _asked(setting: Setting) -> Iterable[Asked]:
    for host, port in endpoints.split(setting.text or ""):
        yield Asked(normal(host), number(port), setting)
