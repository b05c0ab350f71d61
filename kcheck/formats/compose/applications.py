"""Applications whose sources lie in the project: the folder that a service runs, and whom it asks."""

from __future__ import annotations

import re

from kcheck.formats.compose import facts as compose_facts
from kcheck.formats.compose.environment import Environment
from kcheck.formats.compose.file import Service, joined
from kcheck.model import Built
from kcheck.syntax import yaml

#: Variables by which programs are told of brokers, whatever framework reads them.
_NAME = re.compile(r"KAFKA|BROKER|BOOTSTRAP")
_SERVERS = re.compile(r"(?:\w+://)?[\w.-]+:\d{1,5}(?:\s*,\s*(?:\w+://)?[\w.-]+:\d{1,5})*")


def built(service: Service) -> Built | None:
    """The sources that a service runs; None where it has none here, or asks nobody knows whom."""
    folder = _folder(service)
    if folder is None:
        return None
    told = [
        one for one in Environment(service).variables.values() if _NAME.search(one.name.upper())
    ]
    for variable in told:
        if _SERVERS.fullmatch((variable.known or "").strip()):
            return Built(folder, variable.setting("bootstrap.servers", variable.raw))
    return None if told else Built(folder, None)


def _folder(service: Service) -> str | None:
    """The folder of the build, that of its Dockerfile if it is deeper, or the one that is mounted."""
    found = service.get("build")
    if found is None:
        return _mounted(service)
    folder = service.built_in()
    if folder is None:
        return None
    file = yaml.text(yaml.child(found[1], "dockerfile")) or ""
    deeper = joined(folder, file.rpartition("/")[0]) if "/" in file else None
    return deeper if deeper and f"{deeper}/".startswith(f"{folder}/" if folder else "") else folder


def _mounted(service: Service) -> str | None:
    """The one folder of the project that the service works in, as a program under work does."""
    told = [
        joined(service.path.rpartition("/")[0], source)
        for source, target in compose_facts.mounted(service)
        if source.startswith("./") and target.rstrip("/") in _WORKPLACES
    ]
    return told[0] if len(told) == 1 else None


_WORKPLACES = frozenset({"/app", "/usr/src/app", "/src", "/code", "/workspace", "/opt/app"})
