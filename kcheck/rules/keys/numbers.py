"""KC01: numbers out of the bounds that Kafka accepts, and implausible ones."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.nodes import Misvalued, Node
from kcheck.lexicon.check import assay
from kcheck.lexicon.value_faults import MAGNITUDE, RANGE, UNIT
from kcheck.model import ERROR, WARNING, Finding
from kcheck.rule import REFUSED, rule
from kcheck.rules.keys.keys import value_finding
from kcheck.rules.keys.keys_wording import assigned
from kcheck.rules.shared.keys_wording import evidence

#: What kip-1030-floors reports where the version is unknown.
_FLOORED = ("segment.bytes", "log.segment.bytes")


@rule(
    "KC0104",
    "value-range",
    ERROR,
    kafka=REFUSED,
    invariants=(
        "segment-index-min",
        "segment-bytes-range",
        "kip-1030-floors",
        "cleanup-policy-values",
        "compression-values",
        "compression-level-range",
        "timestamp-type-values",
        "retention-ms-range",
        "min-isr-ge-1",
        "acks-values",
        "isolation-values",
        "offset-reset-values",
        "metadata-idle",
        "inter-broker-protocol-value",
        "process-roles-valid",
        "txn-id-empty",
        "dirty-ratio-range",
        "streams-guarantee-values",
    ),
    versions="2.8–4.4, each by its own bounds",
)
def value_range(node: Misvalued) -> Iterator[Finding]:
    """A value is outside the range or the set of values that Kafka accepts for the key.

    The bounds are those of the version in use. Without a known version this is an error if every
    version rejects the value, and a warning if only newer ones do, such as exactly_once from 4.0 on.
    Segments below 1 MiB are then reported by kip-1030-floors.

    Bad: no such acks
        --- kcheck.yaml
        producers:
          - {name: checkout, config: {acks: "2"}}
    Bad: an upper-case word
        --- kcheck.yaml
        topics:
          - {name: orders, config: {cleanup.policy: Compact}}
    Bad: a word that newer versions reject
        --- kcheck.yaml
        streams:
          - {name: totals, config: {application.id: totals, processing.guarantee: exactly_once}}
    Bad: below the minimum of its version
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.1"}
        topics:
          - {name: orders, config: {segment.bytes: 1024}}
    Bad: no room for an index entry
        --- kcheck.yaml
        topics:
          - {name: orders, config: {segment.index.bytes: 3}}
    Bad: a protocol newer than the broker
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.6", config: {inter.broker.protocol.version: "3.7"}}
    Bad: an empty policy retains everything
        --- kcheck.yaml
        topics:
          - {name: orders, config: {cleanup.policy: ""}}
    Bad: a typo in the word
        --- consumer.properties
        bootstrap.servers=k1:9092
        group.id=billing
        auto.offset.reset=lastest
    Bad: for the producer of a connector
        --- connectors/files.json
        {"name": "files", "config": {"connector.class": "FileStreamSource", "topic": "orders",
         "producer.override.acks": "leader"}}
    Good:
        --- kcheck.yaml
        topics:
          - {name: orders, config: {cleanup.policy: "compact, delete", retention.ms: -1}}
        producers:
          - {name: checkout, config: {acks: "-1"}}
        consumers:
          - {name: billing, config: {group.id: billing, auto.offset.reset: earliest}}
    Good: older versions accept small segments
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9"}
        topics:
          - {name: orders, config: {segment.bytes: 1024}}
    Bad: Streams assigns its restore consumer's offsets itself, a warning
        --- streams.properties
        application.id=orders
        bootstrap.servers=k1:9092
        restore.consumer.auto.offset.reset=first
    Bad: the main consumer's protocol is replaced from 4.2 on alone
        --- streams.properties
        application.id=orders
        bootstrap.servers=k1:9092
        main.consumer.group.protocol=cooperative
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
    Bad: the filter of JMX is read whatever a key says that this version does not have
        --- consumer.properties
        bootstrap.servers=k1:9092
        group.id=orders
        auto.include.jmx.reporter=false
        metrics.jmx.exclude=(
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
    Good: no reporter reads it
        --- consumer.properties
        bootstrap.servers=k1:9092
        group.id=orders
        auto.include.jmx.reporter=false
        metrics.jmx.exclude=(
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
    Bad: the deserializer of the value takes what it lacks from the key of both
        --- consumer.properties
        bootstrap.servers=k1:9092
        group.id=orders
        key.deserializer=org.apache.kafka.common.serialization.StringDeserializer
        value.deserializer=org.apache.kafka.common.serialization.StringDeserializer
        key.deserializer.encoding=UTF-8
        deserializer.encoding=utf8mb4
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
    Good: UUIDs take any text for an encoding when they are made
        --- consumer.properties
        bootstrap.servers=k1:9092
        group.id=orders
        value.deserializer=org.apache.kafka.common.serialization.UUIDDeserializer
        value.deserializer.encoding=utf8mb4
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
    Bad: no client of Streams waits for addresses from 4.4 on, a warning
        --- streams.properties
        application.id=orders
        bootstrap.servers=k1:9092
        admin.bootstrap.resolve.timeout.ms=-1
        --- kcheck.yaml
        cluster: {client_version: "4.4"}
    Bad: before 4.4 Streams reads the address with its first task
        --- streams.properties
        application.id=orders
        bootstrap.servers=k1:9092
        application.server=localhost
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
    """
    for setting, fault in assay(node.resource, node.version).values:
        if fault.kind == RANGE and not (fault.since and setting.key in _FLOORED):
            yield value_finding(node, setting, fault)


@rule(
    "KC0105",
    "wrong-unit",
    WARNING,
    kafka=REFUSED,
    invariants=("wrong-unit",),
    versions="2.8–4.4",
)
def wrong_unit(node: Misvalued) -> Iterator[Finding]:
    """A number contains a unit, or looks like it is in another unit.

    Kafka's numbers are plain: bytes for sizes, the unit in the key's name for times. ``1GB``,
    ``7d`` or ``1_000`` are rejected. A retention of 168 ms instead of 168 hours is accepted and
    deletes everything; such values are reported with the plausible minimum of the key.

    Bad: rejected
        --- kcheck.yaml
        cluster: {name: core, config: {log.segment.bytes: 1GiB}}
    Bad: hours intended
        --- kcheck.yaml
        cluster: {name: core, config: {log.retention.ms: 168}}
    Bad: milliseconds intended
        --- kcheck.yaml
        cluster: {name: core, config: {log.retention.hours: 604800000}}
    Bad: seconds intended
        --- kcheck.yaml
        consumers:
          - {name: billing, config: {group.id: billing, default.api.timeout.ms: 60, metadata.max.age.ms: 300}}
    Bad: nothing fits into it
        --- kcheck.yaml
        producers:
          - {name: checkout, config: {max.request.size: 0}}
    Bad: milliseconds for seconds
        --- kcheck.yaml
        connectors:
          - name: mirror
            config:
              connector.class: org.apache.kafka.connect.mirror.MirrorSourceConnector
              refresh.topics.interval.seconds: 600000
    Good: intentionally small, or with a special meaning
        --- kcheck.yaml
        cluster: {name: core, config: {log.retention.ms: -1, log.retention.hours: 2147483647}}
        topics:
          - {name: short, config: {retention.ms: 1000}}
          - {name: purged, config: {retention.ms: 0}}
          - {name: latest, config: {retention.ms: 100, cleanup.policy: compact}}
        producers:
          - {name: checkout, config: {linger.ms: 5, retry.backoff.ms: 1}}
    Good: the brokers limit the session timeout (KC0901)
        --- kcheck.yaml
        cluster: {name: core, brokers: 3, config: {group.min.session.timeout.ms: 100}}
        consumers:
          - {name: mailer, config: {group.id: mailer, session.timeout.ms: 300, heartbeat.interval.ms: 100}}
    Good: a short period
        --- kcheck.yaml
        consumers:
          - {name: billing, config: {group.id: billing, metadata.max.age.ms: 500, request.timeout.ms: 1000}}
        streams:
          - {name: totals, config: {application.id: totals, commit.interval.ms: 30}}
    Good: a day and some hours in seconds
        --- kcheck.yaml
        connectors:
          - name: mirror
            config:
              connector.class: org.apache.kafka.connect.mirror.MirrorSourceConnector
              refresh.topics.interval.seconds: 86400
              sync.topic.configs.interval.seconds: 72000
    Bad: a week in seconds
        --- kcheck.yaml
        cluster: {name: core, config: {log.retention.hours: 604800}}
    Good: ten years
        --- kcheck.yaml
        cluster: {name: core, config: {log.retention.hours: 87600}}
    """
    for setting, fault in assay(node.resource, node.version).values:
        if fault.kind == UNIT:
            yield value_finding(node, setting, fault)
        elif fault.kind == MAGNITUDE and not _inert(node, setting.key):
            unit = f"set {setting.key} to the intended value in the unit of the key"
            yield node.finding(
                f"{node}: {assigned(setting)} {fault.reason}",
                at=evidence(node, setting),
                breaks=fault.why or f"Kafka accepts the number: {_consequence(setting.key)}",
                fix=f"set {setting.key}={fault.better}" if fault.better else unit,
                set_to=fault.better or None,
                severity=WARNING,
            )


_RETENTION = ("retention.ms", "retention.bytes", "local.retention.ms", "local.retention.bytes")


def _inert(node: Node, key: str) -> bool:
    """Whether the topic's segments are compacted only, so that no retention deletes any; or whether a
    tool that somebody runs by hand, to measure or to try, makes its batches so small."""
    if key == "batch.size":
        return node.resource.traits.apart
    return key in _RETENTION and node["cleanup.policy"].text == "compact"


def _consequence(key: str) -> str:
    if key.removeprefix("log.") in _RETENTION:
        return "records are deleted at the next check of the log"
    if key.endswith((".hours", ".minutes")):
        return "the period never ends in practice"
    if key.endswith(".seconds"):
        return "the period is a thousand times as long as intended"
    if key == "batch.size":
        return "most records are sent in a batch of their own"
    if "timeout" in key or "idle" in key:
        return "it expires before anything can complete"
    return "it takes effect as written"
