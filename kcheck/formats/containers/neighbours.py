"""Programs beside brokers that run in containers: which image is one, and at which ports it listens."""

from __future__ import annotations

from collections.abc import Mapping

from kcheck import images
from kcheck.formats.containers.variables import Variable
from kcheck.formats.listener_ports import port_of
from kcheck.model import KSQLDB, REST_PROXY, SCHEMA_REGISTRY, ZOOKEEPER, Resource

#: The schemes of URLs by ports, "" where none is known; None among the ports where one is not known.
Ports = dict[int | None, str]


class Program:
    """A kind of program: the variables that tell its ports, and the port that it has without them."""

    __slots__ = ("default", "kind", "variables")

    def __init__(self, kind: str, default: int | None, *variables: str) -> None:
        self.kind = kind
        self.default = default
        self.variables = variables

    def ports(self, variables: Mapping[str, Variable], complete: bool) -> Ports:
        """The ports by the variables of a container, each with its scheme as far as that is known;
        ``complete`` says that these are all."""
        told = [variables[name] for name in self.variables if name in variables]
        found: Ports = {}
        for variable in told:
            found |= _ports(variable.known)
        plain = "" if self.kind == ZOOKEEPER else "http"
        return found or ({self.default: plain} if complete else {None: ""})


_BITNAMI_ZOOKEEPER = Program(ZOOKEEPER, 2181, "ZOO_PORT_NUMBER")
_ZOOKEEPER = Program(ZOOKEEPER, 2181)
_KSQLDB = Program(KSQLDB, 8088, "KSQL_LISTENERS")
_REGISTRY = Program(SCHEMA_REGISTRY, 8081, "SCHEMA_REGISTRY_LISTENERS")
#: By the image's name, with its folder where others call theirs so, too.
_PROGRAMS = {
    # Confluent's ZooKeeper does not start without one of them: it has no port by default.
    "cp-zookeeper": Program(
        ZOOKEEPER, None, "ZOOKEEPER_CLIENT_PORT", "ZOOKEEPER_SECURE_CLIENT_PORT"
    ),
    "bitnami/zookeeper": _BITNAMI_ZOOKEEPER,
    "bitnamilegacy/zookeeper": _BITNAMI_ZOOKEEPER,
    "zookeeper": _ZOOKEEPER,
    "library/zookeeper": _ZOOKEEPER,
    "wurstmeister/zookeeper": _ZOOKEEPER,
    "debezium/zookeeper": _ZOOKEEPER,
    "cp-schema-registry": _REGISTRY,
    "bitnami/schema-registry": _REGISTRY,
    "bitnamilegacy/schema-registry": _REGISTRY,
    "cp-kafka-rest": Program(REST_PROXY, 8082, "KAFKA_REST_LISTENERS"),
    "cp-ksqldb-server": _KSQLDB,
    "ksqldb-server": _KSQLDB,
    "cp-ksql-server": _KSQLDB,
}
#: Where a Connect worker is told its ports, and the one that it has without them.
_WORKERS = ("listeners", "rest.port")
_WORKERS_DEFAULT = 8083


def program_of(image: str) -> Program | None:
    """The program that an image runs; None for any other."""
    parts = images.split(image)[0].split("/")
    name = parts[-1]
    # A mirror of Confluent's images keeps their names, not always their folder.
    known = _PROGRAMS.get(name) if name.startswith(("cp-", "ksqldb-")) else None
    return known or _PROGRAMS.get("/".join(parts[-2:]))


def ports_of_worker(worker: Resource) -> Ports:
    """Where a Connect worker answers over HTTP."""
    for key in _WORKERS:
        if key in worker.settings:
            found = _ports(worker.settings[key].text)
            return found if key == _WORKERS[0] else dict.fromkeys(found, "http")
    return {_WORKERS_DEFAULT: "http"}


def _ports(text: str | None) -> Ports:
    """The ports of a list of URLs, or of a number alone."""
    found: Ports = {}
    for entry in (text or "").split(","):
        scheme, told, place = entry.strip().rstrip("/").rpartition("://")
        found[port_of(place.rpartition(":")[2])] = scheme.lower() if told else ""
    return found
