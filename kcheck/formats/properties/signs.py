"""The keys by which a ``.properties`` file is known to be somebody's, and what the formats are called.

``properties_kinds`` asks for them, in its order.
"""

from __future__ import annotations

BROKER = "broker-properties"
CLIENT = "client-properties"
CONNECT = "connect-properties"
STREAMS = "streams-properties"
MIRROR = "mm2-properties"
#: A script whose commands write such files (commands/script_files.py).
SCRIPT = "script-files"
LIBRDKAFKA = "librdkafka"
SPRING = "spring-properties"
MICROPROFILE = "mp-properties"
SCHEMA_REGISTRY = "schema-registry"
REST_PROXY = "rest-proxy"
KSQLDB = "ksqldb"
CONTROL_CENTER = "control-center"
CRUISE_CONTROL = "cruise-control"
ZOOKEEPER = "zookeeper"
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
SHARED_HINTS = frozenset(
    {
        "min.insync.replicas",
        "unclean.leader.election.enable",
        "compression.type",
        "metric.reporters",
        "ssl.client.auth",
    }
)

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
STREAMS_KEYS = frozenset(
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
#: Names that only Java's clients know, of what librdkafka has under others.
JAVA_KEYS = frozenset(
    {
        "sasl.jaas.config",
        "ssl.truststore.location",
        "ssl.truststore.password",
        "ssl.truststore.type",
    }
)
#: A comment that says whose file it is.
LIBRDKAFKA_MARK = b"# librdkafka"
#: librdkafka's too, but also what people call the credentials in files of their own scripts.
CREDENTIALS = frozenset({"sasl.username", "sasl.password"})

#: What only Confluent's cluster links have beside the settings of a client.
LINK_KEYS = frozenset(
    {
        "link.mode",
        "link.name",
        "connection.mode",
        "local.listener.name",
        "acl.sync.enable",
        "auto.create.mirror.topics.enable",
        "consumer.offset.sync.enable",
        "topic.config.sync.ms",
        "topic.config.sync.rules",
    }
)
LINK_PREFIX = "cluster.link."

#: Common words: one of them beside one other key of a client says nothing yet.
GENERIC = frozenset({"group.id", "batch.size", "compression.type"})
#: The Scala clients of Kafka 0.8, whose names librdkafka took over in part.
ANCIENT = frozenset({"producer.type", "serializer.class", "consumer.timeout.ms"})

#: Other programs of the Kafka world, by keys of their own.
OTHER_PREFIXES = (
    "kafkastore.",
    "ksql.",
    "confluent.controlcenter.",
    "webserver.http.",  # Cruise Control
    "capacity.config.file",
    "metric.sampler.",
    "debezium.",
)
#: The same, but clients write these keys in their own files too.
GUEST_PREFIXES = ("schema.registry.", "topology.")
MICROPROFILE_PREFIXES = (
    "mp.messaging.",
    "kafka-streams.",
    "quarkus.kafka",
    "quarkus.reactive-messaging.",
)
SPRING_PREFIXES = ("spring.kafka.", "spring.cloud.stream.")
