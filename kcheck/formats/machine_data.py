"""Data of configuration management, in which maps of brokers' keys stand: attributes of Chef, pillars of
Salt, hashes of Hiera and of Puppet's manifests.

A mapping below a name with ``kafka`` in it is a broker's where its keys are, as Kafka has them, or with
underscores for the dots. What takes it, and what other layers say, is unknown.
"""

from __future__ import annotations

import re
from functools import lru_cache

from kcheck import catalogue
from kcheck.formats import Lookup
from kcheck.formats.scalars import documents, nothing, setting, take
from kcheck.formats.text import holds, templated, unrendered
from kcheck.model import PUPPET, SKIPPED, Document, Resource
from kcheck.syntax import yaml
from kcheck.syntax.nodes import Mapping

CHEF, SALT, MANIFEST = "chef-attributes", "salt-pillar", "puppet-manifest"
#: What roles, nodes and environments of Chef have their attributes under.
_ATTRIBUTES = re.compile(
    rb'"(?:default_attributes|override_attributes)"[ \t]*:[ \t\r\n]*\{|"run_list"[ \t]*:[ \t\r\n]*\['
)
#: Keys of brokers that stand in nearly every hash of theirs.
_HASHED = (
    *(b"broker.id", b"node.id", b"zookeeper.connect", b"num.partitions", b"log.dirs", b"listeners"),
    *(b"replication.factor", b"log.retention.", b"num.network.threads"),
)
_PLANES = ("topic", "producer", "consumer", "admin", "streams", "connect-distributed")
_DEEPEST = 12
#: So many keys of a broker make a mapping one's; one of them has to be of brokers alone.
_LEAST = 2


def recognise(path: str, data: bytes) -> str | None:
    if b"kafka" not in data:
        return None
    if path.endswith(".sls"):
        return SALT if b"broker" in data or b"log" in data else None
    if path.endswith(".pp"):
        return MANIFEST if b"=>" in data and holds(data, _HASHED) else None
    return CHEF if path.endswith(".json") and _ATTRIBUTES.search(data) else None


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    if document.format == MANIFEST:
        _manifest(document, data)
        return
    if unrendered(data):
        document.status, document.reason = SKIPPED, "an unrendered template"
        return
    for node in documents(document, data):
        add(document, node)
    nothing(document, "contains no map of a broker's keys")


def _manifest(document: Document, data: bytes) -> None:
    """The hashes of a manifest. What is empty in one, templates of modules leave out."""
    from kcheck.syntax import puppet

    for name, at, hash_ in puppet.hashes(data.decode("utf-8", "replace")):
        whole = Mapping(yaml.position(at))
        whole.pairs.append((name, at, hash_))
        add(document, whole, True)
    for broker in document.resources:
        broker.traits.deployer = PUPPET
        for key, one in [*broker.settings.items()]:
            if one.text == "":
                document.extent.weighed += (broker.settings.pop(key),)
    nothing(document, "contains no map of a broker's keys")


def add(document: Document, node: yaml.Node, named: bool = False, depth: int = _DEEPEST) -> None:
    """Add the brokers of the maps below a node; ``named`` tells that it is below a name of Kafka's."""
    for key, key_node, value in yaml.pairs(node) if depth else ():
        inside = named or "kafka" in key.lower()
        found = _keys(value) if inside else {}
        if len(found) >= _LEAST and any(_alone(one) for one in found):
            document.resources.append(_broker(document, key_node, value, found))
        else:
            add(document, value, inside, depth - 1)


def _keys(node: yaml.Node) -> dict[str, str]:
    """Kafka's keys in a mapping, with the names by which it has them."""
    found: dict[str, str] = {}
    for name, _, value in yaml.pairs(node):
        key = name.replace("_", ".")
        told = "." in key or key == "listeners"
        if told and not isinstance(_plain(value), yaml.MappingNode) and _known(key):
            found[key] = name
    return found


def _plain(value: yaml.Node) -> yaml.Node:
    """A value, which Confluent's module of Puppet has a map around."""
    pairs = yaml.pairs(value)
    return pairs[0][2] if [key for key, _, _ in pairs] == ["value"] else value


def _broker(
    document: Document, key_node: yaml.Node, node: yaml.Node, found: dict[str, str]
) -> Resource:
    path = document.path
    made = Resource("broker", path, path, yaml.position(key_node), "broker")
    made.traits.partial = True
    names = {name: key for key, name in found.items()}
    for name, own, value in yaml.pairs(node):
        if name in names:
            value = _plain(value)
            one = setting(names[name], own, value, path, name)
            members = [yaml.text(item) for item in yaml.items(value)]
            if members and all(text and not templated(text) for text in members):
                one.raw = one.text = ",".join(map(str, members))
            take(made, one)
    return made


@lru_cache(2_000)
def _known(key: str) -> bool:
    return bool(catalogue.plane("broker").history(key))


@lru_cache(2_000)
def _alone(key: str) -> bool:
    """Whether only brokers have a key."""
    return not any(catalogue.plane(plane).history(key) for plane in _PLANES)
