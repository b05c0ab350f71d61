"""KC04: what a client and a broker have to agree on in Kerberos and OAuth."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.evidence import written_first
from kcheck.graph.answers import answering
from kcheck.graph.edges import Connects
from kcheck.graph.nodes import Broker
from kcheck.model import WARNING, Finding, Value
from kcheck.rule import rule
from kcheck.rules.shared.client_protocol import spoken
from kcheck.wording import plain

_SERVICE, _MECHANISM = "sasl.kerberos.service.name", "sasl.mechanism"
_ISSUER, _ENDPOINT = "sasl.oauthbearer.expected.issuer", "sasl.oauthbearer.token.endpoint.url"
#: Where identity providers have the realm or tenant in their URLs: Keycloak, Okta, Microsoft.
_REALMS = (
    re.compile(r"/realms/([\w.-]+)"),
    re.compile(r"\.okta(?:preview)?\.com/oauth2/([\w.-]+)"),
    re.compile(r"(?:login\.microsoftonline\.com|sts\.windows\.net)/([\da-f-]{36})", re.IGNORECASE),
)


def _asked(edge: Connects, mechanism: str, key: str) -> Value | None:
    """The broker's own value of a key, for the listener that the client logs in at."""
    client, broker = edge.client, edge.broker
    if not spoken(client).startswith("SASL"):
        return None
    chosen = client[_MECHANISM]
    if str(chosen.value or "").upper() != mechanism:
        return None
    for _, listener in answering(broker, client.resource):
        if listener.protocol is not None and not listener.protocol.startswith("SASL"):
            continue
        return _of_listener(broker, listener.name, key)
    return None


def _of_listener(broker: Broker, listener: str, key: str) -> Value | None:
    for name in (f"listener.name.{listener.lower()}.{key}", key):
        if broker.sets(name):
            value = broker[name]
            return value if value.text else None
    return None


@rule("KC0497", "kerberos-service-differs", WARNING, on=(_SERVICE,))
def kerberos_service_differs(edge: Connects) -> Iterator[Finding]:
    """A client asks Kerberos for another service than the broker runs as.

    The client requests a ticket for sasl.kerberos.service.name/HOST. It has to be the first part of the
    broker's principal, which the broker has in its own sasl.kerberos.service.name, for it connects to
    the other brokers in the same way.

    Bad:
        --- consumer.properties
        bootstrap.servers=k1:9094
        group.id=billing
        security.protocol=SASL_SSL
        sasl.mechanism=GSSAPI
        sasl.kerberos.service.name=kafka
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        listeners=SASL_SSL://k1:9094
        security.inter.broker.protocol=SASL_SSL
        sasl.kerberos.service.name=kafkabroker
    Good:
        --- consumer.properties
        bootstrap.servers=k1:9094
        group.id=billing
        security.protocol=SASL_SSL
        sasl.mechanism=GSSAPI
        sasl.kerberos.service.name=kafkabroker
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        listeners=SASL_SSL://k1:9094
        security.inter.broker.protocol=SASL_SSL
        sasl.kerberos.service.name=kafkabroker
    """
    client = edge.client
    chosen = client[_SERVICE]
    if not chosen.text:
        return
    own = _asked(edge, "GSSAPI", _SERVICE)
    if own is None or own.text == chosen.text:
        return
    at, *because = written_first(chosen, own)
    yield edge.finding(
        f"{client} has {plain(chosen)}, but {edge.broker} has {plain(own)}",
        at=at,
        because=because,
        breaks="Kerberos has no ticket for this service, or the broker cannot decrypt it: every login "
        "fails",
        fix=f"set {_SERVICE}={own.text} in the client",
    )


@rule("KC0498", "token-issuer-differs", WARNING, on=(_ENDPOINT,))
def token_issuer_differs(edge: Connects) -> Iterator[Finding]:
    """A client gets its tokens from another realm than the one whose tokens the broker accepts.

    The broker compares the iss claim with sasl.oauthbearer.expected.issuer. The realm or tenant is a
    part of the URLs of Keycloak, Okta and Microsoft Entra ID; other providers are not compared.

    Bad:
        --- consumer.properties
        bootstrap.servers=k1:9094
        group.id=billing
        security.protocol=SASL_SSL
        sasl.mechanism=OAUTHBEARER
        sasl.oauthbearer.token.endpoint.url=https://id.example.org/realms/staff/protocol/openid-connect/token
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        listeners=SASL_SSL://k1:9094
        security.inter.broker.protocol=SASL_SSL
        sasl.enabled.mechanisms=OAUTHBEARER
        sasl.mechanism.inter.broker.protocol=OAUTHBEARER
        sasl.oauthbearer.expected.issuer=https://id.example.org/realms/kafka
    Good:
        --- consumer.properties
        bootstrap.servers=k1:9094
        group.id=billing
        security.protocol=SASL_SSL
        sasl.mechanism=OAUTHBEARER
        sasl.oauthbearer.token.endpoint.url=https://id.example.org/realms/kafka/protocol/openid-connect/token
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        listeners=SASL_SSL://k1:9094
        security.inter.broker.protocol=SASL_SSL
        sasl.enabled.mechanisms=OAUTHBEARER
        sasl.mechanism.inter.broker.protocol=OAUTHBEARER
        sasl.oauthbearer.expected.issuer=https://id.example.org/realms/kafka
    """
    client = edge.client
    chosen = client[_ENDPOINT]
    if not chosen.text:
        return
    expected = _asked(edge, "OAUTHBEARER", _ISSUER)
    if expected is None:
        return
    for realm in _REALMS:
        asked, accepted = realm.search(chosen.text), realm.search(expected.text or "")
        if asked is None or accepted is None or asked.group(1) == accepted.group(1):
            continue
        at, *because = written_first(chosen, expected)
        yield edge.finding(
            f"{client} gets its tokens from {asked.group(1)} ({plain(chosen)}), but {edge.broker} accepts "
            f"those of {accepted.group(1)} ({plain(expected)})",
            at=at,
            because=because,
            breaks="the broker rejects every token: the issuer is not the expected one",
            fix=f"use the token endpoint of {accepted.group(1)}, or the issuer of {asked.group(1)}",
        )
        return
