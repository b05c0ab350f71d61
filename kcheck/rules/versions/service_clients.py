"""KC02: what a managed service accepts of clients, and of the topics that programs create there."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import accepted, endpoints
from kcheck.graph.clients import STORAGE_TOPIC_KEYS, Client, Connector, Worker
from kcheck.model import ERROR, Finding, Value
from kcheck.rule import FAILED, rule
from kcheck.rules.shared.service import service_of, severity_of
from kcheck.services import ManagedService
from kcheck.wording import plain

_FACTOR = "replication.factor"


@rule(
    "KC0231",
    "service-replication-factor",
    ERROR,
    kafka=FAILED,
    on=("bootstrap.servers", "connector.class"),
)
def service_replication_factor(node: Client | Connector) -> Iterator[Finding]:
    """A program creates topics with a replication factor that the managed service does not accept.

    Confluent Cloud keeps every topic three times, and rejects any other replication factor, also of
    topics that Connect workers, connectors, Kafka Streams and other programs create for themselves.

    Bad: the topics of a worker
        --- connect-distributed.properties
        bootstrap.servers=pkc-1.eu-west-1.aws.confluent.cloud:9092
        group.id=cdc
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=cdc-configs
        offset.storage.topic=cdc-offsets
        status.storage.topic=cdc-status
        offset.storage.replication.factor=1
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        sasl.jaas.config=${file:/etc/kafka/login.properties:jaas}
    Bad: changelogs
        --- streams.properties
        application.id=totals
        bootstrap.servers=pkc-1.eu-west-1.aws.confluent.cloud:9092
        replication.factor=2
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        sasl.jaas.config=${file:/etc/kafka/login.properties:jaas}
    Good: the default of the brokers
        --- streams.properties
        application.id=totals
        bootstrap.servers=pkc-1.eu-west-1.aws.confluent.cloud:9092
        replication.factor=-1
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        sasl.jaas.config=${file:/etc/kafka/login.properties:jaas}
    Good: another service
        --- streams.properties
        application.id=totals
        bootstrap.servers=b-1.core.abc.c2.kafka.eu-west-1.amazonaws.com:9094
        replication.factor=2
        security.protocol=SSL
    Good: the default hangs on the version, which nobody tells
        --- streams.properties
        application.id=orders
        bootstrap.servers=pkc-abc12.eu-west-1.aws.confluent.cloud:9092
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
    """
    service = service_of(node)
    if service is None:
        return
    row = accepted.by(service.called, "created").get(_FACTOR)
    if row is None:
        return
    wrong = [
        (value, words)
        for value, words in _factors(node)
        if value.known and value.number != -1 and row.fault(value.text or "", value.number)
    ]
    if wrong:
        first, words = wrong[0]
        right, *_ = row.values
        yield node.finding(
            f"{node}: {plain(first)} for {words}, but {service.called} accepts replication factor "
            + " or ".join(row.values),
            at=first,
            because=[value for value, _ in wrong[1:]],
            breaks=f"{words} cannot be created (PolicyViolationException)"
            + f", and the {node.resource.kind} fails",
            fix=f"set {', '.join(f'{value.key}={right}' for value, _ in wrong)}",
            set_to=right if len(wrong) == 1 else None,
            severity=severity_of(node, row),
        )


def _factors(node: Client | Connector) -> Iterator[tuple[Value, str]]:
    """The replication factors that a node gives to topics, each with a word for these."""
    if isinstance(node, Worker):
        for key in STORAGE_TOPIC_KEYS:
            yield node[f"{key.removesuffix('.topic')}.{_FACTOR}"], "its storage topics"
    from kcheck.graph.created import created

    for one in created(node):
        yield one.factor, one.topics


@rule(
    "KC0232",
    "service-client-value",
    ERROR,
    kafka=FAILED,
    on=(
        *("compression.type", "max.request.size", "request.timeout.ms", "session.timeout.ms"),
        "transactional.id",
        "application.id",
        "bootstrap.servers",
    ),
)
def service_client_value(client: Client) -> Iterator[Finding]:
    """A managed service does not support the value of a client's setting, or takes no such client.

    Event Hubs accepts records uncompressed or compressed with gzip (the latter in the premium and
    dedicated tiers, which alone have transactions and Kafka Streams), closes connections on larger requests, and expects longer request timeouts than
    Kafka. Its Basic tier has no endpoint for Kafka's clients at all.

    Bad: compression
        --- producer.properties
        bootstrap.servers=core.servicebus.windows.net:9093
        acks=all
        compression.type=zstd
        connections.max.idle.ms=180000
        metadata.max.age.ms=180000
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        sasl.jaas.config=${file:/etc/kafka/login.properties:jaas}
    Good:
        --- producer.properties
        bootstrap.servers=core.servicebus.windows.net:9093
        acks=all
        compression.type=gzip
        connections.max.idle.ms=180000
        metadata.max.age.ms=180000
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        sasl.jaas.config=${file:/etc/kafka/login.properties:jaas}
    Bad: Kafka Streams in the Standard tier
        --- hubs.tf
        resource "azurerm_eventhub_namespace" "core" {
          name = "core-prod"
          sku  = "Standard"
        }
        --- streams.properties
        application.id=totals
        bootstrap.servers=core-prod.servicebus.windows.net:9093
        connections.max.idle.ms=180000
        metadata.max.age.ms=180000
        request.timeout.ms=60000
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        sasl.jaas.config=${file:/etc/kafka/login.properties:jaas}
    Bad: the Basic tier
        --- hubs.tf
        resource "azurerm_eventhub_namespace" "core" {
          name = "core-prod"
          sku  = "Basic"
        }
        --- consumer.properties
        bootstrap.servers=core-prod.servicebus.windows.net:9093
        group.id=audit
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        sasl.jaas.config=${file:/etc/kafka/login.properties:jaas}
    Good: the Standard tier
        --- hubs.tf
        resource "azurerm_eventhub_namespace" "core" {
          name = "core-prod"
          sku  = "Standard"
        }
        --- consumer.properties
        bootstrap.servers=core-prod.servicebus.windows.net:9093
        group.id=audit
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        sasl.jaas.config=${file:/etc/kafka/login.properties:jaas}
    """
    service = endpoints.managed(client["bootstrap.servers"].text or "")
    if service is None:
        return
    yield from _without_endpoint(client, service)
    tiers = (broker.resource.traits.tier for broker in client.cluster.brokers)
    tier = next((one.text for one in tiers if one is not None and one.text), "")
    for plane in ("producer", "consumer", "streams"):
        if client.resource.kind not in (plane, "streams", "worker", "client"):
            continue
        own = plane in (client.resource.kind, "streams")
        inner = client if own else client.inner(plane)
        for key, row in accepted.by(service.called, plane, tier).items():
            if not inner.sets(key):
                continue
            value = inner[key]
            wanted = row.fault(str(value.value), value.number) if value.known else ""
            if row.closed:
                what, where = _CLOSED[key], f" in the {tier} tier" if tier else ""
                yield client.finding(
                    f"{client} sets {value.key}, but {service.called} has no {what}{where}",
                    at=value,
                    because=(client["bootstrap.servers"],),
                    breaks=f"the service rejects the requests of {what}",
                    fix=f"use another {'tier' if tier else 'service'}, or remove {value.key}",
                    severity=row.severity,
                )
            elif wanted:
                yield client.finding(
                    f"{client} sets {plain(value)}, but {service.called} accepts {wanted}",
                    at=value,
                    because=(client["bootstrap.servers"],),
                    breaks="the service rejects the records"
                    if row.severity == ERROR
                    else "the service closes connections or times out",
                    fix=f"set {value.key} to a value that the service supports",
                    severity=row.severity,
                )


#: What a service lacks that takes no such key.
_CLOSED = {"transactional.id": "transactions", "application.id": "Kafka Streams"}


def _without_endpoint(client: Client, service: ManagedService) -> Iterator[Finding]:
    """A client whose cluster is of a tier that Kafka's clients cannot use."""
    for broker in client.cluster.brokers:
        tier = broker.resource.traits.tier
        if tier is None or "kafka" not in accepted.by(service.called, "cluster", tier.text or ""):
            continue
        server = client["bootstrap.servers"]
        yield client.finding(
            f"{client} asks {server.text}, but the {tier.text} tier of {service.called} has no endpoint "
            "for Kafka",
            at=server,
            because=(Value("sku", broker.resource, "set", tier.text, tier.text, True, tier),),
            breaks="no connection is accepted",
            fix=f"use another tier than {tier.text}",
        )
        return
