"""KC20: keys that name a place with state, below /tmp."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Worker
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import WARNING, Finding, Value
from kcheck.rule import rule
from kcheck.rules.shared.places import temporary
from kcheck.rules.shared.production import asks_several, production
from kcheck.wording import plain


@rule(
    "KC2014",
    "metadata-log-tmp",
    WARNING,
    on=("metadata.log.dir",),
    broker_side=True,
)
def metadata_log_tmp(broker: Broker | Controller) -> Iterator[Finding]:
    """metadata.log.dir is below /tmp.

    In KRaft mode the metadata log holds all topics, configurations and ACLs, and in its directory
    meta.properties the identity of the node. After a reboot, or a cleanup of temporary files, the node
    does not start until the directory is formatted again; a quorum whose majority lost it has lost the
    cluster's metadata. Reported in production, and if log.dirs is on other disks.

    Bad:
        --- controller.properties
        process.roles=controller
        node.id=1
        controller.quorum.voters=1@c1:9093
        controller.listener.names=CONTROLLER
        log.dirs=/srv/kafka
        metadata.log.dir=/tmp/metadata
    Good:
        --- controller.properties
        process.roles=controller
        node.id=1
        controller.quorum.voters=1@c1:9093
        controller.listener.names=CONTROLLER
        log.dirs=/srv/kafka
        metadata.log.dir=/srv/metadata
    Good: a trial setup
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@localhost:9093
        controller.listener.names=CONTROLLER
        log.dirs=/tmp/kafka
        metadata.log.dir=/tmp/metadata
    """
    place, dirs = broker["metadata.log.dir"], broker["log.dirs"]
    if not temporary(place.text or ""):
        return
    apart = bool(dirs.text) and not _any_temporary(dirs)
    if apart or broker.cluster.production:
        yield broker.finding(
            f"{broker} keeps the metadata log in {plain(place)}",
            at=place,
            because=(dirs,) if apart else (),
            breaks="after a reboot or a cleanup of temporary files the node does not start, and "
            "without a majority of such nodes the cluster's metadata is lost",
            fix="set metadata.log.dir to a directory on a persistent disk, or remove it to keep the "
            "metadata in the first of log.dirs",
        )


def _any_temporary(dirs: Value) -> bool:
    return any(temporary(entry.strip()) for entry in (dirs.text or "").split(","))


@rule(
    "KC2015",
    "standalone-offsets-tmp",
    WARNING,
    on=("offset.storage.file.filename",),
)
def standalone_offsets_tmp(worker: Worker) -> Iterator[Finding]:
    """A standalone worker of several brokers keeps its source offsets below /tmp.

    After a reboot, or a cleanup of temporary files, source connectors start over: records are produced
    a second time, or changes in between are missed.

    Bad:
        --- connect-standalone.properties
        bootstrap.servers=k1:9092
        key.converter=org.apache.kafka.connect.storage.StringConverter
        value.converter=org.apache.kafka.connect.storage.StringConverter
        offset.storage.file.filename=/tmp/connect.offsets
        --- kcheck.yaml
        cluster: {name: core, environment: production, brokers: 3}
    Good:
        --- connect-standalone.properties
        bootstrap.servers=k1:9092
        key.converter=org.apache.kafka.connect.storage.StringConverter
        value.converter=org.apache.kafka.connect.storage.StringConverter
        offset.storage.file.filename=/var/lib/connect/connect.offsets
        --- kcheck.yaml
        cluster: {name: core, environment: production, brokers: 3}
    Good: Kafka's sample file, on no known cluster
        --- connect-standalone.properties
        bootstrap.servers=localhost:9092
        key.converter=org.apache.kafka.connect.storage.StringConverter
        value.converter=org.apache.kafka.connect.storage.StringConverter
        offset.storage.file.filename=/tmp/connect.offsets
    Good: a sink beside it, and sinks keep no offsets there
        --- connect-standalone.properties
        bootstrap.servers=k1:9092
        key.converter=org.apache.kafka.connect.storage.StringConverter
        value.converter=org.apache.kafka.connect.storage.StringConverter
        offset.storage.file.filename=/tmp/connect.offsets
        --- sink.properties
        name=archive
        connector.class=org.apache.kafka.connect.file.FileStreamSinkConnector
        topics=orders
        file=/data/orders.txt
        --- kcheck.yaml
        cluster: {name: core, environment: production, brokers: 3}
    Bad: several brokers of no file
        --- connect-standalone.properties
        bootstrap.servers=k1.example.com:9092,k2.example.com:9092
        key.converter=org.apache.kafka.connect.storage.StringConverter
        value.converter=org.apache.kafka.connect.storage.StringConverter
        offset.storage.file.filename=/tmp/connect.offsets
    """
    place = worker["offset.storage.file.filename"]
    serious = production(worker) or asks_several(worker)
    if place.text and temporary(place.text) and serious and not _sinks_only(worker):
        yield worker.finding(
            f"{worker} keeps its source offsets in {plain(place)}",
            at=place,
            breaks="after a reboot or a cleanup of temporary files source connectors start over, and "
            "produce records again or miss changes",
            fix="set offset.storage.file.filename to a file on a persistent disk",
        )


def _sinks_only(worker: Worker) -> bool:
    """Whether the connectors beside a standalone worker, which its command names, are all sinks."""
    folder = _folder(worker.resource.path)
    planes = {
        connector.resource.plane
        for connector in worker.cluster.connectors
        if _folder(connector.resource.path) == folder
    }
    return planes == {"sink-connector"}


def _folder(path: str) -> str:
    return path.rpartition("/")[0]
