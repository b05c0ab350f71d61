"""What managed services accept: the rows of ``schemas/services/accepts.tsv``.

``kcheck.services`` has the services themselves; this table is read where a cluster is one's.
"""

from __future__ import annotations

from functools import cache

from kcheck import data

#: The key of a row for all that have none, and a row that takes any value.
OTHERS = ANYTHING = "*"


class Row:
    """What a service accepts for one key.

    ``values`` are the words that it takes, ``low`` and ``high`` the bounds of a number; a row that
    is ``closed`` takes nothing, because the service sets the key itself.
    """

    __slots__ = ("closed", "high", "low", "severity", "values")

    def __init__(self, accepts: str, severity: str) -> None:
        self.severity = severity
        self.closed = not accepts
        self.low: float | None = None
        self.high: float | None = None
        self.values: tuple[str, ...] = ()
        low, dots, high = accepts.partition("..")
        if dots:
            self.low = float(low) if low else None
            self.high = float(high) if high else None
        elif accepts not in ("", ANYTHING):
            self.values = tuple(accepts.split("|"))

    def fault(self, text: str, number: float) -> str:
        """What the service accepts instead, in words; "" where it takes the value.

        ``number`` is the value as a number, NaN where it is none; -1 stands for no value mostly,
        which only words and a lower bound of the row's own exclude.
        """
        if self.values:
            known = text.lower() in (value.lower() for value in self.values)
            return "" if known else " or ".join(self.values)
        if self.low is not None and self.low == self.high:
            return "" if number == self.low else _shown(self.low)
        if self.high is not None and number > self.high:
            low = f"{_shown(self.low)} to " if self.low is not None else "at most "
            return f"{low}{_shown(self.high)}"
        if self.low is not None and number < self.low:
            high = f" to {_shown(self.high)}" if self.high is not None else " and more"
            return f"{_shown(self.low)}{high}"
        return ""


def _shown(number: float) -> str:
    return str(int(number) if number == int(number) else number)


@cache
def _rows() -> dict[tuple[str, str, str], dict[str, Row]]:
    found: dict[tuple[str, str, str], dict[str, Row]] = {}
    for service, tier, plane, key, accepts, severity, _ in data.rows("services/accepts.tsv"):
        found.setdefault((service, tier, plane), {})[key] = Row(accepts, severity)
    return found


def by(service: str, plane: str, tier: str = "") -> dict[str, Row]:
    """The rows of a service by key, called as it calls itself; those of a tier go over the others."""
    rows = _rows()
    general = rows.get((service, "", plane), {})
    return {**general, **rows.get((service, tier, plane), {})} if tier else general
