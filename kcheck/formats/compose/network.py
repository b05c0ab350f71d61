"""Who else is in the containers of a compose file, and which broker's address they are given.

Containers have a loopback address each, unless they share a network: what one of them finds at
``localhost`` is itself. What hangs on a shared network, on a tunnel or on the host's own network
is left out here, so that the rules need not doubt it.
"""

from __future__ import annotations

import re

from kcheck import images
from kcheck.formats.compose.environment import Environment, corrected
from kcheck.formats.compose.facts import names_of, ports
from kcheck.formats.compose.file import File, Service
from kcheck.formats.text import templated
from kcheck.model import Resource, Setting
from kcheck.syntax import yaml

#: Variables that hold bootstrap servers, whoever reads them.
BOOTSTRAP = re.compile(
    r"BOOTSTRAP_?SERVERS?$|KAFKA_?BROKER_?CONNECT$|"
    r"KAFKA_(BOOTSTRAP|SERVERS?|HOSTS?|URLS?|ADDRESS|BROKERS?(_(LIST|URLS?|HOSTS?|ADDRESS(ES)?|SERVERS?))?)$"
)
_ADDRESS = re.compile(
    r"(?:(?:PLAINTEXT|SSL|SASL_PLAINTEXT|SASL_SSL)://)?[\w.-]+:\d{1,5}", re.IGNORECASE
)
_NUMBER = re.compile(r"\d+")
#: Programs that are known to read such a variable, and to run no broker of their own.
_CLIENTS = frozenset(
    {
        "akhq",
        "console",
        "cp-enterprise-control-center",
        "cp-kafka-connect",
        "cp-kafka-connect-base",
        "cp-kafka-rest",
        "cp-ksqldb-server",
        "cp-schema-registry",
        "cp-server-connect",
        "cp-server-connect-base",
        "kafdrop",
        "kafka-ui",
        "kowl",
    }
)
#: Images of databases, caches and ZooKeeper: they ask no broker, though a shared ``env_file`` names
#: one to them.
ASKING_NOBODY = frozenset(
    {
        "adminer",
        "cassandra",
        "cp-zookeeper",
        "mariadb",
        "memcached",
        "mongo",
        "mongo-express",
        "mongodb",
        "mysql",
        "pgadmin4",
        "phpmyadmin",
        "postgis",
        "postgres",
        "postgresql",
        "redis",
        "valkey",
        "zookeeper",
    }
)
#: dbt's, one for each database.
_DBT = "dbt-"
#: What can make another container answer at an address of this one.
TUNNELS = re.compile(r"socat|ssh|tunnel|proxy|haproxy|nginx|envoy|iptables|/etc/hosts|kafka-server")
#: Where commands say whom they ask: Kafka's tools and rpk by an option, kcat and Confluent's cub by -b.
_HOSTS = r"[\"']?([\w.-]{1,253}:\d{1,5}(?:,[\w.-]{1,253}:\d{1,5}){0,9})"
_OPTION = re.compile(
    rf"(?:--bootstrap-servers?|--broker-list|--brokers|\bbootstrap\.servers)[ =]{{1,9}}{_HOSTS}"
    rf"|\b(?:kcat|kafkacat|c?ub)\b[^;&|\n]{{0,200}}? -b[ =]?{_HOSTS}"
)
#: Programs that surely ask whom such an option names.
_TOOLS = re.compile(r"\b(?:kafka-[a-z]{1,20}|connect-[a-z]{1,20}|rpk|kcat|kafkacat|c?ub)\b")
#: Variables that hold a program's whole file, and how their texts say whom it asks.
_FILES = frozenset({"AKHQ_CONFIGURATION", "CONSOLE_CONFIG_FILE", "CONNECT_CONFIGURATION"})
_SERVERS = re.compile(
    rf"^[ \t]*[\"']?(?:bootstrap\.servers|brokers)[\"']?[ \t]*[:=][ \t]*\[?{_HOSTS}", re.MULTILINE
)
_OWN_BROKER = re.compile(r"KAFKA_(CFG_)?(ADVERTISED_|PROCESS_ROLES|ZOOKEEPER_CONNECT|BROKER_ID)")
_SHARED = "service:"
LOOPBACK = ("localhost", "127.")
_DEFAULT, HOST = "default", "host"
#: As an address to ask it is the container itself, too.
ANY = "0.0.0.0"
#: The image whose start script asks its own container if nobody names a broker.
_ASKS_ITSELF, _NOBODY = "debezium-connect", "0.0.0.0:9092"


def connect(brokers: list[Resource], services: list[Service]) -> None:
    """Tell the brokers who else is there.

    Traits of a broker: ``alone``, whether it shares its network with nobody; ``callers``, clients
    in other containers that are told its name, or a loopback address in its place; ``forwarded``,
    the host ports that other containers publish where all are known; ``numbers``, the numbers in
    its variables but for the listeners: ports of agents are among them. A caller is a client
    with its variables as settings; ``certain`` among its traits tells that they are read.
    """
    if not brokers:
        return
    shared = {
        mode.removeprefix(_SHARED)
        for service in services
        if (mode := service.text("network_mode") or "").startswith(_SHARED)
    }
    named: dict[str, set[str]] = {}
    for service in services:
        for name in (*names_of(service), *_linked(service)):
            named.setdefault(name, set()).add(service.name)
    own = {broker.name: broker for broker in brokers}
    where = {service.name: networks(service) for service in services}
    wrong = {pair for service in services for pair in corrected(service)}
    contexts = {service.name: folder for service in services if (folder := service.built_in())}
    published = [(service, ports(service)) for service in services]
    vague = [service for service, told in published if told is None]
    publishers = [(service, told) for service, told in published if told]
    for service in services:
        broker = own.get(service.name)
        if broker is None:
            # In another network its name is not resolved, which KC1097 tells.
            near = {name: one for name, one in own.items() if _meet(where, service.name, name)}
            _call(service, brokers, near, named, shared, contexts, wrong)
            continue
        names = broker.traits.names
        broker.traits.alone = (
            "network_mode" not in broker.facts
            and not shared.intersection(names)
            and all(named[name] == {service.name} for name in names)
        )
        broker.traits.numbers = frozenset(_numbers(service))
        if all(one is service for one in vague):
            broker.traits.forwarded = tuple(
                [port for other, told in publishers if other is not service for port, _ in told]
            )


def _numbers(service: Service) -> set[str]:
    return {
        number
        for name, variable in Environment(service).variables.items()
        if not name.endswith("LISTENERS")
        for number in _NUMBER.findall(variable.raw or "")
    }


def _linked(service: Service) -> list[str]:
    """The other names that a service gives to those that it links to."""
    return [
        (yaml.text(item) or "").partition(":")[2]
        for layer in service.layers
        for item in yaml.items(yaml.child(layer.node, "links"))
        if ":" in (yaml.text(item) or "")
    ]


def _asked(
    text: str, brokers: list[Resource], own: dict[str, Resource], named: dict[str, set[str]]
) -> list[Resource]:
    """The brokers that a list of bootstrap servers names; none where it is no such list."""
    entries = [entry.strip() for entry in text.split(",") if entry.strip()]
    if not entries or not all(map(_ADDRESS.fullmatch, entries)):
        return []
    hosts = dict.fromkeys(entry.rpartition("://")[2].partition(":")[0] for entry in entries)
    if all(host.startswith(LOOPBACK) or host == ANY for host in hosts):
        return brokers[:1]
    # Of a list each broker that is asked by a name of its own alone.
    there = [named.get(host, set()) for host in hosts]
    single = dict.fromkeys(next(iter(one)) for one in there if len(one) == 1)
    return [own[name] for name in single if name in own]


def _call(
    service: Service,
    brokers: list[Resource],
    own: dict[str, Resource],
    named: dict[str, set[str]],
    shared: set[str],
    contexts: dict[str, str],
    wrong: set[tuple[str, str]],
) -> None:
    """Enter a service among the callers of the brokers that its variables name."""
    if service.get("network_mode") is not None or shared.intersection(names_of(service)):
        return
    words = " ".join(words_of(service))
    if TUNNELS.search(words):
        return
    repository = images.split(service.text("image") or "")[0]
    program = repository.rpartition("/")[2]
    if program in ASKING_NOBODY or program.startswith(_DBT):
        return
    family = images.family_of(repository)
    worker = family is not None and family.role == images.WORKER
    known = worker or program in _CLIENTS
    environment = Environment(service)
    variables = environment.variables
    itself = family is not None and family.id == _ASKS_ITSELF and environment.complete
    if itself and not words and not any(BOOTSTRAP.search(n.upper()) for n in variables):
        if _networked(service):
            path, at = service.layers[0].file.path, service.at
            _enter(brokers[0], service, Setting("bootstrap.servers", _NOBODY, path, at))
        return
    if not known and any(map(_OWN_BROKER.match, variables)):
        return
    for name, variable in variables.items():
        text = variable.known if BOOTSTRAP.search(name.upper().replace(".", "_")) else None
        theirs = (variable.path, name) in wrong
        if text is None or theirs or _of_another(variable.path, service.name, contexts):
            continue
        for broker in _asked(text, brokers, own, named):
            caller = _enter(broker, service, variable.setting(name, text))
            caller.traits.certain = known and not words
    _texts(service, variables, own, named)


def _texts(
    service: Service,
    variables: dict[str, Variable],
    own: dict[str, Resource],
    named: dict[str, set[str]],
) -> None:
    """Enter a service among the callers of the brokers that its command names, or a file in a variable.

    Where it has such a file, the command writes it.
    """
    files = _FILES & variables.keys()
    for name in files:
        for match in _SERVERS.finditer(variables[name].raw or ""):
            for broker in _asked(match[1], [], own, named):
                _enter(broker, service, variables[name].setting(name, match[1]))
    if not files:
        _command(service, own, named)


def _command(service: Service, own: dict[str, Resource], named: dict[str, set[str]]) -> None:
    """Enter a service among the callers of the brokers that its command names."""
    for layer in service.layers:
        for key in ("entrypoint", "command"):
            node = yaml.child(layer.node, key)
            if node is None or yaml.is_null(node):
                continue
            parts = yaml.items(node) or [node]
            text = " ".join(yaml.text(one) or "?" for one in parts)
            for match in _OPTION.finditer(text):
                asked = match[1] or match[2]
                part = next((one for one in parts if asked in (yaml.text(one) or "")), node)
                option = match[0].partition(" ")[0].partition("=")[0]
                setting = Setting(option, asked, layer.file.path, yaml.position(part))
                for broker in _asked(asked, [], own, named):
                    caller = _enter(broker, service, setting)
                    caller.traits.certain = _TOOLS.search(text) is not None


def _of_another(path: str, name: str, contexts: dict[str, str]) -> bool:
    """Whether an env file is another program's: it lies where that one is built of, and this one is
    built elsewhere. What it names the other asks; this one may want the rest of the file."""
    mine = contexts.get(name)
    if mine is None or path.startswith(f"{mine}/"):
        return False
    return any(path.startswith(f"{folder}/") for folder in contexts.values())


def _enter(broker: Resource, service: Service, asked: Setting) -> Resource:
    """Enter a service among those that ask a broker, with the setting that says so."""
    caller = Resource("client", service.name, asked.path, service.at)
    caller.settings[asked.key] = asked
    caller.traits.certain = True
    broker.traits.callers = (*broker.traits.callers, caller)
    return caller


def _networked(service: Service) -> bool:
    """Whether compose gives it a network, on which nobody's links become variables.

    Files without ``services:`` use Docker's first bridge, where they do.
    """
    return all(yaml.child(layer.file.root, "services") is not None for layer in service.layers)


def _meet(where: dict[str, set[str] | None], one: str, other: str) -> bool:
    """Whether two services may share a network."""
    mine, theirs = where[one], where[other]
    return mine is None or theirs is None or bool(mine & theirs)


def networks(service: Service) -> set[str] | None:
    """The networks that a service is in, by their names; None where one is unknown."""
    if service.get("network_mode") is not None:
        return {HOST} if service.text("network_mode") == HOST else None
    found: set[str] = set()
    for layer in service.layers:
        node = yaml.child(layer.node, "networks")
        if node is None or yaml.is_null(node):
            continue
        keys = [key for key, _, _ in yaml.pairs(node)]
        keys = keys or [yaml.text(item) or "" for item in yaml.items(node)]
        found |= {_network(layer.file, key) for key in keys}
    found = found or {_network(service.layers[0].file, _DEFAULT)}
    return None if "" in found else found


def _network(file: File, key: str) -> str:
    """The name of a network, by which two keys may be of one; "" where it is unknown or the host's."""
    told = yaml.child(file.root, "networks", key)
    given = yaml.child(told, "name")
    name = key if given is None else yaml.text(given) or ""
    host = yaml.text(yaml.child(told, "driver")) == HOST
    return "" if templated(name) or host else name


def words_of(service: Service) -> list[str]:
    """All that a service is told to run, and the names that it is told of."""
    found: list[str] = []
    for layer in service.layers:
        for key in ("entrypoint", "command"):
            node = yaml.child(layer.node, key)
            if node is not None and not yaml.is_null(node):
                found += [yaml.text(item) or "?" for item in yaml.items(node) or [node]]
        extra = yaml.child(layer.node, "extra_hosts")
        hosts = [yaml.text(item) or "" for item in yaml.items(extra)]
        hosts += [name for name, _, _ in yaml.pairs(extra)]
        # Who says what localhost is has his own idea of it.
        found += ["/etc/hosts" for host in hosts if host.startswith(LOOPBACK)]
    return found


TYPE_CHECKING = False
if TYPE_CHECKING:
    from kcheck.formats.containers.variables import Variable
