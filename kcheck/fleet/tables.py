"""The published tables of a run, read through pyarrow without Spark."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pyarrow as pa

_BATCH = 4_096
#: Batches that are counted before their counts are put together.
_TOGETHER = 32


class Tables:
    """The tables in one folder. ``batches`` and ``counted`` take little memory, however long
    the table is; ``whole`` is for tables that do not grow with the findings.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def batches(
        self, name: str, columns: list[str] | None = None, where: Any = None
    ) -> Iterator[pa.RecordBatch]:
        yield from self._dataset(name).to_batches(
            columns=columns,
            filter=where,
            batch_size=_BATCH,
            # Reading ahead in threads holds more rows than it saves time: packing takes longest.
            batch_readahead=1,
            fragment_readahead=1,
            use_threads=False,
        )

    def whole(self, name: str, columns: list[str] | None = None, where: Any = None) -> pa.Table:
        return self._dataset(name).to_table(columns=columns, filter=where)

    def first(self, name: str, columns: list[str], rows: int, where: Any = None) -> pa.Table:
        """At most so many rows, in the order of the table."""
        return self._dataset(name).head(rows, columns=columns, filter=where)

    def counted(
        self,
        name: str,
        columns: list[str],
        where: Any = None,
        made: Callable[[pa.Table], pa.Table] = lambda rows: rows,
    ) -> pa.Table:
        """How often each combination of the columns, or of what is ``made`` of them, occurs:
        those columns and ``count``.
        """
        import pyarrow as pa

        empty = self.whole(name, columns, _nothing())
        parts = [_counted(made(empty))]
        for batch in self.batches(name, columns, where):
            parts.append(_counted(made(pa.Table.from_batches([batch]))))
            if len(parts) > _TOGETHER:
                parts = [_summed(parts)]
        return _summed(parts)

    def _dataset(self, name: str) -> Any:
        import pyarrow.dataset as ds

        return ds.dataset(os.path.join(self.folder, name), format="parquet")


def _nothing() -> Any:
    import pyarrow.compute as pc

    return pc.scalar(False)


def _counted(rows: pa.Table) -> pa.Table:
    names = rows.column_names
    return rows.group_by(names).aggregate([([], "count_all")]).rename_columns([*names, "count"])


def _summed(parts: list[pa.Table]) -> pa.Table:
    import pyarrow as pa

    whole = pa.concat_tables(parts, promote_options="permissive")
    names = whole.column_names[:-1]
    return whole.group_by(names).aggregate([("count", "sum")]).rename_columns([*names, "count"])
