"""Confluent for Kubernetes: ``Kafka``, ``KRaftController``, ``KafkaTopic``, ``Connect``, ``Connector``,
what runs beside them and role bindings.

The operator sets much by itself, depending on replicas, listeners and its own version: what is not
in ``configOverrides`` is unknown rather than Kafka's default.
"""

from __future__ import annotations

from kcheck.formats import Lookup, operator_musts, unknown_fields
from kcheck.formats.confluent import access as confluent_access
from kcheck.formats.confluent import addresses as confluent_addresses
from kcheck.formats.confluent import listeners as confluent_listeners
from kcheck.formats.confluent import running as confluent_running
from kcheck.formats.confluent import servers as confluent_servers
from kcheck.formats.confluent.lists import assignment
from kcheck.formats.connect.connectors import finish
from kcheck.formats.containers.container import Image, amount, heap, quantity
from kcheck.formats.kubernetes import manifests
from kcheck.formats.kubernetes import strings as kubernetes_strings
from kcheck.formats.kustomize.whole import Wholes
from kcheck.formats.scalars import documents, fact, fill, known, named, nothing, setting, take
from kcheck.lexicon import fields
from kcheck.model import (
    BROKER,
    CFK,
    CONNECT,
    KSQLDB,
    SCHEMA_REGISTRY,
    Asker,
    Claim,
    Document,
    Reference,
    Resource,
    Setting,
)
from kcheck.syntax import yaml

_GROUPS = ("platform.confluent.io", "apps.cpc.platform.confluent.io", "cluster.confluent.com")
_TOPIC_FACTS = {
    "replicas": "replication.factor",
    "replicationFactor": "replication.factor",
    "partitionCount": "partitions",
    "partitions": "partitions",
}
#: What resources depend on, in a mapping or a list of them, each with its URL.
_DEPENDENCIES = {"schemaRegistry": SCHEMA_REGISTRY, "connect": CONNECT, "ksqldb": KSQLDB}
#: The ends of a cluster link.
_LINKED = ("sourceKafkaCluster", "destinationKafkaCluster")
#: Of a cluster that spans regions: each region has a resource of its own, and its own ids.
_REGION = "platform.confluent.io/broker-id-offset"


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    lines = data.decode("utf-8", "replace").split("\n")
    controllers: list[Resource] = []
    wholes = Wholes(document, data, lookup, b"platform.confluent.io")
    nodes = documents(document, data)
    for node in nodes:
        if yaml.child(node, "kind") is None:
            values(document, node, lines)
            continue
        group = (yaml.text(yaml.child(node, "apiVersion")) or "").partition("/")[0]
        if group in _GROUPS:
            before = len(document.resources)
            _resource(document, node, lines, controllers, wholes)
            clients = confluent_servers.without_login(document.resources[before:], node)
            if clients and wholes.of(node) is not node:
                confluent_servers.leave_open(clients)
            if group == _GROUPS[0]:  # the resources of the others have fields of their own
                unknown_fields.of_resource(document, fields.CFK, node)
                operator_musts.tell(document, fields.CFK, node, lookup)
            kubernetes_strings.tell(document, node)
    _linked(document, controllers)
    manifests.take_others(document, data, lookup, nodes, "confluent.reader")
    nothing(document, "contains no Kafka, KRaftController, KafkaTopic, Connect or Connector")


def values(document: Document, node: yaml.Node, lines: list[str]) -> None:
    """The values of the older operator's chart: the same list, below ``kafka`` and its like."""
    for key, key_node, part in yaml.pairs(node):
        overrides = yaml.child(part, "configOverrides")
        if overrides is None or key not in ("kafka", "connect"):
            continue
        kind = "broker" if key == "kafka" else "worker"
        resource = named(document, kind, key_node)
        if kind == "worker":
            resource.plane = "connect-distributed"
        resource.traits.deployer = CFK
        resource.traits.partial = True
        _overrides(resource, overrides, lines)
        if kind == "broker":
            document.extent.whole = True


def _resource(
    document: Document,
    node: yaml.Node,
    lines: list[str],
    controllers: list[Resource],
    wholes: Wholes,
) -> None:
    kind = yaml.text(yaml.child(node, "kind"))
    spec = yaml.child(node, "spec")
    if kind in ("Kafka", "KRaftController"):
        role = "broker" if kind == "Kafka" else "controller"
        resource = _node(document, node, spec, lines, role, wholes)
        if kind == "KRaftController":
            controllers.append(resource)
    elif kind == "Connect":
        _worker(document, node, spec, lines)
    elif kind == "KafkaTopic":
        _topic(document, node, spec)
    elif kind == "Connector":
        _connector(document, node, spec)
    elif kind == "ConfluentRolebinding":
        confluent_access.read(document, node, spec)
    elif kind in confluent_servers.KINDS:
        confluent_servers.read(document, node, spec, kind or "", lines)
    confluent_running.tell(document, node, spec, kind or "")
    named_at = yaml.child(node, "metadata", "name")
    if kind and named_at is not None and known(named_at):
        at = yaml.position(named_at)
        service = confluent_addresses.beside(kind, known(named_at), at, node, document.path, wholes)
        if service is not None:
            document.services += (service,)
        document.references += _references(document, node, spec)


def _worker(document: Document, node: yaml.Node, spec: yaml.Node | None, lines: list[str]) -> None:
    resource = _placed(document, "worker", node)
    resource.plane = "connect-distributed"
    resource.traits.deployer = CFK
    resource.traits.partial = True
    _overrides(resource, yaml.child(spec, "configOverrides"), lines)
    _versioned(resource, spec, "client.version")
    for key, key_node, value in yaml.pairs(spec):
        if key == "replicas":
            count = setting("instances", key_node, value, document.path, key)
            resource.traits.instances = count
    _asking(resource, spec)
    confluent_servers.storage(resource, spec)


def _placed(document: Document, kind: str, node: yaml.Node, cluster: str = "") -> Resource:
    meta = yaml.child(node, "metadata")
    resource = named(document, kind, yaml.child(meta, "name"), cluster)
    namespace = known(yaml.child(meta, "namespace"))
    if namespace:
        resource.traits.namespace = namespace
    return resource


def _node(
    document: Document,
    node: yaml.Node,
    spec: yaml.Node | None,
    lines: list[str],
    kind: str,
    wholes: Wholes,
) -> Resource:
    resource = _placed(document, kind, node, known(yaml.child(node, "metadata", "name")))
    resource.traits.deployer = CFK
    resource.traits.partial, resource.traits.completed_by = True, "the operator"
    document.extent.whole = True
    name = resource.cluster or ""
    if kind == "broker":
        resource.traits.addresses = confluent_addresses.of_kafka(name, node, document.path)
    else:
        resource.traits.addresses = confluent_addresses.of_controllers(name)
    region = yaml.child(node, "metadata", "annotations", _REGION) is not None
    if region:
        resource.traits.region = True
    for key, key_node, value in yaml.pairs(spec):
        if key == "replicas" and not region:  # the nodes of the other regions come on top
            fact(resource, "replicas", key_node, value)
        elif key == "configOverrides":
            _overrides(resource, value, lines)
        elif key == "dataVolumeCapacity":
            size = setting(key, key_node, value, document.path)
            size.amount = quantity(size.text)
            resource.traits.claims = (Claim("", size),)
    if kind == "broker":
        confluent_listeners.take(resource, node, spec, wholes)
    _coordination(resource, spec)
    _versioned(resource, spec, "kafka_version")
    _limits(resource, spec)
    return resource


def _coordination(resource: Resource, spec: yaml.Node | None) -> None:
    """Which controllers the brokers have, or whether ZooKeeper."""
    reference = yaml.child(spec, "dependencies", "kRaftController", "clusterRef")
    controllers = yaml.child(reference, "name")
    if controllers is not None:
        resource.traits.controllers = known(controllers)
        route = "dependencies.kRaftController.clusterRef.name"
        resource.traits.controllers_at = setting(route, controllers, controllers, resource.path)
        resource.traits.controllers_namespace = known(yaml.child(reference, "namespace"))
    if resource.kind == "controller" or controllers is not None:
        resource.traits.kraft = True
    elif yaml.child(spec, "dependencies", "zookeeper") is not None:
        resource.traits.kraft = False


def _limits(resource: Resource, spec: yaml.Node | None) -> None:
    limits = yaml.child(spec, "podTemplate", "resources", "limits")
    for key, key_node, value in yaml.pairs(limits):
        if key in ("memory", "cpu"):
            name = "ram" if key == "memory" else "cores"
            amount(resource, name, setting(name, key_node, value, resource.path))


def _asking(resource: Resource, spec: yaml.Node | None) -> None:
    """The bootstrap servers that the operator writes for a client, where the resource tells them."""
    kafka = yaml.child(spec, "dependencies", "kafka")
    for key, key_node, value in yaml.pairs(kafka):
        if key == "bootstrapEndpoint":
            made = setting("bootstrap.servers", key_node, value, resource.path, key)
            resource.image["bootstrap.servers"] = made
    confluent_servers.secure(resource, spec)


def _references(
    document: Document, node: yaml.Node, spec: yaml.Node | None
) -> tuple[Reference, ...]:
    """Whom a resource asks by what it depends on, and a cluster link by its two ends."""
    name = yaml.child(node, "metadata", "name")
    if name is None:
        return ()
    asker = Asker("client", known(name), document.path, yaml.position(name))
    asker.traits.deployer = CFK
    asker.traits.namespace = known(yaml.child(node, "metadata", "namespace"))
    found: list[tuple[yaml.Node | None, str, str]] = []
    dependencies = yaml.child(spec, "dependencies")
    for part, role in _DEPENDENCIES.items():
        told = yaml.child(dependencies, part)
        listed: list[yaml.Node | None] = [*yaml.items(told)]
        found += ((one, "url", role) for one in listed or [told])
    found.append((yaml.child(dependencies, "kafka"), "bootstrapEndpoint", BROKER))
    found += ((yaml.child(spec, end), "bootstrapEndpoint", BROKER) for end in _LINKED)
    return tuple(
        Reference(asker, setting(key, key_node, value, document.path, key), role, False)
        for holder, wanted, role in found
        for key, key_node, value in yaml.pairs(holder)
        if key == wanted
    )


def _versioned(resource: Resource, spec: yaml.Node | None, name: str) -> None:
    node = yaml.child(spec, "image", "application")
    text = known(node)
    if node is not None and text:
        at = yaml.position(node)
        version = Image(text, at).version
        if version:
            resource.facts[name] = Setting(name, version, resource.path, at)


def _linked(document: Document, controllers: list[Resource]) -> None:
    """Controllers are of the cluster whose brokers name them."""
    for resource in document.resources:
        wanted = resource.traits.controllers
        for controller in controllers:
            if wanted and controller.name == wanted:
                controller.cluster = resource.cluster


def _overrides(resource: Resource, node: yaml.Node | None, lines: list[str]) -> None:
    """Lists of ``key=value``: the file's own lines, and the options of the JVM."""
    for item in yaml.items(yaml.child(node, "server")):
        line = assignment(item, resource.path, lines)
        if line is not None:
            resource.traits.restated = True
            take(resource, line)
            if line.text is not None and "\\" in line.text:
                from kcheck.formats.properties import backslashes  # few values have any

                backslashes.note(resource, line, line.text)
    for item in yaml.items(yaml.child(node, "jvm")):
        text = yaml.text(item) or ""
        if "-Xmx" in text:
            heap(resource, Setting("heap", text, resource.path, yaml.position(item)))


def _topic(document: Document, node: yaml.Node, spec: yaml.Node | None) -> None:
    clusters = yaml.items(yaml.child(spec, "kafkaClusterRefs"))
    cluster = yaml.child(spec, "kafkaClusterRef", "name")
    if cluster is None and len(clusters) == 1:
        cluster = yaml.child(clusters[0], "name")
    topic = _placed(document, "topic", node, known(cluster))
    # Where it names none, the operator takes the Kafka that runs beside it, whichever that is.
    topic.traits.names_cluster = cluster is not None or bool(clusters)
    for key, key_node, value in (
        *yaml.pairs(spec),
        *yaml.pairs(yaml.child(spec, "parameters")),
    ):
        if key in _TOPIC_FACTS:
            fact(topic, _TOPIC_FACTS[key], key_node, value)
        elif key == "configs":
            fill(topic, value, strings=True)
        elif key == "name" and yaml.text(value):
            topic.name, topic.at = yaml.text(value) or topic.name, yaml.position(value)


def _connector(document: Document, node: yaml.Node, spec: yaml.Node | None) -> None:
    connector = _placed(document, "connector", node)
    connector.traits.deployer = CFK
    for part in (spec, yaml.child(spec, "connectorConfigs")):
        for key, key_node, value in yaml.pairs(part):
            if key == "class":
                take(connector, setting("connector.class", key_node, value, document.path, key))
            elif key == "taskMax":
                take(connector, setting("tasks.max", key_node, value, document.path, key))
            elif key == "configs":
                fill(connector, value, strings=True)
    runs_on = yaml.child(spec, "connectClusterRef", "name")
    if known(runs_on):
        connector.traits.runs_on = known(runs_on)
    finish(connector)
