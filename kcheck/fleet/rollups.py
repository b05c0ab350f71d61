"""Counts over a run: which rules, and which units, are the worst."""

from __future__ import annotations

from kcheck.fleet import column_types, schemas

TYPE_CHECKING = False
if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

#: Units in the list of the worst.
WORST = 100


def rules(findings: DataFrame) -> DataFrame:
    """A row per rule and severity (``schemas.RULE``)."""
    from pyspark.sql import functions as F

    return findings.groupBy("rule", "name", "severity").agg(
        F.count("*").alias("findings"), F.countDistinct("unit").alias("units")
    )


def worst(spark: SparkSession, units: pa.Table) -> DataFrame:
    """The units with the most errors, then warnings (``schemas.WORST``)."""
    import pyarrow.compute as pc

    counts = ("findings_error", "findings_warning", "findings_info")
    bad = units.filter(pc.greater(pc.add(*(units[name] for name in counts[:2])), 0))
    bad = bad.sort_by([*((name, "descending") for name in counts), ("unit", "ascending")])
    told = bad.select(column_types.names(schemas.WORST)[1:]).slice(0, WORST).to_pylist()
    rows = [(rank, *unit.values()) for rank, unit in enumerate(told, 1)]
    return spark.createDataFrame(rows, column_types.ddl(schemas.WORST))
