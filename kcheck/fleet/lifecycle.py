"""Findings from run to run: new, persisting since, resolved.

A finding is told by its unit and fingerprint. What was not looked at in this run is not resolved:
a unit that failed leaves its findings ``unchecked``, one that was no input leaves them ``absent``.
Both are carried along, so that they persist, and are not new, when the unit comes back.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyspark.sql import DataFrame

NEW, PERSISTING, RESOLVED = "new", "persisting", "resolved"
UNCHECKED, ABSENT = "unchecked", "absent"
STATUSES = (ABSENT, NEW, PERSISTING, RESOLVED, UNCHECKED)


def states(
    findings: DataFrame, units: DataFrame, previous: DataFrame | None, run: str
) -> DataFrame:
    """A row per finding of this run or carried from the ``states`` of the previous one. Within a
    unit no two findings have the same fingerprint: they are numbered where they agree.

    ``first_seen`` is the run that found it first, ``run`` this one.
    """
    from pyspark.sql import functions as F

    texts = ("rule", "severity", "cluster", "path", "message")
    now = findings.select("unit", "fingerprint", *texts)
    if previous is None:
        return now.select(
            F.lit(run).alias("run"),
            "unit",
            "fingerprint",
            F.lit(NEW).alias("status"),
            F.lit(run).alias("first_seen"),
            *texts,
        )
    before = previous.where(F.col("status") != RESOLVED).select(
        "unit",
        "fingerprint",
        F.col("first_seen").alias("seen"),
        *(F.col(name).alias(f"old_{name}") for name in texts),
    )
    audited = units.groupBy("unit").agg(F.max(F.col("status") == "audited").alias("audited"))
    both = now.join(before, ["unit", "fingerprint"], "full").join(audited, "unit", "left")
    status = (
        F.when(F.col("seen").isNull(), NEW)
        .when(F.col("rule").isNotNull(), PERSISTING)
        .when(F.col("audited"), RESOLVED)
        .when(F.col("audited").isNull(), ABSENT)
        .otherwise(UNCHECKED)
    )
    return both.select(
        F.lit(run).alias("run"),
        "unit",
        "fingerprint",
        status.alias("status"),
        F.coalesce("seen", F.lit(run)).alias("first_seen"),
        *(F.coalesce(name, f"old_{name}").alias(name) for name in texts),
    )


def dated(findings: DataFrame, previous: DataFrame | None, run: str) -> DataFrame:
    """The findings with ``run``, ``status`` (new or persisting) and ``first_seen`` in front."""
    from pyspark.sql import functions as F

    if previous is None:
        return findings.select(
            F.lit(run).alias("run"),
            F.lit(NEW).alias("status"),
            F.lit(run).alias("first_seen"),
            "*",
        )
    before = (
        previous.where(F.col("status") != RESOLVED)
        .groupBy("unit", "fingerprint")
        .agg(F.min("first_seen").alias("seen"))
    )
    columns = findings.columns
    return findings.join(before, ["unit", "fingerprint"], "left").select(
        F.lit(run).alias("run"),
        F.when(F.col("seen").isNull(), NEW).otherwise(PERSISTING).alias("status"),
        F.coalesce("seen", F.lit(run)).alias("first_seen"),
        *columns,
    )
