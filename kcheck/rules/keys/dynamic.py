"""KC01: dynamic broker settings: those that Kafka rejects, and those that override files."""

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


#: What a listener may override in the cluster-wide defaults.
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
    """The dynamic settings of all brokers: those that are declared, and those that an operator sends."""
    declared = list(cluster.declaration.dynamic.values()) if cluster.declaration else []
    return [*declared, *_sent(cluster, True)]


def _sent(cluster: Cluster, shared: bool) -> list[Setting]:
    """The dynamic settings that an operator sends to all brokers, or to single ones."""
    return [
        setting
        for one in cluster.described
        if one.traits.deployer and (one.name == "brokers") is shared
        for setting in one.settings.values()
    ]


def _value(cluster: Cluster, setting: Setting) -> Value:
    return from_setting(setting.key, setting, cluster.resource, "broker", cluster.version)


def _of_listener(key: str) -> tuple[bool, str]:
    """Whether a key belongs to one listener, and the key without the listener prefix."""
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
    """A read-only or per-broker key is set dynamically for all brokers.

    Kafka rejects the whole request and changes nothing. Some keys, mostly those of listeners, can be
    changed only per broker, not for all brokers at once.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, dynamic_config: {num.partitions: 12}}
    Bad: a time in the coarser unit
        --- kcheck.yaml
        cluster: {brokers: 3, dynamic_config: {log.retention.hours: 24}}
    Bad: each broker has its own keystore
        --- kcheck.yaml
        cluster: {brokers: 3, dynamic_config: {listener.name.external.ssl.keystore.location: /etc/kafka/k.p12}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, dynamic_config: {log.retention.ms: 86400000, listener.name.external.max.connections: 500}}
    Bad: Koperator, of one broker
        --- cluster.yaml
        apiVersion: kafka.banzaicloud.io/v1beta1
        kind: KafkaCluster
        metadata: {name: core}
        spec: {brokers: [{id: 0, brokerConfig: {config: "broker.rack=a"}}]}
    Good: a key of a plugin
        --- kcheck.yaml
        cluster: {brokers: 3, dynamic_config: {com.example.rate: 3}}
    Good: Koperator, keys of brokers
        --- cluster.yaml
        apiVersion: kafka.banzaicloud.io/v1beta1
        kind: KafkaCluster
        metadata: {name: core}
        spec:
          clusterWideConfig: "log.retention.ms=86400000"
          brokers: [{id: 0, readOnlyConfig: "broker.rack=a", brokerConfig: {config: "num.io.threads=8"}}]
    """
    for setting in _sent(cluster, False):
        if _modes(cluster, _of_listener(setting.key)[1]) == {"read-only"}:
            yield cluster.finding(
                f"{cluster} sets {setting.key} as a dynamic value of one broker",
                at=_value(cluster, setting),
                breaks=f"Kafka rejects the request: cannot update {setting.key} dynamically",
                fix=f"set {setting.key} in the broker's file and do a rolling restart",
            )
    for setting in _dynamic(cluster):
        key = setting.key
        own, tail = _of_listener(key)
        modes = _modes(cluster, tail)
        if modes == {"read-only"}:
            breaks = f"Kafka rejects the request: cannot update {key} dynamically"
            fix = f"set {key} in the brokers' files and do a rolling restart"
        elif modes == {"per-broker"} or (own and tail not in _SHARED_BY_LISTENER):
            breaks = f"Kafka rejects the request: cannot update {key} at default cluster level"
            fix = f"set {key} per broker (--entity-name ID)"
        else:
            continue
        yield cluster.finding(
            f"{cluster} sets {key} as a dynamic default of all brokers",
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
    """A dynamic setting overrides the value in the brokers' files.

    Dynamic values are stored in the cluster and override the files, also after a restart. Editing the
    file changes nothing.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {message.max.bytes: 5242880}, dynamic_config: {message.max.bytes: 1048588}}
    Bad: as the cluster reports it
        --- configs.txt
        Dynamic configs for broker 1 are:
          log.cleaner.threads=4 sensitive=false synonyms={DYNAMIC_BROKER_CONFIG:log.cleaner.threads=4}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.cleaner.threads=2
    Good: equal values
        --- kcheck.yaml
        cluster: {brokers: 3, config: {message.max.bytes: 5242880}, dynamic_config: {message.max.bytes: 5242880}}
    Good: the dynamic value in the finer unit
        --- kcheck.yaml
        cluster: {brokers: 3, config: {log.retention.hours: 72}, dynamic_config: {log.retention.ms: 3600000}}
    """
    reported: set[str] = set()
    owner = cluster.declaration
    for broker in cluster.brokers:
        files = {**(owner.settings if owner else {}), **broker.resource.settings}
        for key, late in broker.merged.items():
            early = files.get(key)
            if early is None or key in reported:
                continue
            hidden, wins = _value(cluster, early), _value(cluster, late)
            if not hidden.known or not wins.known or hidden.value == wins.value:
                continue
            reported.add(key)
            yield cluster.finding(
                f"{broker} sets {plain(hidden)}, but the dynamic {plain(wins)} overrides it",
                at=hidden,
                because=(wins,),
                breaks="the value in the file has no effect, even after a restart",
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

    A running broker accepts no larger step, and no pool without a thread. The rule starts from the
    value in the file or the default; a dynamic change since then is unknown.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, dynamic_config: {num.io.threads: 32}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, dynamic_config: {num.io.threads: 16}}
    Good: relative to the value in the file
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
            first = f"set {int(step)} first and continue from there, or " if step else ""
            yield cluster.finding(
                f"{cluster} sets {plain(wanted)} dynamically, but its brokers run with "
                f"{count(int(running), 'thread')}",
                at=wanted,
                breaks="Kafka rejects the change: one step can at most double or halve the running "
                "number of threads",
                fix=f"{first}set {setting.key} in the file and restart",
            )
            break


def _at_start(broker: Broker, key: str) -> float:
    """The number a broker starts with: from its file, else the default; NaN where unknown."""
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
    """The dynamic max.connections.per.ip.overrides contains a host name instead of an IP address.

    Kafka accepts any text when max.connections.per.ip.overrides is changed, and resolves the host at
    each start. If the name does not resolve, the broker logs that the cluster defaults could not be
    applied as a whole and continues without some of them; kafka-configs still shows them as set.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, dynamic_config: {max.connections.per.ip.overrides: "gateway.example.com:500"}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, dynamic_config: {max.connections.per.ip.overrides: "10.1.2.3:500,fe80::1:20"}}
    Good: a file is validated at start
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
                    f"{cluster} sets the dynamic {_OVERRIDES} with the host name {host}",
                    at=_value(cluster, setting),
                    breaks="if the name does not resolve when a broker starts, the broker logs an "
                    "error and does not apply the dynamic defaults as a whole",
                    fix=f"replace {host} with its IP address",
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

    In ZooKeeper mode dynamic passwords are stored in ZooKeeper, encrypted with password.encoder.secret
    from the broker's file. Without that key Kafka rejects the change.

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
    Good: KRaft stores it in the metadata log
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
            f"{cluster} sets {setting.key} dynamically, but {_ENCODER} is not set",
            at=_value(cluster, setting),
            because=(broker[_ENCODER],),
            breaks=f"Kafka rejects the request: dynamic passwords require {_ENCODER} for encryption",
            fix=f"set {_ENCODER} to the same value in the file of every broker",
        )
        return
