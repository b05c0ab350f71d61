"""Whether a plane of some version knows a key, and if not, what it is."""

from __future__ import annotations

import pytest

from kcheck import catalogue, data
from kcheck.lexicon import names
from kcheck.lexicon.name_faults import DYNAMIC, FOREIGN, FUTURE, GONE, UNKNOWN
from kcheck.lexicon.planes import FAMILIES, TABLES
from kcheck.version import UNKNOWN as NO_VERSION
from kcheck.version import Version, parse


def kind(plane: str, key: str, version: str | None = None) -> str:
    found = names.verdict(plane, key, Version(version))
    return found.kind if found else ""


def right(plane: str, key: str) -> tuple[str, ...]:
    found = names.verdict(plane, key, NO_VERSION)
    assert found is not None
    return found.right


@pytest.mark.parametrize("plane", sorted(TABLES))
def test_what_a_version_knows_is_in_force(plane: str) -> None:
    for table in TABLES[plane]:
        known = catalogue.plane(table)
        for key in sorted(known.keys()):
            for minor in catalogue.minors():
                facts = [fact for fact in known.history(key) if fact.covers(minor)]
                if facts and facts[0].mode != "dynamic-only":
                    assert kind(plane, key, minor) == "", (key, minor)


@pytest.mark.parametrize(
    ("plane", "key", "version", "expected"),
    [
        ("broker", "zookeeper.connect", "3.9", ""),
        ("broker", "zookeeper.connect", "4.0", GONE),
        ("broker", "zookeeper.connect", None, ""),
        ("broker", "advertised.host.name", "2.8", ""),
        ("broker", "advertised.host.name", "3.0", GONE),
        ("broker", "advertised.host.name", None, GONE),
        ("broker", "replica.lag.max.messages", "0.8.2", ""),
        ("broker", "replica.lag.max.messages", "0.9.0", GONE),
        ("broker", "replica.lag.max.messages", None, GONE),
        ("broker", "compression.zstd.level", "3.7", FUTURE),
        ("broker", "compression.zstd.level", "3.8", ""),
        ("broker", "compression.zstd.level", "0.11", FUTURE),
        ("broker", "compression.zstd.level", None, ""),
        ("broker", "log.dirs", "9.9", ""),
        ("broker", "replica.selector.class", "2.3", FUTURE),
        ("broker", "replica.selector.class", "2.4", ""),
        ("consumer", "client.rack", "2.3.1", FUTURE),
        ("producer", "client.rack", "4.3", FUTURE),
        ("topic", "max.compaction.lag.ms", "2.2", FUTURE),
        ("broker", "broker.rack", "0.10.2", ""),
        ("topic", "message.format.version", "4.0", GONE),
        ("streams", "retries", "4.1", ""),
        ("client", "metadata.broker.list", None, GONE),
        ("connect-distributed", "rest.port", "3.9", GONE),
        ("broker", "leader.replication.throttled.rate", "4.1", DYNAMIC),
    ],
)
def test_by_version(plane: str, key: str, version: str | None, expected: str) -> None:
    assert kind(plane, key, version) == expected


def test_a_dynamic_key_is_in_force_as_a_dynamic_value() -> None:
    key = "follower.replication.throttled.rate"
    assert names.verdict("broker", key, NO_VERSION, static=False) is None


@pytest.mark.parametrize(
    ("plane", "key", "here"),
    [
        ("broker", "max.request.size", ("message.max.bytes",)),
        ("broker", "retention.ms", ("log.retention.ms",)),
        ("broker", "segment.bytes", ("log.segment.bytes",)),
        ("broker", "min.cleanable.dirty.ratio", ("log.cleaner.min.cleanable.ratio",)),
        ("broker", "max.message.bytes", ("message.max.bytes",)),
        ("broker", "replication.factor", ("default.replication.factor",)),
        (
            "broker",
            "remote.log.metadata.topic.replication.factor",
            ("rlmm.config.remote.log.metadata.topic.replication.factor",),
        ),
        ("broker", "listener.name.ext.security.protocol", ("listener.security.protocol.map",)),
        ("broker", "max.poll.records", ()),
        ("topic", "message.max.bytes", ("max.message.bytes",)),
        ("topic", "log.retention.hours", ("retention.ms",)),
        ("topic", "retention.days", ("retention.ms",)),
        ("topic", "replication.factor", ()),
        ("topic", "acks", ()),
        ("producer", "min.insync.replicas", ()),
        ("producer", "max.message.bytes", ("max.request.size",)),
        ("consumer", "acks", ()),
        ("connect-distributed", "max.request.size", ("producer.max.request.size",)),
        ("connect-distributed", "max.poll.records", ("consumer.max.poll.records",)),
        ("connect-distributed", "consumer.acks", ("producer.acks",)),
        ("connect-distributed", "offset.storage.file.filename", ("offset.storage.topic",)),
        ("streams", "retention.ms", ("topic.retention.ms",)),
    ],
)
def test_another_planes_key(plane: str, key: str, here: tuple[str, ...]) -> None:
    assert kind(plane, key) == FOREIGN
    assert right(plane, key) == here


@pytest.mark.parametrize(
    ("plane", "key"),
    [
        # What the clients share, the worker's own clients read without a prefix.
        ("connect-distributed", "security.providers"),
        ("connect-distributed", "sasl.mechanism"),
        # Anybody's words.
        ("client", "topic"),
        ("producer", "num.partitions"),
        ("producer", "session.timeout.ms"),
        ("consumer", "replication.factor"),
        ("streams", "output.topic.name"),
        ("streams", "replication.factor"),
        ("client", "bootstrap_servers"),
        ("producer", "enable-idempotence"),
        ("producer", "myAcks"),
        ("broker", "my.plugin.log.dirs"),
        ("broker", "opa.authorizer.url"),
        ("broker", "metrics.jmx.port"),
        ("connect-distributed", "rest.servlet.initializor.classes"),
        ("broker", "listener.name.ext.own.setting"),
        ("broker", "rlmm.config.own.setting"),
        ("mirror", "log.dirss"),
    ],
)
def test_silence(plane: str, key: str) -> None:
    assert kind(plane, key) == ""


@pytest.mark.parametrize(
    ("plane", "key", "meant"),
    [
        ("broker", "logs.dir", ("log.dirs",)),
        ("broker", "authorizer.class", ("authorizer.class.name",)),
        ("broker", "super.user", ("super.users",)),
        ("broker", "log.foo", ()),
        (
            "broker",
            "listener.name.ext.plain.sasl.jaas.confg",
            ("listener.name.ext.plain.sasl.jaas.config",),
        ),
        ("topic", "anything", ()),
        ("topic", "min.insync.replica", ("min.insync.replicas",)),
        ("producer", "ack", ("acks",)),
        ("consumer", "max.poll.record", ("max.poll.records",)),
        ("connect-distributed", "producer.max.request.sise", ("producer.max.request.size",)),
        ("connect-distributed", "plugins.path", ("plugin.path",)),
        ("streams", "consumer.max.poll.record", ("consumer.max.poll.records",)),
        ("quota", "producer_byterate", ("producer_byte_rate",)),
        ("quota", "bytes", ()),
    ],
)
def test_unknown(plane: str, key: str, meant: tuple[str, ...]) -> None:
    assert kind(plane, key) == UNKNOWN
    assert right(plane, key) == meant


def test_a_stray_client_key_is_named() -> None:
    found = names.verdict("broker", "enable.auto.commit.config", NO_VERSION)
    assert found is not None
    assert (found.kind, found.owner, found.like) == (UNKNOWN, "consumer", "enable.auto.commit")


def test_kafkas_own_words_are_judged_for_supported_versions_only() -> None:
    assert kind("broker", "log.foo", "2.8") == UNKNOWN
    assert kind("broker", "log.foo", "0.10.2") == ""
    assert kind("broker", "log.foo", "9.0") == ""


def test_no_key_is_suggested_that_nobody_shall_set() -> None:
    # A slip of an internal key: group.coordinator.new.enable.
    found = names.verdict("broker", "group.coordinator.new.enabled", NO_VERSION)
    assert found is None or "group.coordinator.new.enable" not in found.right


# -- the tables ------------------------------------------------------------------------------


def test_renames_agree_with_the_catalogue() -> None:
    tables = {"worker": "connect-distributed"}
    seen = set()
    for plane, key, gone, now, _note in data.rows("keys/renames.tsv"):
        assert (plane, key) not in seen
        seen.add((plane, key))
        known = catalogue.plane(tables.get(plane, plane))
        history = known.history(key)
        if history and gone:
            assert catalogue.minors().index(history[-1].until) + 1 == catalogue.minors().index(gone)
        elif history:
            assert "deprecated" in history[-1].flags
            assert history[-1].until == catalogue.newest()
        else:
            assert (parse(gone) or ()) < (parse(catalogue.oldest()) or ()), key
        for successor in filter(None, now.split(",")):
            assert successor in known, successor


def test_first_versions_lie_before_the_catalogue() -> None:
    for plane, key, since, kip in data.rows("keys/since.tsv"):
        defined = catalogue.plane(plane).history(key)[0].since
        # config.providers was read long before a ConfigDef had it.
        assert defined == catalogue.oldest() or key == "config.providers", key
        assert (parse(since) or ()) < (parse(catalogue.oldest()) or ())
        assert kip.startswith("KIP-")


def test_counterparts_are_keys_of_their_plane() -> None:
    for family, key, here, note in data.rows("keys/counterparts.tsv"):
        assert here or note, key
        plane = {"worker": "connect-distributed", "listener": "broker"}.get(family, family)
        assert plane in TABLES and family in {*FAMILIES.values(), *TABLES, "listener"}
        assert key not in catalogue.plane(plane), key
        assert "," not in here or "|" not in here, key
        for other in filter(None, here.replace("|", ",").split(",")):
            assert other in catalogue.plane(plane), other
