"""What Kafka makes of values that it takes: what it switches off, raises, caps or fills in.

It says so in a log line at most. ``used`` is the value that a node works with in the end.
"""

from __future__ import annotations

from collections.abc import Callable

from kcheck import catalogue
from kcheck.graph.clients import Client, Consumer, Inner, Producer, Streams, Worker
from kcheck.graph.idempotence import IN_FLIGHT, idempotence, weakening
from kcheck.graph.listeners import addresses
from kcheck.graph.nodes import Broker, Node
from kcheck.graph.topics import Topic, TopicDefaults
from kcheck.model import Value
from kcheck.version import Version

_INT_MAX = 2**31 - 1


class Change:
    """A value in force that is not the one set or defaulted, what led to it, and in words."""

    __slots__ = ("because", "value", "why")

    def __init__(self, value: object, because: Value, why: str) -> None:
        self.value = value
        self.because = because
        self.why = why


def used(node: Node, key: str) -> Value:
    """The value that the node works with: as resolved, or what Kafka makes of that."""
    value = node[key]
    found = change(node, key)
    if found is None:
        return value
    made = value.but(found.value)
    made.text = None if found.value is None else _text(found.value)
    made.known = True
    return made


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) if isinstance(value, list) else str(value)


def change(node: Node, key: str) -> Change | None:
    """What Kafka makes of the value of that key; None where it leaves it as it is."""
    for kind, maker in _MAKERS.get(key, ()):
        if kind(node):
            return maker(node)
    return _distinct(node, key)


# -- clients ---------------------------------------------------------------------------------


def _is_producer(node: Node) -> bool:
    return isinstance(node, Producer) or (isinstance(node, Inner) and node.role == "producer")


def _is_consumer(node: Node) -> bool:
    return isinstance(node, Consumer) or (isinstance(node, Inner) and node.role == "consumer")


def _is_java(node: Node) -> bool:
    return isinstance(node, Client) and node.java


def _idempotence(node: Node) -> Change | None:
    assert isinstance(node, Client)
    asked = node["enable.idempotence"]
    if asked.value is False and not asked.explicit and idempotence(node):
        return Change(True, node["transactional.id"], "required by transactions")
    if asked.value is not True or idempotence(node) is not False:
        return None
    weak = weakening(node)
    why = "the default is disabled by a conflicting setting"
    return Change(False, weak if weak is not None else node[IN_FLIGHT], why)


def _acks(node: Node) -> Change | None:
    assert isinstance(node, Client)
    value = node["acks"]
    if value.explicit or value.value in ("all", "-1") or not idempotence(node):
        return None
    return Change("all", node["enable.idempotence"], "required by idempotence")


def _delivery(node: Node) -> Change | None:
    value = node["delivery.timeout.ms"]
    linger, request = node["linger.ms"], node["request.timeout.ms"]
    least = min(linger.number + request.number, _INT_MAX)
    if value.explicit or not value.number < least:
        return None
    longer = linger if linger.explicit and not request.explicit else request
    return Change(int(least), longer, "raised to linger.ms + request.timeout.ms")


def _batch(node: Node) -> Change | None:
    value = node["batch.size"]
    if value.number != 0 or not node.version.at_least("3.3"):
        return None
    return Change(1, value, "the minimum batch size is one byte")


def _producer_id(node: Node) -> Change | None:
    value, transactional = node["client.id"], node["transactional.id"]
    # An empty one that somebody sets stays so; a consumer's does not.
    if value.value != "" or not value.known or value.explicit:
        return None
    owner = f"producer-{transactional.value}" if transactional.value else "producer-1"
    return Change(owner, transactional if transactional.value else value, "generated, numbered")


def _consumer_id(node: Node) -> Change | None:
    value, group, instance = node["client.id"], node["group.id"], node["group.instance.id"]
    if value.value != "" or not value.known or not group.known:
        return None
    last = instance.value if instance.value is not None else 1
    name = "null" if group.value is None else group.value
    return Change(f"consumer-{name}-{last}", group, "generated, numbered")


def _auto_commit(node: Node) -> Change | None:
    value, group = node["enable.auto.commit"], node["group.id"]
    if value.explicit or value.value is not True or group.value is not None or not group.known:
        return None
    return Change(False, group, "without group.id no offsets are committed")


def _reconnect(node: Node) -> Change | None:
    first, most = node["reconnect.backoff.ms"], node["reconnect.backoff.max.ms"]
    if not first.explicit or most.explicit or not first.known or first.number == most.number:
        return None
    return Change(first.value, first, "raised to reconnect.backoff.ms, the only one set")


def _api_timeout(node: Node) -> Change | None:
    value, request = node["default.api.timeout.ms"], node["request.timeout.ms"]
    if node.resource.kind != "admin" or value.explicit or not value.number < request.number:
        return None
    return Change(request.value, request, "raised to request.timeout.ms")


def _commit_interval(node: Node) -> Change | None:
    assert isinstance(node, Streams)
    value = node["commit.interval.ms"]
    if value.explicit or not node.eos:
        return None
    return Change(100, node["processing.guarantee"], "the default under exactly-once")


def _no_waiting(node: Node) -> Change | None:
    value = node["bootstrap.resolve.timeout.ms"]
    if not value.explicit or value.number == 0 or not node.version.at_least("4.4"):
        return None
    return Change(0, value, "distributed workers do not wait for name resolution")


# -- brokers -----------------------------------------------------------------------------------


def _between(node: Node) -> Change | None:
    name, spoken = node["inter.broker.listener.name"], node["security.inter.broker.protocol"]
    if name.written:
        capitals = str(name.value or "").upper()
        return Change(capitals, name, "in capitals") if capitals != name.value else None
    if not spoken.known:
        return None
    protocol = str(spoken.value).upper()
    return Change(protocol, spoken, "the listener named like the protocol")


def _spoken(node: Node) -> Change | None:
    assert isinstance(node, Broker)
    name = node["inter.broker.listener.name"]
    found = addresses(node)
    if not name.written:
        spoken = node["security.inter.broker.protocol"]
        capitals = str(spoken.value).upper()
        return Change(capitals, spoken, "in capitals") if capitals != spoken.value else None
    if not name.known or not found.known:
        return None
    protocol = found.protocols.get(str(name.value).upper())
    return Change(protocol, name, "the protocol of that listener") if protocol else None


def _broker_id(node: Node) -> Change | None:
    """Up to 2.8 one of the two is asked alone, whatever the other says: node.id if it has one."""
    other = node["node.id"]
    if not node.version.below("3.0") or not other.explicit or other.number < 0:
        return None
    return Change(other.value, other, "node.id takes precedence")


def _node_id(node: Node) -> Change | None:
    value, other = node["node.id"], node["broker.id"]
    if not node.version.below("3.0") or not value.number < 0 or not other.known:
        return None
    return Change(other.value, other, "broker.id applies if node.id is negative")


def _metadata_dir(node: Node) -> Change | None:
    value, directories = node["metadata.log.dir"], node["log.dirs"]
    named = [item.strip() for item in (directories.text or "").split(",")]
    first = next(filter(None, named), "")
    if value.written or not first:
        return None
    return Change(first, directories, "the first of log.dirs")


def _retention(node: Node) -> Change | None:
    value = node["log.retention.ms"]
    if not value.number < -1:
        return None
    return Change(-1, value, "negative values mean unlimited")


# -- topics ------------------------------------------------------------------------------------


def _message_format(node: Node) -> Change | None:
    """A protocol of 3.0 or newer makes its brokers forget what format of messages was asked for."""
    value = node["message.format.version"]
    broker = node.defaults.broker if isinstance(node, Topic) and node.defaults else None
    broker = node.broker if isinstance(node, TopicDefaults) else broker
    if broker is None or not value.written or not value.known:
        return None
    if isinstance(node, Topic) and value.explicit:
        return None
    protocol = broker["inter.broker.protocol.version"]
    spoken = Version(protocol.text) if protocol.text else Version()
    if not spoken.at_least("3.0"):
        return None
    return Change("3.0-IV1", protocol, "the only format that is written from 3.0 on")


# -- lists ---------------------------------------------------------------------------------------


def _distinct(node: Node, key: str) -> Change | None:
    """Lists whose validator wants each item once drop what stands there twice (4.2+, KIP-1161)."""
    value = node[key]
    items = value.value
    if not isinstance(items, list) or len(set(items)) == len(items):
        return None
    plane = "broker" if isinstance(node, Broker) else node.resource.plane
    plane = node.role if isinstance(node, Inner) else plane
    plane = "topic" if isinstance(node, TopicDefaults) else plane
    fact = catalogue.fact(plane, key, node.version)
    if fact is None or "unique" not in fact.valid:
        return None
    return Change([*dict.fromkeys(items)], value, "duplicates are removed")


_Kind = Callable[[Node], bool]
_Maker = Callable[[Node], Change | None]

_CHANGES: tuple[tuple[_Kind, dict[str, _Maker]], ...] = (
    (
        _is_producer,
        {
            "acks": _acks,
            "enable.idempotence": _idempotence,
            "delivery.timeout.ms": _delivery,
            "batch.size": _batch,
            "client.id": _producer_id,
        },
    ),
    (_is_consumer, {"enable.auto.commit": _auto_commit, "client.id": _consumer_id}),
    (
        _is_java,
        {"reconnect.backoff.max.ms": _reconnect, "default.api.timeout.ms": _api_timeout},
    ),
    (
        lambda node: isinstance(node, Worker) and node.resource.plane == "connect-distributed",
        {"bootstrap.resolve.timeout.ms": _no_waiting},
    ),
    (lambda node: isinstance(node, Streams), {"commit.interval.ms": _commit_interval}),
    (
        lambda node: isinstance(node, Broker),
        {
            "inter.broker.listener.name": _between,
            "security.inter.broker.protocol": _spoken,
            "broker.id": _broker_id,
            "node.id": _node_id,
            "metadata.log.dir": _metadata_dir,
            "log.retention.ms": _retention,
        },
    ),
    (
        lambda node: isinstance(node, (Topic, TopicDefaults)),
        {"message.format.version": _message_format},
    ),
)

#: The same by key, as it is asked for.
_MAKERS: dict[str, list[tuple[_Kind, _Maker]]] = {}
for _kind, _changes in _CHANGES:
    for _key, _maker in _changes.items():
        _MAKERS.setdefault(_key, []).append((_kind, _maker))
