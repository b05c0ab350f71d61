"""KC20: the heap of a broker, compared with its memory and with the requests that it reads."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.nodes import Broker
from kcheck.limits.assumptions import assumed
from kcheck.limits.format import in_size
from kcheck.model import DEFAULT, FACT, INFO, WARNING, Finding, Value
from kcheck.rule import rule
from kcheck.wording import in_bytes


@rule(
    "KC2005",
    "heap-vs-memory-limit",
    WARNING,
    invariants=("heap-vs-memory-limit", "cap-heap"),
)
def heap_vs_memory_limit(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """The heap of a broker leaves too little of its memory.

    If the heap is as large as the memory of the machine or container, the broker is killed when the
    heap fills. Above half of the memory (the assumption heap_share) little remains for the page cache,
    from which brokers serve consumers: an info finding, in production only. A large heap is also
    collected for longer, and during a long collection the broker serves no requests.

    Bad:
        --- kcheck.yaml
        cluster: {environment: development, brokers: 1, host: {heap: 4GiB, ram: 4GiB}}
    Bad: no room for the page cache
        --- kcheck.yaml
        cluster: {environment: production, brokers: 3, host: {heap: 24GiB, ram: 32GiB}}
    Good:
        --- kcheck.yaml
        cluster: {environment: production, brokers: 3, host: {heap: 6GiB, ram: 32GiB}}
    """
    owners = [node for node in cluster.brokers if "heap" in node.resource.facts]
    for fact in [node.fact for node in owners] or [cluster.fact]:
        heap, memory = fact("heap"), fact("ram")
        share = assumed(cluster, "heap_share")
        if heap.number >= memory.number:
            yield cluster.finding(
                f"the broker's heap ({in_size(heap.number)}) is not smaller than its memory "
                f"({in_size(memory.number)})",
                at=heap,
                because=(memory,),
                breaks="the kernel or the container runtime kills the broker when the heap fills",
                fix=f"set -Xmx to at most {int(memory.number * share.number) >> 20}m"
                if share.known
                else "lower -Xmx",
            )
        elif heap.number > share.number * memory.number and cluster.production:
            yield cluster.finding(
                f"the broker's heap ({in_size(heap.number)}) is more than {share.number:.0%} of its "
                f"memory ({in_size(memory.number)})",
                at=heap,
                because=(memory, *share.said),
                breaks="little memory remains for the page cache: reads go to disk",
                fix="lower -Xmx (6 GiB is enough for most brokers); leave the rest to the page cache",
                severity=INFO,
            )


_REQUEST = "socket.request.max.bytes"


@rule("KC2016", "request-vs-heap", WARNING, broker_side=True)
def request_vs_heap(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """One request may take most of a broker's heap.

    A network thread allocates the whole of a request in the heap before it is read, up to
    socket.request.max.bytes (100 MiB). If that is above half of the heap, one or two clients end the
    broker with OutOfMemoryError, whether they may write or not.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 1, host: {heap: 1GiB}, config: {socket.request.max.bytes: 1500000000}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 1, host: {heap: 4GiB}, config: {socket.request.max.bytes: 209715200}}
    Good: the default
        --- kcheck.yaml
        cluster: {brokers: 1, host: {heap: 128MiB}}
    """
    for broker in (*cluster.brokers, *cluster.separate_controllers):
        request, heap = broker[_REQUEST], _heap(broker)
        if request.written and request.number > heap.number / 2:
            yield broker.finding(
                f"{broker}: {in_bytes(request)} exceeds half of the heap ({in_size(heap.number)})",
                at=request,
                because=(heap,),
                breaks="a single large request ends the broker with OutOfMemoryError",
                fix=f"set {_REQUEST} well below the heap (the default is 104857600), or raise -Xmx",
            )


def _heap(broker: Broker) -> Value:
    """The heap of a broker: its own, the one of its start script, or what is said of all hosts."""
    own = broker.fact("heap")
    process = broker.resource.traits.process
    if own.known:
        return own
    if process is not None and process.heap is not None:
        heap = process.heap
        return Value(heap.key, broker.resource, FACT, heap.text, heap.amount, True, heap)
    if process is not None and process.heap_default:
        text = in_size(process.heap_default)
        return Value("heap", broker.resource, DEFAULT, text, process.heap_default, True)
    return broker.cluster.fact("heap")
