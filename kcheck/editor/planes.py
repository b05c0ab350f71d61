"""The schema of one plane in one version: its keys, and those of others behind prefixes."""

from __future__ import annotations

import re

from kcheck import catalogue
from kcheck.catalogue import Fact
from kcheck.editor import values, weighing, words
from kcheck.editor.values import Schema
from kcheck.lexicon import planes
from kcheck.rule import Rule
from kcheck.version import Version

#: The planes that have a schema, and the tables that know their keys; the first one decides.
PLANES: dict[str, tuple[str, ...]] = {
    "broker": ("broker",),
    "controller": ("broker",),
    "topic": ("topic",),
    "producer": ("producer",),
    "consumer": ("consumer",),
    "share-consumer": ("consumer",),
    "admin": ("admin",),
    "client": ("producer", "consumer", "admin"),
    "streams": ("streams", "producer", "consumer", "admin"),
    "connect-distributed": ("connect-distributed",),
    "connect-standalone": ("connect-standalone",),
    "source-connector": ("source-connector",),
    "sink-connector": ("sink-connector",),
    "mirror": ("mirror",),
    "mirror-source": ("mirror-source",),
    "mirror-checkpoint": ("mirror-checkpoint",),
    "mirror-heartbeat": ("mirror-heartbeat",),
    "group": ("group",),
    "client-metrics": ("client-metrics",),
    "quota": ("quota",),
    "remote-metadata": ("remote-metadata",),
}
_TITLES = {"quota": "Quotas and credentials of users, clients and addresses"}

#: Kafka refuses a key that it does not know; everywhere else plug-ins and programs have their own.
_STRICT = frozenset({"topic", "group", "client-metrics", "quota"})

_CLIENTS = (("producer", r"producer\."), ("consumer", r"consumer\."), ("admin", r"admin\."))
_STORAGE = ("topic", r"(?:config|offset|status)\.storage\.")
#: (table, prefix as a pattern) behind which its keys stand too.
PREFIXES: dict[str, tuple[tuple[str, str], ...]] = {
    "broker": (
        (
            "broker",
            r"listener\.name\.[^.]+\.(?:(?:plain|gssapi|oauthbearer|scram-sha-256|scram-sha-512)\.)?",
        ),
        ("remote-metadata", r"rlmm\.config\."),
    ),
    "streams": (
        ("producer", r"producer\."),
        ("consumer", r"(?:(?:main|restore|global)\.)?consumer\."),
        ("admin", r"admin\."),
        ("topic", r"topic\."),
    ),
    "connect-distributed": (
        *_CLIENTS,
        _STORAGE,
        ("connect-distributed", r"(?:admin\.)?listeners\.https\."),
    ),
    "connect-standalone": (*_CLIENTS, ("connect-standalone", r"(?:admin\.)?listeners\.https\.")),
    "source-connector": (
        ("producer", r"producer\.override\."),
        ("admin", r"admin\.override\."),
        ("topic-creation", r"topic\.creation\.[^.]+\."),
        ("topic", r"topic\.creation\.[^.]+\."),
    ),
    "sink-connector": (
        ("consumer", r"consumer\.override\."),
        ("admin", r"admin\.override\."),
        ("producer", r"errors\.deadletterqueue\.producer\."),
    ),
    "mirror": (
        ("mirror-source", r"(?:[^.>]+->[^.]+\.)?"),
        ("mirror-checkpoint", r"(?:[^.>]+->[^.]+\.)?"),
        ("mirror-heartbeat", r"(?:[^.>]+->[^.]+\.)?"),
        ("admin", r"[^.>]+\.(?:admin\.)?"),
        ("producer", r"[^.>]+\.(?:producer\.)?"),
        ("consumer", r"[^.>]+\.(?:consumer\.)?"),
    ),
    "remote-metadata": (
        ("producer", r"remote\.log\.metadata\.(?:common\.client|producer)\."),
        ("consumer", r"remote\.log\.metadata\.(?:common\.client|consumer)\."),
        ("admin", r"remote\.log\.metadata\.(?:common\.client|admin)\."),
    ),
}
PREFIXES["controller"] = PREFIXES["broker"]
PREFIXES["mirror-source"] = PREFIXES["source-connector"]


class NoSuchPlane(Exception):
    """That version of Kafka has nothing of the plane."""


def schema(plane: str, version: Version, rules: dict[str, Rule]) -> Schema:
    """The JSON Schema (draft 2020-12) of a file or map that holds keys of the plane.

    ``version`` is a known one within the catalogue. Raises NoSuchPlane.
    """
    minor = catalogue.clamp(version) or catalogue.newest()
    facts = _facts(plane, minor, internal=plane in _STRICT)
    if not facts:
        raise NoSuchPlane(plane)
    weighed = weighing.by_key(rules, {key for _, key in facts})
    properties: dict[str, Schema] = {}
    for (table, key), fact in sorted(facts.items(), key=lambda item: item[0][1]):
        properties[key] = _property(table, fact, version, minor, weighed.get(key, []))
    for key in _denied(plane, minor):
        properties[key] = {
            "not": {},
            "description": "A share consumer refuses to be given this key",
        }
    patterns, definitions = _behind_prefixes(plane, version, minor, facts)
    patterns.update(_open(plane))
    found: Schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Kafka {minor}: {_TITLES.get(plane, plane.replace('-', ' '))}",
        "type": "object",
        "properties": properties,
        "patternProperties": patterns,
        "additionalProperties": plane not in _STRICT,
    }
    if not patterns:
        del found["patternProperties"]
    if definitions:
        found["$defs"] = definitions
    return found


def _facts(plane: str, minor: str, *, internal: bool = False) -> dict[tuple[str, str], Fact]:
    """The fact of each key of the plane in that minor, by the table that decides."""
    found: dict[tuple[str, str], Fact] = {}
    seen: set[str] = set()
    for table in PLANES.get(plane, (plane,)):
        known = catalogue.plane(table)
        for key in list(known.keys()):
            fact = next((row for row in known.history(key) if row.covers(minor)), None)
            if fact is None or key in seen or ("internal" in fact.flags and not internal):
                continue
            seen.add(key)
            found[table, key] = fact
    if plane == "share-consumer":
        denied = set(_denied(plane, minor))
        found = {at: fact for at, fact in found.items() if at[1] not in denied} if denied else {}
    return found


def _denied(plane: str, minor: str) -> list[str]:
    if plane != "share-consumer":
        return []
    table = catalogue.plane("share-consumer")
    return [k for k in list(table.keys()) if any(row.covers(minor) for row in table.history(k))]


def _property(table: str, fact: Fact, version: Version, minor: str, rules: list[Rule]) -> Schema:
    described: Schema = {"description": words.describe(table, fact, version, rules)}
    return described | values.schema(table, fact, minor)


def _behind_prefixes(
    plane: str, version: Version, minor: str, own: dict[tuple[str, str], Fact]
) -> tuple[dict[str, Schema], dict[str, Schema]]:
    """(patternProperties, the definitions that they refer to).

    Where several planes stand behind one prefix, the first that knows the key decides.
    """
    patterns: dict[str, Schema] = {}
    definitions: dict[str, Schema] = {}
    taken: set[tuple[str, str]] = set()
    for table, prefix in PREFIXES.get(plane, ()):
        mine = table in PLANES.get(plane, ())
        defined: Schema = {}
        for (_, key), fact in _facts(table, minor).items():
            if (prefix, key) in taken:
                continue
            taken.add((prefix, key))
            where = "#/properties/" if mine else f"#/$defs/{table}/"
            if not mine:
                defined[key] = _property(table, fact, version, minor, [])
            patterns[f"^{prefix}{re.escape(key)}$"] = {"$ref": where + key}
        if defined:
            definitions[table] = definitions.get(table, {}) | defined
    return patterns, definitions


def _open(plane: str) -> dict[str, Schema]:
    """What plug-ins and vendors read, where other unknown keys are refused."""
    if plane != "topic":
        return {}
    names, prefixes = planes.opened("topic")
    either = [*map(re.escape, sorted(prefixes)), *(f"{re.escape(name)}$" for name in sorted(names))]
    return {f"^(?:{'|'.join(either)})": {}}
