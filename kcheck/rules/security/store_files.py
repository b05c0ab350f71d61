"""KC04: files with keys and certificates in a form that their reader does not know."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from kcheck.graph import listeners
from kcheck.graph.clients import Client
from kcheck.graph.nodes import Broker, Controller, Node
from kcheck.libraries import UNKNOWN
from kcheck.model import ERROR, WARNING, Faulty, Finding, Value
from kcheck.rule import FAILED, rule
from kcheck.rules.shared.client_protocol import spoken
from kcheck.rules.shared.completeness import operated
from kcheck.rules.shared.problems import findings
from kcheck.wording import plain

_PEM, _JKS = "PEM", "JKS"
#: What a file is, by the end of its name.
_FORMS = (
    (re.compile(r"\.(?:pem|crt|cer)$", re.IGNORECASE), _PEM),
    (re.compile(r"\.jks$", re.IGNORECASE), _JKS),
    (re.compile(r"\.(?:p12|pfx|pkcs12)$", re.IGNORECASE), "PKCS #12"),
)
_STORES = ("ssl.truststore", "ssl.keystore")
#: Types that Java opens whichever of them the file is (keystore.type.compat).
_TYPES = ("JKS", "PKCS12")
#: Keys of other libraries, which read OpenSSL's forms: of PEM, and of one that is PKCS #12.
_OPENSSL = (
    *("ssl.ca.location", "ssl.certificate.location", "ssl.key.location"),
    *("ssl_cafile", "ssl_certfile", "ssl_keyfile"),
)
_BUNDLE = "ssl.keystore.location"
_ENGINE = "ssl.engine.factory.class"


@rule("KC0485", "tls-name-undefined", WARNING)
def tls_name_undefined(document: Faulty) -> Iterator[Finding]:
    """A client uses TLS settings by a name that the application does not define.

    Spring Boot has bundles below spring.ssl.bundle, Quarkus configurations below quarkus.tls. Reported
    where the application defines others: without any, another file may have them all.

    Bad: a bundle of Spring's
        --- application.yml
        spring:
          ssl:
            bundle:
              pem:
                brokers:
                  truststore: {certificate: "file:/run/tls/ca.crt"}
          kafka:
            bootstrap-servers: k1:9093
            security: {protocol: SSL}
            ssl: {bundle: broker}
            consumer: {group-id: billing}
    Bad: a configuration of Quarkus
        --- application.properties
        kafka.bootstrap.servers=k1:9093
        kafka.tls-configuration-name=broker
        quarkus.tls.brokers.trust-store.pem.certs=/run/tls/ca.crt
        mp.messaging.incoming.usage.connector=smallrye-kafka
        mp.messaging.incoming.usage.group.id=billing
    Good:
        --- application.properties
        kafka.bootstrap.servers=k1:9093
        kafka.tls-configuration-name=brokers
        quarkus.tls.trust-all=false
        quarkus.tls.brokers.trust-store.pem.certs=/run/tls/ca.crt
        mp.messaging.incoming.usage.connector=smallrye-kafka
        mp.messaging.incoming.usage.group.id=billing
    Good: the file says nothing of bundles
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1:9093
            security: {protocol: SSL}
            ssl: {bundle: broker}
            consumer: {group-id: billing}
    """
    yield from findings(document, "KC0485")


@rule(
    "KC0467",
    "store-file-form",
    ERROR,
    kafka=FAILED,
    on=(*(f"{store}.location" for store in _STORES), *_OPENSSL),
)
def store_file_form(node: Client | Broker | Controller) -> Iterator[Finding]:
    """A keystore or truststore is a file of another form than its reader opens.

    Java opens JKS and PKCS #12 with type JKS (default) or PKCS12, and PEM with type PEM only.
    librdkafka, and libraries that use OpenSSL, read PEM; librdkafka's ssl.keystore.location is PKCS #12.
    The form is told by the end of the file's name. A warning if other files may set the type.

    Bad: a certificate for Java
        --- consumer.properties
        bootstrap.servers=k1.example.com:9093
        group.id=billing
        security.protocol=SSL
        ssl.truststore.location=/etc/kafka/ca.pem
    Bad: a store of Java with type PEM
        --- consumer.properties
        bootstrap.servers=k1.example.com:9093
        group.id=billing
        security.protocol=SSL
        ssl.truststore.type=PEM
        ssl.truststore.location=/etc/kafka/trust.jks
    Bad: a store of Java for librdkafka
        --- kcheck.yaml
        producers:
          - name: agent
            client: {library: librdkafka}
            config:
              bootstrap.servers: k1.example.com:9093
              security.protocol: ssl
              ssl.ca.location: /etc/kafka/trust.jks
    Bad: a broker
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SSL://k1:9093
        security.inter.broker.protocol=SSL
        ssl.keystore.location=/etc/kafka/k1.crt
    Good:
        --- consumer.properties
        bootstrap.servers=k1.example.com:9093
        group.id=billing
        security.protocol=SSL
        ssl.truststore.type=PEM
        ssl.truststore.location=/etc/kafka/ca.pem
        ssl.keystore.location=/etc/kafka/billing.p12
        ssl.keystore.password=${file:/etc/kafka/login.properties:keystore}
    Good: librdkafka
        --- kcheck.yaml
        producers:
          - name: agent
            client: {library: librdkafka}
            config:
              bootstrap.servers: k1.example.com:9093
              security.protocol: ssl
              ssl.ca.location: /etc/kafka/ca.pem
              ssl.keystore.location: /etc/kafka/agent.p12
    """
    if isinstance(node, Client):
        if not spoken(node).endswith("SSL"):
            return
        if node.java:
            yield from _java(node, node.__getitem__, "the client cannot be created")
        else:
            yield from _openssl(node)
        return
    found = listeners.addresses(node)
    for name in found.names if not operated(node) else ():
        if found.protocols.get(name, "").endswith("SSL"):
            told = [*_java(node, partial(node.listener, name), "Kafka fails to start")]
            yield from told
            if told:
                return


def _form(value: Value) -> str:
    """What the file is; "" where its name does not tell."""
    name = value.text or ""
    if "$" in name or "{" in name:
        return ""
    return next((form for end, form in _FORMS if end.search(name)), "")


def _java(node: Node, ask: Callable[[str], Value], fails: str) -> Iterator[Finding]:
    if ask(_ENGINE).written:
        return
    # Variables and other files of a program may have the type.
    elsewhere = node.resource.traits.application or node.resource.traits.partial
    for store in _STORES:
        place, kind = ask(f"{store}.location"), ask(f"{store}.type")
        form, wanted = _form(place), str(kind.value).upper() if kind.known else ""
        if not form or wanted not in (*_TYPES, _PEM) or (form == _PEM) == (wanted == _PEM):
            continue
        password = ask(f"{store}.password")
        also = f", and remove {password.key}" if form == _PEM and password.written else ""
        right = _PEM if form == _PEM else "JKS" if form == _JKS else "PKCS12"
        # Beside the place: the type of all stores is not to be changed for one listener's.
        typed = kind.key if kind.written else f"{place.key.removesuffix('location')}type"
        yield node.finding(
            f"{node} sets {plain(place)}, which is {form}, but {plain(kind)}",
            at=place,
            because=(kind,),
            breaks=f"{fails}: the file is no keystore of this type",
            fix=f"set {typed}={right}{also}",
            severity=WARNING if elsewhere and not kind.written else ERROR,
        )


def _openssl(client: Client) -> Iterator[Finding]:
    for key in (*_OPENSSL, _BUNDLE):
        value = client[key] if key in client.resource.settings else None
        form = _form(value) if value is not None else ""
        bundle = key == _BUNDLE
        # Java's clients have the key, too: one of no library that is known may be such a client.
        unknown = client.library.name == UNKNOWN
        if value is None or not form or (bundle and unknown):
            continue
        if form == _JKS or (form == _PEM) == bundle:
            reads = "PKCS #12" if bundle else _PEM
            yield client.finding(
                f"{client} sets {plain(value)}, which is {form}, but {'OpenSSL' if unknown else client.library.name} reads {reads}",
                at=value,
                breaks="the client cannot be created: it does not find what it reads in the file",
                fix=f"export what is in the store as {reads}, and set {key} to that file",
            )
