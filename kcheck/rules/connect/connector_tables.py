"""KC14: schemas and keys of the records that table sinks need."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Connector
from kcheck.model import ERROR, Finding, Value
from kcheck.rule import rule
from kcheck.rules.connect.connector_workers import workers_of
from kcheck.wording import plain

#: Sinks that write tables and therefore need a schema.
_TABLES = ("JdbcSinkConnector", "RedshiftSinkConnector")
#: Those that find the columns of a table in a struct or, without a schema, in a map: RecordConverter of
#: Iceberg's sink, BigQueryRecordConverter.
_COLUMNS = (
    *("org.apache.iceberg.connect.", "io.tabular.iceberg.connect."),
    "com.wepay.kafka.connect.bigquery.",
)


#: Formats of files that have a schema.
_SCHEMA_FORMATS = ("ParquetFormat",)


#: Converters that produce records without a schema.
_FLAT = ("StringConverter", "ByteArrayConverter", "SimpleHeaderConverter")


def _simple(name: Value) -> str:
    """The class name without its package: CamelJdbcSinkConnector is not JdbcSinkConnector."""
    return (name.text or "").rpartition(".")[2]


def _converter(connector: Connector, key: str) -> tuple[Value, Value] | None:
    """The connector's converter and its schemas.enable: its own, or its workers'."""
    if connector.sets(key):
        return connector[key], connector[f"{key}.schemas.enable"]
    pairs = [(w[key], w[f"{key}.schemas.enable"]) for w in workers_of(connector)]
    distinct = {tuple(value.text for value in pair): pair for pair in pairs}
    return next(iter(distinct.values())) if len(distinct) == 1 else None


@rule(
    "KC1423",
    "connect-converter-pair",
    ERROR,
    on=("connector.class",),
    invariants=("connect-converter-pair",),
)
def connect_converter_pair(connector: Connector) -> Iterator[Finding]:
    """A sink that needs a schema gets records without one.

    A sink that writes JDBC tables or Parquet files requires records with a schema. JsonConverter
    with schemas.enable=false, StringConverter and ByteArrayConverter produce none. The sinks of Iceberg
    and BigQuery take records without a schema, but no text and no bytes, which have no columns. Silent
    where transformations may add what is lacking.

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
    Bad: a text has no columns
        --- events.json
        {"name": "events", "config": {"connector.class": "org.apache.iceberg.connect.IcebergSinkConnector",
         "topics": "events", "iceberg.tables": "default.events", "iceberg.catalog.type": "rest",
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
    Good: a schema from the registry
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
         "topics": "orders", "connection.url": "jdbc:postgresql://db/orders",
         "value.converter": "io.confluent.connect.avro.AvroConverter",
         "value.converter.schema.registry.url": "http://registry:8081"}}
    Good: a transformation may add the schema
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
         "topics": "orders", "connection.url": "jdbc:postgresql://db/orders", "transforms": "schema",
         "transforms.schema.type": "com.example.AddSchema",
         "value.converter": "org.apache.kafka.connect.json.JsonConverter",
         "value.converter.schemas.enable": "false"}}
    Good: a sink that needs no schema
        --- orders.json
        {"name": "orders", "config": {"connector.class": "FileStreamSink", "topics": "orders",
         "value.converter": "org.apache.kafka.connect.storage.StringConverter"}}
    """
    wanted, form = connector["connector.class"], connector["format.class"]
    columns = (wanted.text or "").startswith(_COLUMNS)
    if _simple(wanted) not in _TABLES and not columns:
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
    if name == "JsonConverter" and (schemas.text or "").lower() == "false" and not columns:
        at, source = schemas, f"{name} with {plain(schemas)}"
    elif name in _FLAT:
        at, source = converter, name
    else:
        return
    if columns:
        what, none = "structs or maps", "texts" if name == "StringConverter" else "bytes"
        fix = "use a converter that makes a struct or a map of a record: JsonConverter, or one with schemas"
    else:
        what, none = "records with a schema", "none"
        fix = (
            "use a converter with schemas (Avro, Protobuf, JSON Schema), or JsonConverter with "
            "schemas.enable=true if each record contains its schema"
        )
    yield connector.finding(
        f"{connector} requires {what}, but {source} produces {none}",
        at=at if at.resource is connector.resource else wanted,
        because=(wanted,) if at.resource is connector.resource else (at,),
        breaks="its task fails at the first record: "
        + ("it has no columns" if columns else "a value with a schema is required"),
        fix=fix,
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
    Bad: deletes without the record key
        --- users.json
        {"name": "users", "config": {"connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
         "topics": "users", "connection.url": "jdbc:mysql://db/users", "delete.enabled": "true",
         "pk.mode": "record_value", "pk.fields": "id"}}
    Good:
        --- users.json
        {"name": "users", "config": {"connector.class": "io.confluent.connect.jdbc.JdbcSinkConnector",
         "topics": "users", "connection.url": "jdbc:mysql://db/users", "insert.mode": "upsert",
         "delete.enabled": "true", "pk.mode": "record_key", "pk.fields": "id"}}
    Good: inserts only
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
        f"{connector} sets {plain(at)} "
        + (f"and {plain(key)}" if key.explicit else "without pk.mode (default none)"),
        at=at,
        because=(key,),
        breaks="the connector or its task fails: no primary key identifies the row",
        fix=f"set pk.mode={needed}, and pk.fields where the key has no fields of its own",
    )


_JDBC = (
    "io.confluent.connect.jdbc.JdbcSinkConnector",
    "io.aiven.connect.jdbc.JdbcSinkConnector",
)
