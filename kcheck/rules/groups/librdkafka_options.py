"""KC09: options of group members that librdkafka refuses together."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.clients import Client, Consumer
from kcheck.model import ERROR, Finding
from kcheck.rule import rule
from kcheck.rules.groups.sessions import classic
from kcheck.rules.shared.librdkafka import REFUSED
from kcheck.wording import in_ms


@rule(
    "KC0950",
    "rdk-poll-interval",
    ERROR,
    on=("max.poll.interval.ms", "session.timeout.ms"),
    versions="librdkafka",
)
def rdk_poll_interval(consumer: Consumer) -> Iterator[Finding]:
    """A librdkafka consumer must poll more often than its session lasts.

    It refuses max.poll.interval.ms below session.timeout.ms, also where one of them is at its default
    (5 min; 45 s, up to 1.5 10 s).

    Bad:
        --- kcheck.yaml
        consumers:
          - {name: index, client: {library: librdkafka, version: "2.3"}, config: {max.poll.interval.ms: 30000}}
    Bad: the session is set
        --- kcheck.yaml
        consumers:
          - {name: index, client: {library: librdkafka}, config: {session.timeout.ms: 600000}}
    Good:
        --- kcheck.yaml
        consumers:
          - name: index
            client: {library: librdkafka}
            config: {max.poll.interval.ms: 30000, session.timeout.ms: 30000}
    Good: Java has no such rule
        --- kcheck.yaml
        consumers: [{name: index, config: {group.id: index, max.poll.interval.ms: 30000}}]
    """
    poll, session = consumer["max.poll.interval.ms"], consumer["session.timeout.ms"]
    if not classic(consumer) and not consumer.version.below("2.10"):
        # The session is the brokers' then; 2.4 to 2.8 still look at it.
        return
    if consumer.library.checks_as_librdkafka and poll.number < session.number:
        at, *because = written_first(poll, session)
        yield consumer.finding(
            f"{consumer}: {in_ms(poll)} is below {in_ms(session)}",
            at=at,
            because=because,
            breaks=REFUSED,
            fix=f"set {poll.key} to at least {int(session.number)}",
            set_to=str(int(session.number)) if poll.written else None,
        )


_ASSIGNORS = ("range", "roundrobin", "cooperative-sticky")


@rule(
    "KC0951",
    "rdk-assignors",
    ERROR,
    on=("partition.assignment.strategy",),
    invariants=("assignor-eager-coop-mix",),
    versions="librdkafka; cooperative-sticky from 1.6 on",
)
def rdk_assignors(client: Client) -> Iterator[Finding]:
    """librdkafka has no such assignor.

    It has range, roundrobin and, from 1.6 on, cooperative-sticky, none of them by the name of a Java
    class. The last one cannot be listed with the others, as it hands partitions over in another way.

    Bad: Java's
        --- kcheck.yaml
        consumers:
          - name: index
            client: {library: librdkafka}
            config: {partition.assignment.strategy: org.apache.kafka.clients.consumer.RangeAssignor}
    Bad: two ways to hand over
        --- kcheck.yaml
        consumers:
          - name: index
            client: {library: librdkafka}
            config: {partition.assignment.strategy: "range,cooperative-sticky"}
    Good:
        --- kcheck.yaml
        consumers:
          - name: index
            client: {library: librdkafka}
            config: {partition.assignment.strategy: cooperative-sticky}
    """
    ways = client["partition.assignment.strategy"]
    if not client.library.checks_as_librdkafka or ways.text is None:
        return
    # It takes blanks away before a name, not behind it.
    names = [name for name in map(str.lstrip, ways.text.split(",")) if name]
    known = _ASSIGNORS[:2] if client.version.below("1.6") else _ASSIGNORS
    strange = [name for name in names if name not in known]
    if strange:
        yield client.finding(
            f"{client} assigns partitions by {strange[0]}, which librdkafka does not have",
            at=ways,
            breaks=REFUSED,
            fix=f"set {ways.key} to one of {', '.join(known)}",
        )
    elif _ASSIGNORS[2] in names and {*names} != {_ASSIGNORS[2]}:
        yield client.finding(
            f"{client} lists {_ASSIGNORS[2]} beside {names[0] if names[0] != _ASSIGNORS[2] else names[1]}",
            at=ways,
            breaks=f"{REFUSED}: all must hand partitions over in the same way",
            fix=f"set {ways.key} to one of them",
        )
