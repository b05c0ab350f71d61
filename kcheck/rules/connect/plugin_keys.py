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
    """A connector has a key that is a slip of one of its plug-in's.

    Connect hands all keys to the connector, which ignores those that it does not know: the intended
    setting has its default.

    Bad:
        --- shop.json
        {"name": "shop", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "topic.prefix": "shop", "database.hostname": "db", "table.include.lists": "public.orders"}}
    Bad: MongoDB
        --- shop.json
        {"name": "shop", "config": {"connector.class": "com.mongodb.kafka.connect.MongoSinkConnector",
         "topics": "orders", "connection.uri": "mongodb://db", "database": "shop",
         "max.batchsize": "10"}}
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
