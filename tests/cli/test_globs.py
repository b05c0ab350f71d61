"""Path patterns: what stays inside a name, what crosses folders, what takes a folder whole."""

from __future__ import annotations

import pytest

from kcheck.globs import matcher


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("*.yaml", ["a.yaml", "x/y/a.yaml"], ["a.yml", "a.yaml.bak"]),
        ("dev", ["dev", "dev/a.yaml", "x/dev/a.yaml"], ["devs/a.yaml", "a/dev.yaml"]),
        ("dev/", ["dev/a.yaml", "x/dev/a"], ["devs/a"]),
        ("dev/**", ["dev/a", "dev/b/c"], ["x/dev/a", "devs/a"]),
        ("/dev", ["dev/a"], ["x/dev/a"]),
        ("dev/*.yaml", ["dev/a.yaml"], ["dev/x/a.yaml", "x/dev/a.yaml"]),
        ("**/dev/*.yaml", ["dev/a.yaml", "x/y/dev/a.yaml"], ["dev/x/a.yaml"]),
        ("apps/*/kafka/**", ["apps/a/kafka/x", "apps/a/kafka/x/y"], ["apps/a/b/kafka/x"]),
        ("a?.yaml", ["ab.yaml"], ["a.yaml", "a/.yaml"]),
        ("[ab].yaml", ["a.yaml", "b.yaml"], ["c.yaml"]),
        ("[!ab].yaml", ["c.yaml"], ["a.yaml"]),
        ("a+b(1).yaml", ["a+b(1).yaml"], ["aab1.yaml"]),
        ("./dev/**", ["dev/a"], ["x/dev/a"]),
        ("**", ["a", "a/b"], []),
        (".", ["a", "a/b"], []),
    ],
)
def test_pattern(pattern: str, yes: list[str], no: list[str]) -> None:
    match = matcher([pattern])
    assert [path for path in yes if not match(path)] == []
    assert [path for path in no if match(path)] == []


def test_no_pattern_matches_nothing_and_costs_no_import() -> None:
    assert not matcher([])("a")
