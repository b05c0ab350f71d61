"""Findings on processes, which are no nodes of a cluster."""

from __future__ import annotations

import re

from kcheck.model import SET, Finding, Fix, Resource, Setting, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.graph.nodes import Broker
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
