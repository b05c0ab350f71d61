"""The data that flows through kcheck: settings, values, resources, findings. No logic, no I/O.

Plain slotted classes instead of dataclasses: importing ``dataclasses`` costs more than linting
a small file does. All positions count from 1, columns in characters, ends exclusive.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

ERROR, WARNING, INFO = "error", "warning", "info"
#: Severities from the mildest to the gravest.
SEVERITY_RANK = {INFO: 0, WARNING: 1, ERROR: 2}

#: (line, column, end line, end column) inside one file.
Position = tuple[int, int, int, int]

START: Position = (1, 1, 1, 1)

# Where a value comes from (the contract's words).
SET, INHERITED, DEFAULT, ABSENT, FACT = "set", "inherited", "default", "absent", "fact"


#: What Java's ``trim`` takes away; other blanks, as the one that does not break, are letters to it.
_TRIMMED = "".join(map(chr, range(33)))


class Setting:
    """One key that some file sets, as found there.

    ``key`` is Kafka's own name, ``name`` what the file writes (``KAFKA_CFG_LOG_DIRS``), ``text``
    the value as Kafka reads it after trimming, or None where it cannot be known (a template, a
    secret from elsewhere). ``raw`` is the text before trimming. ``amount`` is what the text of a
    fact means where it is no plain text: a number (of bytes, cores …), true or false.
    """

    __slots__ = ("amount", "at", "key", "key_at", "name", "path", "raw", "text")

    def __init__(
        self,
        key: str,
        raw: str | None,
        path: str,
        at: Position,
        key_at: Position | None = None,
        name: str | None = None,
    ) -> None:
        self.key = key
        self.raw = raw
        self.text = raw if raw is None else raw.strip(_TRIMMED)
        self.path = path
        self.at = at
        self.key_at = key_at or at
        self.name = name or key
        self.amount: float | None = None

    def __repr__(self) -> str:
        return f"Setting({self.key}={self.raw!r} {self.path}:{self.at[0]}:{self.at[1]})"


class Derived(Setting):
    """A setting that its file writes in another unit or form, or tells without being its source.

    No text in the place of what stands there would be right: no fix edits it.
    """

    __slots__ = ()


class Framed(Setting):
    """A setting whose text is unknown, for something else fills in a part of it.

    ``frame`` is what the file writes, placeholders and all.
    """

    __slots__ = ("frame",)

    def __init__(
        self,
        key: str,
        frame: str,
        path: str,
        at: Position,
        key_at: Position | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(key, None, path, at, key_at, name)
        self.frame = frame


# How far an address means the resource that answers there.
#: Within one compose project: service, container_name, hostname, network aliases.
NETWORK = "network"
#: A Kubernetes Service, or pod behind one: within the resource's namespace, or with that behind it.
SERVICE = "service"
#: A port that the machine itself publishes: ``localhost``, to whoever runs beside it.
MACHINE = "machine"
#: A name of DNS or an IP address: everywhere, as far as it is fully qualified.
ANYWHERE = "anywhere"
#: As ANYWHERE, with ``*`` for what nobody can know before the service has made it.
PATTERN = "pattern"


class Address:
    """A host and a port under which a resource answers.

    ``host`` is in lower case, for a SERVICE without its namespace (``prod-kafka-bootstrap``,
    ``kafka-0.kafka-headless``); ``port`` is None where any port leads there, or it is not known.
    ``listener`` is the name of the listener that answers, "" where it is not known. ``setting``
    is what told the address; None where it follows from the resource's name. ``scheme`` is that of
    URLs which lead there (http or https), "" where none does or it is not known.
    """

    __slots__ = ("host", "listener", "port", "reach", "scheme", "setting")

    def __init__(
        self,
        host: str,
        port: int | None,
        reach: str,
        listener: str = "",
        setting: Setting | None = None,
        scheme: str = "",
    ) -> None:
        self.host = host.lower()
        self.port = port
        self.reach = reach
        self.listener = listener
        self.setting = setting
        self.scheme = scheme

    def __repr__(self) -> str:
        return f"Address({self.host}:{self.port} {self.reach} {self.listener})"


# What runs beside brokers and is asked for what is its own.
ZOOKEEPER = "zookeeper"
SCHEMA_REGISTRY = "schema-registry"
REST_PROXY = "rest-proxy"
CONNECT = "connect"
KSQLDB = "ksqldb"
BRIDGE = "bridge"
#: Brokers as others ask them, and how each of these is called in a sentence.
BROKER = "broker"
SPOKEN = {
    ZOOKEEPER: "ZooKeeper",
    SCHEMA_REGISTRY: "Schema Registry",
    REST_PROXY: "REST Proxy",
    CONNECT: "Connect",
    KSQLDB: "ksqlDB",
    BRIDGE: "bridge",
}


class Service:
    """A program beside the brokers that others ask, and where it answers.

    ``kind`` is one of the constants above. ``namespace`` is that of Kubernetes, "" where none is
    written; ``at`` is where its name stands in the document's file.
    """

    __slots__ = ("addresses", "at", "kind", "name", "namespace")

    def __init__(
        self,
        kind: str,
        name: str,
        at: Position,
        addresses: tuple[Address, ...],
        namespace: str = "",
    ) -> None:
        self.kind = kind
        self.name = name
        self.at = at
        self.addresses = addresses
        self.namespace = namespace

    def __repr__(self) -> str:
        return f"Service({self.kind} {self.name})"


class Container:
    """A service of one compose file: what it is, and on which ports it answers others.

    ``ports`` are those with the scheme of their URLs ("" where none is known), None where they are
    not all known; ``told`` is the setting that gives them, None where the image's own default does.
    """

    __slots__ = ("name", "ports", "role", "told")

    def __init__(
        self,
        name: str,
        role: str,
        ports: Mapping[int, str] | None = None,
        told: Setting | None = None,
    ) -> None:
        self.name = name
        self.role = role
        self.ports = ports
        self.told = told


class Reference:
    """A setting by which a program asks others of the ``role``.

    ``certain`` tells that the asker depends on one of that role in its own file, ``guessed`` that
    nobody here knows whether the asker reads the setting. ``url`` is what is asked where the
    setting is but a part of it, "" otherwise.
    """

    __slots__ = ("asker", "certain", "guessed", "role", "setting", "url")

    def __init__(
        self,
        asker: Resource,
        setting: Setting,
        role: str,
        certain: bool,
        url: str = "",
        guessed: bool = False,
    ) -> None:
        self.guessed = guessed
        self.asker = asker
        self.setting = setting
        self.role = role
        self.certain = certain
        self.url = url

    @property
    def text(self) -> str:
        """What is asked: URLs, or hosts with their ports."""
        return self.url or self.setting.text or ""


class Network:
    """The containers of a compose file that is a project of its own, and whom each of them asks.

    ``names`` holds every name by which containers find each other; a name may be several's.
    ``shared`` tells that some of them are in a network from elsewhere as well.
    """

    __slots__ = ("names", "references", "shared")

    def __init__(
        self,
        names: dict[str, tuple[Container, ...]],
        references: tuple[Reference, ...],
        shared: bool = False,
    ) -> None:
        self.names = names
        self.references = references
        self.shared = shared


#: Where the name of a resource's cluster comes from, if not from a label or a declaration: it is
#: a mirror's alias, which holds within its file, or it is read off the bootstrap servers.
ALIAS, FROM_ADDRESS = "alias", "address"


# What brings a resource to where it runs (``Traits.deployer``).
COMPOSE, KUBERNETES, ECS, HELM = "compose", "kubernetes", "ecs", "helm"
STRIMZI, CFK, ANSIBLE, PUPPET = "strimzi", "cfk", "ansible", "puppet"

# The managed services whose own tools declare resources (``Traits.service``).
MSK, CONFLUENT_CLOUD, AIVEN = "msk", "confluent-cloud", "aiven"
EVENT_HUBS = "event-hubs"


class Flow:
    """One direction of a mirror.

    ``source`` and ``target`` are the settings that give the two clusters their aliases, ``servers``
    the addresses of each (empty where they are not known). ``settings`` are the source connector's;
    ``largest`` is the max.request.size of whoever writes at the target, None for the default.
    ``off`` are the flows that its file switches off in so many words.
    """

    __slots__ = ("largest", "off", "servers", "settings", "source", "target")

    def __init__(
        self,
        source: Setting,
        target: Setting,
        servers: tuple[frozenset[tuple[str, str]], frozenset[tuple[str, str]]],
        settings: Mapping[str, Setting],
        largest: Setting | None,
        off: frozenset[tuple[str, str]] = frozenset(),
    ) -> None:
        self.source = source
        self.target = target
        self.servers = servers
        self.settings = settings
        self.largest = largest
        self.off = off

    @property
    def ends(self) -> tuple[str, str]:
        """The aliases of its source and its target."""
        return self.source.text or "", self.target.text or ""

    def excludes(self, other: Flow) -> bool:
        """Whether one of them never runs beside the other: the file of one switches it off."""
        return other.ends in self.off or self.ends in other.off

    @property
    def place(self) -> tuple[str, int, int]:
        """Where the flow stands, to tell flows apart and to order them."""
        return (self.target.path, *self.source.at[:2])


class Traits:
    """What a format knows of a resource beside its settings: each fact with a name and a type.

    The one place where facts between formats, graph and rules are declared. The default of each
    means that the file does not tell; an instance holds what its file does tell, and no more.
    """

    # -- where it is, and what it belongs to ---------------------------------------------------
    #: Where it answers, as far as its format knows more than advertised.listeners and listeners
    #: say, which the graph reads itself.
    addresses: tuple[Address, ...] = ()
    #: Bootstrap servers by which something that is no client tells its cluster: those of the
    #: Terraform provider that makes a topic.
    asks: tuple[Setting, ...] = ()
    #: ALIAS or FROM_ADDRESS, "" where ``cluster`` is the cluster's own name.
    cluster_origin: str = ""
    #: The namespace of Kubernetes, or what stands for one: the folder of Terraform's files, an
    #: environment and a region.
    namespace: str = ""
    #: Whether it names a Strimzi cluster by a label, and where the label stands.
    labelled: bool = False
    label: Setting | None = None
    #: Whether operators pass it over, for the label is missing.
    unlabelled: bool = False
    #: The name of the Connect cluster that runs a connector.
    runs_on: str = ""
    #: Whether a topic of the Confluent operator names its cluster. Where it names none, the
    #: operator takes the Kafka that runs beside it, whichever that is.
    names_cluster: bool | None = None
    #: The name of the KRaftController that brokers of the Confluent operator have.
    controllers: str = ""
    #: What tells the mirror that a connector of MirrorMaker's is a part of: file, place, alias.
    mirror: tuple[str, Position, str] | None = None

    #: Whether it is the client of a cluster link, which asks another cluster than the one that it is
    #: made for, so that brokers beside it tell nothing.
    links: bool = False

    #: The managed service whose own tools declare it: MSK, CONFLUENT_CLOUD or AIVEN.
    service: str = ""
    #: What brings it to where it runs, and may give it more than its file shows: COMPOSE, STRIMZI …
    deployer: str = ""

    # -- how much of it the file tells ---------------------------------------------------------
    #: Whether something that is not read sets more: the defaults are not Kafka's.
    partial: bool = False
    #: Whether nothing but the environment of its container and the image has a say in it.
    by_environment: bool = False
    #: Whether the file is a list of all that it has, whoever set it.
    dump: bool = False
    #: Whether Kafka's own tools told it of a cluster that runs.
    described: bool = False
    #: Whether it is there at all hangs on something that is not known (Terraform's ``count``).
    conditional: bool = False
    #: Whether the file lists all topics that its cluster is to have, and is applied alone.
    every_topic: bool = False
    #: The partitions of a topic as a cluster told them.
    state: tuple[Partition, ...] = ()

    # -- clients and connectors ----------------------------------------------------------------
    #: The program that it is a part of: clients of one share lines and keys.
    application: str = ""
    #: The profile of the program that it holds for.
    profile: str = ""
    #: Topics that it reads, and writes; a producer's ``topics`` are written. They may end in ``*``.
    topics: tuple[str, ...] | None = None
    writes: tuple[str, ...] | None = None
    #: Topics that a Streams application joins, so that they need as many partitions.
    copartitioned: tuple[str, ...] = ()
    #: What somebody says that the client is (producer, consumer …); its keys may deny it.
    role: str = ""
    #: The map of variables that it is made of, as its file's path, ``#`` and the map's name: the
    #: program that has its variables from there may be read as well, with those of its own over them.
    holder: str = ""
    #: Keys that it has from a section which other clients have, too.
    shared_keys: frozenset[str] = frozenset()
    #: Whether its package counts versions of its own, which say nothing of the library inside.
    own_versions: bool = False
    #: Config providers that a connector asks: (name, setting that does first, the reference).
    providers: tuple[tuple[str, Setting, str], ...] = ()
    #: Whether MirrorMaker runs the connector by itself, without Connect.
    dedicated: bool = False
    #: Whether workers are MirrorMaker's, and run no connectors but its own.
    mirrors_only: bool = False
    #: Mirrors whose records arrive here, and leave from here.
    flows_in: tuple[Flow, ...] = ()
    flows_out: tuple[Flow, ...] = ()

    # -- Strimzi -------------------------------------------------------------------------------
    #: Whether it is a node pool, which holds the counts of a Kafka resource.
    pool: bool = False
    #: Whether the Kafka resource has its nodes from pools, and is on its way to KRaft.
    reads_pools: bool = False
    migrates: bool = False
    #: The parts of the entity operator that run (``topicOperator`` …).
    operators: tuple[str, ...] | None = None
    #: The names of all its listeners.
    listener_names: tuple[str, ...] = ()
    #: Whether a Connect cluster has its connectors from KafkaConnector resources.
    reads_connectors: bool | None = None

    # -- containers and hosts ------------------------------------------------------------------
    #: The family of its image, by the id that images.py gives it (``bitnami``).
    image_family: str = ""
    #: The names and addresses by which other containers reach it.
    names: tuple[str, ...] = ()
    #: The names of all services of its file.
    neighbours: tuple[str, ...] = ()
    #: Whether a worker asks brokers that its file does not have.
    asks_elsewhere: bool = False
    #: Ports that it publishes: (the host's or "", its own); whether those are all.
    ports: tuple[tuple[str, str], ...] = ()
    ports_known: bool = False
    #: Ports of the host that other containers publish; None where one is not known.
    forwarded: tuple[str, ...] | None = None
    #: Volumes that are mounted: (source or "", path).
    volumes: tuple[tuple[str, str], ...] = ()
    #: Whether it shares its network with no other container.
    alone: bool = False
    #: The numbers in its variables but for the listeners: ports of agents are among them.
    numbers: frozenset[str] = frozenset()
    #: Clients in other containers that ask it; of such a client, whether it reads the variables.
    callers: tuple[Resource, ...] = ()
    certain: bool = False
    #: ZooKeepers whose data goes with their containers: (service, directory) by host name.
    bare_zookeepers: dict[str, tuple[str, str]] | None = None
    #: The names of all Services of its file of Kubernetes, where one of them leads to it.
    services: tuple[str, ...] = ()
    #: The network of its compose file, told at the first node of the file.
    network: Network | None = None
    #: Whether the limit of open files is for Kafka's own user.
    own_limit: bool = False
    #: How many processes run it: replicas of its workload. What a declaration says goes over it.
    instances: Setting | None = None
    #: How many of it one process runs: threads of a listener, consumers of a channel.
    concurrency: Setting | None = None


#: So many settings of one resource are looked at one by one: Kafka itself has a few hundred.
MOST_JUDGED = 2000


class Resource:
    """One broker, topic, producer … that some file declares.

    ``settings`` holds Kafka keys, ``facts`` what is known beside them (``partitions``,
    ``replication.factor``, ``topics``, host facts …), each with its own position. ``earlier``
    lists settings that a later line of the same file replaced. ``plane`` names the catalogue's
    table for the keys; ``dialect`` is the client library where it is not Java's.
    """

    __slots__ = (
        "at",
        "cluster",
        "dialect",
        "dynamic",
        "earlier",
        "facts",
        "image",
        "kind",
        "name",
        "notes",
        "path",
        "plane",
        "settings",
        "traits",
    )

    def __init__(
        self, kind: str, name: str, path: str, at: Position = START, plane: str = ""
    ) -> None:
        self.kind = kind
        self.name = name
        self.path = path
        self.at = at
        self.plane = plane or kind
        self.settings: dict[str, Setting] = {}
        #: Dynamic values that win over ``settings``: per broker, or on a cluster for all brokers.
        self.dynamic: dict[str, Setting] = {}
        #: What an image's own base file sets unless the environment does.
        self.image: dict[str, Setting] = {}
        self.facts: dict[str, Setting] = {}
        self.traits = Traits()
        self.earlier: list[tuple[Setting, Setting]] = []
        #: Findings of a kind that only the format can see: (code, setting, message parts).
        self.notes: list[Note] = []
        self.cluster: str | None = None
        self.dialect = "java"

    @property
    def managed(self) -> bool:
        """Whether something beside its file has a say in it: a deployer, or a service."""
        return bool(self.traits.deployer or self.traits.service)

    def __repr__(self) -> str:
        return f"Resource({self.kind} {self.name} {self.path}:{self.at[0]})"


class Asker(Resource):
    """Who asks others by a reference of a file: as much of a program as tells where it runs.

    It travels between processes as it is, where other resources are reduced to what reports show.
    """

    __slots__ = ()


class Partition:
    """The state of one partition as a cluster told it: ids of brokers, as text.

    ``leader`` is None where there is none. ``elr`` are the eligible leader replicas, which may
    lead without loss though they are not in sync; ``adding`` the replicas that a reassignment is
    still making. ``at`` is where the leader stands.
    """

    __slots__ = ("adding", "at", "elr", "isr", "isr_at", "leader", "number", "replicas")

    def __init__(self, number: int, leader: str, at: Position) -> None:
        self.number = number
        self.leader = None if leader in ("none", "-1") else leader
        self.replicas: list[str] = []
        self.adding: list[str] = []
        self.isr: list[str] = []
        self.elr: list[str] = []
        self.at = self.isr_at = at


class Note:
    """Something that a format saw about a setting and that a rule tells: see rules/files.py.

    ``others`` are further settings that the message is about.
    """

    __slots__ = ("code", "consequence", "fix", "message", "others", "setting", "severity")

    def __init__(
        self,
        code: str,
        setting: Setting,
        message: str,
        consequence: str = "",
        fix: str = "",
        severity: str = "",
        others: tuple[Setting, ...] = (),
    ) -> None:
        self.code = code
        self.setting = setting
        self.others = others
        self.message = message
        self.consequence = consequence
        self.fix = fix
        self.severity = severity


class Problem:
    """Why a file, or a place in it, could not be read. ``code`` is the rule that tells it.

    Without a ``severity`` of its own it has the rule's.
    """

    __slots__ = ("at", "code", "consequence", "edits", "fix", "message", "severity")

    def __init__(
        self,
        message: str,
        at: Position = START,
        code: str = "KC0001",
        severity: str = "",
        consequence: str = "",
        fix: str = "",
        edits: tuple[Edit, ...] = (),
    ) -> None:
        self.message = message
        self.at = at
        self.code = code
        self.severity = severity
        self.consequence = consequence
        self.fix = fix
        #: Those that make the fix, which is a safe one then.
        self.edits = edits


class Comment:
    """A ``# kcheck:`` comment; ``text`` is what follows the colon.

    It speaks for the lines ``first`` to ``last``: its own and, where it has a line for itself,
    those up to the next line that is no comment. ``head`` is a line below that ``last`` merely
    introduces (``kafka:`` above the mapping of that name), or ``last``. A comment that heads a
    whole YAML document has ``until``, the document's last line. ``top`` tells that nothing but
    comments comes before it, ``mistake`` why it is none at all.
    """

    __slots__ = ("at", "first", "head", "last", "mistake", "text", "top", "until")

    def __init__(self, at: Position, text: str) -> None:
        self.at = at
        self.text = text
        self.first = self.last = self.head = at[0]
        self.until = 0
        self.top = False
        self.mistake = ""


class Patch:
    """One patch of a kustomization: a file at ``path``, or the ``text`` that stands there (``at``).

    ``operations`` tells a list of operations (JSON 6902) from a piece of a resource. ``kind`` and
    ``name`` are what the patch is aimed at, each "" where that is not said: it is then in the piece.
    """

    __slots__ = ("at", "kind", "name", "operations", "path", "text")

    def __init__(self, at: Position, path: str = "", text: str = "") -> None:
        self.at = at
        self.path = path
        self.text = text
        self.operations = False
        self.kind = self.name = ""


class Kustomization:
    """What a kustomization.yaml builds of which files.

    Paths are those of files and of folders with a kustomization of their own, as documents have
    them; the folder at the top is "". What lies elsewhere (a URL, above the root) is in none of
    them: ``elsewhere`` says that there is such a thing. What is not written is empty.
    """

    __slots__ = (
        "components",
        "elsewhere",
        "name_prefix",
        "name_suffix",
        "namespace",
        "patches",
        "resources",
    )

    def __init__(self) -> None:
        #: With what older files list as ``bases``.
        self.resources: tuple[str, ...] = ()
        self.components: tuple[str, ...] = ()
        self.patches: tuple[Patch, ...] = ()
        self.namespace = self.name_prefix = self.name_suffix = ""
        self.elsewhere = False


class Extent:
    """How far a file reaches: what of a cluster is in it, and which other files belong to it.

    As with ``Traits`` an instance holds what its file does tell, and no more.
    """

    #: Whether the nodes in it are all that their clusters have.
    whole: bool = False
    #: Whether its nodes of no name are of one cluster, for its format has told clusters apart.
    parted: bool = False
    #: Whether it is a piece of something that other files complete, whatever else it says.
    piece: bool = False
    #: Paths of files and folders that containers of Kafka's have from it.
    mounts: tuple[str, ...] = ()
    #: Paths of files that are read as a part of this one, and are not judged by themselves; with a
    #: ``#`` behind it, only what has that ``Traits.holder``.
    covers: tuple[str, ...] = ()


READ, PASSED_OVER, SKIPPED, FAILED = "read", "passed-over", "skipped", "error"


class Document:
    """What kcheck made of one file: its format, its resources, what went wrong in it.

    ``comments`` are the ``# kcheck:`` ones; ``services`` are the programs beside brokers that it
    runs, ``references`` what such programs ask, and others that are no resources.
    """

    __slots__ = (
        "comments",
        "extent",
        "format",
        "kustomize",
        "looked_up",
        "path",
        "problems",
        "reason",
        "references",
        "resources",
        "services",
        "status",
    )

    def __init__(self, path: str, format: str | None = None) -> None:
        self.path = path
        self.format = format
        self.resources: list[Resource] = []
        self.problems: list[Problem] = []
        self.extent = Extent()
        self.comments: list[Comment] = []
        #: What the file builds, where it is kustomize's.
        self.kustomize: Kustomization | None = None
        self.services: tuple[Service, ...] = ()
        self.references: tuple[Reference, ...] = ()
        #: The paths of other files that were asked for to read this one, whether they are there
        #: or not: it would be another document only if one of them or the file itself changed.
        self.looked_up: frozenset[str] = frozenset()
        self.status = READ
        self.reason = ""


#: A document with problems: the scope of the rules that tell them.
Faulty = Document


NAN = float("nan")
#: bool is no number here, though Python says so.
_NUMBERS = (int, float)


class Value:
    """An effective value as a rule sees it: what Kafka would use, and why.

    ``value`` is typed by the catalogue (int, float, bool, list, str or None for null); it means
    something only where ``known`` is true. ``candidates`` are the possible values where a default
    differs between the Kafka versions in question.
    """

    __slots__ = (
        "candidates",
        "from_key",
        "kafka_version",
        "key",
        "known",
        "number",
        "origin",
        "resource",
        "setting",
        "text",
        "value",
    )

    def __init__(
        self,
        key: str,
        resource: Resource,
        origin: str,
        text: str | None = None,
        value: object = None,
        known: bool = False,
        setting: Setting | None = None,
        from_key: str | None = None,
        kafka_version: str | None = None,
        candidates: tuple[object, ...] = (),
    ) -> None:
        self.key = key
        self.resource = resource
        self.origin = origin
        self.text = text
        self.value = value
        self.known = known
        #: The value as a number; NaN, which no comparison satisfies, where it is not one.
        self.number: float = (
            value if known and type(value) in _NUMBERS else NAN  # type: ignore[assignment]
        )
        self.setting = setting
        self.from_key = from_key or key
        self.kafka_version = kafka_version
        self.candidates = candidates

    def but(self, value: object) -> Value:
        """The same with another typed value: scaled to another unit, or capped."""
        return Value(
            self.key,
            self.resource,
            self.origin,
            self.text,
            value,
            self.known,
            self.setting,
            self.from_key,
            self.kafka_version,
            self.candidates,
        )

    @property
    def explicit(self) -> bool:
        """Whether the resource itself sets the key: many of Kafka's checks turn on this bit."""
        return self.origin == SET

    @property
    def written(self) -> bool:
        """Whether some file sets the value, here or where it is inherited from."""
        return self.setting is not None

    def __repr__(self) -> str:
        return f"Value({self.key}={self.text!r} {self.origin})"


class Former(Value):
    """A value of an older state (``kcheck lint --since``): it stands in no file of today.

    ``revision`` says where it stood: ``main:topics.yaml:7``.
    """

    __slots__ = ("revision",)

    def __init__(
        self,
        key: str,
        resource: Resource,
        text: str | None,
        value: object,
        known: bool,
        revision: str,
    ) -> None:
        super().__init__(key, resource, FACT, text, value, known)
        self.revision = revision


class Edit:
    """Replace the text of one span of a file.

    ``text`` and ``old`` are values as Kafka reads them, or names of keys; the file may spell them
    with quotes or escapes. Where it does not say ``old`` there, the edit is not to be made. Without
    an ``old`` the text is to be put there as it is.
    """

    __slots__ = ("at", "old", "path", "text")

    def __init__(self, path: str, at: Position, text: str, old: str | None = None) -> None:
        self.path = path
        self.at = at
        self.text = text
        self.old = old


class Fix:
    """The smallest change that is right, with the edits that make it where they are known.

    It is ``safe`` where it leaves alone what a running system does: the text means the same to
    Kafka, or Kafka refuses it as it stands and only one thing can be meant.
    """

    __slots__ = ("edits", "safe", "text")

    def __init__(self, text: str, edits: tuple[Edit, ...] = (), safe: bool = False) -> None:
        self.text = text
        self.edits = edits
        self.safe = safe


# What an upgrade does to a verdict: it comes, it is another one, it goes.
APPEARS, CHANGES, DISAPPEARS = "appears", "changes", "disappears"
# When somebody has to act on it: before the first restart, at none, after the last restart.
BEFORE, WITH, AFTER = "before", "with", "after"


class Change:
    """What an upgrade has to do with a finding (``kcheck upgrade``).

    ``kind`` says what becomes of the verdict, ``when`` whether somebody has to act on it.
    ``side`` (brokers or clients) goes from version ``old`` to ``new`` in that stretch of the way,
    the ``stage``-th; ``since`` is the first version that makes it true. ``previous`` is the
    verdict of before where there was one.
    """

    __slots__ = ("kind", "new", "old", "previous", "side", "since", "stage", "when")

    def __init__(self, kind: str, when: str, since: str = "") -> None:
        self.kind = kind
        self.when = when
        self.since = since
        self.side = self.old = self.new = ""
        self.stage = 0
        self.previous: Finding | None = None


class Finding:
    """What, where, what breaks and when, what to set: one verdict with its chain of evidence.

    ``code``, ``name`` and the default severity are filled in by the engine from the rule, and
    ``occurrence``, which numbers findings that are alike in one file (see fingerprint.py).
    """

    __slots__ = (
        "at",
        "ceiling",
        "change",
        "cluster",
        "cluster_id",
        "clusters",
        "code",
        "consequence",
        "evidence",
        "fix",
        "message",
        "name",
        "occurrence",
        "path",
        "resource",
        "severity",
        "url",
    )

    def __init__(
        self,
        message: str,
        resource: Resource,
        evidence: tuple[Value, ...],
        path: str,
        at: Position,
        consequence: str = "",
        fix: Fix | None = None,
        severity: str = "",
        cluster: str = "",
    ) -> None:
        self.code = ""
        self.name = ""
        #: Where the rule is explained, if that is not kcheck's own reference.
        self.url = ""
        self.occurrence = 0
        self.message = message
        self.resource = resource
        self.evidence = evidence
        self.path = path
        self.at = at
        self.consequence = consequence
        self.fix = fix
        self.severity = severity
        self.cluster = cluster
        #: What tells the cluster from others of its name; "": that of the file's resources.
        self.cluster_id = ""
        #: The ids of all clusters in which it holds, where these are more than one.
        self.clusters: tuple[str, ...] = ()
        #: The gravest severity that the facts at hand allow; empty: any.
        self.ceiling = ""
        #: What an upgrade has to do with it; None where nobody asked about one.
        self.change: Change | None = None

    def __repr__(self) -> str:
        return f"Finding({self.code} {self.severity} {self.path}:{self.at[0]} {self.message})"
