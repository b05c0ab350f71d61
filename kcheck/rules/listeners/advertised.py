"""KC10: addresses that brokers advertise to each other."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.listeners import addresses
from kcheck.graph.nodes import Broker
from kcheck.model import ERROR, Finding
from kcheck.rule import FAILED, rule
from kcheck.rules.shared.completeness import operated
from kcheck.rules.shared.quorum import LOOPBACK, quorum_of


@rule(
    "KC1025",
    "advertised-localhost",
    ERROR,
    kafka=FAILED,
    on=("advertised.listeners", "listeners"),
    broker_side=True,
    invariants=("advertised-localhost",),
)
def advertised_localhost(broker: Broker) -> Iterator[Finding]:
    """A broker of a multi-machine cluster advertises localhost to the other brokers.

    Followers fetch from the advertised address of the inter-broker listener. With a loopback address
    each of them connects to itself, and no partition gets a second in-sync replica. Reported if
    controller.quorum.voters or controller.quorum.bootstrap.servers shows that the nodes are on
    different hosts.

    Bad:
        --- server.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=11@c1:9093,12@c2:9093,13@c3:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092
        advertised.listeners=PLAINTEXT://localhost:9092
        default.replication.factor=3
    Good:
        --- server.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=11@c1:9093,12@c2:9093,13@c3:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092
        advertised.listeners=PLAINTEXT://k1:9092
    Good: all on one machine
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@localhost:9093,2@localhost:9094,3@localhost:9095
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
        advertised.listeners=PLAINTEXT://localhost:9092
    Good: the inter-broker listener is another one
        --- server.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=11@c1:9093,12@c2:9093,13@c3:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,LOCAL://:9094
        advertised.listeners=PLAINTEXT://k1:9092,LOCAL://localhost:9094
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,LOCAL:PLAINTEXT,CONTROLLER:PLAINTEXT
    """
    voters, found = quorum_of(broker), addresses(broker)
    if voters is None or operated(broker):
        return
    # A single broker with several controllers has no followers.
    copies = broker["default.replication.factor"]
    several = broker.cluster.broker_count.number > 1 or len(broker.cluster.brokers) > 1
    if not (several or copies.number > 1 or broker.roles != ["broker"]):
        return
    named, spoken = broker["inter.broker.listener.name"], broker["security.inter.broker.protocol"]
    between = named if named.written else spoken
    for one in found.visible:
        if one.host.lower() not in LOOPBACK or one.name != str(between.value or "").upper():
            continue
        told = broker["advertised.listeners"]
        at = told if told.written else broker["listeners"]
        yield broker.finding(
            f"{broker} advertises its inter-broker listener as {one}",
            at=at,
            because=(voters, between) if between.written else (voters,),
            breaks="other brokers connect to themselves: partitions led by this broker get no second "
            "in-sync replica",
            fix=f"advertise {one.name} with a host name that the other nodes can reach",
        )
        return
