"""Workflow commands: their escaping, and the paths that GitHub knows."""

from __future__ import annotations

from made import Files, found, run

from kcheck import report
from kcheck.model import ERROR, INFO


def test_a_command() -> None:
    files = Files(a_properties="acks=1\n")
    producer = files.resource("producer", "p", "a.properties")
    made = found("m", files.set(producer, "acks", "1"), breaks="b", fix="f", severity=ERROR)
    assert report.render("github", run(files, made, prefix="x")) == (
        "::error title=kcheck (KC0307 acks-bypass-min-isr),file=x/a.properties,"
        "line=1,endLine=1,col=6,endColumn=7::m%0Ab%0Afix: f\n"
    )


def test_escaping() -> None:
    files = Files()
    files.add("a,b:c%.properties", "acks=1\n")
    producer = files.resource("producer", "p", "a,b:c%.properties")
    made = found("50% of a::b, c\r\nd", files.set(producer, "acks", "1"), severity=INFO)
    (line,) = report.render("github", run(files, made)).splitlines()
    assert line.startswith("::notice ")
    assert ",file=a%2Cb%3Ac%25.properties," in line
    assert line.endswith("::50%25 of a::b, c␍␊d")


def test_a_span_of_several_lines_has_no_columns() -> None:
    files = Files(a_properties="acks=1\n\n")
    producer = files.resource("producer", "p", "a.properties")
    made = found("m", files.set(producer, "acks", "1"))
    made.at = (1, 1, 2, 1)
    assert ",line=1,endLine=2::m" in report.render("github", run(files, made))
