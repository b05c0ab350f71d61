"""Where the tables of a run lie, and how they come to count: all of them at once, or not at all.

    OUT/manifests/…                          a JSON document per run, on one line
    OUT/runs/run_id=RUN/ATTEMPT/TABLE/       Parquet; a run written anew is another ATTEMPT
    OUT/runs/run_id=RUN/ATTEMPT/report.html  (report/part-….html where Spark has to write it)
    OUT/tables/TABLE/                        with ``--format delta``: every run, by ``run_id``
    OUT/latest.json                          in a local folder: the last run's manifest, for people
    OUT/_staging/                            what is being written; Spark does not look into ``_…``

A run counts if its manifest is there, and the manifest is the last thing written: one small file,
which appears whole or not at all. It names the attempt that counts (``path``), so whenever the
process dies, every manifest names a whole run, and what no manifest names is in nobody's way until
a later audit takes it away. Two kinds of places differ in how files get there:

- A folder of this machine (``publish_folder``) has renames. A run is written under ``_staging`` and
  moved as a whole, so that even who lists ``runs`` without a manifest never sees half of one.
- Whatever Spark names by a URI (``publish_hadoop``: s3a, abfs, gs, hdfs, dbfs, a Unity volume) may
  be an object store, where nothing can be renamed. A run is written to its place at once, under the
  name of an attempt that nobody had before. The manifest is a file of one row that Spark writes
  like any table: with the same credentials, through the same committer, in Spark Connect as well.
  pyarrow's file systems would need credentials of their own, and the JVM's are out of reach there.
  The price is that a folder can be emptied but not taken away: a few empty files stay for each run.

Delta (``delta``) replaces the rows of the run, one transaction per table; the manifest
records the version of each, so that a run which is being replaced can be read as it was.

How to read, on either kind of place::

    runs = spark.read.option("recursiveFileLookup", "true").json(OUT + "/manifests")
    last = max(runs.collect(), key=lambda run: (run.first_started, run.attempt))
    findings = spark.read.parquet(f"{OUT}/{last.path}/findings")         # of the last run
    paths = [f"{OUT}/{run.path}/findings" for run in runs.collect()]
    findings = spark.read.option("basePath", OUT + "/runs").parquet(*paths)   # of all: run_id

Without manifests ``parquet(OUT + "/runs/*/*/findings")`` with the same ``basePath`` reads whatever
lies there; in an object store that takes in a run that is being written. Delta tables need neither:
``spark.read.format("delta").load(OUT + "/tables/findings").where("run_id = '…'")``.
"""

from __future__ import annotations

import os
import re
import time
import uuid

from kcheck.fleet.store import PARQUET, Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")


def new_id() -> str:
    """A run id that sorts by time."""
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()) + "-" + uuid.uuid4().hex[:6]


def opened(out: str, spark: SparkSession | None = None, format: str = PARQUET) -> Store:
    """The place that ``--out`` names; ``format`` is what new runs are written in."""
    if is_remote(out):
        from kcheck.fleet.publish_hadoop import Hadoop

        return Hadoop(out, spark, format)
    from kcheck.fleet.publish_folder import Folder

    return Folder(out, spark, format)


def is_remote(out: str) -> bool:
    """Whether only Spark can say what lies there. On Databricks a plain path is Spark's, too."""
    return bool(_URI.match(out)) or "DATABRICKS_RUNTIME_VERSION" in os.environ


def for_spark(path: str) -> str:
    """A path as Spark has to be told of it: its default file system, and on a server its working
    directory, may be others than those of this process.
    """
    return path if is_remote(path) else f"file://{os.path.abspath(path)}"
