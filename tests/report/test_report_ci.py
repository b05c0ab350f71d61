"""The formats that CI servers and code hosts read: gitlab, junit, checkstyle, markdown."""

from __future__ import annotations

import base64
import json
import os
import re
import xml.etree.ElementTree as ET
import zlib

import pytest
from made import Files, found, run

from kcheck import report
from kcheck.model import ERROR, INFO, WARNING, Finding


@pytest.fixture
def files() -> Files:
    files = Files(topics_yaml='topics:\n  - name: "a<b>&c"\n    config: {min.insync.replicas: 3}\n')
    files.add("clean.properties", "a=1\n")
    return files


def finding(
    files: Files, severity: str = WARNING, message: str = 'three <of> "three" & @all'
) -> Finding:
    topic = files.resource("topic", "a<b>&c", "topics.yaml")
    at = files.set(topic, "min.insync.replicas", "3")
    return found(message, at, breaks="writes | stop", fix="set *2*", set_to="2", severity=severity)


def rendered(format: str, files: Files, *findings: Finding, **more: object) -> str:
    return report.render(format, run(files, *findings, **more))


def test_gitlab(files: Files) -> None:
    text = rendered("gitlab", files, finding(files), finding(files, ERROR, "other"), prefix="sub")
    entries = json.loads(text)
    assert [e["severity"] for e in entries] == ["critical", "minor"]
    assert len({e["fingerprint"] for e in entries}) == 2
    assert entries[1] == {
        "description": 'three <of> "three" & @all',
        "content": entries[1]["content"],
        "check_name": "KC0307 acks-bypass-min-isr",
        "fingerprint": entries[1]["fingerprint"],
        "severity": "minor",
        "location": {"path": "sub/topics.yaml", "lines": {"begin": 3, "end": 3}},
    }
    assert "writes | stop" in entries[1]["content"]["body"]
    assert json.loads(rendered("gitlab", files)) == []


def test_junit(files: Files) -> None:
    text = rendered("junit", files, finding(files), finding(files, ERROR, "bad \x1b[31m\x00\ufffe"))
    _official(text)
    suites = list(ET.fromstring(text))
    assert [
        (s.get("name"), s.get("tests"), s.get("failures"), s.get("skipped")) for s in suites
    ] == [
        ("clean.properties", "1", "0", "0"),
        ("topics.yaml", "2", "1", "1"),
    ]
    cases = suites[1].findall("testcase")
    assert cases[0].get("name") == "KC0307 acks-bypass-min-isr (3:35)"
    failure, skipped = cases[0].find("failure"), cases[1].find("skipped")
    assert failure is not None and (failure.get("message") or "").startswith("bad ␛[31m␀")
    assert "fix: set *2*" in (failure.text or "")
    assert skipped is not None and skipped.get("message") == 'warning: three <of> "three" & @all'
    never = ET.fromstring(rendered("junit", files, finding(files, ERROR), fail_on="never"))
    assert [s.get("failures") for s in never] == ["0", "0"]


def _official(text: str) -> None:
    """Against Ant's schema (windyroad/JUnit-Schema), where KCHECK_JUNIT_SCHEMA says where it lies."""
    path = os.environ.get("KCHECK_JUNIT_SCHEMA")
    if path:
        import xmlschema

        xmlschema.XMLSchema(path).validate(text)


def test_checkstyle(files: Files) -> None:
    text = rendered("checkstyle", files, finding(files), finding(files, INFO, "other"))
    root = ET.fromstring(text)
    assert root.tag == "checkstyle" and root.get("version")
    (file,) = root
    assert (file.tag, file.get("name")) == ("file", "topics.yaml")
    assert [dict(error.items()) for error in file][1] == {
        "line": "3",
        "column": "35",
        "severity": "warning",
        "message": 'three <of> "three" & @all',
        "source": "kcheck.KC0307.acks-bypass-min-isr",
    }
    assert list(ET.fromstring(rendered("checkstyle", files))) == []


def test_markdown(files: Files) -> None:
    text = rendered("markdown", files, finding(files), finding(files, ERROR, "`x` | y"))
    assert text.startswith("<!-- kcheck -->\n### kcheck: 1 error, 1 warning\n")
    assert text.index("`") < text.index("three")
    # Nobody is called, and nothing is taken for HTML or for Markdown.
    assert "@all" not in text and "<of>" not in text
    assert "three &lt;of&gt;" in text
    assert "writes \\| stop" in text
    assert "set \\*2\\*" in text
    assert text.count("<details>") == text.count("</details>") == 2
    assert "no findings" in rendered("markdown", files)
    assert "no new findings" in rendered("markdown", files, since="main")


def test_a_comment_is_not_longer_than_github_takes(files: Files) -> None:
    many = [finding(files, message=f"{n} " + "x" * 400) for n in range(300)]
    text = rendered("markdown", files, *many)
    assert 50_000 < len(text) < 65_536
    assert "more findings are not shown" in text


@pytest.mark.parametrize("format", ["gitlab", "junit", "checkstyle", "markdown", "html"])
def test_secrets_are_hidden(format: str) -> None:
    files = Files(a_properties="ssl.key.password=hunter2\nacks=1\n")
    client = files.resource("producer", "p", "a.properties")
    files.set(client, "ssl.key.password", "hunter2")
    at = files.set(client, "acks", "1")
    text = rendered(format, files, found("told hunter2", at, fix="not hunter2"))
    for block in re.findall(r'data-table="[^>]*>([^<]*)<', text):
        text += zlib.decompress(base64.b64decode(block)).decode("latin-1")
    assert "told [hidden]" in text.replace("\\", "")
    assert "hunter2" not in text


def test_statistics(files: Files) -> None:
    text = report.statistics(run(files, finding(files), finding(files, message="other")))
    assert text == "2  warning  KC0307  acks-bypass-min-isr  2 with an edit\n"


def test_the_width_of_a_terminal_is_none_of_a_comment(files: Files) -> None:
    made = finding(files)
    assert rendered("markdown", files, made, width=40) == rendered("markdown", files, made)
