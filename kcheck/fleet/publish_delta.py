"""Tables as Delta, where the session has it: one table for all runs, partitioned by ``run_id``."""

from __future__ import annotations

import uuid

from kcheck.fleet import schemas
from kcheck.fleet.publish import Refused, reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_MISSING = (
    "--format delta needs Delta in the Spark session: pip install delta-spark, or "
    "--conf spark.jars.packages=io.delta:delta-spark_…"
)
#: What Java says where a jar was built for another version of Spark.
_ALIEN = ("NoSuchMethodError", "NoClassDefFoundError", "AbstractMethodError", "IncompatibleClass")


def required(spark: SparkSession) -> None:
    """Raises Refused where the session cannot read and write Delta."""
    try:
        # Nothing is there; which error says so tells whether somebody looked.
        _ = spark.read.format("delta").load("file:///nowhere/kcheck").schema
    except Exception as error:
        text = str(error)
        if "DATA_SOURCE_NOT_FOUND" in text or "ClassNotFoundException" in text:
            raise Refused(_MISSING) from None
        if any(name in text for name in _ALIEN):
            raise Refused(
                f"the Delta jars of this session are for another Spark than {spark.version}"
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
    found = history.where(F.col("userMetadata") == token).select("version").head()
    assert found is not None
    return int(found[0])


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
        (F.col(column) if column in have else F.lit(None)).cast(schemas.ddl_of(kind)).alias(column)
        for column, kind in schemas.PUBLISHED[name]
    ]
    return frame.where(F.col("run_id") == run).select(*columns)
