"""SOFT limits: the cluster's own values of a setting, where they come from, what is used of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from kcheck import catalogue
from kcheck.graph import effective
from kcheck.graph.clients import Client, Consumer, Producer, Streams, Worker
from kcheck.graph.nodes import Node
from kcheck.graph.resolve import from_default
from kcheck.graph.running import running
from kcheck.graph.topics import Topic, TopicDefaults
from kcheck.libraries import JAVA
from kcheck.limits import derivations
from kcheck.limits.demand import Demand
from kcheck.limits.entry import Line
from kcheck.limits.format import UNLIMITED, exact
from kcheck.limits.hard import Use
from kcheck.model import ABSENT, NAN, Value

#: Numbers by which a key says "no limit".
_NONE = {
    "queued.max.request.bytes": -1,
    "retention.ms": -1,
    "retention.bytes": -1,
    "connections.max.idle.ms": -1,
    "max.connections": 2**31 - 1,
    "max.connections.per.ip": 2**31 - 1,
    "max.connection.creation.rate": 2**31 - 1,
    "group.max.size": 2**31 - 1,
}

#: Who has a value, and the value.
Own = tuple[Node | None, Value]


def fill(line: Line, demand: Demand) -> None:
    """Complete the line of a SOFT limit."""
    plane, _, key = line.entry.spec.partition(":")
    line.source = key
    owned = list(_OWN[plane](demand, key))
    line.values = _grouped(owned)
    line.default = _default(plane, key, demand)
    line.move = line.move or _moved(plane, key, demand)
    if line.entry.source:
        line.notes.append(line.entry.source)
    # What a client's library does not have is no value of its.
    line.values = [pair for pair in line.values if pair[1].origin != ABSENT] or line.values
    known = [(node, value) for node, value in owned if value.number == value.number]
    if not known:
        _unknown(line, plane, owned, demand)
        return
    _weigh(line, key, known, demand)
    numbers = sorted({bound(key, value) for _, value in known})
    if line.used != line.used:
        line.limit = numbers[0]
    if len(numbers) > 1:
        told = (exact(n, line.entry.unit) for n in (numbers[0], numbers[-1]))
        line.text = " … ".join(told)


def bound(key: str, value: Value) -> float:
    """The number that a setting bounds something by; infinite where it says "no limit"."""
    number = value.number
    return math.inf if number == _NONE.get(key) or (number < 0 and key in _NONE) else number


def _weigh(line: Line, key: str, known: list[Own], demand: Demand) -> None:
    """Find who uses the largest part of it."""
    use = _USES.get(line.entry.id)
    if use is None:
        return
    best = -1.0
    for node, value in known:
        used, whose = use(demand, node, value)
        most = bound(key, value)
        part = used / most if most > 0 else NAN
        if part > best:
            best = part
            line.limit, line.used, line.whose = most, used, whose


def _unknown(line: Line, plane: str, owned: list[Own], demand: Demand) -> None:
    if plane == "quota":
        line.text = UNLIMITED
        line.limit = math.inf
        line.notes.append("no quota is declared")
    elif demand.cluster.managed and plane in ("broker", "topic"):
        line.notes.append(f"set by {demand.cluster.service}")
    elif all(isinstance(node, Client) and not node.java for node, _ in owned):
        line.text = "-"
        line.notes.append("the library of the declared clients has no such setting")
    elif owned:
        line.notes.append(
            "its default differs between Kafka versions"
            if all(not value.written for _, value in owned)
            else "a template or reference"
        )
        if all(not value.written for _, value in owned):
            line.missing.append("kafka_version")


def _grouped(owned: list[Own]) -> list[tuple[str, Value]]:
    """Equal values of one origin together: ``orders and 3 more``, or "" where there is one."""
    groups: dict[tuple[object, ...], list[Own]] = {}
    for node, value in owned:
        place = (value.setting.path, value.setting.at) if value.setting else value.origin
        groups.setdefault((value.text, place), []).append((node, value))
    found: list[tuple[str, Value]] = []
    for members in groups.values():
        first = members[0][0]
        whose = "" if len(groups) == 1 or first is None else first.name
        if whose and len(members) > 1:
            whose += f" and {len(members) - 1:,} more"
        found.append((whose, members[0][1]))
    return found


def _default(plane: str, key: str, demand: Demand) -> str:
    """The default of the version in question, or of each range of versions."""
    if plane == "quota":
        return ""
    version = demand.cluster.version
    if plane in ("producer", "consumer"):
        version = demand.cluster.client_version
    value = from_default(key, demand.cluster.resource, plane, version)
    if value.known:
        return "null" if value.text is None else value.text
    return " … ".join(f"{text} ({span})" for text, span in effective.ranges(plane, key, version))


def _moved(plane: str, key: str, demand: Demand) -> str:
    if plane == "quota":
        return "kafka-configs --alter --entity-type users or clients"
    if plane == "topic":
        return "kafka-configs --alter on the topic, effective immediately"
    if plane != "broker":
        return "the client's configuration, effective after a restart"
    rows = catalogue.possible(plane, key, demand.cluster.version)
    if rows and rows[-1].mode in ("cluster-wide", "per-broker"):
        return "kafka-configs --alter on the brokers, effective immediately"
    return "the brokers' files, effective after a restart"


# -- whose values they are ------------------------------------------------------------------


def _of_brokers(demand: Demand, key: str) -> Iterator[Own]:
    cluster = demand.cluster
    if not cluster.brokers:
        yield None, _stock(demand, key, "broker")
    for broker in cluster.brokers:
        yield broker, broker[key]


def _of_topics(demand: Demand, key: str) -> Iterator[Own]:
    topics: list[Topic | TopicDefaults] = [one.topic for one in demand.topics]
    topics += demand.uncounted
    topics = topics or list(demand.cluster.defaults)
    for topic in topics:
        value = topic[key]
        if value.origin == ABSENT:
            value = _stock(demand, key, "topic")
        yield topic, value
    if not topics:
        yield None, _stock(demand, key, "topic")


def _stock(demand: Demand, key: str, plane: str) -> Value:
    """The default; a service has its own, which nobody tells."""
    cluster = demand.cluster
    if cluster.managed:
        return Value(key, cluster.resource, ABSENT)
    return from_default(key, cluster.resource, plane, cluster.version)


def _of_clients(
    demand: Demand, key: str, role: str, kinds: tuple[type[Client], ...]
) -> Iterator[Own]:
    found = False
    for client in demand.cluster.clients:
        if isinstance(client, kinds):
            found = True
            inner = client.inner(role)
            yield client, inner[inner.library.request_limit if key == JAVA.request_limit else key]
    if not found:
        version = demand.cluster.client_version
        yield None, from_default(key, demand.cluster.resource, role, version)


def _of_producers(demand: Demand, key: str) -> Iterator[Own]:
    return _of_clients(demand, key, "producer", (Producer, Streams, Worker))


def _of_consumers(demand: Demand, key: str) -> Iterator[Own]:
    return _of_clients(demand, key, "consumer", (Consumer, Streams, Worker))


def _of_quotas(demand: Demand, key: str) -> Iterator[Own]:
    for node in demand.cluster.others:
        if node.resource.kind == "quota" and key in node.resource.settings:
            yield node, node[key]


_OWN: dict[str, Callable[[Demand, str], Iterator[Own]]] = {
    "broker": _of_brokers,
    "topic": _of_topics,
    "producer": _of_producers,
    "consumer": _of_consumers,
    "quota": _of_quotas,
}


# -- what is used of them -------------------------------------------------------------------


def connections(demand: Demand, per_instance: float = 1) -> float:
    """Connections that an average broker holds, at least; NaN where nothing tells of any."""
    clients = sum(value.number for value in demand.instances()) * per_instance
    brokers = demand.cluster.brokers
    fetchers = brokers[0]["num.replica.fetchers"].number if brokers else NAN
    followers = derivations.replica_connections(demand.brokers.number, fetchers)
    if not clients and followers != followers:
        return NAN
    return clients + (followers if followers == followers else 0)


def _connections(demand: Demand, node: Node | None, value: Value) -> Use:
    return connections(demand), "declared instances and followers"


def _sessions(demand: Demand, node: Node | None, value: Value) -> Use:
    readers = sum(value.number for value in demand.instances("consumer", "streams"))
    fetchers = node["num.replica.fetchers"].number if node is not None else NAN
    followers = derivations.replica_connections(demand.brokers.number, fetchers)
    if not readers and followers != followers:
        return NAN, ""
    return readers + (
        followers if followers == followers else 0
    ), "declared consumers and followers"


def _largest_record(demand: Demand, node: Node | None, value: Value) -> Use:
    return (node.fact("max_record_size").number, node.name) if node is not None else (NAN, "")


def _sent(demand: Demand, node: Node | None, value: Value) -> Use:
    """The largest record of the topics that the producer writes."""
    if not isinstance(node, Client):
        return NAN, ""
    direction = "topics" if isinstance(node, Producer) else "writes"
    topics = demand.cluster.topics_of(node, direction) or []
    sizes = [t.fact("max_record_size").number for t in topics]
    return max((size for size in sizes if size > 0), default=NAN), str(node)


def _buffered(demand: Demand, node: Node | None, value: Value) -> Use:
    """A batch for each partition of the topics that the producer writes."""
    if not isinstance(node, Client) or not node.java:
        return NAN, ""
    direction = "topics" if isinstance(node, Producer) else "writes"
    topics = demand.cluster.topics_of(node, direction) or []
    counts = {t.name: t.partitions.number for t in topics if t.partitions.number >= 1}
    batch = node.inner("producer")["batch.size"].number
    return (sum(counts.values()) * batch, str(node)) if counts else (NAN, "")


def _requests(demand: Demand, node: Node | None, value: Value) -> Use:
    sizes = [
        (inner["max.request.size"].number, str(client))
        for client in demand.cluster.clients
        if isinstance(client, (Producer, Streams, Worker))
        and (inner := client.inner("producer")).java
    ]
    return max(((n, who) for n, who in sizes if n > 0), default=(NAN, ""))


def _members(demand: Demand, node: Node | None, value: Value) -> Use:
    groups: dict[str, float] = {}
    for client in demand.cluster.clients:
        group = client["group.id"] if isinstance(client, Consumer) else None
        count = running(client).number
        if group is not None and group.text and count > 0:
            groups[group.text] = groups.get(group.text, 0) + count
    return max(((n, name) for name, n in groups.items()), default=(NAN, ""))


_USES: dict[str, Callable[[Demand, Node | None, Value], Use]] = {
    "connections": _connections,
    "fetch-sessions": _sessions,
    "topic-batch-bytes": _largest_record,
    "producer-request-bytes": _sent,
    "producer-buffer": _buffered,
    "socket-request-bytes": _requests,
    "group-size": _members,
}
