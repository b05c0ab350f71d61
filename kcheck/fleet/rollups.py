"""Counts over a run: which rules, and which units, are the worst."""

from __future__ import annotations

from kcheck.fleet import schemas

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Units in the list of the worst.
WORST = 100


def rules(findings: DataFrame) -> DataFrame:
    """A row per rule and severity (``schemas.RULE``)."""
    from pyspark.sql import functions as F

    return findings.groupBy("rule", "name", "severity").agg(
        F.count("*").alias("findings"), F.countDistinct("unit").alias("units")
    )


def worst(spark: SparkSession, units: DataFrame) -> DataFrame:
    """The units with the most errors, then warnings (``schemas.WORST``)."""
    from pyspark.sql import functions as F

    counts = ["findings_error", "findings_warning", "findings_info"]
    bad = (
        units.where(F.col("findings_error") + F.col("findings_warning") > 0)
        .orderBy(*(F.desc(name) for name in counts), F.asc("unit"))
        .limit(WORST)
    )
    columns = schemas.names(schemas.WORST)[1:]
    rows = [(rank, *row) for rank, row in enumerate(bad.select(*columns).collect(), 1)]
    return spark.createDataFrame(rows, schemas.ddl(schemas.WORST))
