"""Which listener of which broker answers a client: the address graph as rules on protocols see it."""

from __future__ import annotations

from kcheck.graph import listeners
from kcheck.graph.nodes import Broker
from kcheck.grouping import names
from kcheck.grouping.group import contained
from kcheck.model import (
    MACHINE,
    NETWORK,
    PATTERN,
    SERVICE,
    START,
    Address,
    Resource,
    Setting,
    Value,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.graph.cluster import Cluster

#: What operators make of a listener's authentication: clients speak SASL there, by which mechanism.
_BY_SASL = {
    "scram-sha-512": "SCRAM-SHA-512",
    "scram-sha-256": "SCRAM-SHA-256",
    "plain": "PLAIN",
    "oauth": None,  # PLAIN beside it may be on, too
}
_BY_TLS = "tls"
_ENABLED = "sasl.enabled.mechanisms"


class Answering:
    """A listener that answers at an address: ``protocol`` is None where nothing tells it.

    ``told`` is the value that shows the protocol, ``logins`` the one that tells the ``mechanisms``
    that clients may log in by; none where they are not known.
    """

    __slots__ = ("host", "logins", "mechanisms", "name", "port", "protocol", "told")

    def __init__(
        self,
        host: str,
        port: int | None,
        name: str,
        protocol: str | None,
        told: Value,
        logins: Value,
        mechanisms: list[str],
    ) -> None:
        self.host = host
        self.port = port
        self.name = name
        self.protocol = protocol
        self.told = told
        self.logins = logins
        self.mechanisms = mechanisms


def answering(broker: Broker, client: Resource) -> list[tuple[names.Asked, Answering]]:
    """The listeners of a broker that the client's bootstrap servers lead to, host and port."""
    asked = names.asked(client)
    found: list[tuple[names.Asked, Answering]] = []
    inside = contained(broker.resource)
    told = names.answers(broker.resource, inside)
    for one in asked:
        meant = [address for address in told if _means(one.host, address)]
        there = [address for address in meant if address.port == one.port]
        if not there and inside and any(address.reach == NETWORK for address in meant):
            # Under another name of the container than the one that it advertises.
            there = _bound(broker, one)
        found += ((one, _listener(broker, one, address)) for address in there)
    return found


def spoken(broker: Broker) -> set[str | None]:
    """The protocols of all listeners of a broker; None is among them where one is not known."""
    told = names.answers(broker.resource, contained(broker.resource))
    nobody = names.Asked("", None, Setting("bootstrap.servers", "", broker.resource.path, START))
    return {_listener(broker, nobody, address).protocol for address in told}


def _bound(broker: Broker, asked: names.Asked) -> list[Address]:
    """The listeners that a container binds at the port, whatever name leads to it."""
    bound = broker["listeners"].setting
    return [
        Address(asked.host, one.port, NETWORK, one.name, bound)
        for one in (listeners.parse(bound.text) if bound is not None else ())
        if one.port == asked.port and names.normal(one.host) in ("", "0.0.0.0", "::")
    ]


def _means(host: str, address: Address) -> bool:
    if address.reach == PATTERN:
        return False
    if address.reach == SERVICE:
        return any(name == address.host for name, _ in names.service_names(host))
    if address.host == "localhost":
        return names.loopback(host)
    return host.strip("[]") == address.host.strip("[]")


def _listener(broker: Broker, asked: names.Asked, address: Address) -> Answering:
    name = address.listener
    fact = broker.resource.facts.get(f"listeners.{name}.tls")
    if f"listeners.{name}" in broker.resource.facts or fact is not None:
        told = broker.fact(f"listeners.{name}.tls" if fact is not None else f"listeners.{name}")
        logins = broker.fact(f"listeners.{name}.authentication")
        mechanism = _BY_SASL.get(logins.text or "")
        return Answering(
            asked.host,
            asked.port,
            name,
            _of_operator(broker, name),
            told,
            logins,
            [mechanism] if mechanism else [],
        )
    protocol = listeners.protocol(broker, name.upper())
    logins = broker.listener(name.upper(), _ENABLED)
    offered = list(logins.value) if logins.written and isinstance(logins.value, list) else []
    told = broker["advertised.listeners"]
    return Answering(asked.host, asked.port, name, protocol, told, logins, offered)


def _of_operator(broker: Broker, name: str) -> str | None:
    """The protocol of a listener that an operator makes: TLS or not, SASL by its authentication."""
    facts = broker.resource.facts
    tls, kind = facts.get(f"listeners.{name}.tls"), facts.get(f"listeners.{name}.authentication")
    if tls is None or tls.text not in ("true", "false"):
        return None
    secure = tls.text == "true"
    if kind is None or kind.text == _BY_TLS:
        return "SSL" if secure else "PLAINTEXT"
    if kind.text in _BY_SASL:
        return "SASL_SSL" if secure else "SASL_PLAINTEXT"
    return None


class Nodes:
    """The brokers and controllers of a cluster by the hosts under which they answer.

    The scope of rules that compare what nodes and clients ask with who answers there.
    """

    __slots__ = ("_by_host", "_patterns", "all", "cluster")

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        everyone = (*cluster.brokers, *cluster.controllers)
        self.all = list({id(node.resource): node for node in everyone}.values())
        #: Made when somebody asks first: most clusters have nobody who does.
        self._by_host: dict[str, list[tuple[Broker, Address]]] | None = None
        self._patterns: list[tuple[Broker, Address]] = []

    def _hosts(self) -> dict[str, list[tuple[Broker, Address]]]:
        if self._by_host is None:
            self._by_host = {}
            for node in self.all:
                for address in names.answers(node.resource, contained(node.resource)):
                    if address.reach not in (PATTERN, MACHINE):
                        self._by_host.setdefault(address.host, []).append((node, address))
                    elif address.reach == PATTERN and address.host != "*":
                        self._patterns.append((node, address))
        return self._by_host

    def made(self, host: str) -> list[tuple[Broker, Address]]:
        """The nodes whose service made the host, each with every address of it."""
        from kcheck.grouping.index import fits

        self._hosts()
        return [one for one in self._patterns if fits(host, one[1].host)]

    def at(self, host: str) -> list[tuple[Broker, Address]]:
        """The nodes that have the name, each with every address of it."""
        by_host = self._hosts()
        found = [one for one in by_host.get(host, ()) if one[1].reach != SERVICE]
        for name, namespace in names.service_names(host):
            for node, address in by_host.get(name, ()):
                own = node.resource.traits.namespace
                if address.reach == SERVICE and (not namespace or own in ("", namespace)):
                    found.append((node, address))
        return found
