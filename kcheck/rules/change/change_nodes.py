"""KC19: changes of brokers that an operator or Kafka rejects, or that cannot be undone."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.change import BrokerChange, PoolChange
from kcheck.model import ERROR, FACT, INFO, WARNING, Finding, Resource, Setting, Value
from kcheck.rule import rule
from kcheck.units import round_size
from kcheck.version import Version


@rule("KC1932", "volume-shrunk", WARNING)
def volume_shrunk(change: BrokerChange | PoolChange) -> Iterator[Finding]:
    """A persistent volume gets smaller.

    Kubernetes rejects a claim below its present size. Strimzi keeps the old size and reports a warning
    in the resource's status; a chart's upgrade fails.

    Bad:
        --- before/kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec: {kafka: {replicas: 3, storage: {type: persistent-claim, size: 500Gi}}}
        --- after/kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec: {kafka: {replicas: 3, storage: {type: persistent-claim, size: 100Gi}}}
    Good:
        --- before/kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec: {kafka: {replicas: 3, storage: {type: persistent-claim, size: 100Gi}}}
        --- after/kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec: {kafka: {replicas: 3, storage: {type: persistent-claim, size: 500Gi}}}
    """
    were = {claim.name: claim.size for claim in change.before.resource.traits.claims}
    for claim in change.after.resource.traits.claims:
        old = _size(change.before.resource, were.get(claim.name))
        new = _size(change.after.resource, claim.size)
        if old is None or new is None or not new.number < old.number:
            continue
        volume = f"volume {claim.name}" if claim.name else "its volume"
        yield change.finding(
            f"{change} shrinks {volume} from {round_size(old.number) or old.text} to "
            f"{round_size(new.number) or new.text}",
            at=new,
            because=(change.was(old),),
            breaks="Kubernetes rejects a smaller claim: the operator keeps the old size, a chart's "
            "upgrade fails",
            fix=f"leave it at {old.text}; to shrink it, add brokers with smaller volumes, reassign the "
            "partitions and remove the old brokers",
        )


def _size(resource: Resource, setting: Setting | None) -> Value | None:
    if setting is None:
        return None
    return Value(setting.key, resource, FACT, setting.text, setting.amount, True, setting)


@rule("KC1933", "volume-claims-deleted", INFO)
def volume_claims_deleted(change: BrokerChange | PoolChange) -> Iterator[Finding]:
    """A change lets the operator delete the volumes with the resource (deleteClaim).

    From then on, deleting the Kafka resource, a node pool or a broker deletes its data.

    Bad:
        --- before/kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec: {kafka: {replicas: 3, storage: {type: persistent-claim, size: 500Gi, deleteClaim: false}}}
        --- after/kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec: {kafka: {replicas: 3, storage: {type: persistent-claim, size: 500Gi, deleteClaim: true}}}
    Good: as it was
        --- before/kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec: {kafka: {replicas: 3, storage: {type: persistent-claim, size: 500Gi, deleteClaim: true}}}
        --- after/kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec: {kafka: {replicas: 3, storage: {type: persistent-claim, size: 600Gi, deleteClaim: true}}}
    """
    were = {claim.name: claim for claim in change.before.resource.traits.claims}
    for claim in change.after.resource.traits.claims:
        was = were.get(claim.name)
        if was is None or was.deletes is not None or claim.deletes is None:
            continue
        resource, setting = change.after.resource, claim.deletes
        yield change.finding(
            f"{change} sets deleteClaim=true, which was false",
            at=Value(setting.key, resource, FACT, "true", True, True, setting),
            breaks="the data is deleted with the Kafka resource, its node pool or the broker",
            fix="set deleteClaim: false and delete volumes by hand when their data is no longer needed",
        )


@rule("KC1934", "metadata-version-above-kafka", ERROR)
def metadata_version_above_kafka(change: BrokerChange) -> Iterator[Finding]:
    """A change takes Kafka back below the metadata version that is finalized.

    A broker does not start with metadata of a newer version; the operator rejects the downgrade. A
    finalized metadata.version can only be lowered by kafka-features, and not below every release.

    Bad:
        --- before/kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, annotations: {strimzi.io/kraft: enabled}}
        spec: {kafka: {version: 3.9.0, metadataVersion: 3.9-IV0}}
        --- after/kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, annotations: {strimzi.io/kraft: enabled}}
        spec: {kafka: {version: 3.8.0, metadataVersion: 3.9-IV0}}
    Bad: by the default
        --- before/kcheck.yaml
        cluster: {name: core, kafka_version: "4.1", config: {num.io.threads: 8}}
        --- after/kcheck.yaml
        cluster: {name: core, kafka_version: "4.0", config: {num.io.threads: 8}}
    Good: it was not finalized
        --- before/kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, annotations: {strimzi.io/kraft: enabled}}
        spec: {kafka: {version: 3.9.0, metadataVersion: 3.8-IV0}}
        --- after/kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core, annotations: {strimzi.io/kraft: enabled}}
        spec: {kafka: {version: 3.8.0, metadataVersion: 3.8-IV0}}
    """
    old, new = change.before.version, change.after.version
    if not (old.minor and new.below(old.minor)):
        return
    was = change.before.fact("metadata.version")
    finalized = Version(was.text)
    if was.setting is not None:
        if not (finalized.minor and new.below(finalized.minor)):
            return
        said = f"metadata version {was.text}"
    elif change.before.kraft and change.after.kraft is not False:
        # Unless it was left at an older one, which no file tells.
        said = f"the metadata version of {old.minor}"
    else:
        return
    at = change.after.fact("kafka_version")
    if at.setting is None and change.cluster.declaration is not None:
        declared = change.cluster.declaration.facts.get("kafka_version")
        if declared is not None:
            at = Value(
                "kafka_version",
                change.after.resource,
                FACT,
                declared.text,
                declared.text,
                True,
                declared,
            )
    yield change.finding(
        f"{change} goes from Kafka {old} back to {new}, below {said}",
        at=at,
        because=(change.was(was),) if was.setting is not None else (),
        breaks="brokers do not start with newer metadata, and the operator rejects the downgrade"
        if was.setting is not None
        else "brokers do not start if this metadata version is finalized",
        fix="lower it first with kafka-features downgrade --metadata, where the release allows it, or "
        f"stay at {old.minor}",
        severity=ERROR if was.setting is not None else WARNING,
    )
