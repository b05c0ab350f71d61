"""Resources of Redpanda's operator: ``Redpanda``, ``NodePool``, ``Topic`` and ``User``, and the older
``Cluster``.

``clusterSpec`` holds values of Redpanda's chart. The fields are those of the CRDs in
redpanda-data/redpanda-operator@0ab80199c987:operator/config/crd/bases.
"""

from __future__ import annotations

from kcheck.formats import Lookup, operator_musts, unknown_fields
from kcheck.formats.containers.container import amount, quantity
from kcheck.formats.kubernetes import manifests
from kcheck.formats.kubernetes import strings as kubernetes_strings
from kcheck.formats.listener_ports import port_of
from kcheck.formats.redpanda import values as redpanda_values
from kcheck.formats.scalars import documents, fact, fill, joined, known, named, nothing, setting
from kcheck.lexicon import fields
from kcheck.model import (
    BROKER,
    PATTERN,
    REDPANDA,
    SERVICE,
    Address,
    Asker,
    Claim,
    Document,
    Reference,
    Resource,
    Setting,
)
from kcheck.syntax import yaml

_GROUPS = ("cluster.redpanda.com", "redpanda.vectorized.io")
_TOPIC_FACTS = {"partitions": "partitions", "replicationFactor": "replication.factor"}
#: Keys of topics that are Redpanda's alone, beside those that begin with its name
#: (docs.redpanda.com/current/reference/properties/topic-properties).
_OWN = frozenset(
    ("write.caching", "retention.local.target.bytes", "retention.local.target.ms")
    + ("initial.retention.local.target.bytes", "initial.retention.local.target.ms")
)
#: What properties have before them in the older resource.
_PREFIX = "redpanda."


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    nodes = documents(document, data)
    for node in nodes:
        if known(yaml.child(node, "apiVersion")).partition("/")[0] not in _GROUPS:
            continue
        kind, spec = yaml.text(yaml.child(node, "kind")), yaml.child(node, "spec")
        reader = _READERS.get(kind or "")
        if reader is not None:
            reader(document, node, spec)
        unknown_fields.of_resource(document, fields.REDPANDA, node)
        operator_musts.tell(document, fields.REDPANDA, node, lookup)
        kubernetes_strings.tell(document, node)
    manifests.take_others(document, data, lookup, nodes, "redpanda.operator")
    nothing(document, "contains no Redpanda, Cluster, Topic or User")


def _placed(
    document: Document, kind: str, node: yaml.Node, reference: yaml.Node | None
) -> Resource:
    """A resource of the cluster that the reference names, in that cluster's namespace."""
    meta = yaml.child(node, "metadata")
    made = named(document, kind, yaml.child(meta, "name"), known(yaml.child(reference, "name")))
    made.traits.deployer = made.traits.product = REDPANDA
    namespace = yaml.child(reference, "namespace") or yaml.child(meta, "namespace")
    made.traits.namespace = known(namespace)
    return made


def _brokers(document: Document, node: yaml.Node) -> Resource:
    meta = yaml.child(node, "metadata")
    name = yaml.child(meta, "name")
    at = yaml.position(name) if name is not None else yaml.position(node)
    made = redpanda_values.brokers(document, known(name) or "?", at, REDPANDA)
    made.cluster = known(name) or None
    made.traits.namespace = known(yaml.child(meta, "namespace"))
    return made


def _cluster(document: Document, node: yaml.Node, spec: yaml.Node | None) -> None:
    """``Redpanda``: values of the chart; ``StretchCluster`` has them without the field around."""
    values = spec if known(yaml.child(node, "kind")) == "StretchCluster" else None
    made = _brokers(document, node)
    values = values or yaml.child(spec, "clusterSpec")
    redpanda_values.fill(made, values, made.cluster or "")
    redpanda_values.names(document, values)


def _pool(document: Document, node: yaml.Node, spec: yaml.Node | None) -> None:
    """``NodePool`` and ``RedpandaBrokerPool``: brokers of a cluster."""
    reference = yaml.child(spec, "clusterRef")
    made = _placed(document, "broker", node, reference)
    made.traits.partial = True
    for key, key_node, value in yaml.pairs(spec):
        if key == "replicas":
            fact(made, "replicas", key_node, value)


def _older(document: Document, node: yaml.Node, spec: yaml.Node | None) -> None:
    """``Cluster`` of redpanda.vectorized.io."""
    made = _brokers(document, node)
    for key, key_node, value in yaml.pairs(spec):
        if key == "replicas":
            fact(made, "replicas", key_node, value)
        elif key == "additionalConfiguration":
            redpanda_values.properties(made, value, _PREFIX)
    for key, key_node, value in yaml.pairs(yaml.child(spec, "resources", "limits")):
        if key in ("memory", "cpu"):
            name = "ram" if key == "memory" else "cores"
            amount(made, name, setting(name, key_node, value, made.path))
    size = yaml.child(spec, "storage", "capacity")
    if size is not None:
        told = setting("storage.capacity", size, size, made.path)
        told.amount = quantity(told.text)
        made.traits.claims = (Claim("", told),)
        amount(made, "disk_size", setting("disk_size", size, size, made.path))
    found: list[Address] = []
    for item in yaml.items(yaml.child(spec, "configuration", "kafkaApi")):
        outer = known(yaml.child(item, "external", "enabled")) == "true"
        port = port_of(known(yaml.child(item, "port")))
        if made.cluster and not outer and port is not None:
            found.append(Address(made.cluster, port, SERVICE))
        else:
            found.append(Address("*", None, PATTERN))
    made.traits.addresses = tuple(found) or (Address("*", None, PATTERN),)


def _topic(document: Document, node: yaml.Node, spec: yaml.Node | None) -> None:
    topic = _placed(document, "topic", node, yaml.child(spec, "cluster", "clusterRef"))
    for key, key_node, value in yaml.pairs(spec):
        if key in _TOPIC_FACTS:
            fact(topic, _TOPIC_FACTS[key], key_node, value)
        elif key == "additionalConfig":
            fill(topic, value, strings=True)
            for own in _OWN & topic.settings.keys():
                del topic.settings[own]
        elif key == "overwriteTopicName" and yaml.text(value):
            topic.name, topic.at = yaml.text(value) or topic.name, yaml.position(value)
    _asking(document, topic, node, spec)


def _asking(document: Document, topic: Resource, node: yaml.Node, spec: yaml.Node | None) -> None:
    """The admin client by which the operator makes a topic, where the resource says whom it asks."""
    for route in (("kafkaApiSpec",), ("cluster", "staticConfiguration", "kafka")):
        api = yaml.child(spec, *route)
        for key, key_node, value in yaml.pairs(api):
            if key != "brokers":
                continue
            asked = joined("bootstrap.servers", key_node, value, document.path)
            asked.name = "brokers"
            topic.traits.asks = (asked,)
            asker = Asker("client", topic.name, document.path, topic.at)
            asker.traits.deployer = REDPANDA
            asker.traits.namespace = known(yaml.child(node, "metadata", "namespace"))
            document.references += (Reference(asker, asked, BROKER, False),)


def _user(document: Document, node: yaml.Node, spec: yaml.Node | None) -> None:
    user = _placed(document, "user", node, yaml.child(spec, "cluster", "clusterRef"))
    user.facts["user"] = Setting("user", user.name, document.path, user.at)
    login = yaml.child(spec, "authentication", "type")
    if login is not None:
        told = setting("spec.authentication", login, login, document.path)
        user.facts["spec.authentication"] = told
    acls = yaml.child(spec, "authorization", "acls")
    if acls is not None and yaml.items(acls):
        from kcheck.formats.strimzi import connect as strimzi_connect  # most files have no user

        strimzi_connect.entitled(user, yaml.items(acls), acls)


_READERS = {
    "Redpanda": _cluster,
    "StretchCluster": _cluster,
    "NodePool": _pool,
    "Cluster": _older,
    "RedpandaBrokerPool": _pool,
    "Topic": _topic,
    "User": _user,
}
