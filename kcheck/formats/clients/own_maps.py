"""Kafka's keys under an application's own names: ``app.kafka.consumer.max-poll-records``.

What classes of properties (``@ConfigurationProperties``, ``@Value``) bind has names of the
application's own, whose ends are Kafka's keys in any of the spellings that frameworks take for one:
with dashes, underscores, humps or dots. A holder with enough of such keys is a client; its words tell
the role, and what stands in a holder around it, or in one for all beside it, holds for it too.

The application may convert what it reads: a text that Kafka would refuse for a key in another
spelling than Kafka's is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from kcheck import catalogue, configdef
from kcheck.formats.clients.application import Application, Layer, Replaced, heeds
from kcheck.formats.clients.map_paths import role_of, words
from kcheck.formats.clients.map_signs import RELAXED
from kcheck.formats.pairs import Pair, Texts, relaxed
from kcheck.formats.properties.kinds import client_kind
from kcheck.formats.properties.signs import CONSUMER_KEYS, PRODUCER_KEYS, STREAMS_KEYS
from kcheck.model import START, Position, Resource, Setting

BOOTSTRAP = "bootstrap.servers"
_PLANES = ("producer", "consumer", "admin", "streams")
#: Keys that other software has as well: none of them tells of Kafka.
_SHARED = frozenset(
    (
        *("group.id", "client.id", "application.id", "batch.size", "compression.type", "acks"),
        *("request.timeout.ms", "retry.backoff.ms", "state.dir", "retries", "session.timeout.ms"),
        *("transaction.timeout.ms", "max.request.size", "max.block.ms", "buffer.memory"),
    )
)
_SIGNS = (
    PRODUCER_KEYS
    | CONSUMER_KEYS
    | STREAMS_KEYS
    | {"security.protocol", "sasl.mechanism", "sasl.jaas.config"}
) - _SHARED
#: Words of one part, which a program may have for something of its own.
_PLAIN = {"acks": ("producer", "client"), "retries": ("producer",)}
#: What follows a key where it is called as the constant of Kafka's class, or as a class.
_BEHIND = ("config", "class", "classname")
#: The brokers under other names, in a holder that speaks of Kafka.
_BROKERS = frozenset(
    (
        *("brokers", "bootstrapserver", "bootstrapserverconfig", "bootstrapaddress"),
        *("bootstrapbrokers", "brokerlist", "brokerurl", "servers", "kafkabrokers"),
        *("kafkaservers", "kafkabootstrapservers"),
    )
)
_ADDRESSES = re.compile(r"[\w.-]{1,255}:\d{1,5}(?:\s*,\s*[\w.-]{1,255}:\d{1,5})*", re.ASCII)
#: Maps within a holder, which are the holder's own keys.
_MAPS = frozenset(("properties", "props", "config", "configs", "configuration", "settings"))
#: Words of a holder that holds for all clients beside it.
_COMMON = _MAPS | {"kafka", "common", "shared", "default", "defaults", "cluster", "client"}
#: The most parts of a key.
_LONGEST = 7

_keys: dict[str, str] = {}


def _known() -> dict[str, str]:
    """Kafka's keys by their letters alone."""
    if not _keys:
        for table in _PLANES:
            for key in sorted(catalogue.plane(table).keys()):
                _keys.setdefault(relaxed(key.replace(".", "")), key)
    return _keys


def key_by_letters(name: str, plane: str) -> str:
    """The key of a plane that has the letters of a name, whatever is between them; "" for none."""
    key = _known().get(relaxed(name.replace(".", "")), "")
    return key if key and key in catalogue.plane(plane) else ""


class _Holder:
    """The keys of one path, in the order of the application's documents."""

    __slots__ = ("at", "brokers", "kafkas", "layer", "parts", "path", "role")

    def __init__(self, parts: list[str], at: Position, path: str) -> None:
        self.parts = parts
        self.at = at
        self.path = path
        self.layer: Layer = {}
        #: The brokers, where they have another name than Kafka's.
        self.brokers: Setting | None = None
        self.kafkas = any("kafka" in part.lower() for part in parts)
        self.role = ""

    def settle(self) -> None:
        """Find its role, and leave out what a holder in that role may mean otherwise."""
        name = ".".join(self.parts)
        self.role = role_of(name, set(self.layer))
        for key, roles in _PLAIN.items():
            if key in self.layer and (self.role or "client") not in roles:
                del self.layer[key]
        if self.brokers is not None and BOOTSTRAP not in self.layer and self.kafkas:
            self.layer[BOOTSTRAP] = self.brokers

    @property
    def addressed(self) -> bool:
        """Whether it tells the brokers of Kafka: addresses, or what is filled in elsewhere."""
        told = self.layer.get(BOOTSTRAP)
        return told is not None and (
            self.kafkas if told.text is None else bool(_ADDRESSES.fullmatch(told.text.strip()))
        )


class _Holders:
    """The holders of one application, by their paths."""

    def __init__(self) -> None:
        self.by_path: dict[tuple[str, ...], _Holder] = {}
        self._common: dict[tuple[str, ...], list[_Holder]] = {}

    def of(self, parts: list[str], pair: Pair) -> _Holder:
        """The holder of a path, which the pair may be the first to name."""
        path = tuple(map(relaxed, parts))
        holder = self.by_path.get(path)
        if holder is None:
            holder = self.by_path[path] = _Holder(parts, pair.key_at, pair.path)
            told = words(parts[-1])
            if told and all(word in _COMMON for word in told):
                self._common.setdefault(path[:-1], []).append(holder)
        return holder

    def around(self, holder: _Holder) -> list[_Holder]:
        """The holders of which one has the settings too, the outermost first: those around it, and
        beside it those that are for all clients; unless they are of a role of their own."""
        path = tuple(map(relaxed, holder.parts))
        found: list[_Holder] = []
        for count in range(len(path)):
            outer = self.by_path.get(path[:count])
            for other in (
                *([outer] if outer is not None else ()),
                *self._common.get(path[:count], ()),
            ):
                if other is not holder and not other.role and other not in found:
                    found.append(other)
        return found


def mentions(pair: Pair) -> bool:
    """Whether a name ends with a key of Kafka's under a name that speaks of Kafka, or with one that
    nobody else has."""
    name = pair.name
    if "kafka" not in name.lower() and not RELAXED.search(name.encode("utf-8", "replace")):
        return False
    words = pair.words
    return len(words) > 1 and bool(words[-1] in _BROKERS or _key(words)[0])


def clients(
    application: Application,
    parts: list[list[Pair]],
    texts: Texts,
    taken: Callable[[list[str]], bool],
    replaced: Replaced,
) -> list[Resource]:
    """Add the clients under the application's own names; ``taken`` tells what a framework reads."""
    holders = _Holders()
    for part in parts:
        replaced.part()
        for pair in part:
            if len(pair.parts) > 1 and not taken(pair.words):
                _sort(holders, pair, texts, replaced)
    every = list(holders.by_path.values())
    for one in every:
        one.settle()
    chosen = [(one, holders.around(one)) for one in every]
    chosen = [(one, around) for one, around in chosen if _is_client(one, around)]
    # What only the holders within or beside it need is no client of its own.
    shared = {id(other) for one, around in chosen if one.role for other in around}
    return [
        _client(application, one, around)
        for one, around in chosen
        if one.role or id(one) not in shared
    ]


def _sort(holders: _Holders, pair: Pair, texts: Texts, replaced: Replaced) -> None:
    names = pair.parts
    key, count = _key(pair.words)
    if not key and pair.words[-1] not in _BROKERS:
        return
    parts = names[: len(names) - (count or 1)]
    while len(parts) > 1 and relaxed(parts[-1]) in _MAPS:
        parts = parts[:-1]
    holder = holders.of(parts, pair)
    text = texts.filled(pair.text)
    if not key:
        if text is None or _ADDRESSES.fullmatch(text.strip()):
            holder.brokers = pair.setting(BOOTSTRAP, text)
        return
    written = ".".join(names[len(names) - count :])
    if written != key and text is not None and is_refused(key, text):
        text = None
    replaced.put(holder.layer, pair.setting(key, text))


def _key(words: list[str]) -> tuple[str, int]:
    """(Kafka's key that a name ends with, of how many of its parts it is made); the longest counts.

    The name is given by its parts as Spring compares them.
    """
    known = _known()
    for count in range(min(_LONGEST, len(words) - 1), 0, -1):
        squeezed = "".join(words[-count:]).replace(".", "")
        if squeezed in known:
            return known[squeezed], count
        for behind in _BEHIND:
            if squeezed.endswith(behind) and squeezed.removesuffix(behind) in known:
                return known[squeezed.removesuffix(behind)], count
    return "", 0


def is_refused(key: str, text: str) -> bool:
    """Whether Kafka refuses the text in one of its versions, or finds no class or login in it."""
    if key == "sasl.jaas.config" and ";" not in text:
        return True
    if key.endswith((".class", "serializer")) and "." not in text:
        return True
    rows = [
        row
        for table in _PLANES
        if key in catalogue.plane(table)
        for row in catalogue.plane(table).history(key)
    ]
    return any(configdef.refusal(row, text) for row in rows)


def _is_client(holder: _Holder, around: list[_Holder]) -> bool:
    signs = holder.layer.keys() & _SIGNS
    if holder.addressed and holder.kafkas:
        return True
    if len(signs) > 2 or (len(signs) == 2 and (holder.kafkas or holder.addressed)):
        return True
    addressed = any(one.addressed for one in around)
    if not holder.role or not (holder.kafkas or addressed):
        return False
    return bool(holder.layer) and (addressed or (bool(signs) and len(holder.layer) > 1))


def _client(application: Application, holder: _Holder, around: list[_Holder]) -> Resource:
    layers = [(one.layer, True) for one in around]
    keys = {key for layer, _ in layers for key in layer} | holder.layer.keys()
    kind = holder.role or client_kind("", set(keys))
    own = {key: one for key, one in holder.layer.items() if heeds(kind, key)}
    at = holder.at if holder.path == application.document.path else START
    made = application.client(kind, at, [*layers, (own, False)])
    if made.name == made.path:
        made.name = ".".join(holder.parts)
    if holder.role:
        made.traits.role = holder.role
    # The program has settings of its own beside those that it reads here.
    made.traits.partial = True
    return made
