"""The HTTP listeners of Schema Registry, the REST Proxy and ksqlDB, as their servers parse them.

RestConfig.parseListeners (confluentinc/rest-utils) makes a URI of each entry, which must have a port
and the scheme http, https or a name from listener.protocol.map; up to 5.x an unknown scheme is
skipped, unless nothing remains. Schema Registry then looks for the listener by which its instances
reach each other (AbstractSchemaRegistry.getInterInstanceListener).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kcheck.formats.pairs import Pair
from kcheck.formats.text import templated
from kcheck.model import ERROR, SCHEMA_REGISTRY, SPOKEN, WARNING, Note

_KEY, _MAP = "listeners", "listener.protocol.map"
_SCHEMES = ("http", "https")
_NAME = "inter.instance.listener.name"
#: The old name takes precedence where it is not empty.
_PROTOCOLS = ("schema.registry.inter.instance.protocol", "inter.instance.protocol")


def notes(kind: str, pairs: list[Pair]) -> Iterator[Note]:
    """What is wrong with the listeners of a server of that kind."""
    told = {pair.name: pair for pair in pairs}
    listeners = told.get(_KEY)
    if listeners is None or not listeners.text or templated(listeners.text):
        return
    named = told.get(_MAP)
    if named is not None and (named.text is None or templated(named.text)):
        return
    names = {
        entry.partition(":")[0].strip().lower()
        for entry in ((named.text if named is not None else "") or "").split(",")
    }
    entries = [entry.strip() for entry in listeners.text.split(",") if entry.strip()]
    wrong = next(((entry, why) for entry in entries if (why := _fault(entry, names))), None)
    if wrong is not None:
        entry, why = wrong
        alone = len(entries) == 1 or "scheme " not in why
        yield Note(
            "KC1083",
            listeners.setting(_KEY, listeners.text),
            f"{SPOKEN[kind]}: {entry} in {_KEY} {why}",
            f"{SPOKEN[kind]} fails to start: the listener is rejected"
            if alone
            else f"{SPOKEN[kind]} fails to start, or before 6.0 runs without this listener",
            f"set {_KEY} to http://HOST:PORT or https://HOST:PORT",
            ERROR if alone else WARNING,
        )
    elif kind == SCHEMA_REGISTRY:
        yield from _between(told, listeners, entries)


def _fault(entry: str, names: set[str]) -> str:
    """Why an entry is no listener of a server, "" if it is one."""
    scheme, known, rest = entry.partition("://")
    if not known:
        return "has no scheme"
    if scheme.lower() not in (*_SCHEMES, *names):
        return f"has the scheme {scheme}, which is neither http nor https"
    bound = rest.partition("/")[0]
    return "" if bound.rpartition(":")[2].isdecimal() and ":" in bound else "has no port"


def _between(told: Mapping[str, Pair], listeners: Pair, entries: list[str]) -> Iterator[Note]:
    """A note where no listener has the protocol by which the instances ask each other."""
    if _NAME in told or any(entry.lower().startswith("http://") for entry in entries):
        return
    if not all(entry.lower().startswith("https://") for entry in entries):
        return  # the map gives the named ones their protocol
    given = [told[name] for name in _PROTOCOLS if name in told and told[name].text != ""]
    text = given[0].text if given else "http"
    if text is None or text.lower() != "http":
        return
    said = f"{given[0].name} is http" if given else f"{_PROTOCOLS[1]} is http (default)"
    yield Note(
        "KC1084",
        listeners.setting(_KEY, listeners.text),
        f"Schema Registry listens on https only, but {said}",
        "Schema Registry fails to start: No listener configured with requested scheme http",
        f"set {given[0].name if given else _PROTOCOLS[1]}=https",
        ERROR,
        others=tuple(pair.setting(pair.name, pair.text) for pair in given[:1]),
    )
