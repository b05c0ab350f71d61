"""Whose ``.properties`` file this is, by the keys of ``properties_signs``: the order of asking.

The name of a file says little (``server.properties`` is mostly Minecraft's), so keys decide. Keys
that other software has as well (``node.id`` is Trino's too, ``listeners`` the REST Proxy's) count
only beside others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, KeysView

from kcheck.formats.clients.map_signs import RELAXED
from kcheck.formats.properties.signs import (
    ANCIENT,
    BROKER,
    BROKER_HINTS,
    BROKER_SIGNS,
    CLIENT,
    CONNECT,
    CONSUMER_KEYS,
    CREDENTIALS,
    CRUISE_CONTROL,
    FOREIGN_CLIENT,
    GENERIC,
    GUEST_PREFIXES,
    JAVA_KEYS,
    KSQLDB,
    LIBRDKAFKA,
    LIBRDKAFKA_KEYS,
    LIBRDKAFKA_MARK,
    LINK_KEYS,
    LINK_PREFIX,
    MICRONAUT,
    MICROPROFILE,
    MICROPROFILE_PREFIXES,
    MIRROR,
    OTHER,
    OTHER_PREFIXES,
    PRODUCER_KEYS,
    REST_PROXY,
    SCHEMA_REGISTRY,
    SCRIPT,
    SHARED_HINTS,
    SPRING,
    SPRING_PREFIXES,
    STREAMS,
    STREAMS_KEYS,
    WORKER_SIGNS,
    ZOOKEEPER,
)
from kcheck.formats.text import holds, templated
from kcheck.syntax.entry import Entry

#: Files that Kafka's own scripts know by their names: the kind and plane of what each configures.
FILES = {
    "server.properties": ("broker", "broker"),
    "broker.properties": ("broker", "broker"),
    "controller.properties": ("controller", "broker"),
    "connect-distributed.properties": ("worker", "connect-distributed"),
    "connect-standalone.properties": ("worker", "connect-standalone"),
    "producer.properties": ("producer", "producer"),
    "consumer.properties": ("consumer", "consumer"),
}
_BROKER_NAMES = ("server", "broker", "controller", "kafka")
_PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")


#: What is Kafka's in a file where no key is one of ``_KEYS``: parts of keys, and marks of programs.
_MARKS = (
    *(b"kafka", b"Kafka", b"bootstrap", b"spring.cloud.stream.", b"messaging.", b"->"),
    *(b"client.s", b"connector"),
)
#: The keys by which files are told apart.
_KEYS = frozenset(
    key.encode()
    for key in BROKER_SIGNS
    | BROKER_HINTS
    | WORKER_SIGNS
    | PRODUCER_KEYS
    | CONSUMER_KEYS
    | STREAMS_KEYS
    | LIBRDKAFKA_KEYS
    | CREDENTIALS
    | ANCIENT
    | {"key.converter", "listeners", "dataDir", "application.id"}
    | {"security.protocol", "sasl.mechanism", "sasl.jaas.config"}
)
#: In a file with one of these, keys may be written otherwise.
_ESCAPED = (b"\\", b"\0", b"\xef\xbb\xbf")
#: Larger files are parsed at once.
_SMALL = 100_000


def may_classify(path: str, data: bytes) -> bool:
    """Whether ``classify`` may know the file: asked of many that it does not, before they are parsed."""
    if len(data) > _SMALL or holds(data, _MARKS) or holds(data, _ESCAPED):
        return True
    words = data.replace(b"=", b" ").replace(b":", b" ").split()
    return not _KEYS.isdisjoint(words) or _OF_SPRING.search(path) is not None


def classify(path: str, data: bytes, entries: list[Entry]) -> str | None:
    """The format's name by the keys and, where they leave it open, the file's name; else None."""
    values = {entry.key.lstrip("\ufeff"): entry.value.strip() for entry in entries}
    keys = values.keys()
    elsewhere = _other_syntax(data, values)
    if elsewhere is not None:
        return elsewhere or None
    framework = _framework(path, values)
    if framework is not None:
        return framework or None
    if "connector.class" in keys or keys & WORKER_SIGNS:
        return CONNECT
    if {"key.converter", "value.converter"} <= keys:
        return CONNECT
    if _broker(values):
        return BROKER
    name = path.rsplit("/", 1)[-1].lower()
    if _other(values):
        return _server(name, values)
    if "rest" in _WORDS.split(name) and any(key.startswith(_PROXYS) for key in keys):
        return _server(name, values)
    if LIBRDKAFKA_MARK in data:
        return LIBRDKAFKA
    if _ancient(values):
        return _server(name, values)
    return _broker_by_hints(name, values) or _client(name, values) or _ensemble(keys)


def _ensemble(keys: KeysView[str]) -> str | None:
    """ZooKeeper's own file, where it is one of several servers: others tell nothing of a cluster."""
    servers = sum(key.startswith("server.") and key[7:].isdecimal() for key in keys)
    return ZOOKEEPER if "dataDir" in keys and servers > 1 else None


#: The REST Proxy's prefix in front of what its clients log in with.
_PROXYS = ("client.security.", "client.sasl.", "client.ssl.")


#: A shell's command that writes the lines below it to a file.
_HEREDOC = re.compile(
    rb"^[ \t]*(?:sudo[ \t]+)?(?:cat|tee)\b[^#\n]*<<-?[ \t]*[\"'\\]?\w", re.MULTILINE
)


def _other_syntax(data: bytes, values: dict[str, str]) -> str | None:
    """What a file is that is no properties file at all: a script, INI, HOCON, Logstash, JAAS.

    "" for one that is nobody's of ours, None for a file that may be properties.
    """
    if b"<<" in data and _HEREDOC.search(data):
        return SCRIPT
    if any(key.startswith("[") and key.endswith("]") and not values[key] for key in values):
        return OTHER if values.keys() & {"bootstrap.servers", "metadata.broker.list"} else ""
    if "-" in values:  # items of a list in YAML
        return OTHER if b"kafka" in data.lower() else ""
    braces = any(key.startswith("}") for key in values) and any(
        key.endswith("{") or value.endswith("{") for key, value in values.items()
    )
    if not braces:
        return None
    if b"bootstrap_servers" in data and b"=>" in data:
        return FOREIGN_CLIENT
    kafkas = (b"bootstrap.servers", b"org.apache.kafka.", b"KafkaServer", b"KafkaClient")
    return OTHER if any(mark in data for mark in kafkas) else ""


def _framework(path: str, values: dict[str, str]) -> str | None:
    """Spring, MicroProfile or MirrorMaker 2; "" for a Spring file without Kafka in it."""
    keys = values.keys()
    if _application(path, values) or any(key.startswith(_CAMEL) for key in keys):
        return (
            SPRING if not any(key.startswith(("quarkus.", "%")) for key in keys) else MICROPROFILE
        )
    if any(key.startswith("spring.") for key in keys):
        if any(key.startswith(SPRING_PREFIXES) for key in keys):
            return SPRING
        return OTHER if "bootstrap.servers" in keys else ""
    if any(key.startswith("micronaut.") for key in keys) and any(
        key.startswith("kafka.") for key in keys
    ):
        return MICRONAUT
    plain = {key.partition(".")[2] if key.startswith("%") else key for key in keys}
    if any(key.startswith(MICROPROFILE_PREFIXES) for key in plain) or (
        "kafka.bootstrap.servers" in plain and any(key.startswith("quarkus.") for key in plain)
    ):
        return MICROPROFILE
    if any("." in key.partition("->")[2] for key in keys):
        return MIRROR
    if "clusters" in keys and any(key.endswith(".bootstrap.servers") for key in keys):
        return MIRROR
    return None


_CAMEL = ("camel.component.kafka.", "%dev.camel.component.kafka.", "%prod.camel.component.kafka.")
#: The ends of names under which applications keep Kafka's keys, as ``client_map_signs`` has them.
_OF_SPRING = re.compile(r"(?:^|/)(?:application|bootstrap)(?:-[^/]+)?\.properties$")


def _application(path: str, values: dict[str, str]) -> bool:
    """Whether a file of Spring Boot's name holds keys of Kafka's under names of its own."""
    if not _OF_SPRING.search(path) or "bootstrap.servers" in values:
        return False
    # Debezium Server's file has an application's name, too.
    if any(key.startswith(("mp.", "micronaut.", "debezium.")) for key in values):
        return False
    return any(
        "." in key and RELAXED.search(key.partition(".")[2].encode("utf-8", "replace"))
        for key in values
    )


def _broker_listeners(text: str) -> bool:
    """Whether these are Kafka's listeners; the REST servers' speak HTTP, and unknown ones may."""
    return (
        "://" in text
        and not templated(text.partition("://")[0])
        and "http://" not in text.lower()
        and "https://" not in text.lower()
    )


def _broker(values: dict[str, str]) -> bool:
    signs = values.keys() & BROKER_SIGNS
    # People write this one for Schema Registry, too.
    if signs == {"advertised.listeners"} and any(key.startswith(OTHER_PREFIXES) for key in values):
        return False
    return bool(signs) or _broker_listeners(values.get("listeners", ""))


def _other(values: dict[str, str]) -> bool:
    """The REST Proxy, Schema Registry, ksqlDB, Control Center, Cruise Control …"""
    keys, kafka = values.keys(), _connects(values)
    if kafka and "://" in values.get("listeners", ""):
        return True
    if any(key.startswith(OTHER_PREFIXES) for key in keys):
        return kafka or "listeners" in keys
    if any(key.startswith(GUEST_PREFIXES) for key in keys) and not (
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
    return bool(keys & ANCIENT) and (_connects(values) or "metadata.broker.list" in keys)


#: What only Cruise Control's file has.
_CRUISE = ("capacity.config.file", "metric.sampler.", "sample.store.class", "webserver.http.")


def _server(name: str, values: dict[str, str]) -> str:
    """Which of the servers around Kafka this is, where its clients are read."""
    keys = values.keys()
    if any(key.startswith("kafkastore.") for key in keys):
        return SCHEMA_REGISTRY
    if any(key.startswith("ksql.") for key in keys):
        return KSQLDB
    if "bootstrap.servers" in keys and any(key.startswith(_CRUISE) for key in keys):
        return CRUISE_CONTROL
    proxies = ("client.", "producer.", "consumer.", "admin.", "kafka.rest.")
    http = "http" in values.get("listeners", "").lower()
    named = "rest" in name or "schema.registry.url" in keys
    others = keys - {"client.id", "client.rack"}  # any client's, though they look like its own
    mine = http or "id" in keys or any(key.startswith(proxies) for key in others)
    return REST_PROXY if named and mine and "bootstrap.servers" in keys else OTHER


def _broker_by_hints(name: str, values: dict[str, str]) -> str | None:
    keys = values.keys()
    hints = keys & BROKER_HINTS
    if not hints or _speaks(values) or keys & {"group.id", "application.id"}:
        return None
    if len(hints) >= 2 or keys & SHARED_HINTS:
        return BROKER
    clients = (PRODUCER_KEYS | CONSUMER_KEYS) - SHARED_HINTS
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
    if "application.id" in keys and (speaks or keys & STREAMS_KEYS):
        return STREAMS
    # Beside as many names that only Java's clients know, the others are slips in a Java client's
    # file, or it is for both: Java's clients run with it. But Java's clients that had the old name
    # of the brokers had no security.
    native = keys & LIBRDKAFKA_KEYS
    if native and "sasl.jaas.config" not in keys:
        native |= keys & CREDENTIALS
    old = speaks and "metadata.broker.list" in keys and "bootstrap.servers" not in keys
    if old or len(native) > len(keys & JAVA_KEYS):
        return LIBRDKAFKA
    if speaks or {"sasl.jaas.config", "sasl.mechanism"} <= keys:
        return CLIENT
    for word, own in (("producer", PRODUCER_KEYS), ("consumer", CONSUMER_KEYS)):
        mine = keys & own
        if (len(mine) >= 2 and mine - GENERIC) or (mine and word in name):
            return CLIENT
    if "sasl.jaas.config" in keys or any(key.endswith("bootstrap.servers") for key in keys):
        return OTHER
    return None


def is_link(keys: Iterable[str]) -> bool:
    """Whether a file with these keys configures a cluster link."""
    return any(key in LINK_KEYS or key.startswith(LINK_PREFIX) for key in keys)


def named_kind(name: str) -> str:
    """The kind of client that a name in small letters says; "" where it says none, or several."""
    by_name = [kind for kind in ("producer", "consumer", "admin") if kind in name]
    return by_name[0] if len(by_name) == 1 else ""


_WORDS = re.compile(r"[^a-z0-9]+")
#: What a producer or consumer cannot be made without.
_PROGRAMS = frozenset(
    ("key.serializer", "value.serializer", "key.deserializer", "value.deserializer", "group.id")
)


def client_kind(name: str, keys: set[str]) -> str:
    """Producer or consumer by the keys; by the file's name where they say nothing; else client.

    A file named after an admin client is one's unless it has what only programs need.
    """
    if "admin" in _WORDS.split(name) and named_kind(name) and not keys & _PROGRAMS:
        return "admin"
    producer, consumer = bool(PRODUCER_KEYS & keys), bool(CONSUMER_KEYS & keys)
    if producer != consumer:
        return "producer" if producer else "consumer"
    if CONTROLLERS in keys and not producer:
        return "admin"
    return named_kind(name) or "client"
