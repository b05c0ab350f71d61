"""KC04: SASL mechanisms of nodes and clients against those that the listener enables."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from kcheck.evidence import written_first
from kcheck.graph import listeners
from kcheck.graph.answers import answering
from kcheck.graph.clients import Client
from kcheck.graph.edges import Connects
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ERROR, Derived, Finding
from kcheck.rule import FAILED, rule
from kcheck.rules.security.security import second_set
from kcheck.rules.shared.client_protocol import spoken
from kcheck.rules.shared.completeness import operated
from kcheck.wording import plain

_ENABLED = "sasl.enabled.mechanisms"


_OF_CONTROLLERS = "sasl.mechanism.controller.protocol"


@rule(
    "KC0441",
    "sec-controller-mech",
    ERROR,
    kafka=FAILED,
    on=(_OF_CONTROLLERS, _ENABLED, "controller.listener.names"),
    broker_side=True,
    invariants=("sec-controller-mech",),
    versions="KRaft",
)
def sec_controller_mech(broker: Broker | Controller) -> Iterator[Finding]:
    """sasl.mechanism.controller.protocol is not enabled on the controller listener.

    If the controller listener uses SASL, sasl.mechanism.controller.protocol (default GSSAPI) must be
    one of its sasl.enabled.mechanisms (default GSSAPI only). Kafka validates this for the
    inter-broker listener, but not here: the nodes start, and their logins are rejected forever.

    Bad: only the inter-broker mechanism is set
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=SASL_SSL://:9092,CONTROLLER://:9093
        listener.security.protocol.map=SASL_SSL:SASL_SSL,CONTROLLER:SASL_SSL
        inter.broker.listener.name=SASL_SSL
        sasl.enabled.mechanisms=PLAIN
        sasl.mechanism.inter.broker.protocol=PLAIN
    Bad: the controllers enable another mechanism
        --- broker.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:SASL_SSL
        sasl.mechanism.controller.protocol=PLAIN
        --- controller.properties
        process.roles=controller
        node.id=100
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        listener.security.protocol.map=CONTROLLER:SASL_SSL
        sasl.enabled.mechanisms=GSSAPI
    Good:
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=SASL_SSL://:9092,CONTROLLER://:9093
        listener.security.protocol.map=SASL_SSL:SASL_SSL,CONTROLLER:SASL_SSL
        inter.broker.listener.name=SASL_SSL
        sasl.enabled.mechanisms=PLAIN
        sasl.mechanism.inter.broker.protocol=PLAIN
        sasl.mechanism.controller.protocol=PLAIN
    Good: no SASL on the controller listener
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=SASL_SSL://:9092,CONTROLLER://:9093
        listener.security.protocol.map=SASL_SSL:SASL_SSL,CONTROLLER:PLAINTEXT
        inter.broker.listener.name=SASL_SSL
        sasl.enabled.mechanisms=PLAIN
        sasl.mechanism.inter.broker.protocol=PLAIN
    """
    found = listeners.addresses(broker)
    if not broker.roles or operated(broker) or not found.quorum:
        return
    name = found.quorum[0].upper()
    if not found.protocols.get(name, "").startswith("SASL"):
        return
    there = broker
    if "controller" not in broker.roles:
        others = broker.cluster.controllers
        if not others:
            return
        there = others[0]
    chosen, offered = broker[_OF_CONTROLLERS], there.listener(name, _ENABLED)
    if not chosen.known or not isinstance(offered.value, list):
        return
    if chosen.value in offered.value:
        return
    at, *because = written_first(chosen, offered)
    yield broker.finding(
        f"{broker}: {plain(chosen)} is not in {plain(offered)} of controller listener {name}",
        at=at,
        because=because,
        breaks="the controllers reject the login (UNSUPPORTED_SASL_MECHANISM): the node retries forever "
        "and never joins the cluster",
        fix=f"set {_OF_CONTROLLERS}={offered.value[0]} on all nodes"
        if offered.value
        else f"set {_ENABLED} and {_OF_CONTROLLERS} to the same mechanism",
    )


@rule(
    "KC0442",
    "sec-scram-controller-listener",
    ERROR,
    kafka=FAILED,
    on=(_OF_CONTROLLERS,),
    broker_side=True,
    invariants=("sec-scram-controller-listener",),
    versions="KRaft",
)
def sec_scram_controller_listener(broker: Controller) -> Iterator[Finding]:
    """Controllers authenticate to each other with SCRAM.

    SCRAM credentials are stored in the metadata log, which the controllers of a quorum fetch from each
    other only after authentication. Several controllers that start together never elect a leader, not
    even if the storage was formatted with the credentials. With a single voter it works.

    Bad:
        --- controller.properties
        process.roles=controller
        node.id=1
        controller.quorum.voters=1@c1:9093,2@c2:9093,3@c3:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        listener.security.protocol.map=CONTROLLER:SASL_SSL
        sasl.enabled.mechanisms=SCRAM-SHA-512
        sasl.mechanism.controller.protocol=SCRAM-SHA-512
    Bad: set by a Helm chart
        --- values.yaml
        kraft: {enabled: true}
        listeners:
          client: {protocol: SASL_PLAINTEXT}
          controller: {protocol: SASL_PLAINTEXT}
          interbroker: {protocol: SASL_PLAINTEXT}
        sasl: {interBrokerMechanism: SCRAM-SHA-256, controllerMechanism: SCRAM-SHA-256}
        controller: {replicaCount: 3}
    Good: PLAIN reads its users from the file
        --- controller.properties
        process.roles=controller
        node.id=1
        controller.quorum.voters=1@c1:9093,2@c2:9093,3@c3:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        listener.security.protocol.map=CONTROLLER:SASL_SSL
        sasl.enabled.mechanisms=PLAIN
        sasl.mechanism.controller.protocol=PLAIN
    Good: a single voter
        --- controller.properties
        process.roles=controller
        node.id=1
        controller.quorum.voters=1@c1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        listener.security.protocol.map=CONTROLLER:SASL_SSL
        sasl.enabled.mechanisms=SCRAM-SHA-512
        sasl.mechanism.controller.protocol=SCRAM-SHA-512
    """
    chosen, voters = broker[_OF_CONTROLLERS], broker["controller.quorum.voters"]
    found = listeners.addresses(broker)
    if not found.quorum:
        return
    if not found.protocols.get(found.quorum[0].upper(), "").startswith("SASL"):
        return
    if not str(chosen.value or "").startswith("SCRAM"):
        return
    several = len(listeners.entries(voters.text)) > 1
    counted = voters if several else broker.fact("controllers")
    if not several and not counted.number > 1:
        return
    yield broker.finding(
        f"{broker} authenticates to the other controllers with {plain(chosen)}",
        at=chosen,
        because=(counted,),
        breaks="the credentials are in the metadata log, which controllers cannot fetch before they "
        "authenticate: no leader is ever elected",
        fix=f"set {_OF_CONTROLLERS}=PLAIN (or GSSAPI), or use mutual TLS between controllers",
    )


@rule(
    "KC0443",
    "sec-client-mech-in-broker",
    ERROR,
    kafka=FAILED,
    invariants=("sec-client-mech-in-broker",),
)
def sec_client_mech_in_broker(edge: Connects) -> Iterator[Finding]:
    """A client uses a SASL mechanism that the listener does not enable.

    The broker responds with its enabled mechanisms and closes the connection; the client does not try
    another one.

    Bad:
        --- consumer.properties
        bootstrap.servers=k1:9094
        group.id=billing
        security.protocol=SASL_SSL
        sasl.mechanism=SCRAM-SHA-256
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        listeners=SASL_SSL://k1:9094
        security.inter.broker.protocol=SASL_SSL
        sasl.enabled.mechanisms=SCRAM-SHA-512
        sasl.mechanism.inter.broker.protocol=SCRAM-SHA-512
    Good:
        --- consumer.properties
        bootstrap.servers=k1:9094
        group.id=billing
        security.protocol=SASL_SSL
        sasl.mechanism=SCRAM-SHA-512
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        listeners=SASL_SSL://k1:9094
        security.inter.broker.protocol=SASL_SSL
        listener.name.sasl_ssl.sasl.enabled.mechanisms=SCRAM-SHA-512,PLAIN
        sasl.mechanism.inter.broker.protocol=SCRAM-SHA-512
    Good: a second set of client files
        --- plain/consumer.properties
        bootstrap.servers=k1:9094
        group.id=billing
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        --- scram/consumer.properties
        bootstrap.servers=k1:9094
        group.id=billing
        security.protocol=SASL_SSL
        sasl.mechanism=SCRAM-SHA-512
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        listeners=SASL_SSL://k1:9094
        security.inter.broker.protocol=SASL_SSL
        sasl.enabled.mechanisms=SCRAM-SHA-512
        sasl.mechanism.inter.broker.protocol=SCRAM-SHA-512
    Good: another address
        --- consumer.properties
        bootstrap.servers=k9:9094
        group.id=billing
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        listeners=SASL_SSL://k1:9094
        security.inter.broker.protocol=SASL_SSL
        sasl.enabled.mechanisms=SCRAM-SHA-512
        sasl.mechanism.inter.broker.protocol=SCRAM-SHA-512
    """
    client, broker = edge.client, edge.broker
    chosen, servers = client["sasl.mechanism"], client["bootstrap.servers"]
    if not servers.setting or not spoken(client).startswith("SASL") or not chosen.value:
        return
    for asked, listener in answering(broker, client.resource):
        protocol, names = listener.protocol, listener.mechanisms
        if protocol is None or not protocol.startswith("SASL") or not names:
            continue
        if _offered(client, names) or second_set(edge, partial(_offered, names=names), False):
            continue
        at, *because = written_first(chosen, servers)
        yield edge.finding(
            f"{client} uses {plain(chosen)} at {asked.text}, but {broker} enables {', '.join(names)}",
            at=at,
            because=[*because, listener.logins],
            breaks="every login is rejected (UnsupportedSaslMechanismException)",
            fix="set authentication to that of the listener"
            if isinstance(chosen.setting, Derived)
            else f"set sasl.mechanism={names[0]}",
            set_to=names[0] if chosen.explicit else None,
        )
        return


def _offered(client: Client, names: list[str]) -> bool:
    """Whether the client's mechanism is among those of a listener."""
    return str(client["sasl.mechanism"].value).upper() in (name.upper() for name in names)
