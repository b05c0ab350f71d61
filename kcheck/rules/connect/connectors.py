"""KC14: what Connect validates before it starts a connector."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue, expressions
from kcheck.graph.clients import Connector
from kcheck.lexicon import shapes, values
from kcheck.model import ABSENT, ERROR, INFO, WARNING, Finding, Value
from kcheck.refusal import refused
from kcheck.rule import CHANGED, REFUSED, rule
from kcheck.wording import plain

_FAILS = "Connect rejects the connector"


def _is_sink(connector: Connector) -> bool:
    return connector.resource.plane == "sink-connector"


def _holds(value: Value) -> bool:
    """Whether a text is not blank; an unknown text may be."""
    return value.text is None or bool(value.text.strip())


def _topics(connector: Connector) -> list[str]:
    """The entries of ``topics``."""
    return [*map(str.strip, (connector["topics"].text or "").split(","))]


@rule(
    "KC1407",
    "connect-sink-topics",
    ERROR,
    kafka=REFUSED,
    invariants=("connect-sink-topics",),
)
def connect_sink_topics(connector: Connector) -> Iterator[Finding]:
    """A sink connector sets both topics and topics.regex, or neither.

    A sink reads either ``topics`` or the topics that match ``topics.regex``. Exactly one of them must
    be set.

    Bad:
        --- kcheck.yaml
        connectors:
          - name: files
            config: {connector.class: FileStreamSink, topics: orders, topics.regex: "orders.*"}
    Bad: none
        --- kcheck.yaml
        connectors: [{name: files, config: {connector.class: FileStreamSink, topics: ""}}]
    Good:
        --- kcheck.yaml
        connectors: [{name: files, config: {connector.class: FileStreamSink, topics: orders}}]
    Good: a source connector
        --- kcheck.yaml
        connectors: [{name: files, config: {connector.class: FileStreamSource, topic: orders}}]
    Good: a placeholder
        --- kcheck.yaml
        connectors: [{name: files, config: {connector.class: FileStreamSink, topics: "${TOPICS}"}}]
    Good: what a template has besides is unknown
        --- roles/connect/templates/sink.properties.j2
        name=files
        connector.class=FileStreamSink
        topics=orders
        file={{ sink_file }}
    """
    if not _is_sink(connector):
        return
    named, pattern = connector["topics"], connector["topics.regex"]
    given = [value for value in (named, pattern) if _holds(value)]
    # What a template has besides is unknown, not set.
    if len(given) == 1 or (given and not (named.written and pattern.written)):
        return
    if given:
        at, message = pattern, f"{connector} sets both topics and topics.regex"
        because: tuple[Value, ...] = (named,)
    else:
        absent = Value("topics", connector.resource, ABSENT)
        at, message = (named if named.explicit else absent), f"{connector} reads no topics"
        because = ()
    yield connector.finding(
        message,
        at=at,
        because=because,
        breaks=f"{_FAILS}: exactly one of topics and topics.regex must be set",
        fix="remove topics or topics.regex" if given else "set topics",
    )


@rule(
    "KC1408",
    "connect-sink-dlq-not-input",
    ERROR,
    kafka=REFUSED,
    on=("errors.deadletterqueue.topic.name",),
    invariants=("connect-sink-dlq-not-input",),
)
def connect_sink_dlq_not_input(connector: Connector) -> Iterator[Finding]:
    """A sink connector's dead-letter queue is one of its input topics.

    Bad:
        --- kcheck.yaml
        connectors:
          - name: files
            config:
              connector.class: FileStreamSink
              topics: orders
              errors.deadletterqueue.topic.name: orders
    Bad: by the pattern
        --- kcheck.yaml
        connectors:
          - name: files
            config:
              connector.class: FileStreamSink
              topics.regex: "orders.*"
              errors.deadletterqueue.topic.name: orders.dlq
    Good:
        --- kcheck.yaml
        connectors:
          - name: files
            config:
              connector.class: FileStreamSink
              topics: orders
              errors.deadletterqueue.topic.name: dlq.orders
    """
    queue = connector["errors.deadletterqueue.topic.name"]
    name = (queue.text or "").strip()
    if not _is_sink(connector) or not name:
        return
    pattern = connector["topics.regex"]
    if name in _topics(connector):
        source = connector["topics"]
    elif expressions.whole(pattern.text or "", name):
        source = pattern
    else:
        return
    yield connector.finding(
        f"{connector}: {plain(queue)} is also an input topic ({plain(source)})",
        at=queue,
        because=(source,),
        breaks=f"{_FAILS}: failed records would be read again endlessly",
        fix="set errors.deadletterqueue.topic.name to a topic that the connector does not read",
    )


@rule(
    "KC1409",
    "connect-topic-creation",
    ERROR,
    kafka=REFUSED,
    refs=("KIP-158",),
    invariants=("connect-topic-creation",),
    versions="2.6+",
)
def connect_topic_creation(connector: Connector) -> Iterator[Finding]:
    """topic.creation settings of a source connector are incomplete.

    If any topic.creation. key is set, topic.creation.default.replication.factor and
    topic.creation.default.partitions are required. Both are at least 1, or -1 for the brokers'
    default; the same holds in the groups of topic.creation.groups. Up to Kafka 3.3 the list must not
    contain default. include and exclude of a group are comma-separated lists of regular expressions.

    Bad: a group without the defaults
        --- kcheck.yaml
        connectors:
          - name: rows
            config: {connector.class: FileStreamSource, topic.creation.groups: compacted}
    Bad: no partitions
        --- kcheck.yaml
        connectors:
          - name: rows
            config:
              connector.class: FileStreamSource
              topic.creation.default.partitions: 0
              topic.creation.default.replication.factor: 3
    Bad: a comma inside an expression
        --- kcheck.yaml
        connectors:
          - name: rows
            config:
              connector.class: FileStreamSource
              topic.creation.groups: compacted
              topic.creation.compacted.include: "table_[a-z]{1,8}"
              topic.creation.default.partitions: 1
              topic.creation.default.replication.factor: 3
    Good:
        --- kcheck.yaml
        connectors:
          - name: rows
            config:
              connector.class: FileStreamSource
              topic.creation.default.partitions: -1
              topic.creation.default.replication.factor: 3
    """
    if connector.resource.plane not in _SOURCES:
        return
    settings = connector.resource.settings
    given = next((key for key in settings if key.startswith(_CREATION)), None)
    if given is None:
        return
    for name in _NEEDED:
        key = f"{_CREATION}default.{name}"
        if key not in settings:
            yield connector.finding(
                f"{connector} sets {given} without {key}",
                at=connector[given],
                because=(Value(key, connector.resource, ABSENT),),
                breaks=f"{_FAILS}: {key} is required and has no default",
                fix=f"set {key} (-1 for the brokers' default)",
            )
            return
    listed = (settings[_GROUPS].text or "") if _GROUPS in settings else ""
    names = [*map(str.strip, listed.split(","))]
    verdict = refused(connector.version, f"{_FAILS}: the group default always exists", until="3.4")
    if verdict is not None and "default" in names:
        severity, breaks = verdict
        yield connector.finding(
            f"{connector} lists the group default in {_GROUPS}",
            at=connector[_GROUPS],
            breaks=breaks,
            fix=f"remove default from {_GROUPS}",
            severity=severity,
        )
    for group in dict.fromkeys(("default", *names)):
        yield from _checked(connector, group)


#: MirrorMaker's connectors are source connectors, too.
_SOURCES = ("source-connector", "mirror-source", "mirror-checkpoint", "mirror-heartbeat")
_CREATION = "topic.creation."


_GROUPS = "topic.creation.groups"


_NEEDED = ("replication.factor", "partitions")


def _checked(connector: Connector, group: str) -> Iterator[Finding]:
    for name in _NEEDED:
        key = f"{_CREATION}{group}.{name}"
        setting = connector.resource.settings.get(key)
        if setting is None or setting.text is None:
            continue
        fact = catalogue.fact("topic-creation", name, connector.version)
        wrong = values.refusal("topic-creation", fact, None, setting.text) if fact else ""
        if wrong:
            yield connector.finding(
                f"{connector}: {key}={setting.text} {wrong}",
                at=connector[key],
                breaks=_FAILS,
                fix=f"set {key} to at least 1, or to -1 for the brokers' default",
            )
    for name in ("include", "exclude") if group != "default" else ():
        yield from _patterns(connector, f"{_CREATION}{group}.{name}")


def _patterns(connector: Connector, key: str) -> Iterator[Finding]:
    setting = connector.resource.settings.get(key)
    items = (setting.text or "").split(",") if setting is not None else []
    for item in map(str.strip, items):
        wrong = shapes.pattern(item)
        if wrong:
            yield connector.finding(
                f"{connector}: {key} contains {item}, which {wrong}",
                at=connector[key],
                breaks=_FAILS,
                fix=f"set {key} to Java regular expressions without commas: a comma separates them",
            )
            return


_QUEUE_NAME = "errors.deadletterqueue.topic.name"
_QUEUE_SETTINGS = (
    _QUEUE_NAME,
    "errors.deadletterqueue.topic.replication.factor",
    "errors.deadletterqueue.context.headers.enable",
)


@rule(
    "KC1410",
    "connect-dlq-tolerance",
    WARNING,
    kafka=CHANGED,
    on=_QUEUE_SETTINGS,
    invariants=("connect-dlq-tolerance",),
)
def connect_dlq_tolerance(connector: Connector) -> Iterator[Finding]:
    """A dead-letter queue never gets a record.

    Without errors.tolerance=all the first bad record fails the task instead of going to the queue, and
    without errors.deadletterqueue.topic.name there is no queue, whatever else is set for it.

    Bad:
        --- kcheck.yaml
        connectors:
          - name: files
            config: {connector.class: FileStreamSink, topics: orders, errors.deadletterqueue.topic.name: dlq}
    Bad: no topic
        --- kcheck.yaml
        connectors:
          - name: files
            config:
              connector.class: FileStreamSink
              topics: orders
              errors.tolerance: all
              errors.log.enable: true
              errors.deadletterqueue.topic.replication.factor: 3
    Good:
        --- kcheck.yaml
        connectors:
          - name: files
            config:
              connector.class: FileStreamSink
              topics: orders
              errors.tolerance: all
              errors.deadletterqueue.topic.name: dlq
    """
    queue, tolerance = connector[_QUEUE_NAME], connector["errors.tolerance"]
    if not _is_sink(connector) or connector.resource.traits.partial:
        return
    if queue.known and not queue.text:
        told = next((connector[k] for k in _QUEUE_SETTINGS[1:] if connector.sets(k)), None)
        if told is not None and (told.text or "").lower() != "false":
            yield connector.finding(
                f"{connector} sets {plain(told)}, but no {_QUEUE_NAME}",
                at=told,
                breaks="there is no dead-letter queue: records that fail are dropped or stop the task",
                fix=f"set {_QUEUE_NAME}",
            )
        return
    if not queue.text or tolerance.value != "none":
        return
    yield connector.finding(
        f"{connector} sets {plain(queue)}, but has {plain(tolerance)}",
        at=queue,
        because=(tolerance,),
        breaks="the dead-letter queue stays empty: the first bad record fails the task",
        fix="set errors.tolerance=all",
        # Whoever puts the switch aside, as JSON without comments has it, knows of it.
        severity=INFO if connector.sets("_errors.tolerance") else "",
    )
