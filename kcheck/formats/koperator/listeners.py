"""The listeners of Koperator's ``KafkaCluster``: what the operator writes for them, and who answers.

Internal listeners answer at the pods' headless Service, or at one Service for each broker and one for
all; external ones behind load balancers and node ports (adobe/koperator@f314540b9df1:
pkg/resources/kafka/configmap.go, pkg/k8sutil/status.go, pkg/util/kafka/template.go).
"""

from __future__ import annotations

from kcheck.formats.listener_ports import port_of
from kcheck.formats.scalars import known
from kcheck.model import ANYWHERE, PATTERN, SERVICE, Address, Derived, Position, Resource, Setting
from kcheck.syntax import yaml

_MAP, _INTER = "listener.security.protocol.map", "inter.broker.listener.name"
_INTER_PROTOCOL = "security.inter.broker.protocol"
_ANYCAST = 29092
_TYPES = ("ssl", "plaintext", "sasl_ssl", "sasl_plaintext")


class Listener:
    """One listener: its name as Kafka has it, its port, what it speaks, and its use."""

    __slots__ = ("at", "controllers", "external", "inter", "node", "own", "port", "protocol")

    def __init__(self, node: yaml.Node, external: bool) -> None:
        named = yaml.child(node, "name")
        self.node = node
        self.at: Position = yaml.position(named or node)
        self.own = known(named)
        self.port = port_of(known(yaml.child(node, "containerPort")))
        told = known(yaml.child(node, "type"))
        self.protocol = told.upper() if told.lower() in _TYPES else ""
        self.external = external
        self.inter = known(yaml.child(node, "usedForInnerBrokerCommunication")) == "true"
        self.controllers = known(yaml.child(node, "usedForControllerCommunication")) == "true"

    @property
    def name(self) -> str:
        """Its name in the listeners of the node's file."""
        return self.own.upper()


def _all(spec: yaml.Node | None) -> list[Listener]:
    """External ones first, as the operator writes them."""
    config = yaml.child(spec, "listenersConfig")
    return [
        Listener(node, field == "externalListeners")
        for field in ("externalListeners", "internalListeners")
        for node in yaml.items(yaml.child(config, field))
    ]


def kept(spec: yaml.Node | None) -> frozenset[str]:
    """The keys that listeners bring along, so that ``readOnlyConfig`` has no say in them."""
    keys = {
        f"listener.name.{one.own}.ssl.{part}"
        for one in _all(spec)
        if one.protocol == "SSL" and one.own
        for part in ("client.auth", "keystore.location", "keystore.type", "keystore.password")
        + ("truststore.location", "truststore.type", "truststore.password")
    }
    return frozenset(keys)


def take(made: Resource, node: yaml.Node, spec: yaml.Node | None, item: yaml.Node) -> None:
    """Give a node its listeners and addresses; what a template fills in is unknown."""
    listeners = _all(spec)
    kraft = "process.roles" in made.settings
    controllers = [one for one in listeners if one.controllers]
    mine = listeners
    if kraft and made.kind == "controller":
        mine = controllers[:1]
    elif kraft and made.settings["process.roles"].text == "broker":
        mine = [one for one in listeners if one not in controllers]
    at = listeners[0].at if listeners else made.at

    def put(key: str, text: str | None, where: Position = at) -> None:
        made.settings[key] = Derived(key, text, made.path, where, where, "listenersConfig")

    sure = all(one.name and one.port is not None for one in mine) and bool(mine)
    put("listeners", ",".join(f"{o.name}://:{o.port}" for o in mine) if sure else None)
    sure = all(one.name and one.protocol for one in listeners) and bool(listeners)
    put(_MAP, ",".join(f"{o.name}:{o.protocol}" for o in listeners) if sure else None)
    if _INTER_PROTOCOL not in made.settings:
        inter = next((one for one in listeners if one.inter), None)
        if inter is not None:
            put(_INTER, inter.name or None, inter.at)
    if controllers:
        key = "controller.listener.names" if kraft else "control.plane.listener.name"
        put(key, controllers[-1].name or None, controllers[-1].at)
    # Addresses outside are known when the load balancer or the node is.
    made.image["advertised.listeners"] = Setting("advertised.listeners", None, made.path, at)
    for one in listeners:
        if one.protocol == "SSL" and one.own:
            _secured(made, one)
    made.traits.addresses = _addresses(node, spec, item, listeners, made.path)


def _secured(made: Resource, one: Listener) -> None:
    """The stores that the operator mounts, and whether clients need certificates: by default."""
    prefix = f"listener.name.{one.own}.ssl."
    told = yaml.child(one.node, "sslClientAuth")
    text = known(told) or None if told is not None else "required"
    at = yaml.position(told) if told is not None else one.at
    key = f"{prefix}client.auth"
    made.settings[key] = Derived(key, text, made.path, at, at, "sslClientAuth")
    for part in ("keystore.location", "truststore.location"):
        made.image[prefix + part] = Setting(prefix + part, None, made.path, one.at)


def _addresses(
    node: yaml.Node,
    spec: yaml.Node | None,
    item: yaml.Node,
    listeners: list[Listener],
    path: str,
) -> tuple[Address, ...]:
    cluster, number = known(yaml.child(node, "metadata", "name")), known(yaml.child(item, "id"))
    if not cluster:
        return (Address("*", None, PATTERN),)
    headless = known(yaml.child(spec, "headlessServiceEnabled")) == "true"
    service = f"{cluster}-headless" if headless else f"{cluster}-all-broker"
    pod = f"{cluster}-{number}" + (f".{service}" if headless else "")
    found: list[Address] = []
    for one in listeners:
        if not one.controllers:
            found += (Address(host, one.port, SERVICE, one.name) for host in (service, pod))
        if one.external:
            found += _outside(one, number, path)
    return tuple(found) or (Address("*", None, PATTERN),)


def _outside(one: Listener, number: str, path: str) -> list[Address]:
    override = yaml.child(one.node, "hostnameOverride")
    nodes = known(yaml.child(one.node, "accessMethod")) == "NodePort"
    if override is None or not known(override) or nodes:
        return [Address("*", None, PATTERN, one.name)]
    told = Setting("hostnameOverride", known(override), path, yaml.position(override))
    any_port = yaml.child(one.node, "anyCastPort")
    first = port_of(known(yaml.child(one.node, "externalStartingPort")))
    own = first + int(number) if first is not None and number.isdecimal() else None
    ports = {port_of(known(any_port)) if any_port is not None else _ANYCAST, own}
    host = told.text or ""
    return [Address(host, port, ANYWHERE, one.name, told) for port in ports]
