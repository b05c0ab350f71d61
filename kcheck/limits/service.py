"""SERVICE limits: quotas of a managed service, as its row in ``services`` has them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from kcheck import data, endpoints, services
from kcheck.graph.cluster import Cluster
from kcheck.limits.demand import Demand
from kcheck.limits.entry import Entry, Line
from kcheck.limits.hard import Use
from kcheck.services import ManagedService

_PLAN = "instance_type"
#: By service and plan: its quotas.
_plans: dict[tuple[str, str], dict[str, int]] = {}


def quotas(cluster: Cluster, service: ManagedService | None) -> dict[str, int]:
    """The quotas of a cluster: those of its service, and of its plan where its file says which."""
    if service is None:
        return {}
    if not _plans:
        for name, plan, quota, value, _source in data.rows("services/plans.tsv"):
            _plans.setdefault((name, plan), {})[quota] = int(value)
    plans = {broker.fact(_PLAN).text or "" for broker in cluster.brokers}
    own = _plans.get((service.called, plans.pop()), {}) if len(plans) == 1 else {}
    return {**service.quotas, **own}


def service_of(cluster: Cluster, told: str = "") -> ManagedService | None:
    """The service that runs a cluster, and the kind of it; None where that is not certain.

    ``told`` is the service that a resource names itself, if not that of its cluster.
    """
    rows = services.named(told or cluster.service)
    if len(rows) > 1 and any(broker.fact(_PLAN).written for broker in cluster.brokers):
        # Whoever chooses the machines has provisioned the cluster.
        return next((row for row in rows if row.called in _CHOSEN), None)
    if len(rows) > 1:
        asked = (client["bootstrap.servers"].text for client in cluster.clients)
        kinds = {endpoints.managed(text) for text in asked if text}
        rows = [row for row in rows if {row} == kinds]
    return rows[0] if len(rows) == 1 else None


#: The kinds of services whose users choose the machines.
_CHOSEN = ("Amazon MSK",)


def applies(entry: Entry, cluster: Cluster) -> bool:
    """Whether the service of the cluster has such a quota."""
    return _quota(entry) in quotas(cluster, service_of(cluster))


def fill(line: Line, demand: Demand) -> None:
    """Complete the line of a SERVICE limit that applies."""
    service = service_of(demand.cluster)
    if service is None:
        return
    quota = _quota(line.entry)
    line.limit = float(quotas(demand.cluster, service)[quota])
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


def _replicas(demand: Demand) -> Iterable[Use]:
    each = demand.per_broker(demand.replicas)
    if demand.topics and each == each:
        most = max(demand.topics, key=lambda one: one.replicas)
        yield math.ceil(each), most.topic.name


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
    "replicas-per-broker": _replicas,
}
