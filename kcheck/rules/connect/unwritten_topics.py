"""KC14: topics that a sink reads by nearly the name under which a source writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.graph.clients import Connector, Consumer, Producer, Streams
from kcheck.graph.cluster import Cluster
from kcheck.model import WARNING, Finding, Value
from kcheck.rule import rule

_PREFIX = "topic.prefix"
_SOURCES = ("io.debezium.connector.", "io.confluent.connect.jdbc.", "io.aiven.connect.jdbc.")
_PARTS = re.compile(r"[._-]+")


@rule("KC1489", "unwritten-topic", WARNING)
def unwritten_topic(reader: Connector | Consumer) -> Iterator[Finding]:
    """A sink or consumer reads a topic by nearly the name under which a source connector writes it.

    Debezium writes to topic.prefix, database or schema, and table, with dots between them; the JDBC
    source puts topic.prefix before the table as it is. Reported if everything that writes is known, and
    nothing writes or declares the topic.

    Bad: without the database
        --- source.json
        {"name": "source", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "database.hostname": "db", "database.server.id": "7", "topic.prefix": "shop",
         "table.include.list": "store.orders,store.items",
         "schema.history.internal.kafka.bootstrap.servers": "k1:9092",
         "schema.history.internal.kafka.topic": "shop-history"}}
        --- sink.json
        {"name": "sink", "config": {"connector.class": "io.debezium.connector.jdbc.JdbcSinkConnector",
         "connection.url": "jdbc:postgresql://dwh/dwh", "topics": "shop.store.items,shop.orders"}}
    Bad: without the prefix
        --- source.json
        {"name": "source", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "database.hostname": "db", "database.dbname": "shop", "topic.prefix": "shop",
         "plugin.name": "pgoutput", "table.include.list": "public.orders"}}
        --- kcheck.yaml
        consumers:
          - {name: billing, topics: [public.orders], config: {group.id: billing}}
    Bad: another separator
        --- source.json
        {"name": "source", "config": {"connector.class": "io.confluent.connect.jdbc.JdbcSourceConnector",
         "connection.url": "jdbc:postgresql://db/shop", "mode": "bulk", "topic.prefix": "shop-",
         "table.whitelist": "orders"}}
        --- sink.json
        {"name": "sink", "config": {"connector.class": "io.debezium.connector.jdbc.JdbcSinkConnector",
         "connection.url": "jdbc:postgresql://dwh/dwh", "topics": "shop.orders"}}
    Good:
        --- source.json
        {"name": "source", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "database.hostname": "db", "database.server.id": "7", "topic.prefix": "shop",
         "table.include.list": "store.orders",
         "schema.history.internal.kafka.bootstrap.servers": "k1:9092",
         "schema.history.internal.kafka.topic": "shop-history"}}
        --- sink.json
        {"name": "sink", "config": {"connector.class": "io.debezium.connector.jdbc.JdbcSinkConnector",
         "connection.url": "jdbc:postgresql://dwh/dwh", "topics": "shop.store.orders,shop.refunds"}}
    Good: the topic is declared
        --- source.json
        {"name": "source", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "database.hostname": "db", "database.dbname": "shop", "topic.prefix": "shop",
         "plugin.name": "pgoutput", "table.include.list": "public.orders"}}
        --- kcheck.yaml
        topics: [{name: shop.orders, partitions: 3}]
        consumers:
          - {name: billing, topics: [shop.orders], config: {group.id: billing}}
    Good: a program may write it
        --- source.json
        {"name": "source", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "database.hostname": "db", "database.dbname": "shop", "topic.prefix": "shop",
         "plugin.name": "pgoutput", "table.include.list": "public.orders"}}
        --- kcheck.yaml
        streams: [{name: flat, config: {application.id: flat}}]
        consumers:
          - {name: billing, topics: [shop.orders], config: {group.id: billing}}
    """
    topics = reader.resource.traits.topics
    if not topics or not reader.cluster.connectors:
        return
    written = _written(reader.cluster)
    if written is None:
        return
    declared = {topic.name for topic in reader.cluster.topics}
    for topic in topics:
        if topic in written or topic in declared or topic.endswith("*"):
            continue
        name = next((one for one in written if _near(topic, one)), "")
        source = written.get(name)
        if source is None:
            continue
        at = reader["topics"]
        yield reader.finding(
            f"{reader} reads {topic}, but {source} writes {name}",
            at=at if at.setting is not None else _anchor(reader),
            because=(source[_PREFIX],) if source[_PREFIX].written else (),
            breaks=f"no record arrives: nothing writes to {topic}",
            fix=f"read {name}",
        )
        return


def _written(cluster: Cluster) -> dict[str, Connector | None] | None:
    """The topics that are written, with the source connector if its plugin names them; None if some
    are unknown."""
    found: dict[str, Connector | None] = {}
    for connector in cluster.connectors:
        if connector.resource.plane == "sink-connector":
            continue
        writes = connector.resource.traits.writes
        if writes is None:
            return None
        named = (connector["connector.class"].text or "").startswith(_SOURCES)
        found |= dict.fromkeys(writes, connector if named else None)
    for client in cluster.clients:
        if isinstance(client, Streams):
            return None
        if isinstance(client, Producer):
            topics = client.resource.traits.topics or client.resource.traits.writes
            if not topics:
                return None
            found |= dict.fromkeys(topics)
    return found


def _near(read: str, written: str) -> bool:
    """Whether one name is the other without a part before the last, or with other separators."""
    mine, theirs = _PARTS.split(read.lower()), _PARTS.split(written.lower())
    if mine == theirs:
        return True
    if len(mine) < 2:
        return False
    rest = iter(theirs)
    inside = all(part in rest for part in mine)
    return (
        inside and mine[-1] == theirs[-1] and (mine[0] == theirs[0] or theirs[-len(mine) :] == mine)
    )


def _anchor(reader: Connector | Consumer) -> Value:
    """Where the reader is declared, if not by a setting with its topics."""
    return reader["group.id"]
