"""KC09: the effects of single consumer settings."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.clients import Consumer, Producer
from kcheck.graph.edges import Connects
from kcheck.model import INFO, WARNING, Finding
from kcheck.rule import CHANGED, rule
from kcheck.rules.shared.transactional import transactional
from kcheck.wording import in_ms, plain


@rule(
    "KC0918",
    "auto-create-both-sides",
    WARNING,
    kafka=CHANGED,
    on=("allow.auto.create.topics",),
    refs=("KIP-361",),
    invariants=("auto-create-both-sides", "auto-create-consumer"),
)
def auto_create_both_sides(edge: Connects) -> Iterator[Finding]:
    """A consumer allows topic auto-creation, but its brokers do not.

    A consumer's allow.auto.create.topics has no effect unless auto.create.topics.enable is true.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {auto.create.topics.enable: "false"}}
        consumers: [{name: billing, config: {group.id: billing, allow.auto.create.topics: "true"}}]
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {auto.create.topics.enable: "false"}}
        consumers: [{name: billing, config: {group.id: billing}}]
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {auto.create.topics.enable: "true"}}
        consumers: [{name: billing, config: {group.id: billing, allow.auto.create.topics: "true"}}]
    """
    requested, allowed = (
        edge.client["allow.auto.create.topics"],
        edge.broker["auto.create.topics.enable"],
    )
    if not requested.explicit or requested.value is not True:
        return
    if allowed.value is False:
        yield edge.finding(
            f"{edge.client} sets {plain(requested)}, but the brokers have {plain(allowed)}",
            at=requested,
            because=(allowed,),
            breaks="the topic is not created: the consumer waits for a missing topic "
            "(UNKNOWN_TOPIC_OR_PARTITION in its log)",
            fix="create the topic, and remove allow.auto.create.topics",
        )


@rule(
    "KC0919",
    "rebalance-timeout-uncapped",
    INFO,
    on=("max.poll.interval.ms",),
    refs=("KIP-62",),
    invariants=("rebalance-timeout-uncapped",),
)
def rebalance_timeout_uncapped(
    consumer: Consumer, *, longest_ms: int = 3_600_000
) -> Iterator[Finding]:
    """A very long max.poll.interval.ms lets a stuck member stall its group.

    max.poll.interval.ms is also how long a rebalance waits for a member that has not rejoined, and
    brokers do not limit it. Reported above ``longest_ms`` (one hour).

    Bad:
        --- kcheck.yaml
        consumers: [{name: billing, config: {group.id: billing, max.poll.interval.ms: 2147483647}}]
    Good:
        --- kcheck.yaml
        consumers: [{name: billing, config: {group.id: billing, max.poll.interval.ms: 3600000}}]
    """
    interval = consumer["max.poll.interval.ms"]
    if interval.number > longest_ms:
        yield consumer.finding(
            f"{consumer} has {in_ms(interval)}",
            at=interval,
            breaks="a member that hangs in processing is not detected for that time: its partitions "
            "stall, and a rebalance of the group waits for it",
            fix="set max.poll.interval.ms to the longest time that max.poll.records records take",
        )


@rule(
    "KC0947",
    "autocommit-with-txn",
    WARNING,
    on=("enable.auto.commit",),
    refs=("KIP-98",),
    invariants=("autocommit-with-txn",),
)
def autocommit_with_txn(consumer: Consumer) -> Iterator[Finding]:
    """A consumer auto-commits offsets in a program that writes in transactions.

    Exactly-once from topic to topic commits the offsets in the transaction
    (sendOffsetsToTransaction). enable.auto.commit=true commits them independently: after a crash,
    records whose results were aborted are skipped. Reported for the consumer and producer of one
    program.

    Bad:
        --- application.properties
        spring.kafka.bootstrap-servers=k1:9092
        spring.kafka.consumer.group-id=billing
        spring.kafka.consumer.enable-auto-commit=true
        spring.kafka.producer.transaction-id-prefix=billing-
    Good:
        --- application.properties
        spring.kafka.bootstrap-servers=k1:9092
        spring.kafka.consumer.group-id=billing
        spring.kafka.consumer.enable-auto-commit=false
        spring.kafka.producer.transaction-id-prefix=billing-
    Good: another program
        --- kcheck.yaml
        consumers: [{name: tail, config: {group.id: tail, enable.auto.commit: "true"}}]
        producers: [{name: sink, config: {transactional.id: sink-0}}]
    """
    commit, program = consumer["enable.auto.commit"], consumer.resource.traits.application
    if commit.value is not True or not program:
        return
    for client in consumer.cluster.clients:
        if not isinstance(client, Producer) or client.resource.traits.application != program:
            continue
        user = transactional(client)
        if user is not None and client.resource.traits.profile == consumer.resource.traits.profile:
            yield consumer.finding(
                f"{consumer} sets {plain(commit)}, but its program writes in transactions "
                f"({plain(user)})",
                at=commit,
                because=(user,),
                breaks="offsets are committed even if the transaction is not: a crash loses records",
                fix="set enable.auto.commit=false",
                set_to="false",
            )
            return


@rule(
    "KC0948",
    "check-crcs",
    INFO,
    on=("check.crcs",),
    invariants=("check-crcs",),
)
def check_crcs(consumer: Consumer) -> Iterator[Finding]:
    """A consumer does not verify the checksums of the records that it reads.

    Bad:
        --- kcheck.yaml
        consumers: [{name: billing, config: {group.id: billing, check.crcs: "false"}}]
    Good:
        --- kcheck.yaml
        consumers: [{name: billing, config: {group.id: billing, check.crcs: "true"}}]
    Good: librdkafka's default
        --- kcheck.yaml
        consumers: [{name: billing, client: {library: librdkafka}, config: {group.id: billing}}]
    """
    value = consumer["check.crcs"]
    if value.value is False:
        yield consumer.finding(
            f"{consumer} has {plain(value)}",
            at=value,
            breaks="a batch that was corrupted on disk or in transit is not detected",
            fix="remove it unless you measured its cost (default of Java: true)",
            set_to="true",
        )


@rule(
    "KC0949",
    "group-static-session",
    INFO,
    on=("group.instance.id",),
    refs=("KIP-345",),
    invariants=("group-static-session",),
)
def group_static_session(consumer: Consumer, *, restart_ms: int = 30_000) -> Iterator[Finding]:
    """A static member's session expires during a restart.

    group.instance.id lets a member keep its partitions if it rejoins within its session.timeout.ms.
    A session of less than ``restart_ms`` expires before most programs have restarted.

    Bad:
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        consumers: [{name: billing, config: {group.id: billing, group.instance.id: b-1, session.timeout.ms: 10000}}]
    Good:
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        consumers: [{name: billing, config: {group.id: billing, group.instance.id: b-1}}]
    Good: no static member
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        consumers: [{name: billing, config: {group.id: billing, session.timeout.ms: 10000}}]
    """
    name, session = consumer["group.instance.id"], consumer["session.timeout.ms"]
    if name.text != "" and session.number < restart_ms:
        at, *because = written_first(session, name)
        yield consumer.finding(
            f"{consumer} is a static member ({plain(name)}) with {in_ms(session)}",
            at=at,
            because=because,
            breaks="a restart that takes longer triggers two rebalances, as without group.instance.id",
            fix="set session.timeout.ms above the duration of a restart",
        )


@rule(
    "KC0952",
    "exclude-internal",
    INFO,
    on=("exclude.internal.topics",),
    invariants=("exclude-internal",),
)
def exclude_internal(consumer: Consumer) -> Iterator[Finding]:
    """exclude.internal.topics=false lets subscription patterns match Kafka's internal topics.

    A pattern such as .* then matches __consumer_offsets, to which the consumer's own commits are
    written: it reads its own commits endlessly.

    Bad:
        --- kcheck.yaml
        consumers: [{name: archive, config: {group.id: archive, exclude.internal.topics: "false"}}]
    Good:
        --- kcheck.yaml
        consumers: [{name: archive, config: {group.id: archive, exclude.internal.topics: "true"}}]
    """
    value = consumer["exclude.internal.topics"]
    if value.value is False:
        yield consumer.finding(
            f"{consumer} has {plain(value)}",
            at=value,
            breaks="a pattern matches __consumer_offsets and __transaction_state, whose records are "
            "not application data",
            fix="remove it, and subscribe to an internal topic by name if you need one",
            set_to="true",
        )
