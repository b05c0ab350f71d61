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


#: HotSpot's longest byte array. The cleaner caps a larger share at two bytes more than that.
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
    """log.cleaner.min.compaction.lag.ms exceeds log.cleaner.max.compaction.lag.ms.

    In a static configuration the broker exits at startup. As dynamic cluster defaults Kafka accepts
    the pair, but then rejects every change of any topic.

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
        f"{in_ms(least)} exceeds {in_ms(most)}",
        at=at,
        because=because,
        breaks="every later change of any topic, and every topic creation with configs, is rejected "
        "(InvalidConfigurationException)"
        if late
        else "the broker exits at startup (InvalidConfigurationException)",
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
)
def cleaner_dedupe_per_thread(broker: Broker | Controller) -> Iterator[Finding]:
    """The log cleaner's dedupe buffer is 1 MiB or less per thread.

    Kafka fails to start, even with the cleaner disabled, and on controllers too.

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
        f"{in_bytes(buffer)} with {plain(threads)} is {size(share)} per thread, but the cleaner "
        f"requires more than {size(_LEAST_DEDUPE)}",
        at=at,
        because=because,
        breaks="Kafka fails to start (IllegalArgumentException)",
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
)
def cleaner_dedupe_ceiling(broker: Broker) -> Iterator[Finding]:
    """The log cleaner's dedupe buffer is 2 GiB or more per thread.

    Each thread allocates its share as one array, capped at 2,147,483,647 bytes, which no JVM can
    allocate: the broker exits at startup. The buffer uses 24 bytes per key at a load factor of 0.9:
    512 MiB per thread hold 20 million keys of one pass.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.cleaner.threads: 1, log.cleaner.dedupe.buffer.size: 4294967296}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.cleaner.threads: 4, log.cleaner.dedupe.buffer.size: 4294967296}}
    Good: the cleaner is disabled
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.cleaner.enable: "false", log.cleaner.dedupe.buffer.size: 4294967296}}
    """
    buffer, threads, share = _dedupe(broker)
    if share is None or share <= _LONGEST_ARRAY or broker["log.cleaner.enable"].value is False:
        return
    yield broker.finding(
        f"{in_bytes(buffer)} with {plain(threads)} is {size(share)} per thread, more than one JVM "
        "array can hold",
        at=buffer,
        because=(threads,),
        breaks='the broker exits at startup: OutOfMemoryError "Requested array size exceeds VM limit"',
        fix="set log.cleaner.dedupe.buffer.size well below 2147483647 per thread "
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
    """log.cleaner.threads=0 leaves the log cleaner without threads.

    Kafka accepts 0 and then divides by it at startup (ArithmeticException). To disable the cleaner,
    set log.cleaner.enable=false.

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
            breaks='Kafka exits at startup: ArithmeticException "/ by zero"',
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
)
def cleaner_disabled_compaction(broker: Broker) -> Iterator[Finding]:
    """The log cleaner is disabled, so compacted topics grow without bound.

    __consumer_offsets and __transaction_state are compacted too: without a cleaner they grow with
    every commit, and brokers take ever longer to load them. The key is deprecated from 4.1.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.cleaner.enable: "false"}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.cleaner.enable: "true"}}
    Good: a release that keeps offsets in ZooKeeper, where that is the default
        --- kcheck.yaml
        cluster: {brokers: 3, kafka_version: "0.8.2", config: {log.cleaner.enable: "false"}}
    """
    enabled = broker["log.cleaner.enable"]
    if enabled.value is False and not broker.version.below("0.9"):
        yield broker.finding(
            f"{plain(enabled)} disables compaction",
            at=enabled,
            breaks="compacted topics, including __consumer_offsets, grow without bound",
            fix="set log.cleaner.enable=true (default)",
            set_to="true",
        )
