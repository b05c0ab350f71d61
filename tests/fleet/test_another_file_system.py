"""The same on a file system of yours, if you name one.

    KCHECK_TEST_URI=s3a://BUCKET/FOLDER KCHECK_TEST_CONF='spark.jars.packages=… KEY=VALUE …' \
        pytest tests/fleet/test_another_file_system.py

The folder below the URI has to be new for each run of the tests.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kcheck.fleet import publish
from kcheck.fleet.session import Session

from .conftest import CONF, ROOT, Lint, audited, records
from .test_lifecycle import write
from .test_publish import DYING
from .test_publish_hadoop import told_how_to_read

URI = os.environ.get("KCHECK_TEST_URI", "").rstrip("/")

pytestmark = pytest.mark.skipif(not URI, reason="KCHECK_TEST_URI names no file system")


def test_another_file_system(
    spark: Session, lint: Lint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out = f"{URI}/audit"
    write(tmp_path, "a", orders=5, clicks=3)
    write(tmp_path, "b", orders=5)
    store = publish.opened(out, spark.spark)
    assert store.latest() is None
    audited(spark, ["fleet"], out, run="r1")
    write(tmp_path, "b", orders=3)

    # Killed before it counts.
    conf = [word for pair in CONF.items() for word in ("--conf", "=".join(pair))]
    died = subprocess.run(
        [sys.executable, "-c", DYING, "audit", "fleet", "--out", out, "--run-id", "r2", *conf],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert died.returncode == -signal.SIGKILL, died.stderr
    assert list(store.runs()) == ["r1"]

    second = audited(spark, ["fleet"], out, run="r2")
    assert second.manifest["previous"] == "r1"
    assert second.manifest["lifecycle"]["resolved"] == 1
    path = store.runs()["r2"]["path"]
    audited(spark, ["fleet"], out, run="r1", replace=True)
    runs = store.runs()
    assert list(runs) == ["r1", "r2"]
    assert runs["r2"]["path"] == path
    read = told_how_to_read(spark, out)
    assert read["last"].run_id == "r2"
    counts = {run: sum(told["findings"].values()) for run, told in runs.items()}
    found = read["findings"].groupBy("run_id").count().collect()
    assert {row.run_id: row["count"] for row in found} == counts
    rows = store.read(runs["r2"], "findings").collect()
    monkeypatch.chdir(tmp_path / "fleet")
    assert records([row.asDict(recursive=True) for row in rows]) == lint(".")
    page = spark.spark.read.format("binaryFile").load(second.published.report).first()
    assert page is not None
    assert page["content"].startswith(b"<!doctype html>")
