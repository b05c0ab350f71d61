"""KC10: bootstrap.servers and bootstrap.controllers of clients."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.graph.clients import Client, Worker
from kcheck.graph.nodes import Node
from kcheck.model import ERROR, INFO, WARNING, Finding, Note, Value
from kcheck.refusal import refused
from kcheck.rule import REFUSED, rule
from kcheck.rules.shared.keys_wording import key_evidence
from kcheck.version import Version

#: host:port as the Java client parses it, optionally with a scheme.
_ADDRESS = re.compile(r"(?:[0-9a-zA-Z\-%._]*://)?\[?[0-9a-zA-Z\-%._:]*\]?:[0-9]+\Z")


#: Up to 3.9, except 3.8, anything may precede it.
_LAST_ADDRESS = re.compile(r".*:[0-9]+\Z")


#: What is an address, possibly an incomplete one; ``BOOTSTRAP_SERVERS`` is a placeholder.
_LIKE_ADDRESS = re.compile(
    r"(?![A-Z_]+\Z)[0-9a-zA-Z\-%._:\[\]/;]+\Z|(?=.*:\s*[0-9])[0-9a-zA-Z\-%._:\[\]/;\s]+\Z"
)


#: Words in the place of an address, which turn Kafka off in the profile of a test.
_OFF = ("disabled", "dummy", "embedded", "fake", "mock", "none", "unused")


#: Separators used instead of a comma.
_SEPARATORS = re.compile(r"[;\s]")


#: A scheme before an address.
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9_+.-]{0,30})://[\w.-]")


_LAST_PORT = "65535"


_PORTS = {"bootstrap.servers": "9092", "bootstrap.controllers": "9093"}


_ZOOKEEPER_PORTS = ("2181", "2182")


def _entries(client: Client, key: str = "bootstrap.servers") -> list[str]:
    setting = client[key].setting
    text = setting.text if setting else None
    return [entry.strip() for entry in (text or "").split(",")]


def _beyond(port: str) -> bool:
    """Whether the text is a number above the last port."""
    digits = port.lstrip("0")
    return port.isdecimal() and (len(digits), digits) > (len(_LAST_PORT), _LAST_PORT)


def _takes_the_last(version: Version) -> bool:
    """Whether the client parses only the end of an entry."""
    return version.below("3.8") or (version.at_least("3.9") and version.below("4.0"))


def _to_zookeeper(entry: str) -> bool:
    """Whether an entry has ZooKeeper's port or a path, which only ZooKeeper addresses have."""
    address, slash, _ = entry.rpartition("://")[2].partition("/")
    return bool(slash) or address.rpartition(":")[2] in _ZOOKEEPER_PORTS


@rule(
    "KC1001",
    "bootstrap-syntax",
    ERROR,
    kafka=REFUSED,
    on=("bootstrap.servers", "bootstrap.controllers"),
    refs=("KIP-919",),
    invariants=("bootstrap-resolvable",),
    versions="entries separated by ; or whitespace: only the last one is used up to 3.9; rejected in 3.8 and from 4.0 on",
)
def bootstrap_syntax(client: Client) -> Iterator[Finding]:
    """An entry of bootstrap.servers is not host:port.

    There is no default port: the Java client rejects an entry without one. Entries are separated by
    commas; with semicolons or whitespace clients up to 3.9 use only the last host, and later versions
    reject the list. Admin clients parse bootstrap.controllers (3.7+) in the same way. Java and Python
    clients take off any scheme, librdkafka the names of security protocols; Sarama and KafkaJS take
    it for a part of the host.

    Bad:
        --- consumer.properties
        bootstrap.servers=k1.example.com,k2.example.com:9092
        group.id=reports
    Bad: separated by semicolons
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
        consumers: [{name: reports, config: {bootstrap.servers: "k1:9092;k2:9092"}}]
    Bad: port out of range
        --- kcheck.yaml
        consumers: [{name: reports, config: {bootstrap.servers: "k1:90920"}}]
    Bad: bootstrap.controllers
        --- admin.properties
        bootstrap.controllers=c1
        security.protocol=SSL
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
    Good:
        --- consumer.properties
        bootstrap.servers=k1.example.com:9092, k2.example.com:9092,[2001:db8::1]:9092
        group.id=reports
    Good: with a scheme
        --- kcheck.yaml
        consumers: [{name: reports, config: {bootstrap.servers: "PLAINTEXT://k1:9092"}}]
    Good: librdkafka has a default port
        --- kcheck.yaml
        consumers:
          - {name: reports, client: {library: librdkafka}, config: {bootstrap.servers: k1.example.com}}
    Good: a placeholder
        --- kcheck.yaml
        consumers: [{name: reports, config: {bootstrap.servers: BOOTSTRAP_SERVERS}}]
    Bad: a word that turns Kafka off, an info
        --- src/main/resources/application-test.yml
        spring:
          kafka:
            bootstrap-servers: embedded
            consumer: {group-id: reports}
    Bad: the admin client of a Streams application may have other brokers
        --- streams.properties
        application.id=orders
        bootstrap.servers=k1:9092
        admin.bootstrap.servers=k1:90920
    Good: words to be replaced
        --- producer.properties
        bootstrap.servers=HOST:PORT
        key.serializer=org.apache.kafka.common.serialization.StringSerializer
        value.serializer=org.apache.kafka.common.serialization.StringSerializer
    """
    if not client.java:
        yield from _wrong_scheme(client)
        return
    yield from _wrong_entry(client, "bootstrap.servers", ERROR)
    if client.resource.kind == "admin":
        told = refused(client.version, "", "3.7")
        if told is not None:
            yield from _wrong_entry(client, "bootstrap.controllers", told[0])


def _wrong_scheme(client: Client) -> Iterator[Finding]:
    """The first entry with a scheme that the client library does not take off."""
    library = client.library
    for entry in _entries(client) if library.schemes is not None else ():
        found = _SCHEME.match(entry)
        if found is None or found[1].lower() in (library.schemes or ()):
            continue
        others = f" or one of {', '.join(library.schemes)}" if library.schemes else ""
        yield client.finding(
            f"{client}: entry {entry} of bootstrap.servers has the scheme {found[1]}, but "
            f"{library.name} takes host:port{' alone' if not others else others + ' before it'}",
            at=client["bootstrap.servers"],
            breaks="the client reaches no broker: the entry is no address",
            fix=f"write {entry.partition('://')[2].partition('/')[0]}",
        )
        return


def _wrong_entry(client: Client, key: str, severity: str) -> Iterator[Finding]:
    """The first entry of that key that is not an address."""
    for entry in _entries(client, key):
        beyond = _beyond(entry.rpartition(":")[2])
        whole = _ADDRESS.match(entry) and not beyond
        # A reference that nothing resolves is text, another one would not be known.
        literal = "${" in entry
        if whole or not (literal or _LIKE_ADDRESS.match(entry)) or _to_zookeeper(entry):
            continue
        breaks = "the client cannot be created: invalid url in bootstrap.servers"
        problem = f"has a port above {_LAST_PORT}" if beyond else "has no port"
        other = _SEPARATORS.search(entry)
        if other:
            sign = "a semicolon" if other[0] == ";" else "whitespace"
            problem = f"contains {sign}, but addresses must be separated by commas"
        if not beyond and _LAST_ADDRESS.match(entry):
            if _takes_the_last(client.version):
                severity, breaks = WARNING, "the client uses only the last address"
            elif not client.version.at_least("4.0") and client.version.minor != "3.8":
                severity = WARNING
                breaks = (
                    "clients up to 3.9 use only the last address, later versions reject the entry"
                )
        if entry.lower() in _OFF:
            severity = INFO
        yield client.finding(
            f"{client}: entry {entry} of {key} {problem}",
            at=client[key],
            breaks=breaks,
            fix="separate the entries with commas"
            if other
            else "use the port of the listener"
            if beyond
            else f"write {entry}:{_PORTS[key]}, or the port of the listener",
            severity=severity,
        )
        return


def _addresses(value: Value) -> list[str]:
    """The ZooKeeper addresses in zookeeper.connect."""
    return [entry.strip() for entry in (value.text or "").partition("/")[0].split(",")]


@rule(
    "KC1002",
    "bootstrap-zookeeper",
    WARNING,
    kafka=REFUSED,
    on=("bootstrap.servers",),
    invariants=("bootstrap-overlap",),
)
def bootstrap_zookeeper(client: Client) -> Iterator[Finding]:
    """bootstrap.servers points to ZooKeeper.

    Clients connect to brokers only. A path after the port (ZooKeeper's chroot) is rejected; port 2181
    is ZooKeeper's in nearly every installation.

    Bad: with a path
        --- consumer.properties
        bootstrap.servers=zk1:2181/kafka
        group.id=reports
    Bad: an address in the brokers' zookeeper.connect
        --- consumer.properties
        bootstrap.servers=zk1:2181
        group.id=reports
        --- server.properties
        broker.id=1
        log.dirs=/data/kafka
        zookeeper.connect=zk1:2181,zk2:2181
    Good:
        --- consumer.properties
        bootstrap.servers=k1:9092
        group.id=reports
    """
    for entry in _entries(client):
        if not _to_zookeeper(entry):
            continue
        path = "/" in entry.rpartition("://")[2]
        told = client.cluster.across("zookeeper.connect")
        known = next((value for value in told if entry in _addresses(value)), None)
        refused = path and client.java
        yield client.finding(
            f"{client}: entry {entry} of bootstrap.servers is "
            + ("a ZooKeeper address" if known or path else "on ZooKeeper's port"),
            at=client["bootstrap.servers"],
            because=(known,) if known else (),
            breaks="the client cannot be created: invalid url in bootstrap.servers"
            if refused
            else "no broker answers at this address: metadata requests time out",
            fix="use the brokers' listeners, for example port 9092",
            severity=ERROR if refused or known else WARNING,
        )
        return


@rule(
    "KC1014",
    "bootstrap-controllers-exclusive",
    ERROR,
    kafka=REFUSED,
    on=("bootstrap.controllers", "bootstrap.servers"),
    refs=("KIP-919",),
    invariants=("bootstrap-controllers-exclusive",),
    versions="3.7+",
)
def bootstrap_controllers_exclusive(client: Client) -> Iterator[Finding]:
    """An admin client sets both bootstrap.servers and bootstrap.controllers, or neither.

    An admin client bootstraps either from the brokers (bootstrap.servers) or from the controllers
    (bootstrap.controllers); exactly one of the two is required. A Connect worker makes an admin client
    of its own keys when it starts.

    Bad:
        --- admin.properties
        bootstrap.servers=k1:9092
        bootstrap.controllers=c1:9093
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
    Bad: neither
        --- admin.properties
        bootstrap.servers=
        security.protocol=SSL
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
    Bad: a worker
        --- connect-standalone.properties
        bootstrap.servers=k1:9092
        bootstrap.controllers=c1:9093
        key.converter=org.apache.kafka.connect.json.JsonConverter
        value.converter=org.apache.kafka.connect.json.JsonConverter
        offset.storage.file.filename=/data/offsets
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
    Good:
        --- admin.properties
        bootstrap.controllers=c1:9093
        security.protocol=SSL
        --- kcheck.yaml
        cluster: {client_version: "4.1"}
    """
    servers, controllers = client["bootstrap.servers"], client["bootstrap.controllers"]
    # The first client of a worker is an admin client with all of the worker's keys.
    of_worker = isinstance(client, Worker)
    if not (of_worker or client.resource.kind == "admin") or not client.java:
        return
    if not servers.explicit:
        return
    neither = servers.value == [] and not controllers.value and not of_worker
    if not neither and not (servers.value and controllers.value):
        return
    which = "one of the two must be set" if neither else "only one of the two may be set"
    what = "the worker does not start" if of_worker else "the client cannot be created"
    told = refused(client.version, f"{what}: {which}", "3.7")
    if told is None:
        return
    severity, breaks = told
    yield client.finding(
        f"{client} has an empty bootstrap.servers and no bootstrap.controllers"
        if neither
        else f"{client} sets both bootstrap.servers and bootstrap.controllers",
        at=servers if neither else controllers,
        because=() if neither else (servers,),
        breaks=breaks,
        fix="set bootstrap.servers" if neither else "remove one of the two",
        severity=severity,
    )


@rule("KC1026", "registry-endpoints", ERROR)
def registry_endpoints(note: Note, node: Node) -> Iterator[Finding]:
    """Schema Registry ignores endpoints with a protocol other than kafkastore.security.protocol.

    An endpoint in kafkastore.bootstrap.servers may have a protocol prefix. Schema Registry uses the
    endpoints that have the protocol of kafkastore.security.protocol (default PLAINTEXT) or no prefix;
    it logs and skips the others, and fails to start if none remains. Up to 6.2 it could also look up
    the brokers in ZooKeeper, by kafkastore.connection.url.

    Bad: none remains
        --- schema-registry.properties
        listeners=http://0.0.0.0:8081
        kafkastore.bootstrap.servers=SASL_SSL://k1:9093,SASL_SSL://k2:9093
        kafkastore.topic=_schemas
    Bad: some are skipped
        --- docker-compose.yml
        services:
          schema-registry:
            image: confluentinc/cp-schema-registry:7.5.0
            environment:
              SCHEMA_REGISTRY_HOST_NAME: schema-registry
              SCHEMA_REGISTRY_KAFKASTORE_SECURITY_PROTOCOL: SSL
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: SSL://k1:9093,PLAINTEXT://k2:9092
    Bad: brokers looked up in ZooKeeper
        --- docker-compose.yml
        services:
          schema-registry:
            image: confluentinc/cp-schema-registry:7.5.0
            environment:
              SCHEMA_REGISTRY_HOST_NAME: schema-registry
              SCHEMA_REGISTRY_KAFKASTORE_CONNECTION_URL: zookeeper:2181
    Good:
        --- schema-registry.properties
        listeners=http://0.0.0.0:8081
        kafkastore.bootstrap.servers=SASL_SSL://k1:9093,SASL_SSL://k2:9093
        kafkastore.security.protocol=SASL_SSL
        kafkastore.topic=_schemas
    Good: without a prefix
        --- schema-registry.properties
        listeners=http://0.0.0.0:8081
        kafkastore.bootstrap.servers=k1:9093,k2:9093
        kafkastore.security.protocol=SASL_SSL
        kafkastore.topic=_schemas
    Bad: the advertised listeners of brokers, with those for the host: an info, because no broker is lost
        --- docker-compose.yml
        services:
          schema-registry:
            image: confluentinc/cp-schema-registry:7.5.0
            environment:
              SCHEMA_REGISTRY_HOST_NAME: schema-registry
              SCHEMA_REGISTRY_KAFKASTORE_BOOTSTRAP_SERVERS: PLAINTEXT://k1:9092,HOST://localhost:19092,EXTERNAL://k1:29092
    """
    setting = note.setting
    yield node.finding(
        note.message,
        at=key_evidence(node, setting, setting.name),
        because=[key_evidence(node, other, other.name) for other in note.others],
        breaks=note.consequence,
        fix=note.fix,
        severity=note.severity,
    )
