"""Whom the containers of one compose file ask by name and port, and who answers there.

What an image is told by its variables is all that is read: who is started with a command, or has
its configuration mounted, may answer on any port.
"""

from __future__ import annotations

import re

from kcheck import images
from kcheck.formats import asking
from kcheck.formats.compose import facts as compose_facts
from kcheck.formats.compose.environment import Environment
from kcheck.formats.compose.file import File, Service
from kcheck.formats.containers import neighbours
from kcheck.model import (
    BROKER,
    CONNECT,
    KSQLDB,
    REST_PROXY,
    SCHEMA_REGISTRY,
    ZOOKEEPER,
    Container,
    Network,
    Reference,
    Resource,
    Setting,
)
from kcheck.syntax import yaml

#: By the last part of an image's name: what it is, the variables that give its ports, and the port
#: that it has without them; None where it needs one of them.
_PROGRAMS: dict[str, tuple[str, tuple[str, ...], int | None]] = {
    "cp-zookeeper": (ZOOKEEPER, ("ZOOKEEPER_CLIENT_PORT", "ZOOKEEPER_SECURE_CLIENT_PORT"), None),
    "zookeeper": (ZOOKEEPER, (), 2181),
    "cp-schema-registry": (SCHEMA_REGISTRY, ("SCHEMA_REGISTRY_LISTENERS",), 8081),
    "cp-kafka-connect": (CONNECT, ("CONNECT_LISTENERS", "CONNECT_REST_PORT"), 8083),
    "cp-kafka-connect-base": (CONNECT, ("CONNECT_LISTENERS", "CONNECT_REST_PORT"), 8083),
    "cp-server-connect": (CONNECT, ("CONNECT_LISTENERS", "CONNECT_REST_PORT"), 8083),
    "cp-server-connect-base": (CONNECT, ("CONNECT_LISTENERS", "CONNECT_REST_PORT"), 8083),
    "cp-ksqldb-server": (KSQLDB, ("KSQL_LISTENERS",), 8088),
    "ksqldb-server": (KSQLDB, ("KSQL_LISTENERS",), 8088),
    "cp-kafka-rest": (REST_PROXY, ("KAFKA_REST_LISTENERS",), 8082),
}
#: Of images that go by the same last part, those whose variables are others.
_PORTS_ELSEWHERE = {
    "bitnami/zookeeper": ("ZOO_PORT_NUMBER", "ZOO_TLS_PORT_NUMBER"),
    "bitnamilegacy/zookeeper": ("ZOO_PORT_NUMBER", "ZOO_TLS_PORT_NUMBER"),
}
#: Variables that may hold ports in texts of their own: what they say is not read.
_OTHER_PORTS = ("ZOO_CFG_EXTRA", "ZOO_CONF_DIR", "ZOO_CFG")

_NUMBER = re.compile(r"\d{1,5}")
_LISTENER = re.compile(r"(?:[\w.+-]+://)?[^/,\s]*:(\d{1,5})/?")
#: What programs that nobody knows by their image surely take for somebody's address.
_URL = re.compile(r"https?://[a-z0-9][\w.-]*(:\d{1,5})?", re.IGNORECASE)
_SHARED = "service:"


def network(file: File, services: list[Service], resources: list[Resource]) -> Network | None:
    """The network of the file; None where a container may find others by names from elsewhere."""
    modes = [service.text("network_mode") or "" for service in services]
    if any(mode.startswith(_SHARED) for mode in modes):
        return None
    own = {resource.name: resource for resource in resources if resource.kind in _NODES}
    containers: dict[str, Container] = {}
    names: dict[str, tuple[Container, ...]] = {}
    environments: dict[str, Environment] = {}
    for service in services:
        program = _program(service)
        if program in _PROGRAMS or program in asking.ASKERS:
            environments[service.name] = Environment(service)
        made = _container(service, program, own, environments.get(service.name))
        if service.get("build") is None:
            made.image = images.split(service.text("image") or "")[0]
        containers[service.name] = made
        for name in map(str.lower, compose_facts.names_of(service)):
            names[name] = (*names.get(name, ()), made)
        for name in map(str.lower, _linked(service)):
            # Only who links knows which container it means by it.
            names[name] = (*names.get(name, ()), Container(name, ""))
    outside = _outside(file)
    references: list[Reference] = []
    for service in services:
        if _leaves(service, outside):
            continue
        roles = {containers[name].role for name in _needs(service) if name in containers}
        node = own.get(service.name)
        guessed = node is None and service.name not in environments
        asked = _asked(service, node, environments.get(service.name))
        asker = node or Resource("client", service.name, service.path, service.at)
        references += (
            Reference(asker, setting, role, role in roles and not guessed, guessed=guessed)
            for setting, role in asked
        )
        references += _unset(service, asker, environments.get(service.name))
        own_url = _advertised(node) if node is not None and node.kind == "worker" else None
        if node is not None and own_url is not None and _in_company(node, resources):
            references.append(own_url)
    return Network(names, tuple(references), bool(outside))


_NODES = ("broker", "controller", "worker")


def _program(service: Service) -> str:
    return images.split(service.text("image") or "")[0].rpartition("/")[2]


def _asked(
    service: Service, node: Resource | None, environment: Environment | None
) -> list[tuple[Setting, str]]:
    """The settings by which a service asks others: of a program that nobody knows, URLs alone."""
    if node is not None:
        return asking.of_resource(node)
    variables = (environment or Environment(service)).variables.values()
    asked = asking.of_variables(variables, environment is not None)
    if environment is None:
        asked = [one for one in asked if _URL.match(one[0].text or "")]
    return asked


def _unset(service: Service, asker: Resource, environment: Environment | None) -> list[Reference]:
    """Whom the program of a service asks by default; nobody if it may be told elsewhere."""
    if environment is None or not environment.complete or not _plain(service, environment):
        return []
    found = asking.unset(_program(service), environment.variables, service.path, service.at)
    return [Reference(asker, setting, role, False, unset=True) for setting, role in found]


def _container(
    service: Service, program: str, own: dict[str, Resource], environment: Environment | None
) -> Container:
    node = own.get(service.name)
    role, variables, default = _PROGRAMS.get(program, ("", (), None))
    if node is not None and node.kind != "worker":
        return Container(service.name, BROKER)
    if not role or environment is None or not _plain(service, environment):
        return Container(service.name, role or (CONNECT if node is not None else ""))
    repository = "/".join(images.split(service.text("image") or "")[0].split("/")[-2:])
    variables = _PORTS_ELSEWHERE.get(repository, variables)
    told = [environment.variables[name] for name in variables if name in environment.variables]
    by_default = {} if default is None else {default: "" if role == ZOOKEEPER else "http"}
    if not told:
        return Container(service.name, role, by_default or None)
    ports: dict[int, str] = {}
    for variable in told:
        read = _ports(variable.known, role)
        if read is None:
            return Container(service.name, role)
        ports |= read
    first = told[0]
    if first.name not in variables[:1]:
        ports |= by_default
    return Container(service.name, role, ports, first.setting(first.name, first.known))


def _plain(service: Service, environment: Environment) -> bool:
    """Whether nothing but the variables and the image has a say in where the container answers."""
    if not environment.complete or any(n in environment.variables for n in _OTHER_PORTS):
        return False
    for layer in service.layers:
        for key in ("command", "entrypoint", "volumes_from", "configs"):
            node = yaml.child(layer.node, key)
            if node is not None and not yaml.is_null(node):
                return False
    return not any(
        path.endswith((".cfg", ".properties", "/conf", "/config", "/run", ".sh")) or "/etc/" in path
        for _, path in compose_facts.volumes(service)
    )


def _ports(text: str | None, role: str) -> dict[int, str] | None:
    """The ports of listeners, each with its scheme; None where one of them is not known."""
    found: dict[int, str] = {}
    for entry in (text or "").split(","):
        entry = entry.strip()
        if _NUMBER.fullmatch(entry):
            found[int(entry)] = "" if role == ZOOKEEPER else "http"
            continue
        match = _LISTENER.fullmatch(entry)
        if match is None:
            return None
        found[int(match[1])] = entry.partition("://")[0].lower() if "://" in entry else ""
    return found


def _advertised(worker: Resource) -> Reference | None:
    """How the other workers of its group ask a worker, as far as it says so itself."""
    host, port, scheme = (
        worker.settings.get(f"rest.advertised.{key}") for key in ("host.name", "port", "listener")
    )
    told = port or scheme
    if host is None or told is None or not host.text or not told.text:
        return None
    protocol = scheme.text.lower() if scheme is not None and scheme.text else ""
    number = port.text if port is not None else None
    if number is None:
        # That of its listener of the scheme; the first one where it has none.
        own = neighbours.ports_of_worker(worker)
        first = next((one for one, spoken in own.items() if spoken == protocol), next(iter(own)))
        number = str(first or "")
    url = f"{protocol}://{host.text}:{number}" if protocol else f"{host.text}:{number}"
    return Reference(worker, told, CONNECT, False, url)


def _in_company(worker: Resource, resources: list[Resource]) -> bool:
    """Whether the file has another worker of its group: nobody else asks it where it says."""
    group = worker.settings.get("group.id")
    return group is not None and any(
        other.name != worker.name
        and (named := other.settings.get("group.id")) is not None
        and named.text == group.text
        for other in resources
        if other.kind == "worker"
    )


def _outside(file: File) -> set[str]:
    """The networks that the file does not make itself."""
    return {
        name
        for name, _, node in yaml.pairs(yaml.child(file.root, "networks"))
        if (external := yaml.child(node, "external")) is not None
        and (yaml.text(external) or "true").lower() != "false"
    }


def _leaves(service: Service, outside: set[str]) -> bool:
    """Whether it may know names that the file does not tell."""
    if service.get("network_mode") is not None or not service.whole:
        return True
    joined: set[str] = set()
    for layer in service.layers:
        for key in ("extra_hosts", "external_links", "dns", "dns_search"):
            node = yaml.child(layer.node, key)
            if node is not None and not yaml.is_null(node):
                return True
        node = yaml.child(layer.node, "networks")
        joined.update(yaml.text(item) or "" for item in yaml.items(node))
        joined.update(name for name, _, _ in yaml.pairs(node))
    return bool(outside & (joined or {"default"}))


def _needs(service: Service) -> set[str]:
    found: set[str] = set()
    for layer in service.layers:
        node = yaml.child(layer.node, "depends_on")
        found.update(yaml.text(item) or "" for item in yaml.items(node))
        found.update(name for name, _, _ in yaml.pairs(node))
    return found


def _linked(service: Service) -> list[str]:
    return [
        (yaml.text(item) or "").partition(":")[2]
        for layer in service.layers
        for item in yaml.items(yaml.child(layer.node, "links"))
        if ":" in (yaml.text(item) or "")
    ]
