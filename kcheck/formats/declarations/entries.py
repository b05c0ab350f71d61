"""The entries of a declaration: cluster, brokers, topics, clients, quotas, and what has the wrong shape."""

from __future__ import annotations

from kcheck import libraries
from kcheck.formats.connect.connectors import finish
from kcheck.formats.declarations.declared import (
    ASSUMPTIONS,
    BROKER_FACTS,
    CLUSTER_FACTS,
    ENVIRONMENTS,
    HOST_FACTS,
    NAMED_FACTS,
    NAMES,
    ORDERINGS,
    QUOTA_ENTITIES,
    QUOTA_LIMITS,
    READERS,
    SERVICES,
    TEXT,
    TOPIC_FACTS,
    WHOLE,
    assumption_kinds,
)
from kcheck.formats.declarations.shape import KINDS, NAMED, TOP, facts_of
from kcheck.formats.scalars import setting
from kcheck.formats.text import templated
from kcheck.model import Document, Position, Resource, Setting
from kcheck.syntax import yaml

#: What a declaration has several of.
_LISTS = frozenset(("topics", "quotas", *KINDS, *NAMED))

#: More settings than a file of the largest size can hold without aliases of aliases.
MOST_SETTINGS = 500_000

#: Facts whose name in the graph is Kafka's, not the declaration's.
_GRAPH_NAMES = {"replication_factor": "replication.factor"}


class TooMany(Exception):
    """A file that aliases blow up."""


class Reader:
    """Fills the document from one declaration and remembers what has the wrong shape."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.wrong: list[tuple[str, Position]] = []
        self._settings = 0

    def declaration(self, node: yaml.Node) -> None:
        for name, key, value in self._pairs(node, "a declaration"):
            if name == "cluster":
                self._cluster(value)
            elif name in _LISTS:
                for entry in self._entries(name, value):
                    self._entry(name, entry)
            elif name != "kcheck":
                self._bad(f"unknown key {name} in a declaration ({', '.join(TOP)})", key)
            elif yaml.text(value) not in (None, "1"):
                self._bad("kcheck must be 1, the version of this format", value)

    def _entry(self, name: str, entry: yaml.Node) -> None:
        if name == "topics":
            self._topic(entry)
        elif name == "quotas":
            self._quota(entry)
        elif name in KINDS:
            self._client(KINDS[name], entry)
        else:
            self._named(NAMED[name], entry)

    def _bad(self, message: str, node: yaml.Node) -> None:
        self.wrong.append((message, yaml.position(node)))

    def _pairs(self, node: yaml.Node, what: str) -> list[tuple[str, yaml.Node, yaml.Node]]:
        if not isinstance(node, yaml.MappingNode) and not _unknown(node):
            self._bad(f"{what} must be a mapping", node)
        found = yaml.pairs(node)
        self._settings += len(found)
        if self._settings > MOST_SETTINGS:
            raise TooMany
        return found

    def _entries(self, name: str, node: yaml.Node) -> list[yaml.Node]:
        if not isinstance(node, yaml.SequenceNode) and not _unknown(node):
            self._bad(f"{name} must be a list of entries", node)
        found: list[yaml.Node] = []
        for entry in yaml.items(node):
            if isinstance(entry, yaml.MappingNode):
                found.append(entry)
            elif not _templated(entry):
                self._bad(f"an entry of {name} must be a mapping", entry)
        return found

    def _resource(self, kind: str, node: yaml.Node, name: str) -> Resource:
        resource = Resource(kind, name, self.document.path, yaml.position(node))
        self.document.resources.append(resource)
        return resource

    def _fact(
        self, resource: Resource, kinds: dict[str, str], name: str, key: yaml.Node, node: yaml.Node
    ) -> bool:
        """Read one fact; false where the name is none of this kind of entry."""
        kind = kinds.get(name)
        if kind is None:
            return False
        graph_name = _GRAPH_NAMES.get(name, name)
        fact = setting(graph_name, key, node, self.document.path)
        resource.facts[graph_name] = fact
        if kind == NAMES:
            if not isinstance(node, yaml.SequenceNode):
                if not _templated(node):
                    self._bad(f"{name} must be {kind}", node)
                return True
            listed = [yaml.text(item) or "" for item in yaml.items(node)]
            names, traits = tuple(listed), resource.traits
            if name == "topics":
                traits.topics = names
            elif name == "writes":
                traits.writes = names
            else:
                traits.copartitioned = names
            fact.raw = fact.text = ", ".join(listed)
        elif not isinstance(node, yaml.ScalarNode):
            self._bad(f"{name} must be {kind}", node)
        elif fact.text is not None and kind != TEXT:
            value = READERS[kind](fact.text)
            if value is None:
                self._bad(f"{name} must be {kind}", node)
            else:
                fact.amount = value
        return True

    def _config(self, into: dict[str, Setting], resource: Resource, node: yaml.Node) -> None:
        for key, key_node, value in self._pairs(node, "config"):
            if not isinstance(value, yaml.ScalarNode):
                self._bad(f"{key} must have a scalar value", value)
                continue
            made = setting(key, key_node, value, self.document.path)
            if key in into:
                resource.earlier.append((into[key], made))
            into[key] = made

    def _host(self, resource: Resource, node: yaml.Node) -> None:
        for fact, key, value in self._pairs(node, "host"):
            if not self._fact(resource, HOST_FACTS, fact, key, value):
                self._bad(f"unknown host fact {fact} ({', '.join(HOST_FACTS)})", key)

    def _assumptions(self, resource: Resource, node: yaml.Node) -> None:
        kinds = {ASSUMPTIONS + name: kind for name, kind in assumption_kinds().items()}
        for name, key, value in self._pairs(node, "assumptions"):
            if not self._fact(resource, kinds, ASSUMPTIONS + name, key, value):
                known = ", ".join(assumption_kinds())
                self._bad(f"unknown assumption {name} ({known})", key)

    def _cluster(self, node: yaml.Node) -> None:
        resource = self._resource("cluster", node, ".")
        brokers: list[yaml.Node] = []
        for name, key, value in self._pairs(node, "cluster"):
            if name == "brokers":
                brokers = self._count(resource, key, value) or brokers
            elif name == "config":
                self._config(resource.settings, resource, value)
            elif name == "dynamic_config":
                self._config(resource.dynamic, resource, value)
            elif name == "host":
                self._host(resource, value)
            elif name == "assumptions":
                self._assumptions(resource, value)
            elif not self._fact(resource, CLUSTER_FACTS, name, key, value):
                self._bad(f"unknown key {name} in a cluster", key)
        self._one_of(resource, "environment", ENVIRONMENTS)
        self._one_of(resource, "service", SERVICES)
        declared = resource.facts.get("name")
        if declared is not None and declared.text:
            resource.name = declared.text
        self._brokers(brokers)
        resource.plane = "broker"

    def _count(self, cluster: Resource, key: yaml.Node, value: yaml.Node) -> list[yaml.Node]:
        """How many brokers there are: a number, or as many as are listed, which are returned."""
        if not isinstance(value, yaml.SequenceNode):
            self._fact(cluster, {"brokers": WHOLE}, "brokers", key, value)
            return []
        brokers = yaml.items(value)
        count = Setting("brokers", str(len(brokers)), self.document.path, yaml.position(key))
        count.amount = len(brokers)
        cluster.facts["brokers"] = count
        return brokers

    def _brokers(self, entries: list[yaml.Node]) -> None:
        for entry in entries:
            if isinstance(entry, yaml.MappingNode):
                self._broker(entry)
            elif not _templated(entry):
                self._bad("a broker must be a mapping", entry)

    def _one_of(self, resource: Resource, name: str, allowed: tuple[str, ...]) -> None:
        fact = resource.facts.get(name)
        if fact is not None and fact.text is not None and fact.text not in allowed:
            self.wrong.append((f"{name} must be one of {', '.join(allowed)}", fact.at))

    def _broker(self, node: yaml.Node) -> None:
        identity = yaml.text(yaml.child(node, "id")) or "?"
        resource = self._resource("broker", node, identity)
        for name, key, value in self._pairs(node, "a broker"):
            if name == "config":
                self._config(resource.settings, resource, value)
            elif name == "host":
                self._host(resource, value)
            elif not self._fact(resource, BROKER_FACTS, name, key, value):
                self._bad(f"unknown key {name} in a broker", key)
        rack = resource.facts.get("rack")
        if rack is not None:
            resource.settings.setdefault(
                "broker.rack", Setting("broker.rack", rack.raw, rack.path, rack.at, rack.key_at)
            )

    def _topic(self, node: yaml.Node) -> None:
        pairs = self._pairs(node, "a topic")
        if not any(key == "name" for key, _, _ in pairs):
            self._bad("a topic requires a name", node)
        name = yaml.text(yaml.child(node, "name")) or "?"
        resource = self._resource("topic", node, name)
        for key, key_node, value in pairs:
            if key == "config":
                self._config(resource.settings, resource, value)
            elif not self._fact(resource, TOPIC_FACTS, key, key_node, value):
                self._bad(f"unknown key {key} in a topic", key_node)
        self._one_of(resource, "ordering", ORDERINGS)

    def _library(self, resource: Resource, node: yaml.Node) -> None:
        for part, key, value in self._pairs(node, "client"):
            if part in ("library", "version"):
                fact = setting(f"client.{part}", key, value, self.document.path)
                resource.facts[fact.key] = fact
                if not isinstance(value, yaml.ScalarNode):
                    self._bad(f"{part} must be {TEXT}", value)
            else:
                self._bad(f"unknown key {part} in a client", key)

    def _client(self, kind: str, node: yaml.Node) -> None:
        resource = self._resource(kind, node, "")
        for key, key_node, value in self._pairs(node, f"a {kind}"):
            if key == "config":
                self._config(resource.settings, resource, value)
            elif key == "client":
                self._library(resource, value)
            elif not self._fact(resource, facts_of(kind), key, key_node, value):
                self._bad(f"unknown key {key} in a {kind}", key_node)
        resource.name = _client_name(resource)
        share = resource.facts.get("share")
        if share is not None and share.amount is True:
            resource.plane = "share-consumer"
        library = resource.facts.get("client.library")
        if library is not None and library.text:
            resource.dialect, shared = libraries.binding(library.text)
            resource.traits.role = kind
            if not shared:
                # The package's own version says nothing of the library inside.
                resource.traits.own_versions = True

    def _named(self, kind: str, node: yaml.Node) -> None:
        pairs = self._pairs(node, f"a {kind}")
        if not any(key == "name" for key, _, _ in pairs):
            self._bad(f"a {kind} requires a name", node)
        resource = self._resource(kind, node, yaml.text(yaml.child(node, "name")) or "?")
        for key, key_node, value in pairs:
            if key == "config":
                self._config(resource.settings, resource, value)
            elif not self._fact(resource, NAMED_FACTS, key, key_node, value):
                self._bad(f"unknown key {key} in a {kind}", key_node)
        if kind == "connector":
            finish(resource)

    def _quota(self, node: yaml.Node) -> None:
        resource = self._resource("quota", node, "?")
        names: list[str] = []
        for key, key_node, value in self._pairs(node, "a quota"):
            if not isinstance(value, yaml.ScalarNode):
                self._bad(f"{key} must have a scalar value", value)
                continue
            made = setting(key, key_node, value, self.document.path)
            if key in QUOTA_ENTITIES:
                names.append(f"{key}={made.text}")
                resource.facts[key] = made
                continue
            resource.settings[key] = made
            kind = QUOTA_LIMITS.get(key)
            if kind is not None and made.text is not None:
                limit = READERS[kind](made.text)
                if limit is None:
                    self._bad(f"{key} must be {kind}", value)
                else:
                    made.text = str(limit)  # Kafka's own quotas know no units
        resource.name = ",".join(names) or "default"


def _templated(node: yaml.Node) -> bool:
    text = yaml.text(node)
    return text is not None and templated(text)


def _unknown(node: yaml.Node) -> bool:
    """Whether something else fills in the whole of it, or nobody has yet."""
    return yaml.is_null(node) or _templated(node)


def _client_name(resource: Resource) -> str:
    """The declared name, else how the client names itself, else the file."""
    declared = resource.facts.get("name")
    for named in (declared, *(resource.settings.get(key) for key in _NAMING_KEYS)):
        if named is not None and named.text:
            return named.text
    return resource.path


_NAMING_KEYS = ("group.id", "client.id", "application.id")
