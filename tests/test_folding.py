"""A fault of what clusters share is told once, with the clusters that it holds in."""

from __future__ import annotations

import json

from kcheck import ends
from kcheck.engine import lint_project
from kcheck.model import ERROR, WARNING, Finding, Setting, Value
from kcheck.report import Run, render
from kcheck.settings import Settings

TEXT = """\
cluster: {name: lab, brokers: 3, kafka_version: "4.1"}
topics:
  - {name: orders, partitions: 6, replication_factor: 2, config: {min.insync.replicas: 2}}
"""


def finding(cluster: str, severity: str = WARNING, other: str = "") -> Finding:
    """One of a topic in a base; ``other`` is a file that has part in it, an overlay."""
    found = lint_project([("base/kcheck.yaml", TEXT.encode())], Settings()).findings
    made = next(f for f in found if f.resource.kind == "topic")
    made.cluster = made.cluster_id = cluster
    made.severity = severity
    if other:
        setting = Setting("brokers", "1", other, (3, 1, 3, 2))
        value = Value("brokers", made.resource, "fact", "1", 1, True, setting)
        made.evidence = (*made.evidence, value)
    return made


def test_one_of_each_cluster_is_one() -> None:
    (one,) = ends.folded([finding("dev"), finding("live", ERROR), finding("test")])
    assert one.clusters == ("dev", "live", "test")
    assert one.cluster == "dev"
    assert one.severity == ERROR


def test_what_an_overlay_has_part_in_is_told_of_each() -> None:
    found = [finding("dev", other="dev/kafka.yaml"), finding("live", other="live/kafka.yaml")]
    assert ends.folded(found) == found
    assert [f.clusters for f in found] == [(), ()]


def test_two_of_one_cluster_are_two() -> None:
    found = [finding("dev"), finding("dev")]
    assert ends.folded(found) == found


def test_the_reports_name_the_clusters() -> None:
    project = lint_project([("base/kcheck.yaml", TEXT.encode())], Settings())
    project.findings = ends.folded([finding("dev"), finding("live")])
    (record,) = json.loads(render("json", Run(project)))["findings"]
    assert record["clusters"] == ["dev", "live"]
    assert "= effective in: dev, live\n" in render("text", Run(project))
