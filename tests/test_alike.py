"""Topics that are alike are judged once: only rules that never ask for the name may be."""

from __future__ import annotations

import pytest

from kcheck import rules
from kcheck.engine import lint_project
from kcheck.examples import examples
from kcheck.graph.cluster import Cluster
from kcheck.graph.nodes import Topic
from kcheck.rule import Rule
from kcheck.settings import Settings

TOPIC_RULES = [
    rule
    for rule in rules.load().values()
    if {"Topic", "Node"} & set(rule.scopes) and not rule.by_name
]


class _Asked:
    """Remembers whether a rule looked at what two alike topics may differ in."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.by: str = ""
        asked = self

        def watched(kept: object) -> property:
            def look(self: object) -> object:
                if isinstance(self, (Topic, Cluster)):
                    asked.by = "asked"
                return kept.__get__(self)  # type: ignore[attr-defined]

            return property(look)

        monkeypatch.setattr(Topic, "name", watched(Topic.name), raising=True)
        for method in ("named_topics", "topics_of"):
            original = getattr(Cluster, method)

            def call(self: Cluster, *args: object, _original: object = original) -> object:
                asked.by = "asked"
                return _original(self, *args)  # type: ignore[operator]

            monkeypatch.setattr(Cluster, method, call)


@pytest.mark.parametrize("rule", TOPIC_RULES, ids=lambda rule: rule.code)
def test_a_silent_rule_did_not_ask_for_the_name(
    rule: Rule, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = _Asked(monkeypatch)
    check = rule.check
    culprits: list[str] = []

    def watched(*things: object, **options: object) -> list[object]:
        asked.by = ""
        found = list(check(*things, **options))
        if not found and asked.by and isinstance(things[0], Topic):
            culprits.append(things[0].resource.name)
        return found

    monkeypatch.setattr(rule, "check", watched)
    settings = Settings()
    settings.sets = ("default", "advice", "preview")
    for other in rules.load().values():
        for example in examples(other) if other is rule or other.code[2:4] in ("03", "06") else ():
            sources = [(name, text.encode()) for name, text in sorted(example.files.items())]
            lint_project(sources, settings, dict(sources).get)
    assert not culprits, f"{rule.code} needs by_name=True"
