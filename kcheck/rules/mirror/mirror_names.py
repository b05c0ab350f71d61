"""KC16: the names that connectors of MirrorMaker give topics, and have to agree on."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Connector
from kcheck.graph.cluster import ClusterWithClients
from kcheck.model import WARNING, Finding, Value
from kcheck.rule import rule
from kcheck.wording import plain

_POLICY, _SEPARATOR = "replication.policy.class", "replication.policy.separator"
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
