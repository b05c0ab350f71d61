"""KC11: the addresses that the members of a dynamic quorum advertise."""

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
    versions="3.9+, dynamic quorums",
)
def quorum_advertised_localhost(broker: Broker | Controller) -> Iterator[Finding]:
    """A controller of a multi-machine quorum advertises localhost.

    Without controller.quorum.voters the quorum stores the addresses that its voters advertise, and
    each voter updates its own when it starts. Kafka's sample files advertise
    CONTROLLER://localhost:9093, which is correct for a single node only.

    Bad:
        --- controller.properties
        process.roles=controller
        node.id=1
        controller.quorum.bootstrap.servers=c1:9093,c2:9093,c3:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        advertised.listeners=CONTROLLER://localhost:9093
    Bad: a combined node
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
    Good: a static quorum
        --- controller.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@c1:9093,2@c2:9093,3@c3:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
        advertised.listeners=PLAINTEXT://c1:9092,CONTROLLER://localhost:9093
    Good: all nodes on one machine
        --- controller.properties
        process.roles=controller
        node.id=1
        controller.quorum.bootstrap.servers=localhost:9093,localhost:9193
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        advertised.listeners=CONTROLLER://localhost:9093
    """
    quorum, advertised = quorum_of(broker), broker["advertised.listeners"]
    if quorum is None or quorum.key != SERVERS:
        return
    if operated(broker) or "controller" not in broker.roles or broker.version.below("3.9"):
        return
    names = controller_names(broker)
    for one in addresses(broker).advertised:
        if one.name in names and one.host.lower() in LOOPBACK:
            yield broker.finding(
                f"{broker} advertises {one} to the other voters",
                at=advertised if advertised.written else broker["listeners"],
                because=(quorum,),
                breaks="the other voters and the brokers connect to their own machines instead: the "
                "quorum keeps no leader",
                fix=f"advertise {one.name} with the host that the other nodes connect to",
            )
            return
