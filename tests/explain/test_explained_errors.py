"""The errors that are explained: what their rows name exists, and lines of logs lead to them."""

from __future__ import annotations

import pytest

from kcheck import data, rules
from kcheck.explain import errors

ERRORS = errors.errors()
#: Names that are no exception of Kafka 2.8 or later, and whose they are.
FOREIGN = {
    "AssertionError": "kafka-python before 1.4",
    "ClassCastException": "the JVM",
    "GROUP_COORDINATOR_NOT_AVAILABLE": "Kafka before 1.0",
    "GroupCoordinatorNotAvailableError": "kafka-python",
    "GroupCoordinatorNotAvailableException": "Kafka before 1.0",
    "IllegalStateException": "the JVM",
    "KafkaConfigurationError": "kafka-python",
    "KafkaTimeoutError": "kafka-python",
    "MSG_SIZE_TOO_LARGE": "librdkafka's name of MESSAGE_TOO_LARGE",
    "NOT_LEADER_FOR_PARTITION": "Kafka before 2.6",
    "NoBrokersAvailable": "kafka-python",
    "NumberFormatException": "the JVM",
    "OutOfMemoryError": "the JVM",
    "SSLHandshakeException": "the JVM",
    "StaleConnectConfiguration": "Connect, inside its herder",
    "UnknownHostException": "the JVM",
    "UnknownTopicOrPartitionError": "kafka-python",
    "UnsupportedClassVersionError": "the JVM",
}


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: error.name)
def test_what_a_row_names_exists(error: errors.Error) -> None:
    known = rules.load()
    assert set(error.rules) <= known.keys()
    ids = {row[1] for row in data.rows("coverage.tsv")}
    assert set(error.covers) <= ids
    own = {row[0] for row in data.rows("errors/librdkafka.tsv")}
    for name in error.names:
        dashed = name.islower() and "-" in name
        assert dashed or name in errors.thrown() or name in own or name in FOREIGN, name
    # Without a name of its own in the log, a row is found by its lines alone.
    assert error.says or "-" not in error.name
    for cause in error.causes:
        assert "KC" not in cause.text, "codes stand in brackets at the end"
        assert not cause.text.endswith(".")


def test_names_are_told_once() -> None:
    names = [name.lower() for error in ERRORS for name in error.names]
    assert len(names) == len(set(names))
    rule_names = {name for rule in rules.load().values() for name in (rule.name, *rule.aliases)}
    assert not rule_names & set(names), "an error of that name could not be asked for"


def test_foreign_names_are_in_use() -> None:
    used = {name for error in ERRORS for name in error.names}
    assert FOREIGN.keys() <= used
    assert not FOREIGN.keys() & errors.thrown().keys()


def test_every_error_of_the_protocol_is_explained() -> None:
    classes = [c for found in errors.thrown().values() for c in found if c.error]
    assert len({c.error for c in classes}) > 120
    for one in classes:
        for word in (one.name, one.path, one.error, one.code):
            named = errors.named(word)
            assert named is not None and named.error is not None, word
            assert not named.parent, f"{word} has no row of its own"
            assert one.error in [c.error for c in named.classes]


def test_an_exception_without_a_row_is_told_by_its_parent() -> None:
    named = errors.named("org.apache.kafka.connect.errors.SchemaBuilderException")
    assert named is not None and named.error is not None
    assert (named.asked, named.parent) == ("SchemaBuilderException", "DataException")
    assert named.error.name == "DataException"
    assert errors.named("NotEnoughReplicasError").error.name == "NotEnoughReplicasException"  # type: ignore[union-attr]
    assert errors.named("NoSuchError") is None and errors.named("linger.ms") is None


@pytest.mark.parametrize("error", [e for e in ERRORS if e.says], ids=lambda error: error.name)
def test_each_pattern_finds_its_row(error: errors.Error) -> None:
    for says in error.says:
        line = says.replace("#", "1,048,588").replace("*", "x (y/10.0.0.1:9092) z").upper()
        told = [match.error for match in errors.matches(f"[2026-01-01 10:00:00,123] WARN {line}")]
        assert error in told, says


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (
            "WARN [Producer clientId=p] Connection to node -1 (localhost/127.0.0.1:9092) could not "
            "be established. Node may not be available. (org.apache.kafka.clients.NetworkClient)",
            "node-not-reachable",
        ),
        (
            "TimeoutException: Expiring 12 record(s) for orders-3:120000 ms has passed since batch "
            "creation",
            "records-expired",
        ),
        (
            "org.apache.kafka.common.errors.TimeoutException: Topic orders not present in metadata "
            "after 60000 ms.",
            "topic-not-in-metadata",
        ),
        (
            "TimeoutException: Timeout expired after 60000ms while awaiting InitProducerId",
            "init-transactions-timeout",
        ),
        (
            "ERROR Error processing append on partition orders-0 NotEnoughReplicasException: The "
            "size of the current ISR Set(1) is insufficient to satisfy the min.isr requirement of 2",
            "NotEnoughReplicasException",
        ),
        (
            "INFO Unable to replicate the partition 3 time(s): The target replication factor of 3 "
            "cannot be reached because only 1 broker(s) are registered.",
            "InvalidReplicationFactorException",
        ),
        (
            "java.lang.IllegalArgumentException: requirement failed: advertised.listeners cannot "
            "use the nonroutable meta-address 0.0.0.0. Use a routable IP address.",
            "advertised-listener-refused",
        ),
        (
            "org.apache.kafka.common.network.InvalidReceiveException: Invalid receive (size = "
            "369296128 larger than 104857600)",
            "InvalidReceiveException",
        ),
        (
            "%3|1700000000.1|FAIL|rdkafka#producer-1| [thrd:b:9092/bootstrap]: b:9092/bootstrap: "
            "Connect to ipv4#10.0.0.1:9092 failed: Connection refused (after 0ms in state CONNECT)",
            "node-not-reachable",
        ),
        (
            "ConfigException: Invalid value zstd for configuration compression.type: String must "
            "be one of: uncompressed, snappy, lz4, gzip, producer",
            "ConfigException",
        ),
        (
            "RuntimeException: Invalid cluster.id in: /data/meta.properties. Expected abc, but "
            "read def",
            "InconsistentClusterIdException",
        ),
        ("java.io.IOException: Map failed", "map-failed"),
        ("JoinGroup is answered with INVALID_SESSION_TIMEOUT.", "InvalidSessionTimeoutException"),
        ("kafka.errors.NotEnoughReplicasError: [Error 19]", "NotEnoughReplicasException"),
    ],
)
def test_lines_of_logs(line: str, name: str) -> None:
    assert errors.matches(line)[0].name == name


def test_the_cause_counts_more_than_what_it_became() -> None:
    trace = """\
ERROR org.apache.kafka.common.KafkaException: Failed to construct kafka producer
\tat org.apache.kafka.clients.producer.KafkaProducer.<init>(KafkaProducer.java:439)
Caused by: org.apache.kafka.common.config.ConfigException: delivery.timeout.ms should be equal to \
or larger than linger.ms + request.timeout.ms
"""
    first, *others = errors.matches(trace)
    assert first.name == "delivery-timeout-too-short"
    assert first.line.startswith("Caused by:")
    assert "KafkaException" in [match.name for match in others]


def test_what_stands_deeper_in_a_trace_comes_first() -> None:
    for above, below in (
        ("RecordBatchTooLargeException", "NetworkException"),
        ("NetworkException", "RecordBatchTooLargeException"),
    ):
        names = [m.name for m in errors.matches(f"{above}: text\nCaused by: {below}: text")]
        assert names == [below, above]


def test_a_class_of_which_there_are_others_says_little() -> None:
    names = [m.name for m in errors.matches("AuthorizationException after a NetworkException")]
    assert names == ["NetworkException", "TopicAuthorizationException"]


def test_harmless_lines_match_nothing() -> None:
    for line in (
        "INFO [KafkaServer id=1] started (kafka.server.KafkaServer)",
        "INFO Kafka version: 4.1.0 (org.apache.kafka.common.utils.AppInfoParser)",
        "the quick brown fox jumps over the lazy dog",
        "",
    ):
        assert errors.matches(line) == [], line


def test_what_is_nearest_to_a_line_that_nobody_knows() -> None:
    near = errors.alike("the message was bytes when serialized, larger than what is allowed")
    assert "RecordTooLargeException" in [error.name for error in near]
    assert errors.alike("the quick brown fox") == []
