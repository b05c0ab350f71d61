"""KC0102: keys that belong to another kind of node or client."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue, images
from kcheck.graph.clients import Connector
from kcheck.graph.nodes import Misnamed, Node
from kcheck.lexicon.check import assay
from kcheck.lexicon.name_faults import DYNAMIC, FOREIGN, Name
from kcheck.model import ERROR, INFO, WARNING, Finding, Setting
from kcheck.rule import REFUSED, rule
from kcheck.rules.keys.keys_wording import rewrite
from kcheck.rules.shared.keys_wording import adjective, ignored, key_evidence, strict, written
from kcheck.rules.shared.renaming import renamed, replacements, take_away, unmissed


@rule(
    "KC0102",
    "cross-plane-key-misplacement",
    WARNING,
    kafka=REFUSED,
    invariants=("cross-plane-key-misplacement",),
    versions="2.8–4.4",
)
def cross_plane_key_misplacement(node: Misnamed) -> Iterator[Finding]:
    """A key is set on a component that does not read it.

    The keys for the message size (message.max.bytes of brokers, max.message.bytes of topics,
    max.request.size of producers) and for retention (log.retention.ms of brokers, retention.ms of
    topics) are misplaced most often. Kafka rejects such a key on a topic, which is an error; everywhere
    else the key is ignored.

    Bad: a producer's key
        --- kcheck.yaml
        cluster: {name: core, config: {max.request.size: 20000000}}
    Bad: a topic's key
        --- kcheck.yaml
        cluster: {name: core, config: {segment.bytes: 250000000}}
    Bad: a broker's key
        --- kcheck.yaml
        topics:
          - {name: orders, config: {message.max.bytes: 5000000}}
    Bad: a client's key
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        security.protocol=SASL_SSL
    Bad: a producer key on a consumer
        --- kcheck.yaml
        consumers:
          - {name: billing, config: {group.id: billing, acks: all}}
    Bad: a worker key that does not reach the connectors
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        max.request.size=8388608
    Bad: a dynamic-only key
        --- kcheck.yaml
        cluster: {name: core, config: {leader.replication.throttled.rate: 10000000}}
    Bad: behind the prefix of connectors
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        producer.override.compression.type=zstd
    Bad: behind the prefix of workers
        --- orders.json
        {"name": "orders", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "orders", "consumer.max.poll.records": "100"}}
    Bad: a prefix where none is read
        --- producer.properties
        bootstrap.servers=k1:9092
        key.serializer=org.apache.kafka.common.serialization.StringSerializer
        producer.acks=all
    Good:
        --- kcheck.yaml
        cluster: {name: core, config: {message.max.bytes: 20000000, log.segment.bytes: 250000000}}
        topics:
          - {name: orders, config: {max.message.bytes: 5000000}}
        producers:
          - {name: checkout, config: {acks: all, max.request.size: 5000000}}
    Good: one file for a producer and a consumer
        --- client.properties
        bootstrap.servers=k1:9092
        key.serializer=org.apache.kafka.common.serialization.StringSerializer
        acks=all
        group.id=billing
        auto.offset.reset=earliest
    Good: keys of the worker's own clients
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        group.id=etl
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        producer.max.request.size=8388608
    Good: a REST extension gets all settings of the worker
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=replicator
        config.storage.topic=replicator-configs
        offset.storage.topic=replicator-offsets
        status.storage.topic=replicator-status
        rest.extension.classes=com.example.MonitoringExtension
        connector.class=com.example.Replicator
    Good: a connector with clients of its own
        --- orders.json
        {"name": "orders", "config": {"connector.class": "com.example.MirrorSourceConnector",
         "consumer.bootstrap.servers": "a1:9092", "consumer.max.poll.records": "100"}}
    Good: an application's own topics behind the prefix of Streams
        --- streams.properties
        application.id=totals
        bootstrap.servers=k1:9092
        topic.name.orders=orders
        topic.partitions=3
        topic.replication.factor=1
    Bad: a client that the connector does not have
        --- orders.json
        {"name": "orders", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSourceConnector",
         "topic": "orders", "file": "/data/in", "consumer.override.max.poll.records": "100"}}
    Bad: no dead letters that a sink would write
        --- orders.json
        {"name": "orders", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "orders", "producer.override.linger.ms": "100"}}
    Good: a sink that writes dead letters
        --- orders.json
        {"name": "orders", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "orders", "errors.tolerance": "all", "errors.deadletterqueue.topic.name": "dlq",
         "producer.override.linger.ms": "100"}}
    Good: how a source reads its offsets
        --- orders.json
        {"name": "orders", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSourceConnector",
         "topic": "orders", "file": "/data/in", "consumer.override.security.protocol": "SSL"}}
    """
    for setting, name in assay(node.resource, node.version).names:
        if name.kind == FOREIGN and not (
            _mapped(node, setting, name)
            or _extended(node, name)
            or _own_prefix(node, name)
            or _own_topics(node, name)
            or _beside_records(node, name)
            or _other_worker(node, name)
        ):
            yield _foreign(node, setting, name)
        elif name.kind == DYNAMIC:
            yield node.finding(
                f"{node} sets {written(setting)} in its file, but Kafka reads it only as a "
                "dynamic value",
                at=key_evidence(node, setting, setting.key),
                breaks="the broker silently ignores it",
                fix=f"set {setting.key} with kafka-configs --alter",
            )


def _mapped(node: Node, setting: Setting, name: Name) -> bool:
    """Whether listener.security.protocol.map agrees with a listener's security.protocol."""
    if not name.place.prefix.startswith("listener.name."):
        return False
    listener = name.place.prefix.split(".")[2]
    mapping = node.resource.settings.get("listener.security.protocol.map")
    pairs = (mapping.text or "").upper().replace(" ", "").split(",") if mapping else []
    return f"{listener}:{setting.text}".upper() in pairs


def _extended(node: Node, name: Name) -> bool:
    """Whether a REST extension of a Connect worker may read a connector key."""
    return node.sets("rest.extension.classes") and name.owner.endswith("connector")


def _own_prefix(node: Node, name: Name) -> bool:
    """Whether a connector has clients of its own behind the prefix, which it tells their brokers."""
    prefix = name.key.partition(".")[0]
    return node.resource.kind == "connector" and node.sets(f"{prefix}.bootstrap.servers")


def _own_topics(node: Node, name: Name) -> bool:
    """Whether an application has topics of its own behind Streams' prefix: ``topic.name.orders``."""
    topic = catalogue.plane("topic")
    return name.place.prefix == "topic." and any(
        key.startswith(("topic.name", "topic.input", "topic.output")) and key[6:] not in topic
        for key in node.resource.settings
    )


def _beside_records(node: Node, name: Name) -> bool:
    """Whether a connector has such a client beside its records: for dead letters, or its own offsets."""
    if not isinstance(node, Connector):
        return False
    if name.key.startswith("producer.override."):
        return node.writes_dead_letters
    return bool(node.reads_offsets) and name.key.startswith("consumer.override.")


def _other_worker(node: Node, name: Name) -> bool:
    """Whether nobody knows which of the two workers an image starts, whose key it is."""
    image = node.resource.facts.get("image")
    if name.owner != "connect-standalone" or image is None:
        return False
    return images.family_of(images.split(image.text or "")[0]) is None


def _foreign(node: Node, setting: Setting, name: Name) -> Finding:
    here = adjective(name.place.plane)
    message = f"{node} sets {written(setting)}, "
    message += f"a {adjective(name.owner)} key" if name.owner else f"which is not a {here} key"
    right = " or ".join(name.right)
    if name.every:
        listed = (", ".join(name.right[:-1]), *name.right[-1:])
        right = " and ".join(filter(None, listed))
    there = replacements(node, setting, name.right)
    if right:
        if name.place.prefix and not right.startswith(name.place.prefix):
            here = adjective(node.resource.plane)
        message += f"; the {here} key is {right}" if name.owner else f"; use {right}"
        message += f" ({name.note})" if name.note else ""
        fix = renamed(node, setting, name.right, name.every)
        fix += f" ({name.note})" if name.note and not there else ""
    else:
        message += f": {name.note}" if name.note else ""
        elsewhere = f" and set it on the {adjective(name.owner)}s that need it"
        fix = "remove it" + (f"; {name.note}" if name.note else elsewhere)
    breaks = ignored(node, name)
    if node.resource.kind == "worker" and name.owner in ("producer", "consumer"):
        breaks = f"it does not reach the {name.owner}s of connectors"
    found = node.finding(
        message,
        at=key_evidence(node, setting, setting.key),
        breaks=breaks,
        fix=fix,
        set_to=rewrite(setting, right)
        if len(name.right) == 1 and not name.note and not there
        else None,
        severity=_gravity(node, setting, name, there),
        safe=strict(name),
    )
    if there and fix.startswith("remove it;"):
        take_away(found, setting)
    return found


#: The ways to start a Connect worker.
_MODES = ("connect-distributed", "connect-standalone")


def _gravity(node: Node, setting: Setting, name: Name, there: list[Setting]) -> str:
    """An error where Kafka refuses the key, an info where nothing is missing without it."""
    if strict(name):
        return ERROR
    # A worker's file that has the settings of both ways to start one works in either.
    if node.resource.plane in _MODES and name.owner in _MODES:
        return INFO
    # Brokers alone ever spoke to ZooKeeper: others do without its address what they do with it.
    if name.owner == "broker" and name.key.startswith("zookeeper."):
        return INFO
    return INFO if unmissed(node, setting, name, there) else WARNING
