"""KC15: exactly-once settings of a Streams application and its inner producers."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Streams
from kcheck.graph.idempotence import IN_FLIGHT, MAX_IN_FLIGHT
from kcheck.model import ERROR, WARNING, Finding
from kcheck.rule import REFUSED, rule
from kcheck.wording import in_ms, plain

#: The default of commit.interval.ms under exactly-once.
_EXACT_INTERVAL = 100


#: Since then Streams compares the two when it starts.
_CHECKED = "3.0"


@rule(
    "KC1501",
    "streams-eos-commit-vs-txn",
    ERROR,
    kafka=REFUSED,
    on=("processing.guarantee",),
    refs=("KIP-447",),
    invariants=("streams-eos-commit-vs-txn",),
    versions="3.0+",
)
def streams_eos_commit_vs_txn(streams: Streams) -> Iterator[Finding]:
    """commit.interval.ms exceeds the transaction timeout under exactly-once.

    Streams rejects a commit.interval.ms above the transaction timeout of its producers: 10 s, or
    producer.transaction.timeout.ms. transaction.timeout.ms without the prefix is not considered.
    commit.interval.ms defaults to 100 ms under exactly-once.

    Bad:
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        streams:
          - name: totals
            config: {application.id: totals, processing.guarantee: exactly_once_v2, commit.interval.ms: 30000}
    Good:
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        streams:
          - name: totals
            config:
              application.id: totals
              processing.guarantee: exactly_once_v2
              commit.interval.ms: 30000
              producer.transaction.timeout.ms: 60000
    Good: no transactions
        --- kcheck.yaml
        streams: [{name: totals, config: {application.id: totals, processing.guarantee: at_least_once, commit.interval.ms: 30000}}]
    """
    commit = streams["commit.interval.ms"]
    if not streams.eos or streams.version.below(_CHECKED):
        return
    interval = commit.number if commit.explicit else _EXACT_INTERVAL
    timeout = streams.client("producer", "transaction.timeout.ms")
    # Kafka's check reads the prefixed key only and assumes its default beside an unprefixed one.
    unread = timeout.explicit and timeout.from_key == "transaction.timeout.ms"
    if not interval > (10_000 if unread else timeout.number):
        return
    limit = (
        "the default of 10 s (only producer.transaction.timeout.ms is considered)"
        if unread
        else in_ms(timeout)
    )
    certain = (
        streams.version.at_least(_CHECKED)
        or streams["processing.guarantee"].value == "exactly_once_v2"
    )
    yield streams.finding(
        f"{streams}: "
        + (in_ms(commit) if commit.explicit else f"commit.interval.ms={_EXACT_INTERVAL} (default)")
        + f" exceeds {limit}",
        at=commit if commit.explicit else timeout,
        because=(*((timeout,) if commit.explicit else ()), streams["processing.guarantee"]),
        breaks=("" if certain else "from Kafka 3.0 ")
        + "the application fails at startup (IllegalArgumentException)",
        fix=f"set producer.transaction.timeout.ms above {int(interval)}"
        + f", or remove commit.interval.ms ({_EXACT_INTERVAL} under exactly-once)"
        * commit.explicit,
        severity=ERROR if certain else WARNING,
    )


@rule(
    "KC1502",
    "streams-eos-inflight",
    ERROR,
    kafka=REFUSED,
    on=(IN_FLIGHT, f"producer.{IN_FLIGHT}"),
    invariants=("streams-eos-inflight",),
)
def streams_eos_inflight(streams: Streams) -> Iterator[Finding]:
    """max.in.flight.requests.per.connection exceeds 5 under exactly-once.

    Streams rejects a higher value under exactly-once.

    Bad:
        --- kcheck.yaml
        streams:
          - name: totals
            config:
              application.id: totals
              processing.guarantee: exactly_once_v2
              producer.max.in.flight.requests.per.connection: 6
    Good:
        --- kcheck.yaml
        streams:
          - name: totals
            config:
              application.id: totals
              processing.guarantee: exactly_once_v2
              producer.max.in.flight.requests.per.connection: 5
    """
    flying = streams.client("producer", IN_FLIGHT)
    if streams.eos and flying.number > MAX_IN_FLIGHT:
        yield streams.finding(
            f"{streams} sets {plain(flying)}, which exceeds 5 under exactly-once",
            at=flying,
            because=(streams["processing.guarantee"],),
            breaks="the application fails at startup (ConfigException: can't exceed 5)",
            fix=f"set {flying.from_key}=5",
            set_to="5",
        )
