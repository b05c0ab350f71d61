"""KC04: TLS on the listeners of brokers, and listeners without it."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph import listeners
from kcheck.graph.clients import Client
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ERROR, INFO, WARNING, Finding, Value
from kcheck.rule import ADVICE, CHANGED, rule
from kcheck.rules.security.authorization import authorizer
from kcheck.rules.security.principals import super_users
from kcheck.rules.shared.completeness import operated
from kcheck.wording import in_ms, plain

_AUTH = "ssl.client.auth"


_LOOPBACK = ("localhost", "127.0.0.1", "::1")


_PROTOCOLS, _SUITES = "ssl.enabled.protocols", "ssl.cipher.suites"
#: The suites of TLSv1.3; those of the versions before it name their key exchange before _WITH_.
_SUITES_OF_13 = ("TLS_AES_", "TLS_CHACHA20_POLY1305_SHA256")


#: Disabled since 2021 in the JDKs that Kafka runs on.
_DISABLED = ("SSLV3", "TLSV1", "TLSV1.1")


def _listeners(broker: Broker, protocol: str) -> list[listeners.Listener]:
    """The listeners for clients and brokers that use that protocol, if all are known."""
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
    """ssl.client.auth without a listener prefix has no effect on SASL_SSL listeners.

    ssl.client.auth without a prefix applies to listeners with the protocol SSL. A SASL_SSL listener
    reads only ``listener.name.<listener>.ssl.client.auth`` and logs that it ignores the other.

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
    Good: it applies to the SSL listener
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SSL://:9094,SASL_SSL://:9093
        security.inter.broker.protocol=SASL_SSL
        ssl.client.auth=required
    """
    told = broker[_AUTH]
    # An unknown value is None.
    if str(told.value).lower() == "none":
        return
    found = listeners.addresses(broker)
    if any(found.protocols.get(name) == "SSL" for name in found.names):
        return
    for one in _listeners(broker, "SASL_SSL"):
        own = f"listener.name.{one.name.lower()}.{_AUTH}"
        if not broker.sets(own):
            yield broker.finding(
                f"{broker} sets {plain(told)}, but listener {one.name} with SASL ignores it",
                at=told,
                breaks="clients need no certificate on this listener: a password is enough",
                fix=f"rename it to {own}",
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

    A listener with the protocol SSL identifies its clients by their certificates, and requests those
    only with ssl.client.auth=required (or requested). With the default, none, all clients are
    User:ANONYMOUS: ACLs cannot distinguish them.

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
    Good: User:ANONYMOUS is a super user
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
                f"{broker} has an authorizer, but listener {one.name} requests no client certificate: "
                f"{plain(asked)}",
                at=asked if asked.written else broker["authorizer.class.name"],
                because=[broker["authorizer.class.name"]] if asked.written else [asked],
                breaks="all clients of this listener, including brokers, are User:ANONYMOUS: resources "
                "with ACLs are denied to them",
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
    """Only TLS versions that Java has disabled are enabled.

    SSLv3, TLSv1 and TLSv1.1 are disabled in every JDK since 2021 unless its security properties
    enable them. A peer with no other version fails every handshake; the inter-broker listener fails
    at startup. In addition to TLSv1.2 or TLSv1.3 they merely have no effect.

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
            f"{node} enables only {', '.join(names)}",
            at=enabled,
            breaks="every TLS handshake fails: the JDK has disabled these versions",
            fix=f"set {_PROTOCOLS}=TLSv1.2,TLSv1.3 (its default)",
        )


@rule("KC0487", "cipher-suites-of-another-version", ERROR, on=(_SUITES,))
def cipher_suites_of_another_version(node: Broker | Controller | Client) -> Iterator[Finding]:
    """No cipher suite belongs to a TLS version that is enabled.

    TLSv1.3 has suites of its own (TLS_AES_256_GCM_SHA384), which no other version has, and none of
    theirs (TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384).

    Bad:
        --- producer.properties
        bootstrap.servers=k1:9093
        security.protocol=SSL
        acks=all
        ssl.enabled.protocols=TLSv1.3
        ssl.cipher.suites=TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384
    Bad: a listener
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SSL://:9093
        security.inter.broker.protocol=SSL
        ssl.keystore.location=/etc/kafka/broker.p12
        ssl.enabled.protocols=TLSv1.2
        listener.name.ssl.ssl.cipher.suites=TLS_AES_256_GCM_SHA384,TLS_AES_128_GCM_SHA256
    Good: suites of both
        --- producer.properties
        bootstrap.servers=k1:9093
        security.protocol=SSL
        acks=all
        ssl.enabled.protocols=TLSv1.3
        ssl.cipher.suites=TLS_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384
    Good: the default of ssl.enabled.protocols has TLSv1.2
        --- producer.properties
        bootstrap.servers=k1:9093
        security.protocol=SSL
        acks=all
        ssl.cipher.suites=TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384
    """
    if isinstance(node, Client):
        read = [(node[_SUITES], node[_PROTOCOLS])] if node.java else []
    else:
        names = [one.name for kind in ("SSL", "SASL_SSL") for one in _listeners(node, kind)]
        read = [(node.listener(one, _SUITES), node.listener(one, _PROTOCOLS)) for one in names]
    for suites, enabled in read:
        if _apart(_texts(suites), _texts(enabled)):
            yield node.finding(
                f"{node} has {plain(suites)}, but none of these is a suite of {', '.join(_texts(enabled))}",
                at=suites,
                because=(enabled,),
                breaks="every TLS handshake fails: there is no suite for it",
                fix=f"add suites of these versions, or remove {_SUITES}",
            )
            return


def _texts(value: Value) -> list[str]:
    held = value.value if isinstance(value.value, list) else []
    return [str(one).strip() for one in held if str(one).strip()]


def _apart(suites: list[str], versions: list[str]) -> bool:
    """Whether no suite belongs to one of the versions; never where a suite is not known."""
    if not suites or not versions:
        return False
    new = [one.startswith(_SUITES_OF_13) for one in suites]
    if any(not late and "_WITH_" not in one for late, one in zip(new, suites, strict=True)):
        return False
    late = [one.upper() == "TLSV1.3" for one in versions]
    return (all(new) and not any(late)) or (not any(new) and all(late))


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
    """A production broker has an unencrypted listener.

    With PLAINTEXT and SASL_PLAINTEXT the records can be read from the network traffic, and with
    PLAINTEXT clients are not authenticated. This is acceptable in a network that is trusted as a
    whole, so the rule is opt-in.

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
                    f"{broker} of a {broker.cluster.rank} has listener {one.name}, which uses {protocol}",
                    at=bound,
                    breaks="anyone who can read the network traffic can read the records"
                    + (", and any client may connect" if protocol == "PLAINTEXT" else ""),
                    fix="use TLS on this listener: SASL_SSL, or SSL with ssl.client.auth=required",
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
    """delegation.token.expiry.time.ms exceeds delegation.token.max.lifetime.ms.

    The expiry time is limited to delegation.token.max.lifetime.ms: tokens expire earlier than
    configured, and renewal does not extend them.

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
            f"{in_ms(expiry)} exceeds {in_ms(most)}",
            at=at,
            because=(other,),
            breaks="tokens expire after the shorter time, even if they are renewed",
            fix=f"set delegation.token.expiry.time.ms to at most {int(most.number)}",
            set_to=str(int(most.number)) if at is expiry else None,
        )
