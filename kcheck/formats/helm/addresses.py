"""Where the brokers of a chart answer: the names that its templates make of the values.

Charts name their Services after the release, which a file of values does not tell; only where they
override the full name, or a resource of GitOps tells the release, it is known. Else the brokers
answer at names that nobody can know from here.
"""

from __future__ import annotations

from kcheck.formats.listener_ports import port_of
from kcheck.formats.scalars import known
from kcheck.model import ANYWHERE, PATTERN, SERVICE, Address, Setting
from kcheck.syntax import yaml

_CLIENTS = 9092
#: Names in Kubernetes are no longer.
_LONGEST = 63
_CLIENT, _EXTERNAL = "CLIENT", "EXTERNAL"
#: What follows the full name in the headless Services of Bitnami's charts: of all brokers, and of the pools.
_HEADLESS = ("-headless", "-controller-headless", "-broker-headless")
#: The pools of Bitnami's chart; "" stands for the brokers of charts without any.
_POOLS = ("controller", "broker", "")
#: Where a listener's name stands beside its default.
_LISTENERS = {_CLIENT: "client", _EXTERNAL: "external"}

_UNKNOWN = Address("*", None, PATTERN)


def full_name(values: yaml.Node, release: str, chart: str) -> str:
    """What a chart calls its Services: after the release, which may have the chart's name in it; ""
    where nobody knows."""
    told = yaml.child(values, "fullnameOverride")
    if told is not None or not release:
        return known(told)
    name = yaml.child(values, "nameOverride")
    own = known(name) if name is not None and yaml.text(name) else chart
    if not own:
        return ""
    return (release if own in release else f"{release}-{own}")[:_LONGEST].rstrip("-")


def of_bitnami(values: yaml.Node, path: str, release: str, chart: str) -> tuple[Address, ...]:
    """The addresses of the brokers of Bitnami's chart."""
    outside = _outside(values, path)
    name = full_name(values, release, chart)
    if not name:
        return outside or (_UNKNOWN,)
    told = yaml.child(values, "service", "ports", "client") or yaml.child(values, "service", "port")
    port = port_of(known(told)) if told is not None else _CLIENTS
    found = [Address(name, port, SERVICE, _listener(values, _CLIENT))]
    found += (Address(f"{name}{rest}", None, SERVICE) for rest in _HEADLESS)
    return (*found, *outside)


def of_controllers(values: yaml.Node, release: str, chart: str) -> tuple[Address, ...]:
    """The addresses of Bitnami's controllers that have pods of their own."""
    name = full_name(values, release, chart)
    return (Address(f"{name}{_HEADLESS[1]}", None, SERVICE) if name else _UNKNOWN,)


def of_confluent(values: yaml.Node, release: str, chart: str) -> tuple[Address, ...]:
    """The addresses of the brokers of Confluent's chart, which opens its node ports by numbers."""
    name = full_name(values, release, chart)
    if not name:
        return (_UNKNOWN,)
    found = (
        Address(name, _CLIENTS, SERVICE, "PLAINTEXT"),
        Address(f"{name}-headless", None, SERVICE),
    )
    enabled = known(yaml.child(values, "nodeport", "enabled")).lower()
    return (*found, _UNKNOWN) if enabled == "true" else found


def namespace(values: yaml.Node) -> str:
    """The namespace in which a chart puts all that it makes; "" for the release's own."""
    return known(yaml.child(values, "namespaceOverride"))


def _listener(values: yaml.Node, default: str) -> str:
    told = yaml.child(values, "listeners", _LISTENERS[default], "name")
    return default if told is None else known(told)


def _outside(values: yaml.Node, path: str) -> tuple[Address, ...]:
    """The hosts by which the brokers are reached from outside, where the values name them."""
    access = yaml.child(values, "externalAccess")
    if access is None or known(yaml.child(access, "enabled")).lower() == "false":
        return ()
    listener = _listener(values, _EXTERNAL)
    # Which other hosts there are is nowhere told.
    found = [Address("*", None, PATTERN, listener)]
    for pool in _POOLS:
        service = yaml.child(access, *([pool] if pool else []), "service")
        told = yaml.child(service, "ports", "external") or yaml.child(service, "port")
        one = known(yaml.child(service, "type"))
        # A node port is another one at each broker.
        port = None if one == "NodePort" or told is None else port_of(known(told))
        nodes = [yaml.child(service, "domain")]
        for key in ("loadBalancerNames", "loadBalancerIPs", "externalIPs"):
            nodes += yaml.items(yaml.child(service, key))
        for node in nodes:
            if node is not None and known(node):
                made = Setting("externalAccess", known(node), path, yaml.position(node))
                found.append(Address(known(node), port, ANYWHERE, listener, made))
    return tuple(found)
