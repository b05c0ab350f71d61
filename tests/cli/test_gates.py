"""Gates: which findings fail a run, in one word; and runs that ask nothing."""

from __future__ import annotations

import json

import pytest
from playground import Project

WEAK = """\
cluster: {name: core, kafka_version: "3.9", environment: production, brokers: 3, config: {min.insync.replicas: 2, default.replication.factor: 3}}
topics:
  - {name: orders, partitions: 6, replication_factor: 3}
producers:
  - {name: till, topics: [orders], config: {acks: "1"}}
"""


def _write(project: Project, files: dict[str, str]) -> None:
    for path, text in files.items():
        project.file(path, text)


def _exit(project: Project, *options: str) -> int:
    return project.run("lint", *options, ".").code


def _report(project: Project, *options: str) -> dict:  # type: ignore[type-arg]
    return json.loads(project.run("lint", "--output", "json", *options, ".").out)  # type: ignore[no-any-return]


def test_a_gate_makes_warnings_fail_and_changes_no_severity(project: Project) -> None:
    _write(project, {"kcheck.yaml": WEAK})
    assert _exit(project) == 0
    assert _exit(project, "--gate", "default") == 1
    assert _exit(project, "--gate", "security") == 0
    before, after = _report(project), _report(project, "--gate", "default")
    assert [f["severity"] for f in before["findings"]] == [f["severity"] for f in after["findings"]]
    assert [f["rule"] for f in after["findings"] if f["gate"]] == ["KC0307"]
    assert after["summary"]["gate"] == {"name": "default", "failing": 1}
    assert "gate" not in before["summary"] and "gate" not in before["findings"][0]


@pytest.mark.parametrize(
    ("headline", "text"),
    [
        ("acks below min.insync.replicas", WEAK),
        (
            "a producer above its topic's limit",
            WEAK.replace('{acks: "1"}', "{acks: all, max.request.size: 5242880}"),
        ),
        (
            "unclean election",
            WEAK.replace('acks: "1"', "acks: all").replace(
                "config: {min", "config: {unclean.leader.election.enable: true, min"
            ),
        ),
        (
            "one replica",
            WEAK.replace('acks: "1"', "acks: all").replace(
                "replication_factor: 3", "replication_factor: 1, config: {min.insync.replicas: 1}"
            ),
        ),
        (
            "min.insync.replicas at 1",
            WEAK.replace('acks: "1"', "acks: all").replace(
                "min.insync.replicas: 2", "min.insync.replicas: 1"
            ),
        ),
        (
            "min.insync.replicas at the replication factor",
            WEAK.replace('acks: "1"', "acks: all").replace(
                "min.insync.replicas: 2", "min.insync.replicas: 3"
            ),
        ),
    ],
)
def test_the_default_gate_fails_the_headline_faults(
    project: Project, headline: str, text: str
) -> None:
    _write(project, {"kcheck.yaml": text})
    assert _exit(project) == 0, headline
    assert _exit(project, "--gate", "default") == 1, headline


def test_settings_have_gates_of_their_own(project: Project) -> None:
    own = '[gates.mine]\nextends = "default"\nexcept = ["KC0307"]\n'
    _write(project, {"kcheck.yaml": WEAK, "kcheck.toml": f'gate = "mine"\n{own}'})
    assert _exit(project) == 0
    assert _exit(project, "--gate", "default") == 1
    _write(project, {"kcheck.toml": f'gate = "mine"\n{own}fail-on = "warning"\n'})
    assert _exit(project) == 1
    # The command line wins over what the gate says.
    assert _exit(project, "--fail-on", "error") == 0
    _write(project, {"kcheck.toml": '[gates.mine]\nrules = ["acks-bypass-min-isr"]\n'})
    assert _exit(project) == 0
    assert _exit(project, "--gate", "mine", "--fail-on", "never") == 1


def test_what_is_shown_is_what_fails(project: Project) -> None:
    _write(project, {"kcheck.yaml": WEAK})
    run = project.run("lint", "--gate", "default", "--min-severity", "error", ".")
    assert run.code == 1
    assert "KC0307" in run.out and "gate: fails default" in run.out
    assert "1 fails gate default" in run.err


def test_a_gate_that_nobody_knows(project: Project) -> None:
    _write(project, {"kcheck.yaml": WEAK})
    run = project.run("lint", "--gate", "defualt", ".")
    assert run.code == 2 and "did you mean default?" in run.err
    _write(project, {"kcheck.toml": 'gate = "none"\n'})
    run = project.run("lint", ".")
    assert run.code == 2 and "kcheck.toml:1: no gate is called none" in run.err


@pytest.mark.parametrize(
    ("options", "settings", "why"),
    [
        (["--select", "KC03", "--ignore", "KC03"], "", "--select and --ignore"),
        ([], 'select = ["KC03"]\nignore = ["KC03"]\n', "kcheck.toml:1 (select)"),
        (["--select", "KC19"], "", "--since REF"),
        (["--select", "KC0221"], "", "kcheck upgrade"),
    ],
)
def test_a_selection_that_leaves_no_rule(
    project: Project, options: list[str], settings: str, why: str
) -> None:
    _write(project, {"kcheck.yaml": WEAK, "kcheck.toml": settings})
    run = project.run("lint", *options, ".")
    assert run.code == 2
    assert "no rule is left to run" in run.err and why in run.err
