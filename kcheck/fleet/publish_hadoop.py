"""Publishing to whatever Spark names by a URI, object stores among it, through Spark alone.

There is no rename to rely on and nothing that deletes: only tables that are written, overwritten,
listed and read. See ``publish`` for the layout and why this is enough.

    OUT/manifests/RUN/ATTEMPT/part-….txt     the manifest, one row
    OUT/_staging/RUN/ATTEMPT/                a claim, then the stream; emptied when the run counts
"""

from __future__ import annotations

import json
import os
import tempfile
import time
import uuid
import weakref
from collections.abc import Callable
from contextlib import suppress

from kcheck.fleet import schemas
from kcheck.fleet.refused import Refused, reason
from kcheck.fleet.store import DELTA, STALE_SECONDS, Published, Staging, Store, counted
from kcheck.fleet.tables import Tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pyspark.sql import DataFrame

    from kcheck.fleet.store import Manifest

#: How the CSV writer, the only one that takes an extension, writes lines of text unchanged: what
#: separates and what begins a comment is in no report, nothing quotes, and nothing is trimmed.
_AS_IT_IS = {
    "extension": "html",
    "sep": "\x01",
    "comment": "\x02",
    "quote": "",
    "escape": "",
    "escapeQuotes": "false",
    "emptyValue": "",
    "nullValue": "",
    "ignoreLeadingWhiteSpace": "false",
    "ignoreTrailingWhiteSpace": "false",
}

#: Tables that are not wanted here: they grow fastest, and no report looks into them.
_LEFT_THERE = ("settings",)


class Hadoop(Store):
    """Runs on a file system of Hadoop's."""

    def manifests(self) -> list[Manifest]:
        reader = self.spark.read.option("wholetext", "true").option("recursiveFileLookup", "true")
        rows = self._rows(lambda: reader.text(f"{self.out}/manifests"))
        return [json.loads(row[0]) for row in rows if row[0].strip()]

    def staging(self, run: str, found: list[Manifest]) -> Staging:
        number = 1 + max((one["attempt"] for one in found if one["run_id"] == run), default=0)
        # Nobody else has this name, even if he begins now.
        made = Beside(self, run, f"{number}-{uuid.uuid4().hex[:8]}")
        try:
            self.put(f"{made.folder}/claim", json.dumps({"run_id": run, "path": made.path}))
        except Exception as error:
            raise Refused(f"cannot write to {self.out}: {reason(error)}") from error
        return made

    def sweep(self, found: list[Manifest]) -> None:
        self.drop_superseded(found)
        paths = {str(one["path"]) for one in found}
        changed: dict[tuple[str, str], int] = {}
        for path, seconds in self.files("_staging"):
            run, attempt = path.rpartition("/_staging/")[2].split("/")[:2]
            changed[run, attempt] = max(seconds, changed.get((run, attempt), 0))
        for (run, attempt), seconds in changed.items():
            if time.time() - seconds > STALE_SECONDS:
                path = f"runs/run_id={run}/{attempt}"
                if path not in paths:
                    self.clear(path)
                self.clear(f"_staging/{run}/{attempt}")

    def drop_superseded(self, found: list[Manifest]) -> None:
        """Empty what newer attempts of the same run have replaced."""
        counts = {str(one["path"]) for one in counted(found).values()}
        for one in found:
            path = str(one["path"])
            if path not in counts:
                self.clear(path)
                self.clear(f"manifests/{one['run_id']}/{path.rpartition('/')[2]}")

    # -- what Spark can do with files -------------------------------------------------------

    def put(self, path: str, text: str) -> None:
        """Write one file with one line of text into a folder of its own."""
        rows = self.spark.createDataFrame([(text,)], "value string")
        rows.coalesce(1).write.mode("error").text(path)

    def clear(self, path: str) -> None:
        """Leave nothing in a folder but an empty file."""
        nothing = self.spark.createDataFrame([], "value string")
        with suppress(Exception):
            nothing.coalesce(1).write.mode("overwrite").text(f"{self.out}/{path}")

    def files(self, path: str) -> list[tuple[str, int]]:
        """The files below a folder that are not empty, and when they changed (Unix time)."""
        from pyspark.sql import functions as F

        def listed() -> DataFrame:
            # Without their content: nothing is opened.
            reader = self.spark.read.format("binaryFile").option("recursiveFileLookup", "true")
            changed = F.unix_seconds("modificationTime")
            files: DataFrame = reader.load(f"{self.out}/{path}")
            return files.where(F.col("length") > 0).select("path", changed)

        return [(row[0], row[1]) for row in self._rows(listed)]

    def _rows(self, made: Callable[[], DataFrame]) -> list[Any]:
        """The rows of a frame; none where the folder is not there yet."""
        try:
            return list(made().collect())
        except Exception as error:
            if "PATH_NOT_FOUND" in str(error):
                return []
            raise Refused(f"cannot read {self.out}: {reason(error)}") from error


class Beside(Staging):
    """A run that is being written to where it will be read."""

    store: Hadoop

    def __init__(self, store: Hadoop, run: str, attempt: str) -> None:
        super().__init__(store, run)
        self.attempt = attempt
        self.path = f"runs/run_id={run}/{attempt}"
        self.folder = f"{store.out}/_staging/{run}/{attempt}"
        self._here: tempfile.TemporaryDirectory[str] | None = None
        self._counts = False

    def stream(self) -> str:
        return f"{self.folder}/stream"

    def table(self, name: str) -> str:
        if self.store.format == DELTA:
            return f"{self.folder}/tables/{name}"
        return f"{self.store.out}/{self.path}/{name}"

    def local(self) -> str:
        if self._here is None:
            self._here = tempfile.TemporaryDirectory(prefix="kcheck-")
            for name in schemas.PUBLISHED:
                if name not in _LEFT_THERE:
                    self._fetch(name, os.path.join(self._here.name, name))
        return self._here.name

    def _fetch(self, name: str, folder: str) -> None:
        """Copy the files of a table, as they are and a few at a time."""
        os.makedirs(folder)
        reader = self.store.spark.read.format("binaryFile").option("pathGlobFilter", "*.parquet")
        for path, content in (
            reader.load(self.table(name)).select("path", "content").toLocalIterator()
        ):
            with open(os.path.join(folder, path.rpartition("/")[2]), "wb") as file:
                file.write(content)

    def publish(self, manifest: Manifest) -> Published:
        here = self.local()
        report = self._put_report(os.path.join(here, "report.html"))
        tables = self.into_delta() if self.store.format == DELTA else None
        found = self.store.manifests()
        made = self.store.stamped(manifest, counted(found).get(self.run), self.path, tables)
        # From here on it may count, whatever Spark says of it.
        self._counts = True
        self.store.put(f"{self.store.out}/manifests/{self.run}/{self.attempt}", json.dumps(made))
        self.store.drop_superseded([*found, made])
        self.store.clear(f"_staging/{self.run}/{self.attempt}")
        seen = Tables(here)
        if self._here is not None:
            weakref.finalize(seen, self._here.cleanup)
        return Published(f"{self.store.out}/{self.path}", report, seen, self.store, made)

    def _put_report(self, path: str) -> str:
        """Write the report, a row per line; gives its URI."""
        import pyarrow as pa

        with open(path, encoding="utf-8", newline="") as file:
            # The writer drops empty lines anyway. They say nothing in a page.
            lines = [line for line in file.read().split("\n") if line]
        folder = f"{self.store.out}/{self.path}/report"
        rows = self.store.spark.createDataFrame(pa.table({"value": lines}))
        rows.coalesce(1).write.mode("error").options(**_AS_IT_IS).csv(folder)
        return self.store.files(f"{self.path}/report")[0][0]

    def discard(self) -> None:
        if not self._counts:
            self.store.clear(self.path)
            self.store.clear(f"_staging/{self.run}/{self.attempt}")
        if self._here is not None:
            self._here.cleanup()
