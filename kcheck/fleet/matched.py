"""Findings of the previous run found again in this one, where fingerprints alone do not tell.

Most units have nothing new, and nothing is done for them. In the others each finding of this run is
held against those of the previous one as everywhere in kcheck (see ``kcheck.matching``): among
twins the other end decides, and what was renamed is known by rule, key and other end.
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Iterable, Iterator

from kcheck import matching
from kcheck.fleet import column_types, schemas
from kcheck.matching import Mark, Others, Owner, Places
from kcheck.model import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

_MARK = ("fingerprint", "rule", "path", *(name for name, _ in schemas.MARK))
_LINK = (("unit", "string"), ("was", "string"), ("fingerprint", "string"))


def held(documents: Iterable[Document]) -> bytes:
    """Which files and resources there are, as small as can be: a checksum of each name.

    Two of the same are taken for one: then something that is gone seems to be there, and is not
    taken for renamed.
    """
    sums: set[int] = set()
    for document in documents:
        path = document.path
        sums.add(_sum(path))
        for resource in document.resources:
            name = "" if resource.name == path else resource.name
            sums |= {_sum(path, resource.kind, name), _sum(resource.kind, name)}
    return array("I", sorted(sums)).tobytes()


def _sum(*names: str) -> int:
    return zlib.crc32("\0".join(names).encode("utf-8", "surrogatepass"))


def marked(findings: DataFrame) -> list[Column]:
    """The columns of ``schemas.MARK``, by which a finding is known again, of the findings' own."""
    from pyspark.sql import functions as F

    def other(value: Column) -> Column:
        own = value["resource"] == F.col("resource")
        return ~own

    def end(value: Column) -> Column:
        of = value["resource"]
        name = F.when(of["name"] == value["path"], "").otherwise(of["name"])
        return F.struct(value["key"].alias("key"), of["kind"].alias("kind"), name.alias("name"))

    first = F.get(F.col("evidence"), F.lit(0))
    ends = F.transform(F.filter("evidence", other), end)
    return [
        F.col("resource.kind").alias("kind"),
        F.col("resource.name").alias("name"),
        F.coalesce(first["key"], F.lit("")).alias("key"),
        F.array_sort(F.array_distinct(ends)).alias("ends"),
    ]


def links(now: DataFrame, before: DataFrame, there: DataFrame) -> DataFrame:
    """For each finding of before in a unit with something new: (unit, was, fingerprint).

    ``was`` is its fingerprint of then, ``fingerprint`` that of today, null where it is gone.
    ``there`` says what the units hold.
    """
    from pyspark.sql import functions as F

    of = ["unit", "fingerprint"]
    new = now.join(before, of, "left_anti").select("unit").distinct()

    def gathered(rows: DataFrame, name: str) -> DataFrame:
        mark = F.struct(*_MARK)
        return (
            rows.join(new, "unit", "left_semi")
            .groupBy("unit")
            .agg(F.collect_list(mark).alias(name))
        )

    sums = there.groupBy("unit").agg(F.collect_list("held").alias("held"))
    both = gathered(now, "now").join(gathered(before, "then"), "unit").join(sums, "unit", "left")
    return both.mapInArrow(_paired, column_types.ddl(_LINK))


def _paired(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    schema = column_types.arrow(_LINK)
    for batch in batches:
        rows: list[dict[str, Any]] = []
        for unit in batch.to_pylist():
            then, now = [*map(_mark, unit["then"])], [*map(_mark, unit["now"])]
            places = _Held(unit["held"]) if unit["held"] else None
            found = {id(old): new.fingerprint for old, new in matching.same(then, now, places)}
            rows += (
                {"unit": unit["unit"], "was": m.fingerprint, "fingerprint": found.get(id(m))}
                for m in then
            )
        yield pa.RecordBatch.from_pylist(rows, schema=schema)


def _mark(row: dict[str, Any]) -> Mark:
    path, name = row["path"], row["name"]
    ends: Others | None = None
    if row["ends"] is not None:
        ends = tuple((end["key"], end["kind"], end["name"]) for end in row["ends"])
    return Mark(
        row["fingerprint"],
        row["rule"],
        path,
        row["kind"] or "",
        "" if name is None or name == path else name,
        row["key"] or "",
        others=ends,
    )


class _Held(Places):
    """What a unit holds, by the checksums of ``held``."""

    def __init__(self, blobs: Iterable[bytes]) -> None:
        super().__init__((), "", _nothing)
        self._sums: set[int] = set()
        for blob in blobs:
            self._sums.update(array("I", blob))

    def file_is_gone(self, path: str) -> bool:
        return _sum(path) not in self._sums

    def is_gone(self, resource: Owner) -> bool:
        path, kind, name = resource
        there = _sum(path) in self._sums and _sum(path, kind, name) not in self._sums
        return there and self.is_nowhere(kind, name)

    def is_nowhere(self, kind: str, name: str) -> bool:
        return _sum(kind, name) not in self._sums


def _nothing(path: str) -> bool:
    return False
