"""Trees of nodes from several files that are read as one, and put back to where they stand.

Nodes of another file than the document's have its number in their lines. What is read of them is
relocated afterwards: paths and places are those of the files again.
"""

from __future__ import annotations

from posixpath import normpath

from kcheck.formats import Lookup
from kcheck.formats.embedded import split_lines
from kcheck.formats.kubernetes import manifests
from kcheck.model import Document, Position, Problem
from kcheck.syntax import go_rendering, trees, yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: No file has as many lines.
_LINES = 10_000_000
#: More files than this are not looked at for one document.
_MOST = 40


class Lines(list[str]):
    """The lines of a document's own file, behind which those of the others stand by their numbers."""

    def __init__(self, own: list[str]) -> None:
        super().__init__(own)
        self.own = own
        self.others: list[list[str]] = []

    def __len__(self) -> int:
        return _LINES * (len(self.others) + 1)

    def __getitem__(self, at: Any) -> Any:
        number, line = divmod(at, _LINES)
        lines = self.others[number - 1] if number else self.own
        return lines[line] if line < len(lines) else ""


class Origins:
    """The files of which the nodes of one document come."""

    def __init__(self, document: Document, data: bytes, lookup: Lookup) -> None:
        self.document = document
        self._data = data
        self.lookup = lookup
        self._paths: list[str] = []
        self._held: dict[str, list[yaml.Node]] = {}
        self._lines = Lines(split_lines(data))
        #: Whether something of the files is left out: it cannot be read, or depends on conditions.
        self.open = False

    def parsed(self, nodes: list[yaml.Node]) -> yaml.Parsed:
        """The document's text with nodes of several files."""
        made = yaml.Parsed(self._data, nodes)
        if self._paths:
            made.lines = self._lines
        return made

    def values(self, path: str) -> yaml.Node | None:
        """The mapping that a file holds; None where there is none that can be read."""
        nodes = self.documents(path)
        return nodes[0] if len(nodes) == 1 else None

    def documents(self, path: str) -> list[yaml.Node]:
        """The YAML documents of a file; none where it cannot be read."""
        if path not in self._held:
            self._held[path] = self._documents(path)
        return self._held[path]

    def _documents(self, path: str) -> list[yaml.Node]:
        if path == self.document.path:
            return yaml.documents(self._data)[0]
        if len(self._paths) >= _MOST:
            self.open = True
            return []
        data = self.lookup(path)
        if data is None:
            return []
        if b"{{" in data:
            filled, whole = go_rendering.unscripted(data.decode("utf-8", "replace"))
            self.open = self.open or not whole
            data = filled.encode()
        nodes, problem = yaml.documents(data)
        if problem is not None:
            self.open = True
            return []
        self._paths.append(path)
        self._lines.others.append(split_lines(data))
        base = len(self._paths) * _LINES

        def place(at: Position) -> Position:
            return at[0] + base, at[1], at[2] + base, at[3]

        mover = trees.Mover(place)
        try:
            return [mover.moved(node) for node in nodes]
        except trees.Overgrown:
            return []

    def texts(self, node: yaml.Node | None, told: Document | None = None) -> list[yaml.Node]:
        """The YAML documents of a text in one of the files; ``told`` has what is wrong in its own."""
        inner = Document(self.document.path)
        found = manifests.documents_of(inner, node, self._lines)
        if told is not None:
            told.problems += self.own(inner.problems)
        return found

    def has(self, path: str) -> bool:
        """Whether there is such a file."""
        return self.lookup(path) is not None

    def place_of(self, at: Position) -> tuple[str, int]:
        """The path of the file in which a place is, and the line there."""
        number, line = divmod(at[0], _LINES)
        return (self._paths[number - 1] if number else self.document.path), line

    def text_of(self, at: Position) -> bytes:
        """The text of the file in which a place is."""
        number = at[0] // _LINES
        return (self.lookup(self._paths[number - 1]) or b"") if number else self._data

    def own(self, problems: list[Problem]) -> list[Problem]:
        """Those in the document's own file: the others tell theirs themselves."""
        return [problem for problem in problems if problem.at[0] < _LINES]

    def relocate(self, found: list[Any]) -> None:
        """Put what was read of nodes of other files there."""
        if self._paths:
            seen: set[int] = set()
            for one in found:
                self._relocate(one, seen)

    def _relocate(self, one: Any, seen: set[int]) -> None:
        stack = [one]
        while stack:
            here = stack.pop()
            if id(here) in seen or isinstance(here, (str, int, float)) or here is None:
                continue
            seen.add(id(here))
            if isinstance(here, dict):
                stack.extend(here.values())
            elif isinstance(here, (list, tuple, set, frozenset)):
                stack.extend(here)
            elif type(here).__module__.startswith("kcheck.model"):
                stack.extend(self._moved(here))

    def _moved(self, here: Any) -> list[Any]:
        """Relocate one object; gives what it holds."""
        held: list[Any] = []
        at: Any = getattr(here, "at", None)
        key_at: Any = getattr(here, "key_at", None)
        if _is_position(at) and _is_position(key_at) and at[0] // _LINES != key_at[0] // _LINES:
            # A value that stands in another file than its key is shown by itself.
            here.key_at = at
        for name in _attributes(here):
            told: Any = getattr(here, name, None)
            if not _is_position(told):
                held.append(told)
            elif told[0] >= _LINES:
                number, line = divmod(told[0], _LINES)
                end = told[2] % _LINES
                setattr(here, name, (line, told[1], end, told[3]))
                if getattr(here, "path", None) == self.document.path:
                    here.path = self._paths[number - 1]
        return held


def _attributes(here: Any) -> list[str]:
    names = [name for part in type(here).__mro__ for name in getattr(part, "__slots__", ())]
    return [*names, *getattr(here, "__dict__", ())]


def _is_position(told: object) -> bool:
    return isinstance(told, tuple) and len(told) == 4 and all(type(n) is int for n in told)


def within(folder: str, path: str) -> str:
    """A path that a file of a folder names; "" where it leads elsewhere."""
    if not path or path.startswith("/") or "://" in path:
        return ""
    found = normpath(f"{folder}/{path}" if folder else path)
    return "" if found.startswith("..") else found
