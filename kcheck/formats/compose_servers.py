"""Servers around Kafka in containers whose images make their settings of variables: ksqlDB, Schema
Registry.
"""

from __future__ import annotations

from kcheck.formats.compose_environment import Environment
from kcheck.formats.compose_file import Service
from kcheck.formats.pairs import Pair
from kcheck.formats.properties_kinds import KSQLDB, SCHEMA_REGISTRY
from kcheck.formats.servers import Server
from kcheck.model import Document

_IMAGES = {
    "cp-ksqldb-server": KSQLDB,
    "ksqldb-server": KSQLDB,
    "cp-ksql-server": KSQLDB,
    "cp-schema-registry": SCHEMA_REGISTRY,
}
_PREFIXES = {KSQLDB: "KSQL_", SCHEMA_REGISTRY: "SCHEMA_REGISTRY_"}


def clients(document: Document, service: Service, image: str) -> None:
    """Add the clients of a service whose image is one of these servers'."""
    kind = _IMAGES.get(image.rpartition("/")[2].partition("@")[0].partition(":")[0])
    environment = Environment(service) if kind is not None else None
    if kind is None or environment is None or not environment.complete:
        return
    prefix = _PREFIXES[kind]
    pairs = [
        Pair(_key(name[len(prefix) :]), variable.known, variable.path, variable.at, variable.key_at)
        for name, variable in environment.variables.items()
        if name.startswith(prefix)
    ]
    server = Server(document, pairs)
    before = len(document.resources)
    server.ksql() if kind == KSQLDB else server.registry()
    for resource in document.resources[before:]:
        resource.managed = "compose"
        if resource.name == document.path:
            resource.name = service.name


def _key(rest: str) -> str:
    """As all images of Confluent's: _ is a dot, __ an underscore, ___ a dash."""
    return rest.lower().replace("___", "-").replace("__", "\0").replace("_", ".").replace("\0", "_")
