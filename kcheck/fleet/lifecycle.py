"""Findings from run to run: new, persisting since, resolved.

A finding is told by its unit and fingerprint, and by what else ``matched`` knows it again. What was not looked at in this run is not resolved:
a unit that failed leaves its findings ``unchecked``, one that was no input leaves them ``absent``.
Both are carried along, so that they persist, and are not new, when the unit comes back.
"""

from __future__ import annotations

from kcheck.fleet import column_types, matched, schemas

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyspark.sql import DataFrame

NEW, PERSISTING, RESOLVED = "new", "persisting", "resolved"
UNCHECKED, ABSENT = "unchecked", "absent"
STATUSES = (ABSENT, NEW, PERSISTING, RESOLVED, UNCHECKED)


def links(findings: DataFrame, previous: DataFrame | None, there: DataFrame) -> DataFrame | None:
    """Which findings of the previous run have another fingerprint now, or none (``matched``)."""
    if previous is None:
        return None
    from pyspark.sql import functions as F

    now = findings.select("unit", "fingerprint", "rule", "path", *matched.marked(findings))
    return matched.links(now, previous.where(F.col("status") != RESOLVED), there)


def _before(previous: DataFrame, linked: DataFrame) -> DataFrame:
    """What was not resolved, and ``at``: its fingerprint of today, null where it is gone."""
    from pyspark.sql import functions as F

    other = linked.select(F.col("unit").alias("of"), "was", F.col("fingerprint").alias("is"))
    before = previous.where(F.col("status") != RESOLVED)
    both = before.join(
        other, (F.col("unit") == F.col("of")) & (F.col("fingerprint") == F.col("was")), "left"
    )
    at = F.when(F.col("was").isNull(), F.col("fingerprint")).otherwise(F.col("is"))
    return both.withColumn("at", at)


def states(
    findings: DataFrame,
    units: DataFrame,
    previous: DataFrame | None,
    linked: DataFrame | None,
    run: str,
) -> DataFrame:
    """A row per finding of this run or carried from the ``states`` of the previous one. Within a
    unit no two findings have the same fingerprint: they are numbered where they agree.
    ``linked`` is what ``links`` gives.

    ``first_seen`` is the run that found it first, ``run`` this one.
    """
    from pyspark.sql import functions as F

    texts = ("rule", "severity", "cluster", "path", "message")
    marks = column_types.names(schemas.MARK)
    now = findings.select("unit", "fingerprint", *texts, *matched.marked(findings))
    if previous is None or linked is None:
        return now.select(
            F.lit(run).alias("run"),
            "unit",
            "fingerprint",
            F.lit(NEW).alias("status"),
            F.lit(run).alias("first_seen"),
            *texts,
            *marks,
        )
    before = _before(previous, linked).select(
        F.col("unit").alias("old_unit"),
        F.col("fingerprint").alias("old_fingerprint"),
        "at",
        F.col("first_seen").alias("seen"),
        *(F.col(name).alias(f"old_{name}") for name in (*texts, *marks)),
    )
    audited = units.groupBy("unit").agg(F.max(F.col("status") == "audited").alias("audited"))
    same = (F.col("unit") == F.col("old_unit")) & (F.col("fingerprint") == F.col("at"))
    both = (
        now.join(before, same, "full")
        .withColumn("unit", F.coalesce("unit", "old_unit"))
        .join(audited, "unit", "left")
    )
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
        F.coalesce("fingerprint", "old_fingerprint").alias("fingerprint"),
        status.alias("status"),
        F.coalesce("seen", F.lit(run)).alias("first_seen"),
        *(F.coalesce(name, f"old_{name}").alias(name) for name in (*texts, *marks)),
    )


def dated(
    findings: DataFrame, previous: DataFrame | None, linked: DataFrame | None, run: str
) -> DataFrame:
    """The findings with ``run``, ``status`` (new or persisting) and ``first_seen`` in front."""
    from pyspark.sql import functions as F

    if previous is None or linked is None:
        return findings.select(
            F.lit(run).alias("run"),
            F.lit(NEW).alias("status"),
            F.lit(run).alias("first_seen"),
            "*",
        )
    before = (
        _before(previous, linked)
        .where(F.col("at").isNotNull())
        .groupBy("unit", F.col("at").alias("fingerprint"))
        .agg(F.min("first_seen").alias("seen"))
    )
    columns = findings.columns
    return findings.join(before, ["unit", "fingerprint"], "left").select(
        F.lit(run).alias("run"),
        F.when(F.col("seen").isNull(), NEW).otherwise(PERSISTING).alias("status"),
        F.coalesce("seen", F.lit(run)).alias("first_seen"),
        *columns,
    )
