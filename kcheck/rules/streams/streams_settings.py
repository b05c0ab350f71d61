"""KC15: settings of a Streams application that do not come to what they seem to say."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph import embedded
from kcheck.graph.clients import Streams
from kcheck.graph.running import instances
from kcheck.model import ERROR, INFO, WARNING, Finding
from kcheck.rule import CHANGED, FAILED, rule
from kcheck.wording import count, plain


@rule(
    "KC1513",
    "streams-rf",
    ERROR,
    kafka=FAILED,
    on=("replication.factor", "application.id"),
    invariants=("streams-rf", "streams-rf-min-isr"),
)
def streams_rf(streams: Streams) -> Iterator[Finding]:
    """An application's topics get more replicas than there are brokers, or fewer than must be in sync.

    replication.factor holds for changelogs and repartition topics; -1, the default from 3.0, takes
    the brokers', which have one from 2.4 on. Below the brokers' min.insync.replicas Kafka up to 3.6 refuses every write, and the
    thread dies.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 1}
        streams: [{name: totals, config: {application.id: totals, replication.factor: 3}}]
    Bad: fewer than must be in sync
        --- kcheck.yaml
        cluster: {kafka_version: "3.6", client_version: "3.6", brokers: 3, config: {min.insync.replicas: 2}}
        streams: [{name: totals, config: {application.id: totals, replication.factor: 1}}]
    Bad: brokers that have no default of their own
        --- kcheck.yaml
        cluster: {kafka_version: "2.3", client_version: "3.4", brokers: 3}
        streams: [{name: totals, config: {application.id: totals}}]
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "3.6", brokers: 3, config: {min.insync.replicas: 2}}
        streams: [{name: totals, config: {application.id: totals, replication.factor: 3}}]
    Good: the brokers' default
        --- kcheck.yaml
        cluster: {kafka_version: "3.6", brokers: 1}
        streams: [{name: totals, config: {application.id: totals, replication.factor: -1}}]
    Good: an old application waits for the leader alone
        --- kcheck.yaml
        cluster: {kafka_version: "3.6", client_version: "2.8", brokers: 3, config: {min.insync.replicas: 2}}
        streams: [{name: totals, config: {application.id: totals, replication.factor: 1}}]
    Good: newer brokers ask for no more than there are
        --- kcheck.yaml
        cluster: {kafka_version: "3.7", brokers: 3, config: {min.insync.replicas: 2}}
        streams: [{name: totals, config: {application.id: totals, replication.factor: 1}}]
    """
    factor, brokers = streams["replication.factor"], streams.cluster.broker_count
    if factor.number > brokers.number:
        yield streams.finding(
            f"{streams} makes its topics with {plain(factor)}, {streams.cluster} has "
            f"{count(brokers.number, 'broker')}",
            at=factor,
            because=(brokers,),
            breaks="its internal topics cannot be made: the application stops with a StreamsException",
            fix=f"set replication.factor={int(brokers.number)}, or add brokers",
            set_to=str(int(brokers.number)),
        )
        return
    if factor.number == -1 and streams.cluster.version.below("2.4"):
        yield streams.finding(
            f"{streams} leaves the replication factor of its topics to the brokers ({plain(factor)}), "
            f"{streams.cluster} runs Kafka {streams.cluster.version}",
            at=factor,
            because=(streams.cluster.fact("kafka_version"),),
            breaks="brokers below 2.4 have no such default: the application stops with a "
            "StreamsException",
            fix="set replication.factor, to 3 for one",
        )
    if factor.number == -1 or streams.cluster.version.at_least("3.7"):
        return
    if str(streams.client("producer", "acks").value) not in ("all", "-1"):
        return  # up to 2.8 that was the default: nobody asks for more than the leader then
    for needed in streams.cluster.across("min.insync.replicas"):
        if needed.number > factor.number:
            certain = streams.cluster.version.known
            yield streams.finding(
                f"{streams} makes its topics with {plain(factor)}, the brokers have {plain(needed)}",
                at=factor,
                because=(needed,),
                breaks=("" if certain else "up to Kafka 3.6 ")
                + "writes to its changelogs fail (NotEnoughReplicasException) and the thread dies",
                fix=f"set replication.factor above {int(needed.number)}",
                severity=ERROR if certain else WARNING,
            )
            return


#: By key: why Streams replaces it, and what by.
_REPLACED = {
    "enable.auto.commit": ("Streams commits by itself", "false"),
    "allow.auto.create.topics": ("Streams makes its own topics itself", "false"),
    "group.protocol": ("Streams has a protocol of its own", "classic"),
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
    """A setting for an application's clients that Streams replaces.

    Streams sets enable.auto.commit=false for its consumers and, with exactly-once,
    isolation.level=read_committed and enable.idempotence=true, whatever the file says; from 4.0 on
    group.protocol=classic, from 4.2 on allow.auto.create.topics=false. Told is a value that says
    something else.

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
    Good: what it would be anyway
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        streams: [{name: totals, config: {application.id: totals, enable.auto.commit: "false"}}]
    Good: without transactions it is free
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        streams: [{name: totals, config: {application.id: totals, isolation.level: read_committed}}]
    Good: this spelling gets through
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        streams:
          - name: totals
            config: {application.id: totals, main.consumer.enable.auto.commit: "true"}
    """
    for name, setting in streams.resource.settings.items():
        prefix = next((prefix for prefix in _PREFIXES if name.startswith(prefix)), "")
        key = name.removeprefix(prefix)
        why, right = _REPLACED.get(key, ("", ""))
        if setting.text is None or setting.text.lower() == right:
            continue
        if embedded.overridden(name, streams.version, streams.eos):
            yield streams.finding(
                f"{streams} sets {name}={setting.text}, which Streams replaces by {right}",
                at=streams[name],
                because=(streams["processing.guarantee"],) if "exactly-once" in why else (),
                breaks=f"the setting has no effect: {why}",
                fix=f"remove {name}",
            )


_NEW_CACHE, _OLD_CACHE = "statestore.cache.max.bytes", "cache.max.bytes.buffering"


@rule(
    "KC1515",
    "streams-threads-cache",
    WARNING,
    kafka=CHANGED,
    on=(_OLD_CACHE,),
    refs=("KIP-770",),
    invariants=("streams-threads-cache",),
    versions="3.4+",
)
def streams_threads_cache(streams: Streams) -> Iterator[Finding]:
    """The cache of an application has two sizes, of which one counts.

    statestore.cache.max.bytes has taken the place of cache.max.bytes.buffering in 3.4. Where both are
    set, the old one is passed over.

    Bad:
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        streams:
          - name: totals
            config: {application.id: totals, cache.max.bytes.buffering: 0, statestore.cache.max.bytes: 10485760}
    Good: alike
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        streams:
          - name: totals
            config: {application.id: totals, cache.max.bytes.buffering: 0, statestore.cache.max.bytes: 0}
    Good: one of them
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        streams: [{name: totals, config: {application.id: totals, cache.max.bytes.buffering: 0}}]
    Good: an older version knows the old one alone
        --- kcheck.yaml
        cluster: {client_version: "3.3"}
        streams:
          - name: totals
            config: {application.id: totals, cache.max.bytes.buffering: 0, statestore.cache.max.bytes: 10485760}
    """
    old, new = streams[_OLD_CACHE], streams[_NEW_CACHE]
    if not new.explicit or streams.version.below("3.4"):
        return
    if old.known and new.known and old.number != new.number:
        yield streams.finding(
            f"{streams} sets {plain(old)} and {plain(new)}",
            at=old,
            because=(new,),
            breaks=f"the old key is passed over: the cache has {int(new.number):,} B",
            fix=f"remove {_OLD_CACHE}",
        )


@rule(
    "KC1516",
    "streams-state-dir",
    WARNING,
    on=("state.dir",),
    invariants=("streams-state-dir",),
)
def streams_state_dir(streams: Streams) -> Iterator[Finding]:
    """An application keeps its state where a restart or a cleaner removes it.

    State below /tmp is gone after a restart of the machine or the container, or after days of a
    cleaner of temporary files. Streams then restores all of it from the changelogs, which may take
    hours, or finds single files missing.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3}
        streams: [{name: totals, config: {application.id: totals, state.dir: /tmp/kafka-streams}}]
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3}
        streams: [{name: totals, config: {application.id: totals, state.dir: /var/lib/kafka-streams}}]
    Good: a cluster for development
        --- kcheck.yaml
        cluster: {brokers: 1, environment: development}
        streams: [{name: totals, config: {application.id: totals, state.dir: /tmp/kafka-streams}}]
    """
    place = streams["state.dir"]
    text = place.text or ""
    if f"{text}/".startswith(("/tmp/", "/var/tmp/")) and streams.cluster.production:
        yield streams.finding(
            f"{streams} keeps its state in {text}",
            at=place,
            breaks="after a restart, or the cleaning of temporary files, all state is restored from "
            "the changelogs before the application goes on",
            fix="set state.dir to a directory on a disk that stays",
        )


#: By key of the client: where the Streams protocol has it instead, and since when it is ignored.
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
    """A setting of an application that its brokers decide on.

    With group.protocol=streams the brokers assign tasks. Standby replicas, sessions and heartbeats are
    settings of the group (kafka-configs --group), or the brokers' group.streams. keys; what the client
    says of them is passed over, mostly without a word.

    Bad:
        --- kcheck.yaml
        cluster: {client_version: "4.2"}
        streams:
          - name: totals
            config: {application.id: totals, group.protocol: streams, num.standby.replicas: 1}
    Bad: of its consumers
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
    Good: nothing else than the default
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
            f"{streams} uses {plain(protocol)} and sets {plain(value)}",
            at=value,
            because=(protocol,),
            breaks="it is passed over: the brokers decide on it",
            fix=f"set {instead} for the group {streams['application.id'].text}, or group."
            f"{instead} on the brokers"
            if instead
            else f"remove {value.from_key}",
        )


@rule(
    "KC1518",
    "streams-standby",
    INFO,
    on=("num.standby.replicas",),
    invariants=("streams-standby",),
)
def streams_standby(streams: Streams) -> Iterator[Finding]:
    """num.standby.replicas exceeds the number of other instances.

    A standby replica of a store lies on another instance than the active one. Told where the number of
    instances is declared.

    Bad:
        --- kcheck.yaml
        streams:
          - {name: totals, instances: 2, config: {application.id: totals, num.standby.replicas: 2}}
    Good:
        --- kcheck.yaml
        streams:
          - {name: totals, instances: 2, config: {application.id: totals, num.standby.replicas: 1}}
    Good: nobody knows how many there are
        --- kcheck.yaml
        streams: [{name: totals, config: {application.id: totals, num.standby.replicas: 2}}]
    """
    standby, processes = streams["num.standby.replicas"], instances(streams)
    if standby.number >= processes.number > 0:
        at, *because = written_first(standby, processes)
        yield streams.finding(
            f"{streams} asks for {plain(standby)} and runs {count(processes.number, 'instance')}",
            at=at,
            because=because,
            breaks="the copies that find no other instance are not made: state is restored from the "
            "changelog when an instance fails",
            fix=f"run at least {int(standby.number) + 1} instances, or set num.standby.replicas="
            f"{int(processes.number) - 1}",
        )


_STRATEGY = "rack.aware.assignment.strategy"


@rule(
    "KC1519",
    "streams-rack-strategy",
    INFO,
    kafka=CHANGED,
    on=(_STRATEGY,),
    refs=("KIP-925",),
    invariants=("streams-rack-strategy",),
    versions="3.6+",
)
def streams_rack_strategy(streams: Streams) -> Iterator[Finding]:
    """Rack-aware assignment is enabled without client.rack.

    rack.aware.assignment.strategy looks at client.rack of each instance. Where one has none, tasks
    are assigned without racks.

    Bad:
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        streams:
          - name: totals
            config: {application.id: totals, rack.aware.assignment.strategy: min_traffic}
    Good:
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        streams:
          - name: totals
            config:
              application.id: totals
              rack.aware.assignment.strategy: min_traffic
              client.rack: "${ZONE}"
    Good: switched off
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        streams:
          - name: totals
            config: {application.id: totals, rack.aware.assignment.strategy: none}
    """
    strategy = streams[_STRATEGY]
    racks = ("client.rack", "consumer.client.rack", "main.consumer.client.rack")
    if strategy.text in (None, "", "none") or streams.version.below("3.6"):
        return
    if not any(map(streams.sets, racks)):
        yield streams.finding(
            f"{streams} has {plain(strategy)} and no client.rack",
            at=strategy,
            because=(streams["client.rack"],),
            breaks="unless the program sets client.rack, tasks are assigned without regard to racks",
            fix="set client.rack on each instance",
        )
