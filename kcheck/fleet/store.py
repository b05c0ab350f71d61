"""The runs of one place and a run that is being added to them, whatever kind of place it is.

See ``publish`` for the layout.
"""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence

from kcheck.fleet import column_types, schemas, stream
from kcheck.fleet.refused import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pyspark.sql import DataFrame, SparkSession

    from kcheck.fleet.tables import Tables

    Manifest = dict[str, Any]

PARQUET, DELTA = "parquet", "delta"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")

#: Staged runs on which nothing changed for so long are nobody's any more.
STALE_SECONDS = 7 * 24 * 3600


class Store(ABC):
    """Published runs in one place, and the way to add one."""

    def __init__(self, out: str, spark: SparkSession | None, format: str) -> None:
        self.out = out.rstrip("/") or out
        self.spark: Any = spark
        self.format = format

    # -- what a kind of place has to know ---------------------------------------------------

    @abstractmethod
    def manifests(self) -> list[Manifest]:
        """All that were written, superseded ones too."""

    @abstractmethod
    def staging(self, run: str, found: list[Manifest]) -> Staging:
        """A place to write a run to. Raises Refused where nothing can be written."""

    @abstractmethod
    def sweep(self, found: list[Manifest]) -> None:
        """Take away what killed audits left; ``found`` are the manifests that there are."""

    def for_spark(self, path: str) -> str:
        """A path below ``out`` as Spark has to be told of it."""
        return path

    # -- what holds for all of them ---------------------------------------------------------

    def runs(self) -> dict[str, Manifest]:
        """The manifest of each published run, in their order."""
        return counted(self.manifests())

    def latest(self) -> Manifest | None:
        """The manifest of the last run. One that was written anew keeps its place in time."""
        return next(reversed(self.runs().values()), None)

    def before(self, run: str) -> Manifest | None:
        """The run that ``run`` is compared with: the last one, but not itself."""
        runs = self.runs()
        if run in runs:
            # A replacement is compared with what the replaced was.
            return runs.get(str(runs[run].get("previous")))
        return next(reversed(runs.values()), None)

    def begin(self, run: str, replace: bool) -> Staging:
        """A place to write the run to. Raises Refused where the id is taken or is none."""
        if not _NAME.fullmatch(run):
            raise Refused(
                f"--run-id {run}: only letters, digits, dot, dash and underscore are allowed"
            )
        found = self.manifests()
        known = counted(found).get(run)
        if known is not None and not replace:
            raise Refused(f"run {run} is already published; use --replace to replace it")
        if known is not None and known["format"] != self.format:
            raise Refused(f"run {run} was published with --format {known['format']}")
        self.sweep(found)
        return self.staging(run, found)

    def table(self, manifest: Manifest, name: str) -> str:
        """Where a table of a published run lies."""
        shared = manifest.get("tables")
        return f"{self.out}/{shared[name]['path'] if shared else manifest['path'] + '/' + name}"

    def read(self, manifest: Manifest, name: str) -> DataFrame:
        """A table of a published run, with the columns of ``schemas.PUBLISHED``."""
        path = self.for_spark(self.table(manifest, name))
        if manifest.get("format") == DELTA:
            from kcheck.fleet import delta

            version = manifest["tables"][name]["version"]
            return delta.read(self.spark, path, name, str(manifest["run_id"]), version)
        columns = column_types.ddl(schemas.PUBLISHED[name])
        frame: DataFrame = self.spark.read.schema(columns).parquet(path)
        return frame

    def stamped(
        self, manifest: Manifest, known: Manifest | None, path: str, tables: object
    ) -> Manifest:
        """A manifest as it is written: where the run lies, and when ``known``, which it replaces,
        was first published.
        """
        made = {
            **manifest,
            "first_started": (known or {}).get("first_started", manifest["started"]),
            "attempt": attempt_of(path),
            "format": self.format,
            "path": path,
        }
        return {**made, "tables": tables} if tables else made


def counted(found: list[Manifest]) -> dict[str, Manifest]:
    """The manifest that counts of each run, in the order of the runs."""
    newest: dict[str, Manifest] = {}
    for manifest in sorted(found, key=_order):
        newest[str(manifest["run_id"])] = manifest
    return newest


def _order(manifest: Manifest) -> tuple[str, str, int, str]:
    # Not by the clock among attempts: they may be made on different machines.
    first, run, path = (str(manifest[name]) for name in ("first_started", "run_id", "path"))
    return first, run, int(manifest["attempt"]), path


def attempt_of(path: str) -> int:
    """The number of an attempt, with which its folder begins."""
    return int(path.rpartition("/")[2].partition("-")[0])


class Staging(ABC):
    """A run that is being written."""

    def __init__(self, store: Store, run: str) -> None:
        self.store = store
        self.run = run

    @abstractmethod
    def stream(self) -> str:
        """Where Spark finds the tagged stream, which is not published."""

    @abstractmethod
    def table(self, name: str) -> str:
        """Where Spark finds a table of the run."""

    @abstractmethod
    def local(self) -> str:
        """A local folder with the tables as Parquet; ``report.html`` in it is published too."""

    @abstractmethod
    def publish(self, manifest: Manifest) -> Published:
        """Make the run count. What it replaces goes away last."""

    @abstractmethod
    def discard(self) -> None:
        """Take away what was written."""

    def write_stream(self, frame: DataFrame) -> None:
        """Write the tagged stream; each kind of row has columns of its own, and is read by them."""
        frame.write.mode("error").parquet(self.stream())

    def copy(self, rows: DataFrame, kinds: Sequence[str]) -> None:
        """Write the tables that are the stream's rows of these kinds; ``rows`` is the stream."""
        for kind in kinds:
            self.write(schemas.TABLES[kind], stream.plain(rows, kind, self.run))

    def write(self, name: str, frame: DataFrame) -> None:
        """Write a table."""
        frame.write.mode("error").option("compression", "zstd").parquet(self.table(name))

    def into_delta(self) -> dict[str, dict[str, object]]:
        """Commit all tables to Delta; gives where they lie, and their versions."""
        from kcheck.fleet import delta

        made: dict[str, dict[str, object]] = {}
        for name, columns in schemas.PUBLISHED.items():
            path = f"tables/{name}"
            where = self.store.for_spark(f"{self.store.out}/{path}")
            rows = self.store.spark.read.schema(column_types.ddl(columns)).parquet(self.table(name))
            made[name] = {"path": path, "version": delta.commit(rows, where, self.run)}
        return made


class Published:
    """A run that counts: where it is, and its tables as they were here."""

    def __init__(self, folder: str, report: str, tables: Tables, store: Store, manifest: Manifest):
        self.folder = folder
        self.report = report
        self.tables = tables
        self.manifest = manifest
        self._store = store

    @property
    def home(self) -> str:
        """The folder with all tables."""
        return os.path.dirname(self.table("findings"))

    def table(self, name: str) -> str:
        """Where a table can be found."""
        return self._store.table(self.manifest, name)
