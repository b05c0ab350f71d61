"""Jinja's expressions, as far as they are read; the rest is unknown, and costs no time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcheck.syntax import jinja

NAMES: dict[str, jinja.Value] = {
    "on": True,
    "off": False,
    "port": 9092,
    "name": "Core",
    "empty": "",
    "dirs": ["/a", "/b"],
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("port", 9092),
        ("'a b'", "a b"),
        ("-1", -1),
        ("True", True),
        ("name | lower", "core"),
        ("name|upper|lower", "core"),
        ("dirs | join(',')", "/a,/b"),
        ("dirs | join", "/a/b"),
        ("dirs | first", "/a"),
        ("dirs | length", 2),
        ("['x', port] | join('-')", "x-9092"),
        ("empty | default('x')", ""),
        ("empty | default('x', true)", "x"),
        ("port | string ~ ':' ~ name", "9092:Core"),
        ("'7' | int", 7),
        ("'yes' | bool", True),
        ("name if on else port", "Core"),
        ("name if off else port if off else 'z'", "z"),
        ("on and not off", True),
        ("off or port == 9092", True),
        ("name != 'Core'", False),
        ("'/a' in dirs", True),
        ("'/a' not in dirs", False),
        ("'or' in name", True),
        ("port >= 9092 and port < 9093", True),
        ("(off or on) and (name == 'Core')", True),
        ("name is defined", True),
        ("name is not defined", False),
        ("off and unknown", False),
        ("on or unknown", True),
        ("port + 1", 9093),
        ("'a\\'b'", "a'b"),
        # Unknown, and what is not read.
        ("unknown", None),
        ("unknown | default('x')", None),
        ("unknown is defined", None),
        ("on and unknown", None),
        ("not unknown", None),
        ("name if unknown else name", None),
        ("hostvars[host].port", None),
        ("item.port", None),
        ("lookup('env', 'HOME')", None),
        ("name | regex_replace('a', 'b')", None),
        ("name | ", None),
        ("name port", None),
        ("not", None),
        ("", None),
        ("name is string", None),
        ("'9' < 10", None),
        ("(" * 40 + "port" + ")" * 40, None),
    ],
)
def test_values(text: str, expected: jinja.Value) -> None:
    assert jinja.value(text, NAMES.get) == expected


def test_lines() -> None:
    assert jinja.rendered("{{ name | lower }}.{{ port }}/x", NAMES.get) == "core.9092/x"
    assert jinja.rendered("no expression", NAMES.get) == "no expression"
    assert jinja.rendered("{{ name }}{{ unknown }}", NAMES.get) is None
    assert jinja.rendered("{{ dirs }}", NAMES.get) is None


@given(st.text(alphabet="abon19'\"()[]|~,. =<>!_-not if else in"))
def test_any_text(text: str) -> None:
    jinja.value(text, NAMES.get)


@pytest.mark.parametrize("text", ["(" * 50_000, "not " * 50_000, "a|" * 50_000, "['" * 50_000])
def test_long_texts_cost_their_length(text: str) -> None:
    began = time.process_time()
    assert jinja.value(text, NAMES.get) is None
    assert time.process_time() - began < 2
