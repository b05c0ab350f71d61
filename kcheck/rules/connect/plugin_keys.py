"""KC14: the keys that public Connect plug-ins have themselves."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue
from kcheck.connect_plugins import Plugin, PluginKey, plugin
from kcheck.graph.clients import Connector
from kcheck.lexicon import suggest
from kcheck.model import ERROR, INFO, WARNING, Finding, Setting
from kcheck.rule import rule
from kcheck.rules.connect.demands import VALUE, found
from kcheck.rules.shared.keys_wording import evidence
from kcheck.version import Version

#: What Connect itself reads, whatever follows.
_CONNECTS = (
    *("transforms", "predicates", "key.converter", "value.converter", "header.converter"),
    *("errors.", "topic.creation.", "consumer.override.", "producer.override.", "admin.override."),
)
#: Behind these Debezium hands any key to a driver or a client.
_HANDED_ON = ("database.", "driver.", "schema.history.internal.", "signal.", "offset.storage.")
#: Debezium's lists of what is captured, by what they name and by their ends: newer ones first. 2.0 has no
#: ``whitelist`` and ``blacklist`` any more, and ``topic.prefix`` is of 2.0.
_CAPTURED = ("database", "schema", "table", "collection", "column", "field")
_LISTS = {"whitelist": "include.list", "blacklist": "exclude.list"}
_SINCE_2, _UNTIL_2 = "topic.prefix", "database.server.name"


@rule("KC1492", "connector-plugin-value", ERROR, on=("connector.class",))
def connector_plugin_value(connector: Connector) -> Iterator[Finding]:
    """The connector's own validation rejects a value.

    Connect asks a connector to validate its configuration before it creates it. What the connectors of
    Debezium, MongoDB and Pub/Sub take was asked of their released jars. An error if each release rejects
    the value; if only some do, an info that names them, a warning for a slip of a word. Where a Dockerfile, an image or an archive
    tells the release of the plug-in, that release or its neighbours decide: a warning, or an info
    where only the later one rejects the value.

    Bad: a word
        --- shop.json
        {"name": "shop", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "topic.prefix": "shop", "snapshot.mode": "when_neded"}}
    Bad: newer releases have it no more
        --- shop.json
        {"name": "shop", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "topic.prefix": "shop", "database.hostname": "db", "snapshot.mode": "never"}}
    Bad: a number
        --- shop.json
        {"name": "shop", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "topic.prefix": "shop", "database.hostname": "db", "max.batch.size": "0"}}
    Good:
        --- shop.json
        {"name": "shop", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "topic.prefix": "shop", "database.hostname": "db", "snapshot.mode": "INITIAL",
         "max.batch.size": "4096"}}
    Good: only old releases do not have it yet
        --- shop.json
        {"name": "shop", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "topic.prefix": "shop", "database.hostname": "db", "snapshot.mode": "no_data"}}
    Good: the release that the image has still takes it
        --- docker-compose.yml
        services:
          connect:
            image: quay.io/debezium/connect:2.4
            environment: {BOOTSTRAP_SERVERS: "kafka:9092", GROUP_ID: "1", CONFIG_STORAGE_TOPIC: c,
                          OFFSET_STORAGE_TOPIC: o, STATUS_STORAGE_TOPIC: s}
        --- shop.json
        {"name": "shop", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "topic.prefix": "shop", "database.hostname": "db", "snapshot.mode": "never"}}
    Good: a value from elsewhere
        --- shop.json
        {"name": "shop", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "topic.prefix": "shop", "database.hostname": "db", "snapshot.mode": "${file:/db.properties:mode}"}}
    """
    named = connector["connector.class"].text or ""
    yield from found(connector, (VALUE,), named)
    known = plugin(named)
    if known is None:
        return
    for key, setting in connector.resource.settings.items():
        rows = known.keys.get(key)
        if rows and setting.text is not None:
            yield from _judge(connector, known, rows, setting)


def _judge(
    connector: Connector, known: Plugin, rows: list[PluginKey], setting: Setting
) -> Iterator[Finding]:
    text = setting.text or ""
    refusals = [(row, reason) for row in rows if (reason := row.refusal(text))]
    release = connector.fact(f"plugin.{known.package}")
    version = Version(release.text or "")
    *_, newest = possible = known.possible(version)
    refusing = [release for one, _ in refusals for release in one.releases]
    if newest not in refusing:
        return
    row, reason = refusals[-1]
    always = set(refusing) == set(known.releases)
    # Of an unknown release a word that older ones have is right, but no slip of a word.
    certain = set(possible) <= set(refusing) if version.numbers else bool(_meant(row, setting))
    since = "" if always else f", rejected by release {refusing[0]} and later ones"
    yield connector.finding(
        f"{connector}: {setting.key}={text} {reason}{since}",
        at=evidence(connector, setting),
        breaks="Connect rejects the connector: its own validation does not accept the value",
        fix=_fix(row, setting),
        severity="" if always else WARNING if certain else INFO,
    )


def _fix(row: PluginKey, setting: Setting) -> str:
    meant = _meant(row, setting)
    return f"set {setting.key}={meant}" if meant else f"set {setting.key} to a valid value"


def _meant(row: PluginKey, setting: Setting) -> str:
    """The one word of which the value is a slip; "" for none."""
    words = {word.lower(): word for word in row.words}
    text = (setting.text or "").lower()
    return words.get(text) or words.get(suggest.only(text, words), "")


@rule("KC1493", "connector-plugin-key", WARNING, on=("connector.class",))
def connector_plugin_key(connector: Connector) -> Iterator[Finding]:
    """A connector has a key that is a slip of one of its plug-in's, or a list that only others read.

    Connect hands all keys to the connector, which ignores those that it does not know: the intended
    setting has its default. Debezium's connectors have different lists of what they capture:
    PostgreSQL's reads one database, and takes no list of them. An info where another list of the
    connector applies.

    Bad:
        --- shop.json
        {"name": "shop", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "topic.prefix": "shop", "database.hostname": "db", "table.include.lists": "public.orders"}}
    Bad: MongoDB
        --- shop.json
        {"name": "shop", "config": {"connector.class": "com.mongodb.kafka.connect.MongoSinkConnector",
         "topics": "orders", "connection.uri": "mongodb://db", "database": "shop",
         "max.batchsize": "10"}}
    Bad: a list of databases for a connector of one
        --- shop.json
        {"name": "shop", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "topic.prefix": "shop", "database.hostname": "db", "database.dbname": "shop",
         "plugin.name": "pgoutput", "database.include.list": "inventory"}}
    Bad: a list of release 1 in release 2
        --- shop.json
        {"name": "shop", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "topic.prefix": "shop", "database.hostname": "db", "database.dbname": "shop",
         "plugin.name": "pgoutput", "table.whitelist": "public.orders"}}
    Good:
        --- shop.json
        {"name": "shop", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "topic.prefix": "shop", "database.hostname": "db", "table.include.list": "public.orders"}}
    Good: handed to the driver
        --- shop.json
        {"name": "shop", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "topic.prefix": "shop", "database.hostname": "db", "database.sslMode": "REQUIRED"}}
    Good: a key that is put aside
        --- shop.json
        {"name": "shop", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "topic.prefix": "shop", "_table.include.list": "public.orders"}}
    Good: a plug-in whose keys are unknown
        --- shop.json
        {"name": "shop", "config": {"connector.class": "com.example.PostgresConnector",
         "topics": "orders", "table.include.lists": "public.orders"}}
    """
    known = plugin(connector["connector.class"].text or "")
    if known is None:
        return
    if known.package == "debezium":
        yield from _unread_lists(connector, known)
    common = catalogue.plane(connector.resource.plane)
    for key, setting in connector.resource.settings.items():
        if key in known.keys or common.history(key) or key.startswith((*_CONNECTS, *_HANDED_ON)):
            continue
        if key.startswith("_"):  # which puts a key of JSON aside
            continue
        meant = suggest.only(key, tuple(known.keys))
        if meant and meant not in connector.resource.settings:
            owner = known.name.rpartition(".")[2]
            yield connector.finding(
                f"{connector} sets {key}, which {owner} does not have; did you mean {meant}?",
                at=evidence(connector, setting),
                breaks=f"the key is ignored, and {meant} has its default",
                fix=f"rename it to {meant}",
            )


def _unread_lists(connector: Connector, known: Plugin) -> Iterator[Finding]:
    """The findings on lists of what is captured that this connector of Debezium's does not read."""
    settings = connector.resource.settings
    own = [f"{what}.{end}" for what in _CAPTURED for end in _LISTS.values()]
    own = [key for key in own if key in known.keys]
    if not own:
        return
    applies = any(key in settings for key in own)
    owner = known.name.rpartition(".")[2]
    second = _SINCE_2 in settings and _UNTIL_2 not in settings
    second &= not Version(connector.fact("plugin.debezium").text or "").below("2.0")
    for key, setting in settings.items():
        what, _, end = key.partition(".")
        if what not in _CAPTURED or end not in (*_LISTS, *_LISTS.values()) or setting.text == "":
            continue
        newer = f"{what}.{_LISTS.get(end, end)}"
        late = end in _LISTS and second
        if newer in (settings if late else known.keys):
            continue
        ends = newer.removeprefix(f"{what}.")
        right = [newer] if newer in known.keys else [one for one in own if one.endswith(ends)]
        since = " since release 2" if newer in known.keys else ""
        yield connector.finding(
            f"{connector} sets {key}, which {owner} does not have{since}",
            at=evidence(connector, setting),
            breaks="it has no effect: the other lists decide what is captured"
            if applies
            else "it has no effect: everything in the database is captured",
            fix=f"use {' or '.join(right[:2])}" if not applies or since else f"remove {key}",
            severity=INFO if applies else WARNING,
        )
