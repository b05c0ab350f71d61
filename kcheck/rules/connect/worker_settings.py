"""KC14: settings of a Connect worker that conflict with each other."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.clients import Worker
from kcheck.model import ERROR, WARNING, Finding
from kcheck.rule import CHANGED, FAILED, rule
from kcheck.wording import in_ms, plain

_EOS = "exactly.once.source.support"


@rule(
    "KC1419",
    "connect-eos-forced",
    WARNING,
    kafka=CHANGED,
    on=("producer.enable.idempotence", "producer.transactional.id", "consumer.isolation.level"),
    refs=("KIP-618",),
    invariants=("connect-eos-forced",),
    versions="3.3+",
)
def connect_eos_forced(worker: Worker) -> Iterator[Finding]:
    """Exactly-once support overrides a producer setting of source tasks.

    With exactly.once.source.support=enabled a worker writes with idempotence and sets a separate
    transactional.id for each task.

    Bad:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        exactly.once.source.support=enabled
        producer.enable.idempotence=false
    Bad: one transactional.id for all tasks
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        exactly.once.source.support=enabled
        producer.transactional.id=etl
    Good:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        exactly.once.source.support=enabled
        producer.enable.idempotence=true
    Good: without exactly-once
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        producer.enable.idempotence=false
    """
    if not worker.eos:
        return
    for key in ("producer.enable.idempotence", "producer.transactional.id"):
        setting = worker.resource.settings.get(key)
        if setting is None or setting.text in (None, "true"):
            continue
        value = worker[key]
        yield worker.finding(
            f"{worker} sets {plain(value)}, which {plain(worker[_EOS])} overrides",
            at=value,
            because=(worker[_EOS],),
            breaks="the worker overrides it for source connector tasks and logs a warning",
            fix=f"remove {key}",
        )


@rule(
    "KC1422",
    "connect-graceful-stop",
    WARNING,
    on=("task.shutdown.graceful.timeout.ms", "rebalance.timeout.ms"),
    invariants=("connect-graceful-stop", "connect-rebalance-timeout"),
)
def connect_graceful_stop(worker: Worker) -> Iterator[Finding]:
    """task.shutdown.graceful.timeout.ms is not below rebalance.timeout.ms.

    In a rebalance a worker stops its tasks and waits up to task.shutdown.graceful.timeout.ms for them
    to flush. The group waits rebalance.timeout.ms for the worker, then continues without it.

    Bad:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        task.shutdown.graceful.timeout.ms=120000
    Good:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        task.shutdown.graceful.timeout.ms=30000
    Good:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        task.shutdown.graceful.timeout.ms=120000
        rebalance.timeout.ms=300000
    """
    stop, wait = worker["task.shutdown.graceful.timeout.ms"], worker["rebalance.timeout.ms"]
    if stop.number >= wait.number:
        at, *because = written_first(stop, wait)
        yield worker.finding(
            f"{worker}: {in_ms(stop)} is not below {in_ms(wait)}",
            at=at,
            because=because,
            breaks="the group continues without the worker, and other workers start tasks that still "
            "run here: records are duplicated",
            fix="set task.shutdown.graceful.timeout.ms well below rebalance.timeout.ms "
            "(defaults 5000 and 60000)",
        )


@rule(
    "KC1429",
    "connect-listeners",
    ERROR,
    kafka=FAILED,
    on=("listeners", "admin.listeners"),
    refs=("KIP-208",),
    invariants=("connect-listeners",),
)
def connect_listeners(worker: Worker) -> Iterator[Finding]:
    """A listener of a worker is neither HTTP nor HTTPS, or two listeners share a port.

    The listeners of a worker serve its REST API: each begins with http:// or https://, and binds its
    port. A broker listener (PLAINTEXT://…) is invalid here.

    Bad:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        listeners=PLAINTEXT://0.0.0.0:8083
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
    Bad: two on one port
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        listeners=http://:8083,https://connect-1:8083
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
    Good:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        listeners=http://0.0.0.0:8083,HTTPS://0.0.0.0:8443
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
    Good: no listeners
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        admin.listeners=
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
    """
    for key in ("listeners", "admin.listeners"):
        value = worker[key]
        entries = [*map(str.strip, (value.text or "").split(","))] if value.explicit else []
        shared = _shared_port(entries)
        if shared:
            yield worker.finding(
                f"{worker}: {' and '.join(shared)} in {key} share a port",
                at=value,
                breaks="the worker fails to start: the address is already in use",
                fix="use another port for one of them, or remove it",
            )
        for entry in entries:
            if entry and not entry.lower().startswith(("http://", "https://")):
                yield worker.finding(
                    f"{worker}: {entry} in {key} begins with neither http:// nor https://",
                    at=value,
                    breaks="the worker fails to start: the listener protocol must be http or https",
                    fix=f"set {key} to http://HOST:PORT or https://HOST:PORT",
                )
                break


def _shared_port(entries: list[str]) -> tuple[str, str] | None:
    """The first two listeners with one port on one host, or on all hosts."""
    seen: list[tuple[str, str, str]] = []
    for entry in entries:
        host, colon, port = entry.partition("://")[2].rstrip("/").rpartition(":")
        if not colon or not port.isdecimal() or port == "0":
            continue
        host = "" if host == "0.0.0.0" else host.lower()
        for other, address, number in seen:
            if number == port and (address == host or not address or not host):
                return other, entry
        seen.append((entry, host, port))
    return None


@rule(
    "KC1432",
    "connect-protocol-sessioned",
    WARNING,
    kafka=CHANGED,
    on=("connect.protocol",),
    refs=("KIP-507",),
    invariants=("connect-protocol-sessioned",),
)
def connect_protocol_sessioned(worker: Worker) -> Iterator[Finding]:
    """Internal REST requests between Connect workers are not authenticated.

    With connect.protocol=sessioned, the default, workers sign the requests that assign task
    configurations. With eager or compatible anyone who can reach the REST port can send them.

    Bad:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        connect.protocol=compatible
    Good:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        connect.protocol=sessioned
    """
    value = worker["connect.protocol"]
    if str(value.value).lower() in ("eager", "compatible"):
        yield worker.finding(
            f"{worker} sets {plain(value)}",
            at=value,
            breaks="requests between workers are not signed: anyone who can reach the REST port can "
            "configure tasks",
            fix="remove connect.protocol (default sessioned) once all workers run Kafka 2.4 or newer",
            set_to="sessioned",
        )
