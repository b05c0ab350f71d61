"""Units of work → one DataFrame with a row per unit, ready to be linted.

Folders travel as names and are read in the task; archives and tables bring their files along. No
content is shuffled where a row is a cluster already.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator

from kcheck import formats
from kcheck.fleet import apart, archives, gave_up, limits, publish, schemas, work
from kcheck.fleet.members import walk_order
from kcheck.fleet.work import FILES, Inputs, Unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, SparkSession

    from kcheck.fleet.task import Recipe

#: Files of an archive travel in batches of about this size.
_BATCH_BYTES = 16 << 20


def units(
    spark: SparkSession, inputs: Inputs, recipe: Recipe, slots: int, wanted: int = 0
) -> DataFrame:
    """All units of all inputs (``schemas.WORK``)."""
    frames: list[DataFrame] = []
    folders, packed = parts(inputs, slots, wanted)
    if folders:
        frames.append(named(spark, folders))
    if packed:
        listed = named(spark, packed)
        frames.append(listed.mapInArrow(unpacked(recipe), schemas.ddl(schemas.WORK)))
    for uri, format in inputs.tables:
        frames.append(_table_or_reason(spark, uri, format, wanted or 4 * slots))
    for uri in inputs.remote:
        frames.append(tree(spark, uri, wanted or 4 * slots))
    whole = frames[0]
    for frame in frames[1:]:
        whole = whole.unionByName(frame)
    return whole


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
    frame = _split(spark.createDataFrame(listed), len(bins), F.col("slot"))
    return _as_work(frame)


def _split(frame: DataFrame, parts: int, slot: Column) -> DataFrame:
    """The rows in the partitions that their ``slot`` names; before Spark 4.1 about so."""
    if hasattr(frame, "repartitionById"):
        return frame.repartitionById(parts, slot)
    return frame.repartition(parts, slot)


def _as_work(frame: DataFrame) -> DataFrame:
    """The columns of ``schemas.WORK``, null where the frame has none of the name."""
    from pyspark.sql import functions as F

    columns = []
    for name, kind in schemas.WORK:
        column = F.col(name) if name in frame.columns else F.lit(None)
        columns.append(column.cast(schemas.ddl_of(kind)).alias(name))
    return frame.select(*columns)


# -- archives -------------------------------------------------------------------------------


def unpacked(recipe: Recipe) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """For ``mapInArrow``: rows that name archives in, rows with the files of each unit out."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        schema = schemas.arrow(schemas.WORK)
        read = archive_apart if apart.wanted() else archive_rows
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
        with limits.guarded(recipe.seconds, recipe.megabytes):
            found = list(archives.units(path, recipe.excluded, recipe.depth))
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
            yield {
                "unit": unit,
                "place": FILES,
                "ref": ref,
                "top": top,
                "bytes": sum(len(data or b"") for data in files.values()),
                "problem": None,
                "files": list(files.items()),
            }


def archive_apart(recipe: Recipe, ref: str, home: int) -> list[dict[str, object]]:
    """The same in a process of its own: an earlier try may have ended by this archive."""
    try:
        return apart.apart(lambda: list(archive_rows(recipe, ref, home)))
    except apart.Died as died:
        return [_problem(os.path.basename(ref), ref, str(died))]


def _problem(name: str, ref: str, reason: str) -> dict[str, object]:
    return {"unit": name, "place": FILES, "ref": ref, "bytes": 0, "problem": reason}


# -- tables ---------------------------------------------------------------------------------


def _table_or_reason(spark: SparkSession, uri: str, format: str, parts: int) -> DataFrame:
    """A table as units; one that cannot be opened is a unit that says why, beside the others."""
    import pyarrow as pa

    try:
        return table(spark, uri, format, parts)
    except work.Refused:
        raise
    except Exception as error:
        said = gave_up.words(error)
        if said is None:
            raise
    row = _problem(os.path.basename(uri.rstrip("/")), uri, said)
    return spark.createDataFrame(pa.Table.from_pylist([row], schemas.arrow(schemas.WORK)))


def table(spark: SparkSession, uri: str, format: str, parts: int) -> DataFrame:
    """A table as units: a row per cluster (``files``), or per file (``path``, ``content``).

    Rows that do not say whose they are make a unit of the table's own name, which fails.
    """
    from pyspark.sql import functions as F

    if format == "json":
        frame = _json(spark, uri)
    else:
        frame = spark.read.format(format).load(publish.for_spark(uri))
    have = set(frame.columns)
    if "cluster" not in have or not ({"files"} <= have or {"path", "content"} <= have):
        raise work.Refused(
            f"{uri}: a table needs the columns cluster, path, content or cluster, files; "
            f"it has {', '.join(sorted(have))}"
        )
    name = F.lit(os.path.basename(uri.rstrip("/")))
    if "files" not in have:
        return _gathered(frame.select("cluster", "path", "content"), name, uri)
    size = F.col("bytes") if "bytes" in have else F.lit(None)
    top = F.col("top") if "top" in have else F.lit(None)
    told = F.col("problem") if "problem" in have else F.lit(None)
    lost = F.when(
        F.col("cluster").isNull() | F.col("files").isNull(), F.lit("a row without cluster or files")
    )
    return _as_work(
        frame.select(
            F.coalesce(F.col("cluster"), name).alias("unit"),
            F.lit(FILES).alias("place"),
            F.lit(uri).alias("ref"),
            top.alias("top"),
            size.alias("bytes"),
            F.coalesce(told, lost).alias("problem"),
            F.col("files"),
        ).repartition(parts)
    )


def _json(spark: SparkSession, uri: str) -> DataFrame:
    """JSON lines: ``content`` and the values of ``files`` are the text of the file itself."""
    from pyspark.sql import functions as F

    frame = spark.read.schema(
        "cluster string, path string, content string, files map<string, string>"
    ).json(publish.for_spark(uri))
    as_bytes = F.transform_values("files", lambda _, text: F.encode(text, "UTF-8"))
    held = frame.select(
        "cluster",
        "path",
        F.encode(F.col("content"), "UTF-8").alias("content"),
        as_bytes.alias("files"),
    )
    # Which of the two shapes it is, the first row tells that is one.
    rows = frame.where(F.col("cluster").isNotNull())
    first = rows.select(F.col("files").isNotNull()).head()
    whole = first is not None and bool(first[0])
    return held.drop("path", "content") if whole else held.drop("files")


def _gathered(frame: DataFrame, name: Column, uri: str) -> DataFrame:
    """A row per file → a row per cluster. What is too large for the engine is cut just above."""
    from pyspark.sql import functions as F

    known = F.col("cluster").isNotNull() & F.col("path").isNotNull()
    content = F.substring("content", 1, formats.MAX_BYTES + 1)
    file = F.when(known, F.struct(F.col("path").alias("key"), content.alias("value")))
    held = (
        frame.select(F.when(known, F.col("cluster")).alias("cluster"), file.alias("file"))
        .groupBy("cluster")
        .agg(
            # Without the nulls.
            F.map_from_entries(F.collect_list("file")).alias("files"),
            F.sum(F.length("file.value")).cast("bigint").alias("bytes"),
            F.count("*").alias("rows"),
        )
    )
    said = F.concat(F.col("rows").cast("string"), F.lit(" rows without cluster or path"))
    return _as_work(
        held.select(
            F.coalesce("cluster", name).alias("unit"),
            F.lit(FILES).alias("place"),
            F.lit(uri).alias("ref"),
            "bytes",
            F.when(F.col("cluster").isNull(), said).alias("problem"),
            "files",
        )
    )


# -- trees that Spark reads -----------------------------------------------------------------


def tree(spark: SparkSession, uri: str, parts: int) -> DataFrame:
    """A tree on any file system of Hadoop's: a row per folder below it.

    Spark lists and reads the files, because there its credentials are. Files above the size that
    the engine reads are never loaded: one above 2 GiB would end the job.
    """
    from pyspark.sql import functions as F

    # The defaults list 10,000 folders in 10,000 tasks and read 32 files in each.
    spark.conf.set("spark.sql.sources.parallelPartitionDiscovery.parallelism", "8")
    spark.conf.set("spark.sql.files.openCostInBytes", "65536")
    held = spark.read.format("binaryFile").option("recursiveFileLookup", "true").load(uri)
    root = uri.rstrip("/")
    # Spark writes one slash where a URI without a host has three.
    bare = root.replace(":///", ":/", 1)
    start = F.when(F.col("path").startswith(root), F.lit(len(root) + 2)).otherwise(
        F.lit(len(bare) + 2)
    )
    below = F.expr("substring(path, start)")
    small = F.col("length") <= formats.MAX_BYTES
    read = _placed(held.where(small).withColumn("start", start), below, F.col("content"))
    nothing = F.lit(None).cast("binary")
    large = _placed(held.where(~small).withColumn("start", start), below, nothing)
    gathered = (
        read.unionByName(large)
        .groupBy("unit", "top")
        .agg(
            F.map_from_entries(F.collect_list(F.struct("key", "value"))).alias("files"),
            F.sum(F.length("value")).cast("bigint").alias("bytes"),
        )
    )
    return _as_work(gathered.withColumn("place", F.lit(FILES)).withColumn("ref", F.lit(uri)))


def _placed(frame: DataFrame, below: Column, content: Column) -> DataFrame:
    from pyspark.sql import functions as F

    inside = frame.withColumn("key", below)
    top = F.when(F.col("key").contains("/"), F.substring_index("key", "/", 1)).otherwise(".")
    return inside.select(top.alias("unit"), top.alias("top"), "key", content.alias("value"))


# -- what is known of the units besides -----------------------------------------------------


def with_facts(units: DataFrame, facts: DataFrame | None) -> DataFrame:
    """The units with what the inventory says of them; by their whole name, or its last part."""
    from pyspark.sql import functions as F

    names = schemas.names(schemas.FACTS)
    if facts is None:
        return units.select("*", *(F.lit(None).cast("string").alias(name) for name in names))
    small = F.broadcast(facts.select(F.col("cluster").alias("known"), *names))
    last = F.substring_index(F.col("unit"), "/", -1)
    return units.join(small, last == F.col("known"), "left").drop("known")


def facts(spark: SparkSession, path: str) -> DataFrame:
    """The inventory: ``cluster`` and those of the facts that it has, one row per cluster."""
    from pyspark.sql import functions as F

    if path.endswith(".csv"):
        frame = spark.read.option("header", "true").csv(publish.for_spark(path))
    elif table_of := work.table_format(path):
        frame = spark.read.format(table_of).load(publish.for_spark(path))
    else:
        raise work.Refused(f"--inventory {path}: neither csv nor jsonl nor parquet")
    if "cluster" not in frame.columns:
        raise work.Refused(f"--inventory {path}: no column cluster")
    columns = [
        (F.col(name) if name in frame.columns else F.lit(None)).cast("string").alias(name)
        for name in schemas.names(schemas.FACTS)
    ]
    return frame.select("cluster", *columns).dropDuplicates(["cluster"])


# -- packing --------------------------------------------------------------------------------


def packed(recipe: Recipe) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """For ``mapInArrow``: units in, rows of the packed table out (``schemas.PACKED``)."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        from kcheck.fleet.task import each

        schema = schemas.arrow(schemas.PACKED)
        rows: list[dict[str, object]] = []
        held = 0
        for batch in batches:
            for row in each(batch):
                rows.append(_packed(recipe, row))
                held += int(str(rows[-1]["bytes"]))
                if held > _BATCH_BYTES:
                    yield pa.RecordBatch.from_pylist(rows, schema)
                    rows, held = [], 0
        yield pa.RecordBatch.from_pylist(rows, schema)

    return run


def _packed(recipe: Recipe, row: dict[str, Any]) -> dict[str, object]:
    """One row of the packed table; a unit that cannot be read keeps its place and the reason."""
    from kcheck.fleet.task import opened

    problem = row["problem"]
    files: list[tuple[str, bytes | None]] = []
    try:
        with limits.guarded(recipe.seconds, recipe.megabytes):
            if row["place"] == FILES:
                files = sorted((row["files"] or {}).items(), key=lambda f: walk_order(f[0]))
            else:
                files = list(opened(recipe, recipe.settings(row), row))
    except limits.OverLimit as over:
        problem = str(over)
    except MemoryError:
        problem = limits.too_large(recipe.megabytes)
    except OSError as lost:
        problem = (lost.strerror or str(lost)).lower()
    return {
        "cluster": row["unit"],
        "top": row["top"] or (row["ref"] if row["place"] != FILES else None),
        "bytes": sum(len(data or b"") for _, data in files),
        "problem": problem,
        "files": files,
    }
