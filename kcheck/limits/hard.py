"""HARD limits: constants that are compiled into Kafka, and the widths of its types."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from kcheck import catalogue, data
from kcheck.graph.clients import Producer, Streams
from kcheck.limits.demand import Demand
from kcheck.limits.entry import Line
from kcheck.version import Version

#: What uses most of a limit, and how much that is.
Use = tuple[float, str]

_KRAFT = "org.apache.kafka.controller."


def fill(line: Line, demand: Demand) -> None:
    """Complete the line of a HARD limit."""
    what, _, rest = line.entry.spec.partition(":")
    if what == "no":
        line.text = "none"
        line.notes.append("Kafka does not support it")
        return
    if what == "int":
        line.limit = int(rest)
        if line.limit == 2**63 - 1:
            line.text = "2^63 - 1"
    else:
        _constant(line, *rest.partition("@")[::2], demand)
    use = _USES.get(line.entry.id)
    if use is not None and line.limit == line.limit:
        used = max(use(demand), default=None)
        if used is not None:
            line.used, line.whose = used
    if line.entry.id == "partitions-per-create" and line.used == line.used:
        calls = math.ceil(demand.partitions / line.limit)
        line.notes.append(
            f"{int(demand.partitions):,} declared partitions in total: "
            f"at least {calls:,} {'request' if calls == 1 else 'requests'}"
        )


def _constant(line: Line, name: str, since: str, demand: Demand) -> None:
    version = demand.cluster.version
    versions, owner, field = _origin(name, version)
    since = since or versions.partition("-")[0]
    line.source = f"{owner.rpartition('.')[2]}.{field}"
    first = since == catalogue.oldest()
    if owner.startswith(_KRAFT) and demand.cluster.kraft is False:
        line.text = "none"
        line.notes.append("a limit of the KRaft controller, not of ZooKeeper mode")
        return
    if version.below(since) or (
        (version.known or version.bounded) and catalogue.constant(name, version) is None
    ):
        line.text = "none"
        line.notes.append(f"from Kafka {since} on")
        return
    value = catalogue.constant(name, version)
    line.limit = float(value) if value is not None else math.nan
    if not first and not version.at_least(since):
        line.notes.append(f"from Kafka {since} on")
        line.missing.append("kafka_version")


def _origin(name: str, version: Version) -> tuple[str, str, str]:
    """(versions, class, field) of a constant: of that version, else of the newest."""
    rows = [row for row in data.rows("kafka/constants.tsv") if row[0] == name]
    order = catalogue.minors()
    minor = catalogue.clamp(version)
    found = rows[-1]
    for row in rows:
        since, dash, until = row[1].partition("-")
        last = (until or catalogue.newest()) if dash else since
        if minor is not None and order.index(since) <= order.index(minor) <= order.index(last):
            found = row
    return rows[0][1], found[3], found[4]


# -- what is used of them -------------------------------------------------------------------


def _partitions(demand: Demand) -> Iterable[Use]:
    return ((one.partitions, one.topic.name) for one in demand.topics)


def _grown(demand: Demand) -> Iterable[Use]:
    for one in demand.topics:
        added = one.partitions - one.topic.fact("current_partitions").number
        if added > 0:
            yield added, one.topic.name


def _records(demand: Demand) -> Iterable[Use]:
    """A topic's own record, one for each partition, and one for each setting."""
    for one in demand.topics:
        yield 1 + one.partitions + len(one.topic.resource.settings), one.topic.name


def _factors(demand: Demand) -> Iterable[Use]:
    return ((one.copies, one.topic.name) for one in demand.topics if one.factor_known)


def _names(demand: Demand) -> Iterable[Use]:
    topics = [*(one.topic for one in demand.topics), *demand.uncounted]
    return ((float(len(topic.name)), topic.name) for topic in topics)


def _texts(demand: Demand) -> Iterable[Use]:
    for one in demand.topics:
        for setting in one.topic.resource.settings.values():
            if setting.text is not None:
                yield float(len(setting.text)), f"{one.topic.name}: {setting.key}"


def _in_flight(demand: Demand) -> Iterable[Use]:
    for client in demand.cluster.clients:
        if isinstance(client, (Producer, Streams)):
            inner = client.inner("producer")
            number = inner["max.in.flight.requests.per.connection"].number
            if number >= 0 and inner["enable.idempotence"].value is True:
                yield number, str(client)


def _segments(demand: Demand) -> Iterable[Use]:
    for one in demand.topics:
        if one.segment_bytes >= 0:
            yield one.segment_bytes, one.topic.name


_USES: dict[str, Callable[[Demand], Iterable[Use]]] = {
    "partitions-per-topic": _partitions,
    "partitions-per-create": _partitions,
    "partitions-per-grow": _grown,
    "records-per-operation": _records,
    "replication-factor": _factors,
    "topic-name": _names,
    "config-value": _texts,
    "in-flight-idempotent": _in_flight,
    "segment-file": _segments,
}
