"""KC06: segments of the topic of offsets."""

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
    """Segments of __consumer_offsets are so large that coordinators load slowly.

    A broker that becomes the coordinator of a group reads the whole partition first, and only closed
    segments are compacted. That is why they have 100 MiB by default, where other topics have 1 GiB.
    Until it is read the groups get COORDINATOR_LOAD_IN_PROGRESS.

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
            f"{broker}: {in_bytes(segment)} is above the default of {_DEFAULT_OFFSETS_SEGMENT:,} B",
            at=segment,
            breaks="a new coordinator reads that much of uncompacted offsets before its groups go on",
            fix="remove it: 100 MiB is the default",
            set_to=str(_DEFAULT_OFFSETS_SEGMENT),
        )
