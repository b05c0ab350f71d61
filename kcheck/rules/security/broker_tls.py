"""KC04: TLS on the listeners of brokers, and what stands in clear beside it."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph import listeners
from kcheck.graph.clients import Client
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import INFO, WARNING, Finding
from kcheck.rule import ADVICE, CHANGED, rule
from kcheck.rules.security.authorization import authorizer
from kcheck.rules.security.principals import super_users
from kcheck.rules.shared.completeness import operated
from kcheck.wording import plain

_AUTH = "ssl.client.auth"


_LOOPBACK = ("localhost", "127.0.0.1", "::1")


_PROTOCOLS = "ssl.enabled.protocols"


#: Switched off by the JDKs that Kafka runs on since 2021.
_DISABLED = ("SSLV3", "TLSV1", "TLSV1.1")


def _listeners(broker: Broker, protocol: str) -> list[listeners.Listener]:
    """The listeners for clients and brokers that speak that protocol, where all is known."""
    found = listeners.addresses(broker)
    if not found.named or operated(broker):
        return []
    return [
        one
        for one in found.listeners
        if found.protocols.get(one.name) == protocol and one.name not in found.quorum
    ]


@rule(
    "KC0450",
    "sec-client-auth-sasl-ssl",
    WARNING,
    kafka=CHANGED,
    on=(_AUTH,),
    broker_side=True,
    invariants=("sec-client-auth-sasl-ssl",),
)
def sec_client_auth_sasl_ssl(broker: Broker) -> Iterator[Finding]:
    """Client certificates are requested by a key that SASL_SSL listeners do not read.

    ssl.client.auth without a prefix holds for listeners with the protocol SSL. One with SASL_SSL
    looks at ``listener.name.<listener>.ssl.client.auth`` alone and logs that it passes over the other.

    Bad:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_SSL://:9093
        security.inter.broker.protocol=SASL_SSL
        ssl.client.auth=required
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_SSL://:9093
        security.inter.broker.protocol=SASL_SSL
        listener.name.sasl_ssl.ssl.client.auth=required
    Good: it is for the other listener
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SSL://:9094,SASL_SSL://:9093
        security.inter.broker.protocol=SASL_SSL
        ssl.client.auth=required
    """
    told = broker[_AUTH]
    # A value that nobody knows is None.
    if str(told.value).lower() == "none":
        return
    found = listeners.addresses(broker)
    if any(found.protocols.get(name) == "SSL" for name in found.names):
        return
    for one in _listeners(broker, "SASL_SSL"):
        own = f"listener.name.{one.name.lower()}.{_AUTH}"
        if not broker.sets(own):
            yield broker.finding(
                f"{broker} sets {plain(told)}, which listener {one.name} with SASL does not read",
                at=told,
                breaks="clients need no certificate there: whoever has a password gets in",
                fix=f"name it {own}",
            )
            return


@rule(
    "KC0451",
    "sec-client-auth-default",
    WARNING,
    on=("authorizer.class.name",),
    broker_side=True,
    invariants=("sec-client-auth-default",),
)
def sec_client_auth_default(broker: Broker) -> Iterator[Finding]:
    """ACLs are on, but clients of a TLS listener are all User:ANONYMOUS (ssl.client.auth=none).

    A listener with the protocol SSL knows its clients by their certificates, and asks for those only
    with ssl.client.auth=required (or requested). With its default, none, all clients are
    User:ANONYMOUS: ACLs cannot tell one from the other.

    Bad:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SSL://k1:9093
        security.inter.broker.protocol=SSL
        ssl.keystore.location=/etc/kafka/k1.p12
        authorizer.class.name=kafka.security.authorizer.AclAuthorizer
        super.users=User:CN=k1
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SSL://k1:9093
        security.inter.broker.protocol=SSL
        ssl.keystore.location=/etc/kafka/k1.p12
        ssl.client.auth=required
        authorizer.class.name=kafka.security.authorizer.AclAuthorizer
        super.users=User:CN=k1
    Good: whoever comes is to be nobody
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SSL://k1:9093
        security.inter.broker.protocol=SSL
        authorizer.class.name=kafka.security.authorizer.AclAuthorizer
        super.users=User:ANONYMOUS
    """
    if not authorizer(broker):
        return
    users = super_users(broker)
    if users is None or "User:ANONYMOUS" in users:
        return
    if broker.sets("principal.builder.class"):
        return
    for one in _listeners(broker, "SSL"):
        asked = broker.listener(one.name, _AUTH)
        if asked.known and str(asked.value).lower() == "none":
            yield broker.finding(
                f"{broker} has an authorizer and asks clients of listener {one.name} for no "
                f"certificate: {plain(asked)}",
                at=asked if asked.written else broker["authorizer.class.name"],
                because=[broker["authorizer.class.name"]] if asked.written else [asked],
                breaks="they all are User:ANONYMOUS, brokers among them: whatever has an ACL is "
                "refused to everybody who comes that way",
                fix=f"set listener.name.{one.name.lower()}.{_AUTH}=required",
            )
            return


@rule(
    "KC0452",
    "sec-tls-versions",
    WARNING,
    on=(_PROTOCOLS, "ssl.protocol"),
    invariants=("sec-tls-versions",),
)
def sec_tls_versions(node: Broker | Controller | Client) -> Iterator[Finding]:
    """Only versions of TLS are enabled that Java has switched off.

    SSLv3, TLSv1 and TLSv1.1 are disabled in every JDK since 2021 unless its security properties say
    otherwise. A peer that has no others fails every handshake; the listener between brokers fails at
    the start. Beside TLSv1.2 or TLSv1.3 the old ones are only of no use.

    Bad:
        --- producer.properties
        bootstrap.servers=k1:9093
        security.protocol=SSL
        acks=all
        ssl.enabled.protocols=TLSv1,TLSv1.1
    Good:
        --- producer.properties
        bootstrap.servers=k1:9093
        security.protocol=SSL
        acks=all
        ssl.enabled.protocols=TLSv1.2,TLSv1.1,TLSv1
    Good: another library
        --- kcheck.yaml
        producers:
          - name: agent
            client: {library: librdkafka}
            config: {security.protocol: ssl, ssl.enabled.protocols: TLSv1}
    """
    if isinstance(node, Client) and not node.java:
        return
    enabled = node[_PROTOCOLS]
    if not isinstance(enabled.value, list):
        return
    names = [str(name).strip() for name in enabled.value if str(name).strip()]
    if names and all(name.upper() in _DISABLED for name in names):
        yield node.finding(
            f"{node} enables no more than {', '.join(names)}",
            at=enabled,
            breaks="every TLS handshake fails: the JDK has disabled these versions",
            fix=f"set {_PROTOCOLS}=TLSv1.2,TLSv1.3 (its default)",
        )


@rule(
    "KC0453",
    "sec-plaintext-exposed",
    INFO,
    set=ADVICE,
    on=("listeners", "advertised.listeners", "listener.security.protocol.map"),
    broker_side=True,
    invariants=("sec-plaintext-exposed",),
)
def sec_plaintext_exposed(broker: Broker) -> Iterator[Finding]:
    """A production broker talks to others without encryption.

    Over PLAINTEXT and SASL_PLAINTEXT whoever sees the traffic reads the records, and over PLAINTEXT
    nobody is asked who they are. Right in a network that is trusted as a whole, so this is only
    for those who ask for it.

    Bad:
        --- kcheck.yaml
        cluster: {environment: production}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://k1:9092
    Good:
        --- kcheck.yaml
        cluster: {environment: production}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_SSL://k1:9093,PLAINTEXT://localhost:9092
        security.inter.broker.protocol=SASL_SSL
    """
    bound = broker["listeners"]
    if not broker.cluster.production or not (bound.written or broker.whole):
        return
    for protocol in ("PLAINTEXT", "SASL_PLAINTEXT"):
        for one in _listeners(broker, protocol):
            if one.host not in _LOOPBACK:
                yield broker.finding(
                    f"{broker} of a {broker.cluster.rank} has listener {one.name}, which is {protocol}",
                    at=bound,
                    breaks="whoever sees the traffic reads the records"
                    + (", and anybody may connect" if protocol == "PLAINTEXT" else ""),
                    fix="give it TLS: SASL_SSL, or SSL with ssl.client.auth=required",
                )
                return


@rule(
    "KC0454",
    "sec-delegation-lifetimes",
    WARNING,
    kafka=CHANGED,
    on=("delegation.token.expiry.time.ms", "delegation.token.max.lifetime.ms"),
    broker_side=True,
    invariants=("sec-delegation-lifetimes",),
)
def sec_delegation_lifetimes(broker: Broker) -> Iterator[Finding]:
    """A delegation token is renewed later than it expires.

    The time until a renewal is due is cut to delegation.token.max.lifetime.ms: tokens end earlier
    than configured, and no renewal helps.

    Bad:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {delegation.token.expiry.time.ms: 1209600000, delegation.token.max.lifetime.ms: 604800000}}
    Good:
        --- kcheck.yaml
        cluster: {brokers: 3, config: {delegation.token.expiry.time.ms: 86400000, delegation.token.max.lifetime.ms: 604800000}}
    """
    expiry = broker["delegation.token.expiry.time.ms"]
    most = broker["delegation.token.max.lifetime.ms"]
    if expiry.number > most.number:
        at, other = (expiry, most) if expiry.written else (most, expiry)
        yield broker.finding(
            f"{plain(expiry)} is above {plain(most)}",
            at=at,
            because=(other,),
            breaks="tokens end after the shorter time, whoever renews them",
            fix=f"set delegation.token.expiry.time.ms to at most {int(most.number)}",
            set_to=str(int(most.number)) if at is expiry else None,
        )
