"""A run counts as a whole or not at all, wherever it is published and whenever the audit dies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kcheck.fleet import publish, publish_folder
from kcheck.fleet.refused import Refused
from kcheck.fleet.session import Session

from .conftest import ROOT, audited
from .killed import TABLES, published
from .test_lifecycle import write


def seen(out: Path) -> tuple[str, str] | None:
    """The last run, and the text that all of its tables hold."""
    latest = publish.opened(str(out)).latest()
    return (str(latest["run_id"]), text_of(out / str(latest["path"]))) if latest else None


def text_of(folder: Path) -> str:
    (text,) = {(folder / name / "part-0").read_text() for name in TABLES}
    return text


def attempts(out: Path) -> set[str]:
    """What who lists the folder takes for runs."""
    return {path.relative_to(out).as_posix() for path in out.glob("runs/run_id=*/*")}


@pytest.mark.parametrize("run", ["r2", "r1"], ids=["another run", "the same run"])
def test_a_kill_at_any_line_leaves_a_whole_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: str
) -> None:
    template, work = tmp_path / "template", tmp_path / "work"
    published(template, "r0", "zero", "0")
    published(template, "r1", "one", "1")
    work.mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "tests.fleet.killed", str(template), str(work), run],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    outs = sorted(work.iterdir(), key=lambda out: int(out.name))
    assert len(outs) == int(done.stdout) > 50
    after = []
    for out in outs:
        after.append(seen(out))
        assert after[-1] in (("r1", "one"), (run, "two"))
        # Who goes by the names of folders sees whole runs only, and the others are untouched.
        for path in attempts(out):
            text_of(out / path)
        assert text_of(out / "runs/run_id=r0/1") == "zero"
        told = json.loads((out / "latest.json").read_text())
        assert (told["run_id"], text_of(out / told["path"])) in (("r1", "one"), (run, "two"))
    # It comes to count at one moment, somewhere in the middle.
    assert after == sorted(after, key=lambda state: state == (run, "two"))
    assert after.index((run, "two")) > 0

    # The next audit works, and one long after takes away what was left.
    for out in outs:
        published(out, run, "three", "3")
        assert seen(out) == (run, "three")
    monkeypatch.setattr(publish_folder, "STALE_SECONDS", 0)
    monkeypatch.setattr(publish_folder, "ORPHAN_SECONDS", 0)
    for out in outs:
        published(out, "r4", "four", "4")
        assert seen(out) == ("r4", "four")
        counted = publish.opened(str(out)).runs()
        assert attempts(out) == {told["path"] for told in counted.values()}
        assert list(counted) == sorted({"r0", "r1", run, "r4"})
        assert os.listdir(out / "_staging") == []
        assert sorted(os.listdir(out / "manifests")) == [f"{run}.json" for run in counted]


def test_a_run_keeps_its_place_in_time(tmp_path: Path) -> None:
    """Who writes an old run anew does not make it the last."""
    published(tmp_path, "r1", "one", "1")
    published(tmp_path, "r2", "two", "2")
    published(tmp_path, "r1", "again", "3")
    assert seen(tmp_path) == ("r2", "two")
    assert text_of(tmp_path / "runs/run_id=r1/2") == "again"
    assert attempts(tmp_path) == {"runs/run_id=r1/2", "runs/run_id=r2/1"}


def test_what_is_being_written_is_left_alone(tmp_path: Path) -> None:
    running = publish.opened(str(tmp_path)).begin("r1", False)
    published(tmp_path, "r2", "two", "2")
    for name in TABLES:
        folder = Path(running.local(), name)
        folder.mkdir(parents=True)
        (folder / "part-0").write_text("one")
    running.publish({"run_id": "r1", "started": "1", "previous": None})
    assert seen(tmp_path) == ("r2", "two")
    assert text_of(tmp_path / "runs/run_id=r1/1") == "one"


def test_a_run_stays_in_its_format(tmp_path: Path) -> None:
    published(tmp_path, "r1", "one", "1")
    with pytest.raises(Refused, match="run r1 was published with --format parquet"):
        publish.opened(str(tmp_path), None, "delta").begin("r1", True)


def test_run_ids_are_file_names(tmp_path: Path) -> None:
    for run in ("../x", "", "a/b", ".hidden", "a" * 200):
        with pytest.raises(Refused):
            publish.opened(str(tmp_path)).begin(run, False)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(Refused, match="Not a directory"):
        publish.opened(str(tmp_path / "file")).begin("r1", False)


@pytest.mark.parametrize(
    ("out", "remote"),
    [
        *(("s3a://b/x", True), ("hdfs:///x", True), ("file:///x", True), ("dbfs:/x", True)),
        *(("/x", False), ("x/y", False), ("./a:b", False)),
    ],
)
def test_what_spark_alone_can_name(out: str, remote: bool) -> None:
    assert publish.is_remote(out) is remote


# -- a real audit that is killed ------------------------------------------------------------

DYING = """
import os, signal, sys
from kcheck.__main__ import main
from kcheck.fleet import publish_folder, publish_hadoop

def dies(real):
    def call(*args):
        if "/manifests/" in str(args):
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args)
    return call

publish_folder._put = dies(publish_folder._put)
publish_hadoop.Hadoop.put = dies(publish_hadoop.Hadoop.put)
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("scheme", ["", "file://"], ids=["folder", "uri"])
def test_a_driver_killed_while_it_publishes(
    spark: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    """All tables are written, and the manifest is not: the run before stays the last."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "a", orders=5)
    out = f"{scheme}{tmp_path}/out"
    store = publish.opened(out, spark.spark)
    audited(spark, ["fleet"], out, run="r1")
    before = held(tmp_path / "out/runs/run_id=r1")
    write(tmp_path, "a", orders=3, clicks=5)
    died = subprocess.run(
        [sys.executable, "-c", DYING, "audit", "fleet", "--out", out, "--run-id", "r2"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert died.returncode == -signal.SIGKILL, died.stderr
    # It was about to count.
    assert [*(tmp_path / "out/runs").glob("run_id=r2/*/findings/part-*")]
    assert list(store.runs()) == ["r1"]
    assert held(tmp_path / "out/runs/run_id=r1") == before

    again = audited(spark, ["fleet"], out, run="r2")
    assert again.manifest["previous"] == "r1"
    assert again.manifest["lifecycle"]["resolved"] == 1
    assert list(store.runs()) == ["r1", "r2"]
    assert held(tmp_path / "out/runs/run_id=r1") == before


def held(folder: Path) -> list[tuple[str, int]]:
    return sorted((str(p), p.stat().st_mtime_ns) for p in folder.rglob("*") if p.is_file())
