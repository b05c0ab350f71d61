"""KC09: options of group members that librdkafka rejects together."""

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
    """max.poll.interval.ms of a librdkafka consumer is less than session.timeout.ms.

    librdkafka rejects the pair, even if one of them is at its default (5 min; 45 s, or 10 s up to
    1.5).

    Bad:
        --- kcheck.yaml
        consumers:
          - {name: index, client: {library: librdkafka, version: "2.3"}, config: {max.poll.interval.ms: 30000}}
    Bad: only the session timeout is set
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
        # The brokers set the session timeout then; 2.4 to 2.8 still check it.
        return
    if consumer.library.checks_as_librdkafka and poll.number < session.number:
        at, *because = written_first(poll, session)
        yield consumer.finding(
            f"{consumer}: {in_ms(poll)} is less than {in_ms(session)}",
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
    """partition.assignment.strategy lists assignors that librdkafka does not support.

    librdkafka supports range, roundrobin and, from 1.6, cooperative-sticky, none of them by a Java
    class name. cooperative-sticky cannot be combined with the others, because it uses another
    rebalance protocol.

    Bad: a Java class
        --- kcheck.yaml
        consumers:
          - name: index
            client: {library: librdkafka}
            config: {partition.assignment.strategy: org.apache.kafka.clients.consumer.RangeAssignor}
    Bad: two rebalance protocols
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
    strategy = client["partition.assignment.strategy"]
    if not client.library.checks_as_librdkafka or strategy.text is None:
        return
    # It trims whitespace before a name, not after it.
    names = [name for name in map(str.lstrip, strategy.text.split(",")) if name]
    known = _ASSIGNORS[:2] if client.version.below("1.6") else _ASSIGNORS
    strange = [name for name in names if name not in known]
    if strange:
        yield client.finding(
            f"{client} lists assignor {strange[0]}, which librdkafka does not support",
            at=strategy,
            breaks=REFUSED,
            fix=f"set {strategy.key} to one of {', '.join(known)}",
        )
    elif _ASSIGNORS[2] in names and {*names} != {_ASSIGNORS[2]}:
        yield client.finding(
            f"{client} combines {_ASSIGNORS[2]} with {names[0] if names[0] != _ASSIGNORS[2] else names[1]}",
            at=strategy,
            breaks=f"{REFUSED}: all assignors must use the same rebalance protocol",
            fix=f"set {strategy.key} to one of them",
        )
