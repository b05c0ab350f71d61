"""The promise of the fleet room: an audit finds what lint finds, byte for byte after sorting."""

from __future__ import annotations

import json
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from kcheck.fleet import pack, work
from kcheck.fleet.audit import Plan
from kcheck.fleet.session import Session
from kcheck.settings import Settings

from .conftest import ROOT, Lint, command_lines, printed, stream_records


@pytest.mark.parametrize("partitions", [1, 2, 5])
def test_a_tree_gives_the_findings_of_lint(
    spark: Session,
    fleet: Path,
    lint: Lint,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    partitions: int,
) -> None:
    monkeypatch.chdir(fleet / "fleet")
    expected = lint(".")
    assert len(expected) > 20
    assert stream_records(spark, ["."], tmp_path, partitions=partitions) == expected
    # From wherever the fleet is looked at.
    monkeypatch.chdir(tmp_path)
    paths = [str(fleet / "fleet")]
    assert stream_records(spark, paths, tmp_path / "far", partitions=partitions) == expected


def test_all_fixtures(spark: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Out of the repository, from whose root lint would count paths in fingerprints.
    copy = tmp_path / "copy"
    shutil.copytree(ROOT / "fixtures", copy)
    expected = command_lines(copy, "--isolated")
    assert len(expected) > 20
    assert printed(stream_records(spark, [str(copy)], tmp_path / "out")) == expected


def test_a_thousand_clusters(
    spark: Session, thousand: Path, thousand_linted: list[str], tmp_path: Path
) -> None:
    found = stream_records(spark, [str(thousand / "fleet")], tmp_path)
    assert printed(found) == thousand_linted
    told = [json.loads(line) for line in (thousand / "answers.jsonl").read_text().splitlines()]
    planted = {(a["rule"], f"{a['cluster']}/{a['path']}") for a in told if a["kind"] == "fault"}
    corrupt = {f"{a['cluster']}/{a['path']}" for a in told if a["kind"] == "corrupt"}
    judged = {(f["rule"], f["path"]) for f in found if f["severity"] != "info"}
    assert len(planted) > 100
    assert planted - judged == set()
    assert {(rule, path) for rule, path in judged - planted if path not in corrupt} == set()


def test_a_table_gives_the_findings_of_the_tree(
    spark: Session, fleet: Path, lint: Lint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(fleet / "fleet")
    table = tmp_path / "packed.parquet"
    assert pack.pack(spark, Plan((".",), str(table), Settings())) == (60, 0)
    assert stream_records(spark, [str(table)], tmp_path / "out") == lint(".")


def test_rows_of_files_and_json_lines(
    spark: Session, fleet: Path, lint: Lint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(fleet / "fleet")
    lines = [
        json.dumps({"cluster": path.parts[0], "path": str(path), "content": text})
        for path in sorted(Path().rglob("*"))
        if path.is_file()
        and (text := path.read_bytes().decode("utf-8", "replace")) is not None
        # Text cannot hold the bytes of the random file.
        and "\ufffd" not in text
    ]
    table = tmp_path / "files.jsonl"
    table.write_text("\n".join(lines))
    expected = [f for f in lint(".") if not f["path"].endswith("random.properties")]
    assert stream_records(spark, [str(table)], tmp_path / "out") == expected


@pytest.mark.parametrize("kind", ["tar.gz", "zip"])
def test_archives_give_the_findings_of_what_they_hold(
    spark: Session,
    fleet: Path,
    lint: Lint,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
) -> None:
    monkeypatch.chdir(fleet / "fleet")
    expected = lint(".")
    folders = sorted(path.name for path in Path().iterdir())
    dump = tmp_path / "dump"
    dump.mkdir()
    for number in range(3):
        names = folders[number::3]
        if kind == "zip":
            with zipfile.ZipFile(dump / f"{number}.zip", "w") as archive:
                for name in names:
                    for path in Path(name).rglob("*"):
                        archive.write(path)
        else:
            with tarfile.open(dump / f"{number}.{kind}", "w:gz") as archive:
                for name in names:
                    archive.add(name)
    # The paths inside an archive start at its top, wherever the archive lies.
    found = stream_records(spark, [str(dump)], tmp_path / "out")
    assert found == expected


def test_a_uri_is_read_by_spark(
    spark: Session, fleet: Path, lint: Lint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(fleet / "fleet")
    uri = f"file://{fleet}/fleet"
    assert stream_records(spark, [uri], tmp_path) == lint(".")


def test_an_input_that_holds_kafka_files_is_one_project(
    spark: Session, lint: Lint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "fixtures" / "payments", tmp_path / "payments")
    monkeypatch.chdir(tmp_path)
    assert [u.place for u in work.opened(["payments"], Settings()).units] == ["whole"]
    expected = lint("payments")
    assert stream_records(spark, ["payments"], tmp_path / "out") == expected
    monkeypatch.chdir("payments")
    assert stream_records(spark, ["."], tmp_path / "inside") == expected


def test_spark_connect_gives_the_same(
    fleet: Path, lint: Lint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a process of its own: a classic session and one of Connect do not share one."""
    pytest.importorskip("grpc")
    import os
    import sys

    monkeypatch.chdir(fleet / "fleet")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        [sys.executable, "-m", "kcheck", "audit", "fleet", "--out", str(tmp_path / "out")]
        + ["--remote", "local[2]", "--run-id", "r", "--fail-on", "never"],
        cwd=fleet,
        env=environment,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert ran.returncode == 0, ran.stderr
    from .conftest import records, table

    assert records(table(str(tmp_path / "out/runs/run_id=r/1"), "findings")) == lint(".")
