"""Where Kafka's refusals begin: storage, connections, topics, by exact value and version."""

from __future__ import annotations

import pytest

from kcheck.engine import lint_project
from kcheck.settings import Settings


def severities(text: str, code: str) -> list[str]:
    """The severities of the rule's findings on one declaration."""
    project = lint_project([("kcheck.yaml", text.encode())], Settings())
    assert not project.failures
    assert not [finding for finding in project.findings if finding.code.startswith("KC00")]
    return [finding.severity for finding in project.findings if finding.code == code]


def brokers(config: str, version: str = "3.9") -> str:
    return f'cluster: {{kafka_version: "{version}", brokers: 3, config: {{{config}}}}}'


def topic(rest: str, version: str = "", cluster: str = "") -> str:
    head = f'kafka_version: "{version}", ' if version else ""
    return f"cluster: {{{head}name: core{cluster}}}\ntopics:\n  - {{name: t, {rest}}}"


@pytest.mark.parametrize(
    ("code", "config", "fires"),
    [
        ("KC0727", "log.cleaner.threads: 127", False),
        ("KC0727", "log.cleaner.threads: 128", True),
        ("KC0727", "log.cleaner.dedupe.buffer.size: 1048576", True),
        ("KC0727", "log.cleaner.dedupe.buffer.size: 1048577", False),
        ("KC0728", "log.cleaner.dedupe.buffer.size: 2147483645", False),
        ("KC0728", "log.cleaner.dedupe.buffer.size: 2147483646", True),
        ("KC0728", "log.cleaner.dedupe.buffer.size: 4294967296, log.cleaner.threads: 3", False),
        ("KC0811", "connection.failed.authentication.delay.ms: 599999", False),
        ("KC0811", "connection.failed.authentication.delay.ms: 600000", True),
        (
            "KC0811",
            "connections.max.idle.ms: 0, connection.failed.authentication.delay.ms: 0",
            True,
        ),
        ("KC0702", "log.retention.minutes: 0", True),
        ("KC0702", "log.retention.ms: 1", False),
        ("KC0702", "log.retention.hours: -5", False),
        ("KC0719", "log.roll.ms: 0", True),
        ("KC0719", "log.roll.ms: 1", False),
        ("KC0719", "log.roll.jitter.ms: 0", False),
        (
            "KC0722",
            "log.cleaner.min.compaction.lag.ms: 5, log.cleaner.max.compaction.lag.ms: 5",
            False,
        ),
        (
            "KC0722",
            "log.cleaner.min.compaction.lag.ms: 6, log.cleaner.max.compaction.lag.ms: 5",
            True,
        ),
        ("KC0801", "max.connections.per.ip: 1", False),
        ("KC0802", 'max.connections.per.ip.overrides: "a:1,"', False),
        ("KC0802", 'max.connections.per.ip.overrides: "a:1,,b:2"', True),
        ("KC0802", 'max.connections.per.ip.overrides: "127.0.0#.1:5"', True),
        ("KC0802", 'max.connections.per.ip.overrides: "127.0.0.1:-5"', False),
        ("KC0802", 'max.connections.per.ip.overrides: "::1:5"', False),
        ("KC0808", "queued.max.requests: 8, num.io.threads: 8", False),
        ("KC0808", "queued.max.requests: 7", True),
        ("KC0805", "max.connections: 9, listener.name.a.max.connections: 9", False),
        ("KC0805", "max.connections: 9, listener.name.a.max.connections: 10", True),
    ],
)
def test_broker_bounds(code: str, config: str, fires: bool) -> None:
    assert bool(severities(brokers(config), code)) is fires


@pytest.mark.parametrize(
    ("code", "config", "version", "severity"),
    [
        # The cache of fetch sessions has shards from 3.8.
        ("KC0807", "max.incremental.fetch.session.cache.slots: 7", "3.7", None),
        ("KC0807", "max.incremental.fetch.session.cache.slots: 7", "3.8", "warning"),
        ("KC0807", "max.incremental.fetch.session.cache.slots: 8", "3.8", None),
        # The same text twice is dropped from 4.2, two spellings are refused for ever.
        ("KC0708", "log.dirs: '/a,/a'", "4.1", "error"),
        ("KC0708", "log.dirs: '/a,/a'", "4.2", "warning"),
        ("KC0708", "log.dirs: '/a,/a/'", "4.4", "error"),
        # KIP-1030: brokers from 4.0, where the range of the key tells it.
        ("KC0718", "log.segment.bytes: 1048575", "3.9", "info"),
        ("KC0718", "log.segment.bytes: 1048576", "3.9", None),
        ("KC0718", "log.segment.bytes: 1048575", "4.0", None),
        ("KC0747", "remote.log.storage.system.enable: 'true', log.dirs: '/a,/b'", "3.7", "error"),
        ("KC0747", "remote.log.storage.system.enable: 'true', log.dirs: '/a,/b'", "3.8", None),
    ],
)
def test_broker_bounds_by_version(
    code: str, config: str, version: str, severity: str | None
) -> None:
    assert severities(brokers(config, version), code) == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("code", "config", "fires"),
    [
        ("KC0712", "segment.index.bytes: 11", True),
        ("KC0712", "segment.index.bytes: 12", False),
        # 12 bytes for each of 1 MiB / 4096 entries and one more.
        (
            "KC0713",
            "segment.bytes: 1048576, index.interval.bytes: 4096, segment.index.bytes: 3083",
            True,
        ),
        (
            "KC0713",
            "segment.bytes: 1048576, index.interval.bytes: 4096, segment.index.bytes: 3084",
            False,
        ),
        (
            "KC0713",
            "segment.bytes: 1048577, index.interval.bytes: 4096, segment.index.bytes: 3084",
            True,
        ),
        ("KC0703", "retention.bytes: 1048576, segment.bytes: 1048576", False),
        ("KC0703", "retention.bytes: 0, segment.bytes: 1048576", True),
        ("KC0715", "segment.ms: 1000, segment.jitter.ms: 999", False),
        ("KC0715", "segment.ms: 1000, segment.jitter.ms: 1000", True),
        ("KC0721", "min.compaction.lag.ms: 1000, max.compaction.lag.ms: 1000", False),
        ("KC0721", "min.compaction.lag.ms: 1001, max.compaction.lag.ms: 1000", True),
        (
            "KC0742",
            "remote.storage.enable: 'true', retention.ms: 1000, local.retention.ms: 1000",
            False,
        ),
        (
            "KC0742",
            "remote.storage.enable: 'true', retention.ms: 1000, local.retention.ms: 1001",
            True,
        ),
        (
            "KC0742",
            "remote.storage.enable: 'true', retention.ms: 1000, local.retention.ms: -1",
            True,
        ),
        (
            "KC0742",
            "remote.storage.enable: 'true', retention.ms: 1000, local.retention.ms: 0",
            False,
        ),
        (
            "KC0742",
            "remote.storage.enable: 'true', retention.ms: 1000, local.retention.ms: -2",
            False,
        ),
        (
            "KC0742",
            "remote.storage.enable: 'true', retention.ms: -1, local.retention.ms: 5000",
            False,
        ),
        (
            "KC0743",
            "remote.storage.enable: 'true', retention.bytes: -2, local.retention.bytes: 9",
            False,
        ),
        ("KC0723", "cleanup.policy: compact, retention.bytes: 0", True),
        ("KC0710", "retention.ms: 5000, message.timestamp.before.max.ms: 5000", False),
        ("KC0710", "retention.ms: 5000, message.timestamp.before.max.ms: 5001", True),
        (
            "KC0713",
            "segment.bytes: 1048576, index.interval.bytes: 1048576, segment.index.bytes: 12",
            True,
        ),
        ("KC0705", "retention.bytes: -1", False),
        ("KC0705", "retention.bytes: -2", True),
    ],
)
def test_topic_bounds(code: str, config: str, fires: bool) -> None:
    assert bool(severities(topic(f"partitions: 1, config: {{{config}}}"), code)) is fires


@pytest.mark.parametrize(
    ("code", "rest", "version", "severity"),
    [
        ("KC0611", "partitions: 10000", "4.1", None),
        ("KC0611", "partitions: 10001", "4.1", "error"),
        # ZooKeeper or KRaft, nobody tells; 3.9.0 has no such bound.
        ("KC0611", "partitions: 10001", "3.9.1", "warning"),
        ("KC0611", "partitions: 10001", "3.9.0", None),
        ("KC0611", "partitions: 10001", "", "warning"),
        ("KC0613", "partitions: 10001", "3.9.0", "warning"),
        ("KC0613", "partitions: 10001", "3.4", None),
        # One record for the topic, one for each partition and setting.
        ("KC0613", "partitions: 9999", "4.1", None),
        ("KC0613", "partitions: 9999, config: {retention.ms: 1}", "4.1", "error"),
        ("KC0613", "partitions: 10001", "4.1", None),
        ("KC0614", "current_partitions: 1, partitions: 10001", "4.4", None),
        ("KC0614", "current_partitions: 1, partitions: 10002", "4.4", "error"),
        ("KC0614", "current_partitions: 1, partitions: 10002", "3.4", None),
        ("KC0615", "current_partitions: 2, partitions: 1", "", "error"),
        ("KC0615", "current_partitions: 2, partitions: -1", "", None),
        (
            "KC0749",
            "partitions: 1, config: {remote.storage.enable: 'true', local.retention.ms: 5, remote.copy.lag.ms: 5}",
            "4.4",
            None,
        ),
        (
            "KC0749",
            "partitions: 1, config: {remote.storage.enable: 'true', local.retention.ms: 5, remote.copy.lag.ms: 6}",
            "4.4",
            "error",
        ),
        (
            "KC0749",
            "partitions: 1, config: {remote.storage.enable: 'true', local.retention.ms: 0, remote.copy.lag.ms: 6}",
            "4.4",
            "error",
        ),
        ("KC0721", "partitions: 1, config: {min.compaction.lag.ms: 9}", "3.6", "error"),
        ("KC0721", "partitions: 1, config: {min.compaction.lag.ms: 9}", "3.5", None),
        ("KC0721", "partitions: 1, config: {min.compaction.lag.ms: 9}", "", "warning"),
        (
            "KC0744",
            "partitions: 1, config: {remote.storage.enable: 'true', cleanup.policy: ''}",
            "4.0",
            None,
        ),
        (
            "KC0744",
            "partitions: 1, config: {remote.storage.enable: 'true', cleanup.policy: ''}",
            "4.1",
            "error",
        ),
        (
            "KC0744",
            "partitions: 1, config: {remote.storage.enable: 'true', cleanup.policy: ''}",
            "4.2",
            None,
        ),
        ("KC0712", "partitions: 1, config: {segment.index.bytes: 3}", "3.2", "error"),
        # The range of the key refuses it.
        ("KC0712", "partitions: 1, config: {segment.index.bytes: 3}", "3.3", None),
        ("KC0718", "partitions: 1, config: {segment.bytes: 100}", "", "warning"),
        ("KC0718", "partitions: 1, config: {segment.bytes: 100}", "4.0", "info"),
        ("KC0718", "partitions: 1, config: {segment.bytes: 100}", "4.1", None),
    ],
)
def test_topic_bounds_by_version(code: str, rest: str, version: str, severity: str | None) -> None:
    lag = ", config: {log.cleaner.max.compaction.lag.ms: 8}" if code == "KC0721" else ""
    assert severities(topic(rest, version, lag), code) == ([severity] if severity else [])


@pytest.mark.parametrize(
    ("name", "fires"),
    [("a" * 249, False), ("a" * 250, True), (".", True), ("..", True), ("...", False), ("é", True)],
)
def test_topic_names(name: str, fires: bool) -> None:
    text = f"topics:\n  - {{name: '{name}', partitions: 1}}"
    assert bool(severities(text, "KC0601")) is fires


BROKER = """process.roles=broker
node.id=1
controller.quorum.voters=100@c1:9093
controller.listener.names=CONTROLLER
log.cleaner.max.compaction.lag.ms=8
log.local.retention.ms=500
remote.log.storage.system.enable=true
"""
CONTROLLER = """process.roles=controller
node.id=100
controller.quorum.voters=100@c1:9093
controller.listener.names=CONTROLLER
listeners=CONTROLLER://:9093
remote.log.storage.system.enable=true
"""
LAG = "partitions: 1, config: {min.compaction.lag.ms: 9}"
LOCAL = "partitions: 1, config: {remote.storage.enable: 'true', retention.ms: 100}"


@pytest.mark.parametrize(
    ("code", "rest", "controller", "severity"),
    [
        # The controller validates a topic. Where no file shows it, the brokers' value is a guess.
        ("KC0721", LAG, None, "warning"),
        ("KC0721", LAG, CONTROLLER, None),
        ("KC0721", LAG, CONTROLLER + "log.cleaner.max.compaction.lag.ms=8\n", "error"),
        ("KC0742", LOCAL, None, "warning"),
        ("KC0742", LOCAL, CONTROLLER, None),
        ("KC0742", LOCAL, CONTROLLER + "log.local.retention.ms=500\n", "error"),
    ],
)
def test_controllers_validate_topics(
    code: str, rest: str, controller: str | None, severity: str | None
) -> None:
    files = {"broker.properties": BROKER, "kcheck.yaml": topic(rest, "4.1")}
    if controller is not None:
        files["controller.properties"] = controller
    project = lint_project([(name, text.encode()) for name, text in files.items()], Settings())
    found = [finding.severity for finding in project.findings if finding.code == code]
    assert found == ([severity] if severity else [])


@pytest.mark.parametrize(("instances", "fires"), [(500, False), (501, True)])
def test_connections_that_clients_need(instances: int, fires: bool) -> None:
    text = brokers("max.connections: 500") + (
        f"\nproducers:\n  - {{name: sensors, instances: {instances}}}"
    )
    assert bool(severities(text, "KC0813")) is fires
