"""KC16: the effect of a mirror's settings on its source and target clusters."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.formats.flows import matches
from kcheck.graph.clients import Connector
from kcheck.graph.cluster import ClusterWithClients
from kcheck.graph.nodes import Node
from kcheck.model import ERROR, WARNING, Finding, Note, Value
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


_NAMING = ("replication.policy.class", "replication.policy.separator")


@rule(
    "KC1610",
    "mm2-policy-same",
    WARNING,
    refs=("KIP-382",),
    invariants=("mm2-policy-same",),
)
def mm2_policy_same(cluster: ClusterWithClients) -> Iterator[Finding]:
    """The connectors of one mirror use different replication policies or places of the offset syncs.

    The source connector and the checkpoint connector each have their own replication.policy.class,
    replication.policy.separator and offset-syncs.topic.location. If the policies differ, checkpoints and
    synchronised group offsets refer to topics that do not exist, and a consumer that fails over starts
    without its offsets; if the locations differ, there are no checkpoints at all.

    Bad:
        --- kcheck.yaml
        connectors:
          - name: source
            config:
              connector.class: org.apache.kafka.connect.mirror.MirrorSourceConnector
              source.cluster.alias: west
              target.cluster.alias: east
              replication.policy.class: org.apache.kafka.connect.mirror.IdentityReplicationPolicy
          - name: checkpoints
            config:
              connector.class: org.apache.kafka.connect.mirror.MirrorCheckpointConnector
              source.cluster.alias: west
              target.cluster.alias: east
    Bad: a Strimzi resource
        --- mirror.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaMirrorMaker2
        metadata: {name: to-east}
        spec:
          connectCluster: east
          clusters:
            - {alias: west, bootstrapServers: "west-kafka-bootstrap:9092"}
            - {alias: east, bootstrapServers: "east-kafka-bootstrap:9092"}
          mirrors:
            - sourceCluster: west
              targetCluster: east
              sourceConnector: {config: {replication.policy.separator: "_"}}
              checkpointConnector: {config: {sync.group.offsets.enabled: "true"}}
    Good:
        --- kcheck.yaml
        connectors:
          - name: source
            config:
              connector.class: org.apache.kafka.connect.mirror.MirrorSourceConnector
              source.cluster.alias: west
              target.cluster.alias: east
              replication.policy.class: org.apache.kafka.connect.mirror.IdentityReplicationPolicy
          - name: checkpoints
            config:
              connector.class: org.apache.kafka.connect.mirror.MirrorCheckpointConnector
              source.cluster.alias: west
              target.cluster.alias: east
              replication.policy.class: org.apache.kafka.connect.mirror.IdentityReplicationPolicy
    Good: two mirrors
        --- kcheck.yaml
        connectors:
          - name: source
            config:
              connector.class: org.apache.kafka.connect.mirror.MirrorSourceConnector
              source.cluster.alias: west
              target.cluster.alias: east
              replication.policy.class: org.apache.kafka.connect.mirror.IdentityReplicationPolicy
          - name: checkpoints
            config:
              connector.class: org.apache.kafka.connect.mirror.MirrorCheckpointConnector
              source.cluster.alias: south
              target.cluster.alias: east
    Bad: offset syncs in the target cluster
        --- kcheck.yaml
        connectors:
          - name: source
            config:
              connector.class: org.apache.kafka.connect.mirror.MirrorSourceConnector
              source.cluster.alias: west
              target.cluster.alias: east
              offset-syncs.topic.location: target
          - name: checkpoints
            config:
              connector.class: org.apache.kafka.connect.mirror.MirrorCheckpointConnector
              source.cluster.alias: west
              target.cluster.alias: east
    """
    sources: dict[object, Connector] = {}
    for connector in cluster.connectors:
        mirror = _mirror(connector)
        if connector.resource.plane == "mirror-source" and mirror is not None:
            sources.setdefault(mirror, connector)
    for connector in cluster.connectors if sources else ():
        if connector.resource.plane != "mirror-checkpoint":
            continue
        source = sources.get(_mirror(connector))
        if source is None:
            continue
        mine_named, theirs_named = _names(connector), _names(source)
        for key in (*_NAMING, _LOCATION):
            mine, theirs = connector[key], source[key]
            if not (mine.known and theirs.known) or mine.value == theirs.value:
                continue
            breaks = (
                _ELSEWHERE if key == _LOCATION else _differs(connector, mine_named, theirs_named)
            )
            if breaks:
                at, other = (mine, theirs) if mine.explicit else (theirs, mine)
                yield connector.finding(
                    f"{connector} has {plain(mine)}, but {source} has {plain(theirs)}",
                    at=at,
                    because=(other,),
                    breaks=breaks,
                    fix=f"set {key} to the same value on all connectors of the mirror",
                )


def _names(connector: Connector) -> tuple[str, str]:
    """The names that a connector's policy makes: of a mirrored topic, and of the offset syncs.

    Identity policies, Kafka's and Strimzi's, keep the topic's name; from 3.1 on the internal topics
    of Kafka's policies hold the separator (KIP-690). Other policies are told apart by their class.
    """
    policy, separator = str(connector[_POLICY].value), str(connector[_SEPARATOR].value)
    package, _, name = policy.rpartition(".")
    inner = separator if package == _KAFKAS else "."
    if connector.version.below("3.1") or connector[_INTERNAL].value is False:
        inner = "."
    syncs = f"mm2-offset-syncs{inner}ALIAS{inner}internal"
    if name == "IdentityReplicationPolicy":
        return "TOPIC", syncs
    if policy == f"{_KAFKAS}.DefaultReplicationPolicy":
        return f"ALIAS{separator}TOPIC", syncs
    return f"{policy}{separator}TOPIC", f"{policy}{syncs}"


def _differs(connector: Connector, mine: tuple[str, str], theirs: tuple[str, str]) -> str:
    """What breaks where two connectors make other names; "" where they make the same."""
    if mine[0] != theirs[0]:
        return (
            "checkpoints and synchronised offsets refer to different topic names: consumers that "
            "fail over to the target cluster do not find their offsets"
        )
    if mine[1] == theirs[1]:
        return ""
    since = "" if connector.version.known else "from Kafka 3.1 on, "
    return (
        f"{since}the checkpoint connector reads an offset syncs topic that the source connector does "
        "not write: it neither writes checkpoints nor synchronises offsets"
    )


_LOCATION = "offset-syncs.topic.location"
_ELSEWHERE = (
    "the checkpoint connector reads offset syncs from the cluster to which the source connector does "
    "not write them: it neither writes checkpoints nor synchronises offsets"
)
_KAFKAS = "org.apache.kafka.connect.mirror"
_POLICY, _SEPARATOR = "replication.policy.class", "replication.policy.separator"
_INTERNAL = "replication.policy.internal.topic.separator.enabled"


def _mirror(connector: Connector) -> object:
    """What the connectors of one mirror have in common; None if it is unknown."""
    declared = connector.resource.traits.mirror
    if declared is not None:
        return declared
    ends: list[Value] = [connector[f"{end}.cluster.alias"] for end in ("source", "target")]
    if all(end.text for end in ends):
        return tuple(end.text for end in ends)
    return None
