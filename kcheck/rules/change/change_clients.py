"""KC19: changes of a client's identity: its group, its state, its transactions."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.change import ClientChange
from kcheck.graph.clients import Consumer, Streams, Worker
from kcheck.model import ERROR, WARNING, Finding, Value
from kcheck.rule import rule


def _renamed(change: ClientChange, key: str) -> tuple[Value, Value] | None:
    """The old and the new value of an identity that was set and is set to another text."""
    differing = change.own(key)
    if differing is None or not all(value.text for value in differing):
        return None
    return differing


@rule("KC1920", "group-id-changed", WARNING)
def group_id_changed(change: ClientChange) -> Iterator[Finding]:
    """A consumer changes its group.

    The new group has no committed offsets, so it starts according to auto.offset.reset: at the end,
    where it misses all records written until it starts, or at the beginning, where it reads again
    what the old group has processed.

    Bad:
        --- before/kcheck.yaml
        consumers: [{name: billing, topics: [orders], config: {group.id: billing}}]
        --- after/kcheck.yaml
        consumers: [{name: billing, topics: [orders], config: {group.id: billing-v2}}]
    Good:
        --- before/kcheck.yaml
        consumers: [{name: billing, config: {group.id: billing, max.poll.records: 100}}]
        --- after/kcheck.yaml
        consumers: [{name: billing, config: {group.id: billing, max.poll.records: 500}}]
    """
    if not isinstance(change.after, Consumer):
        return
    differing = _renamed(change, "group.id")
    if differing is None:
        return
    old, new = differing
    reset = change.after["auto.offset.reset"]
    if reset.value == "earliest":
        breaks = "every record that is still retained is read and processed again"
    elif reset.value == "none":
        breaks = "the consumer fails at startup (NoOffsetForPartitionException)"
    elif reset.known:
        breaks = "records written before the new group starts are never read"
    else:
        breaks = "it misses records or reads all of them again, depending on auto.offset.reset"
    yield change.finding(
        f"{change.after.resource.kind} {change.before.name} changes its group.id from {old.text} to "
        f"{new.text}, which has no offsets",
        at=new,
        because=(change.was(old), reset),
        breaks=breaks,
        fix=f"stop it, copy the offsets (kafka-consumer-groups --export of {old.text}, "
        f"--reset-offsets --from-file for {new.text}), then start it",
    )


@rule("KC1921", "application-id-changed", ERROR)
def application_id_changed(change: ClientChange) -> Iterator[Finding]:
    """A Streams application changes its application.id.

    It names the group, the state directory and all internal topics. The new application.id starts
    without state and offsets, and rebuilds both from what its topics still retain; the old internal
    topics remain.

    Bad:
        --- before/kcheck.yaml
        streams: [{name: totals, topics: [orders], config: {application.id: totals}}]
        --- after/kcheck.yaml
        streams: [{name: totals, topics: [orders], config: {application.id: totals-2}}]
    Good:
        --- before/kcheck.yaml
        streams: [{name: totals, config: {application.id: totals}}]
        --- after/kcheck.yaml
        streams: [{name: totals, config: {application.id: totals, num.stream.threads: 2}}]
    """
    if not isinstance(change.after, Streams):
        return
    differing = _renamed(change, "application.id")
    if differing is None:
        return
    old, new = differing
    yield change.finding(
        f"streams {change.before.name} changes its application.id from {old.text} to {new.text}",
        at=new,
        because=(change.was(old),),
        breaks="it starts without state and offsets and reprocesses the retained records of its "
        "topics: results are repeated, and lack the expired records",
        fix=f"keep {old.text}; to start from scratch use kafka-streams-application-reset, and remove "
        "the old internal topics",
    )


@rule("KC1922", "transactional-id-changed", WARNING)
def transactional_id_changed(change: ClientChange) -> Iterator[Finding]:
    """A producer changes its transactional.id.

    Kafka fences a producer by this id. With another id the transaction that the old instance left
    open is not ended, and two instances may write at the same time.

    Bad:
        --- before/kcheck.yaml
        producers: [{name: ledger, config: {transactional.id: ledger-0}}]
        --- after/kcheck.yaml
        producers: [{name: ledger, config: {transactional.id: book-0}}]
    Good:
        --- before/kcheck.yaml
        producers: [{name: ledger, config: {transactional.id: ledger-0}}]
        --- after/kcheck.yaml
        producers: [{name: ledger, config: {transactional.id: ledger-0, linger.ms: 5}}]
    """
    differing = _renamed(change, "transactional.id")
    if differing is None:
        return
    old, new = differing
    timeout = change.after["transaction.timeout.ms"]
    yield change.finding(
        f"{change.after.resource.kind} {change.before.name} changes its transactional.id from "
        f"{old.text} to {new.text}",
        at=new,
        because=(change.was(old), timeout),
        breaks="an instance with the old id is not fenced: both may write, and a transaction that "
        "it left open blocks read_committed consumers until transaction.timeout.ms has passed",
        fix="stop all instances and let their transactions end before starting one with the new id",
    )


@rule("KC1923", "worker-identity-changed", ERROR)
def worker_identity_changed(change: ClientChange) -> Iterator[Finding]:
    """A Connect worker changes its group.id or one of its storage topics.

    The topics store the connectors of the Connect cluster, their source offsets and their status.
    With another topic the Connect cluster starts empty.

    Bad:
        --- before/connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=connect
        config.storage.topic=connect-configs
        offset.storage.topic=connect-offsets
        status.storage.topic=connect-status
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        --- after/connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=connect
        config.storage.topic=connect-configs
        offset.storage.topic=connect-offsets-2
        status.storage.topic=connect-status
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
    Good:
        --- before/connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=connect
        config.storage.topic=connect-configs
        offset.storage.topic=connect-offsets
        status.storage.topic=connect-status
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        --- after/connect-distributed.properties
        bootstrap.servers=k1:9092,k2:9092
        group.id=connect
        config.storage.topic=connect-configs
        offset.storage.topic=connect-offsets
        status.storage.topic=connect-status
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
    """
    if not isinstance(change.after, Worker):
        return
    for key, breaks in _STORED.items():
        differing = _renamed(change, key)
        if differing is None:
            continue
        old, new = differing
        yield change.finding(
            f"worker {change.before.name} changes its {key} from {old.text} to {new.text}",
            at=new,
            because=(change.was(old),),
            breaks=breaks,
            fix=f"keep {old.text}, or stop all workers and copy the topic, compacted and with its "
            "keys, before one of them starts with the new topic"
            if key != "group.id"
            else f"keep {old.text}, or stop all workers and start them together with the new group.id",
            severity=WARNING if key in ("group.id", "status.storage.topic") else "",
        )


_STORED = {
    "config.storage.topic": "the Connect cluster starts without any connector: all of them stop",
    "offset.storage.topic": "source connectors lose their offsets: they start over, and write all "
    "records again or miss the records in between",
    "status.storage.topic": "connectors and tasks have no status until they report again",
    "group.id": "during the rolling restart two Connect clusters have the same connectors, and each "
    "runs all of them; sink connectors keep their own groups",
}


@rule("KC1924", "client-cluster-changed", WARNING)
def client_cluster_changed(change: ClientChange) -> Iterator[Finding]:
    """A change moves a client to another cluster.

    The other cluster has none of the offsets, transactions and internal topics that the client has
    in the first one, and only those topics that were copied. The move may be intended, or the address
    may belong to another region or environment by mistake.

    Bad:
        --- before/eu/server.properties
        broker.id=1
        zookeeper.connect=zk-eu.example.com:2181
        log.dirs=/data/kafka
        advertised.listeners=PLAINTEXT://kafka-eu.example.com:9092
        --- before/us/server.properties
        broker.id=1
        zookeeper.connect=zk-us.example.com:2181
        log.dirs=/data/kafka
        advertised.listeners=PLAINTEXT://kafka-us.example.com:9092
        --- before/app/consumer.properties
        bootstrap.servers=kafka-eu.example.com:9092
        group.id=billing
        key.deserializer=org.apache.kafka.common.serialization.StringDeserializer
        value.deserializer=org.apache.kafka.common.serialization.StringDeserializer
        --- after/eu/server.properties
        broker.id=1
        zookeeper.connect=zk-eu.example.com:2181
        log.dirs=/data/kafka
        advertised.listeners=PLAINTEXT://kafka-eu.example.com:9092
        --- after/us/server.properties
        broker.id=1
        zookeeper.connect=zk-us.example.com:2181
        log.dirs=/data/kafka
        advertised.listeners=PLAINTEXT://kafka-us.example.com:9092
        --- after/app/consumer.properties
        bootstrap.servers=kafka-us.example.com:9092
        group.id=billing
        key.deserializer=org.apache.kafka.common.serialization.StringDeserializer
        value.deserializer=org.apache.kafka.common.serialization.StringDeserializer
    Good:
        --- before/eu/server.properties
        broker.id=1
        zookeeper.connect=zk-eu.example.com:2181
        log.dirs=/data/kafka
        advertised.listeners=PLAINTEXT://kafka-eu.example.com:9092
        --- before/us/server.properties
        broker.id=1
        zookeeper.connect=zk-us.example.com:2181
        log.dirs=/data/kafka
        advertised.listeners=PLAINTEXT://kafka-us.example.com:9092
        --- before/app/consumer.properties
        bootstrap.servers=kafka-eu.example.com:9092
        group.id=billing
        key.deserializer=org.apache.kafka.common.serialization.StringDeserializer
        value.deserializer=org.apache.kafka.common.serialization.StringDeserializer
        --- after/eu/server.properties
        broker.id=1
        zookeeper.connect=zk-eu.example.com:2181
        log.dirs=/data/kafka
        advertised.listeners=PLAINTEXT://kafka-eu.example.com:9092
        --- after/us/server.properties
        broker.id=1
        zookeeper.connect=zk-us.example.com:2181
        log.dirs=/data/kafka
        advertised.listeners=PLAINTEXT://kafka-us.example.com:9092
        --- after/app/consumer.properties
        bootstrap.servers=kafka-eu.example.com:9092,kafka-eu-2.example.com:9092
        group.id=billing
        key.deserializer=org.apache.kafka.common.serialization.StringDeserializer
        value.deserializer=org.apache.kafka.common.serialization.StringDeserializer
    """
    if not change.moved:
        return
    differing = _renamed(change, "bootstrap.servers")
    if differing is None:
        # Files were grouped differently; the client's own bootstrap.servers has not changed.
        return
    old, new = differing
    yield change.finding(
        f"{change.after.resource.kind} {change.before.name} moves from {change.before.cluster} to "
        f"{change.after.cluster}",
        at=new,
        because=(change.was(old),),
        breaks=_left_behind(change),
        fix="copy the topics, and for consumers the offsets, to the other cluster first "
        "(MirrorMaker 2 does both), or keep bootstrap.servers",
    )


def _left_behind(change: ClientChange) -> str:
    """What a client of this kind lacks in another cluster."""
    if isinstance(change.after, Consumer):
        return (
            "its group has no offsets there: it starts according to auto.offset.reset, and records "
            "that are still written to the first cluster are not read"
        )
    if isinstance(change.after, Streams):
        return "it starts without state and offsets, and its internal topics remain in the first cluster"
    if isinstance(change.after, Worker):
        return "the Connect cluster starts there without connectors, offsets and status"
    return "consumers of the first cluster receive no further records from it"
