"""A repeat of a finding is seen at its own place in each format, and counted alike in all of them."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from typing import Any

import pytest
from made import Files, found, run

from kcheck import report
from kcheck.model import ERROR
from kcheck.report import Run

ANSWERS = {
    "text": """\
error[KC0701 shadowed]: hours=1 is overridden
  --> kb1.properties:1:7
  |
1 | hours=1
  |       ^
  = also at: kb2.properties:1:7
  = same cause:
    warning[KC0702 finer]: minutes=2 is finer
      --> kb1.properties:1:7
    warning[KC0703 finest]: ms=3 is the finest
      --> kb2.properties:3:4

""",
    "concise": """\
kb1.properties:1:7: error KC0701 hours=1 is overridden
kb2.properties:1:7: error KC0701 hours=1 is overridden (repeats kb1.properties:1)
kb2.properties:3:4: warning KC0703 ms=3 is the finest (same cause as KC0701, kb1.properties:1)
""",
    "github": """\
::error title=kcheck (KC0701 shadowed),file=kb1.properties,line=1,endLine=1,col=7,endColumn=8::\
hours=1 is overridden
::error title=kcheck (KC0701 shadowed),file=kb2.properties,line=1,endLine=1,col=7,endColumn=8::\
hours=1 is overridden (repeats kb1.properties:1)
::warning title=kcheck (KC0703 finest),file=kb2.properties,line=3,endLine=3,col=4,endColumn=5::\
ms=3 is the finest (same cause as KC0701, kb1.properties:1)
""",
    "checkstyle": """\
<?xml version="1.0" encoding="UTF-8"?>
<checkstyle version="4.3">
<file name="kb1.properties">
<error line="1" column="7" severity="error" message="hours=1 is overridden" source="kcheck.KC0701.shadowed"/>
</file>
<file name="kb2.properties">
<error line="1" column="7" severity="error" message="hours=1 is overridden (repeats kb1.properties:1)" \
source="kcheck.KC0701.shadowed"/>
<error line="3" column="4" severity="warning" message="ms=3 is the finest (same cause as KC0701, \
kb1.properties:1)" source="kcheck.KC0703.finest"/>
</file>
</checkstyle>
""",
}


def repeated(**more: Any) -> Run:
    """A finding with a repeat on its own line, one on a copy, and one of another rule there."""
    text = "hours=1\nminutes=2\nms=3\n"
    files = Files(kb1_properties=text, kb2_properties=text)
    first = files.resource("broker", "1", "kb1.properties")
    second = files.resource("broker", "2", "kb2.properties")
    hours = files.set(first, "hours", "1")
    lead = found("hours=1 is overridden", hours, code="KC0701", name="shadowed", severity=ERROR)
    beside = found("minutes=2 is finer", hours, code="KC0702", name="finer")
    copy = found(
        "hours=1 is overridden",
        files.set(second, "hours", "1"),
        code="KC0701",
        name="shadowed",
        severity=ERROR,
    )
    other = found("ms=3 is the finest", files.set(second, "ms", "3"), code="KC0703", name="finest")
    made = run(files, lead, beside, copy, other, **more)
    lead.also = (beside, copy, other)
    made.findings = [lead]
    return made


@pytest.mark.parametrize("format", ANSWERS)
def test_it_stands_where_the_readers_of_the_format_look(format: str) -> None:
    assert report.render(format, repeated()) == ANSWERS[format]


def test_sarif_has_a_result_that_leads_to_the_finding() -> None:
    log = json.loads(report.render("sarif", repeated()))["runs"][0]
    lead, copy, other = log["results"]
    prints = [one["partialFingerprints"]["kcheck/v1"] for one in log["results"]]
    assert len(set(prints)) == 3
    assert "repeats" not in lead["properties"] and "relatedLocations" not in lead
    for one, rule in ((copy, "KC0701"), (other, "KC0703")):
        assert one["ruleId"] == rule and one["properties"]["repeats"] == prints[0]
        (near,) = one["relatedLocations"]
        assert near["message"]["text"] == "KC0701, same cause"
        assert near["physicalLocation"] == lead["locations"][0]["physicalLocation"]
        place = one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert place == "kb2.properties"


def test_gitlab_has_an_entry_with_a_fingerprint_of_its_own() -> None:
    entries = json.loads(report.render("gitlab", repeated()))
    assert len({entry["fingerprint"] for entry in entries}) == 3
    places = [(e["location"]["path"], e["location"]["lines"]["begin"]) for e in entries]
    assert places == [("kb1.properties", 1), ("kb2.properties", 1), ("kb2.properties", 3)]


def test_junit_fails_as_often_as_findings_count() -> None:
    suites = list(ET.fromstring(report.render("junit", repeated())))
    told = [(s.get("name"), s.get("tests"), s.get("failures"), s.get("skipped")) for s in suites]
    assert told == [("kb1.properties", "1", "1", "0"), ("kb2.properties", "2", "0", "2")]


def test_markdown_tells_it_under_the_finding() -> None:
    text = report.render("markdown", repeated())
    assert "### kcheck: 1 error\n" in text and "| 1 |" in text
    assert "- **same cause**: KC0701 hours=1 is overridden (`kb2.properties:1`)\n" in text
    assert "- **same cause**: KC0702 minutes=2 is finer (`kb1.properties:1`)\n" in text


def test_json_holds_all_and_counts_those_of_other_lines() -> None:
    whole = json.loads(report.render("json", repeated()))
    assert whole["summary"]["findings"]["error"] == 1 and whole["summary"]["repeats"] == 2
    (finding,) = whole["findings"]
    assert [one["rule"] for one in finding["also"]] == ["KC0702", "KC0701", "KC0703"]


def test_the_footer_counts_what_the_format_shows() -> None:
    assert report.footer(repeated(formats=["text"])).startswith("Found 1 error in 2 files;")
    lines = report.footer(repeated(formats=["github"]))
    assert lines.startswith("Found 1 error with 2 repeats at other lines in 2 files;")
