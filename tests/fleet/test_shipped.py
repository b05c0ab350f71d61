"""The fleet that the README audits: what is planted in it is what an audit tells of it."""

from __future__ import annotations

from pathlib import Path

from kcheck.fleet.session import Session

from .conftest import ROOT, Lint, audited, table

SHIPPED = ROOT / "fixtures" / "fleet"


def test_the_shipped_fleet(spark: Session, lint: Lint, tmp_path: Path) -> None:
    inventory = str(SHIPPED / "inventory.csv")
    outcome = audited(spark, [str(SHIPPED / "clusters")], tmp_path, inventory=inventory)
    findings = table(outcome.folder, "findings")
    assert {(f["unit"], f["rule"]) for f in findings if f["severity"] != "info"} == {
        ("ledger", "KC1211"),
        ("ledger", "KC0201"),
        ("logistics-hub", "KC0001"),
        ("orders-us", "KC0304"),
        ("payments-us", "KC0307"),
        ("payments-us", "KC1205"),
        ("search-us", "KC0903"),
        ("search-us", "KC1801"),
    }
    # That a key was removed is known of a version, and the inventory alone tells it.
    assert "KC0201" not in {f["rule"] for f in lint(str(SHIPPED / "clusters"))}
    assert {f["owner"] for f in findings if f["unit"] == "ledger"} == {"payments"}

    clusters = {row["unit"]: row for row in table(outcome.folder, "clusters")}
    assert len(clusters) == 12
    # Strimzi has one resource for its three brokers, the sandbox one broker.
    assert {row["brokers"] for name, row in clusters.items() if name != "sandbox"} == {3}
    assert clusters["sandbox"]["brokers"] == 1

    (damaged,) = table(outcome.folder, "errors")
    assert (damaged["unit"], damaged["fatal"]) == ("logistics-hub", False)
    assert damaged["path"].endswith("topics.yaml")
    assert not outcome.broken

    columns = ("scope", "unit", "key", "value", "norm", "origin", "resource")
    assert {tuple(row[name] for name in columns) for row in table(outcome.folder, "drift")} == {
        ("fleet", "clickstream-eu", "log.retention.ms", "86400000", "604800000", "set", None),
        ("fleet", "search-us", "num.replica.fetchers", "1", "4", "default", None),
        ("cluster", "search-us", "log.segment.bytes", "536870912", "1073741824", "set", "3"),
    }
