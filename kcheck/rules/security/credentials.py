"""KC04: logins and certificates of clients and nodes: used, well-formed, and presented."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import endpoints, jaas
from kcheck.graph import listeners
from kcheck.graph.clients import Client
from kcheck.graph.edges import Connects
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ERROR, INFO, WARNING, Finding, Torn
from kcheck.rule import FAILED, REFUSED, rule
from kcheck.rules.shared.client_protocol import JAAS, prefixed_settings, spoken, switched
from kcheck.wording import CONTINUE, plain, torn


@rule(
    "KC0401",
    "sasl-without-protocol",
    WARNING,
    on=("sasl.mechanism", "sasl.mechanisms", "sasl.jaas.config", "sasl.username"),
    invariants=("sec-client-protocol-match",),
)
def sasl_without_protocol(client: Client) -> Iterator[Finding]:
    """A client sets SASL credentials, but its security.protocol is not SASL.

    SASL is used only with security.protocol=SASL_SSL or SASL_PLAINTEXT; the default is PLAINTEXT, and
    the client ignores every sasl key. Info only if another protocol is set explicitly.

    Bad: no security.protocol
        --- consumer.properties
        bootstrap.servers=k1:9094
        group.id=billing
        sasl.mechanism=PLAIN
        sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="b";
    Good:
        --- consumer.properties
        bootstrap.servers=k1:9094
        group.id=billing
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="b";
    Good: a template of credentials, which something else completes
        --- client.template
        ssl.truststore.location=/security/truststore.jks
        sasl.mechanism=PLAIN
        sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="{{USER}}" password="{{PASS}}";
    Bad: a login that is not switched on
        --- vector.yaml
        sinks:
          orders:
            type: kafka
            inputs: [logs]
            bootstrap_servers: k1.example.com:9094
            topic: orders
            encoding: {codec: json}
            sasl: {mechanism: PLAIN, username: vector, password: "${PASSWORD}"}
            tls: {enabled: true}
    """
    protocol = client["security.protocol"]
    if not spoken(client) or spoken(client).startswith("SASL"):
        return
    for key in ("sasl.mechanism", "sasl.jaas.config", "sasl.username"):
        if client.sets(key):
            used = client[key]
            yield client.finding(
                f"{client} sets {used.key}, but uses {plain(protocol)}",
                at=used,
                because=(protocol,),
                breaks="the client ignores all sasl keys and connects without credentials: a SASL "
                "listener closes the connection",
                fix=f"switch the login on beside {used.setting.name}"
                if switched(client) and used.setting
                else "set security.protocol=SASL_SSL (or SASL_PLAINTEXT), the protocol of the listener",
                severity=INFO if protocol.explicit and not switched(client) else WARNING,
            )
            return


@rule(
    "KC0402",
    "sec-jaas-one-module",
    ERROR,
    kafka=REFUSED,
    invariants=("sec-jaas-one-module",),
)
def sec_jaas_one_module(node: Broker | Controller | Client) -> Iterator[Finding]:
    """sasl.jaas.config is not one valid login module entry.

    It must be ``class flag option="value" …;``: exactly one module, closed quotes, and a semicolon at
    the end. An unquoted number is not a value, and an unquoted slash starts a comment. Anything else
    fails as soon as a SASL connection is set up. Placeholders within quotes make no difference.

    Bad: no semicolon
        --- producer.properties
        bootstrap.servers=k1:9093
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        acks=all
        sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="b"
    Bad: an unclosed quote
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SASL_SSL://:9093
        listener.name.sasl_ssl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_a="b;
    Bad: with a templated password
        --- producer.properties
        bootstrap.servers=k1:9093
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        acks=all
        sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="${file:/run/secrets/kafka:password}"
    Bad: continued without backslashes
        --- producer.properties
        bootstrap.servers=k1:9093
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        acks=all
        sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required
          username="a"
          password="b";
    Good:
        --- producer.properties
        bootstrap.servers=k1:9093
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        acks=all
        sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="a;b" password="b";
    Good: a templated value
        --- producer.properties
        bootstrap.servers=k1:9093
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        acks=all
        sasl.jaas.config=${JAAS}
    Good: of a listener without SASL
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://:9092
        listener.name.plaintext.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_a="b;
    Good: templated options
        --- producer.properties
        bootstrap.servers=k1:9093
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        acks=all
        sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required ${LOGIN}
    """
    if isinstance(node, Client):
        own = spoken(node)
        if not node.java or (own and not own.startswith("SASL")):
            return
    for key, setting in prefixed_settings(node, JAAS):
        # A broker reads the key only with the prefix of a listener and mechanism.
        if isinstance(node, Broker) and (key == JAAS or not listeners.may_log_in(node, key)):
            continue
        login = jaas.of(setting)
        if login.fault and isinstance(setting, Torn):
            yield node.finding(
                f"{node}: {key} {torn(setting)}",
                at=node[key],
                breaks="the login fails (IllegalArgumentException), and Kafka ignores these keys",
                fix=CONTINUE,
            )
        elif login.fault:
            yield node.finding(
                f"{node}: {key} {login.fault}",
                at=node[key],
                breaks="the login fails (IllegalArgumentException)",
                fix='write: <login module class> required <option>="<value>" …;',
            )


_OWN_CERTIFICATE = frozenset(
    {
        "ssl.keystore.location",
        "ssl.keystore.key",
        "ssl.keystore.certificate.chain",
        "ssl.engine.factory.class",
        "ssl.certificate.location",
        "ssl.certificate.pem",
        "ssl.provider",
    }
)


@rule(
    "KC0455",
    "sec-client-certificate",
    WARNING,
    on=("security.protocol",),
    kafka=FAILED,
)
def sec_client_certificate(edge: Connects) -> Iterator[Finding]:
    """A client presents no certificate to a listener that requires one.

    With ssl.client.auth=required a broker ends the handshake with every client that does not present
    a trusted certificate. A truststore defines whom the client trusts; its own certificate is in its
    keystore. A warning: a program may add one. Not reported for clients of frameworks, which may get
    theirs from elsewhere.

    Bad:
        --- client.properties
        bootstrap.servers=k1:9093
        security.protocol=SSL
        ssl.truststore.location=/etc/app/trust.jks
        group.id=billing
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SSL://k1:9093
        security.inter.broker.protocol=SSL
        ssl.client.auth=required
        ssl.keystore.location=/etc/kafka/key.jks
        ssl.truststore.location=/etc/kafka/trust.jks
    Good:
        --- client.properties
        bootstrap.servers=k1:9093
        security.protocol=SSL
        ssl.truststore.location=/etc/app/trust.jks
        ssl.keystore.location=/etc/app/key.jks
        group.id=billing
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SSL://k1:9093
        security.inter.broker.protocol=SSL
        ssl.client.auth=required
        ssl.keystore.location=/etc/kafka/key.jks
        ssl.truststore.location=/etc/kafka/trust.jks
    Good: required from brokers only
        --- client.properties
        bootstrap.servers=k1:9093
        security.protocol=SSL
        ssl.truststore.location=/etc/app/trust.jks
        group.id=billing
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=CLIENTS://k1:9093,SSL://k1:9094
        listener.security.protocol.map=CLIENTS:SSL,SSL:SSL
        security.inter.broker.protocol=SSL
        listener.name.ssl.ssl.client.auth=required
        ssl.keystore.location=/etc/kafka/key.jks
        ssl.truststore.location=/etc/kafka/trust.jks
    """
    client, broker = edge.client, edge.broker
    traits = client.resource.traits
    if traits.partial or traits.application or client.sets_any(_OWN_CERTIFICATE):
        return
    protocol, servers = client["security.protocol"], client["bootstrap.servers"]
    if protocol.value != "SSL":
        return
    wanted = [
        (host.strip("[]").lower(), port) for host, port in endpoints.split(servers.text or "")
    ]
    for listener in listeners.to_clients(broker):
        if (listener.host.lower(), str(listener.port)) not in wanted:
            continue
        asked = broker.listener(listener.name, "ssl.client.auth")
        if listeners.protocol(broker, listener.name) == "SSL" and asked.value == "required":
            yield edge.finding(
                f"{client} has no certificate, but {broker} requires one at "
                f"{listener.host}:{listener.port}",
                at=protocol,
                because=(servers, asked),
                breaks="the broker ends every handshake (bad_certificate, empty client certificate chain)",
                fix="set ssl.keystore.location to a keystore with a certificate that the brokers trust",
            )
            return
