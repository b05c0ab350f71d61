"""Who strays from whom: support and confidence, defaults by version, brokers of one cluster."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kcheck.fleet import drift, schemas
from kcheck.fleet.session import Session

BROKER = {"num.io.threads": "16"}


def strays(
    spark: Session, tmp_path: Path, clusters: dict[str, dict[str, Any]]
) -> list[dict[str, Any]]:
    """The drift of clusters: name → version, owner, service, and ``brokers``, a list of settings."""
    settings: list[dict[str, Any]] = []
    known: list[dict[str, Any]] = []
    for name, told in clusters.items():
        whose = {
            "unit": name,
            "cluster": name,
            "kafka_version": told.get("version"),
            "owner": told.get("owner"),
            "environment": told.get("environment"),
        }
        brokers = told.get("brokers", [BROKER])
        known.append({**whose, "brokers": len(brokers), "service": told.get("service")})
        for number, broker in enumerate(brokers):
            for key, value in broker.items():
                text, digest = value if isinstance(value, tuple) else (value, None)
                place = {"kind": "broker", "resource": str(number), "path": f"{name}/s.properties"}
                settings.append(
                    {**whose, **place, "key": key, "value": text, "digest": digest, "line": 1}
                )

    def frame(rows: list[dict[str, Any]], columns: object) -> Any:
        names = schemas.names(columns)
        return spark.spark.createDataFrame(
            [tuple(row.get(name) for name in names) for row in rows], schemas.ddl(columns)
        )

    compared = drift.comparable(frame(settings, schemas.SETTING))
    held = frame(known, schemas.CLUSTER)
    defaults = drift.default_values(spark.spark, compared)
    norms = drift.consensus(compared, held, defaults)
    # As the pipeline does: the norms are a table before they are used.
    norms.coalesce(1).write.parquet(str(tmp_path / "norms"))
    norms = spark.spark.read.parquet(str(tmp_path / "norms"))
    rows = drift.strays(compared, held, defaults, norms).collect()
    return [row.asDict() for row in rows]


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
                {"ssl.key.password": ("[hidden]", "aa")},
                {"ssl.key.password": ("[hidden]", "aa")},
                {"ssl.key.password": ("[hidden]", "bb")},
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
