"""KC04: the inter-broker SASL mechanism, and disallowed or unknown login modules."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import jaas
from kcheck.graph.clients import Client
from kcheck.graph.listeners import addresses, between, may_log_in
from kcheck.graph.nodes import Broker, Controller
from kcheck.lexicon import suggest
from kcheck.model import ERROR, WARNING, Finding, Setting
from kcheck.refusal import refused
from kcheck.rule import FAILED, REFUSED, rule
from kcheck.rules.shared.completeness import operated
from kcheck.wording import plain

_BETWEEN = "sasl.mechanism.inter.broker.protocol"


_ENABLED = "sasl.enabled.mechanisms"


@rule(
    "KC0406",
    "sec-interbroker-mech",
    ERROR,
    kafka=REFUSED,
    on=(
        _BETWEEN,
        _ENABLED,
        "security.inter.broker.protocol",
        "inter.broker.listener.name",
    ),
    invariants=("sec-interbroker-mech",),
)
def sec_interbroker_mech(broker: Broker | Controller) -> Iterator[Finding]:
    """sasl.mechanism.inter.broker.protocol is not among sasl.enabled.mechanisms.

    If the inter-broker listener uses SASL, sasl.mechanism.inter.broker.protocol (default GSSAPI) must
    be one of that listener's sasl.enabled.mechanisms (default GSSAPI only).

    Bad:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_SSL://:9093
        security.inter.broker.protocol=SASL_SSL
        sasl.enabled.mechanisms=SCRAM-SHA-512
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_SSL://:9093
        security.inter.broker.protocol=SASL_SSL
        sasl.enabled.mechanisms=SCRAM-SHA-512
        sasl.mechanism.inter.broker.protocol=SCRAM-SHA-512
    Good: enabled for the listener
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_SSL://:9093
        security.inter.broker.protocol=SASL_SSL
        listener.name.sasl_ssl.sasl.enabled.mechanisms=PLAIN
        sasl.mechanism.inter.broker.protocol=PLAIN
    Good: no SASL between brokers
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_SSL://:9093,SSL://:9094
        security.inter.broker.protocol=SSL
        sasl.enabled.mechanisms=PLAIN
    """
    name, spoken = broker["inter.broker.listener.name"], broker["security.inter.broker.protocol"]
    found = addresses(broker)
    listener, protocol = between(broker)
    if not found.named or not protocol.startswith("SASL") or operated(broker):
        return
    chosen, offered = broker[_BETWEEN], broker.listener(listener, _ENABLED)
    if not chosen.known or not isinstance(offered.value, list) or chosen.value in offered.value:
        return
    yield broker.finding(
        f"{broker}: {plain(chosen)} is not in {plain(offered)}",
        at=chosen if chosen.written else offered,
        because=(offered if chosen.written else chosen, name if name.written else spoken),
        breaks="Kafka fails to start: the inter-broker mechanism must be enabled",
        fix=f"add {chosen.value} to {_ENABLED}, or set {_BETWEEN} to an enabled mechanism",
    )


#: Mechanisms whose login has a user name, which the broker itself needs to log in at others.
_NAMED = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
_TO_CONTROLLERS = "sasl.mechanism.controller.protocol"
_NAMING = ("PlainLoginModule", "ScramLoginModule")


@rule(
    "KC0483",
    "broker-login-nameless",
    WARNING,
    kafka=FAILED,
    on=(_BETWEEN, _TO_CONTROLLERS),
)
def broker_login_nameless(broker: Broker | Controller) -> Iterator[Finding]:
    """The login of the inter-broker listener has no user name for the broker itself.

    With PLAIN and SCRAM a broker logs in at the other brokers with username and password of the
    listener's own login module; ``user_NAME`` of PlainLoginModule says who may log in here. A single
    broker is not reported, for it seldom connects to itself.

    Bad: users alone
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_SSL://:9093
        security.inter.broker.protocol=SASL_SSL
        sasl.enabled.mechanisms=PLAIN
        sasl.mechanism.inter.broker.protocol=PLAIN
        listener.name.sasl_ssl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_shop="${file:/run/kafka:shop}";
    Bad: users of SCRAM are in the cluster, the broker's own is here
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_SSL://:9093
        security.inter.broker.protocol=SASL_SSL
        sasl.enabled.mechanisms=SCRAM-SHA-512
        sasl.mechanism.inter.broker.protocol=SCRAM-SHA-512
        listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_SSL://:9093
        security.inter.broker.protocol=SASL_SSL
        sasl.enabled.mechanisms=PLAIN
        sasl.mechanism.inter.broker.protocol=PLAIN
        listener.name.sasl_ssl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="broker" password="${file:/run/kafka:broker}" user_broker="${file:/run/kafka:broker}";
    Bad: the listener of the controllers
        --- server.properties
        process.roles=broker
        node.id=11
        controller.quorum.voters=1@c1:9093
        controller.listener.names=CONTROLLER
        listeners=SSL://:9092
        listener.security.protocol.map=SSL:SSL,CONTROLLER:SASL_SSL
        security.inter.broker.protocol=SSL
        sasl.mechanism.controller.protocol=PLAIN
        listener.name.controller.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_node="${file:/run/kafka:node}";
    Good: clients alone log in by it
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_SSL://:9093,SSL://:9094
        security.inter.broker.protocol=SSL
        sasl.enabled.mechanisms=PLAIN
        listener.name.sasl_ssl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_shop="${file:/run/kafka:shop}";
    """
    if operated(broker) or broker.cluster.broker_count.number == 1:
        return
    controllers = str(broker["controller.listener.names"].text or "").partition(",")[0].strip()
    spoken = addresses(broker).protocols.get(controllers.upper(), "")
    for key, listener, protocol in (
        (_BETWEEN, *between(broker)),
        (_TO_CONTROLLERS, controllers.upper(), spoken),
    ):
        mechanism = str(broker[key].value or "").upper()
        if not protocol.startswith("SASL") or mechanism not in _NAMED:
            continue
        login = broker.listener(listener, f"{mechanism.lower()}.{_JAAS}")
        handler = broker.listener(listener, f"{mechanism.lower()}.{_LOGIN_HANDLER}")
        found = jaas.of(login.setting)
        named = not found.whole or found.fault or "username" in found.options
        if named or not found.module.endswith(_NAMING) or handler.written:
            continue
        yield broker.finding(
            f"{broker}: the login of listener {listener} has no username, but nodes log in at each other "
            f"with {plain(broker[key])}",
            at=login,
            because=(broker[key],),
            breaks="the node cannot log in at the others: nothing is replicated from them",
            fix="add username and password of the node's own user",
        )


_JAAS, _LOGIN_HANDLER = "sasl.jaas.config", "sasl.login.callback.handler.class"


#: The largest edit distance of a typo with a suggestion.
_FAR = 4


#: Login modules that run code from an attacker's server, and the version that rejects them.
_DISALLOWED = (
    ("com.sun.security.auth.module.JndiLoginModule", "3.4"),
    ("com.sun.security.auth.module.LdapLoginModule", "3.9.1"),
)


def _logins(node: Broker | Controller | Client) -> Iterator[tuple[str, Setting]]:
    """The login module settings that the node reads, with their keys."""
    if isinstance(node, Client):
        protocol = node["security.protocol"].text or ""
        if not node.java or not protocol.upper().startswith("SASL"):
            return
    settings = node.merged if isinstance(node, Broker) else node.resource.settings
    for key, setting in settings.items():
        if not key.endswith(_JAAS):
            continue
        # A broker reads the key only with the prefix of a listener and mechanism.
        if isinstance(node, Broker):
            behind = key.startswith("listener.name.")
            if key == _JAAS or (behind and not may_log_in(node, key)):
                continue
        yield key, setting


@rule(
    "KC0407",
    "sec-jaas-disallowed",
    ERROR,
    kafka=REFUSED,
    invariants=("sec-jaas-disallowed",),
    versions="3.4+ (LdapLoginModule: 3.9.1+)",
)
def sec_jaas_disallowed(node: Broker | Controller | Client) -> Iterator[Finding]:
    """sasl.jaas.config names a login module that Kafka does not allow.

    JndiLoginModule and LdapLoginModule let the server that they connect to run code. Kafka rejects
    them, the latter from 3.9.1 on, unless a system property allows them.

    Bad:
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        producers:
          - name: checkout
            config:
              security.protocol: SASL_SSL
              sasl.mechanism: PLAIN
              sasl.jaas.config: com.sun.security.auth.module.JndiLoginModule required user.provider.url="ldap://x";
    Good:
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        producers:
          - name: checkout
            config:
              security.protocol: SASL_SSL
              sasl.mechanism: PLAIN
              sasl.jaas.config: org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="b";
    """
    for key, setting in _logins(node):
        login = jaas.of(setting)
        for name, since in _DISALLOWED:
            if login.module != name:
                continue
            told = refused(node.version, "the login module is rejected", since)
            if told is not None:
                severity, breaks = told
                yield node.finding(
                    f"{node}: {key} names disallowed login module {name}",
                    at=node[key],
                    breaks=breaks,
                    fix="use another login module, or allow this one with the system property "
                    "org.apache.kafka.disallowed.login.modules",
                    severity=severity,
                )


_PACKAGE = "org.apache.kafka.common.security."


_JDK = "com.sun.security.auth.module."


#: All login modules in the packages of Kafka and the JDK (jars of 0.10.2 to 4.4, Java 8 to 21).
_MODULES = (
    f"{_PACKAGE}plain.PlainLoginModule",
    f"{_PACKAGE}scram.ScramLoginModule",
    f"{_PACKAGE}oauthbearer.OAuthBearerLoginModule",
    "org.apache.kafka.connect.rest.basic.auth.extension.PropertyFileLoginModule",
    f"{_JDK}JndiLoginModule",
    f"{_JDK}KeyStoreLoginModule",
    f"{_JDK}Krb5LoginModule",
    f"{_JDK}LdapLoginModule",
    f"{_JDK}NTLoginModule",
    f"{_JDK}SolarisLoginModule",
    f"{_JDK}UnixLoginModule",
)


def _no_module(name: str) -> bool:
    """Whether no login module of that name can exist, or one of these is meant for certain."""
    if not name or name in _MODULES:
        return False
    return name.startswith(("org.apache.kafka.", _JDK)) or any(
        known.endswith("." + name) or suggest.distance(name, known, _FAR) <= _FAR
        for known in _MODULES
    )


@rule("KC0410", "sasl-no-such-module", ERROR, kafka=FAILED)
def sasl_no_such_module(node: Broker | Controller | Client) -> Iterator[Finding]:
    """sasl.jaas.config names a login module that does not exist.

    The configuration accepts any name; Java loads the class when a client is created or a broker
    opens its listener. Kafka and the JDK have a fixed set of login modules, and no other code adds
    any to their packages.

    Bad: a typo
        --- producer.properties
        bootstrap.servers=k1:9093
        acks=all
        security.protocol=SASL_SSL
        sasl.mechanism=SCRAM-SHA-512
        sasl.jaas.config=org.apache.kafka.common.security.scarm.ScramLoginModule required username="${USER}" password="${PASSWORD}";
    Bad: without the package
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_SSL://:9093
        listener.name.sasl_ssl.plain.sasl.jaas.config=PlainLoginModule required user_a="b";
    Good:
        --- producer.properties
        bootstrap.servers=k1:9093
        acks=all
        security.protocol=SASL_SSL
        sasl.mechanism=SCRAM-SHA-512
        sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="${USER}" password="${PASSWORD}";
    Good: a custom module
        --- producer.properties
        bootstrap.servers=k1:9093
        acks=all
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        sasl.jaas.config=com.example.kafka.PlainLoginModule required;
    Good: a templated class name
        --- producer.properties
        bootstrap.servers=k1:9093
        acks=all
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        sasl.jaas.config=org.apache.kafka.common.security.${MODULE} required username="a" password="b";
    Bad: a letter before the package
        --- connect-distributed.properties
        bootstrap.servers=k1:9093
        group.id=etl
        config.storage.topic=etl-configs
        offset.storage.topic=etl-offsets
        status.storage.topic=etl-status
        producer.security.protocol=SASL_SSL
        producer.sasl.mechanism=SCRAM-SHA-512
        producer.sasl.jaas.config=corg.apache.kafka.common.security.scram.ScramLoginModule required username="a" password="${file:/run/secrets/kafka:password}";
    Good: the module of a shaded library
        --- producer.properties
        bootstrap.servers=k1:9093
        acks=all
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        sasl.jaas.config=kafkashaded.org.apache.kafka.common.security.plain.PlainLoginModule required;
    """
    for key, setting in _logins(node):
        login = jaas.of(setting)
        if login.fault or not _no_module(login.module):
            continue
        meant = min(_MODULES, key=lambda known: suggest.distance(login.module, known, _FAR))
        yield node.finding(
            f"{node}: {key} names login module {login.module}, which does not exist",
            at=node[key],
            breaks=(
                "the client cannot be created" if isinstance(node, Client) else "the node exits"
            )
            + ": No LoginModule found for it (LoginException)",
            fix=f"use {meant}"
            if suggest.distance(login.module, meant, _FAR) <= _FAR
            else f"use a fully qualified class name, for example {_MODULES[0]}",
        )
