"""A limit as it stands in one cluster: where it is, what is used of it, and what that rests on."""

from __future__ import annotations

from kcheck import data
from kcheck.limits.assumptions import Assumed
from kcheck.limits.format import about, exact
from kcheck.model import NAN, Value

HARD, SOFT, EMERGENT, SERVICE = "HARD", "SOFT", "EMERGENT", "SERVICE"
OVER, TIGHT, WITHIN = "over", "tight", "within"

#: The groups in their order, and what they are called.
GROUPS = {
    "partitions": "Partitions and brokers",
    "messages": "Messages",
    "requests": "Requests",
    "connections": "Connections and files",
    "storage": "Storage",
    "memory": "Memory",
    "recovery": "Recovery",
    "throughput": "Throughput",
    "durability": "Durability",
}

#: What to do at a limit of each class.
CLASSES = {
    HARD: "compiled into Kafka: no setting changes it, design around it",
    SOFT: "a setting: it can be changed, at a cost",
    EMERGENT: "a result of resources and settings: an estimate; add resources or change the settings",
    SERVICE: "a quota of the managed service: ask it for more, or split the cluster",
}

#: Where a declaration tells a fact that a limit needs.
FACTS = {
    "brokers": "cluster.brokers",
    "ram": "cluster.host.ram",
    "heap": "cluster.host.heap",
    "nic": "cluster.host.nic",
    "disk_size": "cluster.host.disk_size",
    "disk_rate": "cluster.host.disk_rate",
    "nofile": "cluster.host.nofile",
    "partitions": "topics[].partitions",
    "replication_factor": "topics[].replication_factor",
    "produce_rate": "topics[].produce_rate",
    "partition_size": "topics[].partition_size",
    "instances": "producers[], consumers[] … .instances",
    "listeners": "cluster.config.listeners, or the brokers' files",
    "broker settings": "the brokers' files, or cluster.config",
    "kafka_version": "cluster.kafka_version",
}


class Entry:
    """One row of ``schemas/limits/limits.tsv``, which explains the columns."""

    __slots__ = (
        "group",
        "id",
        "invariants",
        "kind",
        "move",
        "source",
        "spec",
        "title",
        "unit",
        "wall",
    )

    def __init__(self, cells: list[str]) -> None:
        self.id, self.kind, self.group, self.unit, self.title, self.spec, self.wall = cells[:7]
        self.move, self.source = cells[7:9]
        self.invariants = tuple(filter(None, cells[9].split(",")))


_TABLE = "limits/limits.tsv"
_entries: list[Entry] = []


def entries() -> list[Entry]:
    """The catalogue in its order. Raises ValueError for a row of a class or group that there is not."""
    if not _entries:
        _entries.extend(_entry(at, cells) for at, cells in data.numbered(_TABLE))
    return _entries


def _entry(at: int, cells: list[str]) -> Entry:
    made = Entry(cells)
    for column, told, known in (("class", made.kind, CLASSES), ("group", made.group, GROUPS)):
        if told not in known:
            raise ValueError(
                f"schemas/{_TABLE}:{at}: {column} {told or 'of no name'} is none of {', '.join(known)}"
            )
    return made


class Line:
    """One limit of one cluster.

    ``limit`` and ``used`` are numbers in the entry's unit, NaN where they are not known; ``whose``
    says what uses most. ``share`` is the part of the limit to plan with. ``values`` are the
    cluster's own, with whom they belong to. ``text`` stands in for a limit that is no number.
    ``least`` says that more is used than is known of; ``missing`` are names in ``FACTS``.
    """

    __slots__ = (
        "assumed",
        "default",
        "entry",
        "formula",
        "least",
        "limit",
        "missing",
        "move",
        "notes",
        "share",
        "source",
        "text",
        "used",
        "values",
        "whose",
    )

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.limit: float = NAN
        self.used: float = NAN
        self.whose = ""
        self.text = ""
        self.default = ""
        self.move = entry.move
        self.source = entry.source
        self.share: float = 1
        self.least = False
        self.formula = ""
        self.values: list[tuple[str, Value]] = []
        self.missing: list[str] = []
        self.assumed: list[Assumed] = []
        self.notes: list[str] = []

    @property
    def estimate(self) -> bool:
        return self.entry.kind == EMERGENT

    @property
    def part(self) -> float:
        """The part of the limit that is used; NaN where either is not known."""
        return self.used / self.limit if self.limit > 0 else NAN

    @property
    def state(self) -> str:
        """``over`` the limit, ``tight`` above what to plan with, ``within``; "" if not known."""
        part = self.part
        if part != part:
            return ""
        if part > 1:
            return OVER
        return TIGHT if part > self.share else WITHIN

    @property
    def limit_text(self) -> str:
        if self.text:
            return self.text
        told = about if self.estimate and not self._own else exact
        return told(self.limit, self.entry.unit)

    @property
    def used_text(self) -> str:
        if self.used != self.used:
            return ""
        told = about if self.estimate else exact
        text = told(self.used, self.entry.unit)
        return "≥ " + text.lstrip("≈") if self.least else text

    @property
    def _own(self) -> bool:
        return any(value.number == self.limit for _, value in self.values)
