"""Which key was meant: slips that leave no doubt, and guesses."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcheck import catalogue
from kcheck.lexicon import suggest

BROKER = catalogue.plane("broker").keys()
TOPIC = catalogue.plane("topic").keys()
CLIENTS = [*catalogue.plane("producer").keys(), *catalogue.plane("consumer").keys()]


@pytest.mark.parametrize(
    ("key", "meant", "known"),
    [
        ("max.transaction.timeout.ms", "transaction.max.timeout.ms", BROKER),
        ("logs.dir", "log.dirs", BROKER),
        ("advertised.listeneres", "advertised.listeners", BROKER),
        ("advertised.isteners", "advertised.listeners", BROKER),
        ("auto.create.topics.enabled", "auto.create.topics.enable", BROKER),
        ("min.in.sync.replicas", "min.insync.replicas", BROKER),
        ("listeners.security.protocol.map", "listener.security.protocol.map", BROKER),
        ("log_dirs", "log.dirs", BROKER),
        ("numPartitions", "num.partitions", BROKER),
        ("Retention.ms", "retention.ms", TOPIC),
        ("retention.msec", "retention.ms", TOPIC),
        ("cleanup.policies", "cleanup.policy", TOPIC),
        ('"retention.ms"', "retention.ms", TOPIC),
        ("max.poll.record", "max.poll.records", CLIENTS),
        ("bootstrap.server", "bootstrap.servers", CLIENTS),
        (
            "max.in.flight.requests.per.connections",
            "max.in.flight.requests.per.connection",
            CLIENTS,
        ),
    ],
)
def test_slips(key: str, meant: str, known: list[str]) -> None:
    assert suggest.sure(key, dict.fromkeys(known)) == [meant]


@pytest.mark.parametrize(
    "key",
    [
        "topic",
        "topics",
        "topic.name",
        "client.name",
        "group.name",
        "poll.timeout.ms",
        "tasks",
        "retry",
        "schema.registry.url",
        "consumer.group.id",
        "input.topic",
        "my.linger",
        "message.size",
    ],
)
def test_an_applications_own_keys_are_no_slips(key: str) -> None:
    assert suggest.sure(key, dict.fromkeys(CLIENTS)) == []


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("authorizer.class", ["authorizer.class.name"]),
        ("state.log.replication.factor", ["transaction.state.log.replication.factor"]),
        ("mechanisms.inter.broker.protocol", ["sasl.mechanism.inter.broker.protocol"]),
        ("offsets.topicDatabaseInfo.replication.factor", ["offsets.topic.replication.factor"]),
        ("inter.broker.listener.port", ["inter.broker.listener.name"]),
        ("log.delete.delay.ms", ["log.segment.delete.delay.ms"]),
        ("log.cleaner.min.cleanable.dirty.ratio", ["log.cleaner.min.cleanable.ratio"]),
    ],
)
def test_guesses(key: str, meant: list[str]) -> None:
    assert suggest.guesses(key, BROKER) == meant


def test_a_word_short_offers_all_that_it_can_be() -> None:
    found = suggest.guesses("log.retention.days", BROKER)
    assert set(found) == {
        "log.retention.ms",
        "log.retention.minutes",
        "log.retention.hours",
        "log.retention.bytes",
    }


def test_short_words_are_not_mistaken_for_each_other() -> None:
    assert suggest.sure("group.consumer.min.size", BROKER) == []


def test_a_known_key_is_its_own_nearest() -> None:
    assert [key for key in BROKER if key not in suggest.sure(key, BROKER)] == []


@given(st.text(max_size=60))
def test_no_text_is_too_odd(key: str) -> None:
    assert len(suggest.sure(key, TOPIC)) <= 4
    assert len(suggest.guesses(key, TOPIC)) <= 4


@given(st.text("abc", max_size=8), st.text("abc", max_size=8))
def test_distance_is_one_of_edits(one: str, other: str) -> None:
    far = 20
    apart = suggest.distance(one, other, far)
    assert apart == suggest.distance(other, one, far)
    assert (apart == 0) == (one == other)
    assert apart <= max(len(one), len(other))
    assert suggest.distance(one, other, 1) == min(apart, 2)


def test_swapped_neighbours_are_one_edit() -> None:
    assert suggest.distance("listenres", "listeners", 3) == 1


@pytest.mark.parametrize(
    ("name", "there", "meant"),
    [
        ("cores", "core", True),
        ("my-cluser", "my-cluster", True),
        ("mycluster", "my-cluster", True),
        ("core", "core", False),
        ("core-1", "core-2", False),
        ("kafka-internal", "kafka-external", False),
        ("kafka-eu", "kafka-us", False),
        ("prod-kafka", "kafka-prod", False),
        ("lore", "core", False),
        ("date", "data", False),
        ("prod-maint", "prod-main", False),
        ("", "core", False),
    ],
)
def test_names_that_people_give(name: str, there: str, meant: bool) -> None:
    assert suggest.namesakes(name, [there, "billing"]) == [there] * meant
