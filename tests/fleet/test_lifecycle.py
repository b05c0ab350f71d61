"""From run to run: what is new, what persists since when, what is gone; how runs are published."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from kcheck.fleet import audit, publish
from kcheck.fleet.refused import Refused
from kcheck.fleet.session import Session

from .conftest import audited, table

CLUSTER = 'kcheck: 1\ncluster: {name: %s, kafka_version: "4.0.0", brokers: 3}\n'
TOPIC = "  - {name: %s, partitions: 3, replication_factor: %d}\n"


def write(root: Path, unit: str, **topics: int) -> None:
    folder = root / "fleet" / unit
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kcheck.yaml").write_text(CLUSTER % unit)
    text = "topics:\n" + "".join(TOPIC % pair for pair in topics.items())
    (folder / "topics.yaml").write_text(text)


def states(outcome: audit.Outcome) -> dict[tuple[str, str], tuple[str, str]]:
    """(unit, topic of the message) → (status, first seen) of the errors."""
    return {
        (row["unit"], row["message"].split()[1]): (row["status"], row["first_seen"])
        for row in table(outcome.folder, "lifecycle")
        if row["rule"] == "KC0304"
    }


def test_findings_from_run_to_run(
    spark: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "out"
    write(tmp_path, "a", orders=5, clicks=3)
    write(tmp_path, "b", orders=5)
    write(tmp_path, "c", orders=5)
    first = audited(spark, ["fleet"], out, run="r1")
    assert set(states(first).values()) == {("new", "r1")}
    assert first.fails("new-error") and first.fails("error")

    # a: orders is mended, clicks breaks; b stays; c is no input any more.
    write(tmp_path, "a", orders=3, clicks=5)
    shutil.move(tmp_path / "fleet" / "c", tmp_path / "c")
    second = audited(spark, ["fleet"], out, run="r2")
    assert second.manifest["previous"] == "r1"
    assert states(second) == {
        ("a", "orders"): ("resolved", "r1"),
        ("a", "clicks"): ("new", "r2"),
        ("b", "orders"): ("persisting", "r1"),
        ("c", "orders"): ("absent", "r1"),
    }
    rows = [row for row in table(second.folder, "findings") if row["rule"] == "KC0304"]
    assert {(r["unit"], r["status"], r["first_seen"], r["run"]) for r in rows} == {
        ("a", "new", "r2", "r2"),
        ("b", "persisting", "r1", "r2"),
    }
    assert second.manifest["new"]["error"] == 1

    # c is back: it was seen before, so it is not new.
    shutil.move(tmp_path / "c", tmp_path / "fleet" / "c")
    third = audited(spark, ["fleet"], out, run="r3")
    assert states(third) == {
        ("a", "clicks"): ("persisting", "r2"),
        ("b", "orders"): ("persisting", "r1"),
        ("c", "orders"): ("persisting", "r1"),
    }
    assert not third.fails("new-error") and third.fails("error")

    # The second run written anew replaces only itself, and is compared with the first again.
    before = {run: _held(out, run) for run in ("r1", "r3")}
    with pytest.raises(Refused, match="already published"):
        audited(spark, ["fleet"], out, run="r2")
    again = audited(spark, ["fleet"], out, run="r2", replace=True)
    assert again.manifest["previous"] == "r1"
    assert {run: _held(out, run) for run in ("r1", "r3")} == before
    assert os.listdir(out / "runs" / "run_id=r2") == ["2"]
    latest = publish.opened(str(out)).latest()
    assert latest is not None and latest["run_id"] == "r3"
    assert not os.listdir(out / "_staging")


def _held(out: Path, run: str) -> list[tuple[str, int]]:
    root = out / "runs" / f"run_id={run}"
    return sorted((str(p), p.stat().st_mtime_ns) for p in root.rglob("*") if p.is_file())


SENT = '%sproducers:\n  - {name: %s, topics: [%s], config: {acks: "1"}}\n'
SET = "  - {name: %s, partitions: 3, replication_factor: 3, config: {min.insync.replicas: 2}}\n"


def sending(root: Path, unit: str, producer: str, *topics: str) -> None:
    folder = root / "fleet" / unit
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kcheck.yaml").write_text(CLUSTER % unit)
    text = "topics:\n" + "".join(SET % name for name in topics)
    (folder / "topics.yaml").write_text(SENT % (text, producer, ", ".join(topics)))


def test_findings_are_known_again(
    spark: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    out = tmp_path / "out"

    def told(outcome: audit.Outcome) -> dict[tuple[str, str], tuple[str, str]]:
        """(unit, what the message begins with) → (status, first seen) of KC0307."""
        return {
            (row["unit"], row["message"].partition(",")[0]): (row["status"], row["first_seen"])
            for row in table(outcome.folder, "lifecycle")
            if row["rule"] == "KC0307"
        }

    sending(tmp_path, "twin", "app", "b")
    sending(tmp_path, "renamed", "app", "b")
    sending(tmp_path, "moved", "app", "b")
    sending(tmp_path, "mended", "app", "b")
    audited(spark, ["fleet"], out, run="r1")
    # A topic before the known one, another name of the producer, another file.
    sending(tmp_path, "twin", "app", "a", "b")
    sending(tmp_path, "renamed", "till", "b")
    (tmp_path / "fleet/moved/topics.yaml").rename(tmp_path / "fleet/moved/all.yaml")
    # One is mended and another breaks: both were there, and are.
    mended = tmp_path / "fleet/mended/topics.yaml"
    mended.write_text(
        mended.read_text().replace('"1"', "all")
        + '  - {name: web, topics: [b], config: {acks: "1"}}\n'
    )
    second = audited(spark, ["fleet"], out, run="r2")
    assert told(second) == {
        ("twin", "producer app uses acks=1 for topic a"): ("new", "r2"),
        ("twin", "producer app uses acks=1 for topic b"): ("persisting", "r1"),
        ("renamed", "producer till uses acks=1 for topic b"): ("persisting", "r1"),
        ("moved", "producer app uses acks=1 for topic b"): ("persisting", "r1"),
        ("mended", "producer app uses acks=1 for topic b"): ("resolved", "r1"),
        ("mended", "producer web uses acks=1 for topic b"): ("new", "r2"),
    }
    dated = {
        (row["unit"], row["resource"]["name"], row["status"], row["first_seen"])
        for row in table(second.folder, "findings")
        if row["rule"] == "KC0307"
    }
    assert dated == {
        ("twin", "app", "new", "r2"),
        ("twin", "app", "persisting", "r1"),
        ("renamed", "till", "persisting", "r1"),
        ("moved", "app", "persisting", "r1"),
        ("mended", "web", "new", "r2"),
    }
