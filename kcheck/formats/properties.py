"""``.properties`` of brokers, controllers, clients, Streams and Connect workers.

The name of a file says little (``server.properties`` is mostly Minecraft's), so the keys decide:
a file is a broker's because it holds broker keys. What other tools keep in the same syntax is
named where it is known, and passed over.
"""

from __future__ import annotations

from kcheck import endpoints
from kcheck.formats import Lookup
from kcheck.formats.text import templated
from kcheck.model import (
    PASSED_OVER,
    SKIPPED,
    START,
    WARNING,
    Document,
    Problem,
    Resource,
    Setting,
)
from kcheck.syntax.entry import Entry
from kcheck.syntax.properties import PropertiesError, decode, parse

BROKER = "broker-properties"
CLIENT = "client-properties"
CONNECT = "connect-properties"
STREAMS = "streams-properties"
MIRROR = "mm2-properties"
LIBRDKAFKA = "librdkafka"
SPRING = "spring-properties"
MICROPROFILE = "mp-properties"
OTHER = "kafka-other"

#: One of these is enough to make a broker of a file.
_BROKER_SIGNS = frozenset(
    {
        "broker.id",
        "node.id",
        "process.roles",
        "log.dirs",
        "controller.quorum.voters",
        "controller.quorum.bootstrap.servers",
        "offsets.topic.replication.factor",
        "inter.broker.listener.name",
        "advertised.listeners",
    }
)
#: Two of these are, or one in a file that is named like a broker's.
_BROKER_HINTS = frozenset(
    {
        "zookeeper.connect",
        "listeners",
        "num.partitions",
        "log.dir",
        "log.retention.hours",
        "log.retention.ms",
        "log.retention.bytes",
        "log.segment.bytes",
        "log.roll.hours",
        "log.cleanup.policy",
        "log.cleaner.enable",
        "num.network.threads",
        "num.io.threads",
        "message.max.bytes",
        "auto.create.topics.enable",
        "default.replication.factor",
        "min.insync.replicas",
        "unclean.leader.election.enable",
        "replica.fetch.max.bytes",
        "socket.request.max.bytes",
        "delete.topic.enable",
        "security.inter.broker.protocol",
        "sasl.enabled.mechanisms",
        "sasl.mechanism.inter.broker.protocol",
        "authorizer.class.name",
        "super.users",
        "allow.everyone.if.no.acl.found",
        "listener.security.protocol.map",
        "transaction.state.log.replication.factor",
        "group.initial.rebalance.delay.ms",
        "broker.rack",
        "inter.broker.protocol.version",
        "compression.type",
        "max.connections",
        "max.connections.per.ip",
        "log.retention.check.interval.ms",
        "host.name",
        "advertised.host.name",
    }
)
_BROKER_NAMES = ("server", "broker", "controller", "kafka")

_WORKER_SIGNS = frozenset(
    {
        "config.storage.topic",
        "offset.storage.topic",
        "status.storage.topic",
        "offset.storage.file.filename",
        "plugin.path",
        "internal.key.converter",
    }
)
_PRODUCER_KEYS = frozenset(
    {
        "acks",
        "key.serializer",
        "value.serializer",
        "linger.ms",
        "batch.size",
        "buffer.memory",
        "enable.idempotence",
        "transactional.id",
        "transaction.timeout.ms",
        "max.request.size",
        "max.in.flight.requests.per.connection",
        "delivery.timeout.ms",
        "max.block.ms",
        "partitioner.class",
        "compression.type",
    }
)
_CONSUMER_KEYS = frozenset(
    {
        "group.id",
        "key.deserializer",
        "value.deserializer",
        "auto.offset.reset",
        "enable.auto.commit",
        "max.poll.records",
        "max.poll.interval.ms",
        "session.timeout.ms",
        "heartbeat.interval.ms",
        "fetch.min.bytes",
        "fetch.max.wait.ms",
        "max.partition.fetch.bytes",
        "isolation.level",
        "partition.assignment.strategy",
        "group.instance.id",
        "group.protocol",
    }
)
_LIBRDKAFKA_KEYS = frozenset(
    {
        "metadata.broker.list",
        "sasl.mechanisms",
        "sasl.username",
        "ssl.ca.location",
        "ssl.certificate.location",
        "queue.buffering.max.ms",
        "queue.buffering.max.messages",
        "queue.buffering.max.kbytes",
        "enable.auto.offset.store",
        "message.timeout.ms",
        "api.version.request",
        "log.connection.close",
    }
)
#: Other programs of the Kafka world, by the prefix of their own keys.
_OTHER_PREFIXES = (
    "kafkastore.",
    "ksql.",
    "confluent.controlcenter.",
    "kafka.rest.",
    "schema.registry.topic",
    "clientPort",
    "tickTime",
    "log4j.",
)
_JINJA = (b"{%", b"<%")


def recognise(path: str, data: bytes) -> str | None:
    entries, _ = _entries(data)
    return classify(path, data, {entry.key for entry in entries}, entries)


_last: tuple[bytes, tuple[list[Entry], list[Problem]]] = (b"", ([], []))


def _entries(data: bytes) -> tuple[list[Entry], list[Problem]]:
    """The file's entries and what is wrong with it; remembered, because recognising reads it."""
    global _last
    if _last[0] is data:
        return _last[1]
    problems: list[Problem] = []
    entries: list[Entry] = []
    try:
        text, remarks = decode(data)
        problems = [
            Problem(
                remark.message,
                (remark.line, remark.column, remark.line, remark.column + 1),
                "KC0008",
                WARNING,
            )
            for remark in remarks
        ]
        entries = parse(text)
    except PropertiesError as error:
        entries = error.entries
        problems.append(
            Problem(error.message, (error.line, error.column, error.line, error.column + 1))
        )
    _last = (data, (entries, problems))
    return _last[1]


def classify(path: str, data: bytes, keys: set[str], entries: list[Entry]) -> str | None:
    """Whose file this is, by its keys and, where they leave it open, its name; None: not Kafka's."""
    name = path.rsplit("/", 1)[-1].lower()
    if any(key.startswith("[") and key.endswith("]") for key in keys):
        return OTHER if "bootstrap.servers" in keys else None
    if any(key.startswith("spring.") for key in keys):
        kafka = ("spring.kafka.", "spring.cloud.stream.")
        return SPRING if any(key.startswith(kafka) for key in keys) else None
    stripped = {key.split(".", 1)[1] if key.startswith("%") and "." in key else key for key in keys}
    microprofile = ("mp.messaging.", "kafka-streams.", "quarkus.kafka")
    if any(key.startswith(microprofile) for key in stripped):
        return MICROPROFILE
    if "kafka.bootstrap.servers" in stripped and any(k.startswith("quarkus.") for k in stripped):
        return MICROPROFILE
    if any("->" in key for key in keys) or (
        "clusters" in keys and any(key.endswith(".bootstrap.servers") for key in keys)
    ):
        return MIRROR
    if any(key.startswith(_OTHER_PREFIXES) for key in keys):
        return OTHER if "bootstrap.servers" in keys or "listeners" in keys else None
    if "connector.class" in keys or _WORKER_SIGNS & keys:
        return CONNECT
    if {"key.converter", "bootstrap.servers"} <= keys:
        return CONNECT
    broker_signs = len(_BROKER_SIGNS & keys)
    hints = len(_BROKER_HINTS & keys)
    if "listeners" in keys and not any(
        e.key == "listeners" and ("://" in e.value or templated(e.value)) for e in entries
    ):
        hints -= 1
    client = bool({"bootstrap.servers", "security.protocol"} & keys)
    if broker_signs or hints >= (3 if client else 2):
        return BROKER
    if hints and not client and any(word in name for word in _BROKER_NAMES):
        return BROKER
    if "application.id" in keys and "bootstrap.servers" in keys:
        return STREAMS
    if b"# librdkafka" in data or (len(_LIBRDKAFKA_KEYS & keys) and "sasl.jaas.config" not in keys):
        return LIBRDKAFKA
    if client or {"sasl.jaas.config", "sasl.mechanism"} <= keys:
        return CLIENT
    named = "producer" in name or "consumer" in name
    if named and (_PRODUCER_KEYS & keys or _CONSUMER_KEYS & keys):
        return CLIENT
    return None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    entries, problems = _entries(data)
    document.problems.extend(problems)
    if document.format in (MIRROR, SPRING, MICROPROFILE, OTHER):
        document.problems.clear()
        document.status = PASSED_OVER
        document.reason = "kcheck does not read this format yet"
        return
    if any(mark in data for mark in _JINJA) and any("%" in e.key for e in entries):
        document.problems.clear()
        document.status = SKIPPED
        document.reason = "an unrendered template"
        return
    resource = _resource(document, {e.key: e for e in entries})
    if resource is None:
        document.status = PASSED_OVER
        document.reason = "a connector's file, which kcheck does not read yet"
        return
    document.resources.append(resource)
    for entry in entries:
        _set(resource, entry)
    _service(resource)
    if resource.kind in ("broker", "controller"):
        for key in ("controller.quorum.voters", "zookeeper.connect"):
            quorum = resource.settings.get(key)
            if quorum is not None and quorum.text:
                document.joins.append(("quorum", quorum.text))
                break


def _set(resource: Resource, entry: Entry) -> None:
    raw: str | None = entry.value
    if raw is not None and templated(raw):
        raw = None
    made = Setting(entry.key, raw, resource.path, entry.at, entry.key_at)
    if entry.key in resource.settings:
        resource.earlier.append((resource.settings[entry.key], made))
    resource.settings[entry.key] = made


def _resource(document: Document, entries: dict[str, Entry]) -> Resource | None:
    """The resource that the file stands for; None for a connector's own file."""
    path = document.path
    name = path.rsplit("/", 1)[-1].lower()
    if document.format == BROKER:
        roles = {r.strip() for r in _value(entries, "process.roles").split(",")}
        kind = "controller" if roles == {"controller"} else "broker"
        identity = _value(entries, "node.id") or _value(entries, "broker.id")
        return _placed(kind, identity or path, path, "broker")
    if document.format == CONNECT:
        if "connector.class" in entries:
            return None
        distributed = "offset.storage.file.filename" not in entries and "standalone" not in name
        plane = "connect-distributed" if distributed else "connect-standalone"
        return _placed("worker", _value(entries, "group.id") or path, path, plane)
    if document.format == STREAMS:
        return _placed("streams", _value(entries, "application.id") or path, path, "streams")
    kind = _client_kind(name, set(entries))
    identity = _value(entries, "group.id") if kind == "consumer" else ""
    resource = _placed(kind, identity or _value(entries, "client.id") or path, path, kind)
    if document.format == LIBRDKAFKA:
        resource.dialect = "librdkafka"
    return resource


def _placed(kind: str, name: str, path: str, plane: str) -> Resource:
    return Resource(kind, path if templated(name) else name, path, START, plane)


def _value(entries: dict[str, Entry], key: str) -> str:
    return entries[key].value.strip() if key in entries else ""


def _client_kind(name: str, keys: set[str]) -> str:
    """Producer or consumer by the keys; by the name where they say nothing; else any client."""
    producer, consumer = bool(_PRODUCER_KEYS & keys), bool(_CONSUMER_KEYS & keys)
    if producer != consumer:
        return "producer" if producer else "consumer"
    by_name = [kind for kind in ("producer", "consumer", "admin") if kind in name]
    if len(by_name) == 1:
        return by_name[0]
    return "client"


def _service(resource: Resource) -> None:
    """A managed service shows in the bootstrap hosts."""
    bootstrap = resource.settings.get("bootstrap.servers")
    if bootstrap is not None and bootstrap.text:
        service = endpoints.service(bootstrap.text)
        if service:
            resource.facts["service"] = Setting(
                "service", service, bootstrap.path, bootstrap.at, bootstrap.key_at
            )
