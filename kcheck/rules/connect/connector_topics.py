"""KC14: client overrides of connectors and the schema history of Debezium."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.graph.clients import Connector, Worker
from kcheck.graph.topics import Topic
from kcheck.grouping.place import apart
from kcheck.model import ERROR, WARNING, Finding, Value
from kcheck.rule import REFUSED, rule
from kcheck.rules.shared.keys_wording import evidence
from kcheck.wording import plain

_POLICY = "connector.client.config.override.policy"

_OVERRIDES = ("producer.override.", "consumer.override.", "admin.override.")

#: The keys that the policy Principal allows.
_PRINCIPAL = ("sasl.jaas.config", "sasl.mechanism", "security.protocol")


@rule(
    "KC1411",
    "connect-override-policy",
    ERROR,
    kafka=REFUSED,
    refs=("KIP-458", "KIP-722"),
    invariants=("connect-override-policy",),
)
def connect_override_policy(connector: Connector) -> Iterator[Finding]:
    """A connector overrides client settings that its workers do not allow.

    With connector.client.config.override.policy=None, the default before Kafka 3.0, no connector may
    set keys with the prefix producer.override., consumer.override. or admin.override.; Principal allows
    security.protocol, sasl.mechanism and sasl.jaas.config. Silent where the workers differ.

    Bad:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        connector.client.config.override.policy=None
        --- files.json
        {"name": "files", "config": {"connector.class": "FileStreamSource", "topic": "lines",
         "producer.override.max.request.size": "5000000"}}
    Good:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        connector.client.config.override.policy=Principal
        --- files.json
        {"name": "files", "config": {"connector.class": "FileStreamSource", "topic": "lines",
         "producer.override.security.protocol": "SSL"}}
    """
    workers = [c for c in connector.cluster.clients if isinstance(c, Worker)]
    policies = [worker[_POLICY] for worker in workers]
    words = {_policy(policy) for policy in policies}
    if words not in ({"None"}, {"Principal"}):
        return
    allowed = _PRINCIPAL if words == {"Principal"} else ()
    for key in connector.resource.settings:
        prefix = next((p for p in _OVERRIDES if key.startswith(p)), "")
        if prefix and key[len(prefix) :] not in allowed:
            yield connector.finding(
                f"{connector} sets {key}, which {workers[0]} does not allow ({plain(policies[0])})",
                at=connector[key],
                because=(policies[0],),
                breaks="Connect rejects the connector: the override policy does not allow the key",
                fix=f"set {_POLICY}=All on the workers, or remove {key}",
            )
            return


def _policy(value: Value) -> str:
    text = str(value.value).rpartition(".")[2] if value.known else ""
    return text.removesuffix("ConnectorClientConfigOverridePolicy")


_HISTORIES = ("schema.history.internal.kafka.topic", "database.history.kafka.topic")


@rule("KC1413", "debezium-history-kept", ERROR, on=_HISTORIES)
def debezium_history_kept(connector: Connector) -> Iterator[Finding]:
    """The schema history topic of a Debezium connector loses records.

    The connector reads the whole history at each start. The topic needs infinite retention
    (retention.ms=-1, retention.bytes=-1) and no compaction. Only what is set on a declared topic, or
    for all topics on its brokers, is reported.

    Bad:
        --- inventory.json
        {"name": "inventory", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "schema.history.internal.kafka.topic": "history"}}
        --- kcheck.yaml
        topics: [{name: history, partitions: 1, config: {retention.ms: 604800000}}]
    Bad:
        --- inventory.json
        {"name": "inventory", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "schema.history.internal.kafka.topic": "history"}}
        --- kcheck.yaml
        topics: [{name: history, partitions: 1, config: {cleanup.policy: compact}}]
    Good:
        --- inventory.json
        {"name": "inventory", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "schema.history.internal.kafka.topic": "history"}}
        --- kcheck.yaml
        topics: [{name: history, partitions: 1, config: {retention.ms: -1, retention.bytes: -1}}]
    """
    topics = connector.cluster.named_topics()
    for key in _HISTORIES:
        named = connector[key]
        for topic in topics.get(named.text or "", ()):
            found = _lossy(topic)
            if found is None:
                continue
            lossy, right = found
            yield connector.finding(
                f"{connector} keeps its schema history in {topic}, which has {plain(lossy)}",
                at=lossy,
                because=(named,),
                breaks="once the oldest records are deleted, the connector fails to restart: its "
                "schema history is incomplete",
                fix=f"set {lossy.key}={right} on topic {topic.name}",
                set_to=right,
            )
            return


def _lossy(topic: Topic) -> tuple[Value, str] | None:
    """The setting that removes records from a topic, and the value that would keep them."""
    policy = topic["cleanup.policy"]
    if "compact" in str(policy.value):
        return policy, "delete"
    kept = (topic["retention.ms"], topic["retention.bytes"])
    return next(((v, "-1") for v in kept if v.written and v.number >= 0), None)


_OLD, _NEW = "database.history.", "schema.history.internal."


#: The databases whose log does not contain the table schemas.
_KEEPS_HISTORY = re.compile(
    r"io\.debezium\.connector\.(mysql|mariadb|oracle|sqlserver|db2|informix)\."
)


@rule("KC1477", "debezium-history-renamed", ERROR, on=("topic.prefix", "database.server.name"))
def debezium_history_renamed(connector: Connector) -> Iterator[Finding]:
    """A Debezium connector mixes the keys of Debezium 2 with those of Debezium 1, or has the other ones.

    Debezium 2.0 replaced database.server.name with topic.prefix, and database.history. with
    schema.history.internal. A connector that renames only one of them has no history or no prefix, and
    one with the keys of the other version has neither. The version is that of Debezium's own image.

    Bad:
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "topic.prefix": "shop", "database.history.kafka.bootstrap.servers": "k1:9092",
         "database.history.kafka.topic": "shop-history"}}
    Bad: the history renamed, but not the prefix
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
    Bad: the keys of 1.9 with the image of 2.7
        --- docker-compose.yml
        services:
          connect:
            image: quay.io/debezium/connect:2.7.3.Final
            environment: {BOOTSTRAP_SERVERS: "k1:9092", GROUP_ID: 1, CONFIG_STORAGE_TOPIC: c, OFFSET_STORAGE_TOPIC: o, STATUS_STORAGE_TOPIC: s}
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "database.hostname": "db", "database.server.id": "7", "database.server.name": "shop",
         "database.history.kafka.bootstrap.servers": "k1:9092",
         "database.history.kafka.topic": "shop-history"}}
    Bad: the keys of 2.x with the image of 1.9, without a history
        --- docker-compose.yml
        services:
          connect:
            image: debezium/connect:1.9
            environment: {BOOTSTRAP_SERVERS: "k1:9092", GROUP_ID: 1, CONFIG_STORAGE_TOPIC: c, OFFSET_STORAGE_TOPIC: o, STATUS_STORAGE_TOPIC: s}
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "database.hostname": "db", "database.dbname": "shop", "topic.prefix": "shop"}}
    Good: the keys of the image
        --- docker-compose.yml
        services:
          connect:
            image: debezium/connect:1.9
            environment: {BOOTSTRAP_SERVERS: "k1:9092", GROUP_ID: 1, CONFIG_STORAGE_TOPIC: c, OFFSET_STORAGE_TOPIC: o, STATUS_STORAGE_TOPIC: s}
        --- orders.json
        {"name": "orders", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
         "database.hostname": "db", "database.dbname": "shop", "database.server.name": "shop"}}
    """
    yield from _of_another_version(connector)
    if not _KEEPS_HISTORY.match(connector["connector.class"].text or ""):
        return
    settings = connector.resource.settings
    old = [setting for key, setting in settings.items() if key.startswith(_OLD)]
    new = [setting for key, setting in settings.items() if key.startswith(_NEW)]
    prefix, server = connector["topic.prefix"], connector["database.server.name"]
    if new and not old and not prefix.explicit:
        yield connector.finding(
            f"{connector} sets {new[0].key} (Debezium 2), but also {server.key} (removed after 1.9)",
            at=server,
            because=(evidence(connector, new[0]),),
            breaks="Connect rejects the connector: topic.prefix is missing",
            fix=f"rename {server.key} to topic.prefix",
        )
    if old and not new and not server.explicit:
        yield connector.finding(
            f"{connector} sets topic.prefix (Debezium 2), but also {old[0].key} (removed after 1.9)",
            at=evidence(connector, old[0]),
            because=(prefix,),
            breaks=f"the connector fails to start: {_NEW}kafka.topic is missing",
            fix=f"rename the prefix {_OLD} to {_NEW}",
        )


#: The databases that have the prefix by its old name as well.
_NAMED = re.compile(
    r"io\.debezium\.connector\.(mysql|mariadb|oracle|sqlserver|db2|informix|postgresql)\."
)
_RELEASE = re.compile(r"(?:^|/)debezium/connect:(\d{1,6})\.\d")


def _of_another_version(connector: Connector) -> Iterator[Finding]:
    """The finding for a connector whose keys its image's Debezium does not read."""
    prefix, server = connector["topic.prefix"], connector["database.server.name"]
    if prefix.explicit == server.explicit:
        return
    if not _NAMED.match(connector["connector.class"].text or ""):
        return
    images = [worker.fact("image").text or "" for worker in connector.workers]
    found = [_RELEASE.search(image) for image in images]
    majors = {int(one[1]) for one in found if one is not None}
    if None in found or len(majors) != 1:
        return
    newer = majors.pop() >= 2
    at, missing = (server, prefix) if newer else (prefix, server)
    if not at.explicit:
        return
    yield connector.finding(
        f"{connector} sets {at.key}, which Debezium {'2' if newer else '1'} of its workers' image "
        f"{images[0]} does not read",
        at=at,
        because=(missing,),
        breaks=f"Connect rejects the connector: {missing.key} is missing",
        fix=f"rename {at.key} to {missing.key}"
        + (f", and the prefix {_OLD} to {_NEW}" if newer and _kept(connector, _OLD) else ""),
    )


def _kept(connector: Connector, prefix: str) -> bool:
    return any(key.startswith(prefix) for key in connector.resource.settings)


@rule("KC1479", "debezium-history-shared", WARNING, on=(f"{_NEW}kafka.topic", f"{_OLD}kafka.topic"))
def debezium_history_shared(connector: Connector) -> Iterator[Finding]:
    """Two Debezium connectors share one schema history topic.

    A connector reads the whole topic at start and applies every statement in it to its own database
    schema. The topic must not grow during that read.

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
    Good: demos of their own
        --- demo/cdc/mysql.json
        {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "database.server.name": "main", "database.history.kafka.bootstrap.servers": "k1:9092",
         "database.history.kafka.topic": "history"}
        --- demo/search/mysql.json
        {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "database.server.name": "main", "database.history.kafka.bootstrap.servers": "k1:9092",
         "database.history.kafka.topic": "history"}
    Good: two versions of one connector
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
        if apart(other.resource.path, connector.resource.path):
            continue
        if _history(other) == mine and other.name != connector.name:
            prefix = _OLD if connector.sets(f"{_OLD}kafka.topic") else _NEW
            topic = connector[f"{prefix}kafka.topic"]
            yield connector.finding(
                f"{connector} shares its schema history topic {topic.text} with {other}",
                at=topic,
                because=[v for p in (_OLD, _NEW) if (v := other[f"{p}kafka.topic"]).written],
                breaks="at its next start each connector reads the statements of the other database, "
                "or fails because the end of the history topic changes while it is read",
                fix="set a separate schema history topic on each connector",
            )
            return


def _history(connector: Connector) -> tuple[str, str] | None:
    """Brokers and topic of a connector's schema history; None where they are unknown."""
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
