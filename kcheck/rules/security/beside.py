"""KC04: the security of clients that a program has beside its own, with addresses of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kcheck import endpoints
from kcheck.graph import listeners
from kcheck.graph.clients import Client, Connector
from kcheck.graph.nodes import Broker, Node
from kcheck.model import ABSENT, ERROR, SET, Finding, Setting, Value
from kcheck.rule import FAILED, rule

_PROTOCOL, _SERVERS = "security.protocol", "bootstrap.servers"

#: Of File Pulse from 2.0 on, and before (streamthoughts/kafka-connect-file-pulse, its reference).
_FILE_STATUS = ("tasks.file.status.storage.", "internal.kafka.reporter.")
#: (key of the brokers, the prefixes of its clients' settings, what the clients are of). Debezium's
#: reference, sections on schema history and signals ("schema.history.internal.producer.*",
#: "signal.consumer.*"); Confluent's on licences, the Connect reporter, interceptors and metrics.
_BESIDE = (
    (
        "schema.history.internal.kafka.bootstrap.servers",
        ("schema.history.internal.producer.", "schema.history.internal.consumer."),
        "the schema history",
    ),
    (
        "database.history.kafka.bootstrap.servers",
        ("database.history.producer.", "database.history.consumer."),
        "the schema history",
    ),
    ("signal.kafka.bootstrap.servers", ("signal.consumer.",), "the signal channel"),
    ("confluent.topic.bootstrap.servers", ("confluent.topic.",), "the licence topic"),
    *(
        (
            f"{prefix}bootstrap.servers",
            (f"{prefix}producer.", f"{prefix}consumer."),
            "the file status",
        )
        for prefix in _FILE_STATUS
    ),
    (
        "reporter.bootstrap.servers",
        ("reporter.admin.", "reporter.producer."),
        "the reporter of results",
    ),
    (
        "confluent.monitoring.interceptor.bootstrap.servers",
        ("confluent.monitoring.interceptor.",),
        "the monitoring interceptor",
    ),
    (
        "confluent.metrics.reporter.bootstrap.servers",
        ("confluent.metrics.reporter.",),
        "the metrics reporter",
    ),
    (
        "cruise.control.metrics.reporter.bootstrap.servers",
        ("cruise.control.metrics.reporter.",),
        "the metrics reporter",
    ),
)
#: A reporter that, without servers of its own, connects to the first listener of its broker
#: (CruiseControlMetricsReporter.getBootstrapServers, linkedin/cruise-control 2.0.80 to 3.0.0).
_REPORTER = "com.linkedin.kafka.cruisecontrol.metricsreporter.CruiseControlMetricsReporter"
_OF_REPORTER = "cruise.control.metrics.reporter."


@rule(
    "KC0465",
    "beside-without-security",
    ERROR,
    kafka=FAILED,
    on=(
        "schema.history.internal.kafka.bootstrap.servers",
        "database.history.kafka.bootstrap.servers",
        "signal.kafka.bootstrap.servers",
        "confluent.topic.bootstrap.servers",
        "tasks.file.status.storage.bootstrap.servers",
        "internal.kafka.reporter.bootstrap.servers",
        "reporter.bootstrap.servers",
        "confluent.monitoring.interceptor.bootstrap.servers",
        "confluent.metrics.reporter.bootstrap.servers",
        "cruise.control.metrics.reporter.bootstrap.servers",
        "metric.reporters",
    ),
)
def beside_without_security(node: Client | Connector | Broker) -> Iterator[Finding]:
    """A client with its own bootstrap servers has no security settings, but these brokers require them.

    Clients for schema history, file status, signals, licences, reporters and interceptors do not inherit the
    security settings of the worker, client or broker that they are part of: each reads its own prefix,
    and uses PLAINTEXT without them. The metrics reporter of Cruise Control connects to the first listener
    of its broker, unless it has bootstrap servers. Reported if the same brokers are reached with TLS or SASL elsewhere
    in the files, or belong to a managed service.

    Bad: the schema history beside a worker with SASL
        --- connect-distributed.properties
        bootstrap.servers=k1:9095
        group.id=cdc
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=cdc-configs
        offset.storage.topic=cdc-offsets
        status.storage.topic=cdc-status
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        sasl.jaas.config=${file:/etc/kafka/login.properties:jaas}
        producer.security.protocol=SASL_SSL
        producer.sasl.mechanism=PLAIN
        producer.sasl.jaas.config=${file:/etc/kafka/login.properties:jaas}
        consumer.security.protocol=SASL_SSL
        consumer.sasl.mechanism=PLAIN
        consumer.sasl.jaas.config=${file:/etc/kafka/login.properties:jaas}
        --- loans.json
        {"name": "loans", "config": {
          "connector.class": "io.debezium.connector.oracle.OracleConnector",
          "topic.prefix": "loans",
          "schema.history.internal.kafka.topic": "loans.history",
          "schema.history.internal.kafka.bootstrap.servers": "k1:9095"}}
    Bad: the licence topic on Confluent Cloud
        --- sink.json
        {"name": "files", "config": {
          "connector.class": "io.confluent.connect.s3.S3SinkConnector",
          "topics": "orders",
          "confluent.topic.bootstrap.servers": "pkc-1.eu-west-1.aws.confluent.cloud:9092"}}
    Good: the worker does not use TLS or SASL
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=cdc
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=cdc-configs
        offset.storage.topic=cdc-offsets
        status.storage.topic=cdc-status
        --- loans.json
        {"name": "loans", "config": {
          "connector.class": "io.debezium.connector.oracle.OracleConnector",
          "topic.prefix": "loans",
          "schema.history.internal.kafka.topic": "loans.history",
          "schema.history.internal.kafka.bootstrap.servers": "k1:9092"}}
    Good:
        --- sink.json
        {"name": "files", "config": {
          "connector.class": "io.confluent.connect.s3.S3SinkConnector",
          "topics": "orders",
          "confluent.topic.bootstrap.servers": "pkc-1.eu-west-1.aws.confluent.cloud:9092",
          "confluent.topic.security.protocol": "SASL_SSL",
          "confluent.topic.sasl.mechanism": "PLAIN",
          "confluent.topic.sasl.jaas.config": "${file:/etc/kafka/login.properties:jaas}"}}
    Bad: Cruise Control's metrics reporter, on a broker with TLS
        --- server.properties
        broker.id=1
        zookeeper.connect=z1:2181
        listeners=SSL://k1:9093
        security.inter.broker.protocol=SSL
        ssl.keystore.location=/etc/kafka/k1.p12
        ssl.keystore.password=${file:/etc/kafka/store.properties:password}
        metric.reporters=com.linkedin.kafka.cruisecontrol.metricsreporter.CruiseControlMetricsReporter
    Good: a plaintext listener comes first
        --- server.properties
        broker.id=1
        zookeeper.connect=z1:2181
        listeners=PLAINTEXT://k1:9092,SSL://k1:9093
        ssl.keystore.location=/etc/kafka/k1.p12
        ssl.keystore.password=${file:/etc/kafka/store.properties:password}
        metric.reporters=com.linkedin.kafka.cruisecontrol.metricsreporter.CruiseControlMetricsReporter
    """
    settings = node.merged if isinstance(node, Broker) else node.resource.settings
    if node.resource.traits.service or node.resource.traits.partial:
        return
    for key, prefixes, clients in _BESIDE:
        servers = settings.get(key)
        if servers is None:
            continue
        lacking = [f"{prefix}{_PROTOCOL}" for prefix in prefixes]
        lacking = [one for one in lacking if one not in settings]
        known = _required(node, servers) if lacking else None
        if known is None:
            continue
        protocol, because = known
        at = Value(key, node.resource, SET, servers.text, servers.text, True, servers)
        yield node.finding(
            f"{node}: {clients} connects to {servers.text} with {_PROTOCOL}=PLAINTEXT (default), but "
            f"these brokers are reached with {protocol}",
            at=at,
            because=(*(Value(one, node.resource, ABSENT) for one in lacking), *because),
            breaks=f"{clients} cannot connect: it does not use the security settings of "
            + ("the worker" if isinstance(node, Connector) else f"the {node.resource.kind}"),
            fix=f"set {' and '.join(lacking)} to {protocol}, and the login and certificates with the "
            "same prefix",
        )
        return
    if isinstance(node, Broker):
        yield from _unaddressed(node)


def _unaddressed(broker: Broker) -> Iterator[Finding]:
    """The reporter without servers of its own, where the first listener is no plaintext one."""
    reporters = broker["metric.reporters"]
    named = [one.strip() for one in (reporters.text or "").split(",")]
    lacking = [f"{_OF_REPORTER}{one}" for one in (_PROTOCOL, _SERVERS)]
    if _REPORTER not in named or any(broker.sets(one) for one in lacking):
        return
    bound = broker["listeners"]
    first = next(iter(listeners.parse(bound.text)), None) if bound.written else None
    if first is None:
        return
    spoken = listeners.protocol(broker, first.name)
    if spoken in (None, "PLAINTEXT") or first.name in listeners.controller_names(broker):
        return
    yield broker.finding(
        f"{broker}: the metrics reporter connects to the first listener ({first}) with "
        f"{_PROTOCOL}=PLAINTEXT (default), but the protocol of this listener is {spoken}",
        at=reporters,
        because=(Value(lacking[0], broker.resource, ABSENT), bound),
        breaks="the metrics reporter cannot connect: it does not use the security settings of the broker",
        fix=f"set {lacking[0]} to {spoken}, and the login and certificates with the same prefix",
    )


def _required(node: Node, servers: Setting) -> tuple[str, tuple[Value, ...]] | None:
    """The protocol by which the brokers of a setting are reached, other than PLAINTEXT; and why."""
    asked = set(endpoints.split(servers.text or ""))
    workers: Sequence[Node] = node.workers if isinstance(node, Connector) else [node]
    for worker in workers:
        # A broker has no servers of its own to ask.
        if asked & set(endpoints.split(worker[_SERVERS].text or "")):
            protocol = worker[_PROTOCOL]
            if protocol.text is None:
                return None
            if protocol.text.upper() != "PLAINTEXT":
                return protocol.text.upper(), (protocol, worker[_SERVERS])
    for broker in node.cluster.brokers:
        for listener in listeners.to_clients(broker):
            if (listener.host, str(listener.port)) in asked:
                spoken = listeners.protocol(broker, listener.name)
                if spoken not in (None, "PLAINTEXT"):
                    return str(spoken), (broker["advertised.listeners"],)
    service = endpoints.managed(servers.text or "")
    ports = {port for _, port in asked}
    protocol_there = service.login(ports.pop())[0] if service and len(ports) == 1 else ""
    if protocol_there and protocol_there != "PLAINTEXT":
        return protocol_there, ()
    return None
