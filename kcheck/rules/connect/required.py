"""KC14: the settings without which the plugin of a connector does not start."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from kcheck.graph.clients import Connector
from kcheck.model import ABSENT, WARNING, Finding, Value
from kcheck.rule import rule
from kcheck.rules.connect.demands import LACKING, found

_DEBEZIUM = "io.debezium."
_JDBC = ("io.confluent.connect.jdbc.", "io.aiven.connect.jdbc.")
_PREFIX = ("topic.prefix", "database.server.name", "mongodb.name")
#: The two settings of Debezium's schema history in Kafka, by the names of 2.0 and of 1.x.
_HISTORY = tuple(
    (f"schema.history.internal.kafka.{rest}", f"database.history.kafka.{rest}")
    for rest in ("bootstrap.servers", "topic")
)
#: Where another class keeps the history, the two mean nothing.
_KEEPERS = ("schema.history.internal", "database.history")
_HOST = ("database.hostname",)

#: (packages, class, the settings that it requires: of several names one, by the newest first).
_REQUIRED = (
    ((_DEBEZIUM,), "MySqlConnector", (_PREFIX, _HOST, *_HISTORY)),
    ((_DEBEZIUM,), "MariaDbConnector", (_PREFIX, _HOST, *_HISTORY)),
    ((_DEBEZIUM,), "SqlServerConnector", (_PREFIX, _HOST, *_HISTORY)),
    ((_DEBEZIUM,), "OracleConnector", (_PREFIX, *_HISTORY)),
    ((_DEBEZIUM,), "Db2Connector", (_PREFIX, _HOST, *_HISTORY)),
    ((_DEBEZIUM,), "PostgresConnector", (_PREFIX, _HOST)),
    ((_DEBEZIUM,), "MongoDbConnector", (_PREFIX,)),
    (_JDBC, "JdbcSourceConnector", (("connection.url",), ("mode",), ("topic.prefix",))),
    (_JDBC, "JdbcSinkConnector", (("connection.url",),)),
    (
        ("io.confluent.connect.elasticsearch.",),
        "ElasticsearchSinkConnector",
        (("connection.url",),),
    ),
    (
        ("io.confluent.connect.s3.",),
        "S3SinkConnector",
        (("s3.bucket.name",), ("flush.size",), ("storage.class",), ("format.class",)),
    ),
)


@rule("KC1441", "connector-required-keys", WARNING, on=("connector.class",))
def connector_required_keys(connector: Connector) -> Iterator[Finding]:
    """A connector lacks a setting that its plugin requires.

    Connect asks the plugin to validate the configuration, and rejects a connector that lacks one of
    these. Debezium requires a value: an empty one counts as missing. Some settings are required by the
    value of another: a TimeBasedPartitioner by path.format, the mode timestamp by timestamp.column.name.
    For PostgreSQL plugin.name is decoderbufs by default, which PostgreSQL's official image does not have.
    Covers Debezium and Confluent's JDBC, Elasticsearch, S3 and other storage connectors.

    Bad: no schema history
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "database.hostname": "db", "database.server.id": "7", "topic.prefix": "orders"}}
    Bad: empty
        --- orders.json
        {"name": "orders", "config": {
         "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "database.hostname": "db", "database.dbname": "orders", "database.server.name": ""}}
    Bad: an engine outside Connect
        --- engine.properties
        name=orders
        connector.class=io.debezium.connector.sqlserver.SqlServerConnector
        offset.storage.file.filename=/var/lib/orders/offsets.dat
        database.hostname=db
        database.names=orders
        topic.prefix=orders
    Bad: a sink
        --- archive.json
        {"name": "archive", "config": {"connector.class": "io.confluent.connect.s3.S3SinkConnector",
         "topics": "orders", "s3.bucket.name": "archive", "flush.size": "1000",
         "storage.class": "io.confluent.connect.s3.storage.S3Storage"}}
    Bad: required by another setting
        --- archive.json
        {"name": "archive", "config": {"connector.class": "io.confluent.connect.s3.S3SinkConnector",
         "topics": "orders", "s3.bucket.name": "archive", "flush.size": "1000",
         "storage.class": "io.confluent.connect.s3.storage.S3Storage",
         "format.class": "io.confluent.connect.s3.format.json.JsonFormat",
         "partitioner.class": "io.confluent.connect.storage.partitioner.TimeBasedPartitioner",
         "locale": "en", "timezone": "UTC"}}
    Bad: a mode
        --- rows.json
        {"name": "rows", "config": {"connector.class": "io.confluent.connect.jdbc.JdbcSourceConnector",
         "connection.url": "jdbc:mysql://db/shop", "topic.prefix": "shop-", "mode": "timestamp"}}
    Good:
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "database.hostname": "db", "database.server.id": "7", "topic.prefix": "orders",
         "schema.history.internal.kafka.bootstrap.servers": "k1:9092",
         "schema.history.internal.kafka.topic": "orders.history"}}
    Good: the names of 1.x, and a history in a file
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "database.hostname": "db", "database.server.id": "7", "database.server.name": "orders",
         "database.history": "io.debezium.relational.history.FileDatabaseHistory",
         "database.history.file.filename": "/var/lib/orders/history.dat"}}
    Good: a plugin of somebody else's
        --- orders.json
        {"name": "orders", "config": {"connector.class": "com.example.MySqlConnector"}}
    Good: with what another setting requires
        --- archive.json
        {"name": "archive", "config": {"connector.class": "io.confluent.connect.s3.S3SinkConnector",
         "topics": "orders", "s3.bucket.name": "archive", "flush.size": "1000",
         "storage.class": "io.confluent.connect.s3.storage.S3Storage",
         "format.class": "io.confluent.connect.s3.format.json.JsonFormat",
         "partitioner.class": "io.confluent.connect.storage.partitioner.TimeBasedPartitioner",
         "partition.duration.ms": "3600000", "path.format": "YYYY/MM/dd", "locale": "en",
         "timezone": "UTC", "rotate.schedule.interval.ms": "-1"}}
    Bad: the default plug-in of PostgreSQL's connector
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.1
            environment: {KAFKA_NODE_ID: 1, KAFKA_PROCESS_ROLES: "broker,controller", KAFKA_ADVERTISED_LISTENERS: "PLAINTEXT://kafka:9092"}
          connect:
            image: quay.io/debezium/connect:3.0
            environment: {BOOTSTRAP_SERVERS: "kafka:9092", GROUP_ID: 1, CONFIG_STORAGE_TOPIC: c, OFFSET_STORAGE_TOPIC: o, STATUS_STORAGE_TOPIC: s}
          db: {image: "postgres:17", command: "postgres -c wal_level=logical"}
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "database.hostname": "db", "database.dbname": "shop", "topic.prefix": "shop"}}
    Bad: the same in Amazon RDS
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "database.hostname": "shop.c1x2.eu-west-1.rds.amazonaws.com", "database.dbname": "shop",
         "topic.prefix": "shop", "plugin.name": "decoderbufs"}}
    Good: Debezium's own image of the database
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:3.9.1
            environment: {KAFKA_NODE_ID: 1, KAFKA_PROCESS_ROLES: "broker,controller", KAFKA_ADVERTISED_LISTENERS: "PLAINTEXT://kafka:9092"}
          connect:
            image: quay.io/debezium/connect:3.0
            environment: {BOOTSTRAP_SERVERS: "kafka:9092", GROUP_ID: 1, CONFIG_STORAGE_TOPIC: c, OFFSET_STORAGE_TOPIC: o, STATUS_STORAGE_TOPIC: s}
          db: {image: "quay.io/debezium/postgres:17"}
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "database.hostname": "db", "database.dbname": "shop", "topic.prefix": "shop"}}
    """
    named = connector["connector.class"].text or ""
    package, _, simple = named.rpartition(".")
    for packages, name, required in _REQUIRED:
        if simple == name and (not package or f"{package}.".startswith(packages)):
            yield from _missing(connector, required, _DEBEZIUM in packages)
    yield from found(connector, (LACKING,), named)
    if named == f"{_DEBEZIUM}connector.postgresql.PostgresConnector":
        yield from _output_plugin(connector)


#: Images of PostgreSQL, and names of machines of services, that lack decoderbufs.
_STOCK = re.compile(
    r"(?:docker\.io/)?(?:library/)?postgres|(?:.*/)?(?:postgis/postgis|timescale/timescaledb"
    r"|bitnami(?:legacy)?/postgresql)"
)
_SERVICES = (".rds.amazonaws.com",)
_PLUGIN, _DEFAULT = "plugin.name", "decoderbufs"


def _output_plugin(connector: Connector) -> Iterator[Finding]:
    """The finding on the default output plug-in where the database does not have it."""
    plugin, host = connector[_PLUGIN], connector["database.hostname"]
    if not host.text or (plugin.text if plugin.explicit else _DEFAULT) != _DEFAULT:
        return
    where = ""
    if host.text.endswith(_SERVICES):
        where = "Amazon RDS"
    for resource in connector.cluster.resources:
        network = resource.traits.network
        found = network.names.get(host.text.lower(), ()) if network is not None else ()
        match found:
            case [one] if _STOCK.fullmatch(one.image):
                where = f"the image {one.image} of service {one.name}"
    if where:
        at = plugin if plugin.explicit else connector["connector.class"]
        absent = () if plugin.explicit else (Value(_PLUGIN, connector.resource, ABSENT),)
        yield connector.finding(
            f"{connector} has {_PLUGIN}={_DEFAULT}{'' if plugin.explicit else ' (default)'}, but {where} "
            "does not have that plug-in",
            at=at,
            because=(*absent, host),
            breaks="the task fails, because it cannot create its replication slot: could not access "
            f'file "{_DEFAULT}"',
            fix=f"set {_PLUGIN}=pgoutput",
        )


def _missing(
    connector: Connector, required: tuple[tuple[str, ...], ...], filled: bool
) -> Iterator[Finding]:
    """The finding on what is missing; ``filled``: an empty value is as good as none."""
    settings = connector.resource.settings
    kept = any(key in settings for key in _KEEPERS)
    lacking: list[Value] = []
    for names in required:
        if kept and names in _HISTORY:
            continue
        given = [key for key in names if key in settings]
        if not given:
            lacking.append(Value(_spelt(settings, names), connector.resource, ABSENT))
        elif filled and all(settings[key].text == "" for key in given):
            lacking.append(connector[given[0]])
    if not lacking:
        return
    keys = [value.key for value in lacking]
    several = len(keys) > 1
    either, listed = (
        f"{', '.join(keys[:-1])} {word} {keys[-1]}" if several else keys[0]
        for word in ("or", "and")
    )
    empty = all(value.setting is not None for value in lacking)
    state = "an empty" if empty else "no"
    yield connector.finding(
        f"{connector} has {state} {either}",
        at=lacking[0] if empty else connector["connector.class"],
        because=tuple(lacking[1:] if empty else lacking),
        breaks="Connect rejects the configuration, or the task fails at its start: "
        f"{'they are' if several else 'it is'} required",
        fix=f"set {listed}",
    )


def _spelt(settings: Mapping[str, object], names: tuple[str, ...]) -> str:
    """The name that fits the release: with the other settings of Debezium 1.x, its old one."""
    old = any(key.startswith(("database.server.name", "database.history")) for key in settings)
    return names[1] if old and len(names) > 1 else names[0]
