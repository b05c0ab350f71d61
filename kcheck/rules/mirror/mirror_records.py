"""KC16: records that a mirror cannot write, or writes as others: sizes, timestamps and converters."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import MIRROR_PLANES, Connector
from kcheck.graph.cluster import ClusterWithClients
from kcheck.model import DEFAULT, SET, WARNING, Finding, Flow, Resource, Value
from kcheck.rule import FAILED, rule
from kcheck.rules.mirror.mirror_flows import flows, mirrors, shown_flow, value_of
from kcheck.units import whole
from kcheck.wording import in_bytes, in_ms, plain

_KEYS = ("key.converter", "value.converter")
_BYTES = "org.apache.kafka.connect.converters.ByteArrayConverter"
#: Converters that make something else of bytes, by the last part of their names.
_OTHERS = {
    "JsonConverter": "writes bytes as Base64 text in JSON",
    "StringConverter": "writes a Java object's name in place of bytes",
    "AvroConverter": "writes bytes as Avro with an id of a schema before them",
    "ProtobufConverter": "cannot write bytes",
    "JsonSchemaConverter": "writes bytes as Base64 text in JSON with an id of a schema before it",
}


@rule("KC1617", "mm2-converters", WARNING, refs=("KIP-382",))
def mm2_converters(connector: Connector) -> Iterator[Finding]:
    """A connector of MirrorMaker does not use ByteArrayConverter.

    MirrorMaker's connectors hand on keys and values as bytes. MirrorMaker as a process of its own, and
    Strimzi's, use ByteArrayConverter by default; in a Connect cluster the converters of the workers apply, unless the
    connector has its own. Consumers of the mirrored topics then read other bytes than those in the
    source cluster.

    Bad:
        --- mirror.json
        {"name": "mirror", "config": {"connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
         "source.cluster.alias": "a", "target.cluster.alias": "b", "topics": "orders",
         "key.converter": "org.apache.kafka.connect.storage.StringConverter",
         "value.converter": "org.apache.kafka.connect.converters.ByteArrayConverter"}}
    Bad: the workers' converters
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        --- mirror.json
        {"name": "mirror", "config": {"connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
         "source.cluster.alias": "a", "target.cluster.alias": "b", "topics": "orders"}}
    Good:
        --- mirror.json
        {"name": "mirror", "config": {"connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
         "source.cluster.alias": "a", "target.cluster.alias": "b", "topics": "orders",
         "key.converter": "org.apache.kafka.connect.converters.ByteArrayConverter",
         "value.converter": "org.apache.kafka.connect.converters.ByteArrayConverter"}}
    Good: MirrorMaker as a process of its own
        --- mm2.properties
        clusters=a,b
        a.bootstrap.servers=a1:9092
        b.bootstrap.servers=b1:9092
        a->b.enabled=true
    Good: unknown workers
        --- mirror.json
        {"name": "mirror", "config": {"connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
         "source.cluster.alias": "a", "target.cluster.alias": "b", "topics": "orders"}}
    """
    if connector.resource.plane not in MIRROR_PLANES:
        return
    wrong = [
        value
        for key in _KEYS
        if (value := _converter(connector, key)) is not None
        and (value.text or "").rpartition(".")[2] in _OTHERS
    ]
    if not wrong:
        return
    first = wrong[0]
    how = _OTHERS[(first.text or "").rpartition(".")[2]]
    given = "" if first.resource is connector.resource else " from its workers"
    yield connector.finding(
        f"{connector} has {' and '.join(plain(value) for value in wrong)}{given}",
        at=first if not given else connector["connector.class"],
        because=wrong if given else wrong[1:],
        breaks=f"{(first.text or '').rpartition('.')[2]} {how}: mirrored records differ from those in "
        "the source cluster",
        fix=f"set {' and '.join(f'{value.key}={_BYTES}' for value in wrong)} on the connector",
    )


def _converter(connector: Connector, key: str) -> Value | None:
    """The converter that a connector uses, its own or that of all its workers; None if unknown."""
    if connector.sets(key):
        return connector[key]
    if connector.resource.traits.dedicated:
        return None  # workers of the cluster are others than its own
    alike = {worker[key].text: worker[key] for worker in reversed(connector.workers)}
    if len(alike) != 1:
        return None
    (found,) = alike.values()
    return found if found.written else None


_LARGEST, _DEFAULT_SIZE = "max.request.size", 1_048_576


@rule(
    "KC1611",
    "mm2-message-size",
    WARNING,
    invariants=("msg-mm2", "mm2-message-size"),
)
def mm2_message_size(cluster: ClusterWithClients) -> Iterator[Finding]:
    """A mirror cannot write the largest records that it reads.

    The source connector reads a topic with a raised max.message.bytes, but the producer of its
    workers rejects records above max.request.size (1 MiB, unless the workers set
    producer.max.request.size). The limit applies before compression, so a compressed batch within the
    topic's limit may hold a larger record. The limit of the mirrored topic is synchronised, that of
    the producer is not.

    Bad:
        --- kcheck.yaml
        cluster: {name: west, brokers: 3}
        topics: [{name: orders, partitions: 6, config: {max.message.bytes: 5242880}}]
        --- mm2.properties
        clusters=west,east
        west.bootstrap.servers=w1:9092
        east.bootstrap.servers=e1:9092
        west->east.enabled=true
    Good:
        --- kcheck.yaml
        cluster: {name: west, brokers: 3}
        topics: [{name: orders, partitions: 6, config: {max.message.bytes: 5242880}}]
        --- mm2.properties
        clusters=west,east
        west.bootstrap.servers=w1:9092
        east.bootstrap.servers=e1:9092
        east.producer.max.request.size=6000000
        west->east.enabled=true
    Good: another topic
        --- kcheck.yaml
        cluster: {name: west, brokers: 3}
        topics: [{name: orders, partitions: 6, config: {max.message.bytes: 5242880}}]
        --- mm2.properties
        clusters=west,east
        west.bootstrap.servers=w1:9092
        east.bootstrap.servers=e1:9092
        west->east.enabled=true
        west->east.topics=clicks
    """
    for flow, owner in flows(cluster, "out"):
        largest = _size(flow, owner)
        # The default limit is 12 B above the producer's, which is not a choice of the user.
        above = max(largest.number, 1_048_588)
        wider = [
            topic
            for topic in cluster.topics
            if topic["max.message.bytes"].number > above and mirrors(flow, topic.name)
        ]
        if wider:
            worst = max(wider, key=lambda topic: topic["max.message.bytes"].number)
            limit = worst["max.message.bytes"]
            yield worst.finding(
                f"mirror {shown_flow(flow)} reads {worst} with {in_bytes(limit)}, but writes records of at "
                f"most {in_bytes(largest)}",
                at=limit,
                because=(largest,),
                breaks="the first larger record fails the mirror task (RecordTooLargeException)",
                fix=f"set producer.max.request.size={int(limit.number)} on the mirror's workers",
            )


def _size(flow: Flow, owner: Resource) -> Value:
    setting = flow.largest
    if setting is None:
        return Value(_LARGEST, owner, DEFAULT, str(_DEFAULT_SIZE), _DEFAULT_SIZE, True)
    number = whole(setting.text or "")
    known = number is not None
    return Value(_LARGEST, owner, SET, setting.text, number, known, setting, setting.key)


_BEFORE, _NO_BOUND = "message.timestamp.before.max.ms", 2**63 - 1


@rule(
    "KC1612",
    "mm2-timestamp-window",
    WARNING,
    kafka=FAILED,
    refs=("KIP-937",),
    invariants=("mm2-timestamp-window",),
    versions="3.6+",
)
def mm2_timestamp_window(cluster: ClusterWithClients) -> Iterator[Finding]:
    """A mirror writes records whose timestamps its target rejects.

    Mirrored records keep their timestamps. message.timestamp.before.max.ms on the target limits the age
    of a record, and the history of a topic that is mirrored for the first time is older.

    Bad:
        --- kcheck.yaml
        cluster: {name: east, kafka_version: "4.1", brokers: 3, config: {log.message.timestamp.before.max.ms: 3600000}}
        --- mm2.properties
        clusters=west,east
        west.bootstrap.servers=w1:9092
        east.bootstrap.servers=e1:9092
        west->east.enabled=true
    Good:
        --- kcheck.yaml
        cluster: {name: east, kafka_version: "4.1", brokers: 3}
        --- mm2.properties
        clusters=west,east
        west.bootstrap.servers=w1:9092
        east.bootstrap.servers=e1:9092
        west->east.enabled=true
    Good: a limit on the source
        --- kcheck.yaml
        cluster: {name: west, kafka_version: "4.1", brokers: 3, config: {log.message.timestamp.before.max.ms: 3600000}}
        --- mm2.properties
        clusters=west,east
        west.bootstrap.servers=w1:9092
        east.bootstrap.servers=e1:9092
        west->east.enabled=true
    """
    for flow, owner in flows(cluster, "in")[:1]:
        for defaults in cluster.defaults:
            bound, kind = defaults[_BEFORE], defaults["message.timestamp.type"]
            if bound.number < _NO_BOUND and kind.value == "CreateTime":
                yield defaults.finding(
                    f"mirror {shown_flow(flow)} writes to brokers with {in_ms(bound)}",
                    at=bound,
                    because=(value_of(flow.target, owner),),
                    breaks="the first older record fails the mirror task (InvalidTimestampException)",
                    fix="remove the limit, or set message.timestamp.before.max.ms of mirrored topics to "
                    "the age of their history",
                )
                break
