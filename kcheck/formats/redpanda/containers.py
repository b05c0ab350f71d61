"""Redpanda as a container: where it listens, and which addresses it tells clients.

It speaks Kafka's protocol with a configuration of its own: of Kafka's keys it has the listeners alone,
which its command names, and everything else about it is unknown.
"""

from __future__ import annotations

from collections.abc import Container

from kcheck.formats import requirements
from kcheck.formats.compose import addresses as compose_addresses
from kcheck.formats.compose import facts as compose_facts
from kcheck.formats.compose.environment import Environment
from kcheck.formats.compose.file import Service
from kcheck.formats.embedded import entries
from kcheck.formats.fact_trees import Fact
from kcheck.formats.observers.containers import parted
from kcheck.formats.text import written
from kcheck.model import COMPOSE, REDPANDA, Derived, Document, Position, Resource

#: Its options, and the keys of Kafka's that they are.
_OPTIONS = {"--kafka-addr": "listeners", "--advertise-kafka-addr": "advertised.listeners"}
#: What it calls a listener to which nobody gives a name.
_UNNAMED = "KAFKA"
_PROTOCOLS = "listener.security.protocol.map"


def read(document: Document, service: Service, words: list[tuple[str, Position]]) -> bool:
    """Add the node that the service starts; False where its command tells no addresses."""
    told = _options(words)
    _judge(document, service, words)
    if not told:
        return False
    made = Resource("broker", service.name, service.path, service.at)
    made.traits.deployer, made.traits.product = COMPOSE, REDPANDA
    made.traits.partial = True
    for option, (text, at) in told.items():
        key = _OPTIONS[option]
        made.image[key] = Derived(key, _listeners(text), service.path, at, at, option)
        # Whether its listeners have TLS or logins is said elsewhere, whatever their names.
        made.image.setdefault(_PROTOCOLS, Derived(_PROTOCOLS, None, service.path, at))
    made.traits.by_environment = len(told) == len(_OPTIONS)  # they go over its file
    compose_facts.add(made, service, None)
    made.traits.addresses = compose_addresses.of_node(made, service)
    document.resources.append(made)
    return True


def _judge(document: Document, service: Service, words: list[tuple[str, Position]]) -> None:
    """Report memory that the container does not have."""
    found = _of_words(words, ("--memory",))
    limit = next((one for path in _LIMITS if (one := service.text(*path)) is not None), None)
    if service.path == document.path and limit is not None:
        told = [(name, Fact(name, name, *one, one[1])) for name, one in found.items()]
        told.append(("limit", Fact("limit", "limit", limit, service.at, service.at)))
        owner = f"service {service.name}"
        requirements.of_options(document, "redpanda", owner, told, "Redpanda")


_LIMITS = (("deploy", "resources", "limits", "memory"), ("mem_limit",))

#: The image of Kafka Connect that Redpanda makes has its worker's properties in one variable.
_CONFIGURATION, _SERVERS = "CONNECT_CONFIGURATION", "CONNECT_BOOTSTRAP_SERVERS"


def worker(document: Document, service: Service) -> bool:
    """Add the worker whose properties a variable of the service has; False where none has any.

    The image's script adds logins, ports and paths of its own: what lacks is unknown.
    """
    found = service.get("environment", _CONFIGURATION)
    if found is None or found[0].file.path != document.path:
        return False
    made = Resource("worker", service.name, service.path, service.at, "connect-distributed")
    for one in entries(found[1], found[0].file.lines):
        made.settings[one.key] = written(one.key, one.value, service.path, one.at, one.key_at)
    if not made.settings:
        return False
    made.traits.deployer, made.traits.partial = COMPOSE, True
    variables = Environment(service).variables
    if _SERVERS in variables:
        servers = variables[_SERVERS]
        made.settings["bootstrap.servers"] = servers.setting("bootstrap.servers", servers.known)
    made.traits.weighed = tuple(one.setting(one.name, None) for one in variables.values())
    made.traits.instances = compose_facts.instances(service, service.path)
    document.services += (compose_addresses.of_worker(made, service),)
    document.resources.append(made)
    return True


def _options(words: list[tuple[str, Position]]) -> dict[str, tuple[str, Position]]:
    return _of_words(words, _OPTIONS)


def _of_words(
    words: list[tuple[str, Position]], names: Container[str]
) -> dict[str, tuple[str, Position]]:
    """The texts of the options with their places; each text of the command may hold many words."""
    parts = [*parted(words)]
    found: dict[str, tuple[str, Position]] = {}
    for number, (part, at) in enumerate(parts):
        name, equals, text = part.partition("=")
        if name not in names:
            continue
        if equals:
            found[name] = text, at
        elif number + 1 < len(parts):
            found[name] = parts[number + 1]
    return found


def _listeners(text: str) -> str | None:
    """``internal://0.0.0.0:9092,localhost:19092`` as Kafka writes it."""
    if "$" in text:
        return None
    found: list[str] = []
    for entry in text.strip("\"'").split(","):
        name, mark, place = entry.strip().rpartition("://")
        found.append(f"{name.upper() if mark else _UNNAMED}://{place}")
    return ",".join(found)
