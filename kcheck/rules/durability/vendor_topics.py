"""KC03: topics that Confluent Server makes for itself beside Kafka's own: how many copies they get."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import catalogue, endpoints
from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.nodes import Broker
from kcheck.grouping.names import hosts
from kcheck.model import DEFAULT, WARNING, Finding, Value
from kcheck.rule import FAILED, rule
from kcheck.wording import count, plain

_COPIES = 3


_LINKS = "confluent.cluster.link.metadata.topic.replication.factor"


_LICENCE = "confluent.license.topic.replication.factor"


_BALANCER = "confluent.balancer.topic.replication.factor"


#: Factors of what few ask for: who sets one thinks of few brokers.
_FEW = (
    "confluent.metadata.topic.replication.factor",
    "confluent.security.event.logger.exporter.kafka.topic.replicas",
)


_TIERS = "confluent.tier.metadata.replication.factor"


_METRICS = "confluent.metrics.reporter.topic.replicas"


#: Since which Kafka inside of Confluent Server nobody has to ask for the topic of a factor; it was
#: forgotten where another factor is set.
_SINCE = {_LINKS: "3.0", _LICENCE: "2.8", _BALANCER: "2.6"}


_ASKED = (_TIERS, _METRICS)


_BALANCES = "confluent.balancer.enable"


_TELEMETRY = "confluent.reporters.telemetry.auto.enable"


_REPORTER = "io.confluent.metrics.reporter.ConfluentMetricsReporter"


_IMAGES = {"confluent-server": (*_SINCE, *_ASKED), "confluent-enterprise": (_METRICS,)}


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
    """Confluent Server cannot create a topic that it keeps for itself.

    Beside Kafka's own it makes topics for its licence, for balancing itself and for cluster links,
    and where it is told to for metrics and tiers, with 3 copies each unless told otherwise. On
    fewer brokers each creation is refused and tried again for ever, and what needs the topic does
    not work. Of those that nobody has to ask for it is said where another factor is set, so that
    one was forgotten.

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
    Bad: metrics that go to its own brokers
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
    Good: Kafka without Confluent's own
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
    Good: metrics that go elsewhere
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
        asking = [(_copies(broker, key), _asking(broker, key, own)) for key in keys]
        wanted = [(one, by) for one, by in asking if by is not None and one.number > brokers.number]
        if not wanted:
            continue
        factors = [one for one, _ in wanted]
        at = next((one for one in factors if one.written), wanted[0][1])
        topics = "a topic" if len(factors) == 1 else "topics"
        yield cluster.finding(
            f"{broker} keeps {topics} with {' and '.join(map(plain, factors))}, cluster "
            f"{cluster.name} has {count(brokers.number, 'broker')}",
            at=at,
            because=(*(one for one in factors if one is not at), brokers),
            breaks=f"{'the topic is' if len(factors) == 1 else 'they are'} never created: the log "
            "repeats INVALID_REPLICATION_FACTOR",
            fix=f"set {', '.join(f'{one.key}={int(brokers.number)}' for one in factors)}",
        )
        return


def _copies(broker: Broker, key: str) -> Value:
    """The factor under that key, or 3 where nobody sets it."""
    value = broker[key]
    if not value.written:
        return Value(key, broker.resource, DEFAULT, str(_COPIES), _COPIES, True)
    return value.but(catalogue.convert("short", value.text or "")[0])


def _asking(broker: Broker, key: str, own: set[str]) -> Value | None:
    """What shows that the broker makes the topic of that factor, and here; None where nothing does."""
    if key == _TIERS:
        return _true(broker["confluent.tier.feature"])
    if key == _METRICS:
        reporters = broker["metric.reporters"]
        asked = broker["confluent.metrics.reporter.bootstrap.servers"].text or ""
        there = {host for host, _ in endpoints.split(asked)}
        return reporters if there and not there - own and _REPORTER in _entries(reporters) else None
    if key == _BALANCER and not _balances(broker):
        return None
    told = [broker[one] for one in (*_SINCE, *_FEW) if broker.sets(one)]
    return told[0] if told and broker.version.at_least(_SINCE[key]) else None


def _balances(broker: Broker) -> bool:
    """Whether the broker balances its cluster: the image lets it, unless it is told not to.

    Without telemetry it has nothing to weigh: who knows which topics it makes then.
    """
    told = broker[_BALANCES]
    return not broker.sets(_TELEMETRY) and (not told.written or _true(told) is not None)


def _true(value: Value) -> Value | None:
    return value if (value.text or "").lower() == "true" else None


def _entries(value: Value) -> list[str]:
    return [entry.strip() for entry in (value.text or "").split(",")]
