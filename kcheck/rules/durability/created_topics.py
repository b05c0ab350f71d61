"""KC03: the replication of topics that programs create for themselves."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Client, Connector
from kcheck.graph.cluster import Cluster
from kcheck.graph.created import Created, created
from kcheck.graph.environment import PRODUCTION
from kcheck.graph.nodes import Node
from kcheck.model import ERROR, WARNING, Finding, Value
from kcheck.refusal import doubt
from kcheck.rule import FAILED, rule
from kcheck.rules.shared.completeness import of_operator
from kcheck.rules.shared.production import of_several_brokers
from kcheck.rules.shared.ranges import possible, spread
from kcheck.wording import count, plain

_FACTOR = "replication.factor"


@rule(
    "KC0344",
    "created-topic-single-copy",
    WARNING,
)
def created_topic_single_copy(cluster: Cluster) -> Iterator[Finding]:
    """A program creates its topics with one replica on a production cluster.

    Streams applications, ksqlDB, mirrors, source connectors, dead-letter queues, Schema Registry,
    tiered storage and Spring's binder create topics with a replication factor of their own, which
    takes precedence over the brokers' default.replication.factor. Existing topics keep the factor
    that they were created with. Also reported of a mirror that gives more replicas to its own topics.

    Bad: changelogs
        --- kcheck.yaml
        cluster: {name: core, environment: production, brokers: 3}
        streams: [{name: totals, config: {application.id: totals, replication.factor: 1}}]
    Bad: the topics of a source connector
        --- kcheck.yaml
        cluster: {name: core, environment: production, brokers: 3}
        connectors:
          - name: rows
            config:
              connector.class: FileStreamSource
              topic: rows
              topic.creation.default.partitions: 1
              topic.creation.default.replication.factor: 1
    Bad: tiered storage
        --- kcheck.yaml
        cluster:
          name: core
          kafka_version: "4.1"
          environment: production
          brokers: 3
          config: {remote.log.storage.system.enable: true, rlmm.config.remote.log.metadata.topic.replication.factor: 1}
    Bad: ksqlDB
        --- ksql-server.properties
        bootstrap.servers=k1:9092
        ksql.service.id=media_
        ksql.internal.topic.replicas=1
        --- kcheck.yaml
        cluster: {name: core, environment: production, brokers: 3}
    Bad: the default up to 2.8
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "2.8", environment: production, brokers: 3}
        streams: [{name: totals, config: {application.id: totals}}]
    Good:
        --- kcheck.yaml
        cluster: {name: core, environment: production, brokers: 3}
        streams: [{name: totals, config: {application.id: totals, replication.factor: 3}}]
    Good: the brokers' default
        --- kcheck.yaml
        cluster: {name: core, environment: production, brokers: 3}
        streams: [{name: totals, config: {application.id: totals, replication.factor: -1}}]
    Good: not production
        --- kcheck.yaml
        cluster: {name: core, environment: development, brokers: 3}
        streams: [{name: totals, config: {application.id: totals, replication.factor: 1}}]
    Good: a single broker allows no other value
        --- kcheck.yaml
        cluster: {name: core, environment: production, brokers: 1}
        streams: [{name: totals, config: {application.id: totals, replication.factor: 1}}]
    Bad: the profile of production, and three brokers of no file
        --- application-prod.yml
        kafka:
          bootstrap: {servers: "k1:9092,k2:9092,k3:9092"}
          streams: {default: {application.id: totals, replication.factor: 1}}
    Good: one host with three listeners
        --- application-prod.yml
        kafka:
          bootstrap: {servers: "k1:9092,k1:9093,k1:9094"}
          streams: {default: {application.id: totals, replication.factor: 1}}
    Good: three hosts, but for nothing that is said to be production
        --- application.yml
        kafka:
          bootstrap: {servers: "k1:9092,k2:9092,k3:9092"}
          streams: {default: {application.id: totals, replication.factor: 1}}
    Bad: a mirror whose own topics have more
        --- mm2.properties
        clusters=fra,dub
        fra.bootstrap.servers=k1.fra.example.com:9092
        dub.bootstrap.servers=k1.dub.example.com:9092
        fra->dub.enabled=true
        replication.factor=1
        checkpoints.topic.replication.factor=3
        offset-syncs.topic.replication.factor=3
        heartbeats.topic.replication.factor=3
    Bad: Karapace's schemas
        --- docker-compose.yml
        services:
          registry:
            image: ghcr.io/aiven-open/karapace:4.1.0
            environment: {KARAPACE_BOOTSTRAP_URI: "k1:9092", KARAPACE_REPLICATION_FACTOR: 1}
        --- kcheck.yaml
        cluster: {name: core, environment: production, brokers: 3, config: {advertised.listeners: "PLAINTEXT://k1:9092"}}
    """
    brokers = cluster.broker_count
    if brokers.number == 1:
        return
    for node, one in _creations(cluster):
        several = cluster.production or of_several_brokers(node)
        more = None if several else _more(node)
        if not several and more is None:
            continue
        # Of what nobody set, a declared environment alone says that it matters, or brokers as old as
        # the clients whose default it is.
        told = one.factor.explicit or cluster.environment == PRODUCTION
        some = 1 in possible(one.factor) and cluster.version.below("3.0")
        if (one.factor.number == 1 and told) or some:
            factor = plain(one.factor) if one.factor.known else spread(one.factor)
            where = cluster.ranked if cluster.production else "several brokers of production"
            yield node.finding(
                f"{node} creates {one.topics} with one replica ({factor}) "
                + (f"on {where}" if more is None else f"beside {plain(more)}"),
                at=one.factor,
                because=(brokers,) if brokers.known else () if more is None else (more,),
                breaks="while the broker that holds a partition is down, it can be neither read nor "
                "written; if its disk is lost, the data is lost",
                fix=f"set {one.named}=3, and reassign topics that exist",
                set_to="3" if one.factor.explicit else None,
                severity=WARNING,
            )


def _more(node: Node) -> Value | None:
    """The larger factor that a mirror's file has for its internal topics: its target has the brokers."""
    if node.resource.plane not in ("mirror-source", "mirror-checkpoint"):
        return None
    path = node.resource.path
    for other in (*node.cluster.connectors, *node.cluster.clients):
        for key in other.resource.settings if other.resource.path == path else ():
            if key.endswith(_FACTOR) and key != _FACTOR and other[key].number > 1:
                return other[key]
    return None


def _creations(cluster: Cluster) -> Iterator[tuple[Node, Created]]:
    """The topics that the programs of a cluster create; of alike brokers only the first counts."""
    for broker in cluster.brokers:
        theirs = created(broker)
        if theirs:
            yield from ((broker, one) for one in theirs)
            break
    for node in (*cluster.clients, *cluster.connectors):
        for one in created(node):
            if one.factor.key != "offset-syncs.topic.replication.factor" or _at_target(node):
                yield node, one


def _at_target(connector: Node) -> bool:
    """Whether a mirror has its offset-syncs topic here; by default the source cluster has it."""
    return connector["offset-syncs.topic.location"].value == "target"


@rule(
    "KC0345",
    "created-topic-rf",
    ERROR,
    kafka=FAILED,
)
def created_topic_rf(node: Client | Connector) -> Iterator[Finding]:
    """The replication factor of topics that a program creates exceeds the number of brokers, or is
    below min.insync.replicas.

    Control Center creates its topics with three replicas unless told otherwise, and fails to start on
    fewer brokers, as do sinks of Confluent's that report what became of each record; so do Spring's
    binder, source connectors and ksqlDB with the factor that is set.
    Schema Registry uses as many replicas as there are brokers, but Kafka up to 3.6 rejects its writes
    if min.insync.replicas is higher.

    Bad: the default, on one broker
        --- docker-compose.yml
        services:
          broker:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              CLUSTER_ID: MkU3OEVBNTcwNTJENDM2Qg
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@broker:29093
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_LISTENERS: PLAINTEXT://broker:9092,CONTROLLER://broker:29093
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
              KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: 1
          control-center:
            image: confluentinc/cp-enterprise-control-center:7.5.0
            environment:
              CONTROL_CENTER_BOOTSTRAP_SERVERS: broker:9092
    Bad: a source connector
        --- kcheck.yaml
        cluster: {name: core, brokers: 1, config: {offsets.topic.replication.factor: 1}}
        connectors:
          - name: rows
            config:
              connector.class: FileStreamSource
              topic: rows
              topic.creation.default.partitions: 1
              topic.creation.default.replication.factor: 3
    Good: its topic is there already
        --- kcheck.yaml
        cluster: {name: core, brokers: 1, config: {offsets.topic.replication.factor: 1}}
        topics: [{name: rows, partitions: 1, replication_factor: 1}]
        connectors:
          - name: rows
            config:
              connector.class: FileStreamSource
              topic: rows
              topic.creation.default.partitions: 1
              topic.creation.default.replication.factor: 3
    Bad: fewer replicas than min.insync.replicas
        --- schema-registry.properties
        kafkastore.bootstrap.servers=PLAINTEXT://k1:9092
        kafkastore.topic.replication.factor=1
        --- kcheck.yaml
        cluster: {kafka_version: "3.5", brokers: 3, config: {min.insync.replicas: 2}}
    Good:
        --- docker-compose.yml
        services:
          broker:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              CLUSTER_ID: MkU3OEVBNTcwNTJENDM2Qg
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@broker:29093
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_LISTENERS: PLAINTEXT://broker:9092,CONTROLLER://broker:29093
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
              KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: 1
          control-center:
            image: confluentinc/cp-enterprise-control-center:7.5.0
            environment:
              CONTROL_CENTER_BOOTSTRAP_SERVERS: broker:9092
              CONTROL_CENTER_REPLICATION_FACTOR: 1
    Good: Control Center of the next generation has its metrics in Prometheus, and in no topics
        --- c3.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: ControlCenter
        metadata: {name: c3, namespace: kafka}
        spec:
          replicas: 1
          image: {application: confluentinc/cp-enterprise-control-center-next-gen:2.5.0, init: confluentinc/confluent-init-container:3.3.0}
          configOverrides:
            server:
              - confluent.controlcenter.command.topic.replication=1
              - confluent.controlcenter.internal.topics.replication=1
          dependencies: {kafka: {bootstrapEndpoint: "kafka:9071"}}
        --- kafka.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: Kafka
        metadata: {name: kafka, namespace: kafka}
        spec:
          replicas: 1
          image: {application: confluentinc/cp-server:8.2.2, init: confluentinc/confluent-init-container:3.3.0}
          dataVolumeCapacity: 10Gi
          configOverrides: {server: [offsets.topic.replication.factor=1]}
          dependencies: {kRaftController: {clusterRef: {name: kraftcontroller}}}
    Good: the registry makes do with fewer brokers
        --- schema-registry.properties
        kafkastore.bootstrap.servers=PLAINTEXT://k1:9092
        --- kcheck.yaml
        cluster: {kafka_version: "3.5", brokers: 1, config: {offsets.topic.replication.factor: 1}}
    Good: newer brokers require no more replicas than there are
        --- schema-registry.properties
        kafkastore.bootstrap.servers=PLAINTEXT://k1:9092
        kafkastore.topic.replication.factor=1
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", brokers: 3, config: {min.insync.replicas: 2}}
    Bad: the reports of a sink, by default
        --- kcheck.yaml
        cluster: {name: core, brokers: 1, config: {offsets.topic.replication.factor: 1}}
        connectors:
          - name: hooks
            config:
              connector.class: io.confluent.connect.http.HttpSinkConnector
              topics: orders
              reporter.bootstrap.servers: k1:9092
    Good: reports with one copy
        --- kcheck.yaml
        cluster: {name: core, brokers: 1, config: {offsets.topic.replication.factor: 1}}
        connectors:
          - name: hooks
            config:
              connector.class: io.confluent.connect.http.HttpSinkConnector
              topics: orders
              reporter.bootstrap.servers: k1:9092
              reporter.result.topic.name: ""
              reporter.error.topic.replication.factor: 1
    """
    cluster = node.cluster
    brokers = cluster.broker_count
    # Rules of their own judge what Streams, mirrors and dead-letter queues create.
    mine = [one for one in created(node) if one.program or one.factor.key.startswith(_UNJUDGED)]
    many = [one for one in mine if one.factor.number > brokers.number and not one.capped]
    if many:
        yield _too_many(node, many, brokers)
        return
    for one in mine:
        writes = node.resource.kind == "producer" and str(node["acks"].value) in ("all", "-1")
        if one.waits or writes:
            yield from _below_min_isr(node, one)


#: Keys of connectors whose factors no other rule compares with the brokers.
_UNJUDGED = ("topic.creation.", "confluent.topic.", "reporter.")


def _too_many(node: Node, many: list[Created], brokers: Value) -> Finding:
    factors = [one.factor for one in many]
    setters = dict.fromkeys(one.named for one in many)
    number = int(brokers.number)
    others = f" and {count(len(many) - 1, 'other topic')}" if len(many) > 1 else ""
    return node.finding(
        f"{node} creates {many[0].topics}{others} with {plain(factors[0])}, but {node.cluster} has "
        f"{count(brokers.number, 'broker')}",
        at=factors[0],
        because=(*factors[1:], brokers),
        breaks="the topics cannot be created (INVALID_REPLICATION_FACTOR), and the "
        f"{node.resource.kind} fails",
        fix=f"set {', '.join(f'{name}={number}' for name in setters)}, or add brokers",
        set_to=str(number) if len(many) == 1 else None,
        severity=WARNING if all(map(of_operator, factors)) else "",
    )


def _below_min_isr(node: Node, one: Created) -> Iterator[Finding]:
    version = node.cluster.version
    if version.at_least("3.7") or one.factor.number < 1:
        return
    for needed in node.cluster.across("min.insync.replicas"):
        if needed.number > one.factor.number:
            certain = version.below("3.7")
            yield node.finding(
                f"{node} creates {one.topics} with {plain(one.factor)}, but the brokers have "
                f"{plain(needed)}",
                at=one.factor,
                because=(needed,),
                breaks=("" if certain else "up to Kafka 3.6 ")
                + "every write to it fails (NotEnoughReplicasException)",
                fix=f"set {one.named} above {int(needed.number)}",
                severity=ERROR if certain else doubt("3.7"),
            )
            return
