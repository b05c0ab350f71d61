"""YAML: the same pairs as PyYAML gives, the text under every span, and no exception."""

from __future__ import annotations

import pytest
import yaml as pyyaml
from hypothesis import given
from hypothesis import strategies as st

from kcheck.syntax import yaml

KEYS = st.text(alphabet="abc.-_xyz", min_size=1, max_size=12)
SCALARS = st.one_of(
    st.text(max_size=20),
    st.integers().map(str),
    st.sampled_from(
        ["", "~", "null", "yes", "1e3", "0o17", "017", "1_000", "2026-01-01", "#x", "a #b"]
    ),
)
TREES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


def plain(node: yaml.Node) -> object:
    """The node as Python data, every scalar as its text: what BaseLoader gives."""
    if isinstance(node, yaml.MappingNode):
        return {name: plain(value) for name, _, value in yaml.pairs(node)}
    if isinstance(node, yaml.SequenceNode):
        return [plain(item) for item in yaml.items(node)]
    return node.value


def under(text: str, node: yaml.Node) -> str:
    line, column, end_line, end_column = yaml.position(node)
    lines = text.splitlines(keepends=True)
    if line == end_line:
        return lines[line - 1][column - 1 : end_column - 1]
    return "".join(
        (
            lines[line - 1][column - 1 :],
            *lines[line : end_line - 1],
            (lines[end_line - 1 : end_line] or [""])[0][: end_column - 1],
        )
    )


@given(TREES, st.booleans(), st.sampled_from([None, "'", '"', "|"]))
def test_pairs_equal_pyyaml(tree: object, flow: bool, style: str | None) -> None:
    text = pyyaml.dump(tree, default_flow_style=flow, default_style=style, allow_unicode=True)
    nodes, problem = yaml.documents(text.encode())
    assert problem is None
    assert plain(nodes[0]) == pyyaml.load(text, Loader=pyyaml.BaseLoader)


@given(
    st.dictionaries(KEYS, st.text(alphabet="ab1 .:'\"-#é漢", max_size=12), min_size=1, max_size=4)
)
def test_the_text_under_a_span_is_the_scalar(pairs: dict[str, str]) -> None:
    text = pyyaml.dump(pairs, allow_unicode=True)
    nodes, _ = yaml.documents(text.encode())
    for _name, key, value in yaml.pairs(nodes[0]):
        for node in (key, value):
            assert pyyaml.load(under(text, node) or "''", Loader=pyyaml.BaseLoader) == node.value


@given(st.one_of(st.binary(max_size=200), st.text(max_size=200).map(str.encode)))
def test_nothing_escapes(data: bytes) -> None:
    nodes, problem = yaml.documents(data)
    assert isinstance(nodes, list)
    assert problem is None or problem.at[0] >= 1


@pytest.mark.parametrize(
    ("text", "line"),
    [("a: [1\nb: 2\n", 2), ("a: 1\n---\nb: {\n", 4), ("a: \x01\n", 1)],
)
def test_a_problem_has_a_place(text: str, line: int) -> None:
    _nodes, problem = yaml.documents(text.encode())
    assert problem is not None
    assert problem.at[0] == line


def test_what_stands_before_an_error_is_kept() -> None:
    nodes, problem = yaml.documents(b"a: 1\n---\nb: {\n")
    assert [plain(node) for node in nodes] == [{"a": "1"}]
    assert problem is not None


def test_merges_follow_yaml() -> None:
    text = b"base: &b {x: 1, y: 2}\nmore: &m {y: 3, z: 4}\nall:\n  <<: [*b, *m]\n  x: 9\n"
    nodes, _ = yaml.documents(text)
    assert plain(yaml.child(nodes[0], "all")) == {"x": "9", "y": "2", "z": "4"}  # type: ignore[arg-type]


def test_a_chain_of_merges_ends() -> None:
    text = "a: &a {k: v}\n" + "".join(
        f"{chr(98 + i)}: &{chr(98 + i)} {{<<: [*{chr(97 + i)}, *{chr(97 + i)}]}}\n"
        for i in range(20)
    )
    nodes, problem = yaml.documents(text.encode())
    assert problem is None
    assert plain(yaml.child(nodes[0], "u")) == {"k": "v"}  # type: ignore[arg-type]


def test_what_aliases_stand_for_is_counted() -> None:
    long = ", ".join(f"k{n}: v" for n in range(1_000))
    text = f"a: &a {{{long}}}\nb: [{', '.join(['*a'] * 100)}]\n"
    nodes, problem = yaml.documents(text.encode())
    assert nodes == []
    assert problem is not None
    assert problem.code == "KC0005"
    assert yaml.documents(text.replace("*a", "k").encode())[1] is None
    circle = b"a: &a [*a, *a]\n"
    assert yaml.documents(circle)[1] is None


def test_duplicates_are_all_there() -> None:
    nodes, _ = yaml.documents(b"a: 1\na: 2\n")
    assert [value.value for _, _, value in yaml.pairs(nodes[0])] == ["1", "2"]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1_000", "1000"),
        ("604_800_000", "604800000"),
        ("-1_000", "-1000"),
        ("+1_0", "10"),
        ("1_", "1"),
        ("1000", None),  # as it is
        ("_1000", None),
        ("0_1", None),  # octal
        ("1_a", None),
        ("-_1", None),
        ("_", None),
        ("-_", None),
        ("'1_000'", None),
        ("1_0\u0661", None),
        ("[1_0]", None),
    ],
)
def test_whole_numbers_with_underscores(text: str, number: str | None) -> None:
    (node,), _ = yaml.documents(f"a: {text}\n".encode())
    ((_, _, value),) = yaml.pairs(node)
    assert yaml.number(value) == number
    if number is not None:
        assert str(pyyaml.safe_load(text)) == number
