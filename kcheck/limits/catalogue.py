"""The catalogue of one cluster: every limit as a line."""

from __future__ import annotations

from kcheck.graph.cluster import Cluster
from kcheck.limits import emergent, hard, service, soft
from kcheck.limits.demand import Demand, declared
from kcheck.limits.entry import EMERGENT, HARD, OVER, SERVICE, SOFT, Line, entries

#: Who completes the lines of each class.
_FILL = {HARD: hard.fill, SOFT: soft.fill, EMERGENT: emergent.fill, SERVICE: service.fill}


def exceeded(cluster: Cluster, name: str) -> Line | None:
    """The line of that id where ``kcheck limits`` calls it over; rules report what it says."""
    entry = next(entry for entry in entries() if entry.id == name)
    if entry.kind == SERVICE and not service.applies(entry, cluster):
        return None
    line = Line(entry)
    _FILL[entry.kind](line, Demand(cluster, declared(cluster)))
    return line if line.state == OVER and not line.missing else None


def of(cluster: Cluster) -> list[Line]:
    """The lines of a cluster, in the catalogue's order; quotas are those of its own service."""
    demand = Demand(cluster, declared(cluster))
    found: list[Line] = []
    for entry in entries():
        if entry.kind == SERVICE and not service.applies(entry, cluster):
            continue
        line = Line(entry)
        _FILL[entry.kind](line, demand)
        found.append(line)
    return found
