"""What the producers and consumers inside Kafka Streams and Connect get for a key.

Both start from defaults of their own, take over settings of the outer program in their own ways,
and force a few, whatever the file says (StreamsConfig, Worker of runtime Connect).
"""

from __future__ import annotations

from kcheck import catalogue
from kcheck.graph.resolve import from_default, from_setting
from kcheck.model import DEFAULT, Resource, Setting, Value
from kcheck.version import Version

_INT_MAX = 2**31 - 1
_LONG_MAX = 2**63 - 1

_BYTES = "org.apache.kafka.common.serialization.ByteArray"
#: Both give bytes to their producers and take them from their consumers.
_SERIALIZERS: dict[tuple[str, str], object] = {
    ("producer", "key.serializer"): f"{_BYTES}Serializer",
    ("producer", "value.serializer"): f"{_BYTES}Serializer",
    ("consumer", "key.deserializer"): f"{_BYTES}Deserializer",
    ("consumer", "value.deserializer"): f"{_BYTES}Deserializer",
}
_STREAMS: dict[tuple[str, str], object] = {
    **_SERIALIZERS,
    ("producer", "linger.ms"): 100,
    ("consumer", "max.poll.records"): 1000,
    ("consumer", "auto.offset.reset"): "earliest",
}
_STREAMS_EXACTLY_ONCE: dict[tuple[str, str], object] = {
    ("producer", "delivery.timeout.ms"): _INT_MAX,
    # ProducerConfig alone would give a minute.
    ("producer", "transaction.timeout.ms"): 10_000,
}
_FORCED: dict[tuple[str, str], object] = {
    ("consumer", "enable.auto.commit"): False,
    ("consumer", "allow.auto.create.topics"): False,
}
_FORCED_EXACTLY_ONCE: dict[tuple[str, str], object] = {
    ("consumer", "isolation.level"): "read_committed",
    ("producer", "enable.idempotence"): True,
}
#: What a worker's producers of source records get instead of the producer's defaults.
_WORKER: dict[tuple[str, str], object] = {
    **_SERIALIZERS,
    ("consumer", "auto.offset.reset"): "earliest",
    ("consumer", "enable.auto.commit"): False,
    ("producer", "acks"): "all",
    ("producer", "enable.idempotence"): False,
    ("producer", "max.in.flight.requests.per.connection"): 1,
    ("producer", "delivery.timeout.ms"): _INT_MAX,
    ("producer", "max.block.ms"): _LONG_MAX,
}


#: None of Streams' clients waits for the addresses of its brokers (StreamsConfig of 4.4).
_RESOLVE = "bootstrap.resolve.timeout.ms"
#: Streams makes its clients with instances of its own (DefaultKafkaClientSupplier).
_MADE = frozenset(("key.serializer", "value.serializer", "key.deserializer", "value.deserializer"))
#: What stands before ``.consumer.`` in the keys of one of Streams' consumers.
_OWN = ("main", "restore", "global")


def of_streams(
    resource: Resource,
    role: str,
    key: str,
    version: Version,
    exactly_once: bool,
    main: bool = True,
) -> Value:
    """The key of a Streams application's client in the role ``producer``, ``consumer`` or ``admin``.

    Of its consumers the ``main`` one has settings of its own; what the others have is not asked here.
    """
    settings = resource.settings
    if (role, key) == ("consumer", "group.id") and "application.id" in settings:
        return set_to(key, settings["application.id"], resource, role, version)
    forced = _forced(role, key, version, exactly_once)
    mains = f"main.consumer.{key}"
    # This spelling escapes some of what Streams forces.
    closed = _replaced_behind("main", key, version)
    if role == "consumer" and main and mains in settings and not closed:
        return set_to(key, settings[mains], resource, role, version)
    if forced is not None:
        return given(key, forced, resource, version)
    # The producers and consumers connect to the application's own brokers, its admin client need not.
    alone = key == "bootstrap.servers" and role != "admin"
    for name in (key,) if alone else (f"{role}.{key}", key):
        if name in settings:
            return set_to(key, settings[name], resource, role, version)
    own = _STREAMS.get((role, key))
    if own is None and exactly_once:
        own = _STREAMS_EXACTLY_ONCE.get((role, key))
    if own is not None:
        return given(key, own, resource, version)
    return from_default(key, resource, role, version)


def _forced(role: str, key: str, version: Version, exactly_once: bool) -> object:
    """What a client of Streams gets for a key whatever is set; None where that counts."""
    if key == _RESOLVE and version.at_least("4.4"):
        return 0
    if (role, key) == ("consumer", "group.protocol") and version.at_least("4.0"):
        # Streams' own key of that name says how its members join.
        return "classic"
    forced = _FORCED.get((role, key))
    if forced is None and exactly_once:
        forced = _FORCED_EXACTLY_ONCE.get((role, key))
    return forced


def _replaced_behind(own: str, key: str, version: Version) -> bool:
    """Whether Streams replaces a key that stands behind ``main.consumer.`` or its like, as
    ``StreamsConfig.getMainConsumerConfigs`` and its siblings do.
    """
    if key in ("group.id", "auto.offset.reset"):
        return key == "group.id" or own != "main"
    if key == "partition.assignment.strategy":
        # The main consumer has Streams' own; the others load what is set.
        return own == "main"
    if key == "allow.auto.create.topics":
        return own == "main" or version.at_least("4.2")
    return key in ("enable.auto.commit", "group.protocol") and version.at_least("4.2")


def made(name: str) -> bool:
    """Whether Streams makes the client with an instance in the place of the class of that setting."""
    return name.rpartition("consumer.")[2].removeprefix("producer.") in _MADE


def overridden(name: str, version: Version, exactly_once: bool) -> bool:
    """Whether Streams replaces the value of that setting before any of its clients reads it."""
    if name.endswith(_RESOLVE):
        return version.at_least("4.4")
    own, inside, key = name.partition(".consumer.")
    if inside and own in _OWN:
        return _replaced_behind(own, key, version)
    role, dot, key = name.partition(".")
    if not dot or role not in ("consumer", "producer"):
        role, key = "", name
    if key == "bootstrap.servers":
        return bool(role)
    forced = {**_FORCED, **(_FORCED_EXACTLY_ONCE if exactly_once else {})}
    if key == "allow.auto.create.topics" and not version.at_least("4.2"):
        # Up to 4.1 it is only the main consumer's that is replaced.
        return False
    if key == "group.protocol":
        # From 4.1 on Streams has a key of that name itself.
        return version.at_least("4.0") and (role == "consumer" or version.below("4.1"))
    return any((one, key) in forced for one in ((role,) if role else ("consumer", "producer")))


def of_worker(
    resource: Resource, role: str, key: str, version: Version, exactly_once: bool
) -> Value:
    """The key of a Connect worker's client in the role ``producer``, ``consumer`` or ``admin``.

    Only the prefixed settings count, and the worker's own address of the cluster; admin clients get
    what the worker has for itself, too.
    """
    if exactly_once and (role, key) == ("producer", "enable.idempotence"):
        return given(key, True, resource, version)
    name = f"{role}.{key}"
    setting = resource.settings.get(name)
    if setting is not None:
        value = set_to(key, setting, resource, role, version)
        value.key = name
        return value
    if key == "bootstrap.servers":
        if key in resource.settings:
            return set_to(key, resource.settings[key], resource, role, version)
        return from_default(key, resource, resource.plane, version)
    if role == "admin" and key in resource.settings:
        return set_to(key, resource.settings[key], resource, role, version)
    return _in_worker(resource, role, key, version) or from_default(key, resource, role, version)


def of_connect(resource: Resource, key: str, version: Version) -> Value | None:
    """The key of a producer or consumer that Connect makes and nobody sets; None for the client's."""
    return _in_worker(resource, resource.kind, key, version)


def _in_worker(resource: Resource, role: str, key: str, version: Version) -> Value | None:
    own = _WORKER.get((role, key))
    if (role, key) == ("producer", "request.timeout.ms") and version.below("3.0"):
        own = _INT_MAX
    return None if own is None else given(key, own, resource, version)


def codec(role: str, key: str) -> object:
    """The serializer that Connect gives to the clients in a role; None where the key is none."""
    return _SERIALIZERS.get((role, key))


def set_to(key: str, setting: Setting, resource: Resource, role: str, version: Version) -> Value:
    """The value that a setting of the host gives to a key of the client inside."""
    plain = Setting(key, setting.raw, setting.path, setting.at, setting.key_at, setting.key)
    value = from_setting(key, plain, resource, role, version)
    value.setting, value.from_key = setting, setting.key
    return value


def given(key: str, own: object, resource: Resource, version: Version) -> Value:
    """The value that the host gives to a key where nobody sets it; None takes it away."""
    text = None if own is None else str(own)
    if isinstance(own, bool):
        text = str(own).lower()
    told = catalogue.source(version) if version.known or version.bounded else None
    return Value(key, resource, DEFAULT, text, own, True, kafka_version=told)
