"""Schemas for editors: valid ones, which take and refuse what Kafka takes and refuses."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from kcheck import catalogue, configdef, dialects, engine, rules
from kcheck.__main__ import main
from kcheck.editor import libraries, planes
from kcheck.editor.values import Schema
from kcheck.lexicon import values
from kcheck.lexicon.planes import place
from kcheck.settings import Settings
from kcheck.version import Version

ROOT = Path(__file__).resolve().parents[2]
MINORS = catalogue.minors()
#: Those that are asked without --thorough.
_FEW = ("2.8", "4.4")
RULES = rules.load()


@functools.cache
def schema(plane: str, minor: str) -> Schema:
    return planes.schema(plane, Version(minor), RULES)


_checked: set[str] = set()


def check(found: Schema) -> None:
    """The schema is one; what many have in common is looked at once."""
    for part in ("properties", "patternProperties", "$defs"):
        members = found.get(part, {})
        assert isinstance(members, dict)
        for member in members.values():
            inner = member.values() if part == "$defs" else [member]
            for one in inner:
                text = json.dumps(one, sort_keys=True)
                if text not in _checked:
                    _checked.add(text)
                    Draft202012Validator.check_schema(one)
        if part != "$defs":
            for pattern in members if part == "patternProperties" else ():
                re.compile(pattern)
    Draft202012Validator.check_schema(
        {**found, "properties": {}, "patternProperties": {}, "$defs": {}}
    )


@pytest.mark.parametrize(
    "minor",
    [
        pytest.param(minor, marks=[] if minor in _FEW else [pytest.mark.thorough])
        for minor in MINORS
    ],
)
def test_every_plane_of_every_release_has_a_valid_schema(minor: str) -> None:
    absent = []
    for plane in planes.PLANES:
        try:
            found = schema(plane, minor)
        except planes.NoSuchPlane:
            absent.append(plane)
            continue
        check(found)
        properties = found["properties"]
        assert isinstance(properties, dict)
        assert all(one.get("description") for one in properties.values())
        for pattern in found.get("patternProperties", {}).values():  # type: ignore[attr-defined]
            at: object = found
            for step in filter(None, pattern.get("$ref", "#").split("/")[1:]):
                assert isinstance(at, dict)
                at = at[step]
            assert isinstance(at, dict)
    older = MINORS.index
    expected = {
        "share-consumer": "4.1",
        "group": "4.0",
        "client-metrics": "3.7",
        "remote-metadata": "3.1",
    }
    assert set(absent) == {p for p, since in expected.items() if older(minor) < older(since)}


@pytest.mark.parametrize("name", libraries.LIBRARIES)
def test_client_libraries_have_valid_schemas(name: str) -> None:
    library = dialects.library(name)
    assert library is not None
    for version in (Version(), Version(library.oldest)):
        check(libraries.schema(name, version))


# ---- what they take -------------------------------------------------------------------------

NUMBERS = ("0", "1", "-1", "7", "+7", "-2", "1.5", "1_000", "1e3", "0x10", "7L", "", "seven")
TEXTS = {
    "boolean": ("true", "FALSE", "yes", "1", ""),
    "double": ("0.5", ".5", "1.0", "2", "-0.1", "1_0", "", "half"),
    "string": ("something-else", ""),
    "list": ("something-else", "", ",", "a,b", "a,,b", "a, b", "a,"),
}


def texts(fact: catalogue.Fact) -> list[str]:
    found = [*TEXTS.get(fact.type, ()), *(NUMBERS if fact.type in ("int", "long", "short") else ())]
    for word in fact.valid.split():
        kind, colon, rest = word.partition(":")
        if colon and kind != "name":
            known = rest.split("|")
            found += [
                *known,
                known[0].upper(),
                known[0].capitalize(),
                known[0] + "x",
                ",".join(known),
            ]
        elif ".." in word and fact.type != "double":
            for bound in filter(None, word.split("..")):
                found += [str(int(bound) + step) for step in (-1, 0, 1)]
    return list(dict.fromkeys(found))


def as_yaml(fact: catalogue.Fact, text: str) -> object:
    """The value that a YAML file may have for the text."""
    if fact.type in ("int", "long", "short") and re.fullmatch(r"-?(0|[1-9][0-9]*)", text):
        return int(text)
    if fact.type == "boolean" and text in ("true", "false"):
        return text == "true"
    return text


@pytest.mark.parametrize("minor", ["2.8", "3.9", "4.4"])
def test_a_schema_takes_and_refuses_what_the_catalogue_does(minor: str) -> None:
    asked = refused = 0
    for plane in planes.PLANES:
        try:
            properties = schema(plane, minor)["properties"]
        except planes.NoSuchPlane:
            continue
        assert isinstance(properties, dict)
        for key, one in properties.items():
            known = [(t, catalogue.fact(t, key, Version(minor))) for t in planes.PLANES[plane]]
            table, fact = next((table, fact) for table, fact in known if fact is not None)
            if one.get("not") == {}:
                continue  # denied to share consumers
            if fact.type == "double" and "0..1" not in fact.valid.split():
                continue  # of a text no other bounds of fractions are looked at
            validator = Draft202012Validator({k: v for k, v in one.items() if k != "description"})
            for text in texts(fact):
                reason = values.refusal(table, fact, minor, text)
                if reason and "name:" in fact.valid and not configdef.refusal(fact, text):
                    continue  # code of Kafka's, which no schema holds
                asked += 1
                refused += bool(reason)
                for value in {text, as_yaml(fact, text)}:
                    assert validator.is_valid(value) == (not reason), (plane, key, value, reason)
    assert asked > 5_000 and refused > 1_500


@pytest.mark.parametrize(
    ("plane", "minor", "key", "value", "taken"),
    [
        ("topic", "4.4", "retention.time", 1, False),
        ("topic", "4.4", "confluent.value.schema.validation", True, True),
        ("broker", "4.4", "my.plugin.key", "x", True),
        ("broker", "3.9", "listener.name.internal.ssl.client.auth", "required", True),
        ("broker", "3.9", "listener.name.internal.ssl.client.auth", "sometimes", False),
        ("broker", "3.9", "listener.name.a.scram-sha-256.connections.max.reauth.ms", "1h", False),
        ("connect-distributed", "4.4", "producer.linger.ms", -1, False),
        ("connect-distributed", "4.4", "consumer.max.poll.records", 100, True),
        ("connect-distributed", "4.4", "config.storage.min.insync.replicas", 0, False),
        ("streams", "4.4", "main.consumer.max.poll.records", 0, False),
        ("streams", "4.4", "topic.segment.bytes", "1048576", True),
        ("sink-connector", "4.4", "consumer.override.fetch.min.bytes", -1, False),
        ("source-connector", "4.4", "topic.creation.default.partitions", 0, False),
        ("mirror", "4.4", "a->b.tasks.max", 0, False),
        ("share-consumer", "4.4", "session.timeout.ms", 1000, False),
        ("consumer", "4.4", "session.timeout.ms", 1000, True),
        ("quota", "4.4", "producer_byte_rate", 1024, True),
        ("quota", "4.4", "producer.byte.rate", 1024, False),
    ],
)
def test_known_entry(plane: str, minor: str, key: str, value: object, taken: bool) -> None:
    assert Draft202012Validator(schema(plane, minor)).is_valid({key: value}) is taken


def test_a_library_takes_what_it_says() -> None:
    validator = Draft202012Validator(libraries.schema("librdkafka", Version("2.3")))
    assert validator.is_valid({"message.max.bytes": 1_000_000, "acks": "all", "my.key": 1})
    assert not validator.is_valid({"message.max.bytes": 10})
    assert not validator.is_valid({"security.protocol": "tls"})
    assert validator.is_valid({"security.protocol": "SASL_SSL"})


def test_values_of_the_fixtures_validate_unless_kafka_refuses_them() -> None:
    asked = refused = 0
    for folder in sorted((ROOT / "fixtures").iterdir()):
        files = [path for path in folder.rglob("*") if path.is_file()]
        sources = [(str(path.relative_to(folder)), path.read_bytes()) for path in files]
        for cluster in engine.read_project(sources, Settings()).clusters:
            for node in [*cluster.brokers, *cluster.topics, *cluster.clients]:
                plane = "broker" if node.resource.kind == "cluster" else node.resource.plane
                if plane not in planes.PLANES or node.resource.dialect != "java":
                    continue
                minor = catalogue.clamp(node.version)
                properties = schema(plane, minor)["properties"] if minor else {}
                assert isinstance(properties, dict)
                for key, setting in node.resource.settings.items():
                    one, where = properties.get(key), place(plane, key)
                    if one is None or where is None or setting.text is None:
                        continue
                    fault = values.verdict(where, node.version, setting.text)
                    taken = fault is None or not fault.certain
                    asked += 1
                    refused += not taken
                    assert Draft202012Validator(one).is_valid(setting.text) == taken, (folder, key)
    assert asked > 100 and refused > 0


# ---- the command ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["settings", "declaration", "report", "finding", "files", "limits"]
)
def test_formats_of_our_own(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", name]) == 0
    Draft202012Validator.check_schema(json.loads(capsys.readouterr().out))


def test_the_command_prints_one_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "topic", "--kafka-version", "4.0.1"]) == 0
    old = json.loads(capsys.readouterr().out)
    assert main(["schema", "topic"]) == 0
    new = json.loads(capsys.readouterr().out)
    assert (old["title"], new["title"]) == ("Kafka 4.0: topic", f"Kafka {MINORS[-1]}: topic")
    assert old["properties"]["segment.bytes"]["minimum"] == 14
    assert new["properties"]["segment.bytes"]["minimum"] == 1_048_576


def test_without_a_name_it_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    listed = capsys.readouterr().out.split()
    assert {*planes.PLANES, *libraries.LIBRARIES, "settings", "declaration"} <= set(listed)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["topc"], "did you mean topic?"),
        (["nonsense"], "list them with kcheck schema"),
        (
            ["share-consumer", "--kafka-version", "3.9"],
            "Kafka 3.9 has no config type share-consumer",
        ),
        (["topic", "--kafka-version", "5.0"], f"2.8 to {MINORS[-1]}, not 5.0"),
        (["topic", "--kafka-version", "new"], "new is not a version"),
        (["librdkafka", "--client-version", "new"], "new is not a version"),
    ],
)
def test_what_there_is_not(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["schema", *arguments]) == 2
    assert told in capsys.readouterr().err
