"""``kcheck upgrade``: versions, reports and exit codes, as a user sees them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from playground import Project
from referencing import Registry, Resource

SCHEMAS = Path(__file__).resolve().parent.parent.parent / "schemas"
BROKERS = """\
cluster:
  name: core
  kafka_version: "3.9"
  brokers: 3
  config: {process.roles: broker, num.replica.fetchers: 0}
"""
PRODUCERS = """\
producers:
  - {name: checkout, config: {acks: all}}
  - {name: billing, config: {acks: all}}
"""


@pytest.fixture
def core(project: Project) -> Project:
    project.file("kcheck.yaml", BROKERS + PRODUCERS)
    return project


def records(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


# -- versions ------------------------------------------------------------------------------------


def test_it_goes_from_what_the_files_say_to_the_newest(core: Project) -> None:
    ran = core.run("upgrade")
    assert ran.code == 1
    assert "core: brokers 3.9 → 4.4, then clients 3.9 → 4.4" in ran.err
    assert "where no file states theirs" in ran.err


def test_versions_of_the_command_line_win(core: Project) -> None:
    ran = core.run("upgrade", "--from", "4.0", "--to=4.1.1", "--client-version", "3.7")
    assert "core: brokers 4.0 → 4.1.1, then clients 3.7 → 4.1.1." in ran.err
    assert ran.code == 0


def test_the_settings_say_it_too(project: Project) -> None:
    project.file("kcheck.yaml", "cluster: {name: core, brokers: 3}\n")
    project.file("kcheck.toml", 'kafka-version = "4.2"\n')
    assert "core: brokers 4.2 → 4.4." in project.run("upgrade").err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--from", "new"), "--from must be a version such as 3.9, not new"),
        (("--to", "new"), "--to must be a version such as 3.9, not new"),
        (("--to", "5.0"), "Kafka 5.0 is outside the range"),
        (("--to", "3.8"), "core runs Kafka 3.9: 3.8 would be a downgrade"),
        (("--cluster", "cores"), "no cluster is named cores; there are core"),
        (("--min-severity", "error", "--fail-on", "info"), "would hide findings"),
        (("--output", "pdf"), "unknown format"),
        (("nowhere",), "nowhere"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(
    core: Project, args: tuple[str, ...], message: str
) -> None:
    ran = core.run("upgrade", *args)
    assert ran.code == 2
    assert message in ran.err
    assert ran.out == ""


def test_an_unknown_start_is_asked_for(project: Project) -> None:
    project.file("kcheck.yaml", "cluster: {name: core, brokers: 3}\n")
    ran = project.run("upgrade")
    assert ran.code == 2
    assert "no file states the Kafka version of core: use --from" in ran.err


def test_one_cluster_of_several(project: Project) -> None:
    for name, version in (("a", "3.9"), ("b", "4.0")):
        project.file(
            f"{name}/kcheck.yaml",
            f'cluster: {{name: {name}, kafka_version: "{version}", brokers: 3}}\n',
        )
    both = project.run("upgrade", ".")
    assert "== a: Brokers 3.9 → 4.4: automatic changes ==" in both.out
    assert "== b: Brokers 4.0 → 4.4: automatic changes ==" in both.out
    one = project.run("upgrade", ".", "--cluster", "b")
    assert "a: brokers" not in one.err
    assert "== Brokers 4.0 → 4.4: automatic changes ==" in one.out


# -- exit codes ----------------------------------------------------------------------------------


def test_exit_codes_are_those_of_lint(core: Project) -> None:
    assert core.run("upgrade", "--to", "4.2").code == 1
    assert core.run("upgrade", "--to", "4.2", "--exit-zero").code == 0
    assert core.run("upgrade", "--to", "4.2", "--fail-on", "never").code == 0
    assert core.run("upgrade", "--to", "4.1").code == 0
    assert core.run("upgrade", "--to", "4.1", "--fail-on", "warning").code == 1
    assert core.run("upgrade", "--from", "4.4").code == 0
    assert core.run("upgrade", "--select", "KC0201").code == 0


def test_a_file_that_cannot_be_read_is_no_success(core: Project) -> None:
    core.file("west/kcheck.yaml", "topics:\n  - {name: orders\n")
    ran = core.run("upgrade", "--to", "4.1")
    assert ran.code == 1
    assert "west/kcheck.yaml: cannot be read, so it is not checked" in ran.err


def test_nothing_to_do(core: Project) -> None:
    ran = core.run("upgrade", "--from", "4.4", "--client-version", "4.4")
    assert (ran.code, ran.out) == (0, "")
    assert "core: nothing to upgrade, it runs 4.4." in ran.err


# -- reports -------------------------------------------------------------------------------------


def test_the_text_tells_what_is_alike_once(core: Project) -> None:
    out = core.run("upgrade", "--only", "clients").out
    assert out.count("whose default changes from 0 ms to 5 ms") == 1
    assert "= also: producer billing (kcheck.yaml:8)" in out
    assert "= means: records wait" in out
    heads = [line for line in out.splitlines() if line.startswith("== ")]
    assert heads == [
        "== Clients 3.9 → 4.4: before the first restart ==",
        "== Clients 3.9 → 4.4: automatic changes ==",
    ]


def test_the_other_reports_tell_every_resource(core: Project) -> None:
    found = records(core.run("upgrade", "--only", "clients", "--output", "jsonl").out)
    linger = [r for r in found if r["rule"] == "KC0224"]
    assert [r["resource"]["name"] for r in linger] == ["checkout", "billing"]
    assert linger[0]["keys"] == ["linger.ms"]
    assert [e["value"] for e in linger[0]["evidence"]] == ["5", "0"]
    assert [e["kafka_version"] for e in linger[0]["evidence"]] == ["4.4", "3.9"]
    assert linger[0]["upgrade"] == {
        "change": "appears",
        "when": "with",
        "side": "clients",
        "from": "3.9",
        "to": "4.4",
        "since": "4.0",
        "stage": 1000,
        "previous": None,
    }


def test_json_is_that_of_the_contract(core: Project) -> None:
    known = {
        name: json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
        for name in ("finding", "report")
    }
    registry = [Resource.from_contents(schema) for schema in known.values()] @ Registry()
    report = json.loads(core.run("upgrade", "--from", "2.8", "--output", "json").out)
    Draft202012Validator(known["report"], registry=registry).validate(report)
    assert all("upgrade" in finding for finding in report["findings"])
    linted = json.loads(core.run("lint", "--output", "json").out)
    assert not any("upgrade" in finding for finding in linted["findings"])


def test_every_line_says_whose_upgrade_it_is(core: Project) -> None:
    concise = core.run("upgrade", "--output", "concise").out.splitlines()
    fetchers = next(line for line in concise if "num.replica.fetchers" in line)
    assert fetchers.endswith(
        "is below the minimum 1 (brokers, from 4.2, before the first restart)"
        " · set num.replica.fetchers to at least 1"
    )
    github = core.run("upgrade", "--output", "github").out
    assert "is below the minimum 1 (brokers, from 4.2, before the first restart)" in github
    sarif = json.loads(core.run("upgrade", "--output", "sarif").out)
    results = sarif["runs"][0]["results"]
    refused = next(r for r in results if "num.replica.fetchers" in r["message"]["text"])
    assert "(brokers, from 4.2, before the first restart)" in refused["message"]["text"]
    assert refused["properties"]["upgrade"]["since"] == "4.2"


def test_several_reports_in_one_run(core: Project) -> None:
    ran = core.run("upgrade", "--output", "sarif=up.sarif", "--output", "concise")
    assert ran.code == 1
    assert json.loads((core.root / "up.sarif").read_text())["version"] == "2.1.0"
    assert "KC0104" in ran.out


def test_all_tells_each_minor_default(core: Project) -> None:
    few = core.run("upgrade", "--only", "brokers").out
    assert few.count("KC0225") == 1
    assert "num.recovery.threads.per.data.dir 1 → 2" in few
    every = core.run("upgrade", "--only", "brokers", "--all").out
    assert every.count("KC0225") > 4
    assert "= means: log recovery after an unclean shutdown is faster" in every


def test_what_goes_is_an_info_without_a_snippet(project: Project) -> None:
    project.file(
        "kcheck.yaml",
        "consumers:\n  - name: billing\n    config:\n      group.id: billing\n"
        "      auto.offset.reset: by_duration:PT1H\n",
    )
    out = project.run("upgrade", "--from", "3.9", "--only", "clients").out
    section = out.partition("== Findings that disappear ==\n\n")[2].splitlines()
    assert section[0].startswith("info[KC0104 value-range]: no longer true: consumer billing: auto")
    assert section[0].endswith("(clients, from 4.0)")
    assert section[1:] == ["  --> kcheck.yaml:5:26", ""]


def test_ignores_and_secrets(project: Project) -> None:
    project.file(
        "server.properties",
        "node.id=1\nprocess.roles=broker\nlog.dirs=/data\n"
        "# kcheck: ignore[value-range] with the next roll\nnum.replica.fetchers=0\n"
        "delegation.token.master.key=verysecret\n",
    )
    ran = project.run("upgrade", "--from", "3.9")
    assert "num.replica.fetchers" not in ran.out
    assert "1 ignored" in ran.err
    assert "delegation.token.master.key=[hidden]" in ran.out
    assert "verysecret" not in ran.out
    assert "num.replica.fetchers" in project.run("upgrade", "--from", "3.9", "--no-ignores").out


def test_the_rules_are_explained(project: Project) -> None:
    ran = project.run("explain", "default-changes")
    assert ran.code == 0
    assert "kcheck upgrade" in ran.out


_SERVICE = "spring: {kafka: {bootstrap-servers: 'kb-%s.example.net:9092', producer: {acks: all}}}\n"


def test_clients_alone_have_no_brokers_and_one_piece_of_advice(project: Project) -> None:
    for name in ("till", "clerk", "ledger"):
        project.file(f"{name}/src/main/resources/application.yml", _SERVICE % name)
    words = ("upgrade", "--from", "3.6", "--to", "4.1")
    text = project.run(*words).out
    assert "== Brokers" not in text and "brokers" not in text.rpartition("Found")[0].lower()
    found = json.loads(project.run(*words, "--output", "json").out)["findings"]
    (java,) = (f for f in found if "Java 11" in f["message"])
    assert len(java["clusters"]) == 3
    assert not any("Java 17" in f["message"] for f in found)
    assert {f["upgrade"]["side"] for f in found} == {"clients"}


def test_markdown_has_the_phases_in_order(core: Project) -> None:
    text = core.run("upgrade", "--output", "markdown").out
    heads = [line for line in text.splitlines() if line.startswith("#### ")]
    assert heads[0].endswith("before the first restart") and len(heads) == len(set(heads))
    assert heads == sorted(heads, key=lambda head: head.startswith("#### Clients"))


def test_markdown_is_a_list_to_tick_off_and_says_like_things_once(core: Project) -> None:
    text = core.run("upgrade", "--output", "markdown").out
    steps = [line for line in text.splitlines() if line.startswith("- ")]
    assert steps
    assert all(line.startswith("- [ ] ") for line in steps if "disappear" not in line)
    told = [line.partition(" (`")[0] for line in steps]
    assert len(told) == len(set(told))
    assert "  - **fix**: set num.replica.fetchers to at least 1" in text
    assert "<details>" not in text
