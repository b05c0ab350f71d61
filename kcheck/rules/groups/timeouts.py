"""KC09: the timeouts and backoffs of clients, against each other and against brokers."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import endpoints
from kcheck.evidence import written_first
from kcheck.graph.clients import Client, Consumer, Streams, Worker
from kcheck.graph.edges import Connects
from kcheck.model import ERROR, INFO, WARNING, Finding
from kcheck.rule import CHANGED, REFUSED, rule
from kcheck.units import in_ms as duration
from kcheck.wording import in_ms, plain


@rule(
    "KC0920",
    "fetch-wait-vs-request-timeout",
    WARNING,
    on=(
        "fetch.max.wait.ms",
        "request.timeout.ms",
        "consumer.fetch.max.wait.ms",
        "consumer.request.timeout.ms",
    ),
    invariants=("fetch-wait-vs-request-timeout",),
)
def fetch_wait_vs_request_timeout(client: Consumer | Streams | Worker) -> Iterator[Finding]:
    """fetch.max.wait.ms is not less than request.timeout.ms.

    On an idle topic every fetch then times out and the connection is closed. Kafka has not checked
    this since 2.0.

    Bad:
        --- kcheck.yaml
        consumers: [{name: reader, config: {fetch.max.wait.ms: 30000}}]
    Good:
        --- kcheck.yaml
        consumers: [{name: reader, config: {fetch.max.wait.ms: 5000}}]
    """
    consumer = client.inner("consumer")
    wait, request = consumer["fetch.max.wait.ms"], consumer["request.timeout.ms"]
    if not consumer.java or not wait.number >= request.number:
        return
    at, *because = written_first(wait, request)
    yield client.finding(
        f"{consumer}: {in_ms(wait)} is not less than {in_ms(request)}",
        at=at,
        because=because,
        breaks="fetches from an idle topic repeatedly time out and close the connection",
        fix="set fetch.max.wait.ms well below request.timeout.ms (defaults 500 and 30000)",
    )


@rule(
    "KC0921",
    "api-timeout",
    INFO,
    on=("default.api.timeout.ms", "request.timeout.ms"),
    refs=("KIP-266", "KIP-533"),
    invariants=("api-timeout",),
)
def api_timeout(consumer: Consumer) -> Iterator[Finding]:
    """A consumer's default.api.timeout.ms is less than its request.timeout.ms.

    default.api.timeout.ms bounds a whole call, request.timeout.ms one attempt. If the first is less
    than the second, there is no second attempt. Kafka checks this for admin clients only.

    Bad:
        --- kcheck.yaml
        consumers: [{name: reader, config: {request.timeout.ms: 120000}}]
    Good:
        --- kcheck.yaml
        consumers: [{name: reader, config: {request.timeout.ms: 120000, default.api.timeout.ms: 180000}}]
    """
    api, request = consumer["default.api.timeout.ms"], consumer["request.timeout.ms"]
    if not consumer.java or not api.number < request.number:
        return
    at, *because = written_first(api, request)
    yield consumer.finding(
        f"{consumer}: {in_ms(api)} is less than {in_ms(request)}",
        at=at,
        because=because,
        breaks="commits and look-ups fail with TimeoutException before a request can be retried",
        fix=f"set default.api.timeout.ms to at least {int(request.number)}",
    )


@rule(
    "KC0922",
    "admin-api-timeout",
    ERROR,
    kafka=REFUSED,
    on=("default.api.timeout.ms", "request.timeout.ms"),
    refs=("KIP-533",),
    invariants=("admin-api-timeout",),
)
def admin_api_timeout(client: Client) -> Iterator[Finding]:
    """An admin client's default.api.timeout.ms is less than its request.timeout.ms.

    Kafka rejects an explicit default.api.timeout.ms below request.timeout.ms, and raises the default
    with a warning in the log.

    Bad:
        --- admin.properties
        bootstrap.servers=k1:9092
        default.api.timeout.ms=10000
    Good:
        --- admin.properties
        bootstrap.servers=k1:9092
        default.api.timeout.ms=40000
    """
    api, request = client["default.api.timeout.ms"], client["request.timeout.ms"]
    if client.resource.kind != "admin" or not client.java or not api.number < request.number:
        return
    at, *because = written_first(api, request)
    yield client.finding(
        f"{client}: {in_ms(api)} is less than {in_ms(request)}",
        at=at,
        because=because,
        breaks="the client cannot be created: default.api.timeout.ms must be no smaller than the "
        "value of request.timeout.ms"
        if api.explicit
        else f"the client raises it to {int(request.number):,} ms and logs a warning",
        fix=f"set default.api.timeout.ms to at least {int(request.number)}",
        set_to=str(int(request.number)) if api.explicit else None,
        severity=ERROR if api.explicit else INFO,
    )


@rule(
    "KC0923",
    "reconnect-backoff",
    WARNING,
    kafka=CHANGED,
    on=("reconnect.backoff.ms",),
    invariants=("reconnect-backoff",),
)
def reconnect_backoff(client: Client) -> Iterator[Finding]:
    """reconnect.backoff.ms without reconnect.backoff.max.ms disables exponential backoff.

    If only reconnect.backoff.ms is set, Kafka uses it as the maximum too (and logs this from 3.7).
    Only a hint from the default maximum of 1,000 ms upwards.

    Bad:
        --- kcheck.yaml
        consumers: [{name: reader, config: {reconnect.backoff.ms: 100}}]
    Good:
        --- kcheck.yaml
        consumers: [{name: reader, config: {reconnect.backoff.ms: 100, reconnect.backoff.max.ms: 10000}}]
    """
    pause, longest = client["reconnect.backoff.ms"], client["reconnect.backoff.max.ms"]
    if not client.java or not pause.known or longest.explicit:
        return
    yield client.finding(
        f"{client} sets {in_ms(pause)} without reconnect.backoff.max.ms",
        at=pause,
        because=(longest,),
        breaks=f"it reconnects every {int(pause.number):,} ms while brokers are down: the backoff does "
        "not grow",
        fix=f"set reconnect.backoff.max.ms as well, e.g. {max(10_000, int(pause.number) * 10)}",
        severity=WARNING if pause.number < 1_000 else INFO,
    )


@rule(
    "KC0924",
    "retry-backoff",
    WARNING,
    kafka=CHANGED,
    on=("retry.backoff.ms", "retry.backoff.max.ms"),
    refs=("KIP-580",),
    invariants=("retry-backoff",),
    versions="3.7+",
)
def retry_backoff(client: Client) -> Iterator[Finding]:
    """retry.backoff.ms exceeds retry.backoff.max.ms.

    From 3.7 the backoff is capped at retry.backoff.max.ms (default 1,000 ms): a longer
    retry.backoff.ms is reduced to it.

    Bad:
        --- kcheck.yaml
        producers: [{name: checkout, config: {retry.backoff.ms: 5000}}]
    Good:
        --- kcheck.yaml
        producers: [{name: checkout, config: {retry.backoff.ms: 5000, retry.backoff.max.ms: 5000}}]
    Good: no maximum before 3.7
        --- kcheck.yaml
        cluster: {client_version: "3.6"}
        producers: [{name: checkout, config: {retry.backoff.ms: 5000}}]
    """
    pause, longest = client["retry.backoff.ms"], client["retry.backoff.max.ms"]
    if not client.java or client.version.below("3.7") or not pause.number > longest.number:
        return
    at, *because = written_first(pause, longest)
    yield client.finding(
        f"{client}: {in_ms(pause)} exceeds {in_ms(longest)}",
        at=at,
        because=because,
        breaks=("" if client.version.at_least("3.7") else "from Kafka 3.7 on, ")
        + f"the client retries every {int(longest.number):,} ms",
        fix=f"set retry.backoff.max.ms to at least {int(pause.number)}, or lower {pause.key}",
    )


@rule(
    "KC0925",
    "setup-timeout",
    WARNING,
    kafka=CHANGED,
    on=("socket.connection.setup.timeout.ms", "socket.connection.setup.timeout.max.ms"),
    refs=("KIP-601",),
    invariants=("setup-timeout",),
    versions="3.7+",
)
def setup_timeout(client: Client) -> Iterator[Finding]:
    """socket.connection.setup.timeout.ms exceeds socket.connection.setup.timeout.max.ms.

    From 3.7 socket.connection.setup.timeout.ms is capped at its maximum,
    socket.connection.setup.timeout.max.ms (default 30 s).

    Bad:
        --- kcheck.yaml
        producers: [{name: checkout, config: {socket.connection.setup.timeout.ms: 60000}}]
    Good:
        --- kcheck.yaml
        producers: [{name: checkout, config: {socket.connection.setup.timeout.ms: 20000}}]
    """
    first = client["socket.connection.setup.timeout.ms"]
    longest = client["socket.connection.setup.timeout.max.ms"]
    if not client.java or client.version.below("3.7") or not first.number > longest.number:
        return
    at, *because = written_first(first, longest)
    yield client.finding(
        f"{client}: {in_ms(first)} exceeds {in_ms(longest)}",
        at=at,
        because=because,
        breaks=("" if client.version.at_least("3.7") else "from Kafka 3.7 on, ")
        + f"every connection attempt times out after {int(longest.number):,} ms",
        fix=f"set socket.connection.setup.timeout.max.ms to at least {int(first.number)}, or lower "
        f"{first.key}",
    )


@rule(
    "KC0926",
    "idle-client-lt-broker",
    WARNING,
    invariants=("idle-client-lt-broker",),
)
def idle_client_lt_broker(edge: Connects) -> Iterator[Finding]:
    """A client keeps idle connections for longer than its brokers.

    The broker closes them first, so the first request after a pause may fail on the closing
    connection. The defaults fit: 540 s on clients, 600 s on brokers.

    Bad: lowered on the brokers
        --- kcheck.yaml
        cluster: {brokers: 3, config: {connections.max.idle.ms: 300000}}
        producers: [{name: checkout}]
    Bad: raised on the client
        --- kcheck.yaml
        cluster: {brokers: 3}
        producers: [{name: checkout, config: {connections.max.idle.ms: 3600000}}]
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3}
        producers: [{name: checkout}]
    """
    mine, theirs = edge.client["connections.max.idle.ms"], edge.broker["connections.max.idle.ms"]
    forever = mine.number < 0
    if not edge.client.java or theirs.number < 0:
        return
    if not (mine.number > theirs.number or (forever and theirs.known)):
        return
    at, *because = written_first(mine, theirs)
    yield edge.finding(
        f"{edge.client} never closes idle connections ({plain(mine)}), but the brokers have "
        f"{in_ms(theirs)}"
        if forever
        else f"{edge.client}: {in_ms(mine)} exceeds the brokers' {in_ms(theirs)}",
        at=at,
        because=because,
        breaks="the first request after a pause may fail with a disconnect",
        fix=f"set connections.max.idle.ms below {int(theirs.number)} on {edge.client.name}",
    )


@rule(
    "KC0927",
    "idle-endpoint",
    WARNING,
    on=("bootstrap.servers",),
    invariants=("idle-client-lt-broker",),
)
def idle_endpoint(client: Client) -> Iterator[Finding]:
    """A client keeps idle connections for longer than the load balancer of its brokers.

    A load balancer silently drops an idle connection; the client notices when a request times out.
    Known so far: Azure Event Hubs, 240 s.

    Bad: the default of 540 s
        --- kcheck.yaml
        producers:
          - {name: checkout, config: {bootstrap.servers: "ns1.servicebus.windows.net:9093"}}
    Good:
        --- kcheck.yaml
        producers:
          - name: checkout
            config:
              bootstrap.servers: ns1.servicebus.windows.net:9093
              connections.max.idle.ms: 180000
              metadata.max.age.ms: 180000
    Good: another host
        --- kcheck.yaml
        producers: [{name: checkout, config: {bootstrap.servers: "k1.example.com:9092"}}]
    """
    idle, bootstrap = client["connections.max.idle.ms"], client["bootstrap.servers"]
    servers = bootstrap.setting.text if bootstrap.setting else None
    limit = endpoints.idle_limit(servers) if servers else None
    forever = idle.number < 0
    if not client.java or limit is None or not (idle.number > limit or forever):
        return
    at, *because = written_first(idle, bootstrap)
    yield client.finding(
        f"{client} has {plain(idle) if forever else in_ms(idle)}, but its endpoint drops idle "
        f"connections after {duration(limit)}",
        at=at,
        because=because,
        breaks="after an idle period the first request times out or the connection is reset",
        fix=f"set connections.max.idle.ms and metadata.max.age.ms below {limit}, e.g. 180000",
        set_to="180000" if at is idle else None,
    )


@rule(
    "KC0928",
    "request-timeout-gt-session",
    ERROR,
    on=("request.timeout.ms", "session.timeout.ms", "fetch.max.wait.ms"),
    invariants=("fetch-wait-vs-session-none",),
    versions="clients <2.0 only",
)
def request_timeout_gt_session(consumer: Consumer) -> Iterator[Finding]:
    """An old consumer's request.timeout.ms is not greater than its session or fetch wait.

    Clients before 2.0 reject a request.timeout.ms that is not greater than session.timeout.ms and
    fetch.max.wait.ms, because a rebalance was one long request. Later versions have no such rule.

    Bad:
        --- kcheck.yaml
        cluster: {client_version: "0.11.0"}
        consumers: [{name: index, config: {group.id: index, session.timeout.ms: 60000, request.timeout.ms: 40000}}]
    Good: no such rule from 2.0
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        consumers: [{name: index, config: {group.id: index, session.timeout.ms: 60000, request.timeout.ms: 40000}}]
    Good: the version is unknown
        --- kcheck.yaml
        consumers: [{name: index, config: {group.id: index, session.timeout.ms: 60000, request.timeout.ms: 40000}}]
    """
    request = consumer["request.timeout.ms"]
    if not consumer.java or not consumer.version.below("2.0") or not request.explicit:
        return
    for key in ("session.timeout.ms", "fetch.max.wait.ms"):
        other = consumer[key]
        if other.explicit and request.number <= other.number:
            yield consumer.finding(
                f"{consumer}: {in_ms(request)} is not greater than {in_ms(other)}",
                at=request,
                because=(other,),
                breaks=f"a client of version {consumer.version} cannot be created",
                fix=f"set request.timeout.ms above {int(other.number)}",
            )
