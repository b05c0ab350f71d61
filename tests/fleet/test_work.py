"""Inputs → units → bins, and the tables' columns; no Spark."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path

import pytest

from kcheck import discover, rules, settings_file
from kcheck.fleet import column_types, layout, schemas, work
from kcheck.fleet.members import Members
from kcheck.fleet.recipe import Recipe
from kcheck.fleet.session import Session
from kcheck.fleet.work import Home
from kcheck.globs import matcher
from kcheck.settings import Settings

from .conftest import Lint


def test_planted_faults_are_found_and_nothing_else(
    fleet: Path, lint: Lint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(fleet / "fleet")
    answers = [json.loads(line) for line in (fleet / "answers.jsonl").read_text().splitlines()]
    planted = {(a["rule"], f"{a['cluster']}/{a['path']}") for a in answers if a["kind"] == "fault"}
    corrupt = {f"{a['cluster']}/{a['path']}" for a in answers if a["kind"] == "corrupt"}
    found = {(f["rule"], f["path"]) for f in lint(".") if f["severity"] != "info"}
    assert len(planted) >= 10
    assert planted <= found
    assert {(rule, path) for rule, path in found - planted if path not in corrupt} == set()


def test_units_of_a_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in ("x/a/t.yaml", "x/b/t.yaml", "x/.git/t.yaml", "x/target/t.yaml", "y/b/t.yaml"):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("topics: []\n")
    (tmp_path / "x" / "README.md").write_text("a fleet")
    inputs = work.opened(["x"], Settings())
    assert [(u.name, u.place, u.ref) for u in inputs.units] == [
        ("a", layout.TREE, "a"),
        ("b", layout.TREE, "b"),
    ]
    assert [home.base for home in inputs.homes] == [str(tmp_path / "x")]
    with pytest.raises(work.Refused, match="does not exist"):
        work.opened(["z"], Settings())


def test_units_of_one_name_are_told_apart_by_their_inputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for path in (
        "x/a/t.yaml",
        "x/b/t.yaml",
        "y/b/t.yaml",
        "z/y/c/t.yaml",
        "z/y/b/t.yaml",
        "y/t.yaml",
    ):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("topics: []\n")

    def names(*paths: str) -> list[str]:
        return [u.name for u in work.opened(paths, Settings()).units]

    assert names("x", "y") == ["a", "x/b", ".", "y/b"]
    assert names("y", "z/y") == [".", f"{tmp_path.name}/y/b", "z/y/b", "c"]
    (tmp_path / "z/y/t.yaml").write_text("topics: []\n")
    assert names("x", "z/y") == ["a", "x/b", ".", "y/b", "c"]


def test_work_is_split_by_bytes_and_the_heaviest_comes_first() -> None:
    units = [work.Unit(f"u{n}", layout.TREE, "", 10_000) for n in range(5000)]
    giant = work.Unit("giant", layout.TREE, "", 50_000_000)
    bins = work.bins([*units, giant], slots=2)
    assert bins[0] == [giant]
    assert sorted(u.name for part in bins for u in part) == sorted(u.name for u in [*units, giant])
    sizes = [len(part) for part in bins[1:]]
    assert sizes == sorted(sizes, reverse=True)
    # Few tasks, and when the last one starts hardly anything is left to do.
    assert len(sizes) < 40
    assert sum(sizes[-2:]) < 0.03 * len(units)
    assert work.bins([], 2) == []
    assert len(work.bins(units[:1], 2)) == 1


def test_so_many_parts_as_are_wanted_weigh_about_the_same() -> None:
    units = [work.Unit(f"u{n}", layout.TREE, "", 1000 * (n % 7)) for n in range(100)]
    bins = work.bins(units, 2, wanted=5)
    assert len(bins) == 5
    loads = [sum(unit.bytes for unit in part) for part in bins]
    assert max(loads) - min(loads) <= 6000
    assert len(work.bins(units[:3], 2, wanted=5)) == 3


def test_members_are_chosen_as_a_walk_chooses_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    paths = (
        "f/c/server.properties",
        "f/c/a/x.yaml",
        "f/c/a.yaml",
        "f/c/notes.txt",
        "f/c/target/t.yaml",
        "f/c/.git/t.yaml",
        "f/c/..2024/t.yaml",
        "f/c/old/t.yaml",
        "f/c/kafka/bin/kafka-server-start.sh",
        "f/c/kafka/config/server.properties",
        "f/c/kafka/mine/server.properties",
        "f/c/build/x/t.yaml",
    )
    for path in paths:
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("a: 1\n")
    excluded = matcher(["old/**", "a.yaml"])
    walk = discover.Part("f/c", "", str(tmp_path), excluded)
    members = Members([(path, b"a: 1\n", None) for path in paths], "f/c", excluded)
    assert list(members) == list(walk)
    told = [(d.path, d.status, d.reason) for d in members.documents()]
    assert sorted(told) == sorted((d.path, d.status, d.reason) for d in walk.documents())


def test_units_of_one_input_look_into_the_folders_above_them_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b", "c"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "producer.properties").write_text("bootstrap.servers=k:9092\n")
    (tmp_path / "pom.xml").write_text("<project/>")
    seen: list[str] = []
    scandir = os.scandir

    def noted(path: str) -> object:
        seen.append(os.path.realpath(path))
        return scandir(path)

    home = Home(str(tmp_path), str(tmp_path))
    monkeypatch.setattr(os, "scandir", noted)
    for name in ("a", "b", "c"):
        part = discover.Part(name, home.base, home.root, listings=home.listings)
        assert part.lookup("pom.xml") == b"<project/>"
        assert part.lookup(f"{name}/pom.xml") is None
    assert seen.count(os.path.realpath(tmp_path)) == 1
    home.listings["gone"] = frozenset()
    assert not pickle.loads(pickle.dumps(home)).listings


def test_ddl_and_arrow_say_the_same(spark: Session) -> None:
    from pyspark.sql.pandas.types import from_arrow_schema
    from pyspark.sql.types import StructType, _parse_datatype_string

    for columns in (schemas.STREAM, schemas.WORK, schemas.PACKED):
        # Spark's own parser of DDL needs a session.
        parsed = _parse_datatype_string(column_types.ddl(columns))
        assert isinstance(parsed, StructType)
        assert from_arrow_schema(column_types.arrow(columns)) == parsed


def test_the_record_is_what_lint_prints(
    fleet: Path, lint: Lint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(fleet / "fleet")
    record = next(f for f in lint(".") if f["evidence"] and f["fix"])
    columns = dict(schemas.RECORD)
    assert list(record) == list(columns)
    assert list(record["evidence"][0]) == column_types.names(columns["evidence"][0])  # type: ignore[index]
    assert list(record["fix"]) == column_types.names(columns["fix"])


def test_settings_mean_the_same_files_from_wherever_the_audit_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fleet" / "a").mkdir(parents=True)
    (tmp_path / "fleet" / "a" / "t.yaml").write_text("topics: []\n")
    (tmp_path / "kcheck.toml").write_text(
        "exclude = ['fleet/old/']\n"
        "[[overrides]]\npaths = ['fleet/a/**']\nignore = ['KC0304']\n"
        "[[clusters]]\nname = 'one'\npaths = ['fleet/a/**']\n"
        "[[ignore]]\nrule = 'KC0302'\npath = 'fleet/b/*.yaml'\n"
    )
    rule = rules.load()["KC0304"]
    for here, path in (
        (".", "fleet"),
        ("fleet", "."),
        ("fleet/a", ".."),
        ("/", f"{tmp_path}/fleet"),
    ):
        monkeypatch.chdir(tmp_path / here)
        settings = settings_file.load(str(tmp_path / "kcheck.toml"), rules.load())[0]
        inputs = work.opened([path], settings)
        assert [unit.ref for unit in inputs.units] == ["a"]
        seen = Recipe(settings, inputs.homes).settings({"place": layout.TREE, "home": 0})
        assert seen.severity(rule, "a/t.yaml", "error") is None
        assert seen.severity(rule, "b/t.yaml", "error") == "error"
        assert seen.cluster_of("a/x/t.yaml") == "one"
        assert seen.cluster_of("b/t.yaml") is None
        assert [entry.matches("b/t.yaml") for entry in seen.ignores] == [True]
        assert [seen.excluded(path) for path in ("old/", "a/old/")] == [True, False]
