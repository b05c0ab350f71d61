"""JSON, jsonl and concise against the contract: fields, their order, what is null, what is counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from made import Files, absent, default, fact, found, inherited, run
from referencing import Registry, Resource

from kcheck import fingerprint, report
from kcheck.__main__ import main
from kcheck.model import ERROR, INFO, READ, SKIPPED, Document

ROOT = Path(__file__).resolve().parent.parent.parent
SCHEMAS = ROOT / "schemas"
FIXTURES = sorted(path for path in (ROOT / "fixtures").iterdir() if path.is_dir())


def schema(name: str) -> dict[str, Any]:
    return json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))


def validator(name: str) -> Draft202012Validator:
    known = [Resource.from_contents(schema(n)) for n in ("finding", "report")]
    return Draft202012Validator(schema(name), registry=known @ Registry())


@pytest.fixture
def files() -> Files:
    return Files(
        producers_yaml='producers:\n  - name: checkout\n    config: {acks: "1"}\n',
        server_properties="log.retention.hours=168\nmin.insync.replicas=2\n",
    )


def made(files: Files) -> Any:
    producer = files.resource("producer", "checkout", "producers.yaml", "name: checkout")
    topic = files.resource("topic", "orders", "producers.yaml", "name")
    broker = files.resource("broker", "1", "server.properties")
    acks = files.set(producer, "acks", '"1"')
    acks.text = acks.value = "1"
    brokers = fact(files.set(broker, "brokers", "2", name="min.insync.replicas"))
    version = fact(files.set(broker, "kafka_version", "2", name="min.insync.replicas"))
    return found(
        "acks=1 protects nothing",
        acks,
        inherited(files.set(broker, "min.insync.replicas", "2"), topic, "min.insync.replicas"),
        inherited(files.set(broker, "log.retention.hours", "168"), topic, "retention.ms"),
        default(topic, "unclean.leader.election.enable", "false"),
        default(topic, "message.timestamp.type", None, "2.8-4.4"),
        absent(producer, "enable.idempotence"),
        brokers,
        version,
        acks,
        breaks="a record is lost",
        fix="set acks=all",
        set_to="all",
    )


def test_a_finding_is_that_of_the_contract(files: Files) -> None:
    made_run = run(files, made(files))
    (line,) = report.render("jsonl", made_run).splitlines()
    record = json.loads(line)
    expected = {
        "rule": "KC0307",
        "name": "acks-bypass-min-isr",
        "severity": "warning",
        "message": "acks=1 protects nothing",
        "consequence": "a record is lost",
        "keys": [
            "acks",
            "min.insync.replicas",
            "retention.ms",
            "unclean.leader.election.enable",
            "message.timestamp.type",
            "enable.idempotence",
        ],
        "cluster": "payments",
        "cluster_id": "payments@.",
        "resource": {"kind": "producer", "name": "checkout"},
        "path": "producers.yaml",
        "line": 3,
        "column": 20,
        "end_line": 3,
        "end_column": 23,
        "evidence": record["evidence"],
        "fix": {
            "text": "set acks=all",
            "safe": False,
            "edits": [
                {
                    "path": "producers.yaml",
                    "line": 3,
                    "column": 20,
                    "end_line": 3,
                    "end_column": 23,
                    "text": "all",
                }
            ],
        },
        "fingerprint": fingerprint.of(made_run.findings[0]),
        "url": "https://github.com/kcheck/kcheck/blob/main/docs/rules/KC0307.md",
        "kafka": None,
        "cause": fingerprint.of(made_run.findings[0]),
    }
    assert record == expected
    assert list(record) == list(expected)


def test_evidence_by_origin(files: Files) -> None:
    record = json.loads(report.render("jsonl", run(files, made(files))))
    evidence = {item["key"]: item for item in record["evidence"]}
    order = "key value origin from resource path line column end_line end_column kafka_version"
    assert all(list(item) == order.split() for item in record["evidence"])

    def told(key: str) -> tuple[object, ...]:
        return tuple(value for name, value in evidence[key].items() if name != "key")

    topic = {"kind": "topic", "name": "orders"}
    producer = {"kind": "producer", "name": "checkout"}
    nowhere = (None,) * 5
    assert told("acks") == ("1", "set", "acks", producer, "producers.yaml", 3, 20, 3, 23, None)
    assert told("retention.ms") == (
        *("168", "inherited", "log.retention.hours", topic),
        *("server.properties", 1, 21, 1, 24, None),
    )
    assert told("unclean.leader.election.enable") == (
        *("false", "default", "unclean.leader.election.enable", topic),
        *(*nowhere, "3.9"),
    )
    assert told("message.timestamp.type")[0] is None
    assert told("message.timestamp.type")[-1] == "2.8-4.4"
    assert told("enable.idempotence") == (
        *(None, "absent", "enable.idempotence", producer),
        *("producers.yaml", 2, 5, 2, 19, None),
    )
    assert evidence["brokers"]["origin"] == "fact"


@pytest.mark.parametrize(
    "name",
    ["brokers", "kafka_version", "client_version", "client.version", "environment", "service"],
)
def test_what_is_known_of_the_whole_is_evidence_but_no_key(files: Files, name: str) -> None:
    producer = files.resource("producer", "p", "producers.yaml", "name")
    value = fact(files.set(producer, name, '"1"', name="acks"))
    record = json.loads(report.render("jsonl", run(files, found("m", value))))
    assert record["keys"] == []
    assert record["evidence"][0]["key"] == name


def test_the_report_counts_what_is_shown_and_what_is_not(files: Files) -> None:
    a, b = made(files), made(files)
    a.severity, b.severity = ERROR, INFO
    skipped = Document("big.yaml")
    skipped.status = SKIPPED
    made_run = run(files, a, b, ignored=3, baselined=12)
    made_run.project.documents.append(skipped)
    assert all(d.status == READ for d in files.documents.values())
    text = report.render("json", made_run)
    whole = json.loads(text)
    validator("report").validate(whole)
    assert list(whole) == ["version", "tool", "summary", "unjoined", "findings"]
    assert whole["summary"] == {
        "clusters": 0,
        "files": {"read": 2, "passed-over": 0, "skipped": 1, "error": 0},
        "findings": {"error": 1, "warning": 0, "info": 1},
        "causes": 1,
        "ignored": 3,
        "baselined": 12,
        "unjoined": 0,
    }
    assert [json.loads(line) for line in report.render("jsonl", made_run).splitlines()] == whole[
        "findings"
    ]


def test_no_findings_are_an_empty_list() -> None:
    whole = json.loads(report.render("json", run(Files())))
    validator("report").validate(whole)
    assert whole["findings"] == []
    assert report.render("jsonl", run(Files())) == ""
    assert report.render("concise", run(Files())) == ""


def test_a_finding_about_a_file_has_the_cluster_of_the_file(files: Files) -> None:
    from kcheck.model import Finding
    from kcheck.model import Resource as Owner

    files.add("deep/er/x.properties", "")
    findings = []
    for path in ("server.properties", "deep/er/x.properties", "x.properties"):
        finding = Finding("m", Owner("file", path, path), (), path, (1, 1, 1, 1), severity=ERROR)
        finding.code, finding.name = "KC0001", "unreadable-file"
        findings.append(finding)
    files.resource("broker", "1", "server.properties")
    records = json.loads(report.render("json", run(files, *findings)))["findings"]
    clusters = {record["path"]: record["cluster"] for record in records}
    assert clusters == {
        "server.properties": "payments",
        "deep/er/x.properties": "deep/er",
        "x.properties": ".",
    }
    assert {tuple(record["keys"]) for record in records} == {()}


def test_text_that_utf8_cannot_hold_is_written_all_the_same(files: Files) -> None:
    producer = files.resource("producer", "\udcff", "producers.yaml", "name")
    acks = files.set(producer, "acks", '"1"')
    acks.text = "\ud800"
    for format in report.FORMATS:
        report.render(format, run(files, found("m \ud800", acks))).encode("utf-8")


def test_concise(files: Files) -> None:
    assert report.render("concise", run(files, made(files))) == (
        "producers.yaml:3:20: warning KC0307 acks=1 protects nothing · set acks=all [unsafe fix]\n"
    )


@pytest.mark.parametrize("folder", FIXTURES, ids=lambda path: path.name)
def test_reports_of_whole_repositories_keep_the_schema(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    code = main(["lint", "--output", "json", "."])
    whole = json.loads(capsys.readouterr().out)
    assert code in (0, 1)
    validator("report").validate(whole)
    prints = [record["fingerprint"] for record in whole["findings"]]
    assert len(set(prints)) == len(prints)


@pytest.mark.parametrize("folder", FIXTURES, ids=lambda path: path.name)
def test_files_of_whole_repositories_keep_the_schema(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    main(["files", "--output", "json", "."])
    Draft202012Validator(schema("files")).validate(json.loads(capsys.readouterr().out))


@pytest.mark.parametrize("path", sorted(SCHEMAS.glob("*.json")), ids=lambda path: path.name)
def test_schemas_are_schemas(path: Path) -> None:
    Draft202012Validator.check_schema(json.loads(path.read_text(encoding="utf-8")))
