"""The published tables of a run, read through pyarrow without Spark."""

from __future__ import annotations

import os
from collections.abc import Iterator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pyarrow as pa

_BATCH = 16_384
#: Batches that are counted before their counts are put together.
_TOGETHER = 32


class Tables:
    """The tables in one folder. ``batches`` and ``counted`` take little memory, however long
    the table is; ``whole`` is for tables that do not grow with the findings.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def batches(
        self, name: str, columns: list[str] | None = None, where: Any = None
    ) -> Iterator[pa.RecordBatch]:
        yield from self._dataset(name).to_batches(
            columns=columns,
            filter=where,
            batch_size=_BATCH,
            batch_readahead=2,
            fragment_readahead=1,
        )

    def whole(self, name: str, columns: list[str] | None = None, where: Any = None) -> pa.Table:
        return self._dataset(name).to_table(columns=columns, filter=where)

    def first(self, name: str, columns: list[str], rows: int, where: Any = None) -> pa.Table:
        """At most so many rows, in the order of the table."""
        return self._dataset(name).head(rows, columns=columns, filter=where)

    def counted(self, name: str, by: list[str], where: Any = None) -> pa.Table:
        """How often each combination of the columns occurs, as ``count``."""
        import pyarrow as pa

        schema = self._dataset(name).schema
        empty = pa.schema([*(schema.field(column) for column in by), ("count", pa.int64())])
        parts = [empty.empty_table()]
        for batch in self.batches(name, by, where):
            part = pa.Table.from_batches([batch]).group_by(by).aggregate([([], "count_all")])
            parts.append(part.rename_columns([*by, "count"]))
            if len(parts) > _TOGETHER:
                parts = [_summed(parts, by)]
        return _summed(parts, by)

    def _dataset(self, name: str) -> Any:
        import pyarrow.dataset as ds

        return ds.dataset(os.path.join(self._folder, name), format="parquet")


def _summed(parts: list[pa.Table], by: list[str]) -> pa.Table:
    import pyarrow as pa

    whole = pa.concat_tables(parts, promote_options="permissive")
    return whole.group_by(by).aggregate([("count", "sum")]).rename_columns([*by, "count"])
