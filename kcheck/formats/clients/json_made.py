"""The resource of a client that stands as an object in a JSON file."""

from __future__ import annotations

from kcheck import libraries
from kcheck.formats.properties.kinds import client_kind, named_kind
from kcheck.model import Document, Resource, Setting
from kcheck.syntax import yaml

#: How the brokers are called: librdkafka and Java, old librdkafka, Python, .NET, KafkaJS.
BROKERS = ("bootstrap.servers", "metadata.broker.list", "bootstrap_servers", "BootstrapServers")
KAFKAJS_BROKERS = "brokers"


def around(node: yaml.Node | None) -> yaml.Node | None:
    """The object around a client's, if that client is the only one in it: what it says is of that."""
    brokers = {*BROKERS, KAFKAJS_BROKERS}
    inner = [
        one for _, _, one in yaml.pairs(node) if brokers & {key for key, _, _ in yaml.pairs(one)}
    ]
    return node if len(inner) == 1 else None


def resource_of(
    document: Document, node: yaml.Node, layer: dict[str, Setting], role: str = ""
) -> Resource:
    keys = {key.replace("_", ".") for key in layer}
    file = document.path.rpartition("/")[2].lower()
    kind = role or client_kind(file, keys)
    named = [layer.get(key) for key in ("group.id", "client.id", "group_id", "client_id")]
    name = next((s.text for s in named if s is not None and s.text), document.path)
    resource = Resource(kind, name, document.path, yaml.position(node))
    resource.settings = layer
    told = role or named_kind(file)
    if told:
        resource.traits.role = told
    document.resources.append(resource)
    return resource


def tell_library(document: Document, resource: Resource, told: yaml.Node | None) -> None:
    """What the ``client`` beside the settings says of the library."""
    name = yaml.text(told)
    if name is None or told is None:
        return
    at = yaml.position(told)
    resource.facts["client.library"] = Setting("client.library", name, document.path, at)
    resource.dialect, shared = libraries.binding(name)
    if not shared:
        resource.traits.own_versions = True


def listed(key: str, key_node: yaml.Node, node: yaml.Node, path: str, name: str) -> Setting:
    """A list of scalars as one text with commas."""
    texts = [yaml.text(item) for item in yaml.items(node)]
    raw = None if None in texts else ",".join(text or "" for text in texts)
    return Setting(key, raw, path, yaml.position(node), yaml.position(key_node), name)
