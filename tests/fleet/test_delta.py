"""Delta: as the format of the published tables, and as an input."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kcheck.fleet import column_types, delta, pack, publish, schemas, work
from kcheck.fleet.audit import Plan
from kcheck.fleet.refused import Refused
from kcheck.fleet.session import Session
from kcheck.fleet.store import Staging, Store
from kcheck.settings import Settings

from .conftest import ROOT, Lint, audited, records, stream_records
from .test_lifecycle import states, write

HAVE = bool(find_spec("delta"))
needs_delta = pytest.mark.skipif(not HAVE, reason="Delta is not here: pip install '.[delta]'")
needs_none = pytest.mark.skipif(HAVE, reason="Delta is here")


def dicts(frame: Any) -> list[dict[str, Any]]:
    return [row.asDict(recursive=True) for row in frame.collect()]


@needs_delta
def test_runs_are_published_as_delta(
    spark: Session, lint: Lint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "a", orders=5, clicks=3)
    write(tmp_path, "b", orders=5)
    out = tmp_path / "out"
    audited(spark, ["fleet"], out, run="r1", format="delta")
    write(tmp_path, "b", orders=3)
    second = audited(spark, ["fleet"], out, run="r2", format="delta")
    assert second.manifest["lifecycle"]["resolved"] == 1
    assert sorted(path.name for path in out.glob("tables/*")) == sorted(schemas.PUBLISHED)
    assert [path.name for path in out.glob("runs/run_id=r2/1/*")] == ["report.html"]

    store = publish.opened(str(out), spark.spark)
    both = spark.spark.read.format("delta").load(f"{out}/tables/findings")
    counts = {row["run_id"]: row["count"] for row in both.groupBy("run_id").count().collect()}
    runs = store.runs()
    assert counts == {run: sum(told["findings"].values()) for run, told in runs.items()}
    with monkeypatch.context() as there:
        there.chdir(tmp_path / "fleet")
        assert records(dicts(store.read(runs["r2"], "findings"))) == lint(".")

    # A run in the other format goes on from there.
    third = audited(spark, ["fleet"], out, run="r3")
    assert third.manifest["previous"] == "r2"
    assert states(third) == {("a", "orders"): ("persisting", "r1")}


def staged(store: Store, run: str, text: str) -> Staging:
    """A run of which all tables with a unit hold the text."""
    staging = store.begin(run, replace=True)
    for name, columns in schemas.PUBLISHED.items():
        schema = column_types.arrow(columns)
        some = [{"unit": text}] if "unit" in schema.names else []
        folder = Path(staging.local(), name)
        folder.mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(some, schema), folder / "part-0.parquet")
    return staging


def seen(store: Store, run: str) -> set[str]:
    manifest = store.runs()[run]
    return {
        row["unit"]
        for name in ("findings", "units", "lifecycle")
        for row in dicts(store.read(manifest, name))
    }


class Killed(BaseException):
    pass


@needs_delta
def test_a_run_that_is_half_replaced_reads_as_it_was(
    spark: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = publish.opened(str(tmp_path), spark.spark, "delta")
    for run in ("r0", "r1"):
        staged(store, run, "old").publish({"run_id": run, "started": run, "previous": None})
    real, steps = delta.commit, 0

    def commit(*args: Any) -> int:
        nonlocal steps
        steps += 1
        if steps == 3:
            raise Killed
        return real(*args)

    with monkeypatch.context() as patched:
        patched.setattr(delta, "commit", commit)
        with pytest.raises(Killed):
            staged(store, "r1", "new").publish({"run_id": "r1", "started": "2", "previous": None})
    assert seen(store, "r1") == seen(store, "r0") == {"old"}
    path = f"{tmp_path}/tables/findings"
    now = spark.spark.read.format("delta").load(path).where("run_id = 'r1'")
    assert [row["unit"] for row in now.collect()] == ["new"]

    staged(store, "r1", "next").publish({"run_id": "r1", "started": "3", "previous": None})
    assert seen(store, "r1") == {"next"}
    assert seen(store, "r0") == {"old"}
    # Long after, when the log of the version is gone, the rows still are there.
    rows = delta.read(spark.spark, path, "findings", "r0", 9999)
    assert [row["unit"] for row in rows.collect()] == ["old"]


@needs_delta
def test_delta_tables_are_inputs(
    spark: Session, fleet: Path, lint: Lint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(fleet / "fleet")
    expected = lint(".")
    files = [
        (path.parts[0], str(path), bytearray(path.read_bytes()))
        for path in sorted(Path().rglob("*"))
        if path.is_file()
    ]
    rows = spark.spark.createDataFrame(files, "cluster string, path string, content binary")
    rows.write.format("delta").save(str(tmp_path / "files"))
    assert work.table_format(str(tmp_path / "files")) == "delta"
    assert stream_records(spark, [str(tmp_path / "files")], tmp_path / "out") == expected

    pack.pack(spark, Plan((".",), str(tmp_path / "packed.parquet"), Settings()))
    rows = spark.spark.read.parquet(str(tmp_path / "packed.parquet"))
    rows.write.format("delta").save(str(tmp_path / "packed.delta"))
    assert stream_records(spark, [str(tmp_path / "packed.delta")], tmp_path / "out2") == expected


@needs_none
@pytest.mark.parametrize("way", ["format", "input"])
def test_without_the_package_one_line_says_so(tmp_path: Path, way: str) -> None:
    write(tmp_path, "a", orders=5)
    (tmp_path / "table" / "_delta_log").mkdir(parents=True)
    wanted = [str(tmp_path / "table")] if way == "input" else ["--format", "delta"]
    out = tmp_path / "out"
    # In a process of its own: the session of the tests is somebody else's to bring Delta to.
    command = [sys.executable, "-m", "kcheck", "audit", str(tmp_path / "fleet")]
    ran = subprocess.run(
        [*command, "--out", str(out), *wanted], cwd=ROOT, capture_output=True, text=True
    )
    assert ran.returncode == 2
    assert ran.stderr == f"kcheck: {delta.INSTALL}\n"
    assert not out.exists()


@needs_none
def test_a_session_without_delta_is_told_before_any_work(spark: Session, tmp_path: Path) -> None:
    write(tmp_path, "a", orders=5)
    out = tmp_path / "out"
    with pytest.raises(Refused, match="no Delta"):
        audited(spark, [str(tmp_path / "fleet")], out, format="delta")
    assert not out.exists()
