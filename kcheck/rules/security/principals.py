"""KC04: super users of the authorizer, and the names of principals."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck import expressions, jaas
from kcheck.graph import listeners
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ERROR, WARNING, Finding, Value
from kcheck.rule import FAILED, rule
from kcheck.rules.security.authorization import KAFKAS_OWN, authorizer
from kcheck.rules.shared.completeness import operated

_AUTHORIZER = "authorizer.class.name"


_SUPER = "super.users"


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
    value = broker[_SUPER]
    if not broker.sets(_SUPER) and broker.whole:
        return []
    if not value.known:
        return None
    return [one.strip() for one in str(value.value or "").split(";") if one.strip()]


@rule(
    "KC0431",
    "sec-super-users-format",
    ERROR,
    kafka=FAILED,
    on=(_SUPER,),
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
    users = broker[_SUPER]
    if authorizer(broker) not in KAFKAS_OWN:
        return
    for user in super_users(broker) or ():
        if ":" not in user:
            yield broker.finding(
                f"{broker}: {_SUPER} contains {user}, which is not a principal",
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
                f"{broker}: {_SUPER}={users.text} is one principal, not several",
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
    if users is None or not found.known or not (whole or broker.sets(_SUPER)):
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
            else f" as {user}, not in {_SUPER}"
        )
        yield broker.finding(
            f"{broker} has an authorizer, but {peers} over listener {name}{how}",
            at=broker[_AUTHORIZER],
            because=[
                value
                for value in (login, broker[_SUPER], *_shown(broker))
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
    on=(_SUPER,),
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
            at=broker[_SUPER],
            because=(bound,) if bound.written else (),
            breaks=f"every client that can connect to {one.name} may do everything, regardless of ACLs",
            fix=f"remove {_ANONYMOUS} from {_SUPER}, or use SASL, or TLS with "
            "ssl.client.auth=required, on that listener",
        )
        return


_RULES = "ssl.principal.mapping.rules"


#: One rule as Kafka parses it: DEFAULT, or a pattern, its replacement, and the case.
_MAPPING = r"\s*(DEFAULT|RULE:((\\.|[^\\/])*)/((\\.|[^\\/])*)/([LU]?).*?|(.*?))\s*([,\n]\s*|$)"


_WHOLE = r"RULE:(\\.|[^\\/])*/(\\.|[^\\/])*/[LU]?"


@rule(
    "KC0436",
    "sec-principal-mapping",
    ERROR,
    kafka=FAILED,
    on=(_RULES,),
    broker_side=True,
    invariants=("sec-principal-mapping",),
)
def sec_principal_mapping(broker: Broker) -> Iterator[Finding]:
    """ssl.principal.mapping.rules has an invalid rule.

    Each rule is ``RULE:pattern/replacement/``, optionally followed by L or U for the case, or
    DEFAULT. Kafka parses the rules when it builds the first channel of a TLS listener, and fails.

    Bad: no replacement
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SSL://:9093
        security.inter.broker.protocol=SSL
        ssl.keystore.location=/etc/kafka/k1.p12
        ssl.principal.mapping.rules=RULE:^CN=(.*?),.*$
    Bad: invalid case flag
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SSL://:9093
        security.inter.broker.protocol=SSL
        ssl.keystore.location=/etc/kafka/k1.p12
        ssl.principal.mapping.rules=RULE:^CN=(.*?),.*$/$1/X
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SSL://:9093
        security.inter.broker.protocol=SSL
        ssl.keystore.location=/etc/kafka/k1.p12
        ssl.principal.mapping.rules=RULE:^CN=(.*?),.*$/$1/L,DEFAULT
    Good: no listener with TLS
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://:9092
        ssl.principal.mapping.rules=RULE:x
    """
    told, found = broker[_RULES], listeners.addresses(broker)
    if not any(found.protocols.get(name) == "SSL" for name in found.names):
        return
    for match in re.finditer(_MAPPING, (told.text or "").strip()):
        if match[7] or (match[2] is not None and not re.fullmatch(_WHOLE, match[1])):
            yield broker.finding(
                f"{broker}: {_RULES} contains {match[1]}, which is not a valid rule",
                at=told,
                breaks="no TLS channel can be built: Kafka fails to start (IllegalArgumentException)",
                fix="write RULE:pattern/replacement/, optionally followed by L or U, or DEFAULT",
            )
            return


#: Of GSSAPI: how names of principals are made from Kerberos' own.
_LOCAL = "sasl.kerberos.principal.to.local.rules"


@rule(
    "KC0484",
    "super-user-before-mapping",
    WARNING,
    on=(_SUPER,),
    broker_side=True,
)
def super_user_before_mapping(broker: Broker | Controller) -> Iterator[Finding]:
    """A super user has the name of a certificate or of Kerberos, which a rule shortens first.

    Kafka maps a certificate's distinguished name by ssl.principal.mapping.rules, and a Kerberos
    principal by sasl.kerberos.principal.to.local.rules (default: its first part), before it looks into
    super.users. There the mapped name is required. Reported if every listener that could know the
    written name maps it.

    Bad: a certificate
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SSL://:9093
        security.inter.broker.protocol=SSL
        ssl.keystore.location=/etc/kafka/k1.p12
        ssl.client.auth=required
        ssl.principal.mapping.rules=RULE:^CN=([^,]+),.*$/$1/L,DEFAULT
        authorizer.class.name=kafka.security.authorizer.AclAuthorizer
        super.users=User:CN=kafka-1,OU=platform,O=Example
    Bad: Kerberos
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_SSL://:9093
        security.inter.broker.protocol=SASL_SSL
        ssl.keystore.location=/etc/kafka/k1.p12
        sasl.kerberos.service.name=kafka
        authorizer.class.name=kafka.security.authorizer.AclAuthorizer
        super.users=User:kafka/k1.example.com@EXAMPLE.COM
    Good: the mapped names
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SSL://:9093
        security.inter.broker.protocol=SSL
        ssl.keystore.location=/etc/kafka/k1.p12
        ssl.client.auth=required
        ssl.principal.mapping.rules=RULE:^CN=([^,]+),.*$/$1/L,DEFAULT
        authorizer.class.name=kafka.security.authorizer.AclAuthorizer
        super.users=User:kafka-1
    Good: no rule applies to the name
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SSL://:9093
        security.inter.broker.protocol=SSL
        ssl.keystore.location=/etc/kafka/k1.p12
        ssl.client.auth=required
        ssl.principal.mapping.rules=RULE:^CN=([^,]+),OU=clients,.*$/$1/L,DEFAULT
        authorizer.class.name=kafka.security.authorizer.AclAuthorizer
        super.users=User:CN=kafka-1,OU=platform,O=Example
    """
    found = listeners.addresses(broker)
    if not found.named or operated(broker):
        return
    if authorizer(broker) not in KAFKAS_OWN or any(
        key.endswith("principal.builder.class") for key in broker.merged
    ):
        return
    protocols = {found.protocols.get(name, "") for name in found.names}
    for user in super_users(broker) or ():
        kind, _, name = user.partition(":")
        if kind != "User":
            continue
        if "SSL" in protocols and re.match(r"[A-Za-z][\w.]*=", name):
            rules = broker[_RULES]
            mapped = _mapped(rules.text or "", name) if rules.known else None
        elif "SSL" not in protocols and re.fullmatch(r"[^/@=]+/[^/@]+@[^/@]+", name):
            rules = broker[_LOCAL]
            mapped = name.partition("/")[0] if (rules.text or "") == "DEFAULT" else None
        else:
            continue
        if mapped is None or mapped == name:
            continue
        yield broker.finding(
            f"{broker}: {_SUPER} contains {user}, which {rules.key} maps to User:{mapped}",
            at=broker[_SUPER],
            because=(rules,),
            breaks="a client with that identity is no super user; if it is a broker, its requests to the "
            "others are denied",
            fix=f"write User:{mapped} in {_SUPER}",
        )
        return


def _mapped(rules: str, name: str) -> str | None:
    """What the first rule for a distinguished name makes of it; None if it stays, or is unknown."""
    for match in re.finditer(_MAPPING, rules.strip()):
        fits = None if match[2] is None else expressions.whole(match[2], name)
        if fits is False:
            continue
        if fits is None or re.search(r"\$(?!\d)|\$\d\d", match[4]):
            return None
        try:
            made = re.sub(match[2], re.sub(r"\$(\d)", r"\\g<\1>", match[4]), name)
        except (re.error, IndexError):
            return None
        return {"L": made.lower(), "U": made.upper()}.get(match[6], made)
    return None
