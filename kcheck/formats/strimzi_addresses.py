"""Where what Strimzi's operators make answers: the Services of a Kafka, and its external hosts.

The names are the operator's (KafkaResources and ListenersUtils of its source): clients inside of
Kubernetes ask CLUSTER-kafka-bootstrap, those outside the hosts of routes, ingresses, load balancers
and node ports, which the resource may name.
"""

from __future__ import annotations

from kcheck.formats.strimzi_resource import known
from kcheck.model import ANYWHERE, PATTERN, SERVICE, Address, Setting
from kcheck.syntax import yaml

#: What is behind a router of Kubernetes is asked at the port of TLS.
_ROUTED = {"route": 443, "ingress": 443}
_OUTSIDE = ("route", "ingress", "loadbalancer", "nodeport")
#: The Services of resources beside Kafka: (what follows the name, its port).
SERVICES = {
    "KafkaConnect": ("-connect-api", 8083),
    "KafkaMirrorMaker2": ("-mirrormaker2-api", 8083),
    "KafkaBridge": ("-bridge-service", 8080),
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


def _inside(cluster: str, port: int | None, listener: str) -> tuple[Address, ...]:
    return (
        Address(f"{cluster}-kafka-bootstrap", port, SERVICE, listener),
        Address(f"{cluster}-kafka-brokers", port, SERVICE, listener),
    )


def _of_listener(cluster: str, item: yaml.Node, path: str) -> list[Address]:
    name = known(yaml.child(item, "name"))
    kind = known(yaml.child(item, "type")) or "internal"
    text = known(yaml.child(item, "port"))
    port = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else None
    found: list[Address] = []
    if kind == "internal":
        found += _inside(cluster, port, name)
    else:
        found.append(Address(f"{cluster}-kafka-{name}-bootstrap", port, SERVICE, name))
    hosts = list(_hosts(item, path))
    if kind in _OUTSIDE:
        outer = _ROUTED.get(kind, port if kind == "loadbalancer" else None)
        found += (Address(host.text or "", outer, ANYWHERE, name, host) for host in hosts)
        if not hosts:
            found.append(Address("*", None, PATTERN, name))
    else:
        found += (Address(host.text or "", port, ANYWHERE, name, host) for host in hosts)
    return found


def _hosts(item: yaml.Node, path: str) -> list[Setting]:
    """The hosts that the configuration of a listener names."""
    settings = yaml.child(item, "configuration")
    nodes = [
        yaml.child(settings, "bootstrap", "host"),
        *yaml.items(yaml.child(settings, "bootstrap", "alternativeNames")),
    ]
    for broker in yaml.items(yaml.child(settings, "brokers")):
        nodes += [yaml.child(broker, "host"), yaml.child(broker, "advertisedHost")]
    return [
        Setting("listeners", known(node), path, yaml.position(node))
        for node in nodes
        if node is not None and known(node)
    ]
