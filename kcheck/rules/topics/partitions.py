"""KC06: how many partitions a topic may have, and one request may create (see growth)."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue
from kcheck.graph.cluster import Cluster
from kcheck.graph.topics import Topic
from kcheck.model import ERROR, INFO, WARNING, Finding
from kcheck.rule import FAILED, rule
from kcheck.wording import count, plain

#: The first version whose controller bounds the records of one operation.
OP_BOUNDED_SINCE = "3.5"


def bounded(cluster: Cluster, since: str) -> str | None:
    """The severity of crossing a bound that KRaft's controller has since that version.

    None where the bound is known not to hold: an older version, or a cluster on ZooKeeper.
    """
    version = cluster.version
    if version.below(since) or cluster.kraft is False:
        return None
    return (
        ERROR if version.at_least(since) and (version.at_least("4.0") or cluster.kraft) else WARNING
    )


def named_range(severity: str, since: str) -> str:
    """Where the bound holds, in words, for a verdict that is not certain."""
    return "" if severity == ERROR else f"in KRaft mode from Kafka {since} on "


@rule(
    "KC0610",
    "partitions-positive",
    ERROR,
    kafka=FAILED,
    invariants=("partitions-positive",),
    claims=("S000-005", "S004-69"),
)
def partitions_positive(topic: Topic) -> Iterator[Finding]:
    """A topic is declared without partitions.

    Kafka takes 1 or more, and -1 for the brokers' num.partitions. There is no upper bound for one
    topic but the 32-bit number.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: orders, partitions: 0}
    Good:
        --- kcheck.yaml
        topics:
          - {name: orders, partitions: 1}
          - {name: by-default, partitions: -1}
    """
    partitions = topic.partitions
    if partitions.number == 0 or partitions.number < -1:
        yield topic.finding(
            f"topic {topic.name} has {plain(partitions)}",
            at=partitions,
            breaks="Kafka refuses to create it (InvalidPartitionsException)",
            fix="set at least 1, or -1 for num.partitions",
        )


@rule(
    "KC0611",
    "partitions-per-create-request",
    ERROR,
    kafka=FAILED,
    refs=("KAFKA-17870",),
    invariants=("partitions-per-create-request",),
    claims=("S000-006", "S000-009", "S000-010", "S000-012", "S000-013"),
    versions="3.9.1+ in KRaft mode",
)
def partitions_per_create_request(topic: Topic) -> Iterator[Finding]:
    """A topic has more partitions than one request may create.

    The controller refuses a request for more than 10,000 partitions over all its topics, before
    anything is allocated. Tools do not split a topic: it must be created smaller and then grown.
    A topic that exists already (``current_partitions``) is not created again.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", brokers: 9}
        topics:
          - {name: clicks, partitions: 20000, replication_factor: 3}
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", brokers: 9}
        topics:
          - {name: clicks, partitions: 9000, replication_factor: 3}
    Good: it is there
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", brokers: 9}
        topics:
          - {name: clicks, partitions: 20000, current_partitions: 20000, replication_factor: 3}
    Good: ZooKeeper has no such bound
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", brokers: 9, config: {zookeeper.connect: "zk:2181"}}
        topics:
          - {name: clicks, partitions: 20000, replication_factor: 3}
    """
    most = catalogue.constant("max-partitions-per-batch", topic.version)
    partitions = topic.partitions
    if most is None or not partitions.number > most or topic.sets("current_partitions"):
        return
    severity = bounded(topic.cluster, "3.9.1")
    if severity is None:
        return
    requests = -(-int(partitions.number) // most)
    yield topic.finding(
        f"topic {topic.name} has {int(partitions.number):,} partitions, one request creates at "
        f"most {most:,}",
        at=partitions,
        breaks=f"{named_range(severity, '3.9.1')}the controller refuses it: "
        "PolicyViolationException, excessively large number of partitions per request",
        fix=f"create it with fewer than {most:,} partitions and grow it: {requests} requests or "
        "more",
        severity=severity,
    )


@rule(
    "KC0612",
    "partitions-per-apply",
    INFO,
    invariants=("partitions-per-create-request",),
    claims=("S000-006", "S000-012"),
    versions="3.9.1+ in KRaft mode",
)
def partitions_per_apply(cluster: Cluster) -> Iterator[Finding]:
    """The topics of one file have more partitions together than one request may create.

    Each is fine alone. A tool that creates all of them in one call is refused on a new cluster
    (PolicyViolationException); one that creates topic by topic is not.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", brokers: 9}
        topics:
          - {name: clicks, partitions: 6000}
          - {name: views, partitions: 6000}
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", brokers: 9}
        topics:
          - {name: clicks, partitions: 4000}
          - {name: views, partitions: 4000}
    """
    most = catalogue.constant("max-partitions-per-batch", cluster.version)
    if most is None or bounded(cluster, "3.9.1") is None:
        return
    by_file: dict[str, dict[str, Topic]] = {}
    for topic in cluster.topics:
        partitions = topic.partitions
        if 1 <= partitions.number <= most and not topic.sets("current_partitions"):
            by_file.setdefault(topic.resource.path, {}).setdefault(topic.name, topic)
    for path, topics in by_file.items():
        counts = sorted((t.partitions for t in topics.values()), key=lambda v: -v.number)
        total = sum(int(value.number) for value in counts)
        if total > most:
            yield next(iter(topics.values())).finding(
                f"the {count(len(topics), 'topic')} of {path} have {total:,} partitions together, "
                f"one request creates at most {most:,}",
                at=counts[0],
                because=counts[1:3],
                breaks="a tool that creates all of them in one call is refused "
                "(PolicyViolationException)",
                fix=f"create them in at least {-(-total // most)} calls",
            )


@rule(
    "KC0613",
    "records-per-user-op",
    ERROR,
    kafka=FAILED,
    refs=("KAFKA-14996",),
    invariants=("records-per-user-op",),
    claims=("S000-007", "S000-008", "S000-011"),
    versions="3.5+ in KRaft mode",
)
def records_per_user_op(topic: Topic) -> Iterator[Finding]:
    """Creating a topic takes more records than one operation may write.

    The controller writes one record for the topic, one for each partition and one for each
    setting, and takes at most 10,000 from one request. Over it the list refuses the record that
    overflows: the request fails fast and the controller goes on.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", brokers: 9}
        topics:
          - {name: clicks, partitions: 10000, replication_factor: 3}
    Bad: before 3.9.1 this is the only bound
        --- kcheck.yaml
        cluster: {kafka_version: "3.7", brokers: 9, config: {process.roles: broker}}
        topics:
          - {name: clicks, partitions: 20000, replication_factor: 3}
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", brokers: 9}
        topics:
          - {name: clicks, partitions: 9990, replication_factor: 3, config: {retention.ms: 3600000}}
    Good: there was no bound
        --- kcheck.yaml
        cluster: {kafka_version: "3.4", brokers: 9}
        topics:
          - {name: clicks, partitions: 20000, replication_factor: 3}
    """
    most = catalogue.constant("max-records-per-user-op", topic.version)
    partitions, settings = topic.partitions, len(topic.resource.settings)
    if most is None or not 1 + partitions.number + settings > most:
        return
    per_request = catalogue.constant("max-partitions-per-batch", topic.version)
    refused_earlier = per_request is not None and partitions.number > per_request
    if refused_earlier and not topic.version.below("3.9.1"):
        return
    severity = bounded(topic.cluster, OP_BOUNDED_SINCE)
    if severity is None or topic.sets("current_partitions"):
        return
    yield topic.finding(
        f"creating topic {topic.name} takes {1 + int(partitions.number) + settings:,} records (1 + "
        f"{count(partitions.number, 'partition')} + {count(settings, 'setting')}), one operation "
        f"writes at most {most:,}",
        at=partitions,
        breaks=f"{named_range(severity, OP_BOUNDED_SINCE)}the controller refuses it: "
        "PolicyViolationException, excessively large batch operation",
        fix=f"create it with at most {most - 1 - settings:,} partitions and grow it afterwards",
        severity=severity,
    )


@rule(
    "KC0617",
    "total-order-one-partition",
    WARNING,
    on=("ordering",),
    invariants=("total-order-one-partition",),
    claims=("S001-42", "S004-02"),
)
def total_order_one_partition(topic: Topic) -> Iterator[Finding]:
    """A topic is declared as totally ordered and has several partitions.

    Kafka keeps the order within a partition only. An order over all records needs exactly one.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: ledger, partitions: 3, ordering: total}
    Good:
        --- kcheck.yaml
        topics:
          - {name: ledger, partitions: 1, ordering: total}
    """
    ordering, partitions = topic.fact("ordering"), topic.partitions
    if ordering.value == "total" and partitions.number > 1:
        yield topic.finding(
            f"topic {topic.name} is to be ordered as a whole and has {int(partitions.number):,} "
            "partitions",
            at=partitions,
            because=(ordering,),
            breaks="records of different partitions are read in another order than they were "
            "written",
            fix="give it one partition, or declare ordering: key",
        )
