"""The keys that Strimzi forbids: the table is well formed, and what the operator's API says."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path

import pytest

from kcheck import operators

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "schemas" / "strimzi"


def rows(name: str) -> list[list[str]]:
    lines = (FOLDER / name).read_text(encoding="utf-8").split("\n")
    return [line.split("\t") for line in lines if line and not line.startswith("# ")][1:]


def test_each_rule_has_its_range_and_its_source() -> None:
    table = rows("forbidden.tsv")
    assert table == sorted(table, key=lambda row: (row[0], _number(row[1]), row))
    assert len({(row[0], row[1], row[2], row[3]) for row in table}) == len(table)
    for _resource, versions, rule, key, constant in table:
        assert versions[0].isdigit() and key == key.strip() and key
        assert rule in ("prefix", "except", "exact")
        assert "Spec#FORBIDDEN_" in constant


def _number(versions: str) -> tuple[int, ...]:
    return tuple(map(int, versions.partition("-")[0].split(".")))


def test_other_fields_stand_for_forbidden_keys() -> None:
    forbidden = {(row[0], row[3]) for row in rows("forbidden.tsv") if row[2] == "prefix"}
    for resource, prefix, field in rows("instead.tsv"):
        assert field
        assert any(r == resource and key.startswith(prefix) for r, key in forbidden), prefix
    found = operators.dropped("Kafka", "super.users")
    assert found is not None and found.instead == "spec.kafka.authorization.superUsers"


@pytest.mark.parametrize(
    ("resource", "key", "since"),
    [
        ("Kafka", "listeners", ""),
        ("Kafka", "node.id", "0.29"),
        ("KafkaConnect", "rest.port", ""),
        ("KafkaConnector", "tasks.max", ""),
        ("KafkaBridge.consumer", "group.id", ""),
        ("KafkaMirrorMaker2", "plugin.path", ""),
    ],
)
def test_known_rule(resource: str, key: str, since: str) -> None:
    found = operators.dropped(resource, key)
    assert found is not None and found.since == since


@pytest.mark.jvm
@pytest.mark.skipif(not all(shutil.which(t) for t in ("javap", "mvn")), reason="no JDK or Maven")
def test_the_table_is_what_the_api_says() -> None:
    spec = importlib.util.spec_from_file_location("kcheck_strimzi", FOLDER / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    try:
        path = module.jar("io.strimzi", "api", "0.47.0", Path.home() / ".cache/kcheck/strimzi")
    except SystemExit:
        pytest.skip("Maven Central is out of reach")
    at = (0, 47)
    told = {
        (resource, rule, key, constant)
        for resource, versions, rule, key, constant in rows("forbidden.tsv")
        if _number(versions) <= at
        and (versions.endswith("-") or _number(versions.rpartition("-")[2]) >= at)
    }
    assert told == set(module.forbidden(path))
