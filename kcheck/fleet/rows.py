"""Rows of the tagged stream, gathered by kind and taken as Arrow batches."""

from __future__ import annotations

from kcheck.fleet import column_types, schemas

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pyarrow as pa


class Rows:
    """Rows of the stream by kind, until they are taken as one Arrow batch."""

    def __init__(self) -> None:
        self._columns = dict(schemas.STREAM)
        self._rows: dict[str, list[tuple[Any, ...]]] = {kind: [] for kind in schemas.KINDS}

    def add(self, kind: str, row: tuple[Any, ...]) -> None:
        self._rows[kind].append(row)

    def extend(self, others: Rows) -> None:
        for kind, rows in others._rows.items():
            self._rows[kind] += rows

    def __len__(self) -> int:
        return sum(map(len, self._rows.values()))

    def count(self, kind: str) -> int:
        return len(self._rows[kind])

    def of(self, kind: str, start: int = 0) -> list[tuple[Any, ...]]:
        """The rows of one kind from a number on."""
        return self._rows[kind][start:]

    def cut(self, counts: dict[str, int]) -> None:
        """Take back the rows that came after ``counts`` was noted."""
        for kind, count in counts.items():
            del self._rows[kind][count:]

    def counts(self) -> dict[str, int]:
        return {kind: len(rows) for kind, rows in self._rows.items()}

    def take(self) -> pa.RecordBatch:
        """All rows as one batch; none are left."""
        import pyarrow as pa

        total = len(self)
        kinds = [kind for kind, rows in self._rows.items() for _ in rows]
        arrays: list[pa.Array] = [pa.array(kinds, pa.string())]
        before = 0
        for kind, rows in self._rows.items():
            after = total - before - len(rows)
            arrays.append(_struct(self._columns[kind], rows, before, after))
            before += len(rows)
            self._rows[kind] = []
        return pa.RecordBatch.from_arrays(arrays, schema=column_types.arrow(schemas.STREAM))


def _struct(columns: Any, rows: list[tuple[Any, ...]], before: int, after: int) -> pa.Array:
    import pyarrow as pa

    schema = column_types.arrow(columns)
    if not rows:
        return pa.nulls(before + after, pa.struct(list(schema)))
    head, tail = [None] * before, [None] * after
    children = [
        pa.array([*head, *values, *tail], field.type)
        for field, values in zip(schema, zip(*rows, strict=True), strict=True)
    ]
    mask = pa.array([True] * before + [False] * len(rows) + [True] * after, pa.bool_())
    return pa.StructArray.from_arrays(children, fields=list(schema), mask=mask)
