"""KC09: what single settings of a consumer come to."""

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
    """A consumer creates the topics that it reads, but its brokers do not allow it.

    allow.auto.create.topics of a consumer only asks; the brokers' auto.create.topics.enable decides.

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
    asked, allowed = (
        edge.client["allow.auto.create.topics"],
        edge.broker["auto.create.topics.enable"],
    )
    if not asked.explicit or asked.value is not True:
        return
    if allowed.value is False:
        yield edge.finding(
            f"{edge.client} sets {plain(asked)}, the brokers have {plain(allowed)}",
            at=asked,
            because=(allowed,),
            breaks="no topic is made: the consumer waits for a topic that does not come "
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
    """One stuck member may hold up its whole group for hours.

    max.poll.interval.ms is also how long a rebalance waits for a member that has not come back, and
    brokers put no upper bound to it. Told is more than ``longest_ms``, an hour.

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
            breaks="a member that hangs in its work is not noticed for that time: its partitions "
            "stand still, and a rebalance of the group waits for it",
            fix="set max.poll.interval.ms to what max.poll.records records take at worst",
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
    """A program that writes in transactions commits what it has read outside of them.

    Exactly-once from topic to topic sends the offsets with the transaction
    (sendOffsetsToTransaction). enable.auto.commit=true commits them on its own time: after a crash
    records are skipped whose results were aborted. Told of the consumer and producer of one program.

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
                f"{consumer} sets {plain(commit)}, and its program writes in transactions "
                f"({plain(user)})",
                at=commit,
                because=(user,),
                breaks="offsets are committed whether the transaction was or not: a crash loses records",
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
    """A consumer does not look whether what it reads is what was written.

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
            breaks="a batch that was damaged on disk or on its way is taken for good",
            fix="remove it where it was not measured to be too dear (the default of Java is true)",
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
    """A static member loses its partitions at each restart.

    group.instance.id lets a member come back to its partitions, if it is back within its
    session.timeout.ms. A session of less than ``restart_ms`` is over before most programs are.

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
            breaks="a restart that takes longer makes two rebalances, as without group.instance.id",
            fix="set session.timeout.ms above the time that a restart takes",
        )


@rule(
    "KC0952",
    "exclude-internal",
    INFO,
    on=("exclude.internal.topics",),
    invariants=("exclude-internal",),
)
def exclude_internal(consumer: Consumer) -> Iterator[Finding]:
    """A subscription pattern matches Kafka's internal topics, too.

    exclude.internal.topics=false lets a pattern like .* match __consumer_offsets, in which the
    consumer's own commits are written: it reads its own work for ever.

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
            breaks="a pattern takes __consumer_offsets and __transaction_state, whose records are no "
            "data of anybody's",
            fix="remove it, and name an internal topic where one is meant",
            set_to="true",
        )
