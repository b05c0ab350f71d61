"""Programs around Kafka in containers that have their settings from variables: ksqlDB, Schema Registry,
the REST Proxy, and whatever runs on Spring Boot.
"""

from __future__ import annotations

from kcheck import images
from kcheck.formats import compose_facts
from kcheck.formats.compose_environment import Environment, names
from kcheck.formats.compose_file import Service
from kcheck.formats.environment import Variable, as_property
from kcheck.formats.pairs import Pair
from kcheck.formats.properties_signs import KSQLDB, REST_PROXY, SCHEMA_REGISTRY
from kcheck.formats.servers import Server
from kcheck.model import COMPOSE, Document
from kcheck.version import Version

_IMAGES = {
    "cp-ksqldb-server": KSQLDB,
    "ksqldb-server": KSQLDB,
    "cp-ksql-server": KSQLDB,
    "cp-schema-registry": SCHEMA_REGISTRY,
    "cp-kafka-rest": REST_PROXY,
}
_PREFIXES = {
    KSQLDB: "KSQL_",
    SCHEMA_REGISTRY: "SCHEMA_REGISTRY_",
    REST_PROXY: "KAFKA_REST_",
}


def clients(document: Document, service: Service, image: str) -> None:
    """Add the clients of a service whose image is one of these servers'."""
    kind = _IMAGES.get(image.rpartition("/")[2].partition("@")[0].partition(":")[0])
    if kind is None:
        _springs(document, service)
        return
    environment = Environment(service)
    if not environment.complete:
        return
    prefix = _PREFIXES[kind]
    pairs = [
        Pair(
            _key(name[len(prefix) :]),
            _text(variable),
            variable.path,
            variable.at,
            variable.key_at,
            name,
        )
        for name, variable in environment.variables.items()
        if name.startswith(prefix)
    ]
    server = Server(document, pairs)
    before = len(document.resources)
    if kind == KSQLDB:
        server.ksql()
    elif kind == REST_PROXY:
        server.rest()
    else:
        server.registry(Version(images.split(image)[1].partition("-")[0]))
    for resource in document.resources[before:]:
        resource.traits.deployer = COMPOSE
        resource.traits.instances = compose_facts.instances(service, document.path)
        if resource.name == document.path:
            resource.name = service.name


def _text(variable: Variable) -> str | None:
    """The value as it comes out of the file that the image writes."""
    return as_property(variable.known)[0] if variable.known is not None else None


def _key(rest: str) -> str:
    """As all images of Confluent's: _ is a dot, __ an underscore, ___ a dash."""
    return rest.lower().replace("___", "-").replace("__", "\0").replace("_", ".").replace("\0", "_")


def _springs(document: Document, service: Service) -> None:
    given = names(service)
    if not any(name.startswith("SPRING_") for name in given):
        return
    from kcheck.formats import spring_variables

    if not spring_variables.speaks(given):
        return
    variables = Environment(service).variables.values()
    for client in spring_variables.clients(document, service.name, variables, COMPOSE):
        client.traits.instances = compose_facts.instances(service, document.path)
