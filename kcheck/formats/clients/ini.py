"""INI files with the settings of librdkafka's clients, as programs in Python keep them.

A section with brokers, or with keys of a client beside a ``[default]`` that has them, is a client;
``[default]`` holds for all sections.
"""

from __future__ import annotations

from kcheck import libraries
from kcheck.formats import Lookup
from kcheck.formats.properties.kinds import client_kind, named_kind
from kcheck.formats.properties.signs import (
    CONSUMER_KEYS,
    LIBRDKAFKA,
    LIBRDKAFKA_KEYS,
    PRODUCER_KEYS,
)
from kcheck.formats.text import written
from kcheck.model import PASSED_OVER, Document, Resource, Setting
from kcheck.syntax.entry import settings_lines

_BROKERS = ("bootstrap.servers", "metadata.broker.list")
_CLIENTS = PRODUCER_KEYS | CONSUMER_KEYS | LIBRDKAFKA_KEYS

_Section = dict[str, Setting]


def recognise(path: str, data: bytes) -> str | None:
    if not any(key.encode() in data for key in _BROKERS):
        return None
    sections = _sections(path, data)
    return LIBRDKAFKA if any(key in s for s in sections.values() for key in _BROKERS) else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    sections = _sections(document.path, data)
    shared = next((s for name, s in sections.items() if name.lower() == "default"), {})
    for name, own in sections.items():
        named = any(word in name.lower() for word in ("producer", "consumer", "kafka"))
        if (
            own is not shared
            and own
            and (named or own.keys() & _CLIENTS or own.keys() & set(_BROKERS))
        ):
            _client(document, name, {**shared, **own}, shared.keys() - own.keys())
    if not document.resources and shared.keys() & set(_BROKERS):
        _client(document, "default", shared, set())
    if not document.resources:
        document.status, document.reason = PASSED_OVER, "contains no client"


def _client(document: Document, section: str, settings: _Section, shared: set[str]) -> None:
    if not any(key in settings for key in _BROKERS):
        return
    kind = client_kind(section.lower(), set(settings))
    first = min(settings.values(), key=lambda setting: setting.key_at)
    named = [settings.get(key) for key in ("group.id", "client.id")]
    name = next((s.text for s in named if s is not None and s.text), document.path)
    resource = Resource(kind, name, document.path, first.key_at)
    resource.settings = settings
    # Who hands dotted keys from an INI file on is a binding of librdkafka; nobody says which.
    resource.dialect = libraries.LIBRDKAFKA.name
    resource.traits.application = document.path
    resource.traits.role, resource.traits.shared_keys = (
        named_kind(section.lower()),
        frozenset(shared),
    )
    document.resources.append(resource)


def _sections(path: str, data: bytes) -> dict[str, _Section]:
    """The settings of each section, the last of a key wins; ``key=value``, ``key: value``."""
    found: dict[str, _Section] = {}
    current: _Section = {}
    for number, line in enumerate(settings_lines(data.decode("utf-8", "replace")), 1):
        bare = line.strip()
        if bare.startswith("[") and bare.endswith("]"):
            current = found.setdefault(bare[1:-1].strip(), {})
            continue
        ends = [at for at in (line.find("="), line.find(":")) if at > 0]
        if not bare or bare[0] in "#;" or line[:1].isspace() or not ends:
            continue
        end = min(ends)
        key, value = line[:end].rstrip(), line[end + 1 :].strip()
        start = len(line) - len(line[end + 1 :].lstrip()) + 1
        at = (number, start, number, start + len(value))
        current[key] = written(key, value, path, at, (number, 1, number, len(key) + 1))
    return found
