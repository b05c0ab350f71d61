"""KC09: how long brokers keep the offsets of groups, and how long they take to store them."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.clients import Consumer
from kcheck.graph.edges import Connects
from kcheck.graph.nodes import Broker
from kcheck.model import INFO, WARNING, Finding
from kcheck.rule import rule
from kcheck.wording import in_ms, plain

_MINUTE = 60_000


_DAY = 1440


@rule(
    "KC0914",
    "offsets-commit-timeout",
    WARNING,
    invariants=("offsets-commit-timeout",),
    broker_side=True,
)
def offsets_commit_timeout(edge: Connects) -> Iterator[Finding]:
    """Offset commits may take longer on the brokers than a consumer waits for the response.

    A coordinator waits offsets.commit.timeout.ms (5 s) until all replicas have a commit. A consumer
    whose request.timeout.ms is not above it gives up first, and does not learn what went wrong.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {offsets.commit.timeout.ms: 60000}}
        consumers: [{name: billing, config: {group.id: billing}}]
    Bad: by the consumer
        --- kcheck.yaml
        cluster: {brokers: 3}
        consumers: [{name: billing, config: {group.id: billing, request.timeout.ms: 5000}}]
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {offsets.commit.timeout.ms: 10000}}
        consumers: [{name: billing, config: {group.id: billing}}]
    """
    if not isinstance(edge.client, Consumer):
        return
    slow, request = edge.broker["offsets.commit.timeout.ms"], edge.client["request.timeout.ms"]
    if slow.number >= request.number:
        at, *because = written_first(request, slow)
        yield edge.finding(
            f"{edge.client} waits {in_ms(request)} for an answer, a commit of offsets may take "
            f"{in_ms(slow)}",
            at=at,
            because=because,
            breaks="while a replica is slow, commits end in a lost connection and are tried again, "
            "and the group reads records twice after a rebalance",
            fix="keep offsets.commit.timeout.ms of the brokers below request.timeout.ms",
        )


@rule(
    "KC0915",
    "offsets-retention-vs-data",
    WARNING,
    on=("offsets.retention.minutes",),
    refs=("KIP-211",),
    invariants=("offsets-retention-vs-data", "offset-reset-latest-loss"),
    broker_side=True,
)
def offsets_retention_vs_data(broker: Broker) -> Iterator[Finding]:
    """A group that is down for a day has lost its place.

    Brokers forget the offsets of a group offsets.retention.minutes after its last member has left
    (since 2.1; 7 days by default). A group that comes back later begins where auto.offset.reset says:
    with latest, the default, all records of the pause are skipped, with earliest all are read again.
    A day was the default before 2.0, and too short for a weekend.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {offsets.retention.minutes: 60}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {offsets.retention.minutes: 2880}}
    Good: for development
        --- kcheck.yaml
        cluster: {brokers: 1, environment: development, config: {offsets.retention.minutes: 60}}
    """
    kept = broker["offsets.retention.minutes"]
    if kept.number <= _DAY and not broker.cluster.development:
        yield broker.finding(
            f"{broker} keeps the offsets of groups for {int(kept.number):,} min "
            f"({kept.key}={kept.text})",
            at=kept,
            breaks="a group whose members are down for longer skips what was written meanwhile "
            "(auto.offset.reset=latest), or reads everything again (earliest)",
            fix="set offsets.retention.minutes above the longest outage of any group (default 10080)",
        )


@rule(
    "KC0916",
    "offsets-retention-check",
    INFO,
    on=("offsets.retention.check.interval.ms", "offsets.retention.minutes"),
    invariants=("offsets-retention-check",),
    broker_side=True,
)
def offsets_retention_check(broker: Broker) -> Iterator[Finding]:
    """Offsets that have expired are looked for more rarely than they expire.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {offsets.retention.minutes: 1440, offsets.retention.check.interval.ms: 172800000}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {offsets.retention.minutes: 2880}}
    """
    kept, interval = (
        broker["offsets.retention.minutes"],
        broker["offsets.retention.check.interval.ms"],
    )
    if interval.number > kept.number * _MINUTE:
        at, *because = written_first(interval, kept)
        yield broker.finding(
            f"{broker} looks for expired offsets every {in_ms(interval)}, they expire after "
            f"{plain(kept)}",
            at=at,
            because=because,
            breaks="offsets live up to twice as long as they are to",
            fix="set offsets.retention.check.interval.ms below the retention (default 600000)",
        )


@rule(
    "KC0917",
    "group-initial-delay",
    INFO,
    on=("group.initial.rebalance.delay.ms",),
    refs=("KIP-134",),
    invariants=("group-initial-delay",),
    broker_side=True,
)
def group_initial_delay(broker: Broker) -> Iterator[Finding]:
    """A new group is assigned its partitions before its other members have come.

    group.initial.rebalance.delay.ms=0, as in the sample files, is for tests: in production each member
    of a service that starts makes a rebalance of its own. The default is 3 s.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, environment: production, config: {group.initial.rebalance.delay.ms: 0}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, environment: production, config: {group.initial.rebalance.delay.ms: 3000}}
    Good: for development
        --- kcheck.yaml
        cluster: {brokers: 1, config: {group.initial.rebalance.delay.ms: 0}}
    """
    delay = broker["group.initial.rebalance.delay.ms"]
    if delay.number == 0 and broker.cluster.production:
        yield broker.finding(
            f"{broker} has {plain(delay)}, in a {broker.cluster.rank}",
            at=delay,
            breaks="a service that starts with N instances goes through up to N rebalances",
            fix="remove it (the default is 3000)",
            set_to="3000",
        )
