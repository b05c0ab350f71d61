"""KC03: the timeouts that keep followers in sync."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ERROR, INFO, WARNING, Finding
from kcheck.rule import REFUSED, rule
from kcheck.wording import in_ms


@rule(
    "KC0313",
    "replica-fetch-wait-lag",
    ERROR,
    kafka=REFUSED,
    broker_side=True,
    on=("replica.fetch.wait.max.ms", "replica.lag.time.max.ms"),
    invariants=("replica-fetch-wait-lag",),
)
def replica_fetch_wait_lag(broker: Broker | Controller) -> Iterator[Finding]:
    """replica.fetch.wait.max.ms is not less than replica.lag.time.max.ms.

    A broker fails to start if replica.fetch.wait.max.ms exceeds replica.lag.time.max.ms. With equal
    values it starts, but followers of low-traffic partitions drop out of the in-sync replicas.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {replica.fetch.wait.max.ms: 500, replica.lag.time.max.ms: 400}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {replica.fetch.wait.max.ms: 500, replica.lag.time.max.ms: 30000}}
    """
    wait, lag = broker["replica.fetch.wait.max.ms"], broker["replica.lag.time.max.ms"]
    if wait.number < lag.number or not (wait.known and lag.known):
        return
    refused = wait.number > lag.number
    yield broker.finding(
        f"{in_ms(wait)} {'exceeds' if refused else 'equals'} {in_ms(lag)}",
        at=wait if wait.written else lag,
        because=(lag,) if wait.written else (wait,),
        breaks="the broker fails to start (IllegalArgumentException)"
        if refused
        else "followers of low-traffic partitions drop out of the in-sync replicas and rejoin",
        fix="set replica.fetch.wait.max.ms=500 (default), and keep replica.lag.time.max.ms well above it",
        severity=ERROR if refused else WARNING,
    )


@rule(
    "KC0314",
    "replica-fetch-wait-socket",
    ERROR,
    kafka=REFUSED,
    broker_side=True,
    on=("replica.fetch.wait.max.ms", "replica.socket.timeout.ms"),
    invariants=("replica-fetch-wait-socket",),
)
def replica_fetch_wait_socket(broker: Broker | Controller) -> Iterator[Finding]:
    """replica.fetch.wait.max.ms exceeds replica.socket.timeout.ms.

    A broker fails to start if replica.socket.timeout.ms is less than replica.fetch.wait.max.ms.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {replica.socket.timeout.ms: 400}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {replica.socket.timeout.ms: 500}}
    """
    wait, socket = broker["replica.fetch.wait.max.ms"], broker["replica.socket.timeout.ms"]
    if wait.number > socket.number:
        yield broker.finding(
            f"{in_ms(wait)} exceeds {in_ms(socket)}",
            at=socket if socket.written else wait,
            because=(wait,) if socket.written else (socket,),
            breaks="the broker fails to start (IllegalArgumentException)",
            fix=f"set replica.socket.timeout.ms to at least {int(wait.number)}",
        )


@rule(
    "KC0315",
    "isr-lag-window",
    INFO,
    broker_side=True,
    on=("replica.lag.time.max.ms",),
    invariants=("isr-lag-window",),
)
def isr_lag_window(
    broker: Broker, *, min_ms: int = 10_000, max_ms: int = 60_000
) -> Iterator[Finding]:
    """replica.lag.time.max.ms is outside the recommended range.

    replica.lag.time.max.ms alone decides which replicas are in sync (default 30,000 ms). Far below
    it, followers drop out at every pause; far above, writes with acks=all wait long for a failed
    follower.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {replica.lag.time.max.ms: 300000}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {replica.lag.time.max.ms: 30000}}
    """
    lag = broker["replica.lag.time.max.ms"]
    if not lag.known or min_ms <= lag.number <= max_ms:
        return
    low = lag.number < min_ms
    yield broker.finding(
        f"{in_ms(lag)} is {'below' if low else 'above'} the recommended "
        f"{'minimum' if low else 'maximum'} of {(min_ms if low else max_ms):,} ms",
        at=lag,
        breaks="followers drop out of the in-sync replicas at every longer pause and rejoin"
        if low
        else "writes with acks=all wait that long for a failed follower",
        fix="set replica.lag.time.max.ms=30000 (default)",
    )
