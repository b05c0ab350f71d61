"""``files``, ``rules`` and ``baseline``: what they print, for people and programs."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from playground import CLEAN, FAULTY, WEAK, Project

from kcheck import claims, coverage, data, rules
from kcheck.claims import Claim
from kcheck.rule import Rule

SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"
ALL = list(rules.load().values())
ACKS = {
    "kcheck.yaml": """\
cluster: {name: core, brokers: 3, config: {min.insync.replicas: 2}}
topics: [{name: orders, partitions: 6, replication_factor: 3}]
producers: [{name: checkout, topics: [orders], config: {acks: "1"}}]
"""
}


def test_files_by_its_schema(project: Project) -> None:
    project.file("topics.yaml", CLEAN)
    project.file("two.yaml", KAFKAS)
    project.file("broken.yaml", "kcheck: 1\ntopics: [")
    project.file("server.properties", "level-name=world\nserver-port=1\n")
    project.file("logo.png", b"\x89PNG")
    project.file("build/x.yaml", CLEAN)
    result = project.run("files", "--output", "json")
    assert result.code == 0
    document = json.loads(result.out)
    schema = json.loads((SCHEMAS / "files.schema.json").read_text())
    jsonschema.validate(document, schema)
    by_path = {f["path"]: f for f in document["files"]}
    assert list(by_path) == sorted(by_path)
    assert by_path["topics.yaml"] == {
        "path": "topics.yaml",
        "format": "kcheck-yaml",
        "cluster": ".",
        "cluster_id": ".",
        "joins": [
            {
                "cluster_id": ".",
                "evidence": None,
                "reason": "ambiguous",
                "text": "2 clusters match, and nothing decides between them",
                "candidates": ["a@.", "b@."],
            }
        ],
        "resources": [{"kind": "topic", "name": "orders"}],
        "status": "read",
        "reason": None,
    }
    assert by_path["two.yaml"]["cluster"] is None
    assert {r["cluster"] for r in by_path["two.yaml"]["resources"]} == {"a", "b"}
    assert by_path["broken.yaml"]["status"] == "error"
    assert by_path["server.properties"]["status"] == "passed-over"
    assert by_path["logo.png"]["status"] == "passed-over"
    assert by_path["build"]["status"] == "skipped"
    table = project.run("files").out.splitlines()
    assert table[0].split() == ["file", "status", "format", "cluster", "what"]
    assert [line.split()[0] for line in table[1:]] == list(by_path)


def test_variables_that_a_template_is_read_with_are_read(project: Project) -> None:
    loop = "{% for key, value in kafka.settings.items() %}\n{{ key }}={{ value }}\n{% endfor %}\n"
    project.file("roles/kafka/templates/server.properties.j2", f"broker.id=1\nlog.dirs=/d\n{loop}")
    project.file(
        "roles/kafka/defaults/main.yml",
        "kafka:\n  settings:\n    min.insync.replicas: 2\n    num.io.threads: 8\n",
    )
    document = json.loads(project.run("files", "--output", "json").out)
    reasons = {f["path"]: f["reason"] for f in document["files"]}
    assert reasons["roles/kafka/defaults/main.yml"] == "read where templates use it"


KAFKAS = "---\n".join(
    f"""\
apiVersion: kafka.strimzi.io/v1beta2
kind: Kafka
metadata: {{name: {name}}}
spec: {{kafka: {{version: 3.9.0, replicas: 3, config: {{min.insync.replicas: 2}}}}}}
"""
    for name in ("a", "b")
)


def test_the_list_of_rules(project: Project) -> None:
    table = project.run("rules").out.splitlines()
    assert [line.split()[0] for line in table] == [rule.code for rule in ALL]
    some = project.run("rules", "--select", "durability", "--ignore", "KC0301").out.splitlines()
    assert [line.split()[0] for line in some] == [
        rule.code for rule in ALL if rule.family == "durability" and rule.code != "KC0301"
    ]
    document = json.loads(project.run("rules", "--output", "json").out)
    assert [r["code"] for r in document["rules"]] == [rule.code for rule in ALL]
    assert all(r["summary"] and r["url"] for r in document["rules"])


def test_the_reference_holds_every_rule_and_its_links_lead_somewhere(project: Project) -> None:
    text = project.run("rules", "--output", "markdown").out
    headings = [line[4:] for line in text.splitlines() if line.startswith("### ")]
    assert headings == [f"{rule.code} {rule.name}" for rule in ALL]
    for rule in ALL:
        assert f"(#{rule.code.lower()}-{rule.name})" in text
    assert text.count("```") % 2 == 0


def test_coverage(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    rule = next(rule for rule in ALL if rule.code == "KC0307")
    untested = Rule("KC0399", "untested", "error", rule.check)
    untested.check = lambda topic: None  # type: ignore[assignment]
    untested.invariants = ("second", "stray")
    rows = [
        ["invariant", rule.invariants[0], "words", "rule", ""],
        ["invariant", "second", "words", "rule", ""],
        ["invariant", "third", "words", "rule", ""],
        ["invariant", "fourth", "words", "generic", "KC0104"],
    ]
    real = data.rows
    monkeypatch.setattr(data, "rows", lambda n: rows if n == "coverage.tsv" else real(n))
    entries = [
        {"id": "S999-1", "says": "words", "rule": "KC0307", "key": "acks", "files": ACKS},
        {"id": "S999-2", "says": "words", "asked": "explain acks", "text": ["in-sync"]},
        {"id": "S999-3", "says": "words", "rule": "KC0301", "files": ACKS},
        {"id": "S999-4", "says": "words", "not_shown": "a reason"},
        {"id": "S999-5", "says": "words", "missed": "a reason"},
    ]
    monkeypatch.setattr(claims, "claims", lambda: [Claim(entry) for entry in entries])
    items, strays = coverage.counted([rule, untested])
    assert {item.id: (item.how, item.answer, item.tested) for item in items} == {
        rule.invariants[0]: ("rule", "KC0307", ["KC0307"]),
        "second": ("rule", "KC0399", []),
        "third": ("", "", []),
        "fourth": ("generic", "KC0104", []),
        "S999-1": ("rule", "KC0307", ["KC0307"]),
        "S999-2": ("explain", "acks", []),
        "S999-3": ("", "", []),
        "S999-4": ("not-shown", "a reason", []),
        "S999-5": ("", "a reason", []),
    }
    assert ("KC0399", "invariant", "stray") in strays
    text = project.run("rules", "--select", "KC0307", "--coverage").out
    assert "invariants: 2 of 4 answered; 1 by a dedicated rule, 1 by a rule and a test" in text
    assert "second" in text.partition("\ninvariants, open (2):")[2].partition("\n\n")[0]
    assert "S999-1  KC0307  words  producer checkout uses acks=1 for topic orders" in text
    assert "S999-3" in text.partition("\nclaims, open (2):")[2].partition("\n\n")[0]
    assert "S999-2  acks  words  in-sync" in text.partition("by kcheck explain (1):")[2]
    coverage_of = ("rules", "--select", "KC0307", "--coverage", "--output")
    document = json.loads(project.run(*coverage_of, "json").out)
    assert document["claims"]["ways"]["explain"] == 1 and document["invariants"]["open"] == 2
    first, *others = document["claims"]["items"]
    assert first["found"].startswith("producer checkout") and first["missed"] is None
    assert [item["found"] for item in others] == ["in-sync", None, None, None]
    page = project.run(*coverage_of, "markdown").out
    assert "| open | 2 |" in page and "| `third` | words | open |  |" in page
    assert "| `S999-1` | words | rule | KC0307: producer checkout" in page


def test_a_claim_that_nothing_answers_fails(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = {"id": "S999-1", "says": "words", "rule": "KC0307", "key": "retries", "files": ACKS}
    monkeypatch.setattr(claims, "claims", lambda: [Claim(entry)])
    result = project.run("rules", "--select", "KC0307", "--coverage")
    assert result.code == 1
    missed = result.out.partition("\nmissed (1):\n")[2]
    assert missed.startswith("  S999-1  KC0307 does not rest on retries\n")
    document = json.loads(
        project.run("rules", "--select", "KC0307", "--coverage", "--output", "json").out
    )
    item = document["claims"]["items"][0]
    assert item["found"] is None and item["missed"] == "KC0307 does not rest on retries"
    page = project.run("rules", "--select", "KC0307", "--coverage", "--output", "markdown").out
    assert "missed: KC0307 does not rest on retries" in page


def test_coverage_without_its_list(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    real = data.rows

    def missing(name: str) -> list[list[str]]:
        if name == "coverage.tsv":
            raise FileNotFoundError("no fact file")
        return real(name)

    monkeypatch.setattr(data, "rows", missing)
    result = project.run("rules", "--coverage")
    assert result.code == 2 and "no fact file" in result.err


def test_a_baseline_from_birth_to_pruning(project: Project) -> None:
    project.file("kcheck.yaml", FAULTY)
    project.file("dev/kcheck.yaml", WEAK)
    created = project.run("baseline", "create")
    assert created.code == 0 and created.out == ""
    held = (project.root / "kcheck-baseline.jsonl").read_text()
    known = ("--baseline", "kcheck-baseline.jsonl")
    result = project.run("lint", *known)
    assert result.code == 0 and result.out == "" and "in baseline" in result.err
    assert project.run("lint").code == 1, "a baseline counts only where it is named"

    project.file("kcheck.yaml", "# a line above\n" + FAULTY)
    assert project.run("lint", *known).code == 0, "line shifts change nothing"
    assert project.run("baseline", "prune", "--check").code == 0

    project.file("kcheck.yaml", FAULTY + FAULTY.splitlines()[2].replace("orders", "new") + "\n")
    result = project.run("lint", *known, "--output", "concise")
    assert result.code == 1 and "topic new" in result.out and "topic orders" not in result.out
    project.run("baseline", "prune")
    assert (project.root / "kcheck-baseline.jsonl").read_text() == held, "it never grows"

    project.file("kcheck.yaml", FAULTY.replace("min.insync.replicas: 3", "min.insync.replicas: 1"))
    (project.root / "dev/kcheck.yaml").unlink()
    assert project.run("baseline", "prune", "--check").code == 1
    assert (project.root / "kcheck-baseline.jsonl").read_text() == held
    assert project.run("baseline", "prune").code == 0
    left = (project.root / "kcheck-baseline.jsonl").read_text()
    assert set(left.splitlines()) < set(held.splitlines())
    assert "KC0302" not in left and "dev/" not in left


def test_pruning_keeps_what_the_run_did_not_judge(project: Project) -> None:
    project.file("kcheck.yaml", FAULTY)
    project.file("dev/kcheck.yaml", WEAK)
    project.run("baseline", "create")
    held = (project.root / "kcheck-baseline.jsonl").read_text()
    for path in ("kcheck.yaml", "dev/kcheck.yaml"):
        project.file(path, CLEAN)
    for args in (("--select", "listeners"), ("kcheck.yaml",)):
        assert project.run("baseline", "prune", *args).code == 0
        assert (project.root / "kcheck-baseline.jsonl").read_text() == held
    project.run("baseline", "prune", "dev")
    left = (project.root / "kcheck-baseline.jsonl").read_text()
    assert '"path": "kcheck.yaml"' in left and "dev/" not in left
