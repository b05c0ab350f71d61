"""KC14: settings of sinks that name one of their topics."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Connector
from kcheck.model import Finding, Setting
from kcheck.rules.shared.keys_wording import evidence

#: (classes begin with, what keys begin with that go on with a topic, their end, whether the sink refuses
#: another topic). MongoSinkConfig; DataStax' documents of topic.TOPIC.KEYSPACE.TABLE.mapping; Neo4j's of cypher.
_BEGINNINGS = (
    ("com.mongodb.kafka.connect.MongoSinkConnector", "topic.override.", "", True),
    ("com.datastax.oss.kafka.sink.", "topic.", ".mapping", False),
    ("com.datastax.kafkaconnector.", "topic.", ".mapping", False),
    # SinkConfiguration.validateAllTopics: the topics of all strategies are those of topics.
    ("org.neo4j.connectors.kafka.sink.", "neo4j.cypher.topic.", "", True),
    ("org.neo4j.connectors.kafka.sink.", "neo4j.pattern.topic.", "", True),
    ("streams.kafka.connect.sink.", "neo4j.topic.cypher.", "", True),
    ("streams.kafka.connect.sink.", "neo4j.topic.pattern.node.", "", True),
    ("streams.kafka.connect.sink.", "neo4j.topic.pattern.relationship.", "", True),
)
#: (classes begin with, a list of TOPIC and something, the sign between them, whether it refuses another
#: topic). BigQuerySinkConfig, Snowflake's TopicToTableValidator, Validator of the Elasticsearch sink,
#: ClickHouseSinkConfig, Couchbase's SinkBehaviorConfig.
_MAPS = (
    ("com.wepay.kafka.connect.bigquery.", "topic2TableMap", ":", False),
    ("com.snowflake.kafka.connector.", "snowflake.topic2table.map", ":", False),
    ("io.confluent.connect.elasticsearch.", "topic.to.external.resource.mapping", ":", True),
    ("com.clickhouse.kafka.connect.", "topic2TableMap", "=", False),
    ("com.couchbase.connect.kafka.", "couchbase.topic.to.collection", "=", False),
)


def told(connector: Connector, refused: bool) -> Iterator[Finding]:
    """The settings for topics that a sink does not read; ``refused``: those that it refuses, or the others."""
    settings = connector.resource.settings
    listed = settings["topics"].text if "topics" in settings else None
    if not listed or "topics.regex" in settings or (not refused and "transforms" in settings):
        return
    topics = tuple(filter(None, map(str.strip, listed.split(","))))
    named = connector["connector.class"].text or ""
    for setting, topic in _named(named, connector.resource.settings, topics, refused):
        yield connector.finding(
            f"{connector}: {setting.key} is for the topic {topic}, which is not one of its topics",
            at=evidence(connector, setting),
            because=(connector["topics"],),
            breaks="Connect rejects the connector: its own validation does not know the topic"
            if refused
            else "it has no effect: no record of that topic is read",
            fix=f"name a topic of {listed}, or add {topic} to topics",
        )


def _named(
    named: str, settings: dict[str, Setting], topics: tuple[str, ...], refused: bool
) -> Iterator[tuple[Setting, str]]:
    """Each setting for another topic, with the topic."""
    for begins, beginning, end, refuses in _BEGINNINGS:
        if refuses != refused or not named.startswith(begins):
            continue
        for key, setting in settings.items():
            rest = key.removeprefix(beginning)
            if rest == key or not key.endswith(end):
                continue
            if not any(rest == topic or rest.startswith(f"{topic}.") for topic in topics):
                yield setting, rest.removesuffix(end).partition(".")[0]
    for begins, key, sign, refuses in _MAPS:
        if refuses != refused or not named.startswith(begins) or key not in settings:
            continue
        for entry in filter(None, (settings[key].text or "").split(",")):
            topic, found, _ = entry.partition(sign)
            # Snowflake's may be a regular expression.
            if found and topic.strip() not in topics and _plain(topic.strip()):
                yield settings[key], topic.strip()


def _plain(topic: str) -> bool:
    return topic.replace("_", "").replace("-", "").replace(".", "").isalnum() and ".." not in topic
