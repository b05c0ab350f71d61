"""KC01: dynamic settings of brokers: those that Kafka refuses, and those that hide what files say."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue
from kcheck.graph.cluster import Cluster, ClusterWithNodes
from kcheck.graph.nodes import Broker
from kcheck.graph.resolve import from_default, from_setting
from kcheck.model import ERROR, WARNING, Finding, Setting, Value
from kcheck.rule import CHANGED, FAILED, rule
from kcheck.wording import count, plain

_PREFIX = "listener.name."


#: What a listener may have of its own in the defaults of all brokers.
_SHARED_BY_LISTENER = ("max.connections", "max.connection.creation.rate", "num.network.threads")


_POOLS = (
    "num.io.threads",
    "num.network.threads",
    "num.replica.fetchers",
    "num.recovery.threads.per.data.dir",
    "background.threads",
    "log.cleaner.threads",
)


_OVERRIDES = "max.connections.per.ip.overrides"


def _dynamic(cluster: Cluster) -> list[Setting]:
    """The settings that are to hold for all brokers while they run."""
    return list(cluster.declaration.dynamic.values()) if cluster.declaration else []


def _value(cluster: Cluster, setting: Setting) -> Value:
    return from_setting(setting.key, setting, cluster.resource, "broker", cluster.version)


def _of_listener(key: str) -> tuple[bool, str]:
    """Whether a key is one listener's own, and the key without the listener's name."""
    if key.startswith(_PREFIX):
        return True, key.removeprefix(_PREFIX).partition(".")[2]
    return False, key


def _modes(cluster: Cluster, key: str) -> set[str]:
    """How the key can be changed, in the version in use or in all that may be."""
    return {fact.mode for fact in catalogue.possible("broker", key, cluster.version)}


@rule(
    "KC0140",
    "dyn-not-dynamic",
    ERROR,
    kafka=FAILED,
    broker_side=True,
    invariants=("dyn-not-dynamic", "dyn-per-broker-only", "dyn-listeners-kraft"),
)
def dyn_not_dynamic(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A dynamic setting can only be set in the files of brokers.

    Kafka refuses the whole request: nothing of it is changed. Some keys can be changed for each
    broker alone, most of all those of listeners, and not for all brokers at once.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, dynamic_config: {num.partitions: 12}}
    Bad: the coarser unit of a time
        --- kcheck.yaml
        cluster: {brokers: 3, dynamic_config: {log.retention.hours: 24}}
    Bad: each broker has its own key store
        --- kcheck.yaml
        cluster: {brokers: 3, dynamic_config: {listener.name.external.ssl.keystore.location: /etc/kafka/k.p12}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, dynamic_config: {log.retention.ms: 86400000, listener.name.external.max.connections: 500}}
    Good: a key of somebody's plug-in
        --- kcheck.yaml
        cluster: {brokers: 3, dynamic_config: {com.example.rate: 3}}
    """
    for setting in _dynamic(cluster):
        key = setting.key
        own, tail = _of_listener(key)
        modes = _modes(cluster, tail)
        if modes == {"read-only"}:
            breaks = f"kafka-configs is refused: cannot update {key} dynamically"
            fix = f"set {key} in the files of the brokers and restart them one by one"
        elif modes == {"per-broker"} or (own and tail not in _SHARED_BY_LISTENER):
            breaks = f"kafka-configs is refused: cannot update {key} at default cluster level"
            fix = f"set {key} for each broker (--entity-name ID)"
        else:
            continue
        yield cluster.finding(
            f"{key} is among the dynamic settings of all brokers of {cluster.name}",
            at=_value(cluster, setting),
            breaks=breaks,
            fix=fix,
        )


@rule(
    "KC0141",
    "dyn-shadow",
    WARNING,
    kafka=CHANGED,
    broker_side=True,
    invariants=("dyn-shadow",),
)
def dyn_shadow(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A dynamic setting hides what the brokers' files say.

    Dynamic values are kept in the cluster and win over the files, after every restart too. Whoever
    edits the file changes nothing.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {message.max.bytes: 5242880}, dynamic_config: {message.max.bytes: 1048588}}
    Bad: as the cluster tells it
        --- configs.txt
        Dynamic configs for broker 1 are:
          log.cleaner.threads=4 sensitive=false synonyms={DYNAMIC_BROKER_CONFIG:log.cleaner.threads=4}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.cleaner.threads=2
    Good: they agree
        --- kcheck.yaml
        cluster: {brokers: 3, config: {message.max.bytes: 5242880}, dynamic_config: {message.max.bytes: 5242880}}
    Good: the finer unit over the coarser one is how to change it
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.retention.hours: 72}, dynamic_config: {log.retention.ms: 3600000}}
    """
    told: set[str] = set()
    owner = cluster.declaration
    for broker in cluster.brokers:
        files = {**(owner.settings if owner else {}), **broker.resource.settings}
        for key, late in broker.merged.items():
            early = files.get(key)
            if early is None or key in told:
                continue
            hidden, wins = _value(cluster, early), _value(cluster, late)
            if not hidden.known or not wins.known or hidden.value == wins.value:
                continue
            told.add(key)
            yield cluster.finding(
                f"{plain(hidden)} of {broker} is hidden by the dynamic {plain(wins)}",
                at=hidden,
                because=(wins,),
                breaks="what the file says has no effect, now and after every restart",
                fix=f"remove the dynamic value (kafka-configs --alter --delete-config {key}), or the "
                "line in the file",
            )


@rule(
    "KC0142",
    "dyn-thread-halving",
    WARNING,
    kafka=FAILED,
    broker_side=True,
    invariants=("dyn-thread-halving",),
)
def dyn_thread_halving(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A dynamic thread pool is resized by more than a factor of two in one step.

    A running broker takes no more than that in one step, and no pool without a thread. Reckoned from
    what the file or the default says; whoever changed it since has another start.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, dynamic_config: {num.io.threads: 32}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, dynamic_config: {num.io.threads: 16}}
    Good: from what the file says
        --- kcheck.yaml
        cluster: {brokers: 3, config: {num.io.threads: 24}, dynamic_config: {num.io.threads: 32}}
    """
    for setting in _dynamic(cluster):
        if setting.key not in _POOLS:
            continue
        wanted = _value(cluster, setting)
        for broker in cluster.brokers:
            running = _at_start(broker, setting.key)
            if wanted.number > 2 * running:
                step = 2 * running
            elif wanted.number < running // 2:
                step = running // 2
            else:
                continue
            first = f"set {int(step)} first, then go on from there, or " if step else ""
            yield cluster.finding(
                f"{plain(wanted)} is to be set while brokers run with "
                f"{count(int(running), 'thread')}",
                at=wanted,
                breaks="the change is refused in one step: not beyond the double or the half of what "
                "runs",
                fix=f"{first}set it in the file and restart",
            )
            break


def _at_start(broker: Broker, key: str) -> float:
    """The number that a broker starts with: its file's, else the default; NaN where unknown."""
    shared = broker.cluster.declaration
    files = {**(shared.settings if shared else {}), **broker.resource.settings}
    if key in files:
        return _value(broker.cluster, files[key]).number
    return from_default(key, broker.resource, "broker", broker.version).number


@rule(
    "KC0143",
    "dyn-overrides-host",
    WARNING,
    kafka=FAILED,
    broker_side=True,
    invariants=("dyn-overrides-host",),
)
def dyn_overrides_host(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """An exception among the dynamic settings names a host instead of an address.

    Kafka takes any text when max.connections.per.ip.overrides is changed, and looks the host up at
    each start. Where the name does not resolve then, it logs that the defaults of the cluster could
    not be applied, all of them, and runs on without some; the settings still read as if they held.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, dynamic_config: {max.connections.per.ip.overrides: "gateway.example.com:500"}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, dynamic_config: {max.connections.per.ip.overrides: "10.1.2.3:500,fe80::1:20"}}
    Good: a file is checked at the start
        --- kcheck.yaml
        cluster: {brokers: 3, config: {max.connections.per.ip.overrides: "gateway.example.com:500"}}
    """
    for setting in _dynamic(cluster):
        if setting.key != _OVERRIDES or setting.text is None:
            continue
        for entry in setting.text.split(","):
            host = entry.strip().rpartition(":")[0]
            if host and ":" not in host and not host.replace(".", "").isdigit():
                yield cluster.finding(
                    f"the dynamic {_OVERRIDES} names {host}",
                    at=_value(cluster, setting),
                    breaks="if the name does not resolve at a start, the brokers log an error and do "
                    "not apply the dynamic defaults as a whole",
                    fix=f"write the address that {host} has",
                )
                break


_ENCODER = "password.encoder.secret"


@rule(
    "KC0144",
    "sec-password-encoder",
    ERROR,
    kafka=FAILED,
    broker_side=True,
    invariants=("sec-password-encoder",),
    versions="ZooKeeper mode, up to 3.9",
)
def sec_password_encoder(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A dynamic password is set without password.encoder.secret.

    With ZooKeeper dynamic passwords are stored there, encrypted with password.encoder.secret of the
    broker's file. Without that key Kafka refuses the change.

    Bad:
        --- kcheck.yaml
        cluster:
          kafka_version: "3.9"
          brokers: 3
          config: {zookeeper.connect: "zk1:2181"}
          dynamic_config: {ssl.keystore.password: "${STORE_PASSWORD}"}
    Good:
        --- kcheck.yaml
        cluster:
          kafka_version: "3.9"
          brokers: 3
          config: {zookeeper.connect: "zk1:2181", password.encoder.secret: "${SECRET}"}
          dynamic_config: {ssl.keystore.password: "${STORE_PASSWORD}"}
    Good: KRaft keeps it in the metadata log
        --- kcheck.yaml
        cluster:
          kafka_version: "3.9"
          brokers: 3
          config: {process.roles: broker}
          dynamic_config: {ssl.keystore.password: "${STORE_PASSWORD}"}
    """
    lacking = (b for b in cluster.brokers if b.kraft is False and not b.sets(_ENCODER))
    broker = next(lacking, None)
    if broker is None:
        return
    for setting in _dynamic(cluster):
        _, key = _of_listener(setting.key)
        facts = catalogue.possible("broker", key, cluster.version)
        if not any(fact.type == "password" for fact in facts):
            continue
        yield cluster.finding(
            f"{setting.key} is a dynamic setting, and {_ENCODER} is not set",
            at=_value(cluster, setting),
            because=(broker[_ENCODER],),
            breaks="kafka-configs is refused: dynamic passwords need the secret that encrypts them",
            fix=f"set {_ENCODER} in the file of every broker, alike",
        )
        return
