"""Where the brokers of Confluent for Kubernetes answer: its Services, and what it opens outside.

The Service of a Kafka has its name, and so has the headless one in front of its pods; the ports of
the listeners are the operator's unless the resource names others.
"""

from __future__ import annotations

from kcheck.formats.scalars import known
from kcheck.model import ANYWHERE, PATTERN, SERVICE, Address, Setting
from kcheck.syntax import yaml

#: The operator's listeners and their ports.
_PORTS = {"internal": 9071, "replication": 9072, "external": 9092}
#: Ways out by which every broker has a host below one domain.
_DOMAINS = ("loadBalancer", "route", "staticForHostBasedRouting", "ingress")
#: Ways out of one host with a port for each broker, and where the first of them is told.
_PORTED = {"nodePort": "nodePortOffset", "staticForPortBasedRouting": "portOffset"}
_ROUTED = 443
#: More brokers than this are not told one by one.
_MOST = 100


def of_kafka(name: str, spec: yaml.Node | None, path: str) -> tuple[Address, ...]:
    """The addresses of the brokers of a Kafka resource with that name."""
    if not name:
        return (Address("*", None, PATTERN),)
    listeners = yaml.child(spec, "listeners")
    told = {key: value for key, _, value in yaml.pairs(listeners)}
    every = [(key, told.get(key), port) for key, port in _PORTS.items()]
    for item in yaml.items(told.get("custom")):
        port = _number(yaml.child(item, "port"))
        every.append((known(yaml.child(item, "name")), item, port or 0))
    count = _number(yaml.child(spec, "replicas"))
    found: list[Address] = []
    for key, node, port in every:
        own = _number(yaml.child(node, "port")) or port or None
        found.append(Address(name, own, SERVICE, key.upper()))
        access = yaml.child(node, "externalAccess")
        if access is not None:
            found += _outside(name, access, key.upper(), own, count, path)
    return tuple(found)


def _outside(
    name: str, access: yaml.Node, listener: str, port: int | None, count: int | None, path: str
) -> list[Address]:
    found: list[Address] = []
    for way in _DOMAINS:
        node = yaml.child(access, way)
        domain = yaml.child(node, "domain")
        if domain is None or not known(domain):
            continue
        setting = Setting("listeners", known(domain), path, yaml.position(domain))
        first = known(yaml.child(node, "bootstrapPrefix")) or name
        prefix = known(yaml.child(node, "brokerPrefix")) or "b"
        hosts = [first, *(f"{prefix}{number}" for number in range(min(count or 0, _MOST)))]
        outer = _ROUTED if way in ("route", "ingress") else port
        outer = _number(yaml.child(node, "port")) or outer
        for one in hosts:
            at = f"{one}.{known(domain)}"
            found.append(Address(at, outer, ANYWHERE, listener, setting))
    for way, offset in _PORTED.items():
        node = yaml.child(access, way)
        host, first_port = yaml.child(node, "host"), _number(yaml.child(node, offset))
        if host is None or not known(host) or first_port is None or count is None:
            continue
        setting = Setting("listeners", known(host), path, yaml.position(host))
        for number in range(min(count, _MOST) + 1):
            found.append(Address(known(host), first_port + number, ANYWHERE, listener, setting))
    return found or [Address("*", None, PATTERN, listener)]


def _number(node: yaml.Node | None) -> int | None:
    text = known(node)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else None
