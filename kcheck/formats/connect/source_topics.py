"""Which topics a source connector writes, where its settings name every one of them.

Debezium has a topic per table, JDBC a prefix before it, some sources the name itself. Lists of tables
are expressions: only plain names tell tables. Transforms may send records elsewhere; what RegexRouter
does is worked out, of others that is not known.
"""

from __future__ import annotations

import re

from kcheck.model import Setting

_LITERAL = re.compile(r"[\w$.\\-]+", re.ASCII)
#: What Debezium puts ``_`` in place of.
_ODD = re.compile(r"[^\w.-]", re.ASCII)
#: Debezium's databases by class: how many parts of a table's name stand in the list and the topic.
_DEBEZIUM = {
    "io.debezium.connector.mysql.MySqlConnector": 2,
    "io.debezium.connector.mariadb.MariaDbConnector": 2,
    "io.debezium.connector.postgresql.PostgresConnector": 2,
    "io.debezium.connector.oracle.OracleConnector": 2,
    "io.debezium.connector.mongodb.MongoDbConnector": 2,
    "io.debezium.connector.sqlserver.SqlServerConnector": 2,
    # As Confluent Cloud calls them.
    "MySqlCdcSource": 2,
    "MySqlCdcSourceV2": 2,
    "PostgresCdcSource": 2,
    "PostgresCdcSourceV2": 2,
    "SqlServerCdcSource": 2,
    "SqlServerCdcSourceV2": 2,
}
#: Of SQL Server the list has schema and table, and the topic the database as well; only releases
#: that take one ``database.dbname`` leave it out.
_SQL_SERVER = "SqlServer"
_DATABASE, _DATABASES = "database.dbname", "database.names"
_LISTS = ("table.include.list", "collection.include.list")
_JDBC = (
    "io.confluent.connect.jdbc.JdbcSourceConnector",
    "io.aiven.connect.jdbc.JdbcSourceConnector",
)
_JDBC_LISTS = ("table.whitelist", "table.include.list")
#: Sources that write one topic, by what the ends of their classes have in common.
_ONE = {"FileStreamSource": "topic", "FileStreamSourceConnector": "topic"}
#: What many others call the one topic that they write: Datagen, Kinesis, SQS, RabbitMQ, MQ …
_WRITES = "kafka.topic"
_ROUTER = "org.apache.kafka.connect.transforms.RegexRouter"
#: Transforms of Kafka's own and Debezium's that leave the topic alone.
_HARMLESS = re.compile(
    r"org\.apache\.kafka\.connect\.transforms\.(Cast|ExtractField|Filter|Flatten|DropHeaders|HeaderFrom"
    r"|HoistField|InsertField|InsertHeader|MaskField|ReplaceField|SetSchemaMetadata"
    r"|TimestampConverter|ValueToKey)(\$(Key|Value))?"
    r"|io\.debezium\.transforms\.(ExtractNewRecordState|Filter)"
)
#: Expressions that Java and Python read alike.
_SIMPLE = re.compile(r"(?:[\w.$^()|*+?\-]|\\[.dwsDWS-]|\[[\w.^-]+\])+", re.ASCII)


def written(settings: dict[str, Setting]) -> list[str] | None:
    """The topics that a source with these settings writes; None where they are not all told."""
    texts = {key: setting.text for key, setting in settings.items()}
    topics = _named(texts)
    for alias in (texts.get("transforms") or "").split(",") if topics else ():
        alias = alias.strip()
        if alias and topics is not None:
            topics = _routed(texts, f"transforms.{alias}.", topics)
    if "transforms" in texts and texts["transforms"] is None:
        return None
    return topics


def _named(texts: dict[str, str | None]) -> list[str] | None:
    name = texts.get("connector.class") or ""
    prefix = texts.get("topic.prefix")
    if name in _DEBEZIUM:
        if "topic.naming.strategy" in texts or "topic.delimiter" in texts:
            return None
        prefix = prefix or texts.get("database.server.name")
        tables = _tables(texts, _LISTS)
        if not prefix or not tables or any(t.count(".") + 1 != _DEBEZIUM[name] for t in tables):
            return None
        if _SQL_SERVER in name and (_DATABASES in texts or _DATABASE not in texts):
            # Of several databases nobody knows which of them has which of the tables.
            database = _tables(texts, (_DATABASES,))
            if len(database) != 1:
                return None
            prefix = f"{prefix}.{database[0]}"
        return [_ODD.sub("_", f"{prefix}.{table}") for table in tables]
    if name in _JDBC:
        if prefix is None:
            return None
        if texts.get("query"):
            return [prefix]
        tables = _tables(texts, _JDBC_LISTS)
        return [prefix + table for table in tables] if tables and "query" not in texts else None
    topic = texts.get(_ONE.get(name.rpartition(".")[2], _WRITES))
    return [topic.strip()] if topic and "," not in topic else None


def _tables(texts: dict[str, str | None], keys: tuple[str, ...]) -> list[str]:
    """The tables of a list of plain names; none where one of them is an expression."""
    told = next((texts[key] for key in keys if key in texts), None) or ""
    names = [name.strip() for name in told.split(",") if name.strip()]
    if not all(map(_LITERAL.fullmatch, names)):
        return []
    names = [name.replace("\\.", ".") for name in names]
    return [] if any("\\" in name for name in names) else names


def _routed(texts: dict[str, str | None], prefix: str, topics: list[str]) -> list[str] | None:
    """The topics after one transform; None where nobody knows what it does to their names."""
    name = texts.get(f"{prefix}type") or ""
    if _HARMLESS.fullmatch(name):
        return topics
    regex, to = texts.get(f"{prefix}regex"), texts.get(f"{prefix}replacement")
    if name != _ROUTER or f"{prefix}predicate" in texts or regex is None or to is None:
        return None
    if not _SIMPLE.fullmatch(regex) or "\\" in to:
        return None
    try:
        pattern = re.compile(regex, re.ASCII)
        groups = re.sub(r"\$(\d)", r"\\g<\1>", to)
        return [
            pattern.sub(groups, topic, count=1) if pattern.fullmatch(topic) else topic
            for topic in topics
        ]
    except (re.error, IndexError):
        return None
