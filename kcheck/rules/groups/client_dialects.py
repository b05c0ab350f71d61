"""KC09: group members with other client libraries than Java's, or with old Java clients."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.clients import Client, Consumer
from kcheck.model import ERROR, Finding, Value
from kcheck.rule import REFUSED, rule
from kcheck.wording import in_ms, plain


@rule(
    "KC0913",
    "request-timeout-vs-session",
    ERROR,
    kafka=REFUSED,
    on=("session.timeout.ms", "request.timeout.ms"),
    refs=("KIP-62", "KIP-266"),
    invariants=("join-request-timeout",),
    versions="clients before 2.0",
)
def request_timeout_vs_session(consumer: Consumer) -> Iterator[Finding]:
    """An old consumer's request.timeout.ms is not greater than its session.timeout.ms.

    Up to 1.1 Java's consumer requires request.timeout.ms above session.timeout.ms and above
    fetch.max.wait.ms; otherwise it cannot be created. The defaults are 40 s and a session of 30 s in
    0.9 and 0.10.0, and 305 s and 10 s from 0.10.1. From 2.0 a JoinGroup request may take as long as
    necessary.

    Bad: only the session timeout is raised
        --- kcheck.yaml
        cluster: {client_version: "0.9.0"}
        consumers: [{name: work, config: {group.id: work, session.timeout.ms: 60000}}]
    Bad:
        --- kcheck.yaml
        cluster: {client_version: "1.1"}
        consumers: [{name: work, config: {group.id: work, session.timeout.ms: 60000, request.timeout.ms: 60000}}]
    Good:
        --- kcheck.yaml
        cluster: {client_version: "0.9.0"}
        consumers: [{name: work, config: {group.id: work, session.timeout.ms: 60000, request.timeout.ms: 70000}}]
    Good: five minutes by default
        --- kcheck.yaml
        cluster: {client_version: "1.0"}
        consumers: [{name: work, config: {group.id: work, session.timeout.ms: 60000}}]
    Good: no such check from 2.0
        --- kcheck.yaml
        cluster: {client_version: "2.0"}
        consumers: [{name: work, config: {group.id: work, session.timeout.ms: 60000}}]
    """
    session, request = consumer["session.timeout.ms"], consumer["request.timeout.ms"]
    version = consumer.version
    if not consumer.java or not version.below("2.0"):
        return
    if not request.explicit:
        request = _defaulted(request, 40_000 if version.below("0.10.1") else 305_000)
    if not session.explicit:
        session = _defaulted(session, 30_000 if version.below("0.10.1") else 10_000)
    if request.number <= session.number:
        at, *because = written_first(session, request)
        yield consumer.finding(
            f"{consumer}: {in_ms(request)} is not greater than {in_ms(session)}",
            at=at,
            because=because,
            breaks="the consumer cannot be created: request.timeout.ms should be greater than "
            "session.timeout.ms and fetch.max.wait.ms",
            fix=f"set request.timeout.ms above {int(session.number)}",
        )


def _defaulted(value: Value, default: int) -> Value:
    """The value with a default from before the catalogue."""
    return Value(value.key, value.resource, value.origin, str(default), default, True)


@rule(
    "KC0929",
    "kafka-python-refusals",
    ERROR,
    invariants=("kafka-python-refusals",),
    versions="kafka-python 1.4–3.0",
)
def kafka_python_refusals(client: Client) -> Iterator[Finding]:
    """kafka-python rejects the timeouts of a client.

    Its consumer requires fetch_max_wait_ms < request_timeout_ms < connections_max_idle_ms; its
    producer requires, from 2.2, delivery_timeout_ms of at least linger_ms + request_timeout_ms.

    Bad:
        --- kcheck.yaml
        consumers:
          - {name: work, client: {library: kafka-python, version: "3.0"}, config: {group_id: work, request_timeout_ms: 600000}}
    Bad: a producer
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: kafka-python, version: "3.0"}, config: {delivery_timeout_ms: 20000}}
    Good:
        --- kcheck.yaml
        consumers:
          - name: work
            client: {library: kafka-python, version: "3.0"}
            config: {group_id: work, request_timeout_ms: 600000, connections_max_idle_ms: 900000}
    Good: at the bound
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: kafka-python, version: "3.0"}, config: {linger_ms: 0, delivery_timeout_ms: 30000}}
    """
    if not client.library.checks_as_kafka_python:
        return
    request = client["request.timeout.ms"]
    pairs: list[tuple[Value, Value]] = []
    if isinstance(client, Consumer):
        pairs = [
            (client["fetch.max.wait.ms"], request),
            (request, client["connections.max.idle.ms"]),
        ]
    for low, high in pairs:
        if low.number >= high.number:
            at, *because = written_first(low, high)
            yield client.finding(
                f"{client}: {in_ms(high)} is not greater than {in_ms(low)}",
                at=at,
                because=because,
                breaks="the client cannot be created (KafkaConfigurationError)",
                fix="keep fetch_max_wait_ms < request_timeout_ms < connections_max_idle_ms",
            )
            return
    delivery, linger = client["delivery.timeout.ms"], client["linger.ms"]
    if delivery.number < linger.number + request.number:
        at, *because = written_first(delivery, request, linger)
        yield client.finding(
            f"{client}: {in_ms(delivery)} is less than {plain(linger)} + {in_ms(request)}",
            at=at,
            because=because,
            breaks="the client cannot be created: delivery_timeout_ms must be higher than "
            "linger_ms + request_timeout_ms",
            fix=f"set delivery_timeout_ms to at least {int(linger.number + request.number)}",
        )
