"""KC11: how many voters a quorum has, where they are, and which roles they share."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.listeners import entries
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ERROR, INFO, WARNING, Finding
from kcheck.rule import CHANGED, FAILED, rule
from kcheck.rules.shared.quorum import hosts
from kcheck.wording import count, in_ms, plain

_VOTERS = "controller.quorum.voters"


@rule(
    "KC1128",
    "voters-odd-count",
    WARNING,
    broker_side=True,
    invariants=("voters-odd-count",),
    claims=("S002-59", "S002-60", "S002-66"),
    versions="KRaft",
)
def voters_odd_count(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """A controller quorum has a single voter, or an even number of them.

    A majority of the voters must be there. Two survive the loss of none, four of one as three do: an
    even number costs a node and adds a way to fail. One voter is enough to try things; in
    production its loss stops every change of topics, leaders and replicas.

    Bad:
        --- server.properties
        process.roles=controller
        node.id=1
        controller.quorum.voters=1@c1:9093,2@c2:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
    Bad: a single one in production
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
    Good: to try things
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@localhost:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
    """
    if cluster.development:
        return
    for node in (*cluster.controllers, *cluster.brokers):
        voters = node[_VOTERS]
        if not voters.text:
            continue
        number = len(entries(voters.text))
        if number == 1 and cluster.production:
            breaks = "the loss of that node stops all changes: no topic, no new leader, no broker comes back"
        elif number and number % 2 == 0:
            breaks = f"it survives the loss of {number // 2 - 1}, as {number - 1} would" + (
                ": either node that goes stops the cluster" if number == 2 else ""
            )
        else:
            return
        yield cluster.finding(
            f"the quorum of {cluster} has {count(number, 'voter')}",
            at=voters,
            breaks=breaks,
            fix="take 3 voters, or 5 to survive the loss of two",
        )
        return


@rule(
    "KC1129",
    "combined-mode-prod",
    INFO,
    broker_side=True,
    invariants=("combined-mode-prod",),
    claims=("S002-61", "S002-62"),
    versions="KRaft",
)
def combined_mode_prod(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """Nodes of a production cluster are brokers and controllers at once.

    Kafka's documentation keeps that for development: a broker that is short of memory or disk takes
    its controller along, and neither can be restarted or scaled without the other. Said where the
    environment is declared.

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
    Good: nobody says what it is for
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
                f"{node} of production {cluster} has {plain(node['process.roles'])}",
                at=node["process.roles"],
                breaks="a broker in trouble takes its controller along, and both restart together",
                fix="give the controllers nodes of their own",
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
    """A broker names several listeners of the controllers, and uses the first alone.

    Controllers may have several while they move from one to another. A node that is a broker alone
    dials the first of its list; Kafka logs that it passes over the others.

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
            f"{broker} names {count(len(found), 'listener')} of the controllers: {plain(names)}",
            at=names,
            because=(broker["process.roles"],),
            breaks=f"the broker dials {found[0]} alone: where the controllers do not answer there, it "
            "does not try the others",
            fix=f"leave {found[0]}, or the one that is to be used",
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
    """controller.quorum.fetch.timeout.ms is shorter than what one request or the append linger may take.

    A voter that has not fetched for controller.quorum.fetch.timeout.ms begins an election. One
    request may take controller.quorum.request.timeout.ms, and a leader may hold records back for
    controller.quorum.append.linger.ms: neither should be longer.

    Bad: a slow line makes elections
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
            f"{broker}: {in_ms(step)} is above {in_ms(patience)}",
            at=at,
            because=because,
            breaks="one slow request is enough for an election, in which nothing is changed",
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
    versions="3.8+: refused at the start; before, it means the node itself",
)
def voters_nonroutable(broker: Broker | Controller) -> Iterator[Finding]:
    """A voter has the address 0.0.0.0, to which nothing can connect.

    The wildcard is for listeners. From 3.8 on a node with such a voter does not start; before, it
    looks for that voter on its own machine. Only 0.0.0.0:0 had a meaning there: the address is told
    by something else.

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
    Good: all in one
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
    # voters-routable tells it of controllers from 4.2 on.
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
        severity, breaks = WARNING, "the node looks for that voter on its own machine"
    elif broker.version.known:
        severity, breaks = ERROR, "the node does not start: the address is not routable"
    elif alone:
        severity, breaks = WARNING, "from Kafka 3.8 on the node does not start"
    else:
        severity = WARNING
        breaks = (
            "from Kafka 3.8 on the node does not start; older ones look for it on their own machine"
        )
    yield broker.finding(
        f"{broker}: {_VOTERS} names 0.0.0.0:{wild[0][1]}",
        at=voters,
        breaks=breaks,
        fix="write the host under which the other nodes reach that controller",
        severity=severity,
    )
