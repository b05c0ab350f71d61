"""Where what Strimzi's operators make answers: the Services of a Kafka, and its external hosts.

The names are the operator's (KafkaResources and ListenersUtils of its source): clients inside of
Kubernetes ask CLUSTER-kafka-bootstrap, those outside the hosts of routes, ingresses, load balancers
and node ports, which the resource may name.
"""

from __future__ import annotations

from kcheck.formats.listener_ports import port_of
from kcheck.formats.strimzi.resource import known
from kcheck.model import (
    ANYWHERE,
    BRIDGE,
    CONNECT,
    PATTERN,
    SERVICE,
    ZOOKEEPER,
    Address,
    Position,
    Service,
    Setting,
)
from kcheck.syntax import yaml

#: What is behind a router of Kubernetes is asked at the port of TLS.
_ROUTED = {"route": 443, "ingress": 443}
_OUTSIDE = ("route", "ingress", "loadbalancer", "nodeport")
#: The Services of resources beside Kafka: (their kind, what follows the name, the port).
_BESIDE = {
    "KafkaConnect": (CONNECT, "-connect-api", 8083),
    "KafkaMirrorMaker2": (CONNECT, "-mirrormaker2-api", 8083),
    "KafkaBridge": (BRIDGE, "-bridge-service", 8080),
    "Kafka": (ZOOKEEPER, "-zookeeper-client", 2181),
}


def of_kafka(cluster: str, listeners: yaml.Node | None, path: str) -> tuple[Address, ...]:
    """The addresses of the brokers of a Kafka resource; listeners of old versions are a mapping."""
    found: list[Address] = []
    for item in yaml.items(listeners):
        found += _of_listener(cluster, item, path)
    for name, _, value in yaml.pairs(listeners) if not found else ():
        if name in ("plain", "tls"):
            port = 9092 if name == "plain" else 9093
            found += _inside(cluster, port, name)
        elif not yaml.is_null(value):
            found.append(Address("*", None, PATTERN))
    return tuple(found) or _inside(cluster, None, "")


def beside(
    kind: str, name: str, namespace: str, at: Position, spec: yaml.Node | None
) -> Service | None:
    """What others ask of a resource that is no broker; of a Kafka that is its ZooKeeper."""
    told = _BESIDE.get(kind)
    if told is None or (kind == "Kafka" and yaml.child(spec, "zookeeper") is None):
        return None
    port = told[2]
    if kind == "KafkaBridge":
        port = port_of(known(yaml.child(spec, "http", "port"))) or port
    # Over TLS from a certain version on, where the resource asks for it.
    plain = told[0] != ZOOKEEPER and yaml.child(spec, "http", "tls") is None
    address = Address(f"{name}{told[1]}", port, SERVICE, scheme="http" if plain else "")
    return Service(told[0], name, at, (address,), namespace)


def _inside(cluster: str, port: int | None, listener: str) -> tuple[Address, ...]:
    return (
        Address(f"{cluster}-kafka-bootstrap", port, SERVICE, listener),
        Address(f"{cluster}-kafka-brokers", port, SERVICE, listener),
    )


def _of_listener(cluster: str, item: yaml.Node, path: str) -> list[Address]:
    name = known(yaml.child(item, "name"))
    kind = known(yaml.child(item, "type")) or "internal"
    port = port_of(known(yaml.child(item, "port")))
    found: list[Address] = []
    if kind == "internal":
        found += _inside(cluster, port, name)
    else:
        found.append(Address(f"{cluster}-kafka-{name}-bootstrap", port, SERVICE, name))
        # Headless: the name is the pods', which listen there as well.
        found.append(Address(f"{cluster}-kafka-brokers", port, SERVICE, name))
    hosts = list(_hosts(item, path))
    if kind in _OUTSIDE:
        outer = _ROUTED.get(kind, port if kind == "loadbalancer" else None)
        found += (Address(h.text or "", own or outer, ANYWHERE, name, h) for h, own in hosts)
        if not hosts:
            found.append(Address("*", None, PATTERN, name))
    else:
        found += (Address(h.text or "", own or port, ANYWHERE, name, h) for h, own in hosts)
    return found


def _hosts(item: yaml.Node, path: str) -> list[tuple[Setting, int | None]]:
    """The hosts that the configuration of a listener names, with the port where it has its own."""
    settings = yaml.child(item, "configuration")
    nodes: list[tuple[yaml.Node | None, int | None]] = [
        (yaml.child(settings, "bootstrap", "host"), None),
        *((n, None) for n in yaml.items(yaml.child(settings, "bootstrap", "alternativeNames"))),
    ]
    for broker in yaml.items(yaml.child(settings, "brokers")):
        port = port_of(known(yaml.child(broker, "advertisedPort")))
        nodes += [(yaml.child(broker, "host"), None), (yaml.child(broker, "advertisedHost"), port)]
    return [
        (Setting("listeners", known(node), path, yaml.position(node)), port)
        for node, port in nodes
        if node is not None and known(node)
    ]
