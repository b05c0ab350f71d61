"""What an upgrade brings that no single version shows: changed defaults, steps on the way.

The words are data (``schemas/upgrade``); the defaults themselves come from the catalogue.
"""

from __future__ import annotations

from kcheck import catalogue, data, libraries
from kcheck.version import Version, parse

#: How much a changed default matters to those who never set the key.
BEHAVIOUR, MINOR, NONE = "behaviour", "minor", "none"

#: The word in ``when`` for keys that are new, whose default changes what nobody could set before.
_ABSENT = "absent"

#: Java's clients, which share a row where they share a default.
_CLIENTS = ("producer", "consumer", "admin", "streams")


class Changed:
    """One default that is another one in the newer of two versions.

    ``old`` is None where the older one has no such key. ``since`` is the first version with the new default.
    """

    __slots__ = ("effect", "key", "new", "old", "since", "source", "weight", "when")

    def __init__(
        self,
        row: _Row,
        weight: str,
        old: catalogue.Fact | None,
        new: catalogue.Fact,
    ) -> None:
        self.key = row.key
        self.since = row.since
        self.weight = weight
        self.when = row.when
        self.effect = row.effect
        self.source = row.source
        self.old = old
        self.new = new


class _Row:
    __slots__ = ("absent", "effect", "key", "since", "source", "weight", "when")

    def __init__(self, cells: list[str]) -> None:
        self.key, self.since, self.weight, when, self.effect, self.source = cells
        words = when.split()
        self.absent = _ABSENT in words
        self.when = tuple(word for word in words if word != _ABSENT)


_rows: dict[str, dict[str, list[_Row]]] = {}


def changed_defaults(plane: str, old: Version, new: Version) -> list[Changed]:
    """The defaults of a plane that differ between two known versions, in the order of the table."""
    if not _rows:
        for name, *cells in data.rows("upgrade/defaults.tsv"):
            for table in _CLIENTS if name == "client" else (name,):
                _rows.setdefault(table, {}).setdefault(cells[0], []).append(_Row(cells))
    found: list[Changed] = []
    for key, rows in _rows.get(plane, {}).items():
        crossed = [row for row in rows if old.below(row.since) and new.at_least(row.since)]
        before, after = (catalogue.fact(plane, key, version) for version in (old, new))
        if not crossed or after is None or (crossed[0].absent and before is not None):
            continue
        if before is not None and before.default == after.default:
            continue
        weights = [row.weight for row in crossed]
        weight = next(word for word in (BEHAVIOUR, MINOR, NONE) if word in weights)
        found.append(Changed(crossed[-1], weight, before, after))
    return found


class Step:
    """Something that an upgrade does not get past, whatever the settings say."""

    __slots__ = (
        "_crosses",
        "_into",
        "breaks",
        "fix",
        "message",
        "name",
        "order",
        "severity",
        "side",
        "source",
        "subject",
        "when",
    )

    def __init__(self, cells: list[str]) -> None:
        self.name, self.side, self._crosses, self._into, when = cells[:5]
        self.order, self.severity, self.subject = cells[5:8]
        self.message, self.breaks, self.fix, self.source = cells[8:]
        self.when = tuple(when.split())

    def on(self, old: Version, new: Version) -> bool:
        """Whether it lies between these versions."""
        if self._crosses:
            return old.below(self._crosses) and new.at_least(self._crosses)
        if old.minor == new.minor:
            return False
        first, _, last = self._into.partition("-")
        minor = (parse(new.minor or "") or ())[:2]
        return (not first or new.at_least(first)) and (not last or minor <= (parse(last) or ()))

    def since(self, new: Version) -> str:
        """The first version that has it."""
        return self._crosses or new.minor or ""


def steps() -> list[Step]:
    """All steps, in the order in which they come up."""
    return [Step(cells) for cells in data.rows("upgrade/steps.tsv")]


def oldest_clients() -> dict[str, str]:
    """By client library the oldest version that brokers of Kafka 4.0 and newer understand."""
    return {row.name: row.least for row in libraries.ROWS if row.least}
