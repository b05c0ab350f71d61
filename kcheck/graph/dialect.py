"""What a client of another library really uses, under Java's names of the keys.

A rule asks for ``delivery.timeout.ms``; librdkafka's file may say ``message.timeout.ms``, and its
own default holds where neither is there. Values that Java has as text are text here too.
"""

from __future__ import annotations

from kcheck import catalogue, dialects, libraries
from kcheck.graph.resolve import from_setting
from kcheck.model import ABSENT, DEFAULT, SET, Resource, Value
from kcheck.version import Version

#: Keys that are text to Java, whatever the library makes of them.
_TEXTS = ("acks",)
#: Roles in which a table lists its keys.
_ROLES = ("producer", "consumer", "admin")


def sets(resource: Resource, key: str) -> bool:
    """Whether the resource sets the key, under whichever name, or its program by itself."""
    library = dialects.library(resource.dialect)
    names = library.names(key) if library else (key,)
    return any(name in resource.settings or name in resource.image for name in names)


def resolve(resource: Resource, key: str, version: Version) -> Value:
    """The key as the library reads it; ``key`` of the value is the name that the file uses.

    The library's default counts only if it is the same in every version in question; otherwise the
    value has one candidate for each.
    """
    library = dialects.library(resource.dialect)
    names = library.names(key) if library else (key,)
    role = resource.kind if resource.kind in _ROLES else ""
    if libraries.of(resource.dialect).shared_keys:
        # It has one table for all clients, and weighs a consumer's keys in a producer too.
        role = ""
        # Of two names of one property the last in the file wins.
        given = [name for name in resource.settings if name in names]
        names = (*reversed(given), *(name for name in names if name not in given))
    layers = (resource.settings, resource.image) if resource.image else (resource.settings,)
    for name, layer in ((name, layer) for layer in layers for name in names):
        setting = layer.get(name)
        if setting is None:
            continue
        rows = library.history(name) if library else ()
        if library is None or not rows:
            return from_setting(name, setting, resource, resource.plane, version)
        if setting.text is None:
            return Value(name, resource, SET, None, setting=setting)
        kind = "string" if key in _TEXTS else rows[-1].type
        value, wrong = library.convert(kind, setting.text)
        possible = library.possible(name, version) or rows
        if wrong or all(library.refusal(row, setting.text) for row in possible):
            # Told as such by a rule; nothing follows from it.
            return Value(name, resource, SET, setting.text, None, False, setting)
        return Value(name, resource, SET, setting.text, value, True, setting)
    for name in names if library else ():
        rows = library.possible(name, version, role) if library else ()
        if rows:
            return _default(key, resource, rows)
    return Value(key, resource, ABSENT)


def _default(key: str, resource: Resource, rows: tuple[dialects.Property, ...]) -> Value:
    library = dialects.library(resource.dialect)
    texts = {row.default: row.default_text for row in rows}
    kind = "string" if key in _TEXTS else rows[-1].type
    if library is None or "code" in texts:
        return Value(key, resource, DEFAULT, None, None, False)
    if len(texts) > 1:
        typed = tuple(text and library.convert(kind, text)[0] for text in texts.values())
        return Value(key, resource, DEFAULT, None, None, False, candidates=typed)
    text = rows[-1].default_text
    if text is None:
        return Value(key, resource, DEFAULT, None, None, True)
    value, _ = library.convert(kind, text)
    return Value(key, resource, DEFAULT, text, value, True)


def keys(resource: Resource, version: Version) -> list[str]:
    """Java's names of the keys that the library has for this client, and its own others."""
    library = dialects.library(resource.dialect)
    if library is None:
        return []
    role = resource.kind if resource.kind in _ROLES else ""
    known: list[str] = []
    named: set[str] = set()
    for plane in (role,) if role else _ROLES:
        for key in list(catalogue.plane(plane).keys()):
            names = library.names(key)
            if any(library.possible(name, version, role) for name in names):
                known.append(key)
                named.update(names)
    own = [key for key in library if library.possible(key, version, role)]
    return list(dict.fromkeys([*known, *(key for key in own if key not in named)]))
