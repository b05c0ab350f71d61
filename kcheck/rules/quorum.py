"""KC11: node identity, roles and the KRaft quorum."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ABSENT, ERROR, WARNING, Finding, Value
from kcheck.rule import rule
from kcheck.wording import in_ms, plain


@rule(
    "KC1101",
    "heartbeat-vs-broker-session",
    WARNING,
    broker_side=True,
    invariants=("heartbeat-vs-broker-session",),
    claims=("S001-26", "S004-57"),
    versions="KRaft; 4.2+ logs it as an error",
)
def heartbeat_vs_broker_session(broker: Broker) -> Iterator[Finding]:
    """A broker's heartbeats are too rare for its session.

    Two heartbeats must fit into broker.session.timeout.ms, which the controllers hold; else one that
    is late fences the broker and moves its leaders. Kafka refuses nothing. With a heartbeat longer
    than the session the broker is fenced between any two.

    Bad:
        --- server.properties
        node.id=1
        process.roles=broker,controller
        controller.quorum.voters=1@k1:9093
        broker.heartbeat.interval.ms=8000
        broker.session.timeout.ms=9000
    Bad: the session is the controller's
        --- broker.properties
        node.id=1
        process.roles=broker
        controller.quorum.voters=100@c1:9093
        broker.heartbeat.interval.ms=4000
        --- controller.properties
        node.id=100
        process.roles=controller
        controller.quorum.voters=100@c1:9093
        broker.session.timeout.ms=6000
    Good: half of it
        --- server.properties
        node.id=1
        process.roles=broker,controller
        controller.quorum.voters=1@k1:9093
        broker.heartbeat.interval.ms=4500
    Good: ZooKeeper has other timeouts
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        broker.heartbeat.interval.ms=8000
    """
    if broker.kraft is False:
        return
    beat = broker["broker.heartbeat.interval.ms"]
    for session in _sessions(broker):
        if not beat.number * 2 > session.number or not (beat.written or session.written):
            continue
        gone = beat.number >= session.number
        at, *because = written_first(beat, session)
        yield broker.finding(
            f"{broker}: {in_ms(beat)} is more than half of {in_ms(session)}",
            at=at,
            because=because,
            breaks="the broker is fenced between any two heartbeats: its partitions lose their leaders "
            "again and again"
            if gone
            else "one late heartbeat fences the broker, and its leaders move",
            fix=f"set broker.heartbeat.interval.ms to at most {int(session.number) // 2}",
            set_to=str(int(session.number) // 2) if at is beat else None,
            severity=ERROR if gone else WARNING,
        )
        return


def _sessions(broker: Broker) -> list[Value]:
    """The controllers' session timeouts; the broker's own where no controller is known."""
    nodes = broker.cluster.controllers or [broker]
    return [node["broker.session.timeout.ms"] for node in nodes]


@rule(
    "KC1102",
    "kraft-node-id-required",
    ERROR,
    on=("process.roles",),
    invariants=("kraft-node-id-required",),
)
def kraft_node_id_required(broker: Broker | Controller) -> Iterator[Finding]:
    """A node of a KRaft cluster has no id.

    With process.roles set, node.id (or its older name broker.id) must be too; there is no default.
    Silent where an operator or an image gives ids to its nodes.

    Bad:
        --- server.properties
        process.roles=broker,controller
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
    Good:
        --- server.properties
        node.id=1
        process.roles=broker,controller
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
    Good: by the older name
        --- server.properties
        broker.id=1
        process.roles=broker,controller
        controller.quorum.voters=1@k1:9093
    """
    owner = broker.resource
    if owner.managed or owner.kind == "cluster" or "id" in owner.facts or not broker.roles[0:1]:
        return
    if broker.roles == [""] or broker.sets("node.id") or broker.sets("broker.id"):
        return
    yield broker.finding(
        f"{owner.kind} {owner.name} has {plain(broker['process.roles'])} and no node.id",
        at=broker["process.roles"],
        because=(Value("node.id", owner, ABSENT),),
        breaks="Kafka refuses to start: node.id is missing",
        fix="set node.id to a number that no other node has",
    )
