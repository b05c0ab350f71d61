"""Whether a producer is idempotent in effect: Java switches idempotence off without an error."""

from __future__ import annotations

from kcheck.graph.clients import Client
from kcheck.model import Value

#: The most requests in flight with which an idempotent producer keeps order.
MAX_IN_FLIGHT = 5

IN_FLIGHT = "max.in.flight.requests.per.connection"


def weakening(producer: Client) -> Value | None:
    """The setting by which a Java client switches idempotence off, where nobody asked for it."""
    acks, retries = producer["acks"], producer["retries"]
    if acks.explicit and acks.value in ("0", "1"):
        return acks
    if retries.explicit and retries.number == 0:
        return retries
    return None


def idempotence(producer: Client) -> bool | None:
    """Whether the producer is idempotent in effect; None where nobody can tell."""
    asked = producer["enable.idempotence"]
    if asked.explicit:
        return asked.value if asked.known and isinstance(asked.value, bool) else None
    if asked.known and asked.value is False:
        # Up to 2.8 a transactional.id switches it on.
        transactional = producer["transactional.id"]
        return transactional.explicit and transactional.value is not None
    if any(producer[key].explicit and not producer[key].known for key in ("acks", "retries")):
        return None
    if weakening(producer) is not None:
        return False
    version = producer.version
    # Switched on by default but without effect in these two (KAFKA-13598).
    if producer.java and (version.is_patch("3.0.0") or version.is_patch("3.1.0")):
        return False
    if producer[IN_FLIGHT].number > MAX_IN_FLIGHT:
        return False if version.below("4.0") else None
    return True if asked.value is True else None
