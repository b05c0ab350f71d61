"""What files declare: brokers, topics, clients …, with what formats tell of them."""

from __future__ import annotations

from kcheck.model.addresses import Address, Container
from kcheck.model.settings import START, Position, Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from kcheck.model.processes import Process


class Reference:
    """A setting by which a program asks others of the ``role``.

    ``certain`` tells that the asker depends on one of that role in its own file, ``guessed`` that
    nobody here knows whether the asker reads the setting. ``url`` is what is asked where the
    setting is but a part of it, "" otherwise. ``unset`` tells that nobody set it: it is a default.
    """

    __slots__ = ("asker", "certain", "guessed", "role", "setting", "unset", "url")

    def __init__(
        self,
        asker: Resource,
        setting: Setting,
        role: str,
        certain: bool,
        url: str = "",
        guessed: bool = False,
        unset: bool = False,
    ) -> None:
        self.guessed = guessed
        self.unset = unset
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
#: A command of Docker or Podman.
DOCKER, NOMAD = "docker", "nomad"
STRIMZI, CFK, ANSIBLE, PUPPET = "strimzi", "cfk", "ansible", "puppet"
KOPERATOR, REDPANDA = "koperator", "redpanda"
#: What completes a file that several pods mount (``Traits.completed_by``).
THE_POD = "the start of each pod"
# The managed services whose own tools declare resources (``Traits.service``).
MSK, CONFLUENT_CLOUD, AIVEN = "msk", "confluent-cloud", "aiven"
EVENT_HUBS = "event-hubs"


class Flow:
    """One direction of a mirror.

    ``source`` and ``target`` are the settings that give the two clusters their aliases, ``servers``
    the addresses of each (empty where they are not known). ``settings`` are the source connector's;
    ``largest`` is the max.request.size of whoever writes at the target, None for the default.
    ``off`` are the flows that its file switches off in so many words, ``halted`` says that its own
    connector may be stopped or paused.
    """

    __slots__ = ("halted", "largest", "off", "servers", "settings", "source", "target")

    def __init__(
        self,
        source: Setting,
        target: Setting,
        servers: tuple[frozenset[tuple[str, str]], frozenset[tuple[str, str]]],
        settings: Mapping[str, Setting],
        largest: Setting | None,
        off: frozenset[tuple[str, str]] = frozenset(),
        halted: bool = False,
    ) -> None:
        self.source = source
        self.target = target
        self.servers = servers
        self.settings = settings
        self.largest = largest
        self.off = off
        self.halted = halted

    @property
    def ends(self) -> tuple[str, str]:
        """The aliases of its source and its target."""
        return self.source.text or "", self.target.text or ""

    def excludes(self, other: Flow) -> bool:
        """Whether one of them does not run beside the other: it is stopped, or switched off."""
        if self.halted or other.halted:
            return True
        return other.ends in self.off or self.ends in other.off

    @property
    def place(self) -> tuple[str, int, int]:
        """Where the flow stands, to tell flows apart and to order them."""
        return (self.target.path, *self.source.at[:2])


class Right:
    """One operation that an ACL allows or denies a principal, or a pattern of names.

    ``resource`` is its type (``topic``), ``prefix`` says that ``name`` is the beginning of names.
    ``setting`` is where the ACL is.
    """

    __slots__ = ("allows", "host", "name", "operation", "prefix", "resource", "setting")

    def __init__(
        self,
        setting: Setting,
        operation: str,
        resource: str,
        name: str,
        prefix: bool = False,
        host: str = "*",
        allows: bool = True,
    ) -> None:
        self.setting = setting
        self.operation = operation
        self.resource = resource
        self.name = name
        self.prefix = prefix
        self.host = host
        self.allows = allows

    def __str__(self) -> str:
        name = f"{self.name}*" if self.prefix else self.name
        host = "" if self.host == "*" else f" from host {self.host}"
        return f"{self.operation} on {self.resource} {name}".rstrip() + host

    def covers(self, other: Right) -> bool:
        """Whether it says of all that ``other`` is about what ``other`` says, or more."""
        if self.allows != other.allows or self.resource != other.resource:
            return False
        if self.host not in ("*", other.host):
            return False
        if self.prefix:
            named = other.name.startswith(self.name)
        else:
            named = self.name == "*" or (self.name == other.name and not other.prefix)
        wide = (self.operation, other.operation) if self.allows else (self.operation, "")
        return named and (self.operation in (other.operation, "All") or wide in _IMPLIED)


#: Operations with which Kafka's authorizers allow another one.
_IMPLIED = frozenset(
    [(one, "Describe") for one in ("Read", "Write", "Delete", "Alter")]
    + [("AlterConfigs", "DescribeConfigs")]
)


class Creation:
    """Topics that a program creates for itself, where no key of Kafka's says with how many replicas.

    ``topics`` names them (``the command topic``). ``key`` is the program's setting for the
    replication factor, ``factor`` that setting where it is set; otherwise there are ``default``
    replicas. ``named`` is what its file calls the setting. ``capped`` says that the program makes do
    with fewer brokers, ``waits`` that its writes wait for all in-sync replicas. ``least`` is the
    setting that gives them a min.insync.replicas of their own.
    """

    __slots__ = ("capped", "default", "factor", "key", "least", "named", "topics", "waits")

    def __init__(
        self,
        topics: str,
        key: str,
        factor: Setting | None,
        default: int,
        *,
        named: str = "",
        capped: bool = False,
        waits: bool = False,
        least: Setting | None = None,
    ) -> None:
        self.topics = topics
        self.key = key
        self.factor = factor
        self.default = default
        self.named = named or key
        self.capped = capped
        self.waits = waits
        self.least = least


class DeadLetters:
    """Where a framework's consumer sends the records that it cannot process.

    ``topic`` is the setting that names it, or what the framework makes of other names. ``aligned``
    says that a record goes to the partition of the number that it had.
    """

    __slots__ = ("aligned", "topic")

    def __init__(self, topic: Setting, aligned: bool = False) -> None:
        self.topic = topic
        self.aligned = aligned


class Retries:
    """How long a client waits at most between attempts at one record, in the thread that polls.

    ``total`` is in ms; ``settings`` say so, as far as the file has them; ``words`` describe it.
    """

    __slots__ = ("settings", "total", "words")

    def __init__(self, total: int, settings: tuple[Setting, ...], words: str) -> None:
        self.total = total
        self.settings = settings
        self.words = words


class Claim:
    """A persistent volume that a node gets for its data.

    ``size`` has its bytes as amount. ``deletes`` is where it is said that the volume is deleted with
    the node; None where nothing says so.
    """

    __slots__ = ("deletes", "name", "size")

    def __init__(self, name: str, size: Setting | None, deletes: Setting | None = None) -> None:
        self.name = name
        self.size = size
        self.deletes = deletes


class Entered:
    """A container in which a script starts one of Kafka's tools, and the servers that it asks there;
    ``tool`` is the word that starts it, ``configured`` says that it is given settings of a client."""

    __slots__ = ("configured", "container", "servers", "tool")

    def __init__(
        self, container: Setting, tool: Setting, servers: Setting, configured: bool
    ) -> None:
        self.container = container
        self.tool = tool
        self.servers = servers
        self.configured = configured


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
    #: Where the command runs that makes it.
    entered: Entered | None = None
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
    #: Whether it is what one region has of a cluster that spans several.
    region: bool = False
    #: The name of the KRaftController that brokers of the Confluent operator have.
    controllers: str = ""
    #: What names them, and the namespace that it tells, where it tells one.
    controllers_at: Setting | None = None
    controllers_namespace: str = ""
    #: What tells the mirror that a connector of MirrorMaker's is a part of: file, place, alias.
    mirror: tuple[str, Position, str] | None = None

    #: Whether it is the client of a cluster link, which asks another cluster than the one that it is
    #: made for, so that brokers beside it tell nothing.
    links: bool = False
    #: Whether a command uses it that does not tell where: neither the brokers nor the workers beside
    #: its file tell anything of it.
    apart: bool = False

    #: The managed service whose own tools declare it: MSK, CONFLUENT_CLOUD or AIVEN.
    service: str = ""
    #: The tier of the service that its cluster or namespace has, where the file tells.
    tier: Setting | None = None
    #: What speaks Kafka's protocol in Kafka's place: REDPANDA; "" for Kafka itself.
    product: str = ""
    #: What brings it to where it runs, and may give it more than its file shows: COMPOSE, STRIMZI …
    deployer: str = ""

    # -- how much of it the file tells ---------------------------------------------------------
    #: Whether it is what patches have made of a resource that another file declares, whole.
    rendered: bool = False
    #: The name under which that resource is declared, where it is another one.
    renames: str = ""
    #: Whether something that is not read sets more: the defaults are not Kafka's.
    partial: bool = False
    #: The program that is known to complete it alone (``"the operator"``), "" where nobody knows who
    #: does: of a partial broker the defaults hold that such programs leave (see graph/completed.py).
    completed_by: str = ""
    #: Whether its file is laid over or appended to another, which has what this one lacks.
    fragment: bool = False
    #: Variables of its container that were read and set no key: its image has a use of its own for
    #: them, or nobody reads them.
    weighed: tuple[Setting, ...] = ()
    #: Whether nothing but the environment of its container and the image has a say in it.
    by_environment: bool = False
    #: Whether the options of its JVM name a file with its logins (java.security.auth.login.config);
    #: None where the file does not show all options.
    jaas_file: bool | None = None
    #: The compose file that mounts the file by which it is configured, and no volume for its data.
    composed: str = ""
    #: Whether the file is a list of all that it has, whoever set it.
    dump: bool = False
    #: Whether Kafka's own tools told it of a cluster that runs.
    described: bool = False
    #: What must hold for its file to be in use, as a clause, where something speaks against it.
    idle: str = ""
    #: Whether a command changes it, and another made it.
    change: bool = False
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
    #: The program that writes or reads values, and in which format it does, in its own word.
    encoding: tuple[str, Setting] | None = None
    #: Topics that it creates with replication factors of its own.
    creates: tuple[Creation, ...] = ()
    #: What its framework waits between attempts at a record without polling.
    retries: Retries | None = None
    #: Topics that a Streams application joins, so that they need as many partitions.
    copartitioned: tuple[str, ...] = ()
    #: What somebody says that the client is (producer, consumer …); its keys may deny it.
    role: str = ""
    #: The map of variables that it is made of, as its file's path, ``#`` and the map's name: the
    #: program that has its variables from there may be read as well, with those of its own over them.
    holder: str = ""
    #: Keys that it has from a section which other clients have, too.
    shared_keys: frozenset[str] = frozenset()
    #: How its format names Kafka's keys, where it has names of its own: ``logstash-input``,
    #: ``logstash-output``, ``kafkajs``, or what stands before keys (``spring.kafka.properties.``).
    language: str = ""
    #: Whether its package counts versions of its own, which say nothing of the library inside.
    own_versions: bool = False
    #: Whether the version of its library is what the build beside its file says, not its own word.
    version_inferred: bool = False
    #: Config providers that its settings ask: (name, setting that does first, the reference).
    providers: tuple[tuple[str, Setting, str], ...] = ()
    #: Whether Connect makes the client, and starts from defaults of its own.
    made_by_connect: bool = False
    #: Whether MirrorMaker runs the connector by itself, without Connect.
    dedicated: bool = False
    #: Whether workers are MirrorMaker's, and run no connectors but its own.
    mirrors_only: bool = False
    #: Whether a connector may be stopped or paused, by what its file says.
    halted: bool = False
    #: Mirrors whose records arrive here, and leave from here.
    flows_in: tuple[Flow, ...] = ()
    flows_out: tuple[Flow, ...] = ()

    #: Whether its operator runs the cluster in KRaft mode (True) or with ZooKeeper (False).
    kraft: bool | None = None

    # -- Strimzi -------------------------------------------------------------------------------
    #: Whether it is a node pool, which holds the counts of a Kafka resource.
    pool: bool = False
    #: The roles that a node pool gives to its nodes, where all of them are known.
    roles: tuple[str, ...] = ()
    #: Whether the Kafka resource has its nodes from pools, and is on its way to KRaft.
    reads_pools: bool = False
    migrates: bool = False
    #: The parts of the entity operator that run (``topicOperator`` …).
    operators: tuple[str, ...] | None = None
    #: How many of its pods Kubernetes may evict at once, where the Kafka resource says so.
    disruptions: Setting | None = None
    #: The names of all its listeners.
    listener_names: tuple[str, ...] = ()
    #: Whether a Connect cluster has its connectors from KafkaConnector resources.
    reads_connectors: bool | None = None

    #: Rights that a user has, or is denied, as far as they can be read; ``all_rights`` says that
    #: these are all that it has.
    rights: tuple[Right, ...] = ()
    all_rights: bool = False
    #: Where its framework sends the records that it cannot process, if it does.
    failed: DeadLetters | None = None
    #: The partitions without which its framework does not start.
    expected: Setting | None = None
    #: Durations in ms that a framework has beside Kafka's keys, by the framework's own names.
    periods: tuple[Setting, ...] = ()
    #: The user as whom a client logs in, where an operator takes its login from a Secret.
    user: str = ""

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
    #: The profiles of which one has to be chosen to start it; none where it always starts.
    profiles: frozenset[str] = frozenset()
    #: Ports of the host that other containers publish; None where one is not known.
    forwarded: tuple[str, ...] | None = None
    #: What says that a node keeps its data on storage that goes with its pod.
    ephemeral: Setting | None = None
    #: Volumes that an operator or a chart claims for its data.
    claims: tuple[Claim, ...] = ()
    #: Of the pods of an operator: the folders at which it mounts what its resource names; None where
    #: not all of them are told.
    mounted: tuple[Setting, ...] | None = None
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
    #: The process that it is, or runs in: its memory, mounts and probes.
    process: Process | None = None
    #: What is to tell each of its processes from the others, beside its settings: names that variables
    #: set and that files may set as well, addresses of programs that are no keys of Kafka's.
    identities: tuple[Setting, ...] = ()
    #: How many processes run it: replicas of its workload. What a declaration says goes over it.
    instances: Setting | None = None
    #: How many of it one process runs: threads of a listener, consumers of a channel.
    concurrency: Setting | None = None
    #: Of Schema Registry: the setting of its group of instances, and of its topic; each as the default
    #: where it is not set.
    registry: tuple[Setting, Setting] | None = None
    #: The file with the queries that a headless ksqlDB server runs, as the project has it.
    queries: Setting | None = None
    #: What names the ksqlDB cluster that it is a server of.
    service_id: Setting | None = None
    #: What tells that transactions are written whatever its own keys say: ksqlDB does so on its
    #: command topic. Of brokers, a ksqlDB that their chart runs.
    transactional: Setting | None = None


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

    @property
    def open(self) -> bool:
        """Whether what it lacks may stand elsewhere: a fragment's in the file that it is laid over, a
        connector's in what a template puts out and nobody reads."""
        return self.traits.fragment or (self.traits.partial and self.kind == "connector")

    @property
    def stated(self) -> list[Setting]:
        """Every setting and fact that files state of it, those that another replaced included."""
        return [
            *self.settings.values(),
            *self.dynamic.values(),
            *self.image.values(),
            *self.facts.values(),
            *(setting for pair in self.earlier for setting in pair),
        ]

    @property
    def placed(self) -> list[Setting]:
        """The same with what formats noted: all that stands at a place of some file, each once."""
        noted = [one for note in self.notes for one in (note.setting, *note.others)]
        return [*{id(one): one for one in (*self.stated, *noted)}.values()]

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

    ``others`` are further settings that the message is about. ``held`` names the resource whose
    operator keeps the setting back, where the note says so.
    """

    __slots__ = ("code", "consequence", "fix", "held", "message", "others", "setting", "severity")

    def __init__(
        self,
        code: str,
        setting: Setting,
        message: str,
        consequence: str = "",
        fix: str = "",
        severity: str = "",
        others: tuple[Setting, ...] = (),
        held: str = "",
    ) -> None:
        self.code = code
        self.setting = setting
        self.others = others
        self.held = held
        self.message = message
        self.consequence = consequence
        self.fix = fix
        self.severity = severity
