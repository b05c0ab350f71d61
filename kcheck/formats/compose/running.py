"""The processes of a compose file: their memory, mounts, health checks and replicas."""

from __future__ import annotations

import posixpath
import re

from kcheck.formats.compose import facts as compose_facts
from kcheck.formats.compose.environment import Environment, names
from kcheck.formats.compose.file import Layer, Service, joined
from kcheck.formats.containers import running
from kcheck.model import Setting
from kcheck.model.processes import BIND, FILES, HEALTH, NAMED, OTHER, Mount, Place, Probe, Process
from kcheck.syntax import yaml
from kcheck.units import seconds

_SIZE = re.compile(r"(\d{1,19}(?:\.\d+)?)\s*([kmgt]?)i?b?", re.IGNORECASE)
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_NUMBER = re.compile(r"\d{1,6}(?:\.\d{1,9})?")
_CORES = ("cpus", "deploy.resources.limits.cpus")
_MEMORY = ("mem_limit", "deploy.resources.limits.memory")
#: Where Debezium Server looks for its file, by its image: /debezium/conf up to 2.7, then config.
_CONFIGS = ("/debezium/conf", "/debezium/config")
_STATE = {
    "debezium.source.offset.storage.file.filename": "the position in the source database",
    "debezium.source.schema.history.internal.file.filename": "the history of the database's schemas",
}


def process(service: Service, image: str, command: str, derived: bool) -> Process | None:
    """The process of a service; None where its image is unknown, or its command starts another one.

    ``derived`` says that the image is built here, so that it may set variables of its own.
    """
    kind = running.kind_of(image)
    if kind is None:
        if command or not running.clients(names(service)):
            return None
        kind = running.APPLICATION
    if command and not _starts(command):
        kind = running.started_by(command)
        if kind is None:
            return None
    environment = Environment(service)
    made = running.process(
        kind,
        service.name,
        service.path,
        service.at,
        environment.variables,
        environment.complete and not derived,
        command,
    )
    _limit(made, service)
    made.mounts = _mounts(service)
    made.probes += tuple(_health(service))
    grace = service.get("stop_grace_period")
    if grace is not None:
        text = grace[0].file.variables.filled(yaml.text(grace[1]) or "")
        path = grace[0].file.path
        made.grace = Setting("stop_grace_period", text, path, yaml.position(grace[1]))
        made.grace.amount = seconds(text or "")
    count = compose_facts.instances(service, service.path)
    if count is not None:
        count.key = count.name = (
            "deploy.replicas" if service.get("deploy", "replicas") is not None else "scale"
        )
        made.replicas = count
    if kind is running.DEBEZIUM and not made.places:
        made.places = tuple(_places(service))
    return made


def _limit(made: Process, service: Service) -> None:
    """Tell the memory and the cores that the container may use."""
    for key in _MEMORY:
        found = service.get(*key.split("."))
        if found is not None:
            made.memory = _size(key, *found)
    for key in _CORES:
        found = service.get(*key.split("."))
        if found is not None:
            made.cpu = _cores(key, *found)


def _starts(command: str) -> bool:
    """Whether a command seems to end in the image's own start script."""
    return command.strip() == "start" or any(
        one in command
        for one in (
            *("/etc/confluent/docker/run", "/etc/kafka/docker/run", "/opt/bitnami/scripts/"),
            *("start-kafka.sh", "docker-entrypoint.sh", "/debezium/run.sh"),
        )
    )


def _size(key: str, layer: Layer, node: yaml.Node) -> Setting:
    made = Setting(
        key,
        layer.file.variables.filled(yaml.text(node) or ""),
        layer.file.path,
        yaml.position(node),
    )
    size = _SIZE.fullmatch(made.text or "")
    if size is not None:
        made.amount = int(float(size[1]) * _UNITS[size[2].lower()])
    return made


def _cores(key: str, layer: Layer, node: yaml.Node) -> Setting:
    text = layer.file.variables.filled(yaml.text(node) or "")
    made = Setting(key, text, layer.file.path, yaml.position(node))
    if _NUMBER.fullmatch(made.text or ""):
        made.amount = float(made.text or "")
    return made


def _mounts(service: Service) -> tuple[Mount, ...] | None:
    """What is mounted; None where a part of it may be anywhere."""
    found: list[Mount] = []
    for layer in service.layers:
        if yaml.child(layer.node, "volumes_from") is not None:
            return None
        node = yaml.child(layer.node, "volumes")
        if node is not None and not isinstance(node, yaml.SequenceNode) and not yaml.is_null(node):
            return None
        for item in yaml.items(node):
            entry = compose_facts.mount(layer, item)
            if entry is None:
                return None
            source, path = entry
            if path == "/":
                return None
            told = Setting("volumes", f"{source}:{path}", layer.file.path, yaml.position(item))
            kind = BIND if source.startswith((".", "/", "~")) else NAMED if source else OTHER
            found.append(Mount(path, kind, source, told))
        for key, folder in (("secrets", "/run/secrets"), ("configs", "")):
            for item in yaml.items(yaml.child(layer.node, key)):
                name = yaml.text(yaml.child(item, "target") or yaml.child(item, "source") or item)
                path = posixpath.join(folder or "/", layer.file.variables.filled(name or "") or "")
                found.append(Mount(path, FILES, "", Setting(key, name, "", yaml.position(item))))
    return tuple(found) if service.whole else None


_UNTIMED = float("nan")


def _health(service: Service) -> list[Probe]:
    found = service.get("healthcheck", "test")
    if found is None or service.text("healthcheck", "disable") == "true":
        return []
    layer, node = found
    parts = [yaml.text(item) or "" for item in yaml.items(node)] or [yaml.text(node) or ""]
    if parts[0] == "NONE":
        return []
    words = parts[1:] if parts[0] in ("CMD", "CMD-SHELL") else parts
    # compose takes $$ for a dollar sign.
    command = " ".join(words).replace("$$", "$")
    told = Setting(HEALTH, command, layer.file.path, yaml.position(node))
    limit = service.get("healthcheck", "timeout")
    text = "30s" if limit is None else limit[0].file.variables.filled(yaml.text(limit[1]) or "")
    return [Probe(HEALTH, command, told, timeout=seconds(text or "") or _UNTIMED)]


def _places(service: Service) -> list[Place]:
    """The offset file that a mounted configuration of Debezium Server names."""
    from kcheck.syntax.properties import PropertiesError, decode, parse

    for source, target in compose_facts.volumes(service):
        path = _configuration(source, target.rstrip("/"))
        if not path:
            continue
        file = service.layers[0].file
        path = joined(file.folder, path)
        data = file.lookup(path)
        if data is None:
            continue
        try:
            entries = parse(decode(data)[0])
        except PropertiesError as error:
            entries = error.entries
        return [
            Place(Setting(entry.key, entry.value, path, entry.at, entry.key_at), _STATE[entry.key])
            for entry in entries
            if entry.key in _STATE and "$" not in entry.value
        ]
    return []


def _configuration(source: str, target: str) -> str:
    """The properties file of Debezium Server behind a mount; "" where it is not in the project."""
    if not source.startswith("."):
        return ""
    for folder in _CONFIGS:
        if target == folder:
            return f"{source.rstrip('/')}/application.properties"
        if target == f"{folder}/application.properties":
            return source
    return ""
