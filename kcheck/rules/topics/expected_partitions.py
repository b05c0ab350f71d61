"""KC06: partitions of topics that frameworks count on."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Client
from kcheck.graph.topics import Topic
from kcheck.model import SET, WARNING, Finding, Setting, Value
from kcheck.rule import rule
from kcheck.units import whole
from kcheck.wording import count


@rule("KC0657", "framework-partitions", WARNING)
def framework_partitions(client: Client) -> Iterator[Finding]:
    """A topic has fewer partitions than the framework of an application counts on.

    The binder of Spring Cloud Stream sends a record that it cannot process to the same partition of the
    dead-letter topic, unless dlq-partitions or a DlqPartitionFunction of the application says
    otherwise. A producing binding with partition-count does not start with fewer partitions, unless the
    binder may add some (auto-add-partitions).

    Bad: dead letters
        --- topics.yaml
        topics:
          - {name: payments, partitions: 12}
          - {name: payments-dlq, partitions: 1}
        --- application.yml
        spring:
          cloud:
            stream:
              kafka:
                binder: {brokers: "k1:9092"}
                bindings: {settle-in-0: {consumer: {enable-dlq: true, dlq-name: payments-dlq}}}
              bindings: {settle-in-0: {destination: payments, group: settlement}}
    Bad: what is written
        --- topics.yaml
        topics: [{name: rides, partitions: 3}]
        --- application.yml
        spring:
          cloud:
            stream:
              kafka: {binder: {brokers: "k1:9092"}}
              bindings: {dispatch-out-0: {destination: rides, producer: {partition-count: 12}}}
    Good: one partition for all dead letters
        --- topics.yaml
        topics:
          - {name: payments, partitions: 12}
          - {name: payments-dlq, partitions: 1}
        --- application.yml
        spring:
          cloud:
            stream:
              kafka:
                binder: {brokers: "k1:9092"}
                bindings:
                  settle-in-0: {consumer: {enable-dlq: true, dlq-name: payments-dlq, dlq-partitions: 1}}
              bindings: {settle-in-0: {destination: payments, group: settlement}}
    Good: the binder adds partitions
        --- topics.yaml
        topics: [{name: rides, partitions: 3}]
        --- application.yml
        spring:
          cloud:
            stream:
              kafka: {binder: {brokers: "k1:9092", auto-add-partitions: true}}
              bindings: {dispatch-out-0: {destination: rides, producer: {partition-count: 12}}}
    """
    yield from _dead_letters(client)
    yield from _written(client)


def _dead_letters(client: Client) -> Iterator[Finding]:
    failed = client.resource.traits.failed
    if failed is None or not failed.aligned:
        return
    queue = _topic(client, failed.topic.text or "")
    read = [_topic(client, name) for name in client.resource.traits.topics or ()]
    for source in read:
        if queue is None or source is None or queue.partitions.number >= source.partitions.number:
            continue
        yield client.finding(
            f"{client} sends failed records of {source} ({int(source.partitions.number)} partitions) to the "
            f"same partition of {queue}, which has {count(queue.partitions.number, 'partition')}",
            at=queue.partitions,
            because=(source.partitions, _told(client, failed.topic)),
            breaks=f"records of partition {int(queue.partitions.number)} and above cannot be written "
            "there",
            fix=f"give topic {queue.name} as many partitions, or set dlq-partitions=1",
        )
        return


def _written(client: Client) -> Iterator[Finding]:
    expected, names = client.resource.traits.expected, client.resource.traits.topics or ()
    if expected is None or len(names) != 1:
        return
    (name,) = names
    topic, wanted = _topic(client, name), _told(client, expected)
    if topic is not None and wanted.number > topic.partitions.number:
        yield client.finding(
            f"{client} expects {int(wanted.number)} partitions of {topic}, which has "
            f"{int(topic.partitions.number)}",
            at=wanted,
            because=(topic.partitions,),
            breaks="the application fails to start: the binder finds fewer partitions than expected",
            fix=f"give topic {topic.name} as many partitions, or set auto-add-partitions=true",
        )


def _topic(client: Client, name: str) -> Topic | None:
    """The one topic of that name that is declared with its partitions."""
    found = [one for one in client.cluster.topics if one.name == name]
    if len(found) != 1:
        return None
    (topic,) = found
    return topic if topic.partitions.number > 0 else None


def _told(client: Client, setting: Setting) -> Value:
    number = whole(setting.text)
    return Value(
        setting.key, client.resource, SET, setting.text, number, number is not None, setting
    )
