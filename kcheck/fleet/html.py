"""The report of a run for people: the published tables as one page (see ``report/page``)."""

from __future__ import annotations

import os

from kcheck.fleet import arrow_columns as arrow
from kcheck.fleet import html_findings
from kcheck.fleet.html_clusters import Clusters, rank
from kcheck.fleet.html_rules import Rules
from kcheck.fleet.lifecycle import NEW, RESOLVED
from kcheck.fleet.tables import Tables
from kcheck.report.page import Columns, Page, PageFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import pyarrow as pa

#: The page has at most so many bytes, unless its counts alone take more.
LIMIT = 28_000_000

#: Rows that the page has of tables other than the findings; its facts tell the true totals.
HEAT_ROWS = 1_000_000
NORMS = 10_000
STRAYS = 40_000
RESOLVED_ROWS = 20_000
ERRORS = 10_000


def write(folder: str, manifest: dict[str, Any], limit: int = LIMIT) -> str:
    """Write ``report.html`` into the folder that holds the tables of a run; gives its path.

    ``limit`` bounds the page's bytes: findings beyond it are left out, what is counted stays.
    """
    path = os.path.join(folder, "report.html")
    tables = Tables(folder)
    clusters = Clusters(tables)
    groups = clusters.count(_groups(tables, clusters), tables)
    rules = Rules(tables, groups)
    with PageFile(path, f"kcheck audit {manifest['run_id']}") as page:
        page.table("clusters", clusters.columns())
        page.table("rules", rules.columns())
        covered = _heat(page, groups, clusters, rules)
        totals = {
            "findings": sum(manifest["findings"].values()),
            **_drift(page, tables, clusters),
            **_resolved(page, tables, clusters, rules),
            **_errors(page, tables, clusters),
        }
        html_findings.write(page, tables, groups, clusters, rules, limit)
        page.facts(
            {
                "title": "Fleet audit",
                "run": manifest["run_id"],
                "failed": manifest["units"]["failed"],
                "elsewhere": "the Parquet tables beside this report",
                "totals": totals,
                "heat_clusters": covered,
                **{name: manifest[name] for name in _TOLD},
            }
        )
    return path


_TOLD = ("tool", "previous", "started", "seconds", "inputs", "findings", "new", "lifecycle")


def _groups(tables: Tables, clusters: Clusters) -> pa.Table:
    """The findings counted by cluster (``at``), rule, severity (``rank``) and whether ``new``."""
    import pyarrow as pa
    import pyarrow.compute as pc

    def made(rows: pa.Table) -> pa.Table:
        return pa.table(
            {
                "at": clusters.places(rows["unit"], rows["cluster"]),
                "rule": rows["rule"],
                "rank": rank(rows["severity"]),
                "new": pc.equal(rows["status"], NEW),
            }
        )

    columns = ["unit", "cluster", "rule", "severity", "status"]
    return tables.counted("findings", columns, made=made)


def _heat(page: Page, groups: pa.Table, clusters: Clusters, rules: Rules) -> int:
    """Counts by cluster, rule and severity; gives how many of the clusters they cover."""
    import pyarrow as pa
    import pyarrow.compute as pc

    placed = pa.table(
        {
            "cluster": groups["at"],
            "rule": rules.places(groups["rule"]),
            "severity": groups["rank"],
            "count": groups["count"],
            "new": pc.if_else(groups["new"], groups["count"], pa.scalar(0, pa.int64())),
        }
    )
    by = ["cluster", "rule", "severity"]
    summed = placed.group_by(by).aggregate([("count", "sum"), ("new", "sum")])
    summed = summed.rename_columns([*by, "count", "new"])
    summed = summed.sort_by([(name, "ascending") for name in by])
    covered = len(clusters)
    if len(summed) > HEAT_ROWS:
        covered = summed["cluster"][HEAT_ROWS].as_py()
        summed = summed.filter(pc.less(summed["cluster"], covered))
    page.table("heat", arrow.table(summed, (), (*by, "count", "new")))
    return covered


def _drift(page: Page, tables: Tables, clusters: Clusters) -> dict[str, int]:
    """The norms and who strays from them, the clearest norms first."""
    import pyarrow as pa
    import pyarrow.compute as pc

    norms = tables.whole("consensus", None, {"is_norm": True})
    of = tables.counted("drift", list(_GROUP), {"scope": "fleet"})
    found = pc.index_in(_named(norms), arrow.one(_named(of)))
    norms = norms.append_column("count", pc.fill_null(of["count"].take(found), 0))
    # Those with strays first, of them the clearest.
    norms = norms.append_column("stray", pc.greater(norms["count"], 0)).sort_by(
        [
            *((name, "descending") for name in ("stray", "confidence", "count")),
            *((name, "ascending") for name in _GROUP),
        ]
    )
    totals = {
        "norms": len(norms),
        "strays": sum(b.num_rows for b in tables.batches("drift", ["key"])),
    }
    norms = norms.slice(0, NORMS)
    mille = pc.cast(pc.round(pc.multiply(norms["confidence"], 1000)), pa.int64())
    norms = norms.append_column("mille", mille)
    page.table(
        "norms",
        arrow.table(
            norms,
            ("dimension", "group", "key", "value=norm"),
            ("support", "of", "confidence=mille", "strays=count"),
        ),
    )
    page.table("strays", _strays(tables, clusters, norms))
    return totals


#: What names a norm.
_GROUP = ("dimension", "group", "key")


def _named(rows: pa.Table) -> pa.ChunkedArray:
    import pyarrow.compute as pc

    return pc.binary_join_element_wise(*(rows[name] for name in _GROUP), "\0")


def _strays(tables: Tables, clusters: Clusters, norms: pa.Table) -> Columns:
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = [*_GROUP, "unit", "cluster", "value", "norm", "support", "of"]
    columns += ["resource", "origin", "path", "line"]
    # Half of the room at most for brokers, so that they do not crowd out the clusters.
    within = tables.first("drift", columns, STRAYS // 2, {"scope": "cluster"})
    among = tables.first("drift", columns, STRAYS - len(within), {"scope": "fleet"})
    rows = pa.concat_tables([within, among])
    at = pc.fill_null(pc.add(pc.index_in(_named(rows), arrow.one(_named(norms))), 1), 0)
    rows = rows.append_column("at", at)
    rows = rows.append_column("whose", clusters.places(rows["unit"], rows["cluster"]))
    rows = rows.sort_by([(name, "ascending") for name in ("at", "whose", "key", "resource")])
    return arrow.table(
        rows,
        ("key", "value", "usual=norm", "resource", "origin", "path"),
        ("cluster=whose", "norm=at", "support", "of", "line"),
    )


def _resolved(page: Page, tables: Tables, clusters: Clusters, rules: Rules) -> dict[str, int]:
    """What the run before found and this one does not."""
    gone = {"status": RESOLVED}
    total = sum(b.num_rows for b in tables.batches("lifecycle", ["status"], gone))
    columns = ["unit", "cluster", "rule", "severity", "path", "message", "first_seen"]
    rows = tables.first("lifecycle", columns, RESOLVED_ROWS, gone)
    rows = (
        rows.append_column("whose", clusters.places(rows["unit"], rows["cluster"]))
        .append_column("rule_at", rules.places(rows["rule"]))
        .append_column("rank", rank(rows["severity"]))
        .sort_by([("rank", "descending"), ("rule_at", "ascending"), ("whose", "ascending")])
    )
    page.table(
        "resolved",
        arrow.table(
            rows,
            ("path", "message", "seen=first_seen"),
            ("cluster=whose", "rule=rule_at", "severity=rank"),
        ),
    )
    return {"resolved": total}


def _errors(page: Page, tables: Tables, clusters: Clusters) -> dict[str, int]:
    """What could not be read or judged, what ended the work on a cluster first."""
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = ["unit", "path", "stage", "error", "reason", "fatal"]
    total = sum(b.num_rows for b in tables.batches("errors", ["stage"]))
    grave = tables.first("errors", columns, ERRORS, {"fatal": True})
    rest = tables.first("errors", columns, ERRORS - len(grave), {"fatal": False})
    rows = pa.concat_tables([grave, rest])
    rows = rows.append_column("whose", clusters.places(rows["unit"], rows["unit"]))
    rows = rows.append_column("mild", pc.invert(rows["fatal"]))
    rows = rows.sort_by([(name, "ascending") for name in ("mild", "stage", "whose", "path")])
    page.table(
        "errors",
        arrow.table(rows, ("path", "stage", "error", "reason"), ("cluster=whose", "fatal")),
    )
    return {"errors": total}
