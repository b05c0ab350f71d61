"""Clients as rules see them: what a producer, consumer, Streams application or worker really uses."""

from __future__ import annotations

from kcheck import catalogue
from kcheck.graph import embedded
from kcheck.graph.nodes import Node
from kcheck.graph.resolve import from_default, from_setting
from kcheck.model import Value
from kcheck.version import UNKNOWN, Version, stated

_ASSIGNORS = "partition.assignment.strategy"
_NOT_SHARED = (_ASSIGNORS, "interceptor.classes", "heartbeat.interval.ms")

#: The settings by which a Connect worker names the topics that it keeps its state in.
STORAGE_TOPIC_KEYS = ("config.storage.topic", "offset.storage.topic", "status.storage.topic")

#: The planes of MirrorMaker's connectors.
MIRROR_PLANES = frozenset({"mirror-source", "mirror-checkpoint", "mirror-heartbeat"})

_ROLES = ("producer", "consumer", "admin")
_PREFIXES = tuple(f"{role}." for role in _ROLES)


class Client(Node):
    """A producer, consumer, admin client, Streams application or Connect worker."""

    __slots__ = ("_inferred",)

    @property
    def version(self) -> Version:
        """The client library's version: its own fact, else the cluster's ``client_version``, else
        the range that its settings show."""
        own = self.resource.facts.get("client.version")
        told = stated(own.text) if own is not None and own.text else None
        if not self.java:
            if told is not None and self.resource.traits.own_versions:
                return self._inside(told)
            return told or UNKNOWN
        version = told or self.cluster.client_version
        if not version.known:
            version = self._shown()
        least = self.cluster.least_client
        return least if least.known and not version.at_least(least.text or "") else version

    def _inside(self, release: Version) -> Version:
        """The version of the library inside a release of the package around it."""
        from kcheck.carriers import inside

        package = self.resource.facts.get("client.library")
        found = (
            inside(package.text.lower(), release.text)
            if package and package.text and release.text
            else ""
        )
        return stated(found) if found else UNKNOWN

    def _shown(self) -> Version:
        """The range of versions that its own settings show, asked once."""
        try:
            return self._inferred
        except AttributeError:
            from kcheck.graph.inferred import of_client

            self._inferred: Version = of_client(self.resource)
            return self._inferred

    @property
    def java(self) -> bool:
        """Whether Java's defaults and rules hold for it."""
        return self.library.java

    def sets(self, key: str) -> bool:
        if not self.java:
            from kcheck.graph import dialect

            return dialect.sets(self.resource, key)
        return super().sets(key)

    def sets_any(self, keys: frozenset[str]) -> bool:
        return super().sets_any(keys) if self.java else any(self.sets(key) for key in keys)

    def resolve(self, key: str) -> Value:
        if not self.java:
            from kcheck.graph import dialect

            return dialect.resolve(self.resource, key, self.version)
        if self.resource.traits.made_by_connect and not super().sets(key):
            own = embedded.of_connect(self.resource, key, self.version)
            if own is not None:
                return own
        return super().resolve(key)

    def inner(self, role: str) -> Client:
        """The client in the role ``producer`` or ``consumer``: this one, or one that it runs."""
        return self

    def unread(self, key: str) -> bool:
        """Whether a value of that key that the client sets is replaced or passed over unread."""
        return False

    def replaced(self, key: str) -> bool:
        """Whether a value of that key is replaced before anything parses it."""
        return self.unread(key)


class Producer(Client):
    __slots__ = ()


class Consumer(Client):
    __slots__ = ()

    def unread(self, key: str) -> bool:
        if self.resource.plane == "share-consumer":
            # What later versions refuse, 4.0 reads and does nothing with.
            return key in _NOT_SHARED and not self.version.at_least("4.1")
        newer = str(self["group.protocol"].value).lower() == "consumer"
        newer = newer and not self.version.below("3.7")
        # 3.7 still made the assignors, though it did not ask them.
        passed = self.version.at_least("3.8") and key == _ASSIGNORS
        unread = passed or key == "heartbeat.interval.ms"
        return unread and newer and self.version.below("4.0")

    def replaced(self, key: str) -> bool:
        # ConsumerConfig parses whatever the group protocol leaves unread.
        return False

    def resolve(self, key: str) -> Value:
        # A share consumer reads the consumer's keys; its own table holds those that it refuses.
        if self.resource.plane != "share-consumer":
            return super().resolve(key)
        setting = self.resource.settings.get(key)
        if setting is not None:
            return from_setting(key, setting, self.resource, "consumer", self.version)
        return from_default(key, self.resource, "consumer", self.version)


class Inner(Client):
    """A client that another program runs; ``graph/hosted.py`` has those that are nodes."""

    __slots__ = ("outer", "role")

    def __init__(self, outer: Node, role: str) -> None:
        super().__init__(outer.resource, outer.cluster)
        self.outer = outer
        self.role = role

    @property
    def member(self) -> bool:
        """Whether its host makes it a member of a group."""
        return True

    def __str__(self) -> str:
        return f"the {self.role} of {self.outer}"

    def sets(self, key: str) -> bool:
        return self[key].explicit

    def sets_any(self, keys: frozenset[str]) -> bool:
        return any(self.sets(key) for key in keys)

    def resolve(self, key: str) -> Value:
        assert isinstance(self.outer, (Streams, Worker))
        return self.outer.client(self.role, key)


class Streams(Client):
    """A Kafka Streams application. ``client(role, key)`` is what its inner clients get."""

    __slots__ = ()

    def inner(self, role: str) -> Client:
        return Inner(self, role)

    def client(self, role: str, key: str) -> Value:
        """The key as the inner producer or consumer reads it."""
        return embedded.of_streams(self.resource, role, key, self.version, self.eos)

    def unread(self, key: str) -> bool:
        if embedded.made(key) or embedded.overridden(key, self.version, self.eos):
            return True
        if key.endswith("group.instance.id"):
            # It gets the number of the thread behind it.
            return True
        if catalogue.possible("streams", key, self.version):
            return False
        # A prefixed setting wins over the plain one in each client that reads the key.
        readers = [role for role in _ROLES if key in catalogue.plane(role)]
        settings = self.resource.settings
        return bool(readers) and all(f"{role}.{key}" in settings for role in readers)

    @property
    def eos(self) -> bool:
        guarantee = self.resource.settings.get("processing.guarantee")
        return bool(guarantee and guarantee.text and guarantee.text.startswith("exactly_once"))


#: Keys of a worker's own that its clients get in place of those behind a prefix.
_HANDED_ON = tuple(f"{prefix}bootstrap.resolve.timeout.ms" for prefix in _PREFIXES)
_OF_HTTPS = ("listeners.https.", "admin.listeners.https.")


class Worker(Client):
    """A Connect worker; its inner clients read ``producer.`` and ``consumer.`` keys."""

    __slots__ = ()

    def inner(self, role: str) -> Client:
        return Inner(self, role)

    @property
    def eos(self) -> bool:
        """Whether source tasks write in transactions."""
        asked = str(self["exactly.once.source.support"].value).lower()
        distributed = self.resource.plane == "connect-distributed"
        return asked == "enabled" and distributed and not self.version.below("3.3")

    def unread(self, key: str) -> bool:
        for prefix in _OF_HTTPS:
            if key.startswith(prefix):
                # The server of the REST API reads its own TLS there, if it has any.
                listeners = self[prefix.removesuffix(".https.")].text or ""
                return "https" not in listeners.lower() or not key.startswith(f"{prefix}ssl.")
        if key in _HANDED_ON:
            return True
        return self.eos and key == "producer.enable.idempotence"

    def client(self, role: str, key: str) -> Value:
        """The key as the worker's producers or consumers read it, by the prefix of ``role``."""
        return embedded.of_worker(self.resource, role, key, self.version, self.eos)


class Connector(Node):
    """A connector: what its keys mean is for the Kafka of the workers that run it to say."""

    __slots__ = ()

    @property
    def version(self) -> Version:
        """The version of its workers where they have one; else what is said of clients.

        That of the brokers is another matter: workers are upgraded by themselves.
        """
        own = self.resource.facts.get("client.version")
        if own is not None and own.text:
            return stated(own.text)
        workers = self.workers
        versions = {worker.version.text: worker.version for worker in workers}
        if len(versions) == 1:
            return versions.popitem()[1]
        return UNKNOWN if versions else self.cluster.client_version

    @property
    def workers(self) -> list[Worker]:
        """The workers that may run it."""
        workers = [c for c in self.cluster.clients if isinstance(c, Worker)]
        traits = self.resource.traits
        if traits.runs_on:
            return [worker for worker in workers if worker.name == traits.runs_on]
        mirrored = self.resource.plane in MIRROR_PLANES
        return [w for w in workers if mirrored or not w.resource.traits.mirrors_only]

    @property
    def worker(self) -> Worker | None:
        """One of its workers, where all that may run it give the same to its clients."""
        workers = self.workers
        if any(worker.resource.traits.partial for worker in workers):
            return None
        told = {
            tuple((k, s.text) for k, s in sorted(worker.resource.settings.items()) if _inside(k))
            for worker in workers
        }
        return workers[0] if len(told) == 1 else None

    @property
    def writes_dead_letters(self) -> bool:
        """Whether a sink has a producer, which only its dead letters need (AbstractHerder)."""
        return self.sets("errors.deadletterqueue.topic.name")

    @property
    def reads_offsets(self) -> bool | None:
        """Whether each task of a source has clients for its own offsets (DistributedHerder, since 3.3).

        It has where their topic is the connector's own, or where the workers write exactly once; None
        where nobody knows the workers.
        """
        required = (self["exactly.once.support"].text or "").lower() == "required"
        if required or self.sets("offsets.storage.topic"):
            return True
        workers = self.workers
        if any(worker.eos for worker in workers):
            return True
        return False if workers else None


def _inside(key: str) -> bool:
    """Whether a worker's key tells what its clients get."""
    return key.startswith(_PREFIXES) or key in ("bootstrap.servers", "exactly.once.source.support")


CLIENT_CLASSES: dict[str, type[Client]] = {
    "producer": Producer,
    "consumer": Consumer,
    "streams": Streams,
    "worker": Worker,
    "admin": Client,
    "client": Client,
}
