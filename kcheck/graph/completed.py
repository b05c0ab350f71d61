"""What another program than Kafka sets of a broker or client whose file does not show it.

An operator, a chart or the start of a pod completes a broker's file: what it is called, where it
listens and keeps its records, how it is secured, how many copies there are. An application completes
what the variables of its container say: its groups, classes, security and guarantees. Beside that the defaults
of Kafka hold, as far as anybody can see: a finding that rests on one of them is a warning that says so.
"""

from __future__ import annotations

from collections.abc import Iterable

from kcheck.model import ABSENT, DEFAULT, THE_POD, Resource, Value

_OF_BROKERS = (
    *("advertised.", "authorizer.", "broker.", "confluent.", "control", "delegation."),
    *("early.start.", "initial.broker.", "inter.broker.", "kafka.", "listener", "log.dir"),
    *("max.connection", "metadata.log.dir", "metric", "node.", "password.", "principal."),
    *("process.", "replica.selector.", "sasl.", "security.", "ssl.", "super.", "zookeeper."),
)
#: How many copies there are, and what Kafka's own sample of server.properties sets.
_KEYS = frozenset(
    {
        *("auto.create.topics.enable", "delete.topic.enable", "group.initial.rebalance.delay.ms"),
        *("log.retention.bytes", "log.retention.check.interval.ms", "log.retention.hours"),
        *("log.retention.minutes", "log.retention.ms", "log.segment.bytes"),
        *("num.io.threads", "num.network.threads", "num.partitions"),
        *("num.recovery.threads.per.data.dir", "socket.receive.buffer.bytes"),
        *("socket.request.max.bytes", "socket.send.buffer.bytes", "unclean.leader.election.enable"),
    }
)
_OF_PODS = (
    *("advertised.", "broker.id", "broker.rack", "controller.quorum.", "host.name", "listeners"),
    *("log.dir", "metadata.log.dir", "node.id", "process.roles", "zookeeper.connect"),
)
_CLIENTS = frozenset({"producer", "consumer", "client", "admin", "streams"})
_COPIES = (".replication.factor", "min.insync.replicas", ".min.isr")
_OF_CLIENTS = (
    *(
        "acks",
        "allow.auto.create.topics",
        "auto.offset.reset",
        "bootstrap.",
        "client.",
        "compression",
    ),
    *("enable.", "group.", "interceptor.", "isolation.", "key.", "metric", "partition", "retries"),
    *("sasl.", "schema.", "security.", "ssl.", "transactional.", "value."),
)


def unread(resource: Resource, keys: Iterable[str]) -> bool:
    """Whether something that is not read may set one of the keys, none of which its file has."""
    if not resource.traits.partial:
        return False
    if resource.traits.completed_by == THE_POD:
        usual = _in_pods
    else:
        usual = in_clients if resource.kind in _CLIENTS else _in_brokers
    return not resource.traits.completed_by or any(map(usual, keys))


def in_clients(key: str) -> bool:
    """Whether it is one of the keys that what runs a client sets for it."""
    return key.startswith(_OF_CLIENTS)


def _in_pods(key: str) -> bool:
    """Whether pods that share a file set the key each for itself: where they are, and who."""
    return key.startswith(_OF_PODS)


def _in_brokers(key: str) -> bool:
    return key.startswith(_OF_BROKERS) or key.endswith(_COPIES) or key in _KEYS


def condition(values: Iterable[Value]) -> str:
    """The condition under which the defaults among the values hold; "" where nothing sets others."""
    keys: dict[str, list[str]] = {}
    for value in values:
        by = value.resource.traits.completed_by
        if by and value.setting is None and value.origin in (ABSENT, DEFAULT):
            keys.setdefault(by, []).append(value.from_key or value.key)
    return ", and ".join(f"unless {by} sets {' or '.join(told)}" for by, told in keys.items())
