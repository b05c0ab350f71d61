"""Which clients a program runs inside, where it keeps their settings, and what it gives them besides.

``SEATS`` tells that of every kind of host.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kcheck.graph import debezium
from kcheck.graph.clients import Connector
from kcheck.graph.nodes import Node

#: Whose topics a client has at its other end: the host's own, those that a setting names, none.
HOST, NOBODY = "host", ""


class Seat:
    """One kind of client inside one kind of host.

    Its settings stand behind ``prefixes``, the first wins. ``label`` is what it is called.
    ``topics`` is HOST where it reads or writes what its host does, NOBODY where nothing tells, or
    the host's key that names its topic. ``group`` says that the host makes it a group's member,
    ``apart`` that it has bootstrap servers of its own and nothing of what else runs the host.
    ``bare`` says that keys without a prefix are handed on, too.
    ``given`` is what the host sets unless its settings say otherwise, ``differing`` the keys that it
    sets in some of its versions only, ``forced`` what it sets in any case. ``made`` tells whether a
    host has the client at all.
    """

    __slots__ = (
        "apart",
        "bare",
        "differing",
        "forced",
        "given",
        "group",
        "label",
        "made",
        "prefixes",
        "role",
        "topics",
    )

    def __init__(
        self,
        role: str,
        *prefixes: str,
        label: str = "",
        topics: str = NOBODY,
        group: bool = False,
        apart: bool = False,
        bare: bool = False,
        given: Mapping[str, object] | None = None,
        forced: Mapping[str, object] | None = None,
        differing: frozenset[str] = frozenset(),
        made: Callable[[Node], bool] | None = None,
    ) -> None:
        self.role = role
        self.prefixes = prefixes
        self.label = label or _LABELS[role]
        self.topics = topics
        self.group = group
        self.apart = apart
        self.bare = bare
        self.given = given or {}
        self.forced = forced or {}
        self.differing = differing
        self.made = made


_LABELS = {"producer": "producer", "consumer": "consumer", "admin": "admin client"}


def _keeps_history(host: Node) -> bool:
    return debezium.keeps_history(host.resource)


def _writes_dead_letters(host: Node) -> bool:
    return isinstance(host, Connector) and host.writes_dead_letters


def reads_offsets(host: Node) -> bool:
    """Whether a source has, or may have, a consumer of its own offsets."""
    return isinstance(host, Connector) and host.reads_offsets is not False


def _history(prefix: str, role: str) -> Seat:
    """Debezium's clients of the topic that holds a database's schemas."""
    return Seat(
        role,
        f"{prefix}{role}.",
        label=f"schema history's {role}",
        apart=True,
        group=role == "consumer",
        given=debezium.given(prefix, role),
        differing=debezium.differing(prefix, role),
        made=_keeps_history,
    )


_ADMIN = Seat("admin", "admin.override.")
_SOURCE = (
    Seat("producer", "producer.override.", topics=HOST),
    # It reads the source offsets that are the connector's own, in no group.
    Seat("consumer", "consumer.override.", made=reads_offsets),
    _ADMIN,
    *(_history(prefix, role) for prefix in debezium.HISTORIES for role in ("producer", "consumer")),
)
_SINK = (
    Seat("consumer", "consumer.override.", topics=HOST, group=True),
    # It writes what the sink could not, to the dead letter queue.
    Seat(
        "producer",
        "producer.override.",
        topics="errors.deadletterqueue.topic.name",
        made=_writes_dead_letters,
    ),
    _ADMIN,
)
_BYTES = "org.apache.kafka.common.serialization.ByteArray"
#: What MirrorMaker gives its own clients, which read in no group.
_COPIES: dict[str, dict[str, object]] = {
    "producer": {
        "key.serializer": f"{_BYTES}Serializer",
        "value.serializer": f"{_BYTES}Serializer",
    },
    "consumer": {
        "auto.offset.reset": "earliest",
        "key.deserializer": f"{_BYTES}Deserializer",
        "value.deserializer": f"{_BYTES}Deserializer",
    },
    "admin": {},
}
#: MirrorMaker's connectors make the clients of what they read, and of what they keep on either side,
#: themselves. The records go to the target by their worker's producers.
_MIRROR = (
    Seat("producer", "producer.override.", topics=HOST),
    _ADMIN,
    *(
        Seat(
            role,
            f"{side}.{role}.",
            f"{role}.",
            label=f"{side}'s {_LABELS[role]}",
            apart=True,
            given=_COPIES[role],
            forced={"enable.auto.commit": False} if role == "consumer" else {},
        )
        for side in ("source", "target")
        for role in ("producer", "consumer", "admin")
    ),
)
_WORKER = (
    Seat("producer", "producer.", topics=HOST),
    Seat("consumer", "consumer.", topics=HOST, group=True),
    Seat("admin", "admin."),
)
#: It assigns itself its partitions, and takes what its changelog begins with.
_ASSIGNED = {"group.id": None, "group.instance.id": None, "auto.offset.reset": "none"}
_STREAMS = (
    Seat("producer", "producer.", topics=HOST, bare=True),
    Seat("consumer", "main.consumer.", "consumer.", topics=HOST, group=True, bare=True),
    Seat("consumer", "restore.consumer.", label="restore consumer", forced=_ASSIGNED),
    Seat("consumer", "global.consumer.", label="global consumer", forced=_ASSIGNED),
    Seat("admin", "admin."),
)

#: By the plane of the host.
SEATS: dict[str, tuple[Seat, ...]] = {
    "source-connector": _SOURCE,
    "sink-connector": _SINK,
    "mirror-source": _MIRROR,
    "mirror-checkpoint": _MIRROR,
    "mirror-heartbeat": _MIRROR,
    "connect-distributed": _WORKER,
    "connect-standalone": _WORKER,
    "worker": _WORKER,
    "streams": _STREAMS,
}
