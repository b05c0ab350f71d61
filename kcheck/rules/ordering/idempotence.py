"""KC12: what refuses an idempotent producer, and what switches its idempotence off."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Client, Inner, Producer, Streams, Worker
from kcheck.graph.idempotence import IN_FLIGHT, MAX_IN_FLIGHT, weakening
from kcheck.model import ABSENT, ERROR, INFO, WARNING, Finding, Value
from kcheck.rule import CHANGED, REFUSED, rule
from kcheck.rules.shared.transactional import transactional
from kcheck.wording import plain


def _insists(client: Client, asked: Value) -> bool:
    """Whether somebody asks for idempotence, so that it does not give way without a word."""
    if _guarantee(client) is not None:
        return True
    if client.library.identity_asks and not asked.explicit:
        # There a transactional.id asks for it.
        return bool(client["transactional.id"].text)
    return asked.explicit and asked.value is True


def _asking(client: Client, asked: Value) -> Value:
    """The setting by which idempotence is asked for."""
    if asked.explicit:
        return asked
    return _guarantee(client) or client["transactional.id"]


def _guarantee(client: Client) -> Value | None:
    """The setting of a program by which its producers must be idempotent."""
    return transactional(client) if isinstance(client, (Inner, Streams, Worker)) else None


@rule(
    "KC1201",
    "idem-acks",
    ERROR,
    kafka=REFUSED,
    on=("acks", "producer.acks"),
    refs=("KIP-679",),
    invariants=("idem-acks",),
    claims=("S003-48",),
)
def idem_acks(client: Producer | Streams | Worker) -> Iterator[Finding]:
    """An idempotent producer does not wait for all replicas.

    Idempotence is asked for, so Kafka refuses any acks but ``all``.

    Bad:
        --- kcheck.yaml
        producers: [{name: checkout, config: {enable.idempotence: "true", acks: "1"}}]
    Good:
        --- kcheck.yaml
        producers: [{name: checkout, config: {enable.idempotence: "true", acks: all}}]
    Good: acks at its default follows (all, also in 2.8)
        --- kcheck.yaml
        producers: [{name: checkout, config: {enable.idempotence: "true"}}]
    """
    producer = client.inner("producer")
    asked, acks = producer["enable.idempotence"], producer["acks"]
    if not client.library.checks_idempotence or not _insists(client, asked):
        return
    if acks.explicit and acks.known and acks.value not in ("all", "-1"):
        yield client.finding(
            f"{producer} asks for idempotence with {plain(acks)}",
            at=acks,
            because=(_asking(client, asked),),
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
    claims=("S003-46",),
)
def idem_retries(client: Producer | Streams | Worker) -> Iterator[Finding]:
    """An idempotent producer must not retry.

    Idempotence exists to make retries safe; Kafka and librdkafka refuse it with retries=0.

    Bad:
        --- kcheck.yaml
        producers: [{name: checkout, config: {enable.idempotence: "true", retries: 0}}]
    Bad: librdkafka's other name of the key
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
    if not client.library.checks_idempotence or not _insists(client, asked):
        return
    if retries.number == 0:
        yield client.finding(
            f"{producer} asks for idempotence with {plain(retries)}",
            at=retries,
            because=(_asking(client, asked),),
            breaks="the producer cannot be created: retries must be above 0",
            fix="remove retries: its default is unlimited, and delivery.timeout.ms bounds it",
        )


@rule(
    "KC1203",
    "idem-inflight",
    WARNING,
    kafka=REFUSED,
    on=(IN_FLIGHT, "max.in.flight", f"producer.{IN_FLIGHT}"),
    invariants=("idem-inflight",),
    claims=("S003-48",),
    versions="4.0+: refused unless idempotence is off; 3.x: idempotence switched off",
)
def idem_inflight(client: Producer | Streams | Worker) -> Iterator[Finding]:
    """More than five requests in flight are too many for an idempotent producer.

    Where idempotence is asked for, every version refuses that. Where it is on by default, 3.x
    silently switches it off, and from 4.0 the producer refuses to start, even with acks=1 or
    retries=0.

    Bad: asked for
        --- kcheck.yaml
        producers:
          - {name: checkout, config: {enable.idempotence: "true", max.in.flight.requests.per.connection: 6}}
    Bad: refused from 4.0
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        producers: [{name: checkout, config: {max.in.flight.requests.per.connection: 10}}]
    Bad: the version is unknown
        --- kcheck.yaml
        producers: [{name: checkout, config: {max.in.flight.requests.per.connection: 10}}]
    Good:
        --- kcheck.yaml
        producers: [{name: checkout, config: {max.in.flight.requests.per.connection: 5}}]
    Good: idempotence is off
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
    if asked.explicit and not asked.known:
        return
    version = producer.version
    if _insists(client, asked) or version.at_least("4.0"):
        severity, breaks = ERROR, "the producer cannot be created: at most 5 are allowed"
    elif weakening(producer) is not None:
        # Idempotence is off anyway up to 3.x; from 4.0 the producer is refused all the same.
        if version.known:
            return
        severity, breaks = WARNING, "from Kafka 4.0 the producer cannot be created"
    elif version.known:
        severity = WARNING
        breaks = "idempotence is silently switched off: retries may duplicate and reorder records"
    else:
        severity = WARNING
        breaks = (
            "3.x clients silently switch idempotence off (retries may duplicate and reorder "
            "records); from Kafka 4.0 the producer cannot be created"
        )
    yield client.finding(
        f"{producer} keeps up to {flying.text} requests in flight "
        + (
            "and asks for idempotence"
            if asked.explicit
            else "with idempotence at its default"
            + (f" of Kafka {version.minor}" if version.known else " (on from 3.0)")
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
    claims=("S002-32", "S003-42", "S003-46"),
    versions="3.0.1+ (in 3.0.0, 3.1.0 and before 3.0 idempotence is off anyway)",
)
def idem_silent_off(client: Producer | Streams | Worker) -> Iterator[Finding]:
    """A setting switches idempotence off without an error.

    From 3.0.1 a producer is idempotent by default. With acks=0, acks=1 or retries=0, and
    idempotence not asked for, the client only logs a line and goes on without it. retries=0 reads
    like caution and gives up two guarantees; acks=1 is mostly meant, and therefore only a hint.

    Bad:
        --- kcheck.yaml
        producers: [{name: checkout, config: {retries: 0}}]
    Bad: a hint
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        producers: [{name: tracker, config: {acks: "1"}}]
    Good: said in so many words
        --- kcheck.yaml
        producers: [{name: tracker, config: {acks: "1", enable.idempotence: "false"}}]
    Good: nothing to lose in 2.8
        --- kcheck.yaml
        cluster: {client_version: "2.8"}
        producers: [{name: tracker, config: {acks: "1"}}]
    """
    producer = client.inner("producer")
    asked, weak = producer["enable.idempotence"], weakening(producer)
    if not client.java or weak is None or asked.explicit or asked.value is False:
        return
    if asked.origin == ABSENT:
        return  # what runs the client may well have said no
    version = producer.version
    if version.is_patch("3.0.0") or version.is_patch("3.1.0"):
        return
    never = weak.number == 0
    lost = "without an error: retries may duplicate and reorder records"
    if never:
        lost = "without an error: a send that fails once is lost"
    elif weak.value == "0":
        lost = "without an error: nothing is acknowledged, nothing is retried"
    yield client.finding(
        f"{plain(weak)} switches off the idempotence of {producer}"
        + ("" if version.known else " (on by default from Kafka 3.0.1)"),
        at=weak,
        because=(asked,),
        breaks=lost,
        fix="remove retries: delivery.timeout.ms bounds the time to try"
        if never
        else "set acks=all, or enable.idempotence=false if it is meant",
        severity=WARNING if never else INFO,
    )
