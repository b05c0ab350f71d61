"""Maps of Kafka's client keys at any depth of a file, whatever the program calls what is around them.

Nested maps and dotted names are one: the end of a value's path that Kafka or librdkafka has as a key
tells which holder it belongs to (``shop.kafka.consumer`` of ``shop.kafka.consumer.max.poll.records``).
A holder with enough of these keys is a client. The words of its path tell the role, its keys the
library; what is written in the maps around it (the brokers, say) holds for it too.
"""

from __future__ import annotations

import re

from kcheck import catalogue, dialects
from kcheck.formats.clients import application, own_maps
from kcheck.formats.clients import topics as client_topics
from kcheck.formats.clients.map_paths import ROLES, role_of, tell_outside, words
from kcheck.formats.clients.map_tree import Leaf, Tree
from kcheck.formats.properties.kinds import client_kind
from kcheck.formats.properties.signs import (
    BROKER_SIGNS,
    CONSUMER_KEYS,
    LIBRDKAFKA_KEYS,
    PRODUCER_KEYS,
    STREAMS_KEYS,
    WORKER_SIGNS,
)
from kcheck.formats.scalars import setting
from kcheck.formats.text import templated
from kcheck.libraries import JAVA, LIBRDKAFKA, UNKNOWN
from kcheck.model import Derived, Document, Resource, Setting
from kcheck.syntax import yaml
from kcheck.version import parse

_PLANES = ("producer", "consumer", "admin", "streams")
#: From this minor of librdkafka on its keys may be those of a program written for Java's.
_LATELY = (2, 10)
BOOTSTRAP = "bootstrap.servers"
_BROKER_LISTS = (BOOTSTRAP, "metadata.broker.list")
#: Other names of the brokers in the map around a client's.
_SPELLED = re.compile(
    r"(?:kafka)?[-_.]?(?:bootstrap[-_.]?(?:servers|brokers)|brokers?)", re.IGNORECASE
)
_ADDRESSES = re.compile(r"[\w.-]{1,255}:\d{1,5}(?:\s*,\s*[\w.-]{1,255}:\d{1,5})*", re.ASCII)
#: Keys that other software has as well: none of them tells of Kafka.
_SHARED = frozenset(
    (
        *("group.id", "client.id", "application.id", "batch.size", "compression.type"),
        *("request.timeout.ms", "retry.backoff.ms", "heartbeat.interval.ms", "state.dir"),
        *("session.timeout.ms", "transaction.timeout.ms", "max.block.ms", "max.request.size"),
        *("isolation.level", "partitioner.class", "socket.timeout.ms", "acks", "retries"),
        *("statistics.interval.ms", "message.timeout.ms"),
    )
)
#: These are Kafka's alone.
_SIGNS = (
    PRODUCER_KEYS
    | CONSUMER_KEYS
    | STREAMS_KEYS
    | LIBRDKAFKA_KEYS
    | {"security.protocol", "sasl.jaas.config", "sasl.mechanism", "sasl.mechanisms"}
) - _SHARED
#: These are, beside one of those.
_STORES = frozenset(("ssl.truststore.location", "ssl.keystore.location"))
#: Clients of Scala, some of whose names librdkafka took over.
_SCALA = {"producer.type", "serializer.class", "rebalance.max.retries", "rebalance.backoff.ms"}
#: What makes a map somebody else's: a broker's, a worker's, a connector's.
_OTHERS = BROKER_SIGNS | WORKER_SIGNS | _SCALA | {"connector.class", "tasks.max", "topics.regex"}
#: What a program calls so it passes on by itself, and perhaps nothing else beside it.
_OWN = "group"
_TRANSLATED = re.compile(r"(.+)\.(?:group|(?<!auto\.)offset\.reset)")
#: What stands before the keys of clients that a connector has beside its worker's.
_IN_CONNECTORS = (
    *("source.cluster", "target.cluster", "confluent.topic", "schema.history.internal.kafka"),
    *("schema.history.internal.consumer", "schema.history.internal.producer"),
    *("database.history.kafka", "database.history.consumer", "database.history.producer"),
    *("consumer.override", "producer.override", "admin.override"),
)
#: Programs that are known by the paths of their maps: the library, and what they set themselves.
_PROGRAMS: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("akka.kafka.consumer", JAVA.name, {"enable.auto.commit": "false"}),
    ("pekko.kafka.consumer", JAVA.name, {"enable.auto.commit": "false"}),
    ("akka.kafka.", JAVA.name, {}),
    ("pekko.kafka.", JAVA.name, {}),
    ("ioConfig.consumerProperties", JAVA.name, {"enable.auto.commit": "false"}),
    ("rdkafka", LIBRDKAFKA.name, {}),
)
#: Where Ansible has the variables of its templates.
_VARIABLES = ("/defaults/", "vars/")
#: What people call a map beside those of producers and consumers that holds for all of them.
_COMMON = ("properties", "common", "shared", "defaults", "default")


class _Holder:
    """Keys of clients that stand at one path, in the order of the file."""

    __slots__ = ("at", "layer", "map", "outer", "path")

    def __init__(self, path: str, leaf: Leaf) -> None:
        self.path = path
        self.layer: application.Layer = {}
        self.map = leaf.map
        self.outer = leaf.outer
        self.at = yaml.position(leaf.key_node)

    @property
    def signs(self) -> set[str]:
        found = self.layer.keys() & _SIGNS
        return found | (self.layer.keys() & _STORES) if found else found

    def is_addressed(self) -> bool:
        """Whether it tells brokers: an address, a list of them, or what is filled in."""
        found = [self.layer[key] for key in _BROKER_LISTS if key in self.layer]
        return any(one.text is None or _ADDRESSES.fullmatch(one.text.strip(" []")) for one in found)


def take(document: Document, node: yaml.Node, *, passed: tuple[str, ...] = ()) -> list[Resource]:
    """The clients whose maps are in a tree, without what other readers have taken already.

    Paths that begin with a name in ``passed`` are somebody else's.
    """
    known = _known()
    tree = Tree(node)
    read = {one.key_at[:2] for resource in document.resources for one in resource.placed}
    # Names of variables may be anything: what a template makes of them is read there.
    fills_templates = any(part in f"/{document.path}" for part in _VARIABLES)
    others = {id(leaf.map) for leaf in tree.leaves if leaf.name in _OTHERS}
    holders: dict[str, _Holder] = {}
    around: dict[str, application.Layer] = {}
    for leaf in tree.leaves:
        if leaf.path.startswith(passed or ("\0",)) or id(leaf.map) in others:
            continue
        if yaml.position(leaf.key_node)[:2] in read:
            continue
        holder, key = _split(leaf.path, known)
        if not key and "_" in leaf.name and not fills_templates:
            holder, key = leaf.path[: -len(leaf.name)].rstrip("."), _of_python(leaf.name)
        if holder.endswith(_IN_CONNECTORS):
            continue
        if not key:
            _outside(around, leaf, document)
            continue
        if holder not in holders:
            holders[holder] = _Holder(holder, leaf)
        _put(holders[holder].layer, key, leaf, document)
    for path in tree.referred:
        # What others are made of is none itself.
        holders.pop(path, None)
    tell_outside(document, ((path, held.layer) for path, held in holders.items()))
    return _Maker(document, holders, around).clients()


def _outside(around: dict[str, application.Layer], leaf: Leaf, document: Document) -> None:
    """Take what a program calls by names of its own."""
    if own := _TRANSLATED.fullmatch(leaf.path):
        around.setdefault(own[1], {})[_OWN] = _setting(_OWN, leaf, document)
    if _SPELLED.fullmatch(leaf.name):
        path = leaf.path[: -len(leaf.name)].rstrip(".")
        around.setdefault(path, {})[BOOTSTRAP] = _setting(BOOTSTRAP, leaf, document)


_keys: dict[str, frozenset[str]] = {}


def _known() -> frozenset[str]:
    """Every key that a client of Java's or librdkafka's has, those of other planes that mark a map."""
    if not _keys:
        java = set().union(*(catalogue.plane(table).keys() for table in _PLANES))
        library = dialects.library(LIBRDKAFKA.name)
        others = set(library or ())
        # What librdkafka has had for a short time only tells of Java all the same.
        lately = {key for key in others if library and _is_late(library.history(key)[0].since)}
        _keys[JAVA.name] = frozenset(java - others | lately & java)
        _keys[LIBRDKAFKA.name] = frozenset(others - java)
        _keys["all"] = frozenset(java | others | _OTHERS)
    return _keys["all"]


def _of_python(name: str) -> str:
    """Kafka's key that kafka-python and programs like it have with underscores; "" for words that such a
    program may have for something of its own."""
    key = name.replace("_", ".")
    return key if key in _known() and key not in _SHARED | {BOOTSTRAP} else ""


def _is_late(since: str) -> bool:
    return (parse(since) or ()) >= _LATELY


def _split(path: str, known: frozenset[str]) -> tuple[str, str]:
    """(the holder's path, the key) of a value; the longest end of the path that is a key counts."""
    at = 0
    # No key has more than ten words.
    start = max(0, len(path) - 100)
    while at >= 0:
        if at >= start and path[at:] in known:
            return path[: max(at - 1, 0)], path[at:]
        dot = path.find(".", at)
        at = dot + 1 if dot >= 0 else -1
    return "", ""


def _put(layer: application.Layer, key: str, leaf: Leaf, document: Document) -> None:
    """Set a key; a variable that may be missing leaves what an earlier line has."""
    if key in layer and (yaml.text(leaf.value) or "").startswith("${?"):
        return
    layer[key] = _setting(key, leaf, document)


def _setting(key: str, leaf: Leaf, document: Document) -> Setting:
    made = setting(key, leaf.key_node, leaf.value, document.path, leaf.name)
    # A program may have words of its own, convert them, and leave out what is empty.
    own = "_" in leaf.name or (made.text == "" and key not in _BROKER_LISTS)
    if own and made.text is not None and own_maps.is_refused(key, made.text):
        return Derived(key, None, document.path, made.at, made.key_at, leaf.name)
    if isinstance(leaf.value, yaml.SequenceNode):
        texts = [yaml.text(item) for item in yaml.items(leaf.value)]
        raw = None if None in texts else ",".join(text or "" for text in texts)
        made = Setting(
            key,
            None if raw is None or templated(raw) else raw,
            document.path,
            yaml.position(leaf.value),
            yaml.position(leaf.key_node),
            leaf.name,
        )
    return made


class _Maker:
    """Makes clients of holders; a holder around another one says what all in it share."""

    def __init__(
        self, document: Document, holders: dict[str, _Holder], around: dict[str, application.Layer]
    ) -> None:
        self.document = document
        self.around = around
        #: Around a map of somebody else's nothing is a client's.
        self.holders = {
            path: one for path, one in holders.items() if not one.layer.keys() & _OTHERS
        }

    def clients(self) -> list[Resource]:
        chosen = [one for one in self.holders.values() if self._is_client(one)]
        shared = {
            outer.path for one in chosen if role_of(one.path, set()) for outer in self._outer(one)
        }
        made: list[Resource] = []
        beside: dict[int, tuple[yaml.Node | None, list[Resource]]] = {}
        for one in chosen:
            # What only the maps within it need is no client of its own.
            alone = one.path not in shared or bool(role_of(one.path, set()))
            if not alone and client_kind("", set(one.layer)) == "client":
                continue
            made.append(self._client(one))
            beside.setdefault(id(one.outer), (one.outer, []))[1].append(made[-1])
        for node, clients in beside.values():
            client_topics.give(clients, node)
        _share_library(made)
        return made

    def _outer(self, holder: _Holder) -> list[_Holder]:
        """The holders around one, the outermost first, unless they are of another role."""
        found, path = [], holder.path
        while path:
            path = path.rpartition(".")[0]
            for name in (*_COMMON, ""):
                outer = self.holders.get(f"{path}.{name}".strip("."))
                if outer is not None and outer is not holder and not role_of(outer.path, set()):
                    found.append(outer)
        return found[::-1]

    def _servers(self, holder: _Holder) -> Setting | None:
        """The brokers that a map around it tells under another name."""
        path = holder.path
        while path and BOOTSTRAP not in self.around.get(path, ()):
            path = path.rpartition(".")[0]
        return self.around.get(path, {}).get(BOOTSTRAP)

    def _is_client(self, holder: _Holder) -> bool:
        signs = holder.signs
        if holder.is_addressed() or any(path in holder.path for path, _, _ in _PROGRAMS[:-1]):
            return True
        if len(signs) >= 2 and (len(signs) > 2 or self._context(holder)):
            return True
        role, kafkas = role_of(holder.path, set()), "kafka" in words(holder.path)
        if signs and role and kafkas and len(holder.layer) > 1:
            return True
        addressed = any(outer.is_addressed() for outer in self._outer(holder))
        told = addressed or (self._servers(holder) is not None and "kafka" in holder.path.lower())
        return bool(told and role)

    def _context(self, holder: _Holder) -> bool:
        """Whether the words around two keys tell of Kafka."""
        told = {*words(holder.path), *words(self.document.path.rpartition("/")[2])}
        return not told.isdisjoint(("kafka", "rdkafka", "librdkafka", *ROLES))

    def _client(self, holder: _Holder) -> Resource:
        keys = set(holder.layer)
        role = role_of(holder.path, keys)
        outer = self._outer(holder)
        layers = [(one.layer, True) for one in outer]
        servers = self._servers(holder)
        if servers is not None:
            layers.insert(0, ({BOOTSTRAP: servers}, True))
        kind = role or client_kind(self.document.path.rpartition("/")[2].lower(), keys)
        app = application.Application(
            self.document, f"{self.document.path}#{holder.path.partition('.')[0]}"
        )
        made = app.client(kind, holder.at, [*layers, (holder.layer, False)])
        if role:
            made.traits.role = role
        # The program has settings of its own beside those that it reads here.
        made.traits.partial = True
        if _OWN in self.around.get(holder.path, ()):
            made.traits.idle = "if the program passes on what stands beside names of its own"
        self._library(made, holder)
        client_topics.give([made], holder.map)
        return made

    def _library(self, made: Resource, holder: _Holder) -> None:
        """Which library reads it: a program's, or one that alone has some of the keys."""
        if any("_" in one.name for one in holder.layer.values()):
            made.dialect = UNKNOWN
            return
        for path, library, image in _PROGRAMS:
            if path in holder.path:
                made.dialect = library
                for key in image.keys() - made.settings.keys():
                    made.image[key] = Setting(key, image[key], made.path, made.at)
                return
        told = _told(made)
        made.dialect = told[0] if len(told) == 1 else UNKNOWN


def _told(client: Resource) -> list[str]:
    """The libraries that alone have one of its keys."""
    return [name for name in (JAVA.name, LIBRDKAFKA.name) if client.settings.keys() & _keys[name]]


def _share_library(clients: list[Resource]) -> None:
    """One program has one library: what some of its clients tell holds for the others."""
    told: dict[str, set[str]] = {}
    for client in clients:
        names = told.setdefault(client.traits.application, set())
        # Keys of Java's and of librdkafka's say that the program translates some of them.
        names.update(_told(client) if client.dialect == UNKNOWN else (client.dialect,))
    for client in clients:
        found = told.get(client.traits.application, set())
        if client.dialect == UNKNOWN and len(found) == 1:
            (client.dialect,) = found
