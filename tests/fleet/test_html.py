"""The HTML report: what stands in it, what it leaves out, and that nothing in it does anything."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import Any

import pytest

from kcheck.fleet import html
from kcheck.report.page import PART, Columns, narrow

from . import published
from .page_reader import Page

HOSTILE = "</script><script>window.pwned=1</script><img src=x onerror=window.pwned=1>\u202e{title}"


def publish(folder: Path, **tables: list[dict[str, Any]]) -> Path:
    for name in published.SCHEMAS:
        published.put(folder, name, tables.get(name, []))
    return folder


def page_of(folder: Path, previous: str | None = "r0", limit: int = html.LIMIT) -> Page:
    return Page(Path(html.write(str(folder), published.manifest(folder, previous), limit)))


def three(folder: Path) -> Path:
    """Three clusters: one without findings, one with two, one that failed."""
    error = published.finding(
        "b",
        rule="KC0304",
        name="rf-le-brokers",
        severity="error",
        status="new",
        first_seen="r1",
        message="topic orders wants 5 replicas, cluster b has 3 brokers",
        fix=None,
        evidence=[],
        keys=[],
    )
    return publish(
        folder,
        units=[published.unit("a"), published.unit("b"), published.unit("c", status="failed")],
        clusters=[published.cluster("a"), published.cluster("b", kafka_version=None)],
        findings=[published.finding("b"), error],
        lifecycle=[
            {
                "unit": "a",
                "rule": "KC0903",
                "severity": "error",
                "status": "resolved",
                "message": "gone",
                "path": "x",
                "cluster": "a",
                "first_seen": "r0",
                "run": "r1",
                "fingerprint": "1",
            },
            {
                "unit": "b",
                "rule": "KC0302",
                "severity": "warning",
                "status": "persisting",
                "run": "r1",
                "first_seen": "r0",
                "fingerprint": "2",
            },
        ],
        errors=[
            {
                "unit": "c",
                "stage": "limit",
                "error": "OverLimit",
                "reason": "took longer than 300 s",
                "fatal": True,
            }
        ],
        consensus=[
            {
                "dimension": "environment",
                "group": "production",
                "key": "num.io.threads",
                "norm": "16",
                "support": 9,
                "of": 10,
                "share": 0.9,
                "confidence": 0.7214,
                "is_norm": True,
            }
        ],
        drift=[
            {
                "unit": "b",
                "cluster": "b",
                "scope": "fleet",
                "dimension": "environment",
                "group": "production",
                "key": "num.io.threads",
                "value": "8",
                "norm": "16",
                "support": 9,
                "of": 10,
                "origin": "set",
                "path": "b/s.properties",
                "line": 3,
            },
            {
                "unit": "b",
                "cluster": "b",
                "scope": "cluster",
                "key": "log.dirs",
                "value": "/x",
                "norm": "/y",
                "support": 2,
                "of": 3,
                "resource": "2",
                "origin": "set",
            },
        ],
    )


def test_a_finding_is_there_with_its_evidence_and_its_fix(tmp_path: Path) -> None:
    error, warning = page_of(three(tmp_path)).findings()
    assert (error["rule"], error["severity"], error["new"], error["seen"]) == ("KC0304", 2, 1, "r1")
    assert (error["fix"], error["safe"], error["evidence"], error["edits"]) == (None, 2, [], [])
    assert (warning["cluster"], warning["severity"], warning["new"]) == ("b", 1, 0)
    assert warning["keys"] == "min.insync.replicas, replication.factor"
    assert (warning["path"], warning["line"], warning["column"]) == ("b/topics.yaml", 7, 28)
    set_one, default = warning["evidence"]
    assert (set_one["key"], set_one["value"], set_one["origin"]) == (
        "min.insync.replicas",
        "4",
        "set",
    )
    assert (set_one["kind"], set_one["resource"], set_one["line"]) == ("topic", "orders", 7)
    assert (default["origin"], default["kafka_version"], default["path"]) == (
        "default",
        "3.9",
        None,
    )
    assert default["line"] == 0
    assert warning["fix"] == "lower min.insync.replicas to 2"
    assert warning["edits"] == [{"path": "b/topics.yaml", "text": "2", "line": 7, "column": 28}]


def test_a_finding_leads_its_cause_and_tells_what_it_stands_for(tmp_path: Path) -> None:
    also = {"rule": "KC0303", "message": "the same", "path": "b/x.yaml", "line": 3, "column": 1}
    led = published.finding("b", fingerprint="b-2", cause="b-1", message="follows")
    lead = published.finding(
        "b",
        cause="b-1",
        severity="error",
        also=[also],
        inferred="client of Kafka 3.7, inferred from quarkus 3.15.1 (pom.xml:1)",
        kafka="refuses",
    )
    # Fingerprints tell findings of one cluster apart.
    elsewhere = published.finding("a", fingerprint="a-2", cause="b-1")
    units = [published.unit("a"), published.unit("b")]
    found = page_of(publish(tmp_path, units=units, findings=[led, elsewhere, lead])).findings()
    assert [(one["message"][:7], one["lead"]) for one in found if one["cluster"] == "b"] == [
        (lead["message"][:7], 0),
        ("follows", 0),
    ]
    (other,) = [row for row, one in enumerate(found) if one["cluster"] == "a"]
    assert found[other]["lead"] == other
    assert [(one["rule"], one["path"], one["line"]) for one in found[0]["also"]] == [
        ("KC0303", "b/x.yaml", 3)
    ]
    assert (found[0]["kafka"], found[1]["kafka"]) == ("refuses", None)
    assert found[0]["inferred"] == lead["inferred"]


def test_a_run_of_an_older_kcheck_still_has_a_page(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    from kcheck.fleet import column_types, schemas

    folder = publish(tmp_path, units=[published.unit("b")], findings=[published.finding("b")])
    later = [name for name in column_types.names(schemas.BESIDE) if name != "clusters"]
    for path in (folder / "findings").glob("*.parquet"):
        pq.write_table(pq.read_table(path).drop_columns(later), path)
    (found,) = page_of(folder).findings()
    assert "lead" not in found and found["also"] == [] and found["kafka"] is None


def test_clusters_come_worst_first_and_failed_ones_are_among_them(tmp_path: Path) -> None:
    page = page_of(three(tmp_path))
    told = [
        (row["name"], row["status"], row["error"], row["warning"], row["new"], row["strays"])
        for row in page.tables["clusters"]
    ]
    assert told == [
        ("b", "audited", 1, 1, 1, 2),
        ("a", "audited", 0, 0, 0, 0),
        ("c", "failed", 0, 0, 0, 0),
    ]


def test_rules_are_counted_over_the_whole_run_and_the_one_before(tmp_path: Path) -> None:
    rules = {row["code"]: row for row in page_of(three(tmp_path)).tables["rules"]}
    assert set(rules) == {"KC0302", "KC0304", "KC0903"}
    assert (rules["KC0304"]["error"], rules["KC0304"]["new"], rules["KC0304"]["clusters"]) == (
        1,
        1,
        1,
    )
    assert (rules["KC0302"]["family"], rules["KC0302"]["severity"]) == ("durability", 1)
    assert (rules["KC0903"]["resolved"], rules["KC0903"]["error"]) == (1, 0)
    # The name of a rule that finds nothing any more is kcheck's own.
    assert rules["KC0903"]["name"] == "heartbeat-lt-session"


def test_drift_errors_and_resolved_findings_are_there(tmp_path: Path) -> None:
    page = page_of(three(tmp_path))
    (norm,) = page.tables["norms"]
    assert (norm["key"], norm["value"], norm["support"], norm["of"]) == (
        "num.io.threads",
        "16",
        9,
        10,
    )
    assert (norm["confidence"], norm["strays"]) == (721, 1)
    within, among = page.tables["strays"]
    assert (within["norm"], within["key"], within["resource"], within["usual"]) == (
        0,
        "log.dirs",
        "2",
        "/y",
    )
    assert (among["norm"], among["value"], among["line"]) == (1, "8", 3)
    (gone,) = page.tables["resolved"]
    assert (gone["message"], gone["severity"], gone["seen"]) == ("gone", 2, "r0")
    (error,) = page.tables["errors"]
    assert (page.tables["clusters"][error["cluster"]]["name"], error["fatal"]) == ("c", 1)
    assert page.facts["totals"] == {
        "findings": 2,
        "norms": 1,
        "strays": 2,
        "resolved": 1,
        "errors": 1,
    }


def test_heat_adds_up_to_the_findings(tmp_path: Path) -> None:
    published.large(tmp_path, 40, mean=30)
    page = page_of(tmp_path)
    heat, clusters = page.tables["heat"], page.tables["clusters"]
    assert sum(row["count"] for row in heat) == page.facts["totals"]["findings"]
    assert sum(row["new"] for row in heat) == sum(page.facts["new"].values())
    errors = [0] * len(clusters)
    for row in heat:
        errors[row["cluster"]] += row["count"] if row["severity"] == 2 else 0
    assert errors == [row["error"] for row in clusters]
    assert errors == sorted(errors, reverse=True)
    assert sum(row["error"] for row in page.tables["rules"]) == page.facts["findings"]["error"]


def test_a_folder_with_several_clusters_is_told_cluster_by_cluster(tmp_path: Path) -> None:
    publish(
        tmp_path,
        units=[published.unit("mono", clusters=2), published.unit("solo")],
        clusters=[published.cluster("mono", cluster=name) for name in ("eu", "us")]
        + [published.cluster("solo")],
        findings=[
            published.finding("mono", cluster="us"),
            published.finding("solo", cluster="elsewhere"),
        ],
    )
    names = [row["name"] for row in page_of(tmp_path).tables["clusters"]]
    assert names == ["mono / us", "solo", "mono / eu"]
    loose = published.finding("mono", cluster="mono/broken.yaml", severity="error")
    published.put(tmp_path, "findings", [loose])
    names = [row["name"] for row in page_of(tmp_path).tables["clusters"]]
    assert names == ["mono", "mono / eu", "mono / us", "solo"]


def test_a_run_without_findings_has_a_page(tmp_path: Path) -> None:
    publish(tmp_path, units=[published.unit("a")], clusters=[published.cluster("a")])
    page = page_of(tmp_path, previous=None)
    assert page.findings() == []
    assert page.facts["previous"] is None
    assert [row["name"] for row in page.tables["clusters"]] == ["a"]


# -- room -----------------------------------------------------------------------------------


def test_beyond_the_limit_the_gravest_newest_and_worst_stay(tmp_path: Path) -> None:
    published.large(tmp_path, 300, mean=80)
    whole = page_of(tmp_path)
    assert len(whole.findings()) == whole.facts["totals"]["findings"] > 2 * PART

    def classes(findings: list[dict[str, Any]]) -> list[tuple[int, int]]:
        return [(found["severity"], found["new"]) for found in findings]

    order = sorted(set(classes(whole.findings())), reverse=True)
    split = 0
    for share in (0.8, 0.7, 0.6, 0.5, 0.4, 0.3):
        limit = int(len(whole.text) * share)
        page = page_of(tmp_path, limit=limit)
        assert (tmp_path / "report.html").stat().st_size <= limit
        kept = page.findings()
        assert len(kept) < page.facts["totals"]["findings"] == whole.facts["totals"]["findings"]
        assert page.tables["rules"] == whole.tables["rules"]
        cut = classes(kept)[-1]
        assert classes(kept) == sorted(classes(kept), reverse=True)
        for one in order[: order.index(cut)]:
            assert classes(kept).count(one) == classes(whole.findings()).count(one)
        # Of the class that did not fit, the clusters from the worst down to one, and no other.
        names = {row["name"]: at for at, row in enumerate(page.tables["clusters"])}
        kept_at, all_at = (
            [names[found["cluster"]] for found in findings if classes([found]) == [cut]]
            for findings in (kept, whole.findings())
        )
        split += max(kept_at) < max(all_at)
        reached = [at for at in all_at if at <= max(kept_at)]
        assert len(reached) - PART <= len(kept_at) <= len(reached)
    assert split


def test_what_is_cut_short_tells_how_much_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    published.large(tmp_path, 120, mean=10)
    for name, rows in (
        ("STRAYS", 10),
        ("RESOLVED_ROWS", 5),
        ("ERRORS", 1),
        ("NORMS", 3),
        ("HEAT_ROWS", 600),
    ):
        monkeypatch.setattr(html, name, rows)
    page = page_of(tmp_path)
    for name, rows in (("strays", 10), ("resolved", 5), ("errors", 1), ("norms", 3)):
        assert len(page.tables[name]) == rows < page.facts["totals"][name]
    assert page.tables["errors"][0]["fatal"] == 1
    covered = page.facts["heat_clusters"]
    assert {row["cluster"] for row in page.tables["heat"]} == set(range(covered))
    assert 0 < len(page.tables["heat"]) <= 600


# -- safety ---------------------------------------------------------------------------------


def hostile(folder: Path) -> Path:
    evidence = [
        {
            "key": HOSTILE,
            "value": HOSTILE,
            "origin": "set",
            "from": "x",
            "resource": {"kind": "topic", "name": HOSTILE},
            "path": HOSTILE,
            "line": 1,
        }
    ]
    return publish(
        folder,
        units=[published.unit(HOSTILE, owner=HOSTILE, environment=HOSTILE), published.unit("b")],
        clusters=[
            published.cluster(HOSTILE, owner=HOSTILE, environment=HOSTILE),
            published.cluster("b"),
        ],
        findings=[
            published.finding(
                HOSTILE,
                message=HOSTILE,
                path=HOSTILE,
                evidence=evidence,
                consequence=HOSTILE,
                url="javascript:window.pwned=1",
                rule="ORG-1",
                name=HOSTILE,
            )
        ],
        errors=[
            {"unit": HOSTILE, "path": HOSTILE, "reason": HOSTILE, "stage": "read", "fatal": False}
        ],
    )


def test_hostile_names_are_data_and_nothing_else(tmp_path: Path) -> None:
    page = page_of(hostile(tmp_path))
    assert page.findings()[0]["message"] == HOSTILE
    assert "pwned" not in page.text
    assert page.shell.count("<script") == page.shell.count("</script") == 1


def test_the_run_id_in_the_title_is_escaped(tmp_path: Path) -> None:
    three(tmp_path)
    told = published.manifest(tmp_path) | {"run_id": "<b>&"}
    page = Page(Path(html.write(str(tmp_path), told)))
    assert "<title>kcheck audit &lt;b&gt;&amp;</title>" in page.text


def test_the_page_asks_for_nothing_from_elsewhere(tmp_path: Path) -> None:
    shell = page_of(three(tmp_path)).shell
    without_csp = re.sub(r"<meta http-equiv[^>]*>", "", shell)
    assert not re.search(r"https?://(?!\S*\\/)", without_csp)
    assert not re.search(
        r"\bsrc=|@import|url\(|<link|\bfetch\(|XMLHttpRequest|\bimport\(", without_csp
    )
    # The one program and the one style sheet are those that the policy of the page lets run.
    for tag in ("script", "style"):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", shell, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in shell
    assert "default-src 'none'" in shell


def test_the_program_never_reads_data_as_html(tmp_path: Path) -> None:
    shell = page_of(three(tmp_path)).shell
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", shell
    )


def test_a_page_that_fails_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    three(tmp_path)
    before = page_of(tmp_path).text

    def broken(*args: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(html, "_errors", broken)
    with pytest.raises(OSError, match="disk full"):
        page_of(tmp_path)
    assert (tmp_path / "report.html").read_text("utf-8") == before
    assert not list(tmp_path.glob("*.tmp"))


# -- columns --------------------------------------------------------------------------------


@pytest.mark.parametrize(("most", "width"), [(0, 1), (255, 1), (256, 2), (65_535, 2), (65_536, 4)])
def test_numbers_take_no_more_room_than_they_need(most: int, width: int) -> None:
    assert narrow([0, most]).itemsize == width
    assert list(narrow([0, most])) == [0, most]


def test_a_column_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="column a has 2 values for 3 rows"):
        Columns(3).texts("a", ["x", "y"])
