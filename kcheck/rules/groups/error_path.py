"""KC0953–KC0956: what consumers of frameworks do with records that they cannot process."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Consumer
from kcheck.graph.nodes import Node
from kcheck.model import SET, WARNING, Finding, Note, Value
from kcheck.rule import CHANGED, rule
from kcheck.rules.shared.keys_wording import noted
from kcheck.units import round_duration
from kcheck.wording import plain

_INTERVAL = "max.poll.interval.ms"


@rule("KC0953", "channel-strategy", WARNING)
def channel_strategy(note: Note, node: Node) -> Iterator[Finding]:
    """A channel of Reactive Messaging names a failure or commit strategy that does not exist.

    SmallRye's Kafka connector has the failure strategies fail, ignore, dead-letter-queue and
    delayed-retry-topic and the commit strategies latest, ignore, throttled and checkpoint. Any other
    name is the identifier of a bean of the application.

    Bad:
        --- application.properties
        kafka.bootstrap.servers=k1.example.com:9092
        mp.messaging.incoming.orders.connector=smallrye-kafka
        mp.messaging.incoming.orders.failure-strategy=dlq
    Bad: for all channels
        --- application.properties
        kafka.bootstrap.servers=k1.example.com:9092
        mp.messaging.connector.smallrye-kafka.failure-strategy=dead_letter_queue
        mp.messaging.incoming.orders.connector=smallrye-kafka
        mp.messaging.incoming.orders.commit-strategy=throttle
    Good:
        --- application.properties
        kafka.bootstrap.servers=k1.example.com:9092
        mp.messaging.incoming.orders.connector=smallrye-kafka
        mp.messaging.incoming.orders.failure-strategy=dead-letter-queue
        mp.messaging.incoming.refunds.connector=smallrye-kafka
        mp.messaging.incoming.refunds.failure-strategy=page-operator
    """
    yield noted(note, node)


@rule("KC0954", "dead-letter-unused", WARNING)
def dead_letter_unused(note: Note, node: Node) -> Iterator[Finding]:
    """Settings of a dead-letter queue, a retry topic or a checkpoint have no effect.

    SmallRye's connector uses dead-letter-queue.* with failure-strategy dead-letter-queue or
    delayed-retry-topic only; the default is fail. The binder of Spring Cloud Stream uses dlq-name and
    the like with enable-dlq only.

    Bad:
        --- application.properties
        kafka.bootstrap.servers=k1.example.com:9092
        mp.messaging.incoming.orders.connector=smallrye-kafka
        mp.messaging.incoming.orders.dead-letter-queue.topic=orders-failed
    Bad: another strategy
        --- application.properties
        kafka.bootstrap.servers=k1.example.com:9092
        mp.messaging.incoming.orders.connector=smallrye-kafka
        mp.messaging.incoming.orders.failure-strategy=dead-letter-queue
        mp.messaging.incoming.orders.delayed-retry-topic.max-retries=3
    Bad: Spring Cloud Stream
        --- application.yml
        spring:
          cloud:
            stream:
              bindings: {audit-in-0: {destination: audit, group: auditors}}
              kafka:
                binder: {brokers: "k1:9092"}
                bindings: {audit-in-0: {consumer: {dlq-name: audit-failed}}}
    Good:
        --- application.properties
        kafka.bootstrap.servers=k1.example.com:9092
        mp.messaging.incoming.orders.connector=smallrye-kafka
        mp.messaging.incoming.orders.failure-strategy=delayed-retry-topic
        mp.messaging.incoming.orders.delayed-retry-topic.max-retries=3
        mp.messaging.incoming.orders.dead-letter-queue.topic=orders-failed
    Good: for all channels
        --- application.properties
        kafka.bootstrap.servers=k1.example.com:9092
        mp.messaging.connector.smallrye-kafka.failure-strategy=dead-letter-queue
        mp.messaging.incoming.orders.connector=smallrye-kafka
        mp.messaging.incoming.orders.dead-letter-queue.topic=orders-failed
    Good: Spring Cloud Stream
        --- application.yml
        spring:
          cloud:
            stream:
              bindings: {audit-in-0: {destination: audit, group: auditors}}
              kafka:
                binder: {brokers: "k1:9092"}
                bindings: {audit-in-0: {consumer: {enable-dlq: true, dlq-name: audit-failed}}}
    """
    yield noted(note, node)


@rule("KC0955", "binder-dlq", WARNING)
def binder_dlq(note: Note, node: Node) -> Iterator[Finding]:
    """A binding or channel cannot have the dead-letter queue that it enables.

    The binder of Spring Cloud Stream rejects enable-dlq for a binding without a group, whose
    subscription is anonymous, and for a destination that is a pattern. A dead-letter topic that is the
    topic of the binding, or of the channel of Reactive Messaging, brings failed records back endlessly.

    Bad: no group
        --- application.yml
        spring:
          cloud:
            stream:
              bindings: {audit-in-0: {destination: audit}}
              kafka:
                binder: {brokers: "k1:9092"}
                bindings: {audit-in-0: {consumer: {enable-dlq: true}}}
    Bad: a pattern
        --- application.yml
        spring:
          cloud:
            stream:
              bindings: {audit-in-0: {destination: "audit.*", group: auditors}}
              kafka:
                binder: {brokers: "k1:9092"}
                bindings: {audit-in-0: {consumer: {destination-is-pattern: true, enable-dlq: true}}}
    Good:
        --- application.yml
        spring:
          cloud:
            stream:
              default: {group: auditors}
              bindings: {audit-in-0: {destination: audit}}
              kafka:
                binder: {brokers: "k1:9092"}
                default: {consumer: {enable-dlq: true}}
                bindings: {audit-in-0: {consumer: {start-offset: earliest}}}
    Bad: a queue that the channel reads
        --- application.properties
        kafka.bootstrap.servers=k1.example.com:9092
        mp.messaging.incoming.orders.connector=smallrye-kafka
        mp.messaging.incoming.orders.group.id=orders
        mp.messaging.incoming.orders.failure-strategy=dead-letter-queue
        mp.messaging.incoming.orders.dead-letter-queue.topic=orders
    Bad: a queue that the binding reads
        --- application.yml
        spring:
          cloud:
            stream:
              bindings: {audit-in-0: {destination: audit, group: auditors}}
              kafka:
                binder: {brokers: "k1:9092"}
                bindings: {audit-in-0: {consumer: {enable-dlq: true, dlq-name: audit}}}
    Good: a queue of its own
        --- application.properties
        kafka.bootstrap.servers=k1.example.com:9092
        mp.messaging.incoming.orders.connector=smallrye-kafka
        mp.messaging.incoming.orders.group.id=orders
        mp.messaging.incoming.orders.topic=orders-v2
        mp.messaging.incoming.orders.failure-strategy=dead-letter-queue
        mp.messaging.incoming.orders.dead-letter-queue.topic=orders
    """
    yield noted(note, node)


@rule("KC0956", "retries-poll-interval", WARNING, kafka=CHANGED)
def retries_poll_interval(consumer: Consumer) -> Iterator[Finding]:
    """Retries of one record in memory take longer than max.poll.interval.ms.

    The retry template of Spring Cloud Stream's binder sleeps in the thread that polls. If its pauses
    add up to more than max.poll.interval.ms, the consumer is removed from its group before the last
    attempt, and another one starts over with the record.

    Bad:
        --- application.yml
        spring:
          cloud:
            stream:
              bindings:
                settle-in-0:
                  destination: settlements
                  group: clearing
                  consumer: {max-attempts: 7, back-off-initial-interval: 60000, back-off-max-interval: 300000}
              kafka:
                binder: {brokers: "k1:9092"}
                bindings: {settle-in-0: {consumer: {enable-dlq: true}}}
    Good:
        --- application.yml
        spring:
          cloud:
            stream:
              bindings:
                settle-in-0:
                  destination: settlements
                  group: clearing
                  consumer: {max-attempts: 7, back-off-max-interval: 10000}
              kafka:
                binder: {brokers: "k1:9092"}
                bindings: {settle-in-0: {consumer: {enable-dlq: true}}}
    Good: a longer interval
        --- application.yml
        spring:
          cloud:
            stream:
              bindings:
                settle-in-0:
                  destination: settlements
                  group: clearing
                  consumer: {max-attempts: 7, back-off-initial-interval: 60000, back-off-max-interval: 300000}
              kafka:
                binder: {brokers: "k1:9092"}
                bindings:
                  settle-in-0:
                    consumer: {configuration: {max.poll.interval.ms: 1800000}}
    """
    retries = consumer.resource.traits.retries
    interval = consumer[_INTERVAL]
    if retries is None or not retries.total > interval.number:
        return
    told = [
        Value(one.key, consumer.resource, SET, one.text, setting=one) for one in retries.settings
    ]
    yield consumer.finding(
        f"{consumer} pauses up to {round_duration(retries.total)} between {retries.words}, but has "
        f"{plain(interval)}",
        at=told[0],
        because=[*told[1:], interval],
        breaks="the consumer is removed from its group while it retries: the record is processed again "
        "and its retries start over",
        fix=f"set fewer attempts or shorter pauses, or {_INTERVAL} above {retries.total}",
    )
