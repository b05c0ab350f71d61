"""SERVICE limits: quotas of a managed service, as its row in ``services`` has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kcheck import endpoints, services
from kcheck.graph.cluster import Cluster
from kcheck.limits.demand import Demand
from kcheck.limits.entry import Entry, Line
from kcheck.limits.hard import Use
from kcheck.services import ManagedService


def service_of(cluster: Cluster) -> ManagedService | None:
    """The service that runs a cluster, and the kind of it; None where that is not certain."""
    rows = services.named(cluster.service)
    if len(rows) > 1:
        asked = (client["bootstrap.servers"].text for client in cluster.clients)
        kinds = {endpoints.managed(text) for text in asked if text}
        rows = [row for row in rows if {row} == kinds]
    return rows[0] if len(rows) == 1 else None


def applies(entry: Entry, service: ManagedService | None) -> bool:
    """Whether the service has such a quota."""
    return service is not None and _quota(entry) in service.quotas


def fill(line: Line, demand: Demand) -> None:
    """Complete the line of a SERVICE limit that applies."""
    service = service_of(demand.cluster)
    if service is None:
        return
    quota = _quota(line.entry)
    line.limit = float(service.quotas[quota])
    line.source = service.called
    line.used, line.whose = max(_USES[quota](demand), default=(line.used, line.whose))


def _quota(entry: Entry) -> str:
    return entry.spec.partition(":")[2]


# -- what is used of them -------------------------------------------------------------------


def _partitions(demand: Demand, compacted: bool) -> Iterable[Use]:
    counted = [one for one in demand.topics if one.compacted is compacted]
    if counted:
        most = max(counted, key=lambda one: one.partitions)
        yield sum(one.partitions for one in counted), most.topic.name


def _batches(demand: Demand) -> Iterable[Use]:
    topics = [*(one.topic for one in demand.topics), *demand.uncounted]
    values = ((topic["max.message.bytes"], topic.name) for topic in topics)
    return ((value.number, name) for value, name in values if value.number >= 0)


def _written(demand: Demand) -> Iterable[Use]:
    if demand.rated:
        yield demand.produced, max(demand.rated, key=lambda one: one.rate).topic.name


_USES: dict[str, Callable[[Demand], Iterable[Use]]] = {
    "partitions": lambda demand: _partitions(demand, False),
    "compacted-partitions": lambda demand: _partitions(demand, True),
    "batch-bytes": _batches,
    "produced": _written,
}
