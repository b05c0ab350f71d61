"""KC12: identities of producers, mirrors and connectors that may be in use only once."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph import identities
from kcheck.graph.clients import Client, Connector
from kcheck.graph.cluster import ClusterWithClients
from kcheck.graph.running import instances
from kcheck.grouping.place import apart
from kcheck.model import ERROR, WARNING, Finding, Flow, Framed, Resource, Value
from kcheck.rule import rule
from kcheck.wording import count, plain


@rule("KC1226", "txn-prefix-shared", WARNING, refs=("KIP-98", "KIP-447"))
def txn_prefix_shared(cluster: ClusterWithClients) -> Iterator[Finding]:
    """Instances of an application, or two of Flink's sinks, have the same prefix of transactional ids.

    Spring appends a number to its prefix for each producer, from 0 on in each instance. From Spring for
    Apache Kafka 3.0 on the prefix must differ between instances; before, it had to unless listeners
    start all transactions with EOSMode.ALPHA. Flink appends the number of the subtask, so that each sink
    on a cluster needs a prefix of its own.

    Bad:
        --- app.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: app}
        spec:
          replicas: 3
          template:
            spec:
              containers:
                - name: app
                  image: example.com/app:1
                  env:
                    - {name: SPRING_KAFKA_BOOTSTRAP_SERVERS, value: "k1:9092"}
                    - {name: SPRING_KAFKA_PRODUCER_TRANSACTION_ID_PREFIX, value: pay-}
    Good:
        --- app.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: app}
        spec:
          replicas: 3
          template:
            spec:
              containers:
                - name: app
                  image: example.com/app:1
                  env:
                    - {name: SPRING_KAFKA_BOOTSTRAP_SERVERS, value: "k1:9092"}
                    - name: POD_NAME
                      valueFrom: {fieldRef: {fieldPath: metadata.name}}
                    - {name: SPRING_KAFKA_PRODUCER_TRANSACTION_ID_PREFIX, value: $(POD_NAME)-pay-}
    Good: one instance
        --- app.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: app}
        spec:
          replicas: 1
          template:
            spec:
              containers:
                - name: app
                  image: example.com/app:1
                  env:
                    - {name: SPRING_KAFKA_BOOTSTRAP_SERVERS, value: "k1:9092"}
                    - {name: SPRING_KAFKA_PRODUCER_TRANSACTION_ID_PREFIX, value: pay-}
    Bad: two tables of Flink
        --- jobs.sql
        CREATE TABLE a (id STRING) WITH ('connector' = 'kafka', 'topic' = 'a', 'format' = 'json',
          'properties.bootstrap.servers' = 'k1:9092', 'properties.transaction.timeout.ms' = '600000',
          'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = 'etl');
        CREATE TABLE b (id STRING) WITH ('connector' = 'kafka', 'topic' = 'b', 'format' = 'json',
          'properties.bootstrap.servers' = 'k1:9092', 'properties.transaction.timeout.ms' = '600000',
          'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = 'etl');
    Good: a prefix each
        --- jobs.sql
        CREATE TABLE a (id STRING) WITH ('connector' = 'kafka', 'topic' = 'a', 'format' = 'json',
          'properties.bootstrap.servers' = 'k1:9092', 'properties.transaction.timeout.ms' = '600000',
          'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = 'etl-a');
        CREATE TABLE b (id STRING) WITH ('connector' = 'kafka', 'topic' = 'b', 'format' = 'json',
          'properties.bootstrap.servers' = 'k1:9092', 'properties.transaction.timeout.ms' = '600000',
          'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = 'etl-b');
    Good: one table, declared in two jobs
        --- jobs/a.sql
        CREATE TABLE a (id STRING) WITH ('connector' = 'kafka', 'topic' = 'a', 'format' = 'json',
          'properties.bootstrap.servers' = 'k1:9092', 'properties.transaction.timeout.ms' = '600000',
          'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = 'etl');
        --- jobs/b.sql
        CREATE TABLE a (id STRING) WITH ('connector' = 'kafka', 'topic' = 'a', 'format' = 'json',
          'properties.bootstrap.servers' = 'k1:9092', 'properties.transaction.timeout.ms' = '600000',
          'sink.delivery-guarantee' = 'exactly-once', 'sink.transactional-id-prefix' = 'etl');
    """
    for client in cluster.clients:
        processes = instances(client)
        for prefix in identities.of_process(client) if processes.number > 1 else ():
            if prefix.key == identities.PRODUCER:
                yield client.finding(
                    f"{client} runs {count(processes.number, 'instance')} with the same prefix of "
                    f"transactional ids, {prefix.text}",
                    at=prefix,
                    because=(processes,),
                    breaks="the instances use the same ids and fence each other in turns "
                    "(ProducerFencedException)",
                    fix="put what differs between instances into the prefix, such as the pod's name",
                )
    yield from _sinks(cluster)


def _sinks(cluster: ClusterWithClients) -> Iterator[Finding]:
    """Two tables of Flink that write different topics by one prefix."""
    first: dict[str, Client] = {}
    for client in cluster.clients:
        prefix = client["transactional.id"]
        if prefix.setting is None or prefix.setting.name != _SINK_PREFIX or not prefix.text:
            continue
        other = first.setdefault(prefix.text, client)
        if other.resource.traits.topics != client.resource.traits.topics:
            yield client.finding(
                f"{client} has {_SINK_PREFIX} {prefix.text}, the same as {other}",
                at=prefix,
                because=(other["transactional.id"],),
                breaks="both sinks use the same transactional ids and fence each other in turns "
                "(ProducerFencedException)",
                fix=f"set another {_SINK_PREFIX} for each sink",
            )


_SINK_PREFIX = "sink.transactional-id-prefix"


#: By connector: the keys that name the source and the target cluster.
_ENDS = {
    "ReplicatorSourceConnector": ("src.kafka.bootstrap.servers", "dest.kafka.bootstrap.servers"),
}
_SERVERS = ("source.cluster.bootstrap.servers", "target.cluster.bootstrap.servers")


@rule("KC1227", "mirror-one-cluster", WARNING, refs=("KIP-382",))
def mirror_one_cluster(cluster: ClusterWithClients) -> Iterator[Finding]:
    """A mirror has the same brokers as its source and as its target.

    Two aliases then mean one cluster: topics are copied beside themselves, under a name with the source's
    alias, and the other cluster gets nothing.

    Bad:
        --- mirror.json
        {"name": "mirror", "config": {"connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
         "source.cluster.alias": "live", "source.cluster.bootstrap.servers": "k1:9092,k2:9092",
         "target.cluster.alias": "archive", "target.cluster.bootstrap.servers": "k1:9092,k2:9092",
         "topics": "audit"}}
    Bad: MirrorMaker's own file
        --- mm2.properties
        clusters=live,archive
        live.bootstrap.servers=k1:9092
        archive.bootstrap.servers=k1:9092
        live->archive.enabled=true
        live->archive.topics=audit
    Good:
        --- mirror.json
        {"name": "mirror", "config": {"connector.class": "org.apache.kafka.connect.mirror.MirrorSourceConnector",
         "source.cluster.alias": "live", "source.cluster.bootstrap.servers": "k1:9092,k2:9092",
         "target.cluster.alias": "archive", "target.cluster.bootstrap.servers": "a1:9092,a2:9092",
         "topics": "audit"}}
    Good: Replicator copies within one cluster, under names that it is told
        --- replicator.json
        {"name": "copy", "config": {"connector.class": "io.confluent.connect.replicator.ReplicatorSourceConnector",
         "key.converter": "io.confluent.connect.replicator.util.ByteArrayConverter",
         "value.converter": "io.confluent.connect.replicator.util.ByteArrayConverter",
         "src.kafka.bootstrap.servers": "k1:9092", "dest.kafka.bootstrap.servers": "k1:9092",
         "topic.whitelist": "audit", "topic.rename.format": "${topic}.copy"}}
    """
    seen: set[int] = set()
    for resource in cluster.resources:
        for flow in resource.traits.flows_out:
            source, target = flow.servers
            if id(flow) not in seen and source & target and flow.ends[0] != flow.ends[1]:
                seen.add(id(flow))
                yield _one_cluster(cluster, flow, resource)
    for connector in cluster.connectors:
        name = (connector["connector.class"].text or "").rpartition(".")[2]
        ends = _ENDS.get(name)
        if ends is None:
            continue
        there, here = connector[ends[0]], connector[ends[1]]
        if there.text and there.text == here.text and not _renamed(connector):
            yield connector.finding(
                f"{connector}: {plain(there)} is the target as well",
                at=there,
                because=(here,),
                breaks="topics are copied within one cluster, and the other one gets nothing",
                fix=f"set {ends[1]} to the brokers of the target cluster",
            )


def _renamed(connector: Connector) -> bool:
    """Whether Replicator gives its copies other names: a copy beside the original is then meant."""
    setting = connector.resource.settings.get("topic.rename.format")
    text = setting.frame if isinstance(setting, Framed) else setting.text if setting else ""
    return text not in ("", "${topic}")


def _one_cluster(cluster: ClusterWithClients, flow: Flow, resource: Resource) -> Finding:
    evidence = [flow.settings[key] for key in _SERVERS if key in flow.settings]
    values = [identities.told(resource, one) for one in evidence or [flow.target, flow.source]]
    brokers = sorted(flow.servers[0] & flow.servers[1])
    address = ":".join(filter(None, brokers[0]))
    return cluster.finding(
        f"mirror {flow.ends[0]}->{flow.ends[1]} has {address} in its source and in its target cluster",
        at=values[0],
        because=values[1:],
        breaks=f"topics are copied within one cluster, and {flow.ends[1]} gets nothing",
        fix="set the bootstrap servers of each alias to the brokers of its own cluster",
    )


class _Slot:
    """What a source database gives to one connector at a time: ``key`` with its default, within what the
    keys of ``scope`` name."""

    __slots__ = ("breaks", "classes", "default", "key", "scope")

    def __init__(
        self, classes: tuple[str, ...], key: str, default: str, scope: tuple[str, ...], breaks: str
    ) -> None:
        self.classes = classes
        self.key = key
        self.default = default
        self.scope = scope
        self.breaks = breaks


_HOST = ("database.hostname", "database.port")
#: Debezium's documents of each connector (3.x): slot.name, database.server.id, database.out.server.name.
_SLOTS = (
    _Slot(
        ("PostgresConnector", "PostgresCdcSource", "PostgresCdcSourceV2"),
        "slot.name",
        "debezium",
        (*_HOST, "database.dbname"),
        "the second connector fails: the replication slot is active for another process",
    ),
    _Slot(
        ("MySqlConnector", "MariaDbConnector"),
        "database.server.id",
        "",
        _HOST,
        "the database disconnects one of the two: a replica with the same server id has connected",
    ),
    _Slot(
        ("OracleConnector",),
        "database.out.server.name",
        "",
        (*_HOST, "database.dbname"),
        "the second connector fails: an XStream outbound server takes one client",
    ),
)


@rule("KC1228", "replication-slot-shared", ERROR)
def replication_slot_shared(cluster: ClusterWithClients) -> Iterator[Finding]:
    """Two Debezium connectors use one replication slot or server id of a database.

    PostgreSQL gives a replication slot to one connection at a time; slot.name is debezium by default.
    MySQL and MariaDB know each replica by its server id. A warning if the connectors are in different
    files, of which only one may be in use.

    Bad: the default
        --- connectors.json
        [{"name": "staff", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
          "database.hostname": "db", "database.port": "5432", "database.dbname": "hr", "topic.prefix": "staff"}},
         {"name": "pay", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
          "database.hostname": "db", "database.port": "5432", "database.dbname": "hr", "topic.prefix": "pay"}}]
    Bad: one server id
        --- a.json
        {"name": "a", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "database.hostname": "db", "database.port": "3306", "database.server.id": "5401", "topic.prefix": "a"}}
        --- b.json
        {"name": "b", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "database.hostname": "db", "database.port": "3306", "database.server.id": "5401", "topic.prefix": "b"}}
    Good: a slot each
        --- connectors.json
        [{"name": "staff", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
          "database.hostname": "db", "database.port": "5432", "database.dbname": "hr", "topic.prefix": "staff"}},
         {"name": "pay", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
          "database.hostname": "db", "database.port": "5432", "database.dbname": "hr", "topic.prefix": "pay",
          "slot.name": "pay"}}]
    Good: demos of their own
        --- demo/cdc/mysql.json
        {"name": "a", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "database.hostname": "db", "database.port": "3306", "database.server.id": "5401", "topic.prefix": "a"}}
        --- demo/search/mysql.json
        {"name": "b", "config": {"connector.class": "io.debezium.connector.mysql.MySqlConnector",
         "database.hostname": "db", "database.port": "3306", "database.server.id": "5401", "topic.prefix": "b"}}
    Good: another database
        --- connectors.json
        [{"name": "staff", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
          "database.hostname": "db", "database.port": "5432", "database.dbname": "hr", "topic.prefix": "staff"}},
         {"name": "shop", "config": {"connector.class": "io.debezium.connector.postgresql.PostgresConnector",
          "database.hostname": "db", "database.port": "5432", "database.dbname": "shop", "topic.prefix": "shop"}}]
    """
    first: dict[tuple[object, ...], Connector] = {}
    for connector in cluster.connectors:
        name = (connector["connector.class"].text or "").rpartition(".")[2]
        for slot in _SLOTS:
            if name not in slot.classes:
                continue
            told = _slot(connector, slot)
            scope = [connector.resource.settings.get(key) for key in slot.scope]
            if not told.text or any(one is not None and one.text is None for one in scope):
                continue
            named = tuple(one.text if one is not None else "" for one in scope)
            if not named[0]:
                continue
            other = first.setdefault((slot.key, *named, told.text), connector)
            if _variants(connector, other):
                continue
            yield connector.finding(
                f"{connector} has {plain(told)} at {named[0]}, the same as {other}",
                at=told,
                because=(_slot(other, slot),),
                breaks=slot.breaks,
                fix=f"set another {slot.key}",
                severity=ERROR if connector.resource.path == other.resource.path else WARNING,
            )


def _slot(connector: Connector, slot: _Slot) -> Value:
    setting = connector.resource.settings.get(slot.key)
    if setting is None:
        return identities.given(connector.resource, slot.key, slot.default)
    return identities.told(connector.resource, setting)


def _variants(one: Connector, other: Connector) -> bool:
    """Whether two connectors are one or two forms of one, or of two examples: of one name, or with all
    topics alike."""
    if one.name == other.name or apart(one.resource.path, other.resource.path):
        return True
    keys = ("topic.prefix", "database.server.name", "table.include.list", "table.whitelist")
    texts = [
        [
            node.resource.settings[key].text if key in node.resource.settings else None
            for key in keys
        ]
        for node in (one, other)
    ]
    return texts[0] == texts[1]
