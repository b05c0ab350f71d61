"""Strimzi's ``Kafka``: the brokers' settings, listeners and authorization, and the mode of the cluster."""

from __future__ import annotations

from kcheck.formats import requirements
from kcheck.formats.scalars import fact, setting
from kcheck.formats.strimzi import nodes as strimzi_nodes
from kcheck.formats.strimzi import refusals as strimzi_refusals
from kcheck.formats.strimzi.resource import Meta, config, known, made
from kcheck.formats.text import templated
from kcheck.model import Document, Problem, Resource, Setting
from kcheck.syntax import yaml


def kafka(document: Document, meta: Meta, spec: yaml.Node | None) -> None:
    """Add the brokers of a ``Kafka``, and what runs beside them."""
    # A name that a chart fills in may stand unquoted: no text of YAML's then.
    cluster = "" if meta.name == "?" or templated(meta.name) else meta.name
    resource = made(document, "broker", meta, cluster)
    _mode(resource, meta, spec)
    document.extent.whole = True
    told = yaml.pairs(yaml.child(spec, "entityOperator"))
    strimzi_nodes.beside(document, meta, spec)
    if told:
        running = [name for name, _, value in told if not yaml.is_null(value)]
        resource.traits.operators = tuple(running)
    node = yaml.child(spec, "kafka")
    if node is None:
        message = "this Kafka resource has no spec.kafka"
        document.problems.append(Problem(message, meta.at, "KC0007"))
    _ensemble(resource, spec)
    if spec is not None:
        requirements.of_node(document, "Kafka", f"Kafka {meta.name}", spec, "Kubernetes", "spec")
    for key, key_node, value in yaml.pairs(spec):
        if key == "cruiseControl" and not yaml.is_null(value):
            fact(resource, key, key_node, key_node)
    if cluster:
        listeners = yaml.child(node, "listeners")
        from kcheck.formats.strimzi import addresses as strimzi_addresses

        resource.traits.addresses = strimzi_addresses.of_kafka(cluster, listeners, resource.path)
    _brokers(resource, meta, node)
    strimzi_nodes.run(document, resource, meta, None if meta.pools else node, "spec.kafka")


def _mode(resource: Resource, meta: Meta, spec: yaml.Node | None) -> None:
    """Whether pools have the nodes, and what the resource says of KRaft."""
    if meta.pools:
        resource.traits.reads_pools = True
    if meta.migrates:
        resource.traits.migrates = True
    kraft = _kraft(meta, spec)
    if kraft is not None:
        resource.traits.kraft = kraft
    elif not meta.kraft:
        resource.traits.no_mode = True


def _ensemble(resource: Resource, spec: yaml.Node | None) -> None:
    """How many servers ZooKeeper has, and where they keep their data."""
    for key, key_node, value in yaml.pairs(spec):
        if key == "zookeeper" and (replicas := yaml.child(value, "replicas")) is not None:
            fact(resource, "zookeeper", key_node, replicas)
    storage = yaml.child(spec, "zookeeper", "storage")
    if storage is not None:
        strimzi_refusals.storage(resource, storage, "zookeeper.storage")
        if (kind := yaml.child(storage, "type")) is not None:
            fact(resource, "zookeeper.storage.type", kind, kind)


def _authorization(resource: Resource, key_node: yaml.Node, node: yaml.Node) -> None:
    """The kind of authorization, and the users whom no ACL binds."""
    kind = yaml.child(node, "type")
    if not yaml.is_null(node):
        fact(resource, "authorization", key_node, node if kind is None else kind)
    listed = yaml.items(yaml.child(node, "superUsers"))
    if listed:
        names = [known(item) for item in listed]
        supers = setting("superUsers", key_node, listed[0], resource.path)
        supers.raw = supers.text = ";".join(names) if all(names) else None
        resource.facts["authorization.superUsers"] = supers


def _brokers(resource: Resource, meta: Meta, kafka: yaml.Node | None) -> None:
    """``spec.kafka``; what pools say of their nodes is not read here where there are any."""
    for key, key_node, value in yaml.pairs(kafka):
        if key == "config":
            config(resource, value, "Kafka")
        elif key in _FACTS:
            fact(resource, _FACTS[key], key_node, value)
        elif key == "replicas" and not meta.pools:
            fact(resource, "replicas", key_node, value)
        elif key in strimzi_nodes.HOST and not meta.pools:
            strimzi_nodes.host(resource, key, value)
        elif key == "listeners":
            _listeners(resource, key_node, value)
            strimzi_refusals.form_of_listeners(resource, key_node, value, meta.version)
        elif key == "authorization":
            _authorization(resource, key_node, value)
        elif key == "template":
            _budget(resource, value)
        elif key == "tieredStorage":
            _tiers(resource, key_node, value)


_FACTS = {"version": "kafka_version", "metadataVersion": "metadata.version"}


def _budget(resource: Resource, template: yaml.Node) -> None:
    """How many pods Kubernetes may evict at once."""
    most = yaml.child(template, "podDisruptionBudget", "maxUnavailable")
    if most is not None:
        told = setting("podDisruptionBudget.maxUnavailable", most, most, resource.path)
        resource.traits.disruptions = told


def _tiers(resource: Resource, key_node: yaml.Node, node: yaml.Node) -> None:
    """The keys that the operator sets for ``tieredStorage`` (KafkaBrokerConfigurationBuilder)."""
    manager = yaml.child(node, "remoteStorageManager")
    if known(yaml.child(node, "type")) != "custom" or manager is None:
        return
    switch = setting("remote.log.storage.system.enable", key_node, key_node, resource.path)
    switch.raw = switch.text = "true"
    switch.name = "tieredStorage"
    made = [switch]
    for field, key in (("className", "class.name"), ("classPath", "class.path")):
        value = yaml.child(manager, field)
        if value is not None:
            name = f"remote.log.storage.manager.{key}"
            made.append(setting(name, value, value, resource.path))
    for one in made:
        resource.settings.setdefault(one.key, one)


#: The annotation by which older operators know the mode; there is none in the newest.
_MODES = {"enabled": True, "disabled": False}


def _kraft(meta: Meta, spec: yaml.Node | None) -> bool | None:
    """The mode that the resource states; None during a migration, and where it states none.

    Without the annotation, a ``zookeeper`` section is required for ZooKeeper, and a
    ``metadataVersion`` has a meaning in KRaft alone.
    """
    if meta.kraft:
        return _MODES.get(meta.kraft)
    if yaml.child(spec, "zookeeper") is not None:
        return False
    return True if yaml.child(spec, "kafka", "metadataVersion") is not None else None


def _listeners(resource: Resource, key_node: yaml.Node, node: yaml.Node) -> None:
    """What the operator makes listeners of: facts ``listeners.NAME.PART``, and all the names.

    They have no names to go by where one is filled in, or in the mapping of old versions.
    """
    names: list[str] = []
    strimzi_refusals.listeners(resource, node)
    for item in yaml.items(node):
        named = yaml.child(item, "name")
        name = known(named)
        if named is None or not name:
            return
        names.append(name)
        for part, route in _LISTENER.items():
            found = yaml.child(item, *route)
            if found is not None and not yaml.is_null(found):
                fact(resource, f"listeners.{name}{part}", named, found)
        security = f"listeners.{name}.authentication"
        found = yaml.child(item, "authentication")
        if found is not None and not yaml.is_null(found) and security not in resource.facts:
            # Said in a way that is not read.
            resource.facts[security] = Setting(security, None, resource.path, yaml.position(found))
    if names:
        made = setting("listeners", key_node, key_node, resource.path)
        made.raw = made.text = ",".join(names)
        resource.facts["listeners"] = made
        resource.traits.listener_names = tuple(names)


#: The parts of a listener that clients notice, and the routes to them.
_LISTENER = {
    "": ("name",),
    ".port": ("port",),
    ".type": ("type",),
    ".tls": ("tls",),
    ".authentication": ("authentication", "type"),
    ".bootstrap.host": ("configuration", "bootstrap", "host"),
    ".bootstrap.nodePort": ("configuration", "bootstrap", "nodePort"),
}
