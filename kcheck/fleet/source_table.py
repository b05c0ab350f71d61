"""A table that Spark reads, of clusters or of their files → rows that bring files along."""

from __future__ import annotations

import os

from kcheck import formats
from kcheck.fleet import publish, work
from kcheck.fleet.sources import FILE_TYPE, Source, as_file
from kcheck.fleet.work import FILES, LOOSE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession


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
    one = F.array(as_file(F.col("path") if single else None, F.coalesce(held, text)))
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
        files.cast(FILE_TYPE).alias("files"),
    )
    return Source(path, rows, frame.select(unit.alias("unit"), size.alias("size")))


_NEEDS = "a table requires the columns cluster, path, content or cluster, files"
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
        raise work.Refused(f"{path}: files must map paths to text or bytes, not {have['files']}")


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
    line = F.lit("a line is not a JSON object with these columns")
    return F.when(F.col(_BROKEN).isNotNull(), line).otherwise(problem)


def _files(have: dict[str, str]) -> Column:
    from pyspark.sql import functions as F

    if not have["files"].startswith("map"):
        return F.transform("files", lambda entry: as_file(entry["path"], entry["content"]))
    noted = have.get("notes") == "map<string,string>"

    def entry(pair: Column) -> Column:
        note = F.try_element_at("notes", pair["key"]) if noted else None
        return as_file(pair["key"], pair["value"], note)

    return F.transform(F.map_entries("files"), entry)


def _length(content: Column) -> Column:
    from pyspark.sql import functions as F

    return F.coalesce(F.length(content), F.lit(0))
