"""KC12: transactional ids: who uses them, who reads their records, and when they expire."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.clients import Client, Consumer, Producer
from kcheck.graph.cluster import ClusterWithClients
from kcheck.graph.edges import Connects
from kcheck.graph.nodes import Broker, Controller
from kcheck.graph.running import instances
from kcheck.model import ERROR, WARNING, Finding, Value
from kcheck.rule import rule
from kcheck.rules.shared.transactional import transactional
from kcheck.wording import count, in_ms, plain


@rule(
    "KC1216",
    "txn-id-unique",
    ERROR,
    invariants=("txn-id-unique",),
)
def txn_id_unique(cluster: ClusterWithClients) -> Iterator[Finding]:
    """Producers that run at the same time share a transactional.id.

    A transactional.id is for one producer. A call of initTransactions() fences the previous producer
    with the same id, which fails at its next operation with ProducerFencedException, or when sending
    in newer versions with InvalidProducerEpochException. The producers then fence each other in
    turns. Reported if a producer runs in several instances (declared, or replicas of its workload),
    which all get the file's id, and as a warning if two producers of a cluster have the same id.

    Bad:
        --- kcheck.yaml
        producers: [{name: sink, instances: 3, config: {transactional.id: sink}}]
    Bad: two applications
        --- kcheck.yaml
        producers:
          - {name: sink, config: {transactional.id: sink}}
          - {name: audit, config: {transactional.id: sink}}
    Good:
        --- kcheck.yaml
        producers:
          - {name: sink, instances: 1, config: {transactional.id: sink}}
          - {name: audit, config: {transactional.id: audit}}
    Good: each instance sets its own
        --- kcheck.yaml
        producers: [{name: sink, instances: 3, config: {transactional.id: "sink-${HOSTNAME}"}}]
    Good: no transactions
        --- kcheck.yaml
        producers: [{name: sink, instances: 3, config: {transactional.id: ""}}]
    Good: Spring appends a number to its prefix
        --- application.properties
        spring.kafka.bootstrap-servers=k1:9092
        spring.kafka.producer.transaction-id-prefix=sink-
        --- other/application.properties
        spring.kafka.bootstrap-servers=k1:9092
        spring.kafka.producer.transaction-id-prefix=sink-
    """
    first: dict[str, Producer] = {}
    for client in cluster.clients:
        if not isinstance(client, Producer) or client.resource.traits.profile:
            continue
        identity = client["transactional.id"]
        # The framework's own prefix is not an id.
        setting = identity.setting
        if setting is None or not setting.text or "prefix" in setting.name:
            continue
        processes = instances(client)
        if processes.number > 1:
            yield client.finding(
                f"{client} runs {count(processes.number, 'instance')} with the same {plain(identity)}",
                at=identity,
                because=(processes,),
                breaks="each instance fences the previous one, in turns (ProducerFencedException or "
                "InvalidProducerEpochException)",
                fix="give each instance a unique transactional.id that persists across restarts, such "
                f"as {setting.text}-0",
            )
            continue
        other = first.setdefault(setting.text, client)
        # Two files of one name are mostly two variants of one program.
        alike = other.name == client.name and other.resource.path != client.resource.path
        if other is not client and not alike:
            yield client.finding(
                f"{client} has {plain(identity)}, the same as {other}",
                at=identity,
                because=(other["transactional.id"],),
                breaks="if both run at the same time, they fence each other in turns "
                "(ProducerFencedException or InvalidProducerEpochException)",
                fix="give each producer a unique transactional.id",
                severity=WARNING,
            )


@rule(
    "KC1217",
    "txn-no-readers-committed",
    WARNING,
    refs=("KIP-98",),
    invariants=("txn-no-readers-committed",),
)
def txn_no_readers_committed(cluster: ClusterWithClients) -> Iterator[Finding]:
    """A topic is written in transactions, but a consumer reads uncommitted records.

    Java consumers have isolation.level=read_uncommitted by default: they read the records of open
    and of aborted transactions. (librdkafka's default is read_committed.) Reported if the topics of
    both are declared and the consumer does not set isolation.level.

    Bad:
        --- kcheck.yaml
        topics: [{name: orders, partitions: 6}]
        producers: [{name: checkout, topics: [orders], config: {transactional.id: checkout-0}}]
        consumers: [{name: billing, topics: [orders], config: {group.id: billing}}]
    Good:
        --- kcheck.yaml
        topics: [{name: orders, partitions: 6}]
        producers: [{name: checkout, topics: [orders], config: {transactional.id: checkout-0}}]
        consumers:
          - {name: billing, topics: [orders], config: {group.id: billing, isolation.level: read_committed}}
    Good: set explicitly
        --- kcheck.yaml
        topics: [{name: orders, partitions: 6}]
        producers: [{name: checkout, topics: [orders], config: {transactional.id: checkout-0}}]
        consumers:
          - {name: tail, topics: [orders], config: {group.id: tail, isolation.level: read_uncommitted}}
    Good: another topic
        --- kcheck.yaml
        topics: [{name: orders, partitions: 6}, {name: clicks, partitions: 6}]
        producers: [{name: checkout, topics: [orders], config: {transactional.id: checkout-0}}]
        consumers: [{name: billing, topics: [clicks], config: {group.id: billing}}]
    Good: librdkafka
        --- kcheck.yaml
        topics: [{name: orders, partitions: 6}]
        producers: [{name: checkout, topics: [orders], config: {transactional.id: checkout-0}}]
        consumers:
          - {name: billing, topics: [orders], client: {library: librdkafka}, config: {group.id: billing}}
    """
    writers: dict[str, tuple[Client, Value]] = {}
    for client in cluster.clients:
        user = None if isinstance(client, Consumer) else transactional(client)
        if user is not None:
            for topic in cluster.topics_of(client, "writes") or ():
                writers.setdefault(topic.name, (client, user))
    for reader in cluster.clients if writers else ():
        # The isolation level of a share group is a config of the group.
        if reader.resource.plane == "share-consumer":
            continue
        level = reader["isolation.level"]
        if level.explicit or level.value != "read_uncommitted":
            continue
        names = [topic.name for topic in cluster.topics_of(reader) or ()]
        name = next((name for name in names if name in writers), None)
        if name is not None:
            writer, user = writers[name]
            yield reader.finding(
                f"{reader} reads topic {name} with {plain(level)}, but {writer} writes it in "
                "transactions",
                at=level,
                because=(user,),
                breaks="it processes records of transactions that are aborted afterwards",
                fix=f"set isolation.level=read_committed on {reader.name}",
            )


@rule(
    "KC1218",
    "txn-id-expiration",
    WARNING,
    on=("transactional.id.expiration.ms", "transaction.max.timeout.ms"),
    invariants=("txn-id-expiration",),
    broker_side=True,
)
def txn_id_expiration(broker: Broker | Controller) -> Iterator[Finding]:
    """transactional.id.expiration.ms is less than transaction.max.timeout.ms.

    transactional.id.expiration.ms (7 days) counts from the last change of a transaction's state. A
    producer that pauses for longer loses its id (InvalidPidMappingException) and cannot continue. Below
    transaction.max.timeout.ms that can happen to a healthy producer between two transactions.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {transactional.id.expiration.ms: 600000}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {transactional.id.expiration.ms: 86400000}}
    """
    expiration, longest = (
        broker["transactional.id.expiration.ms"],
        broker["transaction.max.timeout.ms"],
    )
    if expiration.number < longest.number:
        at, *because = written_first(expiration, longest)
        yield broker.finding(
            f"{broker}: {in_ms(expiration)} is less than {in_ms(longest)}",
            at=at,
            because=because,
            breaks="a producer that pauses for as long as a transaction may last loses its id "
            "(InvalidPidMappingException) and must be recreated",
            fix="set transactional.id.expiration.ms to several days, above the longest pause of any "
            "producer",
        )


@rule(
    "KC1219",
    "pid-expiration",
    WARNING,
    refs=("KIP-854",),
    invariants=("pid-expiration",),
    versions="3.4+; earlier, transactional.id.expiration.ms applies to both",
    broker_side=True,
)
def pid_expiration(edge: Connects) -> Iterator[Finding]:
    """producer.id.expiration.ms is less than the delivery.timeout.ms of a producer.

    A leader remembers the last batches of an idempotent producer for producer.id.expiration.ms (a
    day). A later retry is not recognised as a duplicate, so the record is stored twice.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", client_version: "4.1", brokers: 3, config: {producer.id.expiration.ms: 60000}}
        producers: [{name: checkout, config: {acks: all}}]
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", client_version: "4.1", brokers: 3, config: {producer.id.expiration.ms: 600000}}
        producers: [{name: checkout, config: {acks: all}}]
    Good: not idempotent
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", client_version: "4.1", brokers: 3, config: {producer.id.expiration.ms: 60000}}
        producers: [{name: checkout, config: {acks: all, enable.idempotence: "false"}}]
    """
    kept = edge.broker["producer.id.expiration.ms"]
    retries, idempotent = edge.client["delivery.timeout.ms"], edge.client["enable.idempotence"]
    if idempotent.value is True and kept.number < retries.number:
        at, *because = written_first(retries, kept)
        yield edge.finding(
            f"{edge.client} retries for {in_ms(retries)}, but the brokers have {in_ms(kept)}",
            at=at,
            because=because,
            breaks="a late retry is stored a second time, or fails with UnknownProducerIdException",
            fix=f"set producer.id.expiration.ms above {int(retries.number)} on the brokers",
        )


@rule(
    "KC1225",
    "txn-verification",
    WARNING,
    on=("transaction.partition.verification.enable",),
    refs=("KIP-890",),
    invariants=("txn-verification",),
    versions="3.6+",
    broker_side=True,
)
def txn_verification(broker: Broker | Controller) -> Iterator[Finding]:
    """Brokers do not verify that a transaction is open before they append to it.

    With transaction.partition.verification.enable=false a delayed write of a completed transaction is
    appended to a partition. The transaction that it opens there is never completed: the last stable
    offset stops advancing, and read_committed consumers receive no further records.

    Bad:
        --- kcheck.yaml
        cluster:
          kafka_version: "3.9"
          brokers: 3
          config: {transaction.partition.verification.enable: "false"}
    Good:
        --- kcheck.yaml
        cluster:
          kafka_version: "3.9"
          brokers: 3
          config: {transaction.partition.verification.enable: "true"}
    Good: an older broker has no such key
        --- kcheck.yaml
        cluster:
          kafka_version: "3.5"
          brokers: 3
          config: {transaction.partition.verification.enable: "false"}
    """
    value = broker["transaction.partition.verification.enable"]
    if value.value is False and not broker.version.below("3.6"):
        yield broker.finding(
            f"{broker} has {plain(value)}",
            at=value,
            breaks="a late write leaves a hanging transaction: read_committed consumers stall there until "
            "it is aborted manually",
            fix="remove it (the default is true)",
            set_to="true",
        )
