"""What Spark itself reads: tables, and trees on its file systems → rows that bring files along.

A row brings one file of a unit or several; those of one unit come together where they are linted
(``members.merged``). Which unit goes where is decided from names and sizes alone, before any
content is read: contents are shuffled once, each unit to where its weight belongs, or not at all
where Spark's own parts of the input will do.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from kcheck import formats, left_out
from kcheck.fleet import column_types, publish, schemas, work
from kcheck.fleet.work import FILES, LOOSE, Unit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

#: Of a larger file on a file system of Spark's nothing is read: it would come whole.
_MOST_BYTES = 16 << 20
#: More files at the top of a tree are not looked into to see whether it is one project.
_MOST_AT_TOP = 50

#: Parts of the input are even if each is at most this share of a slot's share.
_EVEN = 8

_FILE = column_types.ddl_of(dict(schemas.WORK)["files"])


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


# -- tables ---------------------------------------------------------------------------------


def table(spark: SparkSession, path: str, format: str) -> Source:
    """A table with a row per cluster (``files``: contents by path), or per file (``path``,
    ``content``). Raises work.Refused for one that is neither.

    A row that lacks something is a problem of its unit; one without a cluster is a unit that is
    called like the table.
    """
    from pyspark.sql import functions as F

    at = publish.for_spark(path)
    if format == "json":
        frame = _json(spark, at)
    else:
        frame = spark.read.format(format).load(at)
    have = {field.name: field.dataType.simpleString() for field in frame.schema}
    _check(path, have)
    whole, single = "files" in have, "content" in have
    text = F.col("content").cast("binary")
    # As much as the engine looks at to say that a file is too large.
    held = F.when(F.length(text) > formats.MAX_BYTES, F.substring(text, 1, formats.MAX_BYTES + 1))
    one = F.array(_file(F.col("path") if single else None, F.coalesce(held, text)))
    if whole and single:
        files = F.when(F.col("files").isNotNull(), _files(have)).otherwise(one)
    else:
        files = _files(have) if whole else one
    if "bytes" in have:
        size = F.expr("try_cast(bytes AS bigint)")
    else:
        none = F.lit(0).cast("bigint")
        size = F.aggregate(files, none, lambda total, file: total + _length(file["content"]))
    named = F.trim(F.col("cluster").cast("string"))
    unit = F.when(named != "", named).otherwise(F.lit(os.path.basename(path.rstrip("/"))))
    top = F.col("top").cast("string") if "top" in have else F.lit(None).cast("string")
    rows = frame.select(
        unit.alias("unit"),
        F.when(top.isNull(), F.lit(LOOSE)).otherwise(FILES).alias("place"),
        F.lit(path).alias("ref"),
        F.coalesce(top, unit).alias("top"),
        size.alias("bytes"),
        _problem(have, named).alias("problem"),
        files.cast(_FILE).alias("files"),
    )
    return Source(path, rows, frame.select(unit.alias("unit"), size.alias("size")))


_NEEDS = "a table needs the columns cluster, path, content or cluster, files"
_BYTES = ("string", "binary")


def _check(path: str, have: dict[str, str]) -> None:
    if "cluster" not in have or not ("files" in have or {"path", "content"} <= set(have)):
        raise work.Refused(f"{path}: {_NEEDS}; it has {', '.join(sorted(have)) or 'none'}")
    if have.get("content", "string") not in _BYTES:
        raise work.Refused(f"{path}: content must be text or bytes, not {have['content']}")
    kinds = {f"map<string,{kind}>" for kind in _BYTES} | {
        f"array<struct<path:string,content:{kind}>>" for kind in _BYTES
    }
    if "files" in have and have["files"] not in kinds:
        raise work.Refused(
            f"{path}: files must map paths to their text or bytes, it is {have['files']}"
        )


def _json(spark: SparkSession, path: str) -> DataFrame:
    """JSON lines, whose texts are those of the files."""
    return spark.read.schema(
        f"cluster string, path string, content string, files map<string,string>, {_BROKEN} string"
    ).json(path)


_BROKEN = "_corrupt_record"


def _problem(have: dict[str, str], named: Column) -> Column:
    """Why a row is no part of a cluster, or has none of its files."""
    from pyspark.sql import functions as F

    path = F.col("path").cast("string") if "path" in have else F.lit(None).cast("string")
    lost = F.concat(
        F.lit("a row has no cluster"), F.coalesce(F.concat(F.lit(": path "), path), F.lit(""))
    )
    problem = F.when(named.isNull() | (named == ""), lost)
    if "files" in have and "content" not in have:
        problem = problem.when(F.col("files").isNull(), F.lit("its row has no files"))
    if have.get("problem") == "string":
        problem = F.coalesce("problem", problem)
    if _BROKEN not in have:
        return problem
    line = F.lit("a line is no JSON object of the shape that is needed")
    return F.when(F.col(_BROKEN).isNotNull(), line).otherwise(problem)


def _files(have: dict[str, str]) -> Column:
    from pyspark.sql import functions as F

    if not have["files"].startswith("map"):
        return F.transform("files", lambda entry: _file(entry["path"], entry["content"]))
    noted = have.get("notes") == "map<string,string>"

    def entry(pair: Column) -> Column:
        note = F.try_element_at("notes", pair["key"]) if noted else None
        return _file(pair["key"], pair["value"], note)

    return F.transform(F.map_entries("files"), entry)


def _file(path: Column | None, content: Column, reason: Column | None = None) -> Column:
    from pyspark.sql import functions as F

    nothing = F.lit(None).cast("string")
    return F.struct(
        (nothing if path is None else path.cast("string")).alias("path"),
        content.cast("binary").alias("content"),
        (nothing if reason is None else reason).alias("reason"),
    )


def _length(content: Column) -> Column:
    from pyspark.sql import functions as F

    return F.coalesce(F.length(content), F.lit(0))


# -- trees ----------------------------------------------------------------------------------


def tree(spark: SparkSession, uri: str, depth: int | None) -> Source:
    """A tree on any file system of Hadoop's; ``depth`` as in ``layout.units``, 1 if nobody says.

    Spark lists and reads the files, because there its credentials are. Very large ones are never
    loaded: one above 2 GiB would end the job.
    """
    from pyspark.sql import functions as F

    # The default lists 10,000 folders in 10,000 tasks.
    spark.conf.set("spark.sql.sources.parallelPartitionDiscovery.parallelism", "8")
    # What starts with a dot is configuration, too; what belongs to tools is none.
    never = "|".join(map(re.escape, sorted(left_out.TOOLS | left_out.BUILT.keys())))
    held = (
        spark.read.format("binaryFile")
        .option("recursiveFileLookup", "true")
        .option("ignoredPathSegmentRegex", rf"^({never}|\.\..*)$")
        .load(uri)
    )
    # Spark adds the host that a URI leaves out, and writes one slash where there is none.
    root = re.sub(_HOST, "", uri.rstrip("/"))
    inside = F.regexp_replace("path", _HOST, "")
    named = held.withColumn("below", inside.substr(F.lit(len(root) + 2), F.length(inside)))
    if depth is None:
        depth = 0 if _one_project(spark, named) else 1
    name = os.path.basename(root)
    above = F.regexp_extract("below", r"^(.*)/", 1)
    if depth == 0:
        unit, path = F.lit(name), F.concat(F.lit(f"{name}/"), F.col("below"))
    else:
        folder = F.substring_index(above, "/", depth)
        unit, path = F.when(folder == "", ".").otherwise(folder), F.col("below")
    small = F.col("length") <= _MOST_BYTES
    cut = F.substring("content", 1, formats.MAX_BYTES + 1)
    reason = F.lit(f"larger than {formats.MAX_BYTES:,} bytes")
    rows = (
        named.where(small)
        .select("*", _file(path, cut).alias("file"))
        .unionByName(
            named.where(~small).select("*", _file(path, F.lit(None), reason).alias("file"))
        )
        .select(
            unit.alias("unit"),
            F.lit(FILES).alias("place"),
            F.lit(uri).alias("ref"),
            unit.alias("top"),
            F.least("length", F.lit(formats.MAX_BYTES)).cast("bigint").alias("bytes"),
            F.array("file").cast(_FILE).alias("files"),
        )
    )
    # Folders without a file that lint reads are no units.
    readable = F.lower(F.regexp_extract("below", r"([^/]*)$", 1)).rlike(_readable())
    size = F.least("length", F.lit(formats.MAX_BYTES))
    sizes = named.where(readable).select(unit.alias("unit"), size.alias("size"))
    return Source(uri, rows, sizes, scattered=True)


_HOST = r"^[A-Za-z][A-Za-z0-9+.-]*:(//[^/]*)?"


def _readable() -> str:
    """A pattern for names that formats read, and a few more."""
    return "|".join(map(re.escape, formats.BY_ENDING))


def _one_project(spark: SparkSession, named: DataFrame) -> bool:
    """Whether a file at the top of a tree says something of Kafka."""
    from pyspark.sql import functions as F

    at_top = named.where(~F.col("below").contains("/") & (F.col("length") <= formats.MAX_BYTES))
    found = at_top.select("path", "below").limit(_MOST_AT_TOP).collect()
    paths = [row["path"] for row in found if formats.modules_for(row["below"])]
    if not paths:
        return False
    # Spark takes paths for patterns.
    exact = [re.sub(r"([{}\[\]*?\\])", r"\\\1", path) for path in paths]
    read = spark.read.format("binaryFile").load(exact).select("path", "content").collect()
    held = {row["path"]: bytes(row["content"]) for row in read}

    def speaks(path: str) -> bool:
        try:
            return bool(formats.read(path, held[path], held.get).resources)
        except Exception:
            return False

    return any(map(speaks, held))
