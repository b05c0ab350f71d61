"""Listeners: ``NAME://host:port`` lists, what is advertised, and which protocol a name speaks."""

from __future__ import annotations

import re

from kcheck.graph.nodes import Broker
from kcheck.model import Framed, Value
from kcheck.version import Version

# Kafka's own pattern: brackets for IPv6, an empty host for all addresses, any number as port.
_LISTENER = r"(.+?)://\[?([0-9a-zA-Z\-%._:]*)\]?:(-?\d{1,19})\Z"

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
#: ${a}, ${a:b}, {{ a }}, $(a), $A: what is filled in, mostly a host.
_PLACEHOLDER = r"\$\{[^{},]*\}|\{\{[^{},]*\}\}|\$\([^(),]*\)|\$[A-Za-z_]\w*"
_HOLE = r"_\.(\d+)\._"
_SECURED = frozenset(PROTOCOLS[1:])
_LARGEST = 2**31 - 1
#: What a node listens on that is not told; before 3.0 by host.name and port.
_DEFAULT = "PLAINTEXT://:9092"


class Listener:
    """One entry of ``listeners`` or ``advertised.listeners``; names are upper-cased as in Kafka."""

    __slots__ = ("host", "name", "port")

    def __init__(self, name: str, host: str, port: int) -> None:
        self.name = name
        self.host = host
        self.port = port

    def __str__(self) -> str:
        return f"{self.name}://{self.host}:{self.port}"


def entries(text: str | None) -> list[str]:
    """The entries between the commas; blank ones do not count."""
    return [entry for entry in map(str.strip, (text or "").split(",")) if entry]


def read(entry: str) -> Listener | None:
    """One entry; None where it has not the form of a listener."""
    match = re.match(_LISTENER, entry)
    return Listener(match[1].upper(), match[2], int(match[3])) if match else None


def counted(text: str | None, version: Version) -> str | None:
    """The list as Kafka counts it: from 4.2 on what stands there twice in the same words counts once."""
    if not text or not version.at_least("4.2"):
        return text
    return ",".join(dict.fromkeys(map(str.strip, text.split(","))))


def parse(text: str | None) -> list[Listener]:
    """The entries of a list that have the form of a listener, in their order."""
    found = (read(entry) for entry in entries(text))
    return [listener for listener in found if listener is not None]


def malformed(text: str | None) -> str:
    """The first entry that Kafka cannot read; "" where there is none."""
    for entry in entries(text):
        listener = read(entry)
        if listener is None or not -_LARGEST - 1 <= listener.port <= _LARGEST:
            return entry
    return ""


def controller_names(broker: Broker) -> set[str]:
    """The names of the listeners that the quorum uses."""
    text = broker["controller.listener.names"].text or ""
    return {name.strip().upper() for name in text.split(",")} - {""}


def advertised(broker: Broker) -> list[Listener]:
    """The entries of advertised.listeners, else of listeners, those of controllers included."""
    value = broker["advertised.listeners"]
    setting = value.setting
    return parse(setting.text if setting else None)


def to_clients(broker: Broker) -> list[Listener]:
    """What clients and other brokers get to know: the advertised listeners without the controllers'."""
    quorum = controller_names(broker) if broker.kraft is not False else ()
    return [one for one in advertised(broker) if one.name not in quorum]


def protocol(broker: Broker, name: str) -> str | None:
    """The security protocol of a listener's name; None where the map does not tell."""
    value = broker["listener.security.protocol.map"]
    if not value.written:
        return name if name in PROTOCOLS else None
    if value.text is None:
        return None
    for entry in value.text.split(","):
        key, colon, known = entry.strip().rpartition(":")
        if colon and key.strip().upper() == name:
            return known.strip().upper()
    return None


def _framed(value: Value) -> list[Listener] | None:
    """The entries of a list in which hosts are filled in; None where anything else may be, too."""
    setting = value.setting
    if not isinstance(setting, Framed):
        return None
    holes: list[str] = []

    def hole(found: re.Match[str]) -> str:
        holes.append(found[0])
        return f"_.{len(holes) - 1}._"

    shape = re.sub(_PLACEHOLDER, hole, setting.frame)
    made: list[Listener] = []
    for entry in entries(shape):
        listener = read(entry)
        if listener is None or re.search(_HOLE, listener.name):
            return None
        listener.host = re.sub(_HOLE, lambda found: holes[int(found[1])], listener.host)
        made.append(listener)
    return made


class Addresses:
    """All that a node's files say of its listeners, as Kafka puts it together.

    ``listeners`` are those that it binds, ``advertised`` all that are advertised, ``quorum`` the
    controller listeners' names in the text of the file, and ``protocols`` the names that have a
    protocol, with it. ``known`` is false where some part is filled in by something else, and
    ``named`` where that may be a name: mostly it is a host. ``names`` and ``told`` are those of the
    listeners that it binds and advertises, with placeholders for hosts.
    """

    __slots__ = (
        "advertised",
        "known",
        "listeners",
        "named",
        "names",
        "protocols",
        "quorum",
        "told",
    )

    def __init__(self, broker: Broker) -> None:
        bound, told = broker["listeners"], broker["advertised.listeners"]
        names, map_ = broker["controller.listener.names"], broker["listener.security.protocol.map"]
        written = [value for value in (bound, told, names, map_) if value.written]
        told_all = not broker.resource.managed or bound.written
        self.known = told_all and all(value.text is not None for value in written)
        self.listeners = parse(bound.text if bound.written else _DEFAULT)
        self.advertised = parse(told.text) if told.written else self.listeners
        here = _framed(bound) if bound.written and bound.text is None else self.listeners
        there = _framed(told) if told.written and told.text is None else self.advertised
        self.named = self.known or (
            told_all
            and here is not None
            and there is not None
            and all(value.text is not None for value in (names, map_) if value.written)
        )
        self.names = [one.name for one in here or ()]
        self.told = (there or []) if told.written else []
        if broker.version.at_least("4.2"):
            # What stands in a list twice in the same words counts once (KIP-1161).
            self.advertised = [*{str(one): one for one in self.advertised}.values()]
        self.quorum = _quorum(broker)
        self.protocols = _protocols(broker, self)

    @property
    def visible(self) -> list[Listener]:
        """The advertised listeners that are a broker's: those of the quorum are left out."""
        return [one for one in self.advertised if one.name not in self.quorum]


def _quorum(broker: Broker) -> list[str]:
    """controller.listener.names as Kafka splits them: blanks stay in the names up to 4.0."""
    text = broker["controller.listener.names"].text or ""
    if not text:
        return []
    if broker.version.below("4.1"):
        # Java's split drops empty strings at the end.
        kept = text.rstrip(",")
        return kept.split(",") if kept else []
    return entries(text)


def _protocols(broker: Broker, addresses: Addresses) -> dict[str, str]:
    """Protocols by listener name.

    Without a map the four protocols' own names speak them, and in KRaft mode from 3.1 on the
    controllers' names speak PLAINTEXT, unless some listener is secured.
    """
    value = broker["listener.security.protocol.map"]
    if value.written:
        pairs = (entry.rpartition(":") for entry in entries(value.text))
        return {
            name.strip().upper(): spoken.strip().upper() for name, colon, spoken in pairs if colon
        }
    found = {name: name for name in PROTOCOLS}
    if broker.roles[:1] in ([], [""]) or broker.version.below("3.1"):
        return found
    if _SECURED.isdisjoint(addresses.quorum) and _SECURED.isdisjoint(addresses.names):
        # The names enter as they are written: in lower case they meet no listener.
        found.update((name, "PLAINTEXT") for name in addresses.quorum)
    return found


def _named_by(broker: Broker, key: str) -> list[str] | None:
    """The listeners that a key of ``listener.name.`` is about; None where they are not known.

    A broker also connects to the controllers by the keys of their listener, which it does not bind.
    """
    found, name = addresses(broker), key.split(".")[2]
    if not (found.named and broker["listeners"].written):
        return None
    names = dict.fromkeys(one.strip() for one in (*found.names, *found.quorum))
    return [one for one in names if one.lower() == name]


def between(broker: Broker) -> tuple[str, str]:
    """The listener by which brokers talk to each other, and its protocol."""
    name, spoken = broker["inter.broker.listener.name"], broker["security.inter.broker.protocol"]
    listener = str((name if name.written else spoken).value or "").upper()
    return listener, addresses(broker).protocols.get(listener, "") if name.written else listener


def of_no_listener(broker: Broker, key: str) -> bool:
    """Whether the node has no listener of the name in a key of ``listener.name.``."""
    return _named_by(broker, key) == []


def may_log_in(broker: Broker, key: str) -> bool:
    """Whether something may log in by a key of ``listener.name.``: its listener may speak SASL."""
    mine = _named_by(broker, key)
    if mine is None:
        return True
    spoken = [addresses(broker).protocols.get(one, "") for one in mine]
    return any(not one or one.startswith("SASL") for one in spoken)


_last: tuple[Broker, Addresses] | None = None


def addresses(broker: Broker) -> Addresses:
    """The node's addresses; several rules ask for them one after the other."""
    global _last
    if _last is None or _last[0] is not broker:
        _last = (broker, Addresses(broker))
    return _last[1]
