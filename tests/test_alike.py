"""Topics that are alike are judged once: only rules that never ask for the name may be."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kcheck import rules
from kcheck.engine import lint_project
from kcheck.examples import examples
from kcheck.graph.cluster import Cluster
from kcheck.graph.topics import Topic
from kcheck.rule import Rule
from kcheck.settings import Settings

TOPIC_RULES = [
    rule
    for rule in rules.load().values()
    if {"Topic", "Node"} & set(rule.scopes) and not rule.by_name
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
