"""Whichever way a fleet comes in: the same units, findings and errors; no row is lost unseen."""

from __future__ import annotations

import json
import os
import tarfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from kcheck.fleet import pack, source_table, sources, work
from kcheck.fleet.audit import Plan
from kcheck.fleet.members import POINTED_AT, Members, gathered, settled
from kcheck.fleet.session import Session
from kcheck.settings import Settings

from .conftest import Lint, records, streamed

CLUSTER = 'kcheck: 1\ncluster: {name: %s, kafka_version: "4.0.0", brokers: 3}\n'
TOPICS = "topics: [{name: orders, partitions: 3, replication_factor: 5}]\n"
COMPOSE = """\
services:
  kafka:
    build: ../shared/broker
    env_file: [kafka.vars, ../shared/common.vars]
    ports: ["9092:9092"]
"""
VARS = (
    "KAFKA_NODE_ID=1\nKAFKA_PROCESS_ROLES=broker,controller\n"
    "KAFKA_CONTROLLER_QUORUM_VOTERS=1@kafka:9093\nKAFKA_CONTROLLER_LISTENER_NAMES=CONTROLLER\n"
    "KAFKA_LISTENERS=PLAINTEXT://:9092,CONTROLLER://:9093\n"
)
BROKER = "FROM apache/kafka:3.9.1\n"
COMMON = "KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR=3\n"


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Regions of clusters, variables that files point at, and things that cannot be read."""
    root = tmp_path / "small"
    files = {f"{region}/{name}/topics.yaml": TOPICS for region in ("eu", "us") for name in "ab"}
    for path in list(files):
        files[f"{path.rpartition('/')[0]}/kcheck.yaml"] = CLUSTER % path.rpartition("/")[0].replace(
            "/", "-"
        )
    files["eu/a/notes.md"] = "nothing"
    files["us/box/docker-compose.yml"] = COMPOSE
    files["us/box/kafka.vars"] = VARS
    files["us/shared/common.vars"] = COMMON
    files["us/shared/broker/Dockerfile"] = BROKER
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def rows_in(root: Path) -> list[dict[str, str]]:
    return [
        {
            "cluster": "/".join(path.relative_to(root).parts[:2]),
            "path": str(path.relative_to(root)),
            "content": path.read_text(),
        }
        for path in sorted(root.rglob("*"))
        if path.is_file()
    ]


def lines(path: Path, rows: Iterable[object]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_the_same_fleet_in_five_ways(
    spark: Session, small: Path, tmp_path: Path, lint: Lint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(small)
    expected = lint(".")
    assert {"us/shared/common.vars", "us/b/topics.yaml"} <= {f["path"] for f in expected}
    monkeypatch.chdir(tmp_path)
    # The folder with a Dockerfile alone is looked at, and has nothing of its own.
    names = {"eu/a", "eu/b", "us/a", "us/b", "us/box", "us/shared"}

    def judge(paths: list[str], name: str, **options: Any) -> None:
        rows = streamed(spark, paths, tmp_path / "out" / name, **options)
        assert records(rows["finding"]) == expected
        assert {row["unit"] for row in rows["unit"]} == names
        assert not rows["error"]

    judge(["small"], "tree")
    os.rename(small, tmp_path / "renamed")
    judge([str(tmp_path / "renamed")], "moved")
    with tarfile.open(tmp_path / "dump.tgz", "w:gz") as archive:
        archive.add("renamed")
    judge(["dump.tgz"], "archive")
    packed = str(tmp_path / "packed.parquet")
    assert pack.pack(spark, Plan(("renamed",), packed, Settings())) == (6, 0)
    judge([packed], "table")
    # What lies outside of a cluster's folder, only who reads the tree can look up.
    box = tmp_path / "renamed" / "us" / "box"
    (box / "common.vars").write_text(COMMON)
    (box / "broker").mkdir()
    (box / "broker" / "Dockerfile").write_text(BROKER)
    (box / "docker-compose.yml").write_text(COMPOSE.replace("../shared/", ""))
    monkeypatch.chdir("renamed")
    expected[:] = lint(".")
    monkeypatch.chdir(tmp_path)
    # At a depth that somebody gives, only what speaks of Kafka is a cluster.
    names.remove("us/shared")
    judge([f"file://{tmp_path}/renamed"], "uri", depth=2)
    rows = rows_in(tmp_path / "renamed")
    rows = [row for row in rows if row["cluster"] != "us/shared"]
    judge([lines(tmp_path / "rows.jsonl", rows)], "lines")
    by_cluster: dict[str, dict[str, str]] = {}
    for row in rows:
        by_cluster.setdefault(row["cluster"], {})[row["path"]] = row["content"]
    judge(
        [lines(tmp_path / "m.jsonl", ({"cluster": c, "files": f} for c, f in by_cluster.items()))],
        "m",
    )


def test_rows_that_lack_something_are_told(spark: Session, tmp_path: Path) -> None:
    good = [
        {"cluster": "a", "path": "a/kcheck.yaml", "content": CLUSTER % "a"},
        {"cluster": "a", "path": "a/topics.yaml", "content": TOPICS},
    ]
    bad: list[dict[str, Any]] = [
        {"cluster": None, "path": "b/topics.yaml", "content": TOPICS},
        {"cluster": " ", "path": "c/topics.yaml", "content": TOPICS},
        {"cluster": "a", "path": None, "content": TOPICS},
        {"cluster": "a", "path": "a/gone.yaml", "content": None},
        {"cluster": "a", "path": "a/topics.yaml", "content": TOPICS.replace("5", "2")},
        {"cluster": "a", "path": "a/notes.md", "content": "x"},
        {"cluster": "d", "files": None},
        {"cluster": "e", "files": "none"},
        {"cluster": "f", "files": {"f/x.yaml": None}},
    ]
    text = "".join(json.dumps(row) + "\n" for row in [*bad[:4], *good, *bad[4:]])
    (tmp_path / "rows.jsonl").write_text(f"not json, but a secret\n[1, 2]\n{text}")
    rows = streamed(spark, [str(tmp_path / "rows.jsonl")], tmp_path / "out")
    found = rows["finding"]
    assert [(f["unit"], f["path"], f["rule"]) for f in found if f["rule"] == "KC0304"] == [
        ("a", "a/topics.yaml", "KC0304")
    ]
    errors = {(row["unit"], row["path"]): row for row in rows["error"]}
    ref = str(tmp_path / "rows.jsonl")
    told = {key: row["reason"] for key, row in errors.items()}
    lost = told.pop(("rows.jsonl", ref))
    assert "a row has no cluster: path b/topics.yaml" in lost
    assert "a row has no cluster: path c/topics.yaml" in lost
    assert "a line is not a JSON object with these columns (2 times)" in lost
    assert "secret" not in lost
    assert told == {
        ("a", "(no path)"): "a row has no path",
        ("a", "a/gone.yaml"): "a row has no content",
        ("a", "a/topics.yaml"): "several rows have this path, with different contents",
        ("d", "(no path)"): "a row has no path",
        ("e", ref): "a line is not a JSON object with these columns",
        ("f", "f/x.yaml"): "a row has no content",
    }
    fatal = {key for key, row in errors.items() if row["fatal"]}
    assert fatal == {("rows.jsonl", ref), ("e", ref)}
    assert sorted(row["status"] for row in rows["unit"]) == 3 * ["audited"] + 2 * ["failed"]


def test_a_table_of_another_shape_is_refused(spark: Session, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    def refused(**columns: list[Any]) -> str:
        pq.write_table(pa.table(columns), tmp_path / "x.parquet")
        with pytest.raises(work.Refused) as said:
            source_table.table(spark.spark, str(tmp_path / "x.parquet"), "parquet")
        return str(said.value)

    assert "it has name, text" in refused(name=["a"], text=["b"])
    assert "must be text or bytes, not bigint" in refused(cluster=["a"], path=["a"], content=[1])
    assert "must map paths" in refused(cluster=["a"], files=["a/x.yaml"])


def test_a_unit_goes_where_its_weight_belongs(spark: Session, tmp_path: Path) -> None:
    rows = [
        {"cluster": f"c{number:03d}", "path": path, "content": "# " + 2000 * "x"}
        for number in range(40)
        for path in ("a.yaml", "b.yaml")
    ]
    rows += [{"cluster": "giant", "path": f"{n}.yaml", "content": 60_000 * "x"} for n in range(50)]
    path = lines(tmp_path / "t.jsonl", reversed(rows))
    source = source_table.table(spark.spark, path, "json")
    source.weigh()
    assert {unit.name: unit.bytes for unit in source.units}["giant"] == 50 * 60_000
    frame = source.spread(spark.spark, 2, 0)
    held = frame.select("unit", "files").collect()
    # Rows of a unit follow each other, so that they can be put together.
    units = [row["unit"] for row in held]
    assert [u for at, u in enumerate(units) if at == 0 or units[at - 1] != u] == list(
        dict.fromkeys(units)
    )
    from pyspark.sql import functions as F

    where = frame.select("unit", F.spark_partition_id().alias("at")).distinct().collect()
    at = {row["unit"]: row["at"] for row in where}
    assert len(where) == len(at) == 41
    assert at["giant"] == 0
    assert list(at.values()).count(0) == 1
    # The others are split as the driver says: part by part, fewer units in each.
    parts = work.bins(source.units, 2)
    assert {unit.name: number for number, part in enumerate(parts) for unit in part} == at
    assert len(parts) > 4


def test_rows_of_a_unit_are_put_together_up_to_a_limit() -> None:
    def row(unit: str, *files: Any, place: str = work.FILES, problem: str = "") -> dict[str, Any]:
        return {
            "unit": unit,
            "ref": "t",
            "place": place,
            "files": list(files),
            "bytes": 0,
            "problem": problem or None,
        }

    one, two = ("a", b"1", None), ("b", b"22", None)
    both = (work.FILES, work.LOOSE)
    rows = [
        row("x", one),
        row("x", two),
        row("y", one),
        row("z", place="tree"),
        row("z", place="tree"),
    ]
    found = list(gathered(rows, both))
    assert [(r["unit"], r["files"]) for r in found] == [
        ("x", [one, two]),
        ("y", [one]),
        ("z", []),
        ("z", []),
    ]
    assert found[0]["bytes"] == 3
    large = ("c", bytes(800_000), None)
    (held,) = gathered([row("x", large), row("x", large), row("x", large)], both, 1)
    assert (held["files"], held["problem"]) == ([], "used more than 1 MiB of memory")
    lost = [row("x", problem=f"p{n % 7}") for n in range(14)]
    assert next(iter(gathered(lost, both)))["problem"] == (
        "p0 (2 times); p1 (2 times); p2 (2 times); p3 (2 times); p4 (2 times) and 2 more"
    )


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["c1/a.yaml", "c1/b/c.yaml"], ["c1/a.yaml", "c1/b/c.yaml"]),
        (["/data/fleet/c1/a.yaml", "./x/c1/b.yaml"], ["c1/a.yaml", "c1/b.yaml"]),
        (["a.yaml", "/etc/kafka/b.yaml"], ["c1/a.yaml", "c1/etc/kafka/b.yaml"]),
        # One that is elsewhere would come to lie beside others that it has nothing to do with.
        (["c1/a.yaml", "b.yaml"], ["c1/c1/a.yaml", "c1/b.yaml"]),
        ([None, "c1/a.yaml"], [None, "c1/a.yaml"]),
    ],
)
def test_paths_of_a_table_start_at_the_cluster(paths: list[Any], expected: list[Any]) -> None:
    files = [(path, b"", None) for path in paths]
    assert [path for path, _, _ in settled("c1", files)] == expected


def test_what_is_only_pointed_at_is_no_source() -> None:
    members = Members(
        [("c/a.yaml", b"1", None), ("c/b.env", b"2", POINTED_AT), ("s/x.yaml", b"3", POINTED_AT)],
        "c",
        Settings().excluded,
    )
    assert list(members) == [("c/a.yaml", b"1")]
    assert members.lookup("c/b.env") == b"2"
    assert members.documents() == []


def test_a_packed_unit_that_could_not_be_read_is_told(spark: Session, tmp_path: Path) -> None:
    fleet = tmp_path / "fleet"
    for name in ("a", "b"):
        (fleet / name).mkdir(parents=True)
        (fleet / name / "kcheck.yaml").write_text(CLUSTER % name)
    (fleet / "a" / "gone.yaml").symlink_to("nowhere.yaml")
    (fleet / "bad.zip").write_bytes(b"no zip")
    packed = str(tmp_path / "packed.parquet")
    assert pack.pack(spark, Plan((str(fleet),), packed, Settings())) == (3, 1)
    seen = []
    for path in (str(fleet), packed):
        rows = streamed(spark, [path], tmp_path / "out", run=f"r{len(seen)}")
        assert len(rows["unit"]) == 3
        seen.append({(row["unit"], row["reason"], row["fatal"]) for row in rows["error"]})
    assert seen[0] == seen[1]
    assert ("a", "a dangling link", False) in seen[0]


def test_clusters_of_one_name_in_several_tables_are_told_apart(
    spark: Session, tmp_path: Path
) -> None:
    rows = [{"cluster": "a", "path": "a/kcheck.yaml", "content": CLUSTER % "a"}]
    paths = [lines(tmp_path / name, rows) for name in ("eu.jsonl", "us.jsonl")]
    (tmp_path / "tree" / "b").mkdir(parents=True)
    (tmp_path / "tree" / "b" / "kcheck.yaml").write_text(CLUSTER % "b")
    rows = streamed(spark, [*paths, str(tmp_path / "tree")], tmp_path / "out")
    assert {row["unit"] for row in rows["unit"]} == {"eu.jsonl/a", "us.jsonl/a", "b"}


def test_a_table_that_spark_splits_evenly_is_not_shuffled(spark: Session, tmp_path: Path) -> None:
    for number in range(64):
        (tmp_path / f"tree/c{number}").mkdir(parents=True)
        text = f"cluster: {{name: c{number}}}\n" + "# " + 4000 * "x"
        (tmp_path / f"tree/c{number}/kcheck.yaml").write_text(text)

    def packed(name: str, parts: int) -> sources.Source:
        plan = Plan((str(tmp_path / "tree"),), str(tmp_path / name), Settings(), partitions=parts)
        pack.pack(spark, plan)
        source = source_table.table(spark.spark, plan.out, "parquet")
        source.weigh()
        return source

    def shuffles(source: sources.Source, wanted: int = 0) -> bool:
        frame = source.spread(spark.spark, 2, wanted)
        assert sorted(row["unit"] for row in frame.select("unit").collect()) == sorted(
            unit.name for unit in source.units
        )
        return "Exchange" in frame._jdf.queryExecution().simpleString()

    with sources.finely(spark.spark, 2):
        assert not shuffles(packed("even.parquet", 32))
        assert shuffles(packed("even2.parquet", 32), wanted=3)
        # One part for everything is no help.
        assert shuffles(packed("lump.parquet", 1))
    assert spark.spark.conf.get("spark.sql.files.openCostInBytes") != "65536"
