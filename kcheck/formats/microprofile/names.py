"""Names of SmallRye's connector and of Quarkus, and which of them are Kafka's."""

from __future__ import annotations

from kcheck import catalogue
from kcheck.formats.clients import own_maps
from kcheck.formats.pairs import Pair

KAFKA = "smallrye-kafka"
MESSAGING = "mp.messaging"
SIDES = {"incoming": "consumer", "outgoing": "producer"}
#: Quarkus' names for what Kafka Streams calls otherwise.
STREAMS = {"bootstrap-servers": "bootstrap.servers", "application-id": "application.id"}
#: The brokers below ``quarkus.kafka.``, where nobody reads them.
BOOTSTRAP = (["bootstrap-servers"], ["bootstrap", "servers"])
#: Global settings below ``kafka.`` that are no settings of a client.
NOT_CLIENTS = ("apicurio.", "health.", "devservices.", "ui.", "snappy.", "schema.registry.")
#: What the connector reads itself; everything else of a channel goes to its client.
ATTRIBUTES = frozenset(
    [
        "connector",
        "topic",
        "topics",
        "pattern",
        "enabled",
        "broadcast",
        "merge",
        "key",
        "partition",
        "partitions",
        "concurrency",
        "retry",
        "retry-attempts",
        "retry-max-wait",
        "client-id-prefix",
        "failure-strategy",
        "commit-strategy",
        "batch",
        "assign-seek",
        "close-timeout",
        "channel-name",
        "consumer-rebalance-listener",
        "fail-on-deserialization-failure",
        "graceful-shutdown",
        "interceptor-bean",
        "kafka-configuration",
        "lazy-client",
        "max-inflight-messages",
        "max-queue-size-factor",
        "merge-strategy",
        "pause-if-no-requests",
        "poll-timeout",
        "propagate-headers",
        "propagate-record-key",
        "tracing-enabled",
        "waitForWriteCompletion",
        "cloud-events",
    ]
)
#: Those that name what the connector does with records.
STRATEGIES = ("failure-strategy", "commit-strategy")
#: The first parts of names that Quarkus and its extensions read, in the relaxed form.
_READ = frozenset(
    (
        *("kafka", "kafkastreams", "mp", "quarkus", "camel", "smallrye", "debezium", "micronaut"),
        *("spring", "apicurio", "resilience4j", "hibernate", "testcontainers"),
    )
)
#: The first words of further attributes.
FAMILIES = (
    "dead-letter-queue.",
    "delayed-retry-topic.",
    "checkpoint.",
    "throttled.",
    "cloud-events-",
    "health-",
    "key-serialization-",
    "value-serialization-",
    "key-deserialization-",
    "value-deserialization-",
)


#: Whose keys stand below ``kafka.`` and ``kafka-streams.``.
TABLES = ("producer", "consumer", "admin")
STREAMS_TABLES = ("streams", *TABLES)
#: What Quarkus' own extension for Streams has under Kafka's names.
SECURITY = ("security.", "sasl.", "ssl.")


def is_key(name: str, tables: tuple[str, ...]) -> bool:
    return any(name in catalogue.plane(table) for table in tables)


def is_own(pair: Pair) -> bool:
    """Whether the pair has a key of Kafka's under a name of the application's own."""
    return not taken(pair.words) and own_maps.mentions(pair)


def taken(names: list[str]) -> bool:
    """Whether Quarkus, or something in it, reads a name, given by its parts in the relaxed form."""
    return names[0] in _READ or names[0].startswith("%")


def dotted_part(parts: list[str]) -> str:
    """The part of a setting's name that holds a dot; a channel's own name may."""
    ours = parts[0] in ("kafka", "kafka-streams", "mp") or parts[:2] == ["quarkus", "kafka-streams"]
    channel = parts[0] == "mp" and parts[2:3] and parts[2] in SIDES
    named = 3 if channel else -1
    dotted = (p for at, p in enumerate(parts) if "." in p and at > 0 and at != named)
    return next(dotted, "") if ours else ""
