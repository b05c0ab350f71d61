"""KC11: node identity, roles and the KRaft quorum."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.listeners import addresses, entries
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ABSENT, ERROR, WARNING, Finding, Value
from kcheck.rule import REFUSED, rule
from kcheck.rules.shared.completeness import operated
from kcheck.wording import in_ms, plain

_QUORUM = ("controller.quorum.voters", "controller.quorum.bootstrap.servers")


@rule(
    "KC1101",
    "heartbeat-vs-broker-session",
    WARNING,
    broker_side=True,
    invariants=("heartbeat-vs-broker-session",),
    versions="KRaft; 4.2+ logs it as an error",
)
def heartbeat_vs_broker_session(broker: Broker) -> Iterator[Finding]:
    """broker.heartbeat.interval.ms exceeds half of broker.session.timeout.ms.

    Two heartbeats must fit into broker.session.timeout.ms, which is read by the controllers;
    otherwise one late heartbeat fences the broker and moves its leaders. Kafka accepts all values. If
    the interval reaches the session timeout, the broker is fenced between any two heartbeats.

    Bad:
        --- server.properties
        node.id=1
        process.roles=broker,controller
        controller.quorum.voters=1@k1:9093
        broker.heartbeat.interval.ms=8000
        broker.session.timeout.ms=9000
    Bad: the session timeout of the controller
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
    Good: half of the session timeout
        --- server.properties
        node.id=1
        process.roles=broker,controller
        controller.quorum.voters=1@k1:9093
        broker.heartbeat.interval.ms=4500
    Good: ZooKeeper mode has other timeouts
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        broker.heartbeat.interval.ms=8000
    """
    if broker.kraft is False:
        return
    beat = broker["broker.heartbeat.interval.ms"]
    for session in _sessions(broker):
        if not beat.number * 2 > session.number:
            continue
        gone = beat.number >= session.number
        at, *because = written_first(beat, session)
        yield broker.finding(
            f"{broker}: {in_ms(beat)} exceeds half of {in_ms(session)}",
            at=at,
            because=because,
            breaks="the broker is fenced between any two heartbeats: its partitions repeatedly lose "
            "their leaders"
            if gone
            else "one late heartbeat fences the broker and moves its leaders",
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
    kafka=REFUSED,
    on=("process.roles",),
    invariants=("kraft-node-id-required",),
)
def kraft_node_id_required(broker: Broker | Controller) -> Iterator[Finding]:
    """A KRaft node has no node.id.

    If process.roles is set, node.id (or its older name broker.id) is required; there is no default.
    Not reported if an operator or an image assigns the ids, nor for a file without a controller
    quorum: Kafka requires both, so the file is completed elsewhere. Nor for a ConfigMap's: its pods
    complete it.

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
    Bad: a negative id
        --- server.properties
        broker.id=-1
        process.roles=broker
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
    Good: the older name
        --- server.properties
        broker.id=1
        process.roles=broker,controller
        controller.quorum.voters=1@k1:9093
    Good: the id and the quorum come from elsewhere
        --- server.properties
        process.roles=broker
        controller.listener.names=CONTROLLER
        advertised.listeners=PLAINTEXT://k1:9092
        log.dirs=/data/kafka
    """
    owner = broker.resource
    if not any(map(broker.sets, _QUORUM)):
        return
    if operated(broker) or owner.kind == "cluster" or "id" in owner.facts:
        return
    if owner.traits.partial and not broker.sets("node.id"):  # something that is not read may set it
        return
    identity = broker["node.id"]
    if broker.roles == [""] or (identity.written and not identity.number < 0):
        return
    roles = broker["process.roles"]
    yield broker.finding(
        f"{owner.kind} {owner.name} has {plain(roles)}, but "
        + (plain(identity) if identity.written else "no node.id"),
        at=identity if identity.written else roles,
        because=(roles,) if identity.written else (Value("node.id", owner, ABSENT),),
        breaks="the node fails to start: "
        + ("node.id must not be negative" if identity.written else "node.id is missing"),
        fix="set node.id to a number that is unique in the cluster",
    )


@rule(
    "KC1104",
    "node-id-equals-broker-id",
    ERROR,
    kafka=REFUSED,
    on=("node.id",),
    invariants=("node-id-equals-broker-id",),
    versions="3.1+",
)
def node_id_equals_broker_id(broker: Broker | Controller) -> Iterator[Finding]:
    """node.id and broker.id differ.

    node.id and its older name broker.id are synonyms. If both are set, they must be equal, in
    ZooKeeper mode too; otherwise the node fails to start.

    Bad:
        --- server.properties
        node.id=2
        broker.id=1
        process.roles=broker
        controller.quorum.voters=9@k9:9093
    Good:
        --- server.properties
        node.id=1
        broker.id=1
        process.roles=broker
        controller.quorum.voters=9@k9:9093
    Good: a version that does not compare them
        --- kcheck.yaml
        cluster: {name: core, kafka_version: "3.0"}
        --- server.properties
        node.id=2
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
    """
    node, older = broker["node.id"], broker["broker.id"]
    if broker.version.below("3.1"):
        return
    if node.number == older.number or not (node.known and older.known):
        return
    known = broker.version.at_least("3.1")
    yield broker.finding(
        f"{broker} has {plain(node)}, but {plain(older)}",
        at=node,
        because=(older,),
        breaks=("" if known else "from Kafka 3.1 on ")
        + "the node fails to start: node.id and broker.id must have the same value",
        fix="remove broker.id, or set it to the value of node.id",
        severity=ERROR if known else WARNING,
    )


@rule(
    "KC1127",
    "voters-routable",
    ERROR,
    kafka=REFUSED,
    on=("controller.quorum.voters",),
    versions="4.2+",
)
def voters_routable(broker: Controller) -> Iterator[Finding]:
    """A voter has the address 0.0.0.0, and the controller advertises no other address.

    From 4.2 on a controller that binds all addresses and advertises none looks up its own address
    among the voters, where 0.0.0.0 is not routable.

    Bad:
        --- kcheck.yaml
        cluster: {kafka_version: "4.2"}
        --- controller.properties
        process.roles=controller
        node.id=1
        controller.quorum.voters=1@0.0.0.0:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
    Good:
        --- kcheck.yaml
        cluster: {kafka_version: "4.2"}
        --- controller.properties
        process.roles=controller
        node.id=1
        controller.quorum.voters=1@c1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
    """
    voters = broker["controller.quorum.voters"]
    if not broker.version.at_least("4.2"):
        return
    hosts = [entry.partition("@")[2].rpartition(":") for entry in entries(voters.text)]
    found = addresses(broker)
    by_name = {one.name: one.host for one in (*found.listeners, *found.advertised)}
    own = [host for name, host in by_name.items() if name in found.quorum]
    if any(host == "0.0.0.0" for host, _, _ in hosts) and any(
        host in ("", "0.0.0.0", "::", "[::]") for host in own
    ):
        yield broker.finding(
            f"{broker}: {plain(voters)} contains 0.0.0.0, and the controller binds all addresses",
            at=voters,
            because=(broker["listeners"],),
            breaks="the node fails to start: the host is not routable",
            fix="name the hosts that the other nodes connect to",
        )
