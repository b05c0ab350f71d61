"""Logstash pipelines: its kafka inputs are consumers, its kafka outputs producers.

Their options are Kafka's keys with underscores; what else a plugin takes is Logstash's own. The
plugins have defaults of their own, by version: what a pipeline does not say is unknown.
"""

from __future__ import annotations

from kcheck import catalogue
from kcheck.formats.scalars import take
from kcheck.formats.text import templated
from kcheck.model import PASSED_OVER, Derived, Document, Resource, Setting
from kcheck.syntax.logstash import Option, Plugin, plugins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats import Lookup

_KINDS = {"input": "consumer", "output": "producer"}
_NAMES = {"consumer": "group.id", "producer": "client.id"}
#: Options that bear the name of one of Kafka's keys and hold something else.
_ELSE = frozenset(
    {"partition.assignment.strategy", "metrics.recording.level", "interceptor.classes"}
)
#: Kafka's keys under names of the plugin's.
_RENAMED = {
    "key_deserializer_class": "key.deserializer",
    "value_deserializer_class": "value.deserializer",
}


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    for plugin in plugins(data.decode("utf-8", "replace")):
        kind = _KINDS.get(plugin.section)
        if plugin.name.text == "kafka" and kind is not None:
            document.resources.append(_client(document, plugin, kind))
    if not document.resources:
        document.status = PASSED_OVER
        document.reason = "no kafka input or output in it"


def _client(document: Document, plugin: Plugin, kind: str) -> Resource:
    client = Resource(kind, document.path, document.path, plugin.name.at)
    client.values["partial"] = True
    for option in plugin.options:
        name = option.name.text
        key = _RENAMED.get(name, name.replace("_", "."))
        if name in ("topics", "topic_id"):
            _topics(client, option)
        elif key not in _ELSE and option.values and catalogue.plane(kind).history(key):
            take(client, _setting(document, key, option))
    identity = client.settings.get(_NAMES[kind])
    if identity is not None and identity.text:
        client.name = identity.text
    return client


def _setting(document: Document, key: str, option: Option) -> Setting:
    text = ",".join(value.text for value in option.values)
    raw = None if templated(text) or "\\" in text else text
    first, last = option.values[0].at, option.values[-1].at
    at = (*first[:2], *last[2:])
    kind = Derived if option.listed else Setting
    return kind(key, raw, document.path, at, option.name.at, option.name.text)


def _topics(client: Resource, option: Option) -> None:
    names = [name.strip() for value in option.values for name in value.text.split(",")]
    # An event's own field says where it goes: %{[topic]}.
    known = bool(names) and not any(templated(name) for name in names)
    if known:
        client.values["topics"] = names
        made = Setting("topics", ",".join(names), client.path, option.values[0].at)
        client.facts["topics"] = made
