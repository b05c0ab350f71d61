"""Where kcheck says something else than Kafka on purpose, and why. A test meets each of them.

What Kafka refuses here hangs on things that no file tells: the rest of the configuration, the
class path, the machine. There kcheck is silent, or warns.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from cases import BASES, BROKERS, CONNECTORS, INSIDE, MIRRORS, WORKERS
from declared import packages
from sides import texts

from kcheck.formats.properties.kinds import client_kind
from kcheck.formats.properties.signs import BROKER_SIGNS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from compare import Comparison
    from jvm import Answer

PIECES = (
    "a file of a client or connector is seldom all that it gets: "
    "servers, names, serializers and secrets come from elsewhere"
)
CLASS_PATH = "only the process knows its class path, and what others' classes are"
MACHINE = "the machine's files, names, JAAS files, algorithms and providers decide"
NULL_ALGORITHM = "the word null as an endpoint algorithm fails each handshake, not the start"
FORM = "a file that leaves most of its values empty is a form that somebody is to fill in"
TWO_SPELLINGS = "which of two spellings of one name in a map wins hangs on the order of a hash"
MIRROR_WORKER = "MirrorMaker's driver hands the workers' keys on, whose files kcheck does not read"
OTHERS = "the brokers of Confluent have settings of their own"
AT_START = "Kafka reads it when a listener, the authorizer or the remote metadata start, which no construction shows"
PLACEHOLDER = (
    "a word in capitals, a phrase, ${…} or […] stands where something else is to be put in"
)
PROVIDERS = "a program may define config providers that no file lists, and what a provider gives is the machine's"
QUOTA_OF_ZOOKEEPER = "up to 3.9 the cluster may have ZooKeeper, with which no quota is too low"
LEGACY = "host.name and its like went with 3.0; kcheck tells that, and reads listeners alone"
AT_THE_BROKERS = "a topic's key behind a prefix is checked by the brokers, when the topic is made"
AT_THE_TASKS = "the clients inside a connector are made when it starts, which no validation shows"
EMPTY_ROLES = "4.0 and 4.1 take a node without a role and start nothing"
NOBODY = "a broker's file that says neither who the node is nor what it does is a piece of one"
MIXED = "a client's file that says what only another kind of process says is read as that one's"
GLOBAL = "the global consumer is made for a topology with a global store alone: kcheck warns"
INTERNAL = "a key that Kafka calls internal: nobody is to set it"

_MISSING = re.compile(
    r"Missing required configuration \"([^\"]+)\""
    r"|Invalid value null for configuration ([\w.]+): must be non-null"
    r"|(?:No resolvable bootstrap urls given in|You must set either) (bootstrap\.servers)"
    r"|Invalid value null for configuration (sasl\.mechanism)"
    r"|Not able to determine the [\w.]+ class because it was neither passed via the (constructor)"
    r"|Inner class \w+ should be set either via constructor or via the ([\w.]+) config"
    r"|Window size needs to be set either through the .* constructor or the (window\.size\.ms) config"
    r"|The OAuth configuration option ([\w.]+) value must be non-null"
)
#: What kcheck takes for a place that a template fills in.
_TEMPLATED = re.compile(r"\$\{\w+\}|\[.*\]")
_SHELL, _DOLLAR = re.compile(r"\$\{\w+\}"), re.compile(r"\$\{")
_REFERENCE = re.compile(r"\$\{[^}]*:[^}]*\}")
_SECRETS = re.compile(
    r"key store is specified, but key store password is not specified"
    r"|store is not specified, but \w+ store password is specified"
    r"|certificate chain is specified, but private key is not"
    r"|private key is specified, but certificate chain is not"
    r"|No serviceName defined"
)
#: From 4.1 on all that is wrong with a class of OAuth comes in this form.
_OAUTH, _TOKENS = " defined in the sasl.oauthbearer.", "sasl.oauthbearer.token.endpoint.url"
_CLASS = re.compile(
    r"Invalid value (.+?) for configuration [\w.]+(?:: Cl|\Z)|No LoginModule found for (\S+)"
)
_MACHINES = re.compile(
    r"in the JAAS configuration|algorithm is not supported by this JVM|not available"
    r"|no such provider|missing provider|Unable to locate JNDI|No resolvable bootstrap urls"
    r"|sasl\.oauthbearer\.allowed\.urls"
    r"|resource initialization timed out|Path \S+ does not exist"
    r"|default realm|Is a directory|KeyGenerator|key generator with algorithm|Algorithm .* not|entries in PEM file"
)


def _piece(found: Comparison, answer: Answer) -> bool:
    if found.case.plane in BROKERS:
        return False
    if found.case.plane in WORKERS:
        # One key that lacks is told; where several do, the file is a piece of one.
        given = found.case.complete()
        return len([key for key in BASES[found.case.plane] if key not in given]) > 1
    if _SECRETS.search(answer.message):
        return True
    if _OAUTH in answer.message and _TOKENS not in found.case.complete():
        return True
    if "default group id (null)" in answer.message or "a valid group.id" in answer.message:
        return "group.id" not in found.case.complete()
    missing = _MISSING.search(answer.message)
    key = next(filter(None, missing.groups()), "") if missing else ""
    return bool(key) and key not in found.case.complete()


def _class_path(found: Comparison, answer: Answer) -> bool:
    named = _CLASS.search(answer.message)
    if named:
        name = next(filter(None, named.groups()), "")
        # Others put classes into packages below Kafka's, and none into Kafka's own.
        # The jar of MirrorMaker is on few class paths.
        theirs = _package(name) not in packages() or ".connect.mirror." in name
        return not name.startswith("org.apache.kafka.") or theirs
    # Up to 3.9 a consumer or producer that has none of its reporters fails once more while it closes.
    if (
        "this.clientTelemetryReporter" in answer.message
        and "metric.reporters" in found.case.properties
    ):
        return True
    return answer.error in ("ClassNotFoundException", "NoClassDefFoundError")


def _package(name: str) -> str:
    return name.rpartition(".")[0]


def _at_the_brokers(found: Comparison, answer: Answer) -> bool:
    if found.case.plane not in (*WORKERS, "streams"):
        return False
    if "conflict topic config setting" in answer.message:
        return any(key.startswith(_TOPICS) for key in found.case.complete())
    return "Unknown topic config name" in answer.message or (
        "Invalid value" in answer.message
        and any(
            f"{prefix}{key}" in found.case.complete()
            for prefix in _TOPICS
            for key in _named(answer)
        )
    )


#: Prefixes of what is set for topics that the process makes, if they are not there already.
_TOPICS = ("topic.", "config.storage.", "offset.storage.", "status.storage.")


def _global(found: Comparison, answer: Answer) -> bool:
    """What only the consumer of a global store gets."""
    given = found.case.complete()
    return found.case.plane == "streams" and any(
        f"global.consumer.{key}" in given and key in answer.message
        for key in (name.removeprefix("global.consumer.") for name in given)
    )


def _named(answer: Answer) -> list[str]:
    """The keys that an answer is about."""
    return re.findall(r"for configuration ([\w.]+)", answer.message)


def _machine(found: Comparison, answer: Answer) -> bool:
    if answer.error in ("NoSuchFileException", "NoSuchAlgorithmException", "LoginException"):
        return True
    # From 4.0 on a system property names the addresses that may be asked for tokens.
    return bool(_MACHINES.search(answer.message)) or _OAUTH in answer.message


def _empty_roles(found: Comparison, answer: Answer) -> bool:
    given = found.case.complete()
    roles = (found.case.host(found.release) if found.case.plane in INSIDE else given).get(
        "process.roles"
    )
    return roles is not None and not roles.strip() and found.release.startswith(("4.0", "4.1"))


def _null_algorithm(found: Comparison, answer: Answer) -> bool:
    return {*found.codes} == {"KC0109"} and {*found.keys} == {
        "ssl.endpoint.identification.algorithm"
    }


def _at_the_tasks(found: Comparison, answer: Answer) -> bool:
    given = found.case.complete()
    if found.case.plane == "mirror":
        # The driver hands its keys on, and checks its own alone.
        return not {*found.keys} <= DRIVERS
    if found.case.plane not in CONNECTORS:
        return False
    if found.case.plane in MIRRORS and {*found.keys} <= _OF_FILTERS:
        return True
    if {*found.keys} == {"connector.class"}:
        # The worker looks its class up before it asks the class what is valid.
        return True
    return " of connector one" in found.detail or all(
        key not in given and any(name.endswith(f".{key}") for name in given) for key in found.keys
    )


#: What the filters of MirrorMaker's connectors read by ConfigDefs of their own when a connector starts.
_OF_FILTERS = {"topics", "topics.exclude", "groups", "groups.exclude", "config.properties.exclude"}
#: What MirrorMaker's driver reads of its file before it starts a connector.
DRIVERS = {
    *("listeners", "response.http.headers.config", "ssl.client.auth", "config.providers"),
    *("dedicated.mode.enable.internal.rest", "rest.advertised.port"),
}


#: What a listener or tiered storage reads: a started node of 4.4 stopped on a number out of range behind
#: the prefix of its listener, and took the same behind a prefix in capitals, and without tiered storage.
_LATE = ("listener.name.", "rlmm.config.")
#: Classes that a started node of 3.9 or 4.4 was seen to load, and to stop on.
_LOADED_AT_START = {
    *("metric.reporters", "group.share.dlq.manager.class.name", "client.quota.callback.class"),
    *("authorizer.class.name", "replica.selector.class", "group.share.persister.class.name"),
    *("alter.config.policy.class.name", "create.topic.policy.class.name"),
}


#: Classes that a standalone worker of 4.4 was seen to load beside its broker, and to stop on.
_LOADED_BY_WORKERS = {"connector.client.config.override.policy", "rest.extension.classes"}
#: What Streams reads in AssignorConfiguration, which assigns the first tasks.
_READ_TO_ASSIGN = {"task.assignor.class", "internal.task.assignor.class", "application.server"}


def _at_start(found: Comparison, answer: Answer) -> bool:
    if found.case.plane == "streams":
        return {*found.keys} <= _READ_TO_ASSIGN
    if found.case.plane in WORKERS:
        return all(key in _LOADED_BY_WORKERS or "listeners.https." in key for key in found.keys)
    tiered = found.case.complete().get("remote.log.storage.system.enable", "").strip() == "true"
    if found.case.plane in (*BROKERS, *INSIDE) and all(
        (key.startswith(_LATE) and (tiered or not key.startswith("rlmm.")))
        or key in _LOADED_AT_START
        for key in found.keys
    ):
        return True
    late = {"KC0402", "KC0407", "KC0109"}
    if {*found.keys} == {"authorizer.class.name"}:
        late.add("KC0206")
    if {*found.keys} <= _LOADED_AT_START:
        late |= {"KC0207", "KC0208"}
    return found.case.plane in BROKERS and {*found.codes} <= late


def _placeholder(found: Comparison, answer: Answer) -> bool:
    given = texts(found.case)
    if any(text and _TEMPLATED.fullmatch(text.strip()) for text in given.values()):
        return True
    own = found.case.plane in (*BROKERS, *WORKERS)
    if any(text and (_SHELL if own else _DOLLAR).search(text) for text in given.values()):
        return True
    entries = [entry.strip() for key in _ADDRESSES for entry in (given.get(key) or "").split(",")]
    return any(
        re.fullmatch(r"\W?[A-Z_]+\W?|[a-zA-Z]+( [a-zA-Z]+)+", entry) and entry in answer.message
        for entry in entries
    )


_ADDRESSES = (
    "bootstrap.servers",
    "bootstrap.controllers",
    "controller.quorum.bootstrap.servers",
    "controller.quorum.voters",
)


_CLIENTS = ("producer", "consumer", "admin", "streams")


def _mixed(found: Comparison, answer: Answer) -> bool:
    plane, keys = found.case.plane, {*found.case.complete()}
    if plane in _CLIENTS and found.read_as not in ("", plane):
        return True
    if plane == "admin" and client_kind("admin.properties", keys) != plane:
        return True
    return plane in ("producer", "consumer", "admin", "streams") and bool(BROKER_SIGNS & keys)


def _nobody(found: Comparison, answer: Answer) -> bool:
    given = found.case.complete()
    named = "node.id" in given or "broker.id" in given
    return found.case.plane in BROKERS and not (named or given.get("process.roles", "").strip())


def _internal(found: Comparison, answer: Answer) -> bool:
    return "buffer.memory.allocation.strategy" in answer.message


def _others(found: Comparison, answer: Answer) -> bool:
    return "config name: confluent." in answer.message or any(
        key.startswith("confluent.") for key in found.case.properties
    )


def _form(found: Comparison, answer: Answer) -> bool:
    texts = [text.strip() for text in found.case.complete().values()]
    empty = texts.count("")
    return (empty >= 3 and empty * 2 > len(texts)) or texts.count("null") >= 3


def _two_spellings(found: Comparison, answer: Answer) -> bool:
    text = found.case.complete().get("listener.security.protocol.map") or ""
    names = {entry.rpartition(":")[0].strip() for entry in text.split(",")}
    return len({name.upper() for name in names}) < len(names) and "protocol.map" in found.detail


def _quota_of_zookeeper(found: Comparison, answer: Answer) -> bool:
    return found.release.startswith("3.") and "must be greater than 0" in answer.message


def _referring(found: Comparison, answer: Answer) -> bool:
    """A program may list providers that no file has; what a listed one gives is the machine's."""
    plane, given = found.case.plane, texts(found.case)
    asked = [text for text in given.values() if text and _REFERENCE.search(text)]
    if plane in (*BROKERS, *WORKERS) and found.kind == "missed" and asked:
        defined = [name.split(".")[2] for name in given if name.startswith("config.providers.")]
        return any(f"${{{name}:" in text for text in asked for name in defined)
    return bool(asked)


def _mirror_worker(found: Comparison, answer: Answer) -> bool:
    return found.case.plane == "mirror" and "plugin.discovery" in answer.message


def _legacy(found: Comparison, answer: Answer) -> bool:
    given = found.case.complete()
    return found.release.startswith("2.8") and any(
        key in given for key in ("host.name", "port", "advertised.host.name", "advertised.port")
    )


#: (kinds of differences, reason, whether it holds there), the first one that holds counts.
EXCEPTIONS: tuple[tuple[tuple[str, ...], str, Callable[[Comparison, Answer], bool]], ...] = (
    (("missed",), PIECES, _piece),
    (("missed",), CLASS_PATH, _class_path),
    (("missed",), AT_THE_BROKERS, _at_the_brokers),
    (("missed",), MACHINE, _machine),
    (("false",), NULL_ALGORITHM, _null_algorithm),
    (("false",), AT_START, _at_start),
    (("false",), AT_THE_TASKS, _at_the_tasks),
    (("missed", "value"), PLACEHOLDER, _placeholder),
    (("missed", "value"), PROVIDERS, _referring),
    (("missed",), QUOTA_OF_ZOOKEEPER, _quota_of_zookeeper),
    (("missed",), OTHERS, _others),
    (("missed",), FORM, _form),
    (("missed",), MIRROR_WORKER, _mirror_worker),
    (("value",), TWO_SPELLINGS, _two_spellings),
    (("missed", "value"), LEGACY, _legacy),
    (("false", "value"), EMPTY_ROLES, _empty_roles),
    (("missed",), NOBODY, _nobody),
    (("missed", "false", "value"), MIXED, _mixed),
    (("missed",), INTERNAL, _internal),
    (("missed",), GLOBAL, _global),
)


def reason(found: Comparison, answer: Answer) -> str:
    """Why the two may differ there; "" where nothing excuses it."""
    for kinds, why, holds in EXCEPTIONS:
        if found.kind in kinds and holds(found, answer):
            return why
    return ""


#: Rules on refusals with fewer different cases than others on a side, and why.
FEW: dict[str, str] = {
    "KC0101": "a key that is unknown and that nobody takes for his own: its neighbour sets the same key where it is known",
    "KC0109": "the word null in few spellings, of few keys",
    "KC0201": "a neighbour sets what was removed in a version that has it still",
    "KC0206": "the classes that Kafka has removed, under the keys that name them",
    "KC0406": "the mechanism between brokers beside those that are enabled: five names",
    "KC0409": "an empty mechanism under two protocols",
    "KC0702": "zero under three keys",
    "KC0709": "an empty list of directories has few spellings",
    "KC0729": "zero on four kinds of nodes",
    "KC0741": "a switch of the topic against one of the broker",
    "KC0747": "3.7 alone among the releases asked",
    "KC0801": "zero connections without an override, on four kinds of nodes",
    "KC0907": "true in few spellings, without a group",
    "KC0908": "an empty name is one text, of a consumer and of a share consumer",
    "KC0937": "four assignors twice, in few orders: what is no class is refused for that",
    "KC0942": "4.4 alone, and a neighbour needs one free name in the group's and in the brokers' key",
    "KC1004": "two keys that exclude each other: nothing that sets both is taken",
    "KC1013": "ZooKeeper alone takes a control plane listener: the drawing knows two names beside it",
    "KC1102": "an identity that lacks or is below zero, beside the roles",
    "KC1105": "a node without roles: what lacks has no text",
    "KC1109": "an empty list of names, or none, beside the roles",
    "KC1113": "the listener between brokers of a controller alone: few names beside their map",
    "KC1119": "listeners that start early, beside those that a node has: few names",
    "KC1123": "no address of ZooKeeper: what lacks has no text",
    "KC1202": "no retries in the spellings of zero, beside few ways to ask for idempotence",
    "KC1405": "what a worker or connector needs and lacks has no text",
    "KC1502": "five numbers of requests in flight, in their spellings",
    "KC1603": "two words that a consumer takes: what it refuses counts for that",
    "KC1602": "one switch without the other, which are true or false",
}

#: Rules of which the sample holds fewer cases than it should: (refused, taken) that it has.
SPARSE: dict[str, tuple[int, int]] = {
    "KC0942": (68, 9),
    "KC1004": (69, 0),
}
