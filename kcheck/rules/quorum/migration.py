"""KC11: brokers and controllers during the migration from ZooKeeper to KRaft."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ABSENT, ERROR, Finding, Value
from kcheck.rule import REFUSED, rule
from kcheck.version import Version, parse
from kcheck.wording import plain

_MIGRATES = "zookeeper.metadata.migration.enable"


_VOTERS = "controller.quorum.voters"


_BOOTSTRAP = "controller.quorum.bootstrap.servers"


_NAMES = "controller.listener.names"


_PROTOCOL = "inter.broker.protocol.version"


@rule(
    "KC1121",
    "zk-migration-set",
    ERROR,
    kafka=REFUSED,
    on=(_MIGRATES,),
    refs=("KIP-866",),
    invariants=("zk-migration-set",),
    versions="3.4–3.9",
)
def zk_migration_set(broker: Broker | Controller) -> Iterator[Finding]:
    """A setting that the migration to KRaft requires is missing or unsuitable.

    A broker in ZooKeeper mode that migrates requires the controller quorum
    (controller.quorum.voters and controller.listener.names) and inter.broker.protocol.version 3.4 or
    later; with several log directories it requires 3.7-IV2, from 3.7 on. A controller that migrates
    requires zookeeper.connect.

    Bad: no controller quorum
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9"}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        zookeeper.metadata.migration.enable=true
        log.dirs=/data/kafka
    Bad: too old a protocol
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9"}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        zookeeper.metadata.migration.enable=true
        controller.quorum.voters=9@k9:9093
        controller.listener.names=CONTROLLER
        inter.broker.protocol.version=3.3
        log.dirs=/data/kafka
    Bad: a controller without ZooKeeper
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9"}
        --- server.properties
        node.id=9
        process.roles=controller
        controller.quorum.voters=9@k9:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        zookeeper.metadata.migration.enable=true
    Good:
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.9"}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        zookeeper.metadata.migration.enable=true
        controller.quorum.voters=9@k9:9093
        controller.listener.names=CONTROLLER
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
        inter.broker.protocol.version=3.9
        log.dirs=/data/kafka
    Bad: a broker of an unknown version
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        zookeeper.metadata.migration.enable=true
        log.dirs=/data/kafka
    Good: what a controller of an unknown version may have kept
        --- server.properties
        node.id=9
        process.roles=controller
        controller.quorum.voters=9@k9:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        zookeeper.metadata.migration.enable=true
    """
    migrates = broker[_MIGRATES]
    version = broker.version
    if migrates.value is not True or version.below("3.4") or version.at_least("4.0"):
        return
    # While the version is unknown: a broker with ZooKeeper is older than 4.0, a controller is not.
    if not version.below("4.0") and (any(broker.roles) or not broker.sets("zookeeper.connect")):
        return
    if broker.resource.managed:
        return
    at, wrong = _lacking(broker)
    if wrong:
        yield broker.finding(
            f"{broker} has {plain(migrates)}, but {wrong}",
            at=migrates,
            because=(at,),
            breaks="the node fails to start",
            fix=f"{'correct' if at.written else 'set'} {at.key} for the migration",
        )


def _lacking(broker: Broker) -> tuple[Value, str]:
    """The first missing or unsuitable setting, and a phrase for it; "" if there is none."""
    if any(broker.roles):
        return _missing(broker, "zookeeper.connect", empty=False)
    voters, bootstrap = broker[_VOTERS], broker[_BOOTSTRAP]
    servers = bootstrap.text != "" and not broker.version.below("3.9")
    if not servers:
        found = _missing(broker, _VOTERS)
        if found[1]:
            return found
    found = _missing(broker, _NAMES)
    if found[1]:
        return found
    protocol = broker[_PROTOCOL]
    if Version(protocol.text).below("3.4"):
        return protocol, plain(protocol)
    directories = broker["log.dirs"]
    several = len([one for one in (directories.text or "").split(",") if one.strip()]) > 1
    if several and broker.version.at_least("3.5") and _older(protocol, (3, 7), 2):
        return directories, f"several directories in {plain(directories)}"
    if broker.version.below("3.5") and broker["authorizer.class.name"].value:
        authorizer = broker["authorizer.class.name"]
        return authorizer, plain(authorizer)
    return voters, ""


def _missing(broker: Broker, key: str, empty: bool = True) -> tuple[Value, str]:
    value = broker[key]
    if not value.written:
        return Value(key, broker.resource, ABSENT), f"no {key}"
    return value, f"an empty {key}" if empty and value.text == "" else ""


def _older(protocol: Value, minor: tuple[int, int], step: int) -> bool:
    """Whether a protocol version is older than that step of a minor; one without a step has all."""
    if not protocol.text:
        return False
    mark = protocol.text.partition("-IV")[2]
    reached = int(mark) if mark.isdecimal() else step
    return (*(parse(protocol.text) or ())[:2], reached) < (*minor, step)


@rule(
    "KC1126",
    "kraft-protocol-version",
    ERROR,
    kafka=REFUSED,
    on=(_PROTOCOL,),
    refs=("KIP-778",),
    versions="3.3–3.9",
)
def kraft_protocol_version(broker: Broker | Controller) -> Iterator[Finding]:
    """inter.broker.protocol.version of a KRaft node is older than 3.0.

    KRaft stores the version in the metadata and ignores inter.broker.protocol.version, but rejects
    one that is older than 3.0.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "3.9"}
        --- server.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=9@c1:9093
        controller.listener.names=CONTROLLER
        inter.broker.protocol.version=2.8
    Good: ZooKeeper mode
        --- kcheck.yaml
        cluster: {kafka_version: "3.9"}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        inter.broker.protocol.version=2.8
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "3.9"}
        --- server.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=9@c1:9093
        controller.listener.names=CONTROLLER
        inter.broker.protocol.version=3.9
    """
    value = broker[_PROTOCOL]
    version = broker.version
    if not broker.roles or not version.at_least("3.3") or not version.below("4.0"):
        return
    if Version(value.text).below("3.0") or value.text == "3.0-IV0":
        yield broker.finding(
            f"{broker}: {plain(value)} is older than KRaft",
            at=value,
            because=(broker["process.roles"],),
            breaks="the node fails to start: the minimum version is 3.0-IV1",
            fix=f"remove {_PROTOCOL}",
        )
