"""KC10: what brokers tell each other of their addresses."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import endpoints
from kcheck.graph.listeners import addresses, controller_names
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ERROR, Finding, Value
from kcheck.rule import FAILED, rule
from kcheck.rules.broker_security import operated
from kcheck.rules.quorum_shape import hosts

_VOTERS, _SERVERS = "controller.quorum.voters", "controller.quorum.bootstrap.servers"
_LOOPBACK = ("localhost", "127.0.0.1", "::1", "[::1]")


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
    """A broker of several machines tells the other brokers to find it on localhost.

    What is advertised for the listener between brokers is where the others fetch from. With a
    loopback address each of them connects to itself, and no partition gets a second copy in sync.
    Said where the voters, or the servers to ask for the quorum, show that the nodes are on different
    hosts.

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
    Good: brokers use the other listener
        --- server.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=11@c1:9093,12@c2:9093,13@c3:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,LOCAL://:9094
        advertised.listeners=PLAINTEXT://k1:9092,LOCAL://localhost:9094
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,LOCAL:PLAINTEXT,CONTROLLER:PLAINTEXT
    """
    voters, found = _quorum(broker), addresses(broker)
    if voters is None or operated(broker):
        return
    # One broker beside several controllers replicates to nobody.
    copies = broker["default.replication.factor"]
    several = broker.cluster.broker_count.number > 1 or len(broker.cluster.brokers) > 1
    if not (several or copies.number > 1 or broker.roles != ["broker"]):
        return
    named, spoken = broker["inter.broker.listener.name"], broker["security.inter.broker.protocol"]
    between = named if named.written else spoken
    for one in found.visible:
        if one.host.lower() not in _LOOPBACK or one.name != str(between.value or "").upper():
            continue
        told = broker["advertised.listeners"]
        at = told if told.written else broker["listeners"]
        yield broker.finding(
            f"{broker} advertises {one} to the other brokers",
            at=at,
            because=(voters, between) if between.written else (voters,),
            breaks="the others connect to themselves: no partition that it leads gets a second copy in "
            "sync",
            fix=f"advertise {one.name} under the host by which the other nodes reach this one",
        )
        return


def _quorum(node: Broker) -> Value | None:
    """The setting that names the quorum, where it shows several hosts; None where it does not."""
    voters, servers = node[_VOTERS], node[_SERVERS]
    if voters.text:
        found = {host for host, _ in hosts(voters.text)}
    else:
        voters, found = servers, {host for host, _ in endpoints.split(servers.text or "")}
    return voters if len(found - set(_LOOPBACK)) > 1 else None


@rule(
    "KC1138",
    "quorum-advertised-localhost",
    ERROR,
    kafka=FAILED,
    on=(_SERVERS,),
    broker_side=True,
    versions="from 3.9 on, where the quorum is dynamic",
)
def quorum_advertised_localhost(broker: Broker | Controller) -> Iterator[Finding]:
    """A controller of a quorum on several machines tells the others to find it on localhost.

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
    quorum, told = _quorum(broker), broker["advertised.listeners"]
    if quorum is None or quorum.key != _SERVERS:
        return
    if operated(broker) or "controller" not in broker.roles or broker.version.below("3.9"):
        return
    names = controller_names(broker)
    for one in addresses(broker).advertised:
        if one.name in names and one.host.lower() in _LOOPBACK:
            yield broker.finding(
                f"{broker} advertises {one} to the other voters",
                at=told if told.written else broker["listeners"],
                because=(quorum,),
                breaks="the other voters and the brokers look for it on their own machines: no leader "
                "of the quorum lasts",
                fix=f"advertise {one.name} under the host by which the other nodes reach this one",
            )
            return
