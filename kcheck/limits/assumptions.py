"""What derivations take for granted, by name, and what somebody says instead."""

from __future__ import annotations

from kcheck import data
from kcheck.formats.declarations.declared import ASSUMPTIONS, READERS, assumption_kinds
from kcheck.graph.cluster import Cluster
from kcheck.model import Value


class Assumption:
    """One row of ``schemas/limits/assumptions.tsv``.

    ``default`` is the text of the number that is taken where nobody says another. ``evidence`` is
    code, measured or rule of thumb; ``source`` says what that is.
    """

    __slots__ = ("default", "evidence", "kind", "name", "number", "source", "unit", "words")

    def __init__(self, cells: list[str]) -> None:
        self.name, self.kind, self.unit, self.default, self.evidence, self.words, self.source = (
            cells
        )
        read = READERS[assumption_kinds()[self.name]](self.default)
        assert isinstance(read, (int, float)), self.name
        self.number: float = read


class Assumed:
    """An assumption as it holds for one cluster; ``value`` is what somebody says instead of it.

    The number is NaN where what is said cannot be known, as a template's.
    """

    __slots__ = ("assumption", "number", "value")

    def __init__(self, assumption: Assumption, value: Value | None) -> None:
        self.assumption = assumption
        self.value = value
        self.number = assumption.number if value is None else value.number

    @property
    def known(self) -> bool:
        return self.number == self.number

    @property
    def text(self) -> str:
        return self.assumption.default if self.value is None else self.value.text or "?"

    @property
    def said(self) -> tuple[Value, ...]:
        """The value that replaces the default, as evidence of a verdict that hangs on it."""
        return (self.value,) if self.value is not None else ()


_table: dict[str, Assumption] = {}


def table() -> dict[str, Assumption]:
    """All assumptions by name, in the order of the table."""
    if not _table:
        for cells in data.rows("limits/assumptions.tsv"):
            _table[cells[0]] = Assumption(cells)
    return _table


def assumed(cluster: Cluster, name: str) -> Assumed:
    """What is taken for granted in that cluster: what it says itself, else the default."""
    value = cluster.fact(ASSUMPTIONS + name)
    return Assumed(table()[name], value if value.setting is not None or value.known else None)


def meant(name: str, text: str) -> float:
    """A text as the value of that assumption. Raises ValueError where it is none; the message
    says what it should be."""
    kind = assumption_kinds()[name]
    read = READERS[kind](text)
    if not isinstance(read, (int, float)):
        raise ValueError(f"must be {kind}")
    return read
