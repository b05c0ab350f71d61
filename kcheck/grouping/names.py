"""Host names: what a client asks, where a node answers, and how far each name means one machine."""

from __future__ import annotations

import re

from kcheck import endpoints
from kcheck.formats.text import templated
from kcheck.model import (
    ANYWHERE,
    MACHINE,
    NETWORK,
    Address,
    Derived,
    Resource,
    Setting,
)

#: Names of a machine for itself.
_LOOPBACK = ("localhost", "127.0.0.1", "::1", "[::1]", "0.0.0.0", "[::]", "::", "")
#: The machine that runs the containers, as they see it.
_OUTSIDE = ("host.docker.internal", "docker.for.mac.localhost", "host.containers.internal")
_WILDCARDS = ("", "0.0.0.0", "[::]", "::")

#: Names that mean another machine to everybody who writes them: kafka, broker-1, kafka-broker01.
_GENERIC = (
    r"(?:my-?)?(?:kafka|broker|brokers|node|server|host|bootstrap|controller|redpanda|kraft|"
    r"zookeeper|zk|kafka-?(?:broker|server|node|kraft|cluster|headless|service|svc|bootstrap)|"
    r"broker-?kafka|[abck]|bitnami-kafka|cp-kafka)(?:[-_]?\d+)?"
)
_CLUSTER_DOMAIN = r"\.svc(?:\.[a-z0-9.-]+)?$"
_IP = r"\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:]+\]"

#: Where clients say whom they ask first, under the names of all libraries and programs.
BOOTSTRAP = (
    "bootstrap.servers",
    "metadata.broker.list",
    "kafkastore.bootstrap.servers",
    "brokers",
    "bootstrap_servers",
)
#: More entries than this of one list are not looked up: no cluster has so many names.
_MOST = 500


class Asked:
    """One entry of a list of bootstrap servers. ``port`` is None where none is written."""

    __slots__ = ("host", "port", "setting")

    def __init__(self, host: str, port: int | None, setting: Setting) -> None:
        self.host = host
        self.port = port
        self.setting = setting

    @property
    def text(self) -> str:
        return f"{self.host}:{self.port}" if self.port is not None else self.host

    @property
    def stands_in(self) -> bool:
        """Whether it is the developer's machine, for want of a variable: ``${KAFKA:localhost:9092}``."""
        return isinstance(self.setting, Derived) and loopback(self.host)


def asked(resource: Resource) -> tuple[Asked, ...]:
    """Whom a client asks first, as far as the file says it; placeholders are left out."""
    found: list[Asked] = []
    for setting in bootstrap_settings(resource):
        if not setting.text:
            continue
        for host, port in endpoints.split(setting.text)[:_MOST]:
            if not templated(f"{host}:{port}"):
                found.append(Asked(normal(host), number(port), setting))
    return tuple(found)


def bootstrap_settings(resource: Resource) -> list[Setting]:
    """The settings by which a client names its cluster; of several names mostly one is set."""
    settings = resource.settings
    found = [settings[key] for key in BOOTSTRAP if key in settings]
    if not found and "bootstrap.servers" in resource.image:
        found.append(resource.image["bootstrap.servers"])
    return [*found, *resource.traits.asks]


def number(port: str) -> int | None:
    return int(port) if port.isascii() and port.isdigit() and len(port) < 6 else None


def normal(host: str) -> str:
    return host.strip().lower().rstrip(".")


def loopback(host: str) -> bool:
    return host in _LOOPBACK or host.startswith("127.")


def local(host: str) -> bool:
    """Whether a name reaches nothing but the machine that uses it; a wildcard is no name."""
    return loopback(host) and host not in _WILDCARDS


def outside(host: str) -> bool:
    """Whether a container means by this name the machine that it runs on."""
    return host in _OUTSIDE


def qualified(host: str) -> bool:
    """Whether a name means the same machine everywhere: a FQDN, or an address of IP."""
    if loopback(host) or outside(host):
        return False
    if re.fullmatch(_IP, host):
        return True
    return "." in host and not in_kubernetes(host)


def generic(host: str) -> bool:
    """Whether everybody who writes the name means another machine by it."""
    return loopback(host) or outside(host) or re.fullmatch(_GENERIC, host) is not None


def in_kubernetes(host: str) -> bool:
    """Whether the name is one of Kubernetes' own DNS: ``kafka.prod.svc.cluster.local``."""
    return ".svc" in host and re.search(_CLUSTER_DOMAIN, host) is not None


def service_names(host: str) -> list[tuple[str, str]]:
    """(name, namespace) of the Kubernetes Services that a name can mean, the namespace "" where the
    name has none. ``kafka.prod`` and ``kafka-0.kafka.prod`` may be names of DNS as well."""
    bare, count = re.subn(_CLUSTER_DOMAIN, "", host) if ".svc" in host else (host, 0)
    if count:
        name, dot, namespace = bare.rpartition(".")
        if not dot:
            return [(bare, "")]
        # Of a pod behind a headless Service, that Service.
        return list(dict.fromkeys(((name, namespace), (name.rpartition(".")[2], namespace))))
    name, dot, namespace = host.rpartition(".")
    if not dot:
        return [(host, "")]
    found = [(name, namespace)]
    if "." in name:
        found.append((name.rpartition(".")[2], namespace))
    else:
        found += ((host, ""), (namespace, ""))
    return found


def answers(node: Resource, contained: bool) -> tuple[Address, ...]:
    """Where a node answers: the addresses that its format tells, and those of its listeners.

    ``contained``: it runs in a container, so that short names mean it within its network only.
    """
    found = list(node.traits.addresses)
    if contained and not found:
        found.append(Address(node.name, None, NETWORK))
    for key in ("advertised.listeners", "listeners"):
        setting = node.settings.get(key)
        if setting is None or not setting.text:
            continue
        for entry in setting.text.split(","):
            address = _address(entry.strip(), key, contained, setting)
            if address is not None:
                found.append(address)
    return tuple(found)


def _address(entry: str, key: str, contained: bool, setting: Setting) -> Address | None:
    """The address of one listener; None where others cannot reach it or it is not known."""
    name, _, place = entry.partition("://")
    host, colon, port = place.rpartition(":")
    if templated(place) or not colon:
        return None
    host = normal(host)
    if host in _WILDCARDS:
        local = key == "listeners" and not contained
    elif loopback(host):
        local = key == "advertised.listeners" or not contained
    else:
        reach = NETWORK if contained and "." not in host else ANYWHERE
        return Address(host, number(port), reach, name, setting)
    return Address("localhost", number(port), MACHINE, name, setting) if local else None


def vague(node: Resource) -> bool:
    """Whether a node may answer under names that its file does not tell."""
    told = node.settings.get("advertised.listeners")
    if told is not None and (told.text is None or templated(told.text)):
        return True
    return any(address.host == "*" for address in node.traits.addresses)


def hosts(node: Resource) -> set[str]:
    """The host names under which clients can know a node, those of its own machine aside."""
    return {one.host for one in answers(node, True) if not loopback(one.host)} | {node.name}
