"""Topics that are alike are judged once: only rules that never ask for the name may be."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from kcheck import rules
from kcheck.engine import lint_project
from kcheck.examples import examples
from kcheck.graph.cluster import Cluster
from kcheck.graph.topics import Topic
from kcheck.likeness import Alike, Enabled
from kcheck.rule import Rule
from kcheck.settings import ClusterSettings, Settings

TOPIC_RULES = [
    rule
    for rule in rules.load().values()
    if {"Topic", "Node", "Misnamed", "Misvalued", "Repeating"} & set(rule.scopes)
    and not rule.by_name
]


class _Watch:
    """Which rules were silent on a topic though they looked at what alike topics may differ in."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.culprits: dict[str, set[str]] = {}
        self._asked = False
        watch = self

        def watched(kept: object) -> property:
            def look(self: object) -> object:
                if isinstance(self, (Topic, Cluster)):
                    watch._asked = True
                return kept.__get__(self)  # type: ignore[attr-defined]

            return property(look)

        monkeypatch.setattr(Topic, "name", watched(Topic.name), raising=True)
        for method in ("named_topics", "topics_of"):
            original = getattr(Cluster, method)

            def call(self: Cluster, *args: object, _original: object = original) -> object:
                watch._asked = True
                return _original(self, *args)  # type: ignore[operator]

            monkeypatch.setattr(Cluster, method, call)
        for rule in TOPIC_RULES:
            monkeypatch.setattr(rule, "check", self._watching(rule))

    def _watching(self, rule: Rule) -> Callable[..., list[object]]:
        check = rule.check

        def watching(*things: object, **options: object) -> list[object]:
            self._asked = False
            found = list(check(*things, **options))
            if not found and self._asked and isinstance(things[0], Topic):
                self.culprits.setdefault(rule.code, set()).add(things[0].resource.name)
            return found

        return watching


@pytest.fixture(scope="module")
def culprits() -> dict[str, set[str]]:
    """Rule that asked in vain → topics, over all examples that may hold a topic worth it."""
    settings = Settings(sets=("default", "advice", "preview"))
    with pytest.MonkeyPatch.context() as patch:
        watch = _Watch(patch)
        for rule in rules.load().values():
            if rule in TOPIC_RULES or rule.code[2:4] in ("03", "06"):
                for example in examples(rule):
                    files = {name: text.encode() for name, text in example.files.items()}
                    lint_project(sorted(files.items()), settings, files.get)
        return watch.culprits


@pytest.mark.parametrize("rule", TOPIC_RULES, ids=lambda rule: rule.code)
def test_a_silent_rule_did_not_ask_for_the_name(rule: Rule, culprits: dict[str, set[str]]) -> None:
    assert rule.code not in culprits, f"{rule.code} needs by_name=True"


def _fleet_of_topics(draw: random.Random) -> dict[str, bytes]:
    """A broker and topics that share some of their settings and differ in others."""
    pool = {
        "retention.ms": ("-1", "604800000", "86400000", "3600000", "${KEEP}"),
        "segment.bytes": ("1073741824", "10485760", "14", "x"),
        "max.message.bytes": ("1048588", "20971520"),
        "min.insync.replicas": ("1", "2", "4"),
        "cleanup.policy": ("delete", "compact", "compact,delete"),
        "message.timestamp.before.max.ms": ("9223372036854775807", "3600000"),
        "message.timestamp.difference.max.ms": ("9223372036854775807", "1000"),
        "compression.type": ("zstd", "producer"),
        "segment.index.bytes": ("4096", "10485760"),
    }
    files = {
        "server.properties": b"node.id=1\nprocess.roles=broker\nlog.retention.bytes=99999999\n"
    }
    for number in range(120):
        lines = [f"topics:\n  - name: t{number}\n"]
        lines.append(f"    partitions: {draw.choice((1, 6, 0))}\n")
        lines.append(f"    replication_factor: {draw.choice((1, 3))}\n    config:\n")
        for key in sorted(draw.sample(sorted(pool), draw.randrange(1, 5))):
            # Some twice: what is in force may be as elsewhere then.
            for _ in range(1 if draw.random() < 0.9 else 2):
                lines.append(f'      {key}: "{draw.choice(pool[key])}"\n')
        files[f"topics/t{number}.yaml"] = "".join(lines).encode()
    return files


@pytest.mark.parametrize("seed", range(8))
def test_what_is_judged_once_is_judged_alike(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every rule says of every topic what it says where it is asked about each."""
    files = _fleet_of_topics(random.Random(seed))
    toml = ClusterSettings(kafka_version=("", "3.9", "3.5")[seed % 3], environment="production")
    settings = Settings(ClusterSettings(), cluster=toml, sets=("default", "advice", "preview"))

    def said() -> list[str]:
        project = lint_project(sorted(files.items()), settings, files.get)
        assert not project.failures
        return [f"{f.path}:{f.at} {f.code} {f.message}" for f in project.findings]

    once = said()

    def one_by_one(
        self: Alike,
        topic: Topic,
        speak: Callable[..., bool],
        on_settings: Callable[[Topic], list[Enabled]],
    ) -> None:
        for rule, options in on_settings(topic):
            speak(rule, options, topic)
        for group in self._groups:
            for rule, options in group.rules:
                speak(rule, options, topic)

    monkeypatch.setattr(Alike, "judge", one_by_one)
    assert once == said()
    assert len(once) > 100
