"""KC15: partition counts of topics that a Streams application joins."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Streams
from kcheck.model import ERROR, Finding
from kcheck.rule import FAILED, rule


@rule(
    "KC1511",
    "streams-copartition",
    ERROR,
    kafka=FAILED,
    invariants=("streams-copartition",),
)
def streams_copartition(streams: Streams) -> Iterator[Finding]:
    """Topics that a Streams application joins have different numbers of partitions.

    Joined topics must be co-partitioned, so that one task sees both sides of a key.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: orders, partitions: 12}
          - {name: payments, partitions: 6}
        streams:
          - {name: match, topics: [orders, payments], copartitioned: [orders, payments], config: {application.id: match}}
    Good:
        --- kcheck.yaml
        topics:
          - {name: orders, partitions: 12}
          - {name: payments, partitions: 12}
        streams:
          - {name: match, topics: [orders, payments], copartitioned: [orders, payments], config: {application.id: match}}
    """
    joined = streams.resource.traits.copartitioned
    counts = {
        topic.name: topic.partitions
        for topic in streams.cluster.topics
        if topic.name in joined and topic.partitions.number >= 1
    }
    if len({value.number for value in counts.values()}) > 1:
        listed = ", ".join(f"{name} has {int(value.number)}" for name, value in counts.items())
        yield streams.finding(
            f"{streams} joins topics with different numbers of partitions: {listed}",
            at=streams.fact("copartitioned"),
            because=list(counts.values()),
            breaks="the application fails at startup (TopologyException: not co-partitioned)",
            fix="give the topics the same number of partitions, or repartition one of them in the "
            "application",
        )
