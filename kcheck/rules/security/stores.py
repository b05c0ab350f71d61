"""KC04: keystores, truststores and SASL mechanism of clients."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from kcheck.graph import listeners
from kcheck.graph.clients import Client
from kcheck.graph.nodes import Broker, Controller, Node
from kcheck.model import ABSENT, ERROR, INFO, WARNING, Finding, Value
from kcheck.refusal import refused
from kcheck.rule import REFUSED, rule
from kcheck.rules.shared.completeness import operated
from kcheck.wording import plain

_FAILS = "the client cannot be created (InvalidConfigurationException)"


_NO_START = "Kafka fails to start (InvalidConfigurationException)"


_KEY, _CHAIN = "ssl.keystore.key", "ssl.keystore.certificate.chain"


_STORE = "ssl.keystore.location"
_TRUSTED = "ssl.truststore.certificates"
_TRUSTS = ("ssl.truststore.location", _TRUSTED)
#: The private key of a client's certificate, in the names of librdkafka and of Java's PEM.
#: kafka-python's ssl_certfile may have the key in it.
_KEYS = {
    "ssl.certificate.location": "ssl.key.location",
    "ssl.certificate.pem": "ssl.key.pem",
    _CHAIN: _KEY,
}


#: What such keys begin with.
_SECURITY = ("ssl.", "sasl.", "security.")
_CERTIFICATE = re.compile("certificate|cert|crt")


def _protocol(client: Client) -> str:
    """The security protocol in upper case; "" if unknown."""
    return (client["security.protocol"].text or "").strip().upper()


@rule(
    "KC0408",
    "sec-pem-exclusive",
    ERROR,
    kafka=REFUSED,
    on=(
        *(_KEY, _CHAIN, _TRUSTED, "ssl.keystore.password", "ssl.truststore.password"),
        *("ssl.keystore.location", "ssl.truststore.location"),
        *("ssl.certificate.location", "ssl.certificate.pem", "ssl.client.auth"),
    ),
    refs=("KIP-651",),
    invariants=("sec-pem-exclusive",),
    versions="2.8–4.4",
)
def sec_pem_exclusive(node: Client | Broker | Controller) -> Iterator[Finding]:
    """The keystore or truststore settings of a client or listener contradict each other.

    Keys and certificates are either in a file (location, and a password unless it is PEM) or, as PEM,
    in the settings themselves, which require type PEM (default JKS). A password without a file and a
    keystore without a password are rejected too; because the other may be set elsewhere, that is a
    warning, for applications an info. So is a certificate without its private key, which Java, Beats and
    others reject, and librdkafka and Telegraf connect without, and a listener that demands certificates
    without a truststore.

    Bad: the type is JKS
        --- kcheck.yaml
        producers:
          - name: checkout
            config: {security.protocol: SSL, ssl.truststore.certificates: "-----BEGIN CERTIFICATE-----..."}
    Bad: both a file and its contents
        --- kcheck.yaml
        producers:
          - name: checkout
            config:
              security.protocol: SSL
              ssl.truststore.type: PEM
              ssl.truststore.location: /etc/ca.pem
              ssl.truststore.certificates: "-----BEGIN CERTIFICATE-----..."
    Bad: a PEM file has no password
        --- kcheck.yaml
        consumers:
          - name: reports
            config:
              security.protocol: SSL
              ssl.truststore.type: PEM
              ssl.truststore.location: /etc/ca.pem
              ssl.truststore.password: secret
    Bad: a password without a file
        --- kcheck.yaml
        consumers: [{name: reports, config: {security.protocol: SSL, ssl.truststore.password: secret}}]
    Bad: a listener
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SSL://k1:9093
        security.inter.broker.protocol=SSL
        ssl.keystore.type=PEM
        ssl.keystore.location=/etc/kafka/k1.pem
        ssl.keystore.password=secret
    Good:
        --- kcheck.yaml
        consumers:
          - name: reports
            config:
              security.protocol: SSL
              ssl.truststore.location: /etc/ca.jks
              ssl.truststore.password: secret
    Good: no TLS
        --- kcheck.yaml
        consumers: [{name: reports, config: {security.protocol: PLAINTEXT, ssl.truststore.password: secret}}]
    Bad: a keystore without a password
        --- docker-compose.yml
        services:
          registry:
            image: confluentinc/cp-schema-registry:7.6.1
            environment:
              SCHEMA_REGISTRY_HOST_NAME: registry
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: SSL://k1:9093
              SCHEMA_REGISTRY_KAFKASTORE_SECURITY_PROTOCOL: SSL
              SCHEMA_REGISTRY_KAFKASTORE_SSL_KEYSTORE_LOCATION: /etc/secrets/registry.jks
    Bad: a certificate without its key
        --- filebeat.yml
        output.kafka:
          hosts: ["k1.example.com:9093"]
          topic: logs
          ssl.certificate_authorities: [/etc/filebeat/ca.pem]
          ssl.certificate: /etc/filebeat/client.pem
    Good: with its key
        --- filebeat.yml
        output.kafka:
          hosts: ["k1.example.com:9093"]
          topic: logs
          ssl.certificate: /etc/filebeat/client.pem
          ssl.key: /etc/filebeat/client-key.pem
    Good: the password of an application is rarely in its file
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1:9093
            security: {protocol: SSL}
            ssl: {key-store-location: "file:/etc/app/app.p12", key-store-password: "${PASSWORD}"}
            consumer: {group-id: billing}
    Good: a piece of a file, which the command of a container completes
        --- clients.yaml
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: perf-test}
        data:
          tls.properties: |
            security.protocol=SSL
            ssl.truststore.location=/etc/certs/ca.p12
            ssl.truststore.type=PKCS12
            ssl.keystore.location=/etc/certs/user.p12
            ssl.keystore.type=PKCS12
    Bad: certificates of which CA
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SSL://k1:9093
        security.inter.broker.protocol=SSL
        ssl.client.auth=required
        ssl.keystore.location=/etc/kafka/k1.p12
        ssl.keystore.password=secret
    """
    if isinstance(node, Client):
        if node.java and _protocol(node) in ("SSL", "SASL_SSL"):
            yield from _stores(node, node.__getitem__, _FAILS)
        yield from _without_key(node)
        return
    found = listeners.addresses(node)
    for name in found.names if not operated(node) else ():
        if found.protocols.get(name, "").endswith("SSL"):
            told = list(_stores(node, partial(node.listener, name), _NO_START))
            # A password without a file, or one without the other: an image may have it.
            made = bool(node.resource.traits.deployer)
            told = [
                one
                for one in told
                if one.severity == ERROR
                or (not made and one.evidence[0].key.endswith("keystore.location"))
            ]
            told = told or list(_trusting_nobody(node, name))
            yield from told
            if told:
                return


def _without_key(client: Client) -> Iterator[Finding]:
    """A certificate without its private key, which is nothing to show to a listener."""
    settings = client.resource.settings
    if any(key in settings for key in (*_KEYS.values(), _STORE)):
        return
    held = next((one for one in _KEYS if one in settings and settings[one].text != ""), "")
    if not held or _protocol(client) not in ("SSL", "SASL_SSL"):
        return
    name, key = settings[held].name, _KEYS[held]
    # Agents have names of their own: tls.crt_file and tls.key_file.
    right = key if held == _CHAIN else _CERTIFICATE.sub("key", name)
    yield client.finding(
        f"{client} sets {name} without the private key of the certificate",
        at=client[held],
        because=(Value(key, client.resource, ABSENT),),
        breaks="the client cannot be created, or connects without a certificate",
        fix=f"set {right}, or remove {name}",
        severity=WARNING,
    )


def _trusting_nobody(node: Broker | Controller, name: str) -> Iterator[Finding]:
    """A listener that demands certificates beside a keystore, and names no CA of its clients."""
    asked, place = (node.listener(name, key) for key in ("ssl.client.auth", _STORE))
    trusted = [node.listener(name, key) for key in (*_TRUSTS, "ssl.engine.factory.class")]
    if node.resource.traits.deployer or str(asked.value).lower() != "required":
        return
    if place.written and not any(value.written for value in trusted):
        yield node.finding(
            f"{node}: listener {name} has {plain(asked)}, but no {trusted[0].key}",
            at=asked,
            because=(place, trusted[0]),
            breaks="unless the JVM has another default, only certificates of public CAs are accepted: "
            "clients with certificates of a private CA fail the handshake",
            fix=f"set {trusted[0].key} to the CA of the clients",
            severity=WARNING,
        )


def _stores(node: Node, ask: Callable[[str], Value], breaks: str) -> Iterator[Finding]:
    """What is wrong with the two stores of a client or a listener, by what their keys come to."""
    deployed = bool(node.resource.traits.deployer)
    for store, contents in (("ssl.keystore", (_KEY, _CHAIN)), ("ssl.truststore", (_TRUSTED,))):
        kind, place, password = (
            ask(f"{store}.{word}") for word in ("type", "location", "password")
        )
        inline = next((value for value in map(ask, contents) if value.written), None)
        if not kind.known:
            continue
        found = _conflict(inline, kind, place, password)
        if found is not None:
            at, because, wrong, fix, severity = found
            if at.key == _STORE and (
                (node.resource.traits.application and not deployed) or _a_piece(node)
            ):
                severity = INFO  # secrets are rarely in such a file
            yield node.finding(
                f"{node}: {wrong}",
                at=at,
                because=because,
                breaks=breaks,
                fix=fix,
                severity=severity,
            )


def _a_piece(node: Node) -> bool:
    """Whether a file holds TLS and logins alone: what has the address may add the secrets as well."""
    held = node.resource.settings
    alone = isinstance(node, Client) and node.resource.kind == "client"
    return alone and all(key.startswith(_SECURITY) for key in held)


def _conflict(
    inline: Value | None, kind: Value, place: Value, password: Value
) -> tuple[Value, tuple[Value, ...], str, str, str] | None:
    """(at, because, message, fix, severity) of one store; None if there is no conflict."""
    pem = str(kind.value).upper() == "PEM"
    if inline is not None:
        if not pem:
            wrong = f"{inline.key} is set, but {plain(kind)} is not PEM"
            fix = f"remove {inline.key}, or set {kind.key}=PEM"
            if place.explicit or password.explicit:
                fix = f"remove {inline.key}"
            return inline, (kind,), wrong, fix, ERROR
        for other in (place, password):
            if other.explicit:
                wrong = f"{other.key} is set together with {inline.key}"
                return other, (inline,), wrong, f"remove {other.key}", ERROR
        return None
    if pem and place.explicit and password.explicit:
        wrong = f"{password.key} is set, but {plain(kind)} has no password"
        fix = f"remove {password.key}"
        if password.key == "ssl.keystore.password":
            fix += "; ssl.key.password is the password of an encrypted PEM key"
        return password, (kind, place), wrong, fix, ERROR
    if password.explicit and not place.explicit:
        wrong = f"{password.key} is set without {place.key}"
        fix = f"remove {password.key}" if pem else f"set {place.key}, or remove {password.key}"
        return password, (place,), wrong, fix, WARNING
    if not pem and place.key == _STORE and place.explicit and place.text and not password.written:
        wrong = f"{place.key} is set without {password.key}"
        return place, (password,), wrong, f"set {password.key}", WARNING
    return None


@rule(
    "KC0409",
    "sasl-mechanism-empty",
    ERROR,
    kafka=REFUSED,
    on=("sasl.mechanism",),
    invariants=("sec-client-jaas",),
    versions="3.3+",
)
def sasl_mechanism_empty(client: Client) -> Iterator[Finding]:
    """sasl.mechanism of a client is empty.

    Bad:
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        producers: [{name: checkout, config: {security.protocol: SASL_SSL, sasl.mechanism: ""}}]
    Good:
        --- kcheck.yaml
        cluster: {client_version: "3.9"}
        producers: [{name: checkout, config: {security.protocol: SASL_SSL, sasl.mechanism: PLAIN}}]
    """
    mechanism = client["sasl.mechanism"]
    if not client.java or not _protocol(client).startswith("SASL") or mechanism.text != "":
        return
    told = refused(client.version, "the client cannot be created (ConfigException)", "3.3")
    if told is not None:
        severity, breaks = told
        yield client.finding(
            f"{client}: sasl.mechanism is empty",
            at=mechanism,
            because=(client["security.protocol"],),
            breaks=breaks,
            fix="set sasl.mechanism to a mechanism that the brokers enable, for example SCRAM-SHA-512",
            severity=severity,
        )
