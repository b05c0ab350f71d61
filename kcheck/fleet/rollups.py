"""Counts over a run: which rules, and which units, are the worst."""

from __future__ import annotations

from kcheck.fleet import schemas

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pyspark.sql import DataFrame, SparkSession

#: Units in the list of the worst.
WORST = 100


def rules(findings: DataFrame) -> DataFrame:
    """A row per rule and severity (``schemas.RULE``)."""
    from pyspark.sql import functions as F

    return findings.groupBy("rule", "name", "severity").agg(
        F.count("*").alias("findings"), F.countDistinct("unit").alias("units")
    )


def worst(spark: SparkSession, units: list[dict[str, Any]]) -> DataFrame:
    """The units with the most errors, then warnings (``schemas.WORST``)."""
    counts = ("findings_error", "findings_warning", "findings_info")
    bad = [unit for unit in units if unit["findings_error"] or unit["findings_warning"]]
    bad.sort(key=lambda unit: (*(-unit[name] for name in counts), unit["unit"]))
    columns = schemas.names(schemas.WORST)[1:]
    rows = [
        (rank, *(unit[column] for column in columns)) for rank, unit in enumerate(bad[:WORST], 1)
    ]
    return spark.createDataFrame(rows, schemas.ddl(schemas.WORST))
