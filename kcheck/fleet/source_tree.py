"""A tree on a file system of Spark's → rows that bring files along, one each."""

from __future__ import annotations

import os
import re

from kcheck import formats, left_out
from kcheck.fleet import child_process, limits
from kcheck.fleet.sources import FILE_TYPE, Source, as_file
from kcheck.fleet.work import FILES, Inputs
from kcheck.formats import endings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Of a larger file on a file system of Spark's nothing is read: it would come whole. The driver
#: reads no more than that of all at the top of a tree.
_MOST_BYTES = 16 << 20
#: More files at the top of a tree are not looked into to see whether it is one project.
_MOST_AT_TOP = 50
#: So long at one of them, after which it says nothing.
_SECONDS = 5.0


def tree(spark: SparkSession, uri: str, inputs: Inputs) -> Source:
    """A tree on any file system of Hadoop's; their depth is 1 if nobody says.

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
    depth = inputs.depth
    if depth is None:
        depth = 0 if _one_project(spark, named, inputs) else 1
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
        .select("*", as_file(path, cut).alias("file"))
        .unionByName(
            named.where(~small).select("*", as_file(path, F.lit(None), reason).alias("file"))
        )
        .select(
            unit.alias("unit"),
            F.lit(FILES).alias("place"),
            F.lit(uri).alias("ref"),
            unit.alias("top"),
            F.least("length", F.lit(formats.MAX_BYTES)).cast("bigint").alias("bytes"),
            F.array("file").cast(FILE_TYPE).alias("files"),
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
    return "|".join(map(re.escape, endings.BY_ENDING))


def _one_project(spark: SparkSession, named: DataFrame, inputs: Inputs) -> bool:
    """Whether a file at the top of a tree says something of Kafka."""
    from pyspark.sql import functions as F

    at_top = named.where(~F.col("below").contains("/") & (F.col("length") <= formats.MAX_BYTES))
    found = at_top.select("path", "below", "length").limit(_MOST_AT_TOP).collect()
    paths: list[str] = []
    room = _MOST_BYTES
    for row in found:
        if endings.takes(row["below"]) and row["length"] <= room:
            paths.append(row["path"])
            room -= row["length"]
    if not paths:
        return False
    # Spark takes paths for patterns.
    exact = [re.sub(r"([{}\[\]*?\\])", r"\\\1", path) for path in paths]
    read = spark.read.format("binaryFile").load(exact).select("path", "content").collect()
    held = {row["path"]: bytes(row["content"]) for row in read}

    def speaks(path: str) -> bool:
        try:
            return limits.guarded(
                lambda: bool(formats.read(path, held[path], held.get).resources),
                min(inputs.seconds or _SECONDS, _SECONDS),
                inputs.megabytes,
            )
        except (Exception, limits.OverLimit):
            return False

    try:
        return child_process.apart(lambda: any(map(speaks, held)))
    except child_process.Died:
        return False
