"""KC04: what a broker needs for its listeners and its ACLs, and lacks."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph import listeners
from kcheck.graph.nodes import Broker
from kcheck.model import ERROR, WARNING, Finding
from kcheck.rule import FAILED, rule
from kcheck.rules.shared.completeness import is_complete
from kcheck.wording import plain

_KEYS = ("ssl.keystore.location", "ssl.keystore.key", "ssl.engine.factory.class")


@rule(
    "KC0420",
    "sec-ssl-keystore-needed",
    ERROR,
    kafka=FAILED,
    on=("listener.security.protocol.map", "listeners", "advertised.listeners"),
    invariants=("sec-ssl-keystore-needed",),
)
def sec_ssl_keystore_needed(broker: Broker) -> Iterator[Finding]:
    """The listener between brokers speaks TLS and has no key.

    Kafka tries the key of that listener at the start and refuses to go on without one. A key comes
    from ssl.keystore.location, or as PEM from ssl.keystore.key, for all listeners or under the
    prefix of this one. A warning for a file, to which whoever installs it may add secrets.

    Bad: the image reads the names of files for a listener called SSL alone
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_LISTENERS: INTERNAL://:9092
              KAFKA_ADVERTISED_LISTENERS: INTERNAL://kafka:9092
              KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: INTERNAL:SSL
              KAFKA_INTER_BROKER_LISTENER_NAME: INTERNAL
              KAFKA_SSL_KEYSTORE_FILENAME: broker.p12
    Bad:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SSL://k1:9093
        security.inter.broker.protocol=SSL
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SSL://k1:9093
        security.inter.broker.protocol=SSL
        listener.name.ssl.ssl.keystore.location=/etc/kafka/k1.p12
    Good: the names of files, and a listener called SSL
        --- docker-compose.yml
        services:
          kafka:
            image: confluentinc/cp-kafka:7.5.0
            environment:
              KAFKA_BROKER_ID: 1
              KAFKA_ZOOKEEPER_CONNECT: zookeeper:2181
              KAFKA_ADVERTISED_LISTENERS: SSL://kafka:9092
              KAFKA_SECURITY_INTER_BROKER_PROTOCOL: SSL
              KAFKA_SSL_KEYSTORE_FILENAME: broker.p12
              KAFKA_SSL_KEYSTORE_CREDENTIALS: store
              KAFKA_SSL_KEY_CREDENTIALS: key
    Good: an image that adds the stores it finds
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.7.0
            environment:
              KAFKA_CFG_NODE_ID: "0"
              KAFKA_CFG_PROCESS_ROLES: controller,broker
              KAFKA_CFG_LISTENERS: CLIENT://:9092,CONTROLLER://:9093
              KAFKA_CFG_LISTENER_SECURITY_PROTOCOL_MAP: CLIENT:SSL,CONTROLLER:PLAINTEXT
              KAFKA_CFG_INTER_BROKER_LISTENER_NAME: CLIENT
    Good: a piece of a configuration
        --- server.properties
        listeners=SSL://k1:9093
        security.inter.broker.protocol=SSL
        log.dirs=/data/kafka
    """
    if not is_complete(broker):
        return
    chosen, spoken = broker["inter.broker.listener.name"], broker["security.inter.broker.protocol"]
    between = chosen if chosen.written else spoken
    name = str(between.value).strip().upper()
    protocol = listeners.protocol(broker, name) or ""
    if protocol not in ("SSL", "SASL_SSL"):
        return
    if any(key.endswith(_KEYS) or key.startswith("config.providers") for key in broker.merged):
        return
    map_ = broker["listener.security.protocol.map"]
    # A file may get its keys, which are secrets, where it is installed.
    certain = broker.resource.traits.by_environment
    yield broker.finding(
        f"{broker} talks to other brokers by listener {name}, which speaks {protocol}, and sets no "
        "ssl.keystore.location",
        at=broker["ssl.keystore.location"],
        because=(between, map_) if map_.written else (between,),
        breaks="Kafka does not start: the listener between brokers has no key to show"
        + ("" if certain else ", unless the file gets one where it is installed"),
        fix="set ssl.keystore.location and ssl.keystore.password",
        severity=ERROR if certain else WARNING,
    )


@rule(
    "KC0421",
    "super-users-without-authorizer",
    WARNING,
    on=("super.users", "allow.everyone.if.no.acl.found"),
    broker_side=True,
    invariants=("sec-authz-empty",),
)
def super_users_without_authorizer(broker: Broker) -> Iterator[Finding]:
    """Rights are configured, and no authorizer looks at them.

    super.users and allow.everyone.if.no.acl.found are read by the authorizer. Without
    authorizer.class.name there is none: everybody who can connect may do everything.

    Bad:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        super.users=User:admin
    Bad: a variable that lacks its last word
        --- docker-compose.yml
        services:
          kafka:
            image: bitnami/kafka:3.7.0
            environment:
              KAFKA_CFG_NODE_ID: "0"
              KAFKA_CFG_PROCESS_ROLES: controller,broker
              KAFKA_CFG_SUPER_USERS: User:admin
              KAFKA_CFG_AUTHORIZER_CLASS: org.apache.kafka.metadata.authorizer.StandardAuthorizer
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        super.users=User:admin
        authorizer.class.name=kafka.security.authorizer.AclAuthorizer
    Good: chosen elsewhere
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        super.users=User:admin
        authorizer.class.name=${AUTHORIZER}
    Good: a piece of a configuration
        --- kcheck.yaml
        cluster: {brokers: 3, config: {super.users: "User:admin"}}
    """
    authorizer = broker["authorizer.class.name"]
    complete = broker.resource.traits.by_environment
    if not (complete or broker.whole) or not authorizer.known or authorizer.value:
        return
    users, everyone = broker["super.users"], broker["allow.everyone.if.no.acl.found"]
    at = users if users.text else everyone
    if at.text is None or str(at.value).lower() == "true":
        return
    yield broker.finding(
        f"{broker} sets {plain(at)} without authorizer.class.name",
        at=at,
        because=(authorizer,),
        breaks="authorisation is off: everybody who can connect may do everything, and kafka-acls "
        "answers that no authorizer is configured",
        fix="set authorizer.class.name to "
        + (
            "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
            if broker.kraft
            else "kafka.security.authorizer.AclAuthorizer (StandardAuthorizer in KRaft mode)"
        ),
    )
