"""KC08: how many connections clients make and how fast, and when those that fail are closed."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.nodes import Broker, Controller
from kcheck.graph.running import together
from kcheck.model import ERROR, WARNING, Finding
from kcheck.rule import REFUSED, rule
from kcheck.wording import count, in_ms, plain


@rule(
    "KC0811",
    "failed-auth-delay",
    ERROR,
    kafka=REFUSED,
    broker_side=True,
    on=("connection.failed.authentication.delay.ms", "connections.max.idle.ms"),
    invariants=("failed-auth-delay",),
)
def failed_auth_delay(broker: Broker | Controller) -> Iterator[Finding]:
    """connection.failed.authentication.delay.ms is not below connections.max.idle.ms.

    Kafka does not start unless connection.failed.authentication.delay.ms is below
    connections.max.idle.ms. A negative idle time means "never closed" and is valid.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {connections.max.idle.ms: 100}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {connections.max.idle.ms: 600000}}
    Good: never closed
        --- kcheck.yaml
        cluster: {brokers: 3, config: {connections.max.idle.ms: -1}}
    """
    delay, idle = (
        broker["connection.failed.authentication.delay.ms"],
        broker["connections.max.idle.ms"],
    )
    if idle.number >= 0 and delay.number >= idle.number:
        at, *because = written_first(delay, idle)
        yield broker.finding(
            f"{in_ms(delay)} is not below {in_ms(idle)}",
            at=at,
            because=because,
            breaks="Kafka does not start (IllegalArgumentException)",
            fix="set connections.max.idle.ms=600000 (default) and "
            "connection.failed.authentication.delay.ms=100 (default)",
        )


@rule(
    "KC0813",
    "max-conn-demand",
    WARNING,
    broker_side=True,
    invariants=("max-conn-demand",),
)
def max_conn_demand(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """The declared clients need more connections than max.connections.

    A producer opens one connection to each broker that it writes to, a consumer one more to its
    coordinator. One connection per instance is counted: the declared instances, or else the replicas
    of a workload times the consumers of each. That is the minimum for a broker that leads partitions
    of every topic.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {max.connections: 500}}
        producers:
          - {name: sensors, instances: 2000}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {max.connections: 5000}}
        producers:
          - {name: sensors, instances: 2000}
    """
    clients = together(cluster.clients)
    for cap in cluster.across("max.connections"):
        if cap.number < clients.number:
            demand = int(clients.number)
            yield cluster.finding(
                f"{count(demand, 'declared client instance')} may connect to each broker, but "
                f"brokers have {plain(cap)}",
                at=cap,
                because=clients.said,
                breaks="connections above the limit wait unserved in the backlog",
                fix=f"set max.connections above {demand}, as the broker's memory and file "
                "descriptors permit",
            )


_RATE = "max.connection.creation.rate"


@rule(
    "KC0814",
    "conn-rate",
    WARNING,
    broker_side=True,
    invariants=("conn-rate",),
)
def conn_rate(cluster: ClusterWithNodes, *, most_seconds: int = 60) -> Iterator[Finding]:
    """max.connection.creation.rate delays the declared clients after a broker restart.

    All of them reconnect at once, and the broker accepts max.connection.creation.rate connections per
    second. Clients that wait longer than their timeouts fail and try again.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {max.connection.creation.rate: 10}}
        producers:
          - {name: sensors, instances: 2000}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {max.connection.creation.rate: 100}}
        producers:
          - {name: sensors, instances: 2000}
    Good: the number of instances is unknown
        --- kcheck.yaml
        cluster: {brokers: 3, config: {max.connection.creation.rate: 10}}
        producers:
          - {name: sensors}
    """
    clients = together(cluster.clients)
    for rate in cluster.across(_RATE):
        if rate.number and clients.number > rate.number * most_seconds:
            demand = int(clients.number)
            yield cluster.finding(
                f"{count(demand, 'declared client instance')} reconnect at {plain(rate)} per second",
                at=rate,
                because=clients.said,
                breaks="after a broker restart, the last client waits "
                f"{int(demand / rate.number):,} s to connect",
                fix=f"set {_RATE} to at least {-(-demand // most_seconds)}",
            )
