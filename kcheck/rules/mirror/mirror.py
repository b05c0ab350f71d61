"""KC16: settings that MirrorMaker 2's connectors validate themselves."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Connector
from kcheck.graph.nodes import Node
from kcheck.model import ERROR, Finding, Note, Value
from kcheck.refusal import refused
from kcheck.rule import REFUSED, rule
from kcheck.rules.shared.keys_wording import noted
from kcheck.wording import plain

_FAILS = "Connect rejects the connector"


_UNSYNCED = (
    "MirrorMaker logs that it cannot configure the connector, and no group offsets are synchronised"
)


_EMIT = "emit.offset-syncs.enabled"


def _off(value: Value) -> bool:
    """Whether a key is false: the connectors compare the raw text with the word false."""
    return _is_text(value, "false")


def _is_text(value: Value, word: str) -> bool:
    """Whether the raw text is that word, without the blanks that Kafka trims elsewhere."""
    return (value.setting.raw if value.setting else None) == word


@rule(
    "KC1601",
    "mm2-offset-syncs-needed",
    ERROR,
    kafka=REFUSED,
    on=(_EMIT,),
    refs=("KIP-1031",),
    invariants=("mm2-offset-syncs-needed",),
    versions="3.9+",
)
def mm2_offset_syncs_needed(connector: Connector) -> Iterator[Finding]:
    """Offset syncs are disabled, but their settings are set.

    With emit.offset-syncs.enabled=false the source connector rejects every key of the offset-syncs
    topic, and the checkpoint connector cannot emit checkpoints.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", client_version: "3.9"}
        connectors:
          - name: mirror
            config:
              connector.class: org.apache.kafka.connect.mirror.MirrorSourceConnector
              emit.offset-syncs.enabled: false
              offset-syncs.topic.location: target
    Bad: a checkpoint connector without offset syncs
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", client_version: "3.9"}
        connectors:
          - name: mirror
            config:
              connector.class: org.apache.kafka.connect.mirror.MirrorCheckpointConnector
              emit.offset-syncs.enabled: false
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", client_version: "3.9"}
        connectors:
          - name: mirror
            config:
              connector.class: org.apache.kafka.connect.mirror.MirrorSourceConnector
              emit.offset-syncs.enabled: false
    """
    value = connector[_EMIT]
    refusal = refused(connector.version, _FAILS, "3.9")
    if refusal is None or not _off(value):
        return
    severity, breaks = refusal
    plane = connector.resource.plane
    because: tuple[Value, ...] = ()
    syncs = [key for key in connector.resource.settings if key.startswith(_SYNCS)]
    if plane == "mirror-source" and syncs:
        other = connector[syncs[0]]
        message, because = f"{connector} has {plain(value)}, but {plain(other)}", (other,)
        fix = f"remove {syncs[0]}, or set {_EMIT}=true"
    elif plane == "mirror-checkpoint":
        message = f"{connector} is a checkpoint connector, but has {plain(value)}"
        fix = f"set {_EMIT}=true, or remove the checkpoint connector"
    else:
        return
    yield connector.finding(
        message, at=value, because=because, breaks=breaks, fix=fix, severity=severity
    )


_SYNCS = ("offset-syncs-", "offset-syncs.topic.")


@rule(
    "KC1602",
    "mm2-sync-groups",
    ERROR,
    kafka=REFUSED,
    on=("emit.checkpoints.enabled",),
    refs=("KIP-1031",),
    invariants=("mm2-sync-groups",),
    versions="3.9+",
)
def mm2_sync_groups(connector: Connector) -> Iterator[Finding]:
    """MirrorCheckpointConnector has checkpoints disabled.

    MirrorCheckpointConnector translates group offsets by the checkpoints that it emits. With
    emit.checkpoints.enabled=false it has no work, and fails to start.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", client_version: "3.9"}
        connectors:
          - name: mirror
            config:
              connector.class: org.apache.kafka.connect.mirror.MirrorCheckpointConnector
              emit.checkpoints.enabled: false
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", client_version: "3.9"}
        connectors:
          - name: mirror
            config:
              connector.class: org.apache.kafka.connect.mirror.MirrorCheckpointConnector
              sync.group.offsets.enabled: true
    Good: a dedicated MirrorMaker, which always runs all three connectors
        --- mm2.properties
        clusters=west,east
        west.bootstrap.servers=w1:9092
        east.bootstrap.servers=e1:9092
        west->east.enabled=true
        west->east.emit.checkpoints.enabled=false
    """
    value = connector["emit.checkpoints.enabled"]
    dedicated = connector.resource.traits.dedicated
    refusal = refused(connector.version, _UNSYNCED if dedicated else _FAILS, "3.9")
    if refusal is None or connector.resource.plane != "mirror-checkpoint" or not _off(value):
        return
    if dedicated and not _is_text(connector["sync.group.offsets.enabled"], "true"):
        return  # a line in its log, and the intended result: no checkpoints
    severity, breaks = refusal
    yield connector.finding(
        f"{connector} is a checkpoint connector, but has {plain(value)}",
        at=value,
        breaks=breaks,
        fix="remove it" if dedicated else "remove it, or remove the checkpoint connector",
        severity=severity,
    )


@rule(
    "KC1603",
    "mm2-eos-read-committed",
    ERROR,
    kafka=REFUSED,
    on=("exactly.once.support",),
    refs=("KIP-618",),
    invariants=("mm2-eos-read-committed",),
    versions="3.5+",
)
def mm2_eos_read_committed(connector: Connector) -> Iterator[Finding]:
    """An exactly-once mirror does not set isolation.level=read_committed.

    With exactly.once.support=required the source consumer must have isolation.level=read_committed,
    set with the prefix consumer. or source.consumer.; the default is not accepted.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", client_version: "3.9"}
        connectors:
          - name: mirror
            config:
              connector.class: org.apache.kafka.connect.mirror.MirrorSourceConnector
              exactly.once.support: required
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", client_version: "3.9"}
        connectors:
          - name: mirror
            config:
              connector.class: org.apache.kafka.connect.mirror.MirrorSourceConnector
              exactly.once.support: required
              source.consumer.isolation.level: read_committed
    """
    value = connector["exactly.once.support"]
    refusal = refused(connector.version, _FAILS, "3.5")
    required = connector.resource.plane == "mirror-source" and _is_text(value, "required")
    if refusal is None or not required:
        return
    levels = [connector[f"{prefix}isolation.level"] for prefix in ("source.consumer.", "consumer.")]
    # The first one that is set takes precedence.
    given = [level for level in levels if level.explicit]
    if given and given[0].text in ("read_committed", None):
        return
    severity, breaks = refusal
    yield connector.finding(
        f"{connector} has {plain(value)}, but "
        + (plain(given[0]) if given else "no isolation.level for its consumer"),
        at=value,
        because=tuple(given[:1]),
        breaks=breaks,
        fix="set source.consumer.isolation.level=read_committed",
        severity=severity,
    )


@rule("KC1604", "mm2-connect-cluster", ERROR, versions="Strimzi with the v1beta2 API")
def mm2_connect_cluster(note: Note, node: Node) -> Iterator[Finding]:
    """connectCluster of a KafkaMirrorMaker2 is not the target of its mirror, or a cluster is undefined.

    MirrorMaker's connectors write with the producers of their workers, so ``connectCluster`` must be
    the ``targetCluster`` of every mirror. All three names are aliases of spec.clusters.

    Bad:
        --- mirror.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaMirrorMaker2
        metadata: {name: mm2}
        spec:
          connectCluster: old
          clusters:
            - {alias: old, bootstrapServers: "old-kafka-bootstrap:9092"}
            - {alias: new, bootstrapServers: "new-kafka-bootstrap:9092"}
          mirrors:
            - {sourceCluster: old, targetCluster: new, topicsPattern: ".*", sourceConnector: {}}
    Bad: an alias that no cluster has
        --- mirror.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaMirrorMaker2
        metadata: {name: mm2}
        spec:
          connectCluster: new
          clusters:
            - {alias: old, bootstrapServers: "old-kafka-bootstrap:9092"}
            - {alias: new, bootstrapServers: "new-kafka-bootstrap:9092"}
          mirrors:
            - {sourceCluster: olds, targetCluster: new, topicsPattern: ".*", sourceConnector: {}}
    Good:
        --- mirror.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaMirrorMaker2
        metadata: {name: mm2}
        spec:
          connectCluster: new
          clusters:
            - {alias: old, bootstrapServers: "old-kafka-bootstrap:9092"}
            - {alias: new, bootstrapServers: "new-kafka-bootstrap:9092"}
          mirrors:
            - {sourceCluster: old, targetCluster: new, topicsPattern: ".*", sourceConnector: {}}
    """
    yield noted(note, node)
