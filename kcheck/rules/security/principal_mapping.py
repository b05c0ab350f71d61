"""KC04: rules that map the names of certificates and tickets to principals."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck import expressions
from kcheck.graph import listeners
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ERROR, WARNING, Finding
from kcheck.rule import FAILED, rule
from kcheck.rules.security.authorization import KAFKAS_OWN, authorizer
from kcheck.rules.security.principals import SUPER, super_users
from kcheck.rules.shared.completeness import operated

RULES = "ssl.principal.mapping.rules"


#: One rule as Kafka parses it: DEFAULT, or a pattern, its replacement, and the case.
_MAPPING = r"\s*(DEFAULT|RULE:((\\.|[^\\/])*)/((\\.|[^\\/])*)/([LU]?).*?|(.*?))\s*([,\n]\s*|$)"


_WHOLE = r"RULE:(\\.|[^\\/])*/(\\.|[^\\/])*/[LU]?"


@rule(
    "KC0436",
    "sec-principal-mapping",
    ERROR,
    kafka=FAILED,
    on=(RULES,),
    broker_side=True,
    invariants=("sec-principal-mapping",),
)
def sec_principal_mapping(broker: Broker) -> Iterator[Finding]:
    """ssl.principal.mapping.rules has an invalid rule, or one that is never reached.

    Each rule is ``RULE:pattern/replacement/``, optionally followed by L or U for the case, or
    DEFAULT. Kafka parses the rules when it builds the first channel of a TLS listener, and fails.
    The first rule that matches a name is used, and DEFAULT matches each: what stands behind it is
    without effect (a warning).

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
    Bad: DEFAULT before a rule
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SSL://:9093
        security.inter.broker.protocol=SSL
        ssl.keystore.location=/etc/kafka/k1.p12
        ssl.principal.mapping.rules=DEFAULT,RULE:^CN=(.*?),.*$/$1/L
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
    told, found = broker[RULES], listeners.addresses(broker)
    if not any(found.protocols.get(name) == "SSL" for name in found.names):
        return
    for match in re.finditer(_MAPPING, (told.text or "").strip()):
        if match[7] or (match[2] is not None and not re.fullmatch(_WHOLE, match[1])):
            yield broker.finding(
                f"{broker}: {RULES} contains {match[1]}, which is not a valid rule",
                at=told,
                breaks="no TLS channel can be built: Kafka fails to start (IllegalArgumentException)",
                fix="write RULE:pattern/replacement/, optionally followed by L or U, or DEFAULT",
            )
            return
    found_rules = re.finditer(_MAPPING, (told.text or "").strip())
    rules = [match[1] for match in found_rules if match[1]]
    if "DEFAULT" in rules[:-1]:
        yield broker.finding(
            f"{broker}: {RULES} has DEFAULT before other rules",
            at=told,
            breaks="DEFAULT matches every name: the rules behind it are never reached",
            fix="move DEFAULT to the end",
            severity=WARNING,
        )


#: Of GSSAPI: how names of principals are made from Kerberos' own.
_LOCAL = "sasl.kerberos.principal.to.local.rules"


@rule(
    "KC0484",
    "super-user-before-mapping",
    WARNING,
    on=(SUPER,),
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
            rules = broker[RULES]
            mapped = _mapped(rules.text or "", name) if rules.known else None
        elif "SSL" not in protocols and re.fullmatch(r"[^/@=]+/[^/@]+@[^/@]+", name):
            rules = broker[_LOCAL]
            mapped = name.partition("/")[0] if (rules.text or "") == "DEFAULT" else None
        else:
            continue
        if mapped is None or mapped == name:
            continue
        yield broker.finding(
            f"{broker}: {SUPER} contains {user}, which {rules.key} maps to User:{mapped}",
            at=broker[SUPER],
            because=(rules,),
            breaks="a client with that identity is no super user; if it is a broker, its requests to the "
            "others are denied",
            fix=f"write User:{mapped} in {SUPER}",
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
