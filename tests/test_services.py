"""One owner for managed services: what is derived from its rows is of today."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kcheck import accepted, data, services

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


def rows() -> list[list[str]]:
    return data.rows("services/accepts.tsv")


def test_what_is_accepted_is_of_a_service_and_has_a_source() -> None:
    called = {row.called for row in services._ROWS}
    for service, _, plane, key, accepts, severity, source in rows():
        assert service in called
        assert plane in ("topic", "created", "broker", "producer", "consumer", "streams", "cluster")
        assert key
        assert severity in ("error", "warning")
        assert re.fullmatch(r"|\*|[-\d.]*\.\.[\d.]*|[\w-]+(\|[\w-]+)*", accepts), accepts
        assert source


def test_a_key_is_accepted_in_one_way() -> None:
    keys = [tuple(row[:4]) for row in rows()]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(
    ("accepts", "text", "number", "fault"),
    [
        ("..10", "11", 11, "at most 10"),
        ("..10", "10", 10, ""),
        ("1..2", "3", 3, "1 to 2"),
        ("1..2", "0", 0, "1 to 2"),
        ("5..", "4", 4, "5 and more"),
        ("none|gzip", "zstd", float("nan"), "none or gzip"),
        ("none|gzip", "GZIP", float("nan"), ""),
        ("*", "anything", 1, ""),
    ],
)
def test_faults_of_values(accepts: str, text: str, number: float, fault: str) -> None:
    assert accepted.Row(accepts, "error").fault(text, number) == fault
