"""Keys that Kafka weighs against each other, by the slug of the relation, and texts with a grammar.

A recipe's numbers are drawn from the defaults and bounds of all its keys and their neighbours, so
that every relation among them is met from both sides.
"""

from __future__ import annotations

from cases import BROKERS

_KRAFT = ("broker", "controller", "combined")
_GROUPS = ("consumer", "share", "streams")
_CONSUMERS = ("consumer",)
_WORKERS = ("connect-distributed",)


def _span(kind: str, name: str) -> tuple[str, ...]:
    return tuple(f"group.{kind}.{word}{name}" for word in ("min.", "", "max."))


#: slug → (planes, keys). Where keys belong to the broker of a topic or group they start with ``^``.
RECIPES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    # -- identity and the quorum
    "node-id-equals-broker-id": (BROKERS, ("node.id", "broker.id")),
    "broker-id-range-zk": (
        ("zookeeper",),
        ("broker.id", "node.id", "reserved.broker.max.id", "broker.id.generation.enable"),
    ),
    "quorum-endpoints-present": (
        _KRAFT,
        ("controller.quorum.voters", "controller.quorum.bootstrap.servers"),
    ),
    "controller-in-voters": (_KRAFT, ("node.id", "controller.quorum.voters", "process.roles")),
    "controller-listener-names": (
        _KRAFT,
        (
            "controller.listener.names",
            "listeners",
            "advertised.listeners",
            "listener.security.protocol.map",
        ),
    ),
    "controller-listener-not-inter-broker": (
        _KRAFT,
        (
            "controller.listener.names",
            "inter.broker.listener.name",
            "security.inter.broker.protocol",
            "listeners",
            "listener.security.protocol.map",
        ),
    ),
    "control-plane-listener": (
        BROKERS,
        (
            "control.plane.listener.name",
            "listeners",
            "listener.security.protocol.map",
            "inter.broker.listener.name",
        ),
    ),
    "controller-names-empty-in-zk": (
        ("zookeeper",),
        (
            "controller.listener.names",
            "controller.quorum.voters",
            "zookeeper.metadata.migration.enable",
        ),
    ),
    "zk-migration-set": (
        ("zookeeper", "controller", "combined"),
        (
            "zookeeper.metadata.migration.enable",
            "controller.quorum.voters",
            "controller.listener.names",
            "inter.broker.protocol.version",
            "log.dirs",
            "zookeeper.connect",
            "broker.id.generation.enable",
        ),
    ),
    "zk-connect-required": (("zookeeper",), ("zookeeper.connect", "process.roles")),
    "early-start-listeners": (_KRAFT, ("early.start.listeners", "listeners", "process.roles")),
    "auto-join-only-controllers": (
        _KRAFT,
        (
            "controller.quorum.auto.join.enable",
            "controller.quorum.bootstrap.servers",
            "process.roles",
        ),
    ),
    "cordoned-dirs": (_KRAFT, ("cordoned.log.dirs", "log.dirs", "log.dir")),
    "heartbeat-vs-broker-session": (
        _KRAFT,
        ("broker.heartbeat.interval.ms", "broker.session.timeout.ms"),
    ),
    "metadata-segment-min": (
        _KRAFT,
        ("metadata.log.segment.bytes", "metadata.log.segment.min.bytes"),
    ),
    # -- listeners
    "listener-names-distinct": (BROKERS, ("listeners", "advertised.listeners")),
    "listener-protocol-map-complete": (
        BROKERS,
        ("listeners", "advertised.listeners", "listener.security.protocol.map"),
    ),
    "advertised-subset-of-listeners": (BROKERS, ("listeners", "advertised.listeners")),
    "inter-broker-one-of": (
        BROKERS,
        (
            "listeners",
            "advertised.listeners",
            "inter.broker.listener.name",
            "security.inter.broker.protocol",
            "listener.security.protocol.map",
        ),
    ),
    "sec-interbroker-mech": (
        BROKERS,
        (
            "security.inter.broker.protocol",
            "sasl.mechanism.inter.broker.protocol",
            "sasl.enabled.mechanisms",
            "listeners",
        ),
    ),
    # -- storage
    "log-dirs-nonempty": (BROKERS, ("log.dirs", "log.dir")),
    "log-roll-positive": (
        BROKERS,
        ("log.roll.ms", "log.roll.hours", "log.roll.jitter.ms", "log.roll.jitter.hours"),
    ),
    "log-retention-nonzero": (
        BROKERS,
        ("log.retention.ms", "log.retention.minutes", "log.retention.hours"),
    ),
    "cleaner-dedupe-per-thread": (
        BROKERS,
        ("log.cleaner.dedupe.buffer.size", "log.cleaner.threads", "log.cleaner.enable"),
    ),
    "cleaner-lag-order-broker": (
        BROKERS,
        ("log.cleaner.min.compaction.lag.ms", "log.cleaner.max.compaction.lag.ms"),
    ),
    "local-le-total-broker": (
        BROKERS,
        (
            "remote.log.storage.system.enable",
            "log.local.retention.ms",
            "log.retention.ms",
            "log.retention.hours",
            "log.local.retention.bytes",
            "log.retention.bytes",
        ),
    ),
    "tier-jbod": (BROKERS, ("remote.log.storage.system.enable", "log.dirs", "log.dir")),
    "tier-threads": (
        BROKERS,
        (
            "remote.log.manager.thread.pool.size",
            "remote.log.manager.copier.thread.pool.size",
            "remote.log.manager.expiration.thread.pool.size",
            "remote.log.manager.follower.thread.pool.size",
        ),
    ),
    "log-message-format-vs-ibp": (
        BROKERS,
        (
            "log.message.format.version",
            "inter.broker.protocol.version",
            "offsets.topic.compression.codec",
            "compression.type",
        ),
    ),
    "flush-ms-needs-scheduler": (
        BROKERS,
        ("log.flush.interval.ms", "log.flush.scheduler.interval.ms"),
    ),
    "timestamp-difference-legacy": (
        BROKERS,
        (
            "log.message.timestamp.difference.max.ms",
            "log.message.timestamp.before.max.ms",
            "log.message.timestamp.after.max.ms",
        ),
    ),
    "max-conn-ip-zero": (
        BROKERS,
        ("max.connections.per.ip", "max.connections.per.ip.overrides"),
    ),
    "failed-auth-delay": (
        BROKERS,
        ("connection.failed.authentication.delay.ms", "connections.max.idle.ms"),
    ),
    "msg-queued-bytes": (BROKERS, ("queued.max.request.bytes", "socket.request.max.bytes")),
    "replica-fetch-wait": (
        BROKERS,
        ("replica.fetch.wait.max.ms", "replica.socket.timeout.ms", "replica.lag.time.max.ms"),
    ),
    "offset-commit-acks": (
        BROKERS,
        ("offsets.commit.required.acks", "offsets.topic.replication.factor"),
    ),
    "delegation-lifetimes": (
        BROKERS,
        ("delegation.token.expiry.time.ms", "delegation.token.max.lifetime.ms"),
    ),
    # -- groups
    "rebalance-protocols-classic": (
        BROKERS,
        ("group.coordinator.rebalance.protocols", "group.coordinator.new.enable"),
    ),
    **{f"{kind}-session-bounds": (BROKERS, _span(kind, "session.timeout.ms")) for kind in _GROUPS},
    **{
        f"{kind}-heartbeat-bounds": (BROKERS, _span(kind, "heartbeat.interval.ms"))
        for kind in _GROUPS
    },
    **{
        f"{kind}-heartbeat-lt-session": (
            BROKERS,
            (
                *_span(kind, "session.timeout.ms"),
                *_span(kind, "heartbeat.interval.ms"),
            ),
        )
        for kind in _GROUPS
    },
    **{
        f"{kind}-assignment-interval-bounds": (BROKERS, _span(kind, "assignment.interval.ms"))
        for kind in _GROUPS
    },
    "share-lock-bounds": (BROKERS, _span("share", "record.lock.duration.ms")),
    "share-delivery-limit": (BROKERS, _span("share", "delivery.count.limit")),
    "share-locks": (BROKERS, _span("share", "partition.max.record.locks")),
    "streams-standby-bounds": (
        BROKERS,
        ("group.streams.num.standby.replicas", "group.streams.max.standby.replicas"),
    ),
    "streams-task-offset-bounds": (
        BROKERS,
        ("group.streams.task.offset.interval.ms", "group.streams.min.task.offset.interval.ms"),
    ),
    "streams-warmup-bounds": (
        BROKERS,
        ("group.streams.num.warmup.replicas", "group.streams.max.warmup.replicas"),
    ),
    "new-assignors": (
        BROKERS,
        ("group.consumer.assignors", "group.coordinator.rebalance.protocols"),
    ),
    "share-assignors": (BROKERS, ("group.share.assignors",)),
    # -- topics
    "compaction-lag-order": (
        ("topic",),
        (
            "min.compaction.lag.ms",
            "max.compaction.lag.ms",
            "^log.cleaner.min.compaction.lag.ms",
            "^log.cleaner.max.compaction.lag.ms",
        ),
    ),
    "tier-topic-needs-system": (
        ("topic",),
        ("remote.storage.enable", "^remote.log.storage.system.enable", "cleanup.policy"),
    ),
    "tier-local-ms": (
        ("topic",),
        (
            "remote.storage.enable",
            "^remote.log.storage.system.enable",
            "local.retention.ms",
            "retention.ms",
            "^log.retention.ms",
            "^log.local.retention.ms",
        ),
    ),
    "tier-local-bytes": (
        ("topic",),
        (
            "remote.storage.enable",
            "^remote.log.storage.system.enable",
            "local.retention.bytes",
            "retention.bytes",
            "^log.retention.bytes",
            "^log.local.retention.bytes",
        ),
    ),
    "tier-copy-disable": (
        ("topic",),
        (
            "remote.storage.enable",
            "^remote.log.storage.system.enable",
            "remote.log.copy.disable",
            "local.retention.ms",
            "retention.ms",
            "local.retention.bytes",
            "retention.bytes",
        ),
    ),
    "tier-delete-on-disable": (
        ("topic",),
        (
            "remote.storage.enable",
            "^remote.log.storage.system.enable",
            "remote.log.delete.on.disable",
            "remote.log.copy.disable",
            "^zookeeper.connect",
        ),
    ),
    "tier-copy-lag": (
        ("topic",),
        (
            "remote.storage.enable",
            "^remote.log.storage.system.enable",
            "remote.copy.lag.ms",
            "local.retention.ms",
            "retention.ms",
            "remote.copy.lag.bytes",
            "local.retention.bytes",
            "retention.bytes",
        ),
    ),
    "topic-fallbacks": (
        ("topic",),
        (
            "retention.ms",
            "^log.retention.ms",
            "^log.retention.minutes",
            "^log.retention.hours",
            "segment.ms",
            "^log.roll.ms",
            "^log.roll.hours",
            "flush.ms",
            "^log.flush.interval.ms",
            "^log.flush.scheduler.interval.ms",
            "segment.jitter.ms",
            "^log.roll.jitter.hours",
        ),
    ),
    "topic-timestamps": (
        ("topic",),
        (
            "message.timestamp.difference.max.ms",
            "message.timestamp.before.max.ms",
            "message.timestamp.after.max.ms",
            "^log.message.timestamp.difference.max.ms",
            "^log.message.timestamp.before.max.ms",
        ),
    ),
    # -- producers
    "idempotence": (
        ("producer",),
        (
            "enable.idempotence",
            "acks",
            "retries",
            "max.in.flight.requests.per.connection",
            "transactional.id",
        ),
    ),
    "delivery-timeout-sum": (
        ("producer",),
        ("delivery.timeout.ms", "linger.ms", "request.timeout.ms"),
    ),
    "txn-2pc": (
        ("producer",),
        ("transaction.two.phase.commit.enable", "transaction.timeout.ms", "transactional.id"),
    ),
    "partitioner-rack-aware": (
        ("producer",),
        ("partitioner.rack.aware", "client.rack", "partitioner.ignore.keys"),
    ),
    "producer-classes": (
        ("producer",),
        ("key.serializer", "value.serializer", "partitioner.class", "metric.reporters"),
    ),
    "consumer-classes": (
        ("consumer",),
        ("key.deserializer", "value.deserializer", "metric.reporters"),
    ),
    **{
        f"{plane}-stores": (
            (plane,),
            (
                "security.protocol",
                "ssl.keystore.type",
                "ssl.keystore.key",
                "ssl.keystore.password",
                "ssl.truststore.type",
                "ssl.truststore.certificates",
                "ssl.truststore.password",
            ),
        )
        for plane in ("producer", "consumer", "admin")
    },
    "batch-zero": (("producer",), ("batch.size", "buffer.memory", "max.request.size")),
    **{
        f"{plane}-backoff": (
            (plane,),
            (
                "reconnect.backoff.ms",
                "reconnect.backoff.max.ms",
                "retry.backoff.ms",
                "retry.backoff.max.ms",
                "socket.connection.setup.timeout.ms",
                "socket.connection.setup.timeout.max.ms",
            ),
        )
        for plane in ("producer", "consumer", "admin")
    },
    **{
        f"{plane}-security": (
            (plane,),
            ("security.protocol", "sasl.mechanism", "sasl.jaas.config"),
        )
        for plane in ("producer", "consumer", "admin")
    },
    # -- consumers
    "heartbeat-lt-session": (
        ("consumer",),
        ("heartbeat.interval.ms", "session.timeout.ms", "group.id", "group.protocol"),
    ),
    "worker-heartbeat-lt-session": (
        ("connect-distributed",),
        ("heartbeat.interval.ms", "session.timeout.ms"),
    ),
    "group-protocol-forbidden": (
        ("consumer",),
        (
            "group.protocol",
            "partition.assignment.strategy",
            "heartbeat.interval.ms",
            "session.timeout.ms",
            "group.remote.assignor",
            "group.id",
        ),
    ),
    "autocommit-without-group": (
        ("consumer",),
        ("group.id", "enable.auto.commit", "group.instance.id"),
    ),
    "share-ack-mode-classic": (
        ("consumer",),
        ("share.acknowledgement.mode", "share.acquire.mode", "group.protocol"),
    ),
    "share-consumer-forbidden": (
        ("share-consumer",),
        (
            "auto.offset.reset",
            "enable.auto.commit",
            "group.instance.id",
            "isolation.level",
            "partition.assignment.strategy",
            "interceptor.classes",
            "session.timeout.ms",
            "heartbeat.interval.ms",
            "group.protocol",
            "group.remote.assignor",
            "share.acknowledgement.mode",
            "share.acquire.mode",
        ),
    ),
    "assignor-nonempty": (("consumer",), ("partition.assignment.strategy", "group.protocol")),
    "group-instance": (("consumer",), ("group.instance.id", "group.id")),
    # -- admin
    "admin-api-timeout": (("admin",), ("default.api.timeout.ms", "request.timeout.ms")),
    "bootstrap-controllers-exclusive": (
        ("admin",),
        ("bootstrap.servers", "bootstrap.controllers"),
    ),
    "bootstrap-resolvable": (("producer", "consumer", "admin"), ("bootstrap.servers",)),
    # -- Streams
    "streams-eos": (
        ("streams",),
        (
            "processing.guarantee",
            "commit.interval.ms",
            "producer.transaction.timeout.ms",
            "transaction.timeout.ms",
            "producer.max.in.flight.requests.per.connection",
            "max.in.flight.requests.per.connection",
            "producer.delivery.timeout.ms",
        ),
    ),
    "streams-forced-client": (
        ("streams",),
        (
            "processing.guarantee",
            "enable.auto.commit",
            "consumer.enable.auto.commit",
            "main.consumer.enable.auto.commit",
            "isolation.level",
            "consumer.isolation.level",
            "main.consumer.isolation.level",
            "producer.enable.idempotence",
            "enable.idempotence",
            "consumer.group.protocol",
            "consumer.allow.auto.create.topics",
        ),
    ),
    "streams-topic-segment": (
        ("streams",),
        ("topic.segment.bytes", "producer.batch.size", "batch.size", "segment.bytes"),
    ),
    "streams-tags": (
        ("streams",),
        ("rack.aware.assignment.tags", "client.tag.zone", "client.tag.cluster"),
    ),
    "streams-topology-opt": (("streams",), ("topology.optimization",)),
    "streams-static": (
        ("streams",),
        ("group.protocol", "group.instance.id", "num.standby.replicas", "processing.guarantee"),
    ),
    "streams-metrics-push": (
        ("streams",),
        (
            "enable.metrics.push",
            "main.consumer.enable.metrics.push",
            "consumer.enable.metrics.push",
            "admin.enable.metrics.push",
        ),
    ),
    "streams-consumer": (
        ("streams",),
        (
            "session.timeout.ms",
            "heartbeat.interval.ms",
            "consumer.session.timeout.ms",
            "main.consumer.heartbeat.interval.ms",
            "max.poll.interval.ms",
        ),
    ),
    "streams-delivery": (
        ("streams",),
        (
            "producer.delivery.timeout.ms",
            "producer.linger.ms",
            "request.timeout.ms",
            "producer.request.timeout.ms",
            "linger.ms",
        ),
    ),
    "streams-producer": (
        ("streams",),
        ("acks", "producer.acks", "retries", "producer.enable.idempotence", "processing.guarantee"),
    ),
    "streams-cache": (("streams",), ("statestore.cache.max.bytes", "cache.max.bytes.buffering")),
    # -- Connect
    "connect-signature-in-verification": (
        ("connect-distributed",),
        (
            "inter.worker.signature.algorithm",
            "inter.worker.verification.algorithms",
            "inter.worker.key.generation.algorithm",
            "inter.worker.key.size",
            "connect.protocol",
        ),
    ),
    "connect-producer-defaults": (
        ("connect-distributed", "connect-standalone"),
        (
            "producer.acks",
            "producer.enable.idempotence",
            "producer.max.in.flight.requests.per.connection",
            "producer.delivery.timeout.ms",
            "producer.linger.ms",
            "producer.request.timeout.ms",
            "consumer.session.timeout.ms",
            "exactly.once.source.support",
        ),
    ),
    "connect-listeners": (
        ("connect-distributed", "connect-standalone"),
        ("listeners", "rest.advertised.listener", "admin.listeners"),
    ),
    "connect-sink-topics": (("sink-connector",), ("topics", "topics.regex")),
    "connect-sink-dlq-not-input": (
        ("sink-connector",),
        ("topics", "topics.regex", "errors.deadletterqueue.topic.name", "errors.tolerance"),
    ),
    "connect-transforms": (
        ("source-connector", "sink-connector"),
        (
            "transforms",
            "transforms.a.type",
            "transforms.a.fields",
            "transforms.a.predicate",
            "transforms.a.negate",
            "transforms.b.type",
            "predicates",
            "predicates.p.type",
            "predicates.p.pattern",
        ),
    ),
    "connect-converters": (
        ("source-connector", "sink-connector", "connect-distributed"),
        ("key.converter", "value.converter", "header.converter"),
    ),
    "connect-topic-creation": (
        ("source-connector",),
        (
            "topic.creation.groups",
            "topic.creation.default.replication.factor",
            "topic.creation.default.partitions",
            "topic.creation.inorder.include",
            "topic.creation.inorder.replication.factor",
            "topic.creation.inorder.partitions",
        ),
    ),
    "connect-eos-transaction-boundary": (
        ("source-connector",),
        ("transaction.boundary", "transaction.boundary.interval.ms", "exactly.once.support"),
    ),
    # -- MirrorMaker
    "mm2-offset-syncs-needed": (
        ("mirror-source",),
        (
            "emit.offset-syncs.enabled",
            "offset-syncs.topic.location",
            "offset-syncs.topic.replication.factor",
        ),
    ),
    "mm2-sync-groups": (
        ("mirror-checkpoint",),
        ("emit.offset-syncs.enabled", "emit.checkpoints.enabled", "sync.group.offsets.enabled"),
    ),
    "mm2-eos-read-committed": (
        ("mirror-source",),
        (
            "exactly.once.support",
            "consumer.isolation.level",
            "source.consumer.isolation.level",
        ),
    ),
    # -- group resources
    **{
        f"group-{kind}-resource-bounds": (
            ("group",),
            (
                f"{kind}.session.timeout.ms",
                f"{kind}.heartbeat.interval.ms",
                f"^group.{kind}.min.session.timeout.ms",
                f"^group.{kind}.max.heartbeat.interval.ms",
            ),
        )
        for kind in _GROUPS
    },
    "group-share-lock-bounds": (
        ("group",),
        (
            "share.record.lock.duration.ms",
            "share.delivery.count.limit",
            "share.partition.max.record.locks",
            "^group.share.max.record.lock.duration.ms",
        ),
    ),
    "group-streams-standby-bounds": (
        ("group",),
        ("streams.num.standby.replicas", "^group.streams.max.standby.replicas"),
    ),
    "group-assignment-bounds": (
        ("group",),
        (
            "consumer.assignment.interval.ms",
            "share.assignment.interval.ms",
            "streams.assignment.interval.ms",
            "^group.consumer.max.assignment.interval.ms",
        ),
    ),
    "group-rack-tags": (("group",), ("streams.rack.aware.assignment.tags",)),
}

_HOSTS = ("", "localhost", "0.0.0.0", "127.0.0.1", "[::1]", "k1", "::1", "k_1")
_NAMES = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL", "CONTROLLER", "INTERNAL", "controller")
_PORTS = ("9092", "9093", "9094", "0", "-1", "70000", "99999999999", "", "x")
_ASSIGNORS = "org.apache.kafka.clients.consumer."
_TRANSFORMS = "org.apache.kafka.connect.transforms."
_STORAGE = "org.apache.kafka.connect.storage."
_SERIALIZATION = "org.apache.kafka.common.serialization."
_GROUP_ASSIGNORS = "org.apache.kafka.coordinator.group.assignor."

#: Words of keys whose values have a grammar of their own; the generator joins several of a list.
WORDS: dict[str, tuple[str, ...]] = {
    "process.roles": (
        "broker",
        "controller",
        "broker,controller",
        "controller,broker",
        "broker,broker",
        "",
        "Broker",
        "broker,",
    ),
    "controller.listener.names": (
        "CONTROLLER",
        "controller",
        "PLAINTEXT",
        "SSL",
        "CONTROLLER,PLAINTEXT",
        "CONTROLLER, SSL",
        "CONTROLLER,CONTROLLER",
        "",
        "INTERNAL",
        "CONTROLLER,",
    ),
    "inter.broker.listener.name": ("PLAINTEXT", "CONTROLLER", "INTERNAL", "internal", "SSL", ""),
    "security.inter.broker.protocol": (
        "PLAINTEXT",
        "SSL",
        "SASL_PLAINTEXT",
        "SASL_SSL",
        "ssl",
        "NONE",
        "",
    ),
    "control.plane.listener.name": ("CONTROLLER", "PLAINTEXT", "INTERNAL", ""),
    "early.start.listeners": (
        "CONTROLLER",
        "PLAINTEXT",
        "controller",
        "",
        "CONTROLLER,PLAINTEXT",
        "NONE",
    ),
    "controller.quorum.voters": (
        "1@localhost:9093",
        "2@localhost:9093",
        "1@k1:9093,2@k2:9093,3@k3:9093",
        "",
        "1@0.0.0.0:9093",
        "1@0.0.0.0:0",
        "9@k9:9093",
        "1@localhost",
        "x@localhost:9093",
        "1@localhost:70000",
        "1@localhost:9093,",
        "1@localhost:9093, 2@k2:9093",
        "-1@localhost:9093",
        "1@[::1]:9093",
    ),
    "controller.quorum.bootstrap.servers": (
        "localhost:9093",
        "k1:9093,k2:9093",
        "",
        "localhost",
        "k1:9093,",
        "k1:70000",
    ),
    "zookeeper.connect": ("localhost:2181", "", "k1:2181,k2:2181/kafka"),
    "group.coordinator.rebalance.protocols": (
        "classic",
        "consumer",
        "classic,consumer",
        "classic,consumer,share",
        "classic,share",
        "classic,streams",
        "share",
        "",
        "Classic",
        "CLASSIC,CONSUMER",
        "classic,unknown",
        "classic,consumer,streams",
        "classic,classic",
    ),
    "group.consumer.assignors": (
        "uniform",
        "range",
        "uniform,range",
        "uniform,uniform",
        "",
        "Uniform",
        f"{_GROUP_ASSIGNORS}UniformAssignor",
        f"{_GROUP_ASSIGNORS}RangeAssignor,{_GROUP_ASSIGNORS}UniformAssignor",
        f"range,{_GROUP_ASSIGNORS}RangeAssignor",
        "sticky",
        "range,",
    ),
    "group.share.assignors": (
        "simple",
        "",
        "simple,simple",
        "Simple",
        "range",
        f"{_GROUP_ASSIGNORS}SimpleAssignor",
        "simple,",
    ),
    "group.streams.assignors": ("sticky", "", "sticky,sticky", "simple", "Sticky"),
    "partition.assignment.strategy": (
        "",
        f"{_ASSIGNORS}RangeAssignor",
        f"{_ASSIGNORS}RangeAssignor,{_ASSIGNORS}RangeAssignor",
        f"{_ASSIGNORS}CooperativeStickyAssignor",
        f"{_ASSIGNORS}RangeAssignor,{_ASSIGNORS}StickyAssignor",
        f"{_ASSIGNORS}RangeAssignor,",
    ),
    "max.connections.per.ip.overrides": (
        "127.0.0.1:5",
        "localhost:0",
        "",
        "127.0.0.1",
        "127.0.0.1:x",
        "::1:3",
        "[::1]:3",
        "127.0.0.1:-1",
        "127.0.0.1:1,localhost:2",
        "k_1:5",
        "k 1:5",
        "127.0.0.1:2147483648",
    ),
    "log.dirs": (
        "/data/a",
        "/data/a,/data/b",
        "",
        ",",
        "/data/a,",
        "/data/a,/data/a",
        " /data/a , /data/b ",
    ),
    "log.dir": ("/data/c", "", "/data/a,/data/b"),
    "cordoned.log.dirs": (
        "",
        "*",
        "/data/a",
        "/data/b",
        "/data/x",
        "*,/data/a",
        "/data/a,/data/b",
        "/data/kafka",
        "/data/a,",
    ),
    "sasl.mechanism.inter.broker.protocol": ("GSSAPI", "PLAIN", "SCRAM-SHA-256", "plain", ""),
    "sasl.enabled.mechanisms": (
        "GSSAPI",
        "PLAIN",
        "PLAIN,SCRAM-SHA-256",
        "",
        "GSSAPI,PLAIN",
        "PLAIN,",
    ),
    "inter.broker.protocol.version": (
        "0.8.0",
        "0.10.2",
        "0.11.0",
        "1.0",
        "2.0",
        "2.1",
        "2.8",
        "3.0",
        "3.3",
        "3.4",
        "3.6",
        "3.7-IV2",
        "3.9",
        "4.0",
        "2.1-IV1",
        "3.3-IV3",
        "x",
        "",
    ),
    "log.message.format.version": (
        "0.8.0",
        "0.9.0",
        "0.10.2",
        "0.11.0",
        "1.0",
        "2.0",
        "2.8",
        "3.0",
        "3.9",
        "4.0",
        "x",
        "3.0-IV1",
    ),
    "offsets.topic.compression.codec": ("0", "1", "2", "3", "4", "5", "-1", "zstd"),
    "compression.type": (
        "producer",
        "zstd",
        "lz4",
        "none",
        "uncompressed",
        "GZIP",
        "gzip",
        "snappy",
        "",
    ),
    "acks": ("all", "-1", "0", "1", "2", "ALL", ""),
    "retries": ("0", "1", "2147483647", "-1", ""),
    "max.in.flight.requests.per.connection": ("1", "5", "6", "0", "100"),
    "transactional.id": ("t", "", " ", "orders-1"),
    "security.protocol": (
        "PLAINTEXT",
        "SASL_PLAINTEXT",
        "SASL_SSL",
        "SSL",
        "ssl",
        "sasl_plaintext",
        "TLS",
        "",
    ),
    "sasl.mechanism": ("PLAIN", "SCRAM-SHA-512", "GSSAPI", "", "OAUTHBEARER"),
    "sasl.jaas.config": (
        'org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="b";',
        'org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="b"',
        'org.apache.kafka.common.security.scram.ScramLoginModule required username="a" password="b";',
        "org.apache.kafka.common.security.plain.PlainLoginModule required username=a password=b;",
        'org.apache.kafka.common.security.plain.PlainLoginModule username="a" password="b";',
        'org.apache.kafka.common.security.plain.PlainLoginModule required username="a password="b";',
        "",
        "org.apache.kafka.common.security.plain.PlainLoginModule required;"
        "org.apache.kafka.common.security.plain.PlainLoginModule required;",
        "com.sun.security.auth.module.JndiLoginModule required;",
    ),
    "group.id": ("g", "", " ", "billing", "a group"),
    "group.instance.id": ("i", "", " ", "a/b", "i" * 250, "i" * 249, "a.b", ".", ".."),
    "group.protocol": (
        "classic",
        "consumer",
        "CONSUMER",
        "Classic",
        "share",
        "streams",
        "STREAMS",
        "",
    ),
    "group.remote.assignor": ("uniform", "range", "", "sticky"),
    "share.acknowledgement.mode": ("implicit", "explicit", "EXPLICIT", "none", ""),
    "share.acquire.mode": ("batch_optimized", "record_limit", "BATCH_OPTIMIZED", "none", ""),
    "bootstrap.servers": (
        "localhost:1",
        "localhost:1,",
        "localhost",
        "localhost:1;k1:2",
        "",
        "localhost:1,nosuch.invalid:2",
        "k1:70000",
        "k1:x",
        "http://localhost:1",
        "PLAINTEXT://localhost:1",
        " localhost:1 , k1:2 ",
        "[::1]:1",
        ":1",
    ),
    "bootstrap.controllers": ("localhost:1", "", "localhost"),
    "client.rack": ("a", "", " "),
    "processing.guarantee": (
        "at_least_once",
        "exactly_once",
        "exactly_once_v2",
        "exactly_once_beta",
        "EXACTLY_ONCE_V2",
        "",
    ),
    "topology.optimization": (
        "all",
        "none",
        "reuse.ktable.source.topics",
        "merge.repartition.topics",
        "reuse.ktable.source.topics,merge.repartition.topics",
        "all,none",
        "all,merge.repartition.topics",
        "single.store.self.join",
        "",
        "ALL",
        "unknown",
        "reuse.ktable.source.topics,",
    ),
    "rack.aware.assignment.tags": (
        "zone",
        "zone,cluster",
        "",
        "other",
        "zone,zone",
        "a,b,c,d,e,f",
        "zone,",
        "a" * 21,
    ),
    "client.tag.zone": ("eu-1", "", "z" * 31, "z" * 30),
    "client.tag.cluster": ("k8s", "z" * 31),
    "inter.worker.signature.algorithm": ("HmacSHA256", "HmacSHA1", "HmacMD5", "nosuch", ""),
    "inter.worker.verification.algorithms": (
        "HmacSHA256",
        "HmacSHA1,HmacSHA256",
        "HmacSHA1",
        "",
        "nosuch",
        "HmacSHA256,nosuch",
        "HmacSHA256,",
    ),
    "inter.worker.key.generation.algorithm": ("HmacSHA256", "HmacSHA1", "nosuch", ""),
    "inter.worker.key.size": ("128", "256", "0", "-1", "100", "3"),
    "connect.protocol": ("eager", "compatible", "sessioned", "SESSIONED", "none", ""),
    "exactly.once.source.support": ("disabled", "preparing", "enabled", "ENABLED", "required", ""),
    "rest.advertised.listener": ("http", "https", "HTTP", "ftp", ""),
    "admin.listeners": (
        "http://localhost:8080",
        "",
        "https://localhost:8443",
        "ftp://localhost:1",
        "localhost:8080",
        "http://localhost:8080,",
    ),
    "topics": ("orders", "orders,payments", "", "orders,", " orders , payments ", ","),
    "topics.regex": ("orders.*", "", "[", "orders"),
    "errors.deadletterqueue.topic.name": ("dlq", "orders", "", "orders.dlq"),
    "errors.tolerance": ("none", "all", "ALL", "some"),
    "topic.creation.groups": (
        "inorder",
        "",
        "default",
        "inorder,compacted",
        "inorder,inorder",
        "default,inorder",
    ),
    "topic.creation.default.replication.factor": ("-1", "3", "1", "0", "-2"),
    "topic.creation.default.partitions": ("-1", "3", "1", "0", "-2"),
    "topic.creation.inorder.include": ("orders.*", "[", "", "a,b"),
    "topic.creation.inorder.replication.factor": ("-1", "3", "0", "-2", "x"),
    "topic.creation.inorder.partitions": ("-1", "3", "0", "-2"),
    "transaction.boundary": ("poll", "interval", "connector", "POLL", "none", ""),
    "exactly.once.support": ("requested", "required", "REQUIRED", "none", ""),
    "offset-syncs.topic.location": ("source", "target", "SOURCE", "both"),
    "isolation.level": ("read_committed", "read_uncommitted", "READ_COMMITTED", ""),
    "auto.offset.reset": (
        "earliest",
        "latest",
        "none",
        "EARLIEST",
        "by_duration:PT1H",
        "by_duration:P1D",
        "by_duration:1h",
        "by_duration:-PT1H",
        "by_duration:",
        "smallest",
        "by_duration:PT",
        "by_duration:P1DT2H3M4.5S",
        "by_duration:pt1h",
        "by_duration:P-1D",
        "by_duration:P1Y",
    ),
    "share.auto.offset.reset": ("earliest", "latest", "none", "by_duration:PT1H", "EARLIEST"),
    "cleanup.policy": (
        "delete",
        "compact",
        "compact,delete",
        "delete,compact",
        "",
        "Compact",
        "none",
        "compact,",
        "delete,delete",
        " compact , delete ",
    ),
    "streams.rack.aware.assignment.tags": ("zone", "zone,zone", "", "zone,cluster", "zone,"),
    "group.streams.rack.aware.assignment.tags": (
        "zone",
        "zone,zone",
        "",
        "zone,cluster",
        "a,b,c,d,e,f",
        "zone,",
    ),
    "unclean.leader.election.enable": ("true", "false"),
    # -- classes: right, of another kind, of another version, misspelt, somebody's own
    **dict.fromkeys(
        ("key.serializer", "value.serializer"),
        (
            f"{_SERIALIZATION}StringSerializer",
            f"{_SERIALIZATION}BooleanSerializer",
            f"{_SERIALIZATION}StringDeserializer",
            f"{_SERIALIZATION}StringSerialiser",
            "java.lang.String",
            "com.example.OrderSerializer",
            "",
        ),
    ),
    **dict.fromkeys(
        ("key.deserializer", "value.deserializer"),
        (
            f"{_SERIALIZATION}ByteArrayDeserializer",
            f"{_SERIALIZATION}UUIDDeserializer",
            f"{_SERIALIZATION}StringSerializer",
            f"{_SERIALIZATION}JsonDeserializer",
            "java.lang.Object",
            "",
        ),
    ),
    "partitioner.class": (
        "org.apache.kafka.clients.producer.RoundRobinPartitioner",
        "org.apache.kafka.clients.producer.UniformStickyPartitioner",
        "org.apache.kafka.clients.producer.internals.DefaultPartitioner",
        "org.apache.kafka.clients.consumer.RangeAssignor",
        "java.lang.String",
    ),
    "default.key.serde": (
        f"{_SERIALIZATION}Serdes$StringSerde",
        f"{_SERIALIZATION}Serdes.StringSerde",
        f"{_SERIALIZATION}Serdes$BooleanSerde",
        "com.example.OrderSerde",
    ),
    "metric.reporters": (
        "org.apache.kafka.common.metrics.JmxReporter",
        "java.lang.String",
        f"{_SERIALIZATION}StringSerializer",
        "",
        ",",
    ),
    **dict.fromkeys(
        ("key.converter", "value.converter"),
        (
            f"{_STORAGE}StringConverter",
            "org.apache.kafka.connect.json.JsonConverter",
            "org.apache.kafka.connect.converters.BooleanConverter",
            f"{_STORAGE}SimpleHeaderConverter",
            f"{_SERIALIZATION}StringSerializer",
            f"{_STORAGE}StringConvertor",
            "io.example.AvroConverter",
            "java.lang.String",
            "",
        ),
    ),
    "header.converter": (f"{_STORAGE}SimpleHeaderConverter", f"{_STORAGE}HeaderConvertor", ""),
    "transforms": ("a", "a", "a,b", "", "a,a", "a,", " a , b "),
    **dict.fromkeys(
        ("transforms.a.type", "transforms.b.type"),
        (
            f"{_TRANSFORMS}MaskField$Value",
            f"{_TRANSFORMS}ReplaceField$Key",
            f"{_TRANSFORMS}Filter",
            f"{_TRANSFORMS}MaskFields$Value",
            f"{_TRANSFORMS}predicates.RecordIsTombstone",
            "com.example.Mask",
            "",
        ),
    ),
    "transforms.a.fields": ("card", "", "a,b", "a,"),
    "transforms.a.predicate": ("p", "", "q"),
    "transforms.a.negate": ("true", "false", "maybe"),
    "predicates": ("p", "p", "", "p,p"),
    "predicates.p.type": (
        f"{_TRANSFORMS}predicates.TopicNameMatches",
        f"{_TRANSFORMS}predicates.RecordIsTombstone",
        f"{_TRANSFORMS}Filter",
        "",
    ),
    "predicates.p.pattern": ("orders.*", "[", "", "a|b"),
    # -- what TLS needs and cannot have together; no file is opened for it
    "ssl.keystore.type": ("PEM", "JKS", "PKCS12"),
    "ssl.truststore.type": ("PEM", "JKS", "PKCS12"),
    "ssl.keystore.key": ("x",),
    "ssl.keystore.password": ("secret", ""),
    "ssl.truststore.password": ("secret", ""),
    "ssl.truststore.certificates": ("x",),
}
#: Lists of listeners and of their protocols are put together from these.
LISTENERS = ("listeners", "advertised.listeners")
LISTENER_PARTS = (_NAMES, _HOSTS, _PORTS)
PROTOCOL_MAP = "listener.security.protocol.map"
PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_SSL", "SASL_PLAINTEXT", "plaintext", "TLS")
