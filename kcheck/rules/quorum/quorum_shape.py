"""KC11: the number, addresses, roles and timeouts of a controller quorum's voters."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.cluster import Cluster, ClusterWithNodes
from kcheck.graph.listeners import entries
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ERROR, INFO, WARNING, Finding, Value
from kcheck.rule import CHANGED, FAILED, rule
from kcheck.rules.shared.quorum import hosts
from kcheck.units import whole
from kcheck.wording import count, in_ms, plain

_VOTERS = "controller.quorum.voters"


@rule(
    "KC1128",
    "voters-odd-count",
    WARNING,
    broker_side=True,
    invariants=("voters-odd-count",),
)
def voters_odd_count(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A controller quorum has a single voter, or an even number of them.

    A majority of the voters must be available. Two voters tolerate no failure, and four tolerate one,
    same as three: an even number adds a node that can fail, but no tolerance. One voter is enough for
    tests; in production its loss stops all changes of topics, leaders and replicas. The same holds
    for ZooKeeper. Voters are counted in controller.quorum.voters, or by the replicas of controllers.

    Bad:
        --- server.properties
        process.roles=controller
        node.id=1
        controller.quorum.voters=1@c1:9093,2@c2:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
    Bad: a single voter in production
        --- kcheck.yaml
        cluster: {environment: production, brokers: 3}
        --- broker.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
    Good:
        --- server.properties
        process.roles=controller
        node.id=1
        controller.quorum.voters=1@c1:9093,2@c2:9093,3@c3:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
    Good: a development cluster
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@localhost:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
    Bad: a node pool of controllers
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaNodePool
        metadata: {name: brokers, labels: {strimzi.io/cluster: core}}
        spec: {replicas: 3, roles: [broker], storage: {type: persistent-claim, size: 100Gi}}
        ---
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaNodePool
        metadata: {name: controllers, labels: {strimzi.io/cluster: core}}
        spec: {replicas: 2, roles: [controller], storage: {type: persistent-claim, size: 10Gi}}
        ---
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: core}
        spec: {kafka: {version: 4.1.0}}
    Bad: a ZooKeeper ensemble
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka: {version: 3.8.0, replicas: 3, storage: {type: persistent-claim, size: 100Gi}}
          zookeeper: {replicas: 4, storage: {type: persistent-claim, size: 10Gi}}
    Bad: the controllers of Confluent for Kubernetes
        --- kraft.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: KRaftController
        metadata: {name: kraft}
        spec: {replicas: 2, dataVolumeCapacity: 10Gi}
    Good: two pools make three controllers
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaNodePool
        metadata: {name: a, labels: {strimzi.io/cluster: core}}
        spec: {replicas: 2, roles: [controller, broker], storage: {type: persistent-claim, size: 100Gi}}
        ---
        apiVersion: kafka.strimzi.io/v1
        kind: KafkaNodePool
        metadata: {name: b, labels: {strimzi.io/cluster: core}}
        spec: {replicas: 1, roles: [controller], storage: {type: persistent-claim, size: 10Gi}}
        ---
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: core}
        spec: {kafka: {version: 4.1.0}}
    """
    if cluster.development:
        return
    ensemble = _ensemble(cluster)
    if ensemble is None:
        return
    at, number, what, one = ensemble
    if number == 1 and cluster.production:
        breaks = (
            "losing that node stops all metadata changes: topic changes, leader elections and "
            "broker registrations"
        )
    elif number and number % 2 == 0:
        breaks = (
            f"it tolerates {count(number // 2 - 1, 'failure')}, same as {count(number - 1, one)}"
        ) + (": losing either node stops the cluster" if number == 2 else "")
    else:
        return
    yield cluster.finding(
        f"the {what} of {cluster} has {count(number, one)}",
        at=at,
        breaks=breaks,
        fix=f"use 3 {one}s, or 5 to tolerate two failures",
    )


_QUORUM = ("controller quorum", "voter")


def _ensemble(cluster: Cluster) -> tuple[Value, int, str, str] | None:
    """Where the voters of a cluster are told, how many there are, and what they are called."""
    for node in (*cluster.controllers, *cluster.brokers):
        voters = node[_VOTERS]
        if voters.text:
            return voters, len(entries(voters.text)), *_QUORUM
    if cluster.kraft is not False:
        pools = [pool for pool in cluster.pools if "controller" in pool.resource.traits.roles]
        lone = [node for node in cluster.controllers if node.resource.kind == "controller"]
        told = [node.fact("replicas") for node in (pools or lone)]
        numbers = [number for value in told if (number := whole(value.text)) is not None]
        # Of several files for single controllers some may be elsewhere.
        if len(numbers) == len(told) and (pools or len(lone) == 1):
            return told[0], sum(numbers), *_QUORUM
    for node in cluster.brokers:
        servers = node.fact("zookeeper")
        number = whole(servers.text)
        if number is not None and cluster.kraft is not True:
            return servers, number, "ZooKeeper ensemble", "server"
    return None


@rule(
    "KC1129",
    "combined-mode-prod",
    INFO,
    broker_side=True,
    invariants=("combined-mode-prod",),
    versions="KRaft",
)
def combined_mode_prod(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A production cluster has combined nodes (broker and controller).

    Kafka's documentation recommends combined mode for development only: a broker that runs out of
    memory or disk takes its controller down, and neither can be restarted or scaled without the
    other. Reported only if the environment is declared.

    Bad:
        --- kcheck.yaml
        cluster: {environment: production, brokers: 3}
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1:9093,2@k2:9093,3@k3:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
    Good:
        --- kcheck.yaml
        cluster: {environment: production, brokers: 3}
        --- server.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=11@c1:9093,12@c2:9093,13@c3:9093
        controller.listener.names=CONTROLLER
    Good: the environment is unknown
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1:9093,2@k2:9093,3@k3:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
    """
    if cluster.environment != "production":
        return
    for node in cluster.brokers:
        if {"broker", "controller"} <= set(node.roles):
            yield cluster.finding(
                f"{node} of {cluster} has {plain(node['process.roles'])} in production",
                at=node["process.roles"],
                breaks="a failing broker takes its controller down, and both restart together",
                fix="run the controllers on dedicated nodes",
            )
            return


@rule(
    "KC1130",
    "controller-first-listener-only",
    WARNING,
    kafka=CHANGED,
    on=("controller.listener.names",),
    invariants=("controller-first-listener-only",),
    versions="3.1+, KRaft",
)
def controller_first_listener_only(broker: Broker) -> Iterator[Finding]:
    """A broker lists several controller listeners, but uses the first only.

    Controllers may have several while they move from one to another. A broker-only node connects to
    the first in its list; Kafka logs that it ignores the others.

    Bad:
        --- server.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER,CONTROLLER_SSL
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,CONTROLLER_SSL:SSL
    Good:
        --- server.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER
    Good: a controller
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@c1:9093
        controller.listener.names=CONTROLLER,CONTROLLER_SSL
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093,CONTROLLER_SSL://:9094
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,CONTROLLER_SSL:SSL
    """
    names = broker["controller.listener.names"]
    if broker.roles != ["broker"] or broker.version.below("3.1"):
        return
    found = [*dict.fromkeys(entries(names.text))]
    if len(found) > 1:
        yield broker.finding(
            f"{broker} lists {count(len(found), 'controller listener')}: {plain(names)}",
            at=names,
            because=(broker["process.roles"],),
            breaks=f"the broker connects to {found[0]} only: if the controllers do not answer there, it "
            "does not try the others",
            fix=f"keep {found[0]} only, or the listener to use",
        )


@rule(
    "KC1131",
    "quorum-timer-sanity",
    WARNING,
    on=(
        "controller.quorum.fetch.timeout.ms",
        "controller.quorum.append.linger.ms",
        "controller.quorum.request.timeout.ms",
    ),
    invariants=("quorum-timer-sanity",),
    versions="3.0+, KRaft",
)
def quorum_timer_sanity(broker: Broker | Controller) -> Iterator[Finding]:
    """controller.quorum.fetch.timeout.ms is less than the request timeout or the append linger.

    A voter that has not fetched for controller.quorum.fetch.timeout.ms starts an election. One
    request may take controller.quorum.request.timeout.ms, and a leader may delay records for
    controller.quorum.append.linger.ms: neither should be longer.

    Bad: a slow network causes elections
        --- server.properties
        process.roles=controller
        node.id=1
        controller.quorum.voters=1@c1:9093,2@c2:9093,3@c3:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        controller.quorum.request.timeout.ms=10000
    Good:
        --- server.properties
        process.roles=controller
        node.id=1
        controller.quorum.voters=1@c1:9093,2@c2:9093,3@c3:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        controller.quorum.request.timeout.ms=10000
        controller.quorum.fetch.timeout.ms=10000
    """
    patience = broker["controller.quorum.fetch.timeout.ms"]
    for key in ("controller.quorum.request.timeout.ms", "controller.quorum.append.linger.ms"):
        step = broker[key]
        if not step.number > patience.number:
            continue
        at, *because = written_first(step, patience)
        yield broker.finding(
            f"{broker}: {in_ms(step)} exceeds {in_ms(patience)}",
            at=at,
            because=because,
            breaks="one slow request triggers an election, during which no metadata changes are made",
            fix=f"set controller.quorum.fetch.timeout.ms to at least {int(step.number)}",
        )
        return


@rule(
    "KC1135",
    "voters-nonroutable",
    ERROR,
    kafka=FAILED,
    on=(_VOTERS,),
    invariants=("voters-nonroutable",),
    versions="3.8+: the node fails to start; earlier: 0.0.0.0 means the node itself",
)
def voters_nonroutable(broker: Broker | Controller) -> Iterator[Finding]:
    """A voter has the address 0.0.0.0, which is not routable.

    The wildcard is for listeners. From 3.8 on a node with such a voter fails to start; earlier
    versions connect to their own machine instead of that voter. Only 0.0.0.0:0 had a meaning: the
    address is set by something else.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "3.9"}
        --- server.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=9@0.0.0.0:9093
        controller.listener.names=CONTROLLER
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "3.9"}
        --- server.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=9@c9:9093
        controller.listener.names=CONTROLLER
    Good: a single combined node
        --- kcheck.yaml
        cluster: {kafka_version: "3.6"}
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@0.0.0.0:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
    """
    voters, roles = broker[_VOTERS], broker["process.roles"]
    if not roles.written:
        return
    # voters-routable reports it for controllers from 4.2 on.
    if "controller" in broker.roles and broker.version.at_least("4.2"):
        return
    at = hosts(voters.text or "")
    wild = [(host, port) for host, port in at if host == "0.0.0.0" and port.strip("0")]
    if not wild:
        return
    alone = len(at) == 1 and "controller" in broker.roles
    if broker.version.below("3.8"):
        if alone:
            return
        severity, breaks = WARNING, "the node connects to its own machine instead of that voter"
    elif broker.version.at_least("3.8"):
        severity, breaks = ERROR, "the node fails to start: the address is not routable"
    elif alone:
        severity, breaks = WARNING, "from Kafka 3.8 on the node fails to start"
    else:
        severity = WARNING
        breaks = (
            "from Kafka 3.8 on the node fails to start; earlier versions connect to their own machine "
            "instead of that voter"
        )
    yield broker.finding(
        f"{broker}: {_VOTERS} contains 0.0.0.0:{wild[0][1]}",
        at=voters,
        breaks=breaks,
        fix="use the host at which the other nodes connect to that controller",
        severity=severity,
    )
