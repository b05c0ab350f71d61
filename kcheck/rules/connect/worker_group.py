"""KC14: the group that Connect workers form, and who else is in it."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Client, Consumer
from kcheck.graph.cluster import Cluster, ClusterWithClients
from kcheck.model import WARNING, Finding, Value
from kcheck.rule import FAILED, rule
from kcheck.wording import plain

_CONFIGS = "config.storage.topic"


_EOS = "exactly.once.source.support"


_HOST = "rest.advertised.host.name"


def distributed(cluster: Cluster) -> list[Client]:
    """The workers of the cluster that form groups."""
    return [c for c in cluster.clients if c.resource.plane == "connect-distributed"]


@rule(
    "KC1415",
    "connect-group-unique",
    WARNING,
    invariants=("connect-group-unique",),
)
def connect_group_unique(cluster: ClusterWithClients) -> Iterator[Finding]:
    """The group.id of a Connect cluster is used by others, too.

    Workers find each other by their group.id. A consumer in that group, or the sink connector of
    the group's name (its consumers are the group connect-NAME), cannot join it. Workers of two
    Connect clusters in one group share their connectors out among each other, and know only half
    of them.

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
        if alike and store.text and others.text and store.text != others.text:
            yield worker.finding(
                f"{worker} has {plain(group)} and {plain(store)}, {other} of the same group "
                f"{plain(others)}",
                at=group,
                because=(store, others),
                breaks="two Connect clusters form one group: each gets tasks of connectors whose "
                "configuration it cannot read, and the group rebalances without end",
                fix="give each Connect cluster a group.id of its own",
            )
    for name, worker in first.items():
        sinks = [c for c in cluster.connectors if c.resource.plane == "sink-connector"]
        sink = next((c for c in sinks if f"connect-{c.name}" == name), None)
        readers = [c for c in cluster.clients if isinstance(c, Consumer)]
        reader = next((c for c in readers if c["group.id"].text == name), None)
        if sink is None and reader is None:
            continue
        who = f"the group of {sink}" if sink is not None else f"that of {reader}"
        yield worker.finding(
            f"{worker} has {plain(worker['group.id'])}, which is also {who}",
            at=worker["group.id"],
            because=(reader["group.id"],) if reader is not None else (),
            breaks="whoever comes second cannot join: InconsistentGroupProtocolException",
            fix="give the Connect cluster a group.id that no consumer has",
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
    """Workers of one group do not agree on whether source tasks write exactly once.

    A group is switched over in two rounds: preparing on all workers, then enabled on all. Beside a
    worker that has it disabled an enabled one starts tasks that the other cannot fence.

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
        told = {str(worker[_EOS].value).lower(): worker for worker in members}
        if "enabled" in told and "disabled" in told:
            on, off = told["enabled"], told["disabled"]
            yield on.finding(
                f"{on} has {plain(on[_EOS])}, a worker of the same group {plain(off[_EOS])}",
                at=on[_EOS],
                because=(off[_EOS],),
                breaks="tasks fail to start, or write twice: the other workers cannot fence them",
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
    """A worker advertises loopback to the other workers.

    Requests go to any worker, which hands them on to the leader at its rest.advertised.host.name.
    With localhost there a worker asks itself.

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
    Good: two on one machine
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
                f"{worker} advertises {plain(host)}, another worker of its group "
                f"{plain(elsewhere)}",
                at=host,
                because=(elsewhere,),
                breaks="requests that are handed on to this worker fail (HTTP 409 or 500)",
                fix="set rest.advertised.host.name to a name that the other workers resolve",
            )


def _loopback(host: Value) -> bool:
    text = host.text or ""
    return text in ("localhost", "::1") or text.startswith("127.")
