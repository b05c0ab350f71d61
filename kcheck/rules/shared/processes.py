"""Findings on processes, which are no nodes of a cluster."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.model import ERROR, SET, Finding, Fix, Resource, Setting, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.graph.nodes import Broker
    from kcheck.model import Running
    from kcheck.model.processes import Process


def container_of(broker: Broker, container: str) -> bool:
    """Whether a container is the broker's: its name, or what compose and Kubernetes make of it."""
    return any(
        container == name or re.fullmatch(rf"(?:.+[-_])?{re.escape(name)}[-_]\d+", container)
        for name in broker.resource.traits.names
    )


def told(process: Process, setting: Setting, origin: str = SET) -> Value:
    """A setting of a process as a value that findings can point at; FACT for what is no key."""
    owner = Resource("process", process.name, setting.path, setting.at)
    return Value(setting.key, owner, origin, setting.text, setting.text, True, setting)


def finding(
    process: Process,
    message: str,
    evidence: tuple[Value, ...],
    breaks: str,
    fix: str,
    severity: str = "",
) -> Finding:
    """A finding on a process, at the first value of its evidence."""
    owner = Resource("process", process.name, process.path, process.at)
    at = evidence[0].setting
    path, place = (at.path, at.at) if at is not None else (process.path, process.at)
    return Finding(message, owner, evidence, path, place, breaks, Fix(fix), severity)


def same_id(document: Running, keys: tuple[str, ...]) -> Iterator[Finding]:
    """Servers of one ZooKeeper ensemble that are declared one by one, with one id;
    ``keys`` are what servers have it in."""
    first: dict[str, list[Process]] = {}
    for process in document.processes:
        identity = process.identity
        if identity is None or identity.key not in keys or not process.ensemble:
            continue
        alike = first.setdefault(identity.text or "", [])
        other = next((one for one in alike if one.ensemble & process.ensemble), None)
        if other is None:
            alike.append(process)
            continue
        assert other.identity is not None, "it is kept by its identity"
        yield finding(
            process,
            f"{process} has the {identity.key}={identity.text} of {other}, a server of the same ensemble",
            (told(process, identity), told(other, other.identity)),
            "the ensemble counts both as one server: they do not form a quorum",
            f"give each server an id of its own in {identity.name}",
            ERROR,
        )
