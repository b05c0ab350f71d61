"""KC01: values that Kafka rejects, and implausible numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.graph.listeners import parse
from kcheck.graph.nodes import Misvalued, Node
from kcheck.lexicon.check import assay
from kcheck.lexicon.value_faults import ELEMENT, MAGNITUDE, RANGE, TYPE, UNIT, Fault
from kcheck.model import ERROR, WARNING, Finding, Fix, Setting, Torn
from kcheck.refusal import doubt
from kcheck.rule import REFUSED, SOME, rule
from kcheck.rules.keys.keys_wording import assigned, conditional, dormant, refused, unread
from kcheck.rules.shared.keys_wording import evidence
from kcheck.wording import CONTINUE, torn

#: What kip-1030-floors reports where the version is unknown.
_FLOORED = ("segment.bytes", "log.segment.bytes")


def _finding(node: Node, setting: Setting, fault: Fault) -> Finding:
    """The finding for a value that Kafka rejects: now, or from some version on."""
    empty = fault.reason.startswith("is empty")
    message = f"{node}: {setting.key if empty else assigned(setting)} {fault.reason}"
    breaks = fault.why or refused(node, fault.place, setting)
    severity = ERROR if fault.certain else WARNING
    if fault.gone:
        severity = doubt(fault.gone)
        message += f", but Kafka {fault.gone} and later ignore the key"
        breaks = f"before Kafka {fault.gone}, {breaks}"
    if _of_no_listener(node, fault.place.prefix):
        severity, breaks = WARNING, "no listener has this name, so the setting is not read yet"
    condition = conditional(fault.place)
    if condition:
        severity, breaks = WARNING, f"{condition}: {breaks}"
    if unread(node, setting.key, fault):
        severity, breaks = WARNING, "Kafka overrides or ignores the value"
    if fault.since:
        message += f", rejected from Kafka {fault.since} on"
        breaks = f"with Kafka {fault.since} or newer, {breaks}"
    if dormant(node, fault.place):
        severity = WARNING
    finding = node.finding(
        message,
        at=evidence(node, setting),
        breaks=breaks,
        fix=_fix(setting.key, fault),
        set_to=fault.better or None,
        severity=severity,
        safe=fault.certain,
    )
    if fault.since:
        finding.kafka = SOME
    return finding


def _of_no_listener(node: Node, prefix: str) -> bool:
    """Whether the prefix names a listener that the broker's files do not define."""
    if not prefix.startswith("listener.name."):
        return False
    listeners = node["listeners"]
    known = [listener.name.lower() for listener in parse(listeners.text)]
    return listeners.written and bool(known) and prefix.split(".")[2] not in known


def _fix(key: str, fault: Fault) -> str:
    if fault.better:
        return f"set {key}={fault.better}"
    for words, bound in (
        ("is below the minimum ", "at least"),
        ("is above the maximum ", "at most"),
    ):
        if fault.reason.startswith(words):
            return f"set {key} to {bound} {fault.reason.removeprefix(words)}"
    if fault.kind == UNIT:
        return f"set {key} to the intended plain number"
    if fault.fact.type == "boolean":
        return f"set {key} to true or false"
    if fault.kind == TYPE:
        return f"set {key} to a valid number, or remove it"
    return f"set {key} to a valid value, or remove it"


#: Neither a number nor a misspelt one: what a script replaces before Kafka reads the file.
_PLACEHOLDER = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")


@rule(
    "KC0103",
    "value-type",
    ERROR,
    kafka=REFUSED,
    invariants=("offsets-codec-int", "segment-2gib", "request-int32", "node-id-int"),
    versions="2.8–4.4",
)
def value_type(node: Misvalued) -> Iterator[Finding]:
    """A value has the wrong type: not a number, or neither true nor false.

    Kafka accepts whole numbers as plain digits within 32 or 64 bits, and booleans as true or false in
    upper or lower case. An empty value is a value, but not a number: an unset variable in a template
    prevents a broker from starting.

    Bad: 200 GB exceed 32 bits
        --- kcheck.yaml
        cluster: {name: core, config: {message.max.bytes: 200000000000}}
    Bad: empty
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        message.max.bytes=
    Bad: not a boolean
        --- kcheck.yaml
        cluster: {name: core, config: {auto.create.topics.enable: "yes"}}
    Bad: the codec's name instead of its ID
        --- kcheck.yaml
        cluster: {name: core, config: {offsets.topic.compression.codec: gzip}}
    Good:
        --- kcheck.yaml
        cluster:
          name: core
          config: {message.max.bytes: 20000000, auto.create.topics.enable: "FALSE"}
    Good: a placeholder
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        message.max.bytes=${MESSAGE_MAX_BYTES}
    Good: a word that sed replaces
        --- server.properties
        process.roles=broker,controller
        node.id=NODE_ID
        log.dirs=/data/kafka
    Good: words that are booleans to YAML's readers in Java, Python and Kubernetes
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1:9092
            consumer: {group-id: billing, enable-auto-commit: no}
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: core}
        spec: {kafka: {version: 4.1.0, config: {auto.create.topics.enable: off}}}
    Bad: text to the reader of Compose
        --- compose.yaml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.6.1
            environment: {KAFKA_PROCESS_ROLES: broker, KAFKA_AUTO_CREATE_TOPICS_ENABLE: off}
    Bad: nothing applies the files, which makes it a warning
        --- k8s/kustomization.yaml
        resources: [refunds.yaml]
        --- k8s/refunds.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaTopic
        metadata: {name: refunds}
        spec: {partitions: 3, replicas: 3}
        --- k8s/orders.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaTopic
        metadata: {name: orders}
        spec: {partitions: 3, replicas: 3, config: {retention.ms: week}}
        --- backups/payments.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaTopic
        metadata: {name: payments}
        spec: {partitions: 3, replicas: 3, config: {retention.ms: week}}
    """
    for setting, fault in assay(node.resource, node.version).values:
        if fault.kind == TYPE and not _PLACEHOLDER.fullmatch(setting.text or ""):
            yield _finding(node, setting, fault)


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
            yield _finding(node, setting, fault)


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
            yield _finding(node, setting, fault)
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


@rule(
    "KC0111",
    "empty-list-element",
    ERROR,
    kafka=REFUSED,
    invariants=(),
    refs=("KIP-1161",),
    versions="4.2+",
)
def empty_list_element(node: Misvalued) -> Iterator[Finding]:
    """A list contains an empty element, for example after a trailing comma.

    Up to Kafka 4.1 most keys ignore an empty element. From 4.2 on most lists reject it, so a trailing
    comma from a template prevents the process from starting after the upgrade.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.2", config: {log.dirs: "/data/a,/data/b,"}}
    Bad: reported before the upgrade
        --- producer.properties
        bootstrap.servers=k1:9092,k2:9092,
        acks=all
    Bad: continued without a backslash
        --- producer.properties
        bootstrap.servers=k1:9092,
          k2:9092
        acks=all
    Good: continued
        --- producer.properties
        bootstrap.servers=k1:9092,\\
          k2:9092
        acks=all
    Good:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.2", config: {log.dirs: "/data/a,/data/b"}}
    Good: an older version ignores it
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", config: {log.dirs: "/data/a,/data/b,"}}
    """
    for setting, fault in assay(node.resource, node.version).values:
        if fault.kind == ELEMENT:
            finding = _finding(node, setting, fault)
            if isinstance(setting, Torn):
                finding.message += f"; it {torn(setting)}"
                finding.fix = Fix(CONTINUE)
            yield finding
