"""KC04: super users of the authorizer."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck import jaas
from kcheck.graph import listeners
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ERROR, WARNING, Finding, Value
from kcheck.rule import FAILED, rule
from kcheck.rules.security.authorization import KAFKAS_OWN, authorizer
from kcheck.rules.shared.completeness import operated

_AUTHORIZER = "authorizer.class.name"
SUPER = "super.users"
_EVERYONE = "allow.everyone.if.no.acl.found"
_ANONYMOUS = "User:ANONYMOUS"
_MECHANISM = "sasl.mechanism"
_SASL = ("SASL_PLAINTEXT", "SASL_SSL")
#: Mechanisms with which the principal is the user name of the login module.
_PASSWORDS = ("plain", "scram-sha-256", "scram-sha-512")
#: Facts of Bitnami's image: the user of brokers to other brokers, and to the controllers.
_PEER, _ASKER = "inter.broker.user", "controller.user"
#: A comma before the next user: certificate names contain commas too, but not ``User:``.
_COMMA = r",\s*User:"


def super_users(broker: Broker) -> list[str] | None:
    """The principals of super.users; None if they are unknown."""
    value = broker[SUPER]
    if not broker.sets(SUPER) and broker.whole:
        return []
    if not value.known:
        return None
    return [one.strip() for one in str(value.value or "").split(";") if one.strip()]


@rule(
    "KC0431",
    "sec-super-users-format",
    ERROR,
    kafka=FAILED,
    on=(SUPER,),
    broker_side=True,
    invariants=("sec-super-users-format",),
)
def sec_super_users_format(broker: Broker | Controller) -> Iterator[Finding]:
    """super.users is not a valid list of principals.

    Each principal is ``Type:name``, separated by semicolons, because certificate names contain
    commas. With commas the whole list is one principal that no client has: brokers that should be
    super users are denied by each other: a warning where everything without an ACL is allowed. Without
    a colon the authorizer fails to start.

    Bad: separated by commas
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        authorizer.class.name=kafka.security.authorizer.AclAuthorizer
        super.users=User:admin,User:broker
    Bad: no type
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        authorizer.class.name=kafka.security.authorizer.AclAuthorizer
        super.users=User:admin;broker
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        authorizer.class.name=kafka.security.authorizer.AclAuthorizer
        super.users=User:admin;User:CN=broker,OU=kafka,O=example;
    Good: no authorizer
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        super.users=admin
    Good: a custom authorizer
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        authorizer.class.name=com.example.Authorizer
        super.users=admin
    """
    users = broker[SUPER]
    if authorizer(broker) not in KAFKAS_OWN:
        return
    for user in super_users(broker) or ():
        if ":" not in user:
            yield broker.finding(
                f"{broker}: {SUPER} contains {user}, which is not a principal",
                at=users,
                because=(broker[_AUTHORIZER],),
                breaks="Kafka fails to start: the authorizer expects principalType:principalName",
                fix=f"write User:{user}",
            )
            return
        if re.search(_COMMA, user):
            everyone = broker[_EVERYONE]
            open_ = str(everyone.value).lower() == "true"
            yield broker.finding(
                f"{broker}: {SUPER}={users.text} is one principal, not several",
                at=users,
                because=(broker[_AUTHORIZER], *((everyone,) if open_ else ())),
                breaks="none of them is a super user: the first ACL of a resource shuts them out"
                if open_
                else "none of them is a super user: requests without an ACL are denied, including "
                "replication if brokers are among them",
                fix="separate the principals with semicolons",
                set_to=re.sub(_COMMA, ";User:", users.text or ""),
                severity=WARNING if open_ else "",
            )
            return


@rule(
    "KC0432",
    "sec-super-users-brokers",
    WARNING,
    on=(_AUTHORIZER,),
    broker_side=True,
    invariants=("sec-super-users-brokers",),
)
def sec_super_users_brokers(broker: Broker | Controller) -> Iterator[Finding]:
    """Brokers or controllers connect as a principal that has neither ACLs nor super-user rights.

    On a listener without TLS and SASL every client is User:ANONYMOUS. If the inter-broker listener or
    the controller listener has neither, its peers are not allowed to replicate or to register, unless
    that user is a super user or everything without an ACL is allowed. Prefer authenticating the
    peers. The same applies to peers that authenticate as a user that is not in super.users.

    Bad:
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=SASL_SSL://:9092,CONTROLLER://:9093
        listener.security.protocol.map=SASL_SSL:SASL_SSL,CONTROLLER:PLAINTEXT
        inter.broker.listener.name=SASL_SSL
        authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
        super.users=User:admin
    Bad: no super users
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://k1:9092
        authorizer.class.name=kafka.security.authorizer.AclAuthorizer
    Bad: the controller user is not a super user
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.7.0
            environment:
              KAFKA_CFG_NODE_ID: 1
              KAFKA_CFG_PROCESS_ROLES: broker,controller
              KAFKA_CFG_CONTROLLER_QUORUM_VOTERS: 1@kafka:9093
              KAFKA_CFG_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_CFG_LISTENERS: SASL_PLAINTEXT://:9092,CONTROLLER://:9093
              KAFKA_CFG_LISTENER_SECURITY_PROTOCOL_MAP: SASL_PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:SASL_PLAINTEXT
              KAFKA_CFG_INTER_BROKER_LISTENER_NAME: SASL_PLAINTEXT
              KAFKA_INTER_BROKER_USER: broker
              KAFKA_CONTROLLER_USER: controller
              KAFKA_CFG_AUTHORIZER_CLASS_NAME: org.apache.kafka.metadata.authorizer.StandardAuthorizer
              KAFKA_CFG_SUPER_USERS: User:broker;User:admin
    Good: the peers authenticate
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=SASL_SSL://:9092,CONTROLLER://:9093
        listener.security.protocol.map=SASL_SSL:SASL_SSL,CONTROLLER:SASL_SSL
        inter.broker.listener.name=SASL_SSL
        authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
        super.users=User:admin
    Good: User:ANONYMOUS is a super user
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
        authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
        super.users=User:ANONYMOUS
    Good: a custom principal builder
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        authorizer.class.name=kafka.security.authorizer.AclAuthorizer
        principal.builder.class=com.example.Builder
    """
    if authorizer(broker) not in KAFKAS_OWN:
        return
    users, everyone, found = super_users(broker), broker[_EVERYONE], listeners.addresses(broker)
    whole = not operated(broker)
    if users is None or not found.known or not (whole or broker.sets(SUPER)):
        return
    if not broker["listeners"].written and not broker.whole:
        return
    if broker.sets("principal.builder.class") or str(everyone.value).lower() == "true":
        return
    if not everyone.known and everyone.written:
        return
    for name, peers, mechanism, fact in _between(broker, found):
        protocol = found.protocols.get(name)
        login = _login(broker, name, mechanism, fact) if protocol in _SASL else None
        nobody = _ANONYMOUS if protocol == "PLAINTEXT" and whole else ""
        user = f"User:{login.value}" if login is not None else nobody
        if not user or user in users:
            continue
        how = (
            " without authentication (PLAINTEXT)"
            if login is None
            else f" as {user}, not in {SUPER}"
        )
        yield broker.finding(
            f"{broker} has an authorizer, but {peers} over listener {name}{how}",
            at=broker[_AUTHORIZER],
            because=[
                value
                for value in (login, broker[SUPER], *_shown(broker))
                if value is not None and value.written
            ],
            breaks=f"the peers are {user}, which has no ACL initially: without one for ClusterAction "
            "they are denied, and the cluster has no controller or does not replicate",
            fix="use TLS or SASL on that listener, and add the principals of the nodes to super.users"
            if login is None
            else f"add {user} to super.users",
        )
        return


def _login(broker: Broker, listener: str, mechanism: str, fact: str) -> Value | None:
    """The user with which a node authenticates to its peers on a listener; None if unknown."""
    if fact in broker.resource.facts:
        user = broker.fact(fact)
        return user.but(user.text) if user.text else None
    told = (broker[mechanism].text or "").strip().lower()
    config = broker[f"listener.name.{listener.lower()}.{told}.sasl.jaas.config"]
    name = jaas.of(config.setting).options.get("username") if told in _PASSWORDS else None
    return config.but(name) if name and "$" not in name else None


def _shown(broker: Broker) -> Iterator[Value]:
    yield broker["listener.security.protocol.map"]
    yield broker["listeners"]


def _between(broker: Broker, found: listeners.Addresses) -> Iterator[tuple[str, str, str, str]]:
    """(listener, words, mechanism key, fact) of the listeners between nodes.

    The fact is the one with the user, if an image has it.
    """
    if broker.roles != ["controller"]:
        named, spoken = (
            broker["inter.broker.listener.name"],
            broker["security.inter.broker.protocol"],
        )
        chosen = named if named.written else spoken
        if chosen.text:
            name = chosen.text.strip().upper()
            yield (
                name,
                "brokers connect to each other",
                f"{_MECHANISM}.inter.broker.protocol",
                _PEER,
            )
    for name in found.quorum:
        yield name, "nodes connect to the controllers", f"{_MECHANISM}.controller.protocol", _ASKER


@rule(
    "KC0433",
    "sec-anonymous-super",
    WARNING,
    on=(SUPER,),
    broker_side=True,
    invariants=("sec-anonymous-super",),
)
def sec_anonymous_super(broker: Broker) -> Iterator[Finding]:
    """User:ANONYMOUS is a super user, so ACLs do not bind unauthenticated clients.

    User:ANONYMOUS is every client of a listener without TLS and SASL, and of a TLS listener that
    requests no certificate. As a super user it may read, write and delete everything, so ACLs apply
    only to authenticated clients. Reported if clients have a listener without authentication.

    Bad:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://k1:9092,SASL_SSL://k1:9093
        authorizer.class.name=kafka.security.authorizer.AclAuthorizer
        super.users=User:admin;User:ANONYMOUS
    Good: only the controller listener has no authentication
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=SASL_SSL://:9092,CONTROLLER://:9093
        listener.security.protocol.map=SASL_SSL:SASL_SSL,CONTROLLER:PLAINTEXT
        authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
        super.users=User:admin;User:ANONYMOUS
    Good: a development cluster
        --- kcheck.yaml
        cluster: {environment: development}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://k1:9092
        authorizer.class.name=kafka.security.authorizer.AclAuthorizer
        super.users=User:ANONYMOUS
    Good: the first module of a course
        --- module-1-intro/server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://k1:9092
        authorizer.class.name=kafka.security.authorizer.AclAuthorizer
        super.users=User:ANONYMOUS
    """
    found = listeners.addresses(broker)
    if not authorizer(broker) or broker.cluster.development or not found.known:
        return
    if _ANONYMOUS not in (super_users(broker) or ()):
        return
    bound = broker["listeners"]
    for one in found.listeners:
        if one.name in found.quorum or found.protocols.get(one.name) != "PLAINTEXT":
            continue
        yield broker.finding(
            f"{broker}: {_ANONYMOUS} is a super user, and listener {one.name} has no authentication",
            at=broker[SUPER],
            because=(bound,) if bound.written else (),
            breaks=f"every client that can connect to {one.name} may do everything, regardless of ACLs",
            fix=f"remove {_ANONYMOUS} from {SUPER}, or use SASL, or TLS with "
            "ssl.client.auth=required, on that listener",
        )
        return
