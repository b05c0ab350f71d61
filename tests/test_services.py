"""One owner for managed services: what is derived from its rows is of today."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from kcheck import services

SCHEMAS = Path(__file__).resolve().parent.parent / "schemas"


def enums(node: object, service: bool = False) -> Iterator[list[str | None]]:
    """The values that a schema has for services, wherever it names one."""
    if isinstance(node, dict):
        if service and "enum" in node:
            yield node["enum"]
        for key, value in node.items():
            yield from enums(value, service or key == "service")
    elif isinstance(node, list):
        for value in node:
            yield from enums(value, service)


@pytest.mark.parametrize("name", ["kcheck", "settings"])
def test_schemas_have_the_names_of_the_rows(name: str) -> None:
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    found = [[value for value in enum if value is not None] for enum in enums(schema)]
    assert found
    assert all(tuple(enum) == services.NAMES for enum in found), "python ci/generate.py writes them"


def test_a_host_is_of_one_service() -> None:
    for row in services._ROWS:
        for domain in row.domains:
            host = f"b1{row.parts[0] if row.parts else ''}eu{domain}"
            assert services.of_host(host) is row
            assert row in services.named(row.name)
