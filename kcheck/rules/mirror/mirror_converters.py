"""KC16: the converters of MirrorMaker's connectors in a Connect cluster."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import MIRROR_PLANES, Connector
from kcheck.model import WARNING, Finding, Value
from kcheck.rule import rule
from kcheck.wording import plain

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
