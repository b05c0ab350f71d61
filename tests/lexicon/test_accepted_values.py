"""What Kafka takes for a key: the catalogue's defaults and bounds, and what lies beyond them."""

from __future__ import annotations

import pytest

from kcheck import catalogue, configdef, data, dialects
from kcheck.catalogue import Fact
from kcheck.lexicon import values
from kcheck.lexicon.planes import TABLES, Place, place
from kcheck.lexicon.value_faults import COMMENT, ELEMENT, MAGNITUDE, NULL, RANGE, TYPE, UNIT, Fault
from kcheck.version import Version

PLANES = (
    "broker",
    "topic",
    "producer",
    "consumer",
    "admin",
    "streams",
    "connect-distributed",
    "connect-standalone",
    "quota",
)


def judge(plane: str, key: str, text: str, version: str | None = None) -> Fault | None:
    where = place(plane, key)
    assert where is not None
    return values.verdict(where, Version(version), text.strip())


def kind(plane: str, key: str, text: str, version: str | None = None) -> str:
    found = judge(plane, key, text, version)
    return found.kind if found else ""


def facts(plane: str) -> list[Fact]:
    known = catalogue.plane(TABLES[plane][0])
    return [fact for key in sorted(known.keys()) for fact in known.history(key)]


def minors_of(fact: Fact) -> list[str]:
    return [minor for minor in catalogue.minors() if fact.covers(minor)]


@pytest.mark.parametrize("plane", PLANES)
def test_kafkas_own_defaults_are_taken(plane: str) -> None:
    for fact in facts(plane):
        # Their default, the empty list, is refused as well: somebody has to say it.
        if fact.default_text is not None and fact.key != "bootstrap.servers":
            for minor in minors_of(fact):
                found = values.verdict(Place(plane, fact.key), Version(minor), fact.default_text)
                assert found is None, (fact.key, minor, found)


#: The outermost numbers of the types, beyond which the type is what is wrong.
LIMITS = {"int": 2**31, "long": 2**63, "short": 2**15, "double": 2**1023}


@pytest.mark.parametrize("plane", PLANES)
def test_bounds(plane: str) -> None:
    beyond = {(row[0], row[1]) for row in data.rows("keys/refused.tsv")}
    checked = 0
    for fact in facts(plane):
        low, dots, high = fact.valid.partition("..")
        if not dots or fact.type not in LIMITS or (TABLES[plane][0], fact.key) in beyond:
            continue
        for bound, step in ((low, -1), (high, 1)):
            if not bound:
                continue
            for minor in minors_of(fact):
                inside = str(int(bound)) if float(bound) == int(float(bound)) else bound
                outside = (
                    str(float(bound) + step) if fact.type == "double" else str(int(bound) + step)
                )
                assert kind(plane, fact.key, inside, minor) in ("", MAGNITUDE), (fact.key, minor)
                expected = RANGE if abs(float(outside)) < LIMITS[fact.type] else TYPE
                found = judge(plane, fact.key, outside, minor)
                assert found is not None and found.kind == expected, (fact.key, minor, outside)
                assert found.certain
                checked += 1
    assert checked >= (1 if plane == "quota" else 30)


@pytest.mark.parametrize("plane", PLANES)
def test_words(plane: str) -> None:
    for fact in facts(plane):
        name, colon, rest = fact.valid.partition(":")
        if not colon or name not in ("enum", "enum-ci", "list"):
            continue
        for word in rest.split(" ")[0].split("|"):
            if word:
                for minor in minors_of(fact):
                    assert kind(plane, fact.key, word, minor) == "", (fact.key, word)
                    assert kind(plane, fact.key, f"x{word}x", minor) in (RANGE, TYPE)
                    if name == "enum" and word.upper() != word:
                        assert kind(plane, fact.key, word.upper(), minor) == RANGE
                    if name == "enum-ci":
                        assert kind(plane, fact.key, word.lower(), minor) == ""


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    [
        ("message.max.bytes", "200000000000", TYPE),
        ("message.max.bytes", "2147483647", ""),
        ("message.max.bytes", "2147483648", TYPE),
        ("message.max.bytes", "", TYPE),
        ("message.max.bytes", " 2000 ", ""),
        ("message.max.bytes", "+2000", ""),
        ("message.max.bytes", "0x10", TYPE),
        ("message.max.bytes", "1e6", UNIT),
        ("message.max.bytes", "1_000_000", UNIT),
        ("message.max.bytes", "1,000,000", UNIT),
        ("message.max.bytes", "1000000L", UNIT),
        ("message.max.bytes", "1MB", UNIT),
        ("message.max.bytes", "many", TYPE),
        ("message.max.bytes", "10.0.0.1", TYPE),
        ("log.retention.ms", "7d", UNIT),
        ("log.retention.ms", "7 days", UNIT),
        ("log.retention.ms", "7GB", TYPE),
        ("log.retention.hours", "72 # three days", COMMENT),
        ("log.retention.hours", "72 ", ""),
        ("log.retention.hours", "many # days", TYPE),
        ("auto.create.topics.enable", "TRUE", ""),
        ("auto.create.topics.enable", "yes", TYPE),
        ("auto.create.topics.enable", "true # for now", COMMENT),
        ("log.cleaner.min.cleanable.ratio", "1e-1", ""),
        ("log.cleaner.min.cleanable.ratio", "0,5", UNIT),
        ("log.dirs", "/data # disk", COMMENT),
        ("log.dirs", "/data#1", ""),
        ("broker.rack", "row #7", ""),
        ("log.cleanup.policy", "compact # keep", COMMENT),
        ("authorizer.class.name", "null", NULL),
        ("ssl.endpoint.identification.algorithm", "null", NULL),
        ("principal.builder.class", "null", NULL),
        ("broker.rack", "null", ""),
        ("ssl.keystore.password", "a # b", ""),
    ],
)
def test_texts(key: str, text: str, expected: str) -> None:
    assert kind("broker", key, text) == expected


@pytest.mark.parametrize(
    ("plane", "key", "text", "version", "expected"),
    [
        ("topic", "segment.index.bytes", "3", "3.2", ""),
        ("topic", "segment.index.bytes", "3", "3.3", RANGE),
        ("topic", "segment.index.bytes", "4", "3.3", ""),
        # Beyond the ConfigDefs.
        ("broker", "offsets.topic.compression.codec", "4", None, ""),
        ("broker", "offsets.topic.compression.codec", "5", None, RANGE),
        ("broker", "offsets.topic.compression.codec", "-1", None, RANGE),
        ("broker", "compression.type", "none", "3.2", RANGE),
        ("broker", "compression.type", "GZIP", "3.2", RANGE),
        ("broker", "compression.type", "GZIP", "3.3", RANGE),
        ("broker", "security.inter.broker.protocol", "ssl", "3.2", ""),
        ("broker", "security.inter.broker.protocol", "ssl", "3.3", RANGE),
        ("producer", "security.protocol", "ssl", "3.2", ""),
        ("producer", "security.protocol", "ssl", "3.4", RANGE),
        ("producer", "security.protocol", "ssl", "3.5", ""),
        ("producer", "security.protocol", "ssl", None, ""),
        ("producer", "security.protocol", "tls", None, RANGE),
        ("topic", "compression.gzip.level", "0", None, RANGE),
        ("topic", "compression.gzip.level", "-1", None, ""),
        ("topic", "compression.gzip.level", "9", None, ""),
        ("topic", "compression.gzip.level", "10", None, RANGE),
        # The reset policy: a validator that only the catalogue's name tells of from 4.0 on.
        ("consumer", "auto.offset.reset", "by_duration:P1D", "4.0", ""),
        ("consumer", "auto.offset.reset", "by_duration:PT0S", "4.0", ""),
        ("consumer", "auto.offset.reset", "by_duration:-PT1H", "4.0", RANGE),
        ("consumer", "auto.offset.reset", "by_duration:1h", "4.0", RANGE),
        ("consumer", "auto.offset.reset", "BY_DURATION:PT1H", "4.0", RANGE),
        ("consumer", "auto.offset.reset", "by_duration:P1D", "3.9", RANGE),
        ("consumer", "auto.offset.reset", "by_duration:P1D", None, ""),
        ("consumer", "auto.offset.reset", "Latest", None, RANGE),
        ("consumer", "auto.offset.reset", "smallest", None, RANGE),
        # Evidence of the released versions.
        ("producer", "acks", " all ", None, ""),
        ("producer", "acks", "All", None, RANGE),
        ("producer", "acks", "2", None, RANGE),
        ("consumer", "isolation.level", "READ_COMMITTED", None, RANGE),
        ("topic", "cleanup.policy", "compact,delete", None, ""),
        ("topic", "cleanup.policy", "compact,", None, RANGE),
        ("topic", "cleanup.policy", "", None, RANGE),
        ("topic", "cleanup.policy", "compact,compact", "4.2", ""),
        ("topic", "message.timestamp.type", "createtime", None, RANGE),
        ("topic", "segment.bytes", "1024", "4.0", ""),
        ("topic", "segment.bytes", "1024", "4.1", RANGE),
        ("topic", "segment.bytes", "13", "3.9", RANGE),
        ("broker", "log.segment.bytes", "2000", "3.9", ""),
        ("broker", "log.segment.bytes", "2000", "4.0", RANGE),
        ("topic", "retention.ms", "-2", None, RANGE),
        ("topic", "retention.bytes", "-2", None, ""),
        ("topic", "flush.messages", "0", "3.2", ""),
        ("topic", "flush.messages", "0", "3.3", RANGE),
        ("broker", "process.roles", "Broker", None, RANGE),
        ("broker", "process.roles", "broker,controller", None, ""),
        ("broker", "log.dirs", "/a,,/b", "4.1", ""),
        ("broker", "log.dirs", "/a,,/b", "4.2", ELEMENT),
        ("broker", "log.dirs", "/a,,/b", None, ELEMENT),
        ("streams", "processing.guarantee", "exactly_once", "3.9", ""),
        ("streams", "processing.guarantee", "exactly_once", "4.0", RANGE),
        ("streams", "producer.acks", "2", None, RANGE),
        ("connect-distributed", "consumer.isolation.level", "read", None, RANGE),
        ("broker", "listener.name.ext.ssl.client.auth", "need", None, RANGE),
        ("client", "acks", "2", None, RANGE),
        ("client", "retries", "5", None, ""),
    ],
)
def test_versions(plane: str, key: str, text: str, version: str | None, expected: str) -> None:
    assert kind(plane, key, text, version) == expected


def test_only_newer_versions_refuse() -> None:
    found = judge("topic", "segment.bytes", "1024")
    assert found is not None
    assert (found.certain, found.since) == (False, "4.1")


def test_the_first_of_several_versions_that_refuse() -> None:
    found = judge("broker", "group.coordinator.rebalance.protocols", "classic,unknown")
    assert found is not None
    assert (found.certain, found.since) == (False, "4.0")


def test_bounds_have_a_round_form() -> None:
    reasons = {
        ("topic", "segment.bytes", "1024"): "is below the minimum 1048576 (1 MiB)",
        ("topic", "retention.ms", "-5"): "is below the minimum -1",
        ("topic", "min.insync.replicas", "0"): "is below the minimum 1",
        ("broker", "group.share.delivery.count.limit", "11"): "is above the maximum 10",
    }
    for (plane, key, text), reason in reasons.items():
        found = judge(plane, key, text)
        assert found is not None
        assert found.reason == reason


def test_nothing_is_said_of_versions_that_lost_the_key() -> None:
    # Known from 3.5 on, taken up to 3.8, refused in 3.9, unknown from 4.0 on.
    assert kind("broker", "log.message.format.version", "3.9") == ""
    assert kind("broker", "log.message.format.version", "3.9", "3.8") == RANGE


def test_streams_own_words_decide_where_its_clients_take_others() -> None:
    assert kind("streams", "group.protocol", "streams", "4.1") == ""
    assert kind("streams", "group.protocol", "consumer", "4.1") == RANGE
    assert kind("client", "group.protocol", "consumer", "4.1") == ""


def test_only_older_versions_refuse() -> None:
    # -1 came with 4.2: whoever runs that is right.
    assert kind("broker", "group.coordinator.append.linger.ms", "-1") == ""
    assert kind("broker", "group.coordinator.append.linger.ms", "-1", "4.1") == RANGE


def test_versions_before_the_catalogue_need_all_to_agree() -> None:
    assert kind("topic", "segment.bytes", "1024", "0.11") == ""
    assert kind("topic", "segment.bytes", "13", "0.11") == RANGE
    assert kind("topic", "segment.bytes", "x", "0.11") == TYPE


def test_a_key_that_the_version_does_not_know_is_not_judged() -> None:
    assert kind("topic", "compression.lz4.level", "99", "3.7") == ""
    assert kind("topic", "compression.lz4.level", "99", "3.8") == RANGE


@pytest.mark.parametrize(
    ("plane", "key", "text", "better"),
    [
        ("consumer", "auto.offset.reset", "lastest", "latest"),
        ("consumer", "auto.offset.reset", "smallest", "earliest"),
        ("producer", "security.protocol", "sasl-ssl", "SASL_SSL"),
        ("topic", "compression.type", "none", "uncompressed"),
        ("topic", "cleanup.policy", "", "delete"),
        ("topic", "cleanup.policy", "Compact, Delete", "compact,delete"),
        ("topic", "cleanup.policy", "compact,keep", ""),
        ("producer", "compression.type", "uncompressed", "none"),
        ("broker", "offsets.topic.compression.codec", "zstd", "4"),
        ("broker", "auto.create.topics.enable", "yes", "true"),
        ("broker", "auto.create.topics.enable", "flase", "false"),
        ("broker", "log.dirs", "/a, ,/b,", "/a,/b"),
        ("broker", "log.retention.hours", "72 # three", "72"),
        ("broker", "log.retention.hours", "604800000", "168"),
        ("producer", "acks", "2", ""),
        ("broker", "log.segment.bytes", "1GiB", "1073741824"),
        ("broker", "log.segment.bytes", "1GB", ""),
        ("broker", "num.partitions", '"3"', "3"),
        ("producer", "acks", "'all'", "all"),
        ("producer", "acks", "'every'", ""),
    ],
)
def test_what_to_set(plane: str, key: str, text: str, better: str) -> None:
    found = judge(plane, key, text)
    assert found is not None
    assert found.better == better
    if better:
        assert kind(plane, key, better) == ""


@pytest.mark.parametrize(
    ("plane", "key", "text", "expected"),
    [
        ("broker", "log.retention.ms", "1", MAGNITUDE),
        ("broker", "log.retention.ms", "168", MAGNITUDE),
        ("broker", "log.retention.ms", "999", MAGNITUDE),
        ("broker", "log.retention.ms", "1000", ""),
        ("broker", "log.retention.ms", "-1", ""),
        ("topic", "retention.ms", "0", ""),
        ("topic", "retention.ms", "168", MAGNITUDE),
        ("broker", "log.retention.hours", "604800000", MAGNITUDE),
        ("broker", "log.retention.hours", "2147483647", ""),
        ("broker", "log.retention.hours", "876000", ""),
        ("broker", "log.retention.minutes", "86400000", MAGNITUDE),
        ("consumer", "request.timeout.ms", "30", MAGNITUDE),
        ("consumer", "request.timeout.ms", "0", MAGNITUDE),
        ("producer", "max.request.size", "0", MAGNITUDE),
        ("consumer", "session.timeout.ms", "30", ""),
        ("producer", "linger.ms", "1", ""),
        ("producer", "retry.backoff.ms", "1", ""),
    ],
)
def test_magnitudes(plane: str, key: str, text: str, expected: str) -> None:
    assert kind(plane, key, text) == expected


def test_the_tables_name_real_keys() -> None:
    durations = {row[0] for row in data.rows("spring/boot.tsv") if row[2] == "duration"}
    for plane, key, bounds, unit, meant, _fails in data.rows("keys/plausible.tsv"):
        first, _, least = bounds.rpartition("..")
        assert int(least) > int(first or 1) and unit in ("ms", "bytes") and meant
        if plane in ("connector", "framework"):
            # Kafka has none of the former; what stands behind Spring's prefix is in its own table.
            spring = key.removeprefix("spring.kafka.")
            assert unit == "ms" and (spring == key or spring in durations), key
            continue
        library = dialects.library(plane)
        if library is not None:
            assert key in library, key
            continue
        known = catalogue.plane(plane)
        assert key in known, key
        for fact in known.history(key):
            number, wrong = configdef.convert(fact.type, fact.default_text or "-1")
            assert not wrong and isinstance(number, int) and not 0 < number < int(least)
    for plane, key, versions, valid in data.rows("keys/refused.tsv"):
        rule = Fact([key, versions, "", "", valid, "", ""])
        assert any(fact.covers(rule.since) for fact in catalogue.plane(plane).history(key)), key
