"""KC14: settings that the plugin of a connector does not accept together."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.graph.clients import Connector
from kcheck.model import WARNING, Finding
from kcheck.rule import rule
from kcheck.rules.connect import topic_keys
from kcheck.rules.connect.demands import EXCLUDED, found
from kcheck.units import whole
from kcheck.wording import plain

_DEBEZIUM = "io.debezium.connector."
_JDBC = ("io.confluent.connect.jdbc.JdbcSource", "io.aiven.connect.jdbc.JdbcSource")
_SEARCH = "io.confluent.connect.elasticsearch."
_LISTS = ("table.whitelist", "table.blacklist", "table.include.list", "table.exclude.list")

#: (classes begin with, one setting, those that it excludes). JdbcSourceConnectorConfig and its
#: validation (confluentinc/kafka-connect-jdbc), RelationalDatabaseConnectorConfig (debezium/debezium),
#: Validator (confluentinc/kafka-connect-elasticsearch).
_EXCLUSIVE = (
    (_JDBC, "query", _LISTS),
    (_JDBC, "table.whitelist", ("table.blacklist",)),
    (_JDBC, "table.include.list", ("table.exclude.list",)),
    *(
        ((_DEBEZIUM,), f"{what}.include.list", (f"{what}.exclude.list",))
        for what in ("table", "column", "schema", "database", "collection")
    ),
)
#: Modes in which the JDBC source appends a condition to the query (TimestampIncrementingTableQuerier).
_INCREMENTAL = ("incrementing", "timestamp", "timestamp+incrementing")
_CLAUSE = re.compile(r"\b(?:WHERE|GROUP\s+BY|HAVING|ORDER\s+BY|LIMIT)\b", re.IGNORECASE)
_PIECES = re.compile(r"'[^']*+'|[()]|[^'()]++|'")
#: Defaults of the Elasticsearch sink: records that it buffers, in a request, requests at once.
_BUFFER = (("max.buffered.records", 20_000), ("batch.size", 2_000), ("max.in.flight.requests", 5))


@rule("KC1485", "connector-conflict", WARNING, on=("connector.class",))
def connector_conflict(connector: Connector) -> Iterator[Finding]:
    """A connector combines settings that its plugin does not accept together.

    Confluent's JDBC source reads a query or tables, and Debezium includes or excludes tables, not both.
    The Elasticsearch sink (11.0+) buffers at least batch.size times max.in.flight.requests records, by
    default 2000 times 5.

    Bad: a query and tables
        --- rows.json
        {"name": "rows", "config": {"connector.class": "io.confluent.connect.jdbc.JdbcSourceConnector",
         "connection.url": "jdbc:mysql://db/shop", "topic.prefix": "shop-", "mode": "bulk",
         "table.whitelist": "orders", "query": "SELECT * FROM orders"}}
    Bad: included and excluded
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "database.hostname": "db", "database.dbname": "shop", "topic.prefix": "shop",
         "plugin.name": "pgoutput", "table.include.list": "public.orders",
         "table.exclude.list": "public.audit"}}
    Bad: batches larger than the buffer
        --- search.json
        {"name": "search", "config": {"topics": "products", "connection.url": "http://search:9200",
         "connector.class": "io.confluent.connect.elasticsearch.ElasticsearchSinkConnector",
         "batch.size": "5000"}}
    Bad: a condition in a query to which the connector appends its own
        --- rows.json
        {"name": "rows", "config": {"connector.class": "io.confluent.connect.jdbc.JdbcSourceConnector",
         "connection.url": "jdbc:mysql://db/shop", "topic.prefix": "orders", "mode": "incrementing",
         "incrementing.column.name": "id", "query": "SELECT * FROM orders WHERE paid = 1"}}
    Bad: what another setting excludes
        --- files.json
        {"name": "files", "config": {"connector.class": "io.confluent.connect.s3.S3SinkConnector",
         "topics": "orders", "s3.bucket.name": "archive", "flush.size": "1000", "s3.compression.type": "gzip",
         "storage.class": "io.confluent.connect.s3.storage.S3Storage",
         "format.class": "io.confluent.connect.s3.format.parquet.ParquetFormat"}}
    Bad: a setting for a topic that the sink does not read
        --- rows.json
        {"name": "rows", "config": {"connector.class": "com.mongodb.kafka.connect.MongoSinkConnector",
         "topics": "orders", "connection.uri": "mongodb://db", "database": "shop",
         "topic.override.order.collection": "sales"}}
    Good:
        --- rows.json
        {"name": "rows", "config": {"connector.class": "io.confluent.connect.jdbc.JdbcSourceConnector",
         "connection.url": "jdbc:mysql://db/shop", "topic.prefix": "shop-", "mode": "bulk",
         "table.whitelist": "orders"}}
    Good: conditions inside of parentheses and texts
        --- rows.json
        {"name": "rows", "config": {"connector.class": "io.confluent.connect.jdbc.JdbcSourceConnector",
         "connection.url": "jdbc:mysql://db/shop", "topic.prefix": "orders", "mode": "incrementing",
         "incrementing.column.name": "id",
         "query": "SELECT * FROM (SELECT id, 'where' AS place FROM orders WHERE paid = 1 ORDER BY id) AS o"}}
    Good: all rows each time
        --- rows.json
        {"name": "rows", "config": {"connector.class": "io.confluent.connect.jdbc.JdbcSourceConnector",
         "connection.url": "jdbc:mysql://db/shop", "topic.prefix": "orders", "mode": "bulk",
         "query": "SELECT * FROM orders WHERE paid = 1"}}
    Good: settings for its topics
        --- rows.json
        {"name": "rows", "config": {"connector.class": "com.mongodb.kafka.connect.MongoSinkConnector",
         "topics": "shop.orders, returns", "connection.uri": "mongodb://db", "database": "shop",
         "topic.override.shop.orders.collection": "sales", "topic.override.returns.max.batch.size": "5"}}
    Good: different things
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "database.hostname": "db", "database.dbname": "shop", "topic.prefix": "shop",
         "plugin.name": "pgoutput", "table.include.list": "public.orders",
         "column.exclude.list": "public.orders.card", "table.exclude.list": ""}}
    Good: a buffer for all batches
        --- search.json
        {"name": "search", "config": {"topics": "products", "connection.url": "http://search:9200",
         "connector.class": "io.confluent.connect.elasticsearch.ElasticsearchSinkConnector",
         "batch.size": "5000", "max.buffered.records": "25000"}}
    """
    named = connector["connector.class"].text or ""
    settings = connector.resource.settings
    for classes, one, others in _EXCLUSIVE:
        if not named.startswith(classes) or one not in settings or settings[one].text == "":
            continue
        both = [key for key in others if key in settings and settings[key].text != ""]
        if both:
            yield connector.finding(
                f"{connector} sets both {one} and {both[0]}",
                at=connector[both[0]],
                because=(connector[one],),
                breaks="Connect rejects the configuration, or the task fails at its start: the "
                "plugin accepts only one of them",
                fix=f"remove {both[0]} or {one}",
            )
    yield from found(connector, (EXCLUDED,), named)
    yield from topic_keys.told(connector, refused=True)
    if named.startswith(_SEARCH):
        yield from _buffer(connector)
    if named.startswith(_JDBC):
        yield from _appended(connector)


def _appended(connector: Connector) -> Iterator[Finding]:
    """The finding on a query behind which the connector's own condition cannot stand."""
    settings = connector.resource.settings
    text = settings["query"].text if "query" in settings else None
    mode = settings["mode"].text if "mode" in settings else None
    # A comment at its end may be there to swallow what the connector appends.
    if text is None or mode is None or mode.lower() not in _INCREMENTAL or "--" in text:
        return
    clause = _CLAUSE.search(_outermost(text))
    if clause is not None:
        word = " ".join(clause[0].upper().split())
        yield connector.finding(
            f"{connector}: query has {word}, but mode={mode} appends a WHERE of its own",
            at=connector["query"],
            because=(connector["mode"],),
            breaks="the database rejects the statement: WHERE cannot follow " + word
            if word != "WHERE"
            else "the database rejects the statement: it has two WHERE clauses",
            fix="put the query into parentheses: SELECT * FROM (...) AS rows",
        )


def _outermost(text: str) -> str:
    """A statement without its texts and what stands in parentheses."""
    left: list[str] = []
    depth = 0
    for piece in _PIECES.findall(text):
        depth += (piece == "(") - (piece == ")")
        left.append(piece if depth == 0 and piece[0] != "'" else " ")
    return "".join(left)


def _buffer(connector: Connector) -> Iterator[Finding]:
    """The finding on a buffer of the Elasticsearch sink that is smaller than its requests."""
    settings = connector.resource.settings
    values = [connector[key] for key, _ in _BUFFER if key in settings]
    numbers = [
        whole(settings[key].text) if key in settings else default for key, default in _BUFFER
    ]
    known = [number for number in numbers if number is not None]
    if len(known) < len(_BUFFER):
        return
    buffered, batch, flight = known
    if buffered >= batch * flight:
        return
    first, *rest = reversed(values)
    unset = "" if _BUFFER[0][0] in settings else " (default)"
    yield connector.finding(
        f"{connector}: {_BUFFER[0][0]}={buffered:.0f}{unset} is less than batch.size x "
        f"max.in.flight.requests ({batch:.0f} x {flight:.0f})",
        at=first,
        because=rest,
        breaks="Connect rejects the connector (from version 11.0 of the plugin on)",
        fix=f"set max.buffered.records={batch * flight:.0f} or lower {plain(first)}",
    )
