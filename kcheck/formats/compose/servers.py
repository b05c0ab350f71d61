"""Programs around Kafka in services that have their settings from variables: ksqlDB, Schema Registry,
the REST Proxy, Control Center, and whatever runs on Spring Boot.
"""

from __future__ import annotations

from kcheck.formats.compose import facts as compose_facts
from kcheck.formats.compose import mounts as compose_mounts
from kcheck.formats.compose.environment import Environment, names
from kcheck.formats.compose.file import Service
from kcheck.formats.containers import programs as program_containers
from kcheck.formats.containers.variables import FRAMEWORKS, assign
from kcheck.formats.observers import signs as observer_signs
from kcheck.model import COMPOSE, Document, Position, Setting
from kcheck.syntax import yaml

#: What gives files to a container.
_FILES = ("volumes", "configs", "secrets", "volumes_from")


def clients(document: Document, service: Service, image: str) -> None:
    """Add the clients of a service whose image is one of these servers'."""
    if service.get("image") is None and service.get("build") is None:
        # A piece that goes over a service of another file, which may change its brokers as well.
        return
    given = names(service)
    if not program_containers.program_of(image, given):
        if observer_signs.program_of(image, given):
            _observers(document, service, image)
        else:
            _springs(document, service, given)
        return
    environment = Environment(service)
    if not environment.complete:
        return
    # A command of its own may have any options.
    scripted = service.get("command") or service.get("entrypoint")
    variables = environment.variables
    if scripted:
        assign(variables, " ".join(one for one, _ in words_of(service)), service.path, service.at)
    for resource in program_containers.clients(
        document, service.name, image, variables, service.at, COMPOSE, starts=not scripted
    ):
        if scripted:
            resource.traits.jaas_file = None
        elif resource.traits.jaas_file:
            compose_mounts.give_logins(resource, service, environment, service.layers[0].file)
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


def _observers(document: Document, service: Service, image: str) -> None:
    from kcheck.formats.observers import (
        containers as observer_containers,  # few services are one of them
    )

    environment = Environment(service)
    complete = environment.complete and not any(
        yaml.child(layer.node, key) is not None for layer in service.layers for key in _FILES
    )
    made = observer_containers.clients(
        document,
        service.name,
        image,
        environment.variables,
        words_of(service),
        service.at,
        COMPOSE,
        complete,
        service.layers[0].file.lines,
    )
    for client in made:
        client.traits.instances = compose_facts.instances(service, document.path)


def words_of(service: Service) -> list[tuple[str, Position]]:
    """The scalars of the service's command with their places; "" for one that something fills in."""
    words: list[tuple[str, Position]] = []
    for key in ("entrypoint", "command"):
        found = service.get(key)
        if found is None:
            continue
        for node in yaml.items(found[1]) or [found[1]]:
            text = yaml.text(node)
            filled = found[0].file.variables.filled(text) if text is not None else None
            if text is not None:
                words.append((text if filled is None else filled, yaml.position(node)))
    return words


def _springs(document: Document, service: Service, given: set[str]) -> None:
    if not any(name.startswith(FRAMEWORKS) for name in given):
        return
    from kcheck.formats.spring import variables as spring_variables

    if not spring_variables.speaks(given):
        return
    variables = Environment(service).variables.values()
    for client in spring_variables.clients(document, service.name, variables, COMPOSE):
        client.traits.instances = compose_facts.instances(service, document.path)
