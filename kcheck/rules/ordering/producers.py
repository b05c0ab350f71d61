"""KC12: producers beside each other and beside their brokers: hashes of keys, retries, serializers."""

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
    """How a producer chooses the partition of a key, and what tells it; None where nobody knows."""
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
    told = named if named.written else producer["partitioner.class"]
    return (library.hash, told) if library.hash else None


def _keyed(topic: Topic) -> Value | None:
    """What says that the keys of a topic matter."""
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
    """Two producers send one key to different partitions of a topic.

    Java's producer hashes keys with murmur2, and so do kafka-python, aiokafka and franz-go;
    librdkafka and the clients around it use CRC32 unless partitioner=murmur2_random, Sarama FNV-1a.
    Where both write a topic whose keys matter, a key's records lie in two partitions: without order,
    with two newest records after compaction, and not beside those that they are to be joined with.

    Bad:
        --- kcheck.yaml
        topics: [{name: customers, partitions: 6, config: {cleanup.policy: compact}}]
        producers:
          - {name: crm, topics: [customers]}
          - {name: shop, topics: [customers], client: {library: librdkafka}}
    Bad: Go
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
    Good: one partition
        --- kcheck.yaml
        topics: [{name: customers, partitions: 1, config: {cleanup.policy: compact}}]
        producers:
          - {name: crm, topics: [customers]}
          - {name: shop, topics: [customers], client: {library: librdkafka}}
    Good: keys mean nothing here
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
            other, hashed, told = first.setdefault(topic.name, (client, *chosen))
            if hashed == chosen[0]:
                continue
            # The one that does not do as Java does is the one to change.
            odd, even = (other, client) if chosen[0] == MURMUR2 else (client, other)
            at, because = (told, chosen[1]) if odd is other else (chosen[1], told)
            names = {id(other): hashed, id(client): chosen[0]}
            yield odd.finding(
                f"{odd} hashes keys with {names[id(odd)]}, {even} with {names[id(even)]}, and both write "
                f"{topic.name} ({plain(reason)})",
                at=at,
                because=(because, reason),
                breaks="the records of one key lie in two partitions: their order is lost, and joins "
                "find only half of them",
                fix=f"set partitioner=murmur2_random on {odd.name}"
                if odd.library.partitioners
                else f"make {odd.name} hash keys with murmur2, as Java does",
            )
            break


@rule(
    "KC1222",
    "request-timeout-vs-lag",
    WARNING,
    invariants=("request-timeout-vs-lag",),
)
def request_timeout_vs_lag(edge: Connects) -> Iterator[Finding]:
    """A producer without idempotence repeats what its brokers are still storing.

    With acks=all a leader may wait replica.lag.time.max.ms for a slow follower. A producer whose
    request.timeout.ms is below that sends the batch again, and it is stored twice unless the producer
    is idempotent.

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
    Good: nobody waits for followers
        --- kcheck.yaml
        cluster: {brokers: 3}
        producers:
          - name: checkout
            config: {acks: "1", enable.idempotence: "false", request.timeout.ms: 10000}
    Good: it does not try again
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
        f"{producer} waits {in_ms(request)} for an answer, followers may lag for {in_ms(lag)}",
        at=at,
        because=(*because, idempotent),
        breaks="while a follower is slow the producer sends batches again that are stored already: "
        "records appear twice",
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

    With acks=0 no broker answers: a send is done as soon as it is on its way, and retries have nothing
    to react to. Errors of the broker (too large, not the leader) are lost with the records.

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
            f"{producer} has {plain(acks)} and {plain(retries)}",
            at=retries,
            because=(acks,),
            breaks="retries do nothing: what a broker refuses or loses is lost without a word",
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
    """A client has one of two serializers.

    Keys and values each need one, and neither has a default; Java refuses to create the client. A
    warning, because the program may add the other. Silent for frameworks, which have defaults.

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
    Good: the program gives both
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
                f"{client} sets {given} and no {missing}",
                at=client[given],
                because=(Value(missing, client.resource, ABSENT),),
                breaks=f"the {client.resource.kind} cannot be created, unless the program sets {missing}",
                fix=f"set {missing}",
            )
