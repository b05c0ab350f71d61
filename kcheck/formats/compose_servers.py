"""Programs around Kafka in services that have their settings from variables: ksqlDB, Schema Registry,
the REST Proxy, Control Center, and whatever runs on Spring Boot.
"""

from __future__ import annotations

from kcheck.formats import compose_facts, program_containers
from kcheck.formats.compose_environment import Environment, names
from kcheck.formats.compose_file import Service
from kcheck.model import COMPOSE, Document, Setting


def clients(document: Document, service: Service, image: str) -> None:
    """Add the clients of a service whose image is one of these servers'."""
    if not program_containers.program_of(image):
        _springs(document, service)
        return
    environment = Environment(service)
    if not environment.complete:
        return
    # A command of its own may have any options.
    scripted = service.get("command") or service.get("entrypoint")
    variables = environment.variables
    for resource in program_containers.clients(
        document, service.name, image, variables, service.at, COMPOSE
    ):
        if scripted:
            resource.traits.jaas_file = None
        resource.traits.instances = compose_facts.instances(service, document.path)
        _locate(resource.traits.queries, service)


def _locate(queries: Setting | None, service: Service) -> None:
    """Name a file of the container as the file of the project that is mounted there."""
    if queries is None:
        return
    for source, target in compose_facts.volumes(service):
        folder = target.rstrip("/")
        if source.startswith(".") and f"{queries.text}/".startswith(f"{folder}/"):
            queries.raw = queries.text = source.rstrip("/") + (queries.text or "")[len(folder) :]
            return


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
