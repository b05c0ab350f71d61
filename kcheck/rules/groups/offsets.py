"""KC09: how long brokers retain group offsets, and how long they take to commit them."""

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
    """offsets.commit.timeout.ms is not less than the consumer's request.timeout.ms.

    The coordinator waits for offsets.commit.timeout.ms (5 s) until all replicas have a commit. A
    consumer whose request.timeout.ms is not greater times out first, and never receives the error.

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
            f"{edge.client}: {in_ms(request)} is not greater than the brokers' {in_ms(slow)}",
            at=at,
            because=because,
            breaks="while a replica is slow, commits fail with a disconnect and are retried, and the "
            "group reads records twice after a rebalance",
            fix="set offsets.commit.timeout.ms on the brokers below request.timeout.ms",
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
    """offsets.retention.minutes is one day or less.

    Brokers delete the offsets of a group offsets.retention.minutes after its last member has left
    (from 2.1; default 7 days). A group that returns later starts according to auto.offset.reset:
    with latest, the default, all records of the pause are skipped; with earliest all records are
    read again. One day was the default before 2.0, and is too short for a weekend.

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
            f"{broker} keeps the offsets of an inactive group for {int(kept.number):,} min "
            f"({kept.key}={kept.text})",
            at=kept,
            breaks="a group whose members are down for longer skips the records written meanwhile "
            "(auto.offset.reset=latest), or reads all records again (earliest)",
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
    """offsets.retention.check.interval.ms exceeds offsets.retention.minutes.

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
            f"{broker} checks for expired offsets every {in_ms(interval)}, but they expire after "
            f"{plain(kept)}",
            at=at,
            because=because,
            breaks="offsets are kept for up to twice as long as configured",
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
    """group.initial.rebalance.delay.ms is 0 in production.

    A new group is then assigned its partitions before its other members have joined. 0, as in the
    sample files, is for tests: in production each member of a starting service triggers its own
    rebalance. The default is 3 s.

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
            f"{broker} has {plain(delay)} in a {broker.cluster.rank}",
            at=delay,
            breaks="a service that starts N instances triggers up to N rebalances",
            fix="remove it (default 3000)",
            set_to="3000",
        )
