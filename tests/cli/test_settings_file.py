"""kcheck.toml: what it may say, that it is said where it holds, and that no mistake passes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import pytest
from playground import CLEAN, FAULTY, WEAK, Project

from kcheck import rule as rules_module
from kcheck import rules
from kcheck.model import INFO, WARNING, Finding
from kcheck.rule import PREVIEW, registered, rule

REQUIRE = '[[require]]\ncode = "ORG001"\non = "topic"\nkey = "name"\npresent = true\n'
NAMES = "[[ignore]]\nrule = 'KC0301'\npath = 'a'\n"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('selekt = ["KC03"]', 1, "unknown key selekt in settings; did you mean select?"),
        ('\n\nfail_on = "error"', 3, "did you mean fail-on?"),
        ('zzz = "error"', 1, "known keys are"),
        ('select = "KC03"', 1, "select must be a list of strings"),
        ("select = [3]", 1, "select must be a list of strings"),
        ('select = [\n  "KC03",\n  "durabilty",\n]', 3, "did you mean durability?"),
        ('ignore = ["KC99"]', 1, "no rule, family or set is named KC99"),
        ('fail-on = "fatal"', 1, "error, warning, info, never, not fatal"),
        ("require-reason = 1", 1, "require-reason must be true or false"),
        ('environment = "prod"', 1, "production, development, not prod"),
        ('service = "mks"', 1, "service must be one of"),
        ('kafka-version = "new"', 1, "a version such as 3.9, not new"),
        ("kafka-version = 3.9", 1, "kafka-version must be a string"),
        ('required-version = ">=99"', 1, "must be like"),
        ('required-version = ">=99.0"', 1, "require kcheck >=99.0, but this is"),
        ("[rules]\nKC0301 = 3", 2, "must be a table"),
        ("[rules.durabilty-triad]", 1, "did you mean durability-triad?"),
        ("[rules.KC03]", 1, "must name one rule"),
        ('[rules.KC0301]\nseverity = "high"', 2, "severity must be one of"),
        ("[rules.KC0301]\ndays = 3", 2, "unknown key days in [rules.KC0301]"),
        ('[[clusters]]\nname = "a"', 1, "[[clusters]] requires paths"),
        ('[[clusters]]\nname = "a"\npaths = ["x"]\nkafka = "3"', 4, "unknown key kafka"),
        ('[[overrides]]\npaths = ["x"]\n[[overrides]]\nignore = ["KC03"]', 3, "requires paths"),
        ('[[overrides]]\npaths = ["x"]\nignore = ["KC99"]', 3, "KC99"),
        ('[[overrides]]\npaths = ["x"]\n[overrides.severity]\nKC99 = "info"', 4, "KC99"),
        ('[[overrides]]\npaths = ["x"]\nseverity = { KC0301 = "big" }', 3, "KC0301 must be one of"),
        (NAMES + "until = 'soon'", 4, "until must be a date"),
        (NAMES + "untill = 2027-01-31", 4, "did you mean until?"),
        ("[[ignore]]\npath = 'a'", 1, "[[ignore]] requires rule"),
        ('exclude = [\n  "*.yaml",\n  "[z-a]*",\n]', 3, "pattern [z-a]*: z-a is not a range"),
        ('[[clusters]]\nname = "a"\npaths = ["[9-0]"]', 3, "9-0 is not a range"),
        ('[[overrides]]\npaths = ["[9-0]"]', 2, "9-0 is not a range"),
        (NAMES.replace("'a'", "'[9-0]'"), 3, "9-0 is not a range"),
        (REQUIRE + 'names = ["[9-0]"]', 6, "9-0 is not a range"),
        (REQUIRE.replace("true", "false") + "matches = '^(?=x)(a+)+$'", 6, "run forever"),
        ("a = 1\nb = " + "[" * 5000, 2, "not valid TOML: nested too deeply"),
        ("a = 1\nb = " + "{x=" * 5000, 2, "not valid TOML: nested too deeply"),
        ("a = 1\nb = " + "9" * 5000, 2, "not valid TOML"),
        ("select = [", 1, "not valid TOML"),
        ("a = 1\na = 2", 2, "not valid TOML"),
    ],
)
def test_a_mistake_is_told_with_its_line(
    text: str, line: int, words: str, project: Project
) -> None:
    project.file("topics.yaml", CLEAN)
    project.file("kcheck.toml", text)
    result = project.run("lint")
    assert result.code == 2
    assert result.out == ""
    message = result.err.strip()
    assert message.startswith(f"kcheck: kcheck.toml:{line}: "), message
    assert words in message


def test_pyproject_lines_and_sections(project: Project) -> None:
    project.file("topics.yaml", CLEAN)
    project.file("pyproject.toml", '[tool.other]\nselect = 1\n\n[tool.kcheck]\nfail-on = "x"\n')
    assert "pyproject.toml:5: fail-on must be one of" in project.run("lint").err
    project.file("pyproject.toml", '[tool.other]\nfail-on = "x"\n')
    assert project.run("lint").code == 0


def test_not_utf_8(project: Project) -> None:
    project.file("topics.yaml", CLEAN)
    project.file("kcheck.toml", b"# \xff\n")
    assert "kcheck.toml: not UTF-8" in project.run("lint").err


# -- where settings are found ---------------------------------------------------------------


def test_the_nearest_file_up_to_the_git_root(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.file("kcheck.yaml", FAULTY)
    project.file("sub/deep/kcheck.yaml", FAULTY)
    project.file("kcheck.toml", 'fail-on = "never"')
    project.file("sub/pyproject.toml", '[tool.kcheck]\nignore = ["KC0302"]')
    (project.root.parent / "kcheck.toml").write_text("nonsense = 1")
    try:
        assert project.run("lint", "kcheck.yaml").code == 0
        assert project.run("lint", "sub/deep").code == 0
        assert "KC0302" not in project.run("lint", "sub/deep").out
        assert "KC0302" in project.run("lint", "kcheck.yaml", "sub/deep").out
        (project.root / "kcheck.toml").unlink()
        assert project.run("lint", "kcheck.yaml").code == 1, "not above the git root"
        project.file("other.toml", 'fail-on = "never"')
        assert project.run("lint", "--config", "other.toml").code == 0
        monkeypatch.setenv("KCHECK_CONFIG", "other.toml")
        assert project.run("lint").code == 0
        assert project.run("lint", "--isolated").code == 1
        monkeypatch.setenv("KCHECK_CONFIG", "gone.toml")
        assert "KCHECK_CONFIG gone.toml" in project.run("lint").err
    finally:
        (project.root.parent / "kcheck.toml").unlink()


# -- what settings do -----------------------------------------------------------------------


def codes(project: Project, *args: str) -> dict[str, str]:
    """``path code`` → severity of all findings."""
    report = json.loads(project.run("lint", "--output", "json", *args).out)
    return {f"{f['path']} {f['rule']}": f["severity"] for f in report["findings"]}


def test_severity_ignore_and_overrides(project: Project) -> None:
    for folder in ("a", "b", "c"):
        project.file(f"{folder}/kcheck.yaml", WEAK.replace("core", folder))
    project.file(
        "kcheck.toml",
        """
select = ["KC0301"]
[rules.durability-triad]
severity = "error"
[[overrides]]
paths = ["b/**", "c/**"]
severity = { KC0301 = "info" }
[[overrides]]
paths = ["c/**"]
ignore = ["KC03"]
""",
    )
    assert codes(project) == {"a/kcheck.yaml KC0301": "error", "b/kcheck.yaml KC0301": "info"}
    assert project.run("lint").code == 1


def test_paths_are_relative_to_the_settings_file(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.file("dev/kcheck.yaml", WEAK)
    project.file("kcheck.toml", '[[overrides]]\npaths = ["dev/**"]\nignore = ["KC0301"]\n')
    assert codes(project) == {}
    monkeypatch.chdir(project.root / "dev")
    assert codes(project) == {}
    assert codes(project, "../dev") == {}
    assert codes(project, str(project.root / "dev")) == {}


def test_clusters_and_facts_in_their_order(project: Project) -> None:
    project.file("brokers/server.properties", "broker.id=1\nzookeeper.connect=zk:2181\n")
    project.file("topics/topics.yaml", CLEAN)
    project.file(
        "kcheck.toml",
        """
kafka-version = "3.0"
client-version = "3.1"
environment = "development"
[[clusters]]
name = "pay"
paths = ["brokers/**", "topics/**"]
kafka-version = "3.9"
[[overrides]]
paths = ["brokers/**"]
kafka-version = "3.5"
environment = "production"
service = "msk"
""",
    )
    files = json.loads(project.run("files", "--output", "json").out)["files"]
    assert {f["cluster"] for f in files if f["status"] == "read"} == {"pay"}

    def told(*args: str) -> dict[str, tuple[str, str]]:
        report = json.loads(project.run("show", "cluster", "*", "--output", "json", *args).out)
        facts = report["clusters"][0]["facts"]
        return {key: (fact["value"], fact["from"]) for key, fact in facts.items()}

    assert told() == {
        "kafka_version": ("3.9", "kcheck.toml:5"),
        "client_version": ("3.1", "kcheck.toml:3"),
        "environment": ("production", "kcheck.toml:9"),
        "service": ("msk", "kcheck.toml:9"),
        "brokers": (None, "not stated"),
    }
    assert told("--kafka-version", "4.1")["kafka_version"] == ("4.1", "--kafka-version")


def test_settings_win_over_declarations(project: Project) -> None:
    declared = 'cluster: {name: x, kafka_version: "3.0", client_version: "3.1", brokers: 1}\n'
    project.file("kcheck.yaml", declared)
    project.file("kcheck.toml", 'kafka-version = "3.9"\nclient-version = "3.8"\n')
    facts = json.loads(project.run("show", "--output", "json").out)["clusters"][0]["facts"]
    assert facts["kafka_version"]["value"] == "3.9"
    assert facts["client_version"]["value"] == "3.8"


@pytest.fixture
def made_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule with an option of every kind."""
    rules.load()
    monkeypatch.setattr(rules_module, "_rules", dict(registered()))

    @rule("KC9001", "too-many-partitions", WARNING, set=PREVIEW)
    def check(
        topic: Topic,  # noqa: F821 - a scope is a word
        *,
        most: int = 100,
        ratio: float = 0.5,
        strict: bool = False,
        names: tuple[str, ...] = (),
        prefix: str = "",
    ) -> Iterator[Finding]:
        """A topic has more partitions than agreed."""
        count = topic.partitions
        if count.number > most:
            said = f"{most} {ratio!r} {strict} {names} {prefix}"
            yield topic.finding(said, at=count, severity=INFO if strict else "")


def test_options_of_a_rule(project: Project, made_rule: None) -> None:
    project.file("topics.yaml", CLEAN)
    settings = 'extend-select = ["too-many-partitions"]\n[rules.too-many-partitions]\n'
    project.file("kcheck.toml", settings + "most = 2\nratio = 1\nnames = ['a']\nstrict = true\n")
    result = project.run("lint", "--output", "concise", "--select", "KC9001")
    assert result.out == "topics.yaml:2:32: info KC9001 2 1.0 True ('a',) \n"
    for wrong, words in (
        ("most = '2'", "most must be a whole number"),
        ("most = true", "most must be a whole number"),
        ("ratio = 'x'", "ratio must be a number"),
        ("strict = 1", "strict must be true or false"),
        ("names = 'a'", "names must be a list of strings"),
        ("prefix = 1", "prefix must be a string"),
        ("mos = 2", "did you mean most?"),
    ):
        project.file("kcheck.toml", settings + wrong)
        result = project.run("lint")
        assert result.code == 2
        assert "kcheck.toml:3: " in result.err and words in result.err


def test_an_ignore_entry(project: Project) -> None:
    project.file("kcheck.yaml", FAULTY)
    project.file(
        "kcheck.toml",
        "[[ignore]]\nrule = 'min-isr-le-rf'\npath = '*.yaml'\nuntil = 2999-01-31\nreason = 'soon'\n",
    )
    result = project.run("lint")
    assert result.code == 0 and "1 ignored" in result.err
    assert project.run("lint", "--no-ignores").code == 1


def test_the_baseline_of_the_settings(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.file("kcheck.yaml", FAULTY)
    project.file("kcheck.toml", 'baseline = "known/baseline.jsonl"\n')
    (project.root / "known").mkdir()
    (project.root / "sub").mkdir()
    assert project.run("lint").code == 2, "a baseline that is named must be there"
    assert project.run("baseline", "create").code == 0
    assert project.run("lint").code == 0
    monkeypatch.chdir(project.root / "sub")
    assert project.run("lint", "..").code == 0
    assert project.run("lint", "..", "--no-baseline").code == 1


# -- kcheck config --------------------------------------------------------------------------


def test_config_tells_where_a_value_was_said(project: Project) -> None:
    project.file("dev/kcheck.yaml", WEAK)
    project.file(
        "kcheck.toml",
        """fail-on = "warning"
ignore = ["KC0312"]
[rules.KC0301]
severity = "error"
[[overrides]]
paths = ["dev/**"]
environment = "development"
ignore = ["KC0302"]
""",
    )
    result = project.run("config", "dev/kcheck.yaml", "--output", "json", "--kafka-version", "3.9")
    document = json.loads(result.out)
    assert document["file"] == "kcheck.toml"
    said = {key: (v["value"], v["origin"]) for key, v in document["settings"].items()}
    assert said["fail-on"] == ("warning", "kcheck.toml:1")
    assert said["environment"] == ("development", "kcheck.toml:5")
    assert said["kafka-version"] == ("3.9", "--kafka-version")
    assert said["require-reason"] == (False, "default")
    states = {r["code"]: (r["on"], r["severity"], r["origin"]) for r in document["rules"]}
    assert states["KC0301"] == (True, "error", "kcheck.toml:3")
    assert states["KC0302"] == (False, "warning", "kcheck.toml:5")
    assert states["KC0312"] == (False, "warning", "kcheck.toml:2")
    assert states["KC0303"][2] == "default"
    text = project.run("config", "dev/kcheck.yaml").out
    assert "KC0301" in text and "off" in text
    assert project.run("config", "gone").code == 2


@pytest.mark.parametrize("kind", ["fifo", "device", "folder", "large"])
@pytest.mark.parametrize("how", ["--config", "KCHECK_CONFIG", "extends"])
def test_settings_that_are_no_file(
    kind: str, how: str, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.file("topics.yaml", CLEAN)
    named, said = "odd.toml", "is not a regular file"
    if kind == "fifo":
        os.mkfifo(project.root / named)
    elif kind == "device":
        named = "/dev/zero"
    elif kind == "folder":
        (project.root / named).mkdir()
        said = "is not a regular file" if how == "extends" else "is a directory"
    else:
        (project.root / named).write_bytes(b"#" * 3_000_000)
        said = "is larger than"
    if how == "extends":
        project.file("kcheck.toml", f'extends = "{named}"')
        result = project.run("lint")
    elif how == "--config":
        result = project.run("lint", "--config", named, ".")
    else:
        monkeypatch.setenv("KCHECK_CONFIG", named)
        result = project.run("lint", ".")
    assert result.code == 2
    assert said in result.err
    assert result.err.count("\n") == 1


def test_a_pattern_of_the_command_line_that_means_nothing(project: Project) -> None:
    project.file("topics.yaml", CLEAN)
    result = project.run("lint", "--exclude", "[z-a]", ".")
    assert (result.code, result.err) == (
        2,
        "kcheck: --exclude: pattern [z-a]: z-a is not a range\n",
    )


@pytest.mark.parametrize("place", ["kcheck-baseline.jsonl", "CODEOWNERS"])
def test_what_is_no_file_keeps_nobody_waiting(place: str, project: Project) -> None:
    project.file("topics.yaml", FAULTY)
    os.mkfifo(project.root / place)
    options = ("--baseline", place) if place.endswith("jsonl") else ()
    result = project.run("lint", *options, ".")
    assert result.code == (2 if options else 1)
    assert ("is not a regular file" in result.err) == bool(options)
