"""Who strays from whom: support and confidence, defaults by version, brokers of one cluster."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from kcheck.fleet import drift
from kcheck.fleet.members import Members
from kcheck.fleet.profile import Said
from kcheck.fleet.recipe import Recipe
from kcheck.fleet.rows import Rows
from kcheck.fleet.session import Session
from kcheck.fleet.stream import of_kind
from kcheck.fleet.unit import lint_unit
from kcheck.settings import ClusterSettings, Settings

BROKER = {"num.io.threads": "16"}


def strays(
    spark: Session, tmp_path: Path, clusters: dict[str, dict[str, Any]]
) -> list[dict[str, Any]]:
    """The drift of clusters: name → version, owner, service, and ``brokers``, a list of settings.

    As the pipeline does it: clusters are linted, and what the tasks say of them is compared.
    """
    rows = Rows()
    for name, told in clusters.items():
        files = {
            f"{number}.properties": "".join(
                f"{key}={value}\n" for key, value in {"broker.id": number, **broker}.items()
            ).encode()
            for number, broker in enumerate(told.get("brokers", [BROKER]))
        }
        about = {"kafka_version": told.get("version"), "service": told.get("service")}
        settings = Settings(cluster=ClusterSettings(**{k: v for k, v in about.items() if v}))
        owner = (name, told.get("environment"), told.get("owner"), None)
        recipe = Recipe(settings, (), salt=b"salt")
        held = ((path, data, None) for path, data in files.items())
        members = Members(held, name, settings.excluded)
        lint_unit(recipe, settings, owner, partial(lambda held: held, members), rows)
    assert not rows.count("error")
    counted = Said()
    for profile in rows.of("profile"):
        counted.add(profile)
    for row in counted.rows():
        rows.add("said", row)
    stream = spark.spark.createDataFrame(pa.Table.from_batches([rows.take()]))
    profiles = of_kind(stream, "profile")
    peers = drift.members(profiles)
    said = drift.said(of_kind(stream, "said"))
    defaults = drift.default_values(spark.spark)
    norms = drift.consensus(said, peers, defaults)
    # As the pipeline does: the norms are a table before they are used.
    norms.coalesce(1).write.parquet(str(tmp_path / "norms"))
    norms = spark.spark.read.parquet(str(tmp_path / "norms"))
    among = drift.strays(peers, norms, defaults)
    return [row.asDict() for row in of_kind(stream, "stray").unionByName(among).collect()]


def fleet(count: int, **told: Any) -> dict[str, dict[str, Any]]:
    return {f"c{n:03d}": {"version": "3.9.1", **told} for n in range(count)}


def test_clusters_that_stray_from_their_group(spark: Session, tmp_path: Path) -> None:
    clusters = {
        **fleet(20, owner="pay", brokers=[{"num.io.threads": "16"}]),
        # Half of the other owner's clusters: a majority of 51% is no norm.
        **{
            f"d{n:02d}": {"owner": "shop", "brokers": [{"num.io.threads": str(4 + n % 2)}]}
            for n in range(21)
        },
        # Too few to have a norm.
        **{
            f"e{n}": {"owner": "lab", "brokers": [{"num.io.threads": "1" if n else "2"}]}
            for n in range(5)
        },
        "odd": {"version": "3.9.1", "owner": "pay", "brokers": [{"num.io.threads": "3"}]},
        # Says nothing: it has the default of its version, 8.
        "silent": {"version": "3.9.1", "owner": "pay", "brokers": [{"num.network.threads": "3"}]},
        # Says nothing, and nobody knows its default: the service's own.
        "msk": {
            "version": "3.9.1",
            "owner": "pay",
            "service": "msk",
            "brokers": [{"num.network.threads": "3"}],
        },
    }
    rows = [row for row in strays(spark, tmp_path, clusters) if row["dimension"] == "owner"]
    assert {row["group"] for row in rows} == {"pay"}
    found = {(row["unit"], row["key"], row["value"], row["origin"], row["norm"]) for row in rows}
    assert found == {
        ("odd", "num.io.threads", "3", "set", "16"),
        ("silent", "num.io.threads", "8", "default", "16"),
    }
    (odd,) = [row for row in rows if row["unit"] == "odd"]
    assert (odd["support"], odd["of"]) == (20, 22)
    assert odd["share"] == pytest.approx(20 / 22)
    assert odd["confidence"] == pytest.approx(0.7218, abs=1e-3)


def test_a_default_written_down_is_no_drift_and_versions_have_their_own(
    spark: Session, tmp_path: Path
) -> None:
    silent = [{"num.network.threads": "3"}]
    clusters = {
        **fleet(10, owner="a", brokers=silent),
        "written": {
            "version": "3.9.1",
            "owner": "a",
            "brokers": [{"log.retention.ms": "604800000"}],
        },
        "hours": {
            "version": "3.9.1",
            "owner": "a",
            "brokers": [{"log.retention.hours": "168", "log.retention.ms": "604800000"}],
        },
        # Strays from the default that all others leave alone or write down.
        "old": {"version": "2.8.2", "owner": "a", "brokers": [{"log.retention.ms": "1"}]},
    }
    rows = [r for r in strays(spark, tmp_path, clusters) if r["dimension"] == "owner"]
    assert {(row["unit"], row["key"]) for row in rows} == {("old", "log.retention.ms")}


def test_brokers_that_stray_from_their_cluster(spark: Session, tmp_path: Path) -> None:
    clusters = {
        "one": {"version": "3.9.1", "brokers": [BROKER, BROKER, {"num.io.threads": "4"}]},
        "two": {"version": "3.9.1", "brokers": [BROKER, {"num.io.threads": "4"}]},
        # The default of io threads is 8: who writes it down does not differ from who leaves it.
        "three": {"version": "3.9.1", "brokers": [{"num.io.threads": "8"}, {}, {}]},
        "four": {"version": "3.9.1", "brokers": [{"num.io.threads": "9"}, {}, {}]},
        "ids": {"version": "3.9.1", "brokers": [{"node.id": "1"}, {"node.id": "2"}]},
        "secret": {
            "version": "3.9.1",
            "brokers": [
                {"ssl.key.password": "aa"},
                {"ssl.key.password": "aa"},
                {"ssl.key.password": "bb"},
            ],
        },
    }
    rows = [r for r in strays(spark, tmp_path, clusters) if r["scope"] == "cluster"]
    found = {(r["unit"], r["resource"], r["value"], r["norm"], r["support"]) for r in rows}
    assert found == {
        ("one", "2", "4", "16", 2),
        ("two", "0", "16", None, 0),
        ("two", "1", "4", None, 0),
        ("four", "0", "9", "8", 2),
        ("secret", "2", "[hidden]", "[hidden]", 2),
    }


def test_who_is_torn_or_templated_has_no_say(spark: Session, tmp_path: Path) -> None:
    clusters = {
        **fleet(12, owner="a", brokers=[BROKER]),
        "odd": {"version": "3.9.1", "owner": "a", "brokers": [{"num.io.threads": "3"}]},
        "torn": {"version": "3.9.1", "owner": "a", "brokers": [BROKER, {"num.io.threads": "4"}]},
        "templated": {
            "version": "3.9.1",
            "owner": "a",
            "brokers": [BROKER, {"num.io.threads": "${IO_THREADS}"}],
        },
    }
    rows = strays(spark, tmp_path, clusters)
    assert {(r["unit"], r["scope"]) for r in rows} == {
        ("odd", "fleet"),
        ("torn", "cluster"),
    }
    assert {(r["support"], r["of"]) for r in rows if r["dimension"] == "owner"} == {(12, 13)}
