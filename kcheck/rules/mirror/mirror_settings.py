"""KC16: the effect of a mirror's settings on its source and target clusters."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats.flows import matches
from kcheck.graph.clients import Connector
from kcheck.graph.nodes import Node
from kcheck.model import ERROR, WARNING, Finding, Note
from kcheck.rule import CHANGED, FAILED, rule
from kcheck.rules.shared.keys_wording import noted
from kcheck.wording import count, plain


@rule(
    "KC1606",
    "mm2-aliases",
    WARNING,
    kafka=CHANGED,
    refs=("KIP-382",),
    invariants=("mm2-aliases",),
)
def mm2_aliases(note: Note, node: Node) -> Iterator[Finding]:
    """A flow of MirrorMaker 2 is ignored, or its target is not a configured cluster.

    A flow A->B runs if both are in ``clusters`` and have bootstrap.servers, and if the flow, or all
    flows, have enabled=true. MirrorMaker checks none of this and starts.

    Bad: a typo
        --- mm2.properties
        clusters=east,west
        east.bootstrap.servers=e1:9092
        west.bootstrap.servers=w1:9092
        est->west.enabled=true
    Bad: never enabled
        --- mm2.properties
        clusters=east,west
        east.bootstrap.servers=e1:9092
        west.bootstrap.servers=w1:9092
        east->west.topics=orders
    Bad: no bootstrap.servers
        --- mm2.properties
        clusters=east,west
        east.bootstrap.servers=e1:9092
        east->west.enabled=true
    Bad: a typo in the alias of a setting
        --- mm2.properties
        clusters=east,west
        east.bootstrap.servers=e1:9092
        west.bootstrap.servers=w1:9092
        eats.security.protocol=SSL
        east->west.enabled=true
    Good:
        --- mm2.properties
        clusters=east,west
        east.bootstrap.servers=e1:9092
        west.bootstrap.servers=w1:9092
        east->west.enabled=true
        east->west.topics=orders
        west->east.enabled=false
        west->est.enabled=false
    Good: all flows are enabled
        --- mm2.properties
        clusters=east,west
        east.bootstrap.servers=e1:9092
        west.bootstrap.servers=w1:9092
        enabled=true
        east->west.topics=orders
    Good: part of a file
        --- mm2.properties
        east->west.enabled=true
    Bad: an end of the flow for an alias
        --- mm2.properties
        clusters=fra,dub
        fra.bootstrap.servers=k1.fra.example.com:9092
        dub.bootstrap.servers=k1.dub.example.com:9094
        fra->dub.enabled=true
        target.security.protocol=SSL
    """
    yield noted(note, node)


@rule(
    "KC1608",
    "mm2-dedicated-rest",
    WARNING,
    refs=("KIP-710",),
    invariants=("mm2-dedicated-rest",),
    versions="3.5+",
)
def mm2_dedicated_rest(note: Note, node: Node) -> Iterator[Finding]:
    """Dedicated MirrorMaker 2 with exactly-once lacks its internal REST server.

    Its nodes require dedicated.mode.enable.internal.rest to forward requests to each other.
    exactly.once.source.support must have the alias of the target cluster as a prefix; without one it
    is ignored.

    Bad:
        --- mm2.properties
        clusters=east,west
        east.bootstrap.servers=e1:9092
        west.bootstrap.servers=w1:9092
        east->west.enabled=true
        west.exactly.once.source.support=enabled
    Bad: without a cluster alias
        --- mm2.properties
        clusters=east,west
        east.bootstrap.servers=e1:9092
        west.bootstrap.servers=w1:9092
        east->west.enabled=true
        exactly.once.source.support=enabled
        dedicated.mode.enable.internal.rest=true
    Good:
        --- mm2.properties
        clusters=east,west
        east.bootstrap.servers=e1:9092
        west.bootstrap.servers=w1:9092
        east->west.enabled=true
        west.exactly.once.source.support=enabled
        dedicated.mode.enable.internal.rest=true
    """
    yield noted(note, node)


#: By connector: the replication factors of the topics that it creates on the target cluster.
_FACTORS = {
    "mirror-source": ("replication.factor",),
    "mirror-checkpoint": ("checkpoints.topic.replication.factor",),
    "mirror-heartbeat": ("heartbeats.topic.replication.factor",),
}


@rule(
    "KC1607",
    "mm2-rf",
    ERROR,
    kafka=FAILED,
    invariants=("mm2-rf",),
)
def mm2_rf(connector: Connector) -> Iterator[Finding]:
    """A mirror creates topics with more replicas than its target cluster has brokers.

    Mirrored topics get replication.factor (2 by default), the checkpoint and heartbeat topics three
    replicas. The offset-syncs topic is on the source cluster unless
    offset-syncs.topic.location=target.

    Bad: the default, on one broker
        --- kcheck.yaml
        cluster: {name: east, brokers: 1}
        connectors:
          - name: mirror
            config: {connector.class: org.apache.kafka.connect.mirror.MirrorSourceConnector}
    Bad: the offset-syncs topic too
        --- kcheck.yaml
        cluster: {name: east, brokers: 2}
        connectors:
          - name: mirror
            config:
              connector.class: org.apache.kafka.connect.mirror.MirrorSourceConnector
              offset-syncs.topic.location: target
    Good:
        --- kcheck.yaml
        cluster: {name: east, brokers: 1}
        connectors:
          - name: mirror
            config:
              connector.class: org.apache.kafka.connect.mirror.MirrorSourceConnector
              replication.factor: 1
    Good: the brokers' default
        --- kcheck.yaml
        cluster: {name: east, brokers: 1}
        connectors:
          - name: mirror
            config:
              connector.class: org.apache.kafka.connect.mirror.MirrorSourceConnector
              replication.factor: -1
    """
    keys = list(_FACTORS.get(connector.resource.plane, ()))
    if connector["offset-syncs.topic.location"].value == "target":
        keys.append("offset-syncs.topic.replication.factor")
    brokers = connector.cluster.broker_count
    for factor in (connector[key] for key in keys):
        if factor.number > brokers.number:
            yield connector.finding(
                f"{connector} creates topics with {plain(factor)}, but {connector.cluster} has "
                f"{count(brokers.number, 'broker')}",
                at=factor,
                because=(brokers,),
                breaks="topic creation fails (INVALID_REPLICATION_FACTOR), and nothing is mirrored",
                fix=f"set {factor.key}={int(brokers.number)}, or add brokers",
                set_to=str(int(brokers.number)),
            )


_EXCLUDES = ("config.properties.exclude", "config.properties.blacklist")


@rule(
    "KC1609",
    "mm2-min-isr-synced",
    WARNING,
    on=_EXCLUDES,
    invariants=("mm2-min-isr-synced", "mm2-topic-configs-sync"),
)
def mm2_min_isr_synced(connector: Connector) -> Iterator[Finding]:
    """config.properties.exclude of a mirror no longer excludes min.insync.replicas.

    MirrorMaker synchronises topic configs from the source, but by default not min.insync.replicas. A
    custom config.properties.exclude replaces that default: a source topic with min.insync.replicas=2
    then produces a mirrored topic that cannot be written if the target has fewer replicas
    (replication.factor is 2 by default), or that stops if one broker fails.

    Bad:
        --- kcheck.yaml
        connectors:
          - name: mirror
            config:
              connector.class: org.apache.kafka.connect.mirror.MirrorSourceConnector
              config.properties.exclude: "retention.ms,segment.bytes"
    Good:
        --- kcheck.yaml
        connectors:
          - name: mirror
            config:
              connector.class: org.apache.kafka.connect.mirror.MirrorSourceConnector
              config.properties.exclude: "retention.ms,min[.]insync[.]replicas"
    Good: no topic config is synchronised
        --- kcheck.yaml
        connectors:
          - name: mirror
            config:
              connector.class: org.apache.kafka.connect.mirror.MirrorSourceConnector
              sync.topic.configs.enabled: false
              config.properties.exclude: "retention.ms"
    Good: at least three replicas
        --- kcheck.yaml
        connectors:
          - name: mirror
            config:
              connector.class: org.apache.kafka.connect.mirror.MirrorSourceConnector
              config.properties.exclude: "retention.ms"
              replication.factor: 3
    """
    if connector.resource.plane != "mirror-source":
        return
    given = next(connector[key] for key in _EXCLUDES if connector.sets(key))
    factor, synced = connector["replication.factor"], connector["sync.topic.configs.enabled"]
    if given.text is None or synced.value is False or not 0 < factor.number < 3:
        return
    if matches(given.text, "min.insync.replicas"):
        return
    yield connector.finding(
        f"{connector} sets {plain(given)}, so min.insync.replicas is synchronised to topics with "
        f"{plain(factor)}",
        at=given,
        because=(factor,),
        breaks=f"with min.insync.replicas={int(factor.number)} on the source topic, one missing broker "
        "stops writes to the mirrored topic; with more, it cannot be written at all up to Kafka 3.6",
        fix=f"add min.insync.replicas to {given.key}",
    )
