"""The tables of what operators refuse: each form of a row, told and mended; nothing of a template's values."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kcheck import data
from kcheck.formats import operator_musts
from kcheck.model import Document
from kcheck.syntax import yaml

ROWS = [row[:5] for row in data.rows("operators/musts.tsv")]


def nested(path: str, value: object, times: int = 1) -> dict[str, Any]:
    """An object with one value at the path, in lists of so many members."""
    first, _, rest = path.partition("/")
    name = first.removesuffix("[]").partition("=")[0].replace("*", "any")
    if not rest:
        return {name: value}
    held = nested(rest, value, times)
    innermost = first.endswith("[]") and "[]" not in rest
    return {name: [held] * (times if innermost else 1) if first.endswith("[]") else held}


def merged(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Both in one object, with the first members of lists in one."""
    made = dict(one)
    for key, value in other.items():
        mine = made.get(key)
        if isinstance(mine, dict):
            made[key] = merged(mine, value)
        elif isinstance(mine, list):
            made[key] = [merged(mine[0], value[0])]
        else:
            made[key] = value
    return made


def told(operator: str, kind: str, resource: dict[str, Any]) -> list[str]:
    text = json.dumps({"kind": kind, "metadata": {"name": "one"}, **resource})
    document = Document("one.yaml")
    operator_musts.tell(document, operator, yaml.documents(text.encode())[0][0], lambda _: None)
    return [one.message for one in document.problems]


def faulty(path: str, form: str, argument: str) -> dict[str, Any]:
    """The smallest resource that breaks the row."""
    last = path.rpartition("/")[0]
    wanted = path.partition("=")[2]
    if form in ("starts", "among"):
        return nested(path, "/opt")
    if form == "unique":
        return nested(path, "a", 2)
    if form == "excludes":
        return merged(nested(path, "1"), nested(f"{last}/{argument}", "1"))
    if form == "needs":
        return nested(path, wanted or "a")
    if form in ("below", "above"):
        return nested(path, 1 if form == "above" else 100_000)
    if form == "within":
        return merged(nested(path, "a,b"), nested(argument, "a"))
    if form == "some":
        return nested(path, False)
    if form == "differs":
        return merged(nested(path, "a"), nested(argument, "a"))
    return nested(path, 70_000)


@pytest.mark.parametrize(("operator", "kinds", "path", "form", "argument"), ROWS)
def test_each_row_is_told(operator: str, kinds: str, path: str, form: str, argument: str) -> None:
    for kind in kinds.split():
        assert told(operator, kind, faulty(path, form, argument)), kind


@pytest.mark.parametrize(("operator", "kinds", "path", "form", "argument"), ROWS)
def test_no_row_speaks_of_a_template(
    operator: str, kinds: str, path: str, form: str, argument: str
) -> None:
    if form == "excludes":
        return
    own = ["is not", "does not start", "twice", "outside", "same", "no member"]
    for kind in kinds.split():
        resource = nested(path, "{{ one }}", 2)
        assert not any(word in one for one in told(operator, kind, resource) for word in own)
