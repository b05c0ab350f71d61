"""How ``kcheck partition`` prints what it found: as text and as JSON."""

from __future__ import annotations

from textwrap import fill

from kcheck.cli import table
from kcheck.cli.terminal import bold
from kcheck.partition.partitioners import Partitioner
from kcheck.partition.spread import Key, Load, Spread, moving
from kcheck.report.printable import printable, width
from kcheck.report.shown import named, safe
from kcheck.wording import count

#: A sentence names so many keys, a table so many of a file's partitions, unless all are asked for.
_FEW = 3
_ROWS = 10
#: Keys may be documents; a sentence shows their beginnings.
_WIDE = 32
_COLUMNS = 80


class Coordinator:
    """A group or transactional id, and the partition of the topic that keeps its state."""

    __slots__ = ("kind", "name", "origin", "partition", "partitions", "topic")

    def __init__(
        self, kind: str, name: str, topic: str, partition: int, partitions: int, origin: str
    ) -> None:
        self.kind = kind
        self.name = name
        self.topic = topic
        self.partition = partition
        self.partitions = partitions
        self.origin = origin


class View:
    """Everything that one call found. ``before`` and ``then`` are of a file of keys."""

    def __init__(self, partitioner: Partitioner, coordinators: list[Coordinator]) -> None:
        self.partitioner = partitioner
        self.coordinators = coordinators
        self.partitions = 0
        self.after = 0
        self.keys: list[Key] = []
        self.passed_over = 0
        #: Whether every key is listed, or only summed up.
        self.every = True
        self.before: Spread | None = None
        self.then: Spread | None = None

    def _at(self, key: bytes | None, partitions: int) -> int | None:
        return self.partitioner.partition(key, partitions) if partitions else None

    def _moved(self) -> list[Key]:
        if not self.after:
            return []
        return [
            key
            for key in self.keys
            if self._at(key.data, self.partitions) != self._at(key.data, self.after)
        ]

    # -- JSON ---------------------------------------------------------------------------

    def record(self) -> dict[str, object]:
        """The document of ``--output json``; what was not asked for is not in it."""
        found: dict[str, object] = {"version": 1}
        if self.partitions:
            found |= self._keys_record()
        for name, kind in (("groups", "group"), ("transactional_ids", "transactional id")):
            mine = [c for c in self.coordinators if c.kind == kind]
            if mine:
                found[name] = [
                    {
                        "name": named(c.name),
                        "topic": c.topic,
                        "partition": c.partition,
                        "partitions": c.partitions,
                        "origin": safe(c.origin),
                    }
                    for c in mine
                ]
        return found

    def _keys_record(self) -> dict[str, object]:
        found: dict[str, object] = {
            "partitioner": self.partitioner.name,
            "partitions": self.partitions,
            "to": self.after or None,
            "without_key": {"partition": self._at(None, self.partitions)},
            "empty_key": {"partition": self._at(b"", self.partitions)},
            "keys": [
                {
                    "key": named(key.written),
                    "bytes": key.data.hex(),
                    "records": key.records,
                    "partition": self._at(key.data, self.partitions),
                    "to": self._at(key.data, self.after),
                }
                for key in self.keys
            ],
        }
        if self.after:
            moved = self._moved()
            found["moving"] = {
                "keys": len(moved),
                "records": sum(key.records for key in moved),
                "share_of_all_keys": moving(self.partitions, self.after),
            }
        if self.before:
            found["empty_lines"] = self.passed_over
            found["spread"] = _spread_record(self.before)
            if self.then:
                found["spread_to"] = _spread_record(self.then)
        return found

    # -- text ---------------------------------------------------------------------------

    def text(self, color: bool) -> str:
        """What a person reads, within the columns of a terminal but for long keys."""
        parts: list[str] = []
        if self.partitions:
            head = count(self.partitions, "partition")
            head += f", then {self.after:,}" if self.after else ""
            title = f"{head}, by {self.partitioner.name}"
            about = f" ({self.partitioner.about})"
            parts.append((bold(title) if color else title) + about + "\n")
            if self.every:
                parts.append(self._table())
            if self.before:
                parts += self._lines(self.before)
            if self.after:
                parts.append(self._movement())
            parts.append(self._keyless())
        if self.coordinators:
            parts.append(self._coordination())
        return "\n".join(parts)

    def _coordination(self) -> str:
        rows = [(c.kind, named(c.name), f"{c.topic}-{c.partition}") for c in self.coordinators]
        topics = {c.topic: f"{c.partitions:,} ({c.origin})" for c in self.coordinators}
        told = "The leader of the partition is the coordinator. Partition counts: "
        told += "; ".join(f"{topic} {counted}" for topic, counted in topics.items()) + "."
        return table.lines(rows) + "\n" + _wrapped(told)

    def _table(self) -> str:
        rows = [("key", "partition", f"of {self.after:,}" if self.after else "", "")]
        for key in self.keys:
            before, after = self._at(key.data, self.partitions), self._at(key.data, self.after)
            rows.append(
                (
                    key.written or '""',
                    _place(before),
                    _place(after) if self.after else "",
                    "moves" if self.after and before != after else "",
                )
            )
        return table.lines(rows)

    def _lines(self, spread: Spread) -> list[str]:
        """What a file of keys does to its partitions."""
        lines = [f"{count(spread.records, 'record')} with {count(len(self.keys), 'key')}"]
        if self.passed_over:
            lines[0] += f" ({count(self.passed_over, 'empty line')} skipped)"
        if spread.anywhere:
            lines.append(f"{count(spread.anywhere, 'record')} more can go to any partition")
        if not spread.records:
            return ["\n".join(lines) + "\n"]
        lines.append(f"{spread.mean:,.1f} records per partition on average; {_fullest(spread)}")
        if self.then:
            lines.append(
                f"With {self.after:,} partitions: {self.then.mean:,.1f} on average; "
                f"{_fullest(self.then)}"
            )
        lines += [line for line in (_empty(spread), self._hottest(spread)) if line]
        told = "".join(_wrapped(line) for line in lines)
        loads = sorted(spread.loads, key=lambda load: (-load.records, load.partition))
        shown = [load for load in loads if load.records][: None if self.every else _ROWS]
        rows: list[tuple[str, ...]] = [("partition", "records", "share", "keys", "hottest keys")]
        rows += [_row(load, spread.records) for load in shown]
        rest = len(loads) - len(shown)
        more = f"{count(rest, 'partition')} more; use --all to list them and every key\n"
        return [told, table.lines(rows) + (more if rest and not self.every else "")]

    def _hottest(self, spread: Spread) -> str:
        """The keys with most records; nothing where all are alike."""
        keys = sorted(self.keys, key=lambda key: -key.records)
        if not keys or keys[0].records == keys[-1].records:
            return ""
        first = keys[0]
        told = "Hottest keys: " + ", ".join(
            f"{_short(key.written)} {_share(key.records, spread.records)}" for key in keys[:_FEW]
        )
        if first.records > spread.mean:
            told += (
                f". {_short(first.written)} alone has more records than the average partition: "
                "more partitions do not help"
            )
        return told

    def _movement(self) -> str:
        moved = self._moved()
        records = sum(key.records for key in moved)
        whole = sum(key.records for key in self.keys)
        told = f"{len(moved):,} of {count(len(self.keys), 'key')} move"
        if records != len(moved) or whole != len(self.keys):
            told += f", with {_share(records, whole)} of the records"
        told += f"; of all possible keys, {_percent(moving(self.partitions, self.after))} move. "
        if self.after < self.partitions:
            told += "Kafka cannot remove partitions: fewer of them require a new topic."
        elif self.after == self.partitions:
            told = "No key moves: the number of partitions is the same."
        else:
            told += (
                "Kafka does not move existing records: old records of a moved key stay in the old "
                "partition, new ones go to the new partition. Ordering between them is lost, "
                "compaction keeps the old value forever, and Streams state stores no longer match "
                "their input partitions."
            )
        return _wrapped(told)

    def _keyless(self) -> str:
        null, empty = self._at(None, self.partitions), self._at(b"", self.partitions)
        if null == empty:
            told = f"Records with a null or empty key go to {_partition(null)}."
        else:
            told = (
                f"Records with a null key go to {_partition(null)}, those with an empty key to "
                f"{_partition(empty)}."
            )
        return _wrapped(told)


def _place(partition: int | None) -> str:
    return "any" if partition is None else str(partition)


def _partition(partition: int | None) -> str:
    return "any partition" if partition is None else f"partition {partition}"


def _percent(share: float) -> str:
    return f"{share * 100:.3g}%" if share < 0.999 or share == 1 else f"{share * 100:.5g}%"


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({_percent(part / whole if whole else 0)})"


def _wrapped(text: str) -> str:
    return fill(printable(text), _COLUMNS, break_long_words=False, break_on_hyphens=False) + "\n"


def _short(key: str) -> str:
    """The beginning of a key, which may be a document."""
    key = printable(key) or '""'
    if width(key) <= _WIDE:
        return key
    while width(key) > _WIDE - 1:
        key = key[:-1]
    return key + "…"


def _fullest(spread: Spread) -> str:
    full = spread.fullest
    return (
        f"partition {full.partition} has the most, {_share(full.records, spread.records)}, "
        f"{spread.skew:.2f} times the average"
    )


def _empty(spread: Spread) -> str:
    empty = spread.empty
    if not empty:
        return ""
    few = ", ".join(map(str, empty[:_ROWS])) + (", …" if empty[_ROWS:] else "")
    return f"{count(len(empty), 'partition')} of {len(spread.loads):,} without records: {few}"


def _row(load: Load, records: int) -> tuple[str, ...]:
    keys = [f"{_short(key.written)} ({key.records:,})" for key in load.keys[:_FEW]]
    shown = ""
    for key in keys:
        joined = f"{shown}, {key}" if shown else key
        if width(joined) > _WIDE and shown:
            break
        shown = joined
    return (
        str(load.partition),
        f"{load.records:,}",
        _percent(load.records / records),
        f"{len(load.keys):,}",
        shown,
    )


def _spread_record(spread: Spread) -> dict[str, object]:
    return {
        "records": spread.records,
        "anywhere": spread.anywhere,
        "mean": spread.mean,
        "max": spread.fullest.records,
        "max_over_mean": spread.skew,
        "fullest": spread.fullest.partition,
        "empty": spread.empty,
        "partitions": [
            {
                "partition": load.partition,
                "records": load.records,
                "keys": len(load.keys),
                "hottest": [
                    {"key": named(key.written), "records": key.records} for key in load.keys[:_FEW]
                ],
            }
            for load in spread.loads
        ],
    }
