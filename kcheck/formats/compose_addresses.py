"""Where the services of a compose file answer: by which names in its network, at which host ports."""

from __future__ import annotations

from kcheck import images
from kcheck.formats.compose_environment import Environment
from kcheck.formats.compose_facts import names_of, ports
from kcheck.formats.compose_file import Service
from kcheck.formats.listener_ports import Listeners, listeners_of, port_of
from kcheck.formats.text import templated
from kcheck.model import (
    CONNECT,
    KSQLDB,
    MACHINE,
    NETWORK,
    REST_PROXY,
    SCHEMA_REGISTRY,
    ZOOKEEPER,
    Address,
    Resource,
)
from kcheck.model import Service as Neighbour

_LOOPBACK = ("localhost", "127.", "::1", "[::1]")


class _Program:
    """A kind of program: the variables that tell its ports, and the port that it has without them."""

    __slots__ = ("default", "kind", "variables")

    def __init__(self, kind: str, default: int, *variables: str) -> None:
        self.kind = kind
        self.default = default
        self.variables = variables


_BITNAMI_ZOOKEEPER = _Program(ZOOKEEPER, 2181, "ZOO_PORT_NUMBER")
#: By the last part of the image's name, with the folder where others call theirs so, too.
_PROGRAMS = {
    # Confluent's ZooKeeper starts with neither: it has no default of its own.
    "cp-zookeeper": _Program(ZOOKEEPER, 0, "ZOOKEEPER_CLIENT_PORT", "ZOOKEEPER_SECURE_CLIENT_PORT"),
    "bitnami/zookeeper": _BITNAMI_ZOOKEEPER,
    "bitnamilegacy/zookeeper": _BITNAMI_ZOOKEEPER,
    "zookeeper": _Program(ZOOKEEPER, 2181),
    "library/zookeeper": _Program(ZOOKEEPER, 2181),
    "wurstmeister/zookeeper": _Program(ZOOKEEPER, 2181),
    "debezium/zookeeper": _Program(ZOOKEEPER, 2181),
    "cp-schema-registry": _Program(SCHEMA_REGISTRY, 8081, "SCHEMA_REGISTRY_LISTENERS"),
    "bitnami/schema-registry": _Program(SCHEMA_REGISTRY, 8081, "SCHEMA_REGISTRY_LISTENERS"),
    "cp-kafka-rest": _Program(REST_PROXY, 8082, "KAFKA_REST_LISTENERS"),
    "cp-ksqldb-server": _Program(KSQLDB, 8088, "KSQL_LISTENERS"),
    "ksqldb-server": _Program(KSQLDB, 8088, "KSQL_LISTENERS"),
    "cp-ksql-server": _Program(KSQLDB, 8088, "KSQL_LISTENERS"),
}
#: Where a Connect worker is told its ports, and the one that it has without them.
_WORKERS = ("listeners", "rest.port")
_WORKERS_DEFAULT = 8083


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
    program = _program(service.text("image") or "")
    if program is None:
        return None
    environment = Environment(service)
    told = [
        environment.variables[name] for name in program.variables if name in environment.variables
    ]
    numbers: list[int | None] = []
    for variable in told:
        numbers += _ports(variable.known)
    if not told:
        numbers = [program.default or None if environment.complete else None]
    return _made(program.kind, service, numbers)


def of_worker(worker: Resource, service: Service) -> Neighbour:
    """A Connect worker as others see it."""
    numbers: list[int | None] = []
    for key in _WORKERS:
        if key in worker.settings and not numbers:
            numbers = _ports(worker.settings[key].text)
    return _made(CONNECT, service, numbers or [_WORKERS_DEFAULT])


def _made(kind: str, service: Service, numbers: list[int | None]) -> Neighbour:
    """A neighbour at its names; what is published leads there where the port is one of its own."""
    found = [
        Address(name, port, NETWORK) for name in _names(service) for port in dict.fromkeys(numbers)
    ]
    for outer, inner in ports(service) or ():
        port = port_of(outer)
        if port is not None and (None in numbers or port_of(inner) in numbers):
            found.append(Address("localhost", port, MACHINE))
    return Neighbour(kind, service.name, service.at, tuple(found))


def _program(image: str) -> _Program | None:
    parts = images.split(image)[0].split("/")
    return _PROGRAMS.get("/".join(parts[-2:])) or _PROGRAMS.get(
        parts[-1] if parts[-1].startswith(("cp-", "ksqldb-")) else ""
    )


def _ports(text: str | None) -> list[int | None]:
    """The ports of a list of URLs, or of a number alone; None in it where one is not known."""
    entries = (text or "").split(",")
    return [port_of(entry.strip().rstrip("/").rpartition(":")[2]) for entry in entries]
