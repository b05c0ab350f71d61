"""KC03: how leaders move, and how followers fetch from them."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.nodes import Broker
from kcheck.model import ERROR, INFO, WARNING, Finding
from kcheck.refusal import refused
from kcheck.rule import CHANGED, FAILED, rule
from kcheck.wording import in_bytes, in_ms, plain

#: The default of replica.fetch.backoff.ms.
_BACKOFF = 1000


_REBALANCE = "auto.leader.rebalance.enable"


_PERCENTAGE = "leader.imbalance.per.broker.percentage"


#: Words in a broker's keys and values by which something else moves its leaders.
_BALANCERS = ("cruise.control", "cruisecontrol", "confluent.balancer.enable")


@rule(
    "KC0333",
    "num-replica-fetchers",
    ERROR,
    kafka=FAILED,
    on=("num.replica.fetchers",),
    broker_side=True,
    invariants=("num-replica-fetchers",),
    versions="up to 4.1; from 4.2 Kafka rejects the value, which value-range reports",
)
def num_replica_fetchers(broker: Broker) -> Iterator[Finding]:
    """num.replica.fetchers=0 stops replication to the broker.

    With num.replica.fetchers=0 the broker starts, but fetches nothing that it does not lead: it
    drops out of the in-sync replicas of every partition.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", brokers: 3, config: {num.replica.fetchers: 0}}
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", brokers: 3, config: {num.replica.fetchers: 1}}
    """
    fetchers = broker["num.replica.fetchers"]
    refusal = refused(
        broker.version,
        "followers on the broker never fetch, so no partition gets a second in-sync replica",
        until="4.2",
    )
    if fetchers.number == 0 and refusal is not None:
        yield broker.finding(
            f"{broker} has {plain(fetchers)}",
            at=fetchers,
            breaks=refusal[1],
            fix="set num.replica.fetchers=1 (default) or more",
            set_to="1",
            severity=ERROR,
        )


@rule(
    "KC0334",
    "replica-fetch-backoff-lag",
    WARNING,
    on=("replica.fetch.backoff.ms", "replica.lag.time.max.ms"),
    broker_side=True,
    invariants=("replica-fetch-backoff-lag",),
)
def replica_fetch_backoff_lag(broker: Broker) -> Iterator[Finding]:
    """One failed fetch drops a follower from the in-sync replicas.

    After an error a follower backs off for replica.fetch.backoff.ms, and its next fetch may wait for
    replica.fetch.wait.max.ms; the sum must be less than replica.lag.time.max.ms.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {replica.fetch.backoff.ms: 30000}}
    Bad: replica.lag.time.max.ms is lowered instead
        --- kcheck.yaml
        cluster: {brokers: 3, config: {replica.lag.time.max.ms: 1000}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {replica.fetch.backoff.ms: 5000}}
    """
    rest, wait = broker["replica.fetch.backoff.ms"], broker["replica.fetch.wait.max.ms"]
    lag = broker["replica.lag.time.max.ms"]
    # A wait above the lag is refused, which replica-fetch-wait-lag reports.
    if not rest.number + wait.number >= lag.number or wait.number >= lag.number:
        return
    at, *because = written_first(rest, lag, wait)
    # The default is enough only where something longer is set.
    enough = _BACKOFF + wait.number < lag.number
    yield broker.finding(
        f"{in_ms(rest)} + {in_ms(wait)} is not less than {in_ms(lag)}",
        at=at,
        because=because,
        breaks="any failed fetch, such as during a leader restart, drops the follower from the in-sync "
        "replicas",
        fix="set replica.fetch.backoff.ms=1000 (default)"
        if enough
        else "remove replica.lag.time.max.ms: its default is 30000",
        set_to="1000" if enough else None,
    )


#: The header of a batch, and a record without key and value (DefaultRecordBatch, DefaultRecord).
_SMALLEST_BATCH = 61 + 7


@rule(
    "KC0335",
    "replica-fetch-min",
    WARNING,
    on=("replica.fetch.min.bytes",),
    broker_side=True,
    invariants=("replica-fetch-min",),
)
def replica_fetch_min(broker: Broker) -> Iterator[Finding]:
    """replica.fetch.min.bytes delays replication, and so writes with acks=all.

    A leader delays the response to a follower's fetch until replica.fetch.min.bytes are available or
    replica.fetch.wait.max.ms has passed. Writes with acks=all wait for that fetch, so above the size
    of the smallest batch (68 bytes) a write to a low-traffic topic is delayed. A value above the
    maximum response size is never reached.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {replica.fetch.min.bytes: 65536}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {replica.fetch.min.bytes: 1}}
    Good: every batch is larger
        --- kcheck.yaml
        cluster: {brokers: 3, config: {replica.fetch.min.bytes: 2, replica.fetch.wait.max.ms: 6000}}
    """
    least, wait = broker["replica.fetch.min.bytes"], broker["replica.fetch.wait.max.ms"]
    if not least.number > _SMALLEST_BATCH or not wait.number > 0:
        return
    yield broker.finding(
        f"followers wait for {in_bytes(least)} or {in_ms(wait)}",
        at=least,
        because=(wait,),
        breaks="each write with acks=all to a low-traffic broker is delayed by that time",
        fix="set replica.fetch.min.bytes=1 (default)",
        set_to="1",
    )


@rule(
    "KC0336",
    "controlled-shutdown",
    WARNING,
    on=("controlled.shutdown.enable",),
    broker_side=True,
    invariants=("controlled-shutdown",),
)
def controlled_shutdown(broker: Broker) -> Iterator[Finding]:
    """controlled.shutdown.enable=false: a stopping broker does not move its leaders first.

    Every restart is then like a crash: each partition that the broker leads has no leader until its
    session expires, and clients fail meanwhile.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {controlled.shutdown.enable: false}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {controlled.shutdown.enable: true}}
    Good: a single broker
        --- kcheck.yaml
        cluster: {brokers: 1, config: {controlled.shutdown.enable: false}}
    """
    orderly = broker["controlled.shutdown.enable"]
    if orderly.value is not False or broker.cluster.development:
        return
    if broker.cluster.broker_count.number == 1:
        return
    yield broker.finding(
        f"{broker} sets {plain(orderly)}",
        at=orderly,
        breaks="at every restart, the partitions that it leads have no leader until the broker's session "
        "expires",
        fix="remove it: true is the default",
        set_to="true",
    )


@rule(
    "KC0337",
    "leader-rebalance-off",
    INFO,
    on=(_REBALANCE,),
    broker_side=True,
    invariants=("leader-rebalance-off",),
)
def leader_rebalance_off(broker: Broker) -> Iterator[Finding]:
    """Leadership does not return to the preferred replicas.

    After a rolling restart the last broker leads almost no partitions, and the first ones lead the
    rest. With auto.leader.rebalance.enable=false that remains until kafka-leader-election is run. The
    controllers read the key. Correct if Cruise Control or another balancer moves leaders.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {auto.leader.rebalance.enable: false}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {auto.leader.rebalance.enable: true}}
    Good: a balancer moves leaders
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        auto.leader.rebalance.enable=false
        metric.reporters=com.linkedin.kafka.cruisecontrol.metricsreporter.CruiseControlMetricsReporter
    """
    switch = broker[_REBALANCE]
    if switch.value is not False or broker.cluster.broker_count.number == 1:
        return
    if any(
        word in key or word in (setting.text or "").lower()
        for word in _BALANCERS
        for key, setting in broker.merged.items()
    ):
        return
    yield broker.finding(
        f"{broker} sets {plain(switch)}",
        at=switch,
        breaks="after each rolling restart a few brokers lead most partitions until "
        "kafka-leader-election is run",
        fix="remove it: true is the default",
    )


@rule(
    "KC0338",
    "leader-imbalance-percentage-inert",
    WARNING,
    kafka=CHANGED,
    on=(_PERCENTAGE,),
    broker_side=True,
    invariants=("leader-imbalance-percentage-inert",),
    versions="KRaft up to 3.9; from 4.0 upg-removed-keys-present reports it",
)
def leader_imbalance_percentage_inert(broker: Broker) -> Iterator[Finding]:
    """leader.imbalance.per.broker.percentage has no effect in KRaft mode.

    Only the controller in ZooKeeper mode reads leader.imbalance.per.broker.percentage. In KRaft mode
    each check moves every leader back to its preferred replica.

    Bad:
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
        leader.imbalance.per.broker.percentage=25
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        leader.imbalance.per.broker.percentage=25
    """
    threshold, roles = broker[_PERCENTAGE], broker["process.roles"]
    if broker.resource.traits.dump:
        return  # a dump lists every key, set or not
    if not roles.value or broker.version.at_least("4.0"):
        return
    yield broker.finding(
        f"{broker} sets {plain(threshold)} in KRaft mode",
        at=threshold,
        because=(roles,),
        breaks="controllers ignore it: leaders move back to the preferred replicas at any imbalance",
        fix="remove it",
    )
