"""What is told of keys: against the catalogue's own answers, and by examples."""

from __future__ import annotations

import pytest

from kcheck import catalogue, data
from kcheck.explain import keys
from kcheck.explain.bounds import takes
from kcheck.version import Version


@pytest.mark.parametrize("plane", keys.PLANES)
def test_every_key_is_told_with_its_whole_history(plane: str) -> None:
    table = catalogue.plane(plane)
    for name in catalogue.plane(plane).keys():  # noqa: SIM118 - a Plane is no mapping
        key = keys.explained(name)
        assert key is not None, name
        (mine,) = [found for found in key.planes if plane in found.planes]
        told = [(f.since, f.until, f.type, f.default, f.valid) for f in mine.history]
        own = [(f.since, f.until, f.type, f.default, f.valid) for f in table.history(name)]
        assert told == own
        for change in mine.changes:
            assert change.was != change.now


def test_inheritance_with_its_units() -> None:
    key = keys.explained("retention.ms")
    assert key is not None
    told = [(heir.key, heir.factor, heir.unit) for heir in key.takes_from]
    assert told == [
        ("log.retention.ms", 1, ""),
        ("log.retention.minutes", 60_000, "in minutes"),
        ("log.retention.hours", 3_600_000, "in hours"),
    ]
    hours = keys.explained("log.retention.hours")
    assert hours is not None
    assert {(heir.key, heir.plane) for heir in hours.gives_to} == {
        ("retention.ms", "topic"),
        ("log.retention.ms", "broker"),
    }


def test_both_directions_agree_for_every_topic_key() -> None:
    for name in catalogue.topic_keys_with_fallback():
        key = keys.explained(name)
        assert key is not None
        expected = {f.key for f in catalogue.topic_fallbacks(name, Version())}
        assert {heir.key for heir in key.takes_from if heir.plane == "broker"} == expected
        for heir in key.takes_from:
            other = keys.explained(heir.key)
            assert other is not None and name in [h.key for h in other.gives_to]


def test_what_changed_and_what_that_does() -> None:
    key = keys.explained("linger.ms")
    assert key is not None
    (change,) = key.planes[0].changes
    assert (change.since, change.what, change.was, change.now) == ("4.0", "default", "=0", "=5")
    assert "wait" in change.effect
    assert change.source == "KIP-1030"


@pytest.mark.parametrize(
    ("word", "name", "prefix"),
    [
        ("producer.override.linger.ms", "linger.ms", "producer.override."),
        ("consumer.override.max.poll.records", "max.poll.records", "consumer.override."),
        ("main.consumer.max.poll.records", "max.poll.records", "main.consumer."),
        (
            "listener.name.external.ssl.keystore.location",
            "ssl.keystore.location",
            "listener.name.external.",
        ),
    ],
)
def test_keys_behind_prefixes(word: str, name: str, prefix: str) -> None:
    key = keys.explained(word)
    assert key is not None
    assert (key.key, key.prefix) == (name, prefix)


def test_keys_that_are_gone() -> None:
    key = keys.explained("host.name")
    assert key is not None and key.successors == [("listeners", "")]
    newer = keys.explained("zookeeper.connect")
    assert newer is not None and newer.planes[0].gone == "4.0"
    assert keys.explained("no.such.key") is None


def test_names_of_other_libraries() -> None:
    assert ("buffer.memory", "librdkafka") in keys.other_names("queue.buffering.max.kbytes")
    assert ("linger.ms", "kafka-python") in keys.other_names("linger_ms")
    assert keys.other_names("spring.kafka.consumer.group-id") == [("group.id", "Spring Boot")]


def test_bounds_in_words() -> None:
    def told(plane: str, key: str) -> str:
        return takes(catalogue.plane(plane).history(key)[-1])

    assert told("producer", "acks") == "one of -1, 0, 1 and all"
    assert told("topic", "min.cleanable.dirty.ratio") == "0 to 1"
    assert told("topic", "max.message.bytes") == "0 or more"


def test_notes() -> None:
    known = set(keys.known())
    ids = {row[1] for row in data.rows("coverage.tsv")}
    rows = data.rows("keys/notes.tsv")
    assert len({row[0] for row in rows}) == len(rows)
    for name, note, covers in rows:
        assert name in known
        assert note.endswith(".")
        assert set(covers.split()) <= ids, name
        key = keys.explained(name)
        assert key is not None and key.note == note
