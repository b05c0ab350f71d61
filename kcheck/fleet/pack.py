"""``kcheck pack``: trees and archives → one table with a row per unit, for repeated audits.

A row has all that an audit of the unit itself would come to: the files that are read, those that
they point at, whatever these are called, and why others could not be read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from kcheck import left_out
from kcheck.fleet import column_types, ingest, limits, publish, schemas, spark_errors, work
from kcheck.fleet.audit import Plan, recipe
from kcheck.fleet.members import POINTED_AT, pointed_at
from kcheck.fleet.recipe import Recipe
from kcheck.fleet.session import Session
from kcheck.fleet.task import each, opened
from kcheck.fleet.unit import Sources
from kcheck.model import FAILED, SKIPPED
from kcheck.runner import fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pyarrow as pa

#: Files travel in batches of about this size.
_BATCH_BYTES = 16 << 20
#: A table is split between its groups of rows, which have 128 MiB by default: a fleet of 10,000.
_GROUP_BYTES = 4 << 20


def pack(session: Session, plan: Plan) -> tuple[int, int]:
    """Write the table; gives the number of its rows, and of those among them that have no files
    because the unit could not be read. Raises work.Refused, or GaveUp.
    """
    from pyspark.sql import functions as F

    inputs = work.opened(plan.paths, plan.settings, plan.depth, plan.seconds, plan.megabytes)
    told = recipe(plan, inputs)
    units = ingest.units(session.spark, inputs, told, session.slots(), plan.partitions)
    table = units.mapInArrow(packed(told), column_types.ddl(schemas.PACKED))
    with spark_errors.translated("pack"):
        out = publish.for_spark(plan.out)
        written = table.write.mode("error").option("compression", "zstd")
        written.option("parquet.block.size", str(_GROUP_BYTES))
        # Asked after each row, not after a hundred: Spark reads what is in a group at once.
        written.option("parquet.block.size.row.check.min", "1")
        written.option("parquet.page.size.row.check.min", "1").parquet(out)
        counts = session.spark.read.parquet(out).agg(
            F.count("*"), F.count_if(F.col("problem").isNotNull())
        )
        rows, lost = counts.collect()[0]
        return int(rows), int(lost)


def packed(recipe: Recipe) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """For ``mapInArrow``: units in, rows of the packed table out (``schemas.PACKED``)."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        schema = column_types.arrow(schemas.PACKED)
        rows: list[dict[str, Any]] = []
        held = 0
        for row in each(batches, recipe.megabytes):
            rows.append(_row(recipe, row))
            held += rows[-1]["bytes"]
            if held > _BATCH_BYTES:
                yield pa.RecordBatch.from_pylist(rows, schema)
                rows, held = [], 0
        yield pa.RecordBatch.from_pylist(rows, schema)

    return run


def _row(recipe: Recipe, row: dict[str, Any]) -> dict[str, Any]:
    in_row = row["place"] in (work.FILES, work.LOOSE)
    whose = {
        "cluster": row["unit"],
        "top": (row["top"] or ".") if in_row else row["ref"],
        "bytes": 0,
    }
    problem = row["problem"]
    try:
        if not problem:
            held = limits.guarded(
                lambda: _held(opened(recipe, recipe.settings(row), row)),
                recipe.seconds,
                recipe.megabytes,
            )
            return {**whose, **held}
    except limits.OverLimit as over:
        problem = str(over)
    except MemoryError:
        problem = limits.too_large(recipe.megabytes)
    except OSError as lost:
        problem = (lost.strerror or str(lost)).lower()
    except Exception as broken:
        problem = fault(broken)
    return {**whose, "problem": problem}


def _held(sources: Sources) -> dict[str, Any]:
    """The files of a unit, and what is to be known of some."""
    files: dict[str, bytes | None] = dict(sources)
    notes: dict[str, str] = {}
    for document in sources.documents():
        if document.status in (FAILED, SKIPPED) and document.reason not in left_out.MEANT:
            files[document.path] = None
            notes[document.path] = document.reason
    elsewhere = pointed_at(files, sources.lookup)
    files.update(elsewhere)
    notes.update(dict.fromkeys(elsewhere, POINTED_AT))
    size = sum(len(data or b"") for data in files.values())
    if size > work.MOST_CARRIED:
        return {"problem": f"{work.TOO_MUCH}; audit the folder itself"}
    return {"bytes": size, "files": list(files.items()), "notes": list(notes.items())}
