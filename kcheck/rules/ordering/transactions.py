"""KC12: transactions, and the timeouts that bound them."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.clients import Inner, Producer, Streams, Worker
from kcheck.graph.cluster import Cluster
from kcheck.graph.idempotence import IN_FLIGHT, MAX_IN_FLIGHT, weakening
from kcheck.graph.resolve import from_default
from kcheck.model import ERROR, WARNING, Finding, Value
from kcheck.rule import FAILED, REFUSED, rule
from kcheck.rules.shared.transactional import transactional
from kcheck.wording import in_ms, plain


@rule(
    "KC1210",
    "txn-needs-idem",
    ERROR,
    kafka=REFUSED,
    on=("transactional.id",),
    invariants=("txn-needs-idem",),
)
def txn_needs_idem(producer: Producer) -> Iterator[Finding]:
    """Idempotence is disabled on a transactional producer.

    Transactions require idempotence (but not the reverse). Kafka rejects a transactional.id with
    enable.idempotence=false, and also with settings that silently disable idempotence: acks=0 or 1,
    retries=0, more than five requests in flight.

    Bad:
        --- kcheck.yaml
        producers: [{name: sink, config: {transactional.id: sink-0, enable.idempotence: "false"}}]
    Bad: disabled by acks
        --- kcheck.yaml
        producers: [{name: sink, config: {transactional.id: sink-0, acks: "1"}}]
    Bad: librdkafka rejects it as well
        --- kcheck.yaml
        producers:
          - name: sink
            client: {library: librdkafka}
            config: {transactional.id: sink-0, enable.idempotence: "false"}
    Good:
        --- kcheck.yaml
        producers: [{name: sink, config: {transactional.id: sink-0, acks: all}}]
    """
    identity, asked = producer["transactional.id"], producer["enable.idempotence"]
    if not producer.library.checks_transactions or transactional(producer) is None:
        return
    flying = producer[IN_FLIGHT]
    if asked.explicit:
        cause = asked if asked.value is False else None
    elif producer.library.identity_asks:
        # It enables idempotence with a transactional.id; the rules of idempotence report the rest.
        cause = None
    else:
        cause = weakening(producer)
        if cause is None and flying.number > MAX_IN_FLIGHT:
            cause = flying
    if cause is None:
        return
    yield producer.finding(
        f"{producer} has a transactional.id, but {plain(cause)} disables its idempotence",
        at=cause,
        because=(identity,),
        breaks="the producer cannot be created: a transactional.id requires idempotence",
        fix=f"remove {cause.key}"
        if cause is not asked
        else "set enable.idempotence=true, or remove transactional.id",
        set_to="true" if cause is asked else None,
    )


@rule(
    "KC1211",
    "txn-timeout-cap",
    ERROR,
    kafka=FAILED,
    invariants=(
        "txn-timeout-cap",
        "txn-timeout-streams-connect-flink",
        "streams-eos-txn-vs-broker",
        "connect-eos-txn-timeout",
    ),
)
def txn_timeout_cap(client: Producer | Streams | Worker) -> Iterator[Finding]:
    """transaction.timeout.ms exceeds the brokers' transaction.max.timeout.ms.

    The transaction coordinator rejects a transaction.timeout.ms above the brokers'
    transaction.max.timeout.ms (15 minutes by default): initTransactions() fails. The same limit
    applies to sinks of stream processors (one hour is common), and to Streams and Connect with
    exactly-once. A warning if the brokers' value, or whether the producer is transactional, is
    unknown.

    Bad: above the default
        --- kcheck.yaml
        cluster: {brokers: 3}
        producers: [{name: sink, config: {transactional.id: sink-0, transaction.timeout.ms: 3600000}}]
    Bad: the default, above a lowered limit
        --- kcheck.yaml
        cluster: {brokers: 3, config: {transaction.max.timeout.ms: 30000}}
        producers: [{name: sink, config: {transactional.id: sink-0}}]
    Bad: a Streams application
        --- kcheck.yaml
        cluster: {brokers: 3}
        streams:
          - name: totals
            config:
              application.id: totals
              processing.guarantee: exactly_once_v2
              producer.transaction.timeout.ms: 1800000
    Bad: the brokers are unknown
        --- kcheck.yaml
        producers: [{name: sink, config: {transactional.id: sink-0, transaction.timeout.ms: 3600000}}]
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {transaction.max.timeout.ms: 3600000}}
        producers: [{name: sink, config: {transactional.id: sink-0, transaction.timeout.ms: 3600000}}]
    Good: at the limit
        --- kcheck.yaml
        cluster: {brokers: 3}
        producers: [{name: sink, config: {transactional.id: sink-0, transaction.timeout.ms: 900000}}]
    Good: no transactions
        --- kcheck.yaml
        cluster: {brokers: 3, config: {transaction.max.timeout.ms: 30000}}
        producers: [{name: checkout}]
    """
    timeout = client.inner("producer")["transaction.timeout.ms"]
    user = transactional(client)
    caps = client.cluster.across("transaction.max.timeout.ms")
    assumed = not caps
    for cap in caps or [_default_cap(client.cluster)]:
        if not timeout.number > cap.number:
            continue
        # A producer inside an application uses transactions only if the application enables them.
        may = isinstance(client, Producer) and not isinstance(client, Inner)
        if user is None and not (timeout.explicit and may):
            continue
        when = "" if user is not None else ", once the producer uses a transactional.id"
        at, *because = written_first(timeout, cap)
        yield client.finding(
            f"{client.inner('producer')}: {in_ms(timeout)} exceeds the brokers' {in_ms(cap)}",
            at=at,
            because=[*because, *((user,) if user is not None else ())],
            breaks="initTransactions() fails (INVALID_TRANSACTION_TIMEOUT: the transaction timeout is "
            "larger than the maximum allowed by the brokers)"
            + when
            + (", unless the brokers' limit is raised" if assumed else ""),
            fix=f"set transaction.max.timeout.ms={int(timeout.number)} on the brokers, or set "
            f"{timeout.from_key} to at most {int(cap.number)}",
            severity=WARNING if assumed or user is None else ERROR,
        )
        return


def _default_cap(cluster: Cluster) -> Value:
    """The brokers' default of transaction.max.timeout.ms."""
    return from_default("transaction.max.timeout.ms", cluster.resource, "broker", cluster.version)


@rule(
    "KC1212",
    "txn-timeout-zero",
    ERROR,
    kafka=FAILED,
    on=("transaction.timeout.ms",),
    invariants=("txn-timeout-cap",),
)
def txn_timeout_zero(producer: Producer) -> Iterator[Finding]:
    """transaction.timeout.ms is 0 or negative.

    The producer accepts a transaction.timeout.ms of 0 or less, but the transaction coordinator rejects
    it, and initTransactions() blocks for max.block.ms before it fails.

    Bad:
        --- kcheck.yaml
        producers: [{name: sink, config: {transactional.id: sink-0, transaction.timeout.ms: 0}}]
    Good:
        --- kcheck.yaml
        producers: [{name: sink, config: {transactional.id: sink-0, transaction.timeout.ms: 60000}}]
    """
    timeout, user = producer["transaction.timeout.ms"], transactional(producer)
    if not timeout.number <= 0:
        return
    yield producer.finding(
        f"{producer} sets {plain(timeout)}",
        at=timeout,
        because=(user,) if user is not None else (),
        breaks="initTransactions() blocks for max.block.ms and fails with TimeoutException",
        fix="remove transaction.timeout.ms (default 60000)",
        set_to="60000",
        severity=ERROR if user is not None else WARNING,
    )


@rule(
    "KC1213",
    "txn-2pc",
    ERROR,
    kafka=REFUSED,
    on=("transaction.two.phase.commit.enable",),
    refs=("KIP-939",),
    invariants=("txn-2pc",),
    versions="4.1+; earlier, the key is unknown and ignored",
)
def txn_2pc(producer: Producer) -> Iterator[Finding]:
    """A two-phase-commit producer has a transaction timeout, or brokers without support for it.

    With transaction.two.phase.commit.enable=true transactions have no timeout, so Kafka rejects an
    explicit transaction.timeout.ms; the brokers must enable two-phase commit too.

    Bad:
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        producers:
          - name: sink
            config: {transaction.two.phase.commit.enable: "true", transaction.timeout.ms: 60000}
    Bad: disabled on the brokers
        --- kcheck.yaml
        cluster: {client_version: "4.1", kafka_version: "4.1", brokers: 3}
        producers: [{name: sink, config: {transaction.two.phase.commit.enable: "true"}}]
    Good:
        --- kcheck.yaml
        cluster:
          client_version: "4.1"
          kafka_version: "4.1"
          brokers: 3
          config: {transaction.two.phase.commit.enable: "true"}
        producers: [{name: sink, config: {transaction.two.phase.commit.enable: "true"}}]
    """
    enabled, timeout = (
        producer["transaction.two.phase.commit.enable"],
        producer["transaction.timeout.ms"],
    )
    if not producer.java or enabled.value is not True or producer.version.below("4.1"):
        return
    if timeout.explicit:
        certain = producer.version.at_least("4.1")
        yield producer.finding(
            f"{producer} enables two-phase commit, but sets {plain(timeout)}",
            at=timeout,
            because=(enabled,),
            breaks=("" if certain else "from Kafka 4.1 ")
            + "the producer cannot be created: the two are mutually exclusive",
            fix="remove transaction.timeout.ms",
            severity=ERROR if certain else WARNING,
        )
        return
    everywhere = producer.cluster.across("transaction.two.phase.commit.enable")
    refusing = next((allowed for allowed in everywhere if allowed.value is False), None)
    if refusing is not None:
        yield producer.finding(
            f"{producer} enables two-phase commit, but the brokers have {plain(refusing)}",
            at=enabled,
            because=(refusing,),
            breaks="initTransactions() fails with TransactionalIdAuthorizationException",
            fix="set transaction.two.phase.commit.enable=true on the brokers",
            severity=WARNING,
        )
