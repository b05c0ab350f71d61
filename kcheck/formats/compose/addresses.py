"""Where the services of a compose file answer: by which names in its network, at which host ports."""

from __future__ import annotations

from kcheck.formats.compose.environment import Environment
from kcheck.formats.compose.facts import names_of, ports
from kcheck.formats.compose.file import Service
from kcheck.formats.containers import neighbours
from kcheck.formats.listener_ports import Listeners, listeners_of, port_of
from kcheck.formats.text import templated
from kcheck.model import CONNECT, MACHINE, NETWORK, Address, Resource
from kcheck.model import Service as Neighbour

_LOOPBACK = ("localhost", "127.", "::1", "[::1]")


def of_node(node: Resource, service: Service) -> tuple[Address, ...]:
    """The addresses of a broker or controller: each of its names with the port of each listener.

    Where its listeners are not known any port leads there.
    """
    known = listeners_of(node)
    found: list[Address] = []
    for name in _names(service):
        reached = [one for one in known.all if not one.host.startswith(_LOOPBACK)]
        found += (Address(name, one.port, NETWORK, one.name, one.setting) for one in reached)
        if not reached:
            found.append(Address(name, None, NETWORK))
    return (*found, *_published(service, known))


def _names(service: Service) -> list[str]:
    return [name for name in names_of(service) if not templated(name)]


def _published(service: Service, known: Listeners) -> list[Address]:
    """Ports of the host that lead to a listener; of others nobody knows what answers there."""
    found = []
    for outer, inner in ports(service) or ():
        port, own = port_of(outer), port_of(inner)
        if port is None or own is None:
            continue
        listener = known.at(own)
        if listener is not None:
            found.append(Address("localhost", port, MACHINE, listener.name))
        elif not known.all:
            found.append(Address("localhost", port, MACHINE))
    return found


def neighbour(service: Service) -> Neighbour | None:
    """A service as the program beside Kafka that it runs; None for any other image."""
    program = neighbours.program_of(service.text("image") or "")
    if program is None:
        return None
    environment = Environment(service)
    own = program.ports(environment.variables, environment.complete)
    return _made(program.kind, service, own)


def of_worker(worker: Resource, service: Service) -> Neighbour:
    """A Connect worker as others see it."""
    return _made(CONNECT, service, neighbours.ports_of_worker(worker))


def _made(kind: str, service: Service, own: neighbours.Ports) -> Neighbour:
    """A neighbour at its names; what is published leads there where the port is one of its own."""
    found = [
        Address(name, port, NETWORK, scheme=scheme)
        for name in _names(service)
        for port, scheme in own.items()
    ]
    for outer, inner in ports(service) or ():
        port = port_of(outer)
        if port is not None and (None in own or port_of(inner) in own):
            found.append(Address("localhost", port, MACHINE))
    return Neighbour(kind, service.name, service.at, tuple(found))
