"""The catalogue of one cluster: every limit as a line."""

from __future__ import annotations

from kcheck.graph.cluster import Cluster
from kcheck.limits import emergent, hard, soft
from kcheck.limits.demand import Demand, declared
from kcheck.limits.entry import EMERGENT, HARD, Line, entries


def of(cluster: Cluster) -> list[Line]:
    """The lines of a cluster, in the catalogue's order."""
    demand = Demand(cluster, declared(cluster))
    found: list[Line] = []
    for entry in entries():
        line = Line(entry)
        if entry.kind == HARD:
            hard.fill(line, demand)
        elif entry.kind == EMERGENT:
            emergent.fill(line, demand)
        else:
            soft.fill(line, demand)
        found.append(line)
    return found
