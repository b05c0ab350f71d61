"""EMERGENT limits of a broker's host: partitions, maps, files, memory, disks, recovery.

Each function completes a line: it picks the inputs, names what is missing, and leaves the formula
to ``derivations``. What cannot be computed stays unknown.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from kcheck.graph import listeners
from kcheck.limits import derivations, traffic
from kcheck.limits.demand import Demand, TopicDemand, first_host
from kcheck.limits.entry import Line
from kcheck.limits.format import BYTES, RATE, about, exact, share
from kcheck.limits.inputs import counted, fact, of_all, setting, take
from kcheck.limits.soft import connections as connections_of
from kcheck.model import NAN

_TLS = frozenset({"SSL", "SASL_SSL"})


def fill(line: Line, demand: Demand) -> None:
    """Complete the line of an EMERGENT limit."""
    _DERIVED[line.entry.spec.partition(":")[2]](line, demand)
    line.missing = list(dict.fromkeys(line.missing))


def _replicas(line: Line, demand: Demand) -> float:
    if not counted(line, demand):
        return NAN
    return demand.per_broker(demand.replicas)


def _map_limit(line: Line, demand: Demand) -> float:
    declared = first_host(demand.cluster, "vm.max_map_count")
    if declared.number == declared.number:
        line.values.append(("", declared))
        return declared.number
    return take(line, demand, "max_map_count")


def replicas_by_maps(line: Line, demand: Demand) -> None:
    allowed = _map_limit(line, demand)
    per_segment = take(line, demand, "maps_per_segment")
    line.limit = derivations.replicas_by_maps(allowed, per_segment)
    line.used = _replicas(line, demand)
    line.formula = f"{allowed:,.0f} maps ÷ {per_segment:g} per segment, one segment each"


def replicas_usual(line: Line, demand: Demand) -> None:
    line.limit = take(line, demand, "zookeeper_replicas")
    line.used = _replicas(line, demand)
    if demand.cluster.kraft is not False:
        line.notes.append("a conservative figure for ZooKeeper mode; KRaft mode supports more")


def partitions_usual(line: Line, demand: Demand) -> None:
    old = demand.cluster.kraft is False
    line.limit = take(line, demand, "zookeeper_partitions" if old else "kraft_partitions")
    if demand.topics:
        line.used, line.least = demand.partitions, bool(demand.uncounted)
    else:
        line.missing.append("partitions")


def brokers_usual(line: Line, demand: Demand) -> None:
    line.limit = take(line, demand, "most_brokers")
    line.used = demand.brokers.number
    if not line.used >= 0:
        line.missing.append("brokers")


def replica_connections(line: Line, demand: Demand) -> None:
    fetchers = setting(line, demand, "num.replica.fetchers")
    if not demand.brokers.number >= 1:
        line.missing.append("brokers")
    line.used = derivations.replica_connections(demand.brokers.number, fetchers)
    if line.used == line.used:
        line.formula = f"{fetchers:g} × {demand.brokers.number - 1:g} other brokers"
    line.text = "-"


def _connections(line: Line, demand: Demand) -> float:
    per_instance = take(line, demand, "connections_per_instance")
    if not demand.instances():
        line.missing.append("instances")
        line.least = True
    return connections_of(demand, per_instance)


def open_files(line: Line, demand: Demand) -> None:
    line.limit = fact(line, demand, "nofile")
    line.share = take(line, demand, "nofile_use")
    if not counted(line, demand):
        return
    each = take(line, demand, "files_per_segment")
    planned = take(line, demand, "planned_files_per_segment")
    segments = demand.per_broker(demand.segments)
    held = _connections(line, demand)
    held = held if held == held else 0
    line.least = line.least or bool(_unsized(line, demand))
    line.used = derivations.open_files(segments, each, held)
    most = derivations.open_files(segments, planned, held)
    line.formula = (
        f"{math.ceil(segments):,} segments × {each:g} + {held:,.0f} connections; "
        f"the usual planning formula (× {planned:g}) gives {most:,.0f}"
    )


def tls_memory(line: Line, demand: Demand) -> None:
    spoken = _protocols(line, demand)
    line.text = "-"
    if not spoken:
        return
    if _TLS.isdisjoint(spoken):
        line.used = 0
        line.notes.append("no listener uses TLS")
        return
    each = take(line, demand, "tls_memory")
    held = _connections(line, demand)
    line.used = derivations.tls_memory(held, each)
    if line.used == line.used:
        line.formula = f"{held:,.0f} connections × {each / 1000:g} KB, assuming that all use TLS"
        line.text = ""
        line.limit = fact(line, demand, "heap")


def _protocols(line: Line, demand: Demand) -> set[str]:
    brokers = demand.cluster.brokers
    for broker in brokers:
        value = broker["listeners"]
        if value.written and value.known:
            line.values.append(("", value))
            names = (one.name for one in listeners.parse(value.text))
            told = {listeners.protocol(broker, name) or "?" for name in names}
            if "?" not in told:
                return told
    line.missing.append("listeners")
    return set()


def _unsized(line: Line, demand: Demand) -> int:
    """Topics whose size nothing tells; the line tells that their rate would."""
    unsized = [one for one in demand.topics if one.kept != one.kept]
    line.missing += map(_size_fact, unsized)
    if unsized:
        line.notes.append(
            f"{of_all(len(unsized), demand)} {_do(len(unsized), 'is', 'are')} counted with one segment "
            "per replica: their size is unknown"
        )
    most = [one for one in demand.topics if one.at_most]
    if most:
        line.notes.append(
            f"{of_all(len(most), demand)} {_do(len(most), 'is', 'are')} counted at their full "
            "retention.bytes"
        )
    endless = [one for one in demand.topics if one.kept_for_ever]
    if endless:
        line.notes.append(
            f"{of_all(len(endless), demand)} have unlimited retention: they grow forever"
        )
    return len(unsized) + len(endless)


def _size_fact(one: TopicDemand) -> str:
    """The fact that would tell how much a topic keeps."""
    return "partition_size" if one.compacted or one.rate >= 0 else "produce_rate"


def _do(count: int, one: str, many: str) -> str:
    return one if count == 1 else many


def segments(line: Line, demand: Demand) -> None:
    line.text = "-"
    if not counted(line, demand):
        return
    line.least = bool(_unsized(line, demand)) or line.least
    line.used = demand.per_broker(demand.segments)
    top = demand.heaviest[0]
    line.whose = top.topic.name
    line.formula = (
        f"{math.ceil(demand.per_broker(demand.replicas)):,} replicas on an average broker; most "
        f"{top.replicas:,.0f} replicas × {top.segments:,.0f}"
    )


def memory_maps(line: Line, demand: Demand) -> None:
    line.limit = _map_limit(line, demand)
    per_segment = take(line, demand, "maps_per_segment")
    if not counted(line, demand):
        return
    line.least = bool(_unsized(line, demand)) or line.least
    count = demand.per_broker(demand.segments)
    line.used = derivations.memory_maps(count, per_segment)
    line.formula = f"{math.ceil(count):,} segments × {per_segment:g}"


def disk(line: Line, demand: Demand) -> None:
    size = fact(line, demand, "disk_size")
    line.limit = size * _disks(line, demand)
    line.share = take(line, demand, "disk_use")
    if not counted(line, demand):
        return
    sized = [one for one in demand.topics if one.kept < math.inf]
    if not sized:
        line.missing.append("produce_rate")
        line.notes.append("no topic declares its rate or limits its size (retention.bytes)")
        return
    if len(sized) < len(demand.topics):
        line.least = True
        line.missing += (_size_fact(one) for one in demand.topics if one not in sized)
        line.notes.append(
            f"{of_all(len(demand.topics) - len(sized), demand)} left out: their size is unknown"
        )
    total = sum(
        one.replicas * derivations.disk(one.kept, one.segment_bytes)
        for one in sized
        if one.segment_bytes >= 0
    )
    line.used = demand.per_broker(total)
    top = max(sized, key=lambda one: one.replicas * one.kept)
    line.whose = top.topic.name
    line.formula = (
        f"Σ replicas × (kept + a segment); most {top.replicas:,.0f} replicas × "
        f"{about(top.kept, BYTES)}"
    )


def _disks(line: Line, demand: Demand) -> float:
    count = first_host(demand.cluster, "disks")
    if count.number >= 1:
        line.values.append(("", count))
        return count.number
    return 1


def heap(line: Line, demand: Demand) -> None:
    line.limit = fact(line, demand, "heap")
    dedupe = setting(line, demand, "log.cleaner.dedupe.buffer.size")
    fetchers = setting(line, demand, "num.replica.fetchers")
    response = setting(line, demand, "replica.fetch.response.max.bytes")
    waiting = setting(line, demand, "queued.max.requests")
    most = setting(line, demand, "queued.max.request.bytes")
    size = take(line, demand, "request_size")
    each = take(line, demand, "partition_heap")
    if not counted(line, demand):
        return
    replicas = demand.per_broker(demand.replicas)
    parts = {
        "cleaner": dedupe,
        "replica fetches": derivations.fetch_buffers(demand.brokers.number, fetchers, response),
        "queue": derivations.queued_bytes(waiting, size, most),
        "replicas": replicas * each,
    }
    line.used = sum(parts.values())
    line.formula = " + ".join(f"{name} {about(part, BYTES)}" for name, part in parts.items())
    line.notes.append("assuming a full queue; live objects and garbage are additional")


def heap_of_memory(line: Line, demand: Demand) -> None:
    memory = fact(line, demand, "ram")
    part = take(line, demand, "heap_share")
    line.limit = memory * part
    line.used = fact(line, demand, "heap")
    if line.limit == line.limit:
        line.formula = f"{exact(memory, BYTES)} × {share(part)}"


def page_cache(line: Line, demand: Demand) -> None:
    memory, own = fact(line, demand, "ram"), fact(line, demand, "heap")
    written = demand.per_broker(demand.stored)
    if not counted(line, demand) or written != written:
        line.missing.append("produce_rate")
        return
    line.limit = derivations.page_cache_ms(memory, own, written)
    if line.limit == line.limit:
        line.formula = (
            f"({exact(memory, BYTES)} - {exact(own, BYTES)}) ÷ "
            f"{about(written, RATE)} written per broker"
        )


def election(line: Line, demand: Demand) -> None:
    line.text = "-"
    each = take(line, demand, "election_time")
    if not counted(line, demand):
        return
    leaders = demand.per_broker(demand.partitions)
    line.least = bool(demand.uncounted)
    line.used = derivations.election_ms(leaders, each)
    line.formula = f"{math.ceil(leaders):,} leaders × {each:g} ms"
    line.notes.append("for comparison: KRaft elects leaders faster than measured")


def log_recovery(line: Line, demand: Demand) -> None:
    line.text = "-"
    rate = fact(line, demand, "disk_rate")
    if not counted(line, demand):
        return
    unflushed = demand.per_broker(
        sum(one.replicas * derivations.least(one.segment_bytes, one.kept) for one in demand.topics)
    )
    disks = _disks(line, demand)
    line.used = derivations.recovery_ms(unflushed, disks, rate)
    line.formula = f"{about(unflushed, BYTES)} in active segments"
    if line.used == line.used:
        line.formula += f" ÷ {disks:g} × {exact(rate, RATE)}"


_DERIVED: dict[str, Callable[[Line, Demand], None]] = {
    **{function.__name__: function for function in traffic.LINES},
    "replicas_by_maps": replicas_by_maps,
    "replicas_usual": replicas_usual,
    "partitions_usual": partitions_usual,
    "brokers_usual": brokers_usual,
    "replica_connections": replica_connections,
    "open_files": open_files,
    "tls_memory": tls_memory,
    "segments": segments,
    "memory_maps": memory_maps,
    "disk": disk,
    "heap": heap,
    "heap_of_memory": heap_of_memory,
    "page_cache": page_cache,
    "election": election,
    "log_recovery": log_recovery,
}
