"""Whatever an input holds: a row in the errors table, and all findings of the healthy."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kcheck import engine
from kcheck.fleet import archives, limits, schemas, task, work
from kcheck.fleet.session import Session
from kcheck.settings import Settings

from .conftest import Lint, audited, records, table

HEALTHY = "topics:\n  - {name: orders, partitions: 3, replication_factor: 5}\n"
CLUSTER = 'kcheck: 1\ncluster: {name: %s, kafka_version: "4.0.0", brokers: 3}\n'
BOMB = "a0: &a0 [kafka, kafka]\n" + "".join(
    f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}, *a{n - 1}, *a{n - 1}]\n" for n in range(1, 30)
)


@pytest.fixture
def poisoned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    fleet = tmp_path / "fleet"
    for number in range(20):
        folder = fleet / f"c{number:02d}"
        folder.mkdir(parents=True)
        (folder / "kcheck.yaml").write_text(CLUSTER % folder.name)
        (folder / "topics.yaml").write_text(HEALTHY)
    (fleet / "c00" / "random.properties").write_bytes(os.urandom(5000))
    (fleet / "c01" / "broken.yaml").write_text(
        "apiVersion: kafka.strimzi.io/v1beta2\nkind: Kafka\nspec: [{\n"
    )
    with (fleet / "c02" / "huge.yaml").open("wb") as file:
        file.truncate(3 << 30)
    (fleet / "c03" / "gone.yaml").symlink_to("nowhere.yaml")
    os.mkfifo(fleet / "c04" / "pipe.yaml")
    (fleet / "c05" / "empty.properties").write_bytes(b"")
    (fleet / "c06" / "bomb.yaml").write_text(BOMB)
    (fleet / "c07" / "folder.yaml").mkdir()
    (fleet / "c08" / "scalar.yaml").write_text("topics: 5\n")
    (fleet / "c09" / "loop").symlink_to(fleet)
    (fleet / "c10" / "deep.yaml").write_text("kafka: " + "[" * 5000)
    (fleet / "c11" / os.fsdecode(b"caf\xe9.yaml")).write_text("topics: [{name: a}]\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_poisoned_fleet(
    spark: Session, poisoned: Path, lint: Lint, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = poisoned / "fleet" / "c19"
    whole = work.opened

    def vanishing(*args: object) -> work.Inputs:
        inputs = whole(*args)  # type: ignore[arg-type]
        for path in sorted(gone.iterdir()):
            path.unlink()
        gone.rmdir()
        return inputs

    monkeypatch.setattr(work, "opened", vanishing)
    outcome = audited(spark, ["fleet"], poisoned / "out", run="r")
    monkeypatch.chdir(poisoned / "fleet")
    assert records(table(outcome.folder, "findings")) == lint(".")
    assert outcome.manifest["units"] == {"audited": 19, "failed": 1}
    assert outcome.broken
    found = {(row["unit"], row["path"]): row for row in table(outcome.folder, "errors")}
    reasons = {key: row["reason"] for key, row in found.items()}
    assert reasons["c19", None] == "the folder is gone"
    assert [key for key, row in found.items() if row["fatal"]] == [("c19", None)]
    assert "larger than" in reasons["c02", "c02/huge.yaml"]
    assert "dangling" in reasons["c03", "c03/gone.yaml"]
    assert "not a regular file" in reasons["c04", "c04/pipe.yaml"]
    assert "link to a folder" in reasons["c09", "c09/loop"]
    assert "name of a file" in reasons["c07", "c07/folder.yaml"]
    assert ("c01", "c01/broken.yaml") in found
    assert {unit for unit, _ in found} <= {f"c{n:02d}" for n in (*range(12), 19)}
    rows = table(outcome.folder, "findings")
    healthy = {row["unit"] for row in rows if row["rule"] == "KC0304"}
    assert healthy == {f"c{n:02d}" for n in range(19)}


# -- the same without Spark: what a task does with a unit -----------------------------------


def rows_of(recipe: task.Recipe, **row: object) -> dict[str, list[dict[str, object]]]:
    pytest.importorskip("pyarrow")
    names = [*schemas.names(schemas.WORK), *schemas.names(schemas.FACTS)]
    rows = task.Rows()
    task.lint_row(recipe, {**dict.fromkeys(names), "unit": "c", **row}, rows)
    found: dict[str, list[dict[str, object]]] = {kind: [] for kind in schemas.KINDS}
    for held in rows.take().to_pylist():
        found[held["kind"]].append(held[held["kind"]])
    return found


def recipe(seconds: float = 5, megabytes: int = 512) -> task.Recipe:
    return task.Recipe(Settings(), (), seconds, megabytes, b"salt")


FILES = [
    ("c/kcheck.yaml", (CLUSTER % "c").encode(), None),
    ("c/topics.yaml", HEALTHY.encode(), None),
]


def test_a_cluster_out_of_time_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    lint_project = engine.lint_project

    def slow(*args: object) -> engine.Project:
        end = time.monotonic() + 20
        while time.monotonic() < end:
            try:
                sum(range(1000))
            except Exception:
                # What the engine does with the exceptions of rules must not save the cluster.
                continue
        return lint_project(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(engine, "lint_project", slow)
    began = time.monotonic()
    found = rows_of(recipe(seconds=0.3), place=work.FILES, top="c", files=FILES)
    assert time.monotonic() - began < 10
    assert [row["reason"] for row in found["error"]] == ["took longer than 0.3 s"]
    assert found["unit"][0]["status"] == "failed"
    assert not found["finding"]
    monkeypatch.setattr(engine, "lint_project", lint_project)
    assert rows_of(recipe(), place=work.FILES, top="c", files=FILES)["finding"]


def test_a_cluster_out_of_memory_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy(*args: object) -> engine.Project:
        held = [bytes(1 << 20) + bytes(n) for n in range(2000)]
        raise AssertionError(f"{len(held)} MiB were there")

    monkeypatch.setattr(engine, "lint_project", greedy)
    found = rows_of(recipe(megabytes=200), place=work.FILES, top="c", files=FILES)
    (row,) = found["error"]
    assert (row["error"], row["fatal"]) == ("OverLimit", True)


def test_half_a_unit_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*args: object) -> object:
        raise RecursionError("too deep")

    monkeypatch.setattr(task, "_cluster", breaks)
    found = rows_of(recipe(), place=work.FILES, top="c", files=FILES)
    assert not found["finding"] and not found["setting"]
    assert [row["error"] for row in found["error"]] == ["RecursionError"]


def test_a_failing_rule_is_a_row_and_the_rest_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    from kcheck import rules

    broken = rules.load()["KC0302"]

    def check(*args: object, **options: object) -> Iterator[object]:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(broken, "check", check)
    found = rows_of(recipe(), place=work.FILES, top="c", files=FILES)
    assert any("KC0302" in str(row["reason"]) and row["fatal"] for row in found["error"])
    assert any(row["rule"] == "KC0304" for row in found["finding"])


def test_a_damaged_archive_gives_no_unit_and_says_why(tmp_path: Path) -> None:
    for name in ("a.tar.gz", "b.zip", "c.tar"):
        (tmp_path / name).write_bytes(os.urandom(3000))
        with pytest.raises(archives.Damaged):
            list(archives.units(str(tmp_path / name)))


def test_limits_end_with_the_block() -> None:
    import resource
    import signal

    before = resource.getrlimit(resource.RLIMIT_AS), signal.getsignal(signal.SIGALRM)
    with pytest.raises(limits.OverLimit), limits.guarded(0.05, 100):
        time.sleep(2)
    assert (resource.getrlimit(resource.RLIMIT_AS), signal.getsignal(signal.SIGALRM)) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_limits_within_limits() -> None:
    def work() -> None:
        with limits.guarded(60, 0, ends=False):
            time.sleep(0.01)
        time.sleep(5)

    with pytest.raises(limits.OverLimit, match=r"0\.2 s"), limits.guarded(0.2, 0):
        work()
