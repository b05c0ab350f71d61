"""The clusters of a report: who they are, what was counted in them, the worst first.

All of it is Arrow's: a fleet of a hundred thousand clusters takes no Python object per cluster.
"""

from __future__ import annotations

from kcheck.fleet import arrow_columns as arrow
from kcheck.fleet.lifecycle import NEW
from kcheck.fleet.tables import Tables
from kcheck.model import SEVERITY_RANK
from kcheck.report.page import Columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    import pyarrow as pa

_OWNED = ("environment", "owner", "region")
_SHOWN = (*_OWNED, "version", "status", "service")
_COUNTED = ("brokers", "topics")
_STRAYS = "strays"

#: Between a unit and a cluster in it; in no name of a folder.
_SEPARATOR = "\0"


class Clusters:
    """The rows of a page's clusters.

    A unit with one cluster, or none, is one row under the unit's name. A unit with several has a
    row for each, and one for what belongs to none of them, if there is such a thing.
    """

    def __init__(self, tables: Tables) -> None:
        self._rows = _table(tables)
        self._names = arrow.one(self._rows["key"])
        #: The units with several clusters.
        self._several = self._rows.filter(self._rows["inner"])["unit"].unique()

    def __len__(self) -> int:
        return len(self._names)

    def places(self, units: pa.ChunkedArray, clusters: pa.ChunkedArray) -> pa.ChunkedArray:
        """Units and clusters as rows of the table."""
        import pyarrow.compute as pc

        if not len(self._several):
            return pc.index_in(units, self._names)
        both = pc.binary_join_element_wise(
            units, clusters, _SEPARATOR, null_handling="replace", null_replacement=""
        )
        return pc.coalesce(pc.index_in(both, self._names), pc.index_in(units, self._names))

    def count(self, groups: pa.Table, tables: Tables) -> pa.Table:
        """Put the worst first.

        ``groups`` are findings by ``at`` (the row), ``rank`` and ``new``, with their ``count``;
        given back with the rows as they are now.
        """
        import pyarrow.compute as pc

        rows = self._rows
        for name, rank in SEVERITY_RANK.items():
            of_it = groups.filter(pc.equal(groups["rank"], rank))
            rows = rows.append_column(name, self._summed(of_it))
        rows = rows.append_column(NEW, self._summed(groups.filter(groups["new"])))
        rows = rows.append_column(_STRAYS, self._strays(tables))
        rows = rows.append_column("was", _numbered(len(rows)))
        rows = rows.filter(pc.invert(self._needless(rows, tables)))
        worst = [(name, "descending") for name in reversed(SEVERITY_RANK)]
        self._rows = rows.sort_by([*worst, ("key", "ascending")])
        self._names = arrow.one(self._rows["key"])
        moved = pc.index_in(groups["at"], arrow.one(self._rows["was"]))
        return groups.set_column(groups.column_names.index("at"), "at", moved)

    def columns(self) -> Columns:
        import pyarrow.compute as pc

        rows = self._rows
        made = Columns(len(rows))
        arrow.texts(made, "name", pc.replace_substring(self._names, _SEPARATOR, " / "))
        arrow.texts(made, "cluster", rows["cluster"])
        for name in _SHOWN:
            arrow.texts(made, name, pc.fill_null(rows[name], ""))
        for name in (*_COUNTED, NEW, *SEVERITY_RANK, _STRAYS):
            made.numbers(name, arrow.numbers(rows[name]))
        return made

    def _summed(self, groups: pa.Table) -> pa.ChunkedArray:
        """For each row the sum of ``count`` in the groups of it."""
        import pyarrow.compute as pc

        sums = groups.group_by(["at"]).aggregate([("count", "sum")])
        found = pc.index_in(_numbered(len(self)), arrow.one(sums["at"]))
        return pc.fill_null(sums["count_sum"].take(found), 0)

    def _strays(self, tables: Tables) -> pa.ChunkedArray:
        """For each row how many of its keys stray, in whatever group."""
        import pyarrow as pa

        keys = tables.counted("drift", ["unit", "cluster", "key"])
        times = self.places(keys["unit"], keys["cluster"]).value_counts()
        values, counts = times.field("values"), times.field("counts")
        return self._summed(pa.table({"at": values, "count": counts}))

    def _needless(self, rows: pa.Table, tables: Tables) -> pa.ChunkedArray:
        """The rows of units with several clusters of which there is nothing to tell."""
        import pyarrow.compute as pc

        failed = tables.counted("errors", ["unit"])["unit"]
        quiet = pc.is_in(rows["key"], self._several)
        quiet = pc.and_(quiet, pc.invert(pc.is_in(rows["key"], arrow.one(failed))))
        for name in (*SEVERITY_RANK, _STRAYS):
            quiet = pc.and_(quiet, pc.equal(rows[name], 0))
        return quiet


def _table(tables: Tables) -> pa.Table:
    """What is known of each row: ``_SHOWN`` and ``_COUNTED``, its ``unit``, its ``key``, and
    whether it is ``inner``: one of several in its unit.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = ["unit", *_OWNED, "cluster", "kafka_version", "detected_environment", "service"]
    clusters = tables.whole("clusters", [*columns, *_COUNTED])
    units = tables.whole("units", ["unit", *_OWNED, "status"])
    found = clusters["detected_environment"]
    found = pc.if_else(pc.equal(found, "unknown"), None, found)
    status = units["status"].take(pc.index_in(clusters["unit"], arrow.one(units["unit"])))
    times = clusters["unit"].value_counts()
    several = times.field("values").filter(pc.greater(times.field("counts"), 1))
    inner = pc.is_in(clusters["unit"], several)
    both = pc.binary_join_element_wise(clusters["unit"], clusters["cluster"], _SEPARATOR)
    known = {
        **{name: clusters[name] for name in ("unit", "cluster", "owner", "region", "service")},
        "environment": pc.coalesce(clusters["environment"], found),
        "version": clusters["kafka_version"],
        "status": pc.fill_null(status, "audited"),
        **{name: clusters[name] for name in _COUNTED},
        "key": pc.if_else(inner, both, clusters["unit"]),
        "inner": inner,
    }
    rest = units.append_column("key", units["unit"])
    rows = pa.concat_tables([pa.table(known), rest], promote_options="default")
    # A unit with one cluster is told of with it; several inputs may have units of one name.
    keys = arrow.one(rows["key"])
    return rows.take(pc.index_in(keys.unique(), keys))


def _numbered(rows: int) -> pa.Array:
    import pyarrow as pa

    return pa.array(range(rows), pa.int32())


def rank(severities: pa.ChunkedArray) -> pa.ChunkedArray:
    """Severities as numbers, the gravest the greatest."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.index_in(severities, pa.array(list(SEVERITY_RANK)))
