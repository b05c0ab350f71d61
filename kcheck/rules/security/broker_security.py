"""KC04: missing keystores and authorizers of brokers."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph import listeners
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ERROR, WARNING, Finding
from kcheck.rule import FAILED, rule
from kcheck.rules.shared.completeness import is_complete
from kcheck.wording import plain

_TLS = ("SSL", "SASL_SSL")
_KEYS = ("ssl.keystore.location", "ssl.keystore.key", "ssl.engine.factory.class")


@rule(
    "KC0420",
    "sec-ssl-keystore-needed",
    ERROR,
    kafka=FAILED,
    on=("listener.security.protocol.map", "listeners", "advertised.listeners"),
    broker_side=True,
    invariants=("sec-ssl-keystore-needed",),
)
def sec_ssl_keystore_needed(broker: Broker | Controller) -> Iterator[Finding]:
    """A listener uses TLS, but the broker has no key.

    Kafka validates the key of the inter-broker listener at startup and fails without one. On another
    listener every handshake fails: clients cannot connect, and with a controller listener the node
    never starts up, because brokers do not reach the controller. The key comes from
    ssl.keystore.location, or as PEM from ssl.keystore.key, for all listeners or with the prefix of
    one. A warning for a file, because secrets may be added at installation.

    Bad: the image reads KAFKA_SSL_KEYSTORE_FILENAME only for a listener named SSL
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
    Bad: of clients
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=PLAINTEXT://k1:9092,SSL://k1:9093
    Bad: of the controller
        --- server.properties
        node.id=1
        process.roles=broker,controller
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://k1:9092,CONTROLLER://k1:9093
        listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:SSL
    Bad: a controller alone
        --- controller.properties
        node.id=1
        process.roles=controller
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://k1:9093
        listener.security.protocol.map=CONTROLLER:SSL
    Good:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        listeners=SSL://k1:9093
        security.inter.broker.protocol=SSL
        listener.name.ssl.ssl.keystore.location=/etc/kafka/k1.p12
    Good: KAFKA_SSL_KEYSTORE_FILENAME and a listener named SSL
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
    Good: an image that adds the keystores it finds
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
    Good: a partial configuration
        --- server.properties
        listeners=SSL://k1:9093
        security.inter.broker.protocol=SSL
        log.dirs=/data/kafka
    """
    if not is_complete(broker):
        return
    if any(key.endswith(_KEYS) or key.startswith("config.providers") for key in broker.merged):
        return
    chosen, spoken = broker["inter.broker.listener.name"], broker["security.inter.broker.protocol"]
    between = chosen if chosen.written else spoken
    name = str(between.value).strip().upper()
    protocol = listeners.protocol(broker, name) or ""
    map_ = broker["listener.security.protocol.map"]
    # Keys are secrets and may be added to a file at installation.
    certain = broker.resource.traits.by_environment
    if protocol in _TLS and broker.roles != ["controller"]:
        role, because = "inter-broker listener", [between]
        breaks = "Kafka fails to start: the inter-broker listener has no key"
    else:
        found = listeners.addresses(broker)
        served = [one for one in found.names if found.protocols.get(one) in _TLS]
        if not found.named or not served:
            return
        name, protocol, because = served[0], found.protocols[served[0]], [broker["listeners"]]
        role = "controller listener" if name in found.quorum else "listener"
        breaks = f"every TLS handshake on {name} fails: it has no key"
    yield broker.finding(
        f"{broker} uses {protocol} on {role} {name}, but sets no ssl.keystore.location",
        at=broker["ssl.keystore.location"],
        because=[*because, map_] if map_.written else because,
        breaks=breaks + ("" if certain else ", unless one is added at installation"),
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
    """super.users or allow.everyone.if.no.acl.found is set without an authorizer.

    Only the authorizer reads super.users and allow.everyone.if.no.acl.found. Without
    authorizer.class.name there is none: every client that can connect may do everything.

    Bad:
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        super.users=User:admin
    Bad: an incomplete variable name
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
    Good: set by a variable
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        super.users=User:admin
        authorizer.class.name=${AUTHORIZER}
    Good: a partial configuration
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
        breaks="authorization is off: every client that can connect may do everything, and kafka-acls "
        "reports that no authorizer is configured",
        fix="set authorizer.class.name to "
        + (
            "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
            if broker.kraft
            else "kafka.security.authorizer.AclAuthorizer (StandardAuthorizer in KRaft mode)"
        ),
    )
