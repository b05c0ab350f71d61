"""One audit from inputs to a published run, in the order of the package's docstring."""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Callable

from kcheck import __version__
from kcheck.circumstances import Circumstances
from kcheck.fleet import (
    column_types,
    delta,
    drift,
    ingest,
    inventory,
    lifecycle,
    publish,
    rollups,
    run_warnings,
    schemas,
    sources,
    spark_errors,
    work,
)
from kcheck.fleet.counts import Counted
from kcheck.fleet.recipe import Recipe
from kcheck.fleet.session import Session
from kcheck.fleet.store import DELTA, PARQUET, Published, Staging, Store
from kcheck.fleet.stream import of_kind, plain
from kcheck.fleet.task import batches
from kcheck.model import SEVERITY_RANK
from kcheck.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession


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
        format: str = PARQUET,
        inventory: str = "",
        depth: int | None = None,
        partitions: int = 0,
        seconds: float = 300.0,
        megabytes: int = 2048,
        partial: bool = False,
    ) -> None:
        self.paths = paths
        self.out = out
        self.settings = settings
        self.run = run or publish.new_id()
        self.replace = replace
        self.format = format
        self.inventory = inventory
        #: How many levels below the inputs the clusters lie; None: it shows.
        self.depth = depth
        self.partitions = partitions
        self.seconds = seconds
        self.megabytes = megabytes
        #: What the run as a whole looks at.
        self.circumstances = Circumstances(partial=partial)


class Outcome:
    """A published run: where it is, its manifest, and what decides about the exit code."""

    def __init__(self, published: Published) -> None:
        self.published = published
        self.folder = published.folder
        self.manifest = published.manifest

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
    return Recipe(
        plan.settings,
        inputs.homes,
        plan.seconds,
        plan.megabytes,
        secrets.token_bytes(16),
        plan.depth,
        shared(plan.circumstances),
    )


def shared(whole: Circumstances) -> Circumstances:
    """The circumstances of one unit among others."""
    # An entry of [[ignore]] that hides nothing in one unit may hide something in another.
    return Circumstances(partial=whole.partial, shared=True, today=whole.today)


#: Called with what is being done now.
Say = Callable[[str], None]


def run(session: Session, plan: Plan, say: Say = lambda text: None) -> Outcome:
    """Audit, publish, and tell.

    Raises work.Refused or Refused before anything is written, and GaveUp where Spark does
    not get through; nothing is published then.
    """
    store = publish.opened(plan.out, session.spark, plan.format)
    inputs = work.opened(plan.paths, plan.settings, plan.depth, plan.seconds, plan.megabytes)
    if DELTA in (plan.format, *(format for _, format in inputs.tables)):
        delta.required(session.spark)
    known = inventory.read(session.spark, plan.inventory) if plan.inventory else None
    previous = store.before(plan.run)
    started = time.time()
    staging = store.begin(plan.run, plan.replace)
    try:
        say("lint")
        with spark_errors.translated("lint", lambda task: _held(session, plan, inputs, task)):
            lint(session, plan, inputs, staging, known)
        say("tables")
        with spark_errors.translated("tables"):
            counts, seen = tables(session, plan, store, staging, previous)
        if run_warnings.nothing(seen):
            raise work.Refused(f"no Kafka configuration found in {', '.join(plan.paths)}")
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
            "remarks": [
                *inputs.remarks,
                *run_warnings.remarks(plan.settings, seen, plan.circumstances),
                *_compared(known, seen),
            ],
        }
        say("report")
        from kcheck.fleet import html

        with spark_errors.translated("publish"):
            html.write(staging.local(), manifest)
            return Outcome(staging.publish(manifest))
    except BaseException:
        # Tasks of Spark may write on until it is stopped.
        session.at_end(staging.discard)
        staging.discard()
        raise


def _held(session: Session, plan: Plan, inputs: work.Inputs, task: int) -> list[str]:
    """The names of the units that a task of the lint step holds, as far as the driver knows."""
    folders, packed = ingest.parts(inputs, session.slots(), plan.partitions)
    tasks = [*folders, *packed]
    return [unit.name for unit in tasks[task]] if task < len(tasks) else []


def _utc(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def lint(
    session: Session,
    plan: Plan,
    inputs: work.Inputs,
    staging: Staging,
    known: inventory.Inventory | None = None,
) -> None:
    """Lint every unit and write the tagged stream, once; ``known`` is the inventory."""
    told = recipe(plan, inputs)
    slots = session.slots()
    with sources.finely(session.spark, slots):
        units = ingest.units(session.spark, inputs, told, slots, plan.partitions)
        staging.write_stream(audited(ingest.with_facts(units, known), told))


def audited(units: DataFrame, told: Recipe) -> DataFrame:
    """Units in (``schemas.WORK`` and what the inventory says), the tagged stream out."""
    return units.mapInArrow(batches(told), column_types.ddl(schemas.STREAM))


def tables(
    session: Session,
    plan: Plan,
    store: Store,
    staging: Staging,
    previous: dict[str, Any] | None,
) -> tuple[dict[str, Any], pa.Table]:
    """Write every table of the run; gives the counts for its manifest, and the table ``units``."""
    spark = session.spark
    stream = spark.read.schema(column_types.ddl(schemas.STREAM)).parquet(staging.stream())
    before = store.read(previous, "lifecycle") if previous else None
    counted = Counted(staging)
    # Of each unit as a whole: a few numbers, some bytes in all.
    seen: list[pa.Table] = []
    found = of_kind(stream, "finding")
    linked = lifecycle.links(found, before, of_kind(stream, "held"))

    def findings() -> None:
        counted.write("findings", lifecycle.dated(found, before, linked, plan.run))

    def counts() -> None:
        units = of_kind(stream, "unit")
        counted.write("lifecycle", lifecycle.states(found, units, before, linked, plan.run))
        counted.write("rules", rollups.rules(found).coalesce(1))

    def copied() -> None:
        staging.copy(stream, ("unit", "cluster", "setting"))
        seen.append(read(spark, staging, "units").toArrow())
        counted.write("worst", rollups.worst(spark, seen[0]).coalesce(1))
        counted.write("errors", plain(stream, "error", plan.run))

    # Most of a query of this size is planning: one thread leaves cores idle.
    together(
        lambda: strays(spark, stream, staging, counted),
        findings,
        counts,
        copied,
    )
    return counted.totals(seen[0]), seen[0]


def together(*steps: Callable[[], None]) -> None:
    """Run steps that do not need each other at the same time; raises what the first to fail did."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(len(steps)) as pool:
        for running in [pool.submit(step) for step in steps]:
            running.result()


def _compared(known: inventory.Inventory | None, units: pa.Table) -> list[str]:
    """What is odd about the inventory, beside the units that there are."""
    if known is None:
        return []
    known.compare(units["unit"].unique().to_pylist())
    return known.remarks


def read(spark: SparkSession, staging: Staging, name: str) -> DataFrame:
    """A table that this run has written. Its schema is known: nothing has to be looked at."""
    return spark.read.schema(column_types.ddl(schemas.PUBLISHED[name])).parquet(staging.table(name))


def strays(spark: SparkSession, stream: DataFrame, staging: Staging, counted: Counted) -> None:
    """Write the tables of drift: ``consensus``, and who strays."""
    profiles = of_kind(stream, "profile")
    members = drift.members(profiles)
    said = drift.said(of_kind(stream, "said")).persist()
    defaults = drift.default_values(spark)
    counted.write("consensus", drift.consensus(said, members, defaults).coalesce(1))
    said.unpersist()
    norms = read(spark, staging, "consensus")
    within = of_kind(stream, "stray")
    counted.write("drift", within.unionByName(drift.strays(members, norms, defaults)))
