"""KC04: security protocols, credentials and host name verification of clients and nodes."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck import endpoints, jaas
from kcheck.evidence import written_first
from kcheck.graph import listeners
from kcheck.graph.clients import Client
from kcheck.graph.edges import Connects
from kcheck.graph.nodes import Broker, Controller, Node
from kcheck.grouping import names
from kcheck.grouping.place import named_after
from kcheck.model import ERROR, INFO, WARNING, Derived, Finding, Framed, Setting, Torn
from kcheck.rule import FAILED, REFUSED, rule
from kcheck.wording import CONTINUE, plain, torn

_ENDPOINT_ID = "ssl.endpoint.identification.algorithm"


_JAAS = "sasl.jaas.config"


_CLIENT_PREFIXES = (
    "producer.",
    "consumer.",
    "admin.",
    "main.consumer.",
    "restore.consumer.",
    "global.consumer.",
)


#: The identification algorithms of the JDK; case is ignored.
_ALGORITHMS = frozenset({"", "https", "ldap", "ldaps"})


def _settings(node: Node, key: str) -> Iterator[tuple[str, Setting]]:
    """The settings of a key under its own name and with the prefixes that Kafka itself reads.

    Plug-ins have keys with the same suffix and another meaning (the TLS of an authorizer).
    """
    broker = isinstance(node, Broker)
    held = node.merged if isinstance(node, Broker) else node.resource.settings
    for name, setting in held.items():
        if not name.endswith(key):
            continue
        prefix = name[: -len(key)]
        if prefix == "" or (
            prefix.startswith("listener.name.") if broker else prefix in _CLIENT_PREFIXES
        ):
            yield name, setting


def spoken(client: Client) -> str:
    """The client's security protocol in upper case; empty if unknown."""
    value = client["security.protocol"]
    if not value.value or (not value.explicit and _completed(client)):
        return ""
    return str(value.value).upper()


def switched(client: Client) -> bool:
    """Whether the protocol comes from switches of a program, which its file may have left out."""
    return not client.java and "security.protocol" in client.resource.image


def to_speak(client: Client, text: str) -> str:
    """How to set another protocol, which operators and agents derive from other fields."""
    if switched(client):
        own = spoken(client)
        return " and ".join(
            f"{'enable' if needed else 'disable'} {word}"
            for word, needed, there in (
                ("TLS", text.endswith("SSL"), own.endswith("SSL")),
                ("the login", text.startswith("SASL"), own.startswith("SASL")),
            )
            if needed != there
        )
    if isinstance(client["security.protocol"].setting, Derived):
        return f"set tls and authentication to match a listener with {text}"
    return f"set security.protocol={text}"


def _completed(client: Client) -> bool:
    """Whether the client is a template of credentials, to which something else adds the addresses."""
    settings = client.resource.settings
    return "bootstrap.servers" not in settings and any(
        isinstance(setting, Framed) and "{{" in setting.frame for setting in settings.values()
    )


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
    for key, setting in _settings(node, _JAAS):
        # A broker reads the key only with the prefix of a listener and mechanism.
        if isinstance(node, Broker) and (key == _JAAS or not listeners.may_log_in(node, key)):
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


@rule(
    "KC0403",
    "sec-client-protocol-match",
    ERROR,
    kafka=FAILED,
    invariants=("sec-client-protocol-match", "bootstrap-overlap"),
)
def sec_client_protocol_match(edge: Connects) -> Iterator[Finding]:
    """A client's security.protocol differs from that of the listener.

    bootstrap.servers contains the advertised address of a listener with another security protocol.
    With a TLS client on a plaintext port, the broker reads an invalid request size; a plaintext
    client on a TLS or SASL port is disconnected at once.

    Bad: PLAINTEXT to a SASL_SSL listener
        --- consumer.properties
        bootstrap.servers=k1:9094
        group.id=billing
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        advertised.listeners=PLAINTEXT://k1:9092,SASL_SSL://k1:9094
    Bad: PLAINTEXT to a TLS listener of Strimzi
        --- kafka.yaml
        apiVersion: kafka.strimzi.io/v1
        kind: Kafka
        metadata: {name: core, namespace: kafka}
        spec:
          kafka:
            version: 4.1.0
            listeners: [{name: tls, port: 9093, type: internal, tls: true}]
        --- apps/billing/consumer.properties
        bootstrap.servers=core-kafka-bootstrap.kafka.svc:9093
        group.id=billing
    Bad: no SASL, connecting by hostname
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            hostname: broker
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_LISTENERS: INSIDE://:9092,CLIENTS://:9094
              KAFKA_ADVERTISED_LISTENERS: INSIDE://kafka:9092,CLIENTS://kafka:9094
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: INSIDE:PLAINTEXT,CLIENTS:SASL_PLAINTEXT
              KAFKA_INTER_BROKER_LISTENER_NAME: INSIDE
          ksqldb:
            image: confluentinc/ksqldb-server:0.29.0
            environment: {KSQL_BOOTSTRAP_SERVERS: "broker:9094", KSQL_KSQL_SERVICE_ID: demo_}
    Good: the other listener
        --- consumer.properties
        bootstrap.servers=k1:9092
        group.id=billing
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        advertised.listeners=PLAINTEXT://k1:9092,SASL_SSL://k1:9094
    Good: an address that is not advertised
        --- consumer.properties
        bootstrap.servers=lb.example.com:9094
        group.id=billing
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        log.dirs=/data/kafka
        advertised.listeners=PLAINTEXT://k1:9092,SASL_SSL://k1:9094
    Good: a patch of kustomize leaves out the listeners that its base has
        --- base/kustomization.yaml
        resources: [kafka.yaml, connect.yaml]
        --- base/kafka.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: Kafka
        metadata: {name: kafka}
        spec:
          replicas: 3
          listeners:
            internal: {authentication: {type: mtls}, tls: {enabled: true}}
        --- base/connect.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: Connect
        metadata: {name: connect}
        spec:
          replicas: 1
          dependencies:
            kafka: {bootstrapEndpoint: "kafka:9071", authentication: {type: mtls}, tls: {enabled: true}}
        --- production/kustomization.yaml
        namespace: production
        resources: [../base]
        patches: [{path: kafka.yaml}]
        --- production/kafka.yaml
        apiVersion: platform.confluent.io/v1beta1
        kind: Kafka
        metadata: {name: kafka}
        spec:
          replicas: 5
    Good: a second set of client files, for a cluster with TLS
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.3
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
              KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: 1
        --- consumer.properties
        bootstrap.servers=kafka:9092
        group.id=billing
        --- consumer-tls.properties
        bootstrap.servers=kafka:9092
        group.id=billing
        security.protocol=SASL_SSL
        sasl.mechanism=SCRAM-SHA-512
        sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="u" password="p";
        ssl.truststore.location=/opt/tls/truststore.jks
    Bad: no other file wants the brokers as they are
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.3
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://kafka:9092
              KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: 1
        --- consumer-tls.properties
        bootstrap.servers=kafka:9092
        group.id=billing
        security.protocol=SASL_SSL
        sasl.mechanism=SCRAM-SHA-512
        sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="u" password="p";
        ssl.truststore.location=/opt/tls/truststore.jks
    Good: a file that goes over another may change the brokers as well
        --- docker-compose.yml
        services:
          kafka:
            image: apache/kafka:4.1.0
            environment:
              KAFKA_NODE_ID: 1
              KAFKA_PROCESS_ROLES: broker,controller
              KAFKA_CONTROLLER_QUORUM_VOTERS: 1@kafka:9093
              KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
              KAFKA_LISTENERS: INTERNAL://:19092,CONTROLLER://:9093
              KAFKA_ADVERTISED_LISTENERS: INTERNAL://kafka:19092
              KAFKA_INTER_BROKER_LISTENER_NAME: INTERNAL
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: CONTROLLER:PLAINTEXT,INTERNAL:PLAINTEXT
          registry:
            image: confluentinc/cp-schema-registry:7.9.1
        --- docker-compose.secure.yml
        services:
          kafka:
            environment: {KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: "CONTROLLER:SASL_SSL,INTERNAL:SASL_SSL"}
          registry:
            environment:
              SCHEMA_REGISTRY_HOST_NAME: registry
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: SASL_SSL://kafka:19092
              SCHEMA_REGISTRY_KAFKASTORE_SECURITY_PROTOCOL: SASL_SSL
    """
    client, broker = edge.client, edge.broker
    servers, mine = client["bootstrap.servers"], spoken(client)
    if servers.setting is None or not mine:
        return
    from kcheck.graph.answers import answering

    for asked, listener in answering(broker, client.resource):
        theirs = listener.protocol
        if theirs is None or theirs == mine or _of_another_set(edge, mine, theirs):
            continue
        protocol = client["security.protocol"]
        at, *because = written_first(protocol, servers)
        yield edge.finding(
            f"{client} connects to {asked.text} with {plain(protocol)}, but the listener of {broker} "
            f"uses {theirs}",
            at=at,
            because=[*because, listener.told],
            breaks="the connection is closed during the handshake, and the client retries until it times "
            "out",
            fix=f"{to_speak(client, theirs)}, or use the port of a listener with {mine}",
            set_to=theirs if protocol.explicit and not switched(client) else None,
        )
        return


def _of_another_set(edge: Connects, mine: str, theirs: str) -> bool:
    """Whether a file is one of a second set, for a cluster whose brokers are set up elsewhere.

    Its protocol is secured as no listener of the brokers is, and another file beside it asks the same
    address as these brokers want it. What runs in the brokers' own network is no such file.
    """
    client, place = edge.client.resource, edge.client.resource.path.rpartition("/")[0]
    apart = client.traits.network is None and client.path != edge.broker.resource.path
    if not apart or mine == _PLAIN or not client.settings.keys() & _SECURED:
        return False
    from kcheck.graph import answers

    if any(answers.spoken(one) & {mine, None} for one in edge.cluster.brokers):
        return False
    wanted = {(one.host, one.port) for one in names.asked(client)}
    return any(
        other.resource.path != client.path
        and other.resource.path.rpartition("/")[0] == place
        and other.resource.traits.network is None
        and spoken(other) == theirs
        and wanted & {(one.host, one.port) for one in names.asked(other.resource)}
        for other in edge.cluster.clients
    )


_PLAIN = "PLAINTEXT"
#: What a client has beside its protocol, once somebody has thought it over.
_SECURED = frozenset(
    {
        "ssl.truststore.location",
        "ssl.truststore.certificates",
        "ssl.ca.location",
        "ssl.cafile",
        "ssl_cafile",
        "ssl.keystore.location",
        _JAAS,
    }
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


@rule(
    "KC0404",
    "sec-hostname-verify",
    WARNING,
    invariants=("sec-hostname-verify",),
)
def sec_hostname_verify(node: Broker | Controller | Client) -> Iterator[Finding]:
    """Host names in TLS certificates are not verified.

    With an empty ssl.endpoint.identification.algorithm any certificate of the trusted authority is
    accepted for any host: its owner can intercept connections. Not reported in development, or if
    TLS is not used; info where the file or a folder of its is named after it, in scripts, and for
    clients of their own machine.

    Bad:
        --- producer.properties
        bootstrap.servers=k1:9093
        security.protocol=SSL
        acks=all
        ssl.endpoint.identification.algorithm=
    Good:
        --- producer.properties
        bootstrap.servers=k1:9093
        security.protocol=SSL
        acks=all
        ssl.endpoint.identification.algorithm=https
    Good: no TLS
        --- producer.properties
        bootstrap.servers=k1:9092
        acks=all
        ssl.endpoint.identification.algorithm=
    Good: the TLS of a plug-in
        --- kcheck.yaml
        cluster: {brokers: 3, config: {strimzi.authorization.ssl.endpoint.identification.algorithm: ""}}
    """
    if node.cluster.development or not _uses_tls(node):
        return
    for key, setting in _settings(node, _ENDPOINT_ID):
        off = setting.text is not None and setting.text.lower() in node.library.no_host_check
        if off:
            yield node.finding(
                f"{node} does not verify host names in certificates ({key} is "
                f"{setting.text or 'empty'})",
                at=node[key],
                breaks="a certificate for any other host is accepted: connections can be intercepted",
                fix=f"set {key}=https, and issue certificates with matching host names",
                set_to="https",
                severity=INFO if _tried_out(node) else "",
            )


def _tried_out(node: Node) -> bool:
    """Whether it does without for a trial: the file is named after it, a script makes it for tools
    that somebody runs by hand, or it connects to nothing but its own machine."""
    path = node.resource.path
    if path.endswith(_SCRIPTS) or named_after(path, *_ON_PURPOSE):
        return True
    hosts = [one.host for one in names.asked(node.resource)]
    return bool(hosts) and all(map(names.local, hosts))


_SCRIPTS = (".sh", ".bash")
#: What a file is called that shows how to do without, in words put together.
_ON_PURPOSE = ("insecure", "nohost", "noverif", "skipverif", "disablehost", "disableverif")


def _uses_tls(node: Broker | Controller | Client) -> bool:
    """Whether TLS may be in use; false only if the files rule it out."""
    if isinstance(node, Client):
        own = spoken(node)
        return not own or own.endswith("SSL")
    values = [node[key] for key in ("listeners", "listener.security.protocol.map")]
    if not values[0].written:
        # Without listeners a node has a PLAINTEXT one.
        return not node.whole
    return any(
        value.text is None or "SSL" in value.text.upper() for value in values if value.written
    )


@rule(
    "KC0405",
    "endpoint-id-unknown",
    ERROR,
    kafka=FAILED,
    invariants=("sec-hostname-verify",),
)
def endpoint_id_unknown(node: Broker | Controller | Client) -> Iterator[Finding]:
    """ssl.endpoint.identification.algorithm is not a known algorithm.

    ``https`` verifies host names, an empty value disables that. With any other value startup succeeds,
    but every TLS handshake fails: ``none`` is valid in librdkafka, but not in Java.

    Bad:
        --- server.properties
        node.id=0
        process.roles=broker,controller
        listeners=SSL://:9092,CONTROLLER://:9093
        ssl.endpoint.identification.algorithm=none
    Good: librdkafka
        --- kcheck.yaml
        producers:
          - name: agent
            client: {library: librdkafka}
            config: {security.protocol: ssl, ssl.endpoint.identification.algorithm: none}
    Good:
        --- server.properties
        node.id=0
        process.roles=broker,controller
        listeners=SSL://:9092,CONTROLLER://:9093
        ssl.endpoint.identification.algorithm=HTTPS
    """
    if not node.library.java or not _uses_tls(node):
        return
    for key, setting in _settings(node, _ENDPOINT_ID):
        # The word null is reported by null-text, whatever the key.
        if setting.text is not None and setting.text.lower() not in (*_ALGORITHMS, "null"):
            yield node.finding(
                f"{node} sets {key}={setting.text}, which is not a known algorithm",
                at=node[key],
                breaks="every TLS handshake fails: unknown identification algorithm",
                fix=f"set {key}=https, or leave it empty to disable verification",
                set_to="https",
            )
