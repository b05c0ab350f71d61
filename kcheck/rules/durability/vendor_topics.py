"""KC03: the replication of Confluent Server's internal topics, beside Kafka's own."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import configdef, endpoints
from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.nodes import Broker
from kcheck.grouping.names import hosts
from kcheck.model import DEFAULT, HELM, INFO, WARNING, Finding, Value
from kcheck.rule import FAILED, rule
from kcheck.wording import count, plain

_COPIES = 3


_LINKS = "confluent.cluster.link.metadata.topic.replication.factor"


_LICENCE = "confluent.license.topic.replication.factor"


_BALANCER = "confluent.balancer.topic.replication.factor"


#: Factors of optional features: setting one shows that the cluster is meant for few brokers.
_OPTIONAL = (
    "confluent.metadata.topic.replication.factor",
    "confluent.security.event.logger.exporter.kafka.topic.replicas",
)


_TIERS = "confluent.tier.metadata.replication.factor"


_METRICS = "confluent.metrics.reporter.topic.replicas"


#: Since which Kafka version inside Confluent Server the topic of a factor is created automatically;
#: its factor was forgotten if another one is set.
_SINCE = {_LINKS: "3.0", _LICENCE: "2.8", _BALANCER: "2.6"}


_ENABLED = (_TIERS, _METRICS)


_BALANCES = "confluent.balancer.enable"


_TELEMETRY = "confluent.reporters.telemetry.auto.enable"


_REPORTER = "io.confluent.metrics.reporter.ConfluentMetricsReporter"


_IMAGES = {"confluent-server": (*_SINCE, *_ENABLED), "confluent-enterprise": (_METRICS,)}


_LOOPBACK = ("localhost", "127.0.0.1")


@rule(
    "KC0341",
    "vendor-topics-rf",
    WARNING,
    kafka=FAILED,
    broker_side=True,
    versions="Confluent Server: balancing 6.0+, licences 6.2+, cluster links 7.0+",
)
def vendor_topics_rf(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """Confluent Server cannot create one of its internal topics.

    Beside Kafka's own internal topics it creates topics for its licence, self-balancing and cluster
    links, and for metrics and tiered storage if enabled, with 3 replicas each by default. With fewer
    brokers each creation is rejected and retried forever, and the feature does not work. Topics that
    are created automatically are reported only if another factor is set, so that this one was
    forgotten. The topic of cluster links alone is an info: without links nothing misses it.

    Bad:
        --- docker-compose.yml
        services:
          broker:
            image: confluentinc/cp-server:7.5.0
            environment:
              CLUSTER_ID: MkU3OEVBNTcwNTJENDM2Qg
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@broker:29093
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_LISTENERS: PLAINTEXT://broker:29092,CONTROLLER://broker:29093
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
              KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: 1
              KAFKA_CONFLUENT_LICENSE_TOPIC_REPLICATION_FACTOR: 1
    Bad: metrics reported to its own brokers
        --- docker-compose.yml
        services:
          broker:
            image: confluentinc/cp-server:7.5.0
            environment:
              CLUSTER_ID: MkU3OEVBNTcwNTJENDM2Qg
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@broker:29093
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_LISTENERS: PLAINTEXT://broker:9092,CONTROLLER://broker:29093
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
              KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: 1
              KAFKA_METRIC_REPORTERS: io.confluent.metrics.reporter.ConfluentMetricsReporter
              CONFLUENT_METRICS_REPORTER_BOOTSTRAP_SERVERS: broker:9092
    Good:
        --- docker-compose.yml
        services:
          broker:
            image: confluentinc/cp-server:7.5.0
            environment:
              CLUSTER_ID: MkU3OEVBNTcwNTJENDM2Qg
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@broker:29093
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_LISTENERS: PLAINTEXT://broker:29092,CONTROLLER://broker:29093
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
              KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: 1
              KAFKA_CONFLUENT_LICENSE_TOPIC_REPLICATION_FACTOR: 1
              KAFKA_CONFLUENT_BALANCER_TOPIC_REPLICATION_FACTOR: 1
              KAFKA_CONFLUENT_CLUSTER_LINK_METADATA_TOPIC_REPLICATION_FACTOR: 1
    Bad: metrics of Confluent's chart, which starts their reporter
        --- values.yaml
        cp-kafka:
          brokers: 1
          configurationOverrides:
            offsets.topic.replication.factor: "1"
            confluent.topic.replication.factor: "1"
    Good: the same with one copy
        --- values.yaml
        cp-kafka:
          brokers: 1
          configurationOverrides:
            offsets.topic.replication.factor: "1"
            confluent.metrics.reporter.topic.replicas: "1"
    Good: Apache Kafka without Confluent's features
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
              KAFKA_CONFLUENT_LICENSE_TOPIC_REPLICATION_FACTOR: 1
    Good: metrics reported to another cluster
        --- docker-compose.yml
        services:
          broker:
            image: confluentinc/cp-server:7.5.0
            environment:
              CLUSTER_ID: MkU3OEVBNTcwNTJENDM2Qg
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@broker:29093
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_LISTENERS: PLAINTEXT://broker:9092,CONTROLLER://broker:29093
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
              KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: 1
              KAFKA_METRIC_REPORTERS: io.confluent.metrics.reporter.ConfluentMetricsReporter
              CONFLUENT_METRICS_REPORTER_BOOTSTRAP_SERVERS: metrics.example.com:9092
    """
    brokers = cluster.broker_count
    own = {host for broker in cluster.brokers for host in hosts(broker.resource)}.union(_LOOPBACK)
    for broker in cluster.brokers:
        keys = _IMAGES.get(broker.resource.traits.image_family, ())
        if broker.resource.traits.deployer == HELM:
            keys = (_METRICS,)
        causes = [(_factor(broker, key), _cause(broker, key, own)) for key in keys]
        created = [
            (one, by) for one, by in causes if by is not None and one.number > brokers.number
        ]
        if not created:
            continue
        factors = [one for one, _ in created]
        at = next((one for one in factors if one.written), created[0][1])
        topics = "an internal topic" if len(factors) == 1 else "internal topics"
        yield cluster.finding(
            f"{broker} creates {topics} with {' and '.join(map(plain, factors))}, but {cluster} has "
            f"{count(brokers.number, 'broker')}",
            at=at,
            because=(*(one for one in factors if one is not at), brokers),
            breaks=f"{'the topic is' if len(factors) == 1 else 'the topics are'} never created: the log "
            "repeats INVALID_REPLICATION_FACTOR",
            fix=f"set {', '.join(f'{one.key}={int(brokers.number)}' for one in factors)}",
            # Nothing but links needs the topic, and its creation is tried in any case.
            severity=INFO if [one.key for one in factors] == [_LINKS] else WARNING,
        )
        return


def _factor(broker: Broker, key: str) -> Value:
    """The replication factor under that key, or 3 if it is not set."""
    value = broker[key]
    if not value.written:
        return Value(key, broker.resource, DEFAULT, str(_COPIES), _COPIES, True)
    return value.but(configdef.convert("short", value.text or "")[0])


def _cause(broker: Broker, key: str, own: set[str]) -> Value | None:
    """What shows that the broker creates the topic of that factor in this cluster; else None."""
    if key == _TIERS:
        return _true(broker["confluent.tier.feature"])
    if key == _METRICS:
        reporters = broker["metric.reporters"]
        bootstrap = broker["confluent.metrics.reporter.bootstrap.servers"].text or ""
        there = {host for host, _ in endpoints.split(bootstrap)}
        if not bootstrap and broker.resource.traits.deployer == HELM:
            there = own
        return reporters if there and not there - own and _REPORTER in _entries(reporters) else None
    if key == _BALANCER and not _balances(broker):
        return None
    factors = [broker[one] for one in (*_SINCE, *_OPTIONAL) if broker.sets(one)]
    return factors[0] if factors and broker.version.at_least(_SINCE[key]) else None


def _balances(broker: Broker) -> bool:
    """Whether self-balancing is on: the image enables it, unless it is configured otherwise.

    Without telemetry it has no metrics, and which topics it creates then is unknown.
    """
    switch = broker[_BALANCES]
    return not broker.sets(_TELEMETRY) and (not switch.written or _true(switch) is not None)


def _true(value: Value) -> Value | None:
    return value if (value.text or "").lower() == "true" else None


def _entries(value: Value) -> list[str]:
    return [entry.strip() for entry in (value.text or "").split(",")]
