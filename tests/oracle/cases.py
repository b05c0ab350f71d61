"""A case: one configuration of one plane, for every release or for some."""

from __future__ import annotations

import json

from jvm import Question

#: The releases that are asked: all minors whose answers may differ.
RELEASES = (
    *("2.8.2", "3.0.2", "3.1.2", "3.2.3", "3.3.2", "3.4.1", "3.5.2", "3.6.2", "3.7.2", "3.8.1"),
    *("3.9.2", "4.0.2", "4.1.2", "4.2.1", "4.3.1", "4.4.0"),
)

_STRINGS = "org.apache.kafka.common.serialization.String"
_JSON = "org.apache.kafka.connect.json.JsonConverter"
_MIRROR = {
    "name": "mirror",
    "source.cluster.alias": "a",
    "target.cluster.alias": "b",
    "source.cluster.bootstrap.servers": "localhost:1",
    "target.cluster.bootstrap.servers": "localhost:1",
}
_KRAFT = {
    "node.id": "1",
    "controller.quorum.voters": "1@localhost:9093",
    "controller.listener.names": "CONTROLLER",
    "log.dirs": "/data/kafka",
}

#: What a plane needs beside the properties of a case. Nobody listens at the addresses.
BASES: dict[str, dict[str, str]] = {
    "zookeeper": {
        "broker.id": "1",
        "zookeeper.connect": "localhost:2181",
        "log.dirs": "/data/kafka",
    },
    "broker": {
        **_KRAFT,
        "node.id": "2",
        "process.roles": "broker",
        "listeners": "PLAINTEXT://localhost:9092",
    },
    "controller": {
        **_KRAFT,
        "process.roles": "controller",
        "listeners": "CONTROLLER://localhost:9093",
    },
    "combined": {
        **_KRAFT,
        "process.roles": "broker,controller",
        "listeners": "PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093",
    },
    "producer": {
        "bootstrap.servers": "localhost:1",
        "key.serializer": f"{_STRINGS}Serializer",
        "value.serializer": f"{_STRINGS}Serializer",
    },
    "consumer": {
        "bootstrap.servers": "localhost:1",
        "group.id": "group",
        "key.deserializer": f"{_STRINGS}Deserializer",
        "value.deserializer": f"{_STRINGS}Deserializer",
    },
    "admin": {"bootstrap.servers": "localhost:1"},
    "streams": {"bootstrap.servers": "localhost:1", "application.id": "application"},
    "connect-distributed": {
        "bootstrap.servers": "localhost:1",
        "group.id": "connect",
        "key.converter": _JSON,
        "value.converter": _JSON,
        "config.storage.topic": "connect-configs",
        "offset.storage.topic": "connect-offsets",
        "status.storage.topic": "connect-status",
    },
    "connect-standalone": {
        "bootstrap.servers": "localhost:1",
        "key.converter": _JSON,
        "value.converter": _JSON,
        "offset.storage.file.filename": "/data/offsets",
    },
    "source-connector": {"name": "source", "connector.class": "FileStreamSource"},
    "sink-connector": {"name": "sink", "connector.class": "FileStreamSink", "topics": "orders"},
    "mirror": {
        "clusters": "a,b",
        "a.bootstrap.servers": "localhost:1",
        "b.bootstrap.servers": "localhost:1",
        # Else each case would search all jars for plug-ins.
        "plugin.discovery": "service_load",
    },
    "mirror-source": {
        **_MIRROR,
        "connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
    },
    "mirror-checkpoint": {
        **_MIRROR,
        "connector.class": "org.apache.kafka.connect.mirror.MirrorCheckpointConnector",
    },
    "mirror-heartbeat": {
        **_MIRROR,
        "connector.class": "org.apache.kafka.connect.mirror.MirrorHeartbeatConnector",
    },
    "quota": {},
}
BASES["share-consumer"] = BASES["consumer"]

BROKERS = ("zookeeper", "broker", "controller", "combined")
#: Planes whose properties stand inside a broker's.
INSIDE = ("topic", "group")
WORKERS = ("connect-distributed", "connect-standalone")
MIRRORS = ("mirror", "mirror-source", "mirror-checkpoint", "mirror-heartbeat")
CONNECTORS = ("source-connector", "sink-connector", *MIRRORS[1:])
#: Maven lacks the artifact of MirrorMaker for these.
WITHOUT_MIRROR = ("3.2.3", "3.5.2", "4.2.1", "4.4.0")

PLANES = (*BROKERS, *INSIDE, *(plane for plane in BASES if plane not in BROKERS))

Properties = dict[str, str]


class Case:
    """One configuration.

    ``properties`` are those beside the plane's base; None takes one of the base away, and with
    ``bare`` there is no base. For a topic or a group ``broker`` are those of its broker.
    """

    __slots__ = ("bare", "broker", "plane", "properties")

    def __init__(
        self,
        plane: str,
        properties: dict[str, str | None],
        broker: dict[str, str | None] | None = None,
        bare: bool = False,
    ) -> None:
        self.plane = plane
        self.properties = properties
        self.broker = broker or {}
        self.bare = bare

    def asked_of(self, release: str) -> bool:
        """Whether the plane exists in that release, and its code is at hand."""
        minor = _minor(release)
        if self.plane == "zookeeper":
            return minor < (4, 0)
        if self.plane in ("broker", "controller", "combined"):
            # The KRaft of 2.8 was a preview that checks next to nothing.
            return minor >= (3, 0)
        if self.plane == "group":
            return minor >= (4, 0)
        if self.plane == "share-consumer":
            return minor >= (4, 0)
        if self.plane == "quota":
            return minor >= (3, 0)
        if self.plane in MIRRORS:
            least = (3, 6) if self.plane == "mirror" else (2, 8)
            return release not in WITHOUT_MIRROR and minor >= least
        return True

    def host(self, release: str) -> Properties:
        """The properties of the broker that a topic or group stands inside."""
        old = _minor(release) < (3, 3) or "zookeeper.connect" in self.broker
        base = BASES["zookeeper" if old and _minor(release) < (4, 0) else "combined"]
        return _merged(base, self.broker)

    def complete(self) -> Properties:
        """The whole configuration; of a topic or a group its own."""
        return _merged(
            {} if self.bare or self.plane in INSIDE else BASES[self.plane], self.properties
        )

    def question(self, release: str, mode: str = "diff") -> Question:
        if self.plane in INSIDE:
            return self.plane, mode, self.host(release), self.complete()
        return self.plane, mode, self.complete(), None

    @property
    def key(self) -> str:
        """What makes two cases one."""
        return "\t".join(self.cells())

    def cells(self) -> list[str]:
        return [self.plane, "bare" if self.bare else "", _json(self.properties), _json(self.broker)]

    @classmethod
    def read(cls, cells: list[str]) -> Case:
        plane, bare, properties, broker = cells
        return cls(
            plane, json.loads(properties or "{}"), json.loads(broker or "{}"), bare == "bare"
        )

    def __repr__(self) -> str:
        return f"{self.plane} {_json(self.properties)} {_json(self.broker)}"


def base_questions(release: str) -> list[Question]:
    """One question per plane that makes it tell its values; ``diff`` tells what differs then."""
    found: list[Question] = []
    for plane in PLANES:
        case = Case(plane, {})
        if case.asked_of(release):
            found.append(case.question(release, "base"))
    return found


def _merged(base: Properties, own: dict[str, str | None]) -> Properties:
    merged = {**base, **own}
    return {key: text for key, text in merged.items() if text is not None}


def _minor(release: str) -> tuple[int, int]:
    major, minor = release.split(".")[:2]
    return int(major), int(minor)


def _json(properties: dict[str, str | None]) -> str:
    if not properties:
        return ""
    return json.dumps(properties, ensure_ascii=False, separators=(",", ":"))
