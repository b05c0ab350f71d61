"""Which clusters stray from their peers: those of one environment, one Kafka version or one owner.

A cluster that leaves a key alone counts with the default of its version, so that writing a default
down is no drift, and an upgrade that changes one is. A value is the norm of its group only if the
group is large enough for the share to mean something (Wilson's lower bound), so that 51% never is.

Frames are small after the first count: groups × keys × values, whatever the number of clusters.
"""

from __future__ import annotations

from kcheck import catalogue
from kcheck.fleet import column_types, schemas
from kcheck.fleet.profile import default_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

#: A norm: at least so many clusters, this share of them, and this share with 95% confidence.
LEAST_SUPPORT = 8
LEAST_SHARE = 0.8
LEAST_CONFIDENCE = 0.6

#: 95%, two-sided.
_Z = 1.959964

FLEET = "fleet"

_GROUP = ("dimension", "group")
_NORM = (*_GROUP, "key")


def members(profiles: DataFrame) -> DataFrame:
    """Profiles (``schemas.PROFILE``) → a row per cluster and group that it belongs to."""
    from pyspark.sql import functions as F

    return profiles.select("*", F.explode("groups").alias("at")).select("*", "at.*").drop("at")


def said(counted: DataFrame) -> DataFrame:
    """How often each value of a key is set, per group, release, and whether Kafka's own defaults
    hold, from what each task has counted (``schemas.SAID``). ``compared`` is null for clusters that
    have no say in the key.
    """
    from pyspark.sql import functions as F

    return counted.groupBy(*_GROUP, "release", "own", "key", "compared").agg(
        F.sum("n").alias("n"), F.min("value").alias("value")
    )


def default_values(spark: SparkSession) -> DataFrame:
    """The brokers' default of each key in each release, where it is known: as many rows as Kafka has
    keys and releases, whatever the size of the fleet.
    """
    keys = catalogue.plane("broker").keys()
    rows = [
        (release, key, default)
        for release in catalogue.minors()
        for key in keys
        if (default := default_of(release, key)) is not None
    ]
    return spark.createDataFrame(rows, "release string, key string, default string")


def consensus(said: DataFrame, members: DataFrame, defaults: DataFrame) -> DataFrame:
    """The most frequent value of each key in each group: ``norm`` with ``support`` of ``of``
    clusters, ``share``, ``confidence``, and whether it ``is_norm``. Clusters whose value nobody
    knows do not count.
    """
    from pyspark.sql import functions as F

    versioned = (*_GROUP, "release")
    sizes = members.where("own").groupBy(*versioned).agg(F.count("*").alias("clusters"))
    told = said.where("own").groupBy(*versioned, "key").agg(F.sum("n").alias("told"))
    silent = (
        said.select(*_NORM)
        .distinct()
        .join(F.broadcast(sizes), [*_GROUP])
        .join(F.broadcast(defaults), ["release", "key"])
        .join(told, [*versioned, "key"], "left")
        .select(
            *_NORM,
            F.col("default").alias("compared"),
            (F.col("clusters") - F.coalesce("told", F.lit(0))).alias("n"),
            F.col("default").alias("value"),
        )
        .where("n > 0")
    )
    counts = (
        said.where("compared is not null")
        .select(*_NORM, "compared", "n", "value")
        .unionByName(silent)
        .groupBy(*_NORM, "compared")
        .agg(F.sum("n").alias("n"), F.min("value").alias("value"))
    )
    top = counts.groupBy(*_NORM).agg(
        # Of equals the greatest value, so that runs agree.
        F.max_by(F.struct("compared", "value"), F.struct("n", "compared")).alias("top"),
        F.max("n").alias("support"),
        F.sum("n").alias("of"),
    )
    share = F.col("support") / F.col("of")
    return top.select(
        *_NORM,
        F.col("top.compared").alias("norm_compared"),
        F.col("top.value").alias("norm"),
        "support",
        "of",
        share.alias("share"),
        wilson(share, F.col("of")).alias("confidence"),
    ).withColumn("is_norm", is_norm())


def strays(members: DataFrame, norms: DataFrame, defaults: DataFrame) -> DataFrame:
    """Clusters that differ from the norm of a group that they belong to (``schemas.STRAY``), by
    what they set or by the default that they leave in place.
    """
    from pyspark.sql import functions as F

    strong = norms.where("is_norm and share < 1")
    told = (
        members.withColumn("at", F.explode("values"))
        .select("*", "at.*")
        .join(F.broadcast(strong), [*_NORM])
        .where("compared != norm_compared")
        .withColumn("origin", F.lit("set"))
    )
    odd = strong.join(F.broadcast(defaults), "key").where("default != norm_compared")
    silent = (
        members.where("own")
        .join(F.broadcast(odd), [*_GROUP, "release"])
        .where(~F.array_contains("values.key", F.col("key")))
        .withColumn("value", F.col("default"))
        .withColumn("path", F.lit(None))
        .withColumn("line", F.lit(None))
        .withColumn("origin", F.lit("default"))
    )
    return _strays(told).unionByName(_strays(silent))


def _strays(frame: DataFrame) -> DataFrame:
    from pyspark.sql import functions as F

    made = {"scope": F.lit(FLEET), "resource": F.lit(None)}
    return frame.select(
        *(
            made.get(name, F.col(name)).cast(column_types.ddl_of(kind)).alias(name)
            for name, kind in schemas.STRAY
        )
    )


def wilson(share: Column, n: Column) -> Column:
    """The share that the group has at least, with 95% confidence."""
    from pyspark.sql import functions as F

    z2 = _Z * _Z
    spread = F.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return (share + z2 / (2 * n) - _Z * spread) / (1 + z2 / n)


def is_norm() -> Column:
    """Whether a consensus is strong enough to call others strays."""
    from pyspark.sql import functions as F

    return (
        (F.col("of") >= LEAST_SUPPORT)
        & (F.col("share") >= LEAST_SHARE)
        & (F.col("confidence") >= LEAST_CONFIDENCE)
    )
