"""Services of a compose file that are given an address of a service in another network."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kcheck import images
from kcheck.formats.compose.environment import Environment
from kcheck.formats.compose.facts import names_of
from kcheck.formats.compose.file import Service
from kcheck.formats.compose.network import (
    ASKING_NOBODY,
    BOOTSTRAP,
    HOST,
    TUNNELS,
    networks,
    words_of,
)
from kcheck.formats.containers.variables import Variable
from kcheck.model import WARNING, Position, Problem, Setting

APART = "KC1097"

#: Variables beside those of bootstrap servers that hold addresses: ZooKeeper, the registry, a worker.
_OTHERS = re.compile(r"ZOOKEEPER_CONNECT$|SCHEMA_?REGISTRY_URL$|KAFKASTORE_CONNECTION_URL$")
_ENTRY = re.compile(r"(?:\w+://)?([A-Za-z][\w-]*):\d{1,5}(?:/\w*)?")


def faults(services: list[Service], path: str) -> Iterator[Problem]:
    """Addresses that lead to no service which the asking one shares a network with."""
    if len(services) < 2:
        return
    shared = {service.name: networks(service) for service in services}
    if len({frozenset(one) for one in shared.values() if one is not None}) < 2:
        return
    named: dict[str, list[Service]] = {}
    for service in services:
        for name in names_of(service):
            named.setdefault(name, []).append(service)
    for service in services:
        own = shared[service.name]
        if own is None or not _asks(service):
            continue
        for name, text, variable in _addresses(service):
            asked = _asked(text, named)
            others = [shared[other.name] or own for other in asked]
            if asked and service not in asked and not any(other & own for other in others):
                setting = variable.setting(name, text)
                at = setting.at if setting.path == path else service.at
                yield _apart(service, own, asked[0], others[0], setting, at)


def _asks(service: Service) -> bool:
    """Whether a service asks others at their own names: no database, and no tunnel of its own."""
    repository = images.split(service.text("image") or "")[0].rpartition("/")[2]
    return (
        repository not in ASKING_NOBODY
        and service.get("extra_hosts") is None
        and TUNNELS.search(" ".join(words_of(service))) is None
    )


def _addresses(service: Service) -> Iterator[tuple[str, str, Variable]]:
    """The variables of a service that hold addresses: name, text, variable."""
    for name, variable in Environment(service).variables.items():
        upper, text = name.upper().replace(".", "_"), variable.known
        if text and (BOOTSTRAP.search(upper) or _OTHERS.search(upper)):
            yield name, text, variable


def _apart(
    service: Service, own: set[str], target: Service, other: set[str], told: Setting, at: Position
) -> Problem:
    if own == {HOST}:
        where = f"{service.name} is in the network of the host (network_mode: host)"
        unless = " unless the host itself knows it"
        fix = f"remove network_mode from {service.name}, or use a port that {target.name} publishes"
    else:
        where = f"{service.name} is in {_said(own)}, {target.name} in {_said(other)}"
        unless, fix = "", f"add a network of {target.name} to {service.name}"
    return Problem(
        f"{told.key} of {service.name} names {target.name}, but {where}",
        at,
        APART,
        WARNING,
        f"the name {target.name} is not resolved in {service.name}{unless}",
        fix,
        setting=told,
    )


def _asked(text: str, named: dict[str, list[Service]]) -> list[Service]:
    """The services that all entries of a list name; none where one names nobody or several."""
    found: list[Service] = []
    for entry in text.split(","):
        told = _ENTRY.fullmatch(entry.strip())
        services = named.get(told.group(1), []) if told is not None else []
        if len(services) != 1:
            return []
        found += services
    return found


def _said(names: Iterable[str]) -> str:
    return "network " + " and ".join(sorted(names))
