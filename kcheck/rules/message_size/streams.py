"""KC05: the size limits of the clients inside a Streams application."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.clients import Streams
from kcheck.model import WARNING, Finding, Value
from kcheck.rule import rule
from kcheck.units import whole
from kcheck.wording import in_bytes, plain


@rule(
    "KC0523",
    "msg-streams-changelog",
    WARNING,
    on=("producer.max.request.size", "max.request.size", "topic.max.message.bytes"),
    invariants=("msg-streams-changelog",),
)
def msg_streams_changelog(streams: Streams) -> Iterator[Finding]:
    """A Streams application may write larger state records than its own topics accept.

    Changelog and repartition topics get the application's ``topic.max.message.bytes``, or the
    brokers' message.max.bytes. A larger state value fails the stream thread with a StreamsException.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3}
        streams: [{name: totals, config: {application.id: totals, producer.max.request.size: 5242880}}]
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3}
        streams:
          - name: totals
            config: {application.id: totals, producer.max.request.size: 5242880, topic.max.message.bytes: 5242880}
    """
    producer = streams.inner("producer")
    largest, codec = producer["max.request.size"], producer["compression.type"]
    limit = streams["topic.max.message.bytes"]
    limits = [limit] if streams.sets("topic.max.message.bytes") else []
    if not limits:
        limits = [defaults["max.message.bytes"] for defaults in streams.cluster.defaults]
    for limit in limits:
        if _number(limit) < largest.number and codec.value == "none":
            at, *because = written_first(largest, limit, codec)
            yield streams.finding(
                f"{producer} may send records up to {in_bytes(largest)}, but its internal topics accept "
                f"at most {plain(limit)}",
                at=at,
                because=because,
                breaks="a larger state value fails with RecordTooLargeException and stops the stream "
                "thread",
                fix=f"set topic.max.message.bytes={int(largest.number)} in the application",
            )
            return


def _number(value: Value) -> float:
    """The number of a key with the prefix ``topic.``, which has no type of its own in Streams."""
    number = whole(value.value) if isinstance(value.value, str) else None
    return value.number if number is None else number
