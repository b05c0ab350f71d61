"""KC04: SASL on the listeners of brokers and controllers."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph import listeners
from kcheck.graph.nodes import Broker, Controller
from kcheck.grouping.place import named_after
from kcheck.model import INFO, WARNING, Finding, Value
from kcheck.rule import ADVICE, CHANGED, PREVIEW, rule
from kcheck.rules.shared.completeness import operated
from kcheck.wording import plain

_JAAS = "sasl.jaas.config"


_ENABLED = "sasl.enabled.mechanisms"


_HANDLER = "sasl.server.callback.handler.class"


#: A listener may enable mechanisms by a key of its own, so any of these shows that there is one.
_SHOWN = (_ENABLED, "listeners", "listener.security.protocol.map")


def _sasl(broker: Broker) -> Iterator[str]:
    """The names of the node's SASL listeners, if all listeners are known."""
    found = listeners.addresses(broker)
    for name in found.names if found.named else ():
        if found.protocols.get(name, "").startswith("SASL"):
            yield name


def offered_by(broker: Broker, name: str) -> list[str]:
    """The mechanisms that a listener enables; none if they are unknown."""
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
    """A broker sets sasl.jaas.config without the prefix of a listener and mechanism.

    Each mechanism of each listener has its own key,
    ``listener.name.<listener>.<mechanism>.sasl.jaas.config``, in lower case. The key without prefixes
    is for clients: a broker ignores it and, if no system property names a JAAS file with a
    KafkaServer section either, fails to start.

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
        offered = offered_by(broker, name)
        mechanism = offered[0].lower() if offered else "<mechanism>"
        wanted = f"listener.name.{name.lower()}.{mechanism}.{_JAAS}"
        yield broker.finding(
            f"{broker} sets {_JAAS}, but listener {name} reads {wanted}",
            at=told,
            breaks="the broker ignores it: without a KafkaServer section in a JAAS file it fails to "
            "start",
            fix=f"rename it to {wanted}",
        )
        return


#: What is read below the name of a mechanism alone (SaslChannelBuilder, LoginManager).
_OF_MECHANISM = (_HANDLER, "sasl.login.callback.handler.class", "sasl.login.class")


@rule("KC0496", "sasl-handler-prefix", WARNING, set=PREVIEW, on=_OF_MECHANISM, broker_side=True)
def sasl_handler_prefix(broker: Broker | Controller) -> Iterator[Finding]:
    """A handler or a login class of a broker is set without the prefix of a mechanism.

    Brokers read these keys as ``listener.name.<listener>.<mechanism>.<key>`` only. Without the
    mechanism Kafka's own handler is in use: its list of users for PLAIN, tokens without a signature
    for OAUTHBEARER.

    Bad: for a listener
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_SSL://:9093
        security.inter.broker.protocol=SASL_SSL
        sasl.enabled.mechanisms=PLAIN
        sasl.mechanism.inter.broker.protocol=PLAIN
        listener.name.sasl_ssl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="b";
        listener.name.sasl_ssl.sasl.server.callback.handler.class=com.example.LdapHandler
    Bad: for all
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_SSL://:9093
        security.inter.broker.protocol=SASL_SSL
        sasl.enabled.mechanisms=PLAIN
        sasl.mechanism.inter.broker.protocol=PLAIN
        listener.name.sasl_ssl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="b";
        sasl.server.callback.handler.class=com.example.LdapHandler
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_SSL://:9093
        security.inter.broker.protocol=SASL_SSL
        sasl.enabled.mechanisms=PLAIN
        sasl.mechanism.inter.broker.protocol=PLAIN
        listener.name.sasl_ssl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="b";
        listener.name.sasl_ssl.plain.sasl.server.callback.handler.class=com.example.LdapHandler
    Good: no listener with SASL
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://:9092
        sasl.login.callback.handler.class=com.example.Handler
    """
    if operated(broker):
        return
    for key in _OF_MECHANISM:
        if any(
            one.endswith(f".{key}") and one.count(".") - key.count(".") > 3 for one in broker.merged
        ):
            continue
        for name in _sasl(broker):
            written = f"listener.name.{name.lower()}.{key}"
            told = written if written in broker.merged else key
            offered = offered_by(broker, name)
            if told not in broker.merged or not offered:
                continue
            wanted = f"listener.name.{name.lower()}.{offered[0].lower()}.{key}"
            yield broker.finding(
                f"{broker} sets {told}, but listener {name} reads {wanted}",
                at=broker.listener(name, key),
                because=(broker.listener(name, _ENABLED),),
                breaks="the broker ignores it: Kafka's own handler is in use",
                fix=f"rename it to {wanted}",
            )
            return


@rule(
    "KC0444",
    "sec-oauth-callback",
    WARNING,
    on=_SHOWN,
    broker_side=True,
    invariants=("sec-oauth-callback",),
)
def sec_oauth_callback(broker: Broker | Controller) -> Iterator[Finding]:
    """A listener accepts unsigned OAuth tokens.

    Without its own sasl.server.callback.handler.class, the mechanism OAUTHBEARER validates tokens
    with Kafka's handler for development: it requires no signature, so any client can create a token
    with any name. The handler must be set explicitly in every version.

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
    Good: a development cluster
        --- kcheck.yaml
        cluster: {environment: development}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_PLAINTEXT://:9093
        sasl.enabled.mechanisms=OAUTHBEARER
    Good: Strimzi sets it
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
    Bad: the mechanism of one listener
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://:9092,SASL_SSL://:9093
        listener.name.sasl_ssl.sasl.enabled.mechanisms=OAUTHBEARER
        listener.name.sasl_ssl.sasl.oauthbearer.jwks.endpoint.url=https://id.example.com/certs
    """
    if operated(broker) or broker.cluster.development:
        return
    for name in _sasl(broker):
        if "OAUTHBEARER" not in offered_by(broker, name):
            continue
        handler = f"listener.name.{name.lower()}.oauthbearer.{_HANDLER}"
        if broker.sets(handler):
            continue
        yield broker.finding(
            f"{broker} enables OAUTHBEARER on listener {name} without {handler}",
            at=broker.listener(name, _ENABLED),
            because=(Value(handler, broker.resource, "absent"),),
            breaks="tokens without a signature are accepted: a client can claim any principal",
            fix=f"set {handler} to "
            "org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler "
            "(up to 3.3 in package …oauthbearer.secured), and set sasl.oauthbearer.jwks.endpoint.url",
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
    """Passwords or tokens are sent unencrypted.

    PLAIN sends the password itself and OAUTHBEARER the token; over SASL_PLAINTEXT both can be read
    from the network traffic. SCRAM and GSSAPI never send the secret. Reported in production; info where
    the file or a folder of its is named after it.

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
    Good: SCRAM does not send the password
        --- kcheck.yaml
        cluster: {environment: production}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_PLAINTEXT://k1:9092
        sasl.enabled.mechanisms=SCRAM-SHA-512
    Good: a loopback listener
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
        open_ones = [name for name in offered_by(broker, one.name) if name in _CLEARTEXT]
        if not open_ones:
            continue
        yield broker.finding(
            f"{broker} of a {broker.cluster.rank} enables {open_ones[0]} on listener {one.name}, "
            "which uses SASL_PLAINTEXT",
            at=offered,
            because=[v for v in (broker["listeners"],) if v.written],
            breaks="anyone who can read the network traffic obtains the passwords or tokens",
            fix=f"change {one.name} to SASL_SSL, or enable SCRAM-SHA-512 instead",
            severity=INFO if named_after(broker.resource.path, "plaintext") else "",
        )
        return


_LOOPBACK = ("localhost", "127.0.0.1", "::1")


#: Mechanisms that send the secret itself.
_CLEARTEXT = ("PLAIN", "OAUTHBEARER")


@rule(
    "KC0446",
    "sec-reauth",
    INFO,
    on=_SHOWN,
    set=ADVICE,
    broker_side=True,
    invariants=("sec-reauth",),
)
def sec_reauth(broker: Broker) -> Iterator[Finding]:
    """A connection outlives the token that opened it.

    With connections.max.reauth.ms=0 (default) a client authenticates once: an expired or revoked
    token works until the connection closes. Above 0, the broker closes the connection unless the
    client reauthenticates in time.

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
        if "OAUTHBEARER" in offered_by(broker, name) and again.number == 0:
            yield broker.finding(
                f"{broker} accepts tokens on listener {name} and never requires reauthentication: "
                f"{plain(again)}",
                at=again if again.written else broker.listener(name, _ENABLED),
                because=() if again.written else (again,),
                breaks="a connection stays open after its token has expired or was revoked",
                fix="set connections.max.reauth.ms to the longest time that a revoked token may remain valid",
            )
            return
