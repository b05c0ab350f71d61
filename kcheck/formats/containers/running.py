"""Containers and units as processes: what their variables make of the JVM, and where they keep state.

``KINDS`` tells of each program which variables hold Java's options, in the order in which its start
script puts them on the command line (of two options of one name Java takes the last), and the heap
that the script gives where the first of them is not set.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from kcheck import images
from kcheck.formats.containers.variables import Variable, assigned
from kcheck.images import WORKER
from kcheck.model import Position, Setting
from kcheck.model.processes import (
    A_BROKER,
    A_CENTER,
    A_DEBEZIUM,
    A_KSQLDB,
    A_MIRROR,
    A_REGISTRY,
    A_REST_PROXY,
    A_STANDALONE,
    A_WORKER,
    A_ZOOKEEPER,
    AN_APPLICATION,
    Place,
    Process,
)
from kcheck.syntax import yaml
from kcheck.units import whole

_MIB, _GIB = 1 << 20, 1 << 30
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
#: As HotSpot reads it: -Xmx is short for -XX:MaxHeapSize.
_HEAP = re.compile(r"(?:^|(?<=[\s\"']))-(?:Xmx|XX:MaxHeapSize=)(\d{1,18})([kmgt]?)(?![\w.])", re.I)
_SHARE = re.compile(r"(?:^|(?<=[\s\"']))-XX:MaxRAMPercentage=(\d{1,3}(?:\.\d+)?)(?![\w.])")
_DIRECT = re.compile(
    r"(?:^|(?<=[\s\"']))-XX:MaxDirectMemorySize=(\d{1,18})([kmgt]?)(?![\w.])", re.I
)
#: Read by every JVM: before the command line, and after it.
_BEFORE, _AFTER = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"), ("_JAVA_OPTIONS",)
JMX_PORT = "JMX_PORT"
#: Variables whose value is a file that the program opens when it starts, and what that holds.
_FILES = (
    ("KEYSTORE_LOCATION", "the key store"),
    ("TRUSTSTORE_LOCATION", "the trust store"),
    ("KSQL_QUERIES_FILE", "the statements"),
)
#: Options of Java that name such a file.
_OPTION_FILES = (
    (re.compile(r"-Djava\.security\.auth\.login\.config=([^\s\"']+)"), "the logins"),
    (re.compile(r"-Djava\.security\.krb5\.conf=([^\s\"']+)"), "the Kerberos configuration"),
    (re.compile(r"-javaagent:([^\s\"'=]+)"), "the agent"),
    (
        re.compile(r"-javaagent:[^\s\"'=]+=(?:[\w.]+:)?\d+:(/[^\s\"',]+)"),
        "the agent's configuration",
    ),
)
#: What names the file of its logger: those of the variables that end so, as a path or a URL.
_LOGS = "LOG4J_OPTS"
_LOG_FILE = re.compile(
    r"-D(?:log4j\.configuration|log4j2?\.configurationFile)=(?:file:(?://)?)?(/[^\s\"'$,]+)(?=[\s\"']|$)"
)
_PLUGIN_PATH = "CONNECT_PLUGIN_PATH"
_CLIENTS = (
    "KAFKA_",
    "SPRING_KAFKA_",
    "SPRING_CLOUD_STREAM_KAFKA_",
    "MP_MESSAGING_",
    "QUARKUS_KAFKA",
)


def _options(prefix: str) -> tuple[str, ...]:
    return tuple(f"{prefix}_{part}OPTS" for part in ("HEAP_", "JVM_PERFORMANCE_", "JMX_", ""))


class Kind:
    """A program: its variables with Java's options, the heap that ``script`` gives by default (0 where
    none is known), and its variables for places with state: (key, what is lost). ``home`` begins the
    folders that its image has, beside those of any image."""

    __slots__ = ("heap", "home", "options", "places", "program", "script")

    def __init__(
        self,
        program: str,
        options: tuple[str, ...],
        heap: int = 0,
        script: str = "",
        places: Mapping[str, tuple[str, str]] | None = None,
        home: str = "",
    ) -> None:
        self.program = program
        self.options = options
        self.heap = heap
        self.script = script
        self.places = places or {}
        self.home = home


#: What the start scripts of Kafka hand to Java at the end, and its tools do not.
_EXTRA = "EXTRA_ARGS"
_KAFKA = (*_options("KAFKA"), _EXTRA)
_OFFSETS = "the position in the source database"
_SCHEMAS = "the history of the database's schemas"
#: bin/kafka-server-start.sh, connect-distributed.sh and zookeeper-server-start.sh of Kafka 2.8 to 4.1.
BROKER = Kind(A_BROKER, _KAFKA, _GIB, "kafka-server-start")
#: Compiled ahead of time (apache/kafka-native): no script and no JVM, so no heap of theirs.
NATIVE = Kind(A_BROKER, ())
CONNECT = Kind(A_WORKER, ("HEAP_OPTS", *_KAFKA), 2 * _GIB, "connect-distributed")
STANDALONE = Kind(A_STANDALONE, _KAFKA, 2 * _GIB, "connect-standalone")
ZOOKEEPER = Kind(A_ZOOKEEPER, _KAFKA, 512 * _MIB, "zookeeper-server-start")
#: bin/schema-registry-run-class (confluentinc/schema-registry@08ff1c395469), bin/ksql-run-class
#: (confluentinc/ksql@13156e996175), bin/kafka-rest-run-class (confluentinc/kafka-rest@069f0d6a4712).
REGISTRY = Kind(A_REGISTRY, _options("SCHEMA_REGISTRY"), 512 * _MIB, "schema-registry-run-class")
KSQL = Kind(A_KSQLDB, _options("KSQL"), 3 * _GIB, "ksql-run-class")
#: The same of the images with a folder from when its name was KSQL.
_OLDER_KSQL = Kind(A_KSQLDB, KSQL.options, KSQL.heap, KSQL.script, home="/etc/ksql")
REST = Kind(A_REST_PROXY, _options("KAFKAREST"), 256 * _MIB, "kafka-rest-run-class")
CENTER = Kind(A_CENTER, _options("CONTROL_CENTER"))
#: debezium-server-dist/src/main/resources/distro/run.sh hands both to java.
DEBEZIUM = Kind(
    A_DEBEZIUM,
    ("DEBEZIUM_OPTS", "JAVA_OPTS"),
    places={
        "DEBEZIUM_SOURCE_OFFSET_STORAGE_FILE_FILENAME": (
            "debezium.source.offset.storage.file.filename",
            _OFFSETS,
        ),
        "DEBEZIUM_SOURCE_SCHEMA_HISTORY_INTERNAL_FILE_FILENAME": (
            "debezium.source.schema.history.internal.file.filename",
            _SCHEMAS,
        ),
    },
)
#: Variables for the state directory of Streams, which its first instance locks, with their keys.
_STATES = {
    **dict.fromkeys(
        (
            *("SPRING_KAFKA_STREAMS_STATE_DIR", "SPRING_KAFKA_STREAMS_PROPERTIES_STATE_DIR"),
            "SPRING_CLOUD_STREAM_KAFKA_STREAMS_BINDER_CONFIGURATION_STATE_DIR",
            *("KAFKA_STREAMS_STATE_DIR", "STREAMS_STATE_DIR"),
        ),
        "state.dir",
    ),
    "KSQL_KSQL_STREAMS_STATE_DIR": "ksql.streams.state.dir",
}
#: By program: the variable that tells one of its instances from the others, and its key.
_IDENTITIES = {
    A_ZOOKEEPER: {name: name for name in ("ZOOKEEPER_SERVER_ID", "ZOO_MY_ID", "ZOO_SERVER_ID")},
    A_REGISTRY: {"SCHEMA_REGISTRY_HOST_NAME": "host.name"},
    A_KSQLDB: {"KSQL_KSQL_ADVERTISED_LISTENER": "ksql.advertised.listener"},
}
#: bin/zkEnv.sh of ZooKeeper 3.5 to 3.9, which the official and Bitnami's images run.
_ENSEMBLE = Kind(A_ZOOKEEPER, ("SERVER_JVMFLAGS", "JVMFLAGS"))
#: Programs of all sorts: what their images and people's start scripts hand to java.
APPLICATION = Kind(AN_APPLICATION, ("JAVA_OPTS", "JAVA_OPTS_APPEND"))
_IMAGES = {
    "cp-schema-registry": REGISTRY,
    "cp-ksqldb-server": KSQL,
    "ksqldb-server": _OLDER_KSQL,
    "cp-ksql-server": _OLDER_KSQL,
    "cp-kafka-rest": REST,
    "cp-enterprise-control-center": CENTER,
    "cp-zookeeper": ZOOKEEPER,
    "debezium/zookeeper": ZOOKEEPER,
    "bitnami/zookeeper": _ENSEMBLE,
    "bitnamilegacy/zookeeper": _ENSEMBLE,
    "zookeeper": _ENSEMBLE,
    "library/zookeeper": _ENSEMBLE,
    "debezium/server": DEBEZIUM,
    "debezium-server": DEBEZIUM,
    **dict.fromkeys(("tchiotludo/akhq", "provectuslabs/kafka-ui", "kafbat/kafka-ui"), APPLICATION),
    "obsidiandynamics/kafdrop": Kind(AN_APPLICATION, ("JVM_OPTS",)),
    "logstash/logstash": Kind(AN_APPLICATION, ("LS_JAVA_OPTS",)),
}
#: What starts a program in a command or a unit, the longer names first.
_SCRIPTS = (
    ("kafka-server-start", BROKER),
    ("connect-distributed", CONNECT),
    ("connect-standalone", STANDALONE),
    ("connect-mirror-maker", Kind(A_MIRROR, _KAFKA, 256 * _MIB, "kafka-run-class")),
    ("zookeeper-server-start", ZOOKEEPER),
    ("schema-registry-start", REGISTRY),
    ("ksql-server-start", KSQL),
    ("kafka-rest-start", REST),
    ("control-center-start", CENTER),
)


def clients(variables: Iterable[str]) -> bool:
    """Whether a container with these variables seems to run a client of Kafka's."""
    return any(name.startswith(_CLIENTS) for name in variables)


def kind_of(image: str) -> Kind | None:
    """The program that an image runs; None where nobody here knows it."""
    repository = images.split(image)[0]
    family = images.family_of(repository)
    if family is not None:
        if repository.endswith("-native"):
            return NATIVE
        return CONNECT if family.role == WORKER else BROKER
    parts = repository.split("/")
    whole = _IMAGES.get("/".join(parts[-2:]))
    # Others call theirs zookeeper, too.
    return whole or (_IMAGES.get(parts[-1]) if "-" in parts[-1] else None)


def started_by(command: str) -> Kind | None:
    """The program that a command starts; None where it starts none of these."""
    return next((kind for script, kind in _SCRIPTS if script in command), None)


def process(
    kind: Kind,
    name: str,
    path: str,
    at: Position,
    variables: Mapping[str, Variable],
    known: bool,
    command: str = "",
) -> Process:
    """The process of a container; ``known`` says that the variables are all that it gets.

    What ``command`` assigns is unknown, whatever the variables say.
    """
    made = Process(kind.program, name, path, at)
    told_there = assigned(command)
    order = (*_BEFORE, *kind.options, *_AFTER)
    told = [variables[one] for one in order if one in variables]
    made.options = tuple(
        one.setting(one.name, None if one.name in told_there else one.known) for one in told
    )
    made.variables = {one.name: one for one in made.options if one.name != _EXTRA}
    if JMX_PORT in variables and JMX_PORT not in told_there:
        made.variables[JMX_PORT] = variables[JMX_PORT].setting(JMX_PORT, variables[JMX_PORT].known)
    made.known = known
    memory(made, made.options)
    unset = all(one.text is not None for one in made.options) and told_there.isdisjoint(order)
    if made.heap is None and known and unset and _default_holds(kind, made):
        made.heap_default, made.script = kind.heap, kind.script
        if kind.heap:
            made.sized = f"{kind.script} sets -Xmx{kind.heap >> 20}m"
    for name, key in _IDENTITIES.get(kind.program, {}).items():
        identity = variables.get(name)
        if identity is None or identity.made or name in told_there:
            continue
        made.identity = identity.setting(key, identity.known) if identity.known else None
    made.places = tuple(
        Place(variables[one].setting(key, variables[one].known), holds)
        for one, (key, holds) in kind.places.items()
        if one in variables and one not in told_there
    )
    if known and not command:
        read = [*_files(variables, made.options), *_logs(variables)]
        made.reads = tuple(
            one for one in read if not kind.home or not one.path.startswith(kind.home)
        )
        plugins = variables.get(_PLUGIN_PATH)
        if plugins is not None and kind.program == A_WORKER:
            made.plugins = plugins.setting("plugin.path", plugins.known)
    made.states = tuple(
        one.setting(key, one.known)
        for name, key in _STATES.items()
        if (one := variables.get(name)) is not None and name not in told_there
    )
    return made


def stopping(
    program: str, name: str, path: str, at: Position, key: str, node: yaml.Node | None
) -> tuple[Process, ...]:
    """A process of which nothing is told but its seconds to stop; none where they are not written."""
    if node is None:
        return ()
    made = Process(program, name, path, at)
    made.grace = Setting(key, yaml.text(node), path, yaml.position(node))
    made.grace.amount = whole(made.grace.text)
    return (made,)


def _files(variables: Mapping[str, Variable], options: Iterable[Setting]) -> Iterator[Place]:
    """The files that a program opens when it starts, as far as variables name them."""
    for name, variable in variables.items():
        holds = next((words for end, words in _FILES if name.endswith(end)), "")
        if holds and variable.known:
            yield Place(variable.setting(name, variable.known), holds, variable.known)
    for option in options:
        for pattern, holds in _OPTION_FILES:
            for found in pattern.finditer(option.text or ""):
                if "$" not in found[1]:
                    yield Place(option, holds, found[1])


def _logs(variables: Mapping[str, Variable]) -> Iterator[Place]:
    """The files that its logger reads; the program starts without."""
    for name, variable in variables.items():
        found = [*_LOG_FILE.finditer(variable.known or "")] if name.endswith(_LOGS) else []
        if found:
            told = variable.setting(name, variable.known)
            yield Place(told, "the configuration of its log", found[-1][1], optional=True)


def _default_holds(kind: Kind, made: Process) -> bool:
    """Whether the script sets its default: its variable for the heap is not set, not even to others."""
    return not any(name in made.variables for name in kind.options if name.endswith("HEAP_OPTS"))


def memory(made: Process, options: Iterable[Setting]) -> None:
    """Tell the heap and the direct memory that Java's options allow; of two the last counts."""
    for option in options:
        share = [*_SHARE.finditer(option.text or "")]
        if share:
            made.share = Setting(option.key, option.text, option.path, option.at, option.key_at)
            made.share.name, made.share.amount = option.name, float(share[-1][1])
        for pattern in (_HEAP, _DIRECT):
            found = [*pattern.finditer(option.text or "")]
            if not found:
                continue
            told = Setting(option.key, option.text, option.path, option.at, option.key_at)
            told.name = option.name
            told.amount = int(found[-1][1]) * _UNITS[found[-1][2].lower()]
            if pattern is _HEAP:
                made.heap = told
            else:
                made.direct = told
