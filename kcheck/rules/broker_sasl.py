"""KC04: SASL on the listeners of brokers and controllers, and at the clients' end."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import endpoints
from kcheck.evidence import written_first
from kcheck.graph import listeners
from kcheck.graph.edges import Connects
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ERROR, INFO, WARNING, Finding, Value
from kcheck.rule import ADVICE, CHANGED, FAILED, rule
from kcheck.rules.broker_security import operated
from kcheck.rules.security import spoken
from kcheck.wording import plain

_JAAS = "sasl.jaas.config"
_ENABLED = "sasl.enabled.mechanisms"
_OF_CONTROLLERS = "sasl.mechanism.controller.protocol"
_HANDLER = "sasl.server.callback.handler.class"


def _sasl(broker: Broker) -> Iterator[str]:
    """The names of the node's listeners that speak SASL, where all is known."""
    found = listeners.addresses(broker)
    for name in found.names if found.named else ():
        if found.protocols.get(name, "").startswith("SASL"):
            yield name


def _mechanisms(broker: Broker, name: str) -> list[str]:
    """The mechanisms that a listener offers; none where they are unknown."""
    value = broker.listener(name, _ENABLED)
    return list(value.value) if isinstance(value.value, list) else []


@rule(
    "KC0440",
    "sec-jaas-prefix",
    WARNING,
    kafka=CHANGED,
    on=(_JAAS,),
    broker_side=True,
    invariants=("sec-jaas-prefix", "sec-jaas-present"),
)
def sec_jaas_prefix(broker: Broker | Controller) -> Iterator[Finding]:
    """A broker's sasl.jaas.config stands under a name that it does not read.

    Each mechanism of each listener has its own:
    ``listener.name.<listener>.<mechanism>.sasl.jaas.config``, in lower case. The name without
    prefixes is the clients'. A broker passes over it, and where no system property names a file
    with a KafkaServer section either, it does not start.

    Bad:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_SSL://:9093
        security.inter.broker.protocol=SASL_SSL
        sasl.enabled.mechanisms=PLAIN
        sasl.mechanism.inter.broker.protocol=PLAIN
        sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="b";
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_SSL://:9093
        security.inter.broker.protocol=SASL_SSL
        sasl.enabled.mechanisms=PLAIN
        sasl.mechanism.inter.broker.protocol=PLAIN
        listener.name.sasl_ssl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="b";
    Good: no listener with SASL
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://:9092
        sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="b";
    """
    told = broker[_JAAS]
    if operated(broker):
        return
    if any(key.endswith("." + _JAAS) for key in broker.merged):
        return
    for name in _sasl(broker):
        offered = _mechanisms(broker, name)
        mechanism = offered[0].lower() if offered else "<mechanism>"
        wanted = f"listener.name.{name.lower()}.{mechanism}.{_JAAS}"
        yield broker.finding(
            f"{broker} sets {_JAAS} for listener {name}, which reads {wanted}",
            at=told,
            breaks="the broker passes over it: without a KafkaServer section in a JAAS file it does "
            "not start",
            fix=f"name it {wanted}",
        )
        return


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
    """Nodes log in to the controllers by a mechanism that those do not offer.

    Where the controllers' listener speaks SASL, sasl.mechanism.controller.protocol (GSSAPI by
    default) must be one of its sasl.enabled.mechanisms (GSSAPI alone by default). Kafka checks the
    like for the listener between brokers, and not here: the nodes start and are refused for ever.

    Bad: forgotten beside the one between brokers
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
    Bad: the controllers offer another
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
    Good: no SASL among controllers
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
        f"{broker}: {plain(chosen)} is none of {plain(offered)} of the controllers' listener {name}",
        at=at,
        because=because,
        breaks="the controllers refuse the login (UNSUPPORTED_SASL_MECHANISM): the node tries for "
        "ever and never takes part",
        fix=f"set {_OF_CONTROLLERS}={offered.value[0]} on all nodes"
        if offered.value
        else f"set {_ENABLED} and {_OF_CONTROLLERS} alike",
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
    """Controllers log in to each other by SCRAM.

    SCRAM's credentials are in the metadata log, which the controllers of a quorum read from each
    other after they have logged in. Several that start at once never elect a leader, not even where
    the storage was formatted with the credentials. With a single voter it works.

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
    Good: PLAIN has its users in the file
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
    if len(listeners.entries(voters.text)) < 2:
        return
    yield broker.finding(
        f"{broker} logs in to the other controllers by {plain(chosen)}",
        at=chosen,
        because=(voters,),
        breaks="the credentials lie in the log that the controllers cannot read before the login: "
        "they never elect a leader",
        fix=f"set {_OF_CONTROLLERS}=PLAIN (or GSSAPI), or use TLS with certificates among controllers",
    )


@rule(
    "KC0443",
    "sec-client-mech-in-broker",
    ERROR,
    kafka=FAILED,
    invariants=("sec-client-mech-in-broker",),
)
def sec_client_mech_in_broker(edge: Connects) -> Iterator[Finding]:
    """A client logs in by a mechanism that the listener does not offer.

    The broker answers with the mechanisms that it has and closes the connection; the client does
    not try another one.

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
    Good: at another address
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
    text = servers.setting.text if servers.setting else None
    if not text or not spoken(client).startswith("SASL") or not chosen.value:
        return
    wanted = [(host.strip("[]").lower(), port) for host, port in endpoints.split(text)]
    for one in listeners.advertised(broker):
        if (one.host.lower(), str(one.port)) not in wanted:
            continue
        protocol, offered = (
            listeners.protocol(broker, one.name),
            broker.listener(one.name, _ENABLED),
        )
        if protocol is None or not protocol.startswith("SASL") or not offered.written:
            continue
        names = _mechanisms(broker, one.name)
        if not names or str(chosen.value).upper() in (name.upper() for name in names):
            continue
        at, *because = written_first(chosen, servers)
        yield edge.finding(
            f"{client} logs in by {plain(chosen)} at {one.host}:{one.port}, where {broker} offers "
            f"{', '.join(names)}",
            at=at,
            because=[*because, offered],
            breaks="every login is refused (UnsupportedSaslMechanismException)",
            fix=f"set sasl.mechanism={names[0]}",
            set_to=names[0] if chosen.explicit else None,
        )
        return


@rule(
    "KC0444",
    "sec-oauth-callback",
    WARNING,
    on=(_ENABLED,),
    broker_side=True,
    invariants=("sec-oauth-callback",),
)
def sec_oauth_callback(broker: Broker | Controller) -> Iterator[Finding]:
    """A listener takes OAuth tokens that nobody has signed.

    Without a sasl.server.callback.handler.class of its own the mechanism OAUTHBEARER validates
    tokens with Kafka's handler for development: it wants no signature, so that everybody may write
    a token with any name. In every version the handler has to be named.

    Bad:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_SSL://:9093
        sasl.enabled.mechanisms=OAUTHBEARER
        listener.name.sasl_ssl.oauthbearer.sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_SSL://:9093
        sasl.enabled.mechanisms=OAUTHBEARER
        listener.name.sasl_ssl.oauthbearer.sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;
        listener.name.sasl_ssl.oauthbearer.sasl.server.callback.handler.class=org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler
    Good: to try things on
        --- kcheck.yaml
        cluster: {environment: development}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_PLAINTEXT://:9093
        sasl.enabled.mechanisms=OAUTHBEARER
    Good: Strimzi names it
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1beta2
        kind: Kafka
        metadata: {name: core}
        spec:
          kafka:
            replicas: 3
            config: {sasl.enabled.mechanisms: OAUTHBEARER}
            listeners:
              - {name: tls, port: 9093, type: internal, tls: true, authentication: {type: oauth}}
    """
    if operated(broker) or broker.cluster.development:
        return
    for name in _sasl(broker):
        if "OAUTHBEARER" not in _mechanisms(broker, name):
            continue
        handler = f"listener.name.{name.lower()}.oauthbearer.{_HANDLER}"
        if broker.sets(handler):
            continue
        yield broker.finding(
            f"{broker} takes OAUTHBEARER on listener {name} without {handler}",
            at=broker.listener(name, _ENABLED),
            because=(Value(handler, broker.resource, "absent"),),
            breaks="tokens without a signature are accepted: whoever connects may be anybody",
            fix=f"set {handler} to "
            "org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler "
            "(up to 3.3 below …oauthbearer.secured) and the address of the keys",
        )
        return


@rule(
    "KC0445",
    "sec-sasl-plain-over-plaintext",
    WARNING,
    on=("listeners", "listener.security.protocol.map"),
    broker_side=True,
    invariants=("sec-sasl-plain-over-plaintext",),
)
def sec_sasl_plain_over_plaintext(broker: Broker) -> Iterator[Finding]:
    """Passwords or tokens travel unencrypted.

    PLAIN sends the password itself and OAUTHBEARER the token; over SASL_PLAINTEXT whoever sees the
    traffic has them. SCRAM and GSSAPI never send the secret. Said in production.

    Bad:
        --- kcheck.yaml
        cluster: {environment: production}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_PLAINTEXT://k1:9092
        sasl.enabled.mechanisms=PLAIN
    Good:
        --- kcheck.yaml
        cluster: {environment: production}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_SSL://k1:9092
        sasl.enabled.mechanisms=PLAIN
    Good: the password stays at home
        --- kcheck.yaml
        cluster: {environment: production}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_PLAINTEXT://k1:9092
        sasl.enabled.mechanisms=SCRAM-SHA-512
    Good: nobody else hears it
        --- kcheck.yaml
        cluster: {environment: production}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_PLAINTEXT://localhost:9092
        sasl.enabled.mechanisms=PLAIN
    """
    found = listeners.addresses(broker)
    if not broker.cluster.production or operated(broker):
        return
    for one in found.listeners:
        if found.protocols.get(one.name) != "SASL_PLAINTEXT" or one.host in _LOOPBACK:
            continue
        offered = broker.listener(one.name, _ENABLED)
        open_ones = [name for name in _mechanisms(broker, one.name) if name in _TELLING]
        if not open_ones:
            continue
        yield broker.finding(
            f"{broker} of a {broker.cluster.rank} takes {open_ones[0]} on listener {one.name}, "
            "which is SASL_PLAINTEXT",
            at=offered,
            because=[v for v in (broker["listeners"],) if v.written],
            breaks="whoever sees the traffic reads the passwords or tokens",
            fix=f"make {one.name} SASL_SSL, or offer SCRAM-SHA-512 instead",
        )
        return


_LOOPBACK = ("localhost", "127.0.0.1", "::1")
#: Mechanisms that send the secret itself.
_TELLING = ("PLAIN", "OAUTHBEARER")


@rule(
    "KC0446",
    "sec-reauth",
    INFO,
    on=(_ENABLED,),
    set=ADVICE,
    broker_side=True,
    invariants=("sec-reauth",),
)
def sec_reauth(broker: Broker) -> Iterator[Finding]:
    """A connection outlives the token by which it was opened.

    With connections.max.reauth.ms=0, its default, a client logs in once: a token that has expired,
    or that was revoked, works until the connection ends. Above 0 the connection is closed unless
    the client logs in again in time.

    Bad:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_SSL://:9093
        sasl.enabled.mechanisms=OAUTHBEARER
        listener.name.sasl_ssl.oauthbearer.sasl.server.callback.handler.class=com.example.Validator
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_SSL://:9093
        sasl.enabled.mechanisms=OAUTHBEARER
        connections.max.reauth.ms=3600000
        listener.name.sasl_ssl.oauthbearer.sasl.server.callback.handler.class=com.example.Validator
    """
    for name in _sasl(broker):
        again = broker.listener(name, "connections.max.reauth.ms")
        if "OAUTHBEARER" in _mechanisms(broker, name) and again.number == 0:
            yield broker.finding(
                f"{broker} takes tokens on listener {name} and never asks again: {plain(again)}",
                at=again if again.written else broker.listener(name, _ENABLED),
                because=() if again.written else (again,),
                breaks="a connection stays open after its token has expired or was revoked",
                fix="set connections.max.reauth.ms to the longest time that a revoked token may work",
            )
            return
