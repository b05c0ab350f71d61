"""Flows of NiFi as JSON: ``flow.json``, versioned flows and what NiFi Registry keeps of them.

ConsumeKafka and PublishKafka (with their records and release numbers) are clients. Up to NiFi 1 a
processor has all properties of its client, from NiFi 2 on those of the brokers are a connection
service's. ``#{name}`` is a parameter of the group's context; expressions (``${…}``) are unknown.
NiFi sets more by itself (KafkaProcessorUtils, Kafka3ConnectionService), so that defaults are open.
"""

from __future__ import annotations

import re

from kcheck.formats import Lookup
from kcheck.formats.clients import own_maps
from kcheck.formats.clients.application import Application, Layer
from kcheck.formats.scalars import known
from kcheck.formats.text import templated
from kcheck.model import PASSED_OVER, Derived, Document, Framed, Resource, Setting
from kcheck.syntax import json, yaml

#: The types of processors and services, by their last names.
_PROCESSOR = re.compile(r"[\w.]*\.(Consume|Publish)Kafka(?:Record)?(?:_\d+_\d+)?")
_SERVICE = re.compile(r"[\w.]*\.\w*Kafka\w*ConnectionService")
_SIDES = {"Consume": "consumer", "Publish": "producer"}
#: A processor names its service by its identifier.
_CONNECTION = ("Kafka Connection Service", "kafka-connection-service")
_TOPICS = ("topic", "Topics", "Topic Name", "topics")
_PATTERNS = ("topic_type", "Topic Format")
_PARAMETER = re.compile(r"#\{\s*'?([^}']+?)'?\s*\}")
_PERIOD = re.compile(
    r"(\d{1,15})\s*(ms|millis?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)",
    re.IGNORECASE,
)
_MILLIS = {"mi": 1, "ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_SIZE = re.compile(r"(\d{1,15})\s*(B|KB|MB|GB|TB)", re.IGNORECASE)
_BYTES = {"b": 1, "kb": 2**10, "mb": 2**20, "gb": 2**30, "tb": 2**40}
_DEEPEST = 60


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    node, problem = json.document(data)
    if problem is not None:
        document.problems.append(problem)
    if node is not None:
        Flow(document, node).read()
    if not document.resources and not document.problems:
        document.status, document.reason = PASSED_OVER, "contains no Kafka client setting"


class Flow:
    """The processors of one flow, with the services and parameters that they name."""

    def __init__(self, document: Document, top: yaml.Node) -> None:
        self.document = document
        self.top = top
        self.application = Application(document, f"{document.path}#flow")
        self.services: dict[str, yaml.Node] = {}
        self.contexts: dict[str, dict[str, str | None]] = {}
        self.processors: list[tuple[str, yaml.Node, str]] = []

    def read(self) -> None:
        self._gather(self.top, "", 0)
        for side, node, context in self.processors:
            self._client(side, node, context)

    def _gather(self, node: yaml.Node, context: str, depth: int) -> None:
        """Find processors, services and contexts below a node, in the group of a context."""
        if depth > _DEEPEST:
            return
        own = yaml.text(yaml.child(node, "parameterContextName"))
        context = own or context
        kind = yaml.text(yaml.child(node, "type")) or ""
        found = _PROCESSOR.fullmatch(kind)
        if found is not None:
            self.processors.append((_SIDES[found[1]], node, context))
            return
        if _SERVICE.fullmatch(kind):
            self.services[known(yaml.child(node, "identifier"))] = node
        if isinstance(yaml.child(node, "parameters"), yaml.SequenceNode):
            self._context(node)
        for item in yaml.items(node):
            self._gather(item, context, depth + 1)
        for _, _, value in yaml.pairs(node):
            if not isinstance(value, yaml.ScalarNode):
                self._gather(value, context, depth + 1)

    def _context(self, node: yaml.Node) -> None:
        """The parameters of a context; of a sensitive one nobody knows the value."""
        told = self.contexts.setdefault(yaml.text(yaml.child(node, "name")) or "", {})
        for item in yaml.items(yaml.child(node, "parameters")):
            inner = yaml.child(item, "parameter") or item
            name = yaml.text(yaml.child(inner, "name"))
            if name is not None:
                told[name] = yaml.text(yaml.child(inner, "value"))

    def _client(self, side: str, node: yaml.Node, context: str) -> None:
        properties = yaml.child(node, "properties")
        told = (known(yaml.child(properties, name)) for name in _CONNECTION)
        named = next(filter(None, told), "")
        service = self.services.get(named)
        layers = [
            self._layer(side, one, context)
            for one in (yaml.child(service, "properties"), properties)
            if one is not None
        ]
        if not any(layers):
            return
        at = yaml.position(node)
        topics = self._topics(properties, context)
        made = self.application.client(side, at, [(one, False) for one in layers], topics=topics)
        made.traits.partial = True
        self._settle(made, side, properties)
        if made.name == made.path:
            made.name = known(yaml.child(node, "name")) or made.path

    def _settle(self, made: Resource, side: str, properties: yaml.Node | None) -> None:
        """What NiFi makes of its own properties."""
        protocol = made.settings.get("security.protocol")
        if protocol is not None and protocol.text in ("PLAINTEXT", "SSL"):
            # NiFi writes the defaults of all properties down, and those of SASL have no effect.
            for key in [key for key in made.settings if key.startswith("sasl.")]:
                del made.settings[key]
        if side == "consumer":
            made.image["enable.auto.commit"] = _made("enable.auto.commit", "false", made)
        elif known(yaml.child(properties, "use-transactions")) == "true":
            made.image["transactional.id"] = _made("transactional.id", None, made)
        if yaml.text(yaml.child(properties, "sasl.username")) is not None:
            made.image["sasl.jaas.config"] = _made("sasl.jaas.config", None, made)

    def _layer(self, side: str, node: yaml.Node, context: str) -> Layer:
        layer: Layer = {}
        for name, key_node, value in yaml.pairs(node):
            key = own_maps.key_by_letters(name.replace(" ", ""), side)
            raw = yaml.text(value)
            if not key or raw is None:
                continue
            filled = self._filled(raw, context)
            text = None if filled is None else _converted(key, filled)
            layer[key] = _setting(key, raw, text, self.document.path, value, key_node, name)
        return layer

    def _filled(self, text: str, context: str) -> str | None:
        """The text with the parameters of a context put in; None where one is unknown."""
        known_here = self.contexts.get(context)
        if known_here is None and len(self.contexts) == 1:
            known_here = next(iter(self.contexts.values()))
        for name in _PARAMETER.findall(text):
            if (known_here or {}).get(name) is None:
                return None
        filled = _PARAMETER.sub(lambda found: (known_here or {}).get(found[1]) or "", text)
        return None if templated(filled) else filled

    def _topics(self, node: yaml.Node | None, context: str) -> list[str] | None:
        if any(known(yaml.child(node, name)) == "pattern" for name in _PATTERNS):
            return None
        for name in _TOPICS:
            told = yaml.text(yaml.child(node, name))
            text = self._filled(told, context) if told is not None else None
            if text:
                return [one.strip() for one in text.split(",")]
        return None


def _made(key: str, text: str | None, made: Resource) -> Setting:
    return Setting(key, text, made.path, made.at)


def _setting(
    key: str,
    raw: str,
    text: str | None,
    path: str,
    node: yaml.Node,
    key_node: yaml.Node,
    name: str,
) -> Setting:
    at, key_at = yaml.position(node), yaml.position(key_node)
    if text is None and not templated(raw):
        # The frame of a parameter tells nothing.
        return Setting(key, None, path, at, key_at, name)
    kind = Framed if text is None else Setting if text == raw else Derived
    return kind(key, raw if text is None else text, path, at, key_at, name)


def _converted(key: str, text: str) -> str:
    """The text that Kafka gets: milliseconds for a period of time, bytes for a size."""
    period, size = _PERIOD.fullmatch(text.strip()), _SIZE.fullmatch(text.strip())
    if period is not None and key.endswith(".ms"):
        unit = period[2].lower()
        millis = _MILLIS.get(unit[:2]) if unit.startswith(("ms", "milli")) else _MILLIS[unit[0]]
        return str(int(period[1]) * (millis or 1))
    if size is not None and not text.strip().isdecimal():
        return str(int(size[1]) * _BYTES[size[2].lower()])
    return text
