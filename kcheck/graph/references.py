"""Who answers at the addresses that the programs of a project ask beside their own brokers.

A name means a machine within a compose network, within a namespace of Kubernetes, or everywhere.
Of programs in compose files the format tells which network they are in; of others here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from kcheck import endpoints
from kcheck.grouping import place
from kcheck.grouping.gather import Gathered
from kcheck.grouping.names import in_kubernetes, normal, number, qualified, service_names
from kcheck.grouping.references import references
from kcheck.model import (
    ANYWHERE,
    CFK,
    COMPOSE,
    HELM,
    KOPERATOR,
    KUBERNETES,
    REDPANDA,
    SERVICE,
    STRIMZI,
    ZOOKEEPER,
    Address,
    Network,
    Reference,
    Resource,
    Service,
    Setting,
)

#: Who runs inside of Kubernetes, where a short name is that of a Service.
INSIDE = (STRIMZI, CFK, KOPERATOR, REDPANDA, KUBERNETES, HELM)
_ID = re.compile(r"\d+@")
_SHORT = re.compile(r"[a-z0-9][a-z0-9_-]*")
#: Ports that nobody has to write.
_PORTS = {"http": 80, "https": 443, ZOOKEEPER: 2181}


class Entry:
    """One of the addresses of a reference; ``scheme`` is "" and ``port`` None where none is told."""

    __slots__ = ("host", "port", "scheme")

    def __init__(self, scheme: str, host: str, port: int | None) -> None:
        self.scheme = scheme
        self.host = host
        self.port = port

    @property
    def text(self) -> str:
        return self.host if self.port is None else f"{self.host}:{self.port}"


def entries(reference: Reference) -> list[Entry]:
    """All that is asked; a port that nobody writes is the one of the protocol."""
    found: list[Entry] = []
    for entry in _ID.sub("", reference.text).split(","):
        scheme, _, rest = entry.strip().rpartition("://")
        scheme = scheme.lower()
        # A chroot behind ZooKeeper's list, the path of a URL.
        for host, port in endpoints.split(rest.partition("/")[0]):
            implied = _PORTS.get(scheme or reference.role)
            found.append(Entry(scheme, normal(host), number(port) if port else implied))
    return found


def short(host: str) -> bool:
    """Whether a host is a name without dots, which means something within one network only."""
    return _SHORT.fullmatch(host) is not None


class Answering:
    """A program that answers at a host.

    ``ports`` are its ports with the schemes of their URLs, None where they are not all known;
    ``told`` is the setting that gives them, ``at`` the name of the program where it is declared.
    ``public``: it is asked by a name of DNS, where something else of its machine may answer, too.
    """

    __slots__ = ("at", "name", "ports", "public", "role", "told")

    def __init__(
        self,
        name: str,
        role: str,
        ports: Mapping[int, str] | None,
        told: Setting | None,
        at: Setting | None = None,
        public: bool = False,
    ) -> None:
        self.public = public
        self.name = name
        self.role = role
        self.ports = ports
        self.told = told
        self.at = at


class Spot:
    """An address of a program in Kubernetes, or of one that is asked under the same name everywhere."""

    __slots__ = ("address", "path", "service")

    def __init__(self, path: str, service: Service, address: Address) -> None:
        self.path = path
        self.service = service
        self.address = address


class Asking:
    """A reference with the network of a compose file in which its names mean something, if any.

    ``own`` tells that the reference is one of the network itself, whose names rules on the file
    look at.
    """

    __slots__ = ("network", "own", "reference")

    def __init__(self, reference: Reference, network: Network | None, own: bool) -> None:
        self.reference = reference
        self.network = network
        self.own = own


class References:
    """All references of a project beside those of clients to their brokers, and who answers them."""

    def __init__(self, found: Gathered) -> None:
        self._found = found
        self._by_host: dict[str, list[Spot]] = {}
        self._by_role: dict[str, list[tuple[str, Service]]] = {}
        for document in found.documents:
            for service in document.services:
                self._by_role.setdefault(service.kind, []).append((document.path, service))
                for address in service.addresses:
                    if address.reach in (SERVICE, ANYWHERE):
                        spot = Spot(document.path, service, address)
                        self._by_host.setdefault(address.host, []).append(spot)
        #: By path: the networks of compose files that hold brokers.
        self.networks: dict[str, Network] = {}
        for group in found.groups:
            for node in group.nodes:
                if node.traits.network is not None:
                    self.networks[node.path] = node.traits.network

    def all(self) -> list[Asking]:
        """Every reference, those of programs in compose files with their network."""
        made = [
            Asking(reference, network, True)
            for network in self.networks.values()
            for reference in network.references
        ]
        runners: dict[tuple[object, ...], Network] | None = None
        for document in self._found.documents:
            for reference in references(document):
                deployer = reference.asker.traits.deployer
                if deployer == COMPOSE:
                    continue
                network = None
                if not deployer and reference.asker.kind == "connector" and self.networks:
                    if runners is None:
                        runners = self._runners()
                    network = runners.get((document.path, reference.asker.at))
                made.append(Asking(reference, network, False))
        return made

    def _runners(self) -> dict[tuple[object, ...], Network]:
        """By file and place of connectors: the network of the workers that run them."""
        found: dict[tuple[object, ...], Network] = {}
        for group in self._found.groups:
            workers = [one for one in group.resources if one.kind == "worker"]
            paths = {one.path for one in workers}
            if len(paths) != 1:
                continue
            network = self.networks.get(paths.pop())
            # Who is in a network from elsewhere as well asks by other names, too.
            asking = {one.asker.name for one in network.references} if network else set()
            if network is None or not all(worker.name in asking for worker in workers):
                continue
            for one in group.resources:
                if one.kind == "connector":
                    found[(one.path, one.at)] = network
        return found

    def answering(self, asking: Asking, entry: Entry) -> Answering | None:
        """The one program that answers at the host; None where it is nobody or may be several."""
        if asking.network is not None:
            there = asking.network.names.get(entry.host, ())
            if len(there) != 1 or there[0].role != asking.reference.role:
                return None
            return Answering(there[0].name, there[0].role, there[0].ports, there[0].told)
        spots = self.at(entry.host, asking.reference.asker)
        services = {id(spot.service): spot for spot in spots}
        if len(services) != 1 or spots[0].service.kind != asking.reference.role:
            return None
        ports = {spot.address.port: spot.address.scheme for spot in spots}
        known = {port: scheme for port, scheme in ports.items() if port is not None}
        service, path = spots[0].service, spots[0].path
        at = Setting("name", service.name, path, service.at)
        told = next((s.address.setting for s in spots if s.address.setting is not None), None)
        public = spots[0].address.reach == ANYWHERE
        complete = known if None not in ports else None
        return Answering(spots[0].address.host, service.kind, complete, told, at, public)

    def at(self, host: str, asker: Resource) -> list[Spot]:
        """The programs outside of compose files that a host can mean to who asks."""
        found = [s for s in self._by_host.get(host, ()) if s.address.reach == ANYWHERE]
        if qualified(host) and found:
            return found
        found = []
        if asker.traits.deployer not in INSIDE and not in_kubernetes(host):
            return []
        for name, namespace in service_names(host):
            for spot in self._by_host.get(name, ()):
                told = (spot.path, spot.service.namespace)
                if spot.address.reach == SERVICE and near(asker, told, namespace):
                    found.append(spot)
        return _closest(found, asker.path)

    def maybe_at(self, host: str, asker: Resource) -> bool:
        """Whether a program of that name is read which may run where a host is asked."""
        return any(
            spot.address.reach == SERVICE
            and maybe_near(asker, (spot.path, spot.service.namespace), namespace)
            for name, namespace in service_names(host)
            for spot in self._by_host.get(name, ())
        )

    def of_role(self, role: str, asker: Resource, namespace: str) -> list[str]:
        """The names of the programs of a kind in the namespace that a name of the asker's is of."""
        return sorted(
            {
                service.addresses[0].host
                for path, service in self._by_role.get(role, ())
                if service.addresses
                and service.addresses[0].reach == SERVICE
                and near(asker, (path, service.namespace), namespace)
            }
        )


def _closest(spots: list[Spot], path: str) -> list[Spot]:
    """Those of the file that lies nearest: a namespace of one name may be in several clusters."""
    paths = list(dict.fromkeys(spot.path for spot in spots))
    if len(paths) < 2:
        return spots
    nearest = {paths[number] for number in place.nearest(path, paths)}
    return [spot for spot in spots if spot.path in nearest]


def near(asker: Resource, there: tuple[str, str], asked: str = "") -> bool:
    """Whether a name without a namespace, or with the one that is ``asked``, is in that of a file.

    Where the files do not both tell their namespaces they are in one if they are in one folder.
    """
    path, namespace = there
    wanted = asked or asker.traits.namespace
    if not wanted or not namespace:
        return path.rpartition("/")[0] == asker.path.rpartition("/")[0]
    return wanted == namespace and _one_place(asker.path, path)


def maybe_near(asker: Resource, there: tuple[str, str], asked: str = "") -> bool:
    """Whether a name may be in the namespace of a file: kustomize and Helm deploy several folders
    to one namespace, which no file of theirs has to tell."""
    path, namespace = there
    wanted = asked or asker.traits.namespace
    return (not wanted or not namespace or wanted == namespace) and _one_place(asker.path, path)


def _one_place(one: str, other: str) -> bool:
    return (
        not place.strangers(one, other)
        and place.compatible(place.environments(one), place.environments(other))
        and place.overlapping(place.regions(one), place.regions(other))
    )
