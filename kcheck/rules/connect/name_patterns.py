"""KC14: lists of regular expressions for topics, groups and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.graph.clients import MIRROR_PLANES, Connector
from kcheck.model import ERROR, WARNING, Finding, Value
from kcheck.rule import rule

_MIRRORED = ("topics", "topics.exclude", "topics.blacklist", "groups", "groups.exclude")
_DEBEZIUM = "io.debezium.connector."
_TABLES = tuple(
    f"{what}.{way}.list"
    for what in ("table", "collection", "column")
    for way in ("include", "exclude")
)
#: A name with a star behind a letter, digit, dash or underscore, and nothing else of a pattern.
_GLOB = re.compile(r"[\w.\-]*[\w\-]\*[\w.\-*]*")
#: A name that matches itself alone.
_PLAIN = re.compile(r"[\w$\-]+(?:\\?\.[\w$\-]+)*")


def _entries(text: str) -> list[str]:
    return [entry.strip() for entry in text.split(",")]


@rule("KC1486", "glob-pattern", WARNING, on=("connector.class",))
def glob_pattern(connector: Connector) -> Iterator[Finding]:
    """A regular expression for topics, groups or tables looks like a shell pattern.

    MirrorMaker's topics and groups, topics.regex and Debezium's lists are regular expressions that
    match a whole name. In orders-* the star repeats the dash, so orders-eu does not match. A star at the
    beginning is no regular expression.

    Bad:
        --- mm2.properties
        clusters=A,B
        A.bootstrap.servers=a1:9092
        B.bootstrap.servers=b1:9092
        A->B.enabled=true
        A->B.topics=orders-*, customers
    Bad: no regular expression
        --- kcheck.yaml
        connectors:
          - name: mirror
            config:
              connector.class: org.apache.kafka.connect.mirror.MirrorSourceConnector
              topics: "*"
    Bad: a sink
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSink", "topics.regex": "orders_*"}}
    Bad: tables
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "database.hostname": "db", "database.server.id": "7", "topic.prefix": "shop",
         "schema.history.internal.kafka.bootstrap.servers": "k1:9092",
         "schema.history.internal.kafka.topic": "shop.history",
         "table.include.list": "shop.order_*"}}
    Good:
        --- mm2.properties
        clusters=A,B
        A.bootstrap.servers=a1:9092
        B.bootstrap.servers=b1:9092
        A->B.enabled=true
        A->B.topics=orders-.*, customers, [a-z]*-audit
    Good: a sink
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSink", "topics.regex": "orders_.*"}}
    """
    for value, entry in _patterns(connector):
        dangling = entry.startswith("*")
        if not dangling and not _GLOB.fullmatch(entry):
            continue
        right = re.sub(r"(?<!\.)\*", ".*", entry)
        yield connector.finding(
            f"{connector}: {entry} in {value.key} "
            + ("is no regular expression" if dangling else "looks like a shell pattern"),
            at=value,
            breaks="the connector fails: nothing precedes the star (PatternSyntaxException)"
            if dangling
            else "the star repeats the character before it, so names that continue differently do "
            "not match",
            fix=f"use {right} in {value.key}",
            severity=ERROR if dangling else WARNING,
        )
        return


def _patterns(connector: Connector) -> Iterator[tuple[Value, str]]:
    """Each regular expression of a connector, with the setting that holds it."""
    settings = connector.resource.settings
    keys: tuple[str, ...] = ()
    if connector.resource.plane in MIRROR_PLANES:
        keys = _MIRRORED
    elif (connector["connector.class"].text or "").startswith(_DEBEZIUM):
        keys = _TABLES
    for key in keys:
        for entry in _entries((settings[key].text if key in settings else "") or ""):
            yield connector[key], entry
    if connector.resource.plane not in MIRROR_PLANES and "topics.regex" in settings:
        yield connector["topics.regex"], settings["topics.regex"].text or ""


@rule("KC1487", "debezium-unqualified-name", WARNING, on=_TABLES)
def debezium_unqualified_name(connector: Connector) -> Iterator[Finding]:
    """A table or column of a Debezium connector is named without what qualifies it.

    Debezium compares the whole name: schema.table for PostgreSQL, SQL Server, Oracle and Db2,
    database.table for MySQL and MariaDB, database.collection for MongoDB, with the column behind it. A
    name with fewer parts matches nothing, and nothing reports it.

    Bad:
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "database.hostname": "db", "database.dbname": "shop", "topic.prefix": "shop",
         "plugin.name": "pgoutput", "table.include.list": "orders,public.customers"}}
    Bad: columns
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "database.hostname": "db", "database.dbname": "shop", "topic.prefix": "shop",
         "plugin.name": "pgoutput", "column.exclude.list": "customers.card"}}
    Good:
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "database.hostname": "db", "database.dbname": "shop", "topic.prefix": "shop",
         "plugin.name": "pgoutput", "table.include.list": "public.orders,public[.]item.*",
         "column.exclude.list": "public.customers.card,.*card"}}
    """
    named = connector["connector.class"].text or ""
    if not named.startswith(_DEBEZIUM):
        return
    above = "database" if ".mysql." in named or ".mariadb." in named else "schema"
    for key in _TABLES:
        setting = connector.resource.settings.get(key)
        what = key.partition(".")[0]
        parts = ["database" if what == "collection" else above, what]
        if what == "column":
            parts = [above, "table", what]
        entries = _entries((setting.text if setting is not None else "") or "")
        short = [
            entry
            for entry in entries
            if _PLAIN.fullmatch(entry) and entry.count(".") < len(parts) - 1
        ]
        if short:
            form = ".".join(part.upper() for part in parts)
            kept = "include" in key
            yield connector.finding(
                f"{connector}: {short[0]} in {key} is not of the form {form}",
                at=connector[key],
                breaks=f"it matches no {what}: "
                + ("no change is captured for it" if kept else "it is captured all the same"),
                fix=f"write {form} in {key}",
            )
