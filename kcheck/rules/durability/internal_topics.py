"""KC03: the replication of Kafka's internal topics."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import images
from kcheck.graph.cluster import Cluster, ClusterWithNodes
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ERROR, FACT, INFO, WARNING, Finding, Value
from kcheck.refusal import refused
from kcheck.rule import FAILED, REFUSED, rule
from kcheck.wording import count, plain

_TYPICAL_RF = 3
#: Where brokers differ: each creates an internal topic with its own factor.
_REFUSED_BY_SOME = (
    "this broker never creates the topic (INVALID_REPLICATION_FACTOR): clients retry until a broker "
    "with a smaller factor creates it"
)


@rule(
    "KC0308",
    "offsets-topic-rf",
    ERROR,
    kafka=FAILED,
    broker_side=True,
    invariants=("offsets-topic-rf",),
    versions="≤3.6: min.insync.replicas above it is fatal; 3.7+: capped",
)
def offsets_topic_rf(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """__consumer_offsets cannot be created or cannot be written.

    __consumer_offsets is created with offsets.topic.replication.factor when a group is first used.
    With fewer brokers than that, subscribed consumers receive neither records nor an exception. Up
    to Kafka 3.6 a min.insync.replicas above the replication factor has the same effect. Before 0.11
    the topic got as many replicas as there were brokers.

    Bad: the default of 3 on one broker
        --- kcheck.yaml
        cluster: {name: dev, kafka_version: "3.9", brokers: 1}
    Bad: fewer replicas than min.insync.replicas
        --- kcheck.yaml
        cluster:
          kafka_version: "3.5"
          brokers: 3
          config: {min.insync.replicas: 2, offsets.topic.replication.factor: 1}
    Good:
        --- kcheck.yaml
        cluster: {name: dev, brokers: 1, config: {offsets.topic.replication.factor: 1}}
    Good: the number of brokers is unknown
        --- server.properties
        broker.id=0
        zookeeper.connect=zk:2181
        log.dirs=/data/kafka
    Bad: one of two brokers only, a warning
        --- kcheck.yaml
        cluster:
          brokers:
            - {id: 1, config: {offsets.topic.replication.factor: 3}}
            - {id: 2, config: {offsets.topic.replication.factor: 2}}
    Good: only one of the replicas runs, and KC2020 says so
        --- kafka.yaml
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: kafka}
        spec:
          replicas: 3
          template:
            spec:
              containers:
                - name: kafka
                  image: confluentinc/cp-kafka:7.5.3
                  env:
                    - {name: KAFKA_ZOOKEEPER_CONNECT, value: "zk:2181"}
                    - {name: KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR, value: "1"}
                  volumeMounts: [{name: data, mountPath: /var/lib/kafka/data}]
              volumes: [{name: data, persistentVolumeClaim: {claimName: kafka-data}}]
    """
    brokers = cluster.broker_count
    key = "offsets.topic.replication.factor"
    able = _able(cluster, key)
    for factor in cluster.across(key):
        if factor.number > brokers.number and not cluster.version.below("0.11"):
            yield cluster.finding(
                f"__consumer_offsets requires {plain(factor)}, but {cluster} has "
                f"{count(brokers.number, 'broker')}",
                at=factor,
                because=(brokers, *able),
                breaks=_REFUSED_BY_SOME
                if able
                else "no consumer group ever gets an assignment: consumers receive neither records "
                "nor an exception, and brokers log INVALID_REPLICATION_FACTOR",
                fix=f"set offsets.topic.replication.factor={int(brokers.number)}",
                set_to=str(int(brokers.number)),
                severity=WARNING if able else "",
            )
    yield from _isr_above_own_rf(
        cluster,
        "__consumer_offsets",
        "offsets.topic.replication.factor",
        "min.insync.replicas",
        "no consumer group can commit offsets or get an assignment",
        certain=True,
    )
    if cluster.production:
        for factor in cluster.across("offsets.topic.replication.factor"):
            if factor.number < _TYPICAL_RF <= brokers.number:
                single = factor.number < 2
                yield cluster.finding(
                    f"{cluster} is a {cluster.rank}, but __consumer_offsets has {plain(factor)}",
                    at=factor,
                    because=(brokers,),
                    breaks="if a broker that holds a replica fails, the groups that it coordinates stop; "
                    "if its disk fails, their offsets are lost"
                    if single
                    else "committed offsets are lost if one replica fails while the other is unavailable",
                    fix="set offsets.topic.replication.factor=3, and reassign the topic if it exists",
                    set_to="3",
                    severity=WARNING if single else INFO,
                )


def _able(cluster: Cluster, key: str) -> tuple[Value, ...]:
    """A broker's replication factor that the cluster can satisfy, if brokers differ and one has it.

    The broker that gets the first request creates the topic with its own factor, and clients ask
    the brokers in turn: one that is able to is enough.
    """
    most = cluster.broker_count.number
    return tuple([factor for factor in cluster.across(key) if factor.number <= most][:1])


def _caps(broker: Broker) -> bool:
    """Whether the broker caps min.isr at the number of replicas, by its version or all of its tag."""
    if broker.version.at_least("3.7"):
        return True
    family = images.families().get(broker.resource.traits.image_family)
    return family is not None and images.floor(family, broker.fact("image").text).at_least("3.7")


def _isr_above_own_rf(
    cluster: Cluster, topic: str, factor_key: str, isr_key: str, breaks: str, *, certain: bool
) -> Iterator[Finding]:
    """min.isr above the replication factor of an internal topic: fatal ≤3.6, capped from 3.7."""
    for broker in cluster.brokers:
        factor, min_isr = broker[factor_key], broker[isr_key]
        if not min_isr.number > factor.number:
            continue
        if cluster.version.below("3.7"):
            severity = ERROR if certain else WARNING if min_isr.written else INFO
            when = breaks
        elif min_isr.written:
            capped = (
                "the broker caps the value at the number of replicas, so it guarantees less than "
                "configured"
            )
            caps = _caps(broker)
            when = capped if caps else f"up to Kafka 3.6 {breaks}; from 3.7 {capped}"
            # One broker has no second replica to give.
            severity = INFO if caps and cluster.broker_count.number == 1 else WARNING
        else:
            continue
        first, second = (factor, min_isr) if factor.written else (min_isr, factor)
        enough = not cluster.broker_count.number < min_isr.number
        raised = f"set {factor_key} to at least {int(min_isr.number)}, or " if enough else ""
        yield cluster.finding(
            f"{topic} has {plain(factor)}, which is less than {plain(min_isr)}",
            at=first,
            because=(second,),
            breaks=when,
            fix=f"{raised}set {isr_key}={int(factor.number)}",
            severity=severity,
        )


@rule(
    "KC0309",
    "txn-topic-rf-isr",
    ERROR,
    kafka=FAILED,
    broker_side=True,
    invariants=("streams-eos-brokers", "txn-topic-rf-isr", "txn-rf-isr"),
    versions="≤3.6: min.isr above the factor is fatal; 3.7+: capped",
)
def txn_topic_rf_isr(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """__transaction_state cannot be created or cannot be written.

    __transaction_state is created with transaction.state.log.replication.factor and
    transaction.state.log.min.isr when the first transactional producer starts. With fewer brokers
    than that, initTransactions() fails with TimeoutException. An error if the replication factor is
    set or a client is known to use transactions, a warning beside ksqlDB, otherwise an info.

    Bad:
        --- kcheck.yaml
        cluster:
          brokers: 1
          config: {transaction.state.log.replication.factor: 3, offsets.topic.replication.factor: 1}
    Bad: fewer replicas than transaction.state.log.min.isr
        --- kcheck.yaml
        cluster:
          kafka_version: "3.4"
          brokers: 1
          config: {transaction.state.log.replication.factor: 1, offsets.topic.replication.factor: 1}
    Good:
        --- kcheck.yaml
        cluster:
          brokers: 1
          config:
            offsets.topic.replication.factor: 1
            transaction.state.log.replication.factor: 1
            transaction.state.log.min.isr: 1
    Good: from 3.7 the default min.isr of 2 is capped
        --- kcheck.yaml
        cluster:
          kafka_version: "3.9"
          brokers: 1
          config: {transaction.state.log.replication.factor: 1, offsets.topic.replication.factor: 1}
    """
    brokers = cluster.broker_count
    user = cluster.transactional
    able = _able(cluster, "transaction.state.log.replication.factor")
    for factor in cluster.across("transaction.state.log.replication.factor"):
        if not factor.number > brokers.number:
            continue
        severity = ERROR if factor.written or user is not None else INFO
        if not factor.written and user is not None and user.origin == FACT:
            # Whether ksqlDB writes in transactions hangs on its version (5.5 and later).
            severity = WARNING
        if able and severity == ERROR:
            severity = WARNING
        yield cluster.finding(
            f"__transaction_state requires {plain(factor)}, but {cluster} has "
            f"{count(brokers.number, 'broker')}",
            at=factor,
            because=(
                *((brokers, user) if user is not None and not factor.written else (brokers,)),
                *able,
            ),
            breaks=_REFUSED_BY_SOME
            if able
            else "initTransactions() of the first transactional producer fails with "
            "TimeoutException after max.block.ms",
            fix=f"set transaction.state.log.replication.factor={int(brokers.number)} and "
            f"transaction.state.log.min.isr={max(1, int(brokers.number) - 1)}",
            set_to=str(int(brokers.number)),
            # What is not set, for transactions that no client is known to use, may do no harm.
            severity=severity,
        )
    yield from _isr_above_own_rf(
        cluster,
        "__transaction_state",
        "transaction.state.log.replication.factor",
        "transaction.state.log.min.isr",
        "initTransactions() of every transactional producer fails with TimeoutException",
        certain=user is not None and user.origin != FACT,
    )


@rule(
    "KC0310",
    "share-state-topic-rf-isr",
    WARNING,
    kafka=FAILED,
    broker_side=True,
    invariants=("share-state-topic-rf-isr",),
    versions="4.0+",
)
def share_state_topic_rf_isr(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """__share_group_state cannot be created.

    __share_group_state is created when a share group is first used. With fewer brokers than its
    replication factor, share consumers receive neither records nor an exception.

    Bad:
        --- kcheck.yaml
        cluster:
          kafka_version: "4.2"
          brokers: 1
          config: {share.coordinator.state.topic.replication.factor: 3, offsets.topic.replication.factor: 1}
    Good:
        --- kcheck.yaml
        cluster:
          kafka_version: "4.2"
          brokers: 1
          config:
            share.coordinator.state.topic.replication.factor: 1
            share.coordinator.state.topic.min.isr: 1
            offsets.topic.replication.factor: 1
    Good: the factor is not set, and no share group is known
        --- kcheck.yaml
        cluster: {kafka_version: "3.9", brokers: 1, config: {offsets.topic.replication.factor: 1}}
    """
    if cluster.version.below("4.0"):
        return
    brokers = cluster.broker_count
    for broker in cluster.brokers:
        factor = broker["share.coordinator.state.topic.replication.factor"]
        min_isr = broker["share.coordinator.state.topic.min.isr"]
        if factor.written and factor.number > brokers.number:
            yield cluster.finding(
                f"__share_group_state requires {plain(factor)}, but {cluster} has "
                f"{count(brokers.number, 'broker')}",
                at=factor,
                because=(brokers,),
                breaks="share consumers receive neither records nor an exception",
                fix=f"set share.coordinator.state.topic.replication.factor={int(brokers.number)}",
                set_to=str(int(brokers.number)),
            )
        elif min_isr.written and min_isr.number > factor.number:
            least = max(1, int(factor.number) - 1)
            yield cluster.finding(
                f"__share_group_state has {plain(factor)}, which is less than {plain(min_isr)}",
                at=min_isr,
                because=(factor,),
                breaks="the broker caps the value at the number of replicas, so it guarantees less than "
                "configured",
                fix=f"set share.coordinator.state.topic.min.isr={least}",
                set_to=str(least),
            )


@rule(
    "KC0316",
    "offsets-commit-acks",
    ERROR,
    invariants=("offset-commit-acks",),
    kafka=REFUSED,
    on=("offsets.commit.required.acks",),
    versions="≤3.9; 4.0 has no such key",
)
def offsets_commit_acks(broker: Broker | Controller) -> Iterator[Finding]:
    """offsets.commit.required.acks exceeds the replication factor of __consumer_offsets.

    Bad:
        --- kcheck.yaml
        cluster:
          kafka_version: "3.9"
          config: {offsets.commit.required.acks: 4, offsets.topic.replication.factor: 3}
    Good:
        --- kcheck.yaml
        cluster:
          kafka_version: "3.9"
          config: {offsets.commit.required.acks: -1, offsets.topic.replication.factor: 3}
    """
    acks, factor = (
        broker["offsets.commit.required.acks"],
        broker["offsets.topic.replication.factor"],
    )
    refusal = refused(broker.version, "the broker fails to start", "", "4.0")
    if refusal is None or not acks.number > factor.number:
        return
    severity, breaks = refusal
    yield broker.finding(
        f"{broker}: {plain(acks)} exceeds {plain(factor)}",
        at=acks,
        because=(factor,),
        breaks=breaks,
        fix="remove offsets.commit.required.acks: the default -1 waits for all in-sync replicas",
        severity=severity,
    )
