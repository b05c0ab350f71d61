"""KC11: addresses at which the members of a quorum find each other."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.listeners import addresses, controller_names
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ERROR, Finding
from kcheck.rule import FAILED, rule
from kcheck.rules.shared.completeness import operated
from kcheck.rules.shared.quorum import LOOPBACK, SERVERS, quorum_of


@rule(
    "KC1138",
    "quorum-advertised-localhost",
    ERROR,
    kafka=FAILED,
    on=(SERVERS,),
    broker_side=True,
    versions="from 3.9 on, where the quorum is dynamic",
)
def quorum_advertised_localhost(broker: Broker | Controller) -> Iterator[Finding]:
    """A controller of a multi-machine quorum advertises localhost.

    Without controller.quorum.voters the quorum keeps the addresses that its voters advertise, and each
    voter brings its own up to date when it starts. The samples that come with Kafka advertise
    CONTROLLER://localhost:9093, which is right for one node alone.

    Bad:
        --- controller.properties
        process.roles=controller
        node.id=1
        controller.quorum.bootstrap.servers=c1:9093,c2:9093,c3:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        advertised.listeners=CONTROLLER://localhost:9093
    Bad: a broker as well
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.bootstrap.servers=k1:9093,k2:9093,k3:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
        advertised.listeners=PLAINTEXT://k1:9092,CONTROLLER://127.0.0.1:9093
    Good:
        --- controller.properties
        process.roles=controller
        node.id=1
        controller.quorum.bootstrap.servers=c1:9093,c2:9093,c3:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        advertised.listeners=CONTROLLER://c1:9093
    Good: the voters are told to everyone
        --- controller.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@c1:9093,2@c2:9093,3@c3:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
        advertised.listeners=PLAINTEXT://c1:9092,CONTROLLER://localhost:9093
    Good: all on one machine
        --- controller.properties
        process.roles=controller
        node.id=1
        controller.quorum.bootstrap.servers=localhost:9093,localhost:9193
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        advertised.listeners=CONTROLLER://localhost:9093
    """
    quorum, told = quorum_of(broker), broker["advertised.listeners"]
    if quorum is None or quorum.key != SERVERS:
        return
    if operated(broker) or "controller" not in broker.roles or broker.version.below("3.9"):
        return
    names = controller_names(broker)
    for one in addresses(broker).advertised:
        if one.name in names and one.host.lower() in LOOPBACK:
            yield broker.finding(
                f"{broker} advertises {one} to the other voters",
                at=told if told.written else broker["listeners"],
                because=(quorum,),
                breaks="the other voters and the brokers look for it on their own machines: no leader "
                "of the quorum lasts",
                fix=f"advertise {one.name} under the host by which the other nodes reach this one",
            )
            return
