"""The baseline and the fingerprints it rests on: the same finding stays the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcheck import baseline, fingerprint
from kcheck.baseline import BaselineError
from kcheck.engine import lint_project
from kcheck.model import Finding
from kcheck.settings import Settings

TOPICS = """\
cluster: {name: lab, brokers: 3, kafka_version: "3.6"}
topics:
  - {name: orders, partitions: 6, replication_factor: 3, config: {min.insync.replicas: 3}}
  - {name: payments, partitions: 6, replication_factor: 2, config: {min.insync.replicas: 3}}
"""


def lint(text: str, path: str = "topics.yaml") -> list[Finding]:
    files = {path: text.encode()}
    return lint_project(files.items(), Settings(), files.get).findings


def prints(findings: list[Finding], prefix: str = "") -> set[tuple[str, str]]:
    return {(f.code, fingerprint.of(f, prefix)) for f in findings}


def test_line_shifts_and_reformatting_change_nothing() -> None:
    expected = prints(lint(TOPICS))
    assert len(expected) >= 2
    shifted = "# a comment\n\n" + TOPICS.replace("topics:\n", "\n# more\ntopics:\n\n")
    block = """\
kcheck: 1
cluster:
  kafka_version: '3.6'
  brokers: 3
  name: "lab"
topics:
- name: payments
  config:
    min.insync.replicas: "3"
  replication_factor: 2
  partitions: 6
- name: orders
  partitions: 6
  replication_factor: 3
  config:
    min.insync.replicas: 3
"""
    assert prints(lint(shifted)) == expected
    assert prints(lint(block)) == expected


def test_another_wrong_value_at_a_known_place_stays_the_known_finding() -> None:
    worse = TOPICS.replace("replication_factor: 2", "replication_factor: 1")
    known = {code: mark for code, mark in prints(lint(TOPICS)) if code == "KC0302"}
    assert known
    assert {c: m for c, m in prints(lint(worse)) if c == "KC0302"} == known


def test_another_resource_or_file_is_another_finding() -> None:
    renamed = TOPICS.replace("lab", "lab2").replace("orders", "bills").replace("payments", "notes")
    assert not prints(lint(renamed)) & prints(lint(TOPICS))
    assert not prints(lint(TOPICS, "other.yaml")) & prints(lint(TOPICS))


def test_the_working_directory_does_not_matter() -> None:
    at_root = prints(lint(TOPICS, "clusters/west/topics.yaml"))
    assert prints(lint(TOPICS), "clusters/west") == at_root
    assert prints(lint(TOPICS, "../west/topics.yaml"), "clusters/east") == at_root


def test_a_resource_that_is_called_like_its_file() -> None:
    text = "broker.id=x\nzookeeper.connect=zk:2181\n"
    at_root = lint(text, "a/server.properties")
    below = lint(text, "server.properties")
    assert at_root and at_root[0].resource.kind == "broker"
    assert prints(at_root) == prints(below, "a")


def test_twins_are_numbered_in_the_order_of_lines() -> None:
    twin = "  - {name: orders, partitions: 6, replication_factor: 3, config: {min.insync.replicas: 3}}\n"
    findings = [f for f in lint(TOPICS + twin + twin) if f.resource.name == "orders"]
    by_code: dict[str, list[Finding]] = {}
    for finding in findings:
        by_code.setdefault(finding.code, []).append(finding)
    assert any(len(found) == 3 for found in by_code.values())
    for found in by_code.values():
        assert [f.occurrence for f in found] == list(range(len(found)))
        assert [f.at for f in found] == sorted(f.at for f in found)


@given(
    st.lists(st.sampled_from(["..", ".", "a", "b", ""]), max_size=5),
    st.sampled_from(["", "x", "x/y", "x/y/"]),
)
def test_paths_from_the_root_are_those_of_the_file_system(parts: list[str], prefix: str) -> None:
    path = "/".join([*parts, "f"]).lstrip("/")
    if not prefix:
        assert fingerprint.from_root(path, prefix) == path
    else:
        assert fingerprint.from_root(path, prefix) == os.path.normpath(f"{prefix}/{path}")


def test_hashing_is_not_loaded_by_a_clean_run() -> None:
    program = (
        "import sys, kcheck.engine, kcheck.suppress, kcheck.baseline, kcheck.report\n"
        "assert 'hashlib' not in sys.modules and 'json' not in sys.modules\n"
    )
    path = os.pathsep.join(sys.path)
    subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            "-c",
            f"import sys; sys.path[:0]={path.split(os.pathsep)!r}\n{program}",
        ],
        check=True,
    )


class TestBaseline:
    def test_its_text_is_sorted_and_readable(self) -> None:
        text = baseline.create(lint(TOPICS)).text()
        entries = [json.loads(line) for line in text.splitlines()]
        assert entries == sorted(entries, key=lambda e: (e["path"], e["rule"], str(e["resource"])))
        assert set(entries[0]) == {
            *("rule", "name", "path", "resource", "key", "occurrence", "fingerprint")
        }
        assert all(str(line) not in text for line in ("line", "message", "value"))
        assert baseline.create(reversed(lint(TOPICS))).text() == text

    def test_it_hides_what_it_holds_and_nothing_else(self) -> None:
        findings = lint(TOPICS)
        held = baseline.load(baseline.create(findings[:1]).text().encode())
        shown, hidden, stale = baseline.split(findings, held)
        assert (shown, hidden, stale) == (findings[1:], 1, 0)
        other_file = lint(TOPICS, "other.yaml")
        assert baseline.split(other_file, held) == (other_file, 0, 1)

    def test_entries_that_were_not_judged_are_not_stale(self) -> None:
        findings = lint(TOPICS)
        held = baseline.create(findings)
        count = len(held)
        assert baseline.split([], held)[2] == count
        assert baseline.split([], held, judged=lambda entry: False)[2] == 0
        assert baseline.split([], held, judged=lambda e: e["rule"] == findings[0].code)[2] == (
            sum(f.code == findings[0].code for f in findings)
        )

    def test_prune_only_takes_away(self) -> None:
        findings = lint(TOPICS)
        held = baseline.create(findings[:-1])
        assert baseline.prune(held, findings).text() == held.text()
        assert baseline.prune(held, findings[:1]).text() == baseline.create(findings[:1]).text()
        assert len(baseline.prune(held, [])) == 0
        kept = baseline.prune(held, [], judged=lambda entry: entry["path"] != "topics.yaml")
        assert kept.text() == held.text()

    def test_more_twins_than_are_known_are_told(self) -> None:
        twin = "\n".join(TOPICS.splitlines()[2:3]) + "\n"
        held = baseline.create(lint(TOPICS))
        shown, _, stale = baseline.split(lint(TOPICS + twin), held)
        assert {f.resource.name for f in shown} == {"orders"}
        assert stale == 0

    def test_what_people_add_to_an_entry_is_kept(self) -> None:
        findings = lint(TOPICS)
        lines = baseline.create(findings).text().splitlines()
        entry = {**json.loads(lines[0]), "note": "KAFKA-7"}
        held = baseline.load(f"{json.dumps(entry)}\n\n".encode())
        assert '"note": "KAFKA-7"' in baseline.prune(held, findings).text()

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (b"\xff", "not UTF-8"),
            (b"{}\n", "line 1 is not a baseline entry"),
            (b"\n[1]\n", "line 2 is not a baseline entry"),
            (b'{"fingerprint": 3, "rule": "a", "path": "b"}', "line 1 is not a baseline entry"),
            (b'{"fingerprint": "a", "rule": "a"}', "line 1 is not a baseline entry"),
            (b"{", "line 1 is not JSON"),
            (b"[" * 100_000, "line 1 is not JSON"),
        ],
    )
    def test_what_is_no_baseline_is_refused(self, data: bytes, message: str) -> None:
        with pytest.raises(BaselineError, match=message):
            baseline.load(data)

    @given(st.binary(max_size=60))
    def test_any_bytes_are_a_baseline_or_refused(self, data: bytes) -> None:
        try:
            baseline.load(data)
        except BaselineError:
            pass

    def test_one_value_in_every_place(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """JSON, SARIF and the baseline name a finding alike, also from a folder below the root."""
        from kcheck.__main__ import main

        (tmp_path / ".git").mkdir()
        (tmp_path / "a").mkdir()
        (tmp_path / "a" / "topics.yaml").write_text(TOPICS)
        monkeypatch.chdir(tmp_path / "a")
        main(["lint", "--output", "json", "--output", "sarif=out.sarif", "."])
        records = json.loads(capsys.readouterr().out)["findings"]
        results = json.loads(Path("out.sarif").read_text())["runs"][0]["results"]
        assert main(["baseline", "create", "--baseline", "known.jsonl", "."]) == 0
        entries = [json.loads(line) for line in Path("known.jsonl").read_text().splitlines()]
        marks = {record["fingerprint"] for record in records}
        assert marks
        assert {r["partialFingerprints"]["kcheck/v1"] for r in results} == marks
        assert {entry["fingerprint"] for entry in entries} == marks
        assert {entry["path"] for entry in entries} == {"a/topics.yaml"}
        monkeypatch.chdir(tmp_path)
        capsys.readouterr()
        assert main(["lint", "--baseline", "a/known.jsonl", "a"]) == 0
        out, err = capsys.readouterr()
        assert out == ""
        assert f"Found nothing ({len(marks)} in baseline)" in err
