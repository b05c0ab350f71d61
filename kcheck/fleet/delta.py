"""Delta: what it takes of a session, and how a run gets into a table of all runs and out again."""

from __future__ import annotations

import uuid

from kcheck.fleet import column_types, schemas
from kcheck.fleet.refused import Refused, reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

INSTALL = "Delta tables require an extra: pip install '.[delta]' in a clone of kcheck"

_PACKAGES = "spark.jars.packages"
_SETTINGS = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    # Fifty tasks for each look at a table are meant for tables of another size.
    "spark.databricks.delta.snapshotPartitions": "2",
}
#: What Java says where a jar was built for another version of Spark.
_ALIEN = ("NoSuchMethodError", "NoClassDefFoundError", "AbstractMethodError", "IncompatibleClass")


class Missing(Exception):
    """The package is not there; the text says how to get it."""


def settings(conf: dict[str, str]) -> dict[str, str]:
    """What a session has to be started with. Raises Missing where that cannot be known."""
    made = {**_SETTINGS, **conf}
    if any("delta-spark" in conf.get(key, "") for key in (_PACKAGES, "spark.jars")):
        return made
    try:
        from delta import configure_spark_with_delta_pip
    except ImportError:
        raise Missing(INSTALL) from None
    from pyspark.sql import SparkSession

    # The package knows which jar goes with which Spark, and tells it to a builder only.
    extra = [conf[_PACKAGES]] if conf.get(_PACKAGES) else []
    builder = configure_spark_with_delta_pip(SparkSession.Builder(), extra)
    return {**made, _PACKAGES: str(builder._options[_PACKAGES])}


def required(spark: SparkSession) -> None:
    """Raises Refused where the session cannot read and write Delta."""
    try:
        # Nothing is there; which error says so tells whether somebody looked.
        _ = spark.read.format("delta").load("file:///nowhere/kcheck").schema
    except Exception as error:
        text = str(error)
        if "DATA_SOURCE_NOT_FOUND" in text or "ClassNotFoundException" in text:
            raise Refused(
                "this Spark session has no Delta: start it with "
                "spark.jars.packages=io.delta:delta-spark_… and its extension"
            ) from None
        if any(name in text for name in _ALIEN):
            raise Refused(
                f"the Delta jars of this session do not match Spark {spark.version}"
            ) from None
        if "DELTA_CONFIGURE_SPARK_SESSION" in text:
            raise Refused(reason(error)) from None


def commit(rows: DataFrame, path: str, run: str) -> int:
    """Replace the rows of a run in the table, in one transaction; gives the version it made."""
    from pyspark.sql import functions as F

    token = uuid.uuid4().hex
    (
        rows.withColumn("run_id", F.lit(run))
        .write.format("delta")
        .mode("overwrite")
        .partitionBy("run_id")
        .option("replaceWhere", f"run_id = '{run}'")
        # Later versions of kcheck may have more columns.
        .option("mergeSchema", "true")
        .option("userMetadata", token)
        .save(path)
    )
    spark = rows.sparkSession
    history = spark.sql(f"DESCRIBE HISTORY delta.`{path.replace('`', '``')}`")
    # Nothing in place of nothing is no version of its own: then any from now on is right.
    found = history.orderBy(F.col("userMetadata").eqNullSafe(token).desc(), F.col("version").desc())
    row = found.select("version").head()
    assert row is not None
    return int(row[0])


def read(spark: SparkSession, path: str, name: str, run: str, version: int) -> DataFrame:
    """The rows of a run as they were in that version, or are now where it was cleaned away.

    A run is only then another now if it was being replaced when the audit was killed.
    """
    from pyspark.sql import functions as F

    reader = spark.read.format("delta")
    try:
        frame = reader.option("versionAsOf", str(version)).load(path)
        have = set(frame.columns)
    except Exception as error:
        if "VERSION" not in str(error).upper():
            raise
        frame = spark.read.format("delta").load(path)
        have = set(frame.columns)
    columns = [
        (F.col(column) if column in have else F.lit(None))
        .cast(column_types.ddl_of(kind))
        .alias(column)
        for column, kind in schemas.PUBLISHED[name]
    ]
    return frame.where(F.col("run_id") == run).select(*columns)
