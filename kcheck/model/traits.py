"""What formats know of a resource beside its settings, and the words that such facts have."""

from __future__ import annotations

from kcheck.model.addresses import Address
from kcheck.model.settings import Position, Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.model.declared import Claim, Creation, DeadLetters, Entered, Flow, Retries, Right
    from kcheck.model.processes import Process
    from kcheck.model.resources import Network, Partition, Resource


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
    #: Whether its settings are a list, which replaces that of the resource over which it is laid.
    restated: bool = False
    #: Variables of its container that were read and set no key: its image has a use of its own for
    #: them, or nobody reads them.
    weighed: tuple[Setting, ...] = ()
    #: The lines of its file that hold the default of a variable: the variable's name and the default.
    defaults: dict[int, tuple[str, str]] | None = None
    #: Whether nothing but the environment of its container and the image has a say in it.
    by_environment: bool = False
    #: Whether the options of its JVM name a file with its logins (java.security.auth.login.config);
    #: None where the file does not show all options.
    jaas_file: bool | None = None
    #: That file where the project has it, and it lacks the section that the resource reads.
    jaas_lacks: str = ""
    #: The file of one machine that runs it with others: the compose file that mounts the file by which it
    #: is configured, and no volume for its data, or a Vagrantfile.
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
    #: Whether the Kafka resource has no annotation, and nothing else, that states its mode.
    no_mode: bool = False
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
