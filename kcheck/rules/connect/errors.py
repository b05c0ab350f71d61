"""KC143x: what connectors do with records that they cannot convert or write."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import configdef
from kcheck.graph.clients import Connector
from kcheck.graph.resolve import from_default
from kcheck.model import SET, WARNING, Finding, Value
from kcheck.rule import CHANGED, rule
from kcheck.units import round_duration
from kcheck.wording import plain

_TOLERANCE, _LOG = "errors.tolerance", "errors.log.enable"
_QUEUE = "errors.deadletterqueue."
_NAME = f"{_QUEUE}topic.name"
_SETTINGS = (_NAME, f"{_QUEUE}topic.replication.factor", f"{_QUEUE}context.headers.enable")
_RETRY, _INTERVAL = "errors.retry.timeout", "max.poll.interval.ms"
#: How classes are called that read no topics; those of Debezium have no such ending.
_SOURCES = ("Source", "SourceConnector")
_DEBEZIUM = "io.debezium.connector."


def _is_sink(connector: Connector) -> bool:
    return connector.resource.plane == "sink-connector"


def _elsewhere(connector: Connector) -> bool:
    """Whether something that is not read sets more, such as a service that has a queue of its own."""
    return connector.resource.traits.partial


@rule("KC1436", "connect-errors-hidden", WARNING, on=(_TOLERANCE,), refs=("KIP-298",))
def connect_errors_hidden(connector: Connector) -> Iterator[Finding]:
    """A connector skips records that fail and neither logs them nor keeps them.

    With errors.tolerance=all Connect drops a record that it cannot convert or transform, or that a
    sink reports. Only errors.log.enable=true and, for sinks, a dead-letter queue show which.

    Bad: a sink
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSink", "topics": "orders",
         "errors.tolerance": "all"}}
    Bad: a source
        --- rows.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnector
        metadata: {name: rows, labels: {strimzi.io/cluster: etl}}
        spec:
          class: org.apache.kafka.connect.file.FileStreamSourceConnector
          config: {topic: orders, file: /a, errors.tolerance: all, errors.log.enable: false}
    Good: a dead-letter queue
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSink", "topics": "orders",
         "errors.tolerance": "all", "errors.deadletterqueue.topic.name": "rows-failed"}}
    Good: a log
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSource", "topic": "orders",
         "errors.tolerance": "all", "errors.log.enable": "true"}}
    """
    tolerance, log, queue = connector[_TOLERANCE], connector[_LOG], connector[_NAME]
    if (tolerance.text or "").lower() != "all" or _elsewhere(connector):
        return
    sink = _is_sink(connector)
    if not log.known or log.value or (sink and (queue.text is None or queue.text.strip())):
        return
    yield connector.finding(
        f"{connector} sets {plain(tolerance)} without "
        + (f"{_NAME} and {_LOG}=true" if sink else f"{_LOG}=true"),
        at=tolerance,
        because=(log,) if log.explicit else (),
        breaks="records that fail are dropped: only a counter in the metrics shows that",
        fix=f"set {_LOG}=true" + (f" and {_NAME}" if sink else ""),
    )


@rule("KC1437", "connect-source-dlq", WARNING, kafka=CHANGED, on=_SETTINGS, refs=("KIP-298",))
def connect_source_dlq(connector: Connector) -> Iterator[Finding]:
    """A source connector has settings of a dead-letter queue.

    Only sink connectors have one: Connect defines errors.deadletterqueue.* for them alone, and a
    source ignores it.

    Bad:
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSource", "topic": "orders",
         "errors.tolerance": "all", "errors.log.enable": "true",
         "errors.deadletterqueue.topic.name": "rows-failed"}}
    Good:
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSink", "topics": "orders",
         "errors.tolerance": "all", "errors.log.enable": "true",
         "errors.deadletterqueue.topic.name": "rows-failed"}}
    """
    name = (connector["connector.class"].text or "").strip()
    source = name.endswith(_SOURCES) or name.startswith(_DEBEZIUM)
    if not source or _is_sink(connector):
        return
    told = [connector[key] for key in _SETTINGS if key in connector.resource.settings]
    yield connector.finding(
        f"{connector} sets {plain(told[0])}, but a source connector has no dead-letter queue",
        at=told[0],
        because=told[1:],
        breaks="the queue stays empty: a record that fails stops the task, or is dropped with "
        f"{_TOLERANCE}=all",
        fix=f"remove {_QUEUE}*, and set {_LOG}=true where records may be dropped",
    )


@rule("KC1438", "connect-retry-poll", WARNING, kafka=CHANGED, on=(_RETRY,), refs=("KIP-298",))
def connect_retry_poll(connector: Connector) -> Iterator[Finding]:
    """A sink connector retries longer than its consumer may go without polling.

    Connect retries conversions and transformations in the thread of the task. If errors.retry.timeout
    exceeds max.poll.interval.ms of its consumer, the task is removed from its group before the retries
    end.

    Bad:
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSink", "topics": "orders",
         "errors.retry.timeout": "600000"}}
    Bad: without an end
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSink", "topics": "orders",
         "errors.retry.timeout": "-1"}}
    Good:
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSink", "topics": "orders",
         "errors.retry.timeout": "60000"}}
    Good: a longer interval
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSink", "topics": "orders",
         "errors.retry.timeout": "600000", "consumer.override.max.poll.interval.ms": "900000"}}
    """
    retry = connector[_RETRY]
    if not _is_sink(connector) or _elsewhere(connector) or not retry.known:
        return
    interval = _interval(connector)
    if interval is None or not interval.known or 0 <= retry.number <= interval.number:
        return
    endless = retry.number < 0
    rounded = round_duration(interval.number)
    yield connector.finding(
        f"{connector} sets {plain(retry)}, "
        + ("which has no end" if endless else f"above {plain(interval)} of its consumer"),
        at=retry,
        because=(interval,),
        breaks="the task is removed from its group while it retries, and another one starts over with "
        "the record",
        fix=f"set {_RETRY} below {int(interval.number)}" + (f" ({rounded})" if rounded else ""),
    )


def _interval(connector: Connector) -> Value | None:
    """max.poll.interval.ms of the connector's consumer; None where its workers differ in it."""
    own = connector.resource.settings.get(f"consumer.override.{_INTERVAL}")
    if own is not None:
        number, wrong = configdef.convert("int", own.text or "")
        typed = None if wrong else number
        return Value(own.key, connector.resource, SET, own.text, typed, not wrong, own)
    workers = connector.workers
    if any(worker.resource.traits.partial for worker in workers):
        return None
    values = [worker.client("consumer", _INTERVAL) for worker in workers]
    if len({value.text for value in values}) > 1:
        return None
    if values:
        return values[0]
    return from_default(_INTERVAL, connector.resource, "consumer", connector.version)
