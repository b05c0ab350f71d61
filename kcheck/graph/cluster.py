"""One cluster: its nodes, and what is known of it as a whole; ``edges`` has what joins them."""

from __future__ import annotations

from collections.abc import Iterable

from kcheck import services
from kcheck.graph import environment
from kcheck.graph.broker_count import count_brokers
from kcheck.graph.client_topics import ClientTopics
from kcheck.graph.clients import CLIENT_CLASSES, Client, Connector, Streams, Worker
from kcheck.graph.environment import DEVELOPMENT, PRODUCTION, UNKNOWN_ENVIRONMENT
from kcheck.graph.groups import Group
from kcheck.graph.membership import doubt, resource_key
from kcheck.graph.nodes import Broker, Node, report
from kcheck.graph.topics import Topic, defaults_of
from kcheck.grouping.pieces import managed
from kcheck.model import ABSENT, FACT, Finding, Resource, Value
from kcheck.version import UNKNOWN, Version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.graph.hosted import Hosted
    from kcheck.settings import ClusterSettings

#: Name, environment, version, service ("" where unknown), number of brokers and of topics.
Traits = tuple[str, str, str, str, int, int]


class Cluster:
    """All resources that belong together, and the rules' view of them.

    ``version`` is the brokers', ``client_version`` that of clients that say nothing themselves;
    either may be unknown. ``environment`` is production, development or unknown.
    """

    def __init__(self, name: str, resources: list[Resource], settings: ClusterSettings) -> None:
        self.name = name
        #: What tells it from another cluster of the same name.
        self.id = name
        #: What is in it, though other clusters of its name could be meant: its keys, and the file
        #: of the cluster that was chosen.
        self.guessed: dict[tuple[str, str, str], str] = {}
        #: What is in it because it lies near or is the only cluster, though nothing in it says so:
        #: its keys, and the file of the cluster.
        self.inferred: dict[tuple[str, str, str], str] = {}
        #: Whether all of it are files to learn from; None until somebody asks.
        self._learning: bool | None = None
        declarations = [r for r in resources if r.kind == "cluster"]
        self.declaration: Resource | None = declarations[0] if declarations else None
        self._resources = resources
        self._told = settings.facts
        everybody = [r for r in resources if r.kind in ("broker", "controller")]
        #: Strimzi: the Kafka resource holds the configuration, its node pools hold the counts.
        self._pools = [r for r in everybody if r.traits.pool]
        self._nodes = [r for r in everybody if not r.traits.pool]
        self.service = settings.service or self._declared("service") or self._read_service()
        self.managed = self.service in services.LOCKED
        #: Whether nobody but the service may change what brokers have; here may who writes it.
        self.locked = self.managed and not any(r.traits.service for r in self._nodes)
        self.version = self._version(settings)
        client_version = settings.client_version or self._declared("client_version")
        self.client_version = Version(client_version) if client_version else UNKNOWN
        #: What all older Java clients were upgraded to; unknown where none was.
        self.least_client = UNKNOWN
        #: Whether ``client_version`` is taken for granted: nobody says it.
        self.client_assumed = False
        self.broker_count = self._count_brokers()
        self.environment = (
            settings.environment
            or self._declared("environment")
            or environment.inferred(self._nodes, self.broker_count)
        )
        #: Dynamic settings that the brokers told, and host facts that lie in files of their own.
        self.described = [r for r in resources if r.kind == "config"]
        self._hosts = [r for r in resources if r.kind == "host"]
        if len(pools := [r for r in self._pools if r.kind == "broker"]) == 1:
            self._hosts += pools
        everyone = [Broker(r, self) for r in self._nodes]
        self.brokers = [n for n in everyone if n.resource.kind == "broker"]
        owner = self.declaration
        if not everyone and owner is not None and ("brokers" in owner.facts or owner.settings):
            # A declared cluster without broker files: one view stands for all its brokers.
            self.brokers = [Broker(owner, self)]
        self.controllers = [
            n for n in everyone if n.resource.kind == "controller" or "controller" in n.roles
        ]
        self.defaults = defaults_of(self.brokers, self.version)
        self.topics: list[Topic] = []
        self._highest: dict[str, float] = {}
        self.clients: list[Client] = []
        self.connectors: list[Connector] = []
        self.groups: list[Group] = []
        self.others: list[Node] = []
        for resource in resources:
            self._add(resource)

    def guess(self, resource: Resource) -> str:
        """The file of this cluster where a resource may mean another one of the name; else ""."""
        return self.guessed.get(resource_key(resource), "") if self.guessed else ""

    def doubt(self, resource: Resource, evidence: Iterable[Value]) -> str:
        """The condition under which the resources of several files that a finding speaks of are of
        one cluster, where none of them says so; else ""."""
        return doubt(resource, evidence, self.inferred)

    def paths(self) -> list[str]:
        """The files that declare it, each once."""
        return list(dict.fromkeys(resource.path for resource in self._resources))

    # -- what is known of the whole ---------------------------------------------------------

    def _declared(self, fact: str) -> str:
        setting = self.declaration.facts.get(fact) if self.declaration else None
        return (setting.text or "") if setting else ""

    def _read_service(self) -> str:
        """The managed service that its clients' bootstrap hosts show."""
        services = {managed(r) for r in self._resources} - {""}
        return services.pop() if len(services) == 1 else ""

    def _version(self, settings: ClusterSettings) -> Version:
        told = settings.kafka_version or self._declared("kafka_version")
        if told:
            return Version(told)
        read = {r.facts["kafka_version"].text for r in self._nodes if "kafka_version" in r.facts}
        if len(read) == 1 and None not in read:
            return Version(read.pop())
        nodes = [*self._nodes, self.declaration] if self.declaration else self._nodes
        if not nodes:
            return UNKNOWN
        from kcheck.graph.inferred import inferred, spanned

        if None in read or not read:
            return inferred(nodes)
        return spanned(
            [r.facts["kafka_version"] for r in self._nodes if "kafka_version" in r.facts]
        )

    def _count_brokers(self) -> Value:
        """How many brokers there are: declared, or as the files tell."""
        owner = self.declaration
        if "brokers" in self._told:
            return self.fact("brokers")
        if owner is not None and "brokers" in owner.facts:
            return Node(owner, self).fact("brokers")
        brokers = (r for r in (*self._pools, *self._nodes) if r.kind == "broker")
        return count_brokers(self._nodes, self._pools, owner or next(brokers, NOBODY))

    @property
    def production(self) -> bool:
        """Declared, or plainly several brokers that neither are one machine's compose file, unless it
        is called production's, nor on trial."""
        if self.environment != UNKNOWN_ENVIRONMENT:
            return self.environment == PRODUCTION
        if self.development or not environment.may_be_production(self._nodes, self._pools):
            return False
        return self.broker_count.number >= 3 or len(self.brokers) >= 3

    @property
    def rank(self) -> str:
        """What to call a cluster that is taken for production: nobody said so of most of them."""
        told = self.environment == PRODUCTION
        return "production cluster" if told else "multi-broker cluster"

    @property
    def ranked(self) -> str:
        """The cluster with its rank: ``production cluster core``, ``the multi-broker cluster``."""
        return f"the {self.rank}" if self.name == "." else f"{self.rank} {self.name}"

    @property
    def development(self) -> bool:
        """Declared, plainly one broker of one file, or all of it files to learn from or of an
        environment for that: its brokers' files, or its clients' where there are neither brokers
        nor topics."""
        if self.environment != UNKNOWN_ENVIRONMENT:
            return self.environment == DEVELOPMENT
        if self._learning is None:
            members = self._nodes
            if not (members or self.topics):
                members = [client.resource for client in self.clients]
            self._learning = environment.for_trials(members)
        return self._learning

    @property
    def assumed(self) -> bool:
        """Whether defaults hold only because nobody says otherwise.

        A declaration that gives a count of brokers and no configuration stands for brokers whose
        own files are elsewhere: their keys may be set there.
        """
        owner = self.declaration
        return (
            owner is not None
            and not owner.settings
            and bool(self.brokers)
            and self.brokers[0].resource is owner
        )

    @property
    def separate_controllers(self) -> list[Broker]:
        """The controllers that are no brokers at the same time."""
        return [node for node in self.controllers if node.resource.kind == "controller"]

    @property
    def brokers_known(self) -> bool:
        """Whether the files say what the brokers' configuration is, if only that it is stock."""
        return bool(self.brokers)

    @property
    def kraft(self) -> bool | None:
        """KRaft (True), ZooKeeper (False), or None where the files do not tell."""
        told = {n.kraft for n in (*self.brokers, *self.controllers)} - {None}
        if not self.version.at_least("4.0"):
            told |= {pool.traits.kraft for pool in self._pools} - {None}
        return told.pop() if len(told) == 1 else None

    def across(self, key: str) -> list[Value]:
        """The brokers' values of a key: one for each place that sets it, one for the default."""
        found: dict[object, Value] = {}
        for broker in self.brokers:
            value = broker[key]
            place = (value.setting.path, value.setting.at) if value.setting else value.origin
            found.setdefault(place, value)
        return list(found.values())

    @property
    def transactional(self) -> Value | None:
        """The setting by which some client of the cluster is known to use transactions."""
        from kcheck.graph.transactions import transactional  # few rules ask for it

        return transactional(self._nodes, self.clients, self.connectors)

    def fact(self, name: str) -> Value:
        """A fact that the settings or the declaration tell (``tenants``, host facts …), or a file
        of the hosts' own; else unknown."""
        if name in self._told:
            text, meant = self._told[name]
            return Value(name, self.resource, FACT, text, meant, True)
        if self.declaration is None or name not in self.declaration.facts:
            for host in self._hosts:
                if name in host.facts:
                    return Node(host, self).fact(name)
        if self.declaration is None:
            return Value(name, self.resource, ABSENT)
        return Node(self.declaration, self).fact(name)

    @property
    def resource(self) -> Resource:
        """The resource that findings about the whole cluster point at."""
        if self.declaration is not None:
            return self.declaration
        first = self._resources[0] if self._resources else NOBODY
        return next((r for r in self._resources if r.kind not in _BESIDE), first)

    @property
    def resources(self) -> list[Resource]:
        return self._resources

    def __str__(self) -> str:
        return "the cluster" if self.name in (".", "?") else f"cluster {self.name}"

    def traits(self) -> Traits:
        """What a report tells of the cluster beside its findings."""
        count = self.broker_count.number
        return (
            self.name,
            self.environment if self.environment != UNKNOWN_ENVIRONMENT else "",
            self.version.text or "",
            self.service,
            int(count) if count >= 0 else len(self.brokers),
            len({id(topic.resource) for topic in self.topics}),
        )

    def dissolve(self) -> None:
        """Let go of everything: nodes and cluster hold each other, and who lints one after the
        other would spend a fifth of the time on looking for what is not needed any more."""
        self.__dict__.clear()

    @property
    def has_nodes(self) -> bool:
        """Whether anything is known of its brokers and controllers: by files, or declared."""
        return bool(self._nodes or self._pools or self.declaration or self._told)

    @property
    def has_clients(self) -> bool:
        """Whether anything but topics and nodes is of the cluster."""
        return bool(self.clients or self.connectors or self.groups or self.others)

    @property
    def hosted(self) -> list[Hosted]:
        """The clients that others run, as far as something is set for them in particular."""
        if self._hosted is None:
            self._hosted = []
            if self.connectors or any(isinstance(c, (Streams, Worker)) for c in self.clients):
                from kcheck.graph.hosted import hosted

                self._hosted = list(hosted(self))
        return self._hosted

    _hosted: list[Hosted] | None = None

    @property
    def literal_topics(self) -> list[Topic]:
        """The declared topics whose names are known, each resource once."""
        if self._literal is None:
            # Views of one topic by different brokers follow each other.
            self._literal = [
                topic
                for topic, before in zip(self.topics, (None, *self.topics), strict=False)
                if (before is None or before.resource is not topic.resource) and topic.literal
            ]
        return self._literal

    _literal: list[Topic] | None = None

    @property
    def pools(self) -> list[Node]:
        """The node pools, which hold what nodes of a Kafka resource have of their own."""
        return [Node(resource, self) for resource in self._pools]

    # -- nodes ------------------------------------------------------------------------------

    def _add(self, resource: Resource) -> None:
        kind = resource.kind
        if kind == "topic":
            for defaults in self.defaults or (None,):
                self.topics.append(Topic(resource, self, defaults))
        elif kind in CLIENT_CLASSES:
            self.clients.append(CLIENT_CLASSES[kind](resource, self))
        elif kind == "connector":
            self.connectors.append(Connector(resource, self))
        elif kind == "group":
            self.groups.append(Group(resource, self))
        elif kind not in ("broker", "controller") and not (
            self.brokers and self.brokers[0].resource is resource
        ):
            self.others.append(Node(resource, self))

    def named_topics(self) -> dict[str, list[Topic]]:
        """Topics by name; several views where brokers differ in what a topic inherits."""
        found: dict[str, list[Topic]] = {}
        for topic in self.topics:
            found.setdefault(topic.name, []).append(topic)
        return found

    def topics_of(self, client: Client, direction: str = "topics") -> list[Topic] | None:
        """The declared topics that the client reads (``topics``) or writes (``writes``).

        None where nobody tells which topics those are; a producer's ``topics`` are written.
        """
        return self._of_clients.topics_of(client, direction)

    def reads(self, client: Client) -> bool:
        """Whether the client reads topics: a worker's consumers are those of the sinks it runs."""
        return self._of_clients.reads(client)

    @property
    def _of_clients(self) -> ClientTopics:
        if self._client_topics is None:
            self._client_topics = ClientTopics(self)
        return self._client_topics

    _client_topics: ClientTopics | None = None

    def highest(self, key: str) -> float:
        """The highest number that a declared topic has for the key; below all where none has one."""
        found = self._highest.get(key)
        if found is None:
            numbers = (topic[key].number for topic in self.topics)
            found = self._highest[key] = max((n for n in numbers if n == n), default=float("-inf"))
        return found

    def finding(
        self,
        message: str,
        at: Value,
        because: tuple[Value, ...] | list[Value] = (),
        breaks: str = "",
        fix: str = "",
        set_to: str | None = None,
        severity: str = "",
    ) -> Finding:
        """A finding on the cluster as a whole; the parameters are those of ``Node.finding``."""
        return report(self.resource, self, message, at, because, breaks, fix, set_to, severity)


#: What stands for a cluster without a resource.
NOBODY = Resource("cluster", ".", ".")
#: Kinds of resources that only add to what others are.
_BESIDE = ("host", "config")


#: Scopes of the rules that have nothing to say of a cluster without nodes, or without clients: a
#: run over some topics loads none of them.
ClusterWithNodes = Cluster
ClusterWithClients = Cluster
