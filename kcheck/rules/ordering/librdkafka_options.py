"""KC12: producer options that librdkafka rejects in combination."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Producer
from kcheck.model import ERROR, Finding
from kcheck.rule import rule
from kcheck.rules.shared.librdkafka import REFUSED
from kcheck.wording import plain


@rule(
    "KC1220",
    "rdk-idempotence",
    ERROR,
    on=("queuing.strategy", "enable.gapless.guarantee", "queue.buffering.backpressure.threshold"),
    versions="librdkafka",
)
def rdk_idempotence(producer: Producer) -> Iterator[Finding]:
    """An option of a librdkafka producer conflicts with its idempotence, or requires it.

    With enable.idempotence or a transactional.id, librdkafka rejects queuing.strategy=lifo and a
    queue.buffering.backpressure.threshold above 1; without, it rejects enable.gapless.guarantee.

    Bad:
        --- kcheck.yaml
        producers:
          - name: agent
            client: {library: librdkafka}
            config: {enable.idempotence: "true", queuing.strategy: lifo}
    Bad: enable.gapless.guarantee without idempotence
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: librdkafka}, config: {enable.gapless.guarantee: "true"}}
    Good:
        --- kcheck.yaml
        producers:
          - {name: agent, client: {library: librdkafka}, config: {queuing.strategy: lifo}}
    """
    if not producer.library.checks_as_librdkafka:
        return
    asked, identity = producer["enable.idempotence"], producer["transactional.id"]
    # Before 1.4 there is no transactional.id.
    if not asked.known or (identity.written and not identity.known):
        return
    idempotent = asked.value is True or bool(identity.text)
    order, gapless = producer["queuing.strategy"], producer["enable.gapless.guarantee"]
    lifo = str(order.value).lower() == "lifo"
    pressure = producer["queue.buffering.backpressure.threshold"]
    if idempotent:
        cause, broken = (order, True) if lifo else (pressure, pressure.number > 1)
    else:
        cause, broken = gapless, gapless.value is True
    if broken:
        because = (identity if idempotent and asked.value is not True else asked,)
        yield producer.finding(
            f"{producer} sets {plain(cause)}"
            + (", but requires idempotence" if idempotent else " without idempotence"),
            at=cause,
            because=because,
            breaks=REFUSED,
            fix=f"remove {cause.key}",
        )
