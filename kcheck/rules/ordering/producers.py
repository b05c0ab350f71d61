"""KC12: key hashing across producers, and the timeouts, retries and serializers of a producer."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import libraries
from kcheck.evidence import written_first
from kcheck.graph.clients import Consumer, Producer
from kcheck.graph.cluster import ClusterWithClients
from kcheck.graph.edges import Connects
from kcheck.graph.topics import Topic
from kcheck.libraries import CRC32, FNV_1A, MURMUR2
from kcheck.model import ABSENT, WARNING, Finding, Value
from kcheck.rule import REFUSED, rule
from kcheck.wording import in_ms, plain

#: librdkafka's partitioners by their names.
_PARTITIONERS = {
    "consistent": CRC32,
    "consistent_random": CRC32,
    "murmur2": MURMUR2,
    "murmur2_random": MURMUR2,
    "fnv1a": FNV_1A,
    "fnv1a_random": FNV_1A,
}


def _hash(producer: Producer) -> tuple[str, Value] | None:
    """The hash by which a producer chooses the partition of a key, and its evidence; else None."""
    named = producer.fact("client.library")
    library = producer.library
    if not library.hash:
        library = libraries.of(named.text or "")
    if library.partitioners:
        own = producer.resource.settings.get("partitioner")
        value = producer["partitioner"]
        if own is not None:
            word = _PARTITIONERS.get(own.text or "")
            return (word, value) if word else None
        return library.hash, named if named.written else value
    if producer.sets("partitioner.class") or producer.sets("partitioner"):
        return None
    evidence = named if named.written else producer["partitioner.class"]
    return (library.hash, evidence) if library.hash else None


def _keyed(topic: Topic) -> Value | None:
    """The setting or fact by which a topic relies on its keys."""
    policy, keyed, order = topic["cleanup.policy"], topic.fact("keyed"), topic.fact("ordering")
    if keyed.value is True:
        return keyed
    if order.value == "key":
        return order
    return policy if isinstance(policy.value, list) and "compact" in policy.value else None


@rule(
    "KC1221",
    "partitioner-cross-client",
    WARNING,
    invariants=("partitioner-cross-client",),
    versions="librdkafka: partitioner=consistent_random by default",
)
def partitioner_cross_client(cluster: ClusterWithClients) -> Iterator[Finding]:
    """Two producers send the same key to different partitions of a topic.

    Java's producer hashes keys with murmur2, and so do kafka-python, aiokafka and franz-go;
    librdkafka and the clients based on it use CRC32 unless partitioner=murmur2_random is set, and
    Sarama uses FNV-1a. If two of them write a topic that relies on keys, the records of a key are in
    two partitions: they are not ordered, compaction retains two of them, and they are not
    co-partitioned with the topics that they are joined with.

    Bad:
        --- kcheck.yaml
        topics: [{name: customers, partitions: 6, config: {cleanup.policy: compact}}]
        producers:
          - {name: crm, topics: [customers]}
          - {name: shop, topics: [customers], client: {library: librdkafka}}
    Bad: a Go client
        --- kcheck.yaml
        topics: [{name: orders, partitions: 6, keyed: true}]
        producers:
          - {name: crm, topics: [orders]}
          - {name: shop, topics: [orders], client: {library: sarama}}
    Good:
        --- kcheck.yaml
        topics: [{name: customers, partitions: 6, config: {cleanup.policy: compact}}]
        producers:
          - {name: crm, topics: [customers]}
          - name: shop
            topics: [customers]
            client: {library: confluent-kafka}
            config: {partitioner: murmur2_random}
    Good: a single partition
        --- kcheck.yaml
        topics: [{name: customers, partitions: 1, config: {cleanup.policy: compact}}]
        producers:
          - {name: crm, topics: [customers]}
          - {name: shop, topics: [customers], client: {library: librdkafka}}
    Good: the topic does not rely on keys
        --- kcheck.yaml
        topics: [{name: clicks, partitions: 6, config: {cleanup.policy: delete}}]
        producers:
          - {name: web, topics: [clicks]}
          - {name: app, topics: [clicks], client: {library: librdkafka}}
    """
    first: dict[str, tuple[Producer, str, Value]] = {}
    for client in cluster.clients:
        if not isinstance(client, Producer):
            continue
        chosen = _hash(client)
        if chosen is None:
            continue
        for topic in cluster.topics_of(client) or ():
            reason = _keyed(topic)
            if reason is None or topic.partitions.number == 1:
                continue
            other, hashed, evidence = first.setdefault(topic.name, (client, *chosen))
            if hashed == chosen[0]:
                continue
            # The one that differs from Java is the one to change.
            odd, even = (other, client) if chosen[0] == MURMUR2 else (client, other)
            at, because = (evidence, chosen[1]) if odd is other else (chosen[1], evidence)
            names = {id(other): hashed, id(client): chosen[0]}
            yield odd.finding(
                f"{odd} hashes keys with {names[id(odd)]} and {even} with {names[id(even)]}, but both "
                f"write to topic {topic.name} ({plain(reason)})",
                at=at,
                because=(because, reason),
                breaks="the records of one key are in two partitions: their order is lost, and joins "
                "find only half of them",
                fix=f"set partitioner=murmur2_random on {odd.name}"
                if odd.library.partitioners
                else f"configure {odd.name} to hash keys with murmur2, as Java does",
            )
            break


@rule(
    "KC1222",
    "request-timeout-vs-lag",
    WARNING,
    invariants=("request-timeout-vs-lag",),
)
def request_timeout_vs_lag(edge: Connects) -> Iterator[Finding]:
    """A non-idempotent producer times out before its brokers stop waiting for a slow follower.

    With acks=all a leader may wait replica.lag.time.max.ms for a slow follower. A producer with a
    lower request.timeout.ms resends the batch, which is then stored twice unless the producer is
    idempotent.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3}
        producers:
          - name: checkout
            config: {acks: all, enable.idempotence: "false", request.timeout.ms: 10000}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, client_version: "3.9"}
        producers: [{name: checkout, config: {acks: all, request.timeout.ms: 10000}}]
    Good: the leader does not wait for followers
        --- kcheck.yaml
        cluster: {brokers: 3}
        producers:
          - name: checkout
            config: {acks: "1", enable.idempotence: "false", request.timeout.ms: 10000}
    Good: no retries
        --- kcheck.yaml
        cluster: {brokers: 3}
        producers:
          - name: checkout
            config: {acks: all, retries: 0, enable.idempotence: "false", request.timeout.ms: 10000}
    """
    producer = edge.client
    request, lag = producer["request.timeout.ms"], edge.broker["replica.lag.time.max.ms"]
    idempotent, acks, retries = (
        producer["enable.idempotence"],
        producer["acks"],
        producer["retries"],
    )
    if idempotent.value is not False or producer.sets("transactional.id") or retries.number == 0:
        return
    if str(acks.value) not in ("all", "-1") or not request.number < lag.number:
        return
    at, *because = written_first(request, lag)
    yield edge.finding(
        f"{producer} has {in_ms(request)}, which is less than the brokers' {in_ms(lag)}",
        at=at,
        because=(*because, idempotent),
        breaks="while a follower is slow, the producer resends batches that are already stored: records "
        "are duplicated",
        fix=f"set enable.idempotence=true, or request.timeout.ms to at least {int(lag.number)}",
    )


@rule(
    "KC1223",
    "acks0-errors",
    WARNING,
    on=("acks",),
    invariants=("acks0-errors",),
)
def acks0_errors(producer: Producer) -> Iterator[Finding]:
    """retries have no effect with acks=0.

    With acks=0 brokers send no response: a send is complete once it is written to the socket, and no
    error triggers a retry. Errors of the broker (too large, not the leader) are lost with the records.

    Bad:
        --- kcheck.yaml
        producers: [{name: tracker, config: {acks: "0", retries: 5}}]
    Good:
        --- kcheck.yaml
        producers: [{name: tracker, config: {acks: "0"}}]
    Good:
        --- kcheck.yaml
        producers: [{name: tracker, config: {acks: "1", retries: 5}}]
    """
    acks, retries = producer["acks"], producer["retries"]
    if str(acks.value) == "0" and retries.explicit and retries.number > 0:
        yield producer.finding(
            f"{producer} has {plain(acks)}, so {plain(retries)} has no effect",
            at=retries,
            because=(acks,),
            breaks="records that a broker rejects or loses are lost without an error or a retry",
            fix="set acks=all, or remove retries",
        )


_CODECS = {
    "producer": ("key.serializer", "value.serializer"),
    "consumer": ("key.deserializer", "value.deserializer"),
}


@rule(
    "KC1224",
    "serializers",
    WARNING,
    kafka=REFUSED,
    on=tuple(key for keys in _CODECS.values() for key in keys),
    invariants=("serializers", "deserializers"),
)
def serializers(client: Producer | Consumer) -> Iterator[Finding]:
    """A client sets only one of its two serializers.

    Keys and values each require one, and neither has a default: the Java client cannot be created. A
    warning, because the program may set the other. Not reported for frameworks, which have defaults.

    Bad:
        --- producer.properties
        bootstrap.servers=k1:9092
        value.serializer=org.apache.kafka.common.serialization.StringSerializer
        acks=all
    Bad: a consumer
        --- consumer.properties
        bootstrap.servers=k1:9092
        group.id=billing
        key.deserializer=org.apache.kafka.common.serialization.StringDeserializer
    Good:
        --- producer.properties
        bootstrap.servers=k1:9092
        key.serializer=org.apache.kafka.common.serialization.StringSerializer
        value.serializer=org.apache.kafka.common.serialization.StringSerializer
        acks=all
    Good: the program sets both
        --- producer.properties
        bootstrap.servers=k1:9092
        acks=all
    Good: Spring has defaults
        --- application.properties
        spring.kafka.bootstrap-servers=k1:9092
        spring.kafka.producer.value-serializer=org.apache.kafka.common.serialization.StringSerializer
    """
    if not client.java or client.resource.traits.application or client.resource.managed:
        return
    keys = _CODECS[client.resource.kind]
    for given, missing in (keys, keys[::-1]):
        if client.sets(given) and client[missing].text is None and not client.sets(missing):
            yield client.finding(
                f"{client} sets {given}, but no {missing}",
                at=client[given],
                because=(Value(missing, client.resource, ABSENT),),
                breaks=f"the {client.resource.kind} cannot be created, unless the program sets {missing}",
                fix=f"set {missing}",
            )
