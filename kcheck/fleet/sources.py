"""What Spark itself reads → rows that bring files along, in partitions of about the same weight.

``source_table`` and ``source_tree`` say what is read. A row brings one file of a unit or several;
those of one unit come together where they are linted (``members.merged``). Which unit goes where is
decided from names and sizes alone, before any content is read: contents are shuffled once, each
unit to where its weight belongs, or not at all where Spark's own parts of the input will do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from kcheck.fleet import column_types, schemas, work
from kcheck.fleet.work import FILES, Unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

#: Parts of the input are even if each is at most this share of a slot's share.
_EVEN = 8

#: The type of one file of a row.
FILE_TYPE = column_types.ddl_of(dict(schemas.WORK)["files"])


class Source:
    """One table or tree: ``rows`` with the columns of ``schemas.WORK`` that there are, and ``sizes``,
    a frame of ``unit`` and ``size`` that costs little to read, row by row. ``path`` is what the
    user calls it; ``scattered``: units have several rows, also where ``sizes`` has not.
    """

    def __init__(
        self, path: str, rows: DataFrame, sizes: DataFrame, scattered: bool = False
    ) -> None:
        self.path = path
        self.units: list[Unit] = []
        self._rows = rows
        self._sizes = sizes
        self._scattered = scattered
        self._loads: Counter[int] = Counter()

    def weigh(self) -> None:
        """Learn which units there are, how many bytes of each, and how Spark splits the input."""
        from pyspark.sql import functions as F

        placed = self._sizes.withColumn("part", F.spark_partition_id())
        found = placed.groupBy("unit").agg(
            F.sum(F.coalesce("size", F.lit(0))).cast("bigint").alias("bytes"),
            F.count("*").alias("rows"),
            F.min("part").alias("part"),
        )
        names, sizes, rows, parts = (column.to_pylist() for column in found.toArrow().columns)
        self.units = [
            Unit(name, FILES, name, size, input=self.path)
            for name, size in zip(names, sizes, strict=True)
        ]
        self._scattered = self._scattered or any(count > 1 for count in rows)
        for unit, part in zip(self.units, parts, strict=True):
            self._loads[part] += work.weight_of(unit)

    def spread(self, spark: SparkSession, slots: int, wanted: int) -> DataFrame:
        """The rows in partitions of about the same weight, those of a unit one after the other."""
        if self._as_it_is(slots) and not wanted:
            return as_work(self._rows)
        import pyarrow as pa
        from pyspark.sql import functions as F

        bins = work.bins(self.units, slots, wanted)
        placed = [(u.own, u.name, slot) for slot, part in enumerate(bins) for u in part]
        own, called, slot = zip(*placed, strict=True)
        listed = pa.table(
            {
                "own": pa.array(own, pa.string()),
                "called": pa.array(called, pa.string()),
                "slot": pa.array(slot, pa.int32()),
            }
        )
        known = F.broadcast(spark.createDataFrame(listed))
        rows = self._rows.join(known, F.col("unit") == F.col("own")).withColumn(
            "unit", F.col("called")
        )
        rows = split(rows, len(bins), F.col("slot"))
        if self._scattered:
            rows = rows.sortWithinPartitions("unit", F.col("files")[0]["path"])
        return as_work(rows)

    def _as_it_is(self, slots: int) -> bool:
        """Whether Spark's own parts do: no slot waits long for another, and nothing is shuffled."""
        if self._scattered or any(unit.own != unit.name for unit in self.units):
            return False
        return max(self._loads.values()) * _EVEN * slots <= sum(self._loads.values())


@contextmanager
def finely(spark: SparkSession, slots: int) -> Iterator[None]:
    """While it lasts, tables are read in parts that are small enough to be spread over the slots.

    Spark's own defaults are for files of gigabytes, and one slot has one part.
    """
    wanted = {
        "spark.sql.files.minPartitionNum": str(2 * _EVEN * slots),
        "spark.sql.files.openCostInBytes": "65536",
        # A row is all that a cluster has, up to ``work.MOST_CARRIED``: the heap is to hold a batch.
        "spark.sql.parquet.columnarReaderBatchSize": "2",
    }
    before: dict[str, str | None] = {}
    for name, value in wanted.items():
        # Serverless platforms keep most settings to themselves.
        with suppress(Exception):
            before[name] = spark.conf.get(name, None)
            spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, old in before.items():
            with suppress(Exception):
                if old is None:
                    spark.conf.unset(name)
                else:
                    spark.conf.set(name, old)


def split(frame: DataFrame, parts: int, slot: Column) -> DataFrame:
    """The rows in the partitions that their ``slot`` names; before Spark 4.1 about so."""
    if hasattr(frame, "repartitionById"):
        return frame.repartitionById(parts, slot)
    return frame.repartition(parts, slot)


def as_work(frame: DataFrame) -> DataFrame:
    """The columns of ``schemas.WORK``, null where the frame has none of the name."""
    from pyspark.sql import functions as F

    columns = []
    for name, kind in schemas.WORK:
        column = F.col(name) if name in frame.columns else F.lit(None)
        columns.append(column.cast(column_types.ddl_of(kind)).alias(name))
    return frame.select(*columns)


def as_file(path: Column | None, content: Column, reason: Column | None = None) -> Column:
    """One file of a row, with what ``schemas.WORK`` tells of it."""
    from pyspark.sql import functions as F

    nothing = F.lit(None).cast("string")
    return F.struct(
        (nothing if path is None else path.cast("string")).alias("path"),
        content.cast("binary").alias("content"),
        (nothing if reason is None else reason).alias("reason"),
    )
