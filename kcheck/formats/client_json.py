"""Clients of other languages as JSON: librdkafka and its bindings, Confluent.Kafka for .NET, KafkaJS.

An object with the brokers in it is a client, wherever it stands. Which library reads it is told by
a ``client`` beside or above it, by keys that only librdkafka has, or by the way its names are
written; else it is unknown.
"""

from __future__ import annotations

import re

from kcheck import libraries
from kcheck.formats import Lookup, client_topics
from kcheck.formats.properties_kinds import client_kind, named_kind
from kcheck.formats.properties_signs import CONSUMER_KEYS, LIBRDKAFKA_KEYS
from kcheck.formats.scalars import derived, setting
from kcheck.formats.text import templated, unrendered
from kcheck.lexicon import suggest
from kcheck.libraries import JAVA, KAFKA_PYTHON, KAFKAJS, LIBRDKAFKA, UNKNOWN
from kcheck.model import PASSED_OVER, SKIPPED, Document, Problem, Resource, Setting
from kcheck.syntax import json, yaml

#: How the brokers are called: librdkafka and Java, old librdkafka, Python, .NET, KafkaJS.
_BROKERS = ("bootstrap.servers", "metadata.broker.list", "bootstrap_servers", "BootstrapServers")
_KAFKAJS = "brokers"
#: KafkaJS' names and Kafka's.
_FROM_KAFKAJS = {
    "brokers": "bootstrap.servers",
    "clientId": "client.id",
    "groupId": "group.id",
    "sessionTimeout": "session.timeout.ms",
    "heartbeatInterval": "heartbeat.interval.ms",
    "rebalanceTimeout": "max.poll.interval.ms",
    "maxBytesPerPartition": "max.partition.fetch.bytes",
    "minBytes": "fetch.min.bytes",
    "maxBytes": "fetch.max.bytes",
    "maxWaitTimeInMs": "fetch.max.wait.ms",
    "metadataMaxAge": "metadata.max.age.ms",
    "requestTimeout": "request.timeout.ms",
    "idempotent": "enable.idempotence",
    "transactionalId": "transactional.id",
    "transactionTimeout": "transaction.timeout.ms",
    "acks": "acks",
}
#: Of these, and of others that KafkaJS alone calls so, one stands beside its brokers.
_SIGNS = {
    "clientId",
    "groupId",
    "connectionTimeout",
    "authenticationTimeout",
    "sessionTimeout",
    "heartbeatInterval",
    "metadataMaxAge",
    "enforceRequestTimeout",
}
_ADDRESS = re.compile(r"[\w.-]+:\d+$")
#: .NET's names of values that librdkafka calls otherwise; others of these keys differ in case alone.
_FROM_NET = {
    "security.protocol": {"saslssl": "sasl_ssl", "saslplaintext": "sasl_plaintext"},
    "sasl.mechanism": {
        "plain": "PLAIN",
        "gssapi": "GSSAPI",
        "scramsha256": "SCRAM-SHA-256",
        "scramsha512": "SCRAM-SHA-512",
        "oauthbearer": "OAUTHBEARER",
    },
    "acks": {"none": "0", "leader": "1"},
    "partition.assignment.strategy": {"cooperativesticky": "cooperative-sticky"},
    "auto.offset.reset": {},
    "compression.type": {},
    "broker.address.family": {},
    "ssl.endpoint.identification.algorithm": {},
    "partitioner": {"consistentrandom": "consistent_random", "murmur2random": "murmur2_random"},
    "isolation.level": {"readuncommitted": "read_uncommitted", "readcommitted": "read_committed"},
}
#: The same values by number: .NET's binder takes those of its enumerations, too.
_NUMBERED = {
    "security.protocol": ("plaintext", "ssl", "sasl_plaintext", "sasl_ssl"),
    "sasl.mechanism": ("GSSAPI", "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"),
    "partition.assignment.strategy": ("range", "roundrobin", "cooperative-sticky"),
    "auto.offset.reset": ("latest", "earliest", "error"),
    "compression.type": ("none", "gzip", "snappy", "lz4", "zstd"),
    "broker.address.family": ("any", "v4", "v6"),
    "ssl.endpoint.identification.algorithm": ("none", "https"),
    "partitioner": (
        *("random", "consistent", "consistent_random", "murmur2", "murmur2_random"),
        *("fnv1a", "fnv1a_random"),
    ),
    "isolation.level": ("read_uncommitted", "read_committed"),
}
#: Brokers have a key of that name, too; Java's clients do not.
_SIGNS_OF_LIBRDKAFKA = LIBRDKAFKA_KEYS | {"message.max.bytes"}
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

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
    if names & set(_BROKERS) or _nearly_net(names):
        _clients(document, node, told, _around(beside), named_kind(holder.lower()))
    elif _KAFKAJS in names and (
        (yaml.text(told) or "").lower() == "kafkajs" or _is_kafkajs(node, names)
    ):
        _kafkajs(document, node, told, beside)
    elif "global" in names and told is not None:
        _clients(document, node, told, None)
    else:
        for key, _, value in members:
            _search(document, value, told, node, key)


#: Of the properties of .NET's clients, those by which an object is one although its brokers have a
#: name that is not quite right.
_NET_SIGNS = frozenset(
    ("GroupId", "AutoOffsetReset", "EnableAutoCommit", "SecurityProtocol", "SaslMechanism", "Acks")
)


def _nearly_net(names: set[str]) -> bool:
    """Whether an object has .NET's properties, and its brokers under a misspelt name."""
    return bool(names & _NET_SIGNS) and any(map(_nearly_brokers, names))


def _nearly_brokers(name: str) -> bool:
    near = name[:1] == "B" and name != "BootstrapServers" and len(name) > 10
    return near and suggest.distance(name.lower(), "bootstrapservers", 2) <= 2


def _around(node: yaml.Node | None) -> yaml.Node | None:
    """The object around a client's, if that client is the only one in it: what it says is of that."""
    brokers = {*_BROKERS, _KAFKAJS}
    inner = [
        one for _, _, one in yaml.pairs(node) if brokers & {key for key, _, _ in yaml.pairs(one)}
    ]
    return node if len(inner) == 1 else None


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
    net = net or _nearly_net({key for key, _, _ in members})
    for key, key_node, value in yaml.pairs(node):
        if key in ("client", "library", "version"):
            continue
        if isinstance(value, yaml.MappingNode):
            # node-rdkafka and its like part what is for the client from what is for its topics.
            if key in ("global", "topic", "conf"):
                for inner, inner_key, inner_value in yaml.pairs(value):
                    layer[inner] = setting(inner, inner_key, inner_value, document.path)
            continue
        name = _dotted(key) if net else key
        made = setting(name, key_node, value, document.path, key)
        if isinstance(value, yaml.SequenceNode):
            made = _listed(name, key_node, value, document.path, key)
        if net and made.text is not None:
            text, numbered = made.text, _NUMBERED.get(name, ())
            words = _FROM_NET.get(name)
            if text.isdecimal() and int(text) < len(numbered):
                made = derived(made, numbered[int(text)])
            elif words is not None:
                _misspelt(document, name, made)
                made.text = words.get(text.lower(), text.lower())
        layer[name] = made
    return layer, net


def _misspelt(document: Document, name: str, made: Setting) -> None:
    """Report librdkafka's spelling of a value, which is no member of .NET's enumeration."""
    from kcheck.formats import unknown_fields
    from kcheck.lexicon import fields

    members = fields.words_of("dotnet", name)
    squeezed = "".join(filter(str.isalnum, made.text or "")).lower()
    right = next((member for member in members if member.lower() == squeezed), "")
    if right and right.lower() != (made.text or "").lower():
        unknown_fields.member_of_net(document, made, right)


def _client(
    document: Document,
    node: yaml.Node,
    told: yaml.Node | None,
    layer: dict[str, Setting],
    net: bool,
    role: str = "",
) -> Resource:
    """A client whose names are dotted, or .NET's or Python's for the same."""
    resource = _made(document, node, layer, role)
    _library(document, resource, told)
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


def _is_kafkajs(node: yaml.Node, names: set[str]) -> bool:
    """Whether an object is KafkaJS' by the names in it: a list of addresses with one of its own."""
    brokers = yaml.items(yaml.child(node, _KAFKAJS))
    texts = [yaml.text(item) or "" for item in brokers]
    addressed = all(_ADDRESS.match(text) or templated(text) for text in texts)
    return bool(texts) and addressed and bool(names & _SIGNS)


def _kafkajs(
    document: Document, node: yaml.Node, told: yaml.Node | None, beside: yaml.Node | None
) -> None:
    """The client of an object, or its consumer and producer in objects within it or beside it."""
    base = _of_kafkajs(document, node)
    roles = [
        (role, value)
        for holder in (node, beside)
        for role in ("consumer", "producer")
        if isinstance(value := yaml.child(holder, role), yaml.MappingNode)
    ]
    made = []
    for role, value in roles:
        own = _of_kafkajs(document, value)
        if own:
            made.append(_made(document, value, {**base, **own}, role))
            client_topics.give(made[-1:], value)
    made = made or [_made(document, node, base)]
    client_topics.give(made, node, _around(beside))
    for resource in made:
        resource.traits.language = "kafkajs"
        if yaml.text(told) is not None:
            _library(document, resource, told)
        else:
            resource.dialect = KAFKAJS.name


def _of_kafkajs(document: Document, node: yaml.Node) -> dict[str, Setting]:
    layer: dict[str, Setting] = {}
    for key, key_node, value in yaml.pairs(node):
        name = _FROM_KAFKAJS.get(key)
        if name is not None:
            made = setting(name, key_node, value, document.path, key)
            if isinstance(value, yaml.SequenceNode):
                made = _listed(name, key_node, value, document.path, key)
            layer[name] = made
        elif key == "ssl":
            protocol = "PLAINTEXT" if yaml.text(value) == "false" else "SSL"
            if any(other == "sasl" for other, _, _ in yaml.pairs(node)):
                protocol = f"SASL_{protocol}"
            layer["security.protocol"] = Setting(
                "security.protocol",
                protocol,
                document.path,
                yaml.position(value),
                yaml.position(key_node),
                key,
            )
        elif key == "sasl":
            _mechanism(layer, document, value)
    return layer


def _mechanism(layer: dict[str, Setting], document: Document, sasl: yaml.Node) -> None:
    """How a client of KafkaJS' logs in; ``aws`` is a way of its own and no mechanism of Kafka's."""
    for key, key_node, value in yaml.pairs(sasl):
        if key == "mechanism" and (yaml.text(value) or "").lower() != "aws":
            made = setting("sasl.mechanism", key_node, value, document.path, key)
            layer["sasl.mechanism"] = derived(made, made.text.upper()) if made.text else made


def _made(
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


def _library(document: Document, resource: Resource, told: yaml.Node | None) -> None:
    """What the ``client`` beside the settings says of the library."""
    name = yaml.text(told)
    if name is None or told is None:
        return
    at = yaml.position(told)
    resource.facts["client.library"] = Setting("client.library", name, document.path, at)
    resource.dialect, shared = libraries.binding(name)
    if not shared:
        resource.traits.own_versions = True


def _listed(key: str, key_node: yaml.Node, node: yaml.Node, path: str, name: str) -> Setting:
    """A list of scalars as one text with commas."""
    texts = [yaml.text(item) for item in yaml.items(node)]
    raw = None if None in texts else ",".join(text or "" for text in texts)
    return Setting(key, raw, path, yaml.position(node), yaml.position(key_node), name)


def _dotted(name: str) -> str:
    """``SaslMechanism`` → ``sasl.mechanism``, as Confluent.Kafka names its properties."""
    return _HUMP.sub(".", name).lower()
