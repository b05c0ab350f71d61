"""What is read as plain YAML is what libyaml makes of it, to the last place."""

from __future__ import annotations

import random
import re

import pytest

from kcheck.syntax import libyaml, plain_yaml, yaml

_KEYS = ("a", "b.c", "retention.ms", "strimzi.io/cluster", "1", "_x", "null")
_VALUES = ("1", "-1", "a b", "x:y", "host:9092,b:1", '"x y"', "'# x: y'", '""', "~", "2.5e3", "yes")
_ODD = (
    *("- a", "-", "a: b", "{}", "[]", "|", ">", "&x a", "*x", "!t x", "@x", "a:", "a #c", "a#c"),
    *('"a\\"b"', "'a''b'", "  x", "x ", "? x", "=", "...", "---", "#x", "a :b", '"x" # c', "--1"),
    *("é", "a\tb", "a 'b", "x: 'y: z'", "a   b"),
)


def _tree(node: yaml.Node) -> object:
    start, end = node.start_mark, node.end_mark
    at = (start.line + 1, start.column + 1, end.line + 1, end.column + 1)
    assert yaml.position(node) == at
    if isinstance(node, yaml.MappingNode):
        inner = [(_tree(key), _tree(value)) for key, value in node.value]
        return at, inner
    return node.value, node.style, at


def _text(source: random.Random) -> str:
    """A text of mappings, most of them right and plain, some with something odd in a place."""
    lines: list[str] = []
    depths = [source.choice((0, 0, 0, 1))]
    for _ in range(source.randint(1, 12)):
        begin = " " * depths[-1] + source.choice(_KEYS) + ":"
        if source.random() < 0.35:
            lines.append(begin + source.choice(("", "", " ", "  # c: d")))
            if source.random() < 0.8:
                depths.append(depths[-1] + source.choice((1, 2, 4)))
        else:
            lines.append(f"{begin} {source.choice(_VALUES)}" + source.choice(("", "", " ", " # c")))
        while len(depths) > 1 and source.random() < 0.3:
            depths.pop()
        if source.random() < 0.1:
            lines.append(source.choice(("# c: d", "", "   # d", "   ", "---")))
            depths = depths[:1] if lines[-1] == "---" else depths
    if source.random() < 0.2:
        odd = (
            " " * source.randint(0, 4)
            + source.choice(("", "a: ", "a:", "# "))
            + source.choice(_ODD)
        )
        lines[source.randrange(len(lines))] = odd
    return "\n".join(lines) + source.choice("\n\n\n\n\n\n\n\n ")


def _exchanged(text: str, source: random.Random) -> str:
    """The text with other values in the places of its own."""
    return re.sub(r"(?<=: )[\w.]+$", lambda _: source.choice(_VALUES), text, flags=re.MULTILINE)


def _same(text: str) -> bool:
    """Whether the text is plain; it must be the same as libyaml's then."""
    plain = plain_yaml.documents(text.encode())
    if plain is None:
        return False
    found, problem = libyaml.documents(text.encode())
    assert problem is None, text
    assert [_tree(node) for node in plain] == [_tree(node) for node in found], text
    return True


def test_plain_texts_are_read_as_libyaml_reads_them() -> None:
    source = random.Random(7)
    plain = 0
    for _ in range(3000):
        text = _text(source)
        plain += _same(text)
        plain += _same(text)  # by its outline
        _same(_exchanged(text, source))
    assert plain > 3000


@pytest.mark.parametrize(
    "text",
    [
        "a: 1",
        "a: 1\n...\n",
        "a: 1\r\n",
        "a:\n- 1\n",
        "a: &x 1\nb: *x\n",
        "<<: 1\n",
        "a: b\n  c\n",
        "a: b\n  c: d\n",
        "  a: 1\nb: 1\n",
        "a:\n    b: 1\n  c: 1\n",
        "a: 1\n---\n",
        "---\n---\na: 1\n",
        "a: {{ .Values.b }}\n",
        'a: "\\n"\n',
        "a: |\n  b\n",
        "a: b: c\n",
        "a\n",
        "\ta: 1\n",
        "ä: 1\n",
        "",
    ],
)
def test_all_else_is_left_to_libyaml(text: str) -> None:
    assert plain_yaml.documents(text.encode()) is None


def test_files_alike_share_their_keys_and_no_values() -> None:
    one, other = (
        plain_yaml.documents(f"a:\n  b: {value}\n# c: {value}\nd: 'x'\n".encode())
        for value in ("1", "'two'")
    )
    assert one and other
    first, second = (
        dict(enumerate(yaml.pairs(yaml.child(nodes[0], "a")))) for nodes in (one, other)
    )
    assert first[0][1] is second[0][1]
    assert yaml.text(first[0][2]) == "1" and yaml.text(second[0][2]) == "two"
    assert yaml.position(second[0][2]) == (2, 6, 2, 11)
