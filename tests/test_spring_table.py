"""What Spring Boot binds: the table is well formed, leads to Kafka's keys, and says what the jar says."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path

import pytest

from kcheck import catalogue
from kcheck.lexicon import quantities

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "schemas" / "spring"
COLUMNS = ["property", "versions", "type", "default", "kafka", "flags"]


def rows() -> list[list[str]]:
    lines = (FOLDER / "boot.tsv").read_text(encoding="utf-8").split("\n")
    header, *found = [line.split("\t") for line in lines if line and not line.startswith("# ")]
    assert header == COLUMNS and all(len(row) == len(COLUMNS) for row in found)
    return found


TABLE = rows()
PLANES = {"admin": "admin", "consumer": "consumer", "producer": "producer", "streams": "streams"}


def test_properties_lead_to_keys_of_their_client_in_its_own_unit() -> None:
    for name, _versions, kind, _default, key, _flags in TABLE:
        if not key:
            continue
        plane = PLANES.get(name.partition(".")[0], "producer")
        assert key in catalogue.plane(plane) or key in catalogue.plane("consumer"), name
        unit = quantities.unit_of(key)
        assert (kind == "duration") == (unit == "ms" and kind != "int"), name
        assert kind != "size" or unit == "bytes", name


def test_what_is_not_bound_any_more_names_what_is() -> None:
    names = {row[0] for row in TABLE}
    for name, *_, flags in TABLE:
        for flag in flags.split():
            assert flag in ("deprecated", "unbound") or flag.startswith("now="), name
            assert flag.removeprefix("now=") in {*names, "deprecated", "unbound"}, name


@pytest.mark.parametrize(
    ("name", "since", "kind", "key"),
    [
        ("consumer.max-poll-records", "2.7-", "int", "max.poll.records"),
        ("consumer.fetch-min-size", "2.7-", "size", "fetch.min.bytes"),
        ("consumer.max-poll-interval", "3.5-", "duration", "max.poll.interval.ms"),
        ("producer.acks", "2.7-", "string", "acks"),
        ("producer.ssl.key-store-location", "2.7-", "resource", "ssl.keystore.location"),
        ("producer.transaction-id-prefix", "2.7-", "string", ""),
        ("consumer.properties", "2.7-", "map", ""),
    ],
)
def test_known_property(name: str, since: str, kind: str, key: str) -> None:
    assert [(row[1], row[2], row[4]) for row in TABLE if row[0] == name] == [(since, kind, key)]


@pytest.mark.parametrize(
    "name", ["producer.max-request-size", "producer.linger-ms", "consumer.session-timeout"]
)
def test_what_people_write_and_spring_does_not_bind(name: str) -> None:
    assert name not in {row[0] for row in TABLE}


@pytest.mark.jvm
@pytest.mark.skipif(not all(shutil.which(t) for t in ("javap", "mvn")), reason="no JDK or Maven")
def test_the_table_is_what_the_metadata_says() -> None:
    spec = importlib.util.spec_from_file_location("kcheck_spring", FOLDER / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    version, artifact = module.RELEASES[-1]
    try:
        path = module.jar(
            "org.springframework.boot", artifact, version, Path.home() / ".cache/kcheck/spring"
        )
    except SystemExit:
        pytest.skip("Maven Central is out of reach")
    newest = [(row[0], *row[2:]) for row in TABLE if row[1].endswith("-")]
    assert sorted(newest) == sorted(module.properties(path))
    assert version.startswith("4.1")
