"""KC14: what records must be for sinks that write tables."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Connector
from kcheck.model import ERROR, Finding, Value
from kcheck.rule import rule
from kcheck.rules.connect.connector_workers import workers_of
from kcheck.wording import plain

#: Sinks that write tables, and so need to know the columns of a record.
_TABLES = ("JdbcSinkConnector",)


#: Formats of files that have a schema.
_SCHEMA_FORMATS = ("ParquetFormat",)


#: Converters that give records no structure.
_FLAT = ("StringConverter", "ByteArrayConverter", "SimpleHeaderConverter")


def _simple(name: Value) -> str:
    """A class without its package: CamelJdbcSinkConnector is another's than JdbcSinkConnector."""
    return (name.text or "").rpartition(".")[2]


def _converter(connector: Connector, key: str) -> tuple[Value, Value] | None:
    """The connector's converter and its schemas.enable: its own, or its workers'."""
    if connector.sets(key):
        return connector[key], connector[f"{key}.schemas.enable"]
    pairs = [(w[key], w[f"{key}.schemas.enable"]) for w in workers_of(connector)]
    told = {tuple(value.text for value in pair): pair for pair in pairs}
    return next(iter(told.values())) if len(told) == 1 else None


@rule(
    "KC1423",
    "connect-converter-pair",
    ERROR,
    on=("connector.class",),
    invariants=("connect-converter-pair",),
)
def connect_converter_pair(connector: Connector) -> Iterator[Finding]:
    """A sink that needs a schema gets records without one.

    A sink that writes tables by JDBC, or Parquet files, takes records as structures with a
    schema. JsonConverter with schemas.enable=false, StringConverter and ByteArrayConverter make none.
    Silent where transformations may add one.

    Bad:
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
         "topics": "orders", "connection.url": "jdbc:postgresql://db/orders",
         "value.converter": "org.apache.kafka.connect.json.JsonConverter",
         "value.converter.schemas.enable": "false"}}
    Bad: text
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
         "topics": "orders", "connection.url": "jdbc:postgresql://db/orders",
         "value.converter": "org.apache.kafka.connect.storage.StringConverter"}}
    Bad: the workers'
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        value.converter.schemas.enable=false
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.aiven.connect.jdbc.JdbcSinkConnector",
         "topics": "orders", "connection.url": "jdbc:postgresql://db/orders"}}
    Good:
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
         "topics": "orders", "connection.url": "jdbc:postgresql://db/orders",
         "value.converter": "org.apache.kafka.connect.json.JsonConverter",
         "value.converter.schemas.enable": "true"}}
    Good: by the registry
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
         "topics": "orders", "connection.url": "jdbc:postgresql://db/orders",
         "value.converter": "io.confluent.connect.avro.AvroConverter",
         "value.converter.schema.registry.url": "http://registry:8081"}}
    Good: something is done to the records first
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
         "topics": "orders", "connection.url": "jdbc:postgresql://db/orders", "transforms": "schema",
         "transforms.schema.type": "com.example.AddSchema",
         "value.converter": "org.apache.kafka.connect.json.JsonConverter",
         "value.converter.schemas.enable": "false"}}
    Good: a sink that takes anything
        --- orders.json
        {"name": "orders", "config": {"connector.class": "FileStreamSink", "topics": "orders",
         "value.converter": "org.apache.kafka.connect.storage.StringConverter"}}
    """
    wanted, form = connector["connector.class"], connector["format.class"]
    if _simple(wanted) not in _TABLES:
        wanted = form
        if _simple(form) not in _SCHEMA_FORMATS:
            return
    found = _converter(connector, "value.converter")
    if found is None or connector.sets("transforms"):
        return
    converter, schemas = found
    if not converter.text:
        return
    name = converter.text.rpartition(".")[2]
    if name == "JsonConverter" and (schemas.text or "").lower() == "false":
        at, told = schemas, f"{name} with {plain(schemas)}"
    elif name in _FLAT:
        at, told = converter, name
    else:
        return
    yield connector.finding(
        f"{connector} needs records with a schema, and gets them from {told}",
        at=at if at.resource is connector.resource else wanted,
        because=(wanted,) if at.resource is connector.resource else (at,),
        breaks="its task fails at the first record: a value with a schema is required",
        fix="use a converter with schemas (Avro, Protobuf, JSON Schema), or JSON with "
        "schemas.enable=true if the records carry theirs",
    )


@rule(
    "KC1424",
    "connect-jdbc-key",
    ERROR,
    on=("insert.mode", "delete.enabled"),
    invariants=("connect-converter-pair",),
)
def connect_jdbc_key(connector: Connector) -> Iterator[Finding]:
    """A JDBC sink that updates or deletes rows has no primary key.

    insert.mode=upsert needs pk.mode=record_key, record_value or kafka; its default is none.
    delete.enabled=true needs pk.mode=record_key.

    Bad:
        --- users.json
        {"name": "users", "config": {"connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
         "topics": "users", "connection.url": "jdbc:mysql://db/users", "insert.mode": "upsert"}}
    Bad: deleted by what?
        --- users.json
        {"name": "users", "config": {"connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
         "topics": "users", "connection.url": "jdbc:mysql://db/users", "delete.enabled": "true",
         "pk.mode": "record_value", "pk.fields": "id"}}
    Good:
        --- users.json
        {"name": "users", "config": {"connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
         "topics": "users", "connection.url": "jdbc:mysql://db/users", "insert.mode": "upsert",
         "delete.enabled": "true", "pk.mode": "record_key", "pk.fields": "id"}}
    Good: rows are only added
        --- users.json
        {"name": "users", "config": {"connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
         "topics": "users", "connection.url": "jdbc:mysql://db/users", "insert.mode": "insert"}}
    Good: Debezium's sink has the key by default
        --- users.json
        {"name": "users", "config": {"connector.class": "io.debezium.connector.jdbc.JdbcSinkConnector",
         "topics": "users", "connection.url": "jdbc:mysql://db/users", "insert.mode": "upsert"}}
    """
    if (connector["connector.class"].text or "") not in _JDBC:
        return
    mode, deletes, key = connector["insert.mode"], connector["delete.enabled"], connector["pk.mode"]
    kind = (key.text or "").strip().lower() if key.explicit else "none"
    if key.explicit and key.text is None:
        return
    if (mode.text or "").lower() == "upsert" and kind == "none":
        at, needed = mode, "record_key or record_value"
    elif (deletes.text or "").lower() == "true" and kind != "record_key":
        at, needed = deletes, "record_key"
    else:
        return
    yield connector.finding(
        f"{connector} has {plain(at)} and "
        + (plain(key) if key.explicit else "no pk.mode (its default is none)"),
        at=at,
        because=(key,),
        breaks="the connector or its task fails: no primary key is known by which to find a row",
        fix=f"set pk.mode={needed}, and pk.fields where the key has no fields of its own",
    )


_JDBC = (
    "io.confluent.connect.jdbc.JdbcSinkConnector",
    "io.aiven.connect.jdbc.JdbcSinkConnector",
)
