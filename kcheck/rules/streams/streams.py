"""KC15: exactly-once settings of a Streams application, and settings of its inner clients."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph import embedded
from kcheck.graph.clients import Streams
from kcheck.graph.idempotence import IN_FLIGHT, MAX_IN_FLIGHT
from kcheck.model import ERROR, WARNING, Finding
from kcheck.rule import CHANGED, REFUSED, rule
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


#: By key: why Streams overrides it, and with which value.
_REPLACED = {
    "enable.auto.commit": ("Streams commits offsets itself", "false"),
    "allow.auto.create.topics": ("Streams creates its topics itself", "false"),
    "group.protocol": ("Streams has its own group protocol", "classic"),
    "isolation.level": ("exactly-once reads committed records only", "read_committed"),
    "enable.idempotence": ("exactly-once writes idempotently", "true"),
}


_PREFIXES = ("main.consumer.", "consumer.", "producer.")


@rule(
    "KC1514",
    "streams-forced-client",
    WARNING,
    kafka=CHANGED,
    invariants=("streams-forced-client",),
)
def streams_forced_client(streams: Streams) -> Iterator[Finding]:
    """Streams overrides a client setting of the application.

    Streams sets enable.auto.commit=false for its consumers and, with exactly-once,
    isolation.level=read_committed and enable.idempotence=true, regardless of the file; from 4.0 on
    group.protocol=classic, from 4.2 on allow.auto.create.topics=false. Only other values are
    reported.

    Bad:
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        streams: [{name: totals, config: {application.id: totals, consumer.enable.auto.commit: "true"}}]
    Bad: with exactly-once
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        streams:
          - name: totals
            config:
              application.id: totals
              processing.guarantee: exactly_once_v2
              isolation.level: read_uncommitted
    Good: the value that Streams sets
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        streams: [{name: totals, config: {application.id: totals, enable.auto.commit: "false"}}]
    Good: not overridden without exactly-once
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        streams: [{name: totals, config: {application.id: totals, isolation.level: read_committed}}]
    Good: Streams does not override the main.consumer. prefix
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        streams:
          - name: totals
            config: {application.id: totals, main.consumer.enable.auto.commit: "true"}
    Good: the classes of settings that are also for plain clients
        --- streams.properties
        application.id=orders
        bootstrap.servers=k1:9092
        key.serializer=org.apache.kafka.common.serialization.StringSerializer
        value.deserializer=io.confluent.kafka.serializers.KafkaAvroDeserializer
    """
    for name, setting in streams.resource.settings.items():
        prefix = next((prefix for prefix in _PREFIXES if name.startswith(prefix)), "")
        key = name.removeprefix(prefix)
        why, right = _REPLACED.get(key, ("", ""))
        if setting.text is None or setting.text.lower() == right:
            continue
        if embedded.overridden(name, streams.version, streams.eos):
            yield streams.finding(
                f"{streams} sets {name}={setting.text}, which Streams overrides with {right}",
                at=streams[name],
                because=(streams["processing.guarantee"],) if "exactly-once" in why else (),
                breaks=f"the setting has no effect: {why}",
                fix=f"remove {name}",
            )


#: By client key: the group setting that replaces it in the Streams protocol, if any.
_BROKERS = {
    "num.standby.replicas": "streams.num.standby.replicas",
    "session.timeout.ms": "streams.session.timeout.ms",
    "heartbeat.interval.ms": "streams.heartbeat.interval.ms",
    "max.warmup.replicas": "",
    "acceptable.recovery.lag": "",
    "probing.rebalance.interval.ms": "",
}


@rule(
    "KC1517",
    "streams-protocol-client-keys",
    WARNING,
    kafka=CHANGED,
    on=("group.protocol",),
    refs=("KIP-1071",),
    invariants=("streams-protocol-client-keys",),
    versions="4.1+",
)
def streams_protocol_client_keys(streams: Streams) -> Iterator[Finding]:
    """A client setting is ignored, because group.protocol=streams moves it to the brokers.

    With group.protocol=streams the brokers assign tasks. Standby replicas, sessions and heartbeats
    are set on the group (kafka-configs --group) or with the brokers' group.streams.* keys; client
    settings for them are ignored, mostly without a warning.

    Bad:
        --- kcheck.yaml
        cluster: {client_version: "4.2"}
        streams:
          - name: totals
            config: {application.id: totals, group.protocol: streams, num.standby.replicas: 1}
    Bad: with a consumer. prefix
        --- kcheck.yaml
        cluster: {client_version: "4.2"}
        streams:
          - name: totals
            config: {application.id: totals, group.protocol: streams, consumer.session.timeout.ms: 10000}
    Good:
        --- kcheck.yaml
        cluster: {client_version: "4.2", kafka_version: "4.2", name: core}
        streams: [{name: totals, config: {application.id: totals, group.protocol: streams}}]
        groups: [{name: totals, config: {streams.num.standby.replicas: 1}}]
    Good: the classic protocol
        --- kcheck.yaml
        cluster: {client_version: "4.2"}
        streams: [{name: totals, config: {application.id: totals, num.standby.replicas: 1}}]
    Good: the default value
        --- kcheck.yaml
        cluster: {client_version: "4.2"}
        streams:
          - name: totals
            config: {application.id: totals, group.protocol: streams, num.standby.replicas: 0}
    """
    protocol = streams["group.protocol"]
    if str(protocol.value).lower() != "streams":
        return
    if not streams.version.at_least("4.1"):
        return
    for key, instead in _BROKERS.items():
        names = (key, f"consumer.{key}", f"main.consumer.{key}")
        value = next((streams[name] for name in names if streams.sets(name)), None)
        if value is None or value.text == "0":
            continue
        yield streams.finding(
            f"{streams} sets {plain(value)}, which {plain(protocol)} ignores",
            at=value,
            because=(protocol,),
            breaks="the setting has no effect: the brokers determine it",
            fix=f"set {instead} on group {streams['application.id'].text}, or group."
            f"{instead} on the brokers"
            if instead
            else f"remove {value.from_key}",
        )
