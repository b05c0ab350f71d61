"""Where the tables of a run lie, and how they come to count: all of them at once, or not at all.

    OUT/latest.json                          which run is the last whole one
    OUT/manifests/RUN.json                   a run counts if this is there; it names its folder
    OUT/runs/run_id=RUN/ATTEMPT/TABLE/       Parquet; ATTEMPT is 1, one more for each replacement
    OUT/_staging/                            what is being written; Spark does not read ``_``

A run is written under ``_staging``, renamed as a whole, then its manifest is put in place by one
rename. Whenever the process dies, every manifest names a whole run.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
import uuid
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pyspark.sql import DataFrame

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")

#: Leftovers of killed runs that are older are taken away: nobody writes there any more.
_STALE_SECONDS = 7 * 24 * 3600


class Refused(Exception):
    """The output cannot be used as asked; the text says why."""


def new_id() -> str:
    """A run id that sorts by time."""
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime()) + "-" + uuid.uuid4().hex[:6]


class Store:
    """The output folder of audits."""

    def __init__(self, out: str) -> None:
        if "://" in out:
            raise Refused(f"--out {out}: only a local or mounted folder can be published to")
        self.out = os.path.abspath(out)

    # -- reading ----------------------------------------------------------------------------

    def manifest(self, run: str) -> dict[str, Any] | None:
        """The manifest of a published run."""
        return _load(os.path.join(self.out, "manifests", f"{run}.json"))

    def latest(self) -> dict[str, Any] | None:
        """The manifest of the last run that was published."""
        pointer = _load(os.path.join(self.out, "latest.json"))
        return self.manifest(str(pointer["run_id"])) if pointer else None

    def before(self, run: str) -> dict[str, Any] | None:
        """The run that ``run`` is compared with: the last one, but not itself."""
        known = self.manifest(run)
        if known is not None:
            # A replacement is compared with what the replaced was.
            previous = known.get("previous")
            return self.manifest(str(previous)) if previous else None
        return self.latest()

    def table(self, manifest: dict[str, Any], name: str) -> str:
        """The folder of a table of a published run."""
        return os.path.join(self.out, *str(manifest["path"]).split("/"), name)

    # -- writing ----------------------------------------------------------------------------

    def begin(self, run: str, replace: bool) -> Staging:
        """A place to write the run to. Raises Refused where the id is taken or is none."""
        if not _NAME.fullmatch(run):
            raise Refused(f"--run-id {run}: letters, digits, dot, dash and underscore only")
        if self.manifest(run) is not None and not replace:
            raise Refused(f"run {run} is published already; --replace writes it anew")
        try:
            self._sweep()
            folder = os.path.join(self.out, "_staging", f"{run}-{uuid.uuid4().hex[:8]}")
            os.makedirs(folder)
        except OSError as error:
            raise Refused(f"cannot write to {self.out}: {error.strerror}") from None
        return Staging(self, run, folder)

    def _sweep(self) -> None:
        staging = os.path.join(self.out, "_staging")
        for name in os.listdir(staging) if os.path.isdir(staging) else ():
            path = os.path.join(staging, name)
            with suppress(OSError):
                if time.time() - os.path.getmtime(path) > _STALE_SECONDS:
                    shutil.rmtree(path, ignore_errors=True)


class Staging:
    """A run that is being written."""

    def __init__(self, store: Store, run: str, folder: str) -> None:
        self.store = store
        self.run = run
        self.folder = folder

    def stream(self) -> str:
        """Where the tagged stream goes, which is not published."""
        return os.path.join(self.folder, "stream")

    def table(self, name: str) -> str:
        return os.path.join(self.folder, "tables", name)

    def write(self, name: str, frame: DataFrame) -> None:
        frame.write.mode("error").option("compression", "zstd").parquet(self.table(name))

    def publish(self, manifest: dict[str, Any]) -> str:
        """Make the run count; gives its folder. What it replaces goes away last."""
        out = self.store.out
        home = os.path.join(out, "runs", f"run_id={self.run}")
        os.makedirs(home, exist_ok=True)
        known = self.store.manifest(self.run)
        attempts = [int(name) for name in os.listdir(home) if name.isdigit()]
        attempt = str(max(attempts, default=0) + 1)
        target = os.path.join(home, attempt)
        os.rename(os.path.join(self.folder, "tables"), target)
        path = f"runs/run_id={self.run}/{attempt}"
        _put(os.path.join(out, "manifests", f"{self.run}.json"), {**manifest, "path": path})
        latest = self.store.latest()
        if latest is None or str(latest["started"]) <= str((known or manifest)["started"]):
            _put(os.path.join(out, "latest.json"), {"version": 1, "run_id": self.run})
        for old in attempts:
            shutil.rmtree(os.path.join(home, str(old)), ignore_errors=True)
        self.discard()
        return target

    def discard(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def _load(path: str) -> dict[str, Any] | None:
    try:
        with open(path, encoding="utf-8") as file:
            found: dict[str, Any] = json.load(file)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise Refused(f"cannot read {path}: {error}") from None
    return found


def _put(path: str, document: dict[str, Any]) -> None:
    """Write a file so that it is there whole or as it was."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    draft = f"{path}.{uuid.uuid4().hex[:8]}.tmp"
    with open(draft, "w", encoding="utf-8") as file:
        json.dump(document, file, indent=1, ensure_ascii=False)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)
