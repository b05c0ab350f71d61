"""KC14: the tasks, the predicates and the dead-letter queue of a connector."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Connector
from kcheck.model import ERROR, INFO, Finding
from kcheck.rule import FAILED, rule
from kcheck.wording import count, plain

_QUEUE, _FACTOR = (
    "errors.deadletterqueue.topic.name",
    "errors.deadletterqueue.topic.replication.factor",
)


@rule(
    "KC1420",
    "connect-dlq-rf",
    ERROR,
    kafka=FAILED,
    on=(_QUEUE,),
    refs=("KIP-298",),
    invariants=("connect-dlq-rf",),
)
def connect_dlq_rf(connector: Connector) -> Iterator[Finding]:
    """The replication factor of a dead-letter queue exceeds the number of brokers.

    Connect creates the topic with three replicas unless
    errors.deadletterqueue.topic.replication.factor is set. A declared topic exists already.

    Bad: the default, on one broker
        --- kcheck.yaml
        cluster: {brokers: 1}
        connectors:
          - name: files
            config:
              connector.class: FileStreamSink
              topics: orders
              errors.tolerance: all
              errors.deadletterqueue.topic.name: orders.dlq
    Good:
        --- kcheck.yaml
        cluster: {brokers: 1}
        connectors:
          - name: files
            config:
              connector.class: FileStreamSink
              topics: orders
              errors.tolerance: all
              errors.deadletterqueue.topic.name: orders.dlq
              errors.deadletterqueue.topic.replication.factor: 1
    Good: a declared topic
        --- kcheck.yaml
        cluster: {brokers: 1}
        topics: [{name: orders.dlq, partitions: 1, replication_factor: 1}]
        connectors:
          - name: files
            config:
              connector.class: FileStreamSink
              topics: orders
              errors.tolerance: all
              errors.deadletterqueue.topic.name: orders.dlq
    Good: none
        --- kcheck.yaml
        cluster: {brokers: 1}
        connectors:
          - name: files
            config: {connector.class: FileStreamSink, topics: orders, errors.deadletterqueue.topic.name: ""}
    """
    queue, factor = connector[_QUEUE], connector[_FACTOR]
    brokers = connector.cluster.broker_count
    if not (queue.text or "").strip():
        return
    # Sources have no such key, and no number under it.
    if factor.number > brokers.number and queue.text not in connector.cluster.named_topics():
        yield connector.finding(
            f"{connector} creates its dead-letter queue with {plain(factor)}, but "
            f"{connector.cluster} has {count(brokers.number, 'broker')}",
            at=factor if factor.explicit else queue,
            because=(brokers, queue) if factor.explicit else (factor, brokers),
            breaks="its tasks fail to start: the dead-letter queue cannot be created",
            fix=f"set {_FACTOR}={int(brokers.number)}, or add brokers",
            set_to=str(int(brokers.number)) if factor.explicit else None,
        )


@rule(
    "KC1426",
    "connect-tasks-vs-partitions",
    INFO,
    on=("tasks.max",),
    invariants=("partitions-lt-consumers",),
)
def connect_tasks_vs_partitions(connector: Connector) -> Iterator[Finding]:
    """A sink has more tasks than its topics have partitions.

    The tasks of a sink are the members of one consumer group: each partition is assigned to one task.

    Bad:
        --- kcheck.yaml
        topics: [{name: orders, partitions: 3}]
        connectors:
          - {name: files, config: {connector.class: FileStreamSink, topics: orders, tasks.max: 6}}
    Good:
        --- kcheck.yaml
        topics: [{name: orders, partitions: 3}, {name: refunds, partitions: 3}]
        connectors:
          - {name: files, config: {connector.class: FileStreamSink, topics: "orders,refunds", tasks.max: 6}}
    Good: one of the topics is not declared
        --- kcheck.yaml
        topics: [{name: orders, partitions: 3}]
        connectors:
          - {name: files, config: {connector.class: FileStreamSink, topics: "orders,refunds", tasks.max: 6}}
    Good: a pattern
        --- kcheck.yaml
        topics: [{name: orders, partitions: 3}]
        connectors:
          - {name: files, config: {connector.class: FileStreamSink, topics.regex: "orders.*", tasks.max: 6}}
    """
    tasks, topics = connector["tasks.max"], connector["topics"]
    if connector.resource.plane != "sink-connector" or not topics.text:
        return
    known = connector.cluster.named_topics()
    names = {name.strip() for name in topics.text.split(",")}
    if not names <= known.keys():
        return
    partitions = [topic.partitions for topic, *_ in (known[name] for name in sorted(names))]
    total = sum(value.number for value in partitions)
    if tasks.number > total:
        idle = int(tasks.number - total)
        yield connector.finding(
            f"{connector} has {plain(tasks)} for {count(total, 'partition')}",
            at=tasks,
            because=partitions,
            breaks=f"{count(idle, 'task')} never {'gets' if idle == 1 else 'get'} a partition",
            fix=f"set tasks.max to at most {int(total)}",
            set_to=str(int(total)),
        )


@rule(
    "KC1431",
    "connect-predicate-refs",
    ERROR,
    kafka=FAILED,
    on=("transforms",),
    refs=("KIP-585",),
    invariants=("connect-predicate-refs",),
)
def connect_predicate_refs(connector: Connector) -> Iterator[Finding]:
    """A transformation references a predicate that is not defined.

    transforms.NAME.predicate names one of ``predicates``. Connect accepts the connector, but its tasks
    fail to start.

    Bad:
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSource", "topic": "rows",
         "transforms": "drop", "transforms.drop.type": "org.apache.kafka.connect.transforms.Filter",
         "transforms.drop.predicate": "isTombstone",
         "predicates": "tombstone",
         "predicates.tombstone.type": "org.apache.kafka.connect.transforms.predicates.RecordIsTombstone"}}
    Good:
        --- rows.json
        {"name": "rows", "config": {"connector.class": "FileStreamSource", "topic": "rows",
         "transforms": "drop", "transforms.drop.type": "org.apache.kafka.connect.transforms.Filter",
         "transforms.drop.predicate": "tombstone",
         "predicates": "tombstone",
         "predicates.tombstone.type": "org.apache.kafka.connect.transforms.predicates.RecordIsTombstone"}}
    """
    listed, predicates = connector["transforms"], connector["predicates"]
    if predicates.text is None:
        return
    known = {name.strip() for name in (predicates.text or "").split(",")}
    for name in dict.fromkeys(part.strip() for part in (listed.text or "").split(",")):
        key = f"transforms.{name}.predicate"
        value = connector[key]
        if not value.text or value.text in known:
            continue
        yield connector.finding(
            f"{connector}: {plain(value)} is not defined: "
            + (plain(predicates) if predicates.explicit else "predicates is not set"),
            at=value,
            because=(predicates,),
            breaks=f"its tasks fail to start: predicates.{value.text}.type is missing",
            fix=f"add {value.text} to predicates and set predicates.{value.text}.type",
        )
