"""KC09: sessions and heartbeats of group members, against each other and against brokers."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.clients import Client, Consumer, Inner, Streams, Worker
from kcheck.graph.nodes import Broker
from kcheck.graph.resolve import from_default
from kcheck.model import ERROR, INFO, WARNING, Finding, Value
from kcheck.rule import FAILED, REFUSED, rule
from kcheck.rules.shared.ranges import possible, spread
from kcheck.wording import in_ms

_SESSION_KEYS = (
    "session.timeout.ms",
    "heartbeat.interval.ms",
    "consumer.session.timeout.ms",
    "consumer.heartbeat.interval.ms",
    "main.consumer.session.timeout.ms",
    "main.consumer.heartbeat.interval.ms",
)


def member(client: Client) -> Client:
    """The part of the client that is a group member: a worker is one itself."""
    return client if isinstance(client, Worker) else client.inner("consumer")


def _members(client: Client) -> list[Client]:
    """All parts of the client that are group members: a worker's sink consumers are, too."""
    own = member(client)
    return [own, own.inner("consumer")] if isinstance(own, Worker) else [own]


def in_group(client: Client) -> bool:
    """Whether the client is known to be in a group: a consumer requires a group.id."""
    if isinstance(client, Inner):
        return client.member
    if not isinstance(client, Consumer):
        return True
    identity = client["group.id"]
    # Up to 3.9 the empty group.id is valid, too.
    return identity.explicit and (identity.text != "" or client.version.below("4.0"))


def classic(client: Client) -> bool:
    """Whether the client's own session keys apply: in the newer protocols the brokers' do."""
    if client.resource.plane == "share-consumer":
        return False
    if isinstance(client, Inner) and not client.member:
        return False  # It assigns its own partitions.
    protocol = client["group.protocol"]
    if client.java and client.version.below("3.7"):
        return True  # The key does not exist yet.
    return not protocol.explicit or str(protocol.value).lower() == "classic"


def _known_or_default(client: Client, key: str) -> list[Value]:
    """The brokers' values of a key; Kafka's default where the brokers are unknown."""
    cluster = client.cluster
    if cluster.brokers_known:
        return cluster.across(key)
    return [from_default(key, cluster.resource, "broker", cluster.version)]


@rule(
    "KC0901",
    "session-in-broker-bounds",
    ERROR,
    kafka=FAILED,
    invariants=(
        "session-in-broker-bounds",
        "session-default",
        "connect-heartbeat-session",
        "session-max-below-default",
    ),
    versions="the clients' default is 10,000 ms up to 2.8 and 45,000 ms from 3.0",
)
def session_in_broker_bounds(client: Consumer | Streams | Worker) -> Iterator[Finding]:
    """session.timeout.ms is outside the brokers' bounds.

    The coordinator rejects the member (InvalidSessionTimeoutException) unless
    group.min.session.timeout.ms ≤ session.timeout.ms ≤ group.max.session.timeout.ms. Brokers that
    allow less than 45 s lock out every Java client of 3.0 and newer that uses the default. Connect
    workers (10 s) are members as well; the consumer protocol has its own bounds.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {group.max.session.timeout.ms: 30000}}
        consumers: [{name: mailer, config: {group.id: mailer, session.timeout.ms: 35000}}]
    Bad: below the brokers' default
        --- kcheck.yaml
        cluster: {brokers: 3}
        consumers: [{name: mailer, config: {group.id: mailer, session.timeout.ms: 5000}}]
    Bad: the default of the clients
        --- kcheck.yaml
        cluster: {client_version: "3.9", brokers: 3, config: {group.max.session.timeout.ms: 30000}}
        consumers: [{name: mailer, config: {group.id: mailer}}]
    Bad: the brokers are unknown
        --- kcheck.yaml
        consumers: [{name: mailer, config: {group.id: mailer, session.timeout.ms: 3000}}]
    Bad: the consumer of a sink connector
        --- kcheck.yaml
        cluster: {brokers: 3}
        connectors:
          - name: files
            config:
              connector.class: FileStreamSink
              topics: orders
              consumer.override.session.timeout.ms: 3000
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {group.max.session.timeout.ms: 60000}}
        consumers: [{name: mailer, config: {group.id: mailer, session.timeout.ms: 35000}}]
    Good: the consumer protocol
        --- kcheck.yaml
        cluster: {client_version: "4.1", brokers: 3, config: {group.max.session.timeout.ms: 30000}}
        consumers: [{name: mailer, config: {group.id: mailer, group.protocol: consumer}}]
    Good: no known group
        --- kcheck.yaml
        cluster: {client_version: "3.9", brokers: 3, config: {group.max.session.timeout.ms: 30000}}
        consumers: [{name: reader}]
    """
    session = member(client)["session.timeout.ms"]
    if not classic(client) or not (session.explicit or in_group(client)):
        return
    wanted = possible(session)
    for key, below in (
        ("group.min.session.timeout.ms", True),
        ("group.max.session.timeout.ms", False),
    ):
        for bound in _known_or_default(client, key):
            refused = [n for n in wanted if (n < bound.number if below else n > bound.number)]
            if not refused:
                continue
            assumed = not client.cluster.brokers_known
            some = len(refused) < len(wanted)
            at, *because = written_first(session, bound)
            yield client.finding(
                f"{client} has {spread(session)}, but the brokers allow at "
                f"{'least' if below else 'most'} {in_ms(bound)}",
                at=at,
                because=because,
                breaks="the group coordinator rejects the member: InvalidSessionTimeoutException"
                + (f", with the default of {int(min(refused)):,} ms" if some else "")
                + (", unless the brokers set another bound" if assumed else "")
                + ("" if in_group(client) else ", once it has a group.id"),
                fix=f"set session.timeout.ms to at {'least' if below else 'most'} "
                f"{int(bound.number)}, or {'lower' if below else 'raise'} {key} on the brokers",
                set_to=str(int(bound.number)) if at is session else None,
                severity=WARNING if some or assumed or not in_group(client) else ERROR,
            )
            return


@rule(
    "KC0902",
    "classic-session-bounds",
    ERROR,
    kafka=FAILED,
    broker_side=True,
    on=("group.min.session.timeout.ms", "group.max.session.timeout.ms"),
    invariants=("classic-session-bounds",),
)
def classic_session_bounds(broker: Broker) -> Iterator[Finding]:
    """group.min.session.timeout.ms exceeds group.max.session.timeout.ms.

    Kafka does not compare the two keys; with the minimum above the maximum every member of the
    classic protocol is rejected.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {group.min.session.timeout.ms: 60000, group.max.session.timeout.ms: 30000}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {group.min.session.timeout.ms: 6000, group.max.session.timeout.ms: 30000}}
    """
    low, high = broker["group.min.session.timeout.ms"], broker["group.max.session.timeout.ms"]
    if not low.number > high.number:
        return
    at, *because = written_first(low, high)
    yield broker.finding(
        f"{in_ms(low)} exceeds {in_ms(high)}",
        at=at,
        because=because,
        breaks="every member of a classic group is rejected: InvalidSessionTimeoutException",
        fix="set group.min.session.timeout.ms=6000 and group.max.session.timeout.ms=1800000 (defaults)",
    )


@rule(
    "KC0903",
    "heartbeat-lt-session",
    ERROR,
    kafka=REFUSED,
    on=_SESSION_KEYS,
    invariants=("heartbeat-lt-session", "connect-heartbeat-session", "streams-session"),
)
def heartbeat_lt_session(client: Consumer | Streams | Worker) -> Iterator[Finding]:
    """heartbeat.interval.ms is not less than session.timeout.ms.

    Java rejects this when the client is created with a group.id. Other clients start, but are
    repeatedly removed from the group.

    Bad:
        --- kcheck.yaml
        consumers:
          - {name: work, config: {group.id: work, session.timeout.ms: 10000, heartbeat.interval.ms: 10000}}
    Bad: the default heartbeat of 3 s
        --- kcheck.yaml
        consumers: [{name: work, config: {group.id: work, session.timeout.ms: 3000}}]
    Bad: the default session was 10 s up to 2.8
        --- kcheck.yaml
        consumers: [{name: work, config: {group.id: work, heartbeat.interval.ms: 15000}}]
    Good:
        --- kcheck.yaml
        consumers:
          - {name: work, config: {group.id: work, session.timeout.ms: 30000, heartbeat.interval.ms: 3000}}
    Good: 45 s from 3.0
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        consumers: [{name: work, config: {group.id: work, heartbeat.interval.ms: 15000}}]
    """
    if classic(client):
        for own in _members(client):
            yield from _too_slow(client, own)


def _too_slow(client: Client, own: Client) -> Iterator[Finding]:
    session, heartbeat = own["session.timeout.ms"], own["heartbeat.interval.ms"]
    sessions = possible(session)
    refused = [number for number in sessions if heartbeat.number >= number]
    if not refused:
        return
    some = len(refused) < len(sessions)
    at, *because = written_first(heartbeat, session)
    yield client.finding(
        f"{client}: {in_ms(heartbeat)} is not less than {spread(session)}",
        at=at,
        because=because,
        breaks=(
            "the client cannot be created: the heartbeat must be lower than the session timeout"
            if client.java
            else "the member's session expires before its heartbeat arrives: endless rebalances"
        )
        + (f" (with the default of {int(min(refused)):,} ms, up to Kafka 2.8)" if some else "")
        + ("" if in_group(client) else ", once it has a group.id"),
        fix=f"set heartbeat.interval.ms to at most a third of session.timeout.ms: {int(min(sessions)) // 3}",
        set_to=str(int(min(sessions)) // 3) if at is heartbeat else None,
        severity=WARNING if some or not in_group(client) else ERROR,
    )


@rule(
    "KC0904",
    "heartbeat-third",
    WARNING,
    on=_SESSION_KEYS,
    invariants=("heartbeat-third",),
)
def heartbeat_third(client: Consumer | Streams | Worker) -> Iterator[Finding]:
    """heartbeat.interval.ms exceeds a third of session.timeout.ms.

    Kafka recommends at most a third, so that two heartbeats may be lost. Above half, one lost
    heartbeat ends the session.

    Bad:
        --- kcheck.yaml
        consumers: [{name: work, config: {group.id: work, session.timeout.ms: 10000, heartbeat.interval.ms: 6000}}]
    Bad: above a third
        --- kcheck.yaml
        consumers: [{name: work, config: {group.id: work, session.timeout.ms: 10000, heartbeat.interval.ms: 4000}}]
    Good:
        --- kcheck.yaml
        consumers: [{name: work, config: {group.id: work, session.timeout.ms: 9000}}]
    Good: the session's default may be 45 s
        --- kcheck.yaml
        consumers: [{name: work, config: {group.id: work, heartbeat.interval.ms: 5000}}]
    """
    own = member(client)
    session, heartbeat = own["session.timeout.ms"], own["heartbeat.interval.ms"]
    sessions = possible(session)
    if not sessions or not classic(client):
        return
    if heartbeat.number >= min(sessions) or not heartbeat.number * 3 > max(sessions):
        return
    at, *because = written_first(heartbeat, session)
    one = heartbeat.number * 2 > max(sessions)
    yield client.finding(
        f"{client}: {in_ms(heartbeat)} exceeds {'half' if one else 'a third'} of {spread(session)}",
        at=at,
        because=because,
        breaks=f"{'one lost heartbeat ends' if one else 'two lost heartbeats end'} the session: "
        "unnecessary rebalances",
        fix=f"set heartbeat.interval.ms to at most {int(max(sessions)) // 3}",
        set_to=str(int(max(sessions)) // 3) if at is heartbeat else None,
        severity=WARNING if one else INFO,
    )


@rule(
    "KC0905",
    "poll-interval-vs-session",
    INFO,
    on=("max.poll.interval.ms", "session.timeout.ms"),
    invariants=("poll-interval-vs-session",),
    versions="librdkafka rejects it, see KC0950; Java accepts it",
)
def poll_interval_vs_session(consumer: Consumer) -> Iterator[Finding]:
    """max.poll.interval.ms is less than session.timeout.ms.

    max.poll.interval.ms is also how long a rebalance waits for a member. Below session.timeout.ms a
    slow poll removes the member while its session is still valid. librdkafka rejects the pair
    (KC0950).

    Bad:
        --- kcheck.yaml
        consumers: [{name: work, config: {session.timeout.ms: 45000, max.poll.interval.ms: 10000}}]
    Good: rdk-poll-interval reports librdkafka
        --- kcheck.yaml
        consumers:
          - name: work
            client: {library: librdkafka}
            config: {session.timeout.ms: 45000, max.poll.interval.ms: 10000}
    Good:
        --- kcheck.yaml
        consumers: [{name: work, config: {session.timeout.ms: 45000, max.poll.interval.ms: 300000}}]
    """
    poll, session = consumer["max.poll.interval.ms"], consumer["session.timeout.ms"]
    if not poll.number < session.number or not classic(consumer):
        return
    if consumer.library.checks_as_librdkafka:
        return
    at, *because = written_first(poll, session)
    yield consumer.finding(
        f"{consumer}: {in_ms(poll)} is less than {in_ms(session)}",
        at=at,
        because=because,
        breaks="a pause in polling removes the member although its session is still valid",
        fix=f"set max.poll.interval.ms to at least {int(session.number)} (default 300000)",
    )
