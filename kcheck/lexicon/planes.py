"""Which of the catalogue's tables know a resource's key, behind which of Kafka's prefixes."""

from __future__ import annotations

from collections.abc import Iterable

from kcheck import catalogue, data

#: The tables that know the keys of a plane (a resource's ``plane``); the first one decides.
TABLES: dict[str, tuple[str, ...]] = {
    "broker": ("broker",),
    "controller": ("broker",),
    "cluster": ("broker",),
    "topic": ("topic",),
    "producer": ("producer",),
    "consumer": ("consumer",),
    "admin": ("admin",),
    # The file of a command line tool, or of a client that does not say which it is.
    "client": ("producer", "consumer", "admin"),
    # Streams hands what it does not know to the clients inside.
    "streams": ("streams", "producer", "consumer", "admin"),
    "connect-distributed": ("connect-distributed",),
    "connect-standalone": ("connect-standalone",),
    # A connector's own keys are its plug-in's.
    "source-connector": ("source-connector",),
    "sink-connector": ("sink-connector",),
    "topic-creation": ("topic-creation",),
    "mirror": ("mirror",),
    "mirror-source": ("mirror-source", "source-connector"),
    "mirror-checkpoint": ("mirror-checkpoint", "source-connector"),
    "mirror-heartbeat": ("mirror-heartbeat", "source-connector"),
    "share-consumer": ("consumer",),
    "group": ("group",),
    "quota": ("quota",),
    "user": ("quota",),
    "remote-metadata": ("remote-metadata",),
}

_BROKERS = ("broker", "controller", "cluster")
_WORKERS = ("connect-distributed", "connect-standalone")
_CLIENTS = ("producer", "consumer", "share-consumer", "admin", "client", "streams")
_CONNECTORS = (
    *("source-connector", "sink-connector", "topic-creation"),
    *("mirror", "mirror-source", "mirror-checkpoint", "mirror-heartbeat"),
)

#: What a plane is called in the tables of ``schemas/keys``.
FAMILIES: dict[str, str] = {
    **dict.fromkeys(_BROKERS, "broker"),
    **dict.fromkeys(_WORKERS, "worker"),
    **dict.fromkeys(_CLIENTS, "client"),
    **dict.fromkeys(_CONNECTORS, "connector"),
    "topic": "topic",
    "group": "group",
    "quota": "quota",
    "user": "quota",
    "remote-metadata": "remote-metadata",
}

#: Prefixes behind which the keys of another plane stand, the first that fits counts.
_WORKER_PREFIXES = (
    ("producer.", "producer"),
    ("consumer.", "consumer"),
    ("admin.", "admin"),
    ("config.storage.", "topic"),
    ("offset.storage.", "topic"),
    ("status.storage.", "topic"),
)
_PREFIXES: dict[str, tuple[tuple[str, str], ...]] = {
    "connect-distributed": (
        ("listeners.https.", "connect-distributed"),
        ("admin.listeners.https.", "connect-distributed"),
        *_WORKER_PREFIXES,
    ),
    "connect-standalone": (
        ("listeners.https.", "connect-standalone"),
        ("admin.listeners.https.", "connect-standalone"),
        *_WORKER_PREFIXES[:3],
    ),
    "streams": (
        ("main.consumer.", "consumer"),
        ("restore.consumer.", "consumer"),
        ("global.consumer.", "consumer"),
        ("consumer.", "consumer"),
        ("producer.", "producer"),
        ("admin.", "admin"),
        ("topic.", "topic"),
    ),
    "remote-metadata": (
        ("remote.log.metadata.common.client.", "client"),
        ("remote.log.metadata.producer.", "producer"),
        ("remote.log.metadata.consumer.", "consumer"),
        ("remote.log.metadata.admin.", "admin"),
    ),
}

_LISTENER = "listener.name."
#: SASL mechanisms as listener-prefixed keys spell them; plug-ins bring their own.
_MECHANISMS = frozenset({"plain", "gssapi", "oauthbearer", "scram-sha-256", "scram-sha-512"})

#: The keys that name the prefix of a tiered storage plug-in's own keys, and its default.
STORAGE_PREFIX = ("remote.log.storage.manager.impl.prefix", "rsm.config.")
METADATA_PREFIX = ("remote.log.metadata.manager.impl.prefix", "rlmm.config.")


class Place:
    """Where Kafka looks a key up: ``key`` in the tables of ``plane``, behind ``prefix``."""

    __slots__ = ("key", "plane", "prefix")

    def __init__(self, plane: str, key: str, prefix: str = "") -> None:
        self.plane = plane
        self.key = key
        self.prefix = prefix

    @property
    def tables(self) -> tuple[str, ...]:
        return TABLES[self.plane]

    def facts(self) -> list[tuple[catalogue.Fact, ...]]:
        """The key's history in each table that knows it, the deciding one first."""
        found = [catalogue.plane(table).history(self.key) for table in self.tables]
        return [history for history in found if history]

    def known_to(self, table: str) -> bool:
        """Whether another table knows the key."""
        return self.key in catalogue.plane(table)

    def __repr__(self) -> str:
        return f"Place({self.plane} {self.prefix}|{self.key})"


def place(plane: str, key: str, storage: str = "", metadata: str = "") -> Place | None:  # noqa: C901
    """Where that plane looks the key up; None where only a plug-in can say what it means.

    ``storage`` and ``metadata`` are the prefixes of the tiered storage plug-ins where a broker
    sets them.
    """
    tables = TABLES.get(plane)
    if tables is None:
        return None
    if any(key in catalogue.plane(table) for table in tables):
        return Place(plane, key)
    if is_open(FAMILIES[plane], key):
        return None
    if plane in _BROKERS:
        if key.startswith(_LISTENER):
            return _listener(plane, key)
        if key.startswith(storage or STORAGE_PREFIX[1]):
            return None
        prefix = metadata or METADATA_PREFIX[1]
        if key.startswith(prefix):
            inner = place("remote-metadata", key[len(prefix) :])
            return inner and Place(inner.plane, inner.key, prefix + inner.prefix)
        return Place(plane, key)
    if plane in _WORKERS and all(key in catalogue.plane(inside) for inside in TABLES["client"]):
        # A worker hands it on to its own clients, all of which know it.
        return Place("client", key)
    if plane in _WORKERS and key in catalogue.plane("admin"):
        # Before anything else a worker asks for the cluster's id, by an admin client of its keys.
        return Place("admin", key)
    if plane in _WORKERS and any(key in catalogue.plane(other) for other in _WORKERS):
        return Place(plane, key)
    for prefix, behind in _PREFIXES.get(plane, ()):
        if key.startswith(prefix) and len(key) > len(prefix):
            rest = key[len(prefix) :]
            if is_open(FAMILIES[behind], rest):
                return None
            return Place(behind, rest, prefix)
    return Place(plane, key)


def _listener(plane: str, key: str) -> Place | None:
    """``listener.name.LISTENER.[MECHANISM.]KEY``."""
    listener, _, rest = key[len(_LISTENER) :].partition(".")
    prefix = f"{_LISTENER}{listener}."
    table = catalogue.plane("broker")
    if not rest:
        return Place(plane, key)
    mechanism, _, inner = rest.partition(".")
    if rest not in table and inner and (mechanism in _MECHANISMS or inner in table):
        prefix, rest = f"{prefix}{mechanism}.", inner
    return None if is_open("broker", rest) else Place(plane, rest, prefix)


# -- what others read ------------------------------------------------------------------------

_open: dict[str, tuple[frozenset[str], tuple[str, ...]]] = {}


def is_open(family: str, key: str) -> bool:
    """Whether something outside every ConfigDef reads the key: an authorizer, a plug-in, a vendor."""
    names, prefixes = opened(family)
    return key in names or key.startswith(prefixes)


def opened(family: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """(names, prefixes) that something outside every ConfigDef reads in that family."""
    if not _open:
        _read_open()
    return _open.get(family, (frozenset(), ()))


def _read_open() -> None:
    rows: dict[str, list[str]] = {}
    for family, name, _reader in data.rows("keys/open.tsv"):
        for one in FAMILIES.values() if family == "any" else (family,):
            rows.setdefault(one, []).append(name)
    for family, names in rows.items():
        _open[family] = _split(names)


def _split(names: Iterable[str]) -> tuple[frozenset[str], tuple[str, ...]]:
    known = set(names)
    prefixes = tuple(sorted(name for name in known if name.endswith(".")))
    return frozenset(known - set(prefixes)), prefixes
