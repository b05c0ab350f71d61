"""KC07: what tiered storage requires of the brokers, and its effect on segments and fetches."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.edges import Connects
from kcheck.graph.listeners import addresses
from kcheck.graph.nodes import Broker
from kcheck.graph.topics import Topic
from kcheck.lexicon.planes import METADATA_PREFIX, STORAGE_PREFIX
from kcheck.model import ERROR, INFO, WARNING, Finding
from kcheck.rule import FAILED, rule
from kcheck.wording import in_ms, plain

_SWITCH = "remote.log.storage.system.enable"


_STORAGE = "remote.log.storage.manager.class.name"


_LISTENER = "remote.log.metadata.manager.listener.name"


_METADATA = "remote.log.metadata.manager.class.name"


@rule(
    "KC0753",
    "tier-rsm-class",
    ERROR,
    kafka=FAILED,
    on=(_SWITCH,),
    broker_side=True,
    refs=("KIP-405",),
    invariants=("tier-rsm-class",),
    versions="3.6+",
)
def tier_rsm_class(broker: Broker) -> Iterator[Finding]:
    """Tiered storage is enabled without a remote storage manager.

    Kafka ships no remote storage of its own: remote.log.storage.manager.class.name must name a
    plugin. A broker without one fails to start with an exception.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "4.1"}
        --- server.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER
        remote.log.storage.system.enable=true
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "4.1"}
        --- server.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER
        remote.log.storage.system.enable=true
        remote.log.storage.manager.class.name=io.aiven.kafka.tieredstorage.RemoteStorageManager
    Good: a partial configuration
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", brokers: 3, config: {remote.log.storage.system.enable: true}}
    """
    switch, storage = broker[_SWITCH], broker[_STORAGE]
    complete = broker.resource.traits.by_environment
    if switch.value is not True or broker.version.below("3.6") or not (broker.whole or complete):
        return
    if storage.text or not storage.known:
        return
    yield broker.finding(
        f"{broker} sets {plain(switch)} without {_STORAGE}",
        at=switch,
        because=(storage,),
        breaks="the broker fails to start: there is no remote storage manager to load",
        fix=f"set {_STORAGE} (and its class.path) to a plugin, or disable tiered storage",
    )


@rule(
    "KC0754",
    "tier-listener",
    ERROR,
    kafka=FAILED,
    on=(_LISTENER,),
    broker_side=True,
    refs=("KIP-405",),
    invariants=("tier-listener",),
    versions="3.6+",
)
def tier_listener(broker: Broker) -> Iterator[Finding]:
    """remote.log.metadata.manager.listener.name is not one of the broker's listeners.

    The remote log metadata manager is a client of its own broker and connects to the named
    listener. A broker without a listener of that name fails to start.

    Bad:
        --- server.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092
        remote.log.storage.system.enable=true
        remote.log.storage.manager.class.name=com.example.Manager
        remote.log.metadata.manager.listener.name=INTERNAL
    Good:
        --- server.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092
        remote.log.storage.system.enable=true
        remote.log.storage.manager.class.name=com.example.Manager
        remote.log.metadata.manager.listener.name=PLAINTEXT
    Good: disabled, so not checked
        --- server.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092
        remote.log.metadata.manager.listener.name=INTERNAL
    """
    named, switch, found = broker[_LISTENER], broker[_SWITCH], addresses(broker)
    if switch.value is not True or not found.known or not named.text:
        return
    if not broker["listeners"].written:
        return
    names = [one.name for one in found.listeners if one.name not in found.quorum]
    if named.text.strip().upper() in names:
        return
    yield broker.finding(
        f"{broker}: {plain(named)} is not one of its listeners ({', '.join(names)})",
        at=named,
        because=(broker["listeners"],),
        breaks="the broker fails to start (ConfigException)",
        fix=f"set {_LISTENER} to {' or '.join(names)}" if names else f"remove {_LISTENER}",
        set_to="".join(names) if len(names) == 1 else None,
    )


@rule(
    "KC0755",
    "tier-active-segment",
    INFO,
    by_name=True,
    on=("remote.storage.enable",),
    refs=("KIP-405",),
    invariants=("tier-active-segment",),
    versions="3.6+",
)
def tier_active_segment(topic: Topic) -> Iterator[Finding]:
    """A tiered topic keeps segments open for longer than local.retention.ms.

    Only closed segments are copied, and only copied segments are deleted locally. On a topic with
    few writes a segment stays open for segment.ms, so a shorter local.retention.ms is not enforced.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", brokers: 3, config: {remote.log.storage.system.enable: true}}
        topics:
          - {name: history, partitions: 6, config: {remote.storage.enable: true, local.retention.ms: 3600000, retention.ms: 2592000000}}
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", brokers: 3, config: {remote.log.storage.system.enable: true}}
        topics:
          - {name: history, partitions: 6, config: {remote.storage.enable: true, local.retention.ms: 86400000, segment.ms: 3600000, retention.ms: 2592000000}}
    Good: a topic of Kafka's own, which is never tiered
        --- kcheck.yaml
        cluster: {kafka_version: "4.1", brokers: 3, config: {remote.log.storage.system.enable: true}}
        topics:
          - {name: __remote_log_metadata, partitions: 50, config: {remote.storage.enable: true, local.retention.ms: 86400000, retention.ms: -1}}
    """
    if not topic.tiered:
        return
    local, roll = topic["local.retention.ms"], topic["segment.ms"]
    if not 0 <= local.number < roll.number:
        return
    at, *because = written_first(local, roll)
    yield topic.finding(
        f"topic {topic.name} keeps segments open for {in_ms(roll)}, but has {in_ms(local)}",
        at=at,
        because=because,
        breaks="an open segment is neither copied nor deleted: a partition with few writes keeps it "
        "on the local disk for segment.ms",
        fix=f"set segment.ms of topic {topic.name} to at most {int(local.number)}",
    )


@rule(
    "KC0756",
    "tier-fetch-wait",
    WARNING,
    refs=("KIP-405",),
    invariants=("tier-fetch-wait",),
    versions="3.8+",
)
def tier_fetch_wait(edge: Connects) -> Iterator[Finding]:
    """remote.fetch.max.wait.ms is not less than the consumer's request.timeout.ms.

    A fetch of old records waits for the remote storage, for at most remote.fetch.max.wait.ms. A
    consumer that times out earlier repeats the same fetch indefinitely.

    Bad:
        --- kcheck.yaml
        cluster:
          kafka_version: "4.1"
          brokers: 3
          config: {remote.log.storage.system.enable: true, remote.fetch.max.wait.ms: 60000}
        consumers:
          - {name: replay, config: {group.id: replay}}
    Good:
        --- kcheck.yaml
        cluster:
          kafka_version: "4.1"
          brokers: 3
          config: {remote.log.storage.system.enable: true, remote.fetch.max.wait.ms: 5000}
        consumers:
          - {name: replay, config: {group.id: replay}}
    """
    wait = edge.broker["remote.fetch.max.wait.ms"]
    if edge.client.resource.kind != "consumer" or edge.broker[_SWITCH].value is not True:
        return
    patience = edge.client["request.timeout.ms"]
    if not wait.number >= patience.number:
        return
    at, *because = written_first(wait, patience)
    yield edge.finding(
        f"{edge.client} has {in_ms(patience)}, but {edge.broker} waits for remote storage for "
        f"{in_ms(wait)}",
        at=at,
        because=because,
        breaks="the consumer times out first and retries: it never receives records that are slow to arrive",
        fix=f"set remote.fetch.max.wait.ms below {int(patience.number)}",
    )


_CLIENTS = "remote.log.metadata."


_ROLES = ("common.client", "producer", "consumer", "admin")


_KERBEROS = "GSSAPI"


@rule(
    "KC0757",
    "tier-metadata-login",
    ERROR,
    kafka=FAILED,
    on=(_LISTENER,),
    broker_side=True,
    refs=("KIP-405",),
    versions="3.6+",
)
def tier_metadata_login(broker: Broker) -> Iterator[Finding]:
    """The remote log metadata manager cannot authenticate to its own broker.

    It connects to the listener in remote.log.metadata.manager.listener.name with that listener's
    protocol; its credentials must be set with the prefix
    rlmm.config.remote.log.metadata.common.client. Otherwise it uses GSSAPI, the default.

    Bad:
        --- server.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER
        listeners=SASL_SSL://:9092
        listener.security.protocol.map=SASL_SSL:SASL_SSL,CONTROLLER:SASL_SSL
        security.inter.broker.protocol=SASL_SSL
        sasl.enabled.mechanisms=SCRAM-SHA-512
        remote.log.storage.system.enable=true
        remote.log.storage.manager.class.name=com.example.Manager
        remote.log.metadata.manager.listener.name=SASL_SSL
    Good:
        --- server.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER
        listeners=SASL_SSL://:9092
        listener.security.protocol.map=SASL_SSL:SASL_SSL,CONTROLLER:SASL_SSL
        security.inter.broker.protocol=SASL_SSL
        sasl.enabled.mechanisms=SCRAM-SHA-512
        remote.log.storage.system.enable=true
        remote.log.storage.manager.class.name=com.example.Manager
        remote.log.metadata.manager.listener.name=SASL_SSL
        rlmm.config.remote.log.metadata.common.client.sasl.mechanism=SCRAM-SHA-512
        rlmm.config.remote.log.metadata.common.client.sasl.jaas.config=${file:/run/secrets/kafka:jaas}
    Good: no authentication
        --- server.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9091,SASL_SSL://:9092
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL,CONTROLLER:SASL_SSL
        security.inter.broker.protocol=SASL_SSL
        sasl.enabled.mechanisms=SCRAM-SHA-512
        remote.log.storage.system.enable=true
        remote.log.storage.manager.class.name=com.example.Manager
        remote.log.metadata.manager.listener.name=PLAINTEXT
    """
    named, switch, found = broker[_LISTENER], broker[_SWITCH], addresses(broker)
    complete = broker.whole or broker.resource.traits.by_environment
    if switch.value is not True or not found.known or not named.text or not complete:
        return
    name = named.text.strip().upper()
    offered = broker.listener(name, "sasl.enabled.mechanisms")
    if not (found.protocols.get(name) or "").startswith("SASL") or not offered.text:
        return
    if _KERBEROS in [one.strip() for one in offered.text.split(",")]:
        return
    key, default = METADATA_PREFIX
    prefix = broker[key].text if broker.sets(key) else default
    mechanisms = [f"{prefix}{_CLIENTS}{role}.sasl.mechanism" for role in _ROLES]
    if not prefix or broker.sets_any(frozenset(mechanisms)) or broker.sets(_METADATA):
        return
    yield broker.finding(
        f"{broker}: the remote log metadata manager authenticates to listener {name} with "
        f"{_KERBEROS} (default), but {plain(offered)}",
        at=named,
        because=(offered,),
        breaks="it cannot access its metadata: nothing is copied to, or read from, remote storage",
        fix=f"set {mechanisms[0]} and {prefix}{_CLIENTS}common.client.sasl.jaas.config, or name a listener "
        "without authentication",
    )


#: By the key that names the prefix of a plug-in's settings: how such settings begin as a rule, and
#: what reads them.
_PREFIXES = {
    STORAGE_PREFIX[0]: ("rsm.", "the remote storage manager"),
    METADATA_PREFIX[0]: ("rlmm.", "the metadata manager"),
}


@rule("KC0780", "tier-prefix-unread", WARNING, on=(_SWITCH,), refs=("KIP-405",), versions="3.6+")
def tier_prefix_unread(broker: Broker) -> Iterator[Finding]:
    """Settings of tiered storage have a prefix that is not handed to its plug-ins.

    The remote storage manager receives the settings below remote.log.storage.manager.impl.prefix
    (rsm.config. by default), without that prefix, the metadata manager those below
    remote.log.metadata.manager.impl.prefix (rlmm.config.). Nothing reads a setting with another
    prefix.

    Bad:
        --- kcheck.yaml
        cluster:
          kafka_version: "4.1"
          config:
            remote.log.storage.system.enable: true
            remote.log.storage.manager.class.name: io.aiven.kafka.tieredstorage.RemoteStorageManager
            remote.log.metadata.manager.listener.name: PLAINTEXT
            rsm.s3.storage.s3.bucket.name: tier
    Bad: a prefix of its own
        --- kcheck.yaml
        cluster:
          kafka_version: "4.1"
          config:
            remote.log.storage.system.enable: true
            remote.log.storage.manager.class.name: io.aiven.kafka.tieredstorage.RemoteStorageManager
            remote.log.storage.manager.impl.prefix: rsm.s3.
            remote.log.metadata.manager.listener.name: PLAINTEXT
            rsm.config.storage.s3.bucket.name: tier
    Bad: the metadata manager
        --- kcheck.yaml
        cluster:
          kafka_version: "4.1"
          config:
            remote.log.storage.system.enable: true
            remote.log.storage.manager.class.name: io.aiven.kafka.tieredstorage.RemoteStorageManager
            remote.log.metadata.manager.listener.name: PLAINTEXT
            rlmm.remote.log.metadata.topic.num.partitions: 10
    Good:
        --- kcheck.yaml
        cluster:
          kafka_version: "4.1"
          config:
            remote.log.storage.system.enable: true
            remote.log.storage.manager.class.name: io.aiven.kafka.tieredstorage.RemoteStorageManager
            remote.log.storage.manager.impl.prefix: rsm.s3.
            remote.log.metadata.manager.listener.name: PLAINTEXT
            rsm.s3.storage.s3.bucket.name: tier
    """
    if broker[_SWITCH].value is not True:
        return
    for key, (start, reader) in _PREFIXES.items():
        prefix = broker[key]
        if not prefix.text:
            continue
        unread = sorted(
            name
            for name in broker.resource.settings
            if name.startswith(start) and not name.startswith(prefix.text)
        )
        if unread:
            first, *others = unread
            more = f" and {len(others)} more" if others else ""
            yield broker.finding(
                f"{broker} sets {first}{more}, but {reader} receives only settings below "
                f"{prefix.text}",
                at=broker[first],
                because=(prefix,),
                breaks="nothing reads them: the plug-in has none of these settings, and mostly fails "
                "to start the broker",
                fix=f"begin the keys with {prefix.text}, or set {key} to their prefix",
            )
