"""Clients of other languages as JSON: librdkafka and its bindings, Confluent.Kafka for .NET, KafkaJS.

An object with the brokers in it is a client, wherever it stands. Which library reads it is told by
a ``client`` beside or above it, by keys that only librdkafka has, or by the way its names are
written; else it is unknown.
"""

from __future__ import annotations

from kcheck.formats import Lookup
from kcheck.formats.clients import json_kafkajs as client_json_kafkajs
from kcheck.formats.clients import json_net as client_json_net
from kcheck.formats.clients import topics as client_topics
from kcheck.formats.clients.json_made import (
    BROKERS,
    KAFKAJS_BROKERS,
    around,
    listed,
    resource_of,
    tell_library,
)
from kcheck.formats.properties.kinds import client_kind, named_kind
from kcheck.formats.properties.signs import CONSUMER_KEYS, LIBRDKAFKA_KEYS
from kcheck.formats.scalars import setting
from kcheck.formats.text import unrendered
from kcheck.libraries import JAVA, KAFKA_PYTHON, LIBRDKAFKA, UNKNOWN
from kcheck.model import PASSED_OVER, SKIPPED, Document, Problem, Resource, Setting
from kcheck.syntax import json, yaml

#: Brokers have a key of that name, too; Java's clients do not.
_SIGNS_OF_LIBRDKAFKA = LIBRDKAFKA_KEYS | {"message.max.bytes"}

_last: tuple[bytes, yaml.Node | None] = (b"", None)


def recognise(path: str, data: bytes) -> str | None:
    """``librdkafka`` where its keys or a name of its say so, ``client-other`` for other clients."""
    global _last
    node, problem = json.document(data)
    if problem is not None or node is None:
        return "client-other" if _broken(data, problem) else None
    _last = (data, node)
    document = Document(path)
    _search(document, node, None)
    if not document.resources:
        return None
    dialects = {resource.dialect for resource in document.resources}
    return "librdkafka" if dialects == {LIBRDKAFKA.name} else "client-other"


#: What is Kafka's wherever it stands.
_OURS = (b'"bootstrap.servers"', b'"metadata.broker.list"')


def _broken(data: bytes, problem: Problem | None) -> bool:
    """Whether it is the configuration of a client that no parser takes as it stands."""
    if problem is None or data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"{":
        return False
    if unrendered(data) or b"${" in data or problem.message.endswith(json.FOLLOWS):
        return False
    return any(mark in data for mark in _OURS)


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    node, problem = (_last[1], None) if _last[0] is data else json.document(data)
    if problem is not None and _broken(data, problem):
        document.problems.append(problem)
        return
    if node is not None:
        _search(document, node, None)
    if not document.resources:
        template = unrendered(data)
        document.status = SKIPPED if template else PASSED_OVER
        document.reason = "an unrendered template" if template else "contains no client"


def _search(
    document: Document,
    node: yaml.Node,
    library: yaml.Node | None,
    beside: yaml.Node | None = None,
    holder: str = "",
) -> None:
    """Make the clients in a node; ``beside`` is the object that it is a member of, as ``holder``."""
    if isinstance(node, yaml.SequenceNode):
        for item in yaml.items(node):
            _search(document, item, library, holder=holder)
        return
    members = yaml.pairs(node)
    names = {key for key, _, _ in members}
    told = next((v for key, _, v in members if key in ("client", "library")), None) or library
    if names & set(BROKERS) or client_json_net.nearly(names):
        _clients(document, node, told, around(beside), named_kind(holder.lower()))
    elif KAFKAJS_BROKERS in names and (
        (yaml.text(told) or "").lower() == "kafkajs" or client_json_kafkajs.recognised(node, names)
    ):
        client_json_kafkajs.read(document, node, told, beside)
    elif "global" in names and told is not None:
        _clients(document, node, told, None)
    else:
        for key, _, value in members:
            _search(document, value, told, node, key)


_ROLES = ("producer", "consumer")


def _clients(
    document: Document,
    node: yaml.Node,
    told: yaml.Node | None,
    around: yaml.Node | None,
    named: str = "",
) -> None:
    """The client of an object, whose name may tell the role, or those of the objects within it that have the name of a role.

    ``"Kafka": {"BootstrapServers": …, "Consumer": {"GroupId": …}}``: what they share stands outside.
    Among Kafka's own keys the name is that of the role alone.
    """
    base, net = _layer(document, node)
    below = []
    for key, _, value in yaml.pairs(node):
        role = next((r for r in _ROLES if (r in key.lower() if net else r == key)), "")
        own = _layer(document, value, net=net)[0] if role else {}
        if any(_heeds(role, name) for name in own):
            shared = {name: s for name, s in base.items() if _heeds(role, name)}
            below.append((value, {**shared, **own}, role))
    roles = [role for _, _, role in below]
    keys = [base.keys(), *(layer.keys() for _, layer, _ in below)]
    made = []
    if not below or client_kind("", set(base)) not in ("client", *roles):
        # What only a producer has, and what only a consumer, tells more than a name.
        alone = client_kind("", {key.replace("_", ".") for key in base}) in ("client", named)
        made.append(_client(document, node, told, base, net, named if alone else ""))
    for value, layer, role in below:
        client = _client(document, value, told, layer, net, role)
        # One program has one library: what tells it may stand in any of its sections.
        if client.dialect == UNKNOWN and any(signs & _SIGNS_OF_LIBRDKAFKA for signs in keys):
            client.dialect = LIBRDKAFKA.name
        made.append(client)
        client_topics.give(made[-1:], value)
    client_topics.give(made, node, around)


def _heeds(role: str, key: str) -> bool:
    """Whether a client of librdkafka's in that role has a use for the key."""
    from kcheck import dialects

    library = dialects.library(LIBRDKAFKA.name)
    rows = library.history(key) if library is not None else ()
    return any(row.takes(role) for row in rows) and (role == "consumer" or key not in CONSUMER_KEYS)


def _layer(
    document: Document, node: yaml.Node, net: bool = False
) -> tuple[dict[str, Setting], bool]:
    """The settings of an object, and whether their names are .NET's."""
    layer: dict[str, Setting] = {}
    members = yaml.pairs(node)
    net = net or any(key == "BootstrapServers" for key, _, _ in members)
    net = net or client_json_net.nearly({key for key, _, _ in members})
    for key, key_node, value in yaml.pairs(node):
        if key in ("client", "library", "version"):
            continue
        if isinstance(value, yaml.MappingNode):
            # node-rdkafka and its like part what is for the client from what is for its topics.
            if key in ("global", "topic", "conf"):
                for inner, inner_key, inner_value in yaml.pairs(value):
                    layer[inner] = setting(inner, inner_key, inner_value, document.path)
            continue
        name = client_json_net.dotted(key) if net else key
        made = setting(name, key_node, value, document.path, key)
        if isinstance(value, yaml.SequenceNode):
            made = listed(name, key_node, value, document.path, key)
        if net and made.text is not None:
            made = client_json_net.worded(document, name, made)
        layer[name] = made
    return layer, net


def _client(
    document: Document,
    node: yaml.Node,
    told: yaml.Node | None,
    layer: dict[str, Setting],
    net: bool,
    role: str = "",
) -> Resource:
    """A client whose names are dotted, or .NET's or Python's for the same."""
    resource = resource_of(document, node, layer, role)
    tell_library(document, resource, told)
    if resource.dialect == JAVA.name:
        python = "bootstrap_servers" in layer
        resource.dialect = UNKNOWN
        if net or layer.keys() & _SIGNS_OF_LIBRDKAFKA:
            resource.dialect = LIBRDKAFKA.name
        elif python:
            resource.dialect = KAFKA_PYTHON.name if _pythons(layer) else UNKNOWN
    if net:
        from kcheck import dialects

        # The object may be the program's own, with more in it than the client's settings.
        library = dialects.library(LIBRDKAFKA.name)
        known = {k: s for k, s in layer.items() if library is not None and k in library}
        resource.settings = known
        from kcheck.formats import unknown_fields

        given = [(one.name, one.key_at) for key, one in layer.items() if key not in known]
        unknown_fields.of_net(document, given, library or ())
    return resource


def _pythons(layer: dict[str, Setting]) -> bool:
    """Whether all keys are kafka-python's, so that they are handed on as they are."""
    from kcheck import dialects

    library = dialects.library(KAFKA_PYTHON.name)
    return library is not None and len(layer) > 1 and all(key in library for key in layer)
