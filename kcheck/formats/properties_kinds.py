"""Whose ``.properties`` file this is, by its keys: the tables of signs and the order of asking.

The name of a file says little (``server.properties`` is mostly Minecraft's), so keys decide. Keys
that other software has as well (``node.id`` is Trino's too, ``listeners`` the REST Proxy's) count
only beside others.
"""

from __future__ import annotations

from kcheck.formats.text import templated
from kcheck.syntax.entry import Entry

BROKER = "broker-properties"
CLIENT = "client-properties"
CONNECT = "connect-properties"
STREAMS = "streams-properties"
MIRROR = "mm2-properties"
LIBRDKAFKA = "librdkafka"
SPRING = "spring-properties"
MICROPROFILE = "mp-properties"
SCHEMA_REGISTRY = "schema-registry"
REST_PROXY = "rest-proxy"
KSQLDB = "ksqldb"
MICRONAUT = "micronaut-properties"
FOREIGN_CLIENT = "client-other"
OTHER = "kafka-other"

#: One of these is enough to make a broker of a file.
BROKER_SIGNS = frozenset(
    {
        "broker.id",
        "process.roles",
        "log.dirs",
        "advertised.listeners",
        "listener.security.protocol.map",
        "inter.broker.listener.name",
        "inter.broker.protocol.version",
        "security.inter.broker.protocol",
        "controller.listener.names",
        "controller.quorum.voters",
        "controller.quorum.bootstrap.servers",
        "offsets.topic.replication.factor",
        "transaction.state.log.replication.factor",
        "transaction.state.log.min.isr",
        "log.message.format.version",
        "auto.create.topics.enable",
        "replica.fetch.max.bytes",
        "replica.lag.time.max.ms",
        "group.initial.rebalance.delay.ms",
    }
)
#: Two of these are, or one in a file that is named like a broker's.
BROKER_HINTS = frozenset(
    {
        "node.id",
        "log.dir",
        "zookeeper.connect",
        "num.partitions",
        "default.replication.factor",
        "message.max.bytes",
        "num.network.threads",
        "num.io.threads",
        "num.replica.fetchers",
        "num.recovery.threads.per.data.dir",
        "queued.max.requests",
        "socket.request.max.bytes",
        "socket.send.buffer.bytes",
        "socket.receive.buffer.bytes",
        "log.retention.hours",
        "log.retention.minutes",
        "log.retention.ms",
        "log.retention.bytes",
        "log.retention.check.interval.ms",
        "log.segment.bytes",
        "log.roll.hours",
        "log.roll.ms",
        "log.cleanup.policy",
        "log.cleaner.enable",
        "delete.topic.enable",
        "auto.leader.rebalance.enable",
        "sasl.enabled.mechanisms",
        "sasl.mechanism.inter.broker.protocol",
        "sasl.mechanism.controller.protocol",
        "authorizer.class.name",
        "super.users",
        "allow.everyone.if.no.acl.found",
        "offsets.retention.minutes",
        "offsets.topic.num.partitions",
        "transaction.max.timeout.ms",
        "group.min.session.timeout.ms",
        "group.max.session.timeout.ms",
        "broker.rack",
        "replica.selector.class",
        "max.connections.per.ip",
        "background.threads",
        "remote.log.storage.system.enable",
    }
)
#: What topics, clients and the REST servers have as well: they add to hints, but are none alone.
_SHARED_HINTS = frozenset(
    {
        "min.insync.replicas",
        "unclean.leader.election.enable",
        "compression.type",
        "metric.reporters",
        "ssl.client.auth",
    }
)
_BROKER_NAMES = ("server", "broker", "controller", "kafka")

#: One of these makes a Connect worker; ``key.converter`` does beside ``value.converter``.
WORKER_SIGNS = frozenset(
    {
        "config.storage.topic",
        "offset.storage.topic",
        "status.storage.topic",
        "offset.storage.file.filename",
        "internal.key.converter",
    }
)
PRODUCER_KEYS = frozenset(
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
CONSUMER_KEYS = frozenset(
    {
        "group.id",
        "key.deserializer",
        "value.deserializer",
        "auto.offset.reset",
        "enable.auto.commit",
        "auto.commit.interval.ms",
        "max.poll.records",
        "max.poll.interval.ms",
        "session.timeout.ms",
        "heartbeat.interval.ms",
        "fetch.min.bytes",
        "fetch.max.bytes",
        "fetch.max.wait.ms",
        "max.partition.fetch.bytes",
        "isolation.level",
        "partition.assignment.strategy",
        "group.instance.id",
        "group.protocol",
    }
)
_STREAMS_KEYS = frozenset(
    {
        "num.stream.threads",
        "processing.guarantee",
        "default.key.serde",
        "default.value.serde",
        "default.deserialization.exception.handler",
        "state.dir",
        "num.standby.replicas",
        "statestore.cache.max.bytes",
        "cache.max.bytes.buffering",
    }
)
#: Names that only librdkafka and its bindings know.
LIBRDKAFKA_KEYS = frozenset(
    {
        "metadata.broker.list",
        "sasl.mechanisms",
        "ssl.ca.location",
        "ssl.certificate.location",
        "queue.buffering.max.ms",
        "queue.buffering.max.messages",
        "queue.buffering.max.kbytes",
        "queued.max.messages.kbytes",
        "queued.min.messages",
        "enable.auto.offset.store",
        "message.timeout.ms",
        "message.send.max.retries",
        "message.copy.max.bytes",
        "socket.keepalive.enable",
        "socket.timeout.ms",
        "statistics.interval.ms",
        "enable.ssl.certificate.verification",
        "api.version.request",
        "broker.version.fallback",
        "log.connection.close",
    }
)
#: A comment that says whose file it is.
LIBRDKAFKA_MARK = b"# librdkafka"
#: librdkafka's too, but also what people call the credentials in files of their own scripts.
CREDENTIALS = frozenset({"sasl.username", "sasl.password"})

#: Common words: one of them beside one other key of a client says nothing yet.
_GENERIC = frozenset({"group.id", "batch.size", "compression.type"})
#: The Scala clients of Kafka 0.8, whose names librdkafka took over in part.
_ANCIENT = frozenset({"producer.type", "serializer.class", "consumer.timeout.ms"})

#: Other programs of the Kafka world, by keys of their own.
_OTHER_PREFIXES = (
    "kafkastore.",
    "ksql.",
    "confluent.controlcenter.",
    "webserver.http.",  # Cruise Control
    "capacity.config.file",
    "metric.sampler.",
    "debezium.",
)
#: The same, but clients write these keys in their own files too.
_GUEST_PREFIXES = ("schema.registry.", "topology.")
_MICROPROFILE = ("mp.messaging.", "kafka-streams.", "quarkus.kafka", "quarkus.reactive-messaging.")
_SPRING = ("spring.kafka.", "spring.cloud.stream.")
_PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")


def classify(path: str, data: bytes, entries: list[Entry]) -> str | None:
    """The format's name by the keys and, where they leave it open, the file's name; else None."""
    values = {entry.key.lstrip("\ufeff"): entry.value.strip() for entry in entries}
    keys = values.keys()
    elsewhere = _other_syntax(data, values)
    if elsewhere is not None:
        return elsewhere or None
    framework = _framework(values)
    if framework is not None:
        return framework or None
    if "connector.class" in keys or keys & WORKER_SIGNS:
        return CONNECT
    if {"key.converter", "value.converter"} <= keys:
        return CONNECT
    if keys & BROKER_SIGNS or _broker_listeners(values.get("listeners", "")):
        return BROKER
    name = path.rsplit("/", 1)[-1].lower()
    if _other(values):
        return _server(name, values)
    if LIBRDKAFKA_MARK in data:
        return LIBRDKAFKA
    if _ancient(values):
        return _server(name, values)
    return _broker_by_hints(name, values) or _client(name, values)


def _other_syntax(data: bytes, values: dict[str, str]) -> str | None:
    """What a file is that is no properties file at all: INI, HOCON, Logstash, JAAS.

    "" for one that is nobody's of ours, None for a file that may be properties.
    """
    if any(key.startswith("[") and key.endswith("]") and not values[key] for key in values):
        return OTHER if values.keys() & {"bootstrap.servers", "metadata.broker.list"} else ""
    braces = any(key.startswith("}") for key in values) and any(
        key.endswith("{") or value.endswith("{") for key, value in values.items()
    )
    if not braces:
        return None
    if b"bootstrap_servers" in data and b"=>" in data:
        return FOREIGN_CLIENT
    kafkas = (b"bootstrap.servers", b"org.apache.kafka.", b"KafkaServer", b"KafkaClient")
    return OTHER if any(mark in data for mark in kafkas) else ""


def _framework(values: dict[str, str]) -> str | None:
    """Spring, MicroProfile or MirrorMaker 2; "" for a Spring file without Kafka in it."""
    keys = values.keys()
    if any(key.startswith("spring.") for key in keys):
        if any(key.startswith(_SPRING) for key in keys):
            return SPRING
        return OTHER if "bootstrap.servers" in keys else ""
    if any(key.startswith("micronaut.") for key in keys) and any(
        key.startswith("kafka.") for key in keys
    ):
        return MICRONAUT
    plain = {key.partition(".")[2] if key.startswith("%") else key for key in keys}
    if any(key.startswith(_MICROPROFILE) for key in plain) or (
        "kafka.bootstrap.servers" in plain and any(key.startswith("quarkus.") for key in plain)
    ):
        return MICROPROFILE
    if any("." in key.partition("->")[2] for key in keys):
        return MIRROR
    if "clusters" in keys and any(key.endswith(".bootstrap.servers") for key in keys):
        return MIRROR
    return None


def _broker_listeners(text: str) -> bool:
    """Whether these are Kafka's listeners; the REST servers' speak HTTP."""
    return "://" in text and "http://" not in text.lower() and "https://" not in text.lower()


def _other(values: dict[str, str]) -> bool:
    """The REST Proxy, Schema Registry, ksqlDB, Control Center, Cruise Control …"""
    keys, kafka = values.keys(), _connects(values)
    if kafka and "://" in values.get("listeners", ""):
        return True
    if any(key.startswith(_OTHER_PREFIXES) for key in keys):
        return kafka or "listeners" in keys
    if any(key.startswith(_GUEST_PREFIXES) for key in keys) and not (
        keys & (PRODUCER_KEYS | CONSUMER_KEYS | LIBRDKAFKA_KEYS | CREDENTIALS)
        or keys & {"security.protocol", "sasl.jaas.config", "application.id"}
    ):
        return kafka or "listeners" in keys
    return False


def _connects(values: dict[str, str]) -> bool:
    """Whether the file tells, under whatever prefix, where a cluster is."""
    return "zookeeper.connect" in values or any(k.endswith("bootstrap.servers") for k in values)


def _ancient(values: dict[str, str]) -> bool:
    """Whether only Kafka's first clients know one of the keys, and the file tells of brokers."""
    keys = values.keys()
    return bool(keys & _ANCIENT) and (_connects(values) or "metadata.broker.list" in keys)


def _server(name: str, values: dict[str, str]) -> str:
    """Which of the servers around Kafka this is, where its clients are read."""
    keys = values.keys()
    if any(key.startswith("kafkastore.") for key in keys):
        return SCHEMA_REGISTRY
    if any(key.startswith("ksql.") for key in keys):
        return KSQLDB
    proxies = ("client.", "producer.", "consumer.", "admin.", "kafka.rest.")
    http = "http" in values.get("listeners", "").lower()
    named = "rest" in name or "schema.registry.url" in keys
    mine = http or "id" in keys or any(key.startswith(proxies) for key in keys)
    return REST_PROXY if named and mine and "bootstrap.servers" in keys else OTHER


def _broker_by_hints(name: str, values: dict[str, str]) -> str | None:
    keys = values.keys()
    hints = keys & BROKER_HINTS
    if not hints or _speaks(values) or keys & {"group.id", "application.id"}:
        return None
    if len(hints) >= 2 or keys & _SHARED_HINTS:
        return BROKER
    clients = (PRODUCER_KEYS | CONSUMER_KEYS) - _SHARED_HINTS
    named = any(word in name for word in _BROKER_NAMES)
    return BROKER if named and not keys & clients else None


#: What the admin client alone reads.
CONTROLLERS = "bootstrap.controllers"


def _speaks(values: dict[str, str]) -> bool:
    """Whether somebody who connects to brokers wrote this."""
    protocol = values.get("security.protocol", "")
    addressed = "bootstrap.servers" in values or CONTROLLERS in values
    return addressed or protocol in _PROTOCOLS or templated(protocol)


def _client(name: str, values: dict[str, str]) -> str | None:
    keys = values.keys()
    speaks = _speaks(values)
    if "application.id" in keys and (speaks or keys & _STREAMS_KEYS):
        return STREAMS
    # One such name beside a JAAS configuration is a slip in a Java client's file.
    if len(keys & LIBRDKAFKA_KEYS) > ("sasl.jaas.config" in keys):
        return LIBRDKAFKA
    if speaks or {"sasl.jaas.config", "sasl.mechanism"} <= keys:
        return CLIENT
    for word, own in (("producer", PRODUCER_KEYS), ("consumer", CONSUMER_KEYS)):
        mine = keys & own
        if (len(mine) >= 2 and mine - _GENERIC) or (mine and word in name):
            return CLIENT
    if "sasl.jaas.config" in keys or any(key.endswith("bootstrap.servers") for key in keys):
        return OTHER
    return None


def named_kind(name: str) -> str:
    """The kind of client that a name in small letters says; "" where it says none, or several."""
    by_name = [kind for kind in ("producer", "consumer", "admin") if kind in name]
    return by_name[0] if len(by_name) == 1 else ""


def client_kind(name: str, keys: set[str]) -> str:
    """Producer or consumer by the keys; by the file's name where they say nothing; else client."""
    producer, consumer = bool(PRODUCER_KEYS & keys), bool(CONSUMER_KEYS & keys)
    if producer != consumer:
        return "producer" if producer else "consumer"
    if CONTROLLERS in keys and not producer:
        return "admin"
    return named_kind(name) or "client"
