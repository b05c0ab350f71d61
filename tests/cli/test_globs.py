"""Path patterns: what stays inside a name, what crosses folders, what takes a folder whole."""

from __future__ import annotations

import re
from functools import cache
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcheck.globs import GlobError, matcher
from kcheck.owners import Owners


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


def slow(pattern: str, path: str) -> bool:  # noqa: C901
    """The same language by trying everything: what a pattern means, whatever it costs."""
    text = pattern.strip().removeprefix("./").rstrip("/")
    if text.lstrip("/") in ("", "."):
        return True
    text = text.lstrip("/") if "/" in text else f"**/{text}"

    @cache
    def fits(at: int, to: int) -> bool:
        if at == len(text):
            return to == len(path) or path[to] == "/"
        char = text[at]
        if text.startswith("**/", at) and (at == 0 or text[at - 1] == "/"):
            starts = [to, *(n + 1 for n in range(to, len(path)) if path[n] == "/")]
            return any(fits(at + 3, start) for start in starts)
        if text.startswith("**", at):
            return any(fits(at + 2, start) for start in range(to, len(path) + 1))
        if char == "*":
            start = to
            while not fits(at + 1, start):
                if start == len(path) or path[start] == "/":
                    return False
                start += 1
            return True
        if to == len(path):
            return False
        if char == "[" and "]" in text[at + 2 :]:
            end = text.index("]", at + 2)
            inside = text[at + 1 : end]
            negated = inside[0] in "!^" and len(inside) > 1
            held = path[to] in inside[negated:]
            return path[to] != "/" and held != negated and fits(end + 1, to + 1)
        return (path[to] == char or (char == "?" and path[to] != "/")) and fits(at + 1, to + 1)

    return fits(0, 0)


PIECES = st.sampled_from(["a", "b", "*", "**", "**/", "/", "?", "[ab]", "[!a]", "ab", "."])
PATHS = st.text("ab/.", min_size=1, max_size=12).filter(lambda path: "//" not in path)


@settings(max_examples=300)
@given(st.lists(PIECES, max_size=8).map("".join), st.lists(PATHS, min_size=1, max_size=8))
def test_a_final_choice_is_the_right_one(pattern: str, paths: list[str]) -> None:
    match = matcher([pattern])
    assert {path: match(path) for path in paths} == {path: slow(pattern, path) for path in paths}


@pytest.mark.parametrize(
    "pattern",
    [
        "*a" * 60 + "*b",
        "**a" * 60 + "**b",
        "**/a*" * 40 + "/b",
        "**/*" * 40 + "*b",
        "*" * 3000 + "b",
        "**/" * 1000 + "b",
        "?*" * 100 + "b",
        "[!x]*" * 100 + "b",
    ],
    ids=lambda pattern: pattern[:6],
)
@pytest.mark.parametrize("path", ["a" * 250, "/".join(["a" * 30] * 30), "a/" * 500 + "a"])
def test_no_pattern_takes_long(pattern: str, path: str) -> None:
    match, owners = matcher([pattern]), Owners(f"{pattern} @a\n")
    start = process_time()
    assert not match(path)
    assert not owners.of(path)
    assert process_time() - start < 1


@pytest.mark.parametrize("pattern", ["[z-a]", "x/[!9-0]*"])
def test_a_pattern_that_means_nothing(pattern: str) -> None:
    with pytest.raises(GlobError, match=re.escape(f"pattern {pattern}: ")):
        matcher(["*.yaml", pattern])
    assert Owners(f"* @a\n{pattern} @b\n").of("x/5") == ["@a"]


@pytest.mark.parametrize(
    "pattern", ["[!]", "[^]", "[]]", "[", "[[]", "[a&&b]", "[\\]", "[a-]", "[-a]"]
)
def test_odd_sets_are_patterns_too(pattern: str) -> None:
    matcher([pattern])("a/b")
