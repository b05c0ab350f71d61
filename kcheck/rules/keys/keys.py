"""KC01: values of another type than Kafka expects, and empty elements of lists."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.graph.listeners import parse
from kcheck.graph.nodes import Misvalued, Node
from kcheck.lexicon.check import assay
from kcheck.lexicon.value_faults import ELEMENT, TYPE, UNIT, Fault
from kcheck.model import ERROR, WARNING, Finding, Fix, Setting, Torn
from kcheck.refusal import doubt
from kcheck.rule import REFUSED, SOME, rule
from kcheck.rules.keys.keys_wording import assigned, conditional, dormant, refused, unread
from kcheck.rules.shared.keys_wording import evidence
from kcheck.wording import CONTINUE, torn


def value_finding(node: Node, setting: Setting, fault: Fault) -> Finding:
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
#: A number of a node, which scripts put in the place of a shorter word, too.
_NUMBERED = re.compile(r"(?:broker|node)\.id=[A-Z]+")


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
        text = setting.text or ""
        if fault.kind == TYPE and not (
            _PLACEHOLDER.fullmatch(text) or _NUMBERED.fullmatch(f"{setting.key}={text}")
        ):
            yield value_finding(node, setting, fault)


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
            finding = value_finding(node, setting, fault)
            if isinstance(setting, Torn):
                finding.message += f"; it {torn(setting)}"
                finding.fix = Fix(CONTINUE)
            yield finding
