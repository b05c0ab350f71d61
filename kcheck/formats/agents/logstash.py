"""Logstash pipelines: a ``kafka`` input is a consumer, a ``kafka`` output a producer.

The plugins have names of their own for Kafka's keys (``session_timeout_ms``), short words for its
assignors, and defaults for the group, the serializers and the brokers.
"""

from __future__ import annotations

import re

from kcheck import catalogue
from kcheck.formats import Lookup, unknown_fields, unknown_words
from kcheck.formats.agents import options as agents
from kcheck.formats.agents import texts
from kcheck.formats.containers import jaas_files
from kcheck.formats.properties.signs import FOREIGN_CLIENT
from kcheck.formats.text import templated
from kcheck.lexicon.fields import LOGSTASH
from kcheck.model import (
    PASSED_OVER,
    WARNING,
    Derived,
    Document,
    Framed,
    Problem,
    Resource,
    Setting,
)
from kcheck.syntax.logstash import Option, Plugin, fault, plugins

_ROLES = {"input": "consumer", "output": "producer"}
#: Options whose name is not Kafka's key with other dots.
_NAMES = {
    "key_deserializer_class": "key.deserializer",
    "value_deserializer_class": "value.deserializer",
}
_CLASSES = "org.apache.kafka.clients.consumer."
_ASSIGNORS = {
    "range": f"{_CLASSES}RangeAssignor",
    "round_robin": f"{_CLASSES}RoundRobinAssignor",
    "sticky": f"{_CLASSES}StickyAssignor",
    "cooperative_sticky": f"{_CLASSES}CooperativeStickyAssignor",
}
_TOPICS = ("topics", "topic_id", "topics_pattern")
#: What an input reads that names no topics.
_DEFAULT_TOPIC = "logstash"
#: How an output writes events, and an input reads values, without a codec.
_DEFAULT_CODEC = "plain"
#: What the plugins set themselves where the pipeline does not.
_STRINGS = "org.apache.kafka.common.serialization.String"
_DEFAULTS = {
    "consumer": {
        "bootstrap.servers": "localhost:9092",
        "group.id": "logstash",
        "key.deserializer": f"{_STRINGS}Deserializer",
        "value.deserializer": f"{_STRINGS}Deserializer",
    },
    "producer": {
        "bootstrap.servers": "localhost:9092",
        "key.serializer": f"{_STRINGS}Serializer",
        "value.serializer": f"{_STRINGS}Serializer",
    },
}


def recognise(path: str, data: bytes) -> str | None:
    if b"kafka" not in data or b"=>" not in data:
        return None
    begins = re.search(rb"^\s*(input|output)\s*\{", data, re.MULTILINE)
    return FOREIGN_CLIENT if begins and re.search(rb"\bkafka\s*\{", data) else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    text = data.decode("utf-8", "replace")
    for plugin in plugins(text, "kafka"):
        if plugin.section in _ROLES:
            _client(document, plugin, lookup)
            given = [(o.name, o.name_at) for o in plugin.options if not templated(o.name)]
            owner = f"kafka {plugin.section}"
            unknown_fields.of_names(document, LOGSTASH, plugin.section, owner, "setting", given)
            words = [
                (o.name, o.text, o.at)
                for o in plugin.options
                if o.text and o.plain and "${" not in o.text and "%{" not in o.text
            ]
            unknown_words.words_of_names(document, LOGSTASH, plugin.section, owner, words)
            for option in plugin.options:
                if option.name == "topics" and option.plain and option.text:
                    told = (option.name, option.text, option.at)
                    document.problems += texts.joined(document.path, owner, told)
            agents.require(document, LOGSTASH, plugin.section, plugin.options, plugin.at)
    found = None if b"{{" in data or b"<%" in data else fault(text)
    if found is not None:
        # Logstash joins the files of a folder: a brace may be closed in the next one.
        why, at = found
        document.problems.append(Problem(f"not a whole pipeline: {why}", at, severity=WARNING))
    if not document.resources:
        document.status, document.reason = PASSED_OVER, "contains no Kafka input or output"


def _beside(path: str, named: str) -> list[str]:
    """Where a file of the machine may be in the project: in the pipeline's folder, or the one above."""
    folder, name = path.rpartition("/")[0], named.rpartition("/")[2]
    above = folder.rpartition("/")[0]
    return [f"{one}/{name}" if one else name for one in {folder: 0, above: 0}] if name else []


def _name_topics(client: Resource, plugin: Plugin) -> None:
    """The topics that the plugin names, or the one that an input reads without any."""
    given: set[str] = set()
    for option in plugin.options:
        if option.name not in _TOPICS:
            continue
        given.add(option.name)
        if option.name == "topics_pattern":
            continue
        if option.text and not templated(option.text) and "%{" not in option.text:
            client.traits.topics = tuple(name.strip() for name in option.text.split(","))
    if "topics_pattern" in given:
        # A pattern goes over the names.
        client.traits.topics = None
    elif client.kind == "consumer" and not given:
        client.traits.topics = (_DEFAULT_TOPIC,)


def _client(document: Document, plugin: Plugin, lookup: Lookup) -> None:
    kind = _ROLES[plugin.section]
    client = Resource(kind, document.path, document.path, plugin.at)
    client.traits.language = f"logstash-{plugin.section}"
    _name_topics(client, plugin)
    for option in plugin.options:
        if option.name == "jaas_path":
            client.traits.jaas_file = True
            jaas_files.judge(client, _beside(document.path, option.text or ""), lookup)
        if option.name == "consumer_threads" and kind == "consumer":
            client.traits.concurrency = _setting(document, "concurrency", option)
            continue
        key = _NAMES.get(option.name, option.name.replace("_", "."))
        if key in catalogue.plane(kind):
            made = _setting(document, key, option)
            if key in client.settings:
                client.earlier.append((client.settings[key], made))
            client.settings[key] = made
    codec = next((option for option in plugin.options if option.name == "codec"), None)
    if codec is None:
        encoding = Setting("codec", _DEFAULT_CODEC, document.path, plugin.at)
    else:
        encoding = _setting(document, "codec", codec)
    client.traits.encoding = (LOGSTASH, encoding)
    for key, text in _DEFAULTS[kind].items():
        client.image[key] = Setting(key, text, document.path, plugin.at)
    client.traits.application = f"{document.path}:{plugin.at[0]}"
    named = client.settings.get("group.id") or client.settings.get("client.id")
    client.name = (named.text if named is not None else "") or document.path
    document.resources.append(client)


def _setting(document: Document, key: str, option: Option) -> Setting:
    text = option.text
    if text is None or templated(text):
        place = (document.path, option.at, option.name_at, option.name)
        return Setting(key, None, *place) if text is None else Framed(key, text, *place)
    if key == "partition.assignment.strategy" and text in _ASSIGNORS:
        made = Derived(key, _ASSIGNORS[text], document.path, option.at, option.name_at)
    elif not option.plain:
        made = Derived(key, text, document.path, option.at, option.name_at)
    else:
        return Setting(key, text, document.path, option.at, option.name_at, option.name)
    made.name = option.name
    return made
