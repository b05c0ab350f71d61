"""KC04: the authorizer: its class, the nodes that have it, resources without ACLs."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.graph import listeners
from kcheck.graph.cluster import ClusterWithNodes
from kcheck.graph.nodes import Broker, Controller
from kcheck.model import ERROR, WARNING, Finding
from kcheck.rule import FAILED, rule
from kcheck.wording import plain

_AUTHORIZER = "authorizer.class.name"


_SUPER = "super.users"


_EVERYONE = "allow.everyone.if.no.acl.found"


STANDARD = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"


WITH_ZOOKEEPER = "kafka.security.authorizer.AclAuthorizer"


#: Kafka's own authorizers.
KAFKAS_OWN = (STANDARD, WITH_ZOOKEEPER)


def authorizer(broker: Broker) -> str:
    """The authorizer's class; "" if there is none or it is unknown."""
    return str(broker[_AUTHORIZER].value or "")


@rule(
    "KC0430",
    "sec-authorizer-class",
    ERROR,
    kafka=FAILED,
    on=(_AUTHORIZER,),
    broker_side=True,
    invariants=("sec-authorizer-class",),
    versions="up to 3.9; from 4.0 on, removed-class reports it",
)
def sec_authorizer_class(broker: Broker | Controller) -> Iterator[Finding]:
    """A node in KRaft mode sets AclAuthorizer, which stores ACLs in ZooKeeper.

    Without zookeeper.connect, AclAuthorizer fails startup with a NullPointerException. In KRaft mode
    StandardAuthorizer stores ACLs in the metadata log.

    Bad:
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
        authorizer.class.name=kafka.security.authorizer.AclAuthorizer
    Bad: a chart in KRaft mode
        --- values.yaml
        image: {repository: bitnami/kafka}
        kraft: {enabled: true}
        zookeeper: {enabled: false}
        authorizerClassName: kafka.security.authorizer.AclAuthorizer
    Good:
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
        authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
    Good: with ZooKeeper
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        authorizer.class.name=kafka.security.authorizer.AclAuthorizer
    Good: during the migration from ZooKeeper to KRaft
        --- server.properties
        broker.id=1
        process.roles=broker
        zookeeper.connect=zk1:2181
        authorizer.class.name=kafka.security.authorizer.AclAuthorizer
    Good: a chart with ZooKeeper
        --- values.yaml
        image: {repository: bitnami/kafka}
        kraft: {enabled: false}
        zookeeper: {enabled: true}
        authorizerClassName: kafka.security.authorizer.AclAuthorizer
    """
    roles = broker["process.roles"]
    if authorizer(broker) != WITH_ZOOKEEPER or not (roles.value or broker.resource.traits.kraft):
        return
    if broker.sets("zookeeper.connect") or broker.version.at_least("4.0"):
        return
    yield broker.finding(
        f"{broker} sets {_AUTHORIZER}={WITH_ZOOKEEPER} in KRaft mode",
        at=broker[_AUTHORIZER],
        because=(roles,) if roles.written else (),
        breaks="Kafka fails to start: the authorizer requires ZooKeeper (NullPointerException)",
        fix=f"set {_AUTHORIZER}={STANDARD}",
        set_to=STANDARD,
    )


@rule(
    "KC0434",
    "sec-allow-everyone",
    WARNING,
    on=(_EVERYONE,),
    broker_side=True,
    invariants=("sec-allow-everyone",),
)
def sec_allow_everyone(broker: Broker) -> Iterator[Finding]:
    """Resources without ACLs are open to every client.

    With allow.everyone.if.no.acl.found=true a new topic is open until it has an ACL, and so is the
    cluster itself: every client may create, alter and delete. Reported in production.

    Bad:
        --- kcheck.yaml
        cluster: {environment: production}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        authorizer.class.name=kafka.security.authorizer.AclAuthorizer
        allow.everyone.if.no.acl.found=true
    Good:
        --- kcheck.yaml
        cluster: {environment: production}
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        authorizer.class.name=kafka.security.authorizer.AclAuthorizer
        allow.everyone.if.no.acl.found=false
    Good: not in production
        --- server.properties
        broker.id=1
        zookeeper.connect=zk1:2181
        authorizer.class.name=kafka.security.authorizer.AclAuthorizer
        allow.everyone.if.no.acl.found=true
    """
    everyone = broker[_EVERYONE]
    if not authorizer(broker) or not broker.cluster.production:
        return
    if str(everyone.value).lower() == "true":
        yield broker.finding(
            f"{broker} of a {broker.cluster.rank} sets {_EVERYONE}=true",
            at=everyone,
            because=(broker[_AUTHORIZER],),
            breaks="every client that can connect has access to resources without ACLs, including new "
            "topics and the cluster itself",
            fix=f"set {_EVERYONE}=false once the clients have their ACLs",
            set_to="false",
        )


@rule(
    "KC0435",
    "sec-early-start-kraft",
    WARNING,
    on=("early.start.listeners",),
    broker_side=True,
    invariants=("sec-early-start-kraft",),
    versions="3.3+, KRaft",
)
def sec_early_start_kraft(broker: Controller) -> Iterator[Finding]:
    """early.start.listeners lacks the controller listener, which the authorizer requires.

    StandardAuthorizer loads the ACLs from the metadata log, which a controller fetches from the other
    controllers. The listeners in early.start.listeners open before the ACLs are loaded; by default
    these are the controller listeners. Without them every controller waits for all the others.

    Bad:
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1:9093,2@k2:9093,3@k3:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
        authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
        early.start.listeners=PLAINTEXT
    Good:
        --- server.properties
        process.roles=broker,controller
        node.id=1
        controller.quorum.voters=1@k1:9093,2@k2:9093,3@k3:9093
        controller.listener.names=CONTROLLER
        listeners=PLAINTEXT://:9092,CONTROLLER://:9093
        authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
        early.start.listeners=CONTROLLER,PLAINTEXT
    """
    early, found = broker["early.start.listeners"], listeners.addresses(broker)
    if authorizer(broker) != STANDARD:
        return
    if early.text is None or not found.quorum:
        return
    names = {name.strip().upper() for name in early.text.split(",")}
    if names.isdisjoint(name.upper() for name in found.quorum):
        yield broker.finding(
            f"{broker}: {plain(early)} lacks the controller listener {found.quorum[0]}",
            at=early,
            because=(broker["controller.listener.names"], broker[_AUTHORIZER]),
            breaks="after a stop of all controllers, each one waits for the ACLs before it answers the "
            "others, and none can load them",
            fix=f"add {found.quorum[0]}, or remove the key: the controller listener is its default",
        )


@rule(
    "KC0437",
    "authorizer-on-all-nodes",
    WARNING,
    broker_side=True,
    invariants=("sec-authorizer-class",),
    versions="KRaft",
)
def authorizer_on_all_nodes(cluster: ClusterWithNodes) -> Iterator[Finding]:
    """Some nodes of a cluster have an authorizer, but others do not.

    Brokers authorize the requests that they serve, controllers the changes that they make, including
    requests that a broker forwards. Without an authorizer on the controllers, every client that can
    connect to a broker may create and delete topics and alter their configuration; without one on a
    broker, every client may read and write the partitions that it leads.

    Bad: no authorizer on the controllers
        --- broker.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
        super.users=User:admin
        --- controller.properties
        process.roles=controller
        node.id=100
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
    Good:
        --- broker.properties
        process.roles=broker
        node.id=1
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
        super.users=User:admin
        --- controller.properties
        process.roles=controller
        node.id=100
        controller.quorum.voters=100@c1:9093
        controller.listener.names=CONTROLLER
        listeners=CONTROLLER://:9093
        authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
        super.users=User:admin
    """
    nodes = [node for node in (*cluster.brokers, *cluster.separate_controllers) if node.whole]
    with_one = [node for node in nodes if authorizer(node)]
    without = [node for node in nodes if node[_AUTHORIZER].known and not authorizer(node)]
    if not with_one or not without:
        return
    (one, *_), (odd, *_) = with_one, without
    yield cluster.finding(
        f"{one} sets {plain(one[_AUTHORIZER])}, but {odd} has no authorizer",
        at=one[_AUTHORIZER],
        because=(odd[_AUTHORIZER],),
        breaks=f"every client that can connect to {odd} may read and write there what the ACLs deny "
        "elsewhere"
        if odd in cluster.brokers
        else f"without an authorizer on {odd}, every client may create and delete topics and alter "
        "configurations, regardless of ACLs",
        fix=f"set {_AUTHORIZER} and {_SUPER} to the same values on all brokers and controllers",
    )
