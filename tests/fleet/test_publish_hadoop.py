"""Publishing through Spark to a file system named by a URI."""

from __future__ import annotations

import os
import shutil
import textwrap
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kcheck.fleet import audit, column_types, publish, publish_hadoop, schemas
from kcheck.fleet.refused import Refused
from kcheck.fleet.session import Session
from kcheck.fleet.store import Staging, Store

from .conftest import audited, in_order, table
from .test_lifecycle import write


def rows(outcome: audit.Outcome, name: str) -> list[dict[str, Any]]:
    """A published table, without what differs from run to run."""
    found = table(outcome.published.table(name).removeprefix("file://"), "")
    return in_order({**row, "milliseconds": 0} for row in found)


def told_how_to_read(spark: Session, out: str) -> dict[str, Any]:
    """What the code in the module's docstring gives."""
    _, _, after = str(publish.__doc__).partition("How to read")
    _, _, block = after.partition("::\n\n")
    code, _, _ = block.partition("\n\n")
    names: dict[str, Any] = {"spark": spark.spark, "OUT": out}
    exec(textwrap.dedent(code), names)
    return names


def test_a_uri_gets_what_a_folder_gets(
    spark: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "a", orders=5, clicks=3)
    write(tmp_path, "b", orders=5)
    uri, folder = f"file://{tmp_path}/there", str(tmp_path / "here")
    for run in ("r1", "r2"):
        outcomes = [audited(spark, ["fleet"], out, run=run) for out in (uri, folder)]
        write(tmp_path, "b", orders=3)
    there, here = outcomes
    for name in schemas.PUBLISHED:
        assert rows(there, name) == rows(here, name), name
    for name in ("findings", "new", "lifecycle", "previous"):
        assert there.manifest[name] == here.manifest[name]
    assert there.manifest["lifecycle"]["resolved"] == 1

    # The report is the page that was made, but for empty lines.
    report = Path(there.published.report.removeprefix("file:"))
    assert report.suffix == ".html"
    made = Path(there.published.tables.folder, "report.html").read_bytes()
    lines = [line for line in made.splitlines(keepends=True) if line.strip(b"\n")]
    assert report.read_bytes() == b"".join(lines)

    with pytest.raises(Refused, match="already published"):
        audited(spark, ["fleet"], uri, run="r1")
    for out in (uri, folder):
        read = told_how_to_read(spark, out)
        assert read["last"].run_id == "r2"
        assert {row.run_id for row in read["findings"].collect()} == {"r1", "r2"}
        assert read["findings"].count() == sum(
            sum(told["findings"].values())
            for told in publish.opened(out, spark.spark).runs().values()
        )


# -- killed ---------------------------------------------------------------------------------


class Killed(BaseException):
    pass


def staged(store: Store, folder: Path, run: str, text: str) -> Staging:
    """A run of which the findings hold the text; written as Spark would."""
    staging = store.begin(run, replace=True)
    for name, columns in schemas.PUBLISHED.items():
        schema = column_types.arrow(columns)
        some = [{"unit": text}] if name in ("findings", "units") else []
        place = folder / staging.table(name).removeprefix(store.out).lstrip("/")
        place.mkdir(parents=True)
        pq.write_table(pa.Table.from_pylist(some, schema), place / "part-0.parquet")
    (Path(staging.local()) / "report.html").write_text(text)
    return staging


def seen(store: Store) -> tuple[str, str] | None:
    latest = store.latest()
    if latest is None:
        return None
    (text,) = {store.read(latest, name).first()["unit"] for name in ("findings", "units")}
    return str(latest["run_id"]), text


def test_a_kill_before_any_write_leaves_a_whole_run(  # noqa: C901
    spark: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a run is written anew, which takes all steps that another run takes."""
    run = "r1"

    def told(run: str, started: str) -> dict[str, Any]:
        return {"run_id": run, "started": started, "previous": None}

    def dying(real: Any) -> Any:
        def call(*args: object) -> object:
            nonlocal steps
            if steps == at:
                raise Killed
            steps += 1
            return real(*args)

        return call

    template = tmp_path / "template"
    store = publish.opened(f"file://{template}", spark.spark)
    for number in ("0", "1"):
        staged(store, template, f"r{number}", "old").publish(told(f"r{number}", number))
    after = []
    for at in range(100):
        folder = tmp_path / str(at)
        shutil.copytree(template, folder)
        store = publish.opened(f"file://{folder}", spark.spark)
        steps = 0
        with monkeypatch.context() as patched:
            for kind, name in (
                (publish_hadoop.Hadoop, "put"),
                (publish_hadoop.Hadoop, "clear"),
                (publish_hadoop.Beside, "_put_report"),
            ):
                patched.setattr(kind, name, dying(getattr(kind, name)))
            try:
                # On a machine whose clock is behind.
                staged(store, folder, run, "new").publish(told(run, "0"))
            except Killed:
                dead = True
            else:
                dead = False
        after.append(seen(store))
        # Half a manifest, as the committer has it before it counts, is none.
        half = folder / "manifests" / run / "9-x" / "_temporary" / "0"
        half.mkdir(parents=True)
        (half / "part-0.txt").write_text('{"run_id": "r')
        assert seen(store) == after[-1] in ((run, "old"), (run, "new"))

        # The next audit works, and if it is long after, it empties what nobody counts.
        with monkeypatch.context() as patched:
            patched.setattr(publish_hadoop, "STALE_SECONDS", -1)
            staged(store, folder, run, "next").publish(told(run, "0"))
        assert seen(store) == (run, "next")
        assert list(store.runs()) == ["r0", "r1"]
        counted = {str(one["path"]) for one in store.runs().values()}
        left = {p.parent.relative_to(folder).as_posix() for p in folder.glob("runs/*/*/findings")}
        assert left == counted
        assert not [p for p in (folder / "_staging").rglob("part-*") if p.stat().st_size]
        if not dead:
            break
    assert (run, "new") in after[1:-1]
    assert after == sorted(after, key=lambda state: state == (run, "new"))


def test_what_cannot_be_reached_is_refused_in_a_line(spark: Session, tmp_path: Path) -> None:
    with pytest.raises(Refused, match=r"FileSystem .*spark\.jars\.packages") as refused:
        publish.opened("nowhere://bucket/x", spark.spark).before("r1")
    assert "\n" not in str(refused.value)
    (tmp_path / "file").touch()
    with pytest.raises(Refused) as refused:
        publish.opened(f"file://{tmp_path}/file", spark.spark).begin("r1", False)
    assert "\n" not in str(refused.value)
    assert os.path.getsize(tmp_path / "file") == 0
