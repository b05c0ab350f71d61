"""Publishing into a folder of this machine, or one that is mounted wherever tasks run.

A run is written under ``_staging``, moved to its place by one rename, and counts when its manifest
is put in place by another. See ``publish`` for the layout.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import time
import uuid
import weakref
from collections.abc import Iterator, Sequence
from contextlib import suppress

from kcheck.fleet import stream
from kcheck.fleet.refused import Refused
from kcheck.fleet.store import DELTA, STALE_SECONDS, Published, Staging, Store
from kcheck.fleet.tables import Tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pyspark.sql import DataFrame, SparkSession

    from kcheck.fleet.store import Manifest

#: Between the move of a run and its manifest lies less than a second.
ORPHAN_SECONDS = 3600


class Folder(Store):
    """Runs in a local folder."""

    def __init__(self, out: str, spark: SparkSession | None, format: str) -> None:
        super().__init__(os.path.abspath(out), spark, format)

    def for_spark(self, path: str) -> str:
        # A cluster's default file system may be another than that of this process.
        return f"file://{path}"

    def manifests(self) -> list[Manifest]:
        folder = os.path.join(self.out, "manifests")
        names = [name for name in _names(folder) if name.endswith(".json")]
        found = [_load(os.path.join(folder, name)) for name in sorted(names)]
        return [manifest for manifest in found if manifest]

    def staging(self, run: str, found: list[Manifest]) -> Staging:
        folder = os.path.join(self.out, "_staging", f"{run}-{uuid.uuid4().hex[:8]}")
        made = Inside(self, run, folder)
        try:
            os.makedirs(folder)
        except OSError as error:
            raise Refused(f"cannot write to {self.out}: {error.strerror}") from None
        except BaseException:
            made.discard()
            raise
        return made

    def sweep(self, found: list[Manifest]) -> None:
        for name in _names(os.path.join(self.out, "_staging")):
            self._remove(STALE_SECONDS, "_staging", name)
        for folder in ("", "manifests"):
            for name in _names(os.path.join(self.out, folder)):
                if name.endswith(".tmp"):
                    self._remove(ORPHAN_SECONDS, folder, name)
        counted = {str(manifest["path"]) for manifest in found}
        for run in _names(os.path.join(self.out, "runs")):
            attempts = _names(os.path.join(self.out, "runs", run))
            for attempt in attempts:
                if f"runs/{run}/{attempt}" not in counted:
                    self._remove(ORPHAN_SECONDS, "runs", run, attempt)
            if not attempts:
                self._remove(ORPHAN_SECONDS, "runs", run)

    def _remove(self, seconds: float, *path: str) -> None:
        """Remove what has not changed for so long."""
        where = os.path.join(self.out, *path)
        with suppress(OSError):
            told = os.stat(where)
            # A folder that is moved has a new change time, but not a new modification time.
            if time.time() - max(told.st_mtime, told.st_ctime) >= seconds:
                self.remove(where)

    def remove(self, where: str) -> None:
        """Remove a file or a folder, so that nobody sees a part of it."""
        gone = os.path.join(self.out, "_staging", f"removed-{uuid.uuid4().hex[:8]}")
        with suppress(OSError):
            os.makedirs(os.path.dirname(gone), exist_ok=True)
            os.rename(where, gone)
            if os.path.isdir(gone):
                shutil.rmtree(gone, ignore_errors=True)
            else:
                os.unlink(gone)


class Inside(Staging):
    """A run that is being written into a folder beside the published ones."""

    store: Folder

    def __init__(self, store: Folder, run: str, folder: str) -> None:
        super().__init__(store, run)
        self.folder = folder

    def stream(self) -> str:
        return self.store.for_spark(os.path.join(self.folder, "stream"))

    def table(self, name: str) -> str:
        return self.store.for_spark(os.path.join(self.local(), name))

    def local(self) -> str:
        return os.path.join(self.folder, "tables")

    def write_stream(self, frame: DataFrame) -> None:
        from pyspark.sql import Observation
        from pyspark.sql import functions as F

        written = Observation()
        super().write_stream(frame.observe(written, F.count("*").alias("rows")))
        if _rows(os.path.join(self.folder, "stream")) < int(written.get["rows"]):
            raise Refused(
                f"{self.store.out} is not the same folder for Spark's tasks as for this process: "
                "--out must be a shared folder or a URI (hdfs://…, s3a://…)"
            )

    def copy(self, rows: DataFrame, kinds: Sequence[str]) -> None:
        files = sorted(_parquet(os.path.join(self.folder, "stream")))
        stream.copy(files, kinds, self.run, self.local())

    def publish(self, manifest: Manifest) -> Published:
        out = self.store.out
        tables = self.into_delta() if self.store.format == DELTA else None
        known = self.store.runs().get(self.run)
        home = os.path.join("runs", f"run_id={self.run}")
        os.makedirs(os.path.join(out, home), exist_ok=True)
        path = self._moved(out, home, self._shown() if tables else self.local())
        made = self.store.stamped(manifest, known, path.replace(os.sep, "/"), tables)
        _put(os.path.join(out, "manifests", f"{self.run}.json"), json.dumps(made))
        _put(os.path.join(out, "latest.json"), json.dumps(self.store.latest(), indent=1))
        if known is not None:
            self.store.remove(os.path.join(out, *str(known["path"]).split("/")))
        target = os.path.join(out, path)
        seen = Tables(self.local() if tables else target)
        if tables:
            weakref.finalize(seen, self.discard)
        else:
            self.discard()
        return Published(target, os.path.join(target, "report.html"), seen, self.store, made)

    def _moved(self, out: str, home: str, folder: str) -> str:
        """Move the folder below ``home``, to a name that is free; gives the path from ``out``."""
        taken = [int(name) for name in os.listdir(os.path.join(out, home)) if name.isdigit()]
        attempt = max(taken, default=0) + 1
        while True:
            path = os.path.join(home, str(attempt))
            try:
                os.rename(folder, os.path.join(out, path))
            except OSError as error:
                # Somebody else who writes this run was quicker.
                if error.errno not in (errno.EEXIST, errno.ENOTEMPTY):
                    raise
                attempt += 1
            else:
                return path

    def _shown(self) -> str:
        """A folder with what is published besides tables that are elsewhere: the report."""
        folder = os.path.join(self.folder, "shown")
        os.makedirs(folder)
        with suppress(FileNotFoundError):
            report = os.path.join(self.local(), "report.html")
            os.rename(report, os.path.join(folder, "report.html"))
        return folder

    def discard(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise Refused(f"cannot read {folder}: {error.strerror}") from None


def _rows(folder: str) -> int:
    """The rows of all Parquet files below a folder that this process sees."""
    import pyarrow.parquet as pq

    return sum(pq.read_metadata(path).num_rows for path in _parquet(folder))


def _parquet(folder: str) -> Iterator[str]:
    for where, _, names in os.walk(folder):
        yield from (os.path.join(where, name) for name in names if name.endswith(".parquet"))


def _load(path: str) -> dict[str, Any] | None:
    try:
        with open(path, encoding="utf-8") as file:
            found: dict[str, Any] = json.load(file)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise Refused(f"cannot read {path}: {error}") from None
    return found


def _put(path: str, text: str) -> None:
    """Write a file so that it is there whole or as it was."""
    folder, name = os.path.split(path)
    os.makedirs(folder, exist_ok=True)
    # Spark reads no file that starts with a dot.
    draft = os.path.join(folder, f".{name}.{uuid.uuid4().hex[:8]}.tmp")
    with open(draft, "w", encoding="utf-8") as file:
        file.write(text + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)
