"""KC14: what a connector requires of its workers, and client settings they pass on."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Connector, Worker
from kcheck.graph.nodes import Node
from kcheck.model import ERROR, STRIMZI, WARNING, Finding, Note
from kcheck.rule import CHANGED, FAILED, rule
from kcheck.rules.shared.keys_wording import evidence, noted
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
    """A connector requires exactly-once support, but its workers do not enable it.

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
    Good: the workers are unknown
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSource", "topic": "rows",
         "exactly.once.support": "required"}}
    """
    support = connector["exactly.once.support"]
    # The value of a standalone worker is unknown: it has no such key.
    values = [worker[_WORKERS_EOS] for worker in workers_of(connector)]
    if str(support.value).lower() != "required" or not values:
        return
    if any(not v.known or str(v.value).lower() == "enabled" for v in values):
        return
    yield connector.finding(
        f"{connector} sets {plain(support)}, but its workers have {plain(values[0])}",
        at=support,
        because=(values[0],),
        breaks="Connect rejects the connector: the worker does not have exactly-once source "
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
    """A connector's transaction.boundary has no effect.

    transaction.boundary.interval.ms is read with transaction.boundary=interval only; without
    exactly-once support on the workers there are no transactions.

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
            f"{connector} sets {plain(interval)}, which has no effect with {plain(boundary)}",
            at=interval,
            because=(boundary,),
            breaks="the interval is ignored: transactions end with each "
            + ("batch" if str(boundary.value).lower() == "poll" else "boundary of the connector"),
            fix="set transaction.boundary=interval, or remove transaction.boundary.interval.ms",
        )
        return
    values = [worker[_WORKERS_EOS] for worker in workers_of(connector)]
    off = next((v for v in values if str(v.value).lower() == "disabled"), None)
    if boundary.explicit and off is not None:
        yield connector.finding(
            f"{connector} sets {plain(boundary)}, but its workers have {plain(off)}",
            at=boundary,
            because=(off,),
            breaks="the connector writes without transactions: transaction.boundary has no effect",
            fix=f"set {_WORKERS_EOS}=enabled on all workers",
        )


@rule(
    "KC1425",
    "connect-sink-autocommit",
    WARNING,
    invariants=("connect-sink-consumer-overrides",),
)
def connect_sink_autocommit(connector: Connector | Worker) -> Iterator[Finding]:
    """A sink's consumer commits offsets automatically, before the sink has written the records.

    Connect commits the offsets that a sink reports as written. It sets enable.auto.commit=false, but
    only as a default: consumer. on the workers or consumer.override. on a connector overrides it.

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
            breaks="offsets are committed before the sink has written the records: a crash loses "
            "those records",
            fix=f"remove {value.key}",
            set_to="false",
        )


_PROVIDERS = "config.providers"


@rule("KC1435", "connect-config-provider", ERROR, kafka=CHANGED)
def connect_config_provider(thing: Connector | Note, node: Node | None = None) -> Iterator[Finding]:
    """A setting references a config provider that is not in config.providers.

    ${file:/run/secrets/db:password} is resolved by the provider of that name in the workers'
    config.providers. Without it the connector gets the literal text. Brokers, clients and workers
    resolve references in their own files by their own config.providers, each of which needs its
    config.providers.NAME.class; without it the value of a broker or a worker is the literal text.

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
        {"name": "rows", "config": {"connector.class": "com.example.JdbcSource",
         "connection.password": "${file:/run/secrets/db.properties:password}"}}
    Bad: a provider of another name, with Strimzi
        --- connect.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnect
        metadata: {name: etl, annotations: {strimzi.io/use-connector-resources: "true"}}
        spec:
          bootstrapServers: core-kafka-bootstrap:9092
          config: {group.id: etl, config.providers: directory}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnector
        metadata: {name: rows, labels: {strimzi.io/cluster: etl}}
        spec:
          class: com.example.JdbcSource
          config: {connection.password: "x${file:/opt/kafka/external-configuration/db:password}"}
    Bad: a provider without a class
        --- server.properties
        node.id=1
        process.roles=broker
        controller.quorum.voters=2@c1:9093
        controller.listener.names=CONTROLLER
        log.dirs=/data/kafka
        ssl.keystore.password=${file:/run/secrets/tls:password}
        config.providers=file
    Bad: a provider of another product
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        config.providers=file
        --- rows.json
        {"name": "rows", "config": {"connector.class": "com.example.JdbcSource",
         "connection.password": "${vault:secret/db:password}"}}
    Good:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        config.providers=file
        config.providers.file.class=org.apache.kafka.common.config.provider.FileConfigProvider
        --- rows.json
        {"name": "rows", "config": {"connector.class": "com.example.JdbcSource",
         "connection.password": "${file:/run/secrets/db.properties:password}"}}
    Good: a placeholder of the plugin
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        --- rows.json
        {"name": "rows", "config": {"connector.class": "com.example.S3Sink", "topics": "rows",
         "key.name": "rows/${date:now:yyyyMMdd}"}}
    Bad: one of two definitions of the connector, a warning
        --- connect.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaConnect
        metadata: {name: etl}
        spec:
          replicas: 1
          bootstrapServers: core-kafka-bootstrap:9092
          config: {group.id: etl}
        --- echo.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaConnector
        metadata: {name: echo, labels: {strimzi.io/cluster: etl}}
        spec: {class: EchoSink, config: {topics: rows, level: INFO}}
        --- echo-from-file.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaConnector
        metadata: {name: echo, labels: {strimzi.io/cluster: etl}}
        spec: {class: EchoSink, config: {topics: rows, level: "${file:/opt/kafka/log.properties:level}"}}
    """
    if isinstance(thing, Note):
        if node is not None:
            yield noted(thing, node)
        return
    connector, references = thing, thing.resource.traits.providers
    workers = workers_of(connector)
    label = connector.resource.traits.runs_on
    if label:
        workers = [worker for worker in workers if worker.name == label]
    if not workers:
        return
    for name, setting, text in references:
        if any(_may_have(worker, name) for worker in workers):
            continue
        lacking = " and ".join(map(str, workers))
        # Of several definitions of one connector it is not known which meets these workers.
        others = sum(other.name == connector.name for other in connector.cluster.connectors) > 1
        yield connector.finding(
            f"{connector} references the config provider {name}, which is not defined on {lacking}",
            at=evidence(connector, setting),
            because=[worker[_PROVIDERS] for worker in workers],
            breaks=f"the connector gets the literal text {text}, for example as its password",
            fix=f"add {name} to {_PROVIDERS} of the workers and set {_PROVIDERS}.{name}.class",
            severity=WARNING if others else ERROR,
        )
        return


def _may_have(worker: Worker, provider: str) -> bool:
    """Whether a worker has a config provider of that name, or may get one from elsewhere."""
    providers = worker[_PROVIDERS]
    if worker.resource.traits.partial or (worker.resource.managed and not _shown_whole(worker)):
        return True
    text = providers.text
    return text is None or provider in [one.strip() for one in text.split(",")]


def _shown_whole(worker: Worker) -> bool:
    """Whether the files show all that the platform configures on a worker."""
    traits = worker.resource.traits
    return traits.deployer == STRIMZI or traits.by_environment
