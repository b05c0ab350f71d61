"""KC14: the group of Connect workers and its other members."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Client, Consumer
from kcheck.graph.cluster import Cluster, ClusterWithClients
from kcheck.model import STRIMZI, WARNING, Finding, Value
from kcheck.rule import FAILED, rule
from kcheck.wording import plain

_CONFIGS = "config.storage.topic"


_EOS = "exactly.once.source.support"


_HOST = "rest.advertised.host.name"


def distributed(cluster: Cluster) -> list[Client]:
    """The distributed workers of the cluster."""
    return [c for c in cluster.clients if c.resource.plane == "connect-distributed"]


@rule(
    "KC1415",
    "connect-group-unique",
    WARNING,
    invariants=("connect-group-unique",),
)
def connect_group_unique(cluster: ClusterWithClients) -> Iterator[Finding]:
    """The group.id of a Connect cluster is also used by a consumer or another Connect cluster.

    Workers with the same group.id form one Connect cluster. A consumer with that group.id, or a sink
    connector of that name (its consumers form the group connect-NAME), cannot join it. Workers of two
    Connect clusters in one group distribute all connectors among each other, but each can read the
    configuration of its own only.

    Bad: a consumer
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        --- kcheck.yaml
        cluster: {name: core, brokers: 3}
        consumers: [{name: reader, config: {group.id: etl}}]
    Bad: two Connect clusters
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        --- other/connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        config.storage.topic=other-configs
        offset.storage.topic=other-offsets
        status.storage.topic=other-status
        --- kcheck.yaml
        cluster: {name: core, brokers: 3}
    Bad: a sink's group
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=connect-files
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        --- kcheck.yaml
        cluster: {name: core, brokers: 3}
        connectors: [{name: files, config: {connector.class: FileStreamSink, topics: orders}}]
    Bad: two resources with the operator's defaults
        --- mirrors.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnect
        metadata: {name: etl}
        spec: {bootstrapServers: "k1:9092"}
        ---
        apiVersion: kafka.strimzi.io/v1beta2
        kind: KafkaConnect
        metadata: {name: cdc}
        spec: {bootstrapServers: "k1:9092"}
    Good:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        --- kcheck.yaml
        cluster: {name: core, brokers: 3}
        consumers: [{name: reader, config: {group.id: reader}}]
        connectors: [{name: files, config: {connector.class: FileStreamSink, topics: orders}}]
    Good: one resource in two folders, of which one is applied
        --- kafka/kafka.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: core}
        spec: {kafka: {version: 4.1.0, replicas: 3}}
        --- next/connect.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaConnect
        metadata: {name: etl}
        spec:
          bootstrapServers: core-kafka-bootstrap:9092
          config: {group.id: etl, config.storage.topic: etl-configs}
        --- now/connect.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaConnect
        metadata: {name: etl}
        spec:
          bootstrapServers: core-kafka-bootstrap:9092
          config: {group.id: etl, config.storage.topic: connect-configs}
    Good: two workers of one Connect cluster
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        --- other/connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        --- kcheck.yaml
        cluster: {name: core, brokers: 3}
    Good: Control Center reads no group.id, whoever sets one
        --- roles/center/templates/control-center.properties.j2
        bootstrap.servers={{ brokers }}
        group.id=1
        confluent.controlcenter.connect.cluster={{ workers }}
        --- roles/connect/templates/connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=1
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=c
        offset.storage.topic=o
        status.storage.topic=s
    """
    first: dict[str, Client] = {}
    for worker in distributed(cluster):
        group = worker["group.id"]
        if not group.text:
            continue
        other = first.setdefault(group.text, worker)
        store, others = worker[_CONFIGS], other[_CONFIGS]
        if worker.resource.managed and worker.resource.name == other.resource.name:
            continue  # the same resource of an operator, or container, as another file has it
        alike = worker["bootstrap.servers"].text == other["bootstrap.servers"].text
        if alike and _resources(worker, other):
            yield worker.finding(
                f"{worker} has {plain(group)} and {plain(store)}, the same as {other}",
                at=group,
                because=(store, other["group.id"]),
                breaks="each resource is a Connect cluster of its own, but their workers form one "
                "group: connectors of one run in pods of the other, and are stopped by its operator",
                fix="set group.id, config.storage.topic, offset.storage.topic and "
                "status.storage.topic of its own on each resource",
            )
            continue
        if alike and store.text and others.text and store.text != others.text:
            yield worker.finding(
                f"{worker} has {plain(group)} and {plain(store)}, but {other} of the same group has "
                f"{plain(others)}",
                at=group,
                because=(store, others),
                breaks="two Connect clusters form one group: each gets tasks of connectors whose "
                "configuration it cannot read, and the group rebalances endlessly",
                fix="set a separate group.id on each Connect cluster",
            )
    for name, worker in first.items():
        sinks = [c for c in cluster.connectors if c.resource.plane == "sink-connector"]
        sink = next((c for c in sinks if f"connect-{c.name}" == name), None)
        consumers = [c for c in cluster.clients if isinstance(c, Consumer)]
        consumer = next((c for c in consumers if c["group.id"].text == name), None)
        if sink is None and consumer is None:
            continue
        user = f"the group of {sink}" if sink is not None else f"the group.id of {consumer}"
        yield worker.finding(
            f"{worker} sets {plain(worker['group.id'])}, which is also {user}",
            at=worker["group.id"],
            because=(consumer["group.id"],) if consumer is not None else (),
            breaks="the one that starts second cannot join the group: "
            "InconsistentGroupProtocolException",
            fix="set group.id of the Connect cluster to a name that no consumer uses",
        )


def _resources(one: Client, other: Client) -> bool:
    """Whether two workers are two resources of an operator, which are never one Connect cluster."""
    return (
        {one.resource.traits.deployer, other.resource.traits.deployer} == {STRIMZI}
        and one.name != other.name
        and one.resource.traits.namespace == other.resource.traits.namespace
        and one["config.storage.topic"].text == other["config.storage.topic"].text
    )


@rule(
    "KC1433",
    "connect-eos-order",
    WARNING,
    refs=("KIP-618",),
    invariants=("connect-eos-order",),
    versions="3.3+",
)
def connect_eos_order(cluster: ClusterWithClients) -> Iterator[Finding]:
    """Workers of one group differ in exactly.once.source.support.

    The setting is rolled out in two steps: preparing on all workers, then enabled on all. A worker
    with enabled starts tasks that a worker with disabled cannot fence.

    Bad:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        exactly.once.source.support=enabled
        --- other/connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        exactly.once.source.support=disabled
        --- kcheck.yaml
        cluster: {name: core, brokers: 3, client_version: "4.1"}
    Good:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        exactly.once.source.support=enabled
        --- other/connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        exactly.once.source.support=preparing
        --- kcheck.yaml
        cluster: {name: core, brokers: 3, client_version: "4.1"}
    """
    groups: dict[tuple[str | None, ...], list[Client]] = {}
    for worker in distributed(cluster):
        same = (worker["group.id"].text, worker[_CONFIGS].text, worker["bootstrap.servers"].text)
        groups.setdefault(same, []).append(worker)
    for members in groups.values():
        states = {str(worker[_EOS].value).lower(): worker for worker in members}
        if "enabled" in states and "disabled" in states:
            on, off = states["enabled"], states["disabled"]
            yield on.finding(
                f"{on} has {plain(on[_EOS])}, but a worker of the same group has {plain(off[_EOS])}",
                at=on[_EOS],
                because=(off[_EOS],),
                breaks="tasks fail to start or write duplicates: the other workers cannot fence them",
                fix="set exactly.once.source.support=preparing on all workers first, then enabled on "
                "all",
            )


@rule(
    "KC1434",
    "connect-advertised-host",
    WARNING,
    kafka=FAILED,
    invariants=("connect-advertised-host",),
)
def connect_advertised_host(cluster: ClusterWithClients) -> Iterator[Finding]:
    """A worker advertises a loopback address to the other workers.

    Any worker accepts REST requests and forwards them to the leader at the leader's
    rest.advertised.host.name. With localhost the forwarding worker connects to itself.

    Bad:
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        rest.advertised.host.name=localhost
        --- other/connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        rest.advertised.host.name=connect-2
        --- kcheck.yaml
        cluster: {name: core, brokers: 3}
    Good: one worker
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        rest.advertised.host.name=localhost
    Good: two workers on one host
        --- connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        rest.advertised.host.name=localhost
        --- other/connect-distributed.properties
        bootstrap.servers=k1:9092
        group.id=etl
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        rest.advertised.host.name=localhost
        --- kcheck.yaml
        cluster: {name: core, brokers: 3}
    """
    workers = distributed(cluster)
    for worker in workers:
        host, group = worker[_HOST], worker["group.id"].text
        if not _loopback(host):
            continue
        hosts = (other[_HOST] for other in workers if other["group.id"].text == group)
        elsewhere = next((other for other in hosts if other.text and not _loopback(other)), None)
        if elsewhere is not None:
            yield worker.finding(
                f"{worker} sets {plain(host)}, but another worker of its group has "
                f"{plain(elsewhere)}",
                at=host,
                because=(elsewhere,),
                breaks="requests that are forwarded to this worker fail (HTTP 409 or 500)",
                fix="set rest.advertised.host.name to a name that the other workers can resolve",
            )


def _loopback(host: Value) -> bool:
    text = host.text or ""
    return text in ("localhost", "::1") or text.startswith("127.")
