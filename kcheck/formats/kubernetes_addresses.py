"""Where a workload of plain Kubernetes answers: the Services of its file that select its pods.

Where the file has none of them, they are elsewhere, and their names are not known.
"""

from __future__ import annotations

from collections.abc import Iterable

from kcheck.formats.scalars import known
from kcheck.model import PATTERN, SERVICE, Address
from kcheck.syntax import yaml

_Labels = set[tuple[str, str]]


def of_workload(workload: yaml.Node, services: Iterable[yaml.Node]) -> tuple[Address, ...]:
    """The Services in front of a workload's pods, and the one by which its pods have names."""
    template = yaml.child(workload, "spec", "template") or workload
    labels = _labels(yaml.child(template, "metadata", "labels"))
    found: list[Address] = []
    for service in services:
        name = known(yaml.child(service, "metadata", "name"))
        wanted = _labels(yaml.child(service, "spec", "selector"))
        if not name or not wanted or not wanted <= labels or not _together(service, workload):
            continue
        found += (Address(name, port, SERVICE) for port in _ports(service))
    governing = known(yaml.child(workload, "spec", "serviceName"))
    if governing and governing not in {address.host for address in found}:
        found.append(Address(governing, None, SERVICE))
    return tuple(found) or (Address("*", None, PATTERN),)


def _labels(node: yaml.Node | None) -> _Labels:
    """Labels with their texts; one that a template fills in is like no other."""
    return {(key, known(value) or str(id(value))) for key, _, value in yaml.pairs(node)}


def _together(service: yaml.Node, workload: yaml.Node) -> bool:
    spaces = [known(yaml.child(one, "metadata", "namespace")) for one in (service, workload)]
    return spaces[0] == spaces[1] or not all(spaces)


def _ports(service: yaml.Node) -> list[int | None]:
    """The ports of a Service; a headless one leads to whatever port the pods listen at."""
    if known(yaml.child(service, "spec", "clusterIP")) == "None":
        return [None]
    texts = [known(yaml.child(p, "port")) for p in yaml.items(yaml.child(service, "spec", "ports"))]
    if not all(text.isascii() and text.isdigit() and len(text) < 6 for text in texts):
        return [None]
    return [int(text) for text in texts] or [None]
