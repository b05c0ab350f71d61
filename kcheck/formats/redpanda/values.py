"""Values of Redpanda's chart, as files of values and the operator's resources have them.

Redpanda has a configuration of its own. The properties that are Kafka's under other names are settings;
the others are no keys of Kafka's, and defaults are not Kafka's. Fields and names of Services are those
of redpanda-data/redpanda-operator@0ab80199c987:charts/redpanda/chart/values.yaml and helpers.go, the
properties those of redpanda-data/redpanda@0055d789fdf4:src/v/config/configuration.cc.
"""

from __future__ import annotations

from kcheck.formats import unknown_fields
from kcheck.formats.containers.container import amount, quantity
from kcheck.formats.listener_ports import port_of
from kcheck.formats.scalars import fact, known, setting, take
from kcheck.model import (
    ANYWHERE,
    PATTERN,
    REDPANDA,
    SERVICE,
    Address,
    Claim,
    Derived,
    Document,
    Position,
    Resource,
    Setting,
)
from kcheck.syntax import yaml

#: The cluster properties that are keys of Kafka's brokers, in the same unit.
KEYS = {
    "auto_create_topics_enabled": "auto.create.topics.enable",
    "default_topic_partitions": "num.partitions",
    "default_topic_replications": "default.replication.factor",
    "internal_topic_replication_factor": "offsets.topic.replication.factor",
    "delete_retention_ms": "log.retention.ms",
    "log_retention_ms": "log.retention.ms",
    "retention_bytes": "log.retention.bytes",
    "log_segment_size": "log.segment.bytes",
    "log_segment_ms": "log.roll.ms",
    "log_cleanup_policy": "log.cleanup.policy",
    "log_compression_type": "compression.type",
    "log_message_timestamp_type": "log.message.timestamp.type",
    "kafka_batch_max_bytes": "message.max.bytes",
    "kafka_connections_max": "max.connections",
    "kafka_connections_max_per_ip": "max.connections.per.ip",
    "group_min_session_timeout_ms": "group.min.session.timeout.ms",
    "group_max_session_timeout_ms": "group.max.session.timeout.ms",
    "group_initial_rebalance_delay": "group.initial.rebalance.delay.ms",
    "fetch_max_bytes": "fetch.max.bytes",
}
#: Where the cluster's properties are: ``config.tunable`` is handed on with them.
_CONFIGS = (("config", "cluster"), ("config", "tunable"))
_SECTIONS = frozenset(
    ("cluster", "tunable", "node", "rpk", "schema_registry_client", "pandaproxy_client")
    + ("extraClusterConfiguration",)
)
_LISTENERS = frozenset(("kafka", "admin", "http", "rpc", "schemaRegistry"))
_INTERNAL = ("internal", 9093)


def brokers(document: Document, name: str, at: Position, deployer: str) -> Resource:
    """A new resource for the brokers of a cluster; of what the file does not say nothing is known."""
    made = Resource("broker", name, document.path, at)
    made.traits.deployer, made.traits.product = deployer, REDPANDA
    made.traits.partial = True
    made.image["listener.security.protocol.map"] = Setting(
        "listener.security.protocol.map", None, document.path, at
    )
    document.extent.whole = True
    document.resources.append(made)
    return made


def is_redpanda(name: str, parts: dict[str, yaml.Node]) -> bool:
    """Whether a mapping of values is for Redpanda's chart; ``name`` is the chart's, where it is told."""
    config = {key for key, _, _ in yaml.pairs(parts.get("config"))}
    told = config & {"cluster", "tunable", "node", "rpk"} and config <= _SECTIONS
    listeners = {key for key, _, _ in yaml.pairs(parts.get("listeners"))}
    open_ports = {"kafka"} < listeners and listeners <= _LISTENERS
    return bool(told or open_ports or (name == "redpanda" and "statefulset" in parts))


def fill(made: Resource, values: yaml.Node | None, release: str) -> None:
    """Give the brokers what the values say; ``release`` is the name of the chart's release."""
    for key, key_node, value in yaml.pairs(yaml.child(values, "statefulset")):
        if key == "replicas":
            fact(made, "replicas", key_node, value)
    for route in _CONFIGS:
        properties(made, yaml.child(values, *route))
    _resources(made, yaml.child(values, "resources"))
    volume = yaml.child(values, "storage", "persistentVolume")
    _stored(made, volume, "storage.persistentVolume.size")
    enabled = yaml.child(volume, "enabled")
    if known(enabled) == "false" and not known(yaml.child(values, "storage", "hostPath")):
        assert enabled is not None
        name = "storage.persistentVolume.enabled"
        made.traits.ephemeral = setting(name, enabled, enabled, made.path)
    _listeners(made, values, release)


def properties(made: Resource, node: yaml.Node | None, prefix: str = "") -> None:
    """Take the cluster's properties that are Kafka's; ``prefix`` stands before their names."""
    for key, key_node, value in yaml.pairs(node):
        kafka = KEYS.get(key.removeprefix(prefix)) if key.startswith(prefix) else None
        if kafka is not None and isinstance(value, yaml.ScalarNode):
            take(made, setting(kafka, key_node, value, made.path, key))


def names(document: Document, values: yaml.Node | None) -> None:
    """Report properties that Redpanda does not have, and those of the cluster among a node's."""
    form = "redpanda-properties"
    for *_, section in (*_CONFIGS, ("node",)):
        held = yaml.child(values, "config", section)
        given = [(key, yaml.position(node)) for key, node, _ in yaml.pairs(held)]
        holder = "node" if section == "node" else "cluster"
        route = f"config.{section}"
        unknown_fields.of_names(document, form, holder, "Redpanda", "property", given, f"{route}.")
        if section == "node":
            owner = f"{route} of Redpanda"
            unknown_fields.of_elsewhere(document, form, owner, given, ("node", "cluster"))


def _stored(made: Resource, volume: yaml.Node | None, route: str) -> None:
    field = route.rpartition(".")[2]
    size = yaml.child(volume, field)
    if size is None or known(yaml.child(volume, "enabled")) == "false":
        return
    told = setting(route, size, size, made.path)
    told.amount = quantity(told.text)
    made.traits.claims = (Claim("", told),)
    amount(made, "disk_size", setting("disk_size", size, size, made.path))


def _resources(made: Resource, node: yaml.Node | None) -> None:
    for name, routes in (
        ("ram", (("memory", "container", "max"), ("limits", "memory"))),
        ("cores", (("cpu", "cores"), ("limits", "cpu"))),
    ):
        for route in routes:
            found = yaml.child(node, *route)
            if found is not None:
                amount(made, name, setting(name, found, found, made.path))


def _listeners(made: Resource, values: yaml.Node | None, release: str) -> None:
    """The listeners of Kafka's protocol, those of the chart where the values say nothing of them."""
    kafka = yaml.child(values, "listeners", "kafka")
    found: list[Address] = []
    name, usual = _INTERNAL
    port = yaml.child(kafka, "port")
    number = port_of(known(port)) if port is not None else usual
    host = release
    override = yaml.child(values, "fullnameOverride")
    if override is not None and known(override):
        host = known(override)
    found.append(Address(host, number, SERVICE, name) if host else Address("*", None, PATTERN))
    _secured(made, values, kafka, name)
    for key, _, listener in yaml.pairs(yaml.child(kafka, "external")):
        if known(yaml.child(listener, "enabled")) != "false":
            _secured(made, values, listener, key)
    found += _outside(values, made.path)
    made.traits.addresses = tuple(found)


def _secured(
    made: Resource, values: yaml.Node | None, listener: yaml.Node | None, name: str
) -> None:
    """Whether a listener has TLS and a login: its own word, or that of the whole cluster."""
    own = yaml.child(listener, "tls", "enabled")
    switch = own if own is not None else yaml.child(values, "tls", "enabled")
    login = yaml.child(listener, "authenticationMethod")
    sasl = yaml.child(values, "auth", "sasl", "enabled")
    at = made.at if switch is None else yaml.position(switch)
    key = f"listeners.{name}.tls"
    text = known(switch).lower() or None if switch is not None else "true"
    made.facts[key] = Derived(key, text, made.path, at, at, "tls.enabled")
    method = known(login)
    if login is not None and not yaml.is_null(login) and method != "none":
        key, spot = f"listeners.{name}.authentication", yaml.position(login)
        told = {"sasl": "scram-sha-512", "mtls_identity": "tls"}.get(method)
        made.facts[key] = Setting(key, told, made.path, spot)
    elif method != "none" and sasl is not None and known(sasl).lower() != "false":
        key, spot = f"listeners.{name}.authentication", yaml.position(sasl)
        told = "scram-sha-512" if known(sasl).lower() == "true" else None
        made.facts[key] = Setting(key, told, made.path, spot)


def _outside(values: yaml.Node | None, path: str) -> list[Address]:
    """The hosts by which clients outside of Kubernetes ask, as far as the values name them."""
    external = yaml.child(values, "external")
    if known(yaml.child(external, "enabled")) == "false":
        return []
    domain = yaml.child(external, "domain")
    names = [known(one) for one in yaml.items(yaml.child(external, "addresses"))]
    if domain is None or not known(domain) or not names or not all(names):
        return [Address("*", None, PATTERN)]
    told = Setting("external.domain", known(domain), path, yaml.position(domain))
    return [Address(f"{one}.{told.text}", None, ANYWHERE, "", told) for one in names]
