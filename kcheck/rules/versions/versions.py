"""KC02: keys and values that the version in use has removed."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue, images
from kcheck.graph.nodes import Broker, Misnamed, Node
from kcheck.graph.topics import Topic
from kcheck.grouping.place import installed
from kcheck.lexicon.check import assay
from kcheck.lexicon.name_faults import GONE, Name
from kcheck.lexicon.planes import FAMILIES
from kcheck.model import ERROR, INFO, WARNING, Finding, Setting
from kcheck.rule import CHANGED, REFUSED, SOME, rule
from kcheck.rules.shared.keys_wording import (
    ignored,
    key_evidence,
    of_confluent_server,
    respelt,
    strict,
    written,
)
from kcheck.rules.shared.renaming import removal, replacements, unmissed
from kcheck.version import Version
from kcheck.wording import plain


@rule(
    "KC0201",
    "upg-removed-keys-present",
    WARNING,
    kafka=REFUSED,
    invariants=(
        "mm2-removed-keys",
        "streams-removed",
        "upg-removed-keys-present",
        "zk-migration-leftover",
        "quota-defaults-removed",
        "timestamp-difference-legacy",
        "upg-ibp-static",
    ),
    versions="the version in use; without one, keys that every version since 3.0 ignores, and "
    "topic keys that newer versions reject",
)
def upg_removed_keys_present(node: Misnamed) -> Iterator[Finding]:
    """A key is set that Kafka has removed.

    Brokers ignore unknown keys silently, so a removed key changes behaviour unnoticed after an
    upgrade: advertised.host.name since 3.0, zookeeper.connect and inter.broker.protocol.version
    since 4.0. Kafka rejects removed topic keys, which is an error, or a warning while the version is
    unknown. A key that brokers, workers or clients ignore is an info where its value holds without it. So it
    is in files of an unknown version that something else installs: templates, roles, scripts, images,
    virtual machines.

    Bad:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.1", config: {zookeeper.connect: "zk1:2181"}}
    Bad: rejected
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "4.0"}
        topics:
          - {name: orders, config: {message.format.version: "2.8"}}
    Bad: removed since 3.0
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        advertised.host.name=k1.example.com
    Bad: a Scala producer key
        --- producer.properties
        bootstrap.servers=k1:9092
        acks=all
        request.required.acks=1
    Bad: the next upgrade meets it
        --- kcheck.yaml
        topics:
          - {name: orders, config: {message.downconversion.enable: false}}
    Good: still in this version
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9", config: {zookeeper.connect: "zk1:2181"}}
    Good: nobody knows the version
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
    Good: the image without a tag runs Kafka 2.8.1
        --- docker-compose.yml
        services:
          kafka:
            image: wurstmeister/kafka
            environment: {KAFKA_ADVERTISED_HOST_NAME: kafka, KAFKA_ZOOKEEPER_CONNECT: "z:2181"}
    Good: an old broker reads it
        --- kcheck.yaml
        cluster: {name: old, kafka_version: "0.8.2", config: {replica.lag.max.messages: 4000}}
    Good: Confluent Cloud still accepts it
        --- topics.tf
        resource "confluent_kafka_topic" "scans" {
          topic_name       = "scans"
          partitions_count = 6
          config = { "message.timestamp.difference.max.ms" = "3600000" }
        }
    Bad: a worker listens at all addresses anyway, an info
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=connect
        config.storage.topic=configs
        offset.storage.topic=offsets
        status.storage.topic=status
        rest.host.name=0.0.0.0
    Good: one file has the settings of a mirror's three connectors
        --- mm2.properties
        clusters=west,east
        west.bootstrap.servers=w1:9092
        east.bootstrap.servers=e1:9092
        west->east.enabled=true
        west->east.topics=orders
        west->east.emit.checkpoints.enabled=true
        emit.checkpoints.interval.seconds=10
        refresh.topics.interval.seconds=10
        --- kcheck.yaml
        cluster: {name: east, kafka_version: "4.0", client_version: "4.0", brokers: 3}
    """
    for setting, name in assay(node.resource, node.version).names:
        if name.kind == GONE and not (
            _served(node, setting.key)
            if isinstance(node, Topic)
            else of_confluent_server(node, setting.key)
        ):
            yield _gone(node, setting, name)


def _served(topic: Topic, key: str) -> bool:
    """Whether a service with keys of topics of its own accepts this one, whatever Kafka removed."""
    from kcheck import accepted
    from kcheck.rules.shared.service import service_of

    service = service_of(topic)
    if service is None or service.kafka:
        return False
    row = accepted.by(service.called, "topic", "").get(key)
    return row is not None and not row.closed


#: Whose keys without a successor did nothing that is missed: of a mirror's connectors, those that
#: Kafka 3.5 left to the others.
_LEFTOVERS = ("worker", "client", "connector")


def _installed(node: Node, setting: Setting, name: Name) -> bool:
    """Whether the release is told elsewhere, and not read: by what installs the file, a Vagrantfile or the
    tag of an image that nobody knows, which may look like a Kafka that still has the key."""
    image = node.resource.facts.get("image")
    tag = Version(images.split(image.text or "")[1]) if image is not None else node.version
    composed = node.resource.traits.composed
    return bool(composed) or tag.below(name.version) or installed(setting.path)


def _leftover(name: Name) -> bool:
    return not name.right and FAMILIES[name.place.plane] in _LEFTOVERS


def _gone(node: Node, setting: Setting, name: Name) -> Finding:
    right = " and ".join(name.right)
    since = f"which Kafka {name.version} removed"
    sure = node.version.at_least(name.version)
    if not sure and name.version == catalogue.minors()[1]:
        since = f"which Kafka {name.version}+ ignores"
    there = replacements(node, setting, name.right)
    fix = f"use {' and '.join(respelt(setting, key) or key for key in name.right)}"
    if there and len(there) == len(name.right):
        fix = removal(setting, there)
    if not right:
        fix = f"remove it; {name.note}" if name.note else "remove it"
    severity, some = WARNING, ""
    breaks = ignored(node, name)
    if strict(name):
        # Strict planes refuse the key, whatever it says.
        severity = ERROR if sure else WARNING
        if not sure:
            breaks += f" (Kafka {name.version} and later)"
            some = SOME
    elif not sure and (not right or there or _installed(node, setting, name)):
        # Whether it is removed here is unknown, and nothing is missing without it; or some other file
        # decides which release runs.
        severity = INFO
    elif _leftover(name) or unmissed(node, setting, name, there):
        severity = INFO
    finding = node.finding(
        f"{node} sets {written(setting)}, {since}" + (f" in favour of {right}" if right else ""),
        at=key_evidence(node, setting, setting.key),
        breaks=breaks,
        fix=fix,
        severity=severity,
    )
    finding.kafka = some
    return finding


_MIGRATION = "zookeeper.metadata.migration.enable"


@rule(
    "KC0204",
    "zookeeper-keys-in-kraft",
    WARNING,
    kafka=CHANGED,
    on=("process.roles",),
    invariants=("zk-migration-leftover", "sec-zk-leftovers"),
    versions="up to 3.9 and unknown ones; from 4.0 upg-removed-keys-present reports them",
)
def zookeeper_keys_in_kraft(broker: Broker) -> Iterator[Finding]:
    """A node in KRaft mode sets ZooKeeper keys.

    A node with process.roles keeps its metadata in the controller quorum; it reads zookeeper.connect
    only during a migration, with zookeeper.metadata.migration.enable=true.

    Bad:
        --- server.properties
        node.id=1
        process.roles=broker
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER
        log.dirs=/data/kafka
        zookeeper.connect=zk1:2181
    Bad: ACLs for ZooKeeper
        --- server.properties
        node.id=1
        process.roles=broker
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER
        log.dirs=/data/kafka
        zookeeper.set.acl=true
    Good: during the migration
        --- server.properties
        node.id=1
        process.roles=broker
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER
        log.dirs=/data/kafka
        zookeeper.connect=zk1:2181
        zookeeper.metadata.migration.enable=true
    Good: a dump lists every key
        --- configs.txt
        All configs for broker 1 are:
          process.roles=broker sensitive=false synonyms={STATIC_BROKER_CONFIG:process.roles=broker}
          zookeeper.ssl.client.enable=false sensitive=false synonyms={DEFAULT_CONFIG:zookeeper.ssl.client.enable=false}
    Good: without process.roles it is a ZooKeeper broker
        --- server.properties
        broker.id=1
        log.dirs=/data/kafka
        zookeeper.connect=zk1:2181
    """
    settings = broker.resource.settings
    # A dump of a broker's configuration lists every key, set or not.
    dump = broker.resource.traits.dump
    left = (key for key in settings if key.startswith("zookeeper.") and key != _MIGRATION)
    roles = broker["process.roles"]
    connect = settings.get("zookeeper.connect") or (
        settings.get(next(left, "")) if not dump else None
    )
    if connect is None or not roles.value or broker.version.at_least("4.0"):
        return
    migration = broker[_MIGRATION]
    if migration.value is True or (migration.written and not migration.known):
        return
    spot = key_evidence(broker, connect, connect.key)
    yield broker.finding(
        f"{broker} sets {connect.key}, but runs in KRaft mode ({plain(roles)})",
        at=spot,
        because=(roles,),
        breaks="the key is ignored: the node keeps its metadata in the controller quorum",
        fix="remove the zookeeper.* keys, or process.roles if ZooKeeper mode is intended",
    )
