"""Rules that are loaded only where a cluster has nodes, or clients, are silent on all others."""

from __future__ import annotations

import pytest

from kcheck import rules
from kcheck.engine import lint_project
from kcheck.examples import examples
from kcheck.graph.cluster import Cluster
from kcheck.rule import Rule
from kcheck.settings import Settings

#: Families whose examples have topics, clients or connectors by themselves.
_FAMILIES = ("03", "05", "06", "07", "09", "12", "14", "15", "16", "17")


@pytest.fixture(scope="module")
def clusters() -> list[Cluster]:
    """The clusters of all examples that lack nodes, or clients."""
    found: list[Cluster] = []
    for code, rule in rules.load().items():
        for example in examples(rule) if code[2:4] in _FAMILIES else ():
            files = {name: text.encode() for name, text in example.files.items()}
            found += lint_project(sorted(files.items()), Settings(), files.get).clusters
    return [c for c in found if not (c.has_nodes and c.has_clients)]


@pytest.mark.parametrize("scope", rules.KEYS)
def test_modules_that_wait_for_keys_have_no_rule_that_does_not(scope: str) -> None:
    for module, keys in rules.about(scope).items():
        ours = [
            rule
            for rule in rules.load().values()
            if rule.check.__module__ == f"kcheck.rules.{module}" and scope in rule.scopes
        ]
        assert ours and all(rule.on and rule.on <= keys for rule in ours)


_NARROW = [
    (rule, has)
    for rule in rules.load().values()
    for scope, has in (("ClusterWithNodes", "has_nodes"), ("ClusterWithClients", "has_clients"))
    if scope in rule.scopes
]


@pytest.mark.parametrize(("rule", "has"), _NARROW, ids=lambda it: getattr(it, "code", it))
def test_silent_without_what_it_looks_at(rule: Rule, has: str, clusters: list[Cluster]) -> None:
    lacking = [cluster for cluster in clusters if not getattr(cluster, has)]
    assert len(lacking) > 100
    assert [cluster.name for cluster in lacking if any(rule.check(cluster))] == []
