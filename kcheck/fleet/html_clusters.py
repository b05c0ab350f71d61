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
    row for each, and one for what belongs to none of them.
    """

    def __init__(self, tables: Tables, groups: pa.Table) -> None:
        """``groups`` are findings by unit, cluster, rank and state, with ``count`` and ``new``."""
        import pyarrow as pa

        rows = self._rows(tables)
        self._several = pa.array(
            sorted({key.split(_SEPARATOR)[0] for key in rows if _SEPARATOR in key}), pa.string()
        )
        self._order(list(rows))
        counts = self._counts(groups)
        strays = self._strays(tables)
        bad = [tuple(-n for n in count[::-1]) for count in counts]
        # From here on the worst is the first.
        order = sorted(range(len(bad)), key=lambda at: (bad[at], self._keys[at]))
        self._told = [rows[self._keys[at]] for at in order]
        self._numbers = [(*counts[at], strays[at]) for at in order]
        self._order([self._keys[at] for at in order])

    def _order(self, keys: list[str]) -> None:
        import pyarrow as pa

        self._keys = keys
        self._values = pa.array(keys, pa.string())

    def __len__(self) -> int:
        return len(self._keys)

    @staticmethod
    def _rows(tables: Tables) -> dict[str, dict[str, Any]]:
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
        """For each row: info, warnings, errors, new among them all."""
        counts = [[0, 0, 0, 0] for _ in self._keys]
        placed = groups.append_column("at", self.places(groups["unit"], groups["cluster"]))
        summed = placed.group_by(["at", "rank"]).aggregate([("count", "sum"), ("new", "sum")])
        for row in summed.to_pylist():
            of = counts[row["at"]]
            of[row["rank"]] = row["count_sum"]
            of[3] += row["new_sum"]
        return [[new, info, warning, error] for info, warning, error, new in counts]

    def _strays(self, tables: Tables) -> list[int]:
        """For each row how many of its keys stray, in whatever group."""
        keys = tables.counted("drift", ["unit", "cluster", "key"])
        strays = [0] * len(self._keys)
        for at in self.places(keys["unit"], keys["cluster"]).to_pylist():
            strays[at] += 1
        return strays

    def of_class(self, groups: pa.Table, rank: int, new: bool) -> list[int]:
        """For each row its findings of one severity that are new, or are not.

        ``groups`` tell the row as ``at``.
        """
        import pyarrow.compute as pc

        counts = [0] * len(self._keys)
        rows = groups.filter(pc.equal(groups["rank"], rank))
        for row in rows.select(["at", "count", "new"]).to_pylist():
            counts[row["at"]] += row["new"] if new else row["count"] - row["new"]
        return counts

    def columns(self) -> Columns:
        made = Columns(len(self._keys))
        made.texts("name", [key.replace(_SEPARATOR, " / ") for key in self._keys])
        made.texts("cluster", [row.get("cluster") for row in self._told])
        for name in _NAMED:
            made.texts(name, [row.get(name) or "" for row in self._told])
        for name in _COUNTED:
            made.numbers(name, narrow(row.get(name) or 0 for row in self._told))
        names = ("new", *SEVERITY_RANK, "strays")
        for at, name in enumerate(names):
            made.numbers(name, narrow(row[at] for row in self._numbers))
        return made


def rank(severities: pa.ChunkedArray) -> pa.ChunkedArray:
    """Severities as numbers, the gravest the greatest."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.index_in(severities, pa.array(list(SEVERITY_RANK)))

