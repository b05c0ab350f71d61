"""The inventory: what it says reaches the engine, and what is odd about it is told."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pytest

from kcheck import engine, rules, settings_file
from kcheck.circumstances import Circumstances
from kcheck.fleet import audit, column_types, inventory, run_warnings, schemas, task, work
from kcheck.fleet.inventory import Inventory
from kcheck.fleet.recipe import Recipe
from kcheck.fleet.rows import Rows
from kcheck.fleet.session import Session
from kcheck.settings import ClusterSettings, Settings

from .conftest import audited, streamed

DECLARED = b"kcheck: 1\ncluster: {name: a, kafka_version: '4.0', brokers: 3}\n"
TOPICS = b"topics: [{name: orders, partitions: 3, replication_factor: 5}]\n"


def register_of(*rows: dict[str, str], name: str = "inventory.csv") -> Inventory:
    columns = dict.fromkeys(key for row in rows for key in row)
    return Inventory(name, columns, rows)


def test_unknown_columns_are_told_once() -> None:
    known = register_of({"cluster": "a", "sla": "gold", "colour": "", "owner": "x"})
    assert known.remarks == ["inventory.csv: unknown columns are ignored: colour, sla"]
    assert known.rows == {"a": {"owner": "x"}}


def test_rows_of_one_cluster_are_put_together_as_far_as_they_agree() -> None:
    known = register_of(
        {"cluster": "a", "owner": "x", "region": "eu", "brokers": ""},
        {"cluster": "a", "owner": "x", "region": "us", "brokers": "3"},
        {"cluster": "", "owner": "y", "region": "", "brokers": ""},
        {"cluster": "b", "owner": "z", "region": "", "brokers": ""},
        {"cluster": "b", "owner": "z", "region": "", "brokers": ""},
    )
    assert known.rows == {"a": {"owner": "x", "brokers": "3"}, "b": {"owner": "z"}}
    assert known.remarks == [
        "inventory.csv: 1 row without a cluster",
        "inventory.csv: several rows for a, b",
        "inventory.csv: conflicting values, so these are ignored: a (region)",
    ]


def test_rows_that_match_nothing_are_told() -> None:
    known = register_of(*({"cluster": name} for name in ("eu/a", "b", "c", "misspelt", "lost")))
    known.compare(["eu/a", "us/a", "eu/b", "eu/c", "us/c"])
    assert known.remarks == [
        "inventory.csv: 2 rows for unknown clusters: lost, misspelt",
        "inventory.csv: c applies to each of eu/c, us/c",
    ]


def test_each_fact_is_read_as_a_declaration_reads_it() -> None:
    said, wrong = inventory.settings(
        {
            "kafka_version": "3.9",
            "client_version": "2.8.1",
            "environment": "Prod",
            "service": "MSK",
            "brokers": "3.0",
            "tenants": "4",
            "ram": "64GiB",
            "nic": "10Gbit/s",
            "cores": "2.5",
            "vm.max_map_count": "65530",
        }
    )
    assert not wrong
    assert (said.kafka_version, said.client_version) == ("3.9", "2.8.1")
    assert (said.environment, said.service) == ("production", "msk")
    assert {name: value for name, (_, value) in said.facts.items()} == {
        "brokers": 3,
        "tenants": 4,
        "ram": 64 << 30,
        "nic": 1_250_000_000,
        "cores": 2.5,
        "vm.max_map_count": 65530,
    }
    # An environment of the organisation's own is no mistake.
    assert inventory.settings({"environment": "staging"})[1] == []


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("kafka_version", "latest", "kafka_version must be a version such as 3.9, not latest"),
        ("brokers", "three", "brokers must be a whole number, not three"),
        ("ram", "much", "ram must be a size such as 64GiB, not much"),
        ("service", "amazon", "service must be one of self-managed, msk"),
    ],
)
def test_a_wrong_value_is_a_row_of_the_errors_and_says_nothing(
    name: str, text: str, reason: str
) -> None:
    said, (wrong,) = inventory.settings({name: text, "tenants": "2"})
    assert wrong.startswith(reason)
    assert list(said.facts) == ["tenants"]
    names = [*column_types.names(schemas.WORK), *column_types.names(schemas.FACTS)]
    row = {
        **dict.fromkeys(names),
        "unit": "a",
        "owner": "me",
        "place": work.FILES,
        "top": "a",
        "files": [("a/topics.yaml", TOPICS, None)],
        "facts": [(name, text)],
        "inventory": "fleet.csv",
    }
    rows = Rows()
    task.lint_row(Recipe(Settings()), row, rows)
    taken = rows.take().to_pylist()
    (error,) = [held["error"] for held in taken if held["kind"] == "error"]
    assert (error["unit"], error["owner"], error["path"]) == ("a", "me", "fleet.csv")
    assert (error["stage"], error["fatal"]) == ("inventory", False)
    assert error["reason"].startswith(reason)
    assert [held["unit"]["status"] for held in taken if held["kind"] == "unit"] == ["audited"]


def test_facts_of_the_settings_are_facts_of_the_cluster() -> None:
    said, _ = inventory.settings({"brokers": "3", "nofile": "1024"})
    # What kcheck.toml says counts more.
    settings = Settings(ClusterSettings("4.0"), cluster=said)
    project = engine.lint_project([("a/topics.yaml", TOPICS)], settings)
    (cluster,) = project.clusters
    assert cluster.broker_count.number == 3
    assert (cluster.fact("nofile").value, cluster.fact("nofile").origin) == (1024, "fact")
    assert not cluster.fact("ram").known
    (finding,) = [f for f in project.findings if f.code == "KC0304"]
    assert "3 brokers" in finding.message
    declared = b"kcheck: 1\ncluster: {name: a, brokers: 7, host: {nofile: 5, cores: 2}}\n"
    project = engine.lint_project([("a/kcheck.yaml", declared)], settings)
    (cluster,) = project.clusters
    assert cluster.broker_count.number == 3
    assert [cluster.fact(name).value for name in ("nofile", "cores")] == [1024, 2]


def test_names_of_several_units_and_inputs_without_any() -> None:
    def row(unit: str, status: str = "audited", read: int = 1) -> dict[str, object]:
        return {
            "unit": unit,
            "status": status,
            "files_read": read,
            "files_error": 0,
            "ignored_by": [],
        }

    (said,) = run_warnings.remarks(Settings(), table(row("a"), row("b"), row("a")))
    assert said.startswith("several inputs have a: ")
    assert run_warnings.remarks(Settings(), table(row("a"), row("b"))) == []
    assert run_warnings.nothing(table(row("a", read=0))) and run_warnings.nothing(table())
    assert not run_warnings.nothing(table(row("a", read=0), row("b")))
    assert not run_warnings.nothing(table(row("a", "failed", 0)))


def table(*units: dict[str, object]) -> pa.Table:
    return pa.Table.from_pylist(list(units), column_types.arrow(schemas.UNIT))


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_an_inventory_of_each_kind(spark: Session, tmp_path: Path, kind: str) -> None:
    for name in ("eu/a", "eu/b", "us/a", "us/b"):
        folder = tmp_path / "fleet" / name
        folder.mkdir(parents=True)
        (folder / "topics.yaml").write_bytes(TOPICS)
    said = [
        {"cluster": "us/a", "kafka-version": "3.10", "owner": "x", "brokers": "3"},
        {"cluster": "b", "kafka-version": "", "owner": "y", "brokers": ""},
    ]
    path = tmp_path / f"known.{kind}"
    if kind == "csv":
        lines = [",".join(said[0]), *(",".join(row.values()) for row in said)]
        path.write_text("\ufeff" + "\n".join(lines) + "\n")
    elif kind == "jsonl":
        path.write_text(
            '{"cluster": "us/a", "kafka-version": 3.10, "owner": "x", "brokers": 3}\n'
            '{"cluster": "b", "owner": "y"}\n'
        )
    else:
        import pyarrow as pa
        import pyarrow.parquet as pq

        typed = [{**row, "brokers": int(row["brokers"] or 0) or None} for row in said]
        pq.write_table(pa.Table.from_pylist(typed), path)
    known = inventory.read(spark.spark, str(path))
    assert known.rows == {
        "us/a": {"kafka_version": "3.10", "owner": "x", "brokers": "3"},
        "b": {"owner": "y"},
    }
    if kind != "csv":
        return
    paths = [str(tmp_path / "fleet")]
    rows = streamed(spark, paths, tmp_path / "out", depth=2, inventory=str(path))
    seen = {row["unit"]: row["owner"] for row in rows["unit"]}
    assert seen == {"eu/a": None, "eu/b": "y", "us/a": "x", "us/b": "y"}
    assert {row["unit"] for row in rows["finding"] if row["rule"] == "KC0304"} == {"us/a"}


def test_what_is_no_inventory_is_refused(spark: Session, tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("name,owner\na,b\n")
    with pytest.raises(work.Refused, match="no column cluster, only name, owner"):
        inventory.read(spark.spark, str(tmp_path / "x.csv"))
    with pytest.raises(work.Refused, match="not csv, jsonl"):
        inventory.read(spark.spark, str(tmp_path / "x.txt"))


def test_an_input_with_nothing_in_it_is_refused(
    spark: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty" / "a").mkdir(parents=True)
    (tmp_path / "empty" / "README.md").write_text("soon")
    (tmp_path / "none.jsonl").write_text("")
    for path in ("empty", "none.jsonl"):
        with pytest.raises(work.Refused, match=f"no Kafka configuration found in {path}"):
            streamed(spark, [path], tmp_path / "out")
    (tmp_path / "empty" / "a" / "app.yaml").write_text("name: app\n")
    with pytest.raises(work.Refused, match="no Kafka configuration found in empty"):
        audited(spark, ["empty"], tmp_path / "out")
    assert not os.path.exists(tmp_path / "out" / "latest.json")


def test_an_ignore_is_of_use_if_it_is_in_one_unit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kcheck.toml").write_text(
        "[[ignore]]\nrule = 'KC0304'\npath = 'a/**'\n"
        "[[ignore]]\nrule = 'KC0304'\npath = 'nowhere/**'\n"
        "[[ignore]]\nrule = 'KC0302'\npath = 'a/**'\nuntil = '2020-01-01'\n"
    )
    settings = settings_file.load(str(tmp_path / "kcheck.toml"), rules.load())[0]
    recipe = Recipe(settings, circumstances=audit.shared(Circumstances()))
    text = DECLARED + b"# kcheck: ignore[KC0306]\n" + TOPICS
    names = [*column_types.names(schemas.WORK), *column_types.names(schemas.FACTS)]
    seen: dict[str, dict[str, dict[str, object]]] = {}
    for unit in ("a", "b"):
        rows = Rows()
        files = [(f"{unit}/kcheck.yaml", text, None)]
        row = {"unit": unit, "place": work.FILES, "top": unit, "files": files}
        task.lint_row(recipe, {**dict.fromkeys(names), **row}, rows)
        held = rows.take().to_pylist()
        seen[unit] = {kind["kind"]: kind[kind["kind"]] for kind in held}
        codes = {kind["finding"]["rule"] for kind in held if kind["kind"] == "finding"}
        # A comment is judged where it stands, an entry of the settings is not.
        assert "KC0003" in codes and "KC0004" not in codes
        assert ("KC0304" in codes) == (unit == "b")
        paths = {kind["finding"]["path"] for kind in held if kind["kind"] == "finding"}
        assert paths == {f"{unit}/kcheck.yaml"}
    units = [seen[unit]["unit"] for unit in ("a", "b")]
    assert [unit["ignored_by"] for unit in units] == [[1], []]
    expired = "kcheck.toml:7: the ignore of KC0302 expired on 2020-01-01"
    unused = "kcheck.toml:4: the ignore of KC0304 hides nothing"
    assert run_warnings.remarks(settings, table(*units)) == [unused, expired]
    units[1]["status"] = "failed"
    assert run_warnings.remarks(settings, table(*units)) == [
        f"{unused} in the audited part",
        expired,
    ]
    partial = Circumstances(partial=True)
    assert run_warnings.remarks(settings, table(*units), partial) == [expired]
