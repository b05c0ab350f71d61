"""KC04: security settings of clients that have no effect without another one, or that lack it."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph.clients import Client
from kcheck.model import ERROR, INFO, WARNING, Finding
from kcheck.rule import FAILED, rule
from kcheck.rules.shared.client_protocol import (
    JAAS,
    MECHANISM,
    OAUTH,
    missing_key,
    reader_of,
    spoken,
    switched,
)
from kcheck.rules.shared.keys_wording import written
from kcheck.wording import plain

_PROTOCOL = "security.protocol"


#: What a client trusts and what it is, in the names of Java, librdkafka, and kafka-python.
_TLS_KEYS = (
    "ssl.truststore.location",
    "ssl.truststore.certificates",
    "ssl.keystore.location",
    "ssl.keystore.key",
    "ssl.keystore.certificate.chain",
    "ssl.ca.location",
    "ssl.ca.pem",
    "ssl.certificate.location",
    "ssl.certificate.pem",
    "ssl.key.location",
    "ssl.key.pem",
    "ssl_cafile",
    "ssl_certfile",
    "ssl_keyfile",
)


@rule(
    "KC0456",
    "tls-without-protocol",
    WARNING,
    on=(
        "ssl.truststore.location",
        "ssl.truststore.certificates",
        "ssl.keystore.location",
        "ssl.keystore.key",
        "ssl.keystore.certificate.chain",
        "ssl.ca.location",
        "ssl.ca.pem",
        "ssl.certificate.location",
        "ssl.certificate.pem",
        "ssl.key.location",
        "ssl.key.pem",
        "ssl_cafile",
        "ssl_certfile",
        "ssl_keyfile",
    ),
)
def tls_without_protocol(client: Client) -> Iterator[Finding]:
    """A client sets TLS certificates, but its security.protocol does not use TLS.

    TLS is used only with security.protocol=SSL or SASL_SSL; the default is PLAINTEXT, and the client
    ignores every ssl key. Info only if another protocol is set explicitly.

    Bad: no security.protocol
        --- consumer.properties
        bootstrap.servers=k1:9094
        group.id=billing
        ssl.truststore.location=/etc/kafka/trust.p12
    Bad: librdkafka
        --- kcheck.yaml
        producers:
          - name: agent
            client: {library: librdkafka}
            config: {bootstrap.servers: "k1:9094", ssl.ca.location: /etc/ssl/kafka-ca.pem}
    Bad: the schema history of a connector
        --- loans.json
        {"name": "loans", "config": {
          "connector.class": "io.debezium.connector.oracle.OracleConnector",
          "topic.prefix": "loans",
          "schema.history.internal.kafka.topic": "loans.history",
          "schema.history.internal.kafka.bootstrap.servers": "k1:9094",
          "schema.history.internal.consumer.ssl.truststore.location": "/etc/kafka/trust.p12"}}
    Good:
        --- consumer.properties
        bootstrap.servers=k1:9094
        group.id=billing
        security.protocol=SASL_SSL
        sasl.jaas.config=${file:/etc/kafka/login.properties:jaas}
        ssl.truststore.location=/etc/kafka/trust.p12
    Good: host name verification is no certificate
        --- consumer.properties
        bootstrap.servers=k1:9092
        group.id=billing
        ssl.endpoint.identification.algorithm=
    Good: the certificates of Schema Registry's own https listener
        --- docker-compose.yml
        services:
          registry:
            image: confluentinc/cp-schema-registry:7.5.0
            environment:
              SCHEMA_REGISTRY_HOST_NAME: registry
              SCHEMA_REGISTRY_LISTENERS: https://0.0.0.0:8081
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: PLAINTEXT://k1:9092
              SCHEMA_REGISTRY_SSL_KEYSTORE_LOCATION: /etc/registry/keystore.p12
    Bad: a program that hands raw keys on
        --- fluent-bit.conf
        [OUTPUT]
            Name kafka
            Brokers k1.example.com:9094
            Topics logs
            rdkafka.ssl.ca.location /etc/ssl/kafka-ca.pem
    Bad: a program with a switch for TLS
        --- vector.yaml
        sources:
          orders:
            type: kafka
            bootstrap_servers: k1:9094
            group_id: vector
            topics: [orders]
            sasl: {enabled: true, mechanism: PLAIN, username: vector, password: "${PASSWORD}"}
            tls: {ca_file: /etc/vector/ca.pem}
    Good: the certificates of ksqlDB's own https listener
        --- ksql-server.properties
        bootstrap.servers=k1:9092
        listeners=https://0.0.0.0:8088
        ksql.service.id=totals_
        ssl.keystore.location=/etc/ksqldb/keystore.p12
    """
    protocol, own = client[_PROTOCOL], spoken(client)
    if not own or own.endswith("SSL"):
        return
    # What Schema Registry's clients have from the server's own settings is for its https listener.
    handed_on = client.resource.image
    key = next((key for key in _TLS_KEYS if client.sets(key) and key not in handed_on), "")
    if not key or client[key].text == "":
        return
    used = client[key]
    wanted = "SASL_SSL" if own.startswith("SASL") else "SSL"
    # Programs with a switch for TLS have no protocol to choose.
    off = switched(client)
    fix = f"set {protocol.key}={wanted}, the protocol of the listener"
    yield client.finding(
        f"{client} sets {written(used.setting) if used.setting else used.key}, but uses {plain(protocol)}",
        at=used,
        because=(protocol,),
        breaks="the client ignores all ssl keys and connects without TLS: a TLS listener closes the "
        "connection",
        fix=f"enable TLS beside {used.setting.name}" if off and used.setting else fix,
        severity=INFO if protocol.explicit and not off else WARNING,
    )


#: Mechanisms that log in with a user name and a password.
_BY_PASSWORD = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")


@rule("KC0457", "sasl-without-login", WARNING, kafka=FAILED, on=("security.protocol",))
def sasl_without_login(client: Client) -> Iterator[Finding]:
    """A client sets a SASL mechanism, but no login.

    Java clients require sasl.jaas.config for every mechanism, unless the JVM option
    java.security.auth.login.config names a JAAS file with a KafkaClient section. librdkafka and
    kafka-python require a user name and a password for PLAIN and SCRAM. An error if the container shows
    all options of the JVM; an info if it is usual to supply the login elsewhere.

    Bad: an application of Spring
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1:9095
            security: {protocol: SASL_SSL}
            properties: {sasl.mechanism: SCRAM-SHA-512}
            consumer: {group-id: billing}
    Bad: a container without a JAAS file
        --- docker-compose.yml
        services:
          registry:
            image: confluentinc/cp-schema-registry:7.6.1
            environment:
              SCHEMA_REGISTRY_HOST_NAME: registry
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: SASL_SSL://k1:9095
              SCHEMA_REGISTRY_KAFKASTORE_SECURITY_PROTOCOL: SASL_SSL
              SCHEMA_REGISTRY_KAFKASTORE_SASL_MECHANISM: PLAIN
    Bad: a user name without a password
        --- kcheck.yaml
        producers:
          - name: agent
            client: {library: librdkafka}
            config: {security.protocol: sasl_ssl, sasl.mechanisms: PLAIN, sasl.username: agent}
    Good:
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1:9095
            security: {protocol: SASL_SSL}
            properties:
              sasl.mechanism: SCRAM-SHA-512
              sasl.jaas.config: org.apache.kafka.common.security.scram.ScramLoginModule required username="a" password="${PASSWORD}";
            consumer: {group-id: billing}
    Good: Spring Boot makes the login
        --- application.yml
        spring:
          kafka:
            bootstrap-servers: k1:9095
            security: {protocol: SASL_SSL}
            jaas: {enabled: true, login-module: org.apache.kafka.common.security.plain.PlainLoginModule}
            properties: {sasl.mechanism: PLAIN}
            consumer: {group-id: billing}
    Good: a JAAS file
        --- docker-compose.yml
        services:
          registry:
            image: confluentinc/cp-schema-registry:7.6.1
            environment:
              SCHEMA_REGISTRY_HOST_NAME: registry
              SCHEMA_REGISTRY_OPTS: -Djava.security.auth.login.config=/etc/registry/jaas.conf
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: SASL_SSL://k1:9095
              SCHEMA_REGISTRY_KAFKASTORE_SECURITY_PROTOCOL: SASL_SSL
              SCHEMA_REGISTRY_KAFKASTORE_SASL_MECHANISM: PLAIN
    Bad: a JAAS file without the client's section
        --- pipeline.conf
        input {
          kafka {
            bootstrap_servers => "k1:9095"
            topics => ["audit"]
            security_protocol => "SASL_SSL"
            sasl_mechanism => "PLAIN"
            jaas_path => "/etc/logstash/jaas.conf"
          }
        }
        --- jaas.conf
        Client { org.apache.kafka.common.security.plain.PlainLoginModule required username="logs"; };
    """
    mechanism = reader_of(client)[MECHANISM]
    if not spoken(client).startswith("SASL") or not mechanism.known:
        return
    if client.java:
        yield from _without_jaas(client)
        return
    keys = client.library.credentials
    name = str(mechanism.value or "").upper()
    if name in _BY_PASSWORD and not all(map(client.sets, keys)):
        lacking = [key for key in keys if not client.sets(key)]
        yield client.finding(
            f"{client} uses {plain(mechanism)} without {' and '.join(lacking)}",
            at=mechanism if mechanism.written else client[_PROTOCOL],
            because=[client[key] for key in keys if key not in lacking],
            breaks=f"unless the program sets {' and '.join(lacking)}, the client cannot be created",
            fix=f"set {' and '.join(lacking)}",
            severity=WARNING if len(lacking) < len(keys) else INFO,
        )


_NO_ENTRY = (
    "the client cannot be created: could not find a KafkaClient entry in the JAAS configuration"
)


def _without_jaas(client: Client) -> Iterator[Finding]:
    mechanism, login = reader_of(client)[MECHANISM], reader_of(client)[JAAS]
    traits = client.resource.traits
    if login.written or not login.known or traits.jaas_file:
        return
    certain = traits.jaas_file is False
    # Kerberos is mostly set up by a file; and without a mechanism the file is but a part.
    if not certain and not mechanism.explicit:
        return
    if traits.jaas_lacks:
        yield client.finding(
            f"{client} uses {plain(mechanism)}, and {traits.jaas_lacks} has no KafkaClient section",
            at=mechanism if mechanism.written else client[_PROTOCOL],
            because=(missing_key(client, JAAS), client[_PROTOCOL]),
            breaks=_NO_ENTRY,
            fix=f"write the login module in {traits.jaas_lacks} within KafkaClient {{ … }};",
            severity=ERROR,
        )
        return
    usual = bool(traits.application) and str(mechanism.value).upper() in (*_BY_PASSWORD, OAUTH)
    yield client.finding(
        f"{client} uses {plain(mechanism)} without {JAAS}",
        at=mechanism if mechanism.written else client[_PROTOCOL],
        because=(missing_key(client, JAAS), client[_PROTOCOL]),
        breaks=("" if certain else "unless a JAAS file or the program provides the login, ")
        + _NO_ENTRY,
        fix=f"set {JAAS} to the login module of {mechanism.value}",
        severity=ERROR if certain else WARNING if usual else INFO,
    )


@rule(
    "KC0462",
    "login-without-mechanism",
    WARNING,
    kafka=FAILED,
    on=("sasl.username", "sasl_plain_username"),
)
def login_without_mechanism(client: Client) -> Iterator[Finding]:
    """A client of librdkafka or kafka-python sets a user name, but no SASL mechanism.

    librdkafka's default is GSSAPI (Kerberos), which reads neither sasl.username nor sasl.password;
    kafka-python has none. Java clients are judged by their login module (KC0490).

    Bad:
        --- kcheck.yaml
        producers:
          - name: agent
            client: {library: librdkafka}
            config: {security.protocol: sasl_ssl, sasl.username: agent, sasl.password: "${PASSWORD}"}
    Good:
        --- kcheck.yaml
        producers:
          - name: agent
            client: {library: librdkafka}
            config:
              security.protocol: sasl_ssl
              sasl.mechanisms: PLAIN
              sasl.username: agent
              sasl.password: "${PASSWORD}"
    Good: no SASL
        --- kcheck.yaml
        producers:
          - name: agent
            client: {library: librdkafka}
            config: {security.protocol: ssl, sasl.username: agent}
    """
    keys = client.library.credentials
    mechanism = client[MECHANISM]
    if not keys or mechanism.written or client.resource.traits.partial:
        return
    if not spoken(client).startswith("SASL") or not client.sets(keys[0]):
        return
    kerberos = client.library.checks_as_librdkafka
    named = "sasl.mechanisms" if kerberos else "sasl_mechanism"
    yield client.finding(
        f"{client} sets {keys[0]}, but no {named}"
        + (": the default is GSSAPI (Kerberos)" if kerberos else ""),
        at=client[keys[0]],
        because=(mechanism,),
        breaks=f"{keys[0]} is not used: the client cannot be created, or requires a Kerberos ticket"
        if kerberos
        else "the client cannot be created",
        fix=f"set {named} to the mechanism of the listener, for example PLAIN",
    )
