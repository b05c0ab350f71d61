"""Keys that Kafka's classes read without a ConfigDef, and what is known of classes by version."""

from __future__ import annotations

import pytest

from kcheck import classes
from kcheck.lexicon import quantities, undeclared
from kcheck.model import START, Setting
from kcheck.version import Version

_STRINGS = "org.apache.kafka.common.serialization.StringSerializer"


def _reasons(plane: str, version: str, **pairs: str) -> list[str]:
    named = {key.replace("_", "."): text for key, text in pairs.items()}
    settings = {key: Setting(key, text, "a.properties", START) for key, text in named.items()}
    found = undeclared.faults(plane, settings, Version(version))
    return [f"{setting.key} {fault.reason} {fault.certain}" for setting, fault in found]


def test_a_filter_of_the_jmx_reporter_is_a_regular_expression() -> None:
    assert _reasons("admin", "4.4", metrics_jmx_include="[a")[0].startswith(
        "metrics.jmx.include has"
    )
    assert not _reasons("admin", "4.4", metrics_jmx_include="kafka.*")
    # Another list of reporters may be without that one.
    assert not _reasons("admin", "4.4", metrics_jmx_include="[a", metric_reporters="")


@pytest.mark.parametrize("name", ["UTF-8", "utf8", "ISO-8859-1", "x-windows-949", "IBM1047"])
def test_character_sets_of_java_are_taken(name: str) -> None:
    assert not _reasons("producer", "4.4", serializer_encoding=name, key_serializer=_STRINGS)


@pytest.mark.parametrize("name", ["", "nosuch", "UTF 8", "/utf"])
def test_other_character_sets_are_refused_from_3_8_on(name: str) -> None:
    own = {"serializer_encoding": name, "key_serializer": _STRINGS}
    assert _reasons("producer", "3.8", **own)[0].endswith("True")
    assert not _reasons("producer", "3.7", **own)
    assert not _reasons("producer", "3.8", serializer_encoding=name)


def test_a_quota_is_read_as_a_double() -> None:
    assert quantities.as_quota("long", "1.0") == "1"
    assert quantities.as_quota("long", "1e3") == "1000"
    for text in ("1.5", "1_000", "Infinity", "10s"):
        assert quantities.as_quota("long", text) == text
    assert quantities.as_quota("double", "1.5") == "1.5"


def test_classes_are_known_by_version() -> None:
    listener = "org.apache.kafka.streams.processor.UsePreviousTimeOnInvalidTimestamp"
    assert classes.absent(listener, Version("4.4")) and not classes.absent(listener, Version("2.8"))
    assert not classes.absent("org.apache.kafka.NoSuch", Version("4.4"))


def test_a_package_of_kafka_has_no_other_classes() -> None:
    package = "org.apache.kafka.common.security.authenticator"
    assert classes.complete(f"{package}.Missing")
    assert not classes.complete(f"{package}.AbstractLogin")
    assert classes.complete(f"{package}.AbstractLogin$Missing")
    assert not classes.complete("org.apache.kafka.connect.example.Sink")
