"""Where what Confluent's operator makes answers: the Services of its resources, and external hosts.

Each resource has a headless Service of its own name, through which clients in Kubernetes ask any port
of its pods. Outside they ask the hosts that ``externalAccess`` makes of a domain and prefixes.
"""

from __future__ import annotations

from kcheck.formats.kustomize.whole import Wholes
from kcheck.formats.listener_ports import port_of
from kcheck.formats.scalars import known
from kcheck.model import (
    ANYWHERE,
    CONNECT,
    KSQLDB,
    PATTERN,
    REST_PROXY,
    SCHEMA_REGISTRY,
    SERVICE,
    ZOOKEEPER,
    Address,
    Position,
    Service,
    Setting,
)
from kcheck.syntax import yaml

#: The ports of the listeners that the operator gives to brokers.
_LISTENERS = {"INTERNAL": 9071, "REPLICATION": 9072, "EXTERNAL": 9092}
_CONTROLLER = 9074
#: Where RBAC is, the operator gives brokers one more, for tokens of the metadata service.
_TOKEN = ("TOKEN", 9073)
#: How far the port of an internal listener of these is above that of the external one, if none is told.
_INNER = 1000
#: What runs beside Kafka: its kind, and the ports that it opens.
_BESIDE = {
    "SchemaRegistry": (SCHEMA_REGISTRY, (8081,)),
    "KafkaRestProxy": (REST_PROXY, (8082,)),
    "Connect": (CONNECT, (8083,)),
    "KsqlDB": (KSQLDB, (8088,)),
    "Zookeeper": (ZOOKEEPER, (2181, 2182)),
}
#: Where hosts come to the broker's listener at another port than the listener's own.
_ROUTED = 443
_TLS = (443, 80)
_OFFSETS = {"nodePort": "nodePortOffset", "staticForPortBasedRouting": "portOffset"}
#: No cluster has more brokers than this; what says more is no number that anybody means.
_MOST = 300


def of_kafka(name: str, node: yaml.Node, path: str) -> tuple[Address, ...]:
    """The addresses of the brokers of a Kafka resource."""
    if not name:
        return (Address("*", None, PATTERN),)
    spec = yaml.child(node, "spec")
    listeners = yaml.child(spec, "listeners")
    found: list[Address] = []
    rbac = known(yaml.child(spec, "authorization", "type")) == "rbac"
    for listener, port in (*_LISTENERS.items(), *([_TOKEN] if rbac else [])):
        found.append(Address(name, port, SERVICE, listener))
        found += _external(
            name, node, yaml.child(listeners, listener.lower()), port, listener, path
        )
    for item in yaml.items(yaml.child(listeners, "custom")):
        told = known(yaml.child(item, "port"))
        listener, own = known(yaml.child(item, "name")).upper(), port_of(told)
        found.append(Address(name, own, SERVICE, listener))
        found += _external(name, node, item, own, listener, path)
    return tuple(found)


def of_controllers(name: str) -> tuple[Address, ...]:
    """The addresses of a KRaftController."""
    if not name:
        return (Address("*", None, PATTERN),)
    return (Address(name, _CONTROLLER, SERVICE, "CONTROLLER"),)


def beside(
    kind: str, name: str, at: Position, node: yaml.Node, path: str, wholes: Wholes
) -> Service | None:
    """What runs beside Kafka as a neighbour; None for other resources."""
    told = _BESIDE.get(kind)
    if told is None:
        return None
    found = [
        Address(name, port, SERVICE, scheme=_scheme(told[0], node, part, wholes))
        for port, part in _ports(told[1], node)
    ]
    access = yaml.child(node, "spec", "externalAccess")
    way = yaml.child(access, known(yaml.child(access, "type")))
    domain = yaml.child(way, "domain")
    if domain is not None and known(domain):
        host = f"{known(yaml.child(way, 'prefix')) or name}.{known(domain)}"
        made = Setting("domain", known(domain), path, yaml.position(domain))
        found += (Address(host, port, ANYWHERE, "", made) for port in _TLS)
    namespace = known(yaml.child(node, "metadata", "namespace"))
    return Service(told[0], name, at, tuple(found), namespace)


def _ports(own: tuple[int, ...], node: yaml.Node) -> list[tuple[int | None, yaml.Node | None]]:
    """The ports of a resource, each with what says whether it has certificates; not known where it
    overrides listeners."""
    spec = yaml.child(node, "spec")
    overrides = yaml.child(spec, "configOverrides", "server")
    told = [yaml.text(item) or "" for item in yaml.items(overrides)]
    if any("listeners" in entry.partition("=")[0] for entry in told):
        return [(None, spec)]
    listeners = yaml.child(spec, "listeners")
    if not yaml.pairs(listeners):
        return [(port, spec) for port in own]
    found: list[tuple[int | None, yaml.Node | None]] = []
    for port in own:
        found.append((port, yaml.child(listeners, "external")))
        inner = yaml.child(listeners, "internal")
        number = yaml.child(inner, "port")
        found.append((port + _INNER if number is None else port_of(known(number)), inner))
    return found


def _scheme(kind: str, node: yaml.Node, part: yaml.Node | None, wholes: Wholes) -> str:
    """How a resource, or a listener of it, is asked: over TLS where it has certificates.

    Of a listener that says nothing of TLS in a resource with certificates nothing is known, nor of a
    patch whose base is not to be told.
    """
    if kind == ZOOKEEPER:
        return ""
    tls = yaml.child(part, "tls")
    if tls is not None and not yaml.is_null(tls):
        return "http" if known(yaml.child(tls, "enabled")).lower() == "false" else "https"
    whole = wholes.of(node)
    if whole is None:
        return ""
    if not _secure(whole):
        return "http"
    return "https" if part is yaml.child(node, "spec") else ""


def _secure(node: yaml.Node) -> bool:
    tls = yaml.child(node, "spec", "tls")
    return tls is not None and not yaml.is_null(tls)


def _external(
    name: str,
    node: yaml.Node,
    listener: yaml.Node | None,
    port: int | None,
    called: str,
    path: str,
) -> list[Address]:
    """The hosts by which a listener is asked from outside of Kubernetes."""
    access = yaml.child(listener, "externalAccess")
    if access is None:
        return []
    kind = known(yaml.child(access, "type"))
    way = yaml.child(access, kind)
    host = yaml.child(way, "host")
    if host is not None and known(host):
        # One host for all: a port leads to the bootstrap, and those behind it to the brokers.
        made = Setting("host", known(host), path, yaml.position(host))
        first = port_of(known(yaml.child(way, _OFFSETS.get(kind, ""))))
        count = len(_numbers(node))
        several = range(first, first + count + 1) if first is not None and count else [None]
        return [Address(known(host), outer, ANYWHERE, called, made) for outer in several]
    domain = yaml.child(way, "domain")
    if domain is None or not known(domain):
        return [Address("*", None, PATTERN, called)]
    told = yaml.child(way, "advertisedPort") or yaml.child(way, "port")
    outer = port_of(known(told)) if told is not None else _ROUTED if kind == "route" else port
    made = Setting("domain", known(domain), path, yaml.position(domain))
    prefix = known(yaml.child(way, "brokerPrefix")) or "b"
    heads = [known(yaml.child(way, "bootstrapPrefix")) or name]
    heads += (f"{prefix}{number}" for number in _numbers(node))
    return [Address(f"{head}.{known(domain)}", outer, ANYWHERE, called, made) for head in heads]


def _numbers(node: yaml.Node) -> range:
    """The ids of the brokers; none where their number is not known."""
    count = port_of(known(yaml.child(node, "spec", "replicas"))) or 0
    annotations = yaml.child(node, "metadata", "annotations")
    told = yaml.child(annotations, "platform.confluent.io/broker-id-offset")
    first = port_of(known(told)) or 0
    return range(first, first + min(count, _MOST))
