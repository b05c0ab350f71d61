"""KC14: what a connector needs of its workers, and what of its clients they hand on."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Connector, Worker
from kcheck.model import ERROR, WARNING, Finding
from kcheck.rule import CHANGED, FAILED, rule
from kcheck.wording import plain

_WORKERS_EOS = "exactly.once.source.support"


def workers_of(connector: Connector) -> list[Worker]:
    return [c for c in connector.cluster.clients if isinstance(c, Worker)]


@rule(
    "KC1417",
    "connect-eos-connector-required",
    ERROR,
    kafka=FAILED,
    on=("exactly.once.support",),
    refs=("KIP-618",),
    invariants=("connect-eos-connector-required",),
    versions="3.3+",
)
def connect_eos_connector_required(connector: Connector) -> Iterator[Finding]:
    """A connector must write exactly once, and its workers do not do that.

    exactly.once.support=required needs exactly.once.source.support=enabled on all workers; preparing
    is not enough.

    Bad:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSource", "topic": "rows",
         "exactly.once.support": "required"}}
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
    Good:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        exactly.once.source.support=enabled
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSource", "topic": "rows",
         "exactly.once.support": "required"}}
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
    Good: nobody knows the workers
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSource", "topic": "rows",
         "exactly.once.support": "required"}}
    """
    asked = connector["exactly.once.support"]
    # Of a standalone worker nothing is known: the key is none of its own.
    values = [worker[_WORKERS_EOS] for worker in workers_of(connector)]
    if str(asked.value).lower() != "required" or not values:
        return
    if any(not v.known or str(v.value).lower() == "enabled" for v in values):
        return
    yield connector.finding(
        f"{connector} has {plain(asked)}, its workers have {plain(values[0])}",
        at=asked,
        because=(values[0],),
        breaks="Connect refuses the connector: this worker does not have exactly-once source "
        "support enabled",
        fix=f"set {_WORKERS_EOS}=enabled on all workers, or exactly.once.support=requested",
    )


@rule(
    "KC1418",
    "connect-eos-transaction-boundary",
    WARNING,
    kafka=CHANGED,
    on=("transaction.boundary", "transaction.boundary.interval.ms"),
    refs=("KIP-618",),
    invariants=("connect-eos-transaction-boundary",),
    versions="3.3+",
)
def connect_eos_transaction_boundary(connector: Connector) -> Iterator[Finding]:
    """A connector says when its transactions end, in a way that nobody reads.

    transaction.boundary.interval.ms counts with transaction.boundary=interval only; without
    exactly-once on the workers there are no transactions.

    Bad:
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSource", "topic": "rows",
         "transaction.boundary": "poll", "transaction.boundary.interval.ms": "5000"}}
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
    Bad: no transactions
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        exactly.once.source.support=disabled
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSource", "topic": "rows",
         "transaction.boundary": "interval", "transaction.boundary.interval.ms": "5000"}}
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
    Good:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        exactly.once.source.support=enabled
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSource", "topic": "rows",
         "transaction.boundary": "interval", "transaction.boundary.interval.ms": "5000"}}
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
    """
    interval, boundary = (
        connector["transaction.boundary.interval.ms"],
        connector["transaction.boundary"],
    )
    if interval.explicit and boundary.known and str(boundary.value).lower() != "interval":
        yield connector.finding(
            f"{connector} has {plain(interval)} and {plain(boundary)}",
            at=interval,
            because=(boundary,),
            breaks="the interval is passed over: transactions end with each "
            + ("batch" if str(boundary.value).lower() == "poll" else "boundary of the connector"),
            fix="set transaction.boundary=interval, or remove the interval",
        )
        return
    values = [worker[_WORKERS_EOS] for worker in workers_of(connector)]
    off = next((v for v in values if str(v.value).lower() == "disabled"), None)
    if boundary.explicit and off is not None:
        yield connector.finding(
            f"{connector} has {plain(boundary)}, its workers have {plain(off)}",
            at=boundary,
            because=(off,),
            breaks="the connector writes without transactions: the key has no effect",
            fix=f"set {_WORKERS_EOS}=enabled on all workers",
        )


@rule(
    "KC1425",
    "connect-sink-autocommit",
    WARNING,
    invariants=("connect-sink-consumer-overrides",),
)
def connect_sink_autocommit(connector: Connector | Worker) -> Iterator[Finding]:
    """A sink's consumer commits offsets by itself, before the sink has written the records.

    Connect commits what a sink says that it has written. It sets enable.auto.commit=false, but only as
    a default: consumer. on the workers or consumer.override. on a connector goes over it.

    Bad:
        --- files.json
        {"name": "files", "config": {"connector.class": "FileStreamSink", "topics": "orders",
         "consumer.override.enable.auto.commit": "true"}}
    Bad: for all sinks
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        consumer.enable.auto.commit=true
    Good:
        --- files.json
        {"name": "files", "config": {"connector.class": "FileStreamSink", "topics": "orders",
         "consumer.override.max.poll.records": "100"}}
    """
    prefix = "consumer.override." if isinstance(connector, Connector) else "consumer."
    value = connector[f"{prefix}enable.auto.commit"]
    if (value.text or "").lower() == "true":
        yield connector.finding(
            f"{connector} sets {plain(value)}",
            at=value,
            breaks="offsets are committed before the records are written: a crash loses them",
            fix=f"remove {value.key}",
            set_to="false",
        )
