"""The clusters of a report: who they are, what was counted in them, the worst first."""

from __future__ import annotations

from kcheck.fleet.tables import Tables
from kcheck.model import SEVERITY_RANK
from kcheck.report.page import Columns, narrow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pyarrow as pa

_NAMED = ("environment", "owner", "region", "version", "status", "service")
_COUNTED = ("brokers", "topics")

#: Between a unit and a cluster in it; in no name of a folder.
_SEPARATOR = "\0"


class Clusters:
    """The rows of a page's clusters.

    A unit with one cluster, or none, is one row under the unit's name. A unit with several has a
    row for each, and one for what belongs to none of them, if there is such a thing.
    """

    def __init__(self, tables: Tables) -> None:
        import pyarrow as pa

        self._rows = _told(tables)
        self._several = pa.array(
            sorted({key.split(_SEPARATOR)[0] for key in self._rows if _SEPARATOR in key}),
            pa.string(),
        )
        self._order(list(self._rows))
        self._numbers: list[tuple[int, ...]] = []

    def count(self, groups: pa.Table, tables: Tables) -> pa.Table:
        """Put the worst first.

        ``groups`` are findings by ``at`` (the row), ``rank`` and ``new``, with their ``count``;
        given back with the rows as they are now.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        counts = self._counts(groups)
        strays = self._strays(tables)
        bad = [tuple(-n for n in count[:0:-1]) for count in counts]
        failed = tables.counted("errors", ["unit"])["unit"].to_pylist()
        needless = set(self._several.to_pylist()).difference(failed)
        rows = [
            at
            for at, key in enumerate(self._keys)
            if key not in needless or any(counts[at]) or strays[at]
        ]
        order = sorted(rows, key=lambda at: (bad[at], self._keys[at]))
        self._numbers = [(*counts[at], strays[at]) for at in order]
        was = pa.array(range(len(self._keys)), pa.int32())
        moved = pc.index_in(was, pa.array(order, pa.int32()))
        self._order([self._keys[at] for at in order])
        return groups.set_column(groups.column_names.index("at"), "at", moved.take(groups["at"]))

    def _order(self, keys: list[str]) -> None:
        import pyarrow as pa

        self._keys = keys
        self._values = pa.array(keys, pa.string())

    def __len__(self) -> int:
        return len(self._keys)

    def places(self, units: pa.ChunkedArray, clusters: pa.ChunkedArray) -> pa.ChunkedArray:
        """Units and clusters as rows of the table."""
        import pyarrow.compute as pc

        if not len(self._several):
            return pc.index_in(units, self._values)
        both = pc.binary_join_element_wise(
            units, clusters, _SEPARATOR, null_handling="replace", null_replacement=""
        )
        return pc.coalesce(pc.index_in(both, self._values), pc.index_in(units, self._values))

    def _counts(self, groups: pa.Table) -> list[list[int]]:
        """For each row: new findings, info, warnings, errors."""
        counts = [[0, 0, 0, 0] for _ in self._keys]
        for row in groups.group_by(["at", "rank", "new"]).aggregate([("count", "sum")]).to_pylist():
            of = counts[row["at"]]
            of[1 + row["rank"]] += row["count_sum"]
            of[0] += row["count_sum"] if row["new"] else 0
        return counts

    def _strays(self, tables: Tables) -> list[int]:
        """For each row how many of its keys stray, in whatever group."""
        keys = tables.counted("drift", ["unit", "cluster", "key"])
        strays = [0] * len(self._keys)
        for at in self.places(keys["unit"], keys["cluster"]).to_pylist():
            strays[at] += 1
        return strays

    def columns(self) -> Columns:
        told = [self._rows[key] for key in self._keys]
        made = Columns(len(told))
        made.texts("name", [key.replace(_SEPARATOR, " / ") for key in self._keys])
        made.texts("cluster", [row.get("cluster") for row in told])
        for name in _NAMED:
            made.texts(name, [row.get(name) or "" for row in told])
        for name in _COUNTED:
            made.numbers(name, narrow(row.get(name) or 0 for row in told))
        names = ("new", *SEVERITY_RANK, "strays")
        for at, name in enumerate(names):
            made.numbers(name, narrow(row[at] for row in self._numbers))
        return made


def _told(tables: Tables) -> dict[str, dict[str, Any]]:
    """What is known of each row, by its key."""
    owner = ["unit", "environment", "owner", "region"]
    rows: dict[str, dict[str, Any]] = {}
    for unit in tables.whole("units", [*owner, "status"]).to_pylist():
        rows.setdefault(unit["unit"], unit)
    inside: dict[str, list[dict[str, Any]]] = {}
    columns = [*owner, "cluster", "kafka_version", "detected_environment", "service"]
    for cluster in tables.whole("clusters", [*columns, *_COUNTED]).to_pylist():
        inside.setdefault(cluster["unit"], []).append(cluster)
    for unit, clusters in inside.items():
        for cluster in clusters:
            found = cluster["detected_environment"]
            cluster["version"] = cluster["kafka_version"]
            cluster["environment"] = cluster["environment"] or (
                found if found != "unknown" else None
            )
            name = f"{unit}{_SEPARATOR}{cluster['cluster']}" if len(clusters) > 1 else unit
            rows[name] = {"status": "audited", **rows.get(unit, {}), **cluster}
    return rows


def rank(severities: pa.ChunkedArray) -> pa.ChunkedArray:
    """Severities as numbers, the gravest the greatest."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.index_in(severities, pa.array(list(SEVERITY_RANK)))
