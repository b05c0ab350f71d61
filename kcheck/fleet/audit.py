"""One audit from inputs to a published run, in the order of the package's docstring."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable

from kcheck import __version__
from kcheck.fleet import drift, ingest, lifecycle, publish, rollups, schemas, work
from kcheck.fleet.session import Session
from kcheck.fleet.task import Recipe, batches
from kcheck.model import SEVERITY_RANK
from kcheck.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pyspark.sql import DataFrame

#: ``--fail-on``: a severity, the same of what is new since the last run, or never.
FAIL_ON = (*reversed(SEVERITY_RANK), *(f"new-{s}" for s in reversed(SEVERITY_RANK)), "never")


class Plan:
    """What the command line asks of an audit."""

    def __init__(
        self,
        paths: tuple[str, ...],
        out: str,
        settings: Settings,
        *,
        run: str = "",
        replace: bool = False,
        inventory: str = "",
        partitions: int = 0,
        seconds: float = 300.0,
        megabytes: int = 2048,
    ) -> None:
        self.paths = paths
        self.out = out
        self.settings = settings
        self.run = run or publish.new_id()
        self.replace = replace
        self.inventory = inventory
        self.partitions = partitions
        self.seconds = seconds
        self.megabytes = megabytes


class Outcome:
    """A published run: its folder, its manifest, and what decides about the exit code."""

    def __init__(self, folder: str, manifest: dict[str, Any]) -> None:
        self.folder = folder
        self.manifest = manifest

    def fails(self, fail_on: str) -> bool:
        """Whether there are findings at or above it; new ones alone for ``new-…``."""
        if fail_on == "never":
            return False
        _, new, severity = fail_on.rpartition("new-")
        counts = self.manifest["new" if new else "findings"]
        least = SEVERITY_RANK[severity]
        return any(counts[name] for name, rank in SEVERITY_RANK.items() if rank >= least)

    @property
    def broken(self) -> bool:
        """Whether kcheck could not do its job somewhere."""
        return bool(self.manifest["failures"])


def recipe(plan: Plan, inputs: work.Inputs) -> Recipe:
    """What tasks need to know."""
    # An entry of [[ignore]] that hides nothing in one unit may hide something in another.
    if plan.settings.ignores:
        plan.settings.partial = True
    return Recipe(
        plan.settings,
        inputs.homes,
        plan.seconds,
        plan.megabytes,
        secrets.token_bytes(16),
    )


#: Called with what is being done now.
Say = Callable[[str], None]


def run(session: Session, plan: Plan, say: Say = lambda text: None) -> Outcome:
    """Audit, publish, and tell. Raises work.Refused or publish.Refused before anything is written."""
    store = publish.Store(plan.out)
    inputs = work.opened(plan.paths, plan.settings)
    previous = store.before(plan.run)
    staging = store.begin(plan.run, plan.replace)
    started = time.time()
    try:
        say("lint")
        lint(session, plan, inputs, staging)
        say("tables")
        counts = tables(session, plan, store, staging, previous)
    except BaseException:
        staging.discard()
        raise
    manifest = {
        "version": schemas.VERSION,
        "run_id": plan.run,
        "tool": {"name": "kcheck", "version": __version__},
        "started": _utc(started),
        "finished": _utc(time.time()),
        "seconds": round(time.time() - started, 1),
        "previous": previous["run_id"] if previous else None,
        "inputs": [p if "://" in p else os.path.abspath(p) for p in plan.paths],
        **counts,
    }
    say("report")
    from kcheck.fleet import html

    html.write(staging.table(""), manifest)
    folder = staging.publish(manifest)
    return Outcome(folder, manifest)


def _utc(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def lint(session: Session, plan: Plan, inputs: work.Inputs, staging: publish.Staging) -> None:
    """Lint every unit and write the tagged stream, once."""
    spark = session.spark
    told = recipe(plan, inputs)
    facts = ingest.facts(spark, plan.inventory) if plan.inventory else None
    units = ingest.with_facts(
        ingest.units(spark, inputs, told, session.slots(), plan.partitions), facts
    )
    stream = audited(units, told)
    stream.write.mode("error").partitionBy("kind").parquet(staging.stream())


def audited(units: DataFrame, told: Recipe) -> DataFrame:
    """Units in (``schemas.WORK`` and what the inventory says), the tagged stream out."""
    return units.mapInArrow(batches(told), schemas.ddl(schemas.STREAM))


def of_kind(stream: DataFrame, kind: str) -> DataFrame:
    """The rows of one kind with their own columns."""
    from pyspark.sql import functions as F

    return stream.where(F.col("kind") == kind).select(f"{kind}.*")


def tables(
    session: Session,
    plan: Plan,
    store: publish.Store,
    staging: publish.Staging,
    previous: dict[str, Any] | None,
) -> dict[str, Any]:
    """Write every table of the run; gives the counts for its manifest."""
    from pyspark.sql import functions as F

    spark = session.spark
    stream = spark.read.schema(schemas.ddl(schemas.STREAM)).parquet(staging.stream())
    before = spark.read.parquet(store.table(previous, "lifecycle")) if previous else None
    staging.write("findings", lifecycle.dated(of_kind(stream, "finding"), before, plan.run))
    for kind in ("error", "unit", "cluster", "setting"):
        staging.write(
            schemas.TABLES[kind], of_kind(stream, kind).select(F.lit(plan.run).alias("run"), "*")
        )
    findings, units, clusters, settings = (
        spark.read.parquet(staging.table(name))
        for name in ("findings", "units", "clusters", "settings")
    )
    staging.write("lifecycle", lifecycle.states(findings, units, before, plan.run))
    staging.write("rules", rollups.rules(findings).coalesce(1))
    staging.write("worst", rollups.worst(spark, units).coalesce(1))
    worst = spark.read.parquet(staging.table("worst"))
    staging.write("heat", rollups.heat(findings, worst).coalesce(1))
    compared = drift.comparable(settings)
    defaults = drift.default_values(spark, compared)
    staging.write("consensus", drift.consensus(compared, clusters, defaults).coalesce(1))
    norms = spark.read.parquet(staging.table("consensus"))
    staging.write("drift", drift.strays(compared, clusters, defaults, norms))
    return counts(session, staging)


def counts(session: Session, staging: publish.Staging) -> dict[str, Any]:
    """What the manifest tells of the tables: a few numbers, whatever the size of the fleet."""
    from pyspark.sql import functions as F

    spark = session.spark

    def table(name: str) -> DataFrame:
        return spark.read.parquet(staging.table(name))

    def by(frame: DataFrame, *columns: str) -> dict[tuple[Any, ...], int]:
        rows = frame.groupBy(*columns).agg(F.count("*").alias("n")).collect()
        return {tuple(row[column] for column in columns): row["n"] for row in rows}

    severities = by(table("findings"), "severity", "status")
    states = by(table("lifecycle"), "status")
    units = by(table("units"), "status")
    errors = by(table("errors"), "fatal")
    bytes_read = table("units").agg(F.sum("bytes")).first()
    gravest = tuple(reversed(SEVERITY_RANK))
    return {
        "units": {"audited": units.get(("audited",), 0), "failed": units.get(("failed",), 0)},
        "clusters": table("clusters").count(),
        "bytes": int(bytes_read[0] or 0) if bytes_read else 0,
        "findings": {s: sum(n for (of, _), n in severities.items() if of == s) for s in gravest},
        "new": {s: severities.get((s, lifecycle.NEW), 0) for s in gravest},
        "lifecycle": {name: n for (name,), n in sorted(states.items())},
        "errors": sum(errors.values()),
        "failures": errors.get((True,), 0),
        "strays": table("drift").count(),
    }
