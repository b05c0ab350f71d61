"""What an organisation tells all of its repositories: requirements, plugins, extended settings."""

from __future__ import annotations

import json

import pytest
from playground import Project, Result

from kcheck import plugins, rule

TOPICS = """\
cluster: {name: core, kafka_version: "4.1", environment: production, brokers: 3}
topics:
  - {name: orders, partitions: 6, replication_factor: 3, config: {retention.ms: 5184000000}}
  - {name: Clicks, partitions: 6, replication_factor: 3, config: {retention.ms: "${DAYS}"}}
  - {name: state, partitions: 6, replication_factor: 3, config: {cleanup.policy: compact}}
producers:
  - {name: web, topics: [orders], config: {acks: all}}
"""
HEAD = '[[require]]\ncode = "ORG001"\n'


def told(result: Result, code: str = "ORG001") -> list[str]:
    assert result.code != 2, result.err
    return [f["message"] for f in json.loads(result.out)["findings"] if f["rule"] == code]


@pytest.fixture
def core(project: Project) -> Project:
    project.file("kcheck.yaml", TOPICS)
    return project


@pytest.mark.parametrize(
    ("entry", "messages"),
    [
        (
            'on = "topic"\nkey = "retention.ms"\nmax = "30d"\nmessage = "topics keep 30 days"',
            ["topic orders: topics keep 30 days (retention.ms is 5184000000)"],
        ),
        (
            'on = "topic"\nkey = "retention.ms"\nmin = "8d"',
            [
                "topic state: retention.ms must be at least 691,200,000 ms (8 d) "
                "(retention.ms is 604800000, the default of Kafka 4.1)"
            ],
        ),
        (
            'on = "topic"\nkey = "name"\nmatches = "^[a-z]+$"',
            ["topic Clicks: name must be a match of ^[a-z]+$ (name is Clicks)"],
        ),
        (
            'on = "topic"\nkey = "cleanup.policy"\nequals = "delete"\nnames = ["st*", "orders"]',
            ["topic state: cleanup.policy must be delete (cleanup.policy is compact)"],
        ),
        (
            'on = "topic"\nkey = "partitions"\none-of = [3, 12]\nnames = ["orders"]',
            ["topic orders: partitions must be one of 3, 12 (partitions is 6)"],
        ),
        (
            'on = "producer"\nkey = "client.id"\npresent = true',
            [
                "producer web: client.id must be set (client.id is empty, the default of Kafka 2.8-4.4)"
            ],
        ),
        (
            'on = "topic"\nkey = "retention.bytes"\nmax = "1GiB"\nnames = ["orders"]',
            [
                "topic orders: retention.bytes must be at most 1,073,741,824 B "
                "(retention.bytes is -1, the default of Kafka 4.1)"
            ],
        ),
        ('on = "producer"\nkey = "acks"\nequals = "all"', []),
        ('on = "topic"\nkey = "retention.ms"\nmax = 1\nenvironment = "development"', []),
    ],
)
def test_requirements(core: Project, entry: str, messages: list[str]) -> None:
    core.file("kcheck.toml", HEAD + entry + "\n")
    assert told(core.run("lint", "--output", "json", ".")) == messages


def test_a_requirement_is_a_rule_like_any_other(core: Project) -> None:
    entry = (
        'on = "topic"\nkey = "retention.ms"\nmax = "30d"\nname = "a-month"\nseverity = "error"\n'
    )
    core.file("kcheck.toml", HEAD + entry + 'url = "https://wiki.example.com/org1"\n')
    result = core.run("lint", "--output", "json", ".")
    (finding,) = [f for f in json.loads(result.out)["findings"] if f["rule"] == "ORG001"]
    assert (result.code, finding["severity"], finding["name"]) == (1, "error", "a-month")
    assert finding["url"] == "https://wiki.example.com/org1"
    assert finding["evidence"][0]["line"] == finding["line"] == 3
    assert core.run("lint", "--ignore", "a-month", ".").code == 0
    assert core.run("lint", "--select", "KC06", ".").code == 0
    assert core.run("lint", "--select", "ORG001", ".").code == 1
    assert "a-month" in core.run("rules").out
    assert "kcheck.toml:1" in core.run("config", "kcheck.yaml").out
    assert "retention.ms of a topic" in core.run("explain", "ORG001").out
    sarif = json.loads(core.run("lint", "--output", "sarif", ".").out)["runs"][0]
    rules = {r["id"]: r for r in sarif["tool"]["driver"]["rules"]}
    assert rules["ORG001"]["helpUri"] == "https://wiki.example.com/org1"
    core.run("lint", "--unsafe-fixes", ".")
    assert "retention.ms: 2592000000" in (core.root / "kcheck.yaml").read_text()
    ignored = TOPICS.replace(
        "  - {name: orders", "  # kcheck: ignore[a-month] audit\n  - {name: orders"
    )
    core.file("kcheck.yaml", ignored)
    assert core.run("lint", ".").code == 0


@pytest.mark.parametrize(
    ("entry", "line", "words"),
    [
        ('on = "topic"\nkey = "retenton.ms"\nmax = 1', 4, "did you mean retention.ms?"),
        ('on = "topic"\nkey = "retention.ms"\nmax = "soon"', 5, "a unit such as 7d"),
        ('on = "topic"\nkey = "name"\nmatches = "("', 5, "not a valid regular expression"),
        ('on = "topic"\nkey = "name"\nbogus = 1', 5, "unknown key bogus"),
        (
            'on = "topic"\nkey = "name"\npresent = true\nname = "min-isr-eq-rf"',
            1,
            "already exists",
        ),
    ],
)
def test_a_requirement_that_means_nothing(core: Project, entry: str, line: int, words: str) -> None:
    core.file("kcheck.toml", HEAD + entry + "\n")
    result = core.run("lint", ".")
    assert result.code == 2
    assert f"kcheck.toml:{line}: " in result.err
    assert words in result.err


ORG = """\
require-reason = true
fail-on = "warning"
exclude = ["old/**"]
ignore = ["KC0601"]
[rules.min-isr-eq-rf]
ignorable = false
severity = "error"
[[require]]
code = "ORG001"
on = "topic"
key = "partitions"
max = 3
[[overrides]]
paths = ["dev/**"]
ignore = ["ORG001"]
"""


def test_settings_extend_others(project: Project) -> None:
    project.file("platform/org.toml", ORG)
    project.file("team/kcheck.toml", 'extends = "../platform/org.toml"\nfail-on = "error"\n')
    topics = "topics: [{name: orders, partitions: 6}]\n"
    project.file("team/kcheck.yaml", topics)
    project.file("team/dev/kcheck.yaml", topics.replace("orders", "tests"))
    project.file("team/old/kcheck.yaml", topics.replace("orders", "gone"))
    # Patterns start at the settings that extend, not where the others happen to lie.
    result = project.run("lint", "--output", "json", "team")
    assert told(result) == ["topic orders: partitions must be at most 3 (partitions is 6)"]
    assert result.code == 0
    shown = project.run("config", "team/kcheck.yaml").out
    assert "platform/org.toml:1" in shown and "team/kcheck.toml:2" in shown


def test_what_the_wider_settings_insist_on_holds(project: Project) -> None:
    project.file("org.toml", ORG)
    faulty = TOPICS.replace("retention.ms: 5184000000", "min.insync.replicas: 3")
    project.file("kcheck.yaml", faulty)
    base = 'extends = "org.toml"\nrequire-reason = false\n[rules.min-isr-eq-rf]\nignorable = true\n'
    project.file("kcheck.toml", base)
    assert "KC0303" in project.run("lint", "--output", "concise", ".").out
    entry = '[[ignore]]\nrule = "KC0302"\npath = "kcheck.yaml"\n'
    project.file("kcheck.toml", base + entry)
    result = project.run("lint", "--output", "concise", ".")
    assert (
        result.code,
        "kcheck.toml:5:1: error KC0002 [[ignore]] has no reason" in result.out,
    ) == (1, True)
    project.file("kcheck.toml", base + entry.replace("KC0302", "KC0303") + 'reason = "x"\n')
    result = project.run("lint", "--output", "concise", ".")
    assert (result.code, "KC0303 cannot be ignored" in result.out) == (1, True)
    assert "KC0303 topic" in result.out


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"kcheck.toml": 'extends = "nowhere.toml"\n'}, "kcheck.toml:1: extends nowhere.toml: no such file"),
        (
            {"kcheck.toml": 'extends = "b.toml"\n', "b.toml": 'extends = "kcheck.toml"\n'},
            "b.toml:1: extends kcheck.toml is circular",
        ),
        ({"kcheck.toml": 'extends = "b.toml"\n', "b.toml": "bogus = 1\n"}, "b.toml:1: unknown key bogus"),
    ],
)  # fmt: skip
def test_what_cannot_be_extended(core: Project, files: dict[str, str], words: str) -> None:
    for name, text in files.items():
        core.file(name, text)
    result = core.run("lint", ".")
    assert result.code == 2
    assert words in result.err


# -- plugins -----------------------------------------------------------------------------------

PLUGIN = '''
from kcheck.rule import rule
from kcheck.model import WARNING


@rule("{code}", "acme-{code}", WARNING)
def acme(topic: "Topic"):
    """A topic of Acme's is called badly."""
    if topic.name == "orders":
        yield topic.finding(f"{{topic}} is Acme's", at=topic.partitions)
'''


@pytest.fixture
def installed(core: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A package with entry points, as pip would install it."""
    site = core.root / "site"
    metadata = site / "acme-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
    names = ("acme", "thief", "broken")
    points = "".join(f"{name} = kcheck_test_{name}\n" for name in names)
    (metadata / "entry_points.txt").write_text(f"[{plugins.GROUP}]\n{points}")
    for name, code in (("acme", "ACME1"), ("thief", "KC0399")):
        (site / f"kcheck_test_{name}.py").write_text(PLUGIN.format(code=code))
    (site / "kcheck_test_broken.py").write_text("import nothing_like_that\n")
    monkeypatch.syspath_prepend(str(site))
    known = dict(rule.registered())
    monkeypatch.setattr(rule, "_rules", known)
    monkeypatch.setattr(plugins, "_loaded", set())
    monkeypatch.setattr(plugins, "_refused", {})
    import sys

    for name in names:
        monkeypatch.delitem(sys.modules, f"kcheck_test_{name}", raising=False)
    return core


def test_an_installed_plugin_takes_part_when_it_is_named(installed: Project) -> None:
    assert told(installed.run("lint", "--output", "json", "kcheck.yaml"), "ACME1") == []
    by_option = installed.run("lint", "--output", "json", "--plugin", "acme", "kcheck.yaml")
    assert told(by_option, "ACME1") == ["topic orders is Acme's"]
    installed.file("kcheck.toml", 'plugins = ["acme"]\n[rules.acme-ACME1]\nseverity = "error"\n')
    result = installed.run("lint", "--output", "json", "kcheck.yaml")
    assert (result.code, told(result, "ACME1")) == (1, ["topic orders is Acme's"])
    assert "A topic of Acme's" in installed.run("explain", "ACME1").out


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nowhere", "no plugin named nowhere is installed (acme, broken, thief)"),
        ("broken", "plugin broken cannot be loaded: ModuleNotFoundError"),
        ("thief", "uses a code reserved for kcheck's own families: KC0399"),
    ],
)
def test_a_plugin_that_cannot_take_part(installed: Project, name: str, words: str) -> None:
    result = installed.run("lint", "--plugin", name, "kcheck.yaml")
    assert result.code == 2
    assert words in result.err
    installed.file("kcheck.toml", f'plugins = ["{name}"]\n')
    result = installed.run("lint", "kcheck.yaml")
    assert result.code == 2
    assert "kcheck.toml:1: " in result.err and words in result.err
    assert "KC0399" not in rule.registered()


def test_settings_bring_their_plugins_to_another_process(
    installed: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    from kcheck import registry
    from kcheck.settings import Settings

    assert "ACME1" in registry.known(Settings(plugins=("acme",)))
    monkeypatch.delitem(sys.modules, "kcheck_test_acme")


def test_a_path_in_the_repository_is_no_plugin(installed: Project) -> None:
    installed.file("rules.py", "raise SystemExit('executed')\n")
    installed.file("kcheck.toml", 'plugins = ["rules", "./rules.py"]\n')
    assert "no plugin named rules" in installed.run("lint", "kcheck.yaml").err


@pytest.mark.parametrize("bound", ["inf", "-inf", "nan", "1" + "0" * 400])
def test_a_bound_is_a_number_that_kafka_has(project: Project, bound: str) -> None:
    project.file(
        "kcheck.toml",
        f'[[require]]\ncode = "ORG1"\non = "topic"\nkey = "retention.ms"\nmax = {bound}\n',
    )
    project.file("topics.yaml", "topics:\n  - {name: a, config: {retention.ms: 5}}\n")
    result = project.run("lint")
    assert result.code == 2
    assert "kcheck.toml:" in result.err
    assert "max is not a number that Kafka supports" in result.err
