"""What rules look at: a view of a resource inside its cluster, and that of a broker.

``node["some.key"]`` is the effective value, resolved as Kafka resolves it: dynamic over static
over image over default for brokers, explicit over default for clients. Topics are in ``topics``.
"""

from __future__ import annotations

from collections.abc import Iterable, KeysView, Sequence

from kcheck import configdef, libraries
from kcheck.graph import completed
from kcheck.graph.resolve import STAND_INS, from_default, from_setting, scaled
from kcheck.model import (
    ABSENT,
    DEFAULT,
    FACT,
    THE_POD,
    WARNING,
    Edit,
    Finding,
    Fix,
    Resource,
    Setting,
    Value,
)
from kcheck.version import Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.graph.cluster import Cluster
    from kcheck.libraries import ClientLibrary


def report(
    resource: Resource,
    cluster: Cluster,
    message: str,
    at: Value,
    because: Sequence[Value],
    breaks: str,
    fix: str,
    set_to: str | None,
    severity: str,
    safe: bool = False,
) -> Finding:
    """A finding whose primary span is where ``at`` stands, or the resource that lacks it."""
    evidence = (at, *because)
    setting = at.setting
    path, position = (setting.path, setting.at) if setting else (at.resource.path, at.resource.at)
    edits: tuple[Edit, ...] = ()
    exact = type(setting) is Setting and setting.at[0] == setting.at[2]
    if set_to is not None and setting is not None and exact:
        old = setting.name if setting.at == setting.key_at else setting.raw or ""
        edits = (Edit(setting.path, setting.at, set_to, old),)
    ceiling = ""
    if cluster.assumed and any(
        value.origin == DEFAULT and value.resource.kind in _ON_BROKERS for value in evidence
    ):
        ceiling = WARNING
        condition = "unless the brokers' own files override the default"
        breaks = f"{breaks}, {condition}" if breaks else condition
    elif condition := completed.condition(evidence):
        ceiling = WARNING
        breaks = f"{breaks}, {condition}" if breaks else condition
    if cluster.guessed:
        ends = {id(value.resource): value.resource for value in evidence}
        chosen = next(filter(None, map(cluster.guess, (resource, *ends.values()))), "")
        if chosen and len({id(resource), *ends}) > 1:
            ceiling = WARNING
            breaks = f"if the cluster in {chosen} is meant: {breaks}"
    made = Finding(
        message,
        resource,
        evidence,
        path,
        position,
        breaks,
        Fix(fix, edits, safe and bool(edits)) if fix else None,
        severity,
        cluster.name,
    )
    made.cluster_id = cluster.id
    made.ceiling = ceiling
    if not ceiling:
        made.doubt = cluster.doubt(resource, evidence)
    if cluster.version.bounded and any(
        value.resource.kind in _ON_BROKERS for value in (*evidence, at)
    ):
        made.inferred = f"Kafka {cluster.version}, inferred from {cluster.version.shown}"
    return made


#: Kinds of resources whose defaults are the brokers'.
_ON_BROKERS = ("cluster", "broker", "controller", "topic")


class Node:
    """A resource inside its cluster, with its effective values."""

    __slots__ = ("_values", "cluster", "resource")

    def __init__(self, resource: Resource, cluster: Cluster) -> None:
        self.resource = resource
        self.cluster = cluster
        self._values: dict[str, Value] = {}

    @property
    def version(self) -> Version:
        """The Kafka version whose rules hold for this resource."""
        return self.cluster.version

    @property
    def library(self) -> ClientLibrary:
        """What is known of the client library; Kafka's own for all that is no client."""
        return libraries.of(self.resource.dialect)

    @property
    def name(self) -> str:
        return self.resource.name

    def __str__(self) -> str:
        resource = self.resource
        # What has no name is called by the folder that holds it; a template's name is unknown.
        nameless = resource.name in (".", "?")
        return f"the {resource.kind}" if nameless else f"{resource.kind} {resource.name}"

    def __getitem__(self, key: str) -> Value:
        found = self._values.get(key)
        if found is None:
            found = self._values[key] = self.resolve(key)
        return found

    def resolve(self, key: str) -> Value:
        setting = self.resource.settings.get(key) or self.resource.image.get(key)
        if setting is not None:
            return from_setting(key, setting, self.resource, self.resource.plane, self.version)
        if completed.unread(self.resource, (key,)):
            return Value(key, self.resource, ABSENT)
        return from_default(key, self.resource, self.resource.plane, self.version)

    def sets(self, key: str) -> bool:
        """Whether the resource itself sets the key, or the image that it runs in."""
        return key in self.resource.settings or key in self.resource.image

    def sets_any(self, keys: frozenset[str]) -> bool:
        """Whether ``sets`` is true for one of the keys at least; asked for every rule of a node."""
        resource = self.resource
        return not (keys.isdisjoint(resource.settings) and keys.isdisjoint(resource.image))

    @property
    def keys(self) -> KeysView[str]:
        """The keys that the resource itself sets."""
        return self.resource.settings.keys()

    def own(self, key: str) -> Setting | None:
        """What the resource itself sets the key to, as the file writes it."""
        return self.resource.settings.get(key)

    def fact(self, name: str) -> Value:
        """A declared or read fact (``partitions``, ``nofile`` …); unknown where nobody tells it.

        Numbers are ints, or floats where a unit made them so; everything else is text.
        """
        setting = self.resource.facts.get(name)
        if setting is None:
            return Value(name, self.resource, ABSENT)
        value: object = setting.amount
        if value is None and setting.text is not None:
            number, wrong = configdef.convert("long", setting.text)
            value = setting.text if wrong else number
        return Value(name, self.resource, FACT, setting.text, value, value is not None, setting)

    def finding(
        self,
        message: str,
        at: Value,
        because: Sequence[Value] = (),
        breaks: str = "",
        fix: str = "",
        set_to: str | None = None,
        severity: str = "",
        safe: bool = False,
    ) -> Finding:
        """A finding on this resource.

        ``at`` is the value that the finding points at, ``because`` the others that were weighed:
        only values that can flip the verdict. ``breaks`` says what breaks and when, ``fix`` what
        to set; ``set_to`` is the text that would replace ``at``'s where one edit is right, and
        ``safe`` says that it changes nothing that runs (see ``Fix``).
        """
        made = report(
            self.resource, self.cluster, message, at, because, breaks, fix, set_to, severity, safe
        )
        version = self.version
        if version.bounded and version is not self.cluster.version:
            own = f"client of Kafka {version}, inferred from {version.shown}"
            made.inferred = f"{made.inferred}; {own}" if made.inferred else own
        elif self.resource.traits.version_inferred:
            made.inferred = "; ".join(filter(None, (made.inferred, self._of_build(version))))
        return made

    def _of_build(self, version: Version) -> str:
        """That the client's version is the one that a build states; "" where another one holds."""
        told = self.resource.facts["client.version"]
        if told.text != version.text:
            return ""
        whose = libraries.of(self.resource.dialect).default_of or "Kafka"
        return f"client of {whose} {version}, inferred from {told.name} ({told.path}:{told.at[0]})"


#: Nodes with settings of wrong names, with wrong values, with a key that is set twice, and a quota:
#: the scopes of rules that have nothing to say of others.
Misnamed = Node
Misvalued = Node
Repeating = Node
Quota = Node
#: A user with ACLs.
User = Node
#: A node that the tools of a managed service declare.
Managed = Node


class Broker(Node):
    """A broker or combined node. Values: dynamic, own file, cluster-wide static, image, default."""

    __slots__ = ("_behind", "_merged", "roles")

    def __init__(self, resource: Resource, cluster: Cluster) -> None:
        super().__init__(resource, cluster)
        merged = dict(resource.image)
        shared = cluster.declaration
        if shared is not None:
            merged.update(shared.settings)
        merged.update(resource.settings)
        if shared is not None:
            merged.update(shared.dynamic)
        merged.update(resource.dynamic)
        if cluster.described:
            identity = merged.get("node.id") or merged.get("broker.id")
            mine = f"broker {identity.text if identity is not None else resource.name}"
            for name in ("brokers", mine):
                for described in cluster.described:
                    if described.name == name:
                        merged.update(described.settings)
        self._merged = merged
        self._behind = _behind(merged)
        roles = merged.get("process.roles")
        words = (roles.text or "").split(",") if roles else []
        self.roles = [*dict.fromkeys(word.strip() for word in words)]

    @property
    def merged(self) -> dict[str, Setting]:
        """Every setting that is in force here, by key."""
        return self._merged

    @property
    def kraft(self) -> bool | None:
        """Whether it runs in KRaft mode; None where the files do not tell."""
        if "process.roles" in self._merged or self.version.at_least("4.0"):
            return True
        if self.resource.traits.kraft is not None:
            return self.resource.traits.kraft
        return False if "zookeeper.connect" in self._merged else None

    @property
    def whole(self) -> bool:
        """Whether its files seem to be all that it has, so that what they lack is lacking.

        They say who the node is and where its cluster, and nothing else completes them. Some images
        have their whole configuration from the environment, as far as it is all there.
        """
        owner = self.resource
        if owner.traits.by_environment:
            return owner.traits.image_family in BY_ENVIRONMENT
        alike = owner.traits.completed_by == THE_POD
        if (owner.managed and not alike) or owner.kind == "cluster" or owner.traits.dump:
            return False
        merged = self._merged
        if not (alike or "node.id" in merged or "broker.id" in merged or "id" in owner.facts):
            return False
        return "zookeeper.connect" in merged or any(key in merged for key in _QUORUM)

    def sets(self, key: str) -> bool:
        return key in self._merged

    def sets_any(self, keys: frozenset[str]) -> bool:
        """Whether it sets one of the keys at least, be it for one listener."""
        return not (keys.isdisjoint(self._merged) and keys.isdisjoint(self._behind))

    def resolve(self, key: str) -> Value:
        chain = ((key, 1), *STAND_INS.get(key, ()))
        for name, factor in chain:
            setting = self._merged.get(name)
            if setting is not None:
                return from_setting(
                    key, setting, self.resource, "broker", self.version, factor=factor
                )
        if self.cluster.managed or completed.unread(self.resource, (name for name, _ in chain)):
            return Value(key, self.resource, ABSENT)
        for name, factor in chain:
            value = from_default(name, self.resource, "broker", self.version)
            if value.known and value.value is None and name != chain[-1][0]:
                continue
            if factor != 1 and value.known:
                value = value.but(scaled(value.value, factor))
                value.text = str(value.value)
            value.key = key
            value.from_key = name
            return value
        raise AssertionError("a chain has at least one key")

    def listener(self, name: str, key: str) -> Value:
        """The key as that listener sees it: its own prefixed value, else the broker's."""
        prefixed = f"listener.name.{name.lower()}.{key}"
        setting = self._merged.get(prefixed)
        if setting is not None:
            plain = Setting(key, setting.raw, setting.path, setting.at, setting.key_at, prefixed)
            value = from_setting(key, plain, self.resource, "broker", self.version)
            value.key = value.from_key = prefixed
            value.setting = setting
            return value
        return self[key]


_LISTENER = "listener.name."


def _behind(keys: Iterable[str]) -> frozenset[str]:
    """The keys that stand behind the prefix of a listener, and of a mechanism of it."""
    found: set[str] = set()
    for key in keys:
        if key.startswith(_LISTENER):
            own = key[len(_LISTENER) :].partition(".")[2]
            found |= {own, own.partition(".")[2]}
    return frozenset(found)


#: Images whose whole configuration is their environment; Bitnami's adds key stores automatically.
BY_ENVIRONMENT = (
    *("apache", "confluent", "confluent-server", "confluent-enterprise"),
    "wurstmeister",
)

_QUORUM = ("controller.quorum.voters", "controller.quorum.bootstrap.servers")

#: A node in the controller role, resolved like a broker; as a scope it names those nodes.
Controller = Broker
