"""What products demand between their own settings: the rows of ``schemas/connectors/musts.tsv``.

A row says that something holds (``when``) only together with something else (``must``), and what comes
of it otherwise. Both are conditions on settings; the table explains how they are written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from kcheck import data
from kcheck.units import whole

TABLE = "connectors/musts.tsv"
_CONDITION = re.compile(r"(!?)([^!=<>~@#?^%]+)(!=|>=|<=|=|~|@|#|\?|\^|%)?(.*)")


class Condition:
    """One condition on a setting: its key, the sign, and what stands behind the sign."""

    __slots__ = ("key", "negated", "pattern", "sign", "values")

    def __init__(self, written: str) -> None:
        found = _CONDITION.fullmatch(written)
        if found is None:
            raise ValueError(f"{TABLE}: no condition: {written}")
        self.negated = found[1] == "!"
        self.key = found[2]
        self.sign = found[3] or ""
        self.values = tuple(found[4].split("|")) if self.sign not in ("", "~") else ()
        self.pattern = re.compile(found[4]) if self.sign == "~" else None

    def holds(self, settings: Mapping[str, Held], among: bool) -> bool | None:
        """Whether it holds; None where a value is unknown. ``among``: it is one of ``must``, where what
        is said of a value says nothing of a setting that is not there."""
        setting = settings.get(self.key)
        if self.sign == "?":
            plain = setting is not None
        elif setting is None or setting.text == "":
            bound = self.sign in ("~", "@", ">=", "<=", "!=", "#", "^", "%")
            plain = among and bound
        elif setting.text is None and (self.sign or self.negated):
            return None
        elif setting.text is None or not self.sign:
            plain = True
        else:
            said = self._compared(setting.text, settings)
            if said is None:
                return None
            plain = said
        return plain != self.negated

    def _compared(self, text: str, settings: Mapping[str, Held]) -> bool | None:
        if self.pattern is not None:
            return all(self.pattern.fullmatch(part.strip()) for part in text.split(","))
        if self.sign in (">=", "<="):
            number, bound = whole(text), int(self.values[0])
            return (
                None
                if number is None
                else number >= bound
                if self.sign == ">="
                else number <= bound
            )
        if self.sign == "#":
            other = settings.get(self.values[0])
            known = other.text if other is not None else ""
            return None if known is None else text.count(",") == known.count(",")
        if self.sign == "%":
            beside = settings.get(self.values[0])
            apart = beside.text if beside is not None else ""
            return None if apart is None else text.strip() != apart.strip()
        if self.sign == "^":
            return any(part.strip().lower().startswith(self.values) for part in text.split(","))
        wanted = {value.lower() for value in self.values}
        given = (
            [part.strip().lower() for part in text.split(",")]
            if self.sign == "@"
            else [text.lower()]
        )
        hit = any(one in wanted or one.rpartition(".")[2] in wanted for one in given)
        return hit != (self.sign == "!=")

    def __str__(self) -> str:
        return f"{self.key}{self.sign}{'|'.join(self.values)}"


class Must:
    """A row: whose settings, when, what must hold then (of several alternatives one), what comes of it
    otherwise: ``refused`` or words, behind ``unread:`` where a setting only has no effect."""

    __slots__ = ("must", "of", "result", "when")

    def __init__(self, of: str, when: str, must: str, result: str) -> None:
        self.of = tuple(of.split("|"))
        self.when = tuple(map(Condition, when.split()))
        self.must = tuple(tuple(map(Condition, way.split())) for way in must.split(" or "))
        self.result = result

    def about(self, name: str) -> bool:
        """Whether it is about a class or program; the package of connectors may hold transformations,
        which are others."""
        return any(
            name.startswith(own) and ".transforms." not in name[len(own) - 1 :] for own in self.of
        )

    @property
    def unread(self) -> bool:
        return self.result.startswith("unread:")

    @property
    def consequence(self) -> str:
        return self.result.removeprefix("unread:").strip()

    def broken(self, settings: Mapping[str, Held]) -> list[Condition]:
        """The conditions of its first way that do not hold where none of its ways does; else none."""
        if any(one.holds(settings, False) is not True for one in self.when):
            return []
        ways = [[one.holds(settings, True) for one in way] for way in self.must]
        if any(False not in way for way in ways):
            return []
        return [one for one, held in zip(self.must[0], ways[0], strict=True) if held is False]


_rows: list[Must] = []


def broken(name: str, settings: Mapping[str, Held]) -> Iterator[tuple[Must, list[Condition]]]:
    """The rows of a class or program, by the beginnings of its name, that these settings break."""
    if not _rows:
        _rows.extend(
            Must(of, when, must, result) for of, when, must, result, *_ in data.rows(TABLE)
        )
    for row in _rows:
        if row.about(name) and (lacking := row.broken(settings)):
            yield row, lacking


TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Held(Protocol):
        """A setting: its text, None where it is a template or a reference."""

        @property
        def text(self) -> str | None: ...
