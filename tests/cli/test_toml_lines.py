"""The light scan that finds the lines of TOML keys."""

from __future__ import annotations

from kcheck.syntax import toml

TEXT = '''\
a = 1 # b = 2
"quoted.key" = "x = y"
list = [
  "one", # [table]
  "c = 3",
]
long = """
[not.a.table]
d = 4
"""
table.inner = 5

[first]
e = { f = 1, g = [1,
  2] }
h = 'it''s'

[[many]]
i = 1
[many.sub]
j = 1
[[many]]
i = 2
  k = "\\" ["
l = 1
[rules."KC0301"]
m = 1
'''


def test_lines() -> None:
    found = toml.lines(TEXT)
    text = TEXT.split("\n")
    expected = {
        ("a",): "a =",
        ("quoted.key",): '"quoted',
        ("list",): "list",
        ("long",): "long",
        ("table", "inner"): "table",
        ("first",): "[first]",
        ("first", "e"): "e =",
        ("first", "h"): "h =",
        ("many", 0, "sub"): "[many.sub]",
        ("many", 0, "sub", "j"): "j =",
        ("many", 1, "k"): "  k =",
        ("many", 1, "l"): "l =",
        ("rules", "KC0301"): "[rules",
        ("rules", "KC0301", "m"): "m =",
    }
    assert {p: text[found[p] - 1][: len(start)] for p, start in expected.items()} == expected
    assert found["many", 0] < found["many", 0, "i"] < found["many", 1] < found["many", 1, "i"]
    assert ("d",) not in found and ("c",) not in found and ("not", "a", "table") not in found


def test_the_nearest_thing_around_a_place() -> None:
    found = toml.lines(TEXT)
    assert toml.line_of(found, ("first", "e", "f")) == found["first", "e"]
    assert toml.line_of(found, ("nowhere", 3)) == 1
