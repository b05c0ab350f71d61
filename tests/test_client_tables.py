"""The tables of client libraries: well formed, true where we know the truth, and what they say."""

from __future__ import annotations

import importlib.util
import platform
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from kcheck import carriers, catalogue, dialects
from kcheck.dialects import LIBRARIES
from kcheck.version import Version, parse

ROOT = Path(__file__).resolve().parent.parent
TABLES = ROOT / "schemas" / "clients"
LIBRDKAFKA, KAFKA_PYTHON, AIOKAFKA = "librdkafka", "kafka-python", "aiokafka"
TYPES = {"int", "double", "boolean", "string", "list", "callback", "code", ""}


def rows(name: str) -> list[list[str]]:
    lines = (TABLES / f"{name}.tsv").read_text(encoding="utf-8").split("\n")
    return [line.split("\t") for line in lines if line and not line.startswith("# ")]


def javas() -> set[str]:
    """Every key of Java's clients, in any version."""
    return {
        key
        for plane in ("producer", "consumer", "admin")
        for key in [*catalogue.plane(plane).keys()]
    }


def library(name: str) -> dialects.Library:
    found = dialects.library(name)
    assert found is not None
    return found


@pytest.mark.parametrize("name", LIBRARIES)
def test_table_is_sorted_and_without_overlaps(name: str) -> None:
    header, *body = rows(name)
    columns = ["key", "versions", "scope", "type", "default", "valid", "importance", "flags"]
    assert header == columns
    assert all(len(row) == len(columns) for row in body)
    minors = [row[1] for row in rows("releases") if row[0] == name]
    assert minors == sorted(minors, key=lambda minor: parse(minor) or ())
    ends: dict[tuple[str, str], int] = {}
    for key, versions, scope, kind, default, *_ in body:
        first, dash, last = versions.partition("-")
        end = minors.index(last or minors[-1]) if dash else minors.index(first)
        identity = (key, "" if name == LIBRDKAFKA else scope)
        assert ends.get(identity, -1) < minors.index(first) <= end, key
        ends[identity] = end
        assert kind in TYPES and (default in ("null", "code") or default.startswith("=")), key
    assert [row[0] for row in body] == sorted(row[0] for row in body)


def test_aliases_name_real_keys_with_the_same_default() -> None:
    known = library(LIBRDKAFKA)
    for key in known:
        for row in known.history(key):
            if row.alias:
                targets = known.history(row.alias)
                assert row.default in [target.default for target in targets], key


@pytest.mark.parametrize(
    ("name", "key", "version", "column", "expected"),
    [
        (LIBRDKAFKA, "linger.ms", "1.9", "alias", "queue.buffering.max.ms"),
        (LIBRDKAFKA, "acks", "2.3", "default", "=-1"),
        (LIBRDKAFKA, "message.max.bytes", "2.3", "valid", "1000..1000000000"),
        (LIBRDKAFKA, "partitioner", "2.3", "default", "=consistent_random"),
        (LIBRDKAFKA, "ssl.endpoint.identification.algorithm", "1.9", "default", "=none"),
        (LIBRDKAFKA, "ssl.endpoint.identification.algorithm", "2.0", "default", "=https"),
        (LIBRDKAFKA, "isolation.level", "2.3", "default", "=read_committed"),
        # A version between two of the table is the older one's.
        (LIBRDKAFKA, "enable.idempotence", "2.7.1", "default", "=false"),
        (KAFKA_PYTHON, "acks", "2.0.2", "default", "=1"),
        (KAFKA_PYTHON, "connections_max_idle_ms", "2.0", "default", "=540000"),
        (AIOKAFKA, "session_timeout_ms", "0.11", "default", "=10000"),
    ],
)
def test_known_fact(name: str, key: str, version: str, column: str, expected: str) -> None:
    (found, *_) = library(name).possible(key, Version(version))
    assert getattr(found, column) == expected


def test_the_names_of_java_are_javas_and_lead_to_keys_of_the_library() -> None:
    java = javas()
    seen = set()
    for name, key, relation, here, note in rows("names")[1:]:
        assert key in java, key
        assert (name, key) not in seen
        seen.add((name, key))
        assert all(other in library(name) for other in here.split(",") if other), key
        assert relation in ("same", "like", "other", "none")
        assert bool(here) == (relation != "none") and (note or relation in ("same", "like")), key


# ---- against the libraries ------------------------------------------------------------------


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("kcheck_clients", TABLES / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def wheel(generator: ModuleType, name: str, minor: str) -> Path:
    package, releases = generator.LIBRARIES[name]
    try:
        path = generator.wheel(package, releases[minor], Path.home() / ".cache/kcheck/wheels")
    except SystemExit:
        pytest.skip("the package index is out of reach")
    assert isinstance(path, Path)
    return path


def cells(name: str, minor: str) -> list[tuple[str, ...]]:
    """The committed rows of one minor, without their versions."""
    known = library(name)
    return sorted(
        (row.key, row.scope, row.type, row.default, row.valid, row.importance, " ".join(row.flags))
        for key in known
        for row in known.possible(key, Version(minor))
    )


@pytest.mark.parametrize(("name", "minor"), [(KAFKA_PYTHON, "2.0"), (AIOKAFKA, "0.12")])
def test_tables_are_what_the_source_says(generator: ModuleType, name: str, minor: str) -> None:
    assert cells(name, minor) == sorted(generator.defaults_of(name, wheel(generator, name, minor)))


native = pytest.mark.skipif(
    (platform.system(), platform.machine()) != ("Linux", "x86_64"), reason="the wheel is Linux's"
)


@native
def test_the_table_is_what_librdkafka_says(generator: ModuleType) -> None:
    _, found = generator.librdkafka(wheel(generator, LIBRDKAFKA, "2.14"))
    assert cells(LIBRDKAFKA, "2.14") == sorted(found)


#: Strings with a grammar of their own, or that depend on the machine.
OWN_GRAMMAR = {
    "broker.version.fallback",
    "builtin.features",
    "plugin.library.paths",
    "sasl.mechanism",
    "sasl.mechanisms",
    "ssl.ca.certificate.stores",
}


def texts(row: dialects.Property) -> Iterator[str]:
    yield from ("", "0", "1", "-1", "7 ", "  7", "10KB", "0x10", "0x", "010", "09", "1.5", "1e3")
    yield from ("true", "TRUE", "T", "f", "yes", "all", "ALL", "nonsense", "a,b")
    for bound in row.bounds or ():
        yield from (str(int(bound) + step) for step in (-1, 0, 1))
    for word in row.words:
        yield from (word, word.upper(), f"{word}x", word[:-1], f"{word},{word}")


@native
def test_texts_are_taken_and_refused_as_librdkafka_does(
    generator: ModuleType, tmp_path: Path
) -> None:
    path = wheel(generator, LIBRDKAFKA, "2.14")
    real = generator.Librdkafka(str(generator.unpacked(path, tmp_path)))
    known = library(LIBRDKAFKA)
    asked = different = 0
    for key in known:
        for row in known.possible(key, Version("2.14")):
            if row.type == "callback" or key in OWN_GRAMMAR:
                continue
            for text in dict.fromkeys(texts(row)):
                asked += 1
                if bool(known.refusal(row, text)) != bool(real.refusal(key, text)):
                    different += 1
    assert asked > 3_000
    assert different == 0


@native
def test_keys_that_the_table_lacks_are_refused(generator: ModuleType, tmp_path: Path) -> None:
    path = wheel(generator, LIBRDKAFKA, "2.14")
    real = generator.Librdkafka(str(generator.unpacked(path, tmp_path)))
    known = library(LIBRDKAFKA)
    java = javas()
    for key in java:
        if not known.possible(key, Version("2.14")):
            assert real.refusal(key, "1"), key


def test_carriers_are_spans_in_order() -> None:
    for name in ("boms", "wrappers"):
        spans: dict[str, list[tuple[tuple[int, ...], tuple[int, ...]]]] = {}
        for carrier, first, last, client, *_ in rows(name)[1:]:
            assert parse(client)
            spans.setdefault(carrier, []).append((parse(first) or (), parse(last) or ()))
        for told in spans.values():
            flat = [end for span in told for end in span]
            assert flat == sorted(flat) and all(len(end) == 3 for end in flat)


@pytest.mark.parametrize(
    ("carrier", "release", "client"),
    [
        ("spring-boot", "3.2", "3.6"),
        ("spring-boot", "3.2.99", "3.6"),
        ("quarkus", "3.8.3", "3.6"),
        ("quarkus", "3.8.99", "3.7"),
        ("quarkus", "3.8", ""),
        ("quarkus", "99.1.0", ""),
        ("node-rdkafka", "3.0.0", "2.3.0"),
        ("node-rdkafka", "3.4", "2.10"),
        ("node-rdkafka", "3.1", "2.5"),
        ("confluent-kafka-javascript", "1.4.1", "2.11.1"),
        ("nobody", "1.0", ""),
    ],
)
def test_what_a_carrier_brings_along(carrier: str, release: str, client: str) -> None:
    assert carriers.inside(carrier, release) == client
