"""The clients of what Confluent for Kubernetes runs beside brokers: ``SchemaRegistry``,
``KafkaRestProxy``, ``KsqlDB`` and ``ControlCenter``.

The operator writes a file of properties for each: the brokers of ``dependencies.kafka``, replication
factors, names of its own for topics and groups, and over all that ``configOverrides.server``. The
fields are those of the CRDs in datreeio/CRDs-catalog:platform.confluent.io.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kcheck.formats.clients import security as client_security
from kcheck.formats.confluent.lists import assignment
from kcheck.formats.containers import program_names
from kcheck.formats.pairs import Pair
from kcheck.formats.properties.signs import CONTROL_CENTER, KSQLDB, REST_PROXY, SCHEMA_REGISTRY
from kcheck.formats.scalars import known, setting
from kcheck.formats.servers.clients import CENTER_FACTORS, Server
from kcheck.model import CFK, Document, Framed, Resource, Setting
from kcheck.syntax import yaml

#: By kind: the format of the program's own file, its key for the brokers, the field and the keys for the
#: replication factors of its own topics, which the operator sets in any case.
_KINDS: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    "SchemaRegistry": (
        SCHEMA_REGISTRY,
        "kafkastore.bootstrap.servers",
        "internalTopicReplicatorFactor",
        ("kafkastore.topic.replication.factor",),
    ),
    "KafkaRestProxy": (REST_PROXY, "bootstrap.servers", "", ()),
    "KsqlDB": (
        KSQLDB,
        "bootstrap.servers",
        "internalTopicReplicationFactor",
        ("ksql.internal.topic.replicas",),
    ),
    "ControlCenter": (
        CONTROL_CENTER,
        "bootstrap.servers",
        "internalTopicReplicatorFactor",
        tuple(CENTER_FACTORS),
    ),
}
KINDS = frozenset(_KINDS)
#: The factor of internal topics, and the cluster, unless a resource names them (the CRDs' texts).
_FACTOR, _CLUSTER = "3", "kafka"
#: That Schema Registry leaves endpoints out for their protocol.
_ENDPOINTS = "KC1026"
_BY_TOKEN = ("security.protocol", "sasl.mechanism", "sasl.jaas.config")


def read(
    document: Document, node: yaml.Node, spec: yaml.Node | None, kind: str, lines: list[str]
) -> None:
    """Add the clients of one resource of these kinds."""
    program = _KINDS[kind][0]
    own = list(_overrides(document, spec, lines))
    if program != CONTROL_CENTER:
        program_names.of_pairs(document, program, own)
    given = {pair.name for pair in own}
    pairs = [*(one for one in _made(document, spec, kind) if one.name not in given), *own]
    before = len(document.resources)
    server = Server(document, pairs)
    if program == SCHEMA_REGISTRY:
        server.registry()
    elif program == REST_PROXY:
        server.rest()
    elif program == KSQLDB:
        server.ksql()
    else:
        server.center(image=yaml.text(yaml.child(spec, "image", "application")) or "")
    for client in document.resources[before:]:
        _placed(client, node, spec, given)


def _overrides(document: Document, spec: yaml.Node | None, lines: list[str]) -> Iterator[Pair]:
    for item in yaml.items(yaml.child(spec, "configOverrides", "server")):
        told = assignment(item, document.path, lines)
        if told is not None:
            text = told.frame if isinstance(told, Framed) else told.text
            yield Pair(told.key, text, told.path, told.at, told.key_at)


def _made(document: Document, spec: yaml.Node | None, kind: str) -> Iterator[Pair]:
    """What the operator makes of the resource: the brokers, and replication factors."""
    _, servers, field, factors = _KINDS[kind]
    count: tuple[yaml.Node, yaml.Node] | None = None
    for key, key_node, value in yaml.pairs(spec):
        if field and key == field:
            count = key_node, value
    kafka = yaml.child(spec, "dependencies", "kafka")
    spot = yaml.position(spec) if spec is not None else None
    told = kafka is None and _is_whole(spec)
    if told and spot is not None:
        yield Pair(servers, None, document.path, spot, spot)
    for key, key_node, value in yaml.pairs(kafka):
        if key == "bootstrapEndpoint":
            told = True
            at, key_at = yaml.position(value), yaml.position(key_node)
            yield Pair(servers, yaml.text(value), document.path, at, key_at, key)
    if not told:
        return
    for name in factors:
        if count is not None:
            at, key_at = yaml.position(count[1]), yaml.position(count[0])
            yield Pair(name, yaml.text(count[1]), document.path, at, key_at, field)
        elif spot is not None:
            # Several endpoints are those of regions, of which none has all brokers of the cluster.
            endpoint = yaml.text(yaml.child(kafka, "bootstrapEndpoint")) or ""
            text = _FACTOR if _is_whole(spec) and "," not in endpoint else None
            yield Pair(name, text, document.path, spot, spot)


def storage(worker: Resource, spec: yaml.Node | None) -> None:
    """Give a worker the factor that the operator writes for its topics unless the resource does."""
    endpoint = yaml.text(yaml.child(spec, "dependencies", "kafka", "bootstrapEndpoint")) or ""
    if spec is None or not _is_whole(spec) or "," in endpoint:
        return
    at = yaml.position(spec)
    for store in ("config", "offset", "status"):
        key = f"{store}.storage.replication.factor"
        worker.image[key] = Setting(key, _FACTOR, worker.path, at, at)


def _is_whole(spec: yaml.Node | None) -> bool:
    """Whether a resource has what the CRD requires of it, as a patch has not."""
    return {"image", "replicas"} <= {key for key, _, _ in yaml.pairs(spec)}


def _placed(client: Resource, node: yaml.Node, spec: yaml.Node | None, given: set[str]) -> None:
    """Say of a client what its resource is, and leave out what only the program has by default."""
    meta, traits = yaml.child(node, "metadata"), client.traits
    named = yaml.child(meta, "name")
    if client.name == client.path and named is not None:
        client.name = yaml.text(named) or client.name
    traits.deployer, traits.partial = CFK, True
    traits.namespace = known(yaml.child(meta, "namespace"))
    # The operator writes the protocol of the endpoints beside them.
    client.notes[:] = [one for one in client.notes if one.code != _ENDPOINTS]
    # Names of topics and groups are the operator's own, unless they are overridden.
    traits.registry = None
    if "kafkastore.topic" not in given:
        traits.topics = None
    for key, key_node, value in yaml.pairs(spec):
        if key == "replicas":
            traits.instances = setting("instances", key_node, value, client.path, key)
    secure(client, spec)


def without_login(made: Iterable[Resource], node: yaml.Node) -> list[Resource]:
    """The clients of a resource that says nothing of their login."""
    if yaml.child(node, "spec", "dependencies", "kafka", "authentication") is not None:
        return []
    return [client for client in made if "security.protocol" in client.image]


def leave_open(clients: Iterable[Resource]) -> None:
    """Leave open how the clients of a patch log in: its base may say so."""
    for client in clients:
        for key in _BY_TOKEN:
            client.image[key] = Setting(key, None, client.path, client.at)


def secure(client: Resource, spec: yaml.Node | None) -> None:
    """Give a client what ``dependencies.kafka`` says of TLS and logins, and the Kafka that it names.

    With role-based access control it logs in with tokens of the metadata service, whatever is said.
    """
    kafka = yaml.child(spec, "dependencies", "kafka")
    tls, login = yaml.child(kafka, "tls"), yaml.child(kafka, "authentication")
    if yaml.child(spec, "dependencies", "mds") is not None:
        for key in _BY_TOKEN:
            client.image[key] = Setting(key, None, client.path, client.at)
    elif tls is not None or login is not None:
        client_security.secure(client, client_security.by_switch(tls), tls, login)
    discovered = known(yaml.child(kafka, "discovery", "name"))
    if kafka is None and _is_whole(spec):
        client.cluster = _CLUSTER
    if discovered:
        client.cluster = discovered
        namespace = yaml.child(kafka, "discovery", "namespace")
        if namespace is not None:
            client.traits.namespace = known(namespace)
