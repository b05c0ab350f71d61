"""KC06: limits on the partitions of a topic and of one request (see growth)."""

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
#: The largest number of partitions that a request can say.
_INT32 = 2**31 - 1


def bounded(cluster: Cluster, since: str) -> str | None:
    """The severity of exceeding a limit that the KRaft controller has since that version.

    None where the limit is known not to apply: an older version, or a cluster in ZooKeeper mode.
    """
    version = cluster.version
    if version.below(since) or cluster.kraft is False:
        return None
    return (
        ERROR if version.at_least(since) and (version.at_least("4.0") or cluster.kraft) else WARNING
    )


def named_range(severity: str, since: str) -> str:
    """Where the limit applies, in words, for an uncertain verdict."""
    return "" if severity == ERROR else f"in KRaft mode from Kafka {since} on, "


@rule(
    "KC0610",
    "partitions-positive",
    ERROR,
    kafka=FAILED,
    invariants=("partitions-positive",),
)
def partitions_positive(topic: Topic) -> Iterator[Finding]:
    """The declared number of partitions of a topic is invalid.

    Kafka accepts 1 or more, and -1 for the brokers' num.partitions. The only upper limit for one topic
    is the 32-bit number.

    Bad:
        --- kcheck.yaml
        topics:
          - {name: orders, partitions: 0}
    Bad: exceeds 32 bits
        --- kcheck.yaml
        topics:
          - {name: orders, partitions: 4294967296}
    Good:
        --- kcheck.yaml
        topics:
          - {name: orders, partitions: 1}
          - {name: by-default, partitions: -1}
    """
    partitions = topic.partitions
    if partitions.number > _INT32:
        yield topic.finding(
            f"topic {topic.name} is declared with {plain(partitions)}",
            at=partitions,
            breaks=f"partitions are numbered with 32 bits: no client accepts more than {_INT32:,}",
            fix="correct the number of partitions",
        )
    if partitions.number == 0 or partitions.number < -1:
        yield topic.finding(
            f"topic {topic.name} is declared with {plain(partitions)}",
            at=partitions,
            breaks="Kafka rejects its creation (InvalidPartitionsException)",
            fix="set partitions to at least 1, or to -1 for num.partitions",
        )


@rule(
    "KC0611",
    "partitions-per-create-request",
    ERROR,
    kafka=FAILED,
    refs=("KAFKA-17870",),
    invariants=("partitions-per-create-request",),
    versions="3.9.1+ in KRaft mode",
)
def partitions_per_create_request(topic: Topic) -> Iterator[Finding]:
    """A topic has more partitions than one request can create.

    The controller rejects a request for more than 10,000 partitions over all its topics, before
    anything is allocated. Tools do not split a topic: it must be created with fewer partitions and
    then grown. An existing topic (``current_partitions``) is not created again.

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
    Good: an existing topic
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", brokers: 9}
        topics:
          - {name: clicks, partitions: 20000, current_partitions: 20000, replication_factor: 3}
    Good: no such limit in ZooKeeper mode
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
        f"topic {topic.name} has {int(partitions.number):,} partitions, but one request can create "
        f"at most {most:,}",
        at=partitions,
        breaks=f"{named_range(severity, '3.9.1')}the controller rejects it: "
        "PolicyViolationException, excessively large number of partitions per request",
        fix=f"create it with fewer than {most:,} partitions, then add partitions ({requests} requests "
        "or more)",
        severity=severity,
    )


@rule(
    "KC0612",
    "partitions-per-apply",
    INFO,
    invariants=("partitions-per-create-request",),
    versions="3.9.1+ in KRaft mode",
)
def partitions_per_apply(cluster: Cluster) -> Iterator[Finding]:
    """The topics of one file have more partitions in total than one request can create.

    Each topic alone is valid. On a new cluster the controller rejects a tool's request to create all
    of them at once (PolicyViolationException); it accepts them one by one. The same applies to the
    records that it writes: one per topic, partition and setting, at most 10,000 (3.5+).

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
    records = catalogue.constant("max-records-per-user-op", cluster.version)
    if records is None or bounded(cluster, OP_BOUNDED_SINCE) is None:
        return
    most = catalogue.constant("max-partitions-per-batch", cluster.version)
    if bounded(cluster, "3.9.1") is None:
        most = None
    for path, topics in _created_together(cluster, most).items():
        total = sum(int(topic.partitions.number) for topic in topics)
        # What one topic alone exceeds is reported of that topic.
        needed = sum(one for one in map(_records, topics) if one <= records)
        number = count(len(topics), "topic")
        if most is not None and total > most:
            said = f"the {number} in {path} have {total:,} partitions in total, "
            said += f"but one request can create at most {most:,}"
            requests = -(-total // most)
        elif needed > records:
            said = f"creating the {number} in {path} requires {needed:,} records (one per topic, "
            said += f"partition and setting), but one request can write at most {records:,}"
            requests = -(-needed // records)
        else:
            continue
        counts = sorted((topic.partitions for topic in topics), key=lambda value: -value.number)
        yield topics[0].finding(
            said,
            at=counts[0],
            because=counts[1:3],
            breaks="the controller rejects a request that creates all of them "
            "(PolicyViolationException)",
            fix=f"create them in at least {requests} requests",
        )


def _created_together(cluster: Cluster, most: int | None) -> dict[str, list[Topic]]:
    """The topics of each file that are yet to be created, and that one request can."""
    by_file: dict[str, list[Topic]] = {}
    for topic in cluster.topics:
        by_file.setdefault(topic.resource.path, []).append(topic)
    found: dict[str, list[Topic]] = {}
    for path, declared in by_file.items():
        topics: dict[str, Topic] = {}
        for topic in declared:
            number = topic.partitions.number
            alone = most is None or number <= most
            if number >= 1 and alone and not topic.sets("current_partitions"):
                topics.setdefault(topic.name, topic)
        found[path] = [*topics.values()]
    return found


def _records(topic: Topic) -> int:
    """The records of metadata that creating a topic of so many partitions writes."""
    return 1 + int(topic.partitions.number) + len(topic.keys)


@rule(
    "KC0613",
    "records-per-user-op",
    ERROR,
    kafka=FAILED,
    refs=("KAFKA-14996",),
    invariants=("records-per-user-op",),
    versions="3.5+ in KRaft mode",
)
def records_per_user_op(topic: Topic) -> Iterator[Finding]:
    """Creating a topic requires more metadata records than one operation can write.

    The controller writes one record for the topic, one for each partition and one for each
    setting, and at most 10,000 per request. Beyond that the request fails and the controller
    continues.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", brokers: 9}
        topics:
          - {name: clicks, partitions: 10000, replication_factor: 3}
    Bad: before 3.9.1 this is the only limit
        --- kcheck.yaml
        cluster: {kafka_version: "3.7", brokers: 9, config: {process.roles: broker}}
        topics:
          - {name: clicks, partitions: 20000, replication_factor: 3}
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", brokers: 9}
        topics:
          - {name: clicks, partitions: 9990, replication_factor: 3, config: {retention.ms: 3600000}}
    Good: an older version without a limit
        --- kcheck.yaml
        cluster: {kafka_version: "3.4", brokers: 9}
        topics:
          - {name: clicks, partitions: 20000, replication_factor: 3}
    """
    most = catalogue.constant("max-records-per-user-op", topic.version)
    partitions, settings = topic.partitions, len(topic.keys)
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
        f"creating topic {topic.name} requires {1 + int(partitions.number) + settings:,} records "
        f"(1 + {count(partitions.number, 'partition')} + {count(settings, 'setting')}), but one "
        f"operation can write at most {most:,}",
        at=partitions,
        breaks=f"{named_range(severity, OP_BOUNDED_SINCE)}the controller rejects it: "
        "PolicyViolationException, excessively large batch operation",
        fix=f"create it with at most {most - 1 - settings:,} partitions, then add partitions",
        severity=severity,
    )


@rule(
    "KC0617",
    "total-order-one-partition",
    WARNING,
    on=("ordering",),
    invariants=("total-order-one-partition",),
)
def total_order_one_partition(topic: Topic) -> Iterator[Finding]:
    """A topic is declared as totally ordered, but has several partitions.

    Kafka guarantees the order within a partition only. A total order requires exactly one partition.

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
            f"topic {topic.name} is declared with total ordering, but has "
            f"{int(partitions.number):,} partitions",
            at=partitions,
            because=(ordering,),
            breaks="consumers do not read records of different partitions in the order in which they "
            "were written",
            fix="use one partition, or declare ordering: key",
        )
