"""Counts over a run: which rules, and which units, are the worst."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Units in the heat map and in the list of the worst.
WORST = 100


def rules(findings: DataFrame) -> DataFrame:
    """A row per rule and severity: findings, and units that have one."""
    from pyspark.sql import functions as F

    return findings.groupBy("rule", "name", "severity").agg(
        F.count("*").alias("findings"), F.countDistinct("unit").alias("units")
    )


def worst(spark: SparkSession, units: DataFrame) -> DataFrame:
    """The units with the most errors, then warnings; ``rank`` counts from 1."""
    from pyspark.sql import functions as F

    counts = ["findings_error", "findings_warning", "findings_info"]
    columns = ["unit", "environment", "owner", "region", *counts]
    bad = (
        units.where(F.col("findings_error") + F.col("findings_warning") > 0)
        .orderBy(*(F.desc(name) for name in counts), F.asc("unit"))
        .limit(WORST)
    )
    rows = [(rank, *row) for rank, row in enumerate(bad.select(*columns).collect(), 1)]
    kinds = ", ".join(f"{name} {units.schema[name].dataType.simpleString()}" for name in columns)
    return spark.createDataFrame(rows, f"rank int, {kinds}")


def heat(findings: DataFrame, worst: DataFrame) -> DataFrame:
    """Rule × unit counts of the worst units."""
    from pyspark.sql import functions as F

    return (
        findings.join(F.broadcast(worst.select("unit", "rank")), "unit")
        .groupBy("rank", "unit", "rule", "severity")
        .agg(F.count("*").alias("findings"))
    )
