"""KC07: what tiered storage requires of the brokers, and its effect on segments and fetches."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.edges import Connects
from kcheck.graph.listeners import addresses
from kcheck.graph.nodes import Broker
from kcheck.graph.topics import Topic
from kcheck.model import ERROR, INFO, WARNING, Finding
from kcheck.rule import FAILED, rule
from kcheck.wording import in_ms, plain

SWITCH = "remote.log.storage.system.enable"


_STORAGE = "remote.log.storage.manager.class.name"


LISTENER = "remote.log.metadata.manager.listener.name"


METADATA = "remote.log.metadata.manager.class.name"


@rule(
    "KC0753",
    "tier-rsm-class",
    ERROR,
    kafka=FAILED,
    on=(SWITCH,),
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
    switch, storage = broker[SWITCH], broker[_STORAGE]
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
    on=(LISTENER,),
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
    named, switch, found = broker[LISTENER], broker[SWITCH], addresses(broker)
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
        fix=f"set {LISTENER} to {' or '.join(names)}" if names else f"remove {LISTENER}",
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
    if edge.client.resource.kind != "consumer" or edge.broker[SWITCH].value is not True:
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
