"""KC07: what tiered storage needs on the brokers, and what it makes of segments and fetches."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.edges import Connects
from kcheck.graph.listeners import addresses
from kcheck.graph.nodes import Broker
from kcheck.graph.topics import Topic
from kcheck.lexicon.planes import METADATA_PREFIX
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
    """Tiered storage is on, and nothing says where to.

    Kafka brings no remote storage of its own: remote.log.storage.manager.class.name must name a
    plug-in. A broker without one ends its start with an exception.

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
    Good: a piece of a configuration
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
        breaks="the broker does not start: there is no remote storage manager to load",
        fix=f"set {_STORAGE} (and its class.path) to a plug-in, or switch tiered storage off",
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
    """The listener of the remote log metadata manager is none of the broker.

    The manager of remote metadata is a client of its own broker; the name tells by which of its
    listeners. A broker that has none of that name does not start.

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
    Good: off, so nobody looks
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
        f"{broker}: {plain(named)} is none of its listeners ({', '.join(names)})",
        at=named,
        because=(broker["listeners"],),
        breaks="the broker does not start (ConfigException)",
        fix=f"set {_LISTENER} to {' or '.join(names)}" if names else f"remove {_LISTENER}",
        set_to="".join(names) if len(names) == 1 else None,
    )


@rule(
    "KC0755",
    "tier-active-segment",
    INFO,
    on=("remote.storage.enable",),
    refs=("KIP-405",),
    invariants=("tier-active-segment",),
    versions="3.6+",
)
def tier_active_segment(topic: Topic) -> Iterator[Finding]:
    """A tiered topic keeps records on the brokers' disks for longer than it says.

    Only closed segments are copied, and only what is copied is deleted locally. On a quiet topic a
    segment stays open for segment.ms: local.retention.ms below that is not kept.

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
    """
    if topic["remote.storage.enable"].value is not True:
        return
    local, roll = topic["local.retention.ms"], topic["segment.ms"]
    if not 0 <= local.number < roll.number:
        return
    at, *because = written_first(local, roll)
    yield topic.finding(
        f"topic {topic.name} keeps segments open for {in_ms(roll)}, {in_ms(local)} is less",
        at=at,
        because=because,
        breaks="while a segment is open it is neither copied nor deleted: a quiet partition keeps it "
        "on the local disk for the longer time",
        fix=f"set segment.ms of {topic.name} to {int(local.number)} or less",
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
    """A broker waits longer for the remote tier than its consumers wait for the broker.

    A fetch of old records is held until they have come from the remote storage, at most for
    remote.fetch.max.wait.ms. A consumer that gives up before sends the same fetch again, for ever.

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
        f"{edge.broker} waits for the remote tier for {in_ms(wait)}, {edge.client} waits for the broker "
        f"for {in_ms(patience)}",
        at=at,
        because=because,
        breaks="the consumer gives up first and asks again: it never gets records that come slowly",
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
    """The manager of remote metadata cannot log in to its own broker.

    It is a client of the listener that remote.log.metadata.manager.listener.name names, and gets that
    listener's protocol; how it logs in must be told to it with keys behind
    rlmm.config.remote.log.metadata.common.client. Otherwise it tries GSSAPI, the default.

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
    Good: no login
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
    told = [f"{prefix}{_CLIENTS}{role}.sasl.mechanism" for role in _ROLES]
    if not prefix or broker.sets_any(frozenset(told)) or broker.sets(_METADATA):
        return
    yield broker.finding(
        f"{broker}: the manager of remote metadata logs in to listener {name} by {_KERBEROS}, the "
        f"default, and {plain(offered)}",
        at=named,
        because=(offered,),
        breaks="it never gets to its metadata: nothing is copied to the remote storage, or read from it",
        fix=f"set {told[0]} and {prefix}{_CLIENTS}common.client.sasl.jaas.config, or name a listener "
        "without a login",
    )
