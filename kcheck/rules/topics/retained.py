"""KC06: the segments of __consumer_offsets."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.nodes import Broker
from kcheck.model import INFO, Finding
from kcheck.rule import rule
from kcheck.wording import in_bytes

_DEFAULT_OFFSETS_SEGMENT = 104857600


@rule(
    "KC0621",
    "offsets-topic-segment",
    INFO,
    on=("offsets.topic.segment.bytes",),
    broker_side=True,
    invariants=("offsets-topic-segment",),
)
def offsets_topic_segment(broker: Broker) -> Iterator[Finding]:
    """Large segments of __consumer_offsets slow down loading by group coordinators.

    A broker that becomes a group coordinator reads the whole partition first, and only closed
    segments are compacted. Therefore the default is 100 MiB, compared with 1 GiB for other topics.
    Until the partition is loaded, the groups get COORDINATOR_LOAD_IN_PROGRESS.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {offsets.topic.segment.bytes: 1073741824}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {offsets.topic.segment.bytes: 104857600}}
    """
    segment = broker["offsets.topic.segment.bytes"]
    if segment.number > _DEFAULT_OFFSETS_SEGMENT:
        yield broker.finding(
            f"{broker}: {in_bytes(segment)} exceeds the default {_DEFAULT_OFFSETS_SEGMENT} (100 MiB)",
            at=segment,
            breaks="a new group coordinator reads that much uncompacted data before its groups "
            "continue",
            fix="remove offsets.topic.segment.bytes (default 100 MiB)",
            set_to=str(_DEFAULT_OFFSETS_SEGMENT),
        )
