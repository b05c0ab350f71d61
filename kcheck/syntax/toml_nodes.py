"""TOML text → the nodes of ``syntax.yaml``: values as ``tomllib`` reads them, at the places of their lines.

What stands inside of an inline table or a list over several lines has the place of the key around it.
"""

from __future__ import annotations

from kcheck.model import Position, Problem
from kcheck.syntax import toml
from kcheck.syntax.nodes import Mapping, Node, Scalar, Sequence

_DEEPEST = 100


def document(data: bytes) -> tuple[Node | None, Problem | None]:
    """The table that the file holds, or what is wrong with it and where."""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n")
    for number, row in enumerate(text.split("\n"), 1):
        if row.partition("=")[0].count(".") > _DEEPEST:  # tomllib takes long over such names
            return None, Problem("not valid TOML: nested too deeply", (number, 1, number, 1))
    try:
        loaded, lines = toml.load(text), toml.lines(text)
    except toml.TomlError as error:
        line = error.line or 1
        return None, Problem(f"not valid TOML: {error}", (line, 1, line, 1))
    return _Maker(lines, text.split("\n")).node(loaded, ()), None


class _Maker:
    def __init__(self, lines: dict[toml.Place, int], rows: list[str]) -> None:
        self.lines = lines
        self.rows = rows

    def node(self, value: object, place: toml.Place) -> Node:
        name_at, at = self._placed(place)
        if isinstance(value, dict):
            made = Mapping(name_at)
            for key, inner in value.items():
                there = (*place, key)
                made.pairs.append(
                    (key, Scalar(key, self._placed(there)[0]), self.node(inner, there))
                )
            return made
        if isinstance(value, list):
            return Sequence([self.node(one, (*place, n)) for n, one in enumerate(value)], at)
        if isinstance(value, bool):
            return Scalar("true" if value else "false", at)
        quoted = isinstance(value, str)
        if quoted and at[3] - at[1] == len(str(value)) + 2:
            at = (at[0], at[1] + 1, at[2], at[3] - 1)
        return Scalar(str(value), at, '"' if quoted else "")

    def _placed(self, place: toml.Place) -> tuple[Position, Position]:
        """Where the name and the value of a line stand."""
        line = toml.line_of(self.lines, place)
        row = self.rows[line - 1]
        name, _, value = row.partition("=")
        start = len(name) - len(name.lstrip()) + 1
        begin = len(name) + 1 + len(value) - len(value.lstrip()) + 1
        end = len(row.rstrip()) + 1
        return (line, start, line, len(name.rstrip()) + 1), (line, min(begin, end), line, end)
