"""MirrorMaker 2's own ``.properties``: clusters by alias, flows between them, and what holds for all.

``A.<key>`` is for the clients of cluster A (behind ``producer.``, ``consumer.`` and ``admin.`` for
one of them), ``A->B.<key>`` for the connectors of a flow; keys without either are for all flows, and
for the workers where they are a worker's.
"""

from __future__ import annotations

from collections.abc import Callable

from kcheck import catalogue
from kcheck.formats import Lookup, flows
from kcheck.formats.properties import mirror_notes
from kcheck.formats.text import templated, written
from kcheck.model import ALIAS, FAILED, PASSED_OVER, Document, Problem, Resource, Setting
from kcheck.syntax.entry import Entry, lines_of
from kcheck.syntax.properties import PropertiesError, decode, parse

_CONNECTORS = (
    ("mirror-source", "MirrorSourceConnector"),
    ("mirror-checkpoint", "MirrorCheckpointConnector"),
    ("mirror-heartbeat", "MirrorHeartbeatConnector"),
)
_ROLES = ("producer", "consumer", "admin")
#: What every client of every cluster gets where its cluster does not say otherwise.
_SECURITY = ("security.", "ssl.", "sasl.")
_STORAGE = ("config.storage.", "offset.storage.", "status.storage.")


def read(document: Document, data: bytes, lookup: Lookup) -> None:
    text = decode(data)[0]
    try:
        entries = parse(text)
    except PropertiesError as error:
        at = (error.line, error.column, error.line, error.column + 1)
        document.problems.append(Problem(error.message, at))
        document.status, document.reason = FAILED, error.message
        return
    _File(document, entries).read()
    if "\\" in text and document.resources:
        from kcheck.formats.properties import backslashes  # few files have any

        lines = lines_of(text)
        for entry in entries:
            made = written(entry.key, entry.value, document.path, entry.at, entry.key_at)
            raw = backslashes.raw_of(entry, lines)
            backslashes.note(document.resources[0], made, raw, mirrors=True)
    if not document.resources:
        document.status, document.reason = PASSED_OVER, "contains no clusters or flows"


def _alias(key: str, places: dict[str, int]) -> str | None:
    """The first of the aliases with which a key begins; an alias may have dots itself."""
    found: str | None = None
    dot = key.find(".")
    while dot >= 0:
        begin = key[:dot]
        if begin in places and (found is None or places[begin] < places[found]):
            found = begin
        dot = key.find(".", dot + 1)
    return found


class _File:
    def __init__(self, document: Document, entries: list[Entry]) -> None:
        self.document = document
        self.globals: dict[str, Setting] = {}
        #: By alias, and by flow: their own keys without the prefix.
        self.clusters: dict[str, dict[str, Setting]] = {}
        self.flows: dict[tuple[str, str], dict[str, Setting]] = {}
        self.earlier: list[tuple[Setting, Setting]] = []
        named = next((e.value for e in reversed(entries) if e.key == "clusters"), "")
        aliases = [name.strip() for name in named.split(",") if name.strip()]
        #: The clusters of the file, where all of them are known.
        self.aliases = [] if templated(named) else aliases
        #: The flows that are switched off, and the first resource of each cluster.
        self._off: frozenset[tuple[str, str]] = frozenset()
        self._firsts: dict[str, Resource] = {}
        places = {alias: place for place, alias in reversed([*enumerate(aliases)])}
        for entry in entries:
            self._entry(entry, places)

    def _entry(self, entry: Entry, places: dict[str, int]) -> None:
        source, arrow, rest = entry.key.partition("->")
        if arrow:
            target, dot, key = rest.partition(".")
            if dot:
                self._put(self.flows.setdefault((source, target), {}), key, entry)
            return
        alias = _alias(entry.key, places)
        if alias is not None:
            key = entry.key[len(alias) + 1 :]
            self._put(self.clusters.setdefault(alias, {}), key, entry)
            return
        if not templated(entry.key):
            self._put(self.globals, entry.key, entry)

    def _put(self, layer: dict[str, Setting], key: str, entry: Entry) -> None:
        made = written(key, entry.value, self.document.path, entry.at, entry.key_at, entry.key)
        if key in layer:
            self.earlier.append((layer[key], made))
        layer[key] = made

    def read(self) -> None:
        own = {key: setting for key, setting in self.globals.items() if _drivers(key)}
        if own:
            first = self.aliases[0] if self.aliases else ""
            self._made("mirror", "driver", first, own).plane = "mirror"
        self._off = frozenset(ends for ends, layer in self.flows.items() if _off(layer))
        for alias, own in self.clusters.items():
            self._clients(alias, own)
        for (source, target), own in self.flows.items():
            if self.aliases and mirror_notes.unknown((source, target), self.aliases):
                continue  # MirrorMaker ignores it, as KC1606 says: nothing of it runs
            enabled = own.get("enabled") or self.globals.get("enabled")
            if enabled is None or enabled.text is None or enabled.text.lower() == "true":
                self._connectors(source, target, own)
                self._worker(source, target)
                self._flow(source, target, own)
        self._backwards()
        if self.document.resources:
            self.document.resources[0].earlier.extend(self.earlier)
            if self.aliases:
                notes = mirror_notes.of(self.aliases, self.globals, self.clusters, self.flows)
                self.document.resources[0].notes.extend(notes)

    def _backwards(self) -> None:
        """The workers that emit heartbeats into clusters to which nothing is copied: MirrorMaker runs
        them in each direction (MirrorMakerConfig.clusterPairs), unless heartbeats are off."""
        workers = [one.name for one in self.document.resources if one.kind == "worker"]
        for target, own in self.clusters.items() if len({*self.aliases}) > 1 else ():
            source = next(alias for alias in self.aliases if alias != target)
            fed = any(name.endswith(f"->{target}") for name in workers)
            told = {**self.globals, **self.flows.get((source, target), {})}
            beats = told.get("emit.heartbeats.enabled")
            on = beats is None or (beats.text is not None and beats.text.lower() == "true")
            if on and not fed and any(key.startswith(_STORAGE) for key in own):
                self._worker(source, target)

    def _flow(self, source: str, target: str, own: dict[str, Setting]) -> None:
        """Note an enabled flow on the first resource of either cluster."""
        told = next(iter(own.values()))
        servers = [self.clusters.get(a, {}).get("bootstrap.servers") for a in (source, target)]
        sizes = (
            self.clusters.get(target, {}).get("producer.max.request.size"),
            self.globals.get("producer.max.request.size"),
        )
        flow = flows.flow(
            Setting("clusters", source, told.path, told.key_at, name=told.name),
            Setting("clusters", target, told.path, told.key_at, name=told.name),
            (servers[0], servers[1]),
            {**self.globals, **own},
            next((size for size in sizes if size is not None), None),
            self._off,
        )
        for side, alias in (("out", source), ("in", target)):
            end = self._firsts.get(alias)
            if end is not None:
                flows.leave(end, side, flow)

    def _made(self, kind: str, name: str, cluster: str, settings: dict[str, Setting]) -> Resource:
        first = next(iter(settings.values()))
        resource = Resource(kind, name, self.document.path, first.key_at)
        resource.settings = settings
        resource.cluster = cluster
        resource.traits.cluster_origin = ALIAS
        resource.traits.application = self.document.path
        self.document.resources.append(resource)
        self._firsts.setdefault(cluster, resource)
        return resource

    def _clients(self, alias: str, own: dict[str, Setting]) -> None:
        shared = {k: s for k, s in self.globals.items() if k.startswith(_SECURITY)}
        roles = {role: _behind(own, f"{role}.") for role in _ROLES}
        prefixes = tuple(f"{role}." for role in _ROLES)
        rest = {k: s for k, s in own.items() if not k.startswith((*prefixes, *_STORAGE))}
        plain = {**shared, **{k: s for k, s in rest.items() if _clients_key(k)}}
        made = [
            self._made(role, alias, alias, {**plain, **settings})
            for role, settings in roles.items()
            if settings
        ]
        for client in made:
            client.traits.made_by_connect = True
        if not made and plain:
            self._made("client", alias, alias, plain)

    def _connectors(self, source: str, target: str, own: dict[str, Setting]) -> None:
        every = {**self.globals, **own}
        drop = {k for k in every if k == "clusters" or k in catalogue.plane("mirror")}
        drop |= {k for k in every if k.startswith((*_STORAGE, *_SECURITY)) and k not in own}
        left = {k: s for k, s in every.items() if k not in drop}
        known = {plane: _known(left, plane) for plane, _ in _CONNECTORS}
        # One that only another connector of the flow reads today is written for that one.
        read = {key for key in left if any(_today(plane, key) for plane, _ in _CONNECTORS)}
        for plane, keys in known.items():
            keys -= {key for key in keys & read if not _known_today(plane, key)}
        anyones = set().union(*known.values())
        for plane, connector_class in _CONNECTORS:
            mine = known[plane]
            if plane == "mirror-source":
                mine |= left.keys() - anyones
            settings = {key: setting for key, setting in left.items() if key in mine}
            # The others of a flow run beside the first with the same keys, mostly.
            if settings and (plane == "mirror-source" or any(map(_alone(plane), settings))):
                made = self._made("connector", f"{source}->{target}", target, settings)
                made.plane = plane
                made.traits.dedicated = True
                made.image["connector.class"] = Setting(
                    "connector.class",
                    f"org.apache.kafka.connect.mirror.{connector_class}",
                    made.path,
                    made.at,
                )

    def _worker(self, source: str, target: str) -> None:
        """The workers of a flow, which MirrorMaker runs itself; only if something is said of them."""
        own = {**self.globals, **self.clusters.get(target, {})}
        settings = {k: s for k, s in own.items() if k.startswith(_STORAGE)}
        if not settings:
            return
        brokers = self.clusters.get(target, {}).get("bootstrap.servers")
        if brokers is not None:
            settings["bootstrap.servers"] = brokers
        worker = self._made("worker", f"{source}->{target}", target, settings)
        worker.plane = "connect-distributed"
        worker.traits.mirrors_only = True
        for key, text in {
            "group.id": f"{source}-mm2",
            "offset.storage.topic": f"mm2-offsets.{source}.internal",
            "status.storage.topic": f"mm2-status.{source}.internal",
            "config.storage.topic": f"mm2-configs.{source}.internal",
            "key.converter": "org.apache.kafka.connect.converters.ByteArrayConverter",
            "value.converter": "org.apache.kafka.connect.converters.ByteArrayConverter",
        }.items():
            worker.image[key] = Setting(key, text, worker.path, worker.at)


def _drivers(key: str) -> bool:
    """Whether a key is the driver's own, and not also one of its clients, whom it is handed on to."""
    if key == "clusters" or key not in catalogue.plane("mirror"):
        return False
    shared = key.startswith(_SECURITY)
    return not (shared and any(key in catalogue.plane(role) for role in _ROLES))


def _off(own: dict[str, Setting]) -> bool:
    """Whether a flow is switched off in so many words."""
    enabled = own.get("enabled")
    return enabled is not None and enabled.text is not None and enabled.text.lower() == "false"


def _behind(settings: dict[str, Setting], prefix: str) -> dict[str, Setting]:
    """The settings behind a prefix, under their own keys."""
    found: dict[str, Setting] = {}
    for key, setting in settings.items():
        if key.startswith(prefix):
            rest = key[len(prefix) :]
            made = Setting(
                rest, setting.raw, setting.path, setting.at, setting.key_at, setting.name
            )
            found[rest] = made
    return found


def _clients_key(key: str) -> bool:
    """Whether a cluster's key is one of its clients', and not one of its workers alone."""
    if any(key in catalogue.plane(role) for role in _ROLES):
        return True
    return key not in catalogue.plane("connect-distributed") and not any(
        key in catalogue.plane(plane) for plane, _ in _CONNECTORS
    )


def _alone(plane: str) -> Callable[[str], bool]:
    """Whether today a key is of that connector of a flow, and not of the one that mirrors topics."""

    def alone(key: str) -> bool:
        return _today(plane, key) and not _today("mirror-source", key)

    return alone


def _today(plane: str, key: str) -> bool:
    history = catalogue.plane(plane).history(key)
    return bool(history) and history[-1].until == catalogue.newest()


def _known_today(plane: str, key: str) -> bool:
    return any(_today(table, key) for table in _tables(plane))


def _tables(plane: str) -> tuple[str, ...]:
    return (plane, "source-connector") if plane == "mirror-source" else (plane,)


def _known(settings: dict[str, Setting], plane: str) -> set[str]:
    tables = _tables(plane)
    return {key for key in settings if any(key in catalogue.plane(table) for table in tables)}
