"""The published tables of a run, read through pyarrow without Spark."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Mapping

from kcheck.fleet import column_types, schemas

TYPE_CHECKING = False
if TYPE_CHECKING:
    import pyarrow as pa

_BATCH = 4096
#: Batches that are counted before their counts are put together.
_TOGETHER = 32

#: What columns have to be.
Where = Mapping[str, object]


class Tables:
    """The tables in one folder. ``batches``, ``first`` and ``counted`` take little memory, however
    long the table is; ``whole`` is for tables that do not grow with the findings.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def batches(
        self, name: str, columns: list[str] | None = None, where: Where | None = None
    ) -> Iterator[pa.Table]:
        """The rows, some thousand at a time; all columns where none are named."""
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.parquet as pq

        columns, where = columns or column_types.names(schemas.PUBLISHED[name]), where or {}
        needed = list({*columns, *where})
        for path in sorted(glob.glob(os.path.join(glob.escape(self.folder), name, "*.parquet"))):
            # A dataset would read ahead in threads, and hold twenty times as much.
            with pq.ParquetFile(path, pre_buffer=False) as file:
                for batch in file.iter_batches(_BATCH, columns=needed, use_threads=False):
                    rows = _widened(pa.Table.from_batches([batch]), name, needed)
                    for column, value in where.items():
                        rows = rows.filter(pc.equal(rows[column], value))
                    yield rows.select(columns)

    def whole(
        self, name: str, columns: list[str] | None = None, where: Where | None = None
    ) -> pa.Table:
        return _together(_empty(name, columns), self.batches(name, columns, where))

    def first(self, name: str, columns: list[str], rows: int, where: Where) -> pa.Table:
        """At most so many rows, in the order of the table."""
        held: list[pa.Table] = []
        for part in self.batches(name, columns, where):
            held.append(part.slice(0, rows))
            rows -= len(held[-1])
            if not rows:
                break
        return _together(_empty(name, columns), held)

    def counted(
        self,
        name: str,
        columns: list[str],
        where: Where | None = None,
        made: Callable[[pa.Table], pa.Table] = lambda rows: rows,
    ) -> pa.Table:
        """How often each combination of the columns, or of what is ``made`` of them, occurs:
        those columns and ``count``.
        """
        parts = [_counted(made(_empty(name, columns)))]
        for rows in self.batches(name, columns, where):
            parts.append(_counted(made(rows)))
            if len(parts) > _TOGETHER:
                parts = [_summed(parts)]
        return _summed(parts)


def _widened(rows: pa.Table, name: str, needed: list[str]) -> pa.Table:
    """The rows with columns that an older kcheck did not write yet: they are null."""
    import pyarrow as pa

    missing = [column for column in needed if column not in rows.column_names]
    if missing:
        schema = column_types.arrow(schemas.PUBLISHED[name])
        for column in missing:
            field = schema.field(column)
            rows = rows.append_column(field, pa.nulls(len(rows), field.type))
    return rows


def _empty(name: str, columns: list[str] | None) -> pa.Table:
    none = column_types.arrow(schemas.PUBLISHED[name]).empty_table()
    return none.select(columns) if columns else none


def _together(empty: pa.Table, parts: Iterable[pa.Table]) -> pa.Table:
    import pyarrow as pa

    return pa.concat_tables([empty, *parts], promote_options="permissive").combine_chunks()


def _counted(rows: pa.Table) -> pa.Table:
    names = rows.column_names
    return rows.group_by(names).aggregate([([], "count_all")]).rename_columns([*names, "count"])


def _summed(parts: list[pa.Table]) -> pa.Table:
    import pyarrow as pa

    whole = pa.concat_tables(parts, promote_options="permissive")
    names = whole.column_names[:-1]
    return whole.group_by(names).aggregate([("count", "sum")]).rename_columns([*names, "count"])
