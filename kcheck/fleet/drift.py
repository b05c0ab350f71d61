"""Who strays: brokers from the others of their cluster, clusters from their peers.

Peers are clusters of one environment, one Kafka version or one owner. A cluster that leaves a key
alone counts with the default of its version, so that writing a default down is no drift, and an
upgrade that changes one is. A value is the norm of its group only if the group is large enough for
the share to mean something (Wilson's lower bound), so that 51% never is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kcheck import secrets
from kcheck.fleet import inventory
from kcheck.graph.cluster import MANAGED, Cluster
from kcheck.graph.resolve import STAND_INS
from kcheck.model import Resource
from kcheck.settings import ClusterSettings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

#: A norm: at least so many clusters, this share of them, and this share with 95% confidence.
LEAST_SUPPORT = 8
LEAST_SHARE = 0.8
LEAST_CONFIDENCE = 0.6

#: 95%, two-sided.
_Z = 1.959964

#: Keys that say which node this is, where it runs and what its listeners are called: they differ
#: by their nature, and one of them often takes away the meaning of another's default.
_OWN = (
    "advertised.host.name",
    "advertised.listeners",
    "advertised.port",
    "broker.id",
    "broker.rack",
    "control.plane.listener.name",
    "controller.listener.names",
    "controller.quorum.bootstrap.servers",
    "controller.quorum.voters",
    "host.name",
    "inter.broker.listener.name",
    "listener.security.protocol.map",
    "listeners",
    "log.dir",
    "log.dirs",
    "metadata.log.dir",
    "node.id",
    "process.roles",
    "security.inter.broker.protocol",
    "zookeeper.connect",
)
#: The same value in a coarser unit; the key in milliseconds stands for them.
_COARSE = tuple(name for chain in STAND_INS.values() for name, factor in chain if factor != 1)

CLUSTER, FLEET = "cluster", "fleet"


def comparable(settings: DataFrame) -> DataFrame:
    """The broker settings that can be compared; ``compared`` tells secrets apart unseen."""
    from pyspark.sql import functions as F

    return settings.where(
        (F.col("kind") == "broker")
        & ~F.col("key").isin(*_OWN, *_COARSE)
        & ~F.col("key").startswith("listener.name.")
        & F.col("value").isNotNull()
    ).withColumn("compared", F.coalesce("digest", "value"))


def strays(
    settings: DataFrame, clusters: DataFrame, defaults: DataFrame, norms: DataFrame
) -> DataFrame:
    """A row per stray: ``scope`` cluster (a broker from its cluster) or fleet (a cluster from its
    group, by ``dimension`` and ``group``), its ``value`` and the ``norm`` with ``support``,
    ``share`` and ``confidence``. ``origin`` is set or default. ``settings`` are comparable.
    """
    within = broker_strays(settings, clusters, defaults)
    return within.unionByName(fleet_strays(settings, clusters, defaults, norms))


def default_values(spark: SparkSession, settings: DataFrame) -> DataFrame:
    """The brokers' default of each key in question in each version in question, where known."""
    # As many as Kafka has keys and releases, whatever the size of the fleet.
    pairs = settings.select("key", "kafka_version").distinct().collect()
    keys = {row["key"] for row in pairs}
    versions = {row["kafka_version"] for row in pairs if row["kafka_version"]}
    rows = list(_defaults(sorted(keys), sorted(versions)))
    return spark.createDataFrame(rows, "kafka_version string, key string, default string")


def _defaults(keys: Iterable[str], versions: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    for version in versions:
        alone = Cluster(".", [Resource("broker", "0", ".")], ClusterSettings(version))
        for key in keys:
            if secrets.is_secret(key):
                continue
            value = alone.brokers[0][key]
            text = inventory.text_of(value)
            if value.known and text is not None:
                yield version, key, text


# -- within a cluster -----------------------------------------------------------------------


def broker_strays(settings: DataFrame, clusters: DataFrame, defaults: DataFrame) -> DataFrame:
    """Brokers that differ from the majority of their cluster, or from each other where none is."""
    from pyspark.sql import functions as F

    whose = ["unit", "cluster", "key"]
    sizes = clusters.select("unit", "cluster", "brokers", "service")
    per_key = (
        settings.groupBy(*whose)
        .agg(
            F.countDistinct("resource").alias("set_by"),
            F.countDistinct("compared").alias("values"),
            F.min("kafka_version").alias("kafka_version"),
        )
        .join(sizes, ["unit", "cluster"])
        .join(F.broadcast(defaults), ["kafka_version", "key"], "left")
    )
    left = F.col("brokers") - F.col("set_by")
    # Others that leave the key alone differ, too, unless what is set is the default.
    open_keys = per_key.where(
        (F.col("brokers") > 1)
        & ((F.col("values") > 1) | ((left > 0) & F.col("default").isNotNull() & _kafkas_own()))
    ).select(*whose, "brokers", "default", F.when(_kafkas_own(), left).otherwise(0).alias("left"))
    held = settings.join(open_keys, whose)
    counts = held.groupBy(*whose, "compared", "value", "brokers").agg(
        F.countDistinct("resource").alias("n")
    )
    silent = open_keys.where((F.col("left") > 0) & F.col("default").isNotNull()).select(
        *whose,
        F.col("default").alias("compared"),
        F.col("default").alias("value"),
        "brokers",
        F.col("left").cast("bigint").alias("n"),
    )
    summed = (
        counts.unionByName(silent)
        .groupBy(*whose, "compared", "value", "brokers")
        .agg(F.sum("n").alias("n"))
    )
    norm = summed.groupBy(*whose, "brokers").agg(
        F.max_by(F.struct("compared", "value"), F.struct("n", "compared")).alias("top"),
        F.max("n").alias("support"),
        F.count("*").alias("distinct"),
    )
    norm = norm.where("distinct > 1").withColumn("share", F.col("support") / F.col("brokers"))
    clear = F.col("share") > 0.5
    found = settings.join(norm, whose).where(~clear | (F.col("compared") != F.col("top.compared")))
    return _row(
        found,
        scope=F.lit(CLUSTER),
        dimension=F.lit(None),
        group=F.lit(None),
        norm=F.when(clear, F.col("top.value")),
        support=F.when(clear, F.col("support")).otherwise(F.lit(0)),
        of=F.col("brokers"),
        share=F.when(clear, F.col("share")),
        confidence=F.lit(None),
        resource=F.col("resource"),
        origin=F.lit("set"),
    )


# -- among clusters -------------------------------------------------------------------------


def fleet_strays(
    settings: DataFrame, clusters: DataFrame, defaults: DataFrame, norms: DataFrame
) -> DataFrame:
    """Clusters that differ from the norm of a group that they belong to."""
    from pyspark.sql import functions as F

    members = grouped(clusters)
    placed = _agreed(settings).join(members, ["unit", "cluster"])
    strong = F.broadcast(norms.where("is_norm and share < 1"))
    where = ["dimension", "group", "key"]
    told = placed.join(strong, where).where(F.col("compared") != F.col("norm_compared"))
    # Clusters that leave the key alone, where their version's default is not the norm.
    odd = (
        members.where(_kafkas_own() & (F.col("brokers") > 0))
        .join(strong, ["dimension", "group"])
        .join(F.broadcast(defaults), ["kafka_version", "key"])
        .where(F.col("default") != F.col("norm_compared"))
        .join(settings.select("unit", "cluster", "key").distinct(), _WHOSE, "left_anti")
        .withColumn("value", F.col("default"))
        .withColumn("path", F.lit(None).cast("string"))
        .withColumn("line", F.lit(None).cast("int"))
    )
    frames = [
        _row(
            frame,
            scope=F.lit(FLEET),
            dimension=F.col("dimension"),
            group=F.col("group"),
            norm=F.col("norm"),
            support=F.col("support"),
            of=F.col("of"),
            share=F.col("share"),
            confidence=F.col("confidence"),
            resource=F.lit(None),
            origin=F.lit(origin),
        )
        for frame, origin in ((told, "set"), (odd, "default"))
    ]
    return frames[0].unionByName(frames[1])


_WHOSE = ["unit", "cluster", "key"]


def grouped(clusters: DataFrame) -> DataFrame:
    """A row per cluster and group that it belongs to, by ``dimension`` and ``group``."""
    from pyspark.sql import functions as F

    environment = F.coalesce("environment", F.nullif("detected_environment", F.lit("unknown")))
    minor = F.regexp_extract("kafka_version", r"^(\d+\.\d+)", 1)
    dimensions = {"environment": environment, "version": minor, "owner": F.col("owner")}
    pairs = F.array(
        *(
            F.struct(F.lit(name).alias("dimension"), value.alias("group"))
            for name, value in dimensions.items()
        )
    )
    return (
        clusters.select(
            "unit",
            "cluster",
            F.col("environment").alias("environment"),
            "owner",
            "region",
            "kafka_version",
            "service",
            "brokers",
            F.explode(pairs).alias("at"),
        )
        .select("*", "at.dimension", "at.group")
        .drop("at")
        .where((F.col("group") != "") & F.col("group").isNotNull())
    )


def _agreed(settings: DataFrame) -> DataFrame:
    """One value per cluster and key, of clusters whose brokers agree on it."""
    from pyspark.sql import functions as F

    return (
        settings.groupBy(*_WHOSE)
        .agg(
            F.countDistinct("compared").alias("values"),
            F.min("compared").alias("compared"),
            F.min("value").alias("value"),
            F.min_by("path", "resource").alias("path"),
            F.min_by("line", "resource").alias("line"),
        )
        .where("values = 1")
        .drop("values")
    )


def consensus(settings: DataFrame, clusters: DataFrame, defaults: DataFrame) -> DataFrame:
    """The most frequent value of each key in each group: ``norm`` with ``support`` of ``of``
    clusters, ``share``, ``confidence``, and whether it ``is_norm``. Clusters whose value nobody
    knows do not count.
    """
    from pyspark.sql import functions as F

    members = grouped(clusters)
    placed = _agreed(settings).join(members, ["unit", "cluster"])
    group = ["dimension", "group"]
    versioned = [*group, "kafka_version"]
    said = placed.groupBy(*group, "key", "compared", "value").agg(F.count("*").alias("n"))
    able = members.where(_kafkas_own() & (F.col("brokers") > 0))
    sizes = able.groupBy(*versioned).agg(F.count("*").alias("clusters"))
    told = (
        placed.where(_kafkas_own() & (F.col("brokers") > 0))
        .groupBy(*versioned, "key")
        .agg(F.count("*").alias("told"))
    )
    keys = said.select(*group, "key").distinct()
    silent = (
        keys.join(F.broadcast(sizes), group)
        .join(told, [*versioned, "key"], "left")
        .join(F.broadcast(defaults), ["kafka_version", "key"])
        .select(
            *group,
            "key",
            F.col("default").alias("compared"),
            F.col("default").alias("value"),
            (F.col("clusters") - F.coalesce("told", F.lit(0))).alias("n"),
        )
        .where("n > 0")
    )
    counts = (
        said.unionByName(silent)
        .groupBy(*group, "key", "compared")
        .agg(F.sum("n").alias("n"), F.min("value").alias("value"))
    )
    top = counts.groupBy(*group, "key").agg(
        # Of equals the greatest value, so that runs agree.
        F.max_by(F.struct("compared", "value"), F.struct("n", "compared")).alias("top"),
        F.max("n").alias("support"),
        F.sum("n").alias("of"),
    )
    share = F.col("support") / F.col("of")
    return top.select(
        *group,
        "key",
        F.col("top.compared").alias("norm_compared"),
        F.col("top.value").alias("norm"),
        "support",
        "of",
        share.alias("share"),
        wilson(share, F.col("of")).alias("confidence"),
    ).withColumn("is_norm", is_norm())


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


def _kafkas_own() -> Column:
    """Whether Kafka's own defaults hold: a managed service has others."""
    from pyspark.sql import functions as F

    return F.col("service").isNull() | ~F.col("service").isin(*sorted(MANAGED))


def _row(frame: DataFrame, **columns: Column) -> DataFrame:
    from pyspark.sql import functions as F

    types = {"support": "bigint", "of": "bigint", "share": "double", "confidence": "double"}
    named = [column.cast(types.get(name, "string")).alias(name) for name, column in columns.items()]
    return frame.select(
        "unit",
        "cluster",
        *(F.col(name) for name in ("environment", "owner", "region") if name in frame.columns),
        *named,
        "key",
        "value",
        "path",
        "line",
    )
