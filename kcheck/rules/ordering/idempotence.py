"""KC12: settings that an idempotent producer rejects, and settings that disable idempotence."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Client, Inner, Producer, Streams, Worker
from kcheck.graph.idempotence import IN_FLIGHT, MAX_IN_FLIGHT, weakening
from kcheck.model import ABSENT, ERROR, INFO, WARNING, Finding, Value
from kcheck.rule import CHANGED, REFUSED, rule
from kcheck.rules.shared.transactional import transactional
from kcheck.wording import plain


def _requires(client: Client, asked: Value) -> bool:
    """Whether idempotence is required explicitly, so that it is not disabled silently."""
    if _guarantee(client) is not None:
        return True
    if client.library.identity_asks and not asked.explicit:
        # There a transactional.id requires it.
        return bool(client["transactional.id"].text)
    return asked.explicit and asked.value is True


def _requirement(client: Client, asked: Value) -> Value:
    """The setting that requires idempotence."""
    if asked.explicit:
        return asked
    return _guarantee(client) or client["transactional.id"]


def _guarantee(client: Client) -> Value | None:
    """The setting of an application that makes its producers idempotent."""
    return transactional(client) if isinstance(client, (Inner, Streams, Worker)) else None


@rule(
    "KC1201",
    "idem-acks",
    ERROR,
    kafka=REFUSED,
    on=("acks", "producer.acks"),
    refs=("KIP-679",),
    invariants=("idem-acks",),
)
def idem_acks(client: Producer | Streams | Worker) -> Iterator[Finding]:
    """An idempotent producer does not use acks=all.

    If idempotence is required explicitly, Kafka rejects any acks but ``all``.

    Bad:
        --- kcheck.yaml
        producers: [{name: checkout, config: {enable.idempotence: "true", acks: "1"}}]
    Good:
        --- kcheck.yaml
        producers: [{name: checkout, config: {enable.idempotence: "true", acks: all}}]
    Good: the default of acks is all then, also in 2.8
        --- kcheck.yaml
        producers: [{name: checkout, config: {enable.idempotence: "true"}}]
    """
    producer = client.inner("producer")
    asked, acks = producer["enable.idempotence"], producer["acks"]
    if not client.library.checks_idempotence or not _requires(client, asked):
        return
    if acks.explicit and acks.known and acks.value not in ("all", "-1"):
        yield client.finding(
            f"{producer} requires idempotence, but has {plain(acks)}",
            at=acks,
            because=(_requirement(client, asked),),
            breaks="the producer cannot be created: acks must be all",
            fix="set acks=all",
            set_to="all",
        )


@rule(
    "KC1202",
    "idem-retries",
    ERROR,
    kafka=REFUSED,
    on=("retries", "message.send.max.retries", "producer.retries"),
    invariants=("idem-retries",),
)
def idem_retries(client: Producer | Streams | Worker) -> Iterator[Finding]:
    """An idempotent producer has retries=0.

    Idempotence makes retries safe; Kafka and librdkafka reject it with retries=0.

    Bad:
        --- kcheck.yaml
        producers: [{name: checkout, config: {enable.idempotence: "true", retries: 0}}]
    Bad: librdkafka's alias of the key
        --- kcheck.yaml
        producers:
          - name: agent
            client: {library: librdkafka}
            config: {enable.idempotence: "true", message.send.max.retries: 0}
    Good:
        --- kcheck.yaml
        producers: [{name: checkout, config: {enable.idempotence: "true"}}]
    """
    producer = client.inner("producer")
    asked, retries = producer["enable.idempotence"], producer["retries"]
    if not client.library.checks_idempotence or not _requires(client, asked):
        return
    if retries.number == 0:
        yield client.finding(
            f"{producer} requires idempotence, but has {plain(retries)}",
            at=retries,
            because=(_requirement(client, asked),),
            breaks="the producer cannot be created: retries must be greater than 0",
            fix="remove retries: the default is unlimited, and delivery.timeout.ms bounds it",
        )


@rule(
    "KC1203",
    "idem-inflight",
    WARNING,
    kafka=REFUSED,
    on=(IN_FLIGHT, "max.in.flight", f"producer.{IN_FLIGHT}"),
    invariants=("idem-inflight",),
    versions="4.0+: rejected unless idempotence is disabled; 3.x: idempotence is disabled",
)
def idem_inflight(client: Producer | Streams | Worker) -> Iterator[Finding]:
    """An idempotent producer allows more than five requests in flight.

    If idempotence is required explicitly, every version rejects that. If it is enabled by default,
    3.x silently disables it, and from 4.0 the producer fails to start, even with acks=1 or
    retries=0.

    Bad: idempotence is required explicitly
        --- kcheck.yaml
        producers:
          - {name: checkout, config: {enable.idempotence: "true", max.in.flight.requests.per.connection: 6}}
    Bad: rejected from 4.0
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        producers: [{name: checkout, config: {max.in.flight.requests.per.connection: 10}}]
    Bad: the version is unknown
        --- kcheck.yaml
        producers: [{name: checkout, config: {max.in.flight.requests.per.connection: 10}}]
    Good:
        --- kcheck.yaml
        producers: [{name: checkout, config: {max.in.flight.requests.per.connection: 5}}]
    Good: idempotence is disabled
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        producers:
          - {name: tracker, config: {enable.idempotence: "false", max.in.flight.requests.per.connection: 10}}
    Good: 2.8 has no idempotence by default
        --- kcheck.yaml
        cluster: {client_version: "2.8"}
        producers: [{name: checkout, config: {max.in.flight.requests.per.connection: 10}}]
    """
    producer = client.inner("producer")
    asked, flying = producer["enable.idempotence"], producer[IN_FLIGHT]
    if not client.library.checks_idempotence:
        return
    if not flying.number > MAX_IN_FLIGHT or asked.value is False:
        return
    # Of Kafka's own client the version tells the default; of others only their catalogue does.
    if not asked.known and (asked.explicit or client.library.default_of):
        return
    if asked.origin == ABSENT and client.library.java:
        return  # something that is not read may set it
    version = producer.version
    if _requires(client, asked) or version.at_least("4.0"):
        severity, breaks = ERROR, "the producer cannot be created: at most 5 are allowed"
    elif weakening(producer) is not None:
        # Idempotence is disabled anyway up to 3.x; from 4.0 the producer is rejected all the same.
        if version.below("4.0"):
            return
        severity, breaks = WARNING, "from Kafka 4.0 the producer cannot be created"
    elif version.below("4.0"):
        severity = WARNING
        breaks = "idempotence is silently disabled: retries may duplicate and reorder records"
    else:
        severity = WARNING
        breaks = (
            "3.x clients silently disable idempotence (retries may duplicate and reorder records); "
            "from Kafka 4.0 the producer cannot be created"
        )
    yield client.finding(
        f"{producer} allows {flying.text} requests in flight, but "
        + (
            "requires idempotence"
            if asked.explicit
            else "idempotence is enabled by default "
            + (f"in Kafka {version.minor}" if version.known else "from Kafka 3.0 on")
        ),
        at=flying,
        because=(asked,),
        breaks=breaks,
        fix=f"set {flying.key} to at most 5, or enable.idempotence=false",
        set_to="5",
        severity=severity,
    )


@rule(
    "KC1204",
    "idem-silent-off",
    WARNING,
    kafka=CHANGED,
    on=("acks", "retries", "producer.acks", "producer.retries"),
    refs=("KIP-679",),
    invariants=("idem-silent-off",),
    versions="3.0.1+ (in 3.0.0, 3.1.0 and before 3.0 idempotence is disabled anyway)",
)
def idem_silent_off(client: Producer | Streams | Worker) -> Iterator[Finding]:
    """A setting disables idempotence without an error.

    From 3.0.1 a producer is idempotent by default. With acks=0, acks=1 or retries=0, and without
    enable.idempotence=true, the client only logs a line and continues without idempotence. retries=0
    seems cautious, but loses two guarantees; acks=1 is mostly intended, and is therefore only an
    info.

    Bad:
        --- kcheck.yaml
        producers: [{name: checkout, config: {retries: 0}}]
    Bad: an info
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        producers: [{name: tracker, config: {acks: "1"}}]
    Good: idempotence is disabled explicitly
        --- kcheck.yaml
        producers: [{name: tracker, config: {acks: "1", enable.idempotence: "false"}}]
    Good: 2.8 has no idempotence by default
        --- kcheck.yaml
        cluster: {client_version: "2.8"}
        producers: [{name: tracker, config: {acks: "1"}}]
    """
    producer = client.inner("producer")
    asked, weak = producer["enable.idempotence"], weakening(producer)
    if not client.java or weak is None or asked.explicit or asked.value is False:
        return
    if asked.origin == ABSENT:
        return  # the framework of the client may have disabled it
    version = producer.version
    if version.is_patch("3.0.0") or version.is_patch("3.1.0"):
        return
    never = weak.number == 0
    lost = "no error is reported, and retries may duplicate and reorder records"
    if never:
        lost = "no error is reported, and a record whose send fails once is lost"
    elif weak.value == "0":
        lost = "no error is reported, and records are neither acknowledged nor retried"
    yield client.finding(
        f"{plain(weak)} disables the idempotence of {producer}"
        + ("" if version.at_least("3.0.1") else " (on by default from Kafka 3.0.1)"),
        at=weak,
        because=(asked,),
        breaks=lost,
        fix="remove retries: delivery.timeout.ms bounds the retries"
        if never
        else "set acks=all, or enable.idempotence=false if this is intended",
        severity=WARNING if never else INFO,
    )
