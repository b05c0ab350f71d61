"""KC19: what a change of identity does to a client: its group, its state, its transactions."""

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

    The new group has no committed offsets, so it begins where auto.offset.reset says: at the end,
    where it misses all that is written until it starts, or at the beginning, where it reads again
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
        breaks = "every record that is still there is read and processed once more"
    elif reset.value == "none":
        breaks = "the consumer stops at its start (NoOffsetForPartitionException)"
    elif reset.known:
        breaks = "what is written before the new group has started is never read"
    else:
        breaks = "it misses records or reads all of them again, as auto.offset.reset says"
    yield change.finding(
        f"{change.after.resource.kind} {change.before.name} leaves group {old.text} for {new.text}, "
        "which has no offsets",
        at=new,
        because=(change.was(old), reset),
        breaks=breaks,
        fix=f"stop it, copy the offsets (kafka-consumer-groups --export of {old.text}, "
        f"--reset-offsets --from-file for {new.text}), then start it",
    )


@rule("KC1921", "application-id-changed", ERROR)
def application_id_changed(change: ClientChange) -> Iterator[Finding]:
    """A Streams application changes its application.id.

    It is the name of its group, of its state directory and of all its internal topics. The new one
    begins with no state and no offsets, and builds both again from what its topics still hold; the
    old internal topics stay behind.

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
        breaks="it starts without state and offsets and processes its topics once more from what "
        "they still hold: results are repeated, and what has expired is missing from them",
        fix=f"keep {old.text}; for a start from nothing use kafka-streams-application-reset on "
        "purpose, and remove the old internal topics",
    )


@rule("KC1922", "transactional-id-changed", WARNING)
def transactional_id_changed(change: ClientChange) -> Iterator[Finding]:
    """A producer changes its transactional.id.

    Kafka fences a producer off by this name. Under another one nobody ends the transaction that
    the old instance left open, and two instances may write at the same time.

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
        breaks="an instance of the old name is not fenced off: both may write, and a transaction "
        "that it left open keeps readers with read_committed waiting until "
        "transaction.timeout.ms has passed",
        fix="stop all instances and let their transactions end before one of the new name starts",
    )


@rule("KC1923", "worker-identity-changed", ERROR)
def worker_identity_changed(change: ClientChange) -> Iterator[Finding]:
    """A Connect worker changes its group or one of its storage topics.

    They hold what a Connect cluster is: its connectors, how far their sources have been read, and
    their status. With another topic it starts as an empty one.

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
            "keys, before one of them starts with the new one"
            if key != "group.id"
            else f"keep {old.text}, or stop all workers and start them with the new one together",
            severity=WARNING if key in ("group.id", "status.storage.topic") else "",
        )


_STORED = {
    "config.storage.topic": "the Connect cluster starts without a single connector: all of them stop",
    "offset.storage.topic": "source connectors forget how far they have read: they begin anew, and "
    "write everything once more or miss what lies between",
    "status.storage.topic": "connectors and tasks have no status until they report again",
    "group.id": "while workers are restarted one by one there are two Connect clusters with the "
    "same connectors, and each runs all of them; sink connectors keep their own groups",
}


@rule("KC1924", "client-cluster-changed", WARNING)
def client_cluster_changed(change: ClientChange) -> Iterator[Finding]:
    """A change moves a client to another cluster.

    The other cluster has none of the offsets, transactions and internal topics that the client has
    left in the first one, and of its topics only what somebody has copied. It may be meant, and it
    may be one address of another region or environment.

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
        # Files were grouped in another way; the client itself asks whom it asked.
        return
    old, new = differing
    yield change.finding(
        f"{change.after.resource.kind} {change.before.name} moves from cluster "
        f"{change.before.cluster.name} to {change.after.cluster}",
        at=new,
        because=(change.was(old),),
        breaks=_left_behind(change),
        fix="copy the topics, and for consumers the offsets, to the other cluster first "
        "(MirrorMaker 2 does both), or keep the address",
    )


def _left_behind(change: ClientChange) -> str:
    """What a client of this kind misses in another cluster."""
    if isinstance(change.after, Consumer):
        return (
            "its group has no offsets there: it begins where auto.offset.reset says, and what is "
            "still written to the first cluster is not read"
        )
    if isinstance(change.after, Streams):
        return "it starts without state and offsets, and its internal topics stay behind"
    if isinstance(change.after, Worker):
        return "the Connect cluster starts there without connectors, offsets and status"
    return "who reads its records from the first cluster gets none of those to come"
