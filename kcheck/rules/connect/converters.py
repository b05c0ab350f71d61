"""KC14: the converters of connectors, and settings of theirs that reach nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck import classes
from kcheck.graph.clients import Connector, Worker
from kcheck.model import COMPOSE, ERROR, STRIMZI, WARNING, Finding
from kcheck.rule import CHANGED, rule
from kcheck.rules.connect.connector_workers import workers_of
from kcheck.rules.shared.keys_wording import evidence

_CONVERTERS = ("key.converter", "value.converter", "header.converter")


#: Converters that ask a registry, which has no default address.
_REGISTERED = (
    "io.confluent.connect.avro.AvroConverter",
    "io.confluent.connect.protobuf.ProtobufConverter",
    "io.confluent.connect.json.JsonSchemaConverter",
)


_URL = "schema.registry.url"


def _self_managed(connector: Connector) -> bool:
    """Whether a connector runs on workers of one's own: a service gives its connectors plain names."""
    return "." in (connector["connector.class"].text or "")


@rule("KC1474", "connect-converter-registry", ERROR)
def connect_converter_registry(node: Connector | Worker) -> Iterator[Finding]:
    """A Schema Registry converter has no schema.registry.url.

    schema.registry.url has no default, and a converter reads it under its own prefix alone:
    value.converter.schema.registry.url. A connector that names its own converter gets nothing of what
    the workers set for theirs. A warning at a worker, whose connectors may have converters of their own.

    Bad:
        --- orders.json
        {"name": "orders", "config": {"connector.class": "FileStreamSink", "topics": "orders",
         "value.converter": "io.confluent.connect.avro.AvroConverter"}}
    Bad: without the prefix
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.storage.StringConverter
        value.converter=io.confluent.connect.avro.AvroConverter
        schema.registry.url=http://registry:8081
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
    Good:
        --- orders.json
        {"name": "orders", "config": {"connector.class": "FileStreamSink", "topics": "orders",
         "value.converter": "io.confluent.connect.avro.AvroConverter",
         "value.converter.schema.registry.url": "http://registry:8081"}}
    Good: the workers' converter
        --- orders.json
        {"name": "orders", "config": {"connector.class": "FileStreamSink", "topics": "orders"}}
    """
    # A chart fills the address in where it makes the container.
    if node.resource.managed and node.resource.traits.deployer not in (COMPOSE, STRIMZI):
        return
    for key in _CONVERTERS[:2]:
        converter, url = node[key], node[f"{key}.{_URL}"]
        if converter.text not in _REGISTERED or url.written:
            continue
        bare = node[_URL]
        yield node.finding(
            f"{node} has {key}={converter.text} and no {url.key}"
            + (f"; {_URL} is not read" if bare.written else ""),
            at=converter,
            because=(url,),
            breaks=f"tasks with this converter fail at their start: {_URL} is missing",
            fix=f"set {url.key}",
            severity=ERROR if isinstance(node, Connector) else WARNING,
        )


@rule(
    "KC1475",
    "connect-converter-unread",
    WARNING,
    kafka=CHANGED,
    invariants=("connect-converter-unread",),
)
def connect_converter_unread(connector: Connector) -> Iterator[Finding]:
    """A connector has settings for a converter that it does not name.

    Without value.converter of its own a connector takes that of its workers, with their settings.
    What it sets below value.converter. then goes nowhere.

    Bad:
        --- orders.json
        {"name": "orders", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "orders", "value.converter.schemas.enable": "false"}}
    Good:
        --- orders.json
        {"name": "orders", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "orders", "value.converter": "org.apache.kafka.connect.json.JsonConverter",
         "value.converter.schemas.enable": "false"}}
    Good: the workers say the same
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter.schemas.enable=false
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        --- orders.json
        {"name": "orders", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "orders", "value.converter.schemas.enable": "false"}}
    Good: a service's connector
        --- orders.json
        {"name": "orders", "config": {"connector.class": "S3_SINK", "topics": "orders",
         "value.converter.schemas.enable": "false"}}
    """
    if not _self_managed(connector):
        return
    workers = workers_of(connector)
    for converter in _CONVERTERS:
        if connector.sets(converter):
            continue
        unread = [
            setting
            for key, setting in connector.resource.settings.items()
            if key.startswith(f"{converter}.")
            and not (workers and all(worker[key].text == setting.text for worker in workers))
        ]
        if unread:
            more = f" and {len(unread) - 1} more" if len(unread) > 1 else ""
            yield connector.finding(
                f"{connector} sets {unread[0].key}{more}, and no {converter}",
                at=evidence(connector, unread[0]),
                because=(connector[converter],),
                breaks="the setting is passed over: the workers' converter runs as the workers set it",
                fix=f"name {converter} on the connector too",
            )


#: What begins the settings of a registry, Confluent's or Apicurio's.
_REGISTRIES = ("schema.registry.", "apicurio.registry.")


@rule("KC1480", "connect-registry-unasked", WARNING, kafka=CHANGED)
def connect_registry_unasked(node: Connector | Worker) -> Iterator[Finding]:
    """A converter that uses no registry has a schema.registry.url.

    Kafka's own converters know no registry: JsonConverter puts the schema into each record or leaves it
    out, the others have none. What stands below value.converter.schema.registry. is then passed over.

    Bad:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.storage.StringConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter.schema.registry.url=http://registry:8081
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
    Bad: a connector
        --- orders.json
        {"name": "orders", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "orders", "key.converter": "org.apache.kafka.connect.storage.StringConverter",
         "key.converter.schema.registry.url": "http://registry:8081"}}
    Good:
        --- orders.json
        {"name": "orders", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "orders", "key.converter": "io.confluent.connect.json.JsonSchemaConverter",
         "key.converter.schema.registry.url": "http://registry:8081"}}
    Good: another's converter, which may ask one
        --- orders.json
        {"name": "orders", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "orders", "key.converter": "com.example.RegistryConverter",
         "key.converter.schema.registry.url": "http://registry:8081"}}
    Good: a service's connector
        --- orders.json
        {"name": "orders", "config": {"connector.class": "S3_SINK", "topics": "orders",
         "key.converter": "org.apache.kafka.connect.storage.StringConverter",
         "key.converter.schema.registry.url": "http://registry:8081"}}
    """
    if isinstance(node, Connector) and not _self_managed(node):
        return
    for key in _CONVERTERS:
        converter = node[key]
        name = converter.text or ""
        if not classes.known(name):
            continue
        unread = [
            setting
            for other, setting in node.resource.settings.items()
            if other.startswith(tuple(f"{key}.{registry}" for registry in _REGISTRIES))
        ]
        if unread:
            more = f" and {len(unread) - 1} more" if len(unread) > 1 else ""
            yield node.finding(
                f"{node} sets {unread[0].key}{more}, and its {key} is {name.rpartition('.')[2]}, "
                "which asks no registry",
                at=evidence(node, unread[0]),
                because=(converter,),
                breaks="the address is passed over: nothing is registered, and records lack the "
                "schema's id that the registry's deserializers look for",
                fix=f"set {key} to a converter that asks it, as {_REGISTERED[0]}, or remove "
                f"{unread[0].key}",
            )


#: Keys of the clients inside that connectors have none of their own like.
_CLIENT_KEYS = {
    "sink-connector": (
        "consumer",
        (
            "session.timeout.ms",
            "heartbeat.interval.ms",
            "max.poll.interval.ms",
            "max.poll.records",
            "max.partition.fetch.bytes",
            "fetch.max.bytes",
            "auto.offset.reset",
        ),
    ),
    "source-connector": ("producer", ("max.request.size",)),
}


@rule("KC1476", "connect-client-key", WARNING, kafka=CHANGED, invariants=("connect-client-key",))
def connect_client_key(connector: Connector) -> Iterator[Finding]:
    """A connector sets a key of the client inside without the prefix that leads there.

    Connect hands a connector's settings to its consumer or producer only below consumer.override. and
    producer.override.; the connector itself passes the bare key over.

    Bad:
        --- orders.json
        {"name": "orders", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "orders", "max.poll.records": "100"}}
    Good:
        --- orders.json
        {"name": "orders", "config": {"connector.class": "org.apache.kafka.connect.file.FileStreamSinkConnector",
         "topics": "orders", "consumer.override.max.poll.records": "100"}}
    Good: a service's connector, which has such keys
        --- orders.json
        {"name": "orders", "config": {"connector.class": "S3_SINK", "topics": "orders", "max.poll.records": "100"}}
    """
    role, keys = _CLIENT_KEYS.get(connector.resource.plane, ("", ()))
    for key in keys if _self_managed(connector) else ():
        right = f"{role}.override.{key}"
        if not connector.sets(key) or connector.sets(right):
            continue
        yield connector.finding(
            f"{connector} sets {key}, which is a key of its {role}",
            at=connector[key],
            breaks=f"the {role} does not get it and keeps what the workers say, or the default",
            fix=f"write {right}; the workers must allow it (connector.client.config.override.policy)",
        )


_OLD, _NEW = "database.history.", "schema.history.internal."


#: The databases whose log does not tell what its tables look like.
_KEEPS_HISTORY = re.compile(
    r"io\.debezium\.connector\.(mysql|mariadb|oracle|sqlserver|db2|informix)\."
)


@rule("KC1477", "debezium-history-renamed", ERROR, on=("topic.prefix", "database.server.name"))
def debezium_history_renamed(connector: Connector) -> Iterator[Finding]:
    """A connector of Debezium 2 has the history of schemas under its old name.

    With 2.0 topic.prefix took the place of database.server.name, and schema.history.internal. that of
    database.history. Who writes the one and not the other has no history, or no prefix.

    Bad:
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "topic.prefix": "shop", "database.history.kafka.bootstrap.servers": "k1:9092",
         "database.history.kafka.topic": "shop-history"}}
    Bad: the other way round
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "database.server.name": "shop", "schema.history.internal.kafka.topic": "shop-history"}}
    Good:
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "topic.prefix": "shop", "schema.history.internal.kafka.bootstrap.servers": "k1:9092",
         "schema.history.internal.kafka.topic": "shop-history"}}
    Good: for both versions
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "topic.prefix": "shop", "database.server.name": "shop", "database.history.kafka.topic": "shop-history"}}
    """
    if not _KEEPS_HISTORY.match(connector["connector.class"].text or ""):
        return
    settings = connector.resource.settings
    old = [setting for key, setting in settings.items() if key.startswith(_OLD)]
    new = [setting for key, setting in settings.items() if key.startswith(_NEW)]
    prefix, server = connector["topic.prefix"], connector["database.server.name"]
    if new and not old and not prefix.explicit:
        yield connector.finding(
            f"{connector} has {new[0].key}, as Debezium 2 wants it, and {server.key}, which went with "
            "1.9",
            at=server,
            because=(evidence(connector, new[0]),),
            breaks="the connector is refused: topic.prefix is missing",
            fix=f"write topic.prefix in place of {server.key}",
        )
    if old and not new and not server.explicit:
        yield connector.finding(
            f"{connector} has topic.prefix, as Debezium 2 wants it, and {old[0].key}, which went with "
            "1.9",
            at=evidence(connector, old[0]),
            because=(prefix,),
            breaks=f"the connector fails at its start: {_NEW}kafka.topic is missing",
            fix=f"write {_NEW} in place of {_OLD}",
        )


@rule("KC1479", "debezium-history-shared", WARNING, on=(f"{_NEW}kafka.topic", f"{_OLD}kafka.topic"))
def debezium_history_shared(connector: Connector) -> Iterator[Finding]:
    """Two connectors of Debezium keep their history of schemas in one topic.

    A connector reads the whole topic when it starts and takes every statement in it for one of its
    own database. While it reads, the topic must not grow.

    Bad:
        --- shops.json
        [{"name": "a", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
          "topic.prefix": "a", "schema.history.internal.kafka.bootstrap.servers": "k1:9092",
          "schema.history.internal.kafka.topic": "history"}},
         {"name": "b", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
          "topic.prefix": "b", "schema.history.internal.kafka.bootstrap.servers": "k1:9092",
          "schema.history.internal.kafka.topic": "history"}}]
    Good:
        --- shops.json
        [{"name": "a", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
          "topic.prefix": "a", "schema.history.internal.kafka.bootstrap.servers": "k1:9092",
          "schema.history.internal.kafka.topic": "history-a"}},
         {"name": "b", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
          "topic.prefix": "b", "schema.history.internal.kafka.bootstrap.servers": "k1:9092",
          "schema.history.internal.kafka.topic": "history-b"}}]
    Good: one connector, as it was and as it will be
        --- shops.json
        [{"name": "a", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
          "topic.prefix": "a", "schema.history.internal.kafka.bootstrap.servers": "k1:9092",
          "schema.history.internal.kafka.topic": "history"}},
         {"name": "a", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
          "topic.prefix": "a", "schema.history.internal.kafka.bootstrap.servers": "k1:9092",
          "schema.history.internal.kafka.topic": "history"}}]
    """
    mine = _history(connector)
    for other in connector.cluster.connectors if mine else ():
        if other.resource is connector.resource:
            return
        if _history(other) == mine and other.name != connector.name:
            prefix = _OLD if connector.sets(f"{_OLD}kafka.topic") else _NEW
            topic = connector[f"{prefix}kafka.topic"]
            yield connector.finding(
                f"{connector} keeps its schema history in {topic.text}, as {other} does",
                at=topic,
                because=[v for p in (_OLD, _NEW) if (v := other[f"{p}kafka.topic"]).written],
                breaks="at its next start each of them reads the statements of the other database, or "
                "fails: the end of the history topic changes while it is read",
                fix="give each connector a topic of its own",
            )
            return


def _history(connector: Connector) -> tuple[str, str] | None:
    """Where a connector keeps its history: brokers and topic; None where nobody tells."""
    if not _KEEPS_HISTORY.match(connector["connector.class"].text or ""):
        return None
    for prefix in (_NEW, _OLD):
        topic, servers = (
            connector[f"{prefix}kafka.topic"],
            connector[f"{prefix}kafka.bootstrap.servers"],
        )
        if topic.text and servers.text:
            return servers.text, topic.text
    return None
