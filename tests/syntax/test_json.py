"""JSON as nodes: values are those of Python's reader, places those of the text."""

from __future__ import annotations

import json as python_json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcheck.syntax import json, yaml

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)


def built(node: yaml.Node) -> object:
    """What Python's reader makes of the same text."""
    if isinstance(node, yaml.MappingNode):
        return {key.value: built(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [built(item) for item in node.value]
    text = node.value
    return text if node.style == '"' else python_json.loads(text)


@given(VALUES, st.sampled_from([None, 2, "\t"]), st.booleans())
def test_values_are_those_of_pythons_reader(
    value: object, indent: int | str | None, escaped: bool
) -> None:
    text = python_json.dumps(value, indent=indent, ensure_ascii=escaped)
    node, problem = json.document(text.encode())
    assert problem is None and node is not None
    assert built(node) == python_json.loads(text)


def test_a_place_is_what_stands_between_the_quotes() -> None:
    text = '{\n\t"name": "größe",\n  "n": -5, "e": ""\n}\n'
    node, _ = json.document(text.encode())
    places = {key: (yaml.position(k), yaml.position(v)) for key, k, v in yaml.pairs(node)}
    assert places == {
        "name": ((2, 3, 2, 7), (2, 11, 2, 16)),
        "n": ((3, 4, 3, 5), (3, 8, 3, 10)),
        "e": ((3, 13, 3, 14), (3, 18, 3, 18)),
    }


def test_comments_and_a_comma_too_many_are_taken() -> None:
    node, problem = json.document(b'\xef\xbb\xbf{ // a\n"a": [1, 2,], /* b\n */ "b": {},}')
    assert problem is None and node is not None
    assert built(node) == {"a": [1, 2], "b": {}}


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        ('{"a" 1}', (1, 6), "a colon is missing"),
        ('{"a": 1\n "b": 2}', (2, 2), "a comma or } is missing"),
        ('{"a": }', (1, 7), "a value is missing"),
        ("{a: 1}", (1, 2), "a name in quotes is missing"),
        ('{"a": "x\n"}', (1, 7), "the closing quote is missing"),
        ('{"a": "\\q"}', (1, 7), "invalid escape"),
        ("{} {}", (1, 4), "unexpected text after the value"),
        ("", (1, 1), "a value is missing"),
        ("[" * 2000, (1, 102), "nested too deeply to read"),
    ],
)
def test_what_is_wrong_and_where(text: str, at: tuple[int, int], message: str) -> None:
    node, problem = json.document(text.encode())
    assert node is None and problem is not None
    assert (problem.at[:2], problem.message) == (at, f"not valid JSON: {message}")


def test_objects_may_follow_each_other() -> None:
    nodes, problem, _ = json.strictly(b'{"a": 1}\n{"b": 2} {}', json.MOST)
    assert problem is None
    assert [built(node) for node in nodes] == [{"a": 1}, {"b": 2}, {}]
    nodes, problem, _ = json.strictly(b'{"a": 1} [2]', json.MOST)
    assert len(nodes) == 1 and problem is not None
    assert (problem.at[:2], problem.message) == (
        (1, 10),
        "not valid JSON: unexpected text after the value",
    )


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    node, problem = json.document(data)
    assert (node is None) != (problem is None)
