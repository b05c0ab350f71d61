"""KC07: the log cleaner, its threads and its buffers."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ERROR, WARNING, Finding, Value
from kcheck.rule import FAILED, REFUSED, rule
from kcheck.units import in_bytes as size
from kcheck.wording import in_bytes, in_ms, plain

_LEAST_DEDUPE = 1 << 20


#: HotSpot's longest byte array. The cleaner cuts a larger share to two bytes more than that.
_LONGEST_ARRAY = 2**31 - 3


@rule(
    "KC0722",
    "cleaner-lag-order-broker",
    ERROR,
    kafka=REFUSED,
    broker_side=True,
    on=("log.cleaner.min.compaction.lag.ms", "log.cleaner.max.compaction.lag.ms"),
    invariants=(
        "cleaner-lag-order-broker",
        "lag-order-dynamic",
    ),
)
def cleaner_lag_order_broker(broker: Broker) -> Iterator[Finding]:
    """The brokers' smallest compaction lag is above their largest.

    In a file the broker exits at start. As dynamic defaults of the cluster Kafka takes the pair,
    and refuses from then on every change of any topic.

    Bad:
        --- kcheck.yaml
        cluster:
          brokers: 3
          config: {log.cleaner.min.compaction.lag.ms: 7200000, log.cleaner.max.compaction.lag.ms: 3600000}
    Bad: at run time
        --- kcheck.yaml
        cluster:
          brokers: 3
          dynamic_config: {log.cleaner.min.compaction.lag.ms: 100, log.cleaner.max.compaction.lag.ms: 50}
    Good:
        --- kcheck.yaml
        cluster:
          brokers: 3
          config: {log.cleaner.min.compaction.lag.ms: 3600000, log.cleaner.max.compaction.lag.ms: 7200000}
    """
    least = broker["log.cleaner.min.compaction.lag.ms"]
    most = broker["log.cleaner.max.compaction.lag.ms"]
    if not least.number > most.number:
        return
    shared = broker.cluster.declaration
    dynamic = {**(shared.dynamic if shared else {}), **broker.resource.dynamic}
    late = least.key in dynamic or most.key in dynamic
    at, *because = written_first(least, most)
    yield broker.finding(
        f"{in_ms(least)} is above {in_ms(most)}",
        at=at,
        because=because,
        breaks="every later change of any topic, and each create with settings, is refused "
        "(InvalidConfigurationException)"
        if late
        else "the broker exits at start (InvalidConfigurationException)",
        fix=f"set {least.key} to at most {int(most.number)}",
    )


@rule(
    "KC0727",
    "cleaner-dedupe-per-thread",
    ERROR,
    kafka=REFUSED,
    broker_side=True,
    on=("log.cleaner.dedupe.buffer.size", "log.cleaner.threads"),
    invariants=("cleaner-dedupe-per-thread",),
    claims=("S002-48",),
)
def cleaner_dedupe_per_thread(broker: Broker | Controller) -> Iterator[Finding]:
    """The cleaner's threads get 1 MiB or less each.

    Kafka refuses to start, even with the cleaner switched off and on controllers.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.cleaner.dedupe.buffer.size: 4194304, log.cleaner.threads: 4}}
    Bad: too many threads for the default of 128 MiB
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.cleaner.threads: 128}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.cleaner.dedupe.buffer.size: 134217728, log.cleaner.threads: 4}}
    """
    buffer, threads, share = _dedupe(broker)
    if share is None or share > _LEAST_DEDUPE:
        return
    at, *because = written_first(buffer, threads)
    yield broker.finding(
        f"{in_bytes(buffer)} over {plain(threads)} are {size(share)} per thread, not above "
        f"{size(_LEAST_DEDUPE)}",
        at=at,
        because=because,
        breaks="Kafka refuses to start (IllegalArgumentException)",
        fix=f"set log.cleaner.dedupe.buffer.size above {int(threads.number) * _LEAST_DEDUPE}",
    )


def _dedupe(broker: Broker) -> tuple[Value, Value, int | None]:
    """The cleaner's buffer, its threads, and the share of each in bytes where both are known."""
    buffer, threads = broker["log.cleaner.dedupe.buffer.size"], broker["log.cleaner.threads"]
    share = (
        int(buffer.number) // int(threads.number) if buffer.known and threads.number > 0 else None
    )
    return buffer, threads, share


@rule(
    "KC0728",
    "cleaner-dedupe-ceiling",
    ERROR,
    kafka=FAILED,
    broker_side=True,
    on=("log.cleaner.dedupe.buffer.size",),
    invariants=("cleaner-dedupe-ceiling", "cleaner-map-capacity"),
    claims=("S002-48",),
)
def cleaner_dedupe_ceiling(broker: Broker) -> Iterator[Finding]:
    """A cleaner thread gets 2 GiB or more.

    Each thread allocates its share in one array, cut to 2,147,483,647 bytes, which no JVM can
    allocate: the broker exits at start. 24 bytes per key and a load factor of 0.9 are what the
    buffer is for: 512 MiB per thread hold 20 million keys of one pass.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.cleaner.threads: 1, log.cleaner.dedupe.buffer.size: 4294967296}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.cleaner.threads: 4, log.cleaner.dedupe.buffer.size: 4294967296}}
    Good: there is no cleaner
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.cleaner.enable: "false", log.cleaner.dedupe.buffer.size: 4294967296}}
    """
    buffer, threads, share = _dedupe(broker)
    if share is None or share <= _LONGEST_ARRAY or broker["log.cleaner.enable"].value is False:
        return
    yield broker.finding(
        f"{in_bytes(buffer)} over {plain(threads)} are {size(share)} per thread",
        at=buffer,
        because=(threads,),
        breaks='the broker exits at start: OutOfMemoryError "Requested array size exceeds VM limit"',
        fix="set log.cleaner.dedupe.buffer.size well below 2147483647 for each thread "
        "(536870912 holds 20 million keys)",
    )


@rule(
    "KC0729",
    "cleaner-threads-zero",
    ERROR,
    kafka=REFUSED,
    broker_side=True,
    on=("log.cleaner.threads",),
    invariants=("cleaner-threads-zero",),
)
def cleaner_threads_zero(broker: Broker | Controller) -> Iterator[Finding]:
    """The cleaner has no threads.

    The key takes 0, and Kafka then divides by it at start (ArithmeticException). To switch the
    cleaner off is what log.cleaner.enable=false is for.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.cleaner.threads: 0}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.cleaner.threads: 1}}
    """
    threads = broker["log.cleaner.threads"]
    if threads.number == 0:
        yield broker.finding(
            f"{plain(threads)} leaves the log cleaner without threads",
            at=threads,
            breaks='Kafka exits at start: ArithmeticException "/ by zero"',
            fix="set log.cleaner.threads=1 (default)",
            set_to="1",
        )


@rule(
    "KC0730",
    "cleaner-disabled-compaction",
    WARNING,
    broker_side=True,
    on=("log.cleaner.enable",),
    invariants=("cleaner-disabled-compaction",),
    claims=("S002-50", "S004-45"),
)
def cleaner_disabled_compaction(broker: Broker) -> Iterator[Finding]:
    """The log cleaner is off, so compacted topics only grow.

    __consumer_offsets and __transaction_state are compacted too: without a cleaner they grow with
    every commit, and brokers take ever longer to load them. The key is deprecated from 4.1.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.cleaner.enable: "false"}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.cleaner.enable: "true"}}
    """
    enabled = broker["log.cleaner.enable"]
    if enabled.value is False:
        yield broker.finding(
            f"{plain(enabled)} switches compaction off",
            at=enabled,
            breaks="compacted topics, __consumer_offsets among them, grow without bound",
            fix="set log.cleaner.enable=true (default)",
            set_to="true",
        )
