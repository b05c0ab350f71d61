"""Routes of Camel in YAML: the DSL, Integrations, Kamelets, Pipes and KameletBindings.

``from`` and ``to`` name endpoints by URIs, with parameters in the URI or in a map beside it; a Pipe
names a Kamelet of Kafka's for its source or its sink, with the Kamelet's properties.
"""

from __future__ import annotations

import re

from kcheck.formats import Lookup
from kcheck.formats.camel.clients import Options, endpoint, is_endpoint, parsed
from kcheck.formats.clients.application import Application
from kcheck.formats.scalars import documents, inside, known, nothing, setting
from kcheck.model import Document, Resource, Setting
from kcheck.syntax import yaml

_DEEPEST = 40
#: Steps that read an endpoint; all others that name one write to it.
_READS = ("from", "pollEnrich", "poll")
_STEPS = (
    *(*_READS, "to", "toD", "wireTap", "enrich", "deadLetterUri", "interceptSendToEndpoint"),
    *("to-d", "wire-tap", "poll-enrich", "dead-letter-uri", "sink", "source", "endpoint"),
)
_KAMELET = re.compile(r"(?:kamelet:)?kafka(?:-[a-z-]+)?-(source|sink)(?:/[\w-]+)?")
#: Kamelets that are not secured, or log in otherwise, have a word more in their names.
_PLAIN_LOGIN = re.compile(r"(?:kamelet:)?kafka-(?:source|sink)(?:/[\w-]+)?")
_LOGIN = {"security.protocol": "SASL_SSL", "sasl.mechanism": "PLAIN"}


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    for node in documents(document, data):
        Routes(document).walk(node, "", 0)
    nothing(document, "contains no endpoint of Kafka with an option of its clients")


class Routes:
    """Finds the endpoints of a document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.application = Application(document, f"{document.path}#routes")

    def walk(self, node: yaml.Node, name: str, depth: int) -> None:
        """Take every endpoint below a node, which ``name`` names."""
        if depth > _DEEPEST:
            return
        for item in yaml.items(node):
            self._step(name, item)
            self.walk(item, name, depth + 1)
        self._step(name, node)
        for key, _, value in yaml.pairs(node):
            self.walk(value, key, depth + 1)

    def _step(self, name: str, node: yaml.Node) -> None:
        if name not in _STEPS:
            return
        uri = node if isinstance(node, yaml.ScalarNode) else yaml.child(node, "uri")
        text = yaml.text(uri)
        if uri is not None and text is not None and is_endpoint(text):
            self._endpoint(name, text, uri, yaml.child(node, "parameters"))
        elif text is not None and _KAMELET.fullmatch(text):
            self._kamelet(text, uri or node, yaml.child(node, "parameters"))
        elif yaml.child(node, "ref", "name") is not None:
            kamelet = yaml.child(node, "ref", "name")
            if known(kamelet) and yaml.text(yaml.child(node, "ref", "kind")) == "Kamelet":
                self._kamelet(known(kamelet), kamelet or node, yaml.child(node, "properties"))

    def _endpoint(self, name: str, text: str, uri: yaml.Node, parameters: yaml.Node | None) -> None:
        at = inside(uri)
        literal = at[3] - at[1] == len(text)
        topic, options = parsed(text, self.document.path, at, literal)
        self._parameters(options, parameters)
        side = "consumer" if name in _READS else "producer"
        endpoint(self.application, side, topic, options, yaml.position(uri))

    def _parameters(self, options: Options, node: yaml.Node | None, outer: str = "") -> None:
        for key, key_node, value in yaml.pairs(node):
            option = f"{outer}[{key}]" if outer else key
            if isinstance(value, yaml.MappingNode) and not outer:
                self._parameters(options, value, key)
            else:
                options.take(option, setting(option, key_node, value, self.document.path, key))

    def _kamelet(self, text: str, node: yaml.Node, properties: yaml.Node | None) -> None:
        found = _KAMELET.fullmatch(text)
        if found is None or properties is None:
            return
        options = Options()
        self._parameters(options, properties)
        side = "consumer" if found[1] == "source" else "producer"
        topic = known(yaml.child(properties, "topic"))
        made = endpoint(self.application, side, topic, options, yaml.position(node))
        if _PLAIN_LOGIN.fullmatch(text):
            self._login(made, properties)

    def _login(self, made: Resource, properties: yaml.Node) -> None:
        """What the Kamelet makes of its properties: a login by its ``user`` and ``password``."""
        for key, text in _LOGIN.items():
            if key not in made.settings:
                made.image[key] = Setting(key, text, made.path, made.at)
        for key, key_node, value in yaml.pairs(properties):
            if key == "password":
                told = setting("sasl.jaas.config", key_node, value, made.path, key)
                made.image["sasl.jaas.config"] = Setting(
                    "sasl.jaas.config", None, made.path, told.at, told.key_at, key
                )
