"""KC15: settings of a Streams application that fail or have no effect."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.clients import Streams
from kcheck.graph.running import instances
from kcheck.model import ERROR, INFO, WARNING, Finding
from kcheck.refusal import doubt
from kcheck.rule import CHANGED, FAILED, rule
from kcheck.rules.shared.production import production
from kcheck.wording import count, in_bytes, plain


@rule(
    "KC1513",
    "streams-rf",
    ERROR,
    kafka=FAILED,
    on=("replication.factor", "application.id"),
    invariants=("streams-rf", "streams-rf-min-isr"),
)
def streams_rf(streams: Streams) -> Iterator[Finding]:
    """replication.factor exceeds the number of brokers, or is below min.insync.replicas.

    replication.factor applies to changelog and repartition topics; -1, the default from 3.0, uses
    the brokers' default, which exists from 2.4 on. Below the brokers' min.insync.replicas, Kafka up
    to 3.6 rejects every write with acks=all, and the stream thread dies.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 1}
        streams: [{name: totals, config: {application.id: totals, replication.factor: 3}}]
    Bad: fewer replicas than min.insync.replicas
        --- kcheck.yaml
        cluster: {kafka_version: "3.6", client_version: "3.6", brokers: 3, config: {min.insync.replicas: 2}}
        streams: [{name: totals, config: {application.id: totals, replication.factor: 1}}]
    Bad: the brokers have no default
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
    Good: an old application uses acks=1
        --- kcheck.yaml
        cluster: {kafka_version: "3.6", client_version: "2.8", brokers: 3, config: {min.insync.replicas: 2}}
        streams: [{name: totals, config: {application.id: totals, replication.factor: 1}}]
    Good: newer brokers require no more than there are
        --- kcheck.yaml
        cluster: {kafka_version: "3.7", brokers: 3, config: {min.insync.replicas: 2}}
        streams: [{name: totals, config: {application.id: totals, replication.factor: 1}}]
    """
    factor, brokers = streams["replication.factor"], streams.cluster.broker_count
    if factor.number > brokers.number:
        yield streams.finding(
            f"{streams} has {plain(factor)}, but {streams.cluster} has "
            f"{count(brokers.number, 'broker')}",
            at=factor,
            because=(brokers,),
            breaks="its internal topics cannot be created: the application stops with a "
            "StreamsException",
            fix=f"set replication.factor={int(brokers.number)}, or add brokers",
            set_to=str(int(brokers.number)),
        )
        return
    if factor.number == -1 and streams.cluster.version.below("2.4"):
        yield streams.finding(
            f"{streams} leaves the replication factor to the brokers ({plain(factor)}), "
            f"but {streams.cluster} runs Kafka {streams.cluster.version}",
            at=factor,
            because=(streams.cluster.fact("kafka_version"),),
            breaks="brokers before 2.4 do not support that: the application stops with a "
            "StreamsException",
            fix="set replication.factor, for example to 3",
        )
    if factor.number == -1 or streams.cluster.version.at_least("3.7"):
        return
    if str(streams.client("producer", "acks").value) not in ("all", "-1"):
        return  # acks=1, the default up to 2.8, waits for the leader only
    for needed in streams.cluster.across("min.insync.replicas"):
        if needed.number > factor.number:
            certain = streams.cluster.version.below("3.7")
            yield streams.finding(
                f"{streams} has {plain(factor)}, but the brokers have {plain(needed)}",
                at=factor,
                because=(needed,),
                breaks=("" if certain else "up to Kafka 3.6 ")
                + "writes to its changelogs fail (NotEnoughReplicasException) and the stream "
                "thread dies",
                fix=f"set replication.factor above {int(needed.number)}",
                severity=ERROR if certain else doubt("3.7"),
            )
            return


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
    """cache.max.bytes.buffering is ignored, because statestore.cache.max.bytes is set too.

    statestore.cache.max.bytes replaced cache.max.bytes.buffering in 3.4. Where both are set, the old
    key is ignored.

    Bad:
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        streams:
          - name: totals
            config: {application.id: totals, cache.max.bytes.buffering: 0, statestore.cache.max.bytes: 10485760}
    Good: equal values
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        streams:
          - name: totals
            config: {application.id: totals, cache.max.bytes.buffering: 0, statestore.cache.max.bytes: 0}
    Good: one of them
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        streams: [{name: totals, config: {application.id: totals, cache.max.bytes.buffering: 0}}]
    Good: an older version reads the old key only
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
            f"{streams} sets {plain(old)}, which {_NEW_CACHE} overrides",
            at=old,
            because=(new,),
            breaks=f"the old key is ignored: {in_bytes(new)} is in effect",
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
    """state.dir is below /tmp, where a restart or a cleanup job deletes it.

    State below /tmp is deleted by a restart of the machine or container, or after some days by a
    cleanup of temporary files. Streams then restores all of it from the changelogs, which may take
    hours, or fails on missing files.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3}
        streams: [{name: totals, config: {application.id: totals, state.dir: /tmp/kafka-streams}}]
    Bad: a file for production
        --- application-production.yml
        spring.kafka.bootstrap-servers: k1:9092
        spring.kafka.streams: {application-id: totals, state-dir: /tmp/totals}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3}
        streams: [{name: totals, config: {application.id: totals, state.dir: /var/lib/kafka-streams}}]
    Good: a file for tests
        --- application-test.yml
        spring.kafka.bootstrap-servers: k1:9092
        spring.kafka.streams: {application-id: totals, state-dir: /tmp/totals}
    Good: a development cluster
        --- kcheck.yaml
        cluster: {brokers: 1, environment: development}
        streams: [{name: totals, config: {application.id: totals, state.dir: /tmp/kafka-streams}}]
    """
    place = streams["state.dir"]
    text = place.text or ""
    if f"{text}/".startswith(("/tmp/", "/var/tmp/")) and production(streams):
        yield streams.finding(
            f"{streams} keeps its state in state.dir={text}",
            at=place,
            breaks="after a restart or a cleanup of temporary files, all state is restored from "
            "the changelogs before processing continues",
            fix="set state.dir to a directory on a persistent volume",
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

    A standby replica of a store is on another instance than the active one. Reported only where the
    number of instances is declared.

    Bad:
        --- kcheck.yaml
        streams:
          - {name: totals, instances: 2, config: {application.id: totals, num.standby.replicas: 2}}
    Good:
        --- kcheck.yaml
        streams:
          - {name: totals, instances: 2, config: {application.id: totals, num.standby.replicas: 1}}
    Good: the number of instances is unknown
        --- kcheck.yaml
        streams: [{name: totals, config: {application.id: totals, num.standby.replicas: 2}}]
    """
    standby, processes = streams["num.standby.replicas"], instances(streams)
    if standby.number >= processes.number > 0:
        at, *because = written_first(standby, processes)
        yield streams.finding(
            f"{streams} has {plain(standby)}, but only {count(processes.number, 'instance')}",
            at=at,
            because=because,
            breaks="standby replicas without another instance are not created: after a failure, "
            "state is restored from the changelog",
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

    rack.aware.assignment.strategy uses client.rack of each instance. Where an instance has none,
    tasks are assigned without regard to racks.

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
    Good: disabled
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
            f"{streams} sets {plain(strategy)}, but no client.rack",
            at=strategy,
            because=(streams["client.rack"],),
            breaks="unless the program sets client.rack, tasks are assigned without regard to racks",
            fix="set client.rack on each instance",
        )
