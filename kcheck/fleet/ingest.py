"""Units of work → one DataFrame with a row per unit, ready to be linted.

Folders travel as names and are read in the task; archives and tables bring their files along. No
content is shuffled where a row is a cluster already.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import reduce

from kcheck.fleet import (
    archives,
    child_process,
    column_types,
    limits,
    schemas,
    source_table,
    source_tree,
    sources,
    spark_errors,
    work,
)
from kcheck.fleet.work import FILES, Inputs, Unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from kcheck.fleet.inventory import Inventory
    from kcheck.fleet.recipe import Recipe

_FILE = ("path", "content", "reason")
#: Files of an archive travel in batches of about this size.
_BATCH_BYTES = 16 << 20


def units(
    spark: SparkSession, inputs: Inputs, recipe: Recipe, slots: int, wanted: int = 0
) -> DataFrame:
    """All units of all inputs (``schemas.WORK``)."""
    read, lost = weighed(spark, inputs)
    work.distinguish([*inputs.units, *(unit for source in read for unit in source.units)])
    frames: list[DataFrame] = []
    folders, packed = parts(inputs, slots, wanted)
    if folders:
        frames.append(named(spark, folders))
    if packed:
        listed = named(spark, packed)
        frames.append(listed.mapInArrow(unpacked(recipe), column_types.ddl(schemas.WORK)))
    for source in read:
        if source.units:
            frames.append(source.spread(spark, slots, wanted))
    if lost:
        import pyarrow as pa

        listed = pa.Table.from_pylist(lost, column_types.arrow(schemas.WORK))
        frames.append(spark.createDataFrame(listed))
    if not frames:
        raise work.Refused(f"no Kafka configuration found in {', '.join(inputs.paths)}")
    return reduce(lambda one, other: one.unionByName(other), frames)


def weighed(
    spark: SparkSession, inputs: Inputs
) -> tuple[list[sources.Source], list[dict[str, object]]]:
    """What Spark reads, and rows that say why it cannot read one of them, beside the others."""
    read: list[sources.Source] = []
    lost: list[dict[str, object]] = []
    for path, format in [*inputs.tables, *((uri, "") for uri in inputs.remote)]:
        try:
            if format:
                source = source_table.table(spark, path, format)
            else:
                source = source_tree.tree(spark, path, inputs)
            source.weigh()
        except work.Refused:
            raise
        except Exception as error:
            said = spark_errors.words(error)
            if said is None:
                raise
            lost.append(_problem(os.path.basename(path.rstrip("/")), path, said))
        else:
            read.append(source)
    return read, lost


def parts(inputs: Inputs, slots: int, wanted: int = 0) -> tuple[list[list[Unit]], list[list[Unit]]]:
    """The folders and the archives of each task, in the order of the tasks."""
    folders = [unit for unit in inputs.units if unit.place != work.ARCHIVE]
    packed = [unit for unit in inputs.units if unit.place == work.ARCHIVE]
    return work.bins(folders, slots, wanted), work.bins(packed, slots, wanted or len(packed))


def named(spark: SparkSession, bins: list[list[Unit]]) -> DataFrame:
    """A partition per bin, in their order, and a row per unit."""
    import pyarrow as pa
    from pyspark.sql import functions as F

    rows = [
        (slot, u.name, u.place, u.ref, u.home, u.bytes)
        for slot, part in enumerate(bins)
        for u in part
    ]
    slot, name, place, ref, home, size = zip(*rows, strict=True)
    listed = pa.table(
        {
            "slot": pa.array(slot, pa.int32()),
            "unit": pa.array(name, pa.string()),
            "place": pa.array(place, pa.string()),
            "ref": pa.array(ref, pa.string()),
            "home": pa.array(home, pa.int32()),
            "bytes": pa.array(size, pa.int64()),
        }
    )
    frame = sources.split(spark.createDataFrame(listed), len(bins), F.col("slot"))
    return sources.as_work(frame)


# -- archives -------------------------------------------------------------------------------


def unpacked(recipe: Recipe) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """For ``mapInArrow``: rows that name archives in, rows with the files of each unit out."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        schema = column_types.arrow(schemas.WORK)
        read = archive_apart if child_process.wanted() else archive_rows
        rows: list[dict[str, object]] = []
        held = 0
        for batch in batches:
            named = zip(batch["ref"].to_pylist(), batch["home"].to_pylist(), strict=True)
            for ref, home in named:
                for row in read(recipe, ref, home):
                    rows.append(row)
                    held += int(str(row["bytes"]))
                    if held > _BATCH_BYTES:
                        yield pa.RecordBatch.from_pylist(rows, schema)
                        rows, held = [], 0
        yield pa.RecordBatch.from_pylist(rows, schema)

    return run


def archive_rows(recipe: Recipe, ref: str, home: int) -> Iterator[dict[str, object]]:
    """A row per unit of the archive, or one that tells why it cannot be read."""
    name = os.path.basename(ref)
    path = os.path.join(recipe.homes[home].base, ref)
    try:
        found = limits.guarded(
            lambda: list(archives.units(path, recipe.excluded, recipe.depth)),
            recipe.seconds,
            recipe.megabytes,
        )
    except archives.Damaged as damaged:
        yield _problem(name, ref, str(damaged))
    except limits.OverLimit as over:
        yield _problem(name, ref, str(over))
    except MemoryError:
        yield _problem(name, ref, limits.too_large(recipe.megabytes))
    except Exception as error:
        yield _problem(name, ref, f"{type(error).__name__}: {error}")
    else:
        for unit, top, files in found:
            size = sum(len(data or b"") for _, data, _ in files)
            if size > work.MOST_CARRIED:
                yield _problem(unit, ref, f"{work.TOO_MUCH}; unpack it")
                continue
            yield {
                "unit": unit,
                "place": FILES,
                "ref": ref,
                "top": top,
                "bytes": size,
                "problem": None,
                "files": [dict(zip(_FILE, file, strict=True)) for file in files],
            }


def archive_apart(recipe: Recipe, ref: str, home: int) -> list[dict[str, object]]:
    """The same in a process of its own: an earlier try may have ended by this archive."""
    try:
        return child_process.apart(lambda: list(archive_rows(recipe, ref, home)))
    except child_process.Died as died:
        return [_problem(os.path.basename(ref), ref, str(died))]


def _problem(name: str, ref: str, reason: str) -> dict[str, object]:
    return {"unit": name, "place": FILES, "ref": ref, "bytes": 0, "problem": reason}


# -- what is known of the units besides -----------------------------------------------------


def with_facts(units: DataFrame, known: Inventory | None) -> DataFrame:
    """The units with what the inventory says of them: of their whole name, else its last part."""
    from pyspark.sql import functions as F

    if known is None:
        nothing = (
            F.lit(None).cast(column_types.ddl_of(kind)).alias(n) for n, kind in schemas.FACTS
        )
        return units.select("*", *nothing)
    names = column_types.names(schemas.FACTS)
    rows = known.frame(units.sparkSession)
    whole = rows.select(F.struct("known", *names).alias("whole"))
    end = rows.select(F.struct("known", *names).alias("end"))
    last = F.substring_index("unit", "/", -1)
    return (
        units.join(F.broadcast(whole), F.col("unit") == F.col("whole.known"), "left")
        .join(F.broadcast(end), last == F.col("end.known"), "left")
        .withColumn("said", F.coalesce("whole", "end"))
        .select(*units.columns, *(F.col(f"said.{name}").alias(name) for name in names))
    )
